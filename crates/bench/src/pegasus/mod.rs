//! `ferrolith-bench pegasus`: the mixes of Apache Pegasus's benchmark page, without its servers, network and replicas.
//!
//! | File | Content |
//! |---|---|
//! | `cases` | mixes, sizes of values, rate limiters, published figures |
//! | `client` | rows of several sort keys, over any client of YCSB |
//! | `command` | the command line |
//! | `suite` | loads and measures case after case |
//! | `report` | the table and the lines of results |
//!
//! Threads, keys and latencies are those of [`crate::ycsb`].

pub mod cases;
pub mod client;
pub mod command;
pub mod report;
pub mod suite;

#[cfg(test)]
#[path = "pegasus_test.rs"]
mod tests;
