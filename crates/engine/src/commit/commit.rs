//! The write path: append to the WAL, reserve a turn, insert, publish.
//!
//! Only three steps of a write are serial. Under the write lock a writer looks up its memtables, appends its record and
//! reserves its sequence numbers. Then it syncs if requested (together with other writers), inserts, and publishes in
//! order (`write/order.rs`). It pins an epoch (`env/epoch.rs`) inside the lock and stays pinned until it has published.
//! A flush that waits for pinned threads has therefore waited for every writer that may still insert into the memtable
//! that the flush is about to write.

use super::queue::{CommitQueue, WriteState};
use super::targets::Targets;
use crate::base::perf::{PerfMetric, PerfTimer};
use crate::batch::{WriteBatch, iterate, section};
use crate::catalog::Catalog;
use crate::env::epoch;
use crate::env::lock_rank::RankedGuard;
use crate::error::{Code, Error, Result};
use crate::options::WriteOptions;
use crate::stats::{self, Ticker};
use crate::write::{CommitOrder, Followers, MemtableInserter, Turn};
use std::time::Duration;

/// How long to wait for inserts of other writers. An insert takes microseconds.
const INSERT_PATIENCE: Duration = Duration::from_micros(200);
/// How long to wait for a sync of another writer. A sync takes as long as the device needs.
const SYNC_PATIENCE: Duration = Duration::from_millis(20);

/// What a commit depends on besides its batch, and which transaction it ends.
#[derive(Clone, Copy, Default)]
pub(crate) struct CommitTerms<'a> {
    /// Runs when every earlier write is visible and no other write can come in between. Its error ends the commit.
    pub(crate) check: Option<&'a dyn Fn() -> Result<()>>,
    /// The name of the prepared transaction that this commit decides; see `prepared.rs`.
    pub(crate) ends: Option<&'a [u8]>,
}

/// Publishes a write on drop, even if its insertion failed, because later writers wait for it.
///
/// A user's comparator may panic in the middle of a batch. Writes then stop for good before the writer's pin is
/// released. So no flush can make the inserted half durable, and the next open replays the whole batch from the WAL.
struct PublishOnDrop<'a> {
    catalog: &'a Catalog,
    turn: &'a Turn,
}

impl Drop for PublishOnDrop<'_> {
    #[inline]
    fn drop(&mut self) {
        if crate::env::threads::panicking() {
            self.catalog.fail(&Error::corruption("a panic while a write was inserted"));
        }
        self.catalog.order().publish(self.turn);
    }
}

impl CommitQueue {
    /// Commits a batch atomically. It is durable as `wo` requires, and visible when this function returns.
    pub(super) fn commit(
        &self,
        wo: &WriteOptions,
        batch: &mut WriteBatch,
        terms: CommitTerms<'_>,
    ) -> Result<()> {
        if wo.sync && wo.disable_wal {
            return Err(Error::invalid_argument("Sync writes has to enable WAL."));
        }
        let count = u64::from(batch.count());
        let bytes = batch.data().len();
        if self.catalog.controller().is_active() && !self.wait_in_stall(bytes, wo.no_slowdown) {
            return Err(Error::new(Code::Incomplete, "Write stall"));
        }
        self.wait_for_budgets(wo, bytes)?;
        let families = self.families_of(batch)?;
        let mut write = match terms.check {
            None => self.lock_with_room(),
            Some(check) => {
                let write = self.lock_when_quiet();
                check()?;
                write
            }
        };
        let guard = epoch::pin();
        self.session.health.check_writable()?;
        if write.user_bytes >= write.next_limit_check {
            self.keep_limits(&mut write)?;
        }
        let timer = PerfTimer::start(PerfMetric::WriteSchedulingFlushesCompactionsTime);
        let targets = self.targets(&mut write, &guard, batch, families, wo)?;
        drop(timer);
        batch.set_sequence(write.turns.last_allocated() + 1);
        if let Some(name) = terms.ends {
            self.keep_section(name, &targets.families());
            self.append(&mut write, &section::ending_record(batch, name))?;
        } else if !wo.disable_wal {
            let _timer = PerfTimer::start(PerfMetric::WriteWalTime);
            self.append(&mut write, batch.data())?;
        }
        let ticket = write.ticket;
        // Reserve no earlier than this: every reserved turn must be published.
        let turn = reserve(&mut write, batch, self.catalog.order());
        write.user_bytes += bytes as u64;
        write.writes += 1;
        write.keys += count;
        if wo.disable_wal {
            self.note_unlogged();
        }
        drop(write);

        let synced = if wo.sync { self.sync_up_to(ticket) } else { Ok(Followers::default()) };
        let applied = match &turn {
            Some(turn) => self.apply(&targets, batch, turn, synced.is_ok()),
            None => Ok(()),
        };
        drop(synced.inspect_err(|e| self.wal_sync_failed(ticket, e))?);
        applied?;
        if let Some(name) = terms.ends {
            self.forget_section(name);
        }
        Ok(())
    }

