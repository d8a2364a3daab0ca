//! The numbers of rows in consecutive blocks of sub-keys.
//!
//! * **RB1** The first block begins with the empty sub-key, and each block ends where the next one begins.
//! * **RB2** The beginnings of blocks are in strictly ascending order. They need not be sub-keys of rows.
//! * **RB3** The sums of groups are those of their blocks' numbers, so that a rank needs no walk over all blocks.
//! * **RB4** A block that loses its last row is merged with a neighbour, unless it is the only block.

/// The rows of a block that was just divided off.
pub const BLOCK_ROWS: u64 = 256;
/// The memory of a block besides its beginning, in bytes, and that of the allocation.
const BLOCK_BYTES: usize = 48;

/// The blocks of a group.
const GROUP_BLOCKS: usize = if cfg!(test) { 4 } else { 256 };

/// The blocks of the rows of one kind.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Blocks {
    starts: Vec<Box<[u8]>>,
    counts: Vec<u64>,
    /// The numbers of rows of each [`GROUP_BLOCKS`] blocks.
    sums: Vec<u64>,
    bytes: usize,
}

/// A block.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Block {
    /// Where it begins.
    pub start: Box<[u8]>,
    /// Where it ends; `None` for the last one.
    pub end: Option<Box<[u8]>>,
    /// The number of its rows.
    pub count: u64,
    /// The number of rows below it.
    pub before: u64,
}

impl Blocks {
    /// Returns one block with so many rows.
    pub fn whole(count: u64) -> Blocks {
        Blocks {
            starts: vec![Box::default()],
            counts: vec![count],
            sums: vec![count],
            bytes: BLOCK_BYTES,
        }
    }

    /// Returns the memory, in bytes.
    pub fn bytes(&self) -> usize {
        self.bytes
    }

    /// Returns the number of all rows.
    pub fn total(&self) -> u64 {
        self.sums.iter().sum()
    }

    /// Returns the block of a sub-key.
    pub fn of(&self, sub: &[u8]) -> Block {
        let at = self.index_of(sub);
        self.block(at, self.below(at))
    }

    /// Returns the block that has the row of a rank, counted from 0; `None` if there are not so many rows.
    pub fn with_rank(&self, rank: u64) -> Option<Block> {
        let (mut before, mut at) = (0, 0);
        for sum in &self.sums {
            if rank < before + sum {
                break;
            }
            (before, at) = (before + sum, at + GROUP_BLOCKS);
        }
        for count in self.counts.get(at..)? {
            if rank < before + count {
                return Some(self.block(at, before));
            }
            (before, at) = (before + count, at + 1);
        }
        None
    }

    /// Counts a row that was written or deleted. Returns `false` if fewer rows than none would be left.
    pub fn add(&mut self, sub: &[u8], delta: i64) -> bool {
        let at = self.index_of(sub);
        let Some(count) = self.counts.get_mut(at) else { return false };
        let Some(sum) = count.checked_add_signed(delta) else { return false };
        *count = sum;
        if let Some(group) = self.sums.get_mut(at / GROUP_BLOCKS) {
            *group = group.saturating_add_signed(delta);
        }
        if sum == 0 {
            self.merge(at);
        }
        true
    }

    /// Merges an empty block into the block on its left; into the one on its right if it is the first block.
    fn merge(&mut self, empty: usize) {
        let gone = empty.max(1);
        if gone < self.starts.len() {
            let start = self.starts.remove(gone);
            self.counts.remove(empty);
            self.sum_from(gone.min(empty));
            self.bytes = self.bytes.saturating_sub(BLOCK_BYTES + start.len());
        }
    }

    /// Replaces a block by its parts. Changes nothing if the block is gone, because another reader divided it or
    /// because it was merged. Returns `false`, without a change, if the block has another number of rows than the
    /// parts; the parts of all rows are taken in any case.
    pub fn divide(&mut self, block: (&[u8], Option<&[u8]>), parts: Blocks) -> bool {
        let (start, end) = block;
        if start.is_empty() && end.is_none() {
            *self = parts;
            return true;
        }
        let at = self.index_of(start);
        let next = self.starts.get(at + 1).map(|next| &next[..]);
        let is_same = self.starts.get(at).is_some_and(|found| found[..] == *start) && next == end;
        if !is_same {
            return true;
        }
        if self.counts.get(at) != Some(&parts.total()) {
            return false;
        }
        self.starts.splice(at..=at, parts.starts);
        self.counts.splice(at..=at, parts.counts);
        self.sum_from(at);
        // The first part begins where the block began.
        self.bytes += parts.bytes.saturating_sub(BLOCK_BYTES + start.len());
        true
    }

    /// Returns the number of rows in the blocks below one.
    fn below(&self, at: usize) -> u64 {
        let group = at / GROUP_BLOCKS;
        let inside = self.counts.iter().take(at).skip(group * GROUP_BLOCKS).sum::<u64>();
        self.sums.iter().take(group).sum::<u64>() + inside
    }

    /// Sums the numbers of a block's group and of all later groups.
    fn sum_from(&mut self, at: usize) {
        let group = at / GROUP_BLOCKS;
        self.sums.truncate(group);
        let counts = self.counts.get(group * GROUP_BLOCKS..).unwrap_or_default();
        self.sums.extend(counts.chunks(GROUP_BLOCKS).map(|group| group.iter().sum::<u64>()));
    }

    fn index_of(&self, sub: &[u8]) -> usize {
        self.starts.partition_point(|start| start[..] <= *sub).saturating_sub(1)
    }

    fn block(&self, at: usize, before: u64) -> Block {
        Block {
            start: self.starts.get(at).cloned().unwrap_or_default(),
            end: self.starts.get(at + 1).cloned(),
            count: self.counts.get(at).copied().unwrap_or(0),
            before,
        }
    }
}

/// Divides rows, which are passed in their order, into blocks.
pub struct Divider {
    parts: Blocks,
    count: u64,
    last: Vec<u8>,
}

impl Divider {
    /// Returns a divider of the rows of a block that begins here.
    pub fn new(start: &[u8]) -> Divider {
        let bytes = BLOCK_BYTES + start.len();
        let (starts, counts, sums) = (vec![start.into()], Vec::new(), Vec::new());
        let parts = Blocks { starts, counts, sums, bytes };
        Divider { parts, count: 0, last: Vec::new() }
    }

    /// Adds the next row.
    pub fn add(&mut self, sub: &[u8]) {
        if self.count == BLOCK_ROWS {
            let start = separator(&self.last, sub);
            self.parts.bytes += BLOCK_BYTES + start.len();
            self.parts.starts.push(start.into());
            self.parts.counts.push(self.count);
            self.count = 0;
        }
        self.count += 1;
        if self.count == BLOCK_ROWS {
            self.last.clear();
            self.last.extend_from_slice(sub);
        }
    }

    /// Returns the blocks.
    pub fn finish(mut self) -> Blocks {
        self.parts.counts.push(self.count);
        self.parts.sum_from(0);
        self.parts
    }
}

/// Returns the shortest prefix of a sub-key that is above the sub-key below it.
fn separator<'a>(below: &[u8], above: &'a [u8]) -> &'a [u8] {
    let common = below.iter().zip(above).take_while(|(one, other)| one == other).count();
    above.get(..=common).unwrap_or(above)
}

#[cfg(test)]
#[path = "blocks_test.rs"]
mod tests;
