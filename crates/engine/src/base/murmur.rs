//! MurmurHash as used in CuckooTable files: `MurmurHash64A` and `MurmurHash2`, by Austin Appleby, in the public domain.
//!
//! They are implemented here because they are part of the file format, take thirty lines, and are only in unmaintained
//! crates. Both functions are total and pure.

/// The hash used on 64-bit machines.
pub fn murmur64a(data: &[u8], seed: u32) -> u64 {
    const M: u64 = 0xC6A4_A793_5BD1_E995;
    let mut h = u64::from(seed) ^ (data.len() as u64).wrapping_mul(M);
    let (words, rest) = data.as_chunks::<8>();
    for word in words {
        let mut k = u64::from_le_bytes(*word).wrapping_mul(M);
        k ^= k >> 47;
        h = (h ^ k.wrapping_mul(M)).wrapping_mul(M);
    }
    if !rest.is_empty() {
        let mut last = [0; 8];
        last[..rest.len()].copy_from_slice(rest);
        h = (h ^ u64::from_le_bytes(last)).wrapping_mul(M);
    }
    h = (h ^ (h >> 47)).wrapping_mul(M);
    h ^ (h >> 47)
}

/// The hash used on 32-bit machines.
pub fn murmur2(data: &[u8], seed: u32) -> u32 {
    const M: u32 = 0x5BD1_E995;
    let mut h = seed ^ data.len() as u32;
    let (words, rest) = data.as_chunks::<4>();
    for word in words {
        let mut k = u32::from_le_bytes(*word).wrapping_mul(M);
        k ^= k >> 24;
        h = h.wrapping_mul(M) ^ k.wrapping_mul(M);
    }
    if !rest.is_empty() {
        let mut last = [0; 4];
        last[..rest.len()].copy_from_slice(rest);
        h = (h ^ u32::from_le_bytes(last)).wrapping_mul(M);
    }
    h = (h ^ (h >> 13)).wrapping_mul(M);
    h ^ (h >> 15)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The verification value of SMHasher, the test suite by the hashes' author: the hash of the concatenated hashes of
    /// 256 inputs of increasing length.
    fn smhasher<const N: usize>(hash: impl Fn(&[u8], u32) -> [u8; N]) -> u32 {
        let key: Vec<u8> = (0..=255).collect();
        let all: Vec<u8> = (0..256).flat_map(|n| hash(&key[..n], 256 - n as u32)).collect();
        let last = hash(&all, 0);
        u32::from_le_bytes([last[0], last[1], last[2], last[3]])
    }

    #[test]
    fn hashes_are_those_of_their_author() {
        assert_eq!(smhasher(|key, seed| murmur64a(key, seed).to_le_bytes()), 0x1F0D_3804);
        assert_eq!(smhasher(|key, seed| murmur2(key, seed).to_le_bytes()), 0x2786_4C1E);
    }
}
