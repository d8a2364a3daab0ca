//! Ingestion of external files.
//!
//! 1. Files are examined and brought into the directory under new numbers. The MANIFEST has reserved these numbers
//!    before, so no crash can cause a number to be used twice.
//! 2. Memtables with keys in the files' ranges are flushed while writers continue. Then new writers are held.
//! 3. Under the locks, when no write is in flight, each file gets its level and its sequence number, and one MANIFEST
//!    record per family adds all files together.
//! 4. The super-versions are installed first, then the sequence numbers become visible. So a snapshot sees all files or
//!    none.
//!
//! A failure before step 3 has succeeded undoes everything.

use crate::base::InternalIterator;
use crate::base::key::user_key;
use crate::base::perf::{PerfMetric, PerfTimer};
use crate::base::{LookupBuffer, MAX_SEQUENCE_NUMBER, SeqNo};
use crate::catalog::Orphans;
use crate::commit::Quiesced;
use crate::compaction::picker::LevelTargets;
use crate::db::{ColumnFamily, Db};
use crate::error::{Error, Result};
use crate::external::{Destination, ExternalFile, TargetTree, check_together, copy};
use crate::fs::filename;
use crate::hooks::{ExternalFileIngestionInfo, FlushReason};
use crate::open::Core;
use crate::options::{CompactionStyle, FlushOptions, IngestExternalFileOptions};
use crate::read::SuperVersion;
use crate::session::ColumnFamilyData;
use crate::session::dropped;
use crate::version::{FileMeta, Version, VersionEdit};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The files to ingest into one column family.
#[derive(Clone, Debug)]
pub struct IngestExternalFileArg {
    /// The target family.
    pub column_family: ColumnFamily,
    /// The paths of the files. If several files have the same key, the last one takes precedence.
    pub external_files: Vec<PathBuf>,
    /// The options.
    pub options: IngestExternalFileOptions,
}

impl Db {
    /// Ingests files into the default column family. They were written by [`crate::external::SstFileWriter`] or
    /// RocksDB's SstFileWriter.
    pub fn ingest_external_file<P: AsRef<Path>>(
        &self,
        files: &[P],
        options: &IngestExternalFileOptions,
    ) -> Result<()> {
        self.ingest_external_file_cf(&self.default_cf(), files, options)
    }

    /// Ingests files into a column family.
    pub fn ingest_external_file_cf<P: AsRef<Path>>(
        &self,
        cf: &ColumnFamily,
        files: &[P],
        options: &IngestExternalFileOptions,
    ) -> Result<()> {
        self.ingest_external_files(&[IngestExternalFileArg {
            column_family: cf.clone(),
            external_files: files.iter().map(|path| path.as_ref().to_owned()).collect(),
            options: *options,
        }])
    }

    /// Ingests files into several column families, atomically.
    pub fn ingest_external_files(&self, args: &[IngestExternalFileArg]) -> Result<()> {
        self.core().ingest(args)
    }
}

/// The level and metadata of each ingested file, in the order of the files.
type Placed = Vec<(usize, Arc<FileMeta>)>;

/// The maximum number of flushes while writers may fill the memtables again.
const FLUSHES_BESIDE_WRITERS: u32 = 4;

/// The files for one column family.
struct Job<'a> {
    family: Arc<ColumnFamilyData>,
    options: &'a IngestExternalFileOptions,
    files: Vec<ExternalFile>,
}

impl Core {
    fn ingest(&self, args: &[IngestExternalFileArg]) -> Result<()> {
        let _timer = PerfTimer::start(PerfMetric::FileIngestionNanos);
        self.check_ingestion(args)?;
        let total: usize = args.iter().map(|arg| arg.external_files.len()).sum();
        let mut number = self.catalog.reserve_numbers(total as u64)?;
        let mut jobs = Vec::with_capacity(args.len());
        for arg in args {
            jobs.push(self.examine(arg, &mut number)?);
        }
        let mut brought = Orphans::new(&self.catalog);
        for job in &jobs {
            let links = job.options.move_files || job.options.link_files;
            let may_copy = !links || job.options.failed_move_fall_back_to_copy;
            let dir = job.family.paths.main();
            for file in &job.files {
                let to = filename::table_file_name(dir, file.number);
                self.bring_in(&mut brought, &file.path, (file.number, to), links, may_copy)?;
            }
            self.session.fs.sync_dir(dir)?;
        }
        let placed = self.take_in(&jobs)?;
        brought.claim(|_| true);
        for (job, placed) in jobs.iter().zip(&placed) {
            self.tell_ingested(job, placed);
        }
        for job in jobs.iter().filter(|job| job.options.move_files) {
            for file in &job.files {
                if let Err(e) = self.session.fs.remove_file(&file.path) {
                    self.session.info_log.warn(format_args!(
                        "{} was added to DB successfully but failed to remove original file link : {e}",
                        file.path.display()
                    ));
                }
            }
        }
        Ok(())
    }

