//! The immutable list of one level's files, laid out for lookups.
//!
//! A point lookup should not follow a pointer for each file that it skips. So a level has flat
//! arrays beside the files: for each boundary user key, the eight bytes after the prefix that all
//! boundaries of the level share, as a big-endian number. If two numbers differ, their keys compare
//! the same way; only ties compare keys. Comparators other than the bytewise one have no arrays and
//! always compare keys.
//!
//! On level 0 files may overlap and are ordered newest first. On other levels they are sorted by
//! key and disjoint. `builder` checks both before it creates a level.

use super::FileMeta;
use crate::base::short::{self, first_eight};
use crate::base::{KeyOrder, LookupKey};
use crate::env::sync::OnceLock;
use crate::error::Result;
use crate::iter::GetContext;
use crate::options::ReadOptions;
use crate::rangedel::{Fragments, Run};
use crate::sst::{Staged, Table};
use crate::version::TableCache;
use std::cmp::Ordering;
use std::ops::Range;
use std::sync::Arc;

/// The files of a level.
pub struct Level {
    order: KeyOrder,
    files: Box<[Arc<FileMeta>]>,
    /// The numbers of `files`, so that a search by number stays in one array.
    numbers: Box<[u64]>,
    fences: Option<Fences>,
    /// Open readers, in an array like the fences; cells stay empty if the table cache decides which
    /// files stay open.
    readers: Box<[OnceLock<Arc<Table>>]>,
    bytes: u64,
    /// See [`Level::range_tombstones`].
    range_tombstones: OnceLock<LevelTombstones>,
}

/// The range tombstones of a level.
#[derive(Clone, Default)]
pub struct LevelTombstones {
    /// The tombstones of each file; empty if no file has any.
    pub by_file: Arc<[Option<Run>]>,
    /// For a sorted level, all tombstones together.
    pub all: Run,
}

struct Fences {
    common: Box<[u8]>,
    smallest: Box<[u64]>,
    largest: Box<[u64]>,
}

/// The position of a user key relative to the fences.
#[derive(Clone, Copy)]
enum Probe {
    /// Sorts before every boundary.
    Before,
    /// Sorts after every boundary.
    After,
    /// Shares the common prefix; the number is its next eight bytes.
    Head(u64),
    /// There are no fences: compare keys.
    Keys,
}

impl Fences {
    fn new(files: &[Arc<FileMeta>]) -> Fences {
        let boundaries =
            || files.iter().flat_map(|f| [f.smallest_user_key(), f.largest_user_key()]);
        let common = boundaries().reduce(common_prefix).unwrap_or_default();
        let head_of = |key: &[u8]| first_eight(&key[common.len()..]);
        Fences {
            common: common.into(),
            smallest: files.iter().map(|f| head_of(f.smallest_user_key())).collect(),
            largest: files.iter().map(|f| head_of(f.largest_user_key())).collect(),
        }
    }

    #[inline]
    fn probe(&self, user_key: &[u8]) -> Probe {
        let common = &*self.common;
        match user_key.get(..common.len()) {
            Some(front) => match front.cmp(common) {
                Ordering::Less => Probe::Before,
                Ordering::Equal => Probe::Head(first_eight(&user_key[common.len()..])),
                Ordering::Greater => Probe::After,
            },
            // The key is shorter than the common prefix: a proper prefix of it sorts before, any
            // other key as it compares.
            None if user_key < common => Probe::Before,
            None => Probe::After,
        }
    }
}

fn reader_cell(file: &FileMeta) -> OnceLock<Arc<Table>> {
    file.pinned_reader().map_or_else(OnceLock::new, |table| Arc::clone(table).into())
}

fn common_prefix<'a>(a: &'a [u8], b: &'a [u8]) -> &'a [u8] {
    &a[..short::common_prefix(a, b)]
}

impl Level {
    /// A level of these files, which must be in the level's order.
    pub fn new(order: KeyOrder, files: Vec<Arc<FileMeta>>) -> Level {
        Level {
            fences: order.is_bytewise().then(|| Fences::new(&files)),
            numbers: files.iter().map(|f| f.number).collect(),
            readers: files.iter().map(|f| reader_cell(f)).collect(),
            bytes: files.iter().fold(0, |sum, f| sum.saturating_add(f.file_size)),
            range_tombstones: OnceLock::new(),
            files: files.into(),
            order,
        }
    }

    /// The files: newest first on level 0, otherwise in key order.
    #[inline]
    pub fn files(&self) -> &[Arc<FileMeta>] {
        &self.files
    }

    /// The number of files.
    #[inline]
    pub fn len(&self) -> usize {
        self.files.len()
    }

