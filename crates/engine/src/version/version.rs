//! The version: the set of live files of one column family at one point in time. It is immutable
//! and reference-counted.
//!
//! A level that an edit does not change is shared with the previous version, including its fences
//! and readers. Everything here may be called from many threads.

use super::Source;
use super::level_iter::LevelIter;
use super::{FileMeta, Level};
use crate::base::{KeyOrder, LookupBuffer, LookupKey};
use crate::error::Result;
use crate::iter::GetContext;
use crate::options::ReadOptions;
use crate::rangedel::{Fragments, Run};
use crate::sst::TableIterOptions;
use crate::version::TableCache;
use std::fmt;
use std::sync::Arc;

/// The live files of a column family.
pub struct Version {
    order: KeyOrder,
    levels: Box<[Arc<Level>]>,
    /// The levels that have files, which lookups search.
    populated: Box<[usize]>,
}

impl Version {
    /// A version without files.
    pub fn empty(order: KeyOrder, num_levels: usize) -> Version {
        let none = Arc::new(Level::new(order.clone(), Vec::new()));
        Version::from_levels(order, vec![none; num_levels.max(1)])
    }

    /// A version of these levels, which `builder` has checked.
    pub(super) fn from_levels(order: KeyOrder, levels: Vec<Arc<Level>>) -> Version {
        let populated = (0..levels.len()).filter(|&n| !levels[n].is_empty()).collect();
        Version { order, levels: levels.into(), populated }
    }

    /// The order of keys.
    pub fn order(&self) -> &KeyOrder {
        &self.order
    }

    /// The number of levels, with or without files.
    pub fn num_levels(&self) -> usize {
        self.levels.len()
    }

    /// The level with this number. Panics if it does not exist.
    pub fn level(&self, level: usize) -> &Arc<Level> {
        &self.levels[level]
    }

    /// The files of a level: newest first on level 0, otherwise in key order.
    pub fn files(&self, level: usize) -> &[Arc<FileMeta>] {
        self.levels[level].files()
    }

    /// All files with their levels, starting with level 0.
    pub fn all_files(&self) -> impl Iterator<Item = (usize, &Arc<FileMeta>)> {
        self.levels.iter().enumerate().flat_map(|(n, l)| l.files().iter().map(move |f| (n, f)))
    }

    /// The number of files of a level.
    pub fn num_files(&self, level: usize) -> usize {
        self.levels[level].len()
    }

    /// The number of files.
    pub fn total_files(&self) -> usize {
        self.levels.iter().map(|l| l.len()).sum()
    }

    /// The sum of a level's file sizes in bytes.
    pub fn level_bytes(&self, level: usize) -> u64 {
        self.levels[level].bytes()
    }

    /// The sum of all file sizes in bytes.
    pub fn total_bytes(&self) -> u64 {
        self.levels.iter().fold(0, |sum, l| sum.saturating_add(l.bytes()))
    }

    /// The deepest level that has files.
    pub fn deepest_level(&self) -> Option<usize> {
        self.populated.last().copied()
    }

    /// The levels that have files, newest first.
    #[inline]
    pub fn populated(&self) -> &[usize] {
        &self.populated
    }

    /// The file with this number and its level.
    pub fn find(&self, number: u64) -> Option<(usize, &Arc<FileMeta>)> {
        self.populated
            .iter()
            .find_map(|&n| self.levels[n].file_by_number(number).map(|file| (n, file)))
    }

    /// Looks a key up: passes its visible entries to `ctx`, newest first, until it needs no more.
    /// Returns the level that completed the lookup.
    #[inline]
    pub fn get(
        &self,
        key: &LookupKey,
        ro: &ReadOptions,
        ctx: &mut GetContext<'_>,
        tables: &TableCache,
    ) -> Result<Option<usize>> {
        for &n in &*self.populated {
            let level = &*self.levels[n];
            if n == 0 {
                level.get_overlapping(key, ro, ctx, tables)?;
            } else {
                level.get_sorted(key, ro, ctx, tables)?;
            }
            if ctx.is_done() {
                return Ok(Some(n));
            }
        }
        Ok(None)
    }

    /// Prefetches what a lookup of the key reads first in each file of level 0; otherwise the
    /// lookup would wait for one file after the other. This is only a hint and changes nothing.
    #[inline]
    pub fn prefetch(&self, key: &LookupKey) {
        if self.populated.first() == Some(&0) {
            self.levels[0].open_tables_for(key, |table| table.prefetch(key));
        }
    }

