//! Events for listeners, lines of LOG, and counters for properties.

mod job_events;
mod job_lines;
mod level_jobs;
mod reporter;
mod state_lines;
mod totals;
mod tree_shape;

pub(crate) use job_events::CompactionReport;
pub(crate) use job_lines::{LoggedCompaction, WrittenFlush};
pub(crate) use level_jobs::{FamilyJobs, Ingested, LevelJobs};
pub(crate) use reporter::{Event, RECOVERY_JOB, Reporter};
pub(crate) use state_lines::NewStall;
pub(crate) use tree_shape::TreeShape;
