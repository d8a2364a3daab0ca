//! Compactions that users request, and waiting for background work.

use super::compaction::CompactionWork;
use super::pauses::manual_compaction_paused;
use super::scheduler::Scheduler;
use crate::base::perf::{PerfMetric, PerfTimer};
use crate::catalog::State;
use crate::compaction::picker::{ManualCompaction, ManualStep};
use crate::compaction::plan::CompactionPlan;
use crate::env::clock::Instant;
use crate::env::lock_rank::RankedGuard;
use crate::env::sync::atomic::Ordering;
use crate::error::{Code, Error, Result};
use crate::hooks::FlushReason;
use crate::iter::Interrupt;
use crate::options::{CompactRangeOptions, CompactionStyle, FlushOptions, WaitForCompactOptions};
use crate::session::{ColumnFamilyData, dropped};
use crate::version::Version;
use std::sync::Arc;

/// Counts a manual compaction until it is dropped, also after a panic: `close` waits for manual compactions.
struct ManualGuard<'a> {
    jobs: &'a Scheduler,
    exclusive: bool,
}

impl Drop for ManualGuard<'_> {
    fn drop(&mut self) {
        let mut state = self.jobs.catalog.state();
        state.running.end_manual();
        if self.exclusive {
            self.jobs.pauses.set_exclusive(false);
        }
        drop(state);
        self.jobs.catalog.notify_jobs();
        self.jobs.catalog.notify_waiters();
    }
}

impl Scheduler {
    /// Compacts every level that overlaps the range, from the top down, into the last of them.
    pub(crate) fn compact_range(
        &self,
        family: &Arc<ColumnFamilyData>,
        options: &CompactRangeOptions,
        begin: Option<&[u8]>,
        end: Option<&[u8]>,
    ) -> Result<()> {
        self.session.check_may_write()?;
        check_options(family, options)?;
        let interrupt = self.interrupt(options);
        interrupt()?;
        let allow_write_stall = options.allow_write_stall;
        let flush = FlushOptions { wait: true, allow_write_stall };
        self.flusher.flush_with_others(family, &flush, FlushReason::ManualCompaction)?;
        let manual = self.begin_manual(options, &interrupt)?;
        self.reporter.log_manual_compaction(family);
        let final_level = self.compact_levels(family, options, &interrupt, begin, end)?;
        drop(manual);
        match final_level {
            Some(level) if options.change_level => {
                self.refit_level(family, level, options.target_level)
            }
            _ => Ok(()),
        }
    }

    /// Returns the check that ends the call early.
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

