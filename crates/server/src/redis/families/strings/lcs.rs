//! LCS: the longest common subsequence of two strings.

use crate::redis::args::{Args, is, parse_integer};
use crate::redis::context::Context;
use crate::redis::failure::{Done, Failure, SYNTAX};

/// Options of LCS.
#[derive(Default)]
struct Options {
    wants_length: bool,
    wants_ranges: bool,
    with_lengths: bool,
    length_min: u64,
}

impl Options {
    fn parse(args: Args<'_>) -> Done<Options> {
        let mut options = Options::default();
        let mut words = args.options(3);
        while let Some(word) = words.next() {
            if is(word, "idx") {
                options.wants_ranges = true;
            } else if is(word, "len") {
                options.wants_length = true;
            } else if is(word, "withmatchlen") {
                options.with_lengths = true;
            } else if is(word, "minmatchlen") {
                options.length_min = parse_integer(words.value()?)?.try_into().unwrap_or(0);
            } else {
                return Err(SYNTAX.into());
            }
        }
        if options.wants_length && options.wants_ranges {
            return Err("ERR If you want both the length and indexes, please just use IDX.".into());
        }
        Ok(options)
    }
}

pub(super) fn lcs(context: &mut Context<'_>, args: Args<'_>) -> Done {
    let first = string(context, args.at(1));
    let second = string(context, args.at(2));
    let (first, second) = (first?, second?);
    let options = Options::parse(args)?;
    // As in Redis, whose table has four bytes per pair of positions.
    let pairs = (first.len() as u64 + 1).saturating_mul(second.len() as u64 + 1);
    if pairs > context.string_max() / 4 {
        return Err(
            "ERR Insufficient memory, transient memory for LCS exceeds proto-max-bulk-len".into()
        );
    }
    let table = Table::fill(&first, &second);
    if options.wants_length {
        context.out.integer(table.length);
        return Ok(());
    }
    let matches = table.matches(&first, &second);
    if options.wants_ranges {
        reply_ranges(context, &matches, &options, table.length);
    } else {
        let common: Vec<u8> = matches
            .iter()
            .rev()
            .flat_map(|found| first.get(found.first..found.first + found.length))
            .flatten()
            .copied()
            .collect();
        context.out.bulk(&common);
    }
    Ok(())
}

fn string(context: &mut Context<'_>, key: &[u8]) -> Done<Vec<u8>> {
    match context.string(key) {
        Ok(Some(value)) => value.into_bytes(context.txn),
        Ok(None) => Ok(Vec::new()),
        Err(failure) if failure.has_code("WRONGTYPE") => {
            Err(Failure::from("ERR The specified keys must contain string values"))
        }
        Err(failure) => Err(failure),
    }
}

fn reply_ranges(context: &mut Context<'_>, matches: &[Match], options: &Options, length: i64) {
    let out = &mut *context.out;
    let is_shown = |found: &&Match| found.length as u64 >= options.length_min;
    out.map(2);
    out.bulk(b"matches");
    out.array(matches.iter().filter(is_shown).count());
    for found in matches.iter().filter(is_shown) {
        out.array(if options.with_lengths { 3 } else { 2 });
        for start in [found.first, found.second] {
            out.array(2);
            out.count(start);
            out.count(start + found.length - 1);
        }
        if options.with_lengths {
            out.count(found.length);
        }
    }
    out.bulk(b"len");
    out.integer(length);
}

/// Equal bytes at an offset of the first and an offset of the second string.
#[derive(Debug, Eq, PartialEq)]
struct Match {
    first: usize,
    second: usize,
    length: usize,
}

/// What is needed to find a longest common subsequence from its end: one bit for each pair of prefixes.
struct Table {
    /// The bit of a pair is set if the prefix of the first string without its last byte has more in common with the
    /// other than the other way round.
    shortens_first: Vec<u64>,
    /// The bits of one prefix of the first string.
    row_words: usize,
    /// The length of the subsequence.
    length: i64,
}

impl Table {
    fn fill(first: &[u8], second: &[u8]) -> Table {
        let row_words = second.len().div_ceil(64);
        let mut shortens_first = Vec::with_capacity(row_words * first.len());
        // The lengths for the prefix of `first` before this byte, by the length of the prefix of `second`.
        let mut lengths = vec![0u32; second.len()];
        for byte in first {
            // The lengths at the left above, and at the left.
            let (mut corner, mut left) = (0, 0);
            for (others, lengths) in second.chunks(64).zip(lengths.chunks_mut(64)) {
                let mut bits = 0u64;
                for (at, (other, length)) in others.iter().zip(lengths).enumerate() {
                    let above = *length;
                    bits |= u64::from(above > left) << at;
                    *length = if byte == other { corner + 1 } else { above.max(left) };
                    (corner, left) = (above, *length);
                }
                shortens_first.push(bits);
            }
        }
        let length = lengths.last().copied().unwrap_or(0).into();
        Table { shortens_first, row_words, length }
    }

    /// Returns the matches of the subsequence, the last one first.
    fn matches(&self, first: &[u8], second: &[u8]) -> Vec<Match> {
        let mut matches: Vec<Match> = Vec::new();
        let (mut i, mut j) = (first.len(), second.len());
        while i > 0 && j > 0 {
            if first.get(i - 1) == second.get(j - 1) {
                (i, j) = (i - 1, j - 1);
                match matches.last_mut() {
                    Some(last) if last.first == i + 1 && last.second == j + 1 => {
                        (last.first, last.second, last.length) = (i, j, last.length + 1);
                    }
                    _ => matches.push(Match { first: i, second: j, length: 1 }),
                }
            } else {
                let word = self.shortens_first.get((i - 1) * self.row_words + (j - 1) / 64);
                let shortens_first = word.is_some_and(|word| word >> ((j - 1) % 64) & 1 == 1);
                if shortens_first { i -= 1 } else { j -= 1 }
            }
        }
        matches
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_common_subsequence() {
        let (first, second) = (b"ohmytext", b"mynewtext");
        let table = Table::fill(first, second);
        assert_eq!(table.length, 6);
        let expected =
            [Match { first: 4, second: 5, length: 4 }, Match { first: 2, second: 0, length: 2 }];
        assert_eq!(table.matches(first, second), expected);
        assert_eq!(Table::fill(b"", b"a").length, 0);
        assert_eq!(Table::fill(b"a", b"").matches(b"a", b""), []);
    }
}
