//! One table that a flush or a compaction is writing, and its `FileMeta`.

use super::announce::Announced;
use super::deletion_watch::DeletionWatch;
use super::output_context::{OutputContext, now_seconds};
use super::reread::Reread;
use crate::base::ValueType::RangeDeletion;
use crate::base::key::{append_internal_key, pack_trailer, sequence, trailer, user_key};
use crate::base::{KeyOrder, MAX_SEQUENCE_NUMBER, SeqNo, ValueType, WalkKey};
use crate::budget::{IoPriority, KeptFree, LimitedWrites};
use crate::error::{Code, Error, Result};
use crate::fs::counted::CountedWrites;
use crate::fs::{FileSystem, WritableOptions, filename};
use crate::hooks::{TableFigures, TableFileCreationReason};
use crate::options::{DbOptions, TableFactory};
use crate::rangedel::Fragments;
use crate::sst::{FinishedTable, TableBuilder, TableBuilderContext};
use crate::version::{FileMeta, FileStats};
use std::path::PathBuf;
use std::sync::Arc;

/// A table that is being written.
pub struct TableOutput {
    builder: Option<TableBuilder>,
    order: KeyOrder,
    fs: Arc<dyn FileSystem>,
    path: PathBuf,
    path_id: u32,
    number: u64,
    smallest: Vec<u8>,
    largest: WalkKey,
    smallest_seqno: SeqNo,
    largest_seqno: SeqNo,
    creation_time: u64,
    oldest_ancestor_time: u64,
    identity: (String, String),
    /// Present only with `paranoid_file_checks`.
    reread: Option<Box<Reread>>,
    watches: Vec<DeletionWatch>,
    announced: Announced,
}

impl TableOutput {
    /// Starts a table with a new number.
    pub fn create(ctx: &OutputContext<'_>) -> Result<TableOutput> {
        if let TableFactory::Cuckoo(_) = ctx.options.table_factory
            && !ctx.db_options.allow_mmap_reads
        {
            // Fail now, as RocksDB does, with the error that reading the table would give: the memtable still exists.
            return Err(Error::invalid_argument("File is not mmaped"));
        }
        let number = ctx.file_number.unwrap_or_else(|| ctx.counters.new_file_number());
        let path = filename::table_file_name(ctx.table_dir(), number);
        let announced = Announced::start(ctx, &path);
        let file = ctx
            .fs
            .new_writable(&path, file_options(&ctx.db_options))
            .inspect_err(|e| announced.fail(e))?;
        let priority = match ctx.reason {
            TableFileCreationReason::Compaction => IoPriority::Low,
            _ => IoPriority::High,
        };
        let (limiter, statistics) =
            (ctx.db_options.rate_limiter.as_ref(), ctx.db_options.statistics.as_ref());
        let file = CountedWrites::wrap(file, statistics);
        let file = LimitedWrites::wrap(file, limiter, priority, statistics);
        let file = KeptFree::guard(file, ctx.kept_free.as_ref());
        let now = now_seconds();
        let oldest = if ctx.oldest_ancestor_time == 0 { now } else { ctx.oldest_ancestor_time };
        let merge_operator_name = ctx.options.merge_operator.as_ref().map(|m| m.name().to_owned());
        let last = &ctx.options.bottommost_compression_opts;
        let compression_opts =
            if ctx.bottommost && last.enabled { *last } else { ctx.options.compression_opts };
        let context = TableBuilderContext {
            order: ctx.order.clone(),
            factory: ctx.options.table_factory.clone(),
            prefix_extractor: ctx.options.prefix_extractor.clone(),
            merge_operator_name,
            compression: ctx.compression,
            compression_opts,
            target_file_size: ctx.target_file_size,
            level: ctx.level as i32,
            column_family_id: ctx.column_family_id,
            column_family_name: ctx.column_family_name.to_owned(),
            file_number: number,
            db_id: ctx.db_id.to_owned(),
            db_session_id: ctx.session_id.to_owned(),
            host: ctx.host.to_owned(),
            creation_time: oldest,
            oldest_key_time: oldest,
            file_creation_time: now,
            bottommost: ctx.bottommost,
            skip_filter: ctx.bottommost && ctx.options.optimize_filters_for_hits,
            for_ingestion: false,
            statistics: ctx.db_options.statistics.clone(),
        };
        let reread = ctx
            .options
            .paranoid_file_checks
            .then(|| Box::new(Reread::new(&path, context.clone(), ctx.db_options.read_mode())));
        let builder = TableBuilder::new(file, context).inspect_err(|e| announced.fail(e))?;
        Ok(TableOutput {
            builder: Some(builder),
            order: ctx.order.clone(),
            fs: Arc::clone(ctx.fs),
            path,
            path_id: ctx.path_id,
            number,
            smallest: Vec::new(),
            largest: WalkKey::default(),
            smallest_seqno: MAX_SEQUENCE_NUMBER,
            largest_seqno: 0,
            creation_time: now,
            oldest_ancestor_time: oldest,
            identity: (ctx.db_id.to_owned(), ctx.session_id.to_owned()),
            reread,
            watches: ctx.options.compact_on_deletion.iter().map(DeletionWatch::new).collect(),
            announced,
        })
    }

