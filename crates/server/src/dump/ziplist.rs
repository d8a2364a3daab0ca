//! Ziplists, which Redis wrote before version 7.
//!
//! ```text
//! ziplist  = bytes:4 tail:4 count:2 { entry } 11111111      little-endian; tail: offset of the last entry
//! entry    = previous encoding [ data ]                    previous: length of the entry before, 1 byte or 254 and 4
//! encoding = 00llllll | 01llllll l:1 | 10xxxxxx l:4        string; lengths are big-endian
//!          | 11000000 i:2 | 11010000 i:4 | 11100000 i:8 | 11110000 i:3 | 11111110 i:1 | 1111iiii     i + 1
//! ```

use super::listpack::{Element, integer_of};

const HEADER: usize = 10;
const COUNT_UNKNOWN: u16 = u16::MAX;
const END: u8 = 0xff;

/// Returns all elements, or what is wrong.
pub(super) fn read(bytes: &[u8]) -> Result<Vec<Element<'_>>, &'static str> {
    let (total, rest) = bytes.split_first_chunk::<4>().ok_or("a ziplist without a header")?;
    let (tail, rest) = rest.split_first_chunk::<4>().ok_or("a ziplist without a header")?;
    let (count, rest) = rest.split_first_chunk::<2>().ok_or("a ziplist without a header")?;
    let [rest @ .., END] = rest else { return Err("a ziplist without its end") };
    if u32::from_le_bytes(*total) as usize != bytes.len() {
        return Err("a ziplist whose header has another length");
    }
    let (mut elements, mut previous) = (Vec::new(), 0);
    let (mut last, mut rest) = (HEADER, rest);
    while !rest.is_empty() {
        let (element, size) = entry(rest, previous).ok_or("a damaged entry of a ziplist")?;
        last = bytes.len() - 1 - rest.len();
        rest = rest.get(size..).ok_or("a damaged entry of a ziplist")?;
        previous = size;
        elements.push(element);
    }
    if u32::from_le_bytes(*tail) as usize != last {
        return Err("a ziplist whose header has another last entry");
    }
    let count = u16::from_le_bytes(*count);
    if count != COUNT_UNKNOWN && usize::from(count) != elements.len() {
        return Err("a ziplist whose header has another count");
    }
    Ok(elements)
}

/// Returns the element at the begin of `bytes`, and the length of its entry. `previous` is the length of the entry
/// before.
fn entry(bytes: &[u8], previous: usize) -> Option<(Element<'_>, usize)> {
    let (stated, prefix) = match bytes.split_first()? {
        (254, rest) => (u32::from_le_bytes(*rest.first_chunk()?) as usize, 5),
        (255, _) => return None,
        (short, _) => (usize::from(*short), 1),
    };
    if stated != previous {
        return None;
    }
    let (element, size) = element(bytes.get(prefix..)?)?;
    Some((element, prefix + size))
}

fn element(bytes: &[u8]) -> Option<(Element<'_>, usize)> {
    let (first, rest) = bytes.split_first()?;
    let text = |length: usize, header: usize| {
        let text = bytes.get(header..header.checked_add(length)?)?;
        Some((Element::Text(text), header + length))
    };
    let integer = |size: usize| Some((Element::Integer(integer_of(rest.get(..size)?)), size + 1));
    match first {
        0..0x40 => text(usize::from(*first), 1),
        0x40..0x80 => text(usize::from(u16::from_be_bytes([first & 0x3f, *rest.first()?])), 2),
        0x80..0xc0 => text(u32::from_be_bytes(*rest.first_chunk()?) as usize, 5),
        0xc0 => integer(2),
        0xd0 => integer(4),
        0xe0 => integer(8),
        0xf0 => integer(3),
        0xfe => integer(1),
        0xf1..0xfe => Some((Element::Integer(i64::from(first & 0x0f) - 1), 1)),
        _ => None,
    }
}
