//! Huffman codes for literals (RFC 8878, section 4.2).

// Symbols are bytes; ranks of symbols are below 256, because each byte has one.
#![allow(clippy::indexing_slicing)]

use super::fse::{self, State, Table};
use super::output::{Bits, Output};

/// The longest code of the format.
const BITS_MAX: usize = 11;
/// The largest table for weights.
const WEIGHTS_LOG_MAX: u32 = 5;
/// Weights without compression have four bits each, and at most this many.
const DIRECT_MAX: usize = 128;

/// The nodes of a tree: leaves, two sentinels, inner nodes, two sentinels.
const NODES: usize = 2 * 256 + 4;

/// A code.
pub(super) struct Code {
    /// Of each byte: the code in the highest bits, and its length in the lowest eight. So codes are appended by shifts
    /// to the right.
    pub(super) entries: [u64; 256],
    lengths: [u8; 256],
    /// How many bytes have a code of each length.
    per_length: [u32; 32],
    /// The length of the longest code.
    pub(super) bits_max: u32,
    /// The last byte that has a code.
    last: usize,
    /// The memory of [`Code::fill`].
    weights: [u32; NODES],
    parents: [u16; NODES],
    /// The table for weights.
    table: Table,
}

impl Code {
    pub(super) fn new() -> Code {
        Code {
            entries: [0; 256],
            lengths: [0; 256],
            per_length: [0; 32],
            bits_max: 0,
            last: 0,
            weights: [0; NODES],
            parents: [0; NODES],
            table: Table::new(),
        }
    }

    /// Turns into the best code for bytes with these counts, of which two or more differ. Returns the number of bits
    /// that the bytes take.
    pub(super) fn fill(&mut self, counts: &[u32; 256]) -> u64 {
        let mut sorted = [0; 256];
        let used = sort(counts, &mut sorted);
        let sorted = &sorted[..used];
        let total = sorted.iter().map(|entry| entry >> 8).sum();
        self.per_length = self.measure(sorted);
        limit(&mut self.per_length, bits_most(total, used));
        self.assign(sorted)
    }

    /// Builds the tree of the sorted bytes and returns how many have a code of each length. Lengths beyond 31 count as
    /// 31.
    fn measure(&mut self, sorted: &[u32]) -> [u32; 32] {
        let (weights, parents) = (&mut self.weights, &mut self.parents);
        let leaves = sorted.len();
        let (first, end) = (leaves + 2, 2 * leaves + 1);
        for (weight, entry) in weights.iter_mut().zip(sorted) {
            *weight = entry >> 8;
        }
        // Sentinels, so that the choice of the two lightest nodes needs no check.
        weights[leaves..=end + 1].fill(u32::MAX);
        let (mut leaf, mut inner) = (0, first);
        for node in first..end {
            // Whether both are leaves, or both inner nodes; without a branch, because neither can be predicted.
            let leaves_only = weights[leaf + 1] <= weights[inner];
            let inner_only = weights[inner + 1] < weights[leaf];
            let a = if inner_only { inner + 1 } else { leaf };
            let b = if leaves_only { leaf + 1 } else { inner };
            weights[node] = weights[a] + weights[b];
            parents[a] = node as u16;
            parents[b] = node as u16;
            let taken = 1 + usize::from(leaves_only) - usize::from(inner_only);
            leaf += taken;
            inner += 2 - taken;
        }
        // From here on, weights are depths.
        let mut per_length = [0; 32];
        weights[end - 1] = 0;
        for node in (first..end - 1).rev() {
            weights[node] = weights[usize::from(parents[node]) % NODES] + 1;
        }
        for parent in &parents[..leaves] {
            let depth = weights[usize::from(*parent) % NODES] + 1;
            per_length[depth.min(31) as usize] += 1;
        }
        per_length
    }

    /// Gives each byte the length of its rank, and codes in the format's order: longer codes first, then by the byte.
    fn assign(&mut self, sorted: &[u32]) -> u64 {
        let per_length = &self.per_length;
        self.lengths = [0; 256];
        let (mut total, mut rank) = (0, 0);
        let mut next = [0_u32; 32];
        let mut code = 0;
        self.bits_max = 0;
        for length in (1..=BITS_MAX).rev() {
            next[length] = code;
            code = (code + per_length[length]) >> 1;
            for &entry in sorted.iter().skip(rank).take(per_length[length] as usize) {
                self.lengths[(entry & 0xFF) as usize] = length as u8;
                total += u64::from(entry >> 8) * length as u64;
                rank += 1;
                self.bits_max = self.bits_max.max(length as u32);
            }
        }
        for (byte, &length) in self.lengths.iter().enumerate() {
            let length = usize::from(length);
            if length > 0 {
                self.entries[byte] = u64::from(next[length]) << (64 - length) | length as u64;
                next[length] += 1;
                self.last = byte;
            }
        }
        total
    }

