//! Checksums of log records and table blocks, and the unique id of a table.
//!
//! A CRC is stored "masked", because a CRC over bytes that contain a CRC is weak. The checksum of a
//! block covers its bytes and the type byte after them; XXH3 folds the type byte in afterwards.

use twox_hash::XxHash3_64;
use xxhash_rust::{xxh3, xxh32, xxh64};

const MASK_DELTA: u32 = 0xA282_EAD8;

/// The checksum type of blocks. Numbers are RocksDB's.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
#[repr(u8)]
pub enum ChecksumType {
    /// None: nothing is verified.
    NoChecksum = 0,
    /// Masked CRC-32C.
    Crc32c = 1,
    /// XXH32.
    XxHash = 2,
    /// The low half of XXH64.
    XxHash64 = 3,
    /// The low half of XXH3 with the last byte folded in.
    #[default]
    Xxh3 = 4,
}

impl ChecksumType {
    /// The type with this number in a footer.
    pub fn from_byte(b: u8) -> Option<ChecksumType> {
        Some(match b {
            0 => ChecksumType::NoChecksum,
            1 => ChecksumType::Crc32c,
            2 => ChecksumType::XxHash,
            3 => ChecksumType::XxHash64,
            4 => ChecksumType::Xxh3,
            _ => return None,
        })
    }
}

/// The stored form of a CRC.
#[inline]
pub fn mask(crc: u32) -> u32 {
    crc.rotate_right(15).wrapping_add(MASK_DELTA)
}

/// The CRC of a stored form.
#[inline]
pub fn unmask(masked: u32) -> u32 {
    masked.wrapping_sub(MASK_DELTA).rotate_left(15)
}

/// Whether all processors that the library was compiled for have instructions for [`crc32c()`], in RocksDB's wording.
/// If not, `crc32c_hardware` decides at run time.
pub fn crc32c_target() -> String {
    let (has_it, processor) = if cfg!(target_arch = "x86_64") {
        (cfg!(target_feature = "sse4.2"), "x86")
    } else if cfg!(target_arch = "aarch64") {
        (cfg!(target_feature = "crc"), "Arm64")
    } else {
        (false, std::env::consts::ARCH)
    };
    format!("{} on {processor}", if has_it { "Supported" } else { "Not supported" })
}

/// Whether this processor has instructions for [`crc32c()`].
pub fn crc32c_hardware() -> bool {
    #[cfg(target_arch = "x86_64")]
    let has_it = is_x86_feature_detected!("sse4.2");
    #[cfg(target_arch = "aarch64")]
    let has_it = std::arch::is_aarch64_feature_detected!("crc");
    #[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
    let has_it = false;
    has_it
}

/// CRC-32C (Castagnoli).
#[inline]
pub fn crc32c(data: &[u8]) -> u32 {
    crc32c::crc32c(data)
}

/// The CRC of the bytes that gave `crc`, followed by `data`.
#[inline]
pub fn crc32c_extend(crc: u32, data: &[u8]) -> u32 {
    crc32c::crc32c_append(crc, data)
}

/// The value stored in the trailer of a block, before the context modifier of format 6 and later.
pub fn block_checksum(kind: ChecksumType, block: &[u8], type_byte: u8) -> u32 {
    match kind {
        ChecksumType::NoChecksum => 0,
        ChecksumType::Crc32c => mask(crc32c_extend(crc32c(block), &[type_byte])),
        ChecksumType::XxHash => {
            let mut state = xxh32::Xxh32::new(0);
            state.update(block);
            state.update(&[type_byte]);
            state.digest()
        }
        ChecksumType::XxHash64 => {
            let mut state = xxh64::Xxh64::new(0);
            state.update(block);
            state.update(&[type_byte]);
            state.digest() as u32
        }
        ChecksumType::Xxh3 => {
            XxHash3_64::oneshot(block) as u32 ^ u32::from(type_byte).wrapping_mul(0x6B90_83D9)
        }
    }
}

/// The value that format 6 and later add to a block's checksum to bind it to its file and offset.
#[inline]
pub fn context_modifier(base: u32, offset: u64) -> u32 {
    if base == 0 { 0 } else { base ^ (offset as u32).wrapping_add((offset >> 32) as u32) }
}

/// XXH3, 128 bits, with a seed: (low half, high half).
pub fn xxh3_128(data: &[u8], seed: u64) -> (u64, u64) {
    let h = xxh3::xxh3_128_with_seed(data, seed);
    (h as u64, (h >> 64) as u64)
}

/// The unique id of a table that the MANIFEST records, derived from the table's properties about
/// its origin. `None` if these properties are missing or invalid.
pub fn unique_id(db_identity: &str, session_id: &str, file_number: u64) -> Option<[u8; 16]> {
    if db_identity.is_empty() || file_number == 0 {
        return None;
    }
    let (upper, lower) = decode_session_id(session_id)?;
    let (_, high) = xxh3_128(db_identity.as_bytes(), upper);
    let mut id = [0; 16];
    let (first, second) = id.split_at_mut(8);
    first.copy_from_slice(&lower.to_le_bytes());
    second.copy_from_slice(&(high ^ file_number).to_le_bytes());
    Some(id)
}

/// Decodes a session id, a number in base 36. Its last 12 digits carry 62 bits; the digits before
/// them carry the rest.
fn decode_session_id(id: &str) -> Option<(u64, u64)> {
    if !(13..=24).contains(&id.len()) || !id.is_ascii() {
        return None;
    }
    let (head, tail) = id.split_at(id.len() - 12);
    let (a, b) = (base36(head)?, base36(tail)?);
    Some((a >> 2, (a << 62) | (b & ((1 << 62) - 1))))
}

fn base36(digits: &str) -> Option<u64> {
    digits
        .chars()
        .try_fold(0u64, |n, c| Some(n.wrapping_mul(36).wrapping_add(u64::from(c.to_digit(36)?))))
}

#[cfg(test)]
#[path = "checksum_test.rs"]
mod tests;
