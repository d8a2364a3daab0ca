//! Work that users ask for: flush, compaction of a range, waiting.

use super::background::CompactionWork;
use super::column_family::ColumnFamilyState;
use super::handles::dropped;
use super::pause::manual_compaction_paused;
use super::state::{DbInner, State};
use crate::base::perf::{PerfMetric, PerfTimer};
use crate::compaction::picker::{ManualCompaction, ManualStep, Moment};
use crate::compaction::plan::CompactionPlan;
use crate::env::sync::MutexGuard;
use crate::env::sync::atomic::Ordering;
use crate::error::{Code, Error, Result};
use crate::hooks::FlushReason;
use crate::iter::Interrupt;
use crate::options::{CompactRangeOptions, CompactionStyle, FlushOptions, WaitForCompactOptions};
use crate::session::ColumnFamilyData;
use crate::version::Version;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Somebody who waits looks again at least this often.
const LOOK_AGAIN: Duration = Duration::from_millis(200);

/// Counts a manual compaction: `close` waits for it, also if it panics.
struct ManualGuard<'a> {
    inner: &'a DbInner,
    exclusive: bool,
}

impl Drop for ManualGuard<'_> {
    fn drop(&mut self) {
        let mut state = self.inner.state.lock();
        state.manual_compactions -= 1;
        if self.exclusive {
            self.inner.pauses.set_exclusive(false);
        }
        drop(state);
        self.inner.work.notify_all();
        self.inner.progress.notify_all();
    }
}

impl DbInner {
    /// Makes the memtables of these families immutable and waits until they and all older ones are in
    /// tables: with `atomic_flush` sealed at one point and installed together, without it one family
    /// after the other.
    pub(crate) fn flush(&self, families: &[&ColumnFamilyData], fo: &FlushOptions) -> Result<()> {
        self.log_manual_flush(families, None);
        let result = self.flush_because(families, fo, FlushReason::ManualFlush);
        self.log_manual_flush(families, Some(&result));
        result
    }

    /// [`DbInner::flush`] for a reason that listeners are told.
    pub(crate) fn flush_because(
        &self,
        families: &[&ColumnFamilyData],
        fo: &FlushOptions,
        reason: FlushReason,
    ) -> Result<()> {
        if self.options.atomic_flush {
            return self.flush_together(families, fo, reason);
        }
        families.iter().try_for_each(|family| self.flush_together(&[family], fo, reason))
    }

    /// [`DbInner::flush_because`] where this family has to be flushed, and with `atomic_flush` all.
    pub(crate) fn flush_with_others(
        &self,
        family: &ColumnFamilyData,
        fo: &FlushOptions,
        reason: FlushReason,
    ) -> Result<()> {
        if !self.options.atomic_flush {
            return self.flush_because(&[family], fo, reason);
        }
        let all = self.all_families();
        self.flush_because(&all.iter().map(|family| &**family).collect::<Vec<_>>(), fo, reason)
    }

    /// All families that are open.
    pub(super) fn all_families(&self) -> Vec<Arc<ColumnFamilyData>> {
        self.state.lock().families.values().map(|cf| Arc::clone(&cf.data)).collect()
    }

