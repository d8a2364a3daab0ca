//! Reads lengths, strings and numbers of an RDB payload.
//!
//! ```text
//! length  = 00llllll | 01llllll l:1 | 10000000 l:4 | 10000001 l:8        big-endian
//! string  = length bytes | 11000000 i:1 | 11000001 i:2 | 11000010 i:4   integers little-endian
//!         | 11000011 length(compressed) length(uncompressed) LZF-bytes
//! ```

use std::borrow::Cow;

use super::DumpError;
use crate::text::lzf;

/// The memory that an element of a collection is taken to need beside its bytes.
const ELEMENT_OVERHEAD: usize = 48;

/// The result of a step.
pub(super) type Result<T> = std::result::Result<T, DumpError>;

/// A position in a payload, and the memory that the value may still take.
pub(super) struct Reader<'a> {
    rest: &'a [u8],
    length: usize,
    memory: usize,
}

enum Prefix {
    Length(u64),
    Encoded(u8),
}

impl<'a> Reader<'a> {
    /// Returns a reader at the begin of a payload.
    pub fn new(bytes: &'a [u8], memory_max: usize) -> Reader<'a> {
        Reader { rest: bytes, length: bytes.len(), memory: memory_max }
    }

    /// Returns whether all bytes were read.
    pub fn is_at_end(&self) -> bool {
        self.rest.is_empty()
    }

    /// Returns an error at the present offset.
    pub fn fail(&self, what: &'static str) -> DumpError {
        DumpError::Format { what, offset: self.length - self.rest.len() }
    }

    /// Reads bytes.
    pub fn take(&mut self, count: usize) -> Result<&'a [u8]> {
        let (taken, rest) =
            self.rest.split_at_checked(count).ok_or_else(|| self.fail("bytes are missing"))?;
        self.rest = rest;
        Ok(taken)
    }

    /// Reads bytes of a fixed number.
    pub fn array<const N: usize>(&mut self) -> Result<[u8; N]> {
        let (taken, rest) =
            self.rest.split_first_chunk().ok_or_else(|| self.fail("bytes are missing"))?;
        self.rest = rest;
        Ok(*taken)
    }

    /// Reads one byte.
    pub fn byte(&mut self) -> Result<u8> {
        Ok(u8::from_le_bytes(self.array()?))
    }

    /// Reads a length, which may stand for any number.
    pub fn number(&mut self) -> Result<u64> {
        match self.prefix()? {
            Prefix::Length(length) => Ok(length),
            Prefix::Encoded(_) => Err(self.fail("expected a length, found an encoded string")),
        }
    }

    /// Reads a number of things, of which each takes at least a byte of the rest.
    pub fn count(&mut self) -> Result<usize> {
        let count = usize::try_from(self.number()?).ok();
        count
            .filter(|count| *count <= self.rest.len())
            .ok_or_else(|| self.fail("a count that is larger than the rest of the payload"))
    }

    /// Reads the number of elements of a collection, which is not 0.
    pub fn count_not_zero(&mut self) -> Result<usize> {
        match self.count()? {
            0 => Err(DumpError::Empty),
            count => Ok(count),
        }
    }

    /// Reads a string that becomes part of the value.
    pub fn string(&mut self) -> Result<Vec<u8>> {
        let bytes = self.blob()?;
        self.charge(bytes.len() + ELEMENT_OVERHEAD)?;
        Ok(bytes.into_owned())
    }

    /// Reads a string that holds encoded elements.
    pub fn blob(&mut self) -> Result<Cow<'a, [u8]>> {
        match self.prefix()? {
            Prefix::Length(length) => {
                let length = usize::try_from(length).unwrap_or(usize::MAX);
                self.take(length).map(Cow::Borrowed)
            }
            Prefix::Encoded(0) => self.array().map(i8::from_le_bytes).map(decimal),
            Prefix::Encoded(1) => self.array().map(i16::from_le_bytes).map(decimal),
            Prefix::Encoded(2) => self.array().map(i32::from_le_bytes).map(decimal),
            Prefix::Encoded(3) => self.compressed().map(Cow::Owned),
            Prefix::Encoded(_) => Err(self.fail("unknown encoding of a string")),
        }
    }

    /// Copies an element of a decoded blob.
    pub fn own(&mut self, element: &[u8]) -> Result<Vec<u8>> {
        self.charge(element.len() + ELEMENT_OVERHEAD)?;
        Ok(element.to_vec())
    }

    /// Counts memory of the value.
    pub fn charge(&mut self, bytes: usize) -> Result<()> {
        self.memory = self.memory.checked_sub(bytes).ok_or(DumpError::TooLarge)?;
        Ok(())
    }

    fn compressed(&mut self) -> Result<Vec<u8>> {
        let compressed = usize::try_from(self.number()?).unwrap_or(usize::MAX);
        let length = usize::try_from(self.number()?).unwrap_or(usize::MAX);
        let block = self.take(compressed)?;
        // The bytes exist while they are decoded; the elements are charged again when they are copied.
        if length > self.memory {
            return Err(DumpError::TooLarge);
        }
        lzf::decompress(block, length).ok_or_else(|| self.fail("damaged LZF block"))
    }

    fn prefix(&mut self) -> Result<Prefix> {
        let first = self.byte()?;
        let low = first & 0x3f;
        Ok(match (first >> 6, low) {
            (0, _) => Prefix::Length(u64::from(low)),
            (1, _) => Prefix::Length(u64::from(u16::from_be_bytes([low, self.byte()?]))),
            (2, 0) => Prefix::Length(u64::from(u32::from_be_bytes(self.array()?))),
            (2, 1) => Prefix::Length(u64::from_be_bytes(self.array()?)),
            (2, _) => return Err(self.fail("unknown encoding of a length")),
            _ => Prefix::Encoded(low),
        })
    }
}

fn decimal<'a, I: Into<i64>>(value: I) -> Cow<'a, [u8]> {
    let value: i64 = value.into();
    Cow::Owned(value.to_string().into_bytes())
}
