//! Keys and bodies of documents.
//!
//! ```text
//! key    = { segment '/' } last segment         letters, digits and _
//! value  = 25 as two bytes | metadata, 25 bytes | body
//! body   = "idx# N, body of KEY, key len K, body len B " | filler | "<end>"
//! filler = random letters up to a fixed position in the body, then 'x'
//! ```
//!
//! The key and the length of the body depend on the document's number alone, so that every step finds the documents of
//! every load. The order of keys has nothing to do with the order of numbers. The original program draws lengths from
//! weakly seeded generators, so that its bodies do not have the distribution that its settings name; here they have it.
//!
//! Metadata has the size of the original's: number, length of the body, number of the write (8 bytes each, big-endian),
//! and a zero byte.

use crate::rng::Random64;
use crate::ycsb::chooser::{below, uniform};
use std::sync::Arc;

/// Bytes before the body.
pub const HEAD: usize = 27;
const META: u16 = 25;
const END: &[u8] = b"<end>";
const SYMBOLS: &[u8; 63] = b"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_";
/// Separates the generators of a document's key, prefixes and body.
const KEY: u64 = 0x6b65_7900;
const PREFIX: u64 = 0x7072_6566;
const BODY: u64 = 0x626f_6479;

/// A distribution of lengths.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Length {
    /// Mean and standard deviation; a length is rounded down.
    Normal(f64, f64),
    /// From the first to the second, equally likely.
    Uniform(u64, u64),
}

impl Length {
    /// Returns the mean.
    pub fn average(self) -> f64 {
        match self {
            Length::Normal(mean, _) => mean,
            Length::Uniform(lower, upper) => (lower + upper) as f64 / 2.0,
        }
    }

    /// Returns the distribution moved towards 0.
    fn less(self, by: f64) -> Length {
        match self {
            Length::Normal(mean, deviation) => Length::Normal(mean - by, deviation),
            Length::Uniform(lower, upper) => {
                let by = by as u64;
                Length::Uniform(lower.saturating_sub(by), upper.saturating_sub(by))
            }
        }
    }

    fn pick(self, mix: &mut Mix) -> usize {
        match self {
            Length::Normal(mean, deviation) => (mean + deviation * mix.normal()).max(0.0) as usize,
            Length::Uniform(lower, upper) => (lower + mix.below(upper - lower + 1)) as usize,
        }
    }
}

/// The source of the random bytes of a body.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Filler {
    /// Each written body has its own.
    Document,
    /// Each buffer has one run of bytes for all bodies that pass through it, as in the original program: bodies of one
    /// writer then compress better together than one by one.
    Buffer,
}

/// The form of documents.
#[derive(Clone, Debug)]
pub struct Shape {
    /// Number of documents.
    pub documents: u64,
    /// Keys from a file.
    pub keys: Option<Arc<Vec<Vec<u8>>>>,
    /// Length of keys.
    pub key_length: Length,
    /// Segments before the last one.
    pub levels: u64,
    /// Distinct values of a segment.
    pub prefixes: u64,
    /// Length of segments.
    pub prefix_length: Length,
    /// Length of bodies, before it is rounded down to a multiple of 8.
    pub body_length: Length,
    /// Percentage of the average body that is 'x'.
    pub compressibility: u64,
    /// The source of random bytes.
    pub filler: Filler,
}

impl Shape {
    /// Writes the key of a document into a buffer.
    pub fn key(&self, number: u64, key: &mut Vec<u8>) {
        key.clear();
        if let Some(keys) = &self.keys {
            key.extend_from_slice(keys.get(number as usize).map_or(&[], Vec::as_slice));
            return;
        }
        for level in 0..self.levels {
            let prefix = Mix::new(number, PREFIX ^ (level << 32)).below(self.prefixes);
            let mut mix = Mix::new(prefix, PREFIX ^ (level << 32) ^ 1);
            let length = self.prefix_length.pick(&mut mix).max(1);
            mix.symbols(length, key);
            key.push(b'/');
        }
        let mut mix = Mix::new(number, KEY);
        let prefixes = self.levels as f64 * self.prefix_length.average();
        let length = self.key_length.less(prefixes).pick(&mut mix).max(1);
        mix.symbols(length, key);
    }

    /// Returns the length of a document's body: a multiple of 8, at least 8.
    pub fn body_length(&self, number: u64) -> usize {
        (self.body_length.pick(&mut Mix::new(number, BODY)) & !7).max(8)
    }

    /// Returns the average bytes of a key and a body.
    pub fn average_bytes(&self) -> f64 {
        self.key_length.average() + self.body_length.average()
    }

    /// Returns the position in a body from which on it is 'x'.
    fn random_bytes(&self) -> usize {
        match self.compressibility {
            0 => usize::MAX,
            percent => (self.body_length.average() * (100 - percent) as f64 / 100.0) as usize,
        }
    }

