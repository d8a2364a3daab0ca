//! A session for tests of jobs, without a database around it.

use super::{Health, Identity, Session, next_serial};
use crate::env::live::Live;
use crate::fs::FileSystem;
use crate::fs::info_log::InfoLog;
use crate::options::DbOptions;
use crate::version::Counters;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The directory of the session's files.
pub(crate) const DIR: &str = "/db";

/// Creates a session in the directory [`DIR`] of a file system. Creates the directory if it is missing. The session's
/// first file number is 10.
pub(crate) fn session(fs: Arc<dyn FileSystem>, options: DbOptions) -> Session {
    fs.create_dir_if_missing(Path::new(DIR)).unwrap();
    let counters = Arc::new(Counters::default());
    counters.mark_file_number_used(9);
    Session {
        serial: next_serial(),
        info_log: Arc::new(InfoLog::off(Arc::clone(&fs))),
        fs,
        dir: PathBuf::from(DIR),
        wal_dir: PathBuf::from(DIR),
        changed_options: Live::new(options.clone()),
        statistics: options.statistics.clone(),
        options,
        identity: Identity {
            db_id: "31285a1f-54d1-4e6a-bafe-43cad6912e89".into(),
            session_id: "5QNTJYG9S66EHI65A9Z2".into(),
            host: String::new(),
        },
        counters,
        memtable_shares: Vec::new(),
        _log_memory: None,
        spare_chunks: Arc::default(),
        allocator: Arc::default(),
        open_tables: None,
        read_only: false,
        health: Health::default(),
    }
}
