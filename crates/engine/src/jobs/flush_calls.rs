//! Flushes that callers request and wait for.

use super::flush::Flusher;
use crate::base::perf::{PerfMetric, PerfTimer};
use crate::catalog::State;
use crate::env::lock_rank::RankedGuard;
use crate::error::{Code, Result, Severity, SubCode};
use crate::hooks::FlushReason;
use crate::options::FlushOptions;
use crate::session::ColumnFamilyData;

impl Flusher {
    /// Seals the memtables of these families and waits until they and all older ones are in tables. With `atomic_flush`
    /// they are sealed at one point and installed together; without it, one family after the other.
    pub(crate) fn flush(&self, families: &[&ColumnFamilyData], fo: &FlushOptions) -> Result<()> {
        self.reporter.log_manual_flush(families, None);
        let result = self.flush_because(families, fo, FlushReason::ManualFlush);
        self.reporter.log_manual_flush(families, Some(&result));
        result
    }

    /// Does the same as [`Flusher::flush`], with a reason that is reported to listeners.
    pub(crate) fn flush_because(
        &self,
        families: &[&ColumnFamilyData],
        fo: &FlushOptions,
        reason: FlushReason,
    ) -> Result<()> {
        if self.session.options.atomic_flush {
            return self.flush_together(families, fo, reason);
        }
        families.iter().try_for_each(|family| self.flush_together(&[family], fo, reason))
    }

    /// Does the same as [`Flusher::flush_because`] for one family; with `atomic_flush`, all families are flushed.
    pub(crate) fn flush_with_others(
        &self,
        family: &ColumnFamilyData,
        fo: &FlushOptions,
        reason: FlushReason,
    ) -> Result<()> {
        if !self.session.options.atomic_flush {
            return self.flush_because(&[family], fo, reason);
        }
        let all = self.catalog.all_families();
        self.flush_because(&all.iter().map(|family| &**family).collect::<Vec<_>>(), fo, reason)
    }

    fn flush_together(
        &self,
        families: &[&ColumnFamilyData],
        fo: &FlushOptions,
        reason: FlushReason,
    ) -> Result<()> {
        self.check_writable_for_flush()?;
        self.reporter.tell_manual_flush(families, reason);
        if !fo.allow_write_stall {
            families.iter().try_for_each(|family| self.wait_for_memtable_room(family))?;
        }
        self.commit.seal_filled(families, reason)?;
        self.reporter.deliver();
        let mut state = self.catalog.state();
        let newest = request_flushes(&mut state, families);
        self.catalog.notify_jobs();
        if !fo.wait || newest.is_empty() {
            return Ok(());
        }
        self.wait_until(&mut state, |state| {
            let still = newest.iter().filter(|(id, newest)| {
                state.families.get_mut(id).is_some_and(|cf| {
                    let waits = cf.immutables.first().is_some_and(|i| i.mem.id() <= *newest);
                    // A flush that was already running has taken only the memtables that were immutable when it was
                    // picked.
                    cf.flush_requested |= waits;
                    waits
                })
            });
            still.count() == 0
        })
    }

    /// Waits until one more immutable memtable would not stop writers.
    fn wait_for_memtable_room(&self, family: &ColumnFamilyData) -> Result<()> {
        let stop = family.stall_limits().immutables_stop;
        let mut state = self.catalog.state();
        self.wait_until(&mut state, |state| {
            state.families.get_mut(&family.id).is_none_or(|cf| {
                let room = cf.immutables.len() + 1 < stop || cf.mem.is_empty();
                if !room && !cf.flush_requested {
                    cf.flush_requested = true;
                    self.catalog.notify_jobs();
                }
                room
            })
        })
    }

    fn check_writable_for_flush(&self) -> Result<()> {
        self.session.health.check_retry()
    }

    /// Waits for background work until `done`, or until an error that is not retried.
    pub(super) fn wait_until(
        &self,
        state: &mut RankedGuard<'_, State>,
        mut done: impl FnMut(&mut State) -> bool,
    ) -> Result<()> {
        let _timer = PerfTimer::start(PerfMetric::DbConditionWaitNanos);
        while !done(state) {
            if let Some(e) = self.session.health.error() {
                return Err(e);
            }
            self.session.health.check_open()?;
            self.session.health.check_running()?;
            self.catalog.wait_for_progress(state);
        }
        Ok(())
    }

    /// Flushes data that skipped the WAL, as RocksDB does at close.
    pub(crate) fn flush_unlogged(&self) -> Result<()> {
        if !(self.session.health.is_closing() || self.session.health.is_stopped()) {
            // Acknowledged data may be in memory only.
            self.wait_for_wal()?;
        }
        let unlogged = self.commit.has_unlogged();
        let ended = self.session.health.is_closing() || self.session.health.is_stopped();
        if ended || self.session.live_options().avoid_flush_during_shutdown || !unlogged {
            return Ok(());
        }
        self.flush_all_because(FlushReason::ShutDown)
    }

    /// Flushes every family. A family that is dropped meanwhile needs no flush.
    pub(crate) fn flush_all_because(&self, reason: FlushReason) -> Result<()> {
        let (families, fo) = (self.catalog.all_families(), FlushOptions::default());
        if self.session.options.atomic_flush {
            let all: Vec<_> = families.iter().map(|family| &**family).collect();
            return self.flush_because(&all, &fo, reason);
        }
        let flush = |family: &ColumnFamilyData| match self.flush_because(&[family], &fo, reason) {
            Err(e) if e.code() == Code::ColumnFamilyDropped => Ok(()),
            result => result,
        };
        families.iter().try_for_each(|family| flush(family))
    }

    /// Flushes every family at a user's request.
    pub(crate) fn flush_all(&self) -> Result<()> {
        self.flush_all_because(FlushReason::ManualFlush)
    }

    /// Retries failed background work. Returns the error that remains, if any.
    pub(crate) fn resume(&self) -> Result<()> {
        let mut state = self.catalog.state();
        state.running.retries.try_now();
        self.catalog.notify_jobs();
        match self.session.health.error() {
            Some(e) if e.severity() > Severity::HardError => return Err(e),
            // Only the user's limit was exceeded, so there is no job to retry first.
            Some(e) if e.subcode() == SubCode::SpaceLimit => {
                drop(state);
                self.catalog.recovered();
            }
            _ => drop(state),
        }
        self.wait_for_wal()?;
        let options = crate::options::FlushOptions::default();
        self.flush_with_others(
            self.catalog.default_family(),
            &options,
            FlushReason::ErrorRecovery,
        )?;
        self.catalog.recovered();
        Ok(())
    }
}

/// Requests a flush of all immutable memtables of these families. Returns the newest such memtable of each family that
/// has any.
fn request_flushes(state: &mut State, families: &[&ColumnFamilyData]) -> Vec<(u32, u64)> {
    let mut newest = Vec::with_capacity(families.len());
    for family in families {
        if let Some(cf) = state.families.get_mut(&family.id)
            && let Some(last) = cf.immutables.last()
        {
            newest.push((family.id, last.mem.id()));
            cf.flush_requested = true;
            state.running.retries.flushes.try_now();
        }
    }
    newest
}
