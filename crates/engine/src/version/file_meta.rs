//! One table file of the database, and what becomes of its number when nobody needs it any more.
//!
//! A [`FileMeta`] is shared by count between versions, compactions and iterators. What the MANIFEST
//! says of the file never changes after it was shared; what the running engine adds sits behind
//! atomics and once-cells, so everything here is safe from many threads.
//!
//! Invariants:
//! * **F1** Two `FileMeta`s with one number never live in the same [`super::VersionSet`]: a file that
//!   moves to another level keeps its `Arc`.
//! * **F2** A number enters the list of obsolete files once, and only when its file left the current version and
//!   the last `Arc` of it was dropped, or when its file came with a failed edit and is not quarantined any
//!   more (VS3 of `set.rs`). A live file, or one still being read, is never in there.

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

/// The largest number that a file may have: RocksDB keeps the two bits above for the path.
pub const MAX_FILE_NUMBER: u64 = (1 << 62) - 1;

/// Counts from a table's properties, for the picker and for reports.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct FileStats {
    /// Entries of any kind.
    pub num_entries: u64,
    /// Tombstones of any kind among them.
    pub num_deletions: u64,
    /// Range tombstones among those.
    pub num_range_deletions: u64,
    /// Bytes of all internal keys.
    pub raw_key_size: u64,
    /// Bytes of all values.
    pub raw_value_size: u64,
}

impl FileStats {
    /// The counts in these properties.
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
    /// The number in its name.
    pub number: u64,
    /// Which of the column family's data paths it is in.
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
    /// When its oldest data was written, in seconds since 1970; 0 means unknown.
    pub oldest_ancestor_time: u64,
    /// When it was made, in seconds since 1970; 0 means unknown.
    pub file_creation_time: u64,
    /// Age among the files of its column family, larger is newer; 0 means unknown.
    pub epoch_number: u64,
    /// The id that follows from its properties; `None` where it cannot be made.
    pub unique_id: Option<[u8; 16]>,
    /// Checksum of the whole file; empty means none.
    pub file_checksum: Vec<u8>,
    /// What made the checksum; empty means that the MANIFEST says nothing, RocksDB's word for none
    /// is `Unknown`.
    pub file_checksum_func_name: String,
    /// RocksDB's temperature byte; 0 means unknown.
    pub temperature: u8,
    /// The file asked to be compacted.
    pub marked_for_compaction: bool,
    /// The oldest blob file that an entry points to; 0 means none.
    pub oldest_blob_file_number: u64,
    /// A hint for the picker that RocksDB keeps for files with range tombstones.
    pub compensated_range_deletion_size: u64,
    /// Bytes from the first meta block to the end; 0 means unknown.
    pub tail_size: u64,

    stats: OnceLock<FileStats>,
    reader: OnceLock<Arc<Table>>,
    being_compacted: AtomicBool,
    compaction_suggested: AtomicBool,
    /// For statistics of reads.
    at_last_level: AtomicBool,
    /// Last: fields drop in order, so the number is obsolete when everything else is gone.
    on_drop: ObsoleteOnDrop,
}

