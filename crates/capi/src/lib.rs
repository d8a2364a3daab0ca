//! The functions of RocksDB's C ABI, for programs that were built for RocksDB 10.10.
//!
//! Two kinds of packages link them: `crates/librocksdb` turns them into `librocksdb.so` and `librocksdb.a`, and
//! `crates/librocksdb-sys` puts them behind the bindings that the crate `rocksdb` expects. The functions are called by
//! their C names, through `extern "C"` declarations. In Rust, this crate exports only what those packages need to
//! refuse a function: [`refuse`] and [`show_refusal`].
//!
//! `abi.tsv` has one row per function of RocksDB's header: its name, what it returns, its
//! arguments, its state and a binding.
//!
//! * **Binding.** `get PATH` or `set PATH` on a plain accessor: `build.rs` writes it, `PATH` is a
//!   field of the handle's Rust struct. `*` stands for the field that has the function's name: `inner.db.*` of
//!   `rocksdb_options_set_max_open_files` is `inner.db.max_open_files`, the field in that option's row. `get-enum` and
//!   `set-enum` are the same for closed sets, whose numbers without a name are noted for the opening to refuse.
//!   `forward FUNCTION` on a function of a wrapping handle, such as a database with transactions: `build.rs` writes a
//!   call of `FUNCTION`, a path below `src/families`, with the wrapped database. Empty for everything else.
//! * **State**, written by `cargo x abi` from the sources: `implemented`; `accepted` where the
//!   function's comment begins with "Accepted without effect"; `unsupported` where the comment begins
//!   with "Refused" or where no source file has the function. For a missing function `build.rs` writes a
//!   refusal that sets `errptr` to the function's own name.
//!
//! Recommended reading order of the rest: [`errptr`] (errors, and the guard that catches panics), [`bytes`] (memory
//! that callers free), [`handles`] (objects that callers hold), [`accessors`] (helpers of the generated functions),
//! [`callbacks`] (functions that callers implement), [`families`] (the functions, one file per handle). Everything here
//! is a C boundary: callers guarantee what the header requires, which `SAFETY` comments call "guaranteed by the
//! caller".
//!
//! Conventions of every function: NULL instead of a required handle is an error or does nothing, and never crashes; no
//! panic leaves the function; results that callers free come from `malloc`; destroying NULL does nothing.

#![allow(non_camel_case_types)]

mod accessors;
mod bytes;
mod callbacks;
mod errptr;
// A function of a C ABI is unsafe as a whole: its caller must follow the rules of the header.
#[allow(unsafe_op_in_unsafe_fn, clippy::missing_safety_doc)]
mod families;
mod handles;

pub use errptr::{refuse, show_refusal};

/// The accessors and refusals of `abi.tsv`.
#[allow(unsafe_op_in_unsafe_fn, clippy::missing_safety_doc)]
mod generated {
    include!(concat!(env!("OUT_DIR"), "/generated.rs"));
}
