//! The library `cmsgpack`: MessagePack as values of scripts.

mod pack;
mod unpack;

use rilua::vm::closure::RustFn;

/// The functions of the library.
pub(super) const FUNCTIONS: &[(&str, RustFn)] = &[
    ("pack", pack::pack),
    ("unpack", unpack::unpack),
    ("unpack_one", unpack::unpack_one),
    ("unpack_limit", unpack::unpack_limit),
];
