//! Backups: directories in RocksDB's layout, the jobs of a running server, and restoring.
//!
//! ```text
//! BACKUPS/meta/N               what backup N consists of; it exists once this file does
//! BACKUPS/private/N/           files of backup N alone: the manifest, the options, the log
//! BACKUPS/shared_checksum/     tables, which backups share
//! BACKUPS/LOCK                 held by the process that changes the directory
//! ```
//!
//! * **BK1** A backup is listed only when all its files are on the device, so a kill leaves either a whole backup or
//!   none.
//! * **BK2** A restored directory has the file [`UNFINISHED`] until it is complete, and a server does not open such a
//!   directory.

mod jobs;
mod places;
mod restore;
mod vault;

pub use ferrolith::backup::{BackupInfo, BackupProgress};
pub use jobs::{Finished, Job, Jobs, Kind, Outcome, Running};
pub use places::Places;
pub use restore::{UNFINISHED, check_complete, restore};
pub use vault::{Access, Creation, Vault};
