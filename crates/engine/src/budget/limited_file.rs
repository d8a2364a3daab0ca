//! Files whose bytes a rate limiter lets through.

use super::{IoPriority, RateLimiter};
use crate::error::Result;
use crate::fs::{FileSyncer, RandomAccessFile, WritableFile};
use std::cell::Cell;
use std::path::Path;
use std::sync::Arc;

thread_local! {
    /// How urgent this thread's reads are.
    static READS_AT: Cell<IoPriority> = const { Cell::new(IoPriority::Total) };
}

/// Until the result is dropped, this thread's reads are as urgent as this.
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

/// A file that is written at a limited rate.
pub struct LimitedWrites {
    file: Box<dyn WritableFile>,
    limiter: Arc<RateLimiter>,
    priority: IoPriority,
}

impl LimitedWrites {
    /// Limits `file`, if there is a limiter and it limits writes.
    pub fn wrap(
        file: Box<dyn WritableFile>,
        limiter: Option<&Arc<RateLimiter>>,
        priority: IoPriority,
    ) -> Box<dyn WritableFile> {
        match limiter {
            Some(limiter) if limiter.limits_writes() => {
                Box::new(LimitedWrites { file, limiter: Arc::clone(limiter), priority })
            }
            _ => file,
        }
    }
}

impl WritableFile for LimitedWrites {
    fn append(&mut self, data: &[u8]) -> Result<()> {
        self.limiter.request(data.len(), self.priority);
        self.file.append(data)
    }
    fn append_record(&mut self, header: &[u8], payload: &[u8]) -> Result<()> {
        self.limiter.request(header.len() + payload.len(), self.priority);
        self.file.append_record(header, payload)
    }
    fn reserve(&mut self, bytes: u64) -> Result<()> {
        self.file.reserve(bytes)
    }
    fn flush(&mut self) -> Result<()> {
        self.file.flush()
    }
    fn sync(&mut self) -> Result<()> {
        self.file.sync()
    }
    fn syncer(&self) -> Arc<dyn FileSyncer> {
        self.file.syncer()
    }
    fn size(&self) -> u64 {
        self.file.size()
    }
    fn close(&mut self) -> Result<()> {
        self.file.close()
    }
}

/// A file that is read at a limited rate, as urgent as [`reads_at`] says.
pub struct LimitedReads {
    file: Arc<dyn RandomAccessFile>,
    limiter: Arc<RateLimiter>,
}

impl LimitedReads {
    /// Limits `file`, if there is a limiter and it limits reads.
    pub fn wrap(
        file: Arc<dyn RandomAccessFile>,
        limiter: Option<&Arc<RateLimiter>>,
    ) -> Arc<dyn RandomAccessFile> {
        match limiter {
            Some(limiter) if limiter.limits_reads() => {
                Arc::new(LimitedReads { file, limiter: Arc::clone(limiter) })
            }
            _ => file,
        }
    }
}

impl RandomAccessFile for LimitedReads {
    fn read_at(&self, offset: u64, buf: &mut [u8]) -> Result<usize> {
        self.limiter.request(buf.len(), READS_AT.get());
        self.file.read_at(offset, buf)
    }
    fn size(&self) -> u64 {
        self.file.size()
    }
    fn mapped(&self) -> Option<&[u8]> {
        self.file.mapped()
    }
    fn path(&self) -> &Path {
        self.file.path()
    }
}
