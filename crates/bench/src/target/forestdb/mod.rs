//! ForestDB, a copy-on-write engine in C++: one file with one store, through a shared library that is loaded at run
//! time.
//!
//! Every session has handles of its own. A write commits: without `sync` the operating system has it, which survives a
//! crash of the process, and a power failure may corrupt the database; with `sync` the commit is synced. With
//! `--forestdb_commit=auto`, writes without sync, and with `disable_wal`, the library commits when its WAL index is
//! full; a crash loses the writes since. A commit is about the file: a batch of one thread may be committed in part by
//! the commit of another one. Compactions are automatic.
//!
//! ForestDB syncs the commits of a file only if the file's newest handle was opened with sync, and iterators open
//! handles. At any time, the sessions of a database must therefore all be with or all be without sync, as they are in
//! all benchmarks.
//!
//! The calls into the library are in `library.rs` and `handle.rs`, and what its iterators need in `position.rs`.

mod handle;
mod library;
mod options;
mod position;

use super::peers::{self, Peer};
use super::store::{Change, Plain, Store};
use super::{Engine, ReadMode, Result, Session, Target, WriteMode};
use crate::flags::Flags;
use handle::{Handle, Info, Snapshot, Value};
use library::{Commit, Library};
use options::Settings;
use position::Position;
use std::ffi::CString;
use std::path::PathBuf;
use std::rc::Rc;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// Flags of RocksDB's options that have an effect here.
const HONOURED: &[&str] = &["cache_size", "block_size", "compression_type"];

/// The name of the file. The library appends numbers and `.meta`.
const FILE: &str = "db";

/// The pause between looks at a running compaction.
const PAUSE: Duration = Duration::from_millis(10);

/// The engine, with the settings for opening databases.
pub(super) struct ForestDb {
    library: Arc<Library>,
    settings: Settings,
    flags: Flags,
    peer: &'static Peer,
}

impl ForestDb {
    /// Loads the library that `--engine_lib` names. Refuses flags for features and values that ForestDB does not have.
    pub(super) fn new(flags: &Flags, peer: &'static Peer) -> Result<ForestDb> {
        peers::refuse(flags, peer)?;
        let settings = Settings::new(flags)?;
        let path = match flags.text("engine_lib") {
            "" => return Err("--engine=forestdb needs --engine_lib, ForestDB's library".to_owned()),
            path => PathBuf::from(path),
        };
        let library = Library::load(&path)?;
        // The library may lack an option.
        library.config(&settings, Commit::Synced)?;
        Ok(ForestDb { library, settings, flags: flags.clone(), peer })
    }

    fn commits_itself(&self) -> bool {
        self.flags.text("forestdb_commit") == "auto"
    }
}

impl Engine for ForestDb {
    fn name(&self) -> String {
        let (version, path) = self.library.version();
        let version = version.strip_prefix('v').unwrap_or(&version);
        let commit = if self.commits_itself() { ", forestdb_commit=auto" } else { "" };
        format!("version {version}{commit} ({})", path.display())
    }

    fn open(&self) -> Result<Arc<dyn Target>> {
        super::make_directories(&self.flags)?;
        let dir = peers::place(&self.flags, self.peer.word);
        let of = |error: String| format!("{}: {error}", dir.display());
        std::fs::create_dir_all(&dir).map_err(|error| of(error.to_string()))?;
        let path = dir.join(FILE).into_os_string().into_encoded_bytes();
        let path = CString::new(path).map_err(|error| of(error.to_string()))?;
        let process = Process::join(&self.library, &self.settings).map_err(of)?;
        let open = |commit| {
            let config = self.library.config(&self.settings, commit)?;
            Handle::open(&self.library, &path, &config)
        };
        let handle = Mutex::new(open(Commit::Synced).map_err(of)?);
        let (library, settings) = (Arc::clone(&self.library), self.settings.clone());
        let commits_itself = self.commits_itself();
        Ok(Arc::new(Open { handle, library, settings, path, commits_itself, _process: process }))
    }

    fn destroy(&self) -> Result<()> {
        super::remove_files(&self.flags)
    }

    fn notices(&self) -> Vec<String> {
        peers::notices(&self.flags, self.peer, HONOURED)
    }
}

/// The library's cache and threads, which all databases of the process share: the settings that they were made with,
/// and the number of open databases. A process loads one library.
static PROCESS: Mutex<Option<(Settings, usize)>> = Mutex::new(None);

/// An open database's share of the library's cache and threads, which end with the last one.
struct Process(Arc<Library>);

