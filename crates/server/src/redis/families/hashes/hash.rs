//! A hash as a command sees it: its rows without the expired fields.
//!
//! A command that writes first removes up to [`PURGED_MAX`] expired fields. Reads skip expired fields, so a hash with
//! more of them is correct, and its later writes remove the others.

use crate::redis::context::Context;
use crate::redis::failure::{DAMAGED, Done};
use crate::redis::values::Coll;
use crate::rows::hash::{EXPIRING, Expiries, Field, expiry_sub, parse_expiry_sub};
use crate::rows::redis::{DATA, SCORE, Type};
use crate::store::Txn;
use smallvec::SmallVec;

/// The most expired fields that one command removes.
const PURGED_MAX: usize = 1000;

/// A hash that a command works on. Changes are stored by [`Hash::save`].
pub(in crate::redis::families) struct Hash<'k> {
    pub(in crate::redis::families) coll: Coll<'k>,
    expiries: Expiries,
    now_ms: u64,
    /// Whether rows of expired fields may exist after the removal.
    has_leftovers: bool,
    has_new_count: bool,
    has_new_expiries: bool,
}

/// What a field was before a write: when it expires (0 means never), or `None` if it was absent.
pub(in crate::redis::families) type Old = Option<u64>;

impl<'k> Hash<'k> {
    /// Returns a hash for reading; `None` if the key is absent.
    pub(in crate::redis::families) fn find(
        context: &Context<'_>,
        key: &'k [u8],
    ) -> Done<Option<Hash<'k>>> {
        let Some(coll) = context.collection(key, Type::Hash)? else { return Ok(None) };
        Hash::new(coll, context.now_ms()).map(Some)
    }

    /// Returns a hash for writing, without the fields that have expired; `None` if the key is absent.
    pub(in crate::redis::families) fn find_to_write(
        context: &mut Context<'_>,
        key: &'k [u8],
    ) -> Done<Option<Hash<'k>>> {
        let Some(mut hash) = Hash::find(context, key)? else { return Ok(None) };
        hash.purge(context)?;
        Ok(Some(hash))
    }

    /// Returns a hash for writing, which is new if the key is absent.
    pub(in crate::redis::families) fn find_or_create(
        context: &mut Context<'_>,
        key: &'k [u8],
    ) -> Done<Hash<'k>> {
        let mut hash = Hash::find_or_new(context, key)?;
        hash.purge(context)?;
        Ok(hash)
    }

    /// As [`find_or_create`](Hash::find_or_create), without a write: [`purge`](Hash::purge) must be called before one.
    pub(in crate::redis::families) fn find_or_new(
        context: &Context<'_>,
        key: &'k [u8],
    ) -> Done<Hash<'k>> {
        match Hash::find(context, key)? {
            Some(hash) => Ok(hash),
            None => Hash::new(context.new_collection(key, Type::Hash)?, context.now_ms()),
        }
    }

    fn new(coll: Coll<'k>, now_ms: u64) -> Done<Hash<'k>> {
        let expiries = Expiries::parse(&coll.row.extra).ok_or(DAMAGED)?;
        let (has_leftovers, has_new_count, has_new_expiries) = (false, false, false);
        Ok(Hash { coll, expiries, now_ms, has_leftovers, has_new_count, has_new_expiries })
    }

    /// Returns whether the key was there.
    pub(in crate::redis::families) fn is_stored(&self) -> bool {
        self.coll.is_stored
    }

    /// Returns the number of fields.
    pub(in crate::redis::families) fn len(&self, context: &Context<'_>) -> Done<u64> {
        let mut expired = 0;
        if self.expiries.are_due(self.now_ms) {
            let end = self.now_ms.to_be_bytes();
            let range = self.coll.range(SCORE, b"", Some(&end));
            let mut rows = context.sub_range(&self.coll, range)?;
            let mut row = rows.first()?;
            while row.is_some() {
                expired += 1;
                row = rows.next()?;
            }
        }
        Ok(self.coll.row.count.saturating_sub(expired))
    }

    /// Passes a field to `found`, and returns its result; `None` if the field is absent.
    pub(in crate::redis::families) fn get<R>(
        &self,
        txn: &Txn,
        name: &[u8],
        found: impl FnOnce(Field<'_>) -> R,
    ) -> Done<Option<R>> {
        let key = self.coll.sub_key(DATA, name);
        let result = txn.get(self.coll.place.partition, &key, |value| {
            let field = Field::parse(value)?;
            Some((!field.is_expired(self.now_ms)).then(|| found(field)))
        })?;
        match result {
            None => Ok(None),
            Some(Some(result)) => Ok(result),
            Some(None) => Err(DAMAGED.into()),
        }
    }

    /// Passes each of these fields to `found`, in their order; `None` for those that are absent.
    pub(in crate::redis::families) fn get_all(
        &self,
        txn: &Txn,
        names: &[&[u8]],
        mut found: impl FnMut(Option<Field<'_>>),
    ) -> Done {
        if let [name] = names {
            if self.get(txn, name, |field| found(Some(field)))?.is_none() {
                found(None);
            }
            return Ok(());
        }
        let place = self.coll.place;
        let keys: Vec<_> =
            names.iter().map(|name| (place.partition, self.coll.sub_key(DATA, name))).collect();
        for value in txn.multi_get(&keys)? {
            let field = match &value {
                Some(value) => Some(Field::parse(value).ok_or(DAMAGED)?),
                None => None,
            };
            found(field.filter(|field| !field.is_expired(self.now_ms)));
        }
        Ok(())
    }

    /// Returns what these fields are before a write.
    pub(in crate::redis::families) fn olds(
        &self,
        txn: &Txn,
        names: &[&[u8]],
    ) -> Done<SmallVec<[Old; 8]>> {
        let mut olds = SmallVec::with_capacity(names.len());
        match self.coll.is_stored {
            true => self.get_all(txn, names, |old| olds.push(old.map(|field| field.expire_ms)))?,
            false => olds.resize(names.len(), None),
        }
        Ok(olds)
    }

    /// Passes fields to `found`, in the order of their names, while it returns true.
    pub(in crate::redis::families) fn each(
        &self,
        txn: &Txn,
        mut found: impl FnMut(&[u8], Field<'_>) -> Done<bool>,
    ) -> Done {
        let mut rows = txn.rows(self.coll.place.partition, self.coll.range(DATA, b"", None))?;
        let mut row = rows.first()?;
        while let Some((key, value)) = row {
            let field = Field::parse(value).ok_or(DAMAGED)?;
            if !field.is_expired(self.now_ms) && !found(self.coll.sub(key), field)? {
                break;
            }
            row = rows.next()?;
        }
        Ok(())
    }

    /// Writes a field.
    pub(in crate::redis::families) fn put(
        &mut self,
        context: &mut Context<'_>,
        name: &[u8],
        field: Field<'_>,
        old: Old,
    ) -> Done {
        if old.is_none() {
            if self.has_leftovers {
                self.remove_leftover(context, name)?;
            }
            self.coll.row.count += 1;
            self.has_new_count = true;
        }
        self.put_expiry(context, name, old.unwrap_or(0), field.expire_ms)?;
        context.sub_put(&self.coll, DATA, name, &field.to_bytes())
    }

    /// Deletes the rows of an expired field whose name gets a new value.
    fn remove_leftover(&mut self, context: &mut Context<'_>, name: &[u8]) -> Done {
        let expire_ms = context.sub_get(&self.coll, DATA, name, |value| {
            Field::parse(value).map(|field| field.expire_ms)
        })?;
        match expire_ms {
            Some(expire_ms) => self.delete(context, name, expire_ms.ok_or(DAMAGED)?),
            None => Ok(()),
        }
    }

    /// Deletes a field that exists.
    pub(in crate::redis::families) fn delete(
        &mut self,
        context: &mut Context<'_>,
        name: &[u8],
        expire_ms: u64,
    ) -> Done {
        self.coll.row.count = self.coll.row.count.saturating_sub(1);
        self.has_new_count = true;
        self.put_expiry(context, name, expire_ms, 0)?;
        context.sub_delete(&self.coll, DATA, name)
    }

    /// Replaces the Z row of a field.
    fn put_expiry(
        &mut self,
        context: &mut Context<'_>,
        name: &[u8],
        from_ms: u64,
        to_ms: u64,
    ) -> Done {
        if from_ms == to_ms {
            return Ok(());
        }
        self.has_new_expiries = true;
        if from_ms != 0 {
            self.expiries.count = self.expiries.count.saturating_sub(1);
            context.sub_delete(&self.coll, SCORE, &expiry_sub(from_ms, name))?;
        }
        if to_ms != 0 {
            self.expiries.count += 1;
            context.sub_put(&self.coll, SCORE, &expiry_sub(to_ms, name), b"")?;
        }
        Ok(())
    }

    /// Removes fields that have expired.
    pub(in crate::redis::families) fn purge(&mut self, context: &mut Context<'_>) -> Done {
        if self.expiries.count > 0 {
            // The last step reads the first and the last expiry among those that the command wrote.
            context.txn.see_own_writes();
        }
        if !self.expiries.are_due(self.now_ms) {
            return Ok(());
        }
        let end = self.now_ms.to_be_bytes();
        let mut rows = context.sub_range(&self.coll, self.coll.range(SCORE, b"", Some(&end)))?;
        let mut expired: Vec<(u64, Vec<u8>)> = Vec::new();
        let mut row = rows.first()?;
        while let Some((key, _)) = row
            && expired.len() < PURGED_MAX
        {
            let (time, name) = parse_expiry_sub(self.coll.sub(key)).ok_or(DAMAGED)?;
            expired.push((time, name.to_vec()));
            row = rows.next()?;
        }
        self.has_leftovers = row.is_some();
        for (time, name) in &expired {
            self.delete(context, name, *time)?;
        }
        if !expired.is_empty() {
            context.notify(b'h', "hexpired", self.coll.place.key);
        }
        // The first expiry may be later now, even if nothing has expired.
        self.has_new_expiries = true;
        Ok(())
    }

    /// Stores what changed of the M row. Returns whether no field is left, so that the key is removed.
    pub(in crate::redis::families) fn save(&mut self, context: &mut Context<'_>) -> Done<bool> {
        if self.has_new_expiries {
            self.measure_expiries(context)?;
        }
        if self.has_new_count || self.has_new_expiries || !self.coll.is_stored {
            context.save(&mut self.coll)?;
        } else {
            context.touch(self.coll.place.key);
        }
        let count = self.coll.row.count;
        Ok(count == 0 || self.expiries.has_ended(count, self.now_ms))
    }

    /// Stores what a removal of expired fields changed, if one was done. For a command that changes nothing else.
    pub(in crate::redis::families) fn save_purge(&mut self, context: &mut Context<'_>) -> Done {
        if self.has_new_count || self.has_new_expiries {
            self.save(context)?;
        }
        Ok(())
    }

    /// Finds the first and the last expiry.
    fn measure_expiries(&mut self, context: &Context<'_>) -> Done {
        if self.expiries.count > 0 {
            let mut rows = context.sub_rows(&self.coll, SCORE)?;
            let time = |row: Option<(&[u8], &[u8])>| {
                let (time, _) = parse_expiry_sub(self.coll.sub(row?.0))?;
                Some(time)
            };
            self.expiries.earliest_ms = time(rows.first()?).ok_or(DAMAGED)?;
            self.expiries.latest_ms = time(rows.last()?).ok_or(DAMAGED)?;
        }
        self.coll.row.head.encoding = if self.expiries.count > 0 { EXPIRING } else { 0 };
        self.coll.row.extra = self.expiries.to_bytes();
        Ok(())
    }
}
