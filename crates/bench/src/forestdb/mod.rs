//! `ferrolith-bench forestdb`: the workload of ForestDB-Benchmark, from its ini files or from the 14 arguments of the
//! script `rall.sh`.
//!
//! | File | Content |
//! |---|---|
//! | `command` | the command line |
//! | `rows` | every key of the ini file, its default, and the engines that it applies to |
//! | `ini` | ini files |
//! | `config` | the settings of a step, checked before anything runs |
//! | `rall` | the 14 arguments, and the 13 steps as ini files |
//! | `presets` | arguments of the published set-ups, and their scale |
//! | `document` | keys and bodies of documents |
//! | `choose` | which documents a batch touches |
//! | `zipf` | Zipf's distribution over groups of documents |
//! | `engine` | the engine's flags, and what its writes guarantee |
//! | `files` | the databases of a run, and their compaction debt |
//! | `load` | the population |
//! | `run` | warm-up, measured time and limits of a step |
//! | `worker` | the loops of readers, iterators and writers |
//! | `report` | the report as text and as JSON |
//! | `suite` | runs steps one after the other and writes the directory of results |
//!
//! The original program measured documents of Couchbase. Here a document is one entry of the database.

pub mod choose;
pub mod command;
pub mod config;
pub mod document;
mod engine;
mod files;
pub mod ini;
mod load;
pub mod presets;
pub mod rall;
mod report;
pub mod rows;
mod run;
mod suite;
mod worker;
pub mod zipf;

#[cfg(test)]
#[path = "forestdb_test.rs"]
mod tests;

#[cfg(test)]
#[path = "fit_test.rs"]
mod fit_tests;
