//! Internal keys: a user key, then a fixed64 trailer `(sequence << 8) | type`.
//!
//! Order: user keys ascending, then trailers **descending**, so that the newest entry of a user key
//! comes first. Source: `docs/formats/keys.md`.

use super::hash::hash64;
use crate::error::{Error, Result};

/// The sequence number of a write. Every counted record of every batch has its own.
pub type SeqNo = u64;

/// The largest sequence number: 56 bits.
pub const MAX_SEQUENCE_NUMBER: SeqNo = (1 << 56) - 1;

/// The length of the trailer of an internal key, in bytes.
pub const TRAILER_SIZE: usize = 8;

/// The kind byte of an entry, as stored in memtables and tables.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(u8)]
pub enum ValueType {
    /// A tombstone.
    Deletion = 0x00,
    /// A value.
    Value = 0x01,
    /// A merge operand.
    Merge = 0x02,
    /// A tombstone for a key that was put exactly once since its last delete.
    SingleDeletion = 0x07,
    /// The start of a range tombstone; its value is the exclusive end.
    RangeDeletion = 0x0F,
    /// A pointer into a blob file.
    BlobIndex = 0x11,
    /// A tombstone that carries a user timestamp.
    DeletionWithTimestamp = 0x14,
    /// A wide-column entity.
    WideColumnEntity = 0x16,
    /// A value with a preferred sequence number (TimedPut).
    ValuePreferredSeqno = 0x18,
}

/// The type byte of lookup targets: the largest that any reader supports, since trailers sort
/// descending.
pub const TYPE_FOR_SEEK: u8 = 0x18;

impl ValueType {
    /// The type with this byte, if tables or memtables may contain it.
    #[inline]
    pub fn from_byte(b: u8) -> Option<ValueType> {
        Some(match b {
            0x00 => ValueType::Deletion,
            0x01 => ValueType::Value,
            0x02 => ValueType::Merge,
            0x07 => ValueType::SingleDeletion,
            0x0F => ValueType::RangeDeletion,
            0x11 => ValueType::BlobIndex,
            0x14 => ValueType::DeletionWithTimestamp,
            0x16 => ValueType::WideColumnEntity,
            0x18 => ValueType::ValuePreferredSeqno,
            _ => return None,
        })
    }
}

/// The trailer for a sequence number and a type.
#[inline]
pub const fn pack_trailer(seq: SeqNo, value_type: ValueType) -> u64 {
    (seq << 8) | value_type as u64
}

/// The trailer of a lookup at `seq`.
#[inline]
pub const fn seek_trailer(seq: SeqNo) -> u64 {
    (seq << 8) | TYPE_FOR_SEEK as u64
}

/// Appends an internal key.
#[inline]
pub fn append_internal_key(out: &mut Vec<u8>, user_key: &[u8], trailer: u64) {
    out.extend_from_slice(user_key);
    out.extend_from_slice(&trailer.to_le_bytes());
}

/// The user key of an internal key, which must be at least eight bytes long.
#[inline]
pub fn user_key(internal_key: &[u8]) -> &[u8] {
    debug_assert!(internal_key.len() >= TRAILER_SIZE);
    &internal_key[..internal_key.len().saturating_sub(TRAILER_SIZE)]
}

/// The trailer of an internal key; 0 if the key is shorter than a trailer.
#[inline]
pub fn trailer(internal_key: &[u8]) -> u64 {
    match internal_key.last_chunk::<TRAILER_SIZE>() {
        Some(t) => u64::from_le_bytes(*t),
        None => 0,
    }
}

/// The sequence number of an internal key.
#[inline]
pub fn sequence(internal_key: &[u8]) -> SeqNo {
    trailer(internal_key) >> 8
}

/// The parts of an internal key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ParsedInternalKey<'a> {
    /// The user key.
    pub user_key: &'a [u8],
    /// The sequence number of the write.
    pub sequence: SeqNo,
    /// The kind of the entry.
    pub value_type: ValueType,
}

impl<'a> ParsedInternalKey<'a> {
    /// Parses an internal key; an unknown type or a short key is Corruption.
    #[inline]
    pub fn parse(internal_key: &'a [u8]) -> Result<ParsedInternalKey<'a>> {
        let Some((user_key, t)) = internal_key.split_last_chunk::<TRAILER_SIZE>() else {
            return Err(Error::corruption(format!(
                "internal key: expected at least {TRAILER_SIZE} bytes, found {}",
                internal_key.len()
            )));
        };
        let t = u64::from_le_bytes(*t);
        match ValueType::from_byte(t as u8) {
            Some(value_type) => Ok(ParsedInternalKey { user_key, sequence: t >> 8, value_type }),
            None => Err(Error::corruption(format!("internal key: unknown value type {}", t as u8))),
        }
    }
}

/// The target of a point lookup: `user key + seek trailer`. The bytes are in a [`LookupBuffer`] or
/// in the vector passed to [`LookupKey::many`].
#[derive(Clone, Copy, Debug)]
pub struct LookupKey<'a> {
    internal_key: &'a [u8],
    /// The user key's hash, computed once because every searched place needs it.
    hash: u64,
}

