//! An iterator over the files of a sorted level, which opens each file when it reaches it.

use super::Level;
use crate::base::{InternalIterator, MAX_SEQUENCE_NUMBER};
use crate::error::Result;
use crate::sst::{TableIterOptions, TableIterator};
use crate::version::TableCache;
use std::sync::Arc;

/// Iterates over a sorted level from file to file. Keeps the level, and with it the files, alive.
pub struct LevelIter {
    level: Arc<Level>,
    tables: Arc<TableCache>,
    ro: TableIterOptions,
    /// The file that `iter` reads.
    index: usize,
    iter: Option<TableIterator>,
    /// Iterators of files that were read recently, the newest last. They hold no blocks. They save opening a file
    /// again, which increments a counter on a cache line shared with other threads. With pinned blocks, all files that
    /// were read.
    left: Vec<(usize, TableIterator)>,
}

/// The maximum number of files in `left` if the number of open files is unlimited.
const LEFT_MAX: usize = 8;
/// The file index of a pinned iterator that failed; it is not read again.
const NO_FILE: usize = usize::MAX;

impl LevelIter {
    /// An iterator over a level of disjoint files in key order.
    pub fn new(level: &Arc<Level>, tables: &Arc<TableCache>, ro: &TableIterOptions) -> LevelIter {
        LevelIter {
            level: Arc::clone(level),
            tables: Arc::clone(tables),
            ro: ro.clone(),
            index: 0,
            iter: None,
            left: Vec::new(),
        }
    }

    /// Opens file `index` unless it is open; past the end, no file is open.
    fn open(&mut self, index: usize) -> Option<&mut TableIterator> {
        if self.iter.is_none() || self.index != index {
            self.leave();
            let file = self.level.files().get(index)?;
            let known = self.left.iter().position(|(of, _)| *of == index);
            self.iter = Some(match known {
                Some(at) => self.left.remove(at).1,
                None => self.tables.iter(file, &self.ro),
            });
            self.index = index;
        }
        self.iter.as_mut()
    }

    /// Keeps the open file for later, unless it failed or cannot be reused.
    fn leave(&mut self) {
        let Some(mut iter) = self.iter.take() else { return };
        if self.ro.pin {
            let index = if iter.status().is_ok() { self.index } else { NO_FILE };
            self.left.push((index, iter));
            return;
        }
        if !self.tables.pins_readers() {
            return;
        }
        if iter.status().is_err() || !iter.release() {
            return;
        }
        if self.left.len() == LEFT_MAX {
            self.left.remove(0);
        }
        self.left.push((self.index, iter));
    }

    /// Whether the open file is exhausted without an error, so that its neighbour is next.
    fn ran_out(&self) -> bool {
        self.iter.as_ref().is_some_and(|iter| !iter.valid() && iter.status().is_ok())
    }

    /// Whether a seek ended in a file that extends past its target. Then the file has no key with the requested prefix,
    /// so its last entry is after all keys of the prefix, and later files have none either. This does not hold for a
    /// file that ends with a range tombstone.
    fn is_filtered(&self) -> bool {
        self.ro.within_one_prefix
            && self.ran_out()
            && self.level.files().get(self.index).is_some_and(|file| {
                crate::base::key::sequence(&file.largest) != MAX_SEQUENCE_NUMBER
            })
    }

    fn skip_forward(&mut self) {
        while self.ran_out() {
            let adaptive = self.ro.readahead.adaptive;
            let progress = self.iter.as_ref().filter(|_| adaptive).and_then(|it| it.progress());
            if let Some(iter) = self.open(self.index + 1) {
                if let Some(progress) = progress {
                    iter.continue_from(progress);
                }
                iter.seek_to_first();
            }
        }
    }

    fn skip_backward(&mut self) {
        while self.ran_out() {
            let Some(before) = self.index.checked_sub(1) else {
                self.leave();
                return;
            };
            if let Some(iter) = self.open(before) {
                iter.seek_to_last();
            }
        }
    }
}

impl InternalIterator for LevelIter {
    #[inline]
    fn valid(&self) -> bool {
        self.iter.as_ref().is_some_and(|iter| iter.valid())
    }

    fn seek_to_first(&mut self) {
        if let Some(iter) = self.open(0) {
            iter.seek_to_first();
        }
        self.skip_forward();
    }

    fn seek_to_last(&mut self) {
        if let Some(iter) = self.open(self.level.len().saturating_sub(1)) {
            iter.seek_to_last();
        }
        self.skip_backward();
    }

    fn seek(&mut self, target: &[u8]) {
        let index = self.level.find_file(target);
        if let Some(iter) = self.open(index) {
            iter.seek(target);
        }
        if !self.is_filtered() {
            self.skip_forward();
        }
    }

    fn seek_for_prev(&mut self, target: &[u8]) {
        let index = self.level.find_file(target).min(self.level.len().saturating_sub(1));
        if let Some(iter) = self.open(index) {
            iter.seek_for_prev(target);
        }
        self.skip_backward();
    }

    fn seek_for_prev_within(&mut self, target: &[u8], lower: &[u8]) {
        let mut index = self.level.find_file(target).min(self.level.len().saturating_sub(1));
        loop {
            if let Some(iter) = self.open(index) {
                iter.seek_for_prev_within(target, lower);
            }
            if !self.ran_out() {
                return;
            }
            // The file has nothing that the reader needs. Those before it have nothing either if it begins before
            // `lower`.
            let order = self.level.order();
            let begins_before =
                self.level.files().get(index).is_some_and(|file| {
                    order.compare_user(file.smallest_user_key(), lower).is_lt()
                });
            match index.checked_sub(1) {
                Some(before) if !begins_before => index = before,
                _ => return self.leave(),
            }
        }
    }

    #[inline]
    fn next(&mut self) {
        debug_assert!(self.valid(), "I2");
        if let Some(iter) = &mut self.iter {
            iter.next();
            if !iter.valid() {
                self.skip_forward();
            }
        }
    }

    #[inline]
    fn prev(&mut self) {
        debug_assert!(self.valid(), "I2");
        if let Some(iter) = &mut self.iter {
            iter.prev();
            if !iter.valid() {
                self.skip_backward();
            }
        }
    }

    #[inline]
    fn key(&self) -> &[u8] {
        self.iter.as_ref().map_or(&[], |iter| iter.key())
    }

    #[inline]
    fn value(&self) -> &[u8] {
        self.iter.as_ref().map_or(&[], |iter| iter.value())
    }

    /// Keeps the open file, which the next seek may need.
    fn release(&mut self) -> bool {
        self.iter.as_mut().is_none_or(|iter| iter.release())
    }

    fn status(&self) -> Result<()> {
        self.iter.as_ref().map_or(Ok(()), |iter| iter.status())
    }
}

#[cfg(test)]
#[path = "level_iter_test.rs"]
mod tests;
