//! The value of an entry's row: its fields and values.
//!
//! ```text
//! value  = pairs:varint { field value }
//! string = length:varint bytes
//! ```

use crate::redis::failure::{DAMAGED, Done};
use crate::resp::Reply;
use crate::rows::redis::{read_varint, write_varint};
use crate::streamid::StreamId;

/// Returns the row's value for alternating fields and values.
pub(in crate::redis) fn encode(strings: &[&[u8]]) -> Vec<u8> {
    let mut out = Vec::with_capacity(strings.iter().map(|text| text.len() + 3).sum::<usize>() + 3);
    write_varint(strings.len() as u64 / 2, &mut out);
    for text in strings {
        write_varint(text.len() as u64, &mut out);
        out.extend_from_slice(text);
    }
    out
}

/// Returns the fields and values of a row, alternating.
pub(in crate::redis) fn decode(value: &[u8]) -> Done<Vec<&[u8]>> {
    let (pairs, mut rest) = read_varint(value).ok_or(DAMAGED)?;
    let mut strings = Vec::new();
    for _ in 0..pairs.saturating_mul(2) {
        let (length, behind) = read_varint(rest).ok_or(DAMAGED)?;
        let (text, behind) = behind.split_at_checked(length as usize).ok_or(DAMAGED)?;
        strings.push(text);
        rest = behind;
    }
    Ok(strings)
}

/// Replies an entry: its id, and an array of its fields and values.
pub(super) fn reply(out: &mut Reply, id: StreamId, value: &[u8]) -> Done {
    let strings = decode(value)?;
    out.array(2);
    reply_id(out, id);
    out.array(strings.len());
    strings.iter().for_each(|text| out.bulk(text));
    Ok(())
}

/// Replies an id.
pub(super) fn reply_id(out: &mut Reply, id: StreamId) {
    let (mut ms, mut seq) = (itoa::Buffer::new(), itoa::Buffer::new());
    let (ms, seq) = (ms.format(id.ms), seq.format(id.seq));
    let mut text = smallvec::SmallVec::<[u8; 64]>::new();
    text.extend_from_slice(ms.as_bytes());
    text.push(b'-');
    text.extend_from_slice(seq.as_bytes());
    out.bulk(&text);
}
