//! Files to be ingested: their properties, and their place in the tree.
//!
//! Entries of an upper level are newer than those below. So a file descends level by level until a level has keys in
//! the file's range. It stays above that level, and gets a sequence number larger than all existing ones. A file
//! without overlap is placed on the deepest level where it fits between other files. It keeps sequence number 0, unless
//! a snapshot must not see it.

use crate::base::InternalIterator;
use crate::base::checksum::unique_id;
use crate::base::key::{
    ParsedInternalKey, append_internal_key, pack_trailer, sequence, trailer, user_key,
};
use crate::base::{KeyOrder, LookupBuffer, MAX_SEQUENCE_NUMBER, SeqNo, ValueType};
use crate::error::{Code, Error, Result};
use crate::flush::now_seconds;
use crate::fs::{FileSystem, ReadMode};
use crate::hooks::TableFigures;
use crate::options::{ColumnFamilyOptions, IngestExternalFileOptions};
use crate::rangedel::Fragments;
use crate::sst::properties::{EXTERNAL_GLOBAL_SEQNO, EXTERNAL_VERSION, UNKNOWN_COLUMN_FAMILY};
use crate::sst::{
    BlockAccess, ReadaheadOptions, Table, TableIterOptions, TableProperties, TableReadContext,
};
use crate::version::{FileMeta, FileStats, TableCache, Version};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The epoch number of files that were ingested behind all others.
const EPOCH_BEHIND: u64 = 1;

/// How ingested files are read: completely, and once.
pub(super) const READ_ONCE: TableIterOptions = TableIterOptions {
    verify_checksums: true,
    access: BlockAccess { fill_cache: false, memory_only: false, deadline_us: 0 },
    total_order: true,
    within_one_prefix: false,
    readahead: ReadaheadOptions::AUTOMATIC,
    for_compaction: false,
    pin: false,
};

/// The target of an ingestion.
pub(crate) struct Destination<'a> {
    /// The column family's number.
    pub(crate) id: u32,
    /// Its options.
    pub(crate) options: Arc<ColumnFamilyOptions>,
    /// The order of its keys.
    pub(crate) order: &'a KeyOrder,
    /// How tables are read.
    pub(crate) read_mode: ReadMode,
}

impl Destination<'_> {
    /// Opens an external file like one of the database's own tables.
    pub(crate) fn open(
        &self,
        fs: &dyn FileSystem,
        path: &Path,
        number: u64,
        global_seqno: SeqNo,
    ) -> Result<Arc<Table>> {
        let table = self.open_unchecked(fs, path, number, Some(global_seqno))?;
        self.check_comparator(&table, path)?;
        Ok(table)
    }

    /// Opens a table that has its own sequence numbers.
    pub(crate) fn open_as_it_is(
        &self,
        fs: &dyn FileSystem,
        path: &Path,
        number: u64,
    ) -> Result<Arc<Table>> {
        let table = self.open_unchecked(fs, path, number, None)?;
        self.check_comparator(&table, path)?;
        Ok(table)
    }

    /// Reads a table's properties, whatever its key order.
    pub(crate) fn peek(
        &self,
        fs: &dyn FileSystem,
        path: &Path,
        number: u64,
    ) -> Result<TableProperties> {
        Ok(self.open_unchecked(fs, path, number, None)?.properties().clone())
    }

    fn open_unchecked(
        &self,
        fs: &dyn FileSystem,
        path: &Path,
        number: u64,
        global_seqno: Option<SeqNo>,
    ) -> Result<Arc<Table>> {
        let context = TableReadContext {
            order: self.order.clone(),
            factory: self.options.table_factory.clone(),
            prefix_extractor: self.options.prefix_extractor.clone(),
            cache: None,
            mmap: self.read_mode == ReadMode::Mapped,
            file_number: number,
            global_seqno,
            statistics: None,
            memory: None,
            random_reads: false,
            at_last_level: false,
        };
        Table::open(self.read_mode.open(fs, path)?, &context)
    }

    fn check_comparator(&self, table: &Table, path: &Path) -> Result<()> {
        let stored = &table.properties().comparator_name;
        // PlainTables and CuckooTables do not record it.
        if !stored.is_empty() && stored != self.order.name() {
            return Err(Error::invalid_argument(format!(
                "{}: does not match existing comparator {stored}: {}",
                self.order.name(),
                path.display()
            )));
        }
        Ok(())
    }
}

