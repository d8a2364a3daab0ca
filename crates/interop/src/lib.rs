//! Exchanges directories with the real RocksDB, both ways, and kills processes in the middle of
//! writes.
//!
//! Tests (`tests/it`) are the parent. They start `interop-peer` children, each of which opens one
//! directory with one engine, ours or the vendor's, and does the steps it is told. So a crash of
//! either engine is a failed test, and a kill is a real one. What must be there afterwards, the
//! parent knows from [`workload`]. Debian's `ldb`, `sst_dump` and `db_bench` are run as they are.

#![deny(unsafe_code)]

pub mod abi;
mod c_functions;
pub mod dump;
pub mod faults;
pub mod figures;
pub mod ledger;
pub mod ours;
pub mod peers;
pub mod phases;
pub mod steps;
pub mod store;
pub mod sweep;
pub mod theirs;
pub mod torture;
pub mod workload;
