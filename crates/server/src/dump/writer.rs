//! Writes lengths and strings of an RDB payload. The reader has the grammar.

use crate::text::{integer, lzf};

/// The shortest string that Redis compresses.
const COMPRESS_MIN: usize = 21;

/// Appends a length, or any other number.
pub(super) fn number(out: &mut Vec<u8>, number: u64) {
    if number < 1 << 6 {
        out.push(number as u8);
    } else if number < 1 << 14 {
        out.extend_from_slice(&(number as u16 | 0x4000).to_be_bytes());
    } else if let Ok(number) = u32::try_from(number) {
        out.push(0x80);
        out.extend_from_slice(&number.to_be_bytes());
    } else {
        out.push(0x81);
        out.extend_from_slice(&number.to_be_bytes());
    }
}

/// Appends a number of elements.
pub(super) fn count(out: &mut Vec<u8>, count: usize) {
    number(out, count as u64);
}

/// Appends a string in its shortest form: as an integer, compressed or plain.
pub(super) fn string(out: &mut Vec<u8>, bytes: &[u8]) {
    // The longest integer of 32 bits has eleven bytes.
    let small = integer::parse(bytes).filter(|_| bytes.len() <= 11);
    if let Some(value) = small.and_then(|value| i32::try_from(value).ok()) {
        return small_integer(out, value);
    }
    let compressed = if bytes.len() >= COMPRESS_MIN { lzf::compress(bytes) } else { None };
    match compressed {
        Some(block) => {
            out.push(0xc3);
            count(out, block.len());
            count(out, bytes.len());
            out.extend_from_slice(&block);
        }
        None => {
            count(out, bytes.len());
            out.extend_from_slice(bytes);
        }
    }
}

fn small_integer(out: &mut Vec<u8>, value: i32) {
    if let Ok(value) = i8::try_from(value) {
        out.extend_from_slice(&[0xc0, value.cast_unsigned()]);
    } else if let Ok(value) = i16::try_from(value) {
        out.push(0xc1);
        out.extend_from_slice(&value.to_le_bytes());
    } else {
        out.push(0xc2);
        out.extend_from_slice(&value.to_le_bytes());
    }
}
