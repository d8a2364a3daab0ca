//! The version builder: applies edits to a version to produce the next one. It checks every rule about files, so every
//! existing version is consistent.
//!
//! Rules; breaking one returns a Corruption error that names the files:
//! * **VB1** A removed file exists on the level that the edit names.
//! * **VB2** An added file does not exist yet on any level.
//! * **VB3** The smallest key of an added file is not after its largest.
//! * **VB4** Level 1 and deeper: files are sorted by internal key and no two files share a key.
//! * **VB5** Level 0, if all files have epoch numbers: newest epoch first; files with overlapping keys do not share an
//!   epoch.
//! * **VB6** Level 0, if some file has no epoch number: newest largest sequence number first, as in RocksDB before
//!   epochs. The ranges must then descend with age: each file's smallest sequence number is below that of its newer
//!   neighbour. An ingested file has a single sequence number, which must be below the neighbour's largest, or 0, which
//!   any number of files may have.

use super::{FileMeta, Level, Version, VersionEdit};
use crate::base::KeyOrder;
use crate::error::{Error, Result};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// Accumulates edits on top of a version.
pub struct VersionBuilder {
    base: Arc<Version>,
    deleted: BTreeSet<(usize, u64)>,
    added: BTreeMap<u64, (usize, Arc<FileMeta>)>,
}

/// The result of [`VersionBuilder::build`].
pub struct BuiltVersion {
    /// The next version.
    pub version: Version,
    /// Files of the base version that the new version does not contain.
    pub removed: Vec<Arc<FileMeta>>,
}

impl VersionBuilder {
    /// Starts from `base`.
    pub fn new(base: Arc<Version>) -> VersionBuilder {
        VersionBuilder { base, deleted: BTreeSet::new(), added: BTreeMap::new() }
    }

    /// Applies an edit: first removed files, then added files, so that one edit can move a file.
    pub fn apply(&mut self, edit: &VersionEdit) -> Result<()> {
        for &(level, number) in &edit.deleted_files {
            self.delete(level, number)?;
        }
        for (level, file) in &edit.new_files {
            self.add(*level, file)?;
        }
        Ok(())
    }

    fn delete(&mut self, level: usize, number: u64) -> Result<()> {
        if self.added.get(&number).is_some_and(|(at, _)| *at == level) {
            self.added.remove(&number);
            return Ok(());
        }
        let there = level < self.base.num_levels()
            && self.base.level(level).file_by_number(number).is_some();
        if !there || !self.deleted.insert((level, number)) {
            return Err(Error::corruption(format!(
                "cannot remove file #{number} from level {level}: the level does not contain it"
            )));
        }
        Ok(())
    }

    fn add(&mut self, level: usize, file: &Arc<FileMeta>) -> Result<()> {
        let number = file.number;
        if level >= self.base.num_levels() {
            return Err(Error::invalid_argument(format!(
                "db has more levels than options.num_levels: num_levels is {}, but file #{number} is on level {level}",
                self.base.num_levels()
            )));
        }
        let mut file = Arc::clone(file);
        let mut taken = self.added.get(&number).map(|(at, _)| *at);
        if let Some((at, known)) = self.base.find(number) {
            if self.deleted.contains(&(at, number)) {
                // A move: the file keeps its only FileMeta (F1).
                file = Arc::clone(known);
            } else {
                taken = Some(at);
            }
        }
        if let Some(at) = taken {
            return Err(Error::corruption(format!(
                "cannot add file #{number} to level {level}: it is already on level {at}"
            )));
        }
        self.added.insert(number, (level, file));
        Ok(())
    }

