//! The two hashes that are part of the file formats: `hash32` (legacy bloom, data-block hash index,
//! PlainTable) and `hash64` (FastLocalBloom, Ribbon).
//!
//! `hash64` is not the final XXH3. It is the preview of xxHash 0.7.2, which RocksDB froze: it
//! differs in the avalanche multiplier, in the lane that a stripe is added to, and in the counting
//! of the last block of a long input. Both functions are total and pure.

const P32_1: u64 = 0x9E37_79B1;
const P32_2: u64 = 0x85EB_CA77;
const P32_3: u64 = 0xC2B2_AE3D;
const P64_1: u64 = 0x9E37_79B1_85EB_CA87;
const P64_2: u64 = 0xC2B2_AE3D_27D4_EB4F;
const P64_3: u64 = 0x1656_67B1_9E37_79F9;
const P64_4: u64 = 0x85EB_CA77_C2B2_AE63;
const P64_5: u64 = 0x27D4_EB2F_1656_67C5;

/// The standard secret of XXH3.
const SECRET: [u8; 192] = *b"\
\xb8\xfe\x6c\x39\x23\xa4\x4b\xbe\x7c\x01\x81\x2c\xf7\x21\xad\x1c\xde\xd4\x6d\xe9\x83\x90\x97\xdb\
\x72\x40\xa4\xa4\xb7\xb3\x67\x1f\xcb\x79\xe6\x4e\xcc\xc0\xe5\x78\x82\x5a\xd0\x7d\xcc\xff\x72\x21\
\xb8\x08\x46\x74\xf7\x43\x24\x8e\xe0\x35\x90\xe6\x81\x3a\x26\x4c\x3c\x28\x52\xbb\x91\xc3\x00\xcb\
\x88\xd0\x65\x8b\x1b\x53\x2e\xa3\x71\x64\x48\x97\xa2\x0d\xf9\x4e\x38\x19\xef\x46\xa9\xde\xac\xd8\
\xa8\xfa\x76\x3f\xe3\x9c\x34\x3f\xf9\xdc\xbb\xc7\xc7\x0b\x4f\x1d\x8a\x51\xe0\x4b\xcd\xb4\x59\x31\
\xc8\x9f\x7e\xc9\xd9\x78\x73\x64\xea\xc5\xac\x83\x34\xd3\xeb\xc3\xc5\x81\xa0\xff\xfa\x13\x63\xeb\
\x17\x0d\xdd\x51\xb7\xf0\xda\x49\xd3\x16\x55\x26\x29\xd4\x68\x9e\x2b\x16\xbe\x58\x7d\x47\xa1\xfc\
\x8f\xf8\xb8\xd1\x7a\xd0\x31\xce\x45\xcb\x3a\x8f\x95\x16\x04\x28\xaf\xd7\xfb\xca\xbb\x4b\x40\x7e";

/// LevelDB's hash. The last one to three bytes are treated as signed, like a C `char` on x86.
pub fn hash32(data: &[u8], seed: u32) -> u32 {
    const M: u32 = 0xC6A4_A793;
    let mut h = seed ^ (data.len() as u32).wrapping_mul(M);
    let mut words = data.chunks_exact(4);
    for w in &mut words {
        h = h.wrapping_add(u32::from_le_bytes([w[0], w[1], w[2], w[3]])).wrapping_mul(M);
        h ^= h >> 16;
    }
    let rest = words.remainder();
    if !rest.is_empty() {
        for (i, &b) in rest.iter().enumerate() {
            h = h.wrapping_add((b as i8 as u32) << (8 * i));
        }
        h = h.wrapping_mul(M);
        h ^= h >> 24;
    }
    h
}

/// XXH3 as in the preview of xxHash 0.7.2, 64 bits, seed 0.
#[inline]
pub fn hash64(data: &[u8]) -> u64 {
    match data.len() {
        0..=16 => hash_to_16(data),
        17..=128 => hash_17_to_128(data),
        129..=240 => hash_129_to_240(data),
        _ => hash_long(data),
    }
}

/// A little-endian load. The callers' length checks let the compiler drop the bounds check.
#[inline(always)]
fn r64(b: &[u8], at: usize) -> u64 {
    let word = b[at..].first_chunk().expect("checked by the caller");
    u64::from_le_bytes(*word)
}

#[inline(always)]
fn r32(b: &[u8], at: usize) -> u64 {
    let word = b[at..].first_chunk().expect("checked by the caller");
    u64::from(u32::from_le_bytes(*word))
}

