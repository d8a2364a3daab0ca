//! A transaction: what it wrote and what it answers for. Its end is in `phases.rs`.

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

/// How a transaction finds out about other writers.
pub(super) enum Control {
    /// It locks keys.
    Locks {
        locks: Arc<LockManager>,
        owner: Arc<Owner>,
        timeout: Option<Duration>,
        deadlock_depth: usize,
        names: Arc<Names>,
        /// It may be committed without being prepared.
        skip_prepare: bool,
    },
    /// It looks at commit. The snapshot keeps sequence numbers that were given since apart.
    Check { _floor: Snapshot },
}

/// Writes that are committed together, or not at all, unless other writers are in the way.
///
/// It sees its own writes. Dropping it is a rollback, unless it is prepared: then it is found again
/// when the database is opened the next time.
pub struct Transaction {
    pub(super) db: Db,
    pub(super) control: Control,
    /// Shared with owned iterators, which keep the batch that they were made from: a write copies it then.
    pub(super) batch: Arc<IndexedBatch>,
    pub(super) write_options: WriteOptions,
    /// No more bytes than this; 0 for no limit.
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

    /// How far it has come.
    pub fn state(&self) -> TransactionState {
        self.state
    }

    /// The database it belongs to.
    pub fn db(&self) -> &Db {
        &self.db
    }

    /// How it will be written when it is prepared, committed or rolled back next.
    pub fn set_write_options(&mut self, write_options: &WriteOptions) {
        self.write_options = *write_options;
    }

    /// What it has written so far.
    pub fn batch(&self) -> &IndexedBatch {
        &self.batch
    }

    /// What it has written so far, to add writes that are neither locked nor checked.
    pub fn batch_mut(&mut self) -> &mut IndexedBatch {
        Arc::make_mut(&mut self.batch)
    }

    /// From now on a key that was written after this moment is a conflict. Reads do not use the
    /// snapshot unless their options name it.
    pub fn set_snapshot(&mut self) {
        self.snapshot = Some(Arc::new(self.db.snapshot_to_check()));
    }

    /// The snapshot, if one was set.
    pub fn snapshot(&self) -> Option<&Snapshot> {
        self.snapshot.as_deref()
    }

    /// [`Transaction::snapshot`] to keep.
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

    /// The value of a key as this transaction sees it.
    pub fn get(
        &self,
        ro: &ReadOptions,
        cf: &ColumnFamily,
        key: &[u8],
    ) -> Result<Option<PinnedValue>> {
        self.db.get_with_batch(&self.batch, ro, cf, key)
    }

    /// The value of a key that nobody else may change until the end: from then on a write by
    /// others waits or is a conflict. `exclusive` keeps other transactions from reading it so, too.
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

    /// An iterator over a column family as this transaction sees it.
    pub fn iter(
        &self,
        ro: &ReadOptions,
        cf: &ColumnFamily,
    ) -> Result<BatchIterator<&IndexedBatch>> {
        Ok(BatchIterator::new(self.db.iter_cf(ro, cf)?, &*self.batch, cf, ro))
    }

    /// [`Transaction::iter`] that borrows nothing: it shows what the transaction has written so far, and not what it
    /// writes later.
    pub(crate) fn owned_iter(
        &self,
        ro: &ReadOptions,
        cf: &ColumnFamily,
    ) -> Result<BatchIterator<Arc<IndexedBatch>>> {
        Ok(BatchIterator::new(self.db.iter_cf(ro, cf)?, Arc::clone(&self.batch), cf, ro))
    }

    /// Takes responsibility for a key.
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

    /// Claims all of these keys, in their order.
    pub(super) fn lock_all(&mut self, places: impl IntoIterator<Item = FamilyKey>) -> Result<()> {
        places.into_iter().try_for_each(|(cf, key)| {
            let cf = self.family(cf)?;
            self.claim(&cf, &key, true)
        })
    }

    /// Remembers this state.
    pub fn set_save_point(&mut self) {
        self.batch_mut().set_save_point();
        self.tracked.set_save_point();
        self.saved_snapshots.push(self.snapshot.clone());
    }

    /// Goes back to the newest save point and forgets it; keys first touched since are free again.
    /// Without one: NotFound.
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

    /// Forgets the newest save point. Without one: NotFound.
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

    /// Forgets all writes and frees all keys.
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

/// Busy where a key was written after `seq`.
pub(super) fn check(db: &Db, (cf, key): &FamilyKey, seq: SeqNo) -> Result<()> {
    match db.newest_sequence(*cf, key)? > seq {
        true => Err(Error::new(Code::Busy, "")),
        false => Ok(()),
    }
}