    /// Appends the description of the code. Returns false if there is none: the bytes must be stored as they are.
    pub(super) fn describe(&mut self, out: &mut Output) -> bool {
        let mut weights = [0_u8; 256];
        let longest = self.bits_max as u8 + 1;
        for (weight, &length) in weights.iter_mut().zip(&self.lengths) {
            *weight = if length > 0 { longest - length } else { 0 };
        }
        // The decoder computes the last one.
        let (weights, last) = (&weights[..self.last], weights[self.last]);
        let start = out.len();
        out.put(0, 1);
        let direct = if self.last <= DIRECT_MAX { self.last.div_ceil(2) } else { usize::MAX };
        let counts = self.count_weights(last);
        let compressed = compress_weights(weights, &counts, &mut self.table, out);
        let size = out.len() - start - 1;
        if compressed && size < DIRECT_MAX && size < direct {
            out.replace(start, &[size as u8]);
            return true;
        }
        out.set_len(start);
        if direct == usize::MAX {
            return false;
        }
        out.put((self.last + DIRECT_MAX - 1) as u64, 1);
        for pair in weights.chunks(2) {
            let second = pair.get(1).copied().unwrap_or(0);
            out.put(u64::from(pair[0] << 4 | second), 1);
        }
        true
    }

    /// Returns how often each weight occurs before the last byte, whose weight is `last`.
    fn count_weights(&self, last: u8) -> [u32; BITS_MAX + 1] {
        let mut counts = [0; BITS_MAX + 1];
        let longest = self.bits_max as usize;
        for (count, here) in counts[1..].iter_mut().zip(self.per_length[1..=longest].iter().rev()) {
            *count = *here;
        }
        counts[usize::from(last).min(BITS_MAX)] -= 1;
        counts[0] = self.last as u32 - counts[1..].iter().sum::<u32>();
        counts
    }
}

/// Sorts the bytes that occur, the rarest first: a byte is in the lowest bits of its entry, below its count. Returns
/// their number.
fn sort(counts: &[u32; 256], sorted: &mut [u32; 256]) -> usize {
    let mut entries = [0; 256];
    let (mut used, mut most) = (0, 0);
    for (byte, &count) in counts.iter().enumerate() {
        entries[used % 256] = count << 8 | byte as u32;
        used += usize::from(count > 0);
        most = most.max(count);
    }
    let entries = &entries[..used];
    if most > 255 {
        sorted[..used].copy_from_slice(entries);
        sorted[..used].sort_unstable();
        return used;
    }
    // The counts of small blocks: the places of each count are known when all are counted.
    let mut places = [0_u16; 256];
    for entry in entries {
        places[(entry >> 8) as usize % 256] += 1;
    }
    let mut next = 0;
    for place in &mut places[..=most as usize % 256] {
        next += std::mem::replace(place, next);
    }
    for &entry in entries {
        let place = &mut places[(entry >> 8) as usize % 256];
        sorted[usize::from(*place) % 256] = entry;
        *place += 1;
    }
    used
}

/// Returns the length of the longest code for `used` different bytes that occur `total` times. Longer ones would save
/// little: a decoder has to fill a larger table for them, and reads fewer at once.
fn bits_most(total: u32, used: usize) -> usize {
    let enough = total.max(4).ilog2() - 1;
    let least = used.max(1).ilog2() + 2;
    (enough.max(least) as usize).clamp(5, BITS_MAX)
}

/// Shortens codes of more than `most` bits and lengthens others for it, the rarest first. Which bytes those are
/// follows from their order: the rarest have the longest codes.
fn limit(per_length: &mut [u32; 32], most: usize) {
    let longer: u32 = per_length[most + 1..].iter().sum();
    if longer == 0 {
        return;
    }
    per_length[most + 1..].fill(0);
    per_length[most] += longer;
    // A code of length n takes 2^(most - n) of these places.
    let places = 1_u32 << most;
    let mut taken: u32 = (1..=most).map(|n| per_length[n] << (most - n)).sum();
    while taken > places {
        let Some(n) = (1..most).rev().find(|&n| per_length[n] > 0) else { return };
        per_length[n] -= 1;
        per_length[n + 1] += 1;
        taken -= 1 << (most - n - 1);
    }
    // The rest makes codes shorter, those of the most frequent bytes first. The longest codes can always take it,
    // because it is a multiple of their places.
    while taken < places {
        for n in 2..=most {
            let more = 1 << (most - n);
            while per_length[n] > 0 && taken + more <= places {
                per_length[n] -= 1;
                per_length[n - 1] += 1;
                taken += more;
            }
        }
    }
}

