//! Ferrolith, called as any Rust program calls it.

use super::{Engine, ReadMode, Result, Session, Target, WriteMode};
use crate::flags::Flags;
use ferrolith::base::ValueBuffer;
use ferrolith::batch::WriteBatch;
use ferrolith::db::{Db, DbIterator};
use ferrolith::options::{
    BottommostLevelCompaction, CompactRangeOptions, FlushOptions, Options, ReadOptions,
    WriteOptions,
};
use std::path::PathBuf;
use std::sync::Arc;

/// The engine and the options that databases are opened with.
pub(super) struct Ferrolith {
    dir: PathBuf,
    options: Options,
    flags: Flags,
}

impl Ferrolith {
    /// With the options that the flags ask for.
    pub(super) fn new(flags: &Flags) -> Result<Ferrolith> {
        if flags.on("readonly") {
            return Err("--readonly: Ferrolith opens databases for reading and writing".to_owned());
        }
        let (dir, _) = super::directories(flags);
        let options = super::ferrolith_options::options(flags)?;
        Ok(Ferrolith { dir, options, flags: flags.clone() })
    }
}

fn text(error: ferrolith::Error) -> String {
    error.to_string()
}

impl Engine for Ferrolith {
    fn name(&self) -> String {
        format!("version {}", env!("CARGO_PKG_VERSION"))
    }

    fn open(&self) -> Result<Arc<dyn Target>> {
        let (dir, wal) = super::directories(&self.flags);
        for dir in std::iter::once(&dir).chain(&wal) {
            std::fs::create_dir_all(dir).map_err(|error| format!("{}: {error}", dir.display()))?;
        }
        let db = Db::open(&self.options, &self.dir).map_err(text)?;
        let subcompactions = self.options.db.max_subcompactions;
        Ok(Arc::new(Database { db, subcompactions }))
    }

    fn destroy(&self) -> Result<()> {
        super::remove_files(&self.flags)
    }

    fn notices(&self) -> Vec<String> {
        Vec::new()
    }
}

/// An open database.
struct Database {
    db: Db,
    subcompactions: u32,
}

impl Drop for Database {
    fn drop(&mut self) {
        if let Err(error) = self.db.close() {
            eprintln!("close: {error}");
        }
    }
}

impl Target for Database {
    fn session(&self, read: ReadMode, write: WriteMode) -> Result<Box<dyn Session + '_>> {
        Ok(Box::new(Thread {
            db: &self.db,
            read: ReadOptions {
                verify_checksums: read.verify_checksums,
                total_order_seek: read.total_order_seek,
                prefix_same_as_start: read.prefix_same_as_start,
                auto_prefix_mode: read.auto_prefix_mode,
                readahead_size: read.readahead_size,
                ..ReadOptions::default()
            },
            write: WriteOptions {
                sync: write.sync,
                disable_wal: write.disable_wal,
                ..WriteOptions::default()
            },
            batch: WriteBatch::new(),
            batch_error: None,
            value: ValueBuffer::new(),
            iterator: None,
        }))
    }

    fn property(&self, name: &str) -> Option<String> {
        self.db.property(name)
    }

    fn compact(&self) -> Result<()> {
        let options = CompactRangeOptions {
            bottommost_level_compaction: BottommostLevelCompaction::ForceOptimized,
            max_subcompactions: self.subcompactions,
            ..CompactRangeOptions::default()
        };
        self.db.compact_range(&options, None, None).map_err(text)
    }

    fn flush(&self) -> Result<()> {
        self.db.flush(&FlushOptions::default()).map_err(text)
    }

    fn wait_for_compaction(&self) -> Result<()> {
        self.db.wait_for_compact().map_err(text)
    }

    fn statistics(&self) -> Option<String> {
        self.db.property("rocksdb.options-statistics")
    }
}

