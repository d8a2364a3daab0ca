//! The literals section of a block (RFC 8878, section 3.1.1.3.1).

// Bytes index arrays of 256.
#![allow(clippy::indexing_slicing)]

use super::huffman::Code;
use super::output::Output;

/// Types of the section.
const RAW: u64 = 0;
const RLE: u64 = 1;
const COMPRESSED: u64 = 2;

/// Fewer literals are stored as they are: the description of a code takes what the code saves.
const COMPRESS_MIN: usize = 64;
/// Fewer literals are one stream.
const FOUR_STREAMS_MIN: usize = 256;

/// The bytes at both ends by which literals are judged that are not worth being counted as a whole.
const SAMPLE: usize = 2048;

/// How often each byte occurs, in lanes: increments of one counter by adjacent equal bytes would wait for each other.
type Lanes = [[u32; 256]; 4];

/// The memory for one section.
pub(super) struct Literals {
    lanes: Lanes,
    code: Code,
}

/// Returns the saving for which a compressed form is worth its decoder's time.
pub(super) fn least_saving(len: usize) -> usize {
    (len >> 6) + 2
}

/// Whether no byte is frequent, so that a code would save nothing.
fn is_flat(most: u32, len: usize) -> bool {
    most as usize <= (len >> 7) + 4
}

impl Literals {
    pub(super) fn new() -> Literals {
        Literals { lanes: [[0; 256]; 4], code: Code::new() }
    }

    /// Appends the section. Without `compress`, the literals are stored as they are. `doubtful` literals are sampled
    /// first.
    pub(super) fn write(
        &mut self,
        literals: &[u8],
        compress: bool,
        doubtful: bool,
        out: &mut Output,
    ) {
        if !compress || literals.len() < COMPRESS_MIN {
            return put_raw(literals, out);
        }
        if doubtful && literals.len() > 4 * SAMPLE {
            let (first, last) = (&literals[..SAMPLE], &literals[literals.len() - SAMPLE..]);
            if [first, last].iter().all(|sample| is_flat(self.count(sample).1, SAMPLE)) {
                return put_raw(literals, out);
            }
        }
        let (counts, most) = self.count(literals);
        if most as usize == literals.len() {
            put_small_header(RLE, literals.len(), out);
            return out.put(u64::from(literals[0]), 1);
        }
        let start = out.len();
        if is_flat(most, literals.len()) || !self.put_compressed(literals, &counts, out) {
            out.set_len(start);
            put_raw(literals, out);
        }
    }

    /// Returns how often each byte occurs, and the largest of these numbers.
    fn count(&mut self, literals: &[u8]) -> ([u32; 256], u32) {
        self.lanes = [[0; 256]; 4];
        let [a, b, c, d] = &mut self.lanes;
        let mut words = literals.chunks_exact(8);
        for word in &mut words {
            let word = u64::from_le_bytes(word.try_into().unwrap_or_default());
            a[(word & 0xFF) as usize] += 1;
            b[(word >> 8 & 0xFF) as usize] += 1;
            c[(word >> 16 & 0xFF) as usize] += 1;
            d[(word >> 24 & 0xFF) as usize] += 1;
            a[(word >> 32 & 0xFF) as usize] += 1;
            b[(word >> 40 & 0xFF) as usize] += 1;
            c[(word >> 48 & 0xFF) as usize] += 1;
            d[(word >> 56) as usize] += 1;
        }
        for &byte in words.remainder() {
            a[usize::from(byte)] += 1;
        }
        let (mut counts, mut most) = ([0; 256], 0);
        for (byte, count) in counts.iter_mut().enumerate() {
            *count = a[byte] + b[byte] + c[byte] + d[byte];
            most = most.max(*count);
        }
        (counts, most)
    }

    /// Appends the section with a Huffman code. Returns false if it does not save enough; the output is then undefined.
    fn put_compressed(&mut self, literals: &[u8], counts: &[u32; 256], out: &mut Output) -> bool {
        let bits = self.code.fill(counts);
        let header = Header::new(literals.len());
        let start = out.len();
        out.set_len(start + header.len);
        if !self.code.describe(out) {
            return false;
        }
        let most = out.len() - start + header.overhead() + bits as usize / 8;
        if most + least_saving(literals.len()) >= literals.len() {
            return false;
        }
        let compressed_from = start + header.len;
        match header.streams {
            1 => put_stream(&self.code, literals, out),
            _ => put_streams(&self.code, literals, out),
        }
        header.put(start, literals.len(), out.len() - compressed_from, out);
        true
    }
}