    /// Appends iterators that together cover every entry: one per file of level 0, newest first,
    /// and one per other level. They do not need the version, but the caller must hold it so that
    /// the files do not become obsolete.
    pub fn add_iterators(
        &self,
        ro: &TableIterOptions,
        tables: &Arc<TableCache>,
        out: &mut Vec<Source>,
    ) {
        for &n in &*self.populated {
            if n == 0 {
                let files = self.files(0).iter();
                out.extend(files.map(|file| Source::Table(tables.iter(file, ro))));
            } else {
                out.push(Source::Level(LevelIter::new(&self.levels[n], tables, ro)));
            }
        }
    }

    /// The number of iterators that [`Version::add_iterators`] appends.
    pub fn num_places(&self) -> usize {
        self.populated.iter().map(|&n| if n == 0 { self.levels[0].len() } else { 1 }).sum()
    }

    /// Whether any file has range tombstones. Files that were never open are opened for this.
    pub fn has_range_tombstones(&self, tables: &TableCache) -> bool {
        self.populated.iter().any(|&n| self.levels[n].has_range_tombstones(tables))
    }

    /// Appends the range tombstones of the places for which [`Version::add_iterators`] makes iterators, in the same
    /// order.
    pub fn add_range_tombstones(&self, tables: &TableCache, out: &mut Vec<Vec<Run>>) {
        for &n in &*self.populated {
            let found = self.levels[n].range_tombstones(tables);
            if n == 0 {
                let files = 0..self.levels[0].len();
                let of_file = |i: usize| found.by_file.get(i).and_then(|run| run.clone());
                out.extend(files.map(|i| of_file(i).into_iter().collect()));
            } else {
                out.push(if found.all.is_empty() { Vec::new() } else { vec![found.all] });
            }
        }
    }

    /// The files of a level with keys in `[begin, end]`, both inclusive user keys; `None` is
    /// unbounded. On level 0, a file that extends further widens the range until no further file
    /// overlaps: moving only some files with entries of one key would reorder these entries.
    pub fn overlapping_inputs(
        &self,
        level: usize,
        begin: Option<&[u8]>,
        end: Option<&[u8]>,
    ) -> Vec<Arc<FileMeta>> {
        if level > 0 {
            let level = &self.levels[level];
            return level.files()[level.overlapping_range(begin, end)].to_vec();
        }
        self.overlapping_inputs_of_level0(begin, end)
    }

