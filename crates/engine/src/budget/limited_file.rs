//! Files whose reads or writes pass through a rate limiter.

use super::{IoPriority, RateLimiter};
use crate::error::Result;
use crate::fs::gated::{Gate, Gated};
use crate::fs::{RandomAccessFile, WritableFile};
use crate::stats::{self, Statistics, Ticker};
use std::cell::Cell;
use std::path::Path;
use std::sync::Arc;

thread_local! {
    /// The priority of this thread's reads.
    static READS_AT: Cell<IoPriority> = const { Cell::new(IoPriority::Total) };
}

/// Sets the priority of this thread's reads until the result is dropped.
#[must_use]
pub fn reads_at(priority: IoPriority) -> impl Drop {
    struct Before(IoPriority);
    impl Drop for Before {
        fn drop(&mut self) {
            READS_AT.set(self.0);
        }
    }
    Before(READS_AT.replace(priority))
}

/// Returns the priority of this thread's reads; `Total` means that no rate limiter counts them.
pub fn priority_of_reads() -> IoPriority {
    READS_AT.get()
}

/// A file that is written at a limited rate.
pub struct LimitedWrites {
    limiter: Arc<RateLimiter>,
    priority: IoPriority,
    statistics: Option<Arc<Statistics>>,
}

impl LimitedWrites {
    /// Wraps `file`, if there is a limiter and it limits writes.
    pub fn wrap(
        file: Box<dyn WritableFile>,
        limiter: Option<&Arc<RateLimiter>>,
        priority: IoPriority,
        statistics: Option<&Arc<Statistics>>,
    ) -> Box<dyn WritableFile> {
        let limiter = limiter.filter(|limiter| limiter.limits_writes()).cloned();
        let gate = |limiter| LimitedWrites { limiter, priority, statistics: statistics.cloned() };
        Gated::wrap(file, limiter.map(gate))
    }
}

/// Waits for the limiter, and counts how often it had no bytes left.
fn wait(limiter: &RateLimiter, bytes: usize, at: IoPriority, stats: &Option<Arc<Statistics>>) {
    let drained = limiter.request(bytes, at);
    if drained > 0 {
        stats::add(stats, Ticker::NumberRateLimiterDrains, drained);
    }
}

impl Gate for LimitedWrites {
    fn pass(&self, bytes: usize) -> Result<()> {
        wait(&self.limiter, bytes, self.priority, &self.statistics);
        Ok(())
    }
}

/// A file that is read at a limited rate, with the priority set by [`reads_at`].
pub struct LimitedReads {
    file: Arc<dyn RandomAccessFile>,
    limiter: Arc<RateLimiter>,
    statistics: Option<Arc<Statistics>>,
}

impl LimitedReads {
    /// Wraps `file`, if there is a limiter and it limits reads.
    pub fn wrap(
        file: Arc<dyn RandomAccessFile>,
        limiter: Option<&Arc<RateLimiter>>,
        statistics: Option<&Arc<Statistics>>,
    ) -> Arc<dyn RandomAccessFile> {
        match limiter {
            Some(limiter) if limiter.limits_reads() => {
                let (limiter, statistics) = (Arc::clone(limiter), statistics.cloned());
                Arc::new(LimitedReads { file, limiter, statistics })
            }
            _ => file,
        }
    }
}

impl RandomAccessFile for LimitedReads {
    fn read_at(&self, offset: u64, buf: &mut [u8]) -> Result<usize> {
        wait(&self.limiter, buf.len(), READS_AT.get(), &self.statistics);
        self.file.read_at(offset, buf)
    }
    fn size(&self) -> u64 {
        self.file.size()
    }
    fn mapped(&self) -> Option<&[u8]> {
        self.file.mapped()
    }
    fn alignment(&self) -> usize {
        self.file.alignment()
    }
    fn will_read(&self, offset: u64, len: u64) {
        self.file.will_read(offset, len);
    }
    fn will_read_at_random(&self) {
        self.file.will_read_at_random();
    }
    fn would_wait(&self, offset: u64) -> bool {
        self.file.would_wait(offset)
    }
    fn path(&self) -> &Path {
        self.file.path()
    }
}
