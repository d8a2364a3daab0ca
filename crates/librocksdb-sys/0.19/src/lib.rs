//! `librocksdb-sys` 0.19 without C++: the bindings of RocksDB 11.8.1, and Ferrolith behind them.
//!
//! [`bindings`](self) has the types, constants and functions that bindgen makes from RocksDB's header. `ferrolith-capi`
//! defines the functions; what it lacks is a refusal that names the function. See `docs/rust-rocksdb.md`.

#[rustfmt::skip]
mod bindings;
mod changed;
#[path = "../../statistics.rs"]
mod statistics;

/// Functions of the bindings that `ferrolith-capi` lacks: written by the build script.
#[allow(unused_variables, clippy::missing_safety_doc, clippy::undocumented_unsafe_blocks)]
mod absent {
    use crate::bindings::*;

    include!(concat!(env!("OUT_DIR"), "/absent.rs"));
}

// Defines the functions that the bindings declare.
extern crate ferrolith_capi as _;

pub use bindings::*;
// In place of the bindings of the same names: a name that is imported singly wins.
pub use changed::rocksdb_slicetransform_create;
pub use statistics::rocksdb_options_statistics_get_ticker_count;

use statistics::Run;

/// RocksDB 11.8.1's tickers.
const TICKERS: [Run; 4] = [
    Run { first: 0, capi: 0, count: 57 },
    Run { first: 58, capi: 57, count: 28 },
    Run { first: 91, capi: 85, count: 34 },
    Run { first: 133, capi: 119, count: 103 },
];
