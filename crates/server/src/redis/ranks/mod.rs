//! Indexes that find the rank of a row without a walk over all rows below it. They are in memory only.
//!
//! An index has the rows of one kind of one collection in blocks, and counts them. It begins as one block, which is
//! divided when somebody asks for a rank in it; so the first question about a large collection takes a walk over all
//! its rows, and later ones a search in memory and a walk over a part of a block. Row formats and writes do not change:
//! a writer only counts what it wrote, while there are indexes.
//!
//! * **RK1** While any latch of a collection is held, its index has the committed rows: a writer counts its rows after
//!   its commit, still under the exclusive latch, and an index is created under a latch, with the committed count.
//! * **RK2** A block is divided under a latch; or without one, on a thread of its own, from a cursor that was created
//!   under a latch. Changes that are committed meanwhile are noted, and counted in the parts, too.
//! * **RK3** The name of an index has the version of its collection, which is used once. The index of a collection that
//!   was removed is never found again; it goes when memory is needed.
//! * **RK4** An index whose blocks would take more memory than all may stays one block, and readers walk.
//! * **RK5** An index that does not agree with itself is dropped. The next question creates another one.

mod blocks;

pub use blocks::{BLOCK_ROWS, Block, Blocks, Divider};

use super::execute::Worker;
use super::failure::Done;
use super::server::Server;
use crate::store::{Partition, RowCursor};
use parking_lot::{Mutex, MutexGuard};
use smallvec::SmallVec;
use std::collections::{HashMap, HashSet};
use std::fmt;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::Duration;

/// The memory of all indexes, in bytes.
const MEMORY_MAX: usize = 64 << 20;
/// The changes of rows that one evaluation notes. After one with more, the indexes of later changes are dropped.
const CHANGES_MAX: usize = 100_000;
/// The indexes that an evaluation drops for this. After one with more, all indexes are dropped.
const LOST_MAX: usize = 10_000;
/// The notes of changes whose memory an evaluation leaves to the next one.
const CHANGES_KEPT: usize = 4096;
/// How long a reader waits before it asks again for a block that another thread divides.
const WAIT: Duration = Duration::from_millis(1);

/// The partition of a row (4 bytes) and its key.
type PlacedRow = SmallVec<[u8; 96]>;

/// The name of an index: a partition, and what the keys of the rows begin with.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Home(PlacedRow);

impl Home {
    /// Returns the name of the index of the rows with a prefix.
    pub fn new(partition: Partition, prefix: &[u8]) -> Home {
        Home(placed(partition, prefix))
    }
}

fn placed(partition: Partition, key: &[u8]) -> PlacedRow {
    let mut row = PlacedRow::from_slice(&partition.0.to_be_bytes());
    row.extend_from_slice(key);
    row
}

/// Rows that an evaluation wrote or deleted, as far as they are counted.
#[derive(Debug, Default)]
pub struct RankChanges {
    list: Vec<RankChange>,
    /// The names of indexes with changes that are not in the list.
    lost: HashSet<PlacedRow>,
    is_all_lost: bool,
}

#[derive(Debug)]
struct RankChange {
    row: PlacedRow,
    home_bytes: usize,
    delta: i64,
}

impl RankChange {
    fn home(&self) -> &[u8] {
        self.row.get(..self.home_bytes).unwrap_or_default()
    }

    fn sub(&self) -> &[u8] {
        self.row.get(self.home_bytes..).unwrap_or_default()
    }
}

impl RankChanges {
    /// Notes that a row was written (1) or deleted (-1). The first bytes of its key, up to its sub-key, are the prefix.
    pub fn add(&mut self, partition: Partition, key: &[u8], prefix_bytes: usize, delta: i64) {
        if self.list.len() < CHANGES_MAX {
            let row = placed(partition, key);
            let home_bytes = row.len() - key.len() + prefix_bytes;
            self.list.push(RankChange { row, home_bytes, delta });
        } else if !self.is_all_lost {
            self.lost.insert(placed(partition, key.get(..prefix_bytes).unwrap_or(key)));
            self.is_all_lost = self.lost.len() > LOST_MAX;
        }
    }

    fn is_lost(&self, home: &Home) -> bool {
        self.is_all_lost || self.lost.contains(&home.0)
    }

    /// Returns how many more rows an index would have below a sub-key; `None` if that is not known.
    pub fn below(&self, home: &Home, sub: &[u8]) -> Option<i64> {
        let of_home = self.list.iter().filter(|change| *change.home() == home.0[..]);
        let sum = of_home.filter(|change| change.sub() < sub).map(|change| change.delta).sum();
        (!self.is_lost(home)).then_some(sum)
    }

    /// Returns whether rows of an index may have changed.
    pub fn may_have(&self, home: &Home) -> bool {
        self.is_lost(home) || self.list.iter().any(|change| *change.home() == home.0[..])
    }

    fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    /// Forgets all changes. The memory of many is given back.
    pub fn clear(&mut self) {
        self.list.clear();
        self.list.shrink_to(CHANGES_KEPT);
        if !self.lost.is_empty() {
            (self.lost, self.is_all_lost) = (HashSet::new(), false);
        }
    }
}

/// A block that is divided without latches.
pub struct Division {
    home: Home,
    number: u64,
    block: Block,
    cursor: Box<dyn RowCursor>,
    prefix_bytes: usize,
}

impl fmt::Debug for Division {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Division").field("home", &self.home).field("block", &self.block).finish()
    }
}

/// The indexes of all collections.
#[derive(Debug, Default)]
pub struct RankIndexes {
    /// The number of indexes. It changes under the lock, and is read by each writer.
    count: AtomicUsize,
    state: Mutex<State>,
    /// Held while a block is divided without latches.
    turn: Mutex<()>,
}

#[derive(Debug, Default)]
struct State {
    indexes: HashMap<Box<[u8]>, Index>,
    bytes: usize,
    /// Numbers questions and divisions.
    next: u64,
}

#[derive(Debug)]
struct Index {
    blocks: Blocks,
    /// The number of the last question.
    used: u64,
    dividing: Option<Dividing>,
    /// The number of rows with which the blocks took too much memory; 0 if that did not happen.
    too_large: u64,
}

/// What changes while a block is divided without latches.
#[derive(Debug)]
struct Dividing {
    number: u64,
    block: Block,
    changes: Vec<(Box<[u8]>, i64)>,
}

impl Dividing {
    fn note(&mut self, sub: &[u8], delta: i64) {
        if *sub >= *self.block.start && self.block.end.as_deref().is_none_or(|end| sub < end) {
            self.changes.push((sub.into(), delta));
        }
    }
}

impl RankIndexes {
    /// Returns whether there are none.
    pub fn is_empty(&self) -> bool {
        self.count.load(Ordering::Acquire) == 0
    }

    /// Returns whether there is an index.
    pub fn has(&self, home: &Home) -> bool {
        !self.is_empty() && self.state.lock().indexes.contains_key(&home.0[..])
    }

    /// Returns the block of a sub-key; `None` if there is no index.
    pub fn find(&self, home: &Home, sub: &[u8]) -> Option<Block> {
        self.with_index(home, |index| Some(index.blocks.of(sub)))
    }

    /// Returns the block that has the row of a rank; `None` if there is no index, or no such row.
    pub fn find_rank(&self, home: &Home, rank: u64) -> Option<Block> {
        self.with_index(home, |index| index.blocks.with_rank(rank))
    }

    fn with_index<R>(&self, home: &Home, found: impl FnOnce(&Index) -> Option<R>) -> Option<R> {
        if self.is_empty() {
            return None;
        }
        let mut state = self.state.lock();
        state.next += 1;
        let used = state.next;
        let index = state.indexes.get_mut(&home.0[..])?;
        index.used = used;
        found(index)
    }

    /// Creates the index of a collection with this number of committed rows. Keeps the index that another reader
    /// created meanwhile, if it has as many rows. A latch of the collection's key must be held.
    pub fn create(&self, home: &Home, rows: u64) {
        let mut state = self.state.lock();
        state.next += 1;
        let used = state.next;
        if let Some(index) = state.indexes.get_mut(&home.0[..])
            && index.blocks.total() == rows
        {
            index.used = used;
            return;
        }
        let index = Index { blocks: Blocks::whole(rows), used, dividing: None, too_large: 0 };
        state.remove(&home.0);
        state.bytes += index.blocks.bytes() + home.0.len();
        state.indexes.insert(home.0[..].into(), index);
        self.count.store(state.indexes.len(), Ordering::Release);
    }

    /// Replaces a block by its parts, which were found under a latch. Nothing happens if another reader divided it
    /// before. An index with which the parts disagree is dropped.
    pub fn divide(&self, home: &Home, block: &Block, parts: Blocks) {
        let mut state = self.state.lock();
        state.replace(&home.0, block, parts);
        self.count.store(state.indexes.len(), Ordering::Release);
    }

    /// Returns whether the blocks of an index took more memory than all indexes may, when it had at most twice as many
    /// rows as now. It stays one block then.
    pub fn is_too_large(&self, home: &Home) -> bool {
        let state = self.state.lock();
        let index = state.indexes.get(&home.0[..]);
        index.is_some_and(|it| it.too_large > 0 && it.blocks.total() >= it.too_large / 2)
    }

