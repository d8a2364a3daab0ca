//! Reads the primitives of Thrift's binary protocol from a slice, without copying and without trusting lengths.
//!
//! ```text
//! integer = big-endian; bool = u8; string = i32 length, bytes
//! struct  = (u8 type, i16 id, value)*, 0
//! list    = u8 type, i32 count, value*
//! map     = u8 key type, u8 value type, i32 count, (key, value)*
//! ```
//!
//! * **TR1** Nothing is allocated for a length before that many bytes are known to be present.
//! * **TR2** The number of list elements and map entries of one message is limited, because an element of one byte
//!   takes many bytes in memory.

use super::error::{Malformed, Result};

/// Type numbers of fields and elements.
pub mod tag {
    /// The end of a struct.
    pub const STOP: u8 = 0;
    /// One byte, 0 or 1.
    pub const BOOL: u8 = 2;
    /// One signed byte.
    pub const I8: u8 = 3;
    /// Eight bytes, IEEE 754.
    pub const DOUBLE: u8 = 4;
    /// Two bytes.
    pub const I16: u8 = 6;
    /// Four bytes.
    pub const I32: u8 = 8;
    /// Eight bytes.
    pub const I64: u8 = 10;
    /// A length and bytes.
    pub const STRING: u8 = 11;
    /// Fields, or one of the bare values that the dialect declares as structs.
    pub const STRUCT: u8 = 12;
    /// Keys with values.
    pub const MAP: u8 = 13;
    /// A list without duplicates.
    pub const SET: u8 = 14;
    /// Values of one type.
    pub const LIST: u8 = 15;
}

/// The maximum number of list elements and map entries in one message.
pub const ELEMENTS_MAX: usize = 1 << 18;

/// The maximum depth of containers in a field that is skipped.
const SKIP_DEPTH_MAX: u32 = 8;

/// A position in a message.
#[derive(Debug, Clone)]
pub struct Reader<'a> {
    rest: &'a [u8],
    elements_left: usize,
}

macro_rules! integers {
    ($($name:ident)*) => {$(
        #[doc = concat!("Reads a big-endian ", stringify!($name), ".")]
        pub fn $name(&mut self) -> Result<$name> {
            Ok($name::from_be_bytes(self.array(stringify!($name))?))
        }
    )*};
}

impl<'a> Reader<'a> {
    /// Returns a reader of these bytes.
    pub fn new(bytes: &'a [u8]) -> Reader<'a> {
        Reader { rest: bytes, elements_left: ELEMENTS_MAX }
    }

    /// The bytes that have not been read.
    pub fn rest(&self) -> &'a [u8] {
        self.rest
    }

    integers! { u8 u16 i8 i16 i32 i64 u32 u64 }

    /// Reads a byte that is not zero for true.
    pub fn bool(&mut self) -> Result<bool> {
        Ok(self.u8()? != 0)
    }

    /// Reads a length and as many bytes.
    pub fn string(&mut self) -> Result<&'a [u8]> {
        let len = self.i32()?;
        let len = usize::try_from(len)
            .map_err(|_| Malformed::new(format!("expected the length of a string, found {len}")))?;
        self.take(len, "a string")
    }

    /// Reads a length and as many bytes of UTF-8.
    pub fn text(&mut self) -> Result<&'a str> {
        let bytes = self.string()?;
        std::str::from_utf8(bytes)
            .map_err(|e| Malformed::new(format!("expected a name in UTF-8: {e}")))
    }

    /// Reads the head of a field: type and id; `None` at the end of the struct.
    pub fn field(&mut self) -> Result<Option<(u8, i16)>> {
        match self.u8()? {
            tag::STOP => Ok(None),
            kind => Ok(Some((kind, self.i16()?))),
        }
    }

    /// Reads the head of a list: the type of its elements and their number.
    pub fn list(&mut self) -> Result<(u8, usize)> {
        let kind = self.u8()?;
        Ok((kind, self.count()?))
    }

    /// Reads the head of a map: the types of keys and values and the number of entries.
    pub fn map(&mut self) -> Result<(u8, u8, usize)> {
        let (key, value) = (self.u8()?, self.u8()?);
        Ok((key, value, self.count()?))
    }

    /// Skips a value of an unknown field. A struct cannot be skipped: the dialect uses its type for bare values too, so
    /// its end is unknown.
    pub fn skip(&mut self, kind: u8) -> Result<()> {
        self.skip_at(kind, 0)
    }

    fn skip_at(&mut self, kind: u8, depth: u32) -> Result<()> {
        if depth > SKIP_DEPTH_MAX {
            return Err(Malformed::new(format!(
                "an unknown field nests deeper than {SKIP_DEPTH_MAX} containers"
            )));
        }
        match kind {
            tag::BOOL | tag::I8 => self.take(1, "a byte").map(drop),
            tag::I16 => self.take(2, "an i16").map(drop),
            tag::I32 => self.take(4, "an i32").map(drop),
            tag::I64 | tag::DOUBLE => self.take(8, "an i64").map(drop),
            tag::STRING => self.string().map(drop),
            tag::LIST | tag::SET => {
                let (kind, count) = self.list()?;
                (0..count).try_for_each(|_| self.skip_at(kind, depth + 1))
            }
            tag::MAP => {
                let (key, value, count) = self.map()?;
                (0..count).try_for_each(|_| {
                    self.skip_at(key, depth + 1)?;
                    self.skip_at(value, depth + 1)
                })
            }
            _ => Err(Malformed::new(format!("a value of type {kind} cannot be skipped"))),
        }
    }

    /// Reads the number of elements of a container, each of which has at least one byte.
    fn count(&mut self) -> Result<usize> {
        let found = self.i32()?;
        let count = usize::try_from(found).unwrap_or(usize::MAX);
        if count > self.rest.len() || count > self.elements_left {
            return Err(Malformed::new(format!(
                "expected a container of at most {} elements, found the count {found}",
                self.rest.len().min(self.elements_left)
            )));
        }
        self.elements_left -= count;
        Ok(count)
    }

    fn take(&mut self, len: usize, what: &str) -> Result<&'a [u8]> {
        let Some((taken, rest)) = self.rest.split_at_checked(len) else {
            return Err(Malformed::truncated(what, len, self.rest.len()));
        };
        self.rest = rest;
        Ok(taken)
    }

    fn array<const N: usize>(&mut self, what: &str) -> Result<[u8; N]> {
        let Some((taken, rest)) = self.rest.split_first_chunk::<N>() else {
            return Err(Malformed::truncated(what, N, self.rest.len()));
        };
        self.rest = rest;
        Ok(*taken)
    }
}
