//! The state that one opening of a database shares with readers and jobs: its files, its options, and its column
//! families.
//!
//! This folder does not depend on the database type.

mod family;
mod health;
#[allow(clippy::module_inception)]
mod session;
#[cfg(test)]
pub(crate) mod testing;

pub(crate) use family::{ColumnFamilyData, ColumnFamilyMap, PurgesTables, dropped};
pub(crate) use health::Health;
pub(crate) use session::{Identity, Session, next_serial};
