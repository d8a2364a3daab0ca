//! Flushes: memtables become one level-0 table.
//!
//! The job takes its inputs and returns its output. It does not depend on the database and takes no lock.

mod announce;
mod deletion_watch;
mod immutable;
mod job;
mod output_context;
mod reread;
mod table_output;

pub(crate) use announce::figures;
pub(crate) use immutable::Immutable;
pub(crate) use job::spares_no_snapshots;
pub use job::{FlushInputs, FlushOutput, run};
pub use output_context::OutputContext;
pub(crate) use output_context::now_seconds;
pub use table_output::TableOutput;
