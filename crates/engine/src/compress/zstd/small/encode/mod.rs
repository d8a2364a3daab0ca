//! The encoder for blocks of tables: one frame with one block.
//!
//! A block is parsed into literals and repetitions of earlier bytes ([`tables`], [`chains`]). The literals get a
//! Huffman code ([`literals`]), and the lengths and offsets of the sequences codes by finite state entropy
//! ([`section`]).
//!
//! The memory for all steps belongs to the thread and is not cleared between blocks, except for hash tables as large as
//! the block. Arrays have fixed sizes and indexes are masked, so that inner loops have no checks and cannot panic.

mod chains;
mod cost;
mod fse;
mod huffman;
mod input;
mod literals;
mod output;
mod parsed;
mod section;
mod sequence;
mod tables;

use super::codes::MAX_BLOCK;
use crate::compress::position::Position;
use crate::compress::zstd::{keep, take};
use chains::Chains;
use input::Input;
use literals::Literals;
use output::Output;
use parsed::Parsed;
use std::cell::Cell;
use xxhash_rust::xxh64::xxh64;

/// The highest level of this encoder. Higher ones search for longer than small blocks justify.
pub(super) const LEVEL_MAX: i32 = 5;
/// The level that 0 means.
const LEVEL_DEFAULT: i32 = 3;

const MAGIC: u32 = 0xFD2F_B528;
/// Flags of a frame's header: the content is one segment, so that no window is described; the frame has a checksum.
const SINGLE_SEGMENT: u8 = 1 << 5;
const CHECKSUM: u8 = 1 << 2;

/// Types of a block.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Raw = 0,
    Rle = 1,
    Compressed = 2,
}

/// The flag of a frame's last block.
const LAST: u32 = 1;
/// Shorter content is not compressed.
const COMPRESS_MIN: usize = 16;
/// The longest content whose positions have 16 bits.
const NARROW_MAX: usize = <u16 as Position>::MAX + 1;
/// Longer content has more candidates for each match, so that fewer of them and only longer ones are considered.
const SHORT_MAX: usize = 16 << 10;

thread_local! {
    static ENCODER: Cell<Option<Box<Encoder>>> = const { Cell::new(None) };
}

/// Returns memory for one of the encoder's arrays. Pages that are not used are not touched.
fn zeroed<T: Copy + Default, const N: usize>() -> Box<[T; N]> {
    match vec![T::default(); N].into_boxed_slice().try_into() {
        Ok(array) => array,
        Err(_) => unreachable!("the vector has N elements"),
    }
}

/// Appends the frame of `raw` to `out`. Returns false, and appends nothing, if the level or the size is not one for
/// this encoder. Levels are those of the C library, including negative ones.
pub(in super::super) fn compress(
    level: i32,
    checksum: bool,
    raw: &[u8],
    out: &mut Vec<u8>,
) -> bool {
    if level > LEVEL_MAX || raw.len() > MAX_BLOCK {
        return false;
    }
    let level = if level == 0 { LEVEL_DEFAULT } else { level };
    let mut encoder = take(&ENCODER).unwrap_or_else(|| Box::new(Encoder::new()));
    let kind = encoder.encode(level, raw);
    let content = match kind {
        Kind::Raw => raw,
        Kind::Rle => raw.get(..1).unwrap_or_default(),
        Kind::Compressed => encoder.block.bytes(),
    };
    out.reserve(content.len() + 24);
    put_header(raw.len(), checksum, out);
    let size = if kind == Kind::Rle { raw.len() } else { content.len() };
    let header = LAST | (kind as u32) << 1 | (size as u32) << 3;
    out.extend_from_slice(header.to_le_bytes().split_at(3).0);
    out.extend_from_slice(content);
    if checksum {
        out.extend_from_slice(&(xxh64(raw, 0) as u32).to_le_bytes());
    }
    keep(&ENCODER, encoder);
    true
}

