//! fjall, a log-structured engine in Rust: one keyspace, with fjall's own defaults.
//!
//! A write is in the operating system's buffers when it returns, which is fjall's default: it survives a crash of
//! the process. With sync, the journal is then synced with fdatasync, as RocksDB syncs its log. Iterators read a
//! snapshot. Cache and memtable have the sizes that the flags set, so that engines are compared with the same
//! memory. Other flags change an option only if they are given and fjall has the option.

use super::peers::{self, Peer};
use super::ranges::{Bounds, RangeCursor, Ranges};
use super::store::{Change, Plain, Store};
use super::{Engine, ReadMode, Result, Session, Target, WriteMode};
use crate::flags::Flags;
use fjall::config::{BlockSizePolicy, BloomConstructionPolicy, CompressionPolicy};
use fjall::config::{FilterPolicy, FilterPolicyEntry};
use fjall::{
    CompressionType, Database, Keyspace, KeyspaceCreateOptions, PersistMode, Readable, Slice,
    Snapshot,
};
use std::sync::Arc;
use std::time::Duration;

/// Flags of RocksDB's options that have an effect here.
const HONOURED: &[&str] = &[
    "cache_size",
    "write_buffer_size",
    "block_size",
    "bloom_bits",
    "compression_type",
    "max_background_jobs",
    "open_files",
];

/// The engine, with the settings for opening databases.
pub(super) struct Fjall {
    flags: Flags,
    peer: &'static Peer,
}

impl Fjall {
    /// Creates the engine. Refuses flags for features and values that fjall does not have.
    pub(super) fn new(flags: &Flags, peer: &'static Peer) -> Result<Fjall> {
        peers::refuse(flags, peer)?;
        options(flags)?;
        let files = flags.int("open_files");
        if flags.is_given("open_files") && files < 10 {
            return Err(format!("--open_files={files}: fjall needs at least 10"));
        }
        Ok(Fjall { flags: flags.clone(), peer })
    }
}

fn text(error: fjall::Error) -> String {
    format!("fjall: {error}")
}

/// Returns the options of the keyspace.
fn options(flags: &Flags) -> Result<KeyspaceCreateOptions> {
    let mut options = KeyspaceCreateOptions::default();
    options = options.max_memtable_size(flags.uint("write_buffer_size"));
    if flags.is_given("block_size") {
        let bytes = flags.int32("block_size");
        let bytes = u32::try_from(bytes).ok().filter(|bytes| (1024..=1 << 20).contains(bytes));
        let bytes = bytes.ok_or("--block_size: fjall takes 1024 to 1048576 bytes")?;
        options = options.data_block_size_policy(BlockSizePolicy::all(bytes));
    }
    match flags.int("bloom_bits") {
        ..0 => {}
        0 => options = options.filter_policy(FilterPolicy::disabled()),
        bits => {
            let filter = BloomConstructionPolicy::BitsPerKey(bits as f32);
            options = options.filter_policy(FilterPolicy::all(FilterPolicyEntry::Bloom(filter)));
        }
    }
    if flags.is_given("compression_type") {
        options = options.data_block_compression_policy(match flags.text("compression_type") {
            "none" => CompressionPolicy::disabled(),
            "lz4" => CompressionPolicy::all(CompressionType::Lz4),
            other => {
                return Err(format!("--compression_type={other}: fjall has none and lz4"));
            }
        });
    }
    Ok(options)
}

impl Engine for Fjall {
    fn name(&self) -> String {
        format!("fjall {}", peers::locked_version("fjall"))
    }

    fn open(&self) -> Result<Arc<dyn Target>> {
        super::make_directories(&self.flags)?;
        let place = peers::place(&self.flags, self.peer.word);
        let mut builder = Database::builder(&place).cache_size(self.flags.uint("cache_size"));
        if self.flags.is_given("max_background_jobs") {
            let jobs = self.flags.uint("max_background_jobs").clamp(1, 1024);
            builder = builder.worker_threads(jobs as usize);
        }
        if self.flags.is_given("open_files") {
            builder = builder.max_cached_files(Some(self.flags.uint("open_files") as usize));
        }
        let of = |error| format!("{}: {}", place.display(), text(error));
        let db = builder.open().map_err(of)?;
        let options = options(&self.flags)?;
        let keys = db.keyspace("default", || options).map_err(of)?;
        Ok(Arc::new(Open { keys, db }))
    }

    fn destroy(&self) -> Result<()> {
        super::remove_files(&self.flags)
    }

    fn notices(&self) -> Vec<String> {
        peers::notices(&self.flags, self.peer, HONOURED)
    }
}