/// A file that was examined and may be ingested.
#[derive(Debug)]
pub(crate) struct ExternalFile {
    /// The original path.
    pub(crate) path: PathBuf,
    /// The number that it will get.
    pub(crate) number: u64,
    size: u64,
    /// The first and the last internal key, as stored in the file.
    smallest: Vec<u8>,
    largest: Vec<u8>,
    properties: TableProperties,
}

impl ExternalFile {
    /// Reads the required properties of the file, and refuses a file that must not be ingested.
    pub(crate) fn examine(
        fs: &dyn FileSystem,
        path: &Path,
        number: u64,
        to: &Destination<'_>,
        options: &IngestExternalFileOptions,
    ) -> Result<ExternalFile> {
        let size = fs.file_size(path)?;
        let table = to.open(fs, path, number, 0)?;
        let properties = table.properties().clone();
        check_version(&properties, options)?;
        if options.verify_checksums_before_ingest {
            table.verify_checksums()?;
        }
        let every_key = !properties.user_collected.contains_key(EXTERNAL_VERSION);
        let boundaries = boundaries(&table, to.order, every_key, check_key)?;
        let made_for = properties.column_family_id;
        if made_for != UNKNOWN_COLUMN_FAMILY
            && made_for != u64::from(to.id)
            && !options.allow_db_generated_files
        {
            return Err(Error::invalid_argument("External file column family id don't match"));
        }
        let Some((smallest, largest)) = boundaries else {
            return Err(Error::invalid_argument("File contain no entries"));
        };
        Ok(ExternalFile { path: path.to_owned(), number, size, smallest, largest, properties })
    }

    /// Returns the first user key.
    pub(crate) fn first_key(&self) -> &[u8] {
        user_key(&self.smallest)
    }

    /// Returns the last user key.
    pub(crate) fn last_key(&self) -> &[u8] {
        user_key(&self.largest)
    }

    /// Returns the figures of its content for listeners.
    pub(crate) fn figures(&self) -> TableFigures {
        crate::flush::figures(&self.properties)
    }

    fn overlaps(&self, other: &ExternalFile, order: &KeyOrder) -> bool {
        self.reaches(other.first_key(), order) && other.reaches(self.first_key(), order)
    }

    /// Returns whether the file ends at or after this key. The end of a range tombstone is exclusive.
    fn reaches(&self, key: &[u8], order: &KeyOrder) -> bool {
        let ends = order.compare_user(self.last_key(), key);
        ends.is_gt() || (ends.is_eq() && sequence(&self.largest) != MAX_SEQUENCE_NUMBER)
    }

    /// Returns whether range tombstones cover a part of the file's range.
    pub(crate) fn is_touched_by(&self, tombstones: &Fragments, order: &KeyOrder) -> bool {
        tombstones.tombstones().any(|tombstone| {
            order.compare_user(tombstone.begin, self.last_key()).is_le()
                && order.compare_user(tombstone.end, self.first_key()).is_gt()
        })
    }

    /// Returns the file's metadata in the database, with this sequence number for all its entries.
    fn file_meta(&self, seqno: SeqNo) -> FileMeta {
        let (smallest, largest) = (at(&self.smallest, seqno), at(&self.largest, seqno));
        let p = &self.properties;
        let only_one_tombstone = p.num_range_deletions == 1 && p.num_entries == 1;
        let now = now_seconds();
        let mut file = FileMeta::new(self.number, self.size, smallest, largest);
        (file.smallest_seqno, file.largest_seqno) = (seqno, seqno);
        (file.oldest_ancestor_time, file.file_creation_time) = (now, now);
        file.unique_id = unique_id(&p.db_id, &p.db_session_id, p.orig_file_number);
        file.marked_for_compaction = only_one_tombstone;
        if p.tail_start_offset != 0 {
            file.tail_size = self.size.saturating_sub(p.tail_start_offset);
        }
        file.set_stats(FileStats::of(p));
        file
    }
}

