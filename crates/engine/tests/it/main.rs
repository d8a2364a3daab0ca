//! The engine's integration tests: one program, modules by theme.

mod backup;
mod bad_input;
mod basics;
mod batch_iter;
mod checkpoint;
mod compaction_filter;
mod counting;
mod events;
mod export_import;
mod families;
mod faults;
mod ingest;
mod limits;
mod live_files;
mod manual_compaction;
mod model;
mod perf;
mod range_deletions;
mod read_modes;
mod read_only;
mod reads;
mod recovery;
mod settings;
mod styles;
mod support;
mod updates;