/// Appends the header of a frame with content of this size.
fn put_header(len: usize, checksum: bool, out: &mut Vec<u8>) {
    out.extend_from_slice(&MAGIC.to_le_bytes());
    let flags = SINGLE_SEGMENT | if checksum { CHECKSUM } else { 0 };
    match len {
        0..256 => out.extend_from_slice(&[flags, len as u8]),
        256..65_792 => {
            out.push(flags | 1 << 6);
            out.extend_from_slice(&((len - 256) as u16).to_le_bytes());
        }
        _ => {
            out.push(flags | 2 << 6);
            out.extend_from_slice(&(len as u32).to_le_bytes());
        }
    }
}

/// A thread's memory.
struct Encoder {
    input: Input,
    parsed: Parsed,
    literals: Literals,
    sequence_tables: section::Tables,
    block: Output,
    /// For blocks whose positions have 16 bits, and for others.
    narrow: Searches<u16>,
    wide: Searches<u32>,
}

impl Encoder {
    fn new() -> Encoder {
        Encoder {
            input: Input::new(),
            parsed: Parsed::new(),
            literals: Literals::new(),
            sequence_tables: section::Tables::new(),
            block: Output::new(),
            narrow: Searches::default(),
            wide: Searches::default(),
        }
    }

    /// Compresses `raw` into the block, if it becomes shorter, and returns the type that the block should have.
    fn encode(&mut self, level: i32, raw: &[u8]) -> Kind {
        let Some((first, rest)) = raw.split_first() else { return Kind::Raw };
        if rest.len() > 1 && rest.iter().all(|byte| byte == first) {
            return Kind::Rle;
        }
        if raw.len() < COMPRESS_MIN {
            return Kind::Raw;
        }
        self.input.load(raw);
        self.parsed.clear();
        match raw.len() {
            ..=NARROW_MAX => self.narrow.parse(level, &self.input, &mut self.parsed),
            _ => self.wide.parse(level, &self.input, &mut self.parsed),
        }
        self.block.set_len(0);
        // Negative levels are for speed: they look for matches only, as in the C library.
        let sequences = self.parsed.sequences();
        let doubtful = sequences.list().is_empty();
        self.literals.write(self.parsed.literals(), level > 0, doubtful, &mut self.block);
        self.sequence_tables.write(sequences, &mut self.block);
        match self.block.len() + literals::least_saving(raw.len()) < raw.len() {
            true => Kind::Compressed,
            false => Kind::Raw,
        }
    }
}

/// The tables of the searches, created by the first block that needs them.
struct Searches<S> {
    tables: Option<Box<tables::Tables<S>>>,
    chains: Option<Box<Chains<S>>>,
}

impl<S> Default for Searches<S> {
    fn default() -> Searches<S> {
        Searches { tables: None, chains: None }
    }
}

impl<S: Position> Searches<S> {
    /// Finds the matches of a block.
    fn parse(&mut self, level: i32, input: &Input, parsed: &mut Parsed) {
        let short = input.len() <= SHORT_MAX;
        if level > LEVEL_DEFAULT {
            let chains = self.chains.get_or_insert_with(|| Box::new(Chains::new()));
            let depth = match (level, short) {
                (..LEVEL_MAX, _) => 3,
                (_, true) => 8,
                (_, false) => 5,
            };
            return chains::parse_lazy(chains, input, parsed, depth);
        }
        let tables = self.tables.get_or_insert_with(|| Box::new(tables::Tables::new()));
        match (level, short) {
            (2.., _) => tables::parse_double::<S, 5>(tables, input, parsed),
            (_, true) => tables::parse_fast::<S, 5>(tables, input, parsed, stride(level)),
            (_, false) => tables::parse_fast::<S, 6>(tables, input, parsed, stride(level)),
        }
    }
}

/// Returns the step of a fast search: longer for negative levels.
fn stride(level: i32) -> usize {
    1 + (level.min(0).unsigned_abs() as usize / 2).min(MAX_BLOCK)
}

#[cfg(test)]
#[path = "encode_test.rs"]
mod tests;
