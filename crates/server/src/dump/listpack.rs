//! Listpacks: elements one after the other, each a string or an integer.
//!
//! ```text
//! listpack = bytes:4 count:2 { element } 11111111           little-endian; count 65535: unknown
//! element  = encoding [ data ] back                        back: the length of encoding and data, 7 bits a byte
//! encoding = 0iiiiiii | 110iiiii i:1 | 11110001 i:2 | 11110010 i:3 | 11110011 i:4 | 11110100 i:8
//!          | 10llllll | 1110llll l:1 | 11110000 l:4
//! ```

use std::borrow::Cow;

use smallvec::SmallVec;

use crate::text::integer;

/// The count of a listpack with more elements than its header can say.
const COUNT_UNKNOWN: u16 = u16::MAX;

const HEADER: usize = 6;
const END: u8 = 0xff;

/// An element of a listpack or a ziplist.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Element<'a> {
    /// An integer.
    Integer(i64),
    /// A string.
    Text(&'a [u8]),
}

impl<'a> Element<'a> {
    /// Returns the element's bytes; an integer is printed.
    pub fn bytes(self) -> Cow<'a, [u8]> {
        match self {
            Element::Integer(value) => Cow::Owned(value.to_string().into_bytes()),
            Element::Text(text) => Cow::Borrowed(text),
        }
    }

    /// Returns the element's integer, which may be printed in a string.
    pub fn integer(self) -> Option<i64> {
        match self {
            Element::Integer(value) => Some(value),
            Element::Text(text) => integer::parse(text),
        }
    }
}

/// Returns all elements, or what is wrong.
pub(super) fn read(bytes: &[u8]) -> Result<Vec<Element<'_>>, &'static str> {
    let (total, body) = bytes.split_first_chunk::<4>().ok_or("a listpack without a header")?;
    let (count, body) = body.split_first_chunk::<2>().ok_or("a listpack without a header")?;
    let [rest @ .., END] = body else { return Err("a listpack without its end") };
    if u32::from_le_bytes(*total) as usize != bytes.len() {
        return Err("a listpack whose header has another length");
    }
    let (mut elements, mut rest) = (Vec::new(), rest);
    while !rest.is_empty() {
        let (element, size) = element(rest).ok_or("a damaged element of a listpack")?;
        let (_, behind) = rest.split_at_checked(size).ok_or("a damaged element of a listpack")?;
        let mut back = SmallVec::<[u8; 5]>::new();
        push_back_length(&mut back, size);
        rest = behind.strip_prefix(&back[..]).ok_or("a wrong back length in a listpack")?;
        elements.push(element);
    }
    let count = u16::from_le_bytes(*count);
    if count != COUNT_UNKNOWN && usize::from(count) != elements.len() {
        return Err("a listpack whose header has another count");
    }
    Ok(elements)
}

/// Returns the element at the begin of `bytes`, and the length of its encoding and data.
fn element(bytes: &[u8]) -> Option<(Element<'_>, usize)> {
    let (first, rest) = bytes.split_first()?;
    let text = |length: usize, header: usize| {
        let text = bytes.get(header..header.checked_add(length)?)?;
        Some((Element::Text(text), header + length))
    };
    let low = |mask: u8| usize::from(first & mask);
    Some(match first {
        0..0x80 => (Element::Integer(i64::from(*first)), 1),
        0x80..0xc0 => text(low(0x3f), 1)?,
        0xc0..0xe0 => {
            let value = i16::from_be_bytes([first & 0x1f, *rest.first()?]);
            (Element::Integer(i64::from(value << 3 >> 3)), 2)
        }
        0xe0..0xf0 => text(low(0x0f) << 8 | usize::from(*rest.first()?), 2)?,
        0xf0 => text(u32::from_le_bytes(*rest.first_chunk()?) as usize, 5)?,
        0xf1 => (Element::Integer(integer_of(rest.get(..2)?)), 3),
        0xf2 => (Element::Integer(integer_of(rest.get(..3)?)), 4),
        0xf3 => (Element::Integer(integer_of(rest.get(..4)?)), 5),
        0xf4 => (Element::Integer(integer_of(rest.get(..8)?)), 9),
        _ => return None,
    })
}