    fn check_ingestion(&self, args: &[IngestExternalFileArg]) -> Result<()> {
        self.session.health.check_writable()?;
        if args.is_empty() {
            return Err(Error::invalid_argument("ingestion arg list is empty"));
        }
        for (i, arg) in args.iter().enumerate() {
            let family = &arg.column_family.data;
            if args[..i].iter().any(|other| other.column_family.data.id == family.id) {
                return Err(Error::invalid_argument(
                    "ingestion args have duplicate column families",
                ));
            }
            if arg.external_files.is_empty() {
                return Err(Error::invalid_argument(format!("external_files[{i}] is empty")));
            }
            let allowed =
                self.session.options.allow_ingest_behind || family.options().cf_allow_ingest_behind;
            if arg.options.ingest_behind && !allowed {
                return Err(Error::invalid_argument(format!(
                    "Can't ingest_behind file in ColumnFamily {} with cf_allow_ingest_behind=false",
                    family.name
                )));
            }
            if arg.options.move_files && arg.options.link_files {
                return Err(Error::invalid_argument(
                    "`move_files` and `link_files` can not both be true.",
                ));
            }
            if arg.options.write_global_seqno {
                return Err(Error::not_supported("ingestion with write_global_seqno"));
            }
        }
        Ok(())
    }

    fn examine<'a>(&self, arg: &'a IngestExternalFileArg, number: &mut u64) -> Result<Job<'a>> {
        let family = &arg.column_family.data;
        let to = self.destination(family);
        let mut files = Vec::with_capacity(arg.external_files.len());
        for path in &arg.external_files {
            files.push(ExternalFile::examine(&*self.session.fs, path, *number, &to, &arg.options)?);
            *number += 1;
        }
        check_together(&files, &family.order, &arg.options)?;
        Ok(Job { family: Arc::clone(family), options: &arg.options, files })
    }

    /// Returns the family's properties as a target for ingested files.
    pub(super) fn destination<'a>(&self, family: &'a ColumnFamilyData) -> Destination<'a> {
        Destination {
            id: family.id,
            options: family.options(),
            order: &family.order,
            read_mode: self.session.options.read_mode(),
        }
    }

    /// Gives a file its number and its new name, by a link or a copy, and syncs its bytes.
    pub(super) fn bring_in(
        &self,
        brought: &mut Orphans<'_>,
        from: &Path,
        (number, to): (u64, PathBuf),
        link: bool,
        may_copy: bool,
    ) -> Result<()> {
        brought.push(number, to.clone());
        if link && copy::link(&*self.session.fs, from, &to)? {
            // The program that wrote the file may not have synced it.
            return self.session.fs.sync_file(&to);
        }
        if !may_copy {
            return Err(Error::not_supported("No cross FS links allowed"));
        }
        copy::copy_file(&*self.session.fs, from, &to, None, self.session.options.use_fsync)
    }

    /// Runs steps 2 to 4. Writers continue while memtables are flushed, because a listener of the flush may write. They
    /// are held only if they keep filling the memtables.
    fn take_in(&self, jobs: &[Job<'_>]) -> Result<Vec<Placed>> {
        let mut patience = FLUSHES_BESIDE_WRITERS;
        let mut held = None;
        loop {
            self.flush_overlapping(jobs)?;
            let _timer = PerfTimer::start(PerfMetric::FileIngestionBlockingLiveWritesNanos);
            let _held = self.catalog.controller().hold();
            let quiesced = Quiesced::begin(&self.commit)?;
            let mut overlaps = false;
            for job in jobs {
                overlaps |= job.overlaps_memtables()?;
            }
            if !overlaps {
                return self.install_files(jobs, quiesced);
            }
            drop(quiesced);
            match patience {
                0 => held = held.or_else(|| Some(self.catalog.controller().hold())),
                _ => patience -= 1,
            }
        }
    }

    fn flush_overlapping(&self, jobs: &[Job<'_>]) -> Result<()> {
        for job in jobs {
            if !job.overlaps_memtables()? {
                continue;
            }
            if !job.options.allow_blocking_flush {
                return Err(Error::invalid_argument("External file requires flush"));
            }
            let now = FlushOptions { wait: true, allow_write_stall: true };
            self.jobs.flusher().flush_with_others(
                &job.family,
                &now,
                FlushReason::ExternalFileIngestion,
            )?;
        }
        Ok(())
    }

    fn install_files(&self, jobs: &[Job<'_>], quiesced: Quiesced<'_>) -> Result<Vec<Placed>> {
        let ranges: Vec<_> =
            jobs.iter().map(|job| HeldRange::new(self, job)).collect::<Result<_>>()?;
        let mut edits = Vec::with_capacity(jobs.len());
        let mut placed = Vec::with_capacity(jobs.len());
        let last = quiesced.last_sequence();
        let mut newest = last;
        for (job, range) in jobs.iter().zip(&ranges) {
            let mut edit = VersionEdit::for_column_family(job.family.id);
            edit.new_files = self.place(job, range, last)?;
            placed.push(edit.new_files.clone());
            newest = edit.new_files.iter().map(|(_, f)| f.largest_seqno).fold(newest, SeqNo::max);
            edits.push(edit);
        }
        let installed = quiesced.install(edits, newest);
        drop(ranges);
        installed.map(|()| placed)
    }

    fn place(&self, job: &Job<'_>, range: &HeldRange<'_>, last_seqno: SeqNo) -> Result<Placed> {
        let (family, options) = (&job.family, job.family.options());
        let place = TargetTree {
            version: &range.version,
            tables: &family.tables,
            base_level: LevelTargets::new(&range.version, &options).base_level,
            running_outputs: &range.running_outputs,
            last_seqno,
            hide_from_snapshots: job.options.snapshot_consistency
                && self.catalog.snapshots().count() > 0,
            only_level0: options.compaction_style == CompactionStyle::Fifo,
        };
        place.assign(&job.files, job.options)
    }

    fn tell_ingested(&self, job: &Job<'_>, placed: &Placed) {
        let tree = self.catalog.note_ingested(&job.family, placed);
        self.reporter.log_ingested(&job.family, placed, &tree);
        for (file, (level, meta)) in job.files.iter().zip(placed) {
            let inside = job.family.paths.table(meta);
            self.session.info_log.info(format_args!(
                "[AddFile] External SST file {} was ingested in L{level} with path {} \
                 (global_seqno={})",
                file.path.display(),
                inside.display(),
                meta.largest_seqno
            ));
            self.reporter.tell_file_ingested(&ExternalFileIngestionInfo {
                cf_name: job.family.name.clone(),
                external_file_path: file.path.clone(),
                internal_file_path: inside,
                global_seqno: meta.largest_seqno,
                table_properties: file.figures(),
            });
        }
    }
}

impl Job<'_> {
    /// Returns whether a memtable has keys in the range of a file.
    fn overlaps_memtables(&self) -> Result<bool> {
        let dropped = || dropped(&self.family.name);
        if self.family.is_dropped() {
            return Err(dropped());
        }
        let sv = self.family.hold_super_version().ok_or_else(dropped)?;
        Ok(self.files.iter().any(|file| overlaps(&sv, &self.family, file)))
    }
}

fn overlaps(sv: &SuperVersion, family: &ColumnFamilyData, file: &ExternalFile) -> bool {
    let memtables = sv.memtables();
    memtables.filter(|mem| !mem.is_empty()).any(|mem| {
        if mem.range_tombstones().iter().any(|t| file.is_touched_by(t, &family.order)) {
            return true;
        }
        let mut iter = mem.iter(true);
        iter.seek(LookupBuffer::new(file.first_key(), MAX_SEQUENCE_NUMBER).internal_key());
        iter.valid() && family.order.compare_user(user_key(iter.key()), file.last_key()).is_le()
    })
}

/// Keeps the range of a family's files free of new compactions: it counts as a running compaction.
struct HeldRange<'a> {
    inner: &'a Core,
    family: u32,
    id: u64,
    version: Arc<Version>,
    running_outputs: Vec<(usize, Vec<u8>, Vec<u8>)>,
}

