//! Keys and their values as rows: what the families of commands read and write.
//!
//! 1. A key whose expiry is over is absent everywhere. Its rows are removed by compactions, later.
//! 2. A collection that becomes empty is removed: [`Context::save`] does both.
//! 3. A new collection has a new version, so rows of an older one of the same key are never seen.

use super::context::Context;
use super::failure::{DAMAGED, Done, KEY_TOO_LONG, WRONG_TYPE};
use crate::resp::Reply;
use crate::rows::hash;
use crate::rows::redis::{
    COLLECTION_KEY_MAX, Collection, DATA, GROUP, Head, RAW, RowKey, SCORE, Type, after_prefix,
    meta_key, sub_key, sub_prefix,
};
use crate::store::{Partition, Range, Rows, Txn};
use crate::text::slot;
use smallvec::SmallVec;

/// Collections with more elements are removed with range deletions at once; the rows of others wait for compactions.
const RANGE_DELETION_MIN: u64 = 512;

/// A key, and where its rows are.
#[derive(Clone, Copy, Debug)]
pub struct Place<'k> {
    /// The key.
    pub key: &'k [u8],
    /// Its slot.
    pub slot: u16,
    /// The partition of the slot.
    pub partition: Partition,
}

impl Place<'_> {
    /// Returns the key of the M row.
    pub fn meta(&self) -> RowKey {
        meta_key(self.slot, self.key)
    }
}

/// A collection that a command works on. Changes of `row` are stored by [`Context::save`].
#[derive(Clone, Debug)]
pub struct Coll<'k> {
    /// The key.
    pub place: Place<'k>,
    /// The M row: expiry, count, and what the type adds.
    pub row: Collection,
    /// Whether the M row exists.
    pub is_stored: bool,
}

impl Coll<'_> {
    /// Returns the key of a row of this collection.
    pub fn sub_key(&self, kind: u8, sub: &[u8]) -> RowKey {
        sub_key(kind, self.place.slot, self.place.key, self.row.version, sub)
    }

    /// Returns what the keys of all rows of a kind begin with.
    pub fn prefix(&self, kind: u8) -> RowKey {
        sub_prefix(kind, self.place.slot, self.place.key, self.row.version)
    }

    /// Returns the part of a row's key that follows the prefix.
    pub fn sub<'r>(&self, row: &'r [u8]) -> &'r [u8] {
        row.get(13 + self.place.key.len()..).unwrap_or_default()
    }

    /// Returns the range of rows of a kind from one sub-key (included) to another (excluded); `None` means the end.
    pub fn range(&self, kind: u8, from: &[u8], to: Option<&[u8]>) -> Range {
        let end = match to {
            Some(to) => self.sub_key(kind, to),
            None => after_prefix(&self.prefix(kind)),
        };
        Range { start: self.sub_key(kind, from), end }
    }
}

