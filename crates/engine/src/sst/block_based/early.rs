//! Early lookups: lookups in a table whose parts are not loaded yet.
//!
//! Opening many tables only verifies their indexes and filters, and loading them takes as long as a hundred lookups
//! (see [`super::parts`]). So the first lookups in a table search its index block in the file's format, without the
//! filter, and read the data block while bypassing the cache. The index block is read and verified once, or again by a
//! thread that loads the parts meanwhile. It is freed when they are loaded, either by a background thread or by the
//! first lookup after the last early one.

#![deny(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing)]

use super::index::{IndexEntries, IndexForm, compare_fence};
use super::view::BlockView;
use crate::base::KeyOrder;
use crate::env::mapping::LargeVec;
use crate::env::sync::std_atomic::{AtomicU32, Ordering};
use crate::env::sync::{Mutex, OnceCell};
use crate::error::Result;
use crate::sst::format::BlockHandle;
use std::sync::Arc;

/// After this many lookups in one table, loading its parts pays off, even if each uncached block must be read from a
/// device.
pub(super) const EARLY_LOOKUPS: u32 = 16;

/// The state that the first lookups of a table share.
#[derive(Default)]
pub(super) struct Early {
    /// The number of early lookups so far, and perhaps of some that came too late.
    lookups: AtomicU32,
    /// The index block, once it was read. Replaced by an empty cell when the parts are loaded.
    index: Mutex<Arc<OnceCell<Arc<IndexBlock>>>>,
}

impl Early {
    /// Counts an early lookup. Returns false if there were [`EARLY_LOOKUPS`].
    pub(super) fn begin(&self) -> bool {
        self.lookups.load(Ordering::Relaxed) < EARLY_LOOKUPS
            && self.lookups.fetch_add(1, Ordering::Relaxed) < EARLY_LOOKUPS
    }

    /// The index block, which `read` reads unless an early lookup has read it.
    pub(super) fn index(
        &self,
        read: impl FnOnce() -> Result<IndexBlock>,
    ) -> Result<Arc<IndexBlock>> {
        let cell = Arc::clone(&self.index.lock());
        cell.get_or_try_init(|| read().map(Arc::new)).map(Arc::clone)
    }

    /// The index block, if it was read.
    pub(super) fn index_if_read(&self) -> Option<Arc<IndexBlock>> {
        self.index.lock().get().map(Arc::clone)
    }

    /// Forgets the index block.
    pub(super) fn forget_index(&self) {
        let gone = std::mem::take(&mut *self.index.lock());
        drop(gone);
    }
}

/// A verified index block that is not partitioned.
pub(super) struct IndexBlock {
    pub(super) bytes: LargeVec<u8>,
    pub(super) form: IndexForm,
}

impl IndexBlock {
    /// The first block that may contain entries at or after `(user_key, t)`, and the index entries
    /// after it.
    pub(super) fn seek(
        &self,
        order: &KeyOrder,
        user_key: &[u8],
        t: u64,
    ) -> Result<(Option<BlockHandle>, IndexEntries<'_>)> {
        let form = self.form;
        let is_before =
            |fence: &[u8]| compare_fence(order, form.user_keys, fence, user_key, t).is_lt();
        let view = BlockView::new(&self.bytes)?;
        let entries_at = |at| IndexEntries::new(view.entries().get(at..).unwrap_or_default(), form);
        let (mut low, mut high) = (0, view.num_restarts());
        while low < high {
            let middle = low + (high - low) / 2;
            // An index without entries also has one restart.
            match entries_at(view.restart(middle)).next()? {
                Some((key, _)) if is_before(key) => low = middle + 1,
                _ => high = middle,
            }
        }
        // The interval that begins here ends at the first restart that is not before the key, or at the end of the
        // block.
        let mut rest = entries_at(low.checked_sub(1).map_or(0, |i| view.restart(i)));
        while let Some((key, handle)) = rest.next()? {
            if !is_before(key) {
                return Ok((Some(handle), rest));
            }
        }
        Ok((None, rest))
    }
}
