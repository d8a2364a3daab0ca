//! The section of sequences of a compressed block: its tables, and the loop that decodes and executes sequences. RFC
//! 8878, sections 3.1.1.3.2 and 3.1.1.4.

#![allow(clippy::indexing_slicing)] // Tables are indexed by masked states, and offsets by constants.

use super::super::codes::{
    Code, DEFAULT_LITERAL_LENGTHS, DEFAULT_LOGS, DEFAULT_MATCH_LENGTHS, DEFAULT_OFFSETS,
    LITERAL_LENGTHS, MATCH_LENGTHS,
};
use super::bits::{Backward, WORD};
use super::copy::{self, Place, Sequence, Source};
use super::fault::{Fault, Result};
use super::fse::{Codes, Distribution, SYMBOLS, Table, codes};
use super::processor;

const PART: &str = "section of sequences";

/// The largest binary logarithms of the tables' sizes: of literals' lengths, offsets, matches' lengths.
const LOGS_MAX: [u32; 3] = [9, 8, 9];
/// All tables have this many entries. They lie in a row, so that the loop keeps one address for them.
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
static CODES: [Codes; 3] = [codes(&LITERAL_LENGTHS), codes(&OFFSETS), codes(&MATCH_LENGTHS)];
/// The numbers of codes.
const COUNTS: [usize; 3] = [LITERAL_LENGTHS.len(), OFFSETS.len(), MATCH_LENGTHS.len()];

/// The tables of the default distributions, made when this is compiled.
static DEFAULTS: [States; 3] = [
    Table::fixed(&DEFAULT_LITERAL_LENGTHS, DEFAULT_LOGS[0] as u32, &CODES[0]),
    Table::fixed(&DEFAULT_OFFSETS, DEFAULT_LOGS[1] as u32, &CODES[1]),
    Table::fixed(&DEFAULT_MATCH_LENGTHS, DEFAULT_LOGS[2] as u32, &CODES[2]),
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

/// Decodes sections of sequences.
#[derive(Default)]
pub(super) struct Sequences {
    tables: [States; 3],
    /// Which tables the frame may use again.
    known: [bool; 3],
    /// Which tables are the default ones. They stay so beyond the frame, until they are replaced.
    is_default: [bool; 3],
    /// Where the stream of the section begins.
    start: usize,
}

impl Sequences {
    /// Forgets the tables of the last frame.
    pub(super) fn begin_frame(&mut self) {
        self.known = [false; 3];
    }

    /// Prepares the tables of a section.
    pub(super) fn prepare(&mut self, frame: &[u8], section: &Section) -> Result<()> {
        self.start = section.at;
        for (i, default) in DEFAULTS.iter().enumerate() {
            match section.modes >> (6 - 2 * i) & 3 {
                0 if self.is_default[i] => {}
                0 => self.tables[i].copy_from(default),
                3 if self.known[i] => continue,
                3 => return Err(Fault::not("repeated table of codes", "a table before")),
                mode => self.start += self.read(i, mode, frame.get(self.start..))?,
            }
            self.known[i] = true;
            self.is_default[i] = section.modes >> (6 - 2 * i) & 3 == 0;
        }
        Ok(())
    }

    /// Reads the table `i`, of one symbol or of a distribution. Returns its length in bytes.
    fn read(&mut self, i: usize, mode: u8, bytes: Option<&[u8]>) -> Result<usize> {
        let (bytes, codes, table) = (bytes.unwrap_or_default(), &CODES[i], &mut self.tables[i]);
        self.is_default[i] = false;
        if mode == 1 {
            let code = usize::from(*bytes.first().ok_or(Fault::Ends(PART))?);
            if code >= COUNTS[i] {
                return Err(Fault::above("code of a sequence", COUNTS[i] - 1, code));
            }
            table.build_single(codes[code % SYMBOLS]);
            return Ok(1);
        }
        let (symbols_max, log_max) = (COUNTS[i], LOGS_MAX[i]);
        processor::run(Described { bytes, symbols_max, log_max, codes, table })
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
        let mut decoder = Decoder::new(&self.tables, frame, *offsets)?;
        let mut place = Place { written, used: 0 };
        let (tables, to) = (&self.tables, &mut *content);
        let run =
            Run { decoder: &mut decoder, place: &mut place, tables, frame, count, source, to };
        processor::run(run).ok_or_else(|| {
            Fault::not("sequences", "literals, offsets and lengths within what there is")
        })?;
        decoder.bits.finish(self.start, PART)?;
        *offsets = decoder.recent;
        let rest = source.bytes.get(place.used..source.len).unwrap_or_default();
        copy::append(content, place.written, rest)
    }
}

/// The reading of a distribution and the construction of its table.
struct Described<'a> {
    bytes: &'a [u8],
    symbols_max: usize,
    log_max: u32,
    codes: &'a Codes,
    table: &'a mut States,
}

