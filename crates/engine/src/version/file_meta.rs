//! Metadata of one table file, and the list that its number enters when the file is obsolete.
//!
//! A [`FileMeta`] is reference-counted and shared by versions, compactions and iterators. The fields from the MANIFEST
//! never change after it was shared; the engine keeps its own additions in atomics and once-cells, so everything here
//! may be used from many threads.
//!
//! Invariants:
//! * **F1** Two `FileMeta`s with one number never live in the same [`super::VersionSet`]: a file that moves to another
//!   level keeps its `Arc`.
//! * **F2** A number enters the list of obsolete files once, and only in two cases: its file left the current version
//!   and its last `Arc` was dropped, or its file was part of a failed edit and is no longer quarantined (VS3 of
//!   `set.rs`). A file that is live or still being read is never in the list.

use crate::base::checksum::unique_id;
use crate::base::key::user_key;
use crate::base::{KeyOrder, MAX_SEQUENCE_NUMBER, SeqNo};
use crate::env::lock_rank::{INNERMOST, RankedMutex};
use crate::env::sync::OnceLock;
use crate::env::sync::std_atomic::{AtomicBool, Ordering};
use crate::sst::{FinishedTable, Table, TableProperties};
use std::cmp;
use std::fmt;
use std::path::Path;
use std::sync::Arc;

/// The largest number that a file may have; RocksDB uses the two bits above it for the path.
pub const MAX_FILE_NUMBER: u64 = (1 << 62) - 1;

/// Counts from a table's properties, for compaction picking and for reports.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct FileStats {
    /// The number of entries of any kind.
    pub num_entries: u64,
    /// The number of tombstones of any kind among them.
    pub num_deletions: u64,
    /// The number of range tombstones among those.
    pub num_range_deletions: u64,
    /// The size of all internal keys in bytes.
    pub raw_key_size: u64,
    /// The size of all values in bytes.
    pub raw_value_size: u64,
}

impl FileStats {
    /// Extracts the counts from table properties.
    pub fn of(p: &TableProperties) -> FileStats {
        FileStats {
            num_entries: p.num_entries,
            num_deletions: p.num_deletions,
            num_range_deletions: p.num_range_deletions,
            raw_key_size: p.raw_key_size,
            raw_value_size: p.raw_value_size,
        }
    }
}

/// A table file.
pub struct FileMeta {
    /// The number in its file name.
    pub number: u64,
    /// The index of its directory in the column family's data paths.
    pub path_id: u32,
    /// Its size in bytes.
    pub file_size: u64,
    /// The first internal key. At least eight bytes long.
    pub smallest: Vec<u8>,
    /// The last internal key. At least eight bytes long.
    pub largest: Vec<u8>,
    /// The oldest sequence number in it.
    pub smallest_seqno: SeqNo,
    /// The newest sequence number in it.
    pub largest_seqno: SeqNo,
    /// The time at which its oldest data was written, in seconds since 1970; 0 means unknown.
    pub oldest_ancestor_time: u64,
    /// The time at which it was created, in seconds since 1970; 0 means unknown.
    pub file_creation_time: u64,
    /// Its age among the files of its column family; a larger number is newer, and 0 means unknown.
    pub epoch_number: u64,
    /// The id derived from its properties; `None` if it cannot be derived.
    pub unique_id: Option<[u8; 16]>,
    /// Checksum of the whole file; empty means none.
    pub file_checksum: Vec<u8>,
    /// The name of the checksum function. Empty means that the MANIFEST has no entry; RocksDB
    /// stores `Unknown` for files without a checksum.
    pub file_checksum_func_name: String,
    /// RocksDB's temperature byte; 0 means unknown.
    pub temperature: u8,
    /// Whether the MANIFEST marks the file for compaction.
    pub marked_for_compaction: bool,
    /// The oldest blob file that an entry points to; 0 means none.
    pub oldest_blob_file_number: u64,
    /// A hint for the picker that RocksDB keeps for files with range tombstones.
    pub compensated_range_deletion_size: u64,
    /// The number of bytes from the first meta block to the end; 0 means unknown.
    pub tail_size: u64,

    stats: OnceLock<FileStats>,
    reader: OnceLock<Arc<Table>>,
    being_compacted: AtomicBool,
    compaction_suggested: AtomicBool,
    /// Used by read statistics.
    at_last_level: AtomicBool,
    /// The last field: fields drop in order, so the number becomes obsolete after everything else
    /// is gone.
    on_drop: ObsoleteOnDrop,
}

