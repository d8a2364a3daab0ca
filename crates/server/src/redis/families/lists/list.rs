//! The rows of one list.
//!
//! ```text
//! D row   sub-key = index:8 [suffix]      value = the element
//! M row   extra   = head:8 [tail:8]       encoding 0 dense, 1 sparse
//! ```
//!
//! 1. `head` is at or below the index of every element, and `tail` is above all of them.
//! 2. A dense list has neither suffixes nor holes: the element at position `i` has the index `head + i`, and `tail`,
//!    which is not stored, is `head + count`. So a position costs one seek.
//! 3. In a sparse list elements are in the order of their sub-keys, and positions are counted from the nearer end.
//! 4. Insertions and removals in the middle move the rows of the shorter side by one index, up to [`MOVED_MAX`] rows.
//!    If there are more, the list becomes sparse: then they write a constant number of rows. It becomes dense again
//!    when it has at most [`MOVED_MAX`] elements and is changed in the middle or trimmed.
//! 5. No row is outside of `head..tail`, so that rows of removed elements never come back.

use super::places::{self, Sub};
use crate::redis::context::Context;
use crate::redis::failure::{DAMAGED, Done};
use crate::redis::values::Coll;
use crate::rows::redis::{DATA, RowKey, Type};
use crate::store::{Range, Rows, Txn};

/// Rows that a change in the middle moves at most. More rows are deleted as a range.
pub(super) const MOVED_MAX: u64 = 512;
/// The index of the first element of a new list: there is room for 2^63 elements on both sides.
pub(super) const START: u64 = 1 << 63;
/// The room that each list has on both sides, more than one command takes. Only a damaged row has less.
const ROOM: u64 = 1 << 32;
pub(super) const DENSE: u8 = 0;
pub(super) const SPARSE: u8 = 1;

/// An end of a list.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(in crate::redis) enum End {
    /// The left end.
    Head,
    /// The right end.
    Tail,
}

/// The rows of consecutive elements.
enum Part {
    Range(Range),
    Each(Vec<Sub>),
}

/// A list that a command works on. [`save`](List::save) stores what changed in the M row.
pub(in crate::redis) struct List<'k> {
    pub(super) coll: Coll<'k>,
    pub(super) head: u64,
    pub(super) tail: u64,
}

