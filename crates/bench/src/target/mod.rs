//! The measured engine: an open database behind one trait, so that the same workload runs on Ferrolith and on a library
//! with RocksDB's C functions.
//!
//! All threads share a `Target`. Each thread creates its own `Session`, which owns that thread's buffers and iterator.
//! No call allocates in the harness.

mod capi;
mod capi_backup;
mod capi_options;
mod capi_session;
mod capi_symbols;
mod capi_transaction;
mod expiry;
mod families;
mod ferrolith;
mod ferrolith_options;
mod ferrolith_session;
#[cfg(feature = "fjall")]
mod fjall;
mod forestdb;
#[cfg(feature = "lmdb")]
mod lmdb;
mod peers;
#[cfg(test)]
#[path = "peers_test.rs"]
mod peers_test;
#[cfg(any(feature = "fjall", feature = "redb"))]
mod ranges;
#[cfg(feature = "redb")]
mod redb;
mod settings;
mod store;
mod symbols;

pub use expiry::expired;
#[cfg(test)]
pub use ferrolith_options::support;
pub use peers::{ENGINES, Peer, has_database, peer};
pub use settings::codec_option;

use crate::flags::Flags;
use crate::shared::engine::create_directory;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::AtomicU64;

/// An error of the engine, in its words.
pub type Result<T> = std::result::Result<T, String>;

/// An engine that can open databases with the options in the flags.
pub trait Engine {
    /// Returns its name and version for display.
    fn name(&self) -> String;
    /// Opens the database.
    fn open(&self) -> Result<Arc<dyn Target>>;
    /// Deletes the database, and its log if that is elsewhere.
    fn destroy(&self) -> Result<()>;
    /// Returns lines about options that the engine does not support.
    fn notices(&self) -> Vec<String>;
}

/// The options of reads.
#[derive(Clone, Copy, Debug, Default)]
pub struct ReadMode {
    /// Verify checksums.
    pub verify_checksums: bool,
    /// See all keys in order although there is a prefix extractor.
    pub total_order_seek: bool,
    /// Iterators end with the prefix of their target.
    pub prefix_same_as_start: bool,
    /// Use prefix filters where safe.
    pub auto_prefix_mode: bool,
    /// Bytes read ahead.
    pub readahead_size: usize,
    /// Whether iterators see later writes.
    pub tailing: bool,
    /// Readahead ends at the upper bound.
    pub auto_readahead_size: bool,
    /// Readahead carries over from file to file.
    pub adaptive_readahead: bool,
    /// Read ahead asynchronously.
    pub async_io: bool,
    /// A MultiGet reads levels in parallel.
    pub optimize_multiget_for_io: bool,
    /// Whether iterators with a snapshot release old files.
    pub auto_refresh: bool,
    /// Reads count towards the rate limiter.
    pub rate_limited: bool,
}

/// The options of writes.
#[derive(Clone, Copy, Debug, Default)]
pub struct WriteMode {
    /// Sync every write.
    pub sync: bool,
    /// Write no log.
    pub disable_wal: bool,
    /// Writes of the log count towards the rate limiter.
    pub rate_limited: bool,
    /// Checksum bytes per entry of a batch.
    pub protection_bytes: usize,
}

/// A live table.
#[derive(Clone, Debug)]
pub struct TableFile {
    /// Its level.
    pub level: usize,
    /// Its name, with a slash in front.
    pub name: String,
    /// Its size in bytes.
    pub size: u64,
}

/// The options of a transaction.
#[derive(Clone, Copy, Debug, Default)]
pub struct TransactionMode {
    /// Milliseconds that it waits for a lock.
    pub lock_timeout: i64,
    /// It begins with a snapshot.
    pub set_snapshot: bool,
}

/// Why a call of a transaction failed.
#[derive(Debug, PartialEq)]
pub enum Failure {
    /// Another transaction was in the way: expected.
    Conflict,
    /// Anything else.
    Error(String),
}