/// Returns an internal key with another sequence number, unless its number marks the end of a range tombstone.
fn at(key: &[u8], seqno: SeqNo) -> Vec<u8> {
    let mut key = key.to_vec();
    if sequence(&key) == 0 {
        let trailer = (seqno << 8) | (trailer(&key) & 0xff);
        let from = key.len() - crate::base::key::TRAILER_SIZE;
        key[from..].copy_from_slice(&trailer.to_le_bytes());
    }
    key
}

/// Returns the first and the last internal key of a table to be imported, unchanged.
pub(crate) fn table_boundaries(table: &Arc<Table>, order: &KeyOrder) -> Result<(Vec<u8>, Vec<u8>)> {
    let boundaries = boundaries(table, order, false, |_| Ok(()))?;
    boundaries.ok_or_else(|| Error::invalid_argument("File contain no entries"))
}

fn check_version(p: &TableProperties, options: &IngestExternalFileOptions) -> Result<()> {
    match p.user_fixed32(EXTERNAL_VERSION) {
        None if options.allow_db_generated_files => Ok(()),
        None => Err(Error::corruption("External file version not found")),
        Some(2) if p.user_fixed64(EXTERNAL_GLOBAL_SEQNO).is_none() => {
            Err(Error::corruption("External file global sequence number not found"))
        }
        Some(2) => Ok(()),
        Some(1) if options.allow_blocking_flush || options.allow_global_seqno => {
            Err(Error::invalid_argument("External SST file V1 does not support global seqno"))
        }
        Some(1) => Ok(()),
        Some(version) => Err(Error::invalid_argument(format!(
            "External file version {version} is not supported"
        ))),
    }
}

/// Returns the first and the last internal key of a table, after `check` has seen every key and tombstone.
pub(crate) fn key_range_of_all(
    table: &Arc<Table>,
    order: &KeyOrder,
    check: impl Fn(&[u8]) -> Result<()>,
) -> Result<Option<(Vec<u8>, Vec<u8>)>> {
    boundaries(table, order, true, check)
}

type Boundaries = Option<(Vec<u8>, Vec<u8>)>;

/// Returns the first and the last internal key, including the begins and ends of range tombstones, or `None` if the
/// table is empty. Keys that are read are checked; with `every_key`, all keys are read.
fn boundaries(
    table: &Arc<Table>,
    order: &KeyOrder,
    every_key: bool,
    check: impl Fn(&[u8]) -> Result<()>,
) -> Result<Boundaries> {
    let mut found = point_boundaries(table, every_key, &check)?;
    for tombstone in table.range_tombstones().iter().flat_map(|t| t.tombstones()) {
        let (mut begin, mut end) = (Vec::new(), Vec::new());
        append_internal_key(
            &mut begin,
            tombstone.begin,
            pack_trailer(tombstone.seq, ValueType::RangeDeletion),
        );
        check(&begin)?;
        let exclusive = pack_trailer(MAX_SEQUENCE_NUMBER, ValueType::RangeDeletion);
        append_internal_key(&mut end, tombstone.end, exclusive);
        found = Some(match found {
            None => (begin, end),
            Some((smallest, largest)) => (
                if order.compare(&begin, &smallest).is_lt() { begin } else { smallest },
                if order.compare(&end, &largest).is_gt() { end } else { largest },
            ),
        });
    }
    Ok(found)
}

fn point_boundaries(
    table: &Arc<Table>,
    every_key: bool,
    check: &impl Fn(&[u8]) -> Result<()>,
) -> Result<Boundaries> {
    let mut iter = table.iter(&READ_ONCE);
    iter.seek_to_first();
    if !iter.valid() {
        return iter.status().map(|()| None);
    }
    check(iter.key())?;
    let smallest = iter.key().to_vec();
    let mut largest = smallest.clone();
    // The end of a PlainTable can be reached only by reading all of it.
    if !every_key && !matches!(**table, Table::Plain(_)) {
        iter.seek_to_last();
    }
    while iter.valid() {
        check(iter.key())?;
        largest.clear();
        largest.extend_from_slice(iter.key());
        iter.next();
    }
    iter.status()?;
    Ok(Some((smallest, largest)))
}