    /// Appends an entry. Internal keys must ascend.
    #[inline]
    pub fn add(&mut self, key: &[u8], value: &[u8]) -> Result<()> {
        let Some(builder) = self.builder.as_mut() else {
            return Err(Error::corruption("table output: add after finish"));
        };
        builder.add(key, value)?;
        if let Some(reread) = &mut self.reread {
            reread.add(key, value);
        }
        if !self.watches.is_empty() {
            let kind = ValueType::from_byte(trailer(key) as u8);
            let tombstone = matches!(kind, Some(ValueType::Deletion | ValueType::SingleDeletion));
            let size = builder.file_size();
            self.watches.iter_mut().for_each(|watch| watch.add(tombstone, size));
        }
        if self.smallest.is_empty() {
            self.smallest.extend_from_slice(key);
        }
        self.largest.set(key);
        let seq = sequence(key);
        self.smallest_seqno = self.smallest_seqno.min(seq);
        self.largest_seqno = self.largest_seqno.max(seq);
        Ok(())
    }

    /// Adds range tombstones, after all entries. The table's range grows to cover them.
    pub fn add_tombstones(&mut self, tombstones: &Fragments) -> Result<()> {
        let (mut begin, mut end) = (Vec::new(), Vec::new());
        for t in tombstones.tombstones() {
            let Some(builder) = self.builder.as_mut() else {
                return Err(Error::corruption("table output: add after finish"));
            };
            begin.clear();
            append_internal_key(&mut begin, t.begin, pack_trailer(t.seq, RangeDeletion));
            builder.add(&begin, t.end)?;
            if let Some(reread) = &mut self.reread {
                reread.add_tombstone(&t);
            }
            // This end sorts before all entries of its user key, which may belong to the next table.
            end.clear();
            append_internal_key(&mut end, t.end, pack_trailer(MAX_SEQUENCE_NUMBER, RangeDeletion));
            if self.smallest.is_empty() || self.order.compare(&begin, &self.smallest).is_lt() {
                self.smallest.clone_from(&begin);
            }
            if self.largest.is_empty() || self.order.compare(&end, &self.largest).is_gt() {
                self.largest.set(&end);
            }
            self.smallest_seqno = self.smallest_seqno.min(t.seq);
            self.largest_seqno = self.largest_seqno.max(t.seq);
        }
        Ok(())
    }

    /// Returns the user key of the newest entry.
    pub fn last_user_key(&self) -> &[u8] {
        user_key(&self.largest)
    }

    /// Returns the approximate size of the file in bytes.
    pub fn file_size(&self) -> u64 {
        self.builder.as_ref().map_or(0, TableBuilder::file_size)
    }

