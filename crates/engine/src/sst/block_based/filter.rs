//! Bloom and Ribbon filters: queries, and the builder of Bloom filters.
//!
//! ```text
//! filter block = body, marker u8, 4 bytes
//! marker 1-127 = legacy Bloom with so many probes; fixed32 number of lines
//! marker ff    = 00, u8 (low 5 bits probes, high 3 bits log2(line bytes) - 6), 00 00
//! marker fe    = Ribbon: u8 seed, u24 number of blocks
//! ```
//! A filter with any other marker admits every key. A filter answers "no" only if the key was not
//! added.

#![deny(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing)]

use super::ribbon::Ribbon;
use super::ribbon_builder::{RibbonShape, one_in_false_positives};
use crate::base::hash::{hash32, hash64};
use crate::base::prefetch::prefetch;
use crate::env::mapping::LargeVec;

const METADATA_SIZE: usize = 5;
const LEGACY_SEED: u32 = 0xBC9F_1D34;
const LINE: usize = 64;
const PROBE_MULTIPLIER: u32 = 0x9E37_79B9;

/// The decoded metadata of a filter.
enum Kind {
    /// Rejects every key.
    Never,
    /// Admits every key.
    Always,
    /// FastLocalBloom.
    Fast { lines: u32, probes: u32 },
    /// Bloom of format versions below 5.
    Legacy { lines: u32, probes: u32, log2_line: u32 },
    /// Standard128Ribbon.
    Ribbon(Ribbon),
}

/// A filter that answers queries.
pub struct Filter {
    body: FilterLines,
    kind: Kind,
}

/// Bytes aligned to a cache line, so that each line of the filter is one cache line and not parts of two.
#[derive(Default)]
pub struct FilterLines {
    /// Slightly larger than needed; never moved or grown.
    memory: LargeVec<u8>,
    /// The offset of the first byte.
    start: usize,
}

impl FilterLines {
    /// Zeroed memory of `len` bytes, to read a file into.
    pub fn zeroed(len: usize) -> FilterLines {
        let mut memory = LargeVec::zeroed(len + LINE - 1);
        // An interpreter cannot compute the alignment; then nothing is aligned, which is still
        // correct.
        let start = memory.as_ptr().align_offset(LINE).min(LINE - 1);
        memory.truncate(start + len);
        FilterLines { memory, start }
    }

    /// A copy of these bytes.
    pub fn of(bytes: &[u8]) -> FilterLines {
        let mut lines = FilterLines::zeroed(bytes.len());
        lines.bytes_mut().copy_from_slice(bytes);
        lines
    }

    /// Keeps the first `len` bytes.
    pub fn truncate(&mut self, len: usize) {
        self.memory.truncate(self.start + len);
    }

    /// The bytes.
    #[inline]
    pub fn bytes(&self) -> &[u8] {
        self.memory.get(self.start..).unwrap_or_default()
    }

    /// The bytes, for writing.
    pub fn bytes_mut(&mut self) -> &mut [u8] {
        self.memory.get_mut(self.start..).unwrap_or_default()
    }
}

impl Filter {
    /// Decodes a filter from its block.
    pub fn new(mut block: FilterLines) -> Filter {
        let Some((body, metadata)) = block.bytes().split_last_chunk::<METADATA_SIZE>() else {
            return Filter { body: FilterLines::default(), kind: Kind::Never };
        };
        let kind = if body.is_empty() { Kind::Never } else { parse(body, *metadata) };
        let len = body.len();
        block.truncate(len);
        Filter { body: block, kind }
    }

    /// Whether the key may have been added; `hash` is its [`hash64`].
    #[inline]
    pub fn may_match(&self, key: &[u8], hash: u64) -> bool {
        match &self.kind {
            Kind::Fast { lines, probes } => self.fast(*lines, *probes, hash),
            Kind::Always => true,
            Kind::Never => false,
            Kind::Legacy { lines, probes, log2_line } => {
                self.legacy(*lines, *probes, *log2_line, hash32(key, LEGACY_SEED))
            }
            Kind::Ribbon(ribbon) => ribbon.may_match(self.body.bytes(), hash),
        }
    }

    /// Prefetches the line that decides about a key.
    #[inline]
    pub fn walk_ahead(&self, hash: u64) {
        if let Kind::Fast { lines, .. } = self.kind {
            prefetch(self.body.bytes().as_ptr().wrapping_add(line_of(hash, lines) * LINE));
        }
    }

    /// The memory in use, in bytes.
    pub fn memory_usage(&self) -> usize {
        self.body.memory.capacity()
    }