    /// Whether the level has no files.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.files.is_empty()
    }

    /// The sum of all file sizes in bytes.
    pub fn bytes(&self) -> u64 {
        self.bytes
    }

    /// The order of keys.
    pub fn order(&self) -> &KeyOrder {
        &self.order
    }

    /// The file with this number.
    pub fn file_by_number(&self, number: u64) -> Option<&Arc<FileMeta>> {
        let i = self.numbers.iter().position(|&n| n == number)?;
        Some(&self.files[i])
    }

    /// On a sorted level, the index of the first file whose largest key is at or after this
    /// internal key.
    pub fn find_file(&self, internal_key: &[u8]) -> usize {
        let user_key = crate::base::key::user_key(internal_key);
        self.find_file_probed(self.probe(user_key), internal_key)
    }

    fn find_file_probed(&self, probe: Probe, internal_key: &[u8]) -> usize {
        let ties = match (probe, &self.fences) {
            (Probe::Before, _) => return 0,
            (Probe::After, _) => return self.files.len(),
            (Probe::Head(t), Some(fences)) => {
                let from = fences.largest.partition_point(|&largest| largest < t);
                let more = fences.largest[from..].iter().take_while(|&&l| l == t).count();
                from..from + more
            }
            _ => 0..self.files.len(),
        };
        let before = |f: &Arc<FileMeta>| self.order.compare(&f.largest, internal_key).is_lt();
        ties.start + self.files[ties.clone()].partition_point(before)
    }

    /// On a sorted level, the files that contain keys of `[begin, end]`, both inclusive user keys.
    pub fn overlapping_range(&self, begin: Option<&[u8]>, end: Option<&[u8]>) -> Range<usize> {
        let start =
            begin.map_or(0, |b| self.files.partition_point(|f| f.ends_before(&self.order, b)));
        let stop = end.map_or(self.files.len(), |e| {
            self.files
                .partition_point(|f| self.order.compare_user(f.smallest_user_key(), e).is_le())
        });
        start..stop.max(start).max(start)
    }

    /// The range tombstones of each file, or an empty list if no file has any. They are collected once per level, and
    /// files that were never open are opened for this. A file that cannot be opened counts as having none for now,
    /// since a reader of its range gets the error.
    pub fn range_tombstones(&self, tables: &TableCache) -> LevelTombstones {
        if let Some(known) = self.range_tombstones.get() {
            return known.clone();
        }
        let mut all_open = true;
        let mut by_file: Vec<Option<Arc<Fragments>>> = Vec::with_capacity(self.files.len());
        for file in &self.files {
            let none = file.known_stats().is_some_and(|stats| stats.num_range_deletions == 0);
            let table = if none { None } else { tables.find(file).ok() };
            all_open &= none || table.is_some();
            by_file.push(table.and_then(|table| table.range_tombstones().cloned()));
        }
        let mut found = LevelTombstones::default();
        if by_file.iter().any(Option::is_some) {
            found.all = Run::new(by_file.iter().flatten().cloned());
            found.by_file = by_file.into_iter().map(|file| file.map(|f| Run::new([f]))).collect();
        }
        if all_open {
            let _ = self.range_tombstones.set(found.clone());
        }
        found
    }

    /// Whether any file has range tombstones.
    pub fn has_range_tombstones(&self, tables: &TableCache) -> bool {
        match self.range_tombstones.get() {
            Some(known) => !known.all.is_empty(),
            None => !self.range_tombstones(tables).all.is_empty(),
        }
    }

    /// Calls `visit` with the open tables of the level that may contain the key.
    pub(super) fn open_tables_for<'a>(&'a self, key: &LookupKey, mut visit: impl FnMut(&'a Table)) {
        let user_key = key.user_key();
        let probe = self.probe(user_key);
        for i in 0..self.files.len() {
            if !self.is_below(i, probe, user_key)
                && !self.is_above(i, probe, user_key)
                && let Some(table) = self.readers[i].get()
            {
                visit(table);
            }
        }
    }

    /// Begins lookups in the files that may contain the key, newest first. Begins none if
    /// [`Level::get_in`] or, if files do not overlap, [`Level::get_sorted`] must be called instead.
    #[inline]
    pub fn stage<'a>(
        &'a self,
        key: &'a LookupKey<'a>,
        overlapping: bool,
        mut begin: impl FnMut(usize, Option<Staged<'a>>),
    ) {
        let user_key = key.user_key();
        let probe = self.probe(user_key);
        let begun = |i: usize| self.readers[i].get().and_then(|table| table.stage(key));
        if overlapping {
            for i in 0..self.files.len() {
                if !self.is_below(i, probe, user_key) && !self.is_above(i, probe, user_key) {
                    begin(i, begun(i));
                }
            }
            return;
        }
        if let Some(i) = self.file_around(probe) {
            begin(i, begun(i));
            return;
        }
        let i = self.find_file_probed(probe, key.internal_key());
        if i < self.files.len() && !self.is_below(i, probe, user_key) {
            let goes_on = self.is_largest(i, probe, user_key);
            begin(i, if goes_on { None } else { begun(i) });
        }
    }

    /// Looks a key up in overlapping files: searches each file that may contain it, newest first.
    #[inline]
    pub(super) fn get_overlapping(
        &self,
        key: &LookupKey,
        ro: &ReadOptions,
        ctx: &mut GetContext<'_>,
        tables: &TableCache,
    ) -> Result<()> {
        let user_key = key.user_key();
        let probe = self.probe(user_key);
        for i in 0..self.files.len() {
            if !self.is_below(i, probe, user_key) && !self.is_above(i, probe, user_key) {
                self.get_in(i, key, ro, ctx, tables)?;
                if ctx.is_done() {
                    break;
                }
            }
        }
        Ok(())
    }

    /// Looks a key up on a sorted level. Old RocksDB releases could split the entries of one user
    /// key between neighbours, so if a file ends with the key, the search continues in the next
    /// file.
    #[inline]
    pub fn get_sorted(
        &self,
        key: &LookupKey,
        ro: &ReadOptions,
        ctx: &mut GetContext<'_>,
        tables: &TableCache,
    ) -> Result<()> {
        let user_key = key.user_key();
        let probe = self.probe(user_key);
        if let Some(i) = self.file_around(probe) {
            return self.get_in(i, key, ro, ctx, tables);
        }
        let first = self.find_file_probed(probe, key.internal_key());
        for i in first..self.files.len() {
            if self.is_below(i, probe, user_key) {
                break;
            }
            self.get_in(i, key, ro, ctx, tables)?;
            if ctx.is_done() || !self.is_largest(i, probe, user_key) {
                break;
            }
        }
        Ok(())
    }

    /// Looks a key up in one file.
    #[inline]
    pub fn get_in(
        &self,
        i: usize,
        key: &LookupKey,
        ro: &ReadOptions,
        ctx: &mut GetContext<'_>,
        tables: &TableCache,
    ) -> Result<()> {
        if let Some(table) = self.readers[i].get() {
            return table.get(key, ro, ctx);
        }
        let table = tables.find(&self.files[i])?;
        if tables.pins_readers() {
            let _ = self.readers[i].set(Arc::clone(&table));
        }
        table.get(key, ro, ctx)
    }

    #[inline]
    fn probe(&self, user_key: &[u8]) -> Probe {
        self.fences.as_ref().map_or(Probe::Keys, |f| f.probe(user_key))
    }

    /// On a sorted level, the file whose boundaries enclose a key for certain, so that no key comparison is needed and
    /// no other file can contain the key.
    #[inline]
    fn file_around(&self, probe: Probe) -> Option<usize> {
        let (Probe::Head(t), Some(fences)) = (probe, &self.fences) else { return None };
        let i = fences.largest.partition_point(|&largest| largest < t);
        (t < *fences.largest.get(i)? && *fences.smallest.get(i)? < t).then_some(i)
    }

    /// Whether the key sorts before file `i`.
    #[inline]
    fn is_below(&self, i: usize, probe: Probe, user_key: &[u8]) -> bool {
        let smallest = |f: &Fences| f.smallest[i];
        self.compare_boundary(probe, smallest, user_key, || self.files[i].smallest_user_key())
            == Ordering::Less
    }

    /// Whether the key sorts after file `i`.
    #[inline]
    fn is_above(&self, i: usize, probe: Probe, user_key: &[u8]) -> bool {
        let largest = |f: &Fences| f.largest[i];
        self.compare_boundary(probe, largest, user_key, || self.files[i].largest_user_key())
            == Ordering::Greater
    }

    /// Whether the key is the last one of file `i`.
    #[inline]
    fn is_largest(&self, i: usize, probe: Probe, user_key: &[u8]) -> bool {
        let largest = |f: &Fences| f.largest[i];
        self.compare_boundary(probe, largest, user_key, || self.files[i].largest_user_key())
            == Ordering::Equal
    }

    /// The order of `user_key` and a boundary: by the fence, or by the keys if the fences are
    /// equal.
    #[inline]
    fn compare_boundary<'k>(
        &self,
        probe: Probe,
        fence: impl FnOnce(&Fences) -> u64,
        user_key: &[u8],
        key: impl FnOnce() -> &'k [u8],
    ) -> Ordering {
        match (probe, &self.fences) {
            (Probe::Before, _) => Ordering::Less,
            (Probe::After, _) => Ordering::Greater,
            (Probe::Head(t), Some(fences)) => {
                t.cmp(&fence(fences)).then_with(|| user_key.cmp(key()))
            }
            _ => self.order.compare_user(user_key, key()),
        }
    }
}

impl std::fmt::Debug for Level {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_list().entries(&*self.files).finish()
    }
}

#[cfg(test)]
#[path = "level_test.rs"]
mod tests;
