//! The order of files in their levels, by metadata alone.

use crate::base::KeyOrder;
use crate::error::{Error, Result};
use crate::version::{FileMeta, Version};
use std::collections::BTreeMap;
use std::sync::Arc;

impl Version {
    /// Checks that no file is there twice, that level 0 goes by age, and that the files of deeper levels are sorted
    /// and do not overlap. Reads no file.
    pub(crate) fn check_structure(&self) -> Result<()> {
        let mut level_of = BTreeMap::new();
        for (level, file) in self.all_files() {
            if let Some(other) = level_of.insert(file.number, level) {
                return Err(Error::corruption(format!(
                    "file #{}: expected on one level, found on levels {other} and {level}",
                    file.number
                )));
            }
            if file.smallest != file.largest
                && self.order().compare(&file.smallest, &file.largest).is_gt()
            {
                return Err(Error::corruption(format!(
                    "level {level}: expected the smallest key before the largest, found {file:?}"
                )));
            }
        }
        check_populated(self)?;
        check_level0(self.order(), self.files(0))?;
        (1..self.num_levels()).try_for_each(|n| check_sorted(self.order(), n, self.files(n)))
    }
}

fn check_populated(version: &Version) -> Result<()> {
    let with_files: Vec<usize> =
        (0..version.num_levels()).filter(|&n| version.num_files(n) > 0).collect();
    if version.populated() == with_files {
        return Ok(());
    }
    Err(Error::corruption(format!(
        "levels with files: expected {with_files:?}, found {:?} in the list for lookups",
        version.populated()
    )))
}

/// Newest first: by epoch, or by sequence number where some file has no epoch.
fn check_level0(order: &KeyOrder, files: &[Arc<FileMeta>]) -> Result<()> {
    let by_epoch = files.iter().all(|file| file.epoch_number != 0);
    for pair in files.windows(2) {
        let (newer, older) = (&pair[0], &pair[1]);
        let descends = match by_epoch {
            true => newer.epoch_number >= older.epoch_number,
            false => newer.largest_seqno >= older.largest_seqno,
        };
        if !descends {
            return Err(Error::corruption(format!(
                "level 0: expected the newest file first, found {newer:?} before {older:?}"
            )));
        }
    }
    for run in files.chunk_by(|a, b| by_epoch && a.epoch_number == b.epoch_number) {
        for (i, a) in run.iter().enumerate() {
            let overlapping = |b: &&Arc<FileMeta>| {
                !a.ends_before(order, b.smallest_user_key())
                    && !b.ends_before(order, a.smallest_user_key())
            };
            if let Some(b) = run[i + 1..].iter().find(overlapping) {
                return Err(Error::corruption(format!(
                    "level 0: expected files of one epoch apart, found {a:?} and {b:?}"
                )));
            }
        }
    }
    Ok(())
}

fn check_sorted(order: &KeyOrder, level: usize, files: &[Arc<FileMeta>]) -> Result<()> {
    match files.windows(2).find(|pair| order.compare(&pair[0].largest, &pair[1].smallest).is_ge()) {
        None => Ok(()),
        Some(pair) => Err(Error::corruption(format!(
            "level {level}: expected sorted files that do not overlap, found {:?} before {:?}",
            pair[0], pair[1]
        ))),
    }
}