/// A running transaction.
pub trait Transaction {
    /// Takes a snapshot, reads from it from now on, and checks writes of others against it.
    fn take_snapshot(&mut self);
    /// Returns the value of a key as the transaction sees it; `for_update` claims the key.
    fn get(
        &mut self,
        key: &[u8],
        for_update: bool,
    ) -> std::result::Result<Option<Vec<u8>>, Failure>;
    /// Deletes a key, by a single delete if asked.
    fn delete(&mut self, key: &[u8], single: bool) -> std::result::Result<(), Failure>;
    /// Writes an entry.
    fn put(&mut self, key: &[u8], value: &[u8]) -> std::result::Result<(), Failure>;
    /// The first of two phases; `id` makes its name.
    fn prepare(&mut self, id: u64) -> std::result::Result<(), Failure>;
    /// Makes its changes visible.
    fn commit(&mut self) -> std::result::Result<(), Failure>;
    /// Drops its changes.
    fn rollback(&mut self) -> std::result::Result<(), Failure>;
}

/// Returns the error of other engines for a call that only Ferrolith supports.
fn no_way<T>(what: &str) -> Result<T> {
    Err(format!("{what}: this tool supports it only on Ferrolith"))
}

/// An open database.
pub trait Target: Send + Sync {
    /// Returns a thread's access to it.
    fn session(&self, read: ReadMode, write: WriteMode) -> Result<Box<dyn Session + '_>>;
    /// Returns a property by RocksDB's name.
    fn property(&self, name: &str) -> Option<String>;
    /// Compacts everything. With `rewrite_last`, always includes the last level.
    fn compact(&self, rewrite_last: bool) -> Result<()>;
    /// Compacts level 0, or the first level below it that has files, into the next level.
    fn compact_level(&self, level: usize) -> Result<String> {
        no_way(&format!("compact{level} (CompactFiles)"))
    }
    /// Returns the live tables of the default column family, from level 0 down.
    fn table_files(&self) -> Result<Vec<TableFile>> {
        no_way("filling levels (CompactFiles)")
    }
    /// Compacts all tables of one level into the next level.
    fn push_level(&self, _level: usize) -> Result<()> {
        no_way("filling levels (CompactFiles)")
    }
    /// Reads all tables and verifies their checksums.
    fn verify_checksums(&self) -> Result<()> {
        no_way("verifychecksum (VerifyChecksum)")
    }
    /// Returns whether `--row_cache_size` has an effect.
    fn has_row_cache(&self) -> bool {
        false
    }
    /// The time that the compaction filter of `timeseries` reads; an engine without that filter returns a new clock.
    fn clock(&self) -> Arc<AtomicU64> {
        Arc::default()
    }
    /// Flushes memtables.
    fn flush(&self) -> Result<()>;
    /// Waits until nothing is left to flush or compact.
    fn wait_for_compaction(&self) -> Result<()>;
    /// Tickers as text, if `--statistics` is on.
    fn statistics(&self) -> Option<String>;
    /// Sets counters to zero.
    fn reset_statistics(&self) -> Result<()> {
        no_way("resetstats (ResetStats)")
    }
    /// Makes a backup in `--backup_dir`.
    fn backup(&self, _flags: &Flags) -> Result<()> {
        no_way("backup")
    }
    /// Restores the newest backup of `--backup_dir` into `--restore_dir`.
    fn restore(&self, _flags: &Flags) -> Result<()> {
        no_way("restore")
    }
}