/// Reports the number as obsolete when it is dropped, if the file is obsolete by then.
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
    /// A file with this key range (internal keys) and nothing else known. Sequence numbers are taken
    /// from the two keys; set them where the file holds others.
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

    /// The file that a builder has just finished, with this key range (internal keys): size, times,
    /// counts and unique id follow from what the builder wrote. Sequence numbers as in
    /// [`FileMeta::new`]; the caller sets those that lie between the two keys.
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

    /// The same file with another epoch number. Only for a file that no version holds yet (F1).
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

    /// Whether it ends before its largest user key, to which only range tombstones reach: they are
    /// the reason that its neighbour may begin with that very key.
    #[inline]
    pub fn largest_is_exclusive(&self) -> bool {
        crate::base::key::sequence(&self.largest) == MAX_SEQUENCE_NUMBER
    }

    /// Whether all its keys come before `user_key`.
    #[inline]
    pub fn ends_before(&self, order: &KeyOrder, user_key: &[u8]) -> bool {
        match order.compare_user(self.largest_user_key(), user_key) {
            cmp::Ordering::Less => true,
            cmp::Ordering::Equal => self.largest_is_exclusive(),
            cmp::Ordering::Greater => false,
        }
    }

    /// Counts of its entries, once it was open.
    pub fn known_stats(&self) -> Option<FileStats> {
        self.stats.get().copied()
    }

    /// Counts of its entries; zeros until they are known.
    pub fn stats(&self) -> FileStats {
        self.stats.get().copied().unwrap_or_default()
    }

    /// Whether the counts are known: the file was opened, or made here.
    pub fn has_stats(&self) -> bool {
        self.stats.get().is_some()
    }

    /// Remembers the counts. The first call wins: they are the same for everybody.
    pub fn set_stats(&self, stats: FileStats) {
        let _ = self.stats.set(stats);
    }

    /// The open reader, where the table cache leaves it open with the file.
    #[inline]
    pub fn pinned_reader(&self) -> Option<&Arc<Table>> {
        self.reader.get()
    }

    /// Keeps a reader open with the file. Returns the one that is kept, which may be an older one.
    pub fn pin_reader(&self, table: Arc<Table>) -> &Arc<Table> {
        self.reader.get_or_init(|| table)
    }

    /// Whether a compaction is working on it.
    pub fn is_being_compacted(&self) -> bool {
        self.being_compacted.load(Ordering::Relaxed)
    }

    /// Says whether a compaction works on it. The picker's lock orders callers.
    pub fn set_being_compacted(&self, yes: bool) {
        self.being_compacted.store(yes, Ordering::Relaxed);
    }

    /// Whether it is, or was made for, the last level: statistics of its reader count reads apart.
    pub fn is_at_last_level(&self) -> bool {
        self.at_last_level.load(Ordering::Relaxed)
    }

    /// Notes whether its level is the last one. A reader that is open keeps what it was opened with.
    pub fn set_at_last_level(&self, yes: bool) {
        self.at_last_level.store(yes, Ordering::Relaxed);
    }

    /// Whether somebody would like it to be compacted; nothing on disk says so.
    pub fn is_compaction_suggested(&self) -> bool {
        self.compaction_suggested.load(Ordering::Relaxed)
    }

    /// Asks for it to be compacted down to the deepest level.
    pub fn suggest_compaction(&self) {
        self.compaction_suggested.store(true, Ordering::Relaxed);
    }

    /// The file, which is in `dir`, left the current version: its number goes to `obsolete_files` with
    /// its last reader.
    pub(super) fn mark_obsolete(&self, obsolete_files: &ObsoleteFiles, dir: &Arc<Path>) {
        let _ = self.on_drop.place.set((obsolete_files.clone(), Arc::clone(dir)));
    }
}

/// Compares what the MANIFEST says of two files, not what the running engine added.
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

/// A table that nobody can read any more.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct ObsoleteTable {
    /// The number in its name.
    pub number: u64,
    /// Where it is.
    pub dir: Arc<Path>,
}

/// Numbers of files that nobody can read any more and that may be deleted. Clones share one list.
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
    /// An empty one.
    pub fn new() -> ObsoleteFiles {
        ObsoleteFiles::default()
    }

    /// Sets what to call after a number came in; later calls change nothing. It runs on whichever
    /// thread dropped the last reader, possibly with locks held: it should only wake somebody.
    pub fn set_notify(&self, notify: impl Fn() + Send + Sync + 'static) {
        let _ = self.inner.notify.set(Box::new(notify));
    }

    /// Takes a table out; each is handed out once.
    pub fn take_one(&self) -> Option<ObsoleteTable> {
        self.inner.tables.lock().pop()
    }

    /// Takes all out.
    #[cfg(test)]
    pub fn take(&self) -> Vec<ObsoleteTable> {
        std::mem::take(&mut *self.inner.tables.lock())
    }

    /// Whether there is nothing to delete.
    pub fn is_empty(&self) -> bool {
        self.inner.tables.lock().is_empty()
    }

    /// Nobody can read this table any more.
    pub(super) fn add(&self, table: ObsoleteTable) {
        self.inner.tables.lock().push(table);
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