    /// Checks all rules and returns the new version.
    pub fn build(self) -> Result<BuiltVersion> {
        let order = self.base.order().clone();
        let mut levels = Vec::with_capacity(self.base.num_levels());
        for n in 0..self.base.num_levels() {
            levels.push(if self.touches(n) {
                Arc::new(Level::new(order.clone(), self.merged(n, &order)?))
            } else {
                Arc::clone(self.base.level(n))
            });
        }
        let left = self.deleted.iter().filter(|(_, number)| !self.added.contains_key(number));
        let removed = left.filter_map(|&(level, n)| self.base.level(level).file_by_number(n));
        let removed = removed.cloned().collect();
        Ok(BuiltVersion { version: Version::from_levels(order, levels), removed })
    }

    fn touches(&self, level: usize) -> bool {
        self.deleted.range((level, 0)..=(level, u64::MAX)).next().is_some()
            || self.added.values().any(|(at, _)| *at == level)
    }

    fn keeps(&self, level: usize, file: &FileMeta) -> bool {
        !self.deleted.contains(&(level, file.number))
    }

    fn merged(&self, n: usize, order: &KeyOrder) -> Result<Vec<Arc<FileMeta>>> {
        let kept = self.base.files(n).iter().filter(|f| self.keeps(n, f)).cloned();
        let added = self.added.values().filter(|(level, _)| *level == n);
        let mut files: Vec<_> = kept.chain(added.map(|(_, f)| Arc::clone(f))).collect();
        let is_last = n + 1 == self.base.num_levels();
        for f in &files {
            f.set_at_last_level(is_last);
            // A file with one key needs no call of the comparator, which may be user code.
            if f.smallest != f.largest && order.compare(&f.smallest, &f.largest).is_gt() {
                return Err(Error::corruption(format!("level {n}: keys out of order: {f:?}")));
            }
        }
        if n == 0 {
            sort_level0(order, &mut files)?;
        } else {
            sort_by_key(order, n, &mut files)?;
        }
        Ok(files)
    }
}

fn sort_by_key(order: &KeyOrder, level: usize, files: &mut [Arc<FileMeta>]) -> Result<()> {
    files.sort_by(|a, b| order.compare(&a.smallest, &b.smallest));
    for pair in files.windows(2) {
        if order.compare(&pair[0].largest, &pair[1].smallest).is_ge() {
            return Err(Error::corruption(format!(
                "level {level}: files overlap: {:?} and {:?}",
                pair[0], pair[1]
            )));
        }
    }
    Ok(())
}

/// Sorts files of level 0 newest first and checks VB5 or VB6.
pub(super) fn sort_level0(order: &KeyOrder, files: &mut [Arc<FileMeta>]) -> Result<()> {
    let by_seqno = |f: &Arc<FileMeta>| (f.largest_seqno, f.smallest_seqno, f.number);
    if files.iter().all(|f| f.epoch_number != 0) {
        files.sort_by_key(|f| std::cmp::Reverse((f.epoch_number, by_seqno(f))));
        return check_epochs(order, files);
    }
    files.sort_by_key(|f| std::cmp::Reverse(by_seqno(f)));
    for pair in files.windows(2) {
        let (newer, older) = (&pair[0], &pair[1]);
        let descends = if older.smallest_seqno == older.largest_seqno {
            older.largest_seqno < newer.largest_seqno || older.largest_seqno == 0
        } else {
            older.smallest_seqno < newer.smallest_seqno
        };
        if !descends {
            return Err(Error::corruption(format!(
                "level 0: sequence numbers do not descend with age: {newer:?} and {older:?}"
            )));
        }
    }
    Ok(())
}

fn check_epochs(order: &KeyOrder, files: &[Arc<FileMeta>]) -> Result<()> {
    for run in files.chunk_by(|a, b| a.epoch_number == b.epoch_number) {
        for (i, a) in run.iter().enumerate() {
            for b in &run[i + 1..] {
                let apart = a.ends_before(order, b.smallest_user_key())
                    || b.ends_before(order, a.smallest_user_key());
                if !apart {
                    return Err(Error::corruption(format!(
                        "level 0: files of one epoch overlap: {a:?} and {b:?}"
                    )));
                }
            }
        }
    }
    Ok(())
}

#[cfg(test)]
#[path = "builder_test.rs"]
mod tests;
