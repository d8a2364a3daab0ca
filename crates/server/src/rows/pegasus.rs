//! Rows of `pegasus` tables, byte for byte as Pegasus stores them.
//!
//! ```text
//! key      = u16 length of the hash key, hash key, sort key
//! value v0 = u32 expiry, data
//! value v1 = u32 expiry, u64 timetag, data
//! value v2 = 82, u32 expiry, u64 timetag, data         is read, never written
//! timetag  = microseconds since 1970 << 8 | cluster << 1 | deleted
//! ```
//!
//! Integers are big-endian. An expiry is in seconds since 2016-01-01 UTC; 0 means never. Versions 0 and 1 do not say
//! which they are: the table's version decides. A first byte from 80 upwards says its version itself, so an expiry must
//! be less than 2^31.
//!
//! * **PR1** The order of keys is the order of their bytes: by length of the hash key, then hash key, then sort key.
//! * **PR2** A stored expiry is at most [`EXPIRY_MAX`], so that its first byte is never taken for a version.

/// Unix seconds of the epoch of expiries, 2016-01-01 00:00:00 UTC.
pub const EPOCH_UNIX_SECONDS: u64 = 1_451_606_400;

/// The maximum length of a hash key. 65535 is reserved for the end of a full scan.
pub const HASH_KEY_MAX: usize = 65_534;

/// The greatest expiry, in the year 2084.
pub const EXPIRY_MAX: u32 = i32::MAX as u32;

/// The first byte of a value that says its version itself.
const VERSION_BIT: u8 = 0x80;

/// Returns the time of expiries for a Unix time; 0 before 2016.
pub fn expiry_clock(unix_seconds: u64) -> u32 {
    let seconds = unix_seconds.saturating_sub(EPOCH_UNIX_SECONDS);
    u32::try_from(seconds).unwrap_or(EXPIRY_MAX).min(EXPIRY_MAX)
}

/// Returns whether a row with this expiry has expired.
pub fn is_expired(expiry: u32, now: u32) -> bool {
    expiry > 0 && expiry <= now
}

/// Appends a key. The hash key must not be longer than [`HASH_KEY_MAX`].
pub fn write_key(hash_key: &[u8], sort_key: &[u8], out: &mut Vec<u8>) {
    debug_assert!(hash_key.len() <= HASH_KEY_MAX, "{}", hash_key.len());
    out.reserve(2 + hash_key.len() + sort_key.len());
    out.extend_from_slice(&(hash_key.len() as u16).to_be_bytes());
    out.extend_from_slice(hash_key);
    out.extend_from_slice(sort_key);
}

/// Returns a key.
pub fn key(hash_key: &[u8], sort_key: &[u8]) -> Vec<u8> {
    let mut out = Vec::new();
    write_key(hash_key, sort_key, &mut out);
    out
}

/// Splits a key into hash key and sort key; `None` if it is shorter than its length says or uses the reserved length.
pub fn split_key(key: &[u8]) -> Option<(&[u8], &[u8])> {
    let (len, rest) = key.split_first_chunk::<2>()?;
    let len = usize::from(u16::from_be_bytes(*len));
    if len > HASH_KEY_MAX { None } else { rest.split_at_checked(len) }
}

/// Returns what a key shares with all rows of its hash key: the length and the hash key. Returns `None` for bytes that
/// are no key.
pub fn hash_key_prefix(key: &[u8]) -> Option<&[u8]> {
    let (_, sort_key) = split_key(key)?;
    key.get(..key.len() - sort_key.len())
}

/// Returns the first key after all keys that begin with `prefix`; `None` if there is no such key, because every byte
/// is FF. The increment may carry into the length of the hash key.
pub fn after_prefix(prefix: &[u8]) -> Option<Vec<u8>> {
    let last = prefix.iter().rposition(|byte| *byte != 0xff)?;
    let mut out = prefix.get(..=last)?.to_vec();
    *out.last_mut()? += 1;
    Some(out)
}

/// The version of a table's values.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Version {
    /// Without a timetag.
    V0,
    /// With a timetag: the version of new tables.
    #[default]
    V1,
}

/// A value taken apart.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Value<'a> {
    /// Seconds since 2016; 0 for never.
    pub expiry: u32,
    /// 0 in version 0.
    pub timetag: u64,
    /// The user's bytes.
    pub data: &'a [u8],
}

/// Returns the timetag of a write.
pub fn timetag(unix_micros: u64, cluster: u8, is_deleted: bool) -> u64 {
    debug_assert!(cluster < 0x80, "a cluster has 7 bits, found {cluster}");
    unix_micros << 8 | u64::from(cluster) << 1 | u64::from(is_deleted)
}

impl Version {
    /// Appends a stored value.
    pub fn write(self, value: Value<'_>, out: &mut Vec<u8>) {
        debug_assert!(value.expiry <= EXPIRY_MAX, "PR2: {}", value.expiry);
        out.reserve(12 + value.data.len());
        out.extend_from_slice(&value.expiry.to_be_bytes());
        if self == Version::V1 {
            out.extend_from_slice(&value.timetag.to_be_bytes());
        }
        out.extend_from_slice(value.data);
    }

    /// Takes a stored value apart; `None` if it is too short or says an unknown version.
    pub fn read(self, stored: &[u8]) -> Option<Value<'_>> {
        let (has_timetag, rest) = match stored.split_first()? {
            (&first, rest) if first & VERSION_BIT != 0 => {
                if first != VERSION_BIT | 2 {
                    return None;
                }
                (true, rest)
            }
            _ => (self == Version::V1, stored),
        };
        let (expiry, rest) = rest.split_first_chunk::<4>()?;
        let (timetag, data) = if has_timetag {
            let (timetag, data) = rest.split_first_chunk::<8>()?;
            (u64::from_be_bytes(*timetag), data)
        } else {
            (0, rest)
        };
        Some(Value { expiry: u32::from_be_bytes(*expiry), timetag, data })
    }
}

#[cfg(test)]
#[path = "pegasus_test.rs"]
mod tests;
