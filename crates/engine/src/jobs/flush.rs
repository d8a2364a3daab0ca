//! Flushes: picked under the lock, run without it, installed together.
//!
//! Without `atomic_flush` a flush is of one family, and several run at a time. With it there is one
//! flush at a time, of everything immutable: memtables that were sealed together (`commit/seal.rs`) are
//! installed by one group of MANIFEST edits, which counts as a whole or not at all. If the table of one
//! family cannot be written, none of the others counts, and all are tried again.

use super::pauses::Pauses;
use crate::catalog::{Catalog, ColumnFamilyState, Orphans, State, WalHealth, caught};
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

/// A flush that was picked: what it takes of each family.
pub(crate) struct FlushWork {
    parts: Vec<FlushPart>,
    /// It holds everything that is in WALs of which one failed.
    renews_wal: bool,
}

/// One family's part in a flush.
struct FlushPart {
    family: Arc<ColumnFamilyData>,
    immutables: Vec<Immutable>,
    reason: FlushReason,
}

impl FlushPart {
    /// Takes what the family has.
    fn of(family: &mut ColumnFamilyState) -> FlushPart {
        family.flushing = true;
        family.flush_requested = false;
        FlushPart {
            family: Arc::clone(&family.data),
            immutables: family.immutables.clone(),
            reason: family.flush_reason,
        }
    }

    fn payload(&self) -> u64 {
        self.immutables.iter().map(|i| i.mem.raw_data_size()).sum()
    }

    /// Where its table goes.
    fn path(&self, file_number: u64) -> PathBuf {
        filename::table_file_name(self.family.paths.main(), file_number)
    }

    /// Older WALs hold nothing that this part leaves out.
    fn next_wal(&self) -> u64 {
        self.immutables.iter().map(|i| i.next_wal_number).max().unwrap_or(0)
    }
}

/// A part under way, and then what it made.
struct Flushed {
    job_id: i32,
    file_number: u64,
    told: Option<FlushJobInfo>,
    edit: VersionEdit,
    /// Bytes of the table; 0 if nothing was left to write.
    size: u64,
    /// How many memtables it takes the place of.
    memtables: u64,
}

/// Flushes memtables: when one is full, when users ask for it, and to replace a failed WAL.
pub(crate) struct Flusher {
    pub(super) session: Arc<Session>,
    pub(super) reporter: Arc<Reporter>,
    files: Arc<FileKeeper>,
    pub(super) catalog: Arc<Catalog>,
    pub(super) commit: Arc<CommitQueue>,
    pub(super) pauses: Arc<Pauses>,
}

