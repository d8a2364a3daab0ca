//! Staged lookups: a lookup in one table that runs in stages, together with lookups of other keys.
//!
//! A lookup is a chain of memory accesses, each of which waits for the previous one. With many keys, the accesses of
//! different keys can overlap if each stage runs for all keys before the next one begins: a stage reads what the
//! previous stage prefetched, and prefetches what the next one reads. A lookup keeps what it has found, so that no
//! stage repeats the work of another.
//!
//! Stages in their order: `begin` ([`super::Table::stage`]), `passes_filter`, `descend` until it is false for every
//! key, `ask_slot`, `ask_block`, `ask_entry`, `settle`. If a stage cannot do its work for a key, it leaves it to
//! `settle`, which works like a single lookup.

use super::block_based::Missing;
use super::{block_based, plain};
use crate::env::epoch::Guard;
use crate::error::Result;
use crate::iter::GetContext;
use crate::options::ReadOptions;

/// A staged lookup in a table.
pub enum Staged<'a> {
    /// In a table of the default format.
    BlockBased(block_based::Staged<'a>),
    /// In a PlainTable.
    Plain(plain::Staged<'a>),
    /// In a table whose filter has ruled the key out. Used only if that is counted, which happens when the lookup
    /// settles.
    Rejected(&'a block_based::BlockBasedTable),
}

impl<'a> Staged<'a> {
    /// Checks the filter. Returns whether the lookup continues: the table may contain the key, or
    /// must still count that it does not.
    #[inline(always)]
    pub fn passes_filter(&mut self) -> bool {
        match self {
            Staged::BlockBased(staged) => {
                if staged.passes_filter() {
                    return true;
                }
                let Some(table) = staged.counting_table() else { return false };
                *self = Staged::Rejected(table);
                true
            }
            Staged::Plain(staged) => staged.find_place(),
            Staged::Rejected(_) => true,
        }
    }

    /// Descends one level in the index; false if no level is left.
    #[inline(always)]
    pub fn descend(&mut self) -> bool {
        match self {
            Staged::BlockBased(staged) => staged.descend(),
            Staged::Plain(_) | Staged::Rejected(_) => false,
        }
    }

    /// Prefetches the block's slot.
    #[inline(always)]
    pub fn ask_slot(&mut self) {
        if let Staged::BlockBased(staged) = self {
            staged.ask_slot();
        }
    }

    /// Prefetches the block.
    #[inline(always)]
    pub fn ask_block(&mut self, guard: &'a Guard) {
        if let Staged::BlockBased(staged) = self {
            staged.ask_block(guard);
        }
    }

    /// Prefetches the entry.
    #[inline(always)]
    pub fn ask_entry(&mut self) {
        if let Staged::BlockBased(staged) = self {
            staged.ask_entry();
        }
    }

    /// The block that the lookup needs and that has to be read, known after `ask_block`.
    pub fn missing(&self) -> Option<Missing<'a>> {
        match self {
            Staged::BlockBased(staged) => staged.missing(),
            Staged::Plain(_) | Staged::Rejected(_) => None,
        }
    }

    /// Completes the lookup like [`super::Table::get`].
    #[inline(always)]
    pub fn settle(&self, ro: &ReadOptions, ctx: &mut GetContext) -> Result<()> {
        match self {
            Staged::BlockBased(staged) => staged.settle(ro, ctx),
            Staged::Plain(staged) => staged.settle(ctx),
            Staged::Rejected(table) => {
                table.count_rejected(ctx);
                Ok(())
            }
        }
    }
}