/// Adds the file's number to the list of obsolete files when it is dropped, if the file is obsolete
/// by then.
struct ObsoleteOnDrop {
    number: u64,
    place: OnceLock<(ObsoleteFiles, Arc<Path>)>,
}

impl ObsoleteOnDrop {
    fn new(number: u64) -> ObsoleteOnDrop {
        ObsoleteOnDrop { number, place: OnceLock::new() }
    }
}

impl Drop for ObsoleteOnDrop {
    fn drop(&mut self) {
        if let Some((obsolete_files, dir)) = self.place.take() {
            obsolete_files.add(ObsoleteTable { number: self.number, dir });
        }
    }
}

impl FileMeta {
    /// A file with this key range (internal keys) and no other metadata. Its sequence numbers are those of the two
    /// keys; set them if the file contains others.
    pub fn new(number: u64, file_size: u64, smallest: Vec<u8>, largest: Vec<u8>) -> FileMeta {
        let (a, b) = (crate::base::key::sequence(&smallest), crate::base::key::sequence(&largest));
        FileMeta {
            number,
            path_id: 0,
            file_size,
            smallest,
            largest,
            smallest_seqno: a.min(b),
            largest_seqno: a.max(b).min(MAX_SEQUENCE_NUMBER),
            oldest_ancestor_time: 0,
            file_creation_time: 0,
            epoch_number: 0,
            unique_id: None,
            file_checksum: Vec::new(),
            file_checksum_func_name: String::new(),
            temperature: 0,
            marked_for_compaction: false,
            oldest_blob_file_number: 0,
            compensated_range_deletion_size: 0,
            tail_size: 0,
            stats: OnceLock::new(),
            reader: OnceLock::new(),
            being_compacted: AtomicBool::new(false),
            compaction_suggested: AtomicBool::new(false),
            at_last_level: AtomicBool::new(false),
            on_drop: ObsoleteOnDrop::new(number),
        }
    }

    /// The file that a builder has just finished, with this key range (internal keys). Size, times,
    /// counts and unique id come from the builder's output. Sequence numbers are set as in
    /// [`FileMeta::new`]; the caller corrects them for keys in between.
    pub fn of_table(
        number: u64,
        t: &FinishedTable,
        smallest: Vec<u8>,
        largest: Vec<u8>,
    ) -> FileMeta {
        let p = &t.properties;
        let file = FileMeta {
            oldest_ancestor_time: p.creation_time,
            file_creation_time: p.file_creation_time,
            unique_id: unique_id(&p.db_id, &p.db_session_id, p.orig_file_number),
            tail_size: match p.tail_start_offset {
                0 => 0,
                start => t.file_size.saturating_sub(start),
            },
            ..FileMeta::new(number, t.file_size, smallest, largest)
        };
        file.set_stats(FileStats::of(p));
        file
    }

    /// A copy of the file with another epoch number. Only for a file that no version contains yet
    /// (F1).
    #[must_use]
    pub(super) fn with_epoch(&self, epoch_number: u64) -> FileMeta {
        FileMeta {
            epoch_number,
            path_id: self.path_id,
            unique_id: self.unique_id,
            smallest_seqno: self.smallest_seqno,
            largest_seqno: self.largest_seqno,
            oldest_ancestor_time: self.oldest_ancestor_time,
            file_creation_time: self.file_creation_time,
            file_checksum: self.file_checksum.clone(),
            file_checksum_func_name: self.file_checksum_func_name.clone(),
            temperature: self.temperature,
            marked_for_compaction: self.marked_for_compaction,
            oldest_blob_file_number: self.oldest_blob_file_number,
            compensated_range_deletion_size: self.compensated_range_deletion_size,
            tail_size: self.tail_size,
            stats: self.stats.clone(),
            reader: self.reader.clone(),
            being_compacted: AtomicBool::new(self.is_being_compacted()),
            at_last_level: AtomicBool::new(self.is_at_last_level()),
            ..FileMeta::new(
                self.number,
                self.file_size,
                self.smallest.clone(),
                self.largest.clone(),
            )
        }
    }

    /// The first user key.
    #[inline]
    pub fn smallest_user_key(&self) -> &[u8] {
        user_key(&self.smallest)
    }

    /// The last user key.
    #[inline]
    pub fn largest_user_key(&self) -> &[u8] {
        user_key(&self.largest)
    }

