//! RDB files: the keys of all databases, as SAVE and BGSAVE write them.
//!
//! ```text
//! file  = "REDIS" version:4 { item } 255 checksum:8           version: decimal digits; checksum from version 5 on
//! item  = 250 name value                  an auxiliary field, such as the version of Redis
//!       | 254 number                      the next keys are of this database
//!       | 251 keys keys-with-expiry       sizes of tables, hints only
//!       | 245 code                        a library of functions
//!       | 244 slot keys keys-with-expiry  sizes of a slot of a cluster, hints only
//!       | { about } type key value
//! about = 253 seconds:4 | 252 milliseconds:8     expiry, little-endian
//!       | 249 frequency:1 | 248 idle             for eviction
//! ```

use std::io::{self, Read};

use super::kind::{self, Kind};
use super::reader::{Input, Reader, Result};
use super::{DumpError, Value, Version};
use crate::text::crc64;

const SLOT: u8 = 244;
pub(super) const FUNCTION: u8 = 245;
const FUNCTION_OF_CANDIDATES: u8 = 246;
const MODULE_FIELD: u8 = 247;
const IDLE: u8 = 248;
const FREQUENCY: u8 = 249;
pub(super) const FIELD: u8 = 250;
const SIZES: u8 = 251;
pub(super) const EXPIRY_MS: u8 = 252;
const EXPIRY_SECONDS: u8 = 253;
pub(super) const DATABASE: u8 = 254;
pub(super) const END: u8 = 255;

/// The first version with a checksum.
const CHECKSUM_VERSION: u16 = 5;

/// The memory that names, fields and code may take.
const NAME_MAX: usize = 512 << 20;

/// A part of an RDB file.
#[derive(Clone, Debug, PartialEq)]
pub enum Item {
    /// An auxiliary field.
    Field {
        /// Its name, such as `redis-ver`.
        name: Vec<u8>,
        /// Its value.
        value: Vec<u8>,
    },
    /// The code of a library of functions.
    Function(Vec<u8>),
    /// A key.
    Entry(Entry),
}

/// A key of an RDB file.
#[derive(Clone, Debug, PartialEq)]
pub struct Entry {
    /// The number of its database.
    pub database: u64,
    /// The key.
    pub key: Vec<u8>,
    /// Its value.
    pub value: Value,
    /// The Unix time when it expires, in milliseconds.
    pub expires_ms: Option<i64>,
}

/// A reader of an RDB file. After an error, it must not be used any more.
pub struct RdbFile<R> {
    input: Checked<R>,
    version: u16,
    database: u64,
    memory_max: usize,
    is_at_end: bool,
}

/// A source of bytes and the checksum of those that were read.
struct Checked<R> {
    inner: R,
    digest: crc64::Digest,
    offset: usize,
}

impl<R: Read> Input for Checked<R> {
    fn fill(&mut self, buffer: &mut [u8]) -> io::Result<()> {
        self.inner.read_exact(buffer)?;
        self.digest.update(buffer);
        self.offset += buffer.len();
        Ok(())
    }
}

impl<R: Read> RdbFile<R> {
    /// Reads the head of a file. `memory_max` bounds the memory of each value, in bytes. The source should be buffered.
    pub fn open(source: R, memory_max: usize) -> Result<RdbFile<R>> {
        let mut input = Checked { inner: source, digest: crc64::Digest::new(), offset: 0 };
        let mut reader = Reader::of_input(&mut input, 0, memory_max);
        let head: [u8; 9] = reader.array()?;
        let version = head.strip_prefix(b"REDIS").and_then(|digits| {
            std::str::from_utf8(digits).ok().and_then(|digits| digits.parse::<u16>().ok())
        });
        let version =
            version.ok_or_else(|| reader.fail("expected the head of an RDB file: REDIS0011"))?;
        if version == 0 || version > Version::V12.number() {
            return Err(DumpError::Unsupported(format!(
                "version {version} of RDB files, known are 1 to {}",
                Version::V12.number()
            )));
        }
        Ok(RdbFile { input, version, database: 0, memory_max, is_at_end: false })
    }

    /// The version of the file's format.
    pub fn version(&self) -> u16 {
        self.version
    }

    /// Returns how many bytes were read.
    pub fn offset(&self) -> usize {
        self.input.offset
    }

    /// Returns the next part, or `None` at the end. Keys of empty collections are left out, as Redis does.
    pub fn next_item(&mut self) -> Result<Option<Item>> {
        let mut expires_ms = None;
        while !self.is_at_end {
            let offset = self.input.offset;
            let mut reader = Reader::of_input(&mut self.input, offset, NAME_MAX);
            match reader.byte()? {
                FIELD => {
                    let (name, value) = (reader.string()?, reader.string()?);
                    return Ok(Some(Item::Field { name, value }));
                }
                FUNCTION => return Ok(Some(Item::Function(reader.string()?))),
                DATABASE => self.database = reader.number()?,
                SIZES => drop((reader.number()?, reader.number()?)),
                SLOT => drop((reader.number()?, reader.number()?, reader.number()?)),
                FREQUENCY => drop(reader.byte()?),
                IDLE => drop(reader.number()?),
                EXPIRY_MS => expires_ms = Some(i64::from_le_bytes(reader.array()?)),
                EXPIRY_SECONDS => {
                    // Unsigned, unlike Redis: times after 2038 wrapped when they were written, none is before 1970.
                    let seconds = u32::from_le_bytes(reader.array()?);
                    expires_ms = Some(i64::from(seconds) * 1000);
                }
                END => self.finish()?,
                FUNCTION_OF_CANDIDATES => {
                    return Err(DumpError::Unsupported(
                        "functions of Redis 7.0's candidates".into(),
                    ));
                }
                MODULE_FIELD => {
                    return Err(DumpError::Unsupported("fields of modules".into()));
                }
                kind => {
                    if let Some(entry) = self.entry(Kind::from_byte(kind)?, expires_ms.take())? {
                        return Ok(Some(Item::Entry(entry)));
                    }
                }
            }
        }
        Ok(None)
    }

    /// Reads a key and its value; `None` if the value is empty.
    fn entry(&mut self, kind: Kind, expires_ms: Option<i64>) -> Result<Option<Entry>> {
        let offset = self.input.offset;
        let key = Reader::of_input(&mut self.input, offset, NAME_MAX).string()?;
        let offset = self.input.offset;
        let mut reader = Reader::of_input(&mut self.input, offset, self.memory_max);
        match kind::read(kind, &mut reader) {
            Ok(value) => Ok(Some(Entry { database: self.database, key, value, expires_ms })),
            Err(DumpError::Empty) => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// Compares the checksum. A file without one has zeros.
    fn finish(&mut self) -> Result<()> {
        self.is_at_end = true;
        if self.version < CHECKSUM_VERSION {
            return Ok(());
        }
        let computed = std::mem::take(&mut self.input.digest).finish();
        let offset = self.input.offset;
        let stated = Reader::of_input(&mut self.input, offset, 0).array();
        let stated = u64::from_le_bytes(stated?);
        if stated == 0 || stated == computed { Ok(()) } else { Err(DumpError::Footer) }
    }
}

#[cfg(test)]
#[path = "file_test.rs"]
mod tests;
