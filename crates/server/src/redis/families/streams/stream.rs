//! The rows of a stream, without its groups.
//!
//! ```text
//! D row   sub-key = id:16                 value: see `entry`
//! M row   count   = number of entries
//!         extra   = last-id:16 first-id:16 max-deleted-id:16 added:varint
//! ```
//!
//! 1. `first-id` is the id of the first entry, or 0-0. Iterations begin there, so that they do not pass over the
//!    deleted rows of a stream that is trimmed all the time.
//! 2. `last-id` is the largest id that the stream ever had, `max-deleted-id` the largest that XDEL removed, and `added`
//!    the number of entries that were ever added.

use super::entry;
use crate::redis::context::Context;
use crate::redis::failure::{DAMAGED, Done};
use crate::redis::values::Coll;
use crate::rows::redis::{DATA, Type, read_varint, write_varint};
use crate::store::{Rows, Txn};
use crate::streamid::StreamId;

/// Rows that are deleted one by one; more are deleted as a range.
const SINGLE_DELETIONS_MAX: u64 = 512;
const ID_BYTES: usize = 16;

/// A stream that a command works on.
pub(in crate::redis) struct Stream<'k> {
    pub(super) coll: Coll<'k>,
    pub(super) last_id: StreamId,
    pub(super) first_id: StreamId,
    pub(super) max_deleted_id: StreamId,
    pub(super) added: u64,
}

