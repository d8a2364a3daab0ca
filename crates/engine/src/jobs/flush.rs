//! Flushes: picked under the state lock, run without it, and installed together.
//!
//! Without `atomic_flush`, a flush concerns one family, and several flushes run at a time. With it, only one flush runs
//! at a time, and it takes everything immutable. Memtables that were sealed together (`commit/seal.rs`) are installed
//! by one group of MANIFEST edits, which takes effect as a whole or not at all. If the table of one family cannot be
//! written, no family's result is installed, and all are retried.

use super::memory::{charge_flush, family_to_flush};
use super::pauses::Pauses;
use crate::catalog::{Catalog, ColumnFamilyState, Orphans, Renewal, State, WalHealth, caught};
use crate::commit::CommitQueue;
use crate::env::clock::Instant;
use crate::env::epoch;
use crate::error::Result;
use crate::files::FileKeeper;
use crate::flush::{self, FlushInputs, FlushOutput, Immutable};
use crate::fs::filename;
use crate::fs::thread_cpu_time;
use crate::hooks::{BackgroundErrorReason, FlushJobInfo, FlushReason};
use crate::options;
use crate::report::{LevelJobs, Reporter, WrittenFlush};
use crate::session::{ColumnFamilyData, Session};
use crate::stats::{self, Activity, HistogramType, Ticker, Timer, busy_with};
use crate::version::VersionEdit;
use std::path::PathBuf;
use std::sync::Arc;

/// A picked flush: what it takes from each family.
pub(crate) struct FlushWork {
    parts: Vec<FlushPart>,
    /// Set if the flush holds everything in the old WALs after one of them failed.
    renewal: Option<Renewal>,
}

/// One family's part of a flush.
struct FlushPart {
    family: Arc<ColumnFamilyData>,
    immutables: Vec<Immutable>,
    reason: FlushReason,
}

impl FlushPart {
    /// Takes the family's immutable memtables.
    fn of(family: &mut ColumnFamilyState) -> FlushPart {
        debug_assert!(!family.flushing, "expected one flush of {:?}", family.data.name);
        debug_assert!(!family.immutables.is_empty(), "expected memtables to flush, found none");
        family.flushing = true;
        family.flush_requested = false;
        FlushPart {
            family: Arc::clone(&family.data),
            immutables: family.immutables.clone(),
            reason: family.flush_reason,
        }
    }

    /// Asserts that the flushed memtables are the family's oldest ones.
    fn check_oldest_of(&self, family: &ColumnFamilyState) {
        let ids = |all: &[Immutable]| all.iter().map(|i| i.mem.id()).collect::<Vec<_>>();
        debug_assert!(
            ids(&family.immutables).starts_with(&ids(&self.immutables)),
            "expected the oldest memtables to be flushed, found {:?} of {:?}",
            ids(&self.immutables),
            ids(&family.immutables)
        );
    }

    fn payload(&self) -> u64 {
        self.immutables.iter().map(|i| i.mem.raw_data_size()).sum()
    }

    /// Returns the path of the table with this number.
    fn path(&self, file_number: u64) -> PathBuf {
        filename::table_file_name(self.family.paths.main(), file_number)
    }

    /// Returns the oldest WAL that may hold records which this part does not flush.
    fn next_wal(&self) -> u64 {
        self.immutables.iter().map(|i| i.next_wal_number).max().unwrap_or(0)
    }
}

/// A part of a flush that is running, and later its result.
struct Flushed {
    job_id: i32,
    file_number: u64,
    told: Option<FlushJobInfo>,
    edit: VersionEdit,
    /// The size of the table in bytes; 0 if no entries were left to write.
    size: u64,
    /// The number of memtables that the table replaces.
    memtables: u64,
}

/// Flushes memtables: full ones, those that users ask to flush, and all of them to replace a failed WAL.
pub(crate) struct Flusher {
    pub(super) session: Arc<Session>,
    pub(super) reporter: Arc<Reporter>,
    files: Arc<FileKeeper>,
    pub(super) catalog: Arc<Catalog>,
    pub(super) commit: Arc<CommitQueue>,
    pub(super) pauses: Arc<Pauses>,
}

impl Flusher {
    /// Creates the flusher of a database; `pauses` can stop it from starting work.
    pub(super) fn new(
        (session, reporter, files): (Arc<Session>, Arc<Reporter>, Arc<FileKeeper>),
        (catalog, commit): (Arc<Catalog>, Arc<CommitQueue>),
        pauses: Arc<Pauses>,
    ) -> Flusher {
        Flusher { session, reporter, files, catalog, commit, pauses }
    }

