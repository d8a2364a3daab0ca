//! `ferrolith-bench tuning`: the nine scenarios of a tuning study of RocksDB, and sweeps of one option.
//!
//! | File | Content |
//! |---|---|
//! | `command` | the command line |
//! | `scenarios` | the scenarios as flags of db_bench, with the published results |
//! | `suite` | runs them one after the other and writes the directory of results |
//! | `report` | the table of all runs, and the chart of a sweep |
//!
//! Each run is a run of db_bench in this process, so that its lines, costs and JSON are those of db_bench.

pub mod command;
pub mod report;
pub mod scenarios;
mod suite;

#[cfg(test)]
#[path = "tuning_test.rs"]
mod tests;
