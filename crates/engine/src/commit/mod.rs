//! The path of every write: commit order, the WAL, syncs, memtables, and the replacement of a failed WAL.

mod admission;
#[allow(clippy::module_inception)]
mod commit;
mod entry;
mod limits;
mod prepared;
mod queue;
mod quiesce;
mod seal;
mod sync;
mod targets;
mod wal_failure;

pub(crate) use commit::CommitTerms;
pub(crate) use prepared::{DiscardRecords, carry_over, each_record, logged};
pub(crate) use queue::{CommitQueue, Written};
pub(crate) use quiesce::{HeldWal, Quiesced, add_family};
