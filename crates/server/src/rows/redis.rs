//! Rows of a Redis table.
//!
//! ```text
//! key of a row (integers are big-endian)
//!   M|slot:2|key                              one per Redis key
//!   D|slot:2|klen:2|key|version:8|sub         field, member, list index, stream id, chunk
//!   Z|slot:2|klen:2|key|version:8|score:8|member
//!   G|slot:2|klen:2|key|version:8|sub         groups, consumers and pending entries of streams
//!   S|name                                    state of the table itself
//!
//! value of an M row
//!   flags:1 [expire_ms:6] body
//!   flags: bits 0-3 type, bits 4-6 encoding, bit 7 set if expire_ms follows
//!   body of a raw string: the payload
//!   body of a chunked string: as of a collection; the count is the length in bytes
//!   body of a collection: version:8|count:varint|extra (of the type)
//! ```
//!
//! 1. M rows of a slot are contiguous and end in the raw key: a walk over keys never visits fields.
//! 2. A version is never used twice. Rows of D, Z and G whose version the M row does not name are garbage.
//! 3. A key of a collection has at most [`COLLECTION_KEY_MAX`] bytes, since its length is stored in two bytes.
#![deny(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing)]

use smallvec::SmallVec;

/// The key of a row.
pub type RowKey = SmallVec<[u8; 96]>;

/// The first byte of an M row.
pub const META: u8 = b'M';
/// The first byte of a D row.
pub const DATA: u8 = b'D';
/// The first byte of a Z row.
pub const SCORE: u8 = b'Z';
/// The first byte of a G row.
pub const GROUP: u8 = b'G';
/// The first byte of an S row.
pub const STATE: u8 = b'S';

/// The latest expiry that a row can hold, in the year 10889. Later ones are stored as this.
pub const EXPIRE_MAX_MS: u64 = (1 << (8 * EXPIRE_BYTES)) - 1;

/// Bytes that the key of a collection may have.
pub const COLLECTION_KEY_MAX: usize = u16::MAX as usize;

const EXPIRES: u8 = 0x80;
const EXPIRE_BYTES: usize = 6;

/// The type of a Redis value.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
#[repr(u8)]
pub enum Type {
    /// A string, a bitmap, or a HyperLogLog.
    String = 1,
    /// A list.
    List = 2,
    /// A set.
    Set = 3,
    /// A hash.
    Hash = 4,
    /// A sorted set.
    SortedSet = 5,
    /// A stream.
    Stream = 6,
}

impl Type {
    /// Returns the name that the command TYPE replies.
    pub fn name(self) -> &'static str {
        match self {
            Type::String => "string",
            Type::List => "list",
            Type::Set => "set",
            Type::Hash => "hash",
            Type::SortedSet => "zset",
            Type::Stream => "stream",
        }
    }

    fn from_bits(bits: u8) -> Option<Type> {
        let all = [Type::String, Type::List, Type::Set, Type::Hash, Type::SortedSet, Type::Stream];
        all.into_iter().find(|ty| *ty as u8 == bits)
    }
}

/// The encoding of a string that is its M row's body. Collections start with encoding 0, too.
pub const RAW: u8 = 0;
/// The encoding of a string whose bytes are in D rows. Its M row is that of a collection whose count is the string's
/// length.
pub const CHUNKED: u8 = 1;

/// The beginning of an M row's value.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct Head {
    /// The type.
    pub ty: Type,
    /// The encoding; its meaning depends on the type.
    pub encoding: u8,
    /// The last millisecond since 1970 in which the key is there; 0 means that it never expires.
    pub expire_ms: u64,
}

impl Head {
    /// Splits an M row's value into its head and its body. Returns `None` for bytes that are no M row.
    pub fn parse(value: &[u8]) -> Option<(Head, &[u8])> {
        let (flags, rest) = value.split_first()?;
        let (expire_ms, body) = match flags & EXPIRES {
            0 => (0, rest),
            _ => {
                let (bytes, body) = rest.split_at_checked(EXPIRE_BYTES)?;
                (bytes.iter().fold(0, |ms, byte| ms << 8 | u64::from(*byte)), body)
            }
        };
        let ty = Type::from_bits(flags & 0x0f)?;
        Some((Head { ty, encoding: flags >> 4 & 0x07, expire_ms }, body))
    }

    /// Returns whether the key has expired at this time: its last millisecond is over. An expired key is absent.
    pub fn is_expired(&self, now_ms: u64) -> bool {
        self.expire_ms != 0 && self.expire_ms < now_ms
    }

    /// Appends the head's bytes; the body follows.
    pub fn write(&self, out: &mut impl Extend<u8>) {
        let expires = if self.expire_ms == 0 { 0 } else { EXPIRES };
        out.extend([self.ty as u8 | self.encoding << 4 | expires]);
        if expires != 0 {
            let expire_ms = self.expire_ms.min(EXPIRE_MAX_MS);
            out.extend(expire_ms.to_be_bytes().into_iter().skip(8 - EXPIRE_BYTES));
        }
    }
}

/// The M row of a collection.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Collection {
    /// Type, encoding and expiry.
    pub head: Head,
    /// The version that the collection's rows carry.
    pub version: u64,
    /// The number of elements.
    pub count: u64,
    /// What the type adds: the ends of a list, the last id of a stream.
    pub extra: SmallVec<[u8; 32]>,
}

