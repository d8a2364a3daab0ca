//! What one opening of a database shares with readers and jobs: its files and options, and its column families.
//!
//! Nothing here knows a database.

mod family;
mod health;
#[allow(clippy::module_inception)]
mod session;
pub(crate) mod stamps;

pub(crate) use family::{ColumnFamilyData, ColumnFamilyMap, PurgesTables, dropped};
pub(crate) use health::Health;
pub(crate) use session::{Identity, Session, next_serial};
