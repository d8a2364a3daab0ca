//! The random numbers of RocksDB's db_bench, so that equal seeds make equal keys and values.
//!
//! Keys come from the 64-bit Mersenne Twister of Matsumoto and Nishimura; values from the
//! Park-Miller generator. Neither is shared between threads.

const WORDS: usize = 312;
const MIDDLE: usize = 156;
const MATRIX: u64 = 0xb502_6f5a_a966_19e9;
const UPPER: u64 = 0xffff_ffff_8000_0000;
const LOWER: u64 = 0x7fff_ffff;

/// The 64-bit Mersenne Twister, as in the C++ standard.
pub struct Random64 {
    state: Box<[u64; WORDS]>,
    next: usize,
}

impl Random64 {
    /// Creates a generator with this seed.
    pub fn new(seed: u64) -> Random64 {
        let mut state = Box::new([0u64; WORDS]);
        let mut last = seed;
        state[0] = seed;
        for (i, word) in (1u64..).zip(state.iter_mut().skip(1)) {
            last = following(last, i);
            *word = last;
        }
        Random64 { state, next: WORDS }
    }

    /// Returns the first number of the generator with this seed, without the rest of its state.
    pub fn first(seed: u64) -> u64 {
        let second = following(seed, 1);
        let middle = (2..=MIDDLE as u64).fold(second, following);
        temper(middle ^ twist(seed, second))
    }

    /// Returns the next number.
    #[inline]
    pub fn draw(&mut self) -> u64 {
        if self.next == WORDS {
            self.refill();
        }
        self.next += 1;
        temper(self.state[self.next - 1])
    }

    #[cold]
    fn refill(&mut self) {
        for i in 0..WORDS {
            let twist = twist(self.state[i], self.state[(i + 1) % WORDS]);
            self.state[i] = self.state[(i + MIDDLE) % WORDS] ^ twist;
        }
        self.next = 0;
    }
}

/// Word `i` of the state that a seed makes, from the word before it.
fn following(last: u64, i: u64) -> u64 {
    6_364_136_223_846_793_005u64.wrapping_mul(last ^ (last >> 62)).wrapping_add(i)
}

/// The contribution of two neighbouring words of the state to the word that replaces the first one.
#[inline]
fn twist(word: u64, next: u64) -> u64 {
    let y = (word & UPPER) | (next & LOWER);
    (y >> 1) ^ if y & 1 == 1 { MATRIX } else { 0 }
}

/// Returns the number that a word of the state becomes.
#[inline]
fn temper(mut x: u64) -> u64 {
    x ^= (x >> 29) & 0x5555_5555_5555_5555;
    x ^= (x << 17) & 0x71d6_7fff_eda6_0000;
    x ^= (x << 37) & 0xfff7_eee0_0000_0000;
    x ^ (x >> 43)
}

/// Park and Miller's minimal standard generator.
pub struct Random(u32);

impl Random {
    /// Creates a generator with this seed.
    pub fn new(seed: u32) -> Random {
        let seed = seed & 0x7fff_ffff;
        Random(if seed == 0 || seed == 0x7fff_ffff { 1 } else { seed })
    }

    /// Returns the next number, below 2^31 - 1.
    #[inline]
    pub fn draw(&mut self) -> u32 {
        let product = u64::from(self.0) * 16807 % 0x7fff_ffff;
        self.0 = product as u32;
        self.0
    }
}

/// A bijection on `0..n` in random order that needs no table: four Feistel rounds over the next
/// even power of two, repeated while the result is outside.
pub struct Permutation {
    n: u64,
    half: u32,
    mask: u64,
    keys: [u64; 4],
}

impl Permutation {
    /// The permutation of `0..n` with this seed.
    pub fn new(n: u64, seed: u64) -> Permutation {
        let bits = (64 - n.saturating_sub(1).leading_zeros()).max(2);
        let half = bits.div_ceil(2);
        let mut random = Random64::new(seed);
        Permutation { n, half, mask: (1 << half) - 1, keys: std::array::from_fn(|_| random.draw()) }
    }

    /// Returns the image of `i`.
    #[inline]
    pub fn at(&self, i: u64) -> u64 {
        let mut i = i;
        loop {
            let (mut left, mut right) = (i >> self.half, i & self.mask);
            for key in self.keys {
                let mixed = (right ^ key).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 29;
                (left, right) = (right, left ^ (mixed & self.mask));
            }
            i = (left << self.half) | right;
            if i < self.n {
                return i;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn twister_matches_the_value_that_the_cpp_standard_gives() {
        let mut random = Random64::new(5489);
        let last = (0..10_000).map(|_| random.draw()).last();
        assert_eq!(last, Some(9_981_545_732_273_789_042));
    }

    #[test]
    fn the_first_number_needs_no_state() {
        for seed in [0, 1, 5489, 1 << 40, u64::MAX] {
            assert_eq!(Random64::first(seed), Random64::new(seed).draw());
        }
    }

    #[test]
    fn park_miller_matches_its_authors_check() {
        let mut random = Random::new(1);
        assert_eq!((0..10_000).map(|_| random.draw()).last(), Some(1_043_618_065));
    }

    #[test]
    fn a_permutation_hits_everything_once_and_is_out_of_order() {
        for n in [1, 2, 3, 10, 1000, 4096, 4097] {
            let permutation = Permutation::new(n, 7);
            let order: Vec<u64> = (0..n).map(|i| permutation.at(i)).collect();
            let mut sorted = order.clone();
            sorted.sort_unstable();
            assert_eq!(sorted, (0..n).collect::<Vec<_>>());
            assert!(n < 10 || order != sorted);
        }
    }
}