impl<'k> Stream<'k> {
    /// Returns the stream of a key; `None` if the key is absent.
    ///
    /// # Errors
    ///
    /// The key holds another type.
    pub(in crate::redis) fn find(context: &Context<'_>, key: &'k [u8]) -> Done<Option<Stream<'k>>> {
        let Some(coll) = context.collection(key, Type::Stream)? else { return Ok(None) };
        let mut rest = &coll.row.extra[..];
        let mut id = || {
            let (bytes, behind) = rest.split_first_chunk::<ID_BYTES>()?;
            rest = behind;
            Some(StreamId::from_bytes(*bytes))
        };
        let ids = (id(), id(), id());
        let (Some(last_id), Some(first_id), Some(max_deleted_id)) = ids else {
            return Err(DAMAGED.into());
        };
        let (added, _) = read_varint(rest).ok_or(DAMAGED)?;
        Ok(Some(Stream { last_id, first_id, max_deleted_id, added, coll }))
    }

    /// Returns an empty stream. Saving it replaces the value of the key.
    ///
    /// # Errors
    ///
    /// The key is too long.
    pub(in crate::redis) fn replacing(context: &Context<'_>, key: &'k [u8]) -> Done<Stream<'k>> {
        Ok(Stream {
            coll: context.new_collection(key, Type::Stream)?,
            last_id: StreamId::MIN,
            first_id: StreamId::MIN,
            max_deleted_id: StreamId::MIN,
            added: 0,
        })
    }

    /// Returns the key.
    pub(super) fn key(&self) -> &'k [u8] {
        self.coll.place.key
    }

    /// Returns the number of entries.
    pub(super) fn len(&self) -> u64 {
        self.coll.row.count
    }

    /// Writes the M row.
    pub(super) fn save(&mut self, context: &mut Context<'_>) -> Done {
        let extra = &mut self.coll.row.extra;
        extra.clear();
        for id in [self.last_id, self.first_id, self.max_deleted_id] {
            extra.extend_from_slice(&id.to_bytes());
        }
        write_varint(self.added, extra);
        context.save(&mut self.coll)
    }

    /// Adds an entry behind all others. Its id must be above `last_id`.
    pub(in crate::redis) fn append(
        &mut self,
        context: &mut Context<'_>,
        id: StreamId,
        fields: &[&[u8]],
    ) -> Done {
        context.sub_put(&self.coll, DATA, &id.to_bytes(), &entry::encode(fields))?;
        self.count_added(id);
        if self.len() == 0 {
            self.first_id = id;
        }
        self.coll.row.count += 1;
        Ok(())
    }

    /// Notes that an entry was added, without its row.
    pub(super) fn count_added(&mut self, id: StreamId) {
        self.last_id = id;
        self.added = self.added.saturating_add(1);
    }

    /// Returns an iteration over the rows of entries between two ids, both included; `None` if there are none.
    pub(super) fn rows(&self, txn: &Txn, from: StreamId, to: StreamId) -> Done<Option<Rows>> {
        let from = from.max(self.first_id);
        if self.len() == 0 || from > to {
            return Ok(None);
        }
        let end = to.next().map(StreamId::to_bytes);
        let end = end.as_ref().map(|end| &end[..]);
        let range = self.coll.range(DATA, &from.to_bytes(), end);
        Ok(Some(txn.rows(self.coll.place.partition, range)?))
    }

    /// Calls `each` with up to `count` entries between two ids, both included, until it returns `false`.
    pub(super) fn walk(
        &self,
        txn: &Txn,
        (from, to): (StreamId, StreamId),
        is_backwards: bool,
        count: u64,
        mut each: impl FnMut(StreamId, &[u8]) -> Done<bool>,
    ) -> Done {
        let Some(mut rows) = self.rows(txn, from, to)? else { return Ok(()) };
        match is_backwards {
            true => rows.last()?,
            false => rows.first()?,
        };
        for _ in 0..count {
            let Some((key, value)) = rows.item() else { break };
            if !each(id_of(self.coll.sub(key))?, value)? {
                break;
            }
            rows.next()?;
        }
        Ok(())
    }

    /// Passes the row of an entry to `found`; `None` if there is no such entry.
    pub(super) fn get<R>(
        &self,
        context: &Context<'_>,
        id: StreamId,
        found: impl FnOnce(&[u8]) -> R,
    ) -> Done<Option<R>> {
        context.sub_get(&self.coll, DATA, &id.to_bytes(), found)
    }

    /// Removes the first entries: `removed` of them, of which there are more unless `first_kept` is `None`.
    pub(super) fn remove_first(
        &mut self,
        context: &mut Context<'_>,
        removed: u64,
        first_kept: Option<StreamId>,
    ) -> Done {
        let end = first_kept.unwrap_or(StreamId::MAX);
        if removed > SINGLE_DELETIONS_MAX {
            let to = first_kept.map(StreamId::to_bytes);
            let to = to.as_ref().map(|to| &to[..]);
            let range = self.coll.range(DATA, &self.first_id.to_bytes(), to);
            context.txn.delete_range(self.coll.place.partition, &range)?;
        } else {
            let mut ids = Vec::new();
            self.walk(context.txn, (StreamId::MIN, end), false, removed, |id, _| {
                ids.push(id);
                Ok(true)
            })?;
            for id in ids {
                context.sub_delete(&self.coll, DATA, &id.to_bytes())?;
            }
        }
        self.coll.row.count = self.len().saturating_sub(removed);
        self.first_id = first_kept.unwrap_or(StreamId::MIN);
        Ok(())
    }

    /// Removes entries by id. Returns how many there were.
    pub(super) fn remove(
        &mut self,
        context: &mut Context<'_>,
        mut ids: Vec<StreamId>,
    ) -> Done<i64> {
        ids.sort_unstable();
        ids.dedup();
        let mut removed = 0;
        for id in &ids {
            if self.get(context, *id, |_| ())?.is_none() {
                continue;
            }
            context.sub_delete(&self.coll, DATA, &id.to_bytes())?;
            self.coll.row.count = self.len().saturating_sub(1);
            self.max_deleted_id = self.max_deleted_id.max(*id);
            removed += 1;
        }
        if removed > 0 && ids.binary_search(&self.first_id).is_ok() {
            self.first_id = self.first_from(context.txn, self.first_id)?.unwrap_or_default();
        }
        Ok(removed)
    }

    /// Returns the id of the first entry at or above an id.
    pub(super) fn first_from(&self, txn: &Txn, from: StreamId) -> Done<Option<StreamId>> {
        let mut found = None;
        self.walk(txn, (from, StreamId::MAX), false, 1, |id, _| {
            found = Some(id);
            Ok(false)
        })?;
        Ok(found)
    }

    /// Returns the id of the last entry.
    pub(super) fn last_entry(&self, txn: &Txn) -> Done<Option<StreamId>> {
        let mut found = None;
        self.walk(txn, (StreamId::MIN, StreamId::MAX), true, 1, |id, _| {
            found = Some(id);
            Ok(false)
        })?;
        Ok(found)
    }

    /// Returns whether entries at or above an id were deleted by XDEL, while there are entries before them: then the
    /// number of entries behind the id does not follow from counters.
    pub(super) fn has_holes_from(&self, id: StreamId) -> bool {
        self.len() > 0
            && self.max_deleted_id != StreamId::MIN
            && self.first_id <= self.max_deleted_id
            && id <= self.max_deleted_id
    }

    /// Returns how many entries were added up to an id, if the counters tell.
    pub(super) fn added_up_to(&self, id: StreamId) -> Option<u64> {
        if self.added == 0 {
            return Some(0);
        }
        if id == self.last_id || (self.len() == 0 && id < self.last_id) {
            return Some(self.added);
        }
        if id > self.last_id
            || (self.max_deleted_id != StreamId::MIN && self.max_deleted_id >= self.first_id)
        {
            return None;
        }
        let before = self.added.wrapping_sub(self.len());
        match id.cmp(&self.first_id) {
            std::cmp::Ordering::Less => Some(before),
            std::cmp::Ordering::Equal => Some(before.wrapping_add(1)),
            std::cmp::Ordering::Greater => None,
        }
    }
}

/// Returns the id of a sub-key.
pub(super) fn id_of(sub: &[u8]) -> Done<StreamId> {
    let bytes = sub.first_chunk::<ID_BYTES>().ok_or(DAMAGED)?;
    Ok(StreamId::from_bytes(*bytes))
}