impl<'k> List<'k> {
    /// Returns the list of a key; `None` if the key is absent.
    ///
    /// # Errors
    ///
    /// The key holds another type.
    pub(in crate::redis) fn find(context: &Context<'_>, key: &'k [u8]) -> Done<Option<List<'k>>> {
        context.collection(key, Type::List)?.map(List::parse).transpose()
    }

    /// Returns the list of a key, or an empty one.
    ///
    /// # Errors
    ///
    /// The key holds another type, or is too long.
    pub(in crate::redis) fn find_or_new(context: &Context<'_>, key: &'k [u8]) -> Done<List<'k>> {
        match List::find(context, key)? {
            Some(list) => Ok(list),
            None => List::replacing(context, key),
        }
    }

    /// Returns an empty list. Saving it replaces the value of the key.
    ///
    /// # Errors
    ///
    /// The key is too long.
    pub(in crate::redis) fn replacing(context: &Context<'_>, key: &'k [u8]) -> Done<List<'k>> {
        Ok(List { coll: context.new_collection(key, Type::List)?, head: START, tail: START })
    }

    fn parse(coll: Coll<'k>) -> Done<List<'k>> {
        let mut bounds = coll.row.extra.chunks_exact(8).filter_map(places::index_of);
        let (head, tail) = (bounds.next().ok_or(DAMAGED)?, bounds.next());
        let tail = match coll.row.head.encoding {
            DENSE => head.checked_add(coll.row.count),
            SPARSE => tail,
            _ => None,
        };
        let tail = tail.filter(|tail| head <= *tail && *tail <= u64::MAX - ROOM && head >= ROOM);
        Ok(List { head, tail: tail.ok_or(DAMAGED)?, coll })
    }

    /// Returns the key.
    pub(super) fn key(&self) -> &'k [u8] {
        self.coll.place.key
    }

    /// Returns the number of elements.
    pub(in crate::redis) fn len(&self) -> u64 {
        self.coll.row.count
    }

    pub(super) fn is_dense(&self) -> bool {
        self.coll.row.head.encoding == DENSE
    }

    /// Calls `each` with sub-key and value of `length` elements, beginning behind `start` elements from an end, until
    /// it returns `false`.
    pub(in crate::redis) fn walk(
        &self,
        txn: &Txn,
        from: End,
        start: u64,
        length: u64,
        mut each: impl FnMut(&[u8], &[u8]) -> bool,
    ) -> Done {
        let length = length.min(self.len().saturating_sub(start));
        if length == 0 {
            return Ok(());
        }
        let (low, high) = match (self.is_dense(), from) {
            (true, End::Head) => (self.head + start, self.head + start + length),
            (true, End::Tail) => (self.tail - start - length, self.tail - start),
            (false, _) => (self.head, self.tail),
        };
        let range = self.coll.range(DATA, &places::of_index(low), Some(&places::of_index(high)));
        let mut rows = txn.rows(self.coll.place.partition, range)?;
        let skipped = if self.is_dense() { 0 } else { start };
        skip(&mut rows, from, skipped, self.len())?;
        for _ in 0..length {
            let Some((key, value)) = rows.item() else { return Err(DAMAGED.into()) };
            if !each(self.coll.sub(key), value) {
                break;
            }
            rows.next()?;
        }
        Ok(())
    }

    /// Passes the element at a position to `found`. The position must be below the number of elements.
    pub(super) fn get<R>(
        &self,
        txn: &Txn,
        position: u64,
        found: impl FnOnce(&[u8]) -> R,
    ) -> Done<R> {
        let mut found = Some(found);
        let mut result = None;
        if self.is_dense() {
            let key = self.coll.sub_key(DATA, &places::of_index(self.head + position));
            result = txn.get(self.coll.place.partition, &key, |value| {
                found.take().map(|found| found(value))
            })?;
        } else {
            self.walk(txn, End::Head, position, 1, |_, value| {
                result = Some(found.take().map(|found| found(value)));
                false
            })?;
        }
        result.flatten().ok_or_else(|| DAMAGED.into())
    }

    /// Replaces the element at a position, which must be below the number of elements.
    pub(super) fn set(&mut self, context: &mut Context<'_>, position: u64, value: &[u8]) -> Done {
        let sub = self.sub_at(context.txn, position)?;
        context.sub_put(&self.coll, DATA, &sub, value)?;
        context.touch(self.coll.place.key);
        Ok(())
    }

    /// Adds an element at an end.
    pub(in crate::redis) fn push(
        &mut self,
        context: &mut Context<'_>,
        at: End,
        value: &[u8],
    ) -> Done {
        let index = match at {
            End::Head => self.head - 1,
            End::Tail => self.tail,
        };
        context.sub_put(&self.coll, DATA, &places::of_index(index), value)?;
        self.head = self.head.min(index);
        self.tail = self.tail.max(index + 1);
        self.coll.row.count += 1;
        Ok(())
    }

    /// Removes elements at both ends.
    pub(super) fn trim(&mut self, context: &mut Context<'_>, left: u64, right: u64) -> Done {
        let count = self.len();
        let left = left.min(count);
        let right = right.min(count - left);
        let kept = count - left - right;
        let (mut head, mut tail) = (self.head, self.tail);
        if kept == 0 {
            head = tail;
        } else if self.is_dense() {
            (head, tail) = (head + left, tail - right);
        } else {
            let bound = |sub: &[u8]| places::index_of(sub).ok_or(DAMAGED);
            if left > 0 {
                head = bound(&self.sub_at(context.txn, left)?)?;
            }
            if right > 0 {
                tail = bound(&self.sub_at(context.txn, count - right - 1)?)? + 1;
            }
        }
        // Positions are those before any row is deleted.
        let parts =
            [self.part(context.txn, 0, left)?, self.part(context.txn, count - right, right)?];
        for part in parts {
            self.delete_part(context, part)?;
        }
        (self.head, self.tail, self.coll.row.count) = (head, tail, kept);
        if kept == 0 {
            self.coll.row.head.encoding = DENSE;
        }
        Ok(())
    }

    /// Writes the M row, or removes the key if the list is empty.
    pub(in crate::redis) fn save(&mut self, context: &mut Context<'_>) -> Done {
        self.coll.row.extra.clear();
        self.coll.row.extra.extend_from_slice(&self.head.to_be_bytes());
        if !self.is_dense() {
            self.coll.row.extra.extend_from_slice(&self.tail.to_be_bytes());
        }
        context.save(&mut self.coll)
    }

    /// Saves the list after elements were removed, and tells of the event, and of the removal of an empty list.
    pub(super) fn save_removed(&mut self, context: &mut Context<'_>, event: &'static str) -> Done {
        self.save(context)?;
        context.notify(b'l', event, self.key());
        if self.len() == 0 {
            context.notify(b'g', "del", self.key());
        }
        Ok(())
    }

    /// Returns the sub-key of the element at a position.
    pub(super) fn sub_at(&self, txn: &Txn, position: u64) -> Done<Sub> {
        if self.is_dense() {
            return Ok(places::of_index(self.head + position));
        }
        let mut found = None;
        self.walk(txn, End::Head, position, 1, |sub, _| {
            found = Some(Sub::from_slice(sub));
            false
        })?;
        found.ok_or_else(|| DAMAGED.into())
    }

    /// Deletes the rows of elements, beginning at a position. What the M row says is up to the caller.
    pub(super) fn delete(&self, context: &mut Context<'_>, position: u64, count: u64) -> Done {
        let part = self.part(context.txn, position, count)?;
        self.delete_part(context, part)
    }

    /// Returns the rows of elements, beginning at a position.
    fn part(&self, txn: &Txn, position: u64, count: u64) -> Done<Part> {
        if count > MOVED_MAX {
            let end = match position + count {
                end if end >= self.len() => places::of_index(self.tail),
                end => self.sub_at(txn, end)?,
            };
            let begin = self.sub_at(txn, position)?;
            return Ok(Part::Range(self.coll.range(DATA, &begin, Some(&end))));
        }
        if self.is_dense() {
            let indices = (self.head + position..).take(count as usize);
            return Ok(Part::Each(indices.map(places::of_index).collect()));
        }
        let mut subs = Vec::new();
        self.walk(txn, End::Head, position, count, |sub, _| {
            subs.push(Sub::from_slice(sub));
            true
        })?;
        Ok(Part::Each(subs))
    }

    fn delete_part(&self, context: &mut Context<'_>, part: Part) -> Done {
        match part {
            Part::Range(range) => {
                context.txn.delete_range(self.coll.place.partition, &range)?;
            }
            Part::Each(subs) => {
                for sub in subs {
                    context.sub_delete(&self.coll, DATA, &sub)?;
                }
            }
        }
        Ok(())
    }
}

/// Moves to the first row of an iteration from an end, behind `skipped` of `count` rows.
fn skip(rows: &mut Rows, from: End, skipped: u64, count: u64) -> Done {
    let is_nearer = skipped <= count / 2;
    match (from, is_nearer) {
        (End::Head, true) | (End::Tail, false) => rows.first()?,
        (End::Tail, true) | (End::Head, false) => rows.last()?,
    };
    for _ in 0..if is_nearer { skipped } else { count.saturating_sub(skipped + 1) } {
        rows.next()?;
    }
    if !is_nearer {
        let Some((key, _)) = rows.item() else { return Err(DAMAGED.into()) };
        let key = RowKey::from_slice(key);
        match from {
            End::Head => rows.seek(&key)?,
            End::Tail => rows.seek_for_prev(&key)?,
        };
    }
    Ok(())
}

#[cfg(test)]
#[path = "list_test.rs"]
mod tests;
