//! Backups: directories and object stores in RocksDB's layout, the jobs of a running server, and restoring.
//!
//! ```text
//! BACKUPS/meta/N               what backup N consists of; it exists once this file does
//! BACKUPS/private/N/           files of backup N alone: the manifest, the options, the log
//! BACKUPS/shared_checksum/     tables, which backups share
//! BACKUPS/LOCK                 held by the process that changes the place
//! BACKUPS/uploads/             in object stores: uploads in parts that have not finished
//! ```
//!
//! The engine's `BackupEngine` does the work for all places; `objects` is its access to object stores.
//!
//! * **BK1** A backup is listed only when all its files are on the device, so a kill leaves either a whole backup or
//!   none.
//! * **BK2** A restored directory has the file [`UNFINISHED`] until it is complete, and a server does not open such a
//!   directory.

mod jobs;
#[cfg(feature = "object-store")]
mod objects;
mod place;
mod places;
mod restore;
mod vault;

pub use ferrolith::backup::{BackupInfo, BackupProgress};
pub use jobs::{Finished, Job, Jobs, Kind, Outcome, Running};
pub use place::{Address, Place};
pub use places::Places;
pub use restore::{UNFINISHED, check_complete, restore};
pub use vault::{Access, Creation, Vault};