/// One thread's access.
struct Thread<'a> {
    db: &'a Db,
    read: ReadOptions,
    write: WriteOptions,
    batch: WriteBatch,
    batch_error: Option<String>,
    /// Used again for each value, as the peer's session does with `rocksdb_get_into_buffer`.
    value: ValueBuffer,
    iterator: Option<DbIterator>,
}

impl Thread<'_> {
    /// Adding to a batch fails only beyond four gigabytes: then writing it fails.
    fn keep(&mut self, result: ferrolith::Result<()>) {
        if let Err(error) = result {
            self.batch_error = Some(error.to_string());
        }
    }
}

impl Session for Thread<'_> {
    #[inline]
    fn put(&mut self, key: &[u8], value: &[u8]) -> Result<()> {
        self.db.put(&self.write, key, value).map_err(text)
    }

    fn merge(&mut self, key: &[u8], operand: &[u8]) -> Result<()> {
        self.db.merge(&self.write, key, operand).map_err(text)
    }

    fn delete(&mut self, key: &[u8]) -> Result<()> {
        self.db.delete(&self.write, key).map_err(text)
    }

    fn batch_put(&mut self, key: &[u8], value: &[u8]) {
        let result = self.batch.put(key, value);
        self.keep(result);
    }

    fn batch_delete(&mut self, key: &[u8]) {
        let result = self.batch.delete(key);
        self.keep(result);
    }

    fn batch_write(&mut self) -> Result<()> {
        if let Some(error) = self.batch_error.take() {
            return Err(error);
        }
        let result = self.db.write(&self.write, &mut self.batch).map_err(text);
        self.batch.clear();
        result
    }

    #[inline]
    fn get(&mut self, key: &[u8]) -> Result<Option<&[u8]>> {
        let found = self.db.get_pinned_into(&self.read, key, &mut self.value).map_err(text)?;
        Ok(found.then_some(&*self.value))
    }

    fn multi_get(&mut self, keys: &[u8], key_size: usize) -> Result<(u64, u64)> {
        let keys: Vec<&[u8]> = keys.chunks_exact(key_size).collect();
        let (mut found, mut bytes) = (0, 0);
        for value in self.db.multi_get(&self.read, &keys) {
            if let Some(value) = value.map_err(text)? {
                super::touch(&value);
                found += 1;
                bytes += value.len() as u64;
            }
        }
        Ok((found, bytes))
    }

    fn open_iterator(&mut self, lower: Option<&[u8]>, upper: Option<&[u8]>) -> Result<()> {
        self.iterator = None;
        self.read.iterate_lower_bound = lower.map(<[u8]>::to_vec);
        self.read.iterate_upper_bound = upper.map(<[u8]>::to_vec);
        self.iterator = Some(self.db.iter(&self.read).map_err(text)?);
        Ok(())
    }

    fn close_iterator(&mut self) {
        self.iterator = None;
    }

    fn seek(&mut self, key: &[u8]) {
        if let Some(iterator) = &mut self.iterator {
            iterator.seek(key);
        }
    }

    fn seek_to_first(&mut self) {
        if let Some(iterator) = &mut self.iterator {
            iterator.seek_to_first();
        }
    }

    fn seek_to_last(&mut self) {
        if let Some(iterator) = &mut self.iterator {
            iterator.seek_to_last();
        }
    }

    fn next(&mut self) {
        if let Some(iterator) = &mut self.iterator {
            iterator.next();
        }
    }

    fn prev(&mut self) {
        if let Some(iterator) = &mut self.iterator {
            iterator.prev();
        }
    }

    fn valid(&self) -> bool {
        self.iterator.as_ref().is_some_and(|iterator| iterator.valid())
    }

    fn key(&self) -> &[u8] {
        self.iterator.as_ref().map_or(&[], |iterator| iterator.key())
    }

    fn value(&self) -> &[u8] {
        self.iterator.as_ref().map_or(&[], |iterator| iterator.value())
    }

    fn status(&self) -> Result<()> {
        self.iterator.as_ref().map_or(Ok(()), |iterator| iterator.status().map_err(text))
    }
}
