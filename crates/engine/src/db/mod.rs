//! The handles that users hold, and the public calls grouped by topic. The logic is in the owners, which do not depend
//! on [`Db`].

mod families;
mod handles;
mod iterator;
mod listeners;
mod live_files;
mod maintenance;
mod open;
mod prepared;
mod reads;
mod settings;
mod snapshot;
mod tailing;
mod writes;

pub use handles::{ColumnFamily, Db};
pub use iterator::DbIterator;
pub use snapshot::Snapshot;
