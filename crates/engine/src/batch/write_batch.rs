//! The write batch and the methods that build it.

use super::iterate::{BatchHandler, iterate};
use super::wire::{HEADER_SIZE, tag};
use crate::base::SeqNo;
use crate::base::coding::{fixed32_at, fixed64_at, put_length_prefixed, put_varint32};
use crate::base::key::TRAILER_SIZE;
use crate::error::{Error, Result};

/// Flags for the kinds of records in a batch.
mod content {
    pub(super) const PUT: u32 = 1 << 0;
    pub(super) const DELETE: u32 = 1 << 1;
    pub(super) const SINGLE_DELETE: u32 = 1 << 2;
    pub(super) const MERGE: u32 = 1 << 3;
    /// Records that only features of RocksDB that we do not have write.
    pub(super) const OTHER: u32 = 1 << 4;
    pub(super) const LOG_DATA: u32 = 1 << 5;
    /// Some record is for a family other than the default one.
    pub(super) const OTHER_FAMILY: u32 = 1 << 6;
    pub(super) const DELETE_RANGE: u32 = 1 << 7;
    /// Markers of two-phase commit.
    pub(super) const MARKS: u32 = 1 << 8;
}

#[derive(Clone, Copy, Debug)]
struct SavePoint {
    size: usize,
    count: u32,
    content: u32,
}

/// Writes that take effect together, in the order they were added.
///
/// Keys and values have RocksDB's limits: an internal key and a value must each be shorter than 4 GiB. If adding a
/// record fails, the batch is unchanged.
#[derive(Clone)]
pub struct WriteBatch {
    rep: Vec<u8>,
    content: u32,
    save_points: Vec<SavePoint>,
}

impl Default for WriteBatch {
    fn default() -> WriteBatch {
        WriteBatch::new()
    }
}

impl WriteBatch {
    /// Creates an empty batch.
    pub fn new() -> WriteBatch {
        WriteBatch::with_capacity(0)
    }

    /// Creates an empty batch with room for this many bytes of records.
    pub fn with_capacity(bytes: usize) -> WriteBatch {
        let mut rep = Vec::with_capacity(HEADER_SIZE.saturating_add(bytes));
        rep.resize(HEADER_SIZE, 0);
        WriteBatch { rep, content: 0, save_points: Vec::new() }
    }

    /// Creates a batch from its encoding. Bytes that are not a batch are `Corruption`.
    pub fn from_data(rep: Vec<u8>) -> Result<WriteBatch> {
        let mut seen = ContentScan(0);
        iterate(&rep, &mut seen)?;
        Ok(WriteBatch { rep, content: seen.0, save_points: Vec::new() })
    }

    /// Sets `key` to `value` in the default column family.
    #[inline]
    pub fn put(&mut self, key: &[u8], value: &[u8]) -> Result<()> {
        self.put_cf(0, key, value)
    }

    /// Sets `key` to `value`.
    #[inline]
    pub fn put_cf(&mut self, cf: u32, key: &[u8], value: &[u8]) -> Result<()> {
        self.pair(content::PUT, (tag::PUT, tag::CF_PUT), cf, key, value)
    }

    /// Removes `key` from the default column family.
    #[inline]
    pub fn delete(&mut self, key: &[u8]) -> Result<()> {
        self.delete_cf(0, key)
    }

    /// Removes `key`.
    #[inline]
    pub fn delete_cf(&mut self, cf: u32, key: &[u8]) -> Result<()> {
        self.key_only(content::DELETE, (tag::DELETE, tag::CF_DELETE), cf, key)
    }

    /// Removes `key`, which was put at most once since its last removal, from the default column family.
    pub fn single_delete(&mut self, key: &[u8]) -> Result<()> {
        self.single_delete_cf(0, key)
    }

    /// Removes `key`, which was put at most once since its last removal.
    pub fn single_delete_cf(&mut self, cf: u32, key: &[u8]) -> Result<()> {
        let tags = (tag::SINGLE_DELETE, tag::CF_SINGLE_DELETE);
        self.key_only(content::SINGLE_DELETE, tags, cf, key)
    }

    /// Removes the keys in `[begin, end)` from the default column family.
    pub fn delete_range(&mut self, begin: &[u8], end: &[u8]) -> Result<()> {
        self.delete_range_cf(0, begin, end)
    }

    /// Removes the keys in `[begin, end)`. An `end` before `begin` is detected only when the batch is written, because
    /// the order of keys depends on the column family.
    pub fn delete_range_cf(&mut self, cf: u32, begin: &[u8], end: &[u8]) -> Result<()> {
        check_key(end)?;
        self.pair(content::DELETE_RANGE, (tag::DELETE_RANGE, tag::CF_DELETE_RANGE), cf, begin, end)
    }

    /// Adds a merge operand to `key` in the default column family.
    #[inline]
    pub fn merge(&mut self, key: &[u8], operand: &[u8]) -> Result<()> {
        self.merge_cf(0, key, operand)
    }

