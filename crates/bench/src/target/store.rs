//! A session on an engine with plain calls: lookups, writes, atomic batches, and cursors.
//!
//! An engine implements [`Store`] for a thread; [`Plain`] makes it a [`Session`]. Merges, snapshots and transactions
//! are refused by name.

use super::{Result, Session};

/// A change of a batch: a key with its value, or without one for a deletion.
pub(super) type Change = (Vec<u8>, Option<Vec<u8>>);

/// One thread's access to an engine.
pub(super) trait Store {
    /// A value that was read.
    type Value: AsRef<[u8]>;
    /// A position in the order of keys.
    type Cursor: Cursor;

    /// Returns the engine's name, for errors.
    fn name(&self) -> &'static str;
    /// Writes one entry.
    fn put(&mut self, key: &[u8], value: &[u8]) -> Result<()>;
    /// Deletes one entry.
    fn delete(&mut self, key: &[u8]) -> Result<()>;
    /// Writes a batch: all of it or, after a crash, none.
    fn write(&mut self, changes: &[Change]) -> Result<()>;
    /// Returns the value of a key.
    fn get(&mut self, key: &[u8]) -> Result<Option<Self::Value>>;
    /// Returns a cursor on the current contents. It sees keys from `lower` up to but excluding `upper`, and no later
    /// writes.
    fn cursor(&mut self, lower: Option<&[u8]>, upper: Option<&[u8]>) -> Result<Self::Cursor>;
}

/// A position in the order of keys; it begins at none.
pub(super) trait Cursor {
    /// Moves to the first key at or after the target.
    fn seek(&mut self, key: &[u8]);
    /// Moves to the first key.
    fn seek_to_first(&mut self);
    /// Moves to the last key.
    fn seek_to_last(&mut self);
    /// Moves one step forward.
    fn next(&mut self);
    /// Moves one step back.
    fn prev(&mut self);
    /// Returns the entry there.
    fn entry(&self) -> Option<(&[u8], &[u8])>;
    /// Returns its error, if it has one.
    fn error(&self) -> Option<&str>;
}

/// A session on a store.
pub(super) struct Plain<S: Store> {
    store: S,
    batch: Vec<Change>,
    value: Option<S::Value>,
    cursor: Option<S::Cursor>,
}

impl<S: Store> Plain<S> {
    /// Creates a session.
    pub(super) fn new(store: S) -> Plain<S> {
        Plain { store, batch: Vec::new(), value: None, cursor: None }
    }

    fn entry(&self) -> Option<(&[u8], &[u8])> {
        self.cursor.as_ref()?.entry()
    }
}

impl<S: Store> Session for Plain<S> {
    fn put(&mut self, key: &[u8], value: &[u8]) -> Result<()> {
        self.store.put(key, value)
    }

    fn merge(&mut self, _: &[u8], _: &[u8]) -> Result<()> {
        Err(format!("{} does not support merges", self.store.name()))
    }

    fn delete(&mut self, key: &[u8]) -> Result<()> {
        self.store.delete(key)
    }

    fn batch_put(&mut self, key: &[u8], value: &[u8]) {
        self.batch.push((key.to_vec(), Some(value.to_vec())));
    }

    fn batch_delete(&mut self, key: &[u8]) {
        self.batch.push((key.to_vec(), None));
    }

    fn batch_write(&mut self) -> Result<()> {
        let written = self.store.write(&self.batch);
        self.batch.clear();
        written
    }

    #[inline]
    fn get(&mut self, key: &[u8]) -> Result<Option<&[u8]>> {
        // The engine may release what the old value holds before it reads the new one.
        self.value = None;
        self.value = self.store.get(key)?;
        Ok(self.value.as_ref().map(AsRef::as_ref))
    }

    fn open_iterator(&mut self, lower: Option<&[u8]>, upper: Option<&[u8]>) -> Result<()> {
        self.cursor = None;
        self.cursor = Some(self.store.cursor(lower, upper)?);
        Ok(())
    }

    fn close_iterator(&mut self) {
        self.cursor = None;
    }

    fn seek(&mut self, key: &[u8]) {
        if let Some(cursor) = &mut self.cursor {
            cursor.seek(key);
        }
    }

    fn seek_to_first(&mut self) {
        if let Some(cursor) = &mut self.cursor {
            cursor.seek_to_first();
        }
    }

    fn seek_to_last(&mut self) {
        if let Some(cursor) = &mut self.cursor {
            cursor.seek_to_last();
        }
    }

    fn next(&mut self) {
        if let Some(cursor) = &mut self.cursor {
            cursor.next();
        }
    }

    fn prev(&mut self) {
        if let Some(cursor) = &mut self.cursor {
            cursor.prev();
        }
    }

    fn valid(&self) -> bool {
        self.entry().is_some()
    }

    fn key(&self) -> &[u8] {
        self.entry().map_or(&[], |(key, _)| key)
    }

    fn value(&self) -> &[u8] {
        self.entry().map_or(&[], |(_, value)| value)
    }

    fn status(&self) -> Result<()> {
        let error = self.cursor.as_ref().and_then(|cursor| cursor.error());
        error.map_or(Ok(()), |error| Err(error.to_owned()))
    }
}
