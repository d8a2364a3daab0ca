//! The section of sequences of a compressed block: its tables, and the loop that decodes and executes sequences. RFC
//! 8878, sections 3.1.1.3.2 and 3.1.1.4.

#![allow(clippy::indexing_slicing)] // Tables are indexed by masked states, and offsets by constants.

use super::super::codes::{
    Code, DEFAULT_LITERAL_LENGTHS, DEFAULT_LOGS, DEFAULT_MATCH_LENGTHS, DEFAULT_OFFSETS,
    LITERAL_LENGTHS, MATCH_LENGTHS,
};
use super::bits::{Backward, WORD, field};
use super::copy::{Place, Sequence};
use super::fault::{Fault, Result};
use super::fse::{Distribution, Entry, Table};
use super::literals::Source;

const PART: &str = "section of sequences";

/// The largest binary logarithms of the tables' sizes: of literals' lengths, offsets, matches' lengths.
const LOGS_MAX: [u32; 3] = [9, 8, 9];
/// All tables have this many entries, so that one loop uses any of them.
const STATES: usize = 1 << 9;

type States = Table<STATES>;

/// Codes of offsets: the number of bits that follow the highest one.
const OFFSETS: [Code; 32] = {
    let mut codes = [Code { base: 0, bits: 0 }; 32];
    let mut code = 0;
    while code < 32 {
        codes[code] = Code { base: 1 << code, bits: code as u8 };
        code += 1;
    }
    codes
};

/// The codes, in the order of the tables.
const CODES: [&[Code]; 3] = [&LITERAL_LENGTHS, &OFFSETS, &MATCH_LENGTHS];

/// The tables of the default distributions, made when this is compiled.
static DEFAULTS: [States; 3] = [
    Table::fixed(&DEFAULT_LITERAL_LENGTHS, DEFAULT_LOGS[0] as u32, &LITERAL_LENGTHS),
    Table::fixed(&DEFAULT_OFFSETS, DEFAULT_LOGS[1] as u32, &OFFSETS),
    Table::fixed(&DEFAULT_MATCH_LENGTHS, DEFAULT_LOGS[2] as u32, &MATCH_LENGTHS),
];

/// The header of a section.
pub(super) struct Section {
    /// The number of sequences.
    pub(super) count: usize,
    /// How the tables are stored: two bits for each, and two that must be 0.
    modes: u8,
    /// Where the header ends.
    pub(super) at: usize,
}

impl Section {
    /// Parses the header at `at`.
    pub(super) fn parse(frame: &[u8], at: usize) -> Result<Section> {
        let bytes = frame.get(at..).unwrap_or_default();
        let (count, len) = match *bytes {
            [0, ..] => return Ok(Section { count: 0, modes: 0, at: at + 1 }),
            [first @ 1..128, ..] => (usize::from(first), 1),
            [first @ 128..=254, second, ..] => {
                (usize::from(first - 128) << 8 | usize::from(second), 2)
            }
            [255, low, high, ..] => (usize::from(u16::from_le_bytes([low, high])) + 0x7F00, 3),
            _ => return Err(Fault::Ends(PART)),
        };
        let modes = *bytes.get(len).ok_or(Fault::Ends(PART))?;
        if modes & 3 != 0 {
            return Err(Fault::number("reserved bits of the tables' modes", 0, (modes & 3).into()));
        }
        Ok(Section { count, modes, at: at + len + 1 })
    }
}

/// Which table is in use.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
enum Chosen {
    /// None yet in this frame.
    #[default]
    Nothing,
    Default,
    /// The one that this frame stores.
    Own,
}

/// Decodes sections of sequences.
#[derive(Default)]
pub(super) struct Sequences {
    tables: [States; 3],
    chosen: [Chosen; 3],
    /// Where the stream of the section begins.
    start: usize,
}

impl Sequences {
    /// Forgets the tables of the last frame.
    pub(super) fn begin_frame(&mut self) {
        self.chosen = [Chosen::Nothing; 3];
    }

    /// Prepares the tables of a section.
    pub(super) fn prepare(&mut self, frame: &[u8], section: &Section) -> Result<()> {
        let mut at = section.at;
        for (i, codes) in CODES.into_iter().enumerate() {
            let bytes = frame.get(at..).unwrap_or_default();
            let table = &mut self.tables[i];
            self.chosen[i] = match section.modes >> (6 - 2 * i) & 3 {
                0 => Chosen::Default,
                1 => {
                    let code = usize::from(*bytes.first().ok_or(Fault::Ends(PART))?);
                    let unknown = || Fault::above("code of a sequence", codes.len() - 1, code);
                    table.build_single(*codes.get(code).ok_or_else(unknown)?);
                    at += 1;
                    Chosen::Own
                }
                2 => {
                    let read =
                        Distribution::read(bytes, codes.len(), LOGS_MAX[i], "table of codes");
                    let (distribution, len) = read?;
                    let counts = distribution.counts.get(..distribution.symbols);
                    table.build(counts.unwrap_or_default(), distribution.log, codes);
                    at += len;
                    Chosen::Own
                }
                _ if self.chosen[i] == Chosen::Nothing => {
                    return Err(Fault::not("repeated table of codes", "a table before"));
                }
                _ => self.chosen[i],
            };
        }
        self.start = at;
        Ok(())
    }

    fn table(&self, i: usize) -> &States {
        match self.chosen[i] {
            Chosen::Own => &self.tables[i],
            _ => &DEFAULTS[i],
        }
    }