fn process() -> MutexGuard<'static, Option<(Settings, usize)>> {
    PROCESS.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Process {
    /// Counts a database before it is opened. Refuses other settings than those of the open ones.
    fn join(library: &Arc<Library>, settings: &Settings) -> Result<Process> {
        let (mut process, wanted) = (process(), settings.shared());
        let (have, count) = process.get_or_insert_with(|| (wanted.clone(), 0));
        if *have != wanted {
            return Err(format!(
                "ForestDB has one cache and one set of threads for all databases of a process, \
                 which are in use with {have:?}; this database asks for {wanted:?}"
            ));
        }
        *count += 1;
        Ok(Process(Arc::clone(library)))
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        let mut process = process();
        let left = process.as_ref().map_or(0, |(_, count)| count.saturating_sub(1));
        if let (Some((_, count)), 1..) = (process.as_mut(), left) {
            *count = left;
            return;
        }
        *process = None;
        if let Err(error) = self.0.shutdown() {
            eprintln!("{error}; the next database has the same cache");
        }
    }
}

/// An open database.
struct Open {
    // Fields are dropped in this order: the share of the library last.
    handle: Mutex<Handle>,
    library: Arc<Library>,
    settings: Settings,
    path: CString,
    commits_itself: bool,
    _process: Process,
}

impl Open {
    fn info(&self) -> Result<Info> {
        self.handle.lock().unwrap_or_else(PoisonError::into_inner).info()
    }

    fn open(&self, commit: Commit) -> Result<Handle> {
        let config = self.library.config(&self.settings, commit)?;
        Handle::open(&self.library, &self.path, &config)
    }
}

impl Drop for Open {
    fn drop(&mut self) {
        // Writes that the library has not committed by itself would be lost. ForestDB also empties its WAL index when a
        // database that commits by itself is closed; every iterator copies the entries that are in it.
        let handle = self.handle.get_mut().unwrap_or_else(PoisonError::into_inner);
        if let Err(error) = handle.flush() {
            eprintln!("{error}");
        }
    }
}

impl Target for Open {
    fn session(&self, _: ReadMode, write: WriteMode) -> Result<Box<dyn Session + '_>> {
        let commit = match write.sync {
            true => Commit::Synced,
            false if write.disable_wal || self.commits_itself => Commit::Auto,
            false => Commit::Unsynced,
        };
        let handle = Rc::new(self.open(commit)?);
        Ok(Box::new(Plain::new(Thread { handle, commit })))
    }

    fn property(&self, name: &str) -> Option<String> {
        let number = match name {
            "rocksdb.estimate-num-keys" => self.info().ok()?.documents,
            "rocksdb.num-running-compactions" => u64::from(self.info().ok()?.is_compacting),
            _ => return None,
        };
        Some(number.to_string())
    }

    fn compact(&self, _rewrite_last: bool) -> Result<()> {
        let handle = self.open(Commit::Synced)?;
        while !handle.compact()? {
            std::thread::sleep(PAUSE);
        }
        Ok(())
    }

    fn flush(&self) -> Result<()> {
        self.open(Commit::Synced)?.flush()
    }

    fn wait_for_compaction(&self) -> Result<()> {
        while self.info()?.is_compacting {
            std::thread::sleep(PAUSE);
        }
        Ok(())
    }

    fn statistics(&self) -> Option<String> {
        None
    }
}

/// One thread's access.
struct Thread {
    handle: Rc<Handle>,
    commit: Commit,
}

impl Thread {
    /// Commits if every write does.
    fn commit(&self) -> Result<()> {
        if self.commit == Commit::Auto { Ok(()) } else { self.handle.commit() }
    }
}

impl Store for Thread {
    type Value = Value;
    type Cursor = Position;

    fn name(&self) -> &'static str {
        "ForestDB"
    }

    fn put(&mut self, key: &[u8], value: &[u8]) -> Result<()> {
        self.handle.set(key, value)?;
        self.commit()
    }

    fn delete(&mut self, key: &[u8]) -> Result<()> {
        self.handle.delete(key)?;
        self.commit()
    }

    fn write(&mut self, changes: &[Change]) -> Result<()> {
        changes.iter().try_for_each(|(key, value)| match value {
            Some(value) => self.handle.set(key, value),
            None => self.handle.delete(key),
        })?;
        if changes.is_empty() { Ok(()) } else { self.commit() }
    }

    #[inline]
    fn get(&mut self, key: &[u8]) -> Result<Option<Value>> {
        self.handle.get(key)
    }

    fn cursor(&mut self, lower: Option<&[u8]>, upper: Option<&[u8]>) -> Result<Position> {
        Ok(Position::new(Snapshot::new(&self.handle)?, lower, upper))
    }
}

/// Returns the library that tests use, if the environment names one.
#[cfg(test)]
pub(super) fn test_library() -> Option<String> {
    let path = std::env::var("FERROLITH_FORESTDB_LIB").ok().filter(|path| !path.is_empty());
    if path.is_none() {
        eprintln!("skipped on ForestDB: FERROLITH_FORESTDB_LIB names no library");
    }
    path
}

#[cfg(test)]
#[path = "forestdb_test.rs"]
mod tests;
