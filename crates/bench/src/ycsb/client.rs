//! Operations on a database. A server's client implements the same trait.

use super::record::{Fields, Shape};
use crate::rng::Random64;
use crate::target::{Result, Session, touch};

/// One thread's access to a table.
pub trait Client {
    /// Reads a record, whole or one field; false if there is none. Contents that can be checked are checked.
    fn read(&mut self, shape: &Shape, key: &[u8], field: Option<usize>) -> Result<bool>;
    /// Writes a record.
    fn insert(&mut self, shape: &Shape, key: &[u8], random: &mut Random64) -> Result<()>;
    /// Writes one field of a record, or all; false if there is no record.
    fn update(
        &mut self,
        shape: &Shape,
        key: &[u8],
        field: Option<usize>,
        random: &mut Random64,
    ) -> Result<bool>;
    /// Reads up to this many records from a key on; returns how many there were.
    fn scan(
        &mut self,
        shape: &Shape,
        key: &[u8],
        records: u64,
        field: Option<usize>,
    ) -> Result<u64>;
    /// Deletes a record.
    fn delete(&mut self, key: &[u8]) -> Result<()>;
    /// Reads several records in one call; returns how many exist.
    fn multi_get(&mut self, shape: &Shape, keys: &[Vec<u8>]) -> Result<u64>;
    /// Writes several records in one call: all of them or none.
    fn batch_set(&mut self, shape: &Shape, keys: &[Vec<u8>], random: &mut Random64) -> Result<()>;
    /// Returns the bytes of keys and values that it has written and read.
    fn user_bytes(&self) -> (u64, u64);
}

/// A client of an engine in this process. As with YCSB's RocksDB client, an update reads the record, replaces fields,
/// and writes it. A blind one writes the whole record, as clients of stores do that have no fields.
pub struct Embedded<'a> {
    session: Box<dyn Session + 'a>,
    blind: bool,
    value: Vec<u8>,
    /// Concatenated keys.
    keys: Vec<u8>,
    written: u64,
    read: u64,
}

impl<'a> Embedded<'a> {
    /// Creates a client with this session.
    pub fn new(session: Box<dyn Session + 'a>) -> Embedded<'a> {
        let (value, keys) = (Vec::new(), Vec::new());
        Embedded { session, blind: false, value, keys, written: 0, read: 0 }
    }

    /// Creates a client whose updates do not read.
    pub fn blind(session: Box<dyn Session + 'a>) -> Embedded<'a> {
        Embedded { blind: true, ..Embedded::new(session) }
    }
}

impl Client for Embedded<'_> {
    fn read(&mut self, shape: &Shape, key: &[u8], field: Option<usize>) -> Result<bool> {
        let Some(value) = self.session.get(key)? else { return Ok(false) };
        self.read += (key.len() + value.len()) as u64;
        use_fields(shape, value, field)?;
        if shape.checked && !shape.is_whole(key, value)? {
            let key = String::from_utf8_lossy(key);
            return Err(format!("{key}: the record is not what was written"));
        }
        Ok(true)
    }

    fn insert(&mut self, shape: &Shape, key: &[u8], random: &mut Random64) -> Result<()> {
        shape.value(key, random, &mut self.value);
        self.written += (key.len() + self.value.len()) as u64;
        self.session.put(key, &self.value)
    }

    fn update(
        &mut self,
        shape: &Shape,
        key: &[u8],
        field: Option<usize>,
        random: &mut Random64,
    ) -> Result<bool> {
        if self.blind {
            return self.insert(shape, key, random).map(|()| true);
        }
        let Some(old) = self.session.get(key)? else { return Ok(false) };
        self.read += (key.len() + old.len()) as u64;
        match field {
            Some(field) => shape.with_field(old, (key, field), random, &mut self.value)?,
            None => shape.value(key, random, &mut self.value),
        }
        self.written += (key.len() + self.value.len()) as u64;
        self.session.put(key, &self.value)?;
        Ok(true)
    }

    fn scan(
        &mut self,
        shape: &Shape,
        key: &[u8],
        records: u64,
        field: Option<usize>,
    ) -> Result<u64> {
        self.session.open_iterator(None, None)?;
        self.session.seek(key);
        let mut found = 0;
        while found < records && self.session.valid() {
            use_fields(shape, self.session.value(), field)?;
            self.read += (self.session.key().len() + self.session.value().len()) as u64;
            found += 1;
            self.session.next();
        }
        let status = self.session.status();
        self.session.close_iterator();
        status.map(|()| found)
    }

    fn delete(&mut self, key: &[u8]) -> Result<()> {
        self.written += key.len() as u64;
        self.session.delete(key)
    }

    fn multi_get(&mut self, _: &Shape, keys: &[Vec<u8>]) -> Result<u64> {
        let Some(length) = keys.first().map(Vec::len) else { return Ok(0) };
        if keys.iter().any(|key| key.len() != length) {
            return Err(
                "multi_get: the keys differ in their lengths; set zeropadding=20".to_owned()
            );
        }
        self.keys.clear();
        keys.iter().for_each(|key| self.keys.extend_from_slice(key));
        let (found, bytes) = self.session.multi_get(&self.keys, length)?;
        self.read += found * length as u64 + bytes;
        Ok(found)
    }

    fn batch_set(&mut self, shape: &Shape, keys: &[Vec<u8>], random: &mut Random64) -> Result<()> {
        for key in keys {
            shape.value(key, random, &mut self.value);
            self.written += (key.len() + self.value.len()) as u64;
            self.session.batch_put(key, &self.value);
        }
        self.session.batch_write()
    }

    fn user_bytes(&self) -> (u64, u64) {
        (self.written, self.read)
    }
}

/// Reads the field, or all.
fn use_fields(shape: &Shape, value: &[u8], field: Option<usize>) -> Result<()> {
    let wanted = field.map(|field| shape.fields[field].as_bytes());
    for part in Fields(value) {
        let (name, content) = part?;
        if wanted.is_none_or(|wanted| wanted == name) {
            touch(content);
        }
    }
    Ok(())
}
