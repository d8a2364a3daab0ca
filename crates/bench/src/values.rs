//! Values: slices of a pool of bytes with the requested compressibility.

use crate::flags::Flags;
use crate::rng::{Random, Random64};
use std::sync::Arc;

/// Bytes that are compressible in pieces of this size.
const PIECE: usize = 100;
const POOL: usize = 1 << 20;

/// The sizes and the compressibility of values.
#[derive(Clone)]
pub struct ValueShape {
    pool: Arc<Vec<u8>>,
    sizes: Sizes,
    same_percentage: u64,
}

#[derive(Clone, Copy)]
enum Sizes {
    Fixed(usize),
    Uniform(usize, usize),
}

impl ValueShape {
    /// Creates the shape from the flags, but fixed values have `value_size` bytes.
    pub fn new(flags: &Flags, value_size: usize) -> ValueShape {
        let sizes = match flags.text("value_size_distribution_type") {
            "uniform" => {
                let low = flags.uint("value_size_min") as usize;
                Sizes::Uniform(low, (flags.uint("value_size_max") as usize).max(low))
            }
            _ => Sizes::Fixed(value_size),
        };
        let (Sizes::Fixed(largest) | Sizes::Uniform(_, largest)) = sizes;
        ValueShape {
            pool: Arc::new(pool(flags.double("compression_ratio"), largest.max(POOL))),
            sizes,
            same_percentage: flags.uint("same_value_percentage"),
        }
    }

    /// Returns the size of a value, or the average size.
    pub fn average(&self) -> f64 {
        match self.sizes {
            Sizes::Fixed(size) => size as f64,
            Sizes::Uniform(low, high) => (low + high) as f64 / 2.0,
        }
    }
}

/// Returns the pool. A part of each piece is random, and is repeated until the piece is full.
fn pool(ratio: f64, len: usize) -> Vec<u8> {
    let mut random = Random::new(301);
    let unique = ((PIECE as f64 * ratio) as usize).clamp(1, PIECE);
    let mut pool = Vec::with_capacity(len + PIECE);
    while pool.len() < len {
        let start = pool.len();
        for i in 0..PIECE {
            let byte =
                if i < unique { (random.draw() % 127) as u8 } else { pool[start + i % unique] };
            pool.push(byte);
        }
    }
    pool
}

/// One thread's stream of values.
pub struct ValueMaker {
    shape: ValueShape,
    at: usize,
    random: Random64,
}

impl ValueMaker {
    /// The stream from its beginning.
    pub fn new(shape: &ValueShape) -> ValueMaker {
        ValueMaker { shape: shape.clone(), at: 0, random: Random64::new(301) }
    }

    /// Returns the next value.
    #[inline]
    pub fn make(&mut self) -> &[u8] {
        let len = match self.shape.sizes {
            Sizes::Fixed(len) => len,
            Sizes::Uniform(low, high) => {
                low + (self.random.draw() % (high - low + 1) as u64) as usize
            }
        };
        self.make_sized(len)
    }

    /// Returns the next value, of this size, which must be at most 1 MiB or a size that the shape has.
    #[inline]
    pub fn make_sized(&mut self, len: usize) -> &[u8] {
        if self.shape.same_percentage > 0 && self.random.draw() % 100 < self.shape.same_percentage {
            return &self.shape.pool[..len];
        }
        if self.at + len > self.shape.pool.len() {
            self.at = 0;
        }
        self.at += len;
        &self.shape.pool[self.at - len..self.at]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_repeat_their_unique_part() {
        let pool = pool(0.5, 1000);
        assert_eq!(pool[..50], pool[50..100]);
        assert_ne!(pool[..50], pool[100..150]);
        assert_eq!(pool.len(), 1000);
        let random = super::pool(1.0, 1000);
        assert_ne!(random[..50], random[50..100]);
    }

    #[test]
    fn sizes_are_uniform_between_their_limits() {
        use crate::fit::{Sample, equal};
        let pool = Arc::new(pool(0.5, POOL));
        let shape = ValueShape { pool, sizes: Sizes::Uniform(10, 60), same_percentage: 0 };
        let mut values = ValueMaker::new(&shape);
        let sample = Sample::new(61, 100_000, |_| values.make().len() as u64);
        let planted =
            [("one less", equal(10, 60)), ("from 9 on", equal(9, 61)), ("one more", equal(10, 62))];
        sample.check("sizes", &equal(10, 61), &planted);
        assert_eq!(shape.average(), 35.0);
    }
}
