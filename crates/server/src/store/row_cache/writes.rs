//! The rows that a batch writes, and the marks on them while it is committed.

use super::domains::{Part, first_byte};
use super::stamp::Seen;
use super::table::Row;
use super::{KEY_MAX, RowCache, VALUE_MAX};
use crate::store::{Partition, Range};

/// Batches with more rows mark all domains instead of their rows.
#[cfg(not(test))]
const ROWS_MAX: usize = 1 << 17;
#[cfg(test)]
pub(super) const ROWS_MAX: usize = 64;

/// What a batch writes, as far as the cache may have it.
#[derive(Debug, Default)]
pub(crate) struct Writes {
    rows: Vec<Written>,
    domains: Vec<Part>,
}

/// A row that a batch writes. Its key and its value are at the end of a record of the batch.
#[derive(Clone, Copy, Debug)]
struct Written {
    partition: Partition,
    hash: u64,
    /// The first byte of the key, for its domain.
    first: u8,
    /// The bytes of the key.
    key: usize,
    /// The bytes of the value; `None` for a deletion or a value that is not cached.
    value: Option<usize>,
    /// Where the record ends in the batch.
    end: usize,
    /// What [`RowCache::mark`] found.
    mark: Option<Mark>,
}

#[derive(Clone, Copy, Debug)]
struct Mark {
    /// The bucket's stamp when the mark began.
    begun: Seen,
    domain: Seen,
    /// Whether the bucket had no slot with the row's tag then.
    is_absent: bool,
}

impl Writes {
    /// Forgets all rows.
    pub(crate) fn clear(&mut self) {
        self.rows.clear();
        self.domains.clear();
    }
}

/// The marks of a batch that is committed. They end when this is dropped; no row of the batch is cached then.
pub(crate) struct Marks<'a> {
    cache: &'a RowCache,
    writes: &'a mut Writes,
}

impl RowCache {
    /// Notes the write of a row, whose record is at the end of a batch of this many bytes. `None` is a deletion.
    pub(crate) fn note_write(
        &self,
        writes: &mut Writes,
        (partition, key): (Partition, &[u8]),
        value: Option<&[u8]>,
        end: usize,
    ) {
        if !RowCache::is_cacheable(partition, key) {
            return;
        }
        let value = value.map(<[u8]>::len).filter(|length| *length <= VALUE_MAX);
        let (hash, first) = (self.hash(partition, key), first_byte(key));
        let key = key.len();
        writes.rows.push(Written { partition, hash, first, key, value, end, mark: None });
    }

    /// Notes the deletion of a range.
    pub(crate) fn note_range(&self, writes: &mut Writes, partition: Partition, range: &Range) {
        writes.domains.push(Part::of_range(partition, range));
    }

    /// Notes that any row of a partition is written.
    pub(crate) fn note_partition(&self, writes: &mut Writes, partition: Partition) {
        writes.domains.push(Part::of_partition(partition));
    }

    /// Marks the rows of a batch as being written. The marks must end after the batch is committed.
    pub(crate) fn mark<'a>(&'a self, writes: &'a mut Writes) -> Marks<'a> {
        if writes.rows.len() + writes.domains.len() > ROWS_MAX {
            writes.clear();
            writes.domains.push(Part::All);
        }
        writes.domains.iter().for_each(|part| self.domains.begin(*part));
        self.table.touch_buckets(writes.rows.iter().map(|row| row.hash));
        for row in &mut writes.rows {
            let bucket = self.table.bucket(row.hash);
            let begun = bucket.stamp.begin();
            let is_absent = !bucket.may_have(row.hash);
            let domain = self.domains.seen(row.partition, row.first);
            row.mark = Some(Mark { begun, domain, is_absent });
        }
        Marks { cache: self, writes }
    }
}

impl Marks<'_> {
    /// Ends the marks after a commit. `data` is the batch, whose rows replace those that the cache has and that were
    /// read since they were last written.
    pub(crate) fn committed(mut self, data: &[u8]) {
        self.finish(Some(data));
    }

    fn finish(&mut self, data: Option<&[u8]>) {
        let table = &self.cache.table;
        let cached = self.writes.rows.iter().filter(|row| !row.is_absent());
        table.touch_entries(cached.map(|row| table.spot(row.hash)));
        for row in self.writes.rows.drain(..) {
            self.cache.end(row, data);
        }
        for part in self.writes.domains.drain(..) {
            self.cache.domains.end(part);
        }
    }
}

impl Drop for Marks<'_> {
    fn drop(&mut self) {
        self.finish(None);
    }
}

impl RowCache {
    fn end(&self, written: Written, data: Option<&[u8]>) {
        let Some(mark) = written.mark else { return };
        let bucket = self.table.bucket(written.hash);
        if mark.is_absent && bucket.stamp.end_if_alone(mark.begun) {
            return;
        }
        let mut ring = self.table.lock(bucket);
        let new = data.and_then(|data| written.read(data));
        match new {
            Some((row, value)) if bucket.stamp.is_alone(mark.begun) && mark.domain.is_quiet() => {
                self.table.replace(&mut ring, &row, value, mark.domain);
            }
            _ => self.table.remove(bucket, written.hash),
        }
        bucket.stamp.end();
    }
}

impl Written {
    /// Returns whether no slot had the row's tag when it was marked.
    fn is_absent(&self) -> bool {
        self.mark.is_none_or(|mark| mark.is_absent)
    }

    /// Returns the row and its new value from the batch.
    fn read<'d>(&self, data: &'d [u8]) -> Option<(Row<'d>, &'d [u8])> {
        let length = self.value?;
        let before = self.end.checked_sub(length)?;
        let value = data.get(before..self.end)?;
        // The length of the value is between it and the key, seven bits in a byte.
        let between = if length < 1 << 7 { 1 } else { 2 };
        let end = before.checked_sub(between)?;
        let key = data.get(end.checked_sub(self.key)?..end)?;
        Some((Row { partition: self.partition, key, hash: self.hash }, value))
    }
}

const _: () = assert!(VALUE_MAX < 1 << 14, "the length of a value takes two bytes at most");
const _: () =
    assert!(KEY_MAX < 1 << 16 && VALUE_MAX < 1 << 16, "an entry has 16 bits for each length");
