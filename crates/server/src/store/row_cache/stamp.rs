//! The stamp of a bucket or a domain: one atomic word with a version and the number of changes under way.
//!
//! ```text
//! bits 0-23    changes under way
//! bits 24-63   version; it grows with the beginning of each change
//! ```
//!
//! The loom test compiles this file a second time with loom's atomics, so it takes them from its parent.

use super::sync::{AtomicU64, Ordering, fence};

const COUNT_BITS: u32 = 24;
const COUNT: u64 = (1 << COUNT_BITS) - 1;
/// One more change under way, and one more version.
const BEGIN: u64 = (1 << COUNT_BITS) + 1;

/// A stamp in the word that it borrows.
#[derive(Clone, Copy, Debug)]
pub(super) struct Stamp<'a>(pub(super) &'a AtomicU64);

/// What a stamp was at one moment.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) struct Seen(u64);

impl Seen {
    /// Returns whether no change was under way.
    #[inline]
    pub(super) fn is_quiet(self) -> bool {
        self.0 & COUNT == 0
    }

    /// Returns the bits; the lowest [`COUNT_BITS`] are zero if no change was under way.
    #[inline]
    pub(super) fn bits(self) -> u64 {
        self.0
    }
}

impl Stamp<'_> {
    /// Returns the present stamp. What ended before is visible to later loads.
    #[inline]
    pub(super) fn read(self) -> Seen {
        Seen(self.0.load(Ordering::Acquire))
    }

    /// Returns whether no change has begun since `seen`, for loads that precede this call: none of them saw a store of
    /// a later change.
    #[inline]
    pub(super) fn is_still(self, seen: Seen) -> bool {
        // Pairs with the fence in `begin`: a load that saw a store behind that fence makes its new stamp visible here.
        fence(Ordering::Acquire);
        self.0.load(Ordering::Relaxed) == seen.0
    }

    /// Begins a change, beside others if there are any. Returns the new stamp.
    #[inline]
    pub(super) fn begin(self) -> Seen {
        let before = self.0.fetch_add(BEGIN, Ordering::AcqRel);
        // No store of the change is visible before the stamp.
        fence(Ordering::Release);
        Seen(before.wrapping_add(BEGIN))
    }

    /// Begins a change if no other has begun since `seen`, and none was under way then. Returns whether it did.
    #[inline]
    pub(super) fn begin_if_still(self, seen: Seen) -> bool {
        let new = seen.0.wrapping_add(BEGIN);
        let began = seen.is_quiet()
            && self.0.compare_exchange(seen.0, new, Ordering::AcqRel, Ordering::Relaxed).is_ok();
        fence(Ordering::Release);
        began
    }

    /// Returns whether a change that [`begin`](Stamp::begin) began has been the only one from then on.
    #[inline]
    pub(super) fn is_alone(self, begun: Seen) -> bool {
        begun.0 & COUNT == 1 && self.0.load(Ordering::Acquire) == begun.0
    }

    /// Ends a change if it has been the only one. Returns whether it did.
    #[inline]
    pub(super) fn end_if_alone(self, begun: Seen) -> bool {
        let (new, success) = (begun.0.wrapping_sub(1), Ordering::Release);
        begun.0 & COUNT == 1
            && self.0.compare_exchange(begun.0, new, success, Ordering::Relaxed).is_ok()
    }

    /// Ends a change.
    #[inline]
    pub(super) fn end(self) {
        self.0.fetch_sub(1, Ordering::Release);
    }
}
