//! Budgets that databases may share: bytes per second of files, memory of memtables, space of tables.
//!
//! All three are objects of the user's, held by options. A database asks them before it spends and
//! tells them afterwards; they know no database.

mod kept_free;
mod limited_file;
mod rate_limiter;
mod sst_files;
mod write_buffers;

pub use kept_free::KeptFree;
pub use limited_file::{LimitedReads, LimitedWrites, reads_at};
pub use rate_limiter::{IoPriority, RateLimiter, RateLimiterMode};
pub use sst_files::SstFileManager;
pub use write_buffers::{MemtableShare, WriteBufferManager};
