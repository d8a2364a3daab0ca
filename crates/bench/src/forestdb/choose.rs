//! The choice of the documents of a batch: their number, the centre, and their distribution around it.

use super::document::{between, normal};
use super::zipf::Zipf;
use crate::rng::Random64;
use crate::ycsb::chooser::below;
use std::sync::Arc;

/// How often a document is chosen again because the batch already has it.
const TRIES: usize = 8;

/// The number of documents in a batch.
#[derive(Clone, Copy, Debug)]
pub enum BatchSize {
    /// Mean and standard deviation.
    Normal(u64, u64),
    /// From the first to the second, equally likely.
    Uniform(u64, u64),
}

impl BatchSize {
    /// Returns the mean, rounded down.
    pub fn average(self) -> u64 {
        match self {
            BatchSize::Normal(mean, _) => mean,
            BatchSize::Uniform(lower, upper) => (lower + upper) / 2,
        }
    }

    /// Chooses a size, at least 1.
    pub fn pick(self, random: &mut Random64) -> u64 {
        match self {
            BatchSize::Normal(mean, deviation) => {
                (mean as f64 + deviation as f64 * normal(random)).round().max(1.0) as u64
            }
            BatchSize::Uniform(lower, upper) => between(random, lower, upper),
        }
    }
}

/// The position of a batch.
#[derive(Clone, Debug)]
pub enum Centre {
    /// All documents are equally likely.
    Uniform,
    /// Groups of this many documents are popular by Zipf's law; all documents of a group are equally likely.
    Zipf(Arc<Zipf>, u64),
}

impl Centre {
    fn pick(&self, random: &mut Random64, documents: u64) -> u64 {
        match self {
            Centre::Uniform => below(random, documents),
            Centre::Zipf(zipf, group) => {
                let first = zipf.pick(random) * group;
                first + below(random, (*group).min(documents - first))
            }
        }
    }
}

/// The distribution of a batch's documents around its centre.
#[derive(Clone, Copy, Debug)]
pub enum Scatter {
    /// From this far before it to this far behind it, equally likely.
    Uniform(u64),
    /// Normally distributed, with half of this as the standard deviation.
    Normal(u64),
}

impl Scatter {
    /// Chooses a document; the key space is a ring.
    fn pick(self, random: &mut Random64, centre: u64, documents: u64) -> u64 {
        let distance = match self {
            Scatter::Uniform(range) => {
                below(random, range.saturating_mul(2)) as i128 - i128::from(range)
            }
            Scatter::Normal(range) => (normal(random) * range as f64 / 2.0) as i128,
        };
        (i128::from(centre) + distance).rem_euclid(i128::from(documents)) as u64
    }
}

/// The position of a thread's batches.
pub struct Place<'a> {
    /// Number of documents.
    pub documents: u64,
    /// The position of a batch.
    pub centre: &'a Centre,
    /// The distribution of its documents around that position.
    pub scatter: Scatter,
    /// Whether a document that the batch already has is chosen again, a few times.
    pub distinct: bool,
}

impl Place<'_> {
    /// Chooses the documents of a batch among those that are allowed, which must be a good part of all.
    pub fn batch(
        &self,
        random: &mut Random64,
        size: u64,
        allowed: impl Fn(u64) -> bool,
        out: &mut Vec<u64>,
    ) {
        out.clear();
        let mut middle = self.centre.pick(random, self.documents);
        while (out.len() as u64) < size {
            let mut tries = 0;
            let document = loop {
                let document = self.scatter.pick(random, middle, self.documents);
                let again = self.distinct && tries < TRIES && out.contains(&document);
                if allowed(document) && !again {
                    break document;
                }
                tries += 1;
                if !allowed(document) {
                    // All popular documents may belong to others.
                    middle = match tries < TRIES {
                        true => self.centre.pick(random, self.documents),
                        false => below(random, self.documents),
                    };
                }
            };
            out.push(document);
        }
    }
}