    /// Decodes `count` sequences and writes what they stand for, and the literals after them. Returns where that ends.
    pub(super) fn execute(
        &self,
        frame: &[u8],
        count: usize,
        source: Source<'_>,
        content: &mut [u8],
        written: usize,
        offsets: &mut [u32; 3],
    ) -> Result<usize> {
        if self.start >= frame.len() {
            return Err(Fault::Ends(PART));
        }
        let bits = Backward::new(frame, frame.len(), PART)?;
        let tables = [self.table(0), self.table(1), self.table(2)];
        let place = Place { written, used: 0 };
        let mut run = Run { frame, tables, bits, offsets: *offsets, place };
        run.all(count, source, content).ok_or_else(|| {
            Fault::not("sequences", "literals, offsets and lengths within what there is")
        })?;
        run.bits.finish(self.start, PART)?;
        *offsets = run.offsets;
        let Place { written, used } = run.place;
        let rest = source.bytes.get(used..source.len).unwrap_or_default();
        super::copy::append(content, written, rest)
    }
}

/// The state of the loop over sequences.
struct Run<'a> {
    frame: &'a [u8],
    tables: [&'a States; 3],
    bits: Backward,
    offsets: [u32; 3],
    place: Place,
}

impl Run<'_> {
    /// Decodes and executes all sequences.
    fn all(&mut self, count: usize, source: Source<'_>, content: &mut [u8]) -> Option<()> {
        let [literals, offsets, lengths] = self.tables;
        let (frame, mut bits, mut recent, mut place) =
            (self.frame, self.bits, self.offsets, self.place);
        let mut states = Next::first(frame, &mut bits, self.tables)?;
        let mut left = count;
        loop {
            let literal = &literals.entries[states.literal % STATES];
            let offset = &offsets.entries[states.offset % STATES];
            let length = &lengths.entries[states.length % STATES];
            let word = bits.word(frame)?;
            let (sequence, used) = decode(word, literal, offset, length, &mut recent)?;
            left -= 1;
            if left == 0 {
                bits.skip(used as usize);
                place.append(content, source, sequence)?;
                break;
            }
            // Before the copies, whose branches are hard to predict, so that the next entries are on their way.
            states = Next::follow(frame, &mut bits, word, used, literal, offset, length)?;
            place.append(content, source, sequence)?;
        }
        (self.bits, self.offsets, self.place) = (bits, recent, place);
        Some(())
    }
}

/// Decodes a sequence from the states' entries and the bits of `word`. Returns it and the number of bits.
#[inline(always)]
fn decode(
    word: u64,
    literal: &Entry,
    offset: &Entry,
    length: &Entry,
    recent: &mut [u32; 3],
) -> Option<(Sequence, u32)> {
    // Offsets and lengths that are possible in a small frame have no more bits than a word: 17, 16 and 16. An offset of
    // more bits may be wrong here; it is larger than the content anyway.
    let (of_bits, ml_bits) = (u32::from(offset.extra), u32::from(length.extra));
    let ll_bits = u32::from(literal.extra);
    let value = offset.base.wrapping_add(field(word, 0, of_bits) as u32);
    let length = length.base as usize + field(word, of_bits, ml_bits) as usize;
    let literals = literal.base as usize + field(word, of_bits + ml_bits, ll_bits) as usize;
    // Codes of more than one bit stand for values above 3.
    let offset = if of_bits > 1 {
        let [first, second, _] = *recent;
        *recent = [value - 3, first, second];
        value - 3
    } else {
        repeat(recent, value, literals)?
    };
    let sequence = Sequence { literals, offset: offset as usize, length };
    Some((sequence, of_bits + ml_bits + ll_bits))
}

/// Returns one of the recent offsets, and makes it the most recent one. `None` if it is 0.
#[inline(always)]
fn repeat(recent: &mut [u32; 3], value: u32, literals: usize) -> Option<u32> {
    let [first, second, third] = *recent;
    // Without literals, the match before would have been longer if it had the same offset: the first one is left out.
    let (offset, others) = match value + u32::from(literals == 0) {
        1 => (first, [second, third]),
        2 => (second, [first, third]),
        3 => (third, [first, second]),
        _ => (first.wrapping_sub(1), [first, second]),
    };
    *recent = [offset, others[0], others[1]];
    (offset != 0).then_some(offset)
}

/// The states of the next sequence.
struct Next {
    literal: usize,
    offset: usize,
    length: usize,
}

impl Next {
    /// Reads the first states.
    fn first(frame: &[u8], bits: &mut Backward, tables: [&States; 3]) -> Option<Next> {
        let word = bits.word(frame)?;
        let [literal, offset, length] = tables.map(|table| table.log);
        bits.skip((literal + offset + length) as usize);
        Some(Next {
            literal: field(word, 0, literal) as usize,
            offset: field(word, literal, offset) as usize,
            length: field(word, literal + offset, length) as usize,
        })
    }

    /// Reads the next states, after `used` bits of `word`.
    #[inline(always)]
    fn follow(
        frame: &[u8],
        bits: &mut Backward,
        mut word: u64,
        mut used: u32,
        literal: &Entry,
        offset: &Entry,
        length: &Entry,
    ) -> Option<Next> {
        // The most that three states take.
        const MOST: u32 = LOGS_MAX[0] + LOGS_MAX[1] + LOGS_MAX[2];
        if used > WORD - MOST {
            bits.skip(used as usize);
            (word, used) = (bits.word(frame)?, 0);
        }
        let (ll_bits, ml_bits) = (u32::from(literal.bits), u32::from(length.bits));
        let of_bits = u32::from(offset.bits);
        let (to_ml, to_of) = (used + ll_bits, used + ll_bits + ml_bits);
        let next = |entry: &Entry, value: u64| usize::from(entry.next) + value as usize;
        bits.skip((to_of + of_bits) as usize);
        Some(Next {
            literal: next(literal, field(word, used, ll_bits)),
            length: next(length, field(word, to_ml, ml_bits)),
            offset: next(offset, field(word, to_of, of_bits)),
        })
    }
}