impl processor::Task for Described<'_> {
    type Output = Result<usize>;

    #[inline(always)]
    fn run(self) -> Result<usize> {
        let read = Distribution::read(self.bytes, self.symbols_max, self.log_max, "table of codes");
        let (distribution, len) = read?;
        let counts = distribution.counts.get(..distribution.symbols);
        self.table.build(counts.unwrap_or_default(), distribution.log, self.codes);
        Ok(len)
    }
}

/// The loop over sequences, which decodes and executes `count` of them.
struct Run<'a> {
    decoder: &'a mut Decoder,
    place: &'a mut Place,
    tables: &'a [States; 3],
    frame: &'a [u8],
    count: usize,
    source: Source<'a>,
    to: &'a mut [u8],
}

/// What the loop over sequences reads from.
struct Decoder {
    bits: Backward,
    /// The states: of literals' lengths, offsets, matches' lengths.
    states: [u32; 3],
    /// The recent offsets, the last one first.
    recent: [u32; 3],
}

impl Decoder {
    /// Reads the first states.
    fn new(tables: &[States; 3], frame: &[u8], recent: [u32; 3]) -> Result<Decoder> {
        let mut bits = Backward::new(frame, frame.len(), PART)?;
        let window = bits.window(frame).ok_or(Fault::Ends(PART))?;
        let mut end = 0;
        let states = [0, 1, 2].map(|i: usize| {
            end += tables[i].log;
            window.field(end, tables[i].log)
        });
        bits.skip(end as usize);
        Ok(Decoder { bits, states, recent })
    }
}

impl processor::Task for Run<'_> {
    /// `None`: the stream passes the beginning of the frame, or a sequence needs more than there is.
    type Output = Option<()>;

    #[inline(always)]
    fn run(self) -> Option<()> {
        let Run { decoder, tables, frame, count, source, to, .. } = self;
        let [literals, offsets, lengths] = tables;
        let [literal, offset, length] = decoder.states;
        let (mut bits, mut recent, mut place) = (decoder.bits, decoder.recent, *self.place);
        let mut left = count;
        let mut literal_entry = literals.entries[literal as usize % STATES];
        let mut offset_entry = offsets.entries[offset as usize % STATES];
        let mut length_entry = lengths.entries[length as usize % STATES];
        loop {
            // Offsets and lengths that are possible in a small frame have no more bits than a window: 17, 16 and 16. An
            // offset of more bits may be wrong here; it is larger than the content anyway.
            let mut window = bits.window(frame)?;
            let of_bits = offset_entry.extra();
            let ml_bits = length_entry.extra();
            let ll_bits = literal_entry.extra();
            let mut used = of_bits + ml_bits + ll_bits;
            let value = offset_entry.base().wrapping_add(window.field(of_bits, of_bits));
            let sequence = Sequence {
                length: length_entry.base() + window.field(of_bits + ml_bits, ml_bits),
                literals: literal_entry.base() + window.field(used, ll_bits),
                offset: recent_offset(&mut recent, value, of_bits, literal_entry.base() == 0),
            };
            left -= 1;
            if left == 0 {
                bits.skip(used as usize);
                place.append(to, source, sequence)?;
                break;
            }
            if used > WORD - LOGS_SUM {
                bits.skip(used as usize);
                (window, used) = (bits.window(frame)?, 0);
            }
            // Sums of the entries first: they do not wait for the bits, and the next window waits only for them.
            let ll_bits = literal_entry.bits();
            let ml_bits = length_entry.bits();
            let of_bits = offset_entry.bits();
            let states = ll_bits + ml_bits + of_bits;
            bits.skip((used + states) as usize);
            let literal = literal_entry.next() + window.field(used + ll_bits, ll_bits);
            let length = length_entry.next() + window.field(used + (ll_bits + ml_bits), ml_bits);
            let offset = offset_entry.next() + window.field(used + states, of_bits);
            // Loaded before the copies, whose branches are hard to predict.
            literal_entry = literals.entries[literal as usize % STATES];
            offset_entry = offsets.entries[offset as usize % STATES];
            length_entry = lengths.entries[length as usize % STATES];
            place.append(to, source, sequence)?;
        }
        (decoder.bits, decoder.recent, *self.place) = (bits, recent, place);
        Some(())
    }
}

/// Returns the offset for a value, and makes it the most recent one. `code` is that of the value.
#[inline(always)]
fn recent_offset(recent: &mut [u32; 3], value: u32, code: u32, is_without_literals: bool) -> u32 {
    let [first, second, third] = *recent;
    // Codes of more than one bit stand for values above 3: they are no recent offsets.
    if code > 1 {
        *recent = [value - 3, first, second];
        return value - 3;
    }
    // Without literals, the match before would have been longer if it had the same offset: the first one is left out.
    let nth = value + u32::from(is_without_literals);
    if nth == 1 {
        return first;
    }
    *recent = match nth {
        2 => [second, first, third],
        3 => [third, first, second],
        // An offset of 0 is damage. The largest number is, too, and is found without another check.
        _ => [if first > 1 { first - 1 } else { u32::MAX }, first, second],
    };
    recent[0]
}

/// The most bits that three states take.
const LOGS_SUM: u32 = LOGS_MAX[0] + LOGS_MAX[1] + LOGS_MAX[2];