/// Appends weights, compressed by two states that alternate. Returns false if that is impossible.
fn compress_weights(
    weights: &[u8],
    counts: &[u32; BITS_MAX + 1],
    table: &mut Table,
    out: &mut Output,
) -> bool {
    let [before @ .., before_last, last] = weights else { return false };
    let used = counts.iter().filter(|&&count| count > 0).count() as u32;
    if used < 2 {
        return false;
    }
    let total = weights.len() as u32;
    let log = fse::table_log(total, used, WEIGHTS_LOG_MAX);
    let probabilities = fse::normalized(counts, total, log);
    fse::describe(&probabilities, log, out);
    table.fill(&probabilities[..counts.len()], log);
    let mut bits = Bits::new(out);
    // The decoder begins with the state of the even positions.
    let (mut even, mut odd) = (State::new(table, *last), State::new(table, *before_last));
    if weights.len().is_multiple_of(2) {
        std::mem::swap(&mut even, &mut odd);
    }
    let pairs = before.chunks_exact(2);
    if let [weight] = pairs.remainder() {
        even.encode(*weight, &mut bits);
    }
    for pair in pairs.rev() {
        odd.encode(pair[1], &mut bits);
        even.encode(pair[0], &mut bits);
        bits.flush();
    }
    odd.finish(&mut bits);
    even.finish(&mut bits);
    bits.finish_marked();
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fill(counts: &[u32]) -> (Code, u64) {
        let mut all = [0; 256];
        all[..counts.len()].copy_from_slice(counts);
        let mut code = Code::new();
        let bits = code.fill(&all);
        (code, bits)
    }

    #[test]
    fn codes_are_complete_and_at_most_11_bits_long() {
        let mut rng = fastrand::Rng::with_seed(1);
        for round in 0..2000 {
            let used = rng.usize(2..=256);
            let spread = rng.u32(0..20);
            let counts: Vec<u32> = (0..used).map(|_| 1 + (rng.u32(..1 << spread))).collect();
            let (code, bits) = fill(&counts);
            let places: u32 = code.lengths[..used].iter().map(|&n| 1 << (11 - n)).sum();
            assert_eq!(places, 1 << 11, "round {round}: {counts:?}");
            let sum = counts.iter().zip(&code.lengths).map(|(&c, &n)| u64::from(c) * u64::from(n));
            assert_eq!(bits, sum.sum::<u64>());
            let weight = |n: u8| if n > 0 { code.bits_max + 1 - u32::from(n) } else { 0 };
            let counted = code.count_weights(weight(code.lengths[code.last]) as u8);
            let mut expected = [0; BITS_MAX + 1];
            code.lengths[..code.last].iter().for_each(|&n| expected[weight(n) as usize] += 1);
            assert_eq!(counted, expected);
        }
    }

    #[test]
    fn few_bytes_have_no_long_codes() {
        // One frequent byte and many rare ones: without the limit, codes of 11 bits and more.
        let counts: Vec<u32> = (0..100).map(|n| if n < 8 { 1 << n } else { 1 }).collect();
        let (code, bits) = fill(&counts);
        assert_eq!(code.bits_max, 8);
        assert!(bits < 8 * u64::from(counts.iter().sum::<u32>()));
        assert_eq!([bits_most(2, 2), bits_most(100, 100), bits_most(1933, 137)], [5, 8, 9]);
        assert_eq!([bits_most(256, 256), bits_most(1 << 17, 40)], [10, 11]);
    }

    #[test]
    fn no_code_begins_with_another_one() {
        let (code, _) = fill(&[5, 0, 9, 1, 1, 30, 2, 2, 2]);
        let used = code.entries.iter().filter(|&&entry| entry != 0);
        let mut used: Vec<(u64, u32)> = used.map(|&e| (e & !0xFF, (e & 0xFF) as u32)).collect();
        used.sort_unstable();
        for pair in used.windows(2) {
            let shorter = pair[0].1.min(pair[1].1);
            assert_ne!(pair[0].0 >> (64 - shorter), pair[1].0 >> (64 - shorter));
        }
    }

    #[test]
    fn lengths_are_the_best_ones() {
        assert_eq!(fill(&[1, 1, 2, 4]).1, 3 + 3 + 4 + 4);
        assert_eq!(fill(&[10, 10, 10, 10]).1, 80);
        // Powers of two: without the limit the longest codes have 15 bits.
        let counts: Vec<u32> = (0..16).map(|n| 1 << n).collect();
        let (code, bits) = fill(&counts);
        assert_eq!(code.bits_max, 11);
        let unlimited: u64 = (0..16).map(|n: u64| (1 << n) * (16 - n).min(15)).sum();
        assert!(bits >= unlimited && bits * 100 <= unlimited * 101, "{bits}, {unlimited}");
    }

    #[test]
    fn the_shorter_description_is_chosen() {
        let mut out = Output::new();
        let mut code = fill(&[10, 10, 10, 10]).0;
        assert!(code.describe(&mut out));
        assert_eq!(out.bytes(), [127 + 3, 0x11, 0x10], "equal weights have no other description");
        let counts: Vec<u32> = (0..127).map(|n| if n < 32 { 0 } else { 20 + n % 7 }).collect();
        let mut code = fill(&counts).0;
        out.set_len(0);
        assert!(code.describe(&mut out));
        assert!(out.len() < 40 && usize::from(out.bytes()[0]) == out.len() - 1);
        // 256 equal lengths: too many weights to be stored directly.
        let mut code = fill(&[3; 256]).0;
        assert!(!code.describe(&mut out));
    }
}
