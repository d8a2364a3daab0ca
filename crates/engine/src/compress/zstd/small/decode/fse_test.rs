//! Tables of distributions, compared with tables made step by step as the RFC describes it.

use super::*;

/// Codes whose values are the symbols.
const CODES: Codes = {
    let mut of = [Code { base: 0, bits: 0 }; SYMBOLS];
    let mut symbol = 0;
    while symbol < SYMBOLS {
        of[symbol] = Code { base: symbol as u32, bits: symbol as u8 % 32 };
        symbol += 1;
    }
    codes(&of)
};

/// Returns symbol, bits and next state of each state, by RFC 8878, section 4.1.1.
fn expected(counts: &[i16], log: u32) -> Vec<(u32, u32, u32)> {
    let size = 1_usize << log;
    let mut symbols = vec![None; size];
    let mut high = size;
    for (symbol, _) in counts.iter().enumerate().filter(|(_, count)| **count < 0) {
        high -= 1;
        symbols[high] = Some(symbol);
    }
    let mut at = 0;
    for (symbol, &count) in counts.iter().enumerate() {
        for _ in 0..count.max(0) {
            assert_eq!(symbols[at].replace(symbol), None);
            loop {
                at = (at + (size >> 1) + (size >> 3) + 3) & (size - 1);
                if at < high {
                    break;
                }
            }
        }
    }
    let states = |symbol| symbols.iter().enumerate().filter(move |(_, s)| **s == Some(symbol));
    let mut table = vec![(0, 0, 0); size];
    for (symbol, _) in counts.iter().enumerate().filter(|(_, count)| **count != 0) {
        let count = states(symbol).count();
        // The states of a symbol divide the range; its first ones take one bit more if they do not divide it evenly.
        let parts = count.next_power_of_two();
        let wide = parts - count;
        let bits = log - parts.ilog2();
        let mut next = if wide == 0 { 0 } else { (size >> parts.ilog2()) * (count - wide) };
        for (nth, (state, _)) in states(symbol).enumerate() {
            if nth == wide {
                next = 0;
            }
            let bits = bits + u32::from(nth < wide);
            table[state] = (symbol as u32, bits, next as u32);
            next += 1 << bits;
        }
    }
    table
}

/// Returns a distribution of at most `symbols` symbols.
fn distribution(rng: &mut fastrand::Rng, symbols: usize, log: u32, rare: bool) -> Vec<i16> {
    let mut counts = vec![0_i16; symbols];
    let mut left = 1_i16 << log;
    for count in &mut counts[1..] {
        let most = left.min(1 + (left >> rng.u32(0..6)));
        if left > 1 && rng.u8(..) < 150 {
            *count = match rare && rng.u8(..) < 80 {
                true => -1,
                false => rng.i16(1..=most).min(left - 1),
            };
            left -= count.abs();
        }
    }
    counts[0] = left;
    counts
}

#[test]
fn tables_are_those_of_the_format() {
    let mut rng = fastrand::Rng::with_seed(6);
    let mut table = Table::<512>::default();
    for round in 0..2000 {
        let log = LOG_MIN + round % 5;
        let symbols = rng.usize(1..SYMBOLS.min(1 << log));
        let counts = distribution(&mut rng, symbols, log, round % 2 == 0);
        table.build(&counts, log, &CODES);
        let found: Vec<_> = table.entries[..1 << log]
            .iter()
            .map(|entry| {
                assert_eq!(entry.extra(), entry.base() % 32);
                (entry.base(), entry.bits(), entry.next())
            })
            .collect();
        assert_eq!(found, expected(&counts, log), "{counts:?}");
    }
}

#[test]
fn probabilities_are_read_as_they_are_stored() {
    // The example of the RFC: 100 of 256 cells are used, so 157 values remain. 97 takes 7 bits, 98 takes 8.
    for (value, stored) in [(0, 0), (97, 97), (98, 98), (127, 127), (128, 226), (157, 255)] {
        let bytes = [stored, 0, 0, 0, 0, 0, 0, 0];
        let mut bits = Forward::new(&bytes);
        assert_eq!(read_count(&mut bits, 156), value - 1, "{value}");
        // Behind the value are zeros: the number of bits shows in where the next value begins.
        let bytes = [stored | if value < 98 { 128 } else { 0 }, u8::from(value >= 98), 0, 0];
        let mut bits = Forward::new(&bytes);
        read_count(&mut bits, 156);
        assert_eq!(bits.peek() & 1, 1, "{value}");
    }
}
