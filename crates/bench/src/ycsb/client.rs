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
    /// Returns the bytes of keys and values that it has written and read.
    fn user_bytes(&self) -> (u64, u64);
}

/// A client of an engine in this process. As with YCSB's RocksDB client, an update reads the record, replaces fields,
/// and writes it.
pub struct Embedded<'a> {
    session: Box<dyn Session + 'a>,
    value: Vec<u8>,
    written: u64,
    read: u64,
}

impl<'a> Embedded<'a> {
    /// Creates a client with this session.
    pub fn new(session: Box<dyn Session + 'a>) -> Embedded<'a> {
        Embedded { session, value: Vec::new(), written: 0, read: 0 }
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
