//! Compaction: picking and running.
//!
//! [`picker`] inspects a version, chooses files to merge and returns a [`plan`]; it opens no file.
//! [`run`] turns a plan into files; it takes no lock and does not depend on a database. [`cut`]
//! decides where output files end.

pub mod cut;
mod job;
mod outputs;
mod part;
pub mod picker;
pub mod plan;
mod plan_check;

pub use job::{CompactionInputs, run};
