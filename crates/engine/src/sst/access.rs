//! The I/O that a read may perform in a table.

use crate::env::clock;
use crate::error::{Code, Error, Result};
use crate::options::{ReadOptions, ReadTier};

/// How a read may obtain blocks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BlockAccess {
    /// Whether blocks read from the file are added to the cache.
    pub fill_cache: bool,
    /// Whether to read only from memory: a block that is not in memory is an error.
    pub memory_only: bool,
    /// The time, in microseconds since 1970, after which nothing is read; 0 means no deadline.
    pub deadline_us: u64,
}

impl Default for BlockAccess {
    fn default() -> BlockAccess {
        BlockAccess { fill_cache: true, memory_only: false, deadline_us: 0 }
    }
}

impl BlockAccess {
    /// The access that these read options permit.
    #[inline]
    pub fn of(ro: &ReadOptions) -> BlockAccess {
        BlockAccess {
            fill_cache: ro.fill_cache,
            memory_only: ro.read_tier == ReadTier::BlockCache,
            deadline_us: ro.deadline_us,
        }
    }

    /// Checks whether the file may be read now.
    #[inline]
    pub fn check(&self) -> Result<()> {
        if self.memory_only {
            return Err(Error::new(Code::Incomplete, "no blocking io"));
        }
        self.check_deadline()
    }

    /// Checks whether the deadline has passed.
    #[inline]
    pub fn check_deadline(&self) -> Result<()> {
        if self.deadline_us == 0 {
            return Ok(());
        }
        let now = clock::since_1970();
        if now.as_micros() < u128::from(self.deadline_us) {
            return Ok(());
        }
        Err(Error::new(Code::TimedOut, "Deadline exceeded"))
    }
}