    pub(crate) fn pick_flush(&self, state: &mut State) -> Option<FlushWork> {
        let (limit, _) = options::background_job_limits(&self.session.live_options());
        let renews_wal = state.wals.health() == WalHealth::Renewed;
        let renewal = renews_wal.then(|| state.wals.begin_renewal());
        let together = self.session.options.atomic_flush || renews_wal;
        let limit = if together { 1 } else { limit };
        let full = self.pauses.all() || state.running.flushes() >= limit;
        let waits = !state.running.retries.flushes.is_due(Instant::now());
        if full || waits || self.session.health.must_not_retry() {
            return None;
        }
        // Pick the family that holds the oldest WAL: its flush frees the most, and no family starves.
        let wanting = state.families.values_mut().filter(|family| family.wants_flush());
        let family = wanting.min_by_key(|family| family.oldest_wal_needed())?;
        let parts = if together {
            // Other families were sealed together with this one, and memtables that were sealed earlier come first.
            let all = state.families.values_mut().filter(|family| !family.immutables.is_empty());
            all.map(FlushPart::of).collect()
        } else {
            vec![FlushPart::of(family)]
        };
        state.running.start_flush();
        Some(FlushWork { parts, renewal })
    }

    pub(crate) fn run_flush(&self, mut work: FlushWork) -> Result<()> {
        let result = caught(|| self.flush_immutables(&mut work));
        match (&result, work.renewal) {
            (Ok(()), Some(_)) => self.wal_is_whole(),
            (Err(_), Some(attempt)) => self.renewal_failed(attempt),
            _ => {}
        }
        let is_renewal = work.renewal.is_some();
        let ids: Vec<u32> = work.parts.iter().map(|part| part.family.id).collect();
        // Threads that wait for the end of the job must find that it holds nothing any more.
        drop(work);
        let mut state = self.catalog.state();
        state.running.end_flush();
        match result {
            Ok(()) => state.running.retries.flushes.succeeded(),
            // `renewal_failed` decided when the next attempt is due.
            Err(_) if is_renewal => {}
            Err(_) => state.running.retries.flushes.failed(Instant::now()),
        }
        for id in ids {
            if let Some(family) = state.families.get_mut(&id) {
                debug_assert!(family.flushing, "expected a flush of {:?} to end", family.data.name);
                family.flushing = false;
                family.flush_requested |= result.is_err();
            }
        }
        drop(state);
        self.catalog.notify_jobs();
        self.catalog.notify_waiters();
        if result.is_ok() {
            self.recovered_if_failed();
        }
        result
    }

    fn recovered_if_failed(&self) {
        if self.session.health.has_failed() {
            self.catalog.recovered();
        }
    }

    fn flush_immutables(&self, work: &mut FlushWork) -> Result<()> {
        let _timer = Timer::start(&self.session.statistics, HistogramType::FlushTime);
        let _busy = busy_with(Activity::Flush);
        // Writers that may still insert into these memtables are pinned (commit/commit.rs).
        epoch::synchronize();
        self.session.health.check_retry()?;
        let immutables = work.parts.iter().flat_map(|part| &part.immutables);
        immutables.for_each(|i| i.mem.mark_immutable());
        let job_id = self.reporter.new_job_id();
        self.close_full_wals(job_id)?;
        if work.renewal.is_some() {
            self.commit.carry_sections_over()?;
        }
        self.reporter.deliver();
        let begun: Vec<Flushed> =
            work.parts.iter().map(|part| self.begin_flush(part, job_id)).collect();
        let mut tables = Orphans::new(&self.catalog);
        let mut flushed = Vec::with_capacity(begun.len());
        for (part, begun) in work.parts.iter().zip(begun) {
            tables.push(begun.file_number, part.path(begun.file_number));
            flushed.push(self.flush_part(part, begun)?);
        }
        let (dropped, obsolete_wals) = self.install_flushed(work, &mut flushed)?;
        // Memtables are freed once no reader is left, and before the files of their records are deleted. Deleting those
        // files takes up to half as long as writing the tables, and writers continue in the meantime.
        work.parts.iter_mut().for_each(|part| part.immutables.clear());
        epoch::synchronize();
        self.commit.delete_wals(&obsolete_wals);
        let is_dropped = |f: &Flushed| dropped.contains(&f.edit.column_family);
        let of_living: Vec<u64> =
            flushed.iter().filter(|f| !is_dropped(f)).map(|f| f.file_number).collect();
        tables.claim(|number| of_living.contains(&number));
        drop(tables);
        for (part, done) in work.parts.iter().zip(flushed) {
            if is_dropped(&done) {
                continue;
            }
            let tree = self.catalog.shape_of(&part.family);
            let numbers = (done.job_id, done.file_number);
            self.reporter.log_flush_finished(&part.family, numbers, done.memtables, &tree);
            if let Some(info) = done.told {
                self.reporter.tell_flush_completed(&part.family, info, &tree);
            }
        }
        Ok(())
    }

