//! `librocksdb-sys` 0.17 without C++: the bindings of RocksDB 10.4.2, and Ferrolith behind them.
//!
//! [`bindings`](self) has the types, constants and functions that bindgen makes from RocksDB's header. `ferrolith-capi`
//! defines the functions; what it lacks is a refusal that names the function. See `docs/rust-rocksdb.md`.

#[rustfmt::skip]
mod bindings;
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
// In place of the binding of the same name: a name that is imported singly wins.
pub use statistics::rocksdb_options_statistics_get_ticker_count;

use statistics::Run;

/// RocksDB 10.4.2's tickers.
const TICKERS: [Run; 6] = [
    Run { first: 0, capi: 0, count: 176 },
    Run { first: 176, capi: 177, count: 2 },
    Run { first: 178, capi: 180, count: 1 },
    Run { first: 179, capi: 182, count: 2 },
    Run { first: 181, capi: 185, count: 1 },
    Run { first: 182, capi: 187, count: 34 },
];
