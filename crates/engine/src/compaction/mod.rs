//! Compaction: pick and run.
//!
//! [`picker`] looks at a version, decides what is worth merging and returns a [`plan`]; it opens no
//! file. Running a plan gives files and a version edit; [`cut`] says where outputs end.

pub mod cut;
pub mod picker;
pub mod plan;