impl Context<'_> {
    /// Returns where a key's rows are.
    pub fn place<'k>(&self, key: &'k [u8]) -> Place<'k> {
        let slot = match self.slot {
            Some((known, slot)) if std::ptr::eq(known, key) => slot,
            _ => slot::of_key(key),
        };
        Place { key, slot, partition: self.db.partition_of(slot) }
    }

    /// Passes head and body of the M row to `found`, and returns its result; `None` if the key is absent.
    pub fn meta<R>(
        &self,
        place: &Place<'_>,
        found: impl FnOnce(Head, &[u8]) -> R,
    ) -> Done<Option<R>> {
        let result = meta(self.txn, self.now_ms, place, found)?;
        self.count_lookup(place.key, result.is_some());
        Ok(result)
    }

    /// As [`meta`](Context::meta), for a reply that is written from the row without a copy.
    pub fn meta_with_reply<R>(
        &mut self,
        place: &Place<'_>,
        found: impl FnOnce(Head, &[u8], &mut Reply) -> R,
    ) -> Done<Option<R>> {
        let out = &mut *self.out;
        let result = meta(self.txn, self.now_ms, place, |head, body| found(head, body, out))?;
        self.count_lookup(place.key, result.is_some());
        Ok(result)
    }

    /// Returns the head of a key's M row: its type, encoding and expiry.
    pub fn head(&self, place: &Place<'_>) -> Done<Option<Head>> {
        self.meta(place, |head, _| head)
    }

    /// Returns a collection; `None` if the key is absent.
    ///
    /// # Errors
    ///
    /// The key holds another type.
    pub fn collection<'k>(&self, key: &'k [u8], ty: Type) -> Done<Option<Coll<'k>>> {
        let place = self.place(key);
        let row = self.meta(&place, |head, body| match head.ty == ty {
            true => Collection::parse(head, body).ok_or(DAMAGED),
            false => Err(WRONG_TYPE),
        })?;
        match row {
            None => Ok(None),
            Some(row) => Ok(Some(Coll { place, row: row?, is_stored: true })),
        }
    }

    /// Returns a collection, or an empty one that does not exist yet.
    ///
    /// # Errors
    ///
    /// The key holds another type, or is too long for a collection.
    pub fn collection_or_new<'k>(&self, key: &'k [u8], ty: Type) -> Done<Coll<'k>> {
        match self.collection(key, ty)? {
            Some(found) => Ok(found),
            None => self.new_collection(key, ty),
        }
    }

    /// Returns an empty collection with a new version. Saving it replaces what the key holds, of any type.
    ///
    /// # Errors
    ///
    /// The key is too long for a collection.
    pub fn new_collection<'k>(&self, key: &'k [u8], ty: Type) -> Done<Coll<'k>> {
        if key.len() > COLLECTION_KEY_MAX {
            return Err(KEY_TOO_LONG.into());
        }
        let version = self.server.store.versions().next();
        let head = Head { ty, encoding: 0, expire_ms: 0 };
        let row = Collection { head, version, count: 0, extra: SmallVec::new() };
        Ok(Coll { place: self.place(key), row, is_stored: false })
    }

    /// Writes a collection's M row, or removes the key if the collection is empty and not a stream.
    pub fn save(&mut self, coll: &mut Coll<'_>) -> Done {
        if coll.row.count == 0 && coll.row.head.ty != Type::Stream {
            if coll.is_stored {
                self.txn.delete(coll.place.partition, &coll.place.meta())?;
                coll.is_stored = false;
            }
        } else {
            let value = coll.row.to_bytes();
            self.put_meta(&coll.place, &value)?;
            coll.is_stored = true;
        }
        self.touch(coll.place.key);
        Ok(())
    }

    /// Writes the M row of a key. A key that the command replaces is not new, even if its old rows are removed first.
    pub fn put_meta(&mut self, place: &Place<'_>, value: &[u8]) -> Done {
        if self.server.wants_event(b'n') && self.head(place)?.is_none() {
            let (mut existed, now_ms) = (false, self.now_ms);
            self.server.store.get(place.partition, &place.meta(), None, &mut |value| {
                existed = Head::parse(value).is_some_and(|(head, _)| !head.is_expired(now_ms));
            })?;
            if !existed {
                self.notify(b'n', "new", place.key);
            }
        }
        Ok(self.txn.put(place.partition, &place.meta(), value)?)
    }

    /// Passes the value of a row of a collection to `found`, and returns its result.
    pub fn sub_get<R>(
        &self,
        coll: &Coll<'_>,
        kind: u8,
        sub: &[u8],
        found: impl FnOnce(&[u8]) -> R,
    ) -> Done<Option<R>> {
        Ok(self.txn.get(coll.place.partition, &coll.sub_key(kind, sub), found)?)
    }

    /// Writes a row of a collection.
    pub fn sub_put(&mut self, coll: &Coll<'_>, kind: u8, sub: &[u8], value: &[u8]) -> Done {
        Ok(self.txn.put(coll.place.partition, &coll.sub_key(kind, sub), value)?)
    }

    /// Deletes a row of a collection.
    pub fn sub_delete(&mut self, coll: &Coll<'_>, kind: u8, sub: &[u8]) -> Done {
        Ok(self.txn.delete(coll.place.partition, &coll.sub_key(kind, sub))?)
    }

    /// Returns an iteration over all rows of a kind.
    pub fn sub_rows(&self, coll: &Coll<'_>, kind: u8) -> Done<Rows> {
        self.sub_range(coll, coll.range(kind, b"", None))
    }

    /// Returns an iteration over rows of a range, which [`Coll::range`] returned.
    pub fn sub_range(&self, coll: &Coll<'_>, range: Range) -> Done<Rows> {
        Ok(self.txn.rows(coll.place.partition, range)?)
    }

    /// Removes a key of any type. Returns whether it was there.
    pub fn remove(&mut self, place: &Place<'_>) -> Done<bool> {
        let found = self.meta(place, |head, body| match is_collection(head) {
            true => Collection::parse(head, body),
            false => None,
        })?;
        let Some(collection) = found else { return Ok(false) };
        if let Some(row) = collection {
            self.discard_rows(&Coll { place: *place, row, is_stored: true })?;
        }
        self.txn.delete(place.partition, &place.meta())?;
        self.touch(place.key);
        Ok(true)
    }

    /// Removes the rows of a large collection whose M row is removed or names another version from now on. Those of a
    /// small one are left to compactions.
    pub fn discard_rows(&mut self, coll: &Coll<'_>) -> Done {
        let is_string = coll.row.head.ty == Type::String;
        let rows = coll.row.count / if is_string { super::string_value::CHUNK as u64 } else { 1 };
        if rows > RANGE_DELETION_MIN {
            for kind in [DATA, SCORE, GROUP] {
                self.txn.delete_range(coll.place.partition, &coll.range(kind, b"", None))?;
            }
        }
        Ok(())
    }

    /// Sets when a key expires, in milliseconds since 1970; 0 means never. Returns whether the key is there.
    pub fn set_expiry(&mut self, place: &Place<'_>, expire_ms: u64) -> Done<bool> {
        let value = self.meta(place, |head, body| {
            let mut value = Vec::with_capacity(body.len() + 8);
            Head { expire_ms, ..head }.write(&mut value);
            value.extend_from_slice(body);
            value
        })?;
        let Some(value) = value else { return Ok(false) };
        self.txn.put(place.partition, &place.meta(), &value)?;
        self.touch(place.key);
        Ok(true)
    }
}

/// Passes head and body of an M row to `found`, unless the key has expired.
fn meta<R>(
    txn: &Txn,
    now_ms: u64,
    place: &Place<'_>,
    found: impl FnOnce(Head, &[u8]) -> R,
) -> Done<Option<R>> {
    let result = txn.get(place.partition, &place.meta(), |value| {
        let (head, body) = Head::parse(value)?;
        Some((!is_absent(head, body, now_ms)).then(|| found(head, body)))
    })?;
    match result {
        None => Ok(None),
        Some(Some(result)) => Ok(result),
        Some(None) => Err(DAMAGED.into()),
    }
}

/// Returns whether the key of an M row is absent at this time: it expired, or it is a hash all of whose fields did.
pub fn is_absent(head: Head, body: &[u8], now_ms: u64) -> bool {
    head.is_expired(now_ms)
        || (head.ty == Type::Hash
            && head.encoding == hash::EXPIRING
            && Collection::parse(head, body).is_some_and(|row| hash::has_ended(&row, now_ms)))
}

/// Returns whether a value has rows besides its M row: all but short strings.
pub fn is_collection(head: Head) -> bool {
    head.ty != Type::String || head.encoding != RAW
}
