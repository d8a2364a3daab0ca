//! A transaction: its writes and its tracked keys. `phases.rs` contains its end.

use super::locks::{LockManager, Owner, Request};
use super::names::Names;
use super::state::TransactionState;
use super::tracked::{FamilyKey, TrackedKeys};
use crate::base::{PinnedValue, SeqNo};
use crate::batch::IndexedBatch;
use crate::db::{ColumnFamily, Db, Snapshot};
use crate::error::{Code, Error, Result};
use crate::options::{ReadOptions, WriteOptions};
use crate::utilities::BatchIterator;
use std::sync::Arc;
use std::time::Duration;

/// How a transaction detects conflicts with other writers.
pub(super) enum Control {
    /// It locks keys.
    Locks {
        locks: Arc<LockManager>,
        owner: Arc<Owner>,
        timeout: Option<Duration>,
        deadlock_depth: usize,
        names: Arc<Names>,
        /// Whether it may be committed without being prepared.
        skip_prepare: bool,
    },
    /// It checks at commit. The snapshot keeps later sequence numbers distinguishable.
    Check { _floor: Snapshot },
}

/// Writes that are committed atomically, unless they conflict with other writers.
///
/// A transaction sees its own writes. Dropping it rolls it back, unless it is prepared: then the next open of the
/// database finds it again.
pub struct Transaction {
    pub(super) db: Db,
    pub(super) control: Control,
    /// Shared with owned iterators, which keep the batch from which they were created. A write then copies it first.
    pub(super) batch: Arc<IndexedBatch>,
    pub(super) write_options: WriteOptions,
    /// The maximum number of bytes; 0 means no limit.
    max_batch_bytes: usize,
    pub(super) tracked: TrackedKeys,
    snapshot: Option<Arc<Snapshot>>,
    /// The snapshots at the save points.
    saved_snapshots: Vec<Option<Arc<Snapshot>>>,
    pub(super) state: TransactionState,
    pub(super) name: Vec<u8>,
}

impl Transaction {
    pub(super) fn new(
        db: &Db,
        control: Control,
        write_options: &WriteOptions,
        set_snapshot: bool,
        max_batch_bytes: usize,
    ) -> Transaction {
        let mut transaction = Transaction {
            db: db.clone(),
            control,
            batch: Arc::default(),
            write_options: *write_options,
            max_batch_bytes,
            tracked: TrackedKeys::default(),
            snapshot: None,
            saved_snapshots: Vec::new(),
            state: TransactionState::Started,
            name: Vec::new(),
        };
        if set_snapshot {
            transaction.set_snapshot();
        }
        transaction
    }

    /// Returns the state of the transaction.
    pub fn state(&self) -> TransactionState {
        self.state
    }

    /// Returns the database to which the transaction belongs.
    pub fn db(&self) -> &Db {
        &self.db
    }

    /// Sets the write options for the next prepare, commit or rollback.
    pub fn set_write_options(&mut self, write_options: &WriteOptions) {
        self.write_options = *write_options;
    }

    /// Returns the writes so far.
    pub fn batch(&self) -> &IndexedBatch {
        &self.batch
    }

    /// Returns the writes so far, for adding writes that are neither locked nor checked.
    pub fn batch_mut(&mut self) -> &mut IndexedBatch {
        Arc::make_mut(&mut self.batch)
    }

    /// Takes a snapshot. From now on, a key that was written after it is a conflict. Reads use the snapshot only if
    /// their options name it.
    pub fn set_snapshot(&mut self) {
        self.snapshot = Some(Arc::new(self.db.snapshot_to_check()));
    }

    /// Returns the snapshot, if one was set.
    pub fn snapshot(&self) -> Option<&Snapshot> {
        self.snapshot.as_deref()
    }

    /// Returns the same as [`Transaction::snapshot`], as a shared reference.
    pub(crate) fn shared_snapshot(&self) -> Option<Arc<Snapshot>> {
        self.snapshot.clone()
    }

    /// Sets a key.
    pub fn put(&mut self, cf: &ColumnFamily, key: &[u8], value: &[u8]) -> Result<()> {
        self.claim(cf, key, true)?;
        self.add(cf, |batch, cf| batch.put_cf(cf, key, value))
    }

    /// Adds a merge operand to a key.
    pub fn merge(&mut self, cf: &ColumnFamily, key: &[u8], operand: &[u8]) -> Result<()> {
        self.claim(cf, key, true)?;
        self.add(cf, |batch, cf| batch.merge_cf(cf, key, operand))
    }

    /// Deletes a key.
    pub fn delete(&mut self, cf: &ColumnFamily, key: &[u8]) -> Result<()> {
        self.claim(cf, key, true)?;
        self.add(cf, |batch, cf| batch.delete_cf(cf, key))
    }

    /// Deletes a key that was put once.
    pub fn single_delete(&mut self, cf: &ColumnFamily, key: &[u8]) -> Result<()> {
        self.claim(cf, key, true)?;
        self.add(cf, |batch, cf| batch.single_delete_cf(cf, key))
    }

    pub(super) fn add(
        &mut self,
        cf: &ColumnFamily,
        record: impl FnOnce(&mut IndexedBatch, u32) -> Result<()>,
    ) -> Result<()> {
        let limit = self.max_batch_bytes;
        let batch = self.batch_mut();
        batch.register(cf.id(), cf.key_order());
        batch.add_within(limit, |batch| record(batch, cf.id()))
    }

