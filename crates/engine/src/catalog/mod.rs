//! The column families, memtables, tables and WALs of an open database, and how a change is installed in it.

#[allow(clippy::module_inception)]
mod catalog;
mod failures;
mod family_state;
mod install;
mod orphans;
mod pick_context;
mod released;
mod retries;
mod running;
mod stalls;
mod state;
mod wals;

pub(crate) use catalog::Catalog;
pub(crate) use failures::{caught, is_unwanted};
pub(crate) use family_state::ColumnFamilyState;
pub(crate) use orphans::Orphans;
pub(crate) use state::State;
pub(crate) use wals::{LiveWal, Renewal, WalHealth, Wals};
