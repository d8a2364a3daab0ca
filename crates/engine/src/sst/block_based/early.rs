//! Early lookups: lookups in a table whose parts are not loaded yet.
//!
//! Opening many tables only verifies their indexes and filters, and loading them takes as long as a hundred lookups
//! (see [`super::parts`]). So the first lookups in a table search its index block in the file's format, without the
//! filter, and read the data block while bypassing the cache. The index block is read and verified once and freed when
//! the parts are loaded, either by a background thread or by the first lookup after the last early one.

#![deny(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing)]

use super::index::{IndexEntries, IndexForm, compare_fence};
use super::view::BlockView;
use crate::base::KeyOrder;
use crate::env::mapping::LargeVec;
use crate::env::sync::OnceCell;
use crate::error::Result;
use crate::sst::format::BlockHandle;
use std::sync::Arc;

/// After this many lookups in one table, loading its parts pays off, even if each uncached block must be read from a
/// device.
pub(super) const EARLY_LOOKUPS: u32 = 16;

/// The state that the first lookups of a table share.
#[derive(Default)]
pub(super) struct Early {
    /// The number of early lookups so far.
    pub(super) lookups: u32,
    pub(super) index: Arc<OnceCell<Arc<IndexBlock>>>,
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
