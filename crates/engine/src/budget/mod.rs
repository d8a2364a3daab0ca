//! Budgets that databases may share: the rate of file I/O, the memory of memtables, all memory, the space of tables.
//!
//! All four are objects that users create and pass in options. A database requests from them before it uses a
//! resource, and reports its use afterwards. They do not depend on databases.

mod kept_free;
mod limited_file;
mod memory;
mod rate_limiter;
mod sst_files;
mod write_buffers;

pub use kept_free::KeptFree;
pub use limited_file::{LimitedReads, LimitedWrites, priority_of_reads, reads_at};
pub use memory::{Charge, EvictsTables, MemoryAccount, MemoryOwner};
pub use rate_limiter::{IoPriority, RateLimiter, RateLimiterMode};
pub use sst_files::SstFileManager;
pub use write_buffers::{MemtableShare, WriteBufferManager};
