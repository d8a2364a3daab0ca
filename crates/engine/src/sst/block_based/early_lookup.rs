//! The execution of early lookups; see `early.rs`.

#![deny(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing)]

use super::counting::count_miss;
use super::parts::Parts;
use super::table::{BlockBasedTable, Lookup, NodePin};
use super::view::Found;
use crate::cache::Held;
use crate::error::Result;
use crate::iter::GetContext;
use crate::options::ReadOptions;
use crate::sst::BlockAccess;

impl BlockBasedTable {
    /// Answers an early lookup, or returns the parts that the caller must use instead.
    #[cold]
    pub(super) fn get_early(
        &self,
        lookup: &Lookup,
        ro: &ReadOptions,
        ctx: &mut GetContext,
    ) -> Result<Option<&Parts>> {
        let access = BlockAccess::of(ro);
        let index = match access.memory_only {
            true => None,
            false => self.parts.early_index(&self.source)?,
        };
        let Some(index) = index else { return self.parts().map(Some) };
        let in_index = |e| self.source.locate(self.parts.index(), e);
        let (mut block, mut rest) =
            index.seek(&self.order, lookup.user_key, lookup.max_trailer).map_err(in_index)?;
        while let Some(handle) = block {
            if self.parts.has_cache() {
                count_miss(&self.statistics);
            }
            access.check()?;
            let node = Held::new(self.read_block(handle, None, &mut |_| None)?);
            let found = self.search(node.object(), None, lookup, ctx, &NodePin(&node));
            let found = found.map_err(|e| self.source.locate(handle, e))?;
            if found == Found::Finished || index.form.user_keys {
                break;
            }
            block = rest.next().map_err(in_index)?.map(|(_, handle)| handle);
        }
        Ok(None)
    }
}

#[cfg(test)]
#[path = "early_test.rs"]
mod tests;
