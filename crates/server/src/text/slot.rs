//! Hash slots of Redis Cluster: CRC16/XMODEM of the key, or of its hash tag, modulo 16384.

use crc::{CRC_16_XMODEM, Crc, Table};

static CRC: Crc<u16, Table<16>> = Crc::<u16, Table<16>>::new(&CRC_16_XMODEM);

/// The number of hash slots.
pub const SLOTS: u16 = 16384;

/// Returns the hash slot of a key, below [`SLOTS`].
pub fn of_key(key: &[u8]) -> u16 {
    CRC.checksum(hashed_part(key)) % SLOTS
}

/// Returns the bytes of a key that its slot depends on: those between the first `{` and the next `}`, or the whole key
/// if there is no such pair or nothing in between.
pub fn hashed_part(key: &[u8]) -> &[u8] {
    let tag = key.iter().position(|&b| b == b'{').and_then(|open| {
        let rest = key.get(open + 1..)?;
        let close = rest.iter().position(|&b| b == b'}')?;
        rest.get(..close).filter(|tag| !tag.is_empty())
    });
    tag.unwrap_or(key)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slots_of_redis() {
        assert_eq!(CRC.checksum(b"123456789"), 0x31c3);
        // `CLUSTER KEYSLOT` of Redis 7.0.15.
        for (key, slot) in [("somekey", 11058), ("foo{hash_tag}", 2515), ("bar{hash_tag}", 2515)] {
            assert_eq!(of_key(key.as_bytes()), slot, "{key}");
        }
    }

    #[test]
    fn hash_tags() {
        for (key, part) in [
            ("", ""),
            ("a", "a"),
            ("{a}b", "a"),
            ("x{a}{b}", "a"),
            ("{}{a}", "{}{a}"),
            ("{{a}}", "{a"),
            ("{a", "{a"),
            ("a}{", "a}{"),
        ] {
            assert_eq!(hashed_part(key.as_bytes()), part.as_bytes(), "{key}");
        }
    }
}
