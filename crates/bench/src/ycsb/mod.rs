//! `ferrolith-bench ycsb`: the core workloads of the Yahoo! Cloud Serving Benchmark, from its own property files.
//!
//! | File | Content |
//! |---|---|
//! | `properties` | Java's property files, and the keys that YCSB and this program know |
//! | `distribution` | zipfian and the other distributions, with their definitions |
//! | `chooser` | which key, field or scan length an operation takes |
//! | `inserted` | the counter of records that threads insert while others read them |
//! | `record` | keys and values as YCSB's RocksDB client stores them |
//! | `workload` | the settings of a core workload, and which operation comes next |
//! | `client` | what an operation does to a database |
//! | `store` | what a phase runs on: an engine or a server |
//! | `run` | a phase and its threads |
//! | `thread` | one thread: operations, pacing, latencies |
//! | `suite` | the command: opens the engine, runs a phase, reports |
//! | `result` | the report as text and as JSON |
//!
//! YCSB: Cooper et al., "Benchmarking Cloud Serving Systems with YCSB", SoCC 2010.

pub mod chooser;
pub mod client;
pub mod distribution;
pub mod inserted;
pub mod properties;
pub mod record;
pub mod result;
pub mod run;
pub mod store;
pub mod suite;
mod thread;
pub mod workload;

#[cfg(test)]
#[path = "ycsb_test.rs"]
mod tests;

#[cfg(test)]
#[path = "fit_test.rs"]
mod fit_tests;
