//! Events that the engine reports to listeners.
//!
//! A listener is added with [`Options::listener`](crate::Options::listener). The engine's threads and writing threads
//! call it. It must be quick, and must not close the database.
//!
//! ```
//! use ferrolith::events::{EventDb, EventListener, FlushJobInfo};
//! use ferrolith::{Db, Options};
//! use std::sync::Arc;
//! use std::sync::atomic::{AtomicU64, Ordering};
//!
//! struct Flushes(Arc<AtomicU64>);
//!
//! impl EventListener for Flushes {
//!     fn on_flush_completed(&self, _db: EventDb<'_>, _info: &FlushJobInfo) {
//!         self.0.fetch_add(1, Ordering::Relaxed);
//!     }
//! }
//!
//! # let dir = tempfile::tempdir().unwrap();
//! # let path = dir.path();
//! let count = Arc::new(AtomicU64::new(0));
//! let options = Options::new().create_if_missing(true).listener(Flushes(Arc::clone(&count)));
//! let db = Db::open_with(options, path)?;
//! db.put("key", "value")?;
//! db.flush()?;
//! db.close()?;
//! assert_eq!(count.load(Ordering::Relaxed), 1);
//! # Ok::<(), ferrolith::Error>(())
//! ```

pub use crate::hooks::{
    BackgroundErrorReason, ColumnFamilyHandleInfo, CompactionFileInfo, CompactionJobInfo,
    CompactionJobStats, CompactionReason, EventDb, EventListener, ExternalFileIngestionInfo,
    FlushJobInfo, FlushReason, ManualFlushInfo, MemTableInfo, SubcompactionJobInfo, TableFigures,
    TableFileCreationBriefInfo, TableFileCreationInfo, TableFileCreationReason,
    TableFileDeletionInfo, WriteStallCondition, WriteStallInfo,
};

#[cfg(feature = "tracing")]
pub use crate::hooks::TracingListener;
