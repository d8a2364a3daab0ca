//! Key ranges at the level of files: approximate sizes, and deletion of whole files.

use crate::base::InternalIterator;
use crate::base::LookupBuffer;
use crate::base::MAX_SEQUENCE_NUMBER;
use crate::base::key::user_key;
use crate::db::{ColumnFamily, Db};
use crate::env::epoch;
use crate::error::{Error, Result};
use crate::memtable::MemTable;
use crate::open::Core;
use crate::options::SizeApproximationOptions;
use crate::session::ColumnFamilyData;
use crate::session::dropped;
use crate::version::{FileMeta, Version, VersionEdit};
use std::sync::Arc;

/// A range of user keys; `None` means unbounded.
pub type KeyRange<'a> = (Option<&'a [u8]>, Option<&'a [u8]>);

impl Db {
    /// Returns the approximate number of bytes for the keys of each range `[begin, end)`.
    pub fn approximate_sizes(
        &self,
        options: &SizeApproximationOptions,
        cf: &ColumnFamily,
        ranges: &[(&[u8], &[u8])],
    ) -> Result<Vec<u64>> {
        self.core().approximate_sizes(options, &cf.data, ranges)
    }

    /// Returns the number of memtable entries in `[begin, end)`, and approximately how many bytes these take.
    pub fn approximate_memtable_stats(
        &self,
        cf: &ColumnFamily,
        begin: &[u8],
        end: &[u8],
    ) -> Result<(u64, u64)> {
        self.core().memtable_stats(&cf.data, begin, end)
    }

    /// Drops every table below level 0 whose keys are all in one of the ranges, without reading or writing it. Some
    /// keys of the range may be left, and older versions of dropped keys may reappear if deeper levels have them.
    pub fn delete_files_in_ranges(
        &self,
        cf: &ColumnFamily,
        ranges: &[KeyRange<'_>],
        include_end: bool,
    ) -> Result<()> {
        self.core().delete_files_in_ranges(&cf.data, ranges, include_end)
    }

    /// Does the same as [`Db::delete_files_in_ranges`] for one range, including its end.
    pub fn delete_files_in_range(
        &self,
        cf: &ColumnFamily,
        begin: Option<&[u8]>,
        end: Option<&[u8]>,
    ) -> Result<()> {
        self.delete_files_in_ranges(cf, &[(begin, end)], true)
    }
}

impl Core {
    fn approximate_sizes(
        &self,
        options: &SizeApproximationOptions,
        family: &ColumnFamilyData,
        ranges: &[(&[u8], &[u8])],
    ) -> Result<Vec<u64>> {
        if !options.include_memtables && !options.include_files {
            return Err(Error::invalid_argument("Invalid options"));
        }
        let sv = family.hold_super_version().ok_or_else(Error::closed)?;
        let size = |&(begin, end): &(&[u8], &[u8])| {
            let mut size = 0;
            if options.include_files {
                let margin = options.files_size_error_margin;
                size += sv.version.approximate_size(begin, end, margin, &family.tables)?;
            }
            if options.include_memtables {
                let memtables = sv.memtables();
                size += memtables.map(|mem| entries_in(family, mem, begin, end).1).sum::<u64>();
            }
            Ok(size)
        };
        ranges.iter().map(size).collect()
    }

    fn memtable_stats(
        &self,
        family: &ColumnFamilyData,
        begin: &[u8],
        end: &[u8],
    ) -> Result<(u64, u64)> {
        let sv = family.hold_super_version().ok_or_else(Error::closed)?;
        Ok(sv.memtables().map(|mem| entries_in(family, mem, begin, end)).fold(
            (0, 0),
            |(entries, bytes), (more_entries, more_bytes)| {
                (entries + more_entries, bytes + more_bytes)
            },
        ))
    }

