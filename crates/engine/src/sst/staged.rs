//! One lookup of many, in one table, in stages.
//!
//! A lookup is a chain of memory accesses, each of which waits for the one before. With many keys the
//! accesses of different keys can overlap, if each stage is done for some other keys before the next one
//! begins: a stage reads what the one before has asked for, and asks for what the next one reads.
//! What was found stays with the lookup, so that no stage does the work of another again.
//!
//! Stages in their order: `begin` ([`super::Table::stage`]), `passes_filter`, `descend` until it is
//! false for every key, `ask_slot`, `ask_block`, `ask_entry`, `settle`. What a stage cannot do for a key,
//! it leaves to `settle`, which does it as a single lookup does.

use super::{block_based, plain};
use crate::env::epoch::Guard;
use crate::error::Result;
use crate::iter::GetContext;
use crate::options::ReadOptions;

/// A lookup on its way through a table.
pub enum Staged<'a> {
    /// In a table of the default format.
    BlockBased(block_based::Staged<'a>),
    /// In a PlainTable.
    Plain(plain::Staged<'a>),
    /// In a table whose filter has ended it; only where that is counted, which it is when the lookup settles.
    Rejected(&'a block_based::BlockBasedTable),
}

impl<'a> Staged<'a> {
    /// Whether the lookup goes on: the table may hold the key, or counts that it does not.
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

    /// One level down in the index; false if there is none left.
    #[inline(always)]
    pub fn descend(&mut self) -> bool {
        match self {
            Staged::BlockBased(staged) => staged.descend(),
            Staged::Plain(_) | Staged::Rejected(_) => false,
        }
    }

    /// Asks where the block is.
    #[inline(always)]
    pub fn ask_slot(&mut self) {
        if let Staged::BlockBased(staged) = self {
            staged.ask_slot();
        }
    }

    /// Asks for the block.
    #[inline(always)]
    pub fn ask_block(&mut self, guard: &'a Guard) {
        if let Staged::BlockBased(staged) = self {
            staged.ask_block(guard);
        }
    }

    /// Asks for the entry.
    #[inline(always)]
    pub fn ask_entry(&mut self) {
        if let Staged::BlockBased(staged) = self {
            staged.ask_entry();
        }
    }

    /// Ends the lookup as [`super::Table::get`] does.
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