impl Flusher {
    /// The flusher of a database; `pauses` can hold it up.
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
        let together = self.session.options.atomic_flush || renews_wal;
        let limit = if together { 1 } else { limit };
        let full = self.pauses.all() || state.running.flushes() >= limit;
        let waits = !state.running.retries.flushes.is_due(Instant::now());
        if full || waits || self.session.health.must_not_retry() {
            return None;
        }
        // The one that holds the oldest WAL: it frees the most, and no family starves.
        let wanting = state.families.values_mut().filter(|family| family.wants_flush());
        let family = wanting.min_by_key(|family| family.oldest_wal_needed())?;
        let parts = if together {
            // Others were sealed together with it, and what was sealed before comes first.
            let all = state.families.values_mut().filter(|family| !family.immutables.is_empty());
            all.map(FlushPart::of).collect()
        } else {
            vec![FlushPart::of(family)]
        };
        state.running.start_flush();
        Some(FlushWork { parts, renews_wal })
    }

    pub(crate) fn run_flush(&self, mut work: FlushWork) -> Result<()> {
        let result = caught(|| self.flush_immutables(&mut work));
        match &result {
            Ok(()) if work.renews_wal => self.wal_is_whole(),
            Err(_) if work.renews_wal => self.renewal_failed(),
            _ => {}
        }
        let ids: Vec<u32> = work.parts.iter().map(|part| part.family.id).collect();
        // Who waits for the end finds that the job holds nothing any more.
        drop(work);
        let mut state = self.catalog.state();
        state.running.end_flush();
        match result {
            Ok(()) => state.running.retries.flushes.succeeded(),
            Err(_) => state.running.retries.flushes.failed(Instant::now()),
        }
        for id in ids {
            if let Some(family) = state.families.get_mut(&id) {
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
        let start = Instant::now();
        // Writers that may still insert into these memtables are pinned (commit/commit.rs).
        epoch::synchronize();
        self.session.health.check_retry()?;
        let immutables = work.parts.iter().flat_map(|part| &part.immutables);
        immutables.for_each(|i| i.mem.mark_immutable());
        let job_id = self.reporter.new_job_id();
        self.close_full_wals(job_id)?;
        if work.renews_wal {
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
        self.catalog
            .controller()
            .flushed(work.parts.iter().map(FlushPart::payload).sum(), start.elapsed());
        // Memtables are freed once no reader is left, and before the files of their records: to
        // remove those takes up to half as long as to write the tables, and writers go on meanwhile.
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

    /// Writes one family's memtables into a table.
    fn flush_part(&self, part: &FlushPart, begun: Flushed) -> Result<Flushed> {
        let (start, cpu_start) = (Instant::now(), thread_cpu_time());
        let (family, mut done) = (&part.family, begun);
        let mut output = self.session.output_context(family);
        (output.job_id, output.file_number) = (done.job_id, Some(done.file_number));
        let out = flush::run(FlushInputs {
            memtables: part.immutables.iter().map(|i| Arc::clone(&i.mem)).collect(),
            snapshots: self.catalog.snapshots().for_job(),
            output,
        })?;
        if let (Some(info), Some(file)) = (&mut done.told, &out.file) {
            (info.smallest_seqno, info.largest_seqno) = (file.smallest_seqno, file.largest_seqno);
            info.table_properties = out.figures.clone();
        }
        let keys_in = out.records_in;
        // More than there was if operands were joined.
        let kept = out.figures.raw_key_size + out.figures.raw_value_size;
        self.add_table(family, out, &mut done)?;
        // Before the install: who waits for the flush may look at the figures then.
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

    /// Has the edit name the table, if there is one, and opens it: the first reader would wait for that,
    /// and all others with it, for the index of a large PlainTable a quarter of a second.
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

    /// Makes all parts count. Returns families that were dropped meanwhile, whose parts do not, and WALs
    /// to be deleted.
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
                    family.immutables.drain(..part.immutables.len());
                }
            }
        })?;
        let obsolete_wals = self.catalog.state().wals.take_obsolete(needed);
        Ok((dropped, obsolete_wals))
    }

    /// The oldest WAL that is still needed once these parts are installed: for what is in no table yet,
    /// or for what is prepared.
    fn oldest_wal_needed_after(&self, parts: &[FlushPart]) -> u64 {
        let state = self.catalog.state();
        let flushed = |id: u32| parts.iter().find(|part| part.family.id == id);
        let own = parts.iter().map(|part| {
            let left = |cf: &ColumnFamilyState| {
                let next = cf.immutables.get(part.immutables.len());
                next.map_or(cf.mem_wal_number, |next| next.wal_number)
            };
            state.families.get(&part.family.id).map_or(part.next_wal(), left)
        });
        let others = state.families.iter().filter(|(id, _)| flushed(**id).is_none());
        let others = others.filter_map(|(_, family)| family.oldest_wal_needed());
        let prepared = state.wals.prepared().values().copied();
        own.chain(others).chain(prepared).min().unwrap_or(0)
    }

    /// Cuts full WALs to their length. With several families they are synced, too: otherwise a
    /// table of one family could survive a power failure that takes older records of another. The same
    /// with prepared transactions, for which a WAL may stay that the tables have left behind: were it
    /// torn, replay would stop there.
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

    /// A family whose memtable should be sealed to let an old WAL go.
    pub(super) fn wanted_switch(&self, state: &mut State) -> Option<Arc<ColumnFamilyData>> {
        if self.pauses.all() || !state.running.retries.flushes.is_due(Instant::now()) {
            return None;
        }
        let family = state.families.values_mut().find(|family| family.seal_wanted)?;
        family.seal_wanted = false;
        let data = Arc::clone(&family.data);
        if self.session.options.atomic_flush {
            // One for all.
            state.families.values_mut().for_each(|family| family.seal_wanted = false);
        }
        // Who waits for the background waits for the flush that this leads to.
        state.running.start_flush();
        Some(data)
    }

    /// Switches it.
    pub(super) fn seal_in_background(&self, family: &ColumnFamilyData) {
        let sealed = self.commit.seal_family(family, FlushReason::WalFull);
        self.reporter.deliver();
        self.catalog.state().running.end_flush();
        self.catalog.notify_waiters();
        let Err(e) = sealed else { return };
        // Nothing else would ask again, and only the flush that follows lets writes go on.
        if let Some(family) = self.catalog.state().families.get_mut(&family.id) {
            family.seal_wanted = true;
        }
        self.catalog.state().running.retries.flushes.failed(Instant::now());
        self.catalog.background_error(BackgroundErrorReason::WriteCallback, &e);
    }
}
