//! Restart prefixes: numbers in a cached block's object that lead a seek to its restart interval.
//!
//! A search among restarts waits for the restart array and then for one key after the other, each in a line of the
//! block that is not in the processor's cache. Restart prefixes are eight bytes of each restart key except the first
//! (the same bytes that the index's fences compare), and the offsets of the restarts. So a seek prefetches the entries
//! of its interval as soon as it has the block's object.
//!
//! Only small blocks in bytewise order have restart prefixes, since every cached block pays for them. If a prefix
//! equals the target's number, the restart keys are searched.

#![deny(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing)]

use super::view::BlockView;
use crate::base::key::TRAILER_SIZE;
use crate::base::short::first_eight;

/// The maximum number of restarts after the first one: 64 entries in usual blocks.
const MAX: usize = 3;

/// The restart prefixes of one block; empty by default.
#[derive(Clone, Copy, Default)]
pub struct RestartPrefixes {
    numbers: [u64; MAX],
    /// The offsets of the restarts after the first one.
    offsets: [u16; MAX],
    /// The number of these restarts; 0 without restart prefixes.
    n: u8,
}

impl RestartPrefixes {
    /// The restart prefixes of a block whose table's keys begin with `common`; empty if the block does not suit them.
    pub fn build(view: BlockView<'_>, common: &[u8]) -> RestartPrefixes {
        RestartPrefixes::try_build(view, common).unwrap_or_default()
    }

    fn try_build(view: BlockView<'_>, common: &[u8]) -> Option<RestartPrefixes> {
        let n = view.num_restarts().checked_sub(1).filter(|n| (1..=MAX).contains(n))?;
        let mut restart_prefixes = RestartPrefixes { n: n as u8, ..RestartPrefixes::default() };
        // `interval` relies on the first entry being at offset 0.
        let number_of = |i| {
            let key = view.restart_key(i).ok()?;
            let user_key = key.get(..key.len().checked_sub(TRAILER_SIZE)?)?;
            Some(first_eight(user_key.strip_prefix(common)?))
        };
        number_of(0).filter(|_| view.restart(0) == 0)?;
        for (i, (number, offset)) in restart_prefixes
            .numbers
            .iter_mut()
            .zip(&mut restart_prefixes.offsets)
            .take(n)
            .enumerate()
        {
            *number = number_of(i + 1)?;
            *offset = u16::try_from(view.restart(i + 1)).ok()?;
        }
        Some(restart_prefixes)
    }

    /// The offset of the interval that contains the first entry at or after a key, or that ends
    /// just before that entry; `x` is the number of the key. `None` if the restart prefixes do not
    /// decide.
    #[inline]
    pub fn interval(&self, x: u64) -> Option<usize> {
        let n = usize::from(self.n);
        let mut start = None;
        for (&mark, &offset) in self.numbers.iter().zip(&self.offsets).take(n) {
            if mark == x {
                return None;
            }
            if mark < x {
                start = Some(usize::from(offset));
            }
        }
        if n == 0 { None } else { Some(start.unwrap_or(0)) }
    }
}