    /// Waits until the call may start. An exclusive call waits for running compactions and blocks automatic ones.
    fn begin_manual(
        &self,
        options: &CompactRangeOptions,
        interrupt: &Interrupt,
    ) -> Result<ManualGuard<'_>> {
        let exclusive = options.exclusive_manual_compaction;
        let mut state = self.catalog.state();
        self.session.health.check_open()?;
        state.running.start_manual();
        drop(state);
        let mut guard = ManualGuard { jobs: self, exclusive: false };
        if !exclusive {
            return Ok(guard);
        }
        let mut state = self.catalog.state();
        self.wait_in_turn(&mut state, interrupt, |_| !self.pauses.exclusive())?;
        guard.exclusive = true;
        self.pauses.set_exclusive(true);
        let alone = self.wait_in_turn(&mut state, interrupt, |s| s.running.compactions() == 0);
        drop(state);
        alone.map(|()| guard)
    }

    /// Waits as [`Scheduler::wait_until`] does, unless the call is interrupted.
    fn wait_in_turn(
        &self,
        state: &mut RankedGuard<'_, State>,
        interrupt: &Interrupt,
        mut done: impl FnMut(&State) -> bool,
    ) -> Result<()> {
        let mut interrupted = Ok(());
        self.flusher.wait_until(state, |state| {
            interrupted = interrupt();
            interrupted.is_err() || done(state)
        })?;
        interrupted
    }

    /// Compacts the tables of one level into the next. Memtables and other levels stay as they are.
    pub(crate) fn compact_level(&self, family: &Arc<ColumnFamilyData>, level: usize) -> Result<()> {
        self.session.check_may_write()?;
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
        let manual = ManualCompaction::of_level(level, self.session.counters.next_file_number());
        self.run_manual(manual, family, &options, &interrupt, (None, None)).map(|_| ())
    }

    /// Compacts the range level by level. Returns the last output level, or `None` if nothing overlapped the range.
    fn compact_levels(
        &self,
        family: &Arc<ColumnFamilyData>,
        options: &CompactRangeOptions,
        interrupt: &Interrupt,
        begin: Option<&[u8]>,
        end: Option<&[u8]>,
    ) -> Result<Option<usize>> {
        let next_file_number = self.session.counters.next_file_number();
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
            self.reporter.log_manual_step(family, &plan, range);
            let max_subcompactions = match options.max_subcompactions {
                0 => self.session.live_options().max_subcompactions,
                threads => threads,
            };
            self.compactor.run_compaction(CompactionWork {
                family: Arc::clone(family),
                version,
                plan,
                max_subcompactions,
                interrupt: Some(Arc::clone(interrupt)),
            })?;
        }
        Ok(manual.final_level())
    }

    /// Returns the next plan, which is counted as running, or `None` at the end. Waits for conflicting compactions.
    fn next_step(
        &self,
        manual: &mut ManualCompaction,
        family: &ColumnFamilyData,
        options: &CompactRangeOptions,
        interrupt: &Interrupt,
    ) -> Result<Option<(Arc<Version>, CompactionPlan)>> {
        let alone = options.exclusive_manual_compaction;
        let may_run = |_: &State| !self.pauses.all() && (alone || !self.pauses.exclusive());
        let mut state = self.catalog.state();
        loop {
            self.wait_in_turn(&mut state, interrupt, may_run)?;
            self.session.health.check_open()?;
            let cf = state.families.get_mut(&family.id).ok_or_else(|| dropped(&family.name))?;
            let version = Arc::clone(&cf.current);
            match manual.step(
                &mut cf.picker,
                &version,
                &family.options(),
                &self.catalog.pick_context(),
            ) {
                ManualStep::Done => return Ok(None),
                ManualStep::Wait => self.wait_for_a_change(&mut state, family.id),
                ManualStep::Run(plan) => {
                    state.running.start_compaction();
                    return Ok(Some((version, *plan)));
                }
            }
        }
    }

    /// Waits for a change of the state. Meanwhile no automatic compaction of this family starts.
    fn wait_for_a_change(&self, state: &mut RankedGuard<'_, State>, id: u32) {
        let count = |state: &mut State, change: fn(usize) -> usize| {
            if let Some(cf) = state.families.get_mut(&id) {
                cf.manual_waits = change(cf.manual_waits);
            }
        };
        let _timer = PerfTimer::start(PerfMetric::DbConditionWaitNanos);
        count(state, |waits| waits + 1);
        self.catalog.wait_for_progress(state);
        count(state, |waits| waits - 1);
    }

    /// Marks the files that overlap the range, except those of the deepest level, to be compacted down when there is
    /// time.
    pub(crate) fn suggest_compact_range(
        &self,
        family: &ColumnFamilyData,
        begin: Option<&[u8]>,
        end: Option<&[u8]>,
    ) -> Result<()> {
        self.session.check_may_write()?;
        let state = self.catalog.state();
        let cf = state.families.get(&family.id).ok_or_else(|| dropped(&family.name))?;
        let version = &cf.current;
        for level in 0..version.deepest_level().unwrap_or(0) {
            let inputs = version.overlapping_inputs(level, begin, end);
            inputs.iter().for_each(|file| file.suggest_compaction());
        }
        drop(state);
        self.catalog.notify_jobs();
        Ok(())
    }

    /// Waits until no job is running or due. If the options ask for it, the caller closes the database.
    pub(crate) fn wait_for_compact(&self, options: &WaitForCompactOptions) -> Result<()> {
        if self.session.read_only {
            return Ok(());
        }
        if options.flush {
            self.flusher.flush_all()?;
        } else if options.close_db {
            self.flusher.flush_unlogged()?;
        }
        let deadline = (!options.timeout.is_zero()).then(|| Instant::now() + options.timeout);
        let mut given_up = None;
        let mut state = self.catalog.state();
        self.session.health.check_open()?;
        self.session.health.check_running()?;
        self.flusher.wait_until(&mut state, |state| {
            if options.abort_on_pause && self.pauses.all() {
                given_up = Some(Error::new(Code::Aborted, ""));
            } else if state.has_background_work(&self.catalog.pick_context()) {
                if let Some(e) = state.running.waits_for_room() {
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
            self.files.purge_tables();
        }
        Ok(())
    }
}

/// Refuses invalid or unsupported options.
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
