//! The estimate of a count from registers: Ertl's improved estimator ("New cardinality estimation algorithms for
//! HyperLogLog sketches", 2017, algorithm 6), in the order of operations that gives Redis's results.

use super::REGISTERS;

/// The largest rank: 64 bits of hash, of which 14 choose the register, and one.
const RANK_MAX: usize = 51;

/// `1 / (2 ln 2)`.
const ALPHA: f64 = 0.721_347_520_444_481_7;

/// The number of registers of each rank.
pub(super) struct Ranks([u32; RANK_MAX + 1]);

impl Ranks {
    /// Returns the ranks of no registers.
    pub fn new() -> Ranks {
        Ranks([0; RANK_MAX + 1])
    }

    /// Counts registers of one rank. Ranks above 51 exist only in foreign values; Redis ignores them, too.
    pub fn add(&mut self, rank: u8, registers: usize) {
        if let Some(count) = self.0.get_mut(usize::from(rank)) {
            *count += registers as u32;
        }
    }
}

/// Returns the estimated number of elements.
pub(super) fn of(ranks: &Ranks) -> u64 {
    let Ranks(ranks) = ranks;
    let [zeros, middle @ .., saturated] = ranks;
    let m = REGISTERS as f64;
    let mut z = m * tau((m - f64::from(*saturated)) / m);
    for count in middle.iter().rev() {
        z = (z + f64::from(*count)) * 0.5;
    }
    z += m * sigma(f64::from(*zeros) / m);
    (ALPHA * m * m / z).round() as u64
}

/// Corrects for registers that are 0: `x + sum(x^(2^k) * 2^(k-1))` for k from 1.
fn sigma(mut x: f64) -> f64 {
    if x == 1.0 {
        return f64::INFINITY;
    }
    let (mut factor, mut sum) = (1.0, x);
    loop {
        x *= x;
        let next = sum + x * factor;
        factor += factor;
        if next == sum {
            return sum;
        }
        sum = next;
    }
}

/// Corrects for registers with the largest rank: `(1 - x - sum((1 - x^(2^-k))^2 * 2^-k)) / 3` for k from 1.
fn tau(mut x: f64) -> f64 {
    if x == 0.0 || x == 1.0 {
        return 0.0;
    }
    let (mut factor, mut sum) = (1.0, 1.0 - x);
    loop {
        x = x.sqrt();
        factor *= 0.5;
        let next = sum - (1.0 - x) * (1.0 - x) * factor;
        if next == sum {
            return sum / 3.0;
        }
        sum = next;
    }
}
