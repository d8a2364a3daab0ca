//! The streams of literals that a Huffman tree codes: one, or four that are decoded together. RFC 8878, section 4.2.2.

#![allow(clippy::indexing_slicing)] // Indexes of tables have as many bits as the tables allow.

use super::bits::{Ahead, Backward, WORD};
use super::fault::{Fault, Result};
use super::huffman::{BITS_MAX, Table};
use super::processor;

const PART: &str = "Huffman stream";

/// The bytes of the jump table: three lengths.
const JUMPS: usize = 6;

/// The entries of a table.
type Entries = [u16; 1 << BITS_MAX];

/// Decodes the one stream from the byte `at` to the frame's end. It has as many symbols as `out` has bytes.
pub(super) fn decode_one(frame: &[u8], at: usize, table: &Table, out: &mut [u8]) -> Result<()> {
    let bits = Backward::new(frame, frame.len(), PART)?;
    if at >= frame.len() {
        return Err(Fault::Ends(PART));
    }
    let entries = &table.entries;
    let bits = match table.log {
        8 => one::<8, 7>(frame, entries, bits, out),
        9 => one::<9, 6>(frame, entries, bits, out),
        10 => one::<10, 5>(frame, entries, bits, out),
        _ => one::<11, 5>(frame, entries, bits, out),
    };
    bits.ok_or(Fault::Ends(PART))?.finish(at, PART)
}

/// Decodes four streams, which follow the table of their lengths at the byte `at`, up to the frame's end. Each of the
/// first three has a quarter of the symbols, rounded up, and the last one has the rest.
pub(super) fn decode_four(frame: &[u8], at: usize, table: &Table, out: &mut [u8]) -> Result<()> {
    let quarter = out.len().div_ceil(4);
    let Some((first, rest)) = out.split_at_mut_checked(quarter) else { return Err(too_few()) };
    let Some((second, rest)) = rest.split_at_mut_checked(quarter) else { return Err(too_few()) };
    let Some((third, fourth)) = rest.split_at_mut_checked(quarter) else { return Err(too_few()) };

    let jumps = frame.get(at..).and_then(|rest| rest.first_chunk::<JUMPS>());
    let [a, b, c, d, e, f] = *jumps.ok_or(Fault::Ends(PART))?;
    let mut starts = [at + JUMPS; 5];
    for (i, len) in [[a, b], [c, d], [e, f]].into_iter().enumerate() {
        starts[i + 1] = starts[i] + usize::from(u16::from_le_bytes(len));
    }
    starts[4] = frame.len();
    if !starts.is_sorted_by(|start, end| start < end) {
        return Err(Fault::not("Huffman streams", "four that are not empty and fit the section"));
    }
    let begin = |end: usize| Backward::new(frame, end, PART);
    let bits = [begin(starts[1])?, begin(starts[2])?, begin(starts[3])?, begin(starts[4])?];
    let (entries, out) = (&table.entries, [first, second, third, fourth]);
    let bits = match table.log {
        8 => processor::run(Four::<8, 7> { frame, entries, bits, out }),
        9 => processor::run(Four::<9, 6> { frame, entries, bits, out }),
        10 => processor::run(Four::<10, 5> { frame, entries, bits, out }),
        _ => processor::run(Four::<11, 5> { frame, entries, bits, out }),
    };
    for (bits, start) in bits.ok_or(Fault::Ends(PART))?.into_iter().zip(starts) {
        bits.finish(start, PART)?;
    }
    Ok(())
}

#[cold]
fn too_few() -> Fault {
    Fault::not("literals in four streams", "at least as many as the first three need")
}

/// Takes the next symbol's code from the high end of a word, and returns the symbol.
#[inline(always)]
fn take<const LOG: u32>(word: &mut u64, entries: &Entries) -> u8 {
    let entry = entries[(*word >> (64 - LOG)) as usize];
    // Only the low six bits of the entry count for the shift: the length of the code.
    *word = word.wrapping_shl(u32::from(entry));
    (entry >> 8) as u8
}

/// Decodes as many symbols as `out` has bytes, `N` from each word. Returns `None` if they are not in the frame.
fn one<const LOG: u32, const N: usize>(
    frame: &[u8],
    entries: &Entries,
    mut bits: Backward,
    out: &mut [u8],
) -> Option<Backward> {
    const { assert!(N as u32 * LOG <= WORD) };
    for group in out.chunks_mut(N) {
        let mut word = bits.word(frame)? | 1;
        for byte in group {
            *byte = take::<LOG>(&mut word, entries);
        }
        bits.skip(word.trailing_zeros() as usize);
    }
    Some(bits)
}

/// The loop that decodes four streams together, since each symbol of a stream waits for the one before. No output is
/// shorter than the last one.
struct Four<'a, const LOG: u32, const N: usize> {
    frame: &'a [u8],
    entries: &'a Entries,
    bits: [Backward; 4],
    out: [&'a mut [u8]; 4],
}

impl<const LOG: u32, const N: usize> processor::Task for Four<'_, LOG, N> {
    type Output = Option<[Backward; 4]>;

    #[inline(always)]
    fn run(self) -> Option<[Backward; 4]> {
        const { assert!(N as u32 * LOG <= WORD) };
        let Four { frame, entries, bits: [a, b, c, d], out } = self;
        let [(groups_a, rest_a), (groups_b, rest_b), (groups_c, rest_c), (groups_d, rest_d)] =
            out.map(|out| out.as_chunks_mut::<N>());
        let common = groups_d.len();
        let groups = groups_a.iter_mut().zip(&mut *groups_b).zip(&mut *groups_c).zip(groups_d);
        let (mut a, mut b) = (Ahead::begin(frame, a)?, Ahead::begin(frame, b)?);
        let (mut c, mut d) = (Ahead::begin(frame, c)?, Ahead::begin(frame, d)?);
        for (((group_a, group_b), group_c), group_d) in groups {
            for i in 0..N {
                group_a[i] = take::<LOG>(&mut a.word, entries);
                group_b[i] = take::<LOG>(&mut b.word, entries);
                group_c[i] = take::<LOG>(&mut c.word, entries);
                group_d[i] = take::<LOG>(&mut d.word, entries);
            }
            a.refill(frame)?;
            b.refill(frame)?;
            c.refill(frame)?;
            d.refill(frame)?;
        }
        let [mut a, mut b, mut c, d] = [a, b, c, d].map(Ahead::bits);
        // The last stream may be shorter by up to three symbols, and then by a group.
        for (bits, groups) in [(&mut a, groups_a), (&mut b, groups_b), (&mut c, groups_c)] {
            for group in groups.iter_mut().skip(common) {
                *bits = one::<LOG, N>(frame, entries, *bits, group)?;
            }
        }
        Some([
            one::<LOG, N>(frame, entries, a, rest_a)?,
            one::<LOG, N>(frame, entries, b, rest_b)?,
            one::<LOG, N>(frame, entries, c, rest_c)?,
            one::<LOG, N>(frame, entries, d, rest_d)?,
        ])
    }
}