    fn begin_flush(&self, part: &FlushPart, job_id: i32) -> Flushed {
        let file_number = self.session.counters.new_file_number();
        self.reporter.log_flush_started(
            &part.family,
            job_id,
            file_number,
            &part.immutables,
            part.reason,
        );
        let (family, reason) = (&part.family, part.reason);
        let tree = self.catalog.shape_of(family);
        let told = self.reporter.tell_flush_begin(family, job_id, file_number, reason, &tree);
        let mut edit = VersionEdit::for_column_family(part.family.id);
        edit.log_number = Some(part.next_wal());
        edit.prev_log_number = Some(0);
        let memtables = part.immutables.len() as u64;
        Flushed { job_id, file_number, told, edit, size: 0, memtables }
    }

    /// Writes one family's memtables to a table.
    fn flush_part(&self, part: &FlushPart, begun: Flushed) -> Result<Flushed> {
        let (start, cpu_start) = (Instant::now(), thread_cpu_time());
        let (family, mut done) = (&part.family, begun);
        let mut output = self.session.output_context(family);
        (output.job_id, output.file_number) = (done.job_id, Some(done.file_number));
        let bytes = part.immutables.iter().map(|i| i.mem.approximate_memory_usage()).sum();
        let _memory = self.session.memory().map(|account| charge_flush(account, bytes));
        let out = flush::run(FlushInputs {
            memtables: part.immutables.iter().map(|i| Arc::clone(&i.mem)).collect(),
            snapshots: self.catalog.snapshots().for_job(),
            output,
        })?;
        if let (Some(info), Some(file)) = (&mut done.told, &out.file) {
            (info.smallest_seqno, info.largest_seqno) = (file.smallest_seqno, file.largest_seqno);
            info.table_properties = out.figures.clone();
        }
        let newest = out.file.as_ref().map_or(0, |file| file.largest_seqno);
        debug_assert!(
            newest <= self.catalog.order().visible(),
            "expected a table of visible entries, up to {}, found {newest}",
            self.catalog.order().visible()
        );
        let keys_in = out.records_in;
        // This is more than the input size if operands were merged.
        let kept = out.figures.raw_key_size + out.figures.raw_value_size;
        self.add_table(family, out, &mut done)?;
        // Before the install: callers that wait for the flush may read the figures right after it.
        if done.size > 0
            && let Err(e) = self.files.note_tables(&[part.path(done.file_number)])
        {
            self.catalog.background_error(BackgroundErrorReason::Flush, &e);
        }
        let micros = start.elapsed().as_micros() as u64;
        let cpu_micros = thread_cpu_time().saturating_sub(cpu_start).as_micros() as u64;
        let job = LevelJobs {
            micros,
            cpu_micros,
            written: done.size,
            count: 1,
            keys_in,
            ..LevelJobs::default()
        };
        self.catalog.note_level_job(family.id, 0, job, true);
        let (job_id, number, size) = (done.job_id, done.file_number, done.size);
        let written = WrittenFlush { job_id, number, size, micros, cpu_micros };
        self.reporter.log_flush_written(family, &written);
        self.reporter.totals().flush_count.add(1);
        self.reporter.totals().flush_bytes.add(done.size);
        stats::add(&self.session.statistics, Ticker::FlushWriteBytes, done.size);
        if let Some(garbage) = part.payload().checked_sub(kept) {
            stats::add(
                &self.session.statistics,
                Ticker::MemtablePayloadBytesAtFlush,
                part.payload(),
            );
            stats::add(&self.session.statistics, Ticker::MemtableGarbageBytesAtFlush, garbage);
        }
        Ok(done)
    }

    /// Adds the table, if there is one, to the edit, and opens it. Otherwise the first reader would open it and all
    /// other readers would wait too: a quarter of a second for the index of a large PlainTable.
    fn add_table(
        &self,
        family: &ColumnFamilyData,
        out: FlushOutput,
        done: &mut Flushed,
    ) -> Result<()> {
        let Some(mut file) = out.file else { return Ok(()) };
        if let Some(tombstones) = &out.tombstones
            && let Some(sv) = family.hold_super_version()
        {
            let hidden = sv.version.bytes_under(0, tombstones, &family.tables);
            file.compensated_range_deletion_size = hidden;
        }
        family.tables.find(&file)?;
        done.size = file.file_size;
        done.edit.add_file(0, Arc::new(file));
        Ok(())
    }

