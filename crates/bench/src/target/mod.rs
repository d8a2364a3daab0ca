//! What is measured: an open database behind one trait, so that the same workload runs on Ferrolith
//! and on a library with RocksDB's C functions.
//!
//! A `Target` is shared by all threads; each thread makes its own `Session`, which owns the buffers
//! and the iterator of that thread. No call allocates in the harness.

mod capi;
mod capi_options;
mod capi_session;
mod capi_symbols;
mod capi_tables;
mod ferrolith;
mod ferrolith_options;
#[cfg(feature = "lmdb")]
mod lmdb;

use crate::flags::Flags;
use std::path::PathBuf;
use std::sync::Arc;

/// An error of the engine, in its words.
pub type Result<T> = std::result::Result<T, String>;

/// An engine that can open databases with the options that the flags ask for.
pub trait Engine {
    /// Its name and version for people.
    fn name(&self) -> String;
    /// Opens the database.
    fn open(&self) -> Result<Arc<dyn Target>>;
    /// Deletes the database, and its log if that is elsewhere.
    fn destroy(&self) -> Result<()>;
    /// Lines about options that the engine cannot have.
    fn notices(&self) -> Vec<String>;
}

/// How reads are done.
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
}

/// How writes are done.
#[derive(Clone, Copy, Debug, Default)]
pub struct WriteMode {
    /// Sync every write.
    pub sync: bool,
    /// Write no log.
    pub disable_wal: bool,
}

/// An open database.
pub trait Target: Send + Sync {
    /// A thread's access to it.
    fn session(&self, read: ReadMode, write: WriteMode) -> Result<Box<dyn Session + '_>>;
    /// A property by RocksDB's name.
    fn property(&self, name: &str) -> Option<String>;
    /// Compacts everything, the last level included.
    fn compact(&self) -> Result<()>;
    /// Flushes memtables.
    fn flush(&self) -> Result<()>;
    /// Waits until nothing is left to flush or compact.
    fn wait_for_compaction(&self) -> Result<()>;
    /// Tickers as text, if `--statistics` is on.
    fn statistics(&self) -> Option<String>;
}

/// One thread's access to a database.
pub trait Session {
    /// Writes one entry.
    fn put(&mut self, key: &[u8], value: &[u8]) -> Result<()>;
    /// Writes one merge operand.
    fn merge(&mut self, key: &[u8], operand: &[u8]) -> Result<()>;
    /// Deletes one entry.
    fn delete(&mut self, key: &[u8]) -> Result<()>;
    /// Adds a put to the batch.
    fn batch_put(&mut self, key: &[u8], value: &[u8]);
    /// Adds a deletion to the batch.
    fn batch_delete(&mut self, key: &[u8]);
    /// Writes the batch and empties it.
    fn batch_write(&mut self) -> Result<()>;
    /// The value of a key, until the next call.
    fn get(&mut self, key: &[u8]) -> Result<Option<&[u8]>>;
    /// Reads many keys, concatenated, each of `key_size` bytes; returns how many exist and the bytes
    /// of their values.
    fn multi_get(&mut self, keys: &[u8], key_size: usize) -> Result<(u64, u64)>;
    /// Replaces the iterator by a new one, bounded if asked.
    fn open_iterator(&mut self, lower: Option<&[u8]>, upper: Option<&[u8]>) -> Result<()>;
    /// Drops the iterator.
    fn close_iterator(&mut self);
    /// To the first key at or after the target.
    fn seek(&mut self, key: &[u8]);
    /// To the first key.
    fn seek_to_first(&mut self);
    /// To the last key.
    fn seek_to_last(&mut self);
    /// One step forward.
    fn next(&mut self);
    /// One step back.
    fn prev(&mut self);
    /// Whether the iterator is at an entry.
    fn valid(&self) -> bool;
    /// The key there.
    fn key(&self) -> &[u8];
    /// The value there.
    fn value(&self) -> &[u8];
    /// The iterator's error, if it has one.
    fn status(&self) -> Result<()>;
}

/// The engine that the flags name.
pub fn engine(flags: &Flags) -> Result<Box<dyn Engine>> {
    if flags.uses_library() {
        let path = match flags.text("engine_lib") {
            "" => default_library(),
            path => PathBuf::from(path),
        };
        return Ok(Box::new(capi::Library::load(&path, flags)?));
    }
    if flags.text("engine") == "lmdb" {
        return lmdb(flags);
    }
    Ok(Box::new(ferrolith::Ferrolith::new(flags)?))
}

#[cfg(feature = "lmdb")]
fn lmdb(flags: &Flags) -> Result<Box<dyn Engine>> {
    Ok(Box::new(lmdb::Lmdb::new(flags)?))
}

#[cfg(not(feature = "lmdb"))]
fn lmdb(_: &Flags) -> Result<Box<dyn Engine>> {
    Err("--engine=lmdb: this program was built without it; cargo build -p ferrolith-bench --features lmdb".to_owned())
}

/// Where shared/tools/fetch-rocksdb.sh puts RocksDB.
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

/// Deletes the files of a database in place, not the directories: they may be mount points.
pub fn remove_files(flags: &Flags) -> Result<()> {
    let (db, wal) = directories(flags);
    for dir in std::iter::once(db).chain(wal) {
        let entries = match std::fs::read_dir(&dir) {
            Ok(entries) => entries,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => continue,
            Err(error) => return Err(format!("{}: {error}", dir.display())),
        };
        for entry in entries.flatten().filter(is_database_file) {
            std::fs::remove_file(entry.path())
                .map_err(|error| format!("{}: {error}", entry.path().display()))?;
        }
    }
    Ok(())
}

/// Only what an engine makes is deleted: `--db` may be mistyped.
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
            || ["CURRENT", "LOCK", "IDENTITY", "LOG", "data.mdb", "lock.mdb"]
                .contains(&name.as_str()))
}

/// Hash structures and vectors take one writer at a time.
fn concurrent_memtable_write(flags: &Flags) -> bool {
    flags.on("allow_concurrent_memtable_write")
        && flags.text("memtablerep") == "skip_list"
        && !flags.on("inplace_update_support")
}

/// PlainTable's Bloom bits per prefix: negative means its default.
fn plain_bloom_bits(flags: &Flags) -> i32 {
    match flags.int32("bloom_bits") {
        bits if bits < 0 => 10,
        bits => bits,
    }
}

/// RocksDB's number of a codec.
fn codec_number(name: &str) -> u8 {
    match name {
        "snappy" => 1,
        "zlib" => 2,
        "bzip2" => 3,
        "lz4" => 4,
        "lz4hc" => 5,
        "xpress" => 6,
        "zstd" => 7,
        _ => 0,
    }
}

fn additional_multipliers(flags: &Flags) -> Result<Vec<i32>> {
    let name = "max_bytes_for_level_multiplier_additional";
    let text = flags.text(name);
    let factors: Vec<i32> = text
        .split(',')
        .filter(|factor| !factor.is_empty())
        .map(str::parse)
        .collect::<std::result::Result<_, _>>()
        .map_err(|_| format!("ERROR: illegal value '{text}' specified for string flag '{name}'"))?;
    if !factors.is_empty() && factors.len() as i64 != flags.int("num_levels") {
        return Err(format!("ERROR: --{name} needs --num_levels factors, not {}", factors.len()));
    }
    Ok(factors)
}

/// Reads one byte of each cache line, so that a value counts as used.
#[inline]
pub fn touch(value: &[u8]) {
    let mut sum = 0u8;
    for line in value.chunks(64) {
        sum = sum.wrapping_add(line[0]);
    }
    std::hint::black_box(sum);
}
