//! The change stream: every committed write in order, from any point that is still in the logs.
//!
//! A program that follows a database (a replica, an index, a message queue) stores the sequence number up to which it
//! has applied changes, and requests the changes after it:
//!
//! ```
//! # let (a, b) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
//! # let (source, replica) = (ferrolith::Db::open(a.path())?, ferrolith::Db::open(b.path())?);
//! source.put("key", "value")?;
//! source.delete("other")?;
//!
//! let mut next = 1; // the first sequence number of a database
//! for change in source.get_updates_since(next)? {
//!     let change = change?;
//!     next = change.next_sequence();
//!     replica.write(change.batch)?;
//! }
//! assert_eq!(next, 3);
//! assert_eq!(replica.get("key")?.unwrap(), "value");
//! # Ok::<(), ferrolith::Error>(())
//! ```
//!
//! A log is deleted when its writes are flushed. `Options::wal_ttl` and `Options::wal_size_limit` keep logs for longer.

use crate::WriteBatch;
use crate::error::{Code, Error, Result};
use crate::utilities::TransactionLogIterator;
use crate::{Db, db};
use std::fmt;

/// One write: a batch as it was committed.
#[derive(Clone, Debug)]
pub struct Change {
    /// The sequence number of the first record of the batch. Each of its records has one.
    pub sequence: u64,
    /// The records. Their column family numbers are those of the source database: [`ColumnFamily::id`].
    ///
    /// [`ColumnFamily::id`]: crate::ColumnFamily::id
    pub batch: WriteBatch,
}

impl Change {
    /// Returns the sequence number after this change. Pass it to [`Db::get_updates_since`] to continue.
    pub fn next_sequence(&self) -> u64 {
        self.sequence + self.batch.len() as u64
    }
}

/// Changes in order, from [`Db::get_updates_since`].
///
/// `None` means that there are no newer changes yet: call `next` again after later writes. An error ends the stream.
pub struct Changes {
    db: db::Db,
    /// The sequence number that the next change must have.
    wanted: u64,
    logs: Option<TransactionLogIterator>,
    failed: bool,
}

impl Db {
    /// Returns the changes from the one with this sequence number on. The first number of a database is 1. `sequence`
    /// may be a number that is not written yet: its change is returned once it is written.
    ///
    /// The first change may begin before `sequence`, if that number is within a batch.
    ///
    /// # Errors
    /// Fails if a log cannot be read. The stream itself fails with `NotFound` if a change is no longer in any log, or
    /// never was in one ([`WriteOptions::disable_wal`], ingested files). It never omits a change silently.
    ///
    /// [`WriteOptions::disable_wal`]: crate::WriteOptions::disable_wal
    pub fn get_updates_since(&self, sequence: u64) -> Result<Changes> {
        let wanted = sequence.max(1);
        let mut changes =
            Changes { db: self.inner().plain().clone(), wanted, logs: None, failed: false };
        changes.look()?;
        Ok(changes)
    }
}

impl Changes {
    /// Opens the logs at the wanted change, if it is written.
    fn look(&mut self) -> Result<()> {
        if self.db.is_closed() {
            return Err(Error::closed());
        }
        if self.wanted > self.db.latest_sequence_number() {
            return Ok(());
        }
        self.logs = Some(self.db.get_updates_since(self.wanted)?);
        Ok(())
    }

    fn advance(&mut self) -> Result<Option<Change>> {
        // Try twice, because the list of logs must be read again if a log was created after it.
        for _ in 0..2 {
            if self.logs.is_none() {
                self.look()?;
            }
            let Some(logs) = &mut self.logs else { return Ok(None) };
            if let Some(batch) = logs.batch() {
                let sequence = batch.sequence();
                let change = Change { sequence, batch: WriteBatch::from_data(batch.data())? };
                logs.next();
                return self.checked(change).map(Some);
            }
            match logs.status() {
                Err(e) if e.code() != Code::TryAgain => return Err(e),
                _ => self.logs = None,
            }
        }
        Ok(None)
    }

    fn checked(&mut self, change: Change) -> Result<Change> {
        if change.sequence > self.wanted {
            let message = format!(
                "changes {} to {} are in no WAL: the WAL was deleted, or they were written without a WAL",
                self.wanted,
                change.sequence - 1
            );
            return Err(Error::new(Code::NotFound, message));
        }
        self.wanted = change.next_sequence();
        Ok(change)
    }
}

impl Iterator for Changes {
    type Item = Result<Change>;

    fn next(&mut self) -> Option<Result<Change>> {
        if self.failed {
            return None;
        }
        let next = self.advance().transpose();
        self.failed = matches!(next, Some(Err(_)));
        next
    }
}

impl fmt::Debug for Changes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Changes")
            .field("next_sequence", &self.wanted)
            .field("failed", &self.failed)
            .finish_non_exhaustive()
    }
}
