//! Ids of stream entries: two 64-bit numbers, `milliseconds-sequence`.

#![deny(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing)]

use std::fmt;

use crate::text::integer;

/// The longest text that Redis looks at.
const TEXT_MAX: usize = 127;

/// An id of a stream entry. Ids order as their entries do.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct StreamId {
    /// Milliseconds of Unix time, unless the client chose another number.
    pub ms: u64,
    /// The position among the entries of one millisecond.
    pub seq: u64,
}

/// The id that a client gives to XADD.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NewId {
    /// `*`: the server chooses.
    Auto,
    /// `ms-*`: the server chooses the sequence number.
    AutoSequence(u64),
    /// A complete id.
    Given(StreamId),
}

/// One end of a range of ids.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct IdBound {
    /// The id.
    pub id: StreamId,
    /// Whether the id itself is outside.
    pub exclusive: bool,
}

impl StreamId {
    /// The smallest id, `0-0`, which no entry has.
    pub const MIN: StreamId = StreamId { ms: 0, seq: 0 };
    /// The largest id.
    pub const MAX: StreamId = StreamId { ms: u64::MAX, seq: u64::MAX };

    /// Returns an id.
    pub fn new(ms: u64, seq: u64) -> StreamId {
        StreamId { ms, seq }
    }

    /// Parses `ms-seq`, or `ms` with `missing_seq` as its sequence number. Refuses `-` and `+`.
    pub fn parse(text: &[u8], missing_seq: u64) -> Option<StreamId> {
        match parse_parts(text)? {
            (ms, Sequence::Missing) => Some(StreamId { ms, seq: missing_seq }),
            (ms, Sequence::Given(seq)) => Some(StreamId { ms, seq: integer::parse_unsigned(seq)? }),
        }
    }

    /// Parses as [`StreamId::parse`], and `-` and `+` as the smallest and largest id.
    pub fn parse_or_end(text: &[u8], missing_seq: u64) -> Option<StreamId> {
        match text {
            [b'-'] | [b'-', 0, ..] => Some(StreamId::MIN),
            [b'+'] | [b'+', 0, ..] => Some(StreamId::MAX),
            _ => StreamId::parse(text, missing_seq),
        }
    }

    /// Returns the next larger id, or `None` after [`StreamId::MAX`].
    pub fn next(self) -> Option<StreamId> {
        match self.seq.checked_add(1) {
            Some(seq) => Some(StreamId { seq, ..self }),
            None => Some(StreamId { ms: self.ms.checked_add(1)?, seq: 0 }),
        }
    }

    /// Returns the next smaller id, or `None` before [`StreamId::MIN`].
    pub fn previous(self) -> Option<StreamId> {
        match self.seq.checked_sub(1) {
            Some(seq) => Some(StreamId { seq, ..self }),
            None => Some(StreamId { ms: self.ms.checked_sub(1)?, seq: u64::MAX }),
        }
    }

    /// Returns the id for a new entry at a time in milliseconds, after `self`, the last id of the stream. `None` if the
    /// last id is the largest.
    pub fn after(self, now_ms: u64) -> Option<StreamId> {
        if now_ms > self.ms { Some(StreamId { ms: now_ms, seq: 0 }) } else { self.next() }
    }

    /// Returns the two numbers as 16 bytes, big-endian, so that bytes order as ids do.
    pub fn to_bytes(self) -> [u8; 16] {
        (u128::from(self.ms) << 64 | u128::from(self.seq)).to_be_bytes()
    }

    /// Returns the id of the bytes of [`StreamId::to_bytes`].
    pub fn from_bytes(bytes: [u8; 16]) -> StreamId {
        let both = u128::from_be_bytes(bytes);
        StreamId { ms: (both >> 64) as u64, seq: both as u64 }
    }
}

impl fmt::Display for StreamId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}-{}", self.ms, self.seq)
    }
}

impl NewId {
    /// Parses the id of XADD. `0-0` is accepted here; XADD refuses it with an error of its own.
    pub fn parse(text: &[u8]) -> Option<NewId> {
        if matches!(text, [b'*'] | [b'*', 0, ..]) {
            return Some(NewId::Auto);
        }
        match parse_parts(text)? {
            (ms, Sequence::Given(b"*")) => Some(NewId::AutoSequence(ms)),
            _ => StreamId::parse(text, 0).map(NewId::Given),
        }
    }

    /// Returns the id of a new entry in a stream whose last id is `last`, or `None` if there is none above `last`.
    pub fn resolve(self, last: StreamId, now_ms: u64) -> Option<StreamId> {
        match self {
            NewId::Auto => last.after(now_ms),
            NewId::AutoSequence(ms) if ms == last.ms => {
                last.seq.checked_add(1).map(|seq| StreamId { ms, seq })
            }
            NewId::AutoSequence(ms) => {
                // `0-0` is no entry's id; a stream without entries has it as its last id, so it is equal above.
                (ms > last.ms).then_some(StreamId { ms, seq: 0 })
            }
            NewId::Given(id) => (id > last).then_some(id),
        }
    }
}

impl IdBound {
    /// Parses one end of a range: an id, `-`, `+`, or `(` before an id. `missing_seq` is 0 for a lower end and the
    /// largest number for an upper end.
    pub fn parse(text: &[u8], missing_seq: u64) -> Option<IdBound> {
        match text {
            [b'(', id @ ..] if !id.is_empty() => {
                Some(IdBound { id: StreamId::parse(id, missing_seq)?, exclusive: true })
            }
            _ => {
                let id = StreamId::parse_or_end(text, missing_seq)?;
                Some(IdBound { id, exclusive: false })
            }
        }
    }

    /// Returns the smallest id of a range with this lower end, or `None` if the end excludes the largest id ("invalid
    /// start ID for the interval").
    pub fn first(self) -> Option<StreamId> {
        if self.exclusive { self.id.next() } else { Some(self.id) }
    }

    /// Returns the largest id of a range with this upper end, or `None` if the end excludes the smallest id ("invalid
    /// end ID for the interval").
    pub fn last(self) -> Option<StreamId> {
        if self.exclusive { self.id.previous() } else { Some(self.id) }
    }
}

enum Sequence<'a> {
    Missing,
    Given(&'a [u8]),
}

/// Splits a text at its first `-` and parses the first number.
fn parse_parts(text: &[u8]) -> Option<(u64, Sequence<'_>)> {
    if text.len() > TEXT_MAX {
        return None;
    }
    let text = integer::until_zero(text);
    match text.iter().position(|byte| *byte == b'-') {
        Some(at) => {
            let (ms, seq) = (text.get(..at)?, text.get(at + 1..)?);
            Some((integer::parse_unsigned(ms)?, Sequence::Given(seq)))
        }
        None => Some((integer::parse_unsigned(text)?, Sequence::Missing)),
    }
}

#[cfg(test)]
#[path = "streamid_test.rs"]
mod tests;
