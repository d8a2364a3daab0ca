//! Reads of several blocks at the same time, for the keys of a multi-get whose blocks are not cached.

use crate::base::LookupKey;
use crate::cache::Held;
use crate::error::Result;
use crate::iter::GetContext;
use crate::options::ReadOptions;
use crate::sst::{Block, Missing};

/// The blocks that a group of lookups waits for.
#[derive(Default)]
pub(super) struct Together<'a> {
    missing: Vec<Missing<'a>>,
    blocks: Vec<Option<Held<Block>>>,
}

impl<'a> Together<'a> {
    /// Adds a block, unless it was added before.
    pub(super) fn add(&mut self, block: Missing<'a>) {
        if !self.missing.iter().any(|known| known.is_same(&block)) {
            self.missing.push(block);
        }
    }

    /// Reads the blocks: the first one on this thread, and the others on the threads of the pool, or on this one if
    /// those are busy. A block that cannot be read is left to the lookup that needs it, which reports the error.
    pub(super) fn read(&mut self, ro: &ReadOptions) {
        if self.missing.len() < 2 {
            return;
        }
        let begun: Vec<_> = self.missing.iter().skip(1).map(Missing::begin).collect();
        self.blocks.extend(self.missing.iter().take(1).map(|block| block.load(ro, None).ok()));
        for (block, begun) in self.missing.iter().skip(1).zip(begun) {
            let memory = begun.and_then(|ahead| ahead.finish());
            self.blocks.push(block.load(ro, memory).ok());
        }
    }

    /// Completes a lookup if its block was read. Returns whether it did.
    pub(super) fn settle(
        &self,
        block: &Missing<'a>,
        key: &LookupKey<'_>,
        ro: &ReadOptions,
        ctx: &mut GetContext<'_>,
    ) -> Result<bool> {
        let at = self.missing.iter().position(|known| known.is_same(block));
        let Some(Some(read)) = at.and_then(|at| self.blocks.get(at)) else { return Ok(false) };
        block.settle(read, key, ro, ctx)?;
        Ok(true)
    }
}