    #[inline]
    fn fast(&self, lines: u32, probes: u32, hash: u64) -> bool {
        let line = line_of(hash, lines);
        let Some(line) = self.body.bytes().get(line * LINE..).and_then(|b| b.first_chunk::<LINE>())
        else {
            return true;
        };
        // Tests all probes, without a branch on the loaded line: the branch would be mispredicted
        // for every other absent key, and no later work could start before the line has arrived
        // from memory.
        match probes {
            // The number for ten bits per key: without a loop it takes half the instructions.
            6 => all_are_set(line, hash, 6),
            _ => all_are_set(line, hash, probes),
        }
    }

    fn legacy(&self, lines: u32, probes: u32, log2_line: u32, hash: u32) -> bool {
        let line = (hash % lines) as usize;
        let Some(line) = self.body.bytes().get(line << log2_line..) else { return true };
        let delta = hash.rotate_right(17);
        let mask = (8 << log2_line) - 1;
        let mut h = hash;
        for _ in 0..probes {
            let at = h & mask;
            if line.get(at as usize / 8).is_none_or(|byte| byte & (1 << (at % 8)) == 0) {
                return false;
            }
            h = h.wrapping_add(delta);
        }
        true
    }
}

#[inline]
fn line_of(hash: u64, lines: u32) -> usize {
    ((u64::from(hash as u32) * u64::from(lines)) >> 32) as usize
}

/// Whether all bits of a key are set in its line.
#[inline(always)]
fn all_are_set(line: &[u8; LINE], hash: u64, probes: u32) -> bool {
    let (mut x, mut all) = ((hash >> 32) as u32, 1);
    for _ in 0..probes {
        all &= bit(line, x >> 23);
        x = x.wrapping_mul(PROBE_MULTIPLIER);
    }
    all != 0
}

/// The bit at position `at` (0 to 511) of a line.
#[inline]
fn bit(line: &[u8; LINE], at: u32) -> u8 {
    line.get((at >> 3) as usize).map_or(1, |byte| byte >> (at & 7) & 1)
}

fn parse(body: &[u8], metadata: [u8; METADATA_SIZE]) -> Kind {
    let [marker, a, b, c, d] = metadata;
    match marker {
        1..=0x7F => parse_legacy(body, u32::from(marker), u32::from_le_bytes([a, b, c, d])),
        0xFF => {
            let (probes, log2) = (u32::from(b & 31), b >> 5);
            let lines = body.len() / LINE;
            let plain = a == 0 && (c, d) == (0, 0) && log2 == 0 && (1..=30).contains(&probes);
            match u32::try_from(lines) {
                Ok(lines) if plain && body.len().is_multiple_of(LINE) => {
                    Kind::Fast { lines, probes }
                }
                _ => Kind::Always,
            }
        }
        0xFE => {
            let blocks = u32::from_le_bytes([b, c, d, 0]);
            Ribbon::new(body.len(), a, blocks).map_or(Kind::Always, Kind::Ribbon)
        }
        _ => Kind::Always,
    }
}

fn parse_legacy(body: &[u8], probes: u32, lines: u32) -> Kind {
    if lines == 0 || !body.len().is_multiple_of(lines as usize) {
        return Kind::Always;
    }
    // Machines with other cache lines write other line sizes; each is a power of two.
    let line = body.len() / lines as usize;
    match line.checked_ilog2() {
        Some(log2_line) if line.is_power_of_two() && log2_line < 26 => {
            Kind::Legacy { lines, probes, log2_line }
        }
        _ => Kind::Always,
    }
}

/// The number of hashes in one piece. A builder grows with its table's number of keys. A memory
/// allocator keeps large freed pieces but returns small ones to the system.
const HASHES_IN_PIECE: usize = 8 << 10;

/// Collects hashes and builds a FastLocalBloom or a Ribbon filter.
pub struct FilterBuilder {
    millibits_per_key: u64,
    /// Build a Ribbon filter with a false-positive rate of one in this number.
    ribbon: Option<f64>,
    /// All pieces except the last are full.
    pieces: Vec<Vec<u64>>,
    last_hash: Option<u64>,
}

impl FilterBuilder {
    /// A builder with this many bits per key, which RocksDB rounds to thousandths.
    pub fn new(bits_per_key: f64) -> FilterBuilder {
        let millibits = (bits_per_key * 1000.0 + 0.500_001).clamp(0.0, 100_000.0) as u64;
        // RocksDB treats less than half a bit as none and less than one bit as one.
        let millibits = if millibits < 500 { 0 } else { millibits.max(1000) };
        let (pieces, ribbon, last_hash) = (Vec::new(), None, None);
        FilterBuilder { millibits_per_key: millibits, ribbon, pieces, last_hash }
    }