/// One thread's access to a database.
pub trait Session {
    /// Writes one entry.
    fn put(&mut self, key: &[u8], value: &[u8]) -> Result<()>;
    /// Selects the column family that contains the key of this number, for the following operations.
    fn choose(&mut self, _number: u64) {}
    /// Writes one merge operand.
    fn merge(&mut self, key: &[u8], operand: &[u8]) -> Result<()>;
    /// Deletes one entry.
    fn delete(&mut self, key: &[u8]) -> Result<()>;
    /// Deletes one entry that was written once.
    fn single_delete(&mut self, _key: &[u8]) -> Result<()> {
        no_way("single deletes")
    }
    /// Deletes the keys from `begin` up to but excluding `end`.
    fn delete_range(&mut self, _begin: &[u8], _end: &[u8]) -> Result<()> {
        no_way("range tombstones")
    }
    /// Estimates the number of file bytes that the keys of a range take.
    fn approximate_size(&mut self, _begin: &[u8], _end: &[u8]) -> Result<u64> {
        no_way("approximatesizerandom (GetApproximateSizes)")
    }
    /// Returns the number of a range's memtable entries, and approximately how many bytes they take.
    fn approximate_memtable_stats(&mut self, _begin: &[u8], _end: &[u8]) -> Result<(u64, u64)> {
        no_way("approximatememtablestats (GetApproximateMemTableStats)")
    }
    /// Makes later reads see the database as it is now.
    fn take_snapshot(&mut self) -> Result<()> {
        no_way("--explicit_snapshot")
    }
    /// Sets this thread's perf level, in RocksDB's levels.
    fn set_perf_level(&mut self, _level: u8) -> Result<()> {
        no_way("--perf_level")
    }
    /// Returns this thread's counters.
    fn perf_report(&mut self) -> String {
        String::new()
    }
    /// Begins a transaction.
    fn transaction(&mut self, _mode: TransactionMode) -> Result<Box<dyn Transaction + '_>> {
        no_way("transactions")
    }
    /// Adds a put to the batch.
    fn batch_put(&mut self, key: &[u8], value: &[u8]);
    /// Adds a deletion to the batch.
    fn batch_delete(&mut self, key: &[u8]);
    /// Writes the batch and empties it.
    fn batch_write(&mut self) -> Result<()>;
    /// Returns the value of a key, until the next call.
    fn get(&mut self, key: &[u8]) -> Result<Option<&[u8]>>;
    /// Returns the merge operands of a key, oldest first, after the value below them; none if the key has no value.
    fn merge_operands(&mut self, _key: &[u8]) -> Result<Vec<Vec<u8>>> {
        no_way("merge operands (GetMergeOperands)")
    }
    /// Reads many keys, concatenated, each of `key_size` bytes; returns how many exist and the bytes
    /// of their values. Engines without such a call look up one key after the other.
    fn multi_get(&mut self, keys: &[u8], key_size: usize) -> Result<(u64, u64)> {
        let (mut found, mut bytes) = (0, 0);
        for key in keys.chunks_exact(key_size) {
            if let Some(value) = self.get(key)? {
                touch(value);
                found += 1;
                bytes += value.len() as u64;
            }
        }
        Ok((found, bytes))
    }
    /// Replaces the iterator by a new one, bounded if asked.
    fn open_iterator(&mut self, lower: Option<&[u8]>, upper: Option<&[u8]>) -> Result<()>;
    /// Drops the iterator.
    fn close_iterator(&mut self);
    /// Moves to the first key at or after the target.
    fn seek(&mut self, key: &[u8]);
    /// Moves to the first key.
    fn seek_to_first(&mut self);
    /// Moves to the last key.
    fn seek_to_last(&mut self);
    /// Moves one step forward.
    fn next(&mut self);
    /// Moves one step back.
    fn prev(&mut self);
    /// Returns whether the iterator is at an entry.
    fn valid(&self) -> bool;
    /// Returns the key there.
    fn key(&self) -> &[u8];
    /// Returns the value there.
    fn value(&self) -> &[u8];
    /// The iterator's error, if it has one.
    fn status(&self) -> Result<()>;
}

/// Checks for ways to open a database that exclude each other.
fn check_kinds(flags: &Flags) -> Result<()> {
    let kinds = ["readonly", "transaction_db", "optimistic_transaction_db"];
    let on: Vec<&str> = kinds.into_iter().filter(|kind| flags.on(kind)).collect();
    match on[..] {
        [first, second, ..] => Err(format!("ERROR: --{first} and --{second} cannot be combined")),
        _ => Ok(()),
    }
}