    /// Adds a merge operand to `key`.
    #[inline]
    pub fn merge_cf(&mut self, cf: u32, key: &[u8], operand: &[u8]) -> Result<()> {
        self.pair(content::MERGE, (tag::MERGE, tag::CF_MERGE), cf, key, operand)
    }

    /// Adds bytes that are written to the WAL only.
    pub fn put_log_data(&mut self, blob: &[u8]) -> Result<()> {
        check_value(blob)?;
        self.rep.reserve(6 + blob.len());
        self.rep.push(tag::LOG_DATA);
        self.field(blob);
        self.content |= content::LOG_DATA;
        Ok(())
    }

    /// Removes all records and save points.
    pub fn clear(&mut self) {
        self.rep.clear();
        self.rep.resize(HEADER_SIZE, 0);
        self.content = 0;
        self.save_points.clear();
    }

    /// Adds the records of `other` at the end.
    pub fn append(&mut self, other: &WriteBatch) -> Result<()> {
        let Some(count) = self.count().checked_add(other.count()) else {
            return Err(too_many_records());
        };
        self.rep.extend_from_slice(&other.rep[HEADER_SIZE..]);
        self.set_count(count);
        self.content |= other.content;
        Ok(())
    }

    /// Sets a save point for [`WriteBatch::rollback_to_save_point`].
    pub fn set_save_point(&mut self) {
        let point = SavePoint { size: self.rep.len(), count: self.count(), content: self.content };
        self.save_points.push(point);
    }

    /// Removes the records added since the last save point, and the save point. Returns `NotFound` if there is none.
    pub fn rollback_to_save_point(&mut self) -> Result<()> {
        let point = self.take_save_point()?;
        self.rep.truncate(point.size);
        self.set_count(point.count);
        self.content = point.content;
        Ok(())
    }

    /// Removes the last save point. Returns `NotFound` if there is none.
    pub fn pop_save_point(&mut self) -> Result<()> {
        self.take_save_point().map(|_| ())
    }

    /// Returns the number of sequence numbers that the batch takes.
    #[inline]
    pub fn count(&self) -> u32 {
        fixed32_at(&self.rep, 8).unwrap_or_default()
    }

    /// Returns whether the batch has no records at all, counted or not.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.rep.len() == HEADER_SIZE
    }

    /// Returns the encoding.
    #[inline]
    pub fn data(&self) -> &[u8] {
        &self.rep
    }

    /// Returns the encoding without copying it.
    pub fn into_data(self) -> Vec<u8> {
        self.rep
    }

    /// Returns the length of the encoding in bytes, header included.
    #[inline]
    pub fn data_size(&self) -> usize {
        self.rep.len()
    }

    /// Returns the sequence number of the first counted record.
    #[inline]
    pub fn sequence(&self) -> SeqNo {
        fixed64_at(&self.rep, 0).unwrap_or_default()
    }

    /// Sets the sequence number of the first counted record.
    #[inline]
    pub fn set_sequence(&mut self, seq: SeqNo) {
        *self.rep.first_chunk_mut().expect("a batch has its header") = seq.to_le_bytes();
    }

    /// Returns whether the batch has a put.
    pub fn has_put(&self) -> bool {
        self.content & content::PUT != 0
    }

    /// Returns whether the batch has a delete.
    pub fn has_delete(&self) -> bool {
        self.content & content::DELETE != 0
    }

    /// Returns whether the batch has a single delete.
    pub fn has_single_delete(&self) -> bool {
        self.content & content::SINGLE_DELETE != 0
    }

    /// Returns whether the batch has a range deletion.
    pub fn has_delete_range(&self) -> bool {
        self.content & content::DELETE_RANGE != 0
    }

    /// Returns whether the batch has a merge operand.
    pub fn has_merge(&self) -> bool {
        self.content & content::MERGE != 0
    }

    /// Returns whether the batch has log data.
    pub fn has_log_data(&self) -> bool {
        self.content & content::LOG_DATA != 0
    }

    /// Returns whether the batch has records that this engine can carry but not apply: those of other features, and the
    /// markers of two-phase commit.
    pub fn has_unsupported(&self) -> bool {
        self.content & (content::OTHER | content::MARKS) != 0
    }

    /// Returns whether the batch has markers of two-phase commit.
    pub fn has_marks(&self) -> bool {
        self.content & content::MARKS != 0
    }

    /// Returns whether every record is for the default column family and can be applied without further checks.
    #[inline]
    pub fn needs_no_check(&self) -> bool {
        let to_check =
            content::OTHER | content::MARKS | content::OTHER_FAMILY | content::DELETE_RANGE;
        self.content & to_check == 0
    }

    /// Returns the sequence number in the header of an encoded batch.
    pub fn sequence_of(data: &[u8]) -> Result<SeqNo> {
        fixed64_at(data, 0).ok_or_else(|| {
            Error::corruption(format!(
                "write batch: expected at least {HEADER_SIZE} bytes, found {}",
                data.len()
            ))
        })
    }

    #[inline]
    fn pair(
        &mut self,
        content: u32,
        tags: (u8, u8),
        cf: u32,
        key: &[u8],
        value: &[u8],
    ) -> Result<()> {
        check_key(key)?;
        check_value(value)?;
        self.start_record(content, tags, cf, key.len() + value.len())?;
        self.field(key);
        self.field(value);
        Ok(())
    }

    #[inline]
    fn key_only(&mut self, content: u32, tags: (u8, u8), cf: u32, key: &[u8]) -> Result<()> {
        check_key(key)?;
        self.start_record(content, tags, cf, key.len())?;
        self.field(key);
        Ok(())
    }

    /// Counts a record, writes its tag and family, and makes room for `payload` bytes of fields.
    #[inline]
    fn start_record(
        &mut self,
        content: u32,
        tags: (u8, u8),
        cf: u32,
        payload: usize,
    ) -> Result<()> {
        let Some(count) = self.count().checked_add(1) else { return Err(too_many_records()) };
        self.set_count(count);
        self.content |= content;
        self.rep.reserve(16 + payload);
        if cf == 0 {
            self.rep.push(tags.0);
        } else {
            self.rep.push(tags.1);
            put_varint32(&mut self.rep, cf);
            self.content |= content::OTHER_FAMILY;
        }
        Ok(())
    }

    #[inline]
    fn field(&mut self, bytes: &[u8]) {
        put_length_prefixed(&mut self.rep, bytes);
    }

    #[inline]
    fn set_count(&mut self, count: u32) {
        *self.rep[8..].first_chunk_mut().expect("a batch has its header") = count.to_le_bytes();
    }

    fn take_save_point(&mut self) -> Result<SavePoint> {
        self.save_points.pop().ok_or_else(Error::no_save_point)
    }
}