    /// Takes the write lock when there is room for another write in flight.
    #[inline]
    fn lock_with_room(&self) -> RankedGuard<'_, WriteState> {
        let _timer = PerfTimer::start_for_lock(PerfMetric::DbMutexLockNanos);
        loop {
            let mut write = self.write.lock();
            if write.turns.has_room(self.catalog.order()) {
                return write;
            }
            // Release the lock while waiting: a writer that syncs needs it before it can make room.
            drop(write);
            crate::env::threads::yield_now();
        }
    }

    /// Takes the write lock at a point where everything that was reserved is visible. Waits for inserts with the lock
    /// held, so that other writers cannot starve this one, but not for syncs, because a sync needs the lock itself.
    #[cold]
    fn lock_when_quiet(&self) -> RankedGuard<'_, WriteState> {
        loop {
            let write = self.lock_with_room();
            let last = write.turns.last_allocated();
            if self.catalog.order().wait_visible(last, INSERT_PATIENCE) {
                return write;
            }
            drop(write);
            self.catalog.order().wait_visible(last, SYNC_PATIENCE);
        }
    }

    /// Inserts the batch and makes it visible, in the order of sequence numbers. A batch that could not be synced keeps
    /// its position in the order but is not inserted.
    #[inline]
    fn apply(
        &self,
        targets: &Targets<'_>,
        batch: &WriteBatch,
        turn: &Turn,
        insert: bool,
    ) -> Result<()> {
        let _published = PublishOnDrop { catalog: &self.catalog, turn };
        // Memtables that allow only one writer at a time are filled in commit order.
        if !(self.session.options.allow_concurrent_memtable_write && targets.concurrent()) {
            self.catalog.order().wait_turn(turn);
        }
        if insert {
            let _timer = PerfTimer::start(PerfMetric::WriteMemtableTime);
            let records = turn.last() + 1 - turn.first();
            let mut inserter = MemtableInserter::new(targets, turn.first(), records);
            iterate(batch.data(), &mut inserter)?;
            let next = inserter.finish();
            debug_assert_eq!(
                next,
                turn.last() + 1,
                "expected as many insertions as reserved sequence numbers: {turn:?}"
            );
            if inserter.updated() > 0 {
                stats::add(&self.session.statistics, Ticker::NumberKeysUpdated, inserter.updated());
            }
        }
        Ok(())
    }

    #[inline]
    pub(super) fn append(
        &self,
        write: &mut RankedGuard<'_, WriteState>,
        record: &[u8],
    ) -> Result<()> {
        if let Err(e) = write.wal.add_record(record) {
            // If the WAL is not broken, nothing was written, and the next record may follow. A WAL that has reached the
            // maximum file size takes no more records.
            if write.wal.is_broken() || (e.is_file_too_large() && write.wal.size() > 0) {
                self.wal_failed(write, &e);
            }
            return Err(e);
        }
        write.ticket += 1;
        write.logged_bytes += record.len() as u64;
        debug_assert!(
            write.synced_ticket < write.ticket && write.lost_ticket < write.ticket,
            "expected tickets below {}, found {} synced and {} lost",
            write.ticket,
            write.synced_ticket,
            write.lost_ticket
        );
        Ok(())
    }
}

/// Reserves the sequence numbers of a batch whose record is in the WAL. Returns `None` if the batch has no entries.
#[inline]
fn reserve(write: &mut WriteState, batch: &WriteBatch, order: &CommitOrder) -> Option<Turn> {
    let count = u64::from(batch.count());
    let turn = (count > 0).then(|| write.turns.reserve(count));
    if cfg!(debug_assertions) {
        let (visible, last) = (order.visible(), write.turns.last_allocated());
        assert!(visible <= last, "expected visible numbers up to {last}, found {visible}");
        if let Some(turn) = &turn {
            assert_eq!(
                batch.sequence(),
                turn.first(),
                "the number in the WAL and that of the turn"
            );
            assert_eq!(turn.last(), last, "the last number of the turn and the last allocated one");
        }
    }
    turn
}

#[cfg(test)]
#[path = "commit_test.rs"]
mod tests;
