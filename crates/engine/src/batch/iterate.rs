//! Iterates over the records of a batch. Never panics, whatever the bytes are.
//!
//! Puts and deletes, which are nearly all records, are decoded in the loop. The other kinds are decoded out of line.

#![deny(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing)]

use super::wire::{HEADER_SIZE, tag};
use crate::base::coding::{fixed32_at, get_varint32};
use crate::error::{Error, Result};

#[cold]
fn refused<T>(record: &str) -> Result<T> {
    Err(Error::not_supported(format!("{record} record in a WriteBatch")))
}

/// Receives the records of a batch in order. The first error ends the iteration.
///
/// Records that only features of other engines write are refused by name, unless the method is overridden.
pub trait BatchHandler {
    /// A value for a key. Counted.
    fn put(&mut self, cf: u32, key: &[u8], value: &[u8]) -> Result<()>;
    /// A tombstone. Counted.
    fn delete(&mut self, cf: u32, key: &[u8]) -> Result<()>;
    /// A tombstone for a key that was put once. Counted.
    fn single_delete(&mut self, cf: u32, key: &[u8]) -> Result<()>;
    /// A merge operand. Counted.
    fn merge(&mut self, cf: u32, key: &[u8], operand: &[u8]) -> Result<()>;

    /// A tombstone for `begin..end`. Counted.
    fn delete_range(&mut self, _cf: u32, _begin: &[u8], _end: &[u8]) -> Result<()> {
        refused("DeleteRange")
    }
    /// A pointer into a blob file. Counted.
    fn put_blob_index(&mut self, _cf: u32, _key: &[u8], _index: &[u8]) -> Result<()> {
        refused("BlobIndex")
    }
    /// A wide-column entity. Counted.
    fn put_entity(&mut self, _cf: u32, _key: &[u8], _entity: &[u8]) -> Result<()> {
        refused("PutEntity")
    }
    /// A value followed by a fixed64 write time. Counted.
    fn timed_put(&mut self, _cf: u32, _key: &[u8], _value_and_time: &[u8]) -> Result<()> {
        refused("TimedPut")
    }

    /// Bytes that are written to the log only.
    fn log_data(&mut self, _blob: &[u8]) -> Result<()> {
        Ok(())
    }
    /// A separator that has no meaning for a database without transactions.
    fn mark_noop(&mut self) -> Result<()> {
        Ok(())
    }
    /// The start of a prepared section; `tag` is 0x09, 0x12 (persisted) or 0x13 (unprepared).
    fn mark_begin_prepare(&mut self, _tag: u8) -> Result<()> {
        refused("BeginPrepare")
    }
    /// The end of a prepared section.
    fn mark_end_prepare(&mut self, _xid: &[u8]) -> Result<()> {
        refused("EndPrepare")
    }
    /// Commits a prepared section.
    fn mark_commit(&mut self, _xid: &[u8]) -> Result<()> {
        refused("Commit")
    }
    /// Commits a prepared section with a user timestamp.
    fn mark_commit_with_timestamp(&mut self, _timestamp: &[u8], _xid: &[u8]) -> Result<()> {
        refused("CommitWithTimestamp")
    }
    /// Discards a prepared section.
    fn mark_rollback(&mut self, _xid: &[u8]) -> Result<()> {
        refused("Rollback")
    }
}

/// Returns the number of counted records that the header of `data` declares.
pub(super) fn declared_count(data: &[u8]) -> Result<u32> {
    match fixed32_at(data, 8) {
        Some(count) => Ok(count),
        None => Err(Error::corruption(format!(
            "malformed WriteBatch (too small): expected at least {HEADER_SIZE} bytes, found {}",
            data.len()
        ))),
    }
}

/// Passes every record of the batch `data` to `handler`. An unknown tag, a truncated field, or a count that differs
/// from the header's is `Corruption`.
#[inline]
pub fn iterate<H: BatchHandler + ?Sized>(data: &[u8], handler: &mut H) -> Result<()> {
    let declared = declared_count(data)?;
    let mut cursor = Cursor { rest: data.get(HEADER_SIZE..).unwrap_or_default(), whole: data };
    let mut found: u64 = 0;
    while let Some((&tag, rest)) = cursor.rest.split_first() {
        cursor.rest = rest;
        match tag {
            tag::PUT | tag::CF_PUT => {
                let cf = if tag == tag::PUT { 0 } else { cursor.family()? };
                let key = cursor.field("Put key")?;
                let value = cursor.field("Put value")?;
                handler.put(cf, key, value)?;
                found += 1;
            }
            tag::DELETE | tag::CF_DELETE => {
                let cf = if tag == tag::DELETE { 0 } else { cursor.family()? };
                handler.delete(cf, cursor.field("Delete key")?)?;
                found += 1;
            }
            _ => found += u64::from(cursor.rare(tag, handler)?),
        }
    }
    if found != u64::from(declared) {
        return Err(Error::corruption(format!(
            "WriteBatch has wrong count: expected {declared}, found {found}"
        )));
    }
    Ok(())
}

