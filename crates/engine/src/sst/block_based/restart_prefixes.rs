//! RestartPrefixes: numbers in a cached block's object that lead a seek to its restart interval.
//!
//! A search among restarts waits for the restart array and then for one key after the other, each a
//! line of the block that is not in the processor's cache. The restart_prefixes are eight bytes of each restart
//! key but the first, those that the index's fences compare as well, and where the restarts are. So a
//! seek asks for the entries of its interval as soon as it has the block's object.
//!
//! Only small blocks in bytewise order have restart_prefixes: every cached block pays for them. Where a mark is
//! equal to the target's number the restart keys are searched.

#![deny(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing)]

use super::view::BlockView;
use crate::base::key::TRAILER_SIZE;
use crate::base::short::first_eight;

/// How many restarts after the first one there are at most: 64 entries in usual blocks.
const MAX: usize = 3;

/// The restart_prefixes of one block; none by default.
#[derive(Clone, Copy, Default)]
pub struct RestartPrefixes {
    numbers: [u64; MAX],
    /// Where the restarts after the first one are.
    offsets: [u16; MAX],
    /// How many there are; 0 without restart_prefixes.
    n: u8,
}

impl RestartPrefixes {
    /// The restart_prefixes of a block whose keys come after `common` and its like; none if it does not suit
    /// them.
    pub fn build(view: BlockView<'_>, common: &[u8]) -> RestartPrefixes {
        RestartPrefixes::try_build(view, common).unwrap_or_default()
    }

    fn try_build(view: BlockView<'_>, common: &[u8]) -> Option<RestartPrefixes> {
        let n = view.num_restarts().checked_sub(1).filter(|n| (1..=MAX).contains(n))?;
        let mut restart_prefixes = RestartPrefixes { n: n as u8, ..RestartPrefixes::default() };
        // The first entry is at the front: `interval` says so.
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

    /// Where the interval begins in which the first entry at or after a key is, or which ends just
    /// before it; `x` is the number of the key. `None` if the restart_prefixes cannot say.
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
