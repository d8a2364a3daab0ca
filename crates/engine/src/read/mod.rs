//! Reading: super-versions, snapshots, and the user's iterator.

mod db_iter;
mod iterator_pool;
mod snapshot;
mod super_version;

pub use db_iter::DbIter;
pub use iterator_pool::{IteratorPool, PoolKey};
pub use snapshot::{JobSnapshots, Moment, SnapshotList, Taken};
pub use super_version::SuperVersion;

#[cfg(test)]
mod speed_test;
