//! Reads lengths, strings and numbers of an RDB payload or file.
//!
//! ```text
//! length  = 00llllll | 01llllll l:1 | 10000000 l:4 | 10000001 l:8        big-endian
//! string  = length bytes | 11000000 i:1 | 11000001 i:2 | 11000010 i:4   integers little-endian
//!         | 11000011 length(compressed) length(uncompressed) LZF-bytes
//! ```

use std::borrow::Cow;
use std::io;

use super::DumpError;
use crate::text::lzf;

/// The memory that an element of a collection is taken to need beside its bytes.
const ELEMENT_OVERHEAD: usize = 48;

/// The bytes by which a string from an input grows.
const STEP: usize = 1 << 16;

const MISSING: &str = "bytes are missing";

/// The result of a step.
pub(super) type Result<T> = std::result::Result<T, DumpError>;

/// A source of bytes that are read once, for example a file.
pub(super) trait Input {
    /// Fills a buffer.
    fn fill(&mut self, buffer: &mut [u8]) -> io::Result<()>;
}

/// A position in a payload or a file, and the memory that the value may still take.
pub(super) struct Reader<'a> {
    source: Source<'a>,
    offset: usize,
    memory: usize,
}

enum Source<'a> {
    Bytes(&'a [u8]),
    Input(&'a mut dyn Input),
}

enum Prefix {
    Length(u64),
    Encoded(u8),
}

impl<'a> Reader<'a> {
    /// Returns a reader at the begin of a payload.
    pub fn new(bytes: &'a [u8], memory_max: usize) -> Reader<'a> {
        Reader { source: Source::Bytes(bytes), offset: 0, memory: memory_max }
    }

    /// Returns a reader of an input that has reached an offset. Strings that are longer than the allowed memory are
    /// refused before they are read.
    pub fn of_input(input: &'a mut dyn Input, offset: usize, memory_max: usize) -> Reader<'a> {
        Reader { source: Source::Input(input), offset, memory: memory_max }
    }

    /// Returns whether all bytes of a payload were read.
    pub fn is_at_end(&self) -> bool {
        matches!(self.source, Source::Bytes([]))
    }

    /// Returns an error at the present offset.
    pub fn fail(&self, what: &'static str) -> DumpError {
        DumpError::Format { what, offset: self.offset }
    }

    /// Reads bytes.
    pub fn take(&mut self, count: usize) -> Result<Cow<'a, [u8]>> {
        let taken = match &mut self.source {
            Source::Bytes(rest) => {
                let Some((taken, behind)) = rest.split_at_checked(count) else {
                    return Err(self.fail(MISSING));
                };
                *rest = behind;
                Cow::Borrowed(taken)
            }
            Source::Input(_) if count > self.memory => return Err(DumpError::TooLarge),
            Source::Input(input) => {
                let mut taken = Vec::new();
                while taken.len() < count {
                    let from = taken.len();
                    // Memory is taken as bytes arrive: the count may be wrong.
                    taken.resize(count.min(from + STEP), 0);
                    fill(*input, taken.get_mut(from..).unwrap_or_default(), self.offset + from)?;
                }
                Cow::Owned(taken)
            }
        };
        self.offset += count;
        Ok(taken)
    }

    /// Reads bytes of a fixed number.
    pub fn array<const N: usize>(&mut self) -> Result<[u8; N]> {
        let taken = match &mut self.source {
            Source::Bytes(rest) => {
                let Some((taken, behind)) = rest.split_first_chunk() else {
                    return Err(self.fail(MISSING));
                };
                *rest = behind;
                *taken
            }
            Source::Input(input) => {
                let mut taken = [0; N];
                fill(*input, &mut taken, self.offset)?;
                taken
            }
        };
        self.offset += N;
        Ok(taken)
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
        let count = usize::try_from(self.number()?).unwrap_or(usize::MAX);
        match self.source {
            Source::Bytes(rest) if count > rest.len() => {
                Err(self.fail("a count that is larger than the rest of the payload"))
            }
            _ => Ok(count),
        }
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
                self.take(length)
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
        lzf::decompress(&block, length).ok_or_else(|| self.fail("damaged LZF block"))
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

fn fill(input: &mut dyn Input, buffer: &mut [u8], offset: usize) -> Result<()> {
    input.fill(buffer).map_err(|error| match error.kind() {
        io::ErrorKind::UnexpectedEof => DumpError::Format { what: MISSING, offset },
        _ => DumpError::Io(error.to_string()),
    })
}