/// Returns the signed little-endian integer of 1 to 8 bytes.
pub(super) fn integer_of(bytes: &[u8]) -> i64 {
    let unused = 8 * (8 - bytes.len().clamp(1, 8)) as u32;
    let all = bytes.iter().rev().fold(0u64, |all, byte| all << 8 | u64::from(*byte));
    (all << unused).cast_signed() >> unused
}

/// A listpack that grows.
pub(super) struct Builder {
    bytes: Vec<u8>,
    count: usize,
}

impl Builder {
    /// Returns an empty listpack.
    pub fn new() -> Builder {
        Builder { bytes: vec![0; HEADER], count: 0 }
    }

    /// Returns the length of the finished listpack if nothing is appended.
    pub fn len(&self) -> usize {
        self.bytes.len() + 1
    }

    /// Returns whether there are no elements.
    pub fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// Appends a string, as an integer if it is the printed form of one.
    pub fn push(&mut self, text: &[u8]) {
        if let Some(value) = integer::parse(text) {
            return self.push_integer(value);
        }
        let start = self.bytes.len();
        let length = text.len();
        if length < 1 << 6 {
            self.bytes.push(0x80 | length as u8);
        } else if length < 1 << 12 {
            self.bytes.extend_from_slice(&(0xe000 | length as u16).to_be_bytes());
        } else {
            self.bytes.push(0xf0);
            self.bytes.extend_from_slice(&(length as u32).to_le_bytes());
        }
        self.bytes.extend_from_slice(text);
        self.end_element(start);
    }

    /// Appends an integer.
    pub fn push_integer(&mut self, value: i64) {
        let start = self.bytes.len();
        let bytes = value.to_le_bytes();
        let mut wide = |encoding: u8, size: usize| {
            self.bytes.push(encoding);
            self.bytes.extend(bytes.iter().take(size));
        };
        match value {
            0..128 => self.bytes.push(value as u8),
            -4096..4096 => {
                let low = (value as u16) & 0x1fff;
                self.bytes.extend_from_slice(&(low | 0xc000).to_be_bytes());
            }
            -0x8000..0x8000 => wide(0xf1, 2),
            -0x80_0000..0x80_0000 => wide(0xf2, 3),
            -0x8000_0000..0x8000_0000 => wide(0xf3, 4),
            _ => wide(0xf4, 8),
        }
        self.end_element(start);
    }

    /// Replaces an integer from 0 to 127 that was appended as element `index` behind only such integers.
    pub fn set_small(&mut self, index: usize, value: u8) {
        // The integer and its back length are one byte each.
        if let Some(byte) = self.bytes.get_mut(HEADER + 2 * index) {
            *byte = value & 0x7f;
        }
    }

    /// Returns the listpack's bytes.
    pub fn finish(mut self) -> Vec<u8> {
        self.bytes.push(END);
        let total = self.bytes.len() as u32;
        let count = u16::try_from(self.count).unwrap_or(COUNT_UNKNOWN);
        let header = total.to_le_bytes().into_iter().chain(count.to_le_bytes());
        self.bytes.iter_mut().zip(header).for_each(|(byte, new)| *byte = new);
        self.bytes
    }

    fn end_element(&mut self, start: usize) {
        let size = self.bytes.len() - start;
        push_back_length(&mut self.bytes, size);
        self.count += 1;
    }
}

/// Appends a back length: 7 bits a byte, the highest first, with the highest bit of all bytes but the first set. The
/// number of bytes grows one step early, as in Redis.
fn push_back_length(out: &mut impl Extend<u8>, length: usize) {
    let steps = match length {
        0..=127 => 0,
        128..16_383 => 1,
        16_383..2_097_151 => 2,
        2_097_151..268_435_455 => 3,
        _ => 4,
    };
    out.extend([(length >> (7 * steps)) as u8]);
    out.extend((0..steps).rev().map(|step| (length >> (7 * step)) as u8 | 0x80));
}
