//! What a reader allows a table to do for it.

use crate::env::clock;
use crate::error::{Code, Error, Result};
use crate::options::{ReadOptions, ReadTier};

/// How blocks may be got.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BlockAccess {
    /// What is read goes into the cache.
    pub fill_cache: bool,
    /// Nothing is read: what is not in memory is an error.
    pub memory_only: bool,
    /// Microseconds since 1970 after which nothing is read; 0 never.
    pub deadline_us: u64,
}

impl Default for BlockAccess {
    fn default() -> BlockAccess {
        BlockAccess { fill_cache: true, memory_only: false, deadline_us: 0 }
    }
}

impl BlockAccess {
    /// What read options allow.
    #[inline]
    pub fn of(ro: &ReadOptions) -> BlockAccess {
        BlockAccess {
            fill_cache: ro.fill_cache,
            memory_only: ro.read_tier == ReadTier::BlockCache,
            deadline_us: ro.deadline_us,
        }
    }

    /// Whether a file may be read now.
    #[inline]
    pub fn check(&self) -> Result<()> {
        if self.memory_only {
            return Err(Error::new(Code::Incomplete, "no blocking io"));
        }
        self.check_deadline()
    }

    /// Whether there is time left.
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