fn check_key(key: &[u8]) -> Result<()> {
    let key = ParsedInternalKey::parse(key).map_err(|e| {
        Error::corruption(format!("Corrupted key in external file. {}", e.message()))
    })?;
    match key.sequence {
        0 => Ok(()),
        _ if key.value_type == ValueType::RangeDeletion => Err(Error::corruption(
            "External file has a range deletion with non zero sequence number.",
        )),
        _ => Err(Error::corruption("External file has non zero sequence number")),
    }
}

/// The tree of a column family while it cannot change.
pub(crate) struct TargetTree<'a> {
    /// The files.
    pub(crate) version: &'a Version,
    /// Opens the files.
    pub(crate) tables: &'a TableCache,
    /// The first non-empty level below level 0.
    pub(crate) base_level: usize,
    /// The ranges to which running compactions will write.
    pub(crate) running_outputs: &'a [(usize, Vec<u8>, Vec<u8>)],
    /// The largest allocated sequence number.
    pub(crate) last_seqno: SeqNo,
    /// Whether a snapshot exists that must not see the files.
    pub(crate) hide_from_snapshots: bool,
    /// Whether there is only level 0, whose files are dropped by age (FIFO).
    pub(crate) only_level0: bool,
}

/// Returns whether any two files overlap.
fn any_overlap(files: &[ExternalFile], order: &KeyOrder) -> bool {
    let mut sorted: Vec<_> = files.iter().collect();
    sorted.sort_by(|a, b| order.compare_user(a.first_key(), b.first_key()));
    sorted.windows(2).any(|pair| pair[0].overlaps(pair[1], order))
}

/// Checks the files without looking at the database.
pub(crate) fn check_together(
    files: &[ExternalFile],
    order: &KeyOrder,
    options: &IngestExternalFileOptions,
) -> Result<()> {
    if !any_overlap(files, order) {
        return Ok(());
    }
    if options.ingest_behind {
        return Err(Error::not_supported(
            "Files with overlapping ranges cannot be ingested with ingestion behind mode.",
        ));
    }
    if !options.allow_global_seqno {
        return Err(Error::invalid_argument(
            "Global seqno is required, but disabled (because external files key range overlaps).",
        ));
    }
    Ok(())
}

