//! Stamps of domains: the rows of a partition whose keys have the same first byte. A change of rows that nobody names,
//! such as a range deletion, is a change of domains. It makes all their entries invalid.

use super::stamp::{Seen, Stamp};
use super::sync::AtomicU64;
use crate::store::{Partition, Range};

/// Stamps. Domains that share one lose their rows together.
const DOMAINS: usize = 4096;
/// The domains of a partition.
const FIRST_BYTES: usize = 256;

/// The domains of all partitions.
pub(super) struct Domains(Box<[AtomicU64]>);

/// Consecutive domains of one partition, or all domains.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum Part {
    /// From the domain of one first byte to that of another, included.
    Bytes(Partition, u8, u8),
    /// All domains of all partitions.
    All,
}

impl Part {
    /// Returns the domains that have rows of a range.
    pub(super) fn of_range(partition: Partition, range: &Range) -> Part {
        let last = match range.end[..] {
            // No row begins with the byte at which the range ends.
            [last] => last.saturating_sub(1),
            [last, ..] => last,
            [] => u8::MAX,
        };
        Part::Bytes(partition, first_byte(&range.start), last)
    }

    /// Returns the domains of a partition.
    pub(super) fn of_partition(partition: Partition) -> Part {
        Part::Bytes(partition, 0, u8::MAX)
    }
}

impl Default for Domains {
    fn default() -> Domains {
        Domains((0..DOMAINS).map(|_| AtomicU64::new(0)).collect())
    }
}

impl Domains {
    fn stamp(&self, at: usize) -> Stamp<'_> {
        match self.0.get(at % DOMAINS) {
            Some(word) => Stamp(word),
            None => unreachable!("the number of a domain is below their count"),
        }
    }

    /// Returns the stamp of the domain of rows with this first byte.
    #[inline]
    pub(super) fn seen(&self, partition: Partition, first: u8) -> Seen {
        self.stamp(number(partition, first)).read()
    }

    /// Begins a change of domains.
    pub(super) fn begin(&self, part: Part) {
        self.each(part, |stamp| {
            stamp.begin();
        });
    }

    /// Ends a change of domains.
    pub(super) fn end(&self, part: Part) {
        self.each(part, |stamp| stamp.end());
    }

    fn each(&self, part: Part, run: impl Fn(Stamp<'_>)) {
        let (first, last) = match part {
            Part::All => (0, DOMAINS - 1),
            Part::Bytes(partition, first, last) => {
                (number(partition, first), number(partition, last))
            }
        };
        (first..=last).for_each(|at| run(self.stamp(at)));
    }
}

/// Returns the byte that says which domain of its partition a row belongs to.
#[inline]
pub(super) fn first_byte(key: &[u8]) -> u8 {
    key.first().copied().unwrap_or(0)
}

/// Returns the number of a domain; its stamp is that of the number modulo [`DOMAINS`].
fn number(partition: Partition, first: u8) -> usize {
    partition.0 as usize * FIRST_BYTES + usize::from(first)
}