impl<'a> LookupKey<'a> {
    /// The targets for the newest entries of many user keys that a reader at `seq` may see. Their bytes are stored in
    /// `bytes`.
    pub fn many(
        user_keys: &[&[u8]],
        seq: SeqNo,
        bytes: &'a mut Vec<u8>,
    ) -> impl Iterator<Item = LookupKey<'a>> {
        let trailer = seek_trailer(seq);
        bytes.clear();
        bytes.reserve_exact(user_keys.iter().map(|key| key.len() + TRAILER_SIZE).sum());
        for user_key in user_keys {
            append_internal_key(bytes, user_key, trailer);
        }
        let mut rest = &bytes[..];
        user_keys.iter().map(move |user_key| {
            let internal_key;
            (internal_key, rest) = rest.split_at(user_key.len() + TRAILER_SIZE);
            LookupKey { internal_key, hash: hash64(user_key) }
        })
    }

    /// The internal key to seek to.
    #[inline]
    pub fn internal_key(&self) -> &'a [u8] {
        self.internal_key
    }

    /// The user key.
    #[inline]
    pub fn user_key(&self) -> &'a [u8] {
        &self.internal_key[..self.internal_key.len() - TRAILER_SIZE]
    }

    /// The sequence number of the reader.
    #[inline]
    pub fn sequence(&self) -> SeqNo {
        sequence(self.internal_key)
    }

    /// The user key's [`hash64`].
    #[inline]
    pub fn hash(&self) -> u64 {
        self.hash
    }
}

/// The bytes of one lookup key, on the stack for keys up to 184 bytes.
#[derive(Debug)]
pub struct LookupBuffer {
    inline: [u8; LookupBuffer::INLINE],
    heap: Vec<u8>,
    len: usize,
}

impl LookupBuffer {
    const INLINE: usize = 192;

    /// The target for the newest entry of `user_key` that a reader at `seq` may see.
    #[inline]
    pub fn new(user_key: &[u8], seq: SeqNo) -> LookupBuffer {
        let len = user_key.len() + TRAILER_SIZE;
        let inline = [0; LookupBuffer::INLINE];
        let mut buffer = LookupBuffer { inline, heap: Vec::new(), len };
        let trailer = seek_trailer(seq);
        if len <= LookupBuffer::INLINE {
            buffer.inline[..user_key.len()].copy_from_slice(user_key);
            buffer.inline[user_key.len()..len].copy_from_slice(&trailer.to_le_bytes());
        } else {
            buffer.heap.reserve_exact(len);
            append_internal_key(&mut buffer.heap, user_key, trailer);
        }
        buffer
    }

    /// The key.
    #[inline]
    pub fn key(&self) -> LookupKey<'_> {
        let internal_key = self.internal_key();
        LookupKey { internal_key, hash: hash64(user_key(internal_key)) }
    }

    /// The internal key to seek to.
    #[inline]
    pub fn internal_key(&self) -> &[u8] {
        if self.len <= LookupBuffer::INLINE { &self.inline[..self.len] } else { &self.heap }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_lookup_key_is_the_same_inline_and_on_the_heap() {
        for n in [0usize, 1, 183, 184, 185, 1000] {
            let user = vec![b'k'; n];
            let buffer = LookupBuffer::new(&user, 77);
            let mut bytes = vec![9; 5];
            let user_keys = [b"another", &user[..], b""];
            let mut many = LookupKey::many(&user_keys, 77, &mut bytes).skip(1);
            for key in [buffer.key(), many.next().unwrap()] {
                assert_eq!(key.user_key(), &user[..]);
                assert_eq!(key.sequence(), 77);
                assert_eq!(key.internal_key(), buffer.internal_key());
                assert_eq!(key.hash(), hash64(&user));
            }
            assert_eq!(many.next().unwrap().user_key(), b"");
            assert!(many.next().is_none());
        }
    }

    #[test]
    fn parsing_refuses_unknown_types_and_short_keys() {
        assert!(ParsedInternalKey::parse(b"short").unwrap_err().is_corruption());
        let mut k = Vec::new();
        append_internal_key(&mut k, b"user", (5 << 8) | 0x50);
        assert!(ParsedInternalKey::parse(&k).unwrap_err().is_corruption());
        k.clear();
        append_internal_key(&mut k, b"user", pack_trailer(5, ValueType::Merge));
        let p = ParsedInternalKey::parse(&k).unwrap();
        assert_eq!((p.user_key, p.sequence, p.value_type), (&b"user"[..], 5, ValueType::Merge));
    }
}
