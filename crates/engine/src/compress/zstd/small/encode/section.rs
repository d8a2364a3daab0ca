//! The sequences section of a block (RFC 8878, section 3.1.1.3.2).

// Kinds are 0 to 2, and codes below 64.
#![allow(clippy::indexing_slicing)]

use super::super::codes::{
    DEFAULT_LITERAL_LENGTHS, DEFAULT_LOGS, DEFAULT_MATCH_LENGTHS, DEFAULT_OFFSETS,
};
use super::cost::entropy;
use super::fse::{self, Probabilities, State, Table};
use super::output::{Bits, Output};
use super::sequence::{CODES, LITERALS, MATCHES, OFFSETS, Sequences};

/// Modes of a table.
const PREDEFINED: u8 = 0;
const RLE: u8 = 1;
const DESCRIBED: u8 = 2;

/// The codes of the kinds that a block can have.
const USED: [usize; 3] = [36, 18, 53];
/// The largest tables of the kinds, as exponents of two.
const LOGS_MAX: [u32; 3] = [9, 8, 9];
/// A decoder builds each described table, which takes 5 % of the time for a block of 4 KB. This is the least saving
/// for which it should, in bytes.
const DESCRIBED_MIN: u64 = 12;
/// The least size of a description, in bytes.
const DESCRIPTION_MIN: u64 = 2;
/// A byte in units of 1/256 bit.
const BYTE: u64 = 8 * 256;

static DEFAULTS: [Table; 3] = [
    Table::of(&DEFAULT_LITERAL_LENGTHS, DEFAULT_LOGS[LITERALS] as u32),
    Table::of(&DEFAULT_OFFSETS, DEFAULT_LOGS[OFFSETS] as u32),
    Table::of(&DEFAULT_MATCH_LENGTHS, DEFAULT_LOGS[MATCHES] as u32),
];

/// The cost of each code with the default distributions, in units of 1/256 bit.
static DEFAULT_COSTS: [[u16; CODES]; 3] = [
    costs(&DEFAULT_LITERAL_LENGTHS, DEFAULT_LOGS[LITERALS]),
    costs(&DEFAULT_OFFSETS, DEFAULT_LOGS[OFFSETS]),
    costs(&DEFAULT_MATCH_LENGTHS, DEFAULT_LOGS[MATCHES]),
];

const fn costs(probabilities: &[i16], log: u8) -> [u16; CODES] {
    let mut costs = [u16::MAX; CODES];
    let mut code = 0;
    while code < probabilities.len() {
        costs[code] = fse::symbol_cost(probabilities[code], log as u32) as u16;
        code += 1;
    }
    costs
}

/// The tables of one block, if they are not the predefined ones.
pub(super) struct Tables([Table; 3]);

impl Tables {
    pub(super) fn new() -> Tables {
        Tables([Table::new(), Table::new(), Table::new()])
    }

    /// Appends the section.
    pub(super) fn write(&mut self, sequences: &Sequences, out: &mut Output) {
        let count = sequences.list().len() as u64;
        match count {
            0..128 => out.put(count, 1),
            128..0x7F00 => out.put(count >> 8 | 128 | (count & 0xFF) << 8, 2),
            _ => out.put(255 | (count - 0x7F00) << 8, 3),
        }
        if count == 0 {
            return;
        }
        let modes_at = out.len();
        out.put(0, 1);
        let mut modes = [PREDEFINED; 3];
        for (kind, mode) in modes.iter_mut().enumerate() {
            let counts = &sequences.counts(kind)[..USED[kind]];
            *mode = choose(kind, counts, count as u32, &mut self.0[kind], out);
        }
        let [literals, offsets, matches] = modes;
        out.replace(modes_at, &[literals << 6 | offsets << 4 | matches << 2]);
        let table =
            |kind: usize| if modes[kind] == PREDEFINED { &DEFAULTS[kind] } else { &self.0[kind] };
        put_sequences(sequences, [table(LITERALS), table(OFFSETS), table(MATCHES)], out);
    }
}

/// Chooses the mode of a kind's table, and appends and builds the table if it is not predefined.
fn choose(kind: usize, counts: &[u32], total: u32, table: &mut Table, out: &mut Output) -> u8 {
    let used = counts.iter().filter(|&&count| count > 0).count() as u32;
    let default_cost: u64 = counts
        .iter()
        .zip(&DEFAULT_COSTS[kind])
        .map(|(&count, &cost)| u64::from(count) * u64::from(cost))
        .sum();
    if used == 1 {
        if default_cost <= BYTE {
            return PREDEFINED;
        }
        let code = counts.iter().position(|&count| count > 0).unwrap_or_default() as u8;
        table.fill_with_one(code);
        out.put(u64::from(code), 1);
        return RLE;
    }
    let allowed = default_cost.saturating_sub(DESCRIBED_MIN * BYTE);
    if entropy(counts, total) + DESCRIPTION_MIN * BYTE >= allowed {
        return PREDEFINED;
    }
    let log = fse::table_log(total, used, LOGS_MAX[kind]);
    let probabilities = fse::normalized(counts, total, log);
    let start = out.len();
    fse::describe(&probabilities, log, out);
    let described = (out.len() - start) as u64 * BYTE;
    if described + cost(counts, &probabilities, log) >= allowed {
        out.set_len(start);
        return PREDEFINED;
    }
    table.fill(&probabilities[..counts.len()], log);
    DESCRIBED
}

/// Returns the cost of codes with a distribution.
fn cost(counts: &[u32], probabilities: &Probabilities, log: u32) -> u64 {
    let used = counts.iter().zip(probabilities).filter(|&(&count, _)| count > 0);
    used.map(|(&count, &p)| u64::from(count) * u64::from(fse::symbol_cost(p, log))).sum()
}

/// Appends the codes and extra bits from the last sequence to the first one, because the decoder reads from the end.
fn put_sequences(sequences: &Sequences, tables: [&Table; 3], out: &mut Output) {
    let Some((last, others)) = sequences.list().split_last() else { return };
    let mut bits = Bits::new(out);
    let mut literals = State::new(tables[LITERALS], last.codes[LITERALS]);
    let mut offsets = State::new(tables[OFFSETS], last.codes[OFFSETS]);
    let mut matches = State::new(tables[MATCHES], last.codes[MATCHES]);
    bits.add(last.extra, u32::from(last.extra_bits));
    bits.flush();
    for sequence in others.iter().rev() {
        // At most 26 bits, and at most 49.
        offsets.encode(sequence.codes[OFFSETS], &mut bits);
        matches.encode(sequence.codes[MATCHES], &mut bits);
        literals.encode(sequence.codes[LITERALS], &mut bits);
        let extra_bits = u32::from(sequence.extra_bits);
        if extra_bits > 64 - 7 - 26 {
            bits.flush();
        }
        bits.add(sequence.extra, extra_bits);
        bits.flush();
    }
    matches.finish(&mut bits);
    offsets.finish(&mut bits);
    literals.finish(&mut bits);
    bits.finish_marked();
}