struct Cursor<'a> {
    rest: &'a [u8],
    whole: &'a [u8],
}

impl<'a> Cursor<'a> {
    #[inline(always)]
    fn field(&mut self, what: &'static str) -> Result<&'a [u8]> {
        if let Some((len, n)) = get_varint32(self.rest)
            && let Some(body) = self.rest.get(n..)
            && let Some((field, rest)) = body.split_at_checked(len as usize)
        {
            self.rest = rest;
            return Ok(field);
        }
        Err(self.bad(what))
    }

    fn family(&mut self) -> Result<u32> {
        if let Some((cf, n)) = get_varint32(self.rest)
            && let Some(rest) = self.rest.get(n..)
        {
            self.rest = rest;
            return Ok(cf);
        }
        Err(self.bad("column family id"))
    }

    #[cold]
    fn bad(&self, what: &str) -> Error {
        let offset = self.whole.len() - self.rest.len();
        Error::corruption(format!("bad WriteBatch {what}: cut off at byte {offset} of the batch"))
    }

    /// Decodes any record except puts and deletes. Returns whether it is counted.
    #[inline(never)]
    fn rare<H: BatchHandler + ?Sized>(&mut self, tag: u8, handler: &mut H) -> Result<bool> {
        let cf = match tag {
            tag::CF_MERGE
            | tag::CF_SINGLE_DELETE
            | tag::CF_DELETE_RANGE
            | tag::CF_BLOB_INDEX
            | tag::CF_ENTITY
            | tag::CF_TIMED_PUT => self.family()?,
            _ => 0,
        };
        match tag {
            tag::MERGE | tag::CF_MERGE => {
                handler.merge(cf, self.field("Merge key")?, self.field("Merge operand")?)?;
            }
            tag::SINGLE_DELETE | tag::CF_SINGLE_DELETE => {
                handler.single_delete(cf, self.field("SingleDelete key")?)?;
            }
            tag::DELETE_RANGE | tag::CF_DELETE_RANGE => {
                let begin = self.field("DeleteRange begin")?;
                handler.delete_range(cf, begin, self.field("DeleteRange end")?)?;
            }
            tag::BLOB_INDEX | tag::CF_BLOB_INDEX => {
                let key = self.field("BlobIndex key")?;
                handler.put_blob_index(cf, key, self.field("BlobIndex index")?)?;
            }
            tag::ENTITY | tag::CF_ENTITY => {
                let key = self.field("PutEntity key")?;
                handler.put_entity(cf, key, self.field("PutEntity entity")?)?;
            }
            tag::TIMED_PUT | tag::CF_TIMED_PUT => {
                let key = self.field("TimedPut key")?;
                handler.timed_put(cf, key, self.field("TimedPut value")?)?;
            }
            _ => return self.marker(tag, handler).map(|()| false),
        }
        Ok(true)
    }

    /// Decodes records that take no sequence number.
    fn marker<H: BatchHandler + ?Sized>(&mut self, tag: u8, handler: &mut H) -> Result<()> {
        match tag {
            tag::LOG_DATA => handler.log_data(self.field("LogData blob")?),
            tag::NOOP => handler.mark_noop(),
            tag::BEGIN_PREPARE | tag::BEGIN_PERSISTED_PREPARE | tag::BEGIN_UNPREPARE => {
                handler.mark_begin_prepare(tag)
            }
            tag::END_PREPARE => handler.mark_end_prepare(self.field("EndPrepare xid")?),
            tag::COMMIT => handler.mark_commit(self.field("Commit xid")?),
            tag::COMMIT_WITH_TIMESTAMP => {
                let timestamp = self.field("CommitWithTimestamp timestamp")?;
                handler.mark_commit_with_timestamp(timestamp, self.field("Commit xid")?)
            }
            tag::ROLLBACK => handler.mark_rollback(self.field("Rollback xid")?),
            unknown => Err(Error::corruption(format!("unknown WriteBatch tag: {unknown}"))),
        }
    }
}

#[cfg(test)]
#[path = "iterate_test.rs"]
mod tests;