    /// Begins to divide a block without latches; a latch must be held until this returns. The cursor has the rows of
    /// the block, whose keys have this many bytes before the sub-keys. Returns `None` if another thread divides one.
    pub fn begin_division(
        &self,
        home: &Home,
        block: Block,
        cursor: Box<dyn RowCursor>,
        prefix_bytes: usize,
    ) -> Option<Division> {
        let mut state = self.state.lock();
        state.next += 1;
        let number = state.next;
        let index = state.indexes.get_mut(&home.0[..])?;
        if index.dividing.is_some() {
            return None;
        }
        let dividing = Dividing { number, block: block.clone(), changes: Vec::new() };
        index.dividing = Some(dividing);
        Some(Division { home: home.clone(), number, block, cursor, prefix_bytes })
    }

    /// Waits until no other thread divides a block without latches.
    fn turn(&self) -> MutexGuard<'_, ()> {
        self.turn.lock()
    }

    /// Ends a division. Without parts, because it failed, the block stays.
    fn end_division(&self, division: &Division, parts: Option<Blocks>) {
        let mut state = self.state.lock();
        let Some(index) = state.indexes.get_mut(&division.home.0[..]) else { return };
        let Some(dividing) = index.dividing.take_if(|it| it.number == division.number) else {
            return;
        };
        let Some(mut parts) = parts else { return };
        let counted = dividing.changes.iter().all(|(sub, delta)| parts.add(sub, *delta));
        if counted {
            state.replace(&division.home.0, &division.block, parts);
        } else {
            state.remove(&division.home.0);
        }
        self.count.store(state.indexes.len(), Ordering::Release);
    }

    /// Counts what a commit changed. The exclusive latches of the writer must be held.
    pub fn apply(&self, changes: &RankChanges) {
        if self.is_empty() || changes.is_empty() {
            return;
        }
        let state = &mut *self.state.lock();
        if changes.is_all_lost {
            state.indexes.clear();
            state.bytes = 0;
        }
        changes.lost.iter().for_each(|home| state.remove(home));
        for change in &changes.list {
            let Some(index) = state.indexes.get_mut(change.home()) else { continue };
            if let Some(dividing) = &mut index.dividing {
                dividing.note(change.sub(), change.delta);
            }
            let is_lost = index.dividing.as_ref().is_some_and(|it| it.changes.len() > CHANGES_MAX);
            let before = index.blocks.bytes();
            let is_counted = !is_lost && index.blocks.add(change.sub(), change.delta);
            // An empty block may have been merged.
            state.bytes = state.bytes.saturating_sub(before) + index.blocks.bytes();
            if !is_counted {
                state.remove(change.home());
            }
        }
        self.count.store(state.indexes.len(), Ordering::Release);
    }

    /// Returns the number of indexes, and their memory in bytes.
    pub fn sizes(&self) -> (usize, usize) {
        let state = self.state.lock();
        (state.indexes.len(), state.bytes)
    }
}

impl State {
    fn remove(&mut self, home: &[u8]) {
        if let Some(index) = self.indexes.remove(home) {
            self.bytes = self.bytes.saturating_sub(index.blocks.bytes() + home.len());
        }
    }

    /// Replaces a block by its parts, and drops the indexes that were not used for longest if there are too many.
    fn replace(&mut self, home: &[u8], block: &Block, parts: Blocks) {
        let Some(index) = self.indexes.get_mut(home) else { return };
        let before = index.blocks.bytes();
        if !index.blocks.divide((&block.start, block.end.as_deref()), parts) {
            return self.remove(home);
        }
        if index.blocks.bytes() + home.len() > MEMORY_MAX {
            index.too_large = index.blocks.total();
            index.blocks = Blocks::whole(index.too_large);
        }
        self.bytes = self.bytes.saturating_sub(before) + index.blocks.bytes();
        while self.bytes > MEMORY_MAX {
            let oldest = self.indexes.iter().min_by_key(|(_, index)| index.used);
            let Some(oldest) = oldest.map(|(home, _)| home.clone()) else { break };
            self.remove(&oldest);
        }
    }
}

impl Server {
    /// Divides the block that an evaluation asked for, or waits for the thread that does. Returns whether it divided
    /// the block itself. Latches must not be held. Only for threads that run one request.
    pub(super) fn divide_block(&self, worker: &mut Worker) -> Done<bool> {
        let Some(mut division) = worker.effects.division.take() else {
            drop(self.ranks.turn());
            // The other thread may have begun its division without having its turn yet.
            thread::sleep(WAIT);
            return Ok(false);
        };
        let _turn = self.ranks.turn();
        let mut divider = Divider::new(&division.block.start);
        division.cursor.seek_to_end(false);
        while let Some((row, _)) = division.cursor.item() {
            divider.add(row.get(division.prefix_bytes..).unwrap_or_default());
            division.cursor.step(false);
        }
        let status = division.cursor.status();
        let parts = status.is_ok().then(|| divider.finish());
        self.ranks.end_division(&division, parts);
        status?;
        Ok(true)
    }
}

#[cfg(test)]
#[path = "ranks_test.rs"]
mod tests;
