//! Reads of several blocks at the same time, for the keys of a multi-get whose blocks are not cached.

use crate::base::LookupKey;
use crate::cache::Held;
use crate::env::clock::Instant;
use crate::error::Result;
use crate::iter::GetContext;
use crate::options::ReadOptions;
use crate::sst::{Block, Missing};
use std::time::Duration;

/// A read that takes this long has waited for a device: no other takes as long, except for blocks so large that an
/// announcement does not matter.
const WAIT_MIN: Duration = Duration::from_micros(50);

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

    /// Reads the blocks. One that cannot be read is left to the lookup that needs it, which reports the error.
    pub(super) fn read(&mut self, ro: &ReadOptions) {
        match self.missing.as_slice() {
            [] | [_] => {}
            [first, ..] if first.is_direct() => self.read_on_threads(ro),
            _ => self.read_in_order(ro),
        }
    }

    /// Reads blocks through the page cache, in order. Most may be there, and announcing those would cost as much as
    /// reading them. So the others are announced when one has to come from the device, and arrive at the same time.
    fn read_in_order(&mut self, ro: &ReadOptions) {
        let mut is_announced = false;
        for (n, block) in self.missing.iter().enumerate() {
            if n == 0 && block.would_wait() {
                self.missing.iter().for_each(Missing::announce);
                is_announced = true;
            }
            let start = (!is_announced).then(Instant::now);
            self.blocks.push(block.load(ro, None).ok());
            if start.is_some_and(|start| start.elapsed() >= WAIT_MIN) {
                self.missing.iter().skip(n + 1).for_each(Missing::announce);
                is_announced = true;
            }
        }
    }

    /// Reads blocks past the page cache: the first one on this thread, and the others on the threads of the pool, or on
    /// this one if those are busy.
    fn read_on_threads(&mut self, ro: &ReadOptions) {
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