/// The low half of the 128-bit product, XORed with its high half.
#[inline(always)]
fn fold(a: u64, b: u64) -> u64 {
    let product = u128::from(a) * u128::from(b);
    product as u64 ^ (product >> 64) as u64
}

#[inline(always)]
fn avalanche(mut h: u64) -> u64 {
    h ^= h >> 37;
    h = h.wrapping_mul(P64_3);
    h ^ (h >> 32)
}

/// Mixes sixteen bytes of input at `at` with sixteen bytes of secret at `s`.
#[inline(always)]
fn mix(b: &[u8], at: usize, s: usize) -> u64 {
    fold(r64(b, at) ^ r64(&SECRET, s), r64(b, at + 8) ^ r64(&SECRET, s + 8))
}

#[inline(always)]
fn hash_to_16(b: &[u8]) -> u64 {
    let n = b.len();
    if n > 8 {
        let lo = r64(b, 0) ^ r64(&SECRET, 0);
        let hi = r64(b, n - 8) ^ r64(&SECRET, 8);
        avalanche((n as u64).wrapping_add(lo).wrapping_add(hi).wrapping_add(fold(lo, hi)))
    } else if n >= 4 {
        let k = (r32(b, 0) | r32(b, n - 4) << 32) ^ r64(&SECRET, 0);
        let m = (n as u64).wrapping_add((k ^ (k >> 51)).wrapping_mul(P32_1));
        avalanche((m ^ (m >> 47)).wrapping_mul(P64_2))
    } else if n > 0 {
        let (first, middle, last) = (u64::from(b[0]), u64::from(b[n / 2]), u64::from(b[n - 1]));
        let c = first + (middle << 8) + (last << 16) + ((n as u64) << 24);
        avalanche((c ^ r32(&SECRET, 0)).wrapping_mul(P64_1))
    } else {
        fold(r64(&SECRET, 0), P64_2)
    }
}

#[inline(always)]
fn hash_17_to_128(b: &[u8]) -> u64 {
    let n = b.len();
    let mut a = (n as u64).wrapping_mul(P64_1);
    // Pairs of sixteen bytes from both ends towards the middle.
    for i in 0..=(n - 1) / 32 {
        a = a.wrapping_add(mix(b, 16 * i, 32 * i));
        a = a.wrapping_add(mix(b, n - 16 * (i + 1), 32 * i + 16));
    }
    avalanche(a)
}

fn hash_129_to_240(b: &[u8]) -> u64 {
    let n = b.len();
    let mut a = (n as u64).wrapping_mul(P64_1);
    for i in 0..8 {
        a = a.wrapping_add(mix(b, 16 * i, 16 * i));
    }
    a = avalanche(a);
    for i in 8..n / 16 {
        a = a.wrapping_add(mix(b, 16 * i, 16 * (i - 8) + 3));
    }
    avalanche(a.wrapping_add(mix(b, n - 16, 119)))
}

#[inline(always)]
fn stripe(acc: &mut [u64; 8], b: &[u8], s: usize) {
    for (i, lane) in acc.iter_mut().enumerate() {
        let v = r64(b, 8 * i);
        let k = v ^ r64(&SECRET, s + 8 * i);
        *lane = lane.wrapping_add(v).wrapping_add((k & 0xFFFF_FFFF).wrapping_mul(k >> 32));
    }
}

fn hash_long(b: &[u8]) -> u64 {
    let mut acc = [P32_3, P64_1, P64_2, P64_3, P64_4, P32_2, P64_5, P32_1];
    let mut blocks = b.chunks_exact(1024);
    for block in &mut blocks {
        for (i, part) in block.chunks_exact(64).enumerate() {
            stripe(&mut acc, part, 8 * i);
        }
        for (i, lane) in acc.iter_mut().enumerate() {
            *lane = (*lane ^ (*lane >> 47) ^ r64(&SECRET, 128 + 8 * i)).wrapping_mul(P32_1);
        }
    }
    for (i, part) in blocks.remainder().chunks_exact(64).enumerate() {
        stripe(&mut acc, part, 8 * i);
    }
    if !b.len().is_multiple_of(64) {
        stripe(&mut acc, &b[b.len() - 64..], 121);
    }
    let mut h = (b.len() as u64).wrapping_mul(P64_1);
    for j in 0..4 {
        let lo = acc[2 * j] ^ r64(&SECRET, 11 + 16 * j);
        let hi = acc[2 * j + 1] ^ r64(&SECRET, 19 + 16 * j);
        h = h.wrapping_add(fold(lo, hi));
    }
    avalanche(h)
}

#[cfg(test)]
#[path = "hash_test.rs"]
pub(crate) mod tests;
