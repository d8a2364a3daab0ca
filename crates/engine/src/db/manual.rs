//! Work that users ask for: flush, compaction of a range, waiting.

use super::background::CompactionWork;
use super::column_family::{ColumnFamilyData, ColumnFamilyState};
use super::handles::dropped;
use super::state::{DbInner, State};
use crate::compaction::picker::{ManualCompaction, ManualStep};
use crate::env::sync::MutexGuard;
use crate::error::{Error, Result};
use crate::hooks::FlushReason;
use crate::options::{CompactRangeOptions, FlushOptions};
use std::sync::Arc;
use std::time::Duration;

/// Somebody who waits looks again at least this often.
const LOOK_AGAIN: Duration = Duration::from_millis(200);

/// Counts a manual compaction: automatic ones pause and `close` waits for it, also if it panics.
struct ManualGuard<'a>(&'a DbInner);

impl ManualGuard<'_> {
    fn new(inner: &DbInner) -> Result<ManualGuard<'_>> {
        let mut state = inner.state.lock();
        inner.check_open()?;
        state.manual_compactions += 1;
        Ok(ManualGuard(inner))
    }
}

impl Drop for ManualGuard<'_> {
    fn drop(&mut self) {
        self.0.state.lock().manual_compactions -= 1;
        self.0.work.notify_all();
        self.0.progress.notify_all();
    }
}

impl DbInner {
    /// Makes the memtable immutable and waits until it and all older ones are in tables.
    pub(crate) fn flush(&self, family: &ColumnFamilyData, fo: &FlushOptions) -> Result<()> {
        self.flush_because(family, fo, FlushReason::ManualFlush)
    }

    /// [`DbInner::flush`] for a reason that listeners are told.
    pub(crate) fn flush_because(
        &self,
        family: &ColumnFamilyData,
        fo: &FlushOptions,
        reason: FlushReason,
    ) -> Result<()> {
        self.check_writable_for_flush()?;
        self.tell_manual_flush(family, reason);
        if !fo.allow_write_stall {
            self.wait_for_memtable_room(family)?;
        }
        let mut write = self.write.lock();
        self.check_open()?;
        // While a writer has its sequence numbers and has not inserted yet, the memtable may look
        // empty although it is not.
        let in_flight = self.order.visible() < write.last_allocated;
        let empty = {
            let state = self.state.lock();
            let cf = state.families.get(&family.id).ok_or_else(|| dropped(&family.name))?;
            cf.mem.is_empty() && !in_flight
        };
        if !empty {
            self.switch_memtable(&mut write, family, reason)?;
        }
        drop(write);
        self.deliver_events();
        let mut state = self.state.lock();
        let Some(cf) = state.families.get_mut(&family.id) else { return Ok(()) };
        let Some(newest) = cf.immutables.last().map(|i| i.mem.id()) else { return Ok(()) };
        cf.flush_requested = true;
        self.work.notify_all();
        if !fo.wait {
            return Ok(());
        }
        self.wait_until(&mut state, |state| {
            state.families.get_mut(&family.id).is_none_or(|cf| {
                let done = cf.immutables.first().is_none_or(|oldest| oldest.mem.id() > newest);
                // A flush that was running when we asked took only what it saw.
                cf.flush_requested |= !done;
                done
            })
        })
    }

    /// Waits until one more immutable memtable would not stop writers.
    fn wait_for_memtable_room(&self, family: &ColumnFamilyData) -> Result<()> {
        let stop = family.stall_limits().immutables_stop;
        let mut state = self.state.lock();
        self.wait_until(&mut state, |state| {
            state.families.get_mut(&family.id).is_none_or(|cf| {
                let room = cf.immutables.len() + 1 < stop || cf.mem.is_empty();
                if !room && !cf.flush_requested {
                    cf.flush_requested = true;
                    self.work.notify_all();
                }
                room
            })
        })
    }

    fn check_writable_for_flush(&self) -> Result<()> {
        match &self.state.lock().error {
            Some(e) if DbInner::must_not_retry(&Some(e.clone())) => Err(e.clone()),
            _ => Ok(()),
        }
    }

    /// Waits for background work until `done`, or until an error that nobody will retry.
    fn wait_until(
        &self,
        state: &mut MutexGuard<'_, State>,
        mut done: impl FnMut(&mut State) -> bool,
    ) -> Result<()> {
        while !done(state) {
            if let Some(e) = &state.error {
                return Err(e.clone());
            }
            self.check_open()?;
            self.progress.wait_for(state, LOOK_AGAIN);
        }
        Ok(())
    }

    /// Compacts every level that overlaps the range, top down, into the last one.
    pub(crate) fn compact_range(
        &self,
        family: &Arc<ColumnFamilyData>,
        options: &CompactRangeOptions,
        begin: Option<&[u8]>,
        end: Option<&[u8]>,
    ) -> Result<()> {
        if options.change_level {
            return Err(Error::not_supported("compact_range: change_level"));
        }
        self.flush_because(family, &FlushOptions::default(), FlushReason::ManualCompaction)?;
        let _manual = ManualGuard::new(self)?;
        self.compact_levels(family, options, begin, end)
    }

    fn compact_levels(
        &self,
        family: &Arc<ColumnFamilyData>,
        options: &CompactRangeOptions,
        begin: Option<&[u8]>,
        end: Option<&[u8]>,
    ) -> Result<()> {
        let next_file_number = self.counters.next_file_number();
        let mut manual = ManualCompaction::new(begin, end, options, next_file_number);
        loop {
            let mut state = self.state.lock();
            self.check_open()?;
            let cf = state.families.get_mut(&family.id).ok_or_else(|| dropped(&family.name))?;
            let version = Arc::clone(&cf.current);
            match manual.step(&mut cf.picker, &version, &family.options) {
                ManualStep::Done => return Ok(()),
                ManualStep::Wait => {
                    let running = state.running_compactions;
                    self.wait_until(&mut state, |state| state.running_compactions < running)?;
                }
                ManualStep::Run(plan) => {
                    state.running_compactions += 1;
                    drop(state);
                    let family = Arc::clone(family);
                    let max_subcompactions = match options.max_subcompactions {
                        0 => self.options.max_subcompactions,
                        threads => threads,
                    };
                    let plan = *plan;
                    let work = CompactionWork { family, version, plan, max_subcompactions };
                    self.run_compaction(&work)?;
                }
            }
        }
    }

    /// Waits until nothing runs and nothing is due.
    pub(crate) fn wait_for_compact(&self) -> Result<()> {
        if self.read_only {
            return Ok(());
        }
        let mut state = self.state.lock();
        self.wait_until(&mut state, |state| {
            let idle = state.running_flushes == 0 && state.running_compactions == 0;
            let due = |cf: &ColumnFamilyState| {
                let flush_due = cf.wants_flush() || cf.switch_wanted;
                flush_due || cf.picker.needs_compaction(&cf.current, &cf.data.options)
            };
            idle && !state.families.values().any(due)
        })
    }
}
