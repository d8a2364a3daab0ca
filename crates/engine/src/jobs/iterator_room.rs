//! Flushes for iterators if the database's memory is limited: an iterator keeps the memtables that it reads, also when
//! they are flushed, so few iterators may do so.

use super::flush::Flusher;
use crate::base::SeqNo;
use crate::catalog::ColumnFamilyState;
use crate::env::clock::Instant;
use crate::error::Result;
use crate::hooks::FlushReason;
use crate::read::Moment;
use crate::session::ColumnFamilyData;
use crate::stats::{self, Activity};
use std::time::Duration;

/// A new iterator waits at most this long for the flush of the memtables that it would keep.
pub(super) const FLUSH_PATIENCE: Duration = Duration::from_secs(1);

impl Flusher {
    /// Flushes a family for a new iterator if iterators keep much memory of flushed memtables already. The iterator
    /// must read at the result: then all memtables of that moment are in tables, and it keeps none. If the flush takes
    /// long or fails, it keeps them.
    pub(crate) fn flush_for_iterator(
        &self,
        family: &ColumnFamilyData,
        snapshot: Option<SeqNo>,
    ) -> Option<Moment<'_>> {
        let account = self.session.memory()?;
        // A listener of a job would wait for its own job.
        let in_job = matches!(stats::activity(), Activity::Flush | Activity::Compaction);
        if account.may_keep_memtables() || in_job || self.session.read_only {
            return None;
        }
        let order = self.catalog.order();
        let moment = self.catalog.snapshots().moment(|| order.visible());
        let seq = snapshot.unwrap_or(moment.sequence());
        // Errors stop writers, and are reported there.
        let _ = flush_older(self, family, seq);
        Some(moment)
    }
}

/// Flushes the memtables that have entries up to `seq`. Gives up after a while, or if flushes are paused.
fn flush_older(flusher: &Flusher, family: &ColumnFamilyData, seq: SeqNo) -> Result<()> {
    let end = Instant::now() + FLUSH_PATIENCE;
    let given_up = || Instant::now() >= end || flusher.pauses.all();
    loop {
        let mut state = flusher.catalog.state();
        flusher.wait_until(&mut state, |state| {
            let Some(cf) = state.families.get_mut(&family.id) else { return true };
            let waits = cf.immutables.iter().any(|i| i.mem.has_up_to(seq));
            if waits && !cf.flushing && !cf.flush_requested {
                cf.flush_requested = true;
                cf.flush_reason = FlushReason::WriteBufferManager;
                flusher.catalog.notify_jobs();
            }
            !waits || given_up()
        })?;
        let older = |cf: &ColumnFamilyState| cf.mem.has_up_to(seq);
        if given_up() || !state.families.get(&family.id).is_some_and(older) {
            return Ok(());
        }
        drop(state);
        flusher.commit.seal_for_memory(family)?;
        flusher.reporter.deliver();
    }
}
