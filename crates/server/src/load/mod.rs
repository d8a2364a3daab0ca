//! Loads files of rows into Pegasus tables: sorted files, and the directories of Apache Pegasus's bulk load and of its
//! backups.
//!
//! Files in reading order: `progress`, `metadata` (the JSON of such directories), `source` (what is loaded), `digest`
//! (sizes and MD5), `bulk_load` and `cold_backup` (Pegasus's directories), `find` (what a path has), `reading` (the
//! rows of a file), `row` (one row: checked, and as this server stores it), `split` (sorted files of our partitions),
//! `loader` (all of it), `places` (what clients may load), `jobs` (the loads of a running server).
//!
//! ```text
//! file or checkpoint -> rows in order -> checked, routed by the hash of the hash key
//!                    -> a sorted file for each partition -> added to all partitions at once
//! ```
//!
//! * **LD1** Sizes and digests of all files are compared before the first row is loaded.
//! * **LD2** A file is loaded as a whole or not at all, also after a crash. Loading it again changes nothing but rows
//!   that were written since.
//! * **LD3** Rows are written anew, also if their bytes stay the same: the tables of other programs have filters that
//!   this server's reads cannot ask, and would stay as they are in the last level.
#![deny(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing)]

mod bulk_load;
mod cold_backup;
mod digest;
mod find;
mod jobs;
mod loader;
mod metadata;
mod places;
mod progress;
mod reading;
mod row;
mod source;
mod split;

pub use jobs::{Loads, Outcome, Running};
pub use loader::{Loaded, Loader, Request, check_files};
pub use places::LoadPlaces;
pub use progress::LoadProgress;

#[cfg(test)]
mod load_test;
#[cfg(test)]
mod testing;