    /// Whether the file ends before its largest user key and only a range tombstone extends to it.
    /// In that case its neighbour may begin with the same user key.
    #[inline]
    pub fn largest_is_exclusive(&self) -> bool {
        crate::base::key::sequence(&self.largest) == MAX_SEQUENCE_NUMBER
    }

    /// Whether all its keys are before `user_key`.
    #[inline]
    pub fn ends_before(&self, order: &KeyOrder, user_key: &[u8]) -> bool {
        match order.compare_user(self.largest_user_key(), user_key) {
            cmp::Ordering::Less => true,
            cmp::Ordering::Equal => self.largest_is_exclusive(),
            cmp::Ordering::Greater => false,
        }
    }

    /// The counts of its entries, or `None` until they are known.
    pub fn known_stats(&self) -> Option<FileStats> {
        self.stats.get().copied()
    }

    /// The counts of its entries; zeros until they are known.
    pub fn stats(&self) -> FileStats {
        self.stats.get().copied().unwrap_or_default()
    }

    /// Whether the counts are known because the file was opened or written by this process.
    pub fn has_stats(&self) -> bool {
        self.stats.get().is_some()
    }

    /// Stores the counts. Only the first call has an effect; the counts never differ.
    pub fn set_stats(&self, stats: FileStats) {
        let _ = self.stats.set(stats);
    }

    /// The open reader, if the table cache keeps it open with the file.
    #[inline]
    pub fn pinned_reader(&self) -> Option<&Arc<Table>> {
        self.reader.get()
    }

    /// Keeps a reader open with the file. Returns the reader that is kept, which may be an earlier
    /// one.
    pub fn pin_reader(&self, table: Arc<Table>) -> &Arc<Table> {
        self.reader.get_or_init(|| table)
    }

    /// Whether a compaction is working on it.
    pub fn is_being_compacted(&self) -> bool {
        self.being_compacted.load(Ordering::Relaxed)
    }

    /// Sets whether a compaction is working on the file. Callers hold the picker's lock.
    pub fn set_being_compacted(&self, yes: bool) {
        debug_assert_eq!(
            self.is_being_compacted(),
            !yes,
            "file #{} is being compacted",
            self.number
        );
        self.being_compacted.store(yes, Ordering::Relaxed);
    }

    /// Whether the file is on the last level or was created for it. Statistics count reads of such
    /// files separately.
    pub fn is_at_last_level(&self) -> bool {
        self.at_last_level.load(Ordering::Relaxed)
    }

    /// Sets whether the file's level is the last one. A reader that is already open keeps its old value.
    pub fn set_at_last_level(&self, yes: bool) {
        self.at_last_level.store(yes, Ordering::Relaxed);
    }

    /// Whether a compaction of the file was requested; this is not stored on disk.
    pub fn is_compaction_suggested(&self) -> bool {
        self.compaction_suggested.load(Ordering::Relaxed)
    }

    /// Requests a compaction of the file down to the deepest level.
    pub fn suggest_compaction(&self) {
        self.compaction_suggested.store(true, Ordering::Relaxed);
    }

    /// Marks the file, which is in `dir`, as removed from the current version: its number enters `obsolete_files` when
    /// the last reader drops it.
    pub(super) fn mark_obsolete(&self, obsolete_files: &ObsoleteFiles, dir: &Arc<Path>) {
        let _ = self.on_drop.place.set((obsolete_files.clone(), Arc::clone(dir)));
    }
}

/// Compares the MANIFEST's fields of two files, but not the engine's additions.
impl PartialEq for FileMeta {
    fn eq(&self, o: &FileMeta) -> bool {
        self.number == o.number
            && self.path_id == o.path_id
            && self.file_size == o.file_size
            && self.smallest == o.smallest
            && self.largest == o.largest
            && self.smallest_seqno == o.smallest_seqno
            && self.largest_seqno == o.largest_seqno
            && self.oldest_ancestor_time == o.oldest_ancestor_time
            && self.file_creation_time == o.file_creation_time
            && self.epoch_number == o.epoch_number
            && self.unique_id == o.unique_id
            && self.file_checksum == o.file_checksum
            && self.file_checksum_func_name == o.file_checksum_func_name
            && self.temperature == o.temperature
            && self.marked_for_compaction == o.marked_for_compaction
            && self.oldest_blob_file_number == o.oldest_blob_file_number
            && self.compensated_range_deletion_size == o.compensated_range_deletion_size
            && self.tail_size == o.tail_size
    }
}

