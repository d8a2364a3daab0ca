//! The objects that a database uses and that it may share with other databases.

use crate::budget::{MemoryAccount, SstFileManager, WriteBufferManager};
use crate::fs::FileSystem;
use crate::fs::info_log::Logger;
use crate::hooks::EventListener;
use std::sync::Arc;

/// Shared objects and hooks of a database. They are not plain options: none has a value in OPTIONS files or LOG.
/// Components that RocksDB does name there, such as `statistics` and the merge operator, have a row among the options.
#[derive(Clone, Default)]
pub struct Components {
    /// The memory budget of memtables, shared with other databases. It replaces `db_write_buffer_size`.
    pub write_buffer_manager: Option<Arc<WriteBufferManager>>,
    /// The limit for all memory, shared with other databases. It replaces `memory_limit`.
    pub memory_account: Option<Arc<MemoryAccount>>,
    /// Tracks the space of tables and limits how fast obsolete ones are deleted.
    pub sst_file_manager: Option<Arc<SstFileManager>>,
    /// Receives log lines instead of the file LOG. `info_log_level` then has no effect.
    pub info_log: Option<Arc<dyn Logger>>,
    /// Receive the events of the engine.
    pub listeners: Vec<Arc<dyn EventListener>>,
    /// The file system; `None` is the operating system's.
    pub file_system: Option<Arc<dyn FileSystem>>,
}