    fn flush_together(
        &self,
        families: &[&ColumnFamilyData],
        fo: &FlushOptions,
        reason: FlushReason,
    ) -> Result<()> {
        self.check_writable_for_flush()?;
        self.tell_manual_flush(families, reason);
        if !fo.allow_write_stall {
            families.iter().try_for_each(|family| self.wait_for_memtable_room(family))?;
        }
        let mut write = self.write.lock();
        self.check_open()?;
        let holds_something = self.holding_something(&write);
        let chosen = |cf: &ColumnFamilyState| {
            families.iter().any(|family| family.id == cf.data.id) && holds_something(cf)
        };
        let any = {
            let state = self.state.lock();
            // Of several, one that was dropped meanwhile needs no flush.
            if let [family] = families
                && !state.families.contains_key(&family.id)
            {
                return Err(dropped(&family.name));
            }
            state.families.values().any(chosen)
        };
        if any {
            self.seal(&mut write, reason, chosen)?;
        }
        drop(write);
        self.deliver_events();
        let mut state = self.state.lock();
        let newest = request_flushes(&mut state, families);
        self.work.notify_all();
        if !fo.wait || newest.is_empty() {
            return Ok(());
        }
        self.wait_until(&mut state, |state| {
            let still = newest.iter().filter(|(id, newest)| {
                state.families.get_mut(id).is_some_and(|cf| {
                    let waits = cf.immutables.first().is_some_and(|i| i.mem.id() <= *newest);
                    // A flush that was running when we asked took only what it saw.
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
        let _timer = PerfTimer::start(PerfMetric::DbConditionWaitNanos);
        while !done(state) {
            if let Some(e) = &state.error {
                return Err(e.clone());
            }
            self.check_open()?;
            self.check_running()?;
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
        self.check_may_write()?;
        check_options(family, options)?;
        let interrupt = self.interrupt(options);
        interrupt()?;
        let allow_write_stall = options.allow_write_stall;
        let flush = FlushOptions { wait: true, allow_write_stall };
        self.flush_with_others(family, &flush, FlushReason::ManualCompaction)?;
        let manual = self.begin_manual(options, &interrupt)?;
        self.log_manual_compaction(family);
        let final_level = self.compact_levels(family, options, &interrupt, begin, end)?;
        drop(manual);
        match final_level {
            Some(level) if options.change_level => {
                self.refit_level(family, level, options.target_level)
            }
            _ => Ok(()),
        }
    }

    /// What ends the call before its time.
    fn interrupt(&self, options: &CompactRangeOptions) -> Interrupt {
        let (disabled, canceled) = (self.pauses.manual(), options.canceled.clone());
        Arc::new(move || {
            let is_canceled = canceled.as_ref().is_some_and(|c| c.load(Ordering::Acquire));
            if is_canceled || disabled.load(Ordering::Acquire) > 0 {
                return Err(manual_compaction_paused());
            }
            Ok(())
        })
    }

    /// Waits for its turn. One that wants to be alone waits for what runs, and holds up the rest.
    fn begin_manual(
        &self,
        options: &CompactRangeOptions,
        interrupt: &Interrupt,
    ) -> Result<ManualGuard<'_>> {
        let exclusive = options.exclusive_manual_compaction;
        let mut state = self.state.lock();
        self.check_open()?;
        state.manual_compactions += 1;
        drop(state);
        let mut guard = ManualGuard { inner: self, exclusive: false };
        if !exclusive {
            return Ok(guard);
        }
        let mut state = self.state.lock();
        self.wait_in_turn(&mut state, interrupt, |_| !self.pauses.exclusive())?;
        guard.exclusive = true;
        self.pauses.set_exclusive(true);
        let alone = self.wait_in_turn(&mut state, interrupt, |s| s.running_compactions == 0);
        drop(state);
        alone.map(|()| guard)
    }

    /// [`DbInner::wait_until`], unless the call is not wanted any more.
    fn wait_in_turn(
        &self,
        state: &mut MutexGuard<'_, State>,
        interrupt: &Interrupt,
        mut done: impl FnMut(&State) -> bool,
    ) -> Result<()> {
        let mut interrupted = Ok(());
        self.wait_until(state, |state| {
            interrupted = interrupt();
            interrupted.is_err() || done(state)
        })?;
        interrupted
    }

    /// Compacts the tables of one level into the next, and leaves memtables and other levels alone.
    pub(crate) fn compact_level(&self, family: &Arc<ColumnFamilyData>, level: usize) -> Result<()> {
        self.check_may_write()?;
        let deepest = family.options().num_levels - 2;
        if i32::try_from(level).map_or(true, |level| level > deepest) {
            return Err(Error::invalid_argument(format!(
                "level {level} has no next level: expected a level from 0 to {deepest}"
            )));
        }
        let options = CompactRangeOptions::default();
        let interrupt = self.interrupt(&options);
        interrupt()?;
        let _manual = self.begin_manual(&options, &interrupt)?;
        let manual = ManualCompaction::of_level(level, self.counters.next_file_number());
        self.run_manual(manual, family, &options, &interrupt, (None, None)).map(|_| ())
    }

    /// The level that the range ended on; `None` if nothing overlapped it.
    fn compact_levels(
        &self,
        family: &Arc<ColumnFamilyData>,
        options: &CompactRangeOptions,
        interrupt: &Interrupt,
        begin: Option<&[u8]>,
        end: Option<&[u8]>,
    ) -> Result<Option<usize>> {
        let next_file_number = self.counters.next_file_number();
        let manual = ManualCompaction::new(begin, end, options, next_file_number);
        self.run_manual(manual, family, options, interrupt, (begin, end))
    }

    fn run_manual(
        &self,
        mut manual: ManualCompaction,
        family: &Arc<ColumnFamilyData>,
        options: &CompactRangeOptions,
        interrupt: &Interrupt,
        range: (Option<&[u8]>, Option<&[u8]>),
    ) -> Result<Option<usize>> {
        while let Some((version, plan)) = self.next_step(&mut manual, family, options, interrupt)? {
            self.log_manual_step(family, &plan, range);
            let max_subcompactions = match options.max_subcompactions {
                0 => self.live_options().max_subcompactions,
                threads => threads,
            };
            self.run_compaction(CompactionWork {
                family: Arc::clone(family),
                version,
                plan,
                max_subcompactions,
                interrupt: Some(Arc::clone(interrupt)),
            })?;
        }
        Ok(manual.final_level())
    }

    /// The next plan, which is counted as running; `None` at the end. Waits for what is in the way.
    fn next_step(
        &self,
        manual: &mut ManualCompaction,
        family: &ColumnFamilyData,
        options: &CompactRangeOptions,
        interrupt: &Interrupt,
    ) -> Result<Option<(Arc<Version>, CompactionPlan)>> {
        let alone = options.exclusive_manual_compaction;
        let may_run = |_: &State| !self.pauses.all() && (alone || !self.pauses.exclusive());
        let mut state = self.state.lock();
        loop {
            self.wait_in_turn(&mut state, interrupt, may_run)?;
            self.check_open()?;
            let cf = state.families.get_mut(&family.id).ok_or_else(|| dropped(&family.name))?;
            let version = Arc::clone(&cf.current);
            match manual.step(&mut cf.picker, &version, &family.options(), &self.moment()) {
                ManualStep::Done => return Ok(None),
                ManualStep::Wait => self.wait_for_a_change(&mut state, family.id),
                ManualStep::Run(plan) => {
                    state.running_compactions += 1;
                    return Ok(Some((version, *plan)));
                }
            }
        }
    }

    /// Waits until something has changed; meanwhile no compaction of this family starts by itself.
    fn wait_for_a_change(&self, state: &mut MutexGuard<'_, State>, id: u32) {
        let count = |state: &mut State, change: fn(usize) -> usize| {
            if let Some(cf) = state.families.get_mut(&id) {
                cf.manual_waits = change(cf.manual_waits);
            }
        };
        let _timer = PerfTimer::start(PerfMetric::DbConditionWaitNanos);
        count(state, |waits| waits + 1);
        self.progress.wait_for(state, LOOK_AGAIN);
        count(state, |waits| waits - 1);
    }

    /// Marks what overlaps the range, but on the deepest level: it is compacted down when there is
    /// time.
    pub(crate) fn suggest_compact_range(
        &self,
        family: &ColumnFamilyData,
        begin: Option<&[u8]>,
        end: Option<&[u8]>,
    ) -> Result<()> {
        self.check_may_write()?;
        let state = self.state.lock();
        let cf = state.families.get(&family.id).ok_or_else(|| dropped(&family.name))?;
        let version = &cf.current;
        for level in 0..version.deepest_level().unwrap_or(0) {
            let inputs = version.overlapping_inputs(level, begin, end);
            inputs.iter().for_each(|file| file.suggest_compaction());
        }
        drop(state);
        self.work.notify_all();
        Ok(())
    }

    /// Waits until nothing runs and nothing is due.
    pub(crate) fn wait_for_compact(&self, options: &WaitForCompactOptions) -> Result<()> {
        if self.read_only {
            return if options.close_db { self.close() } else { Ok(()) };
        }
        if options.flush {
            self.flush_all()?;
        } else if options.close_db {
            self.flush_unlogged()?;
        }
        let deadline = (!options.timeout.is_zero()).then(|| Instant::now() + options.timeout);
        let mut given_up = None;
        let mut state = self.state.lock();
        self.check_open()?;
        self.check_running()?;
        self.wait_until(&mut state, |state| {
            if options.abort_on_pause && self.pauses.all() {
                given_up = Some(Error::new(Code::Aborted, ""));
            } else if state.has_background_work(&self.moment()) {
                if let Some(e) = state.waits_for_room() {
                    given_up = Some(e.clone());
                    return true;
                }
                let late = deadline.is_some_and(|deadline| Instant::now() >= deadline);
                given_up = late.then(|| Error::new(Code::TimedOut, ""));
                return late;
            }
            true
        })?;
        drop(state);
        if let Some(e) = given_up {
            return Err(e);
        }
        if options.wait_for_purge {
            self.purge_tables();
        }
        if options.close_db { self.close() } else { Ok(()) }
    }
}

impl State {
    /// The error of compactions that wait for room, if nothing else runs.
    fn waits_for_room(&self) -> Option<&Error> {
        let idle = self.running_flushes + self.running_compactions == 0;
        self.retries.shortage().filter(|_| idle)
    }

    /// Whether a job runs or is due.
    fn has_background_work(&self, moment: &Moment) -> bool {
        let due = |cf: &ColumnFamilyState| {
            let flush_due = cf.wants_flush() || cf.switch_wanted;
            flush_due || cf.picker.needs_compaction(&cf.current, &cf.data.options(), moment)
        };
        self.running_flushes + self.running_compactions > 0 || self.families.values().any(due)
    }
}

/// Has everything immutable of these families flushed; returns the newest memtable of each that has
/// any.
fn request_flushes(state: &mut State, families: &[&ColumnFamilyData]) -> Vec<(u32, u64)> {
    let mut newest = Vec::with_capacity(families.len());
    for family in families {
        if let Some(cf) = state.families.get_mut(&family.id)
            && let Some(last) = cf.immutables.last()
        {
            newest.push((family.id, last.mem.id()));
            cf.flush_requested = true;
            state.retries.flushes.try_now();
        }
    }
    newest
}

/// Refuses what cannot be.
fn check_options(family: &ColumnFamilyData, options: &CompactRangeOptions) -> Result<()> {
    if options.target_path_id as usize >= family.options().cf_paths.len().max(1) {
        return Err(Error::invalid_argument("Invalid target path ID"));
    }
    if options.change_level && family.options().compaction_style == CompactionStyle::Fifo {
        return Err(Error::not_supported("FIFO compaction does not support change_level."));
    }
    if options.full_history_ts_low.as_ref().is_some_and(|ts| !ts.is_empty()) {
        return Err(Error::not_supported(
            "compact_range: full_history_ts_low: user-defined timestamps are not supported",
        ));
    }
    Ok(())
}