impl Eq for FileMeta {}

impl fmt::Debug for FileMeta {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "#{} {} bytes [{} .. {}] seq {}..{} epoch {}",
            self.number,
            self.file_size,
            self.smallest_user_key().escape_ascii(),
            self.largest_user_key().escape_ascii(),
            self.smallest_seqno,
            self.largest_seqno,
            self.epoch_number,
        )
    }
}

/// A table without readers, which may be deleted.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct ObsoleteTable {
    /// The number in its file name.
    pub number: u64,
    /// The directory of the file.
    pub dir: Arc<Path>,
}

/// The list of tables that have no readers any more and may be deleted. Clones share one list.
#[derive(Clone, Default)]
pub struct ObsoleteFiles {
    inner: Arc<ObsoleteFilesInner>,
}

#[derive(Default)]
struct ObsoleteFilesInner {
    tables: RankedMutex<Vec<ObsoleteTable>, INNERMOST>,
    notify: OnceLock<Box<dyn Fn() + Send + Sync>>,
}

impl ObsoleteFiles {
    /// An empty list.
    pub fn new() -> ObsoleteFiles {
        ObsoleteFiles::default()
    }

    /// Sets a function that is called after a number was added; later calls have no effect. It runs
    /// on the thread that dropped the last reader, possibly with locks held, so it should only wake
    /// another thread.
    pub fn set_notify(&self, notify: impl Fn() + Send + Sync + 'static) {
        let _ = self.inner.notify.set(Box::new(notify));
    }

    /// Removes and returns one table. Each table is returned once.
    pub fn take_one(&self) -> Option<ObsoleteTable> {
        self.inner.tables.lock().pop()
    }

    /// Removes and returns all tables.
    #[cfg(test)]
    pub fn take(&self) -> Vec<ObsoleteTable> {
        std::mem::take(&mut *self.inner.tables.lock())
    }

    /// Whether there is nothing to delete.
    pub fn is_empty(&self) -> bool {
        self.inner.tables.lock().is_empty()
    }

    /// Adds a table that has no readers any more.
    pub(super) fn add(&self, table: ObsoleteTable) {
        let mut tables = self.inner.tables.lock();
        debug_assert!(!tables.contains(&table), "F2: expected {table:?} once, found it twice");
        tables.push(table);
        drop(tables);
        if let Some(notify) = self.inner.notify.get() {
            notify();
        }
    }
}

impl fmt::Debug for ObsoleteFiles {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "ObsoleteFiles({:?})", *self.inner.tables.lock())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::ValueType;
    use crate::base::key::{append_internal_key, pack_trailer};
    use std::sync::atomic::AtomicUsize;

    fn file(number: u64) -> Arc<FileMeta> {
        let mut key = Vec::new();
        append_internal_key(&mut key, b"k", pack_trailer(7, ValueType::Value));
        Arc::new(FileMeta::new(number, 100, key.clone(), key))
    }

    #[test]
    fn a_number_is_buried_with_its_last_reader() {
        let obsolete_files = ObsoleteFiles::new();
        let calls = Arc::new(AtomicUsize::new(0));
        let counter = calls.clone();
        obsolete_files.set_notify(move || {
            counter.fetch_add(1, Ordering::Relaxed);
        });
        let (live, gone) = (file(1), file(2));
        let reader = gone.clone();
        let dir: Arc<Path> = Path::new("/second").into();
        gone.mark_obsolete(&obsolete_files, &dir);
        gone.mark_obsolete(&obsolete_files, &dir);
        drop(gone);
        assert!(obsolete_files.is_empty(), "a reader still has it");
        drop(reader);
        drop(live);
        let obsolete = [ObsoleteTable { number: 2, dir }];
        assert_eq!(obsolete_files.take(), obsolete, "and the live one was not reported");
        assert!(obsolete_files.is_empty());
        assert_eq!(calls.load(Ordering::Relaxed), 1);
    }

    #[test]
    fn sequence_numbers_start_from_the_boundary_keys() {
        let f = file(9);
        assert_eq!((f.smallest_seqno, f.largest_seqno), (7, 7));
        assert_eq!(f.smallest_user_key(), b"k");
        let g = f.with_epoch(4);
        assert_eq!(g.epoch_number, 4);
        assert_ne!(*f, g);
        assert_eq!(*f, g.with_epoch(0));
    }
}