impl TargetTree<'_> {
    /// Returns the level and metadata of each file, in the order of the files. If two files overlap, the later one
    /// takes precedence.
    pub(crate) fn assign(
        &self,
        files: &[ExternalFile],
        options: &IngestExternalFileOptions,
    ) -> Result<Vec<(usize, Arc<FileMeta>)>> {
        if options.ingest_behind {
            return files.iter().map(|file| self.behind(file)).collect();
        }
        let order = self.version.order();
        let overlap = any_overlap(files, order);
        let mut last_seqno = self.last_seqno;
        let mut placed = Vec::with_capacity(files.len());
        // Files of one batch do not overlap. Those of a later batch are placed above all files of an earlier one.
        let mut batch: Vec<&ExternalFile> = Vec::new();
        let mut above = None;
        let mut uppermost = usize::MAX;
        for file in files {
            if overlap && batch.iter().any(|other| other.overlaps(file, order)) {
                batch.clear();
                above = Some(std::mem::replace(&mut uppermost, usize::MAX));
            }
            batch.push(file);
            let newer = overlap || self.hide_from_snapshots || self.only_level0;
            let (level, needs_seqno) = self.deepest(file, above, options)?;
            let seqno = if newer || needs_seqno { last_seqno + 1 } else { 0 };
            self.check_seqno(seqno, options)?;
            last_seqno = last_seqno.max(seqno);
            uppermost = uppermost.min(level);
            placed.push((level, Arc::new(file.file_meta(seqno))));
        }
        Ok(placed)
    }

    fn check_seqno(&self, seqno: SeqNo, options: &IngestExternalFileOptions) -> Result<()> {
        if seqno == 0 {
            return Ok(());
        }
        if options.allow_db_generated_files {
            return Err(Error::invalid_argument(
                "An ingested file overlaps with existing data in the DB and has been assigned a \
                 non-zero sequence number, which is not allowed when 'allow_db_generated_files' is \
                 enabled.",
            ));
        }
        if !options.allow_global_seqno {
            return Err(Error::invalid_argument("Global seqno is required, but disabled"));
        }
        if seqno > MAX_SEQUENCE_NUMBER {
            return Err(Error::corruption("no sequence numbers are left"));
        }
        Ok(())
    }

    /// Returns the deepest possible level for a file, and whether it replaces existing data. With `above`, only levels
    /// above that one are possible.
    fn deepest(
        &self,
        file: &ExternalFile,
        above: Option<usize>,
        options: &IngestExternalFileOptions,
    ) -> Result<(usize, bool)> {
        let levels = self.version.num_levels();
        let (mut target, mut replaces) = (0, above == Some(0));
        let below = if self.only_level0 { 0 } else { above.unwrap_or(levels) };
        for level in 0..below {
            if level > 0 && level < self.base_level {
                continue;
            }
            if self.will_overlap(file, level) || self.has_keys(file, level)? {
                replaces = true;
                break;
            }
            if self.fits(file, level) {
                target = level;
            }
        }
        if options.fail_if_not_bottommost_level && target + 1 < levels {
            return Err(Error::new(
                Code::TryAgain,
                "Files cannot be ingested to Lmax. Please make sure key range of Lmax and ongoing \
                 compaction's output to Lmax does not overlap with files to ingest. Input files \
                 overlapping with each other can cause some file to be assigned to non Lmax level.",
            ));
        }
        Ok((target, replaces))
    }

    /// Places the file below everything, if possible.
    fn behind(&self, file: &ExternalFile) -> Result<(usize, Arc<FileMeta>)> {
        let last = self.version.num_levels() - 1;
        if !self.fits(file, last) || self.will_overlap(file, last) {
            return Err(Error::invalid_argument(
                "Can't ingest_behind file as it doesn't fit at the last level!",
            ));
        }
        let upper = self.version.all_files().filter(|(level, _)| *level < last);
        if upper.into_iter().any(|(_, file)| file.smallest_seqno == 0) {
            return Err(Error::invalid_argument(
                "Can't ingest_behind file as despite cf_allow_ingest_behind=true there are files \
                 with 0 seqno in database at upper levels!",
            ));
        }
        let mut meta = file.file_meta(0);
        meta.epoch_number = EPOCH_BEHIND;
        Ok((last, Arc::new(meta)))
    }

    /// Returns whether a running compaction will write to the file's range on this level.
    fn will_overlap(&self, file: &ExternalFile, level: usize) -> bool {
        let order = self.version.order();
        self.running_outputs.iter().any(|(output, smallest, largest)| {
            *output == level
                && order.compare_user(smallest, file.last_key()).is_le()
                && order.compare_user(largest, file.first_key()).is_ge()
        })
    }

    /// Returns whether the file fits between those of the level, according to their boundaries.
    fn fits(&self, file: &ExternalFile, level: usize) -> bool {
        level == 0 || !self.version.overlaps(level, Some(file.first_key()), Some(file.last_key()))
    }

    /// Returns whether a level has keys in the file's range, not only files that span it.
    fn has_keys(&self, file: &ExternalFile, level: usize) -> Result<bool> {
        let (first, last) = (file.first_key(), file.last_key());
        let order = self.version.order();
        let overlapping = self
            .version
            .files(level)
            .iter()
            .filter(|f| self.version.file_overlaps(f, Some(first), Some(last)));
        for there in overlapping {
            let table = self.tables.find(there)?;
            // A PlainTable cannot seek in every key order.
            if table.range_tombstones().is_some_and(|t| file.is_touched_by(t, order))
                || matches!(*table, Table::Plain(_))
            {
                return Ok(true);
            }
            let mut iter = table.iter(&READ_ONCE);
            iter.seek(LookupBuffer::new(first, MAX_SEQUENCE_NUMBER).internal_key());
            if iter.valid() && order.compare_user(user_key(iter.key()), last).is_le() {
                return Ok(true);
            }
            iter.status()?;
        }
        Ok(false)
    }
}

#[cfg(test)]
#[path = "ingest_test.rs"]
mod tests;
