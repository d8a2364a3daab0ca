//! Operations on a database in this process or on a server.

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
    fn delete(&mut self, shape: &Shape, key: &[u8]) -> Result<()>;
    /// Reads several records in one call; returns how many exist.
    fn multi_get(&mut self, shape: &Shape, keys: &[Vec<u8>]) -> Result<u64>;
    /// Writes several records in one call: all of them or none.
    fn batch_set(&mut self, shape: &Shape, keys: &[Vec<u8>], random: &mut Random64) -> Result<()>;
    /// Returns the bytes of keys and values that it has written and read.
    fn user_bytes(&self) -> (u64, u64);
    /// Begins an operation on a key without waiting for its end. The ticket must be free.
    fn begin(
        &mut self,
        _shape: &Shape,
        _of: (&[u8], Work<'_>),
        _ticket: usize,
        _random: &mut Random64,
    ) -> Result<()> {
        Err("an engine in this process does one operation at a time".to_owned())
    }
    /// Waits for the end of an operation that was begun.
    fn end(&mut self, _shape: &Shape) -> Result<Ended> {
        Err("an engine in this process does one operation at a time".to_owned())
    }
}

/// What an operation does with its key.
#[derive(Clone, Copy, Debug)]
pub enum Work<'a> {
    /// Reads the record, whole or one field.
    Read(Option<usize>),
    /// Writes a new record.
    Insert,
    /// Writes one field, or all.
    Update(Option<usize>),
    /// Reads up to this many records from the key on, whole or one field.
    Scan(u64, Option<usize>),
    /// Reads one field or all, then writes one or all.
    ReadModifyWrite(Option<usize>, Option<usize>),
    /// Deletes the record.
    Delete,
    /// Reads these keys instead.
    MultiGet(&'a [Vec<u8>]),
    /// Writes these keys instead.
    BatchSet(&'a [Vec<u8>]),
}

/// An operation that has ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ended {
    /// The ticket with which it was begun.
    pub ticket: usize,
    /// Whether its record exists; for several keys, whether all exist.
    pub is_found: bool,
    /// Records of a scan or of several keys.
    pub records: u64,
}

/// A connection that does several operations at a time.
pub trait Operations {
    /// Begins an operation; see [`Client::begin`].
    fn begin(
        &mut self,
        shape: &Shape,
        of: (&[u8], Work<'_>),
        ticket: usize,
        random: &mut Random64,
    ) -> Result<()>;
    /// Waits for the end of one; see [`Client::end`].
    fn end(&mut self, shape: &Shape) -> Result<Ended>;
    /// Returns the bytes of keys and values that it has written and read.
    fn bytes(&self) -> (u64, u64);
}

/// A client of a server.
pub struct Remote<O>(pub O);

impl<O: Operations> Remote<O> {
    /// Does one operation.
    fn call(
        &mut self,
        shape: &Shape,
        of: (&[u8], Work<'_>),
        random: &mut Random64,
    ) -> Result<Ended> {
        self.0.begin(shape, of, 0, random)?;
        self.0.end(shape)
    }

    /// Does one operation that writes nothing.
    fn ask(&mut self, shape: &Shape, key: &[u8], work: Work<'_>) -> Result<Ended> {
        self.call(shape, (key, work), &mut Random64::new(0))
    }
}

impl<O: Operations> Client for Remote<O> {
    fn read(&mut self, shape: &Shape, key: &[u8], field: Option<usize>) -> Result<bool> {
        Ok(self.ask(shape, key, Work::Read(field))?.is_found)
    }

    fn insert(&mut self, shape: &Shape, key: &[u8], random: &mut Random64) -> Result<()> {
        self.call(shape, (key, Work::Insert), random).map(|_| ())
    }

    fn update(
        &mut self,
        shape: &Shape,
        key: &[u8],
        field: Option<usize>,
        random: &mut Random64,
    ) -> Result<bool> {
        Ok(self.call(shape, (key, Work::Update(field)), random)?.is_found)
    }

    fn scan(
        &mut self,
        shape: &Shape,
        key: &[u8],
        records: u64,
        field: Option<usize>,
    ) -> Result<u64> {
        Ok(self.ask(shape, key, Work::Scan(records, field))?.records)
    }

    fn delete(&mut self, shape: &Shape, key: &[u8]) -> Result<()> {
        self.ask(shape, key, Work::Delete).map(|_| ())
    }

    fn multi_get(&mut self, shape: &Shape, keys: &[Vec<u8>]) -> Result<u64> {
        let Some(first) = keys.first() else { return Ok(0) };
        Ok(self.ask(shape, first, Work::MultiGet(keys))?.records)
    }

    fn batch_set(&mut self, shape: &Shape, keys: &[Vec<u8>], random: &mut Random64) -> Result<()> {
        let Some(first) = keys.first() else { return Ok(()) };
        self.call(shape, (first, Work::BatchSet(keys)), random).map(|_| ())
    }

    fn user_bytes(&self) -> (u64, u64) {
        self.0.bytes()
    }

    fn begin(
        &mut self,
        shape: &Shape,
        of: (&[u8], Work<'_>),
        ticket: usize,
        random: &mut Random64,
    ) -> Result<()> {
        self.0.begin(shape, of, ticket, random)
    }

    fn end(&mut self, shape: &Shape) -> Result<Ended> {
        self.0.end(shape)
    }
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
        shape.updated(old, (key, field), random, &mut self.value)?;
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

    fn delete(&mut self, _: &Shape, key: &[u8]) -> Result<()> {
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