    /// A builder of Ribbon filters that are as accurate as Bloom filters with this many bits per key. As in RocksDB,
    /// few keys get a Bloom filter, which is smaller in that case.
    pub fn ribbon(bits_per_key: f64) -> FilterBuilder {
        let mut builder = FilterBuilder::new(bits_per_key);
        if builder.millibits_per_key > 0 {
            let probes = probes_for(builder.millibits_per_key);
            let bits = bits_per_key.clamp(1.0, 100.0);
            builder.ribbon = Some(one_in_false_positives(bits, probes));
        }
        builder
    }

    /// Adds a key or a prefix. Immediate repetitions are ignored.
    pub fn add(&mut self, key: &[u8]) {
        let hash = hash64(key);
        if self.last_hash == Some(hash) {
            return;
        }
        self.last_hash = Some(hash);
        match self.pieces.last_mut() {
            Some(piece) if piece.len() < HASHES_IN_PIECE => piece.push(hash),
            Some(_) => {
                let mut piece = Vec::with_capacity(HASHES_IN_PIECE);
                piece.push(hash);
                self.pieces.push(piece);
            }
            None => self.pieces.push(vec![hash]),
        }
    }

    /// An empty builder with the same settings.
    pub fn renew(&self) -> FilterBuilder {
        let mut next = FilterBuilder::new(self.millibits_per_key as f64 / 1000.0);
        next.ribbon = self.ribbon;
        next
    }

    /// The number of entries that a filter of `size` bytes holds.
    pub fn entries_within(&self, size: usize) -> usize {
        let bits = (size.saturating_sub(METADATA_SIZE) / LINE * LINE * 8) as u64;
        (bits * 1000 / self.millibits_per_key.max(1)) as usize
    }

    /// The number of added entries.
    pub fn len(&self) -> usize {
        self.pieces.iter().map(Vec::len).sum()
    }

    /// Whether nothing was added.
    pub fn is_empty(&self) -> bool {
        self.pieces.is_empty()
    }

    fn hashes(&self) -> impl Iterator<Item = &u64> + Clone {
        self.pieces.iter().flatten()
    }

    fn lines(&self) -> usize {
        let bytes = (self.len() as u64 * self.millibits_per_key).div_ceil(8000);
        // Lines are numbered by 32 bits.
        bytes.div_ceil(LINE as u64).min(u64::from(u32::MAX / LINE as u32)) as usize
    }

    /// Builds the block.
    pub fn finish(&self) -> LargeVec<u8> {
        self.finish_ribbon().unwrap_or_else(|| self.finish_bloom())
    }

    fn finish_ribbon(&self) -> Option<LargeVec<u8>> {
        let entropy = *self.hashes().next()?;
        let bloom_len = self.lines() * LINE + METADATA_SIZE;
        let shape = RibbonShape::new(self.len(), self.ribbon?, entropy, bloom_len)?;
        shape.build(self.hashes().copied(), entropy)
    }

    fn finish_bloom(&self) -> LargeVec<u8> {
        let lines = self.lines();
        if lines == 0 {
            // No key was added: a filter with a body would only reject keys.
            return LargeVec::zeroed(if self.is_empty() { METADATA_SIZE } else { 6 });
        }
        let mut out = LargeVec::new();
        out.reserve(lines * LINE + METADATA_SIZE);
        out.resize(lines * LINE, 0u8);
        let probes = probes_for(self.millibits_per_key);
        for &hash in self.hashes() {
            let start = line_of(hash, lines as u32) * LINE;
            let Some(line) = out.get_mut(start..start + LINE) else { continue };
            let mut x = (hash >> 32) as u32;
            for _ in 0..probes {
                if let Some(byte) = line.get_mut((x >> 26) as usize) {
                    *byte |= 1 << (x >> 23 & 7);
                }
                x = x.wrapping_mul(PROBE_MULTIPLIER);
            }
        }
        out.extend_from_slice(&[0xFF, 0, probes as u8, 0, 0]);
        out
    }
}

/// The number of probes that RocksDB 7.8.3 uses.
fn probes_for(millibits: u64) -> u32 {
    const LIMITS: [u64; 12] =
        [2080, 3580, 5100, 6640, 8300, 10070, 11720, 14001, 16050, 18300, 22001, 25501];
    match LIMITS.iter().position(|&limit| millibits <= limit) {
        Some(i) => i as u32 + 1,
        None if millibits > 50_000 => 24,
        None => ((millibits - 1) / 2000 - 1) as u32,
    }
}

#[cfg(test)]
#[path = "filter_test.rs"]
mod tests;