    /// Completes and syncs the file. Its directory entry is not synced yet.
    pub fn finish(self) -> Result<FileMeta> {
        Ok(self.finish_with_figures()?.0)
    }

    /// Does the same as [`TableOutput::finish`], and returns the figures of the table's properties too.
    pub fn finish_with_figures(mut self) -> Result<(FileMeta, TableFigures)> {
        self.complete().inspect_err(|e| self.announced.fail(e))
    }

    fn complete(&mut self) -> Result<(FileMeta, TableFigures)> {
        let builder = self.builder.take();
        let added = builder.as_ref().map_or(0, TableBuilder::num_entries);
        let finished = match builder.map(TableBuilder::finish) {
            Some(Ok(finished)) => finished,
            Some(Err(e)) => {
                self.remove();
                return Err(e);
            }
            None => return Err(Error::corruption("table output: finished twice")),
        };
        if let Some(reread) = &self.reread
            && let Err(e) = reread.check(&*self.fs)
        {
            self.remove();
            return Err(e);
        }
        let smallest = std::mem::take(&mut self.smallest);
        let largest = self.largest.to_vec();
        self.check_complete(&smallest, &largest, added, &finished);
        let mut meta = FileMeta::new(self.number, finished.file_size, smallest, largest);
        meta.path_id = self.path_id;
        meta.smallest_seqno = self.smallest_seqno;
        meta.largest_seqno = self.largest_seqno;
        meta.file_creation_time = self.creation_time;
        meta.oldest_ancestor_time = self.oldest_ancestor_time;
        meta.marked_for_compaction = self.watches.iter().any(DeletionWatch::asks);
        let (db_id, session_id) = &self.identity;
        meta.unique_id = crate::base::checksum::unique_id(db_id, session_id, self.number);
        let p = &finished.properties;
        meta.set_stats(FileStats {
            num_entries: p.num_entries,
            num_deletions: p.num_deletions,
            num_range_deletions: p.num_range_deletions,
            raw_key_size: p.raw_key_size,
            raw_value_size: p.raw_value_size,
        });
        let figures = self.announced.succeed(&meta, p);
        Ok((meta, figures))
    }

    /// Asserts that the table's metadata for the MANIFEST is possible, and that the table counts all entries that were
    /// added.
    fn check_complete(&self, smallest: &[u8], largest: &[u8], added: u64, t: &FinishedTable) {
        debug_assert!(added > 0, "expected entries in table #{}, found none", self.number);
        debug_assert_eq!(t.properties.num_entries, added, "the entries of table #{}", self.number);
        debug_assert!(t.file_size > 0, "expected bytes in table #{}, found none", self.number);
        debug_assert!(
            smallest == largest || self.order.compare(smallest, largest).is_le(),
            "table #{}: expected the smallest key first, found '{}' and '{}'",
            self.number,
            smallest.escape_ascii(),
            largest.escape_ascii()
        );
        debug_assert!(
            self.smallest_seqno <= self.largest_seqno,
            "table #{}: expected numbers from {} on, found {}",
            self.number,
            self.smallest_seqno,
            self.largest_seqno
        );
    }

    fn remove(&self) {
        // Nothing refers to the file. If it cannot be removed now, the next open removes it.
        let _ = self.fs.remove_file(&self.path);
    }
}

/// How the files of tables are written.
fn file_options(options: &DbOptions) -> WritableOptions {
    WritableOptions {
        bytes_per_sync: options.bytes_per_sync,
        use_fsync: options.use_fsync,
        no_allocation: !options.allow_fallocate,
        direct: options.use_direct_io_for_flush_and_compaction,
        direct_buffer: options.writable_file_max_buffer_size,
        ..WritableOptions::default()
    }
}

/// Deletes the file of a table that was not finished.
impl Drop for TableOutput {
    fn drop(&mut self) {
        if let Some(builder) = self.builder.take() {
            builder.abandon();
            self.remove();
            self.announced.fail(&Error::new(Code::Aborted, "the table was not completed"));
        }
    }
}