fn put_raw(literals: &[u8], out: &mut Output) {
    put_small_header(RAW, literals.len(), out);
    out.extend(literals);
}

/// Appends the header of sections with one size.
fn put_small_header(kind: u64, len: usize, out: &mut Output) {
    let size = len as u64;
    match len {
        0..32 => out.put(kind | size << 3, 1),
        32..4096 => out.put(kind | 1 << 2 | size << 4, 2),
        _ => out.put(kind | 3 << 2 | size << 4, 3),
    }
}

/// The header of sections with two sizes.
struct Header {
    format: u64,
    size_bits: u32,
    len: usize,
    streams: usize,
}

impl Header {
    fn new(literals: usize) -> Header {
        let (format, size_bits, len) = match literals {
            0..FOUR_STREAMS_MIN => (0, 10, 3),
            FOUR_STREAMS_MIN..1024 => (1, 10, 3),
            1024..16384 => (2, 14, 4),
            _ => (3, 18, 5),
        };
        Header { format, size_bits, len, streams: if format == 0 { 1 } else { 4 } }
    }

    /// The most bytes that streams take beside the codes: the ends of their last bytes, and three sizes.
    fn overhead(&self) -> usize {
        self.streams + if self.streams > 1 { 6 } else { 0 }
    }

    fn put(&self, at: usize, literals: usize, compressed: usize, out: &mut Output) {
        let sizes = (literals as u64) | (compressed as u64) << self.size_bits;
        let header = COMPRESSED | self.format << 2 | sizes << 4;
        let header = header.to_le_bytes();
        out.replace(at, &header[..self.len]);
    }
}

/// Appends four streams of equally many literals, except for the last one, and before them the sizes of three.
fn put_streams(code: &Code, literals: &[u8], out: &mut Output) {
    let sizes_at = out.len();
    out.set_len(sizes_at + 6);
    for (n, part) in literals.chunks(literals.len().div_ceil(4)).enumerate() {
        let start = out.len();
        put_stream(code, part, out);
        if n < 3 {
            // Below 2^16: a stream has at most 2^15 codes of 11 bits.
            let size = (out.len() - start) as u16;
            out.replace(sizes_at + 2 * n, &size.to_le_bytes());
        }
    }
}

/// Appends one stream: the codes from the last literal to the first one.
fn put_stream(code: &Code, literals: &[u8], out: &mut Output) {
    // As many codes as fit into 56 bits with the 7 that may be pending.
    match code.bits_max {
        0..=6 => put_codes::<8>(&code.entries, literals, out),
        7 => put_codes::<7>(&code.entries, literals, out),
        8 => put_codes::<6>(&code.entries, literals, out),
        9 => put_codes::<5>(&code.entries, literals, out),
        _ => put_codes::<4>(&code.entries, literals, out),
    }
}

/// Appends a stream with `STEP` codes per written word.
///
/// Pending codes are in the highest bits, the last one highest, so that a code needs one shift by a count that is not
/// on the longest path. The lowest eight bits of a code's entry, its length, are shifted into bits that are not used.
fn put_codes<const STEP: usize>(entries: &[u64; 256], literals: &[u8], out: &mut Output) {
    let (mut pending, mut count) = (0_u64, 0_u32);
    let mut len = out.len();
    let mut steps = literals.rchunks_exact(STEP);
    for step in &mut steps {
        append(entries, step, &mut pending, &mut count);
        len = flush(pending, &mut count, len, out);
    }
    append(entries, steps.remainder(), &mut pending, &mut count);
    len = flush(pending, &mut count, len, out);
    // The bit that marks the end.
    pending = pending >> 1 | 1 << 63;
    count += 1;
    out.put_at(len, pending >> (64 - count));
    out.set_len(len + 1);
}

#[inline(always)]
fn append(entries: &[u64; 256], literals: &[u8], pending: &mut u64, count: &mut u32) {
    // These codes do not depend on the pending ones, so the processor works on several steps at a time.
    let (mut word, mut bits) = (0_u64, 0_u32);
    for &byte in literals.iter().rev() {
        let entry = entries[usize::from(byte)];
        word = word.wrapping_shr(entry as u32) | entry;
        bits += entry as u32;
    }
    *pending = pending.wrapping_shr(bits) | word;
    *count += bits;
}

#[inline(always)]
fn flush(pending: u64, count: &mut u32, len: usize, out: &mut Output) -> usize {
    out.put_at(len, pending >> 1 >> (63 - (*count & 63)));
    let len = len + *count as usize / 8;
    *count &= 7;
    len
}
