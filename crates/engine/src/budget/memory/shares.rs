//! The fixed shares of a memory limit: how much of it each owner may hold before it gives something back.

const MIB: usize = 1 << 20;
/// The smallest limit.
const LIMIT_MIN: usize = MIB;
/// The readahead of one input of a compaction, in bytes.
const READAHEAD: std::ops::RangeInclusive<usize> = 16 << 10..=256 << 10;

/// The shares of a limit.
#[derive(Clone, Copy, Debug)]
pub struct Shares {
    limit: usize,
}

impl Shares {
    /// Returns the shares of a limit in bytes.
    pub fn of(limit: usize) -> Shares {
        Shares { limit: limit.max(LIMIT_MIN) }
    }

    /// Returns the limit in bytes.
    pub fn limit(&self) -> usize {
        self.limit
    }

    /// Returns the part that no owner may plan with, in bytes: for what is not counted, such as stacks of threads and
    /// the gaps in an allocator's heap.
    pub fn margin(&self) -> usize {
        self.limit / 16
    }

    /// Returns the budget of memtables in bytes while other owners hold little.
    pub fn memtables(&self) -> usize {
        self.limit / 4
    }

    /// Returns the smallest budget of memtables in bytes.
    pub fn memtables_min(&self) -> usize {
        self.limit / 32
    }

    /// Returns the memory of flushed memtables in bytes above which new iterators keep none.
    pub fn kept_memtables(&self) -> usize {
        self.limit / 16
    }

    /// Returns the memory of table readers in bytes above which those not in use are closed.
    pub fn readers(&self) -> usize {
        self.limit / 4
    }

    /// Returns the memory of table readers in bytes that may stay open whatever other owners hold.
    pub fn readers_min(&self) -> usize {
        self.limit / 32
    }

    /// Returns the share of compactions in bytes.
    pub fn compactions(&self) -> usize {
        self.limit / 8
    }

    /// Returns the memory of iterators in bytes above which they do not read ahead.
    pub fn iterators(&self) -> usize {
        self.limit / 16
    }

    /// Returns the largest size in bytes of a table that a compaction writes. What a builder holds grows with its
    /// table.
    pub fn table_size(&self, wanted: u64) -> u64 {
        wanted.min((self.limit / 4) as u64)
    }

    /// Returns the memory that building a table of this size takes, in bytes: hashes for its filter, its index, and
    /// buffers.
    pub fn building(&self, table_size: u64) -> usize {
        usize::try_from(table_size / 8).unwrap_or(usize::MAX).saturating_add(MIB / 2)
    }

    /// Returns the readahead in bytes of each of a compaction's `inputs`.
    pub fn compaction_readahead(&self, inputs: usize) -> usize {
        let each = self.compactions() / 4 / inputs.max(1);
        each.clamp(*READAHEAD.start(), *READAHEAD.end())
    }

    /// Returns the number of threads of `wanted` that may share a compaction, each of which holds `each` bytes.
    pub fn compaction_threads(&self, wanted: u32, each: usize) -> u32 {
        let most = (self.compactions() / each.max(1)).max(1);
        wanted.min(u32::try_from(most).unwrap_or(u32::MAX))
    }

    /// Returns the memory of mapped log windows that a database may hold, in bytes.
    pub fn logs(&self) -> usize {
        (2 * MIB).min(self.limit / 16)
    }

    /// Returns the number of pools for cached blocks. Each keeps up to 2 MiB that no block uses.
    pub fn pools(&self) -> usize {
        (self.limit / (64 * MIB)).max(1)
    }

    /// Returns what block caches may hold while other owners hold `others` bytes, in bytes: the objects, and the pages
    /// for them. A ninth of the pages may be unused, and one in each pool and in stock.
    pub fn caches(&self, others: usize) -> (usize, usize) {
        let pages = self.limit.saturating_sub(self.margin()).saturating_sub(others);
        let unused = (2 * MIB * (self.pools() + 1)).min(pages / 2);
        ((pages - unused) / 9 * 8, pages)
    }
}