/// An open database.
struct Open {
    keys: Keyspace,
    db: Database,
}

impl Target for Open {
    fn session(&self, _: ReadMode, write: WriteMode) -> Result<Box<dyn Session + '_>> {
        if write.disable_wal {
            return Err("--disable_wal is not supported with --engine=fjall: fjall always \
                writes its journal"
                .to_owned());
        }
        let durability = if write.sync { PersistMode::SyncData } else { PersistMode::Buffer };
        Ok(Box::new(Plain::new(Thread { keys: &self.keys, db: &self.db, durability })))
    }

    fn property(&self, name: &str) -> Option<String> {
        let number = match name {
            "rocksdb.estimate-num-keys" => self.keys.approximate_len(),
            "rocksdb.num-files-at-level0" => self.keys.l0_table_count(),
            "rocksdb.num-immutable-mem-table" => self.keys.sealed_memtable_count(),
            "rocksdb.num-running-compactions" => self.db.active_compactions(),
            _ => return None,
        };
        Some(number.to_string())
    }

    fn compact(&self, _rewrite_last: bool) -> Result<()> {
        self.flush()?;
        self.keys.major_compact().map_err(text)
    }

    fn flush(&self) -> Result<()> {
        self.keys.rotate_memtable_and_wait().map_err(text)
    }

    fn wait_for_compaction(&self) -> Result<()> {
        // fjall does not tell when it is idle: a flush starts a compaction a little later.
        let mut idle = 0;
        while idle < 10 {
            let busy = self.db.outstanding_flushes()
                + self.db.active_compactions()
                + self.keys.sealed_memtable_count();
            idle = if busy == 0 { idle + 1 } else { 0 };
            std::thread::sleep(Duration::from_millis(10));
        }
        Ok(())
    }

    fn statistics(&self) -> Option<String> {
        None
    }
}

/// One thread's access.
struct Thread<'a> {
    keys: &'a Keyspace,
    db: &'a Database,
    durability: PersistMode,
}

impl Thread<'_> {
    /// Syncs the journal if every write must.
    fn persist(&self) -> Result<()> {
        match self.durability {
            // The keyspace has done that.
            PersistMode::Buffer => Ok(()),
            mode => self.db.persist(mode).map_err(text),
        }
    }
}

impl Store for Thread<'_> {
    type Value = Slice;
    type Cursor = RangeCursor<View>;

    fn name(&self) -> &'static str {
        "fjall"
    }

    fn put(&mut self, key: &[u8], value: &[u8]) -> Result<()> {
        self.keys.insert(key, value).map_err(text)?;
        self.persist()
    }

    fn delete(&mut self, key: &[u8]) -> Result<()> {
        self.keys.remove(key).map_err(text)?;
        self.persist()
    }

    fn write(&mut self, changes: &[Change]) -> Result<()> {
        let mut batch = self.db.batch().durability(Some(self.durability));
        for (key, value) in changes {
            match value {
                Some(value) => batch.insert(self.keys, &key[..], &value[..]),
                None => batch.remove(self.keys, &key[..]),
            }
        }
        batch.commit().map_err(text)
    }

    #[inline]
    fn get(&mut self, key: &[u8]) -> Result<Option<Slice>> {
        self.keys.get(key).map_err(text)
    }

    fn cursor(&mut self, lower: Option<&[u8]>, upper: Option<&[u8]>) -> Result<RangeCursor<View>> {
        let view = View { snapshot: self.db.snapshot(), keys: self.keys.clone() };
        Ok(RangeCursor::new(view, lower, upper))
    }
}

/// The contents at one point in time.
struct View {
    snapshot: Snapshot,
    keys: Keyspace,
}

impl Ranges for View {
    type Entry = (Slice, Slice);
    type Range = Range;

    fn range(&self, bounds: Bounds<'_>) -> Result<Range> {
        Ok(Range(self.snapshot.range::<&[u8], _>(&self.keys, bounds)))
    }

    fn parts(entry: &(Slice, Slice)) -> (&[u8], &[u8]) {
        (&entry.0, &entry.1)
    }
}

/// A range, with its entries loaded.
struct Range(fjall::Iter);

impl Iterator for Range {
    type Item = Result<(Slice, Slice)>;

    #[inline]
    fn next(&mut self) -> Option<Self::Item> {
        self.0.next().map(|entry| entry.into_inner().map_err(text))
    }
}

impl DoubleEndedIterator for Range {
    fn next_back(&mut self) -> Option<Self::Item> {
        self.0.next_back().map(|entry| entry.into_inner().map_err(text))
    }
}
