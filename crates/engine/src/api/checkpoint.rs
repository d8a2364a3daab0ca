//! Checkpoints: the current state of a database, as a directory that can be opened as a separate database.
//!
//! On the same file system, tables are hard links. So a checkpoint takes little time and space at first, and later
//! keeps tables that the database drops. For many states in one directory, or on another device, use
//! [`backup`](crate::backup).
//!
//! [`Db::checkpoint`](crate::Db::checkpoint) is the shorter form.
//!
//! ```
//! use ferrolith::Db;
//! use ferrolith::checkpoint::Checkpoint;
//! # let dir = tempfile::tempdir().unwrap();
//! # let (path, copy) = (dir.path().join("db"), dir.path().join("copy"));
//! let db = Db::open(path)?;
//! db.put("key", "old")?;
//! Checkpoint::new(&db).create_checkpoint(&copy)?;
//! db.put("key", "new")?;
//! assert_eq!(Db::open(copy)?.get("key")?.unwrap(), "old");
//! # Ok::<(), ferrolith::Error>(())
//! ```

use crate::{Db, Result};
use std::path::Path;

/// Creates checkpoints of a database.
#[derive(Clone, Debug)]
pub struct Checkpoint(crate::utilities::Checkpoint);

impl Checkpoint {
    /// Creates an object for this database, which stays open while the object exists.
    pub fn new(db: &Db) -> Checkpoint {
        Checkpoint(crate::utilities::Checkpoint::new(db.inner()))
    }

    /// Creates `dir`, which must not exist, as a copy of the database with everything written so far. Memtables are
    /// flushed first. Returns a sequence number up to which the copy has every write.
    ///
    /// # Errors
    /// Fails with `InvalidArgument` if the directory exists, or if a file cannot be written.
    pub fn create_checkpoint(&self, dir: impl AsRef<Path>) -> Result<u64> {
        self.0.create(dir, 0)
    }

    /// Like [`Checkpoint::create_checkpoint`], but flushes memtables only if the logs together have at least this many
    /// bytes. Otherwise the logs are copied. `u64::MAX` never flushes.
    ///
    /// # Errors
    /// Same as [`Checkpoint::create_checkpoint`].
    pub fn create_checkpoint_with_log_size(
        &self,
        dir: impl AsRef<Path>,
        log_size_for_flush: u64,
    ) -> Result<u64> {
        self.0.create(dir, log_size_for_flush)
    }
}
