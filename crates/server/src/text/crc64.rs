//! The CRC-64 at the end of DUMP payloads and RDB files.

use crc::{CRC_64_REDIS, Crc, Table};

static CRC: Crc<u64, Table<16>> = Crc::<u64, Table<16>>::new(&CRC_64_REDIS);

/// Returns the CRC-64 of `bytes` as Redis computes it.
pub fn checksum(bytes: &[u8]) -> u64 {
    CRC.checksum(bytes)
}

/// A checksum of bytes that arrive in parts.
pub struct Digest(crc::Digest<'static, u64, Table<16>>);

impl Digest {
    /// Returns the digest of no bytes.
    pub fn new() -> Digest {
        Digest(CRC.digest())
    }

    /// Appends bytes.
    pub fn update(&mut self, bytes: &[u8]) {
        self.0.update(bytes);
    }

    /// Returns the checksum of all appended bytes.
    pub fn finish(self) -> u64 {
        self.0.finalize()
    }
}

impl Default for Digest {
    fn default() -> Digest {
        Digest::new()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_check_value_of_the_catalogue() {
        assert_eq!(checksum(b"123456789"), 0xe9c6_d914_c4b8_d9ca);
        let mut digest = Digest::new();
        digest.update(b"1234");
        digest.update(b"56789");
        assert_eq!(digest.finish(), checksum(b"123456789"));
    }
}