    /// Checks that a value is one of this document, of any write. Errors name the key.
    pub fn check(&self, number: u64, key: &[u8], value: &[u8]) -> Result<(), String> {
        if value.get(2..10).is_some_and(|bytes| bytes == number.to_be_bytes()) {
            return Ok(());
        }
        Err(format!(
            "{}: the value is not that of document {number}; was the database loaded with other settings?",
            String::from_utf8_lossy(key)
        ))
    }
}

/// Makes values for one slot of a thread's batches.
pub struct Buffer {
    /// The one run of random bytes, with [`Filler::Buffer`].
    run: Vec<u8>,
    random: u64,
}

impl Buffer {
    /// Returns a buffer whose bytes follow from the seed.
    pub fn new(seed: u64) -> Buffer {
        Buffer { run: Vec::new(), random: seed }
    }

    /// Writes the value of a document into `out`. With [`Filler::Document`] the bytes depend on the document, on
    /// `write`, and on the seed of the buffer.
    pub fn value(
        &mut self,
        shape: &Shape,
        (number, key): (u64, &[u8]),
        write: u64,
        out: &mut Vec<u8>,
    ) {
        let length = shape.body_length(number);
        out.clear();
        out.extend_from_slice(&META.to_be_bytes());
        for field in [number, length as u64, write] {
            out.extend_from_slice(&field.to_be_bytes());
        }
        out.push(0);
        let text = format!(
            "idx# {number}, body of {}, key len {}, body len {length} ",
            String::from_utf8_lossy(key),
            key.len()
        );
        out.extend(text.bytes().take(length));
        let at = out.len() - HEAD;
        let random = shape.random_bytes().min(length);
        match shape.filler {
            Filler::Document => {
                let mut mix = Mix::new(number, self.random ^ write.rotate_left(32));
                mix.letters(random.saturating_sub(at), out);
            }
            Filler::Buffer => {
                if self.run.len() < random {
                    Mix::new(self.random, self.run.len() as u64)
                        .letters(random - self.run.len(), &mut self.run);
                }
                out.extend_from_slice(self.run.get(at..random).unwrap_or_default());
            }
        }
        out.resize(HEAD + length, b'x');
        let end = out.len() - END.len().min(length);
        out[end..].copy_from_slice(&END[..END.len().min(length)]);
    }
}

/// A small generator that is cheap to seed: Steele, Lea and Flood, "Fast Splittable Pseudorandom Number Generators",
/// OOPSLA 2014.
struct Mix(u64);

impl Mix {
    fn new(number: u64, purpose: u64) -> Mix {
        let mut mix = Mix(number ^ purpose.wrapping_mul(0x9e37_79b9_7f4a_7c15));
        Mix(mix.draw() ^ purpose)
    }

    fn draw(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    fn below(&mut self, n: u64) -> u64 {
        ((u128::from(self.draw()) * u128::from(n)) >> 64) as u64
    }

    fn normal(&mut self) -> f64 {
        let unit = |bits: u64| (bits >> 11) as f64 / (1u64 << 53) as f64;
        normal_of(unit(self.draw()), unit(self.draw()))
    }

    /// Appends characters of keys.
    fn symbols(&mut self, count: usize, out: &mut Vec<u8>) {
        let end = out.len() + count;
        while out.len() < end {
            let mut bits = self.draw();
            // Six bits are a symbol, unless they are 63.
            for _ in 0..10 {
                if let (Some(symbol), true) = (SYMBOLS.get((bits & 63) as usize), out.len() < end) {
                    out.push(*symbol);
                }
                bits >>= 6;
            }
        }
    }

    /// Appends letters from a to z.
    fn letters(&mut self, count: usize, out: &mut Vec<u8>) {
        let end = out.len() + count;
        while out.len() < end {
            let bytes = self.draw().to_le_bytes();
            let left = (end - out.len()).min(bytes.len());
            let letter = |byte: &u8| b'a' + ((u16::from(*byte) * 26) >> 8) as u8;
            out.extend(bytes[..left].iter().map(letter));
        }
    }
}

/// Returns a standard normal number from two numbers of `[0, 1)`, by the method of Box and Muller.
fn normal_of(a: f64, b: f64) -> f64 {
    (-2.0 * (1.0 - a).ln()).sqrt() * (std::f64::consts::TAU * b).cos()
}

/// Returns a standard normal number.
pub fn normal(random: &mut Random64) -> f64 {
    let a = uniform(random);
    normal_of(a, uniform(random))
}

/// Returns a number from `lower` to `upper`.
pub fn between(random: &mut Random64, lower: u64, upper: u64) -> u64 {
    lower + below(random, upper - lower + 1)
}
