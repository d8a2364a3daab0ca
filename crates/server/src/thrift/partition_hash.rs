//! The hash that assigns rows to partitions: CRC-64/NVME of the hash key, or of the sort key if the hash key is empty.

use crc::{CRC_64_NVME, Crc};

static CRC: Crc<u64> = Crc::<u64>::new(&CRC_64_NVME);

/// Returns the hash of a key.
pub fn partition_hash(hash_key: &[u8], sort_key: &[u8]) -> u64 {
    CRC.checksum(if hash_key.is_empty() { sort_key } else { hash_key })
}

/// Returns the partition of a hash in a table with `count` partitions, which must be a power of two.
pub fn partition_of(hash: u64, count: u32) -> u32 {
    debug_assert!(count.is_power_of_two(), "{count}");
    (hash & (u64::from(count) - 1)) as u32
}

#[cfg(test)]
#[path = "partition_hash_test.rs"]
mod tests;