impl Collection {
    /// Parses the body of an M row whose head is that of a collection.
    pub fn parse(head: Head, body: &[u8]) -> Option<Collection> {
        let (version, rest) = body.split_first_chunk::<8>()?;
        let (count, extra) = read_varint(rest)?;
        let version = u64::from_be_bytes(*version);
        Some(Collection { head, version, count, extra: SmallVec::from_slice(extra) })
    }

    /// Returns the row's value.
    pub fn to_bytes(&self) -> SmallVec<[u8; 64]> {
        let mut out = SmallVec::new();
        self.head.write(&mut out);
        out.extend_from_slice(&self.version.to_be_bytes());
        write_varint(self.count, &mut out);
        out.extend_from_slice(&self.extra);
        out
    }
}

/// Appends an integer as seven bits per byte, low bits first.
pub fn write_varint(mut value: u64, out: &mut impl Extend<u8>) {
    while value >= 0x80 {
        out.extend([value as u8 | 0x80]);
        value >>= 7;
    }
    out.extend([value as u8]);
}

/// Parses an integer of seven bits per byte, low bits first. Returns it and the bytes behind it.
pub fn read_varint(bytes: &[u8]) -> Option<(u64, &[u8])> {
    let mut value = 0u64;
    for (i, byte) in bytes.iter().enumerate().take(10) {
        value |= u64::from(byte & 0x7f).checked_shl(7 * i as u32)?;
        if byte & 0x80 == 0 {
            return Some((value, bytes.get(i + 1..)?));
        }
    }
    None
}

/// Returns the key of an M row.
pub fn meta_key(slot: u16, key: &[u8]) -> RowKey {
    let mut row = meta_prefix(slot);
    row.extend_from_slice(key);
    row
}

/// Appends the key of an M row.
pub fn write_meta_key(slot: u16, key: &[u8], out: &mut Vec<u8>) {
    out.push(META);
    out.extend_from_slice(&slot.to_be_bytes());
    out.extend_from_slice(key);
}

/// Returns what all M rows of a slot begin with.
pub fn meta_prefix(slot: u16) -> RowKey {
    let [high, low] = slot.to_be_bytes();
    RowKey::from_slice(&[META, high, low])
}

/// Returns what all rows of this kind and version of a key begin with.
///
/// # Panics
///
/// In debug builds, if the key is longer than [`COLLECTION_KEY_MAX`]; commands refuse such keys first.
pub fn sub_prefix(kind: u8, slot: u16, key: &[u8], version: u64) -> RowKey {
    debug_assert!(key.len() <= COLLECTION_KEY_MAX, "a collection's key of {} bytes", key.len());
    let mut row = RowKey::new();
    row.push(kind);
    row.extend_from_slice(&slot.to_be_bytes());
    row.extend_from_slice(&(key.len() as u16).to_be_bytes());
    row.extend_from_slice(key);
    row.extend_from_slice(&version.to_be_bytes());
    row
}

/// Returns the key of a D, Z or G row.
pub fn sub_key(kind: u8, slot: u16, key: &[u8], version: u64, sub: &[u8]) -> RowKey {
    let mut row = sub_prefix(kind, slot, key, version);
    row.extend_from_slice(sub);
    row
}

/// Returns what the key of a D, Z or G row shares with all rows of its kind, key and version: the
/// [`sub_prefix`]. Returns `None` for other rows, which belong to no collection.
pub fn collection_of(row: &[u8]) -> Option<&[u8]> {
    match Row::parse(row)? {
        Row::Sub { sub, .. } => row.get(..row.len() - sub.len()),
        Row::Meta { .. } | Row::State(_) => None,
    }
}

/// Returns the smallest key that is greater than all keys with this prefix. The prefix begins with a kind of row, so
/// there is one.
pub fn after_prefix(prefix: &[u8]) -> RowKey {
    let mut end = RowKey::from_slice(prefix);
    while let Some(last) = end.pop() {
        if last != u8::MAX {
            end.push(last + 1);
            break;
        }
    }
    end
}

/// The parts of a row's key.
#[derive(Debug, Eq, PartialEq)]
pub enum Row<'a> {
    /// An M row.
    Meta {
        /// The slot of the key.
        slot: u16,
        /// The Redis key.
        key: &'a [u8],
    },
    /// A D, Z or G row.
    Sub {
        /// The first byte.
        kind: u8,
        /// The slot of the key.
        slot: u16,
        /// The Redis key.
        key: &'a [u8],
        /// The version of the collection.
        version: u64,
        /// What follows the version.
        sub: &'a [u8],
    },
    /// An S row: its name.
    State(&'a [u8]),
}

impl<'a> Row<'a> {
    /// Parses a row's key. Returns `None` for bytes that are no such key.
    pub fn parse(row: &'a [u8]) -> Option<Row<'a>> {
        let (kind, rest) = row.split_first()?;
        if *kind == STATE {
            return Some(Row::State(rest));
        }
        let (slot, rest) = rest.split_first_chunk::<2>()?;
        let slot = u16::from_be_bytes(*slot);
        match *kind {
            META => Some(Row::Meta { slot, key: rest }),
            DATA | SCORE | GROUP => {
                let (length, rest) = rest.split_first_chunk::<2>()?;
                let (key, rest) = rest.split_at_checked(u16::from_be_bytes(*length).into())?;
                let (version, sub) = rest.split_first_chunk::<8>()?;
                let version = u64::from_be_bytes(*version);
                Some(Row::Sub { kind: *kind, slot, key, version, sub })
            }
            _ => None,
        }
    }
}

#[cfg(test)]
#[path = "redis_test.rs"]
mod tests;