    fn overlapping_inputs_of_level0<'a>(
        &'a self,
        mut begin: Option<&'a [u8]>,
        mut end: Option<&'a [u8]>,
    ) -> Vec<Arc<FileMeta>> {
        let files = self.files(0);
        let mut taken = vec![false; files.len()];
        loop {
            let mut grew = false;
            for (file, taken) in files.iter().zip(&mut taken) {
                if *taken || !self.file_overlaps(file, begin, end) {
                    continue;
                }
                *taken = true;
                let (smallest, largest) = (file.smallest_user_key(), file.largest_user_key());
                if begin.is_some_and(|b| self.order.compare_user(smallest, b).is_lt()) {
                    (begin, grew) = (Some(smallest), true);
                }
                if end.is_some_and(|e| self.order.compare_user(largest, e).is_gt()) {
                    (end, grew) = (Some(largest), true);
                }
            }
            if !grew {
                break;
            }
        }
        files.iter().zip(taken).filter(|(_, taken)| *taken).map(|(f, _)| Arc::clone(f)).collect()
    }

    /// Whether a file has keys in `[begin, end]`, by its boundaries.
    pub fn file_overlaps(&self, f: &FileMeta, begin: Option<&[u8]>, end: Option<&[u8]>) -> bool {
        let ends_before = |b| f.ends_before(&self.order, b);
        let starts_after = |e| self.order.compare_user(f.smallest_user_key(), e).is_gt();
        !begin.is_some_and(ends_before) && !end.is_some_and(starts_after)
    }

    /// Whether a level has keys in `[begin, end]`, by the boundaries of its files.
    pub fn overlaps(&self, level: usize, begin: Option<&[u8]>, end: Option<&[u8]>) -> bool {
        if level == 0 {
            return self.files(0).iter().any(|f| self.file_overlaps(f, begin, end));
        }
        !self.levels[level].overlapping_range(begin, end).is_empty()
    }

    /// Checks for ascending user keys whether a level deeper than `level` may contain them. A
    /// compaction into `level` uses it before it drops a tombstone.
    pub fn deeper_keys(&self, level: usize) -> DeeperKeys {
        let from = level.saturating_add(1).min(self.levels.len());
        let levels: Vec<_> =
            self.levels[from..].iter().filter(|l| !l.is_empty()).cloned().collect();
        DeeperKeys { next: vec![0; levels.len()], levels }
    }

    /// The approximate size in bytes of the keys of `[begin, end)` in files. Files that are partly inside the range are
    /// searched, unless their total size is less than `margin` times that of the files wholly inside: then half of
    /// their size is a good enough estimate. With a margin of 0 or less they are always searched.
    pub fn approximate_size(
        &self,
        begin: &[u8],
        end: &[u8],
        margin: f64,
        tables: &TableCache,
    ) -> Result<u64> {
        if self.order.compare_user(begin, end).is_ge() {
            return Ok(0);
        }
        let mut whole = 0u64;
        let mut partly = Vec::new();
        for (_, file) in self.all_files() {
            if !self.file_overlaps(file, Some(begin), Some(end)) {
                continue;
            }
            let starts_inside = self.order.compare_user(file.smallest_user_key(), begin).is_ge();
            let ends_inside = self.order.compare_user(file.largest_user_key(), end).is_lt();
            if starts_inside && ends_inside {
                whole = whole.saturating_add(file.file_size);
            } else {
                partly.push((file, starts_inside, ends_inside));
            }
        }
        let rest = partly.iter().fold(0u64, |sum, (f, ..)| sum.saturating_add(f.file_size));
        if margin > 0.0 && (rest as f64) < whole as f64 * margin {
            return Ok(whole.saturating_add(rest / 2));
        }
        for (file, starts_inside, ends_inside) in partly {
            let begin = (!starts_inside).then_some(begin);
            let bytes = bytes_of_file(file, begin, (!ends_inside).then_some(end), tables)?;
            whole = whole.saturating_add(bytes);
        }
        Ok(whole)
    }

    /// The approximate number of bytes in files on `level` and deeper that tombstones cover and compactions can free.
    /// This is a hint: ranges after the first thousand and files that cannot be opened are not counted.
    pub fn bytes_under(&self, level: usize, tombstones: &Fragments, tables: &TableCache) -> u64 {
        let mut sum = 0u64;
        for (begin, end) in tombstones.ranges().into_iter().take(1000) {
            for &n in self.populated.iter().filter(|n| **n >= level) {
                let files = match n {
                    0 => 0..self.levels[0].len(),
                    _ => self.levels[n].overlapping_range(Some(begin), Some(end)),
                };
                for file in &self.files(n)[files] {
                    if !self.file_overlaps(file, Some(begin), Some(end)) {
                        continue;
                    }
                    let is_before = |key| self.order.compare_user(file.smallest_user_key(), key);
                    let begin = Some(begin).filter(|begin| is_before(begin).is_lt());
                    let end = Some(end).filter(|end| !file.ends_before(&self.order, end));
                    let bytes = bytes_of_file(file, begin, end, tables).unwrap_or(0);
                    sum = sum.saturating_add(bytes);
                }
            }
        }
        sum
    }
}

/// The approximate number of bytes of a file's keys in `[begin, end)`; `None` is unbounded.
fn bytes_of_file(
    file: &FileMeta,
    begin: Option<&[u8]>,
    end: Option<&[u8]>,
    tables: &TableCache,
) -> Result<u64> {
    let offset = |user_key: &[u8]| -> Result<u64> {
        let target = LookupBuffer::new(user_key, crate::base::MAX_SEQUENCE_NUMBER);
        let target = target.key();
        tables.find(file)?.approximate_offset_of(target.internal_key())
    };
    let from = begin.map_or(Ok(0), offset)?;
    let to = end.map_or(Ok(file.file_size), offset)?;
    Ok(to.saturating_sub(from))
}

/// See [`Version::deeper_keys`].
pub struct DeeperKeys {
    levels: Vec<Arc<Level>>,
    /// Per level, the index of the first file that does not end before the last requested key.
    next: Vec<usize>,
}

impl DeeperKeys {
    /// Whether a deeper level may contain `user_key`. Keys must not descend from call to call.
    pub fn may_contain(&mut self, user_key: &[u8]) -> bool {
        self.levels.iter().zip(&mut self.next).any(|(level, next)| {
            let (order, files) = (level.order(), level.files());
            while let Some(file) = files.get(*next) {
                if !file.ends_before(order, user_key) {
                    return order.compare_user(user_key, file.smallest_user_key()).is_ge();
                }
                *next += 1;
            }
            false
        })
    }
}

impl fmt::Debug for Version {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut map = f.debug_map();
        for &n in &*self.populated {
            map.entry(&n, &self.levels[n]);
        }
        map.finish()
    }
}

#[cfg(test)]
#[path = "version_test.rs"]
mod tests;
