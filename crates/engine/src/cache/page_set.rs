//! Sets of huge pages of the heap of blocks.

use super::heap;

/// A set of pages of the heap.
#[derive(Clone, Debug, Default)]
pub struct PageSet(Vec<usize>);

impl PageSet {
    /// Chooses the pages with the fewest live bytes from a list of addresses and live bytes.
    pub fn emptiest(mut pages: Vec<(usize, usize)>, count: usize) -> PageSet {
        pages.sort_unstable_by_key(|&(_, live)| live);
        let mut chosen: Vec<_> = pages.into_iter().take(count).map(|(page, _)| page).collect();
        chosen.sort_unstable();
        PageSet(chosen)
    }

    /// Whether the set contains the page of this address.
    pub fn has(&self, address: usize) -> bool {
        self.0.binary_search(&heap::page_of(address)).is_ok()
    }

    /// Whether there are no pages in the set.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}