    fn delete_files_in_ranges(
        &self,
        family: &Arc<ColumnFamilyData>,
        ranges: &[KeyRange<'_>],
        include_end: bool,
    ) -> Result<()> {
        self.session.health.check_writable()?;
        let claimed = self.claim_files(family, ranges, include_end)?;
        if claimed.is_empty() {
            return Ok(());
        }
        let mut edit = VersionEdit::for_column_family(family.id);
        claimed.iter().for_each(|(level, file)| edit.delete_file(*level, file.number));
        let installed = self.catalog.install(vec![edit], |_| family.change_content());
        let state = self.catalog.state();
        claimed.iter().for_each(|(_, file)| file.set_being_compacted(false));
        drop(state);
        if installed.is_ok() {
            self.session.info_log.info(format_args!(
                "[{}] Deleted {} files that lie in ranges",
                family.name,
                claimed.len()
            ));
        }
        drop(claimed);
        epoch::synchronize();
        self.files.purge_tables();
        installed
    }

    /// Returns the files in the ranges, and marks them so that no compaction takes them.
    fn claim_files(
        &self,
        family: &ColumnFamilyData,
        ranges: &[KeyRange<'_>],
        include_end: bool,
    ) -> Result<Vec<(usize, Arc<FileMeta>)>> {
        let state = self.catalog.state();
        self.session.health.check_open()?;
        let cf = state.families.get(&family.id).ok_or_else(|| dropped(&family.name))?;
        let mut claimed = Vec::new();
        for range in ranges {
            for level in 1..cf.current.num_levels() {
                for file in files_within(&cf.current, level, *range, include_end) {
                    if !file.is_being_compacted() {
                        file.set_being_compacted(true);
                        claimed.push((level, Arc::clone(file)));
                    }
                }
            }
        }
        Ok(claimed)
    }
}

/// Returns the number of a memtable's entries in `[begin, end)`, and their share of its bytes. The entries are counted,
/// not estimated.
fn entries_in(
    family: &ColumnFamilyData,
    mem: &Arc<MemTable>,
    begin: &[u8],
    end: &[u8],
) -> (u64, u64) {
    let all = mem.num_entries();
    if all == 0 || family.order.compare_user(begin, end).is_ge() {
        return (0, 0);
    }
    let mut iter = mem.iter(true);
    iter.seek(LookupBuffer::new(begin, MAX_SEQUENCE_NUMBER).internal_key());
    let mut count = 0;
    while iter.valid() && family.order.compare_user(user_key(iter.key()), end).is_lt() {
        count += 1;
        iter.next();
    }
    (count, count * (mem.raw_data_size() / all))
}

/// Returns the files of a sorted level whose keys are all in a range. No user key may be split between a returned file
/// and a neighbour that stays.
fn files_within<'a>(
    version: &'a Version,
    level: usize,
    (begin, end): KeyRange<'_>,
    include_end: bool,
) -> &'a [Arc<FileMeta>] {
    let (order, files) = (version.order(), version.files(level));
    let mut range = version.level(level).overlapping_range(begin, end);
    let starts_before = |file: &FileMeta| {
        begin.is_some_and(|b| order.compare_user(file.smallest_user_key(), b).is_lt())
    };
    let ends_after = |file: &FileMeta| {
        end.is_some_and(|e| match order.compare_user(file.largest_user_key(), e) {
            std::cmp::Ordering::Equal => !include_end,
            ordering => ordering.is_gt(),
        })
    };
    let meet = |left: usize| {
        let (a, b) = (files[left].largest_user_key(), files[left + 1].smallest_user_key());
        order.equal_user(a, b)
    };
    while !range.is_empty()
        && (starts_before(&files[range.start]) || (range.start > 0 && meet(range.start - 1)))
    {
        range.start += 1;
    }
    while !range.is_empty()
        && (ends_after(&files[range.end - 1]) || (range.end < files.len() && meet(range.end - 1)))
    {
        range.end -= 1;
    }
    &files[range]
}

#[cfg(test)]
#[path = "file_ranges_test.rs"]
mod tests;