impl std::fmt::Debug for WriteBatch {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("WriteBatch")
            .field("sequence", &self.sequence())
            .field("count", &self.count())
            .field("data_size", &self.data_size())
            .finish()
    }
}

#[inline]
fn check_key(key: &[u8]) -> Result<()> {
    if key.len() as u64 + TRAILER_SIZE as u64 > u64::from(u32::MAX) {
        return Err(Error::invalid_argument(format!("key is too large: {} bytes", key.len())));
    }
    Ok(())
}

#[inline]
fn check_value(value: &[u8]) -> Result<()> {
    if value.len() as u64 > u64::from(u32::MAX) {
        return Err(Error::invalid_argument(format!("value is too large: {} bytes", value.len())));
    }
    Ok(())
}

#[cold]
fn too_many_records() -> Error {
    Error::invalid_argument("a WriteBatch can contain at most 4294967295 records")
}

/// Collects the kinds of records in a batch. Accepts all well-formed records.
struct ContentScan(u32);

impl ContentScan {
    fn see(&mut self, kind: u32) -> Result<()> {
        self.0 |= kind;
        Ok(())
    }

    fn see_in(&mut self, cf: u32, kind: u32) -> Result<()> {
        let family = if cf == 0 { 0 } else { content::OTHER_FAMILY };
        self.see(kind | family)
    }
}

impl BatchHandler for ContentScan {
    fn put(&mut self, cf: u32, _: &[u8], _: &[u8]) -> Result<()> {
        self.see_in(cf, content::PUT)
    }
    fn delete(&mut self, cf: u32, _: &[u8]) -> Result<()> {
        self.see_in(cf, content::DELETE)
    }
    fn single_delete(&mut self, cf: u32, _: &[u8]) -> Result<()> {
        self.see_in(cf, content::SINGLE_DELETE)
    }
    fn merge(&mut self, cf: u32, _: &[u8], _: &[u8]) -> Result<()> {
        self.see_in(cf, content::MERGE)
    }
    fn delete_range(&mut self, cf: u32, _: &[u8], _: &[u8]) -> Result<()> {
        self.see_in(cf, content::DELETE_RANGE)
    }
    fn put_blob_index(&mut self, _: u32, _: &[u8], _: &[u8]) -> Result<()> {
        self.see(content::OTHER)
    }
    fn put_entity(&mut self, _: u32, _: &[u8], _: &[u8]) -> Result<()> {
        self.see(content::OTHER)
    }
    fn timed_put(&mut self, _: u32, _: &[u8], _: &[u8]) -> Result<()> {
        self.see(content::OTHER)
    }
    fn log_data(&mut self, _: &[u8]) -> Result<()> {
        self.see(content::LOG_DATA)
    }
    fn mark_begin_prepare(&mut self, _: u8) -> Result<()> {
        self.see(content::MARKS)
    }
    fn mark_end_prepare(&mut self, _: &[u8]) -> Result<()> {
        self.see(content::MARKS)
    }
    fn mark_commit(&mut self, _: &[u8]) -> Result<()> {
        self.see(content::MARKS)
    }
    fn mark_commit_with_timestamp(&mut self, _: &[u8], _: &[u8]) -> Result<()> {
        self.see(content::MARKS)
    }
    fn mark_rollback(&mut self, _: &[u8]) -> Result<()> {
        self.see(content::MARKS)
    }
}

#[cfg(test)]
#[path = "write_batch_test.rs"]
mod tests;
