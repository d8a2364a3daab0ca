//! `ferrolith-bench in-memory`: the four rows of RocksDB's in-memory benchmark, data in RAM and the WAL on a disk.
//!
//! | File | Content |
//! |---|---|
//! | `command` | the command line |
//! | `rows` | the rows: published command lines and results |
//! | `suite` | runs them one after the other and writes the directory of results |

pub mod command;
pub mod rows;
mod suite;