/// Returns the engine that the flags name.
pub fn engine(flags: &Flags) -> Result<Box<dyn Engine>> {
    check_kinds(flags)?;
    if flags.uses_library() {
        return Ok(Box::new(capi::Library::load(&library(flags), flags)?));
    }
    match peer(flags.text("engine")) {
        Some(peer) => peers::open(flags, peer),
        None => Ok(Box::new(ferrolith::Ferrolith::new(flags)?)),
    }
}

/// Returns the path of the library that `--engine_lib` names, or of RocksDB's.
pub fn library(flags: &Flags) -> PathBuf {
    match flags.text("engine_lib") {
        "" => default_library(),
        path => PathBuf::from(path),
    }
}

/// Returns the path at which tools/fetch-peers.sh stores RocksDB.
pub fn default_library() -> PathBuf {
    let cache = std::env::var_os("XDG_CACHE_HOME").filter(|dir| !dir.is_empty()).map_or_else(
        || PathBuf::from(std::env::var_os("HOME").unwrap_or_default()).join(".cache"),
        PathBuf::from,
    );
    cache.join("ferrolith/rocksdb-10.10.1/librocksdb.so")
}

/// Directories that `--db` and `--wal_dir` name.
pub fn directories(flags: &Flags) -> (PathBuf, Option<PathBuf>) {
    let db = match flags.text("db") {
        "" => std::env::temp_dir().join("dbbench"),
        db => PathBuf::from(db),
    };
    let wal = Some(flags.text("wal_dir")).filter(|dir| !dir.is_empty()).map(PathBuf::from);
    (db, wal)
}

/// Creates the directories that `--db` and `--wal_dir` name, but not their parents: a volume may be missing.
pub fn make_directories(flags: &Flags) -> Result<()> {
    let (db, wal) = directories(flags);
    std::iter::once(db).chain(wal).try_for_each(|dir| create_directory(&dir))
}

/// Deletes the files of a database, but not the directories: they may be mount points.
pub fn remove_files(flags: &Flags) -> Result<()> {
    let (db, wal) = directories(flags);
    for dir in std::iter::once(db).chain(wal) {
        let entries = match std::fs::read_dir(&dir) {
            Ok(entries) => entries,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => continue,
            Err(error) => return Err(format!("{}: {error}", dir.display())),
        };
        peers::remove_directories(&dir)?;
        for entry in entries.flatten().filter(is_database_file) {
            std::fs::remove_file(entry.path())
                .map_err(|error| format!("{}: {error}", entry.path().display()))?;
        }
    }
    Ok(())
}

/// Deletes only files that an engine creates: `--db` may be mistyped.
fn is_database_file(entry: &std::fs::DirEntry) -> bool {
    let name = entry.file_name().to_string_lossy().into_owned();
    let numbered = |extension: &str| {
        name.strip_suffix(extension)
            .is_some_and(|stem| !stem.is_empty() && stem.bytes().all(|b| b.is_ascii_digit()))
    };
    let begins = |prefix: &str| name.starts_with(prefix);
    entry.file_type().is_ok_and(|kind| kind.is_file())
        && (numbered(".sst")
            || numbered(".log")
            || numbered(".dbtmp")
            || numbered(".blob")
            || begins("MANIFEST-")
            || begins("OPTIONS-")
            || begins("LOG.old.")
            || ["CURRENT", "LOCK", "IDENTITY", "LOG", "data.mdb", "lock.mdb", "data.redb"]
                .contains(&name.as_str()))
}

/// Reads one byte per cache line, so that the value counts as used.
#[inline]
pub fn touch(value: &[u8]) {
    let mut sum = 0u8;
    for line in value.chunks(64) {
        sum = sum.wrapping_add(line[0]);
    }
    std::hint::black_box(sum);
}