    /// Returns the value of a key as this transaction sees it.
    pub fn get(
        &self,
        ro: &ReadOptions,
        cf: &ColumnFamily,
        key: &[u8],
    ) -> Result<Option<PinnedValue>> {
        self.db.get_with_batch(&self.batch, ro, cf, key)
    }

    /// Returns the value of a key and claims the key until the transaction ends: from then on, a write by others waits
    /// or is a conflict. With `exclusive`, other transactions cannot read it with this function either.
    pub fn get_for_update(
        &mut self,
        ro: &ReadOptions,
        cf: &ColumnFamily,
        key: &[u8],
        exclusive: bool,
    ) -> Result<Option<PinnedValue>> {
        self.claim(cf, key, exclusive)?;
        self.get(ro, cf, key)
    }

    /// Returns an iterator over a column family as this transaction sees it.
    pub fn iter(
        &self,
        ro: &ReadOptions,
        cf: &ColumnFamily,
    ) -> Result<BatchIterator<&IndexedBatch>> {
        Ok(BatchIterator::new(self.db.iter_cf(ro, cf)?, &*self.batch, cf, ro))
    }

    /// Returns an iterator like [`Transaction::iter`] that borrows nothing. It shows the transaction's writes so far,
    /// but no later ones.
    pub(crate) fn owned_iter(
        &self,
        ro: &ReadOptions,
        cf: &ColumnFamily,
    ) -> Result<BatchIterator<Arc<IndexedBatch>>> {
        Ok(BatchIterator::new(self.db.iter_cf(ro, cf)?, Arc::clone(&self.batch), cf, ro))
    }

    /// Claims a key: locks it, or tracks it for the check at commit.
    pub(super) fn claim(&mut self, cf: &ColumnFamily, key: &[u8], exclusive: bool) -> Result<()> {
        let place = (cf.id(), key.to_vec());
        let known = self.tracked.get(&place);
        let snapshot = self.snapshot.as_ref().map(|s| s.sequence());
        if let Control::Locks { locks, owner, timeout, deadlock_depth, .. } = &self.control {
            let (timeout, deadlock_depth) = (*timeout, *deadlock_depth);
            let is_locked = known.is_some_and(|known| known.exclusive || !exclusive);
            if !is_locked {
                let request = Request { owner, exclusive, timeout, deadlock_depth };
                locks.acquire(&request, place.0, key)?;
            }
            if let Some(snapshot) = snapshot
                && known.is_none_or(|known| known.seq > snapshot)
                && let Err(e) = check(&self.db, &place, snapshot)
            {
                if known.is_none() {
                    locks.release(owner.id, place.0, key);
                }
                return Err(e);
            }
        }
        let seq = snapshot.unwrap_or_else(|| self.db.latest_sequence_number());
        self.tracked.track(place, seq, exclusive);
        Ok(())
    }

    /// Claims all these keys, in this order.
    pub(super) fn lock_all(&mut self, places: impl IntoIterator<Item = FamilyKey>) -> Result<()> {
        places.into_iter().try_for_each(|(cf, key)| {
            let cf = self.family(cf)?;
            self.claim(&cf, &key, true)
        })
    }

    /// Sets a save point.
    pub fn set_save_point(&mut self) {
        self.batch_mut().set_save_point();
        self.tracked.set_save_point();
        self.saved_snapshots.push(self.snapshot.clone());
    }

    /// Rolls back to the newest save point and removes it. Keys that were first used since then are released. Returns
    /// `NotFound` if there is none.
    pub fn rollback_to_save_point(&mut self) -> Result<()> {
        if self.state != TransactionState::Started && matches!(self.control, Control::Locks { .. })
        {
            return Err(Error::invalid_argument("Transaction is beyond state for rollback."));
        }
        let Some(snapshot) = self.saved_snapshots.pop() else {
            return Err(Error::no_save_point());
        };
        self.snapshot = snapshot;
        self.batch_mut().rollback_to_save_point()?;
        let freed = self.tracked.rollback();
        self.release(freed);
        Ok(())
    }

    /// Removes the newest save point. Returns `NotFound` if there is none.
    pub fn pop_save_point(&mut self) -> Result<()> {
        self.saved_snapshots.pop().ok_or_else(Error::no_save_point)?;
        self.tracked.pop_save_point();
        self.batch_mut().pop_save_point()
    }

    pub(super) fn release(&self, places: Vec<FamilyKey>) {
        if let Control::Locks { locks, owner, .. } = &self.control {
            for (cf, key) in places {
                locks.release(owner.id, cf, &key);
            }
        }
    }

    /// Discards all writes and releases all keys.
    pub(super) fn clear(&mut self) {
        match Arc::get_mut(&mut self.batch) {
            Some(batch) => *batch = IndexedBatch::default(),
            None => self.batch = Arc::default(),
        }
        self.saved_snapshots.clear();
        let places = self.tracked.take();
        self.release(places);
        self.snapshot = None;
    }
}

impl Drop for Transaction {
    fn drop(&mut self) {
        self.abandon();
    }
}

impl std::fmt::Debug for Transaction {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let keys = self.tracked.len();
        write!(f, "Transaction({:?}, {keys} keys)", self.state)
    }
}

/// Returns Busy if a key was written after `seq`.
pub(super) fn check(db: &Db, (cf, key): &FamilyKey, seq: SeqNo) -> Result<()> {
    match db.newest_sequence(*cf, key)? > seq {
        true => Err(Error::new(Code::Busy, "")),
        false => Ok(()),
    }
}