impl<'a> HeldRange<'a> {
    fn new(inner: &'a Core, job: &Job<'_>) -> Result<HeldRange<'a>> {
        let order = &job.family.order;
        let keys = |key: fn(&ExternalFile) -> &[u8]| job.files.iter().map(key);
        let smallest = keys(ExternalFile::first_key).min_by(|a, b| order.compare_user(a, b));
        let largest = keys(ExternalFile::last_key).max_by(|a, b| order.compare_user(a, b));
        let mut state = inner.catalog.state();
        let family = job.family.id;
        let cf = state.families.get_mut(&family).ok_or_else(|| dropped(&job.family.name))?;
        let version = Arc::clone(&cf.current);
        let running_outputs = cf.picker.running_outputs();
        let (smallest, largest) = (smallest.unwrap_or_default(), largest.unwrap_or_default());
        let id = cf.picker.hold_range(smallest, largest, version.num_levels());
        state.running.start_compaction();
        Ok(HeldRange { inner, family, id, version, running_outputs })
    }
}

impl Drop for HeldRange<'_> {
    fn drop(&mut self) {
        let mut state = self.inner.catalog.state();
        state.running.end_compaction();
        if let Some(cf) = state.families.get_mut(&self.family) {
            cf.picker.release_range(self.id);
        }
        drop(state);
        self.inner.catalog.notify_jobs();
        self.inner.catalog.notify_waiters();
    }
}
