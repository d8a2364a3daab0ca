//! Compaction: pick and run.
//!
//! [`picker`] looks at a version, decides what is worth merging and returns a [`plan`]; it opens no
//! file. [`run`] turns a plan into files, takes no lock and knows no database; [`cut`] says where
//! output files end.

pub mod cut;
mod job;
mod outputs;
mod part;
pub mod picker;
pub mod plan;

pub use job::{CompactionInputs, run};