    /// Installs all parts. Returns the families that were dropped meanwhile, whose parts are not installed, and the
    /// WALs to delete.
    fn install_flushed(
        &self,
        work: &FlushWork,
        flushed: &mut [Flushed],
    ) -> Result<(Vec<u32>, Vec<u64>)> {
        let needed = self.oldest_wal_needed_after(&work.parts);
        let mut edits: Vec<VersionEdit> = flushed.iter().map(|f| f.edit.clone()).collect();
        edits.iter_mut().for_each(|edit| edit.min_log_number_to_keep = Some(needed));
        let dropped = self.catalog.install_of_living(edits, |state| {
            for part in &work.parts {
                if let Some(family) = state.families.get_mut(&part.family.id) {
                    part.check_oldest_of(family);
                    let flushed = family.immutables.drain(..part.immutables.len());
                    flushed.for_each(|flushed| flushed.mem.charge_as_kept());
                }
            }
        })?;
        let mut state = self.catalog.state();
        let obsolete_wals = state.wals.take_obsolete(needed);
        debug_assert!(
            state.wals.prepared().values().all(|holder| !obsolete_wals.contains(holder)),
            "expected WALs without prepared transactions, found {obsolete_wals:?} to be obsolete"
        );
        Ok((dropped, obsolete_wals))
    }

    /// Returns the oldest WAL that is still needed once these parts are installed: for records that are in no table
    /// yet, or for prepared sections.
    fn oldest_wal_needed_after(&self, parts: &[FlushPart]) -> u64 {
        let state = self.catalog.state();
        let flushed = |id: u32| parts.iter().find(|part| part.family.id == id);
        let own = parts.iter().map(|part| {
            let left = |cf: &ColumnFamilyState| cf.oldest_wal_needed_after(part.immutables.len());
            state.families.get(&part.family.id).map_or(part.next_wal(), left)
        });
        let others = state.families.iter().filter(|(id, _)| flushed(**id).is_none());
        let others = others.filter_map(|(_, family)| family.oldest_wal_needed());
        let prepared = state.wals.prepared().values().copied();
        own.chain(others).chain(prepared).min().unwrap_or(0)
    }

    /// Truncates full WALs to their used lengths. With several families it also syncs them: otherwise a table of one
    /// family could survive a power failure that loses older records of another family. The same applies to prepared
    /// transactions, which may keep a WAL whose other records are already in tables: if that WAL were torn, replay
    /// would stop there.
    fn close_full_wals(&self, job_id: i32) -> Result<()> {
        let (wals, several) = {
            let mut state = self.catalog.state();
            (state.wals.take_to_close(), self.session.options.allow_2pc || state.families.len() > 1)
        };
        if several {
            self.commit.sync_full_wals(job_id)?;
        }
        wals.into_iter().try_for_each(|mut wal| wal.close())
    }

    // ---- switching memtables -----------------------------------------------------------------

    /// Returns a family whose memtable should be sealed to free an old WAL or memory, and the reason.
    pub(super) fn wanted_switch(
        &self,
        state: &mut State,
    ) -> Option<(Arc<ColumnFamilyData>, FlushReason)> {
        if self.pauses.all() || !state.running.retries.flushes.is_due(Instant::now()) {
            return None;
        }
        if let Some(data) = family_to_flush(&self.session, state)
            && let Some(family) = state.families.get_mut(&data.id)
        {
            family.seal_wanted = true;
            family.flush_reason = FlushReason::WriteBufferManager;
        }
        let family = state.families.values_mut().find(|family| family.seal_wanted)?;
        family.seal_wanted = false;
        let reason = match family.flush_reason {
            FlushReason::WriteBufferManager => FlushReason::WriteBufferManager,
            _ => FlushReason::WalFull,
        };
        let chosen = (Arc::clone(&family.data), reason);
        if self.session.options.atomic_flush {
            // One seal covers all families.
            state.families.values_mut().for_each(|family| family.seal_wanted = false);
        }
        // Callers that wait for background work must also wait for the flush that this leads to.
        state.running.start_flush();
        Some(chosen)
    }

    /// Seals the family's memtable.
    pub(super) fn seal_in_background(&self, family: &ColumnFamilyData, reason: FlushReason) {
        let sealed = match reason {
            FlushReason::WriteBufferManager => self.commit.seal_for_memory(family),
            _ => self.commit.seal_family(family, reason),
        };
        self.reporter.deliver();
        self.catalog.state().running.end_flush();
        self.catalog.notify_waiters();
        let Err(e) = sealed else { return };
        // Nothing else would request it again, and writes can resume only after the flush that follows.
        if let Some(family) = self.catalog.state().families.get_mut(&family.id) {
            family.seal_wanted = true;
        }
        self.catalog.state().running.retries.flushes.failed(Instant::now());
        self.catalog.background_error(BackgroundErrorReason::WriteCallback, &e);
    }
}
