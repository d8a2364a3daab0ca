//! LMDB, through the crate `heed`: the reference for reads.
//!
//! It is opened with WRITEMAP and NORDAHEAD, and with NOSYNC unless `--sync` is on. A write without a batch is a
//! transaction. Lookups use one read transaction per thread, renewed after the thread's own writes. With
//! `--lmdb_read_txn=call` they use one per lookup, which corresponds to a lookup of the other engines: it sees all
//! earlier writes. An iterator always has its own transaction. Features that LMDB does not have (merges, bounds) are
//! refused.
//!
//! Invariants of the unsafe code: an iterator borrows from the boxed transaction beside it and is dropped before it;
//! `current` borrows from the same transaction.
#![allow(unsafe_code)]

use super::peers::{self, Peer};
use super::{Engine, ReadMode, Result, Session, Target, WriteMode};
use crate::flags::Flags;
use heed::types::Bytes;
use heed::{Database, Env, EnvFlags, EnvOpenOptions, RoRange, RoRevRange, WithTls};
use std::ops::Bound;
use std::sync::Arc;

/// Address space of the map: more than any benchmark fills.
const MAP_SIZE: usize = 1 << 37;

type Table = Database<Bytes, Bytes>;
type ReadTxn<'a> = heed::RoTxn<'a, WithTls>;
type Bounds<'a> = (Bound<&'a [u8]>, Bound<&'a [u8]>);

/// The engine, with the settings for opening databases.
pub(super) struct Lmdb {
    flags: Flags,
    peer: &'static Peer,
}

impl Lmdb {
    /// Creates the engine with the flags for directories and transactions; other options have no effect here.
    pub(super) fn new(flags: &Flags, peer: &'static Peer) -> Result<Lmdb> {
        peers::refuse(flags, peer)?;
        Ok(Lmdb { flags: flags.clone(), peer })
    }
}

fn text(error: heed::Error) -> String {
    error.to_string()
}

impl Engine for Lmdb {
    fn name(&self) -> String {
        let sync = if self.flags.on("sync") { "" } else { "NOSYNC, " };
        let version = heed::lmdb_version().string;
        format!("{version}, by heed; {sync}WRITEMAP, NORDAHEAD")
    }

    fn open(&self) -> Result<Arc<dyn Target>> {
        let (dir, _) = super::directories(&self.flags);
        std::fs::create_dir_all(&dir).map_err(|error| format!("{}: {error}", dir.display()))?;
        let mut flags = EnvFlags::WRITE_MAP | EnvFlags::NO_READ_AHEAD;
        flags.set(EnvFlags::NO_SYNC, !self.flags.on("sync"));
        let mut options = EnvOpenOptions::new();
        options.map_size(MAP_SIZE).max_readers(1024);
        // SAFETY: no other process uses the benchmark's directories meanwhile, and nothing in this process changes the
        // files; without --sync, a power failure may lose writes.
        let env = unsafe {
            options.flags(flags);
            options.open(&dir).map_err(text)?
        };
        let mut write = env.write_txn().map_err(text)?;
        let table = env.create_database(&mut write, None).map_err(text)?;
        write.commit().map_err(text)?;
        let per_call = self.flags.text("lmdb_read_txn") == "call";
        Ok(Arc::new(Open { env, table, per_call }))
    }

    fn destroy(&self) -> Result<()> {
        super::remove_files(&self.flags)
    }

    fn notices(&self) -> Vec<String> {
        peers::notices(&self.flags, self.peer, &[])
    }
}

/// An open database.
struct Open {
    env: Env,
    table: Table,
    per_call: bool,
}

impl Target for Open {
    fn session(&self, _: ReadMode, _: WriteMode) -> Result<Box<dyn Session + '_>> {
        Ok(Box::new(Thread {
            env: &self.env,
            table: self.table,
            per_call: self.per_call,
            read: None,
            batch: Vec::new(),
            iterator: Iter::default(),
        }))
    }

    fn property(&self, name: &str) -> Option<String> {
        let read = self.env.read_txn().ok()?;
        (name == "rocksdb.estimate-num-keys")
            .then(|| self.table.len(&read).unwrap_or(0).to_string())
    }

    fn compact(&self, _rewrite_last: bool) -> Result<()> {
        Ok(())
    }

    fn flush(&self) -> Result<()> {
        self.env.force_sync().map_err(text)
    }

    fn wait_for_compaction(&self) -> Result<()> {
        Ok(())
    }

    fn statistics(&self) -> Option<String> {
        None
    }
}

/// A direction of an iterator, with what it borrows from.
enum Cursor {
    Forward(RoRange<'static, Bytes, Bytes>),
    Backward(RoRevRange<'static, Bytes, Bytes>),
}

/// The iterator of a thread. Fields are dropped in this order.
#[derive(Default)]
struct Iter<'a> {
    current: Option<(&'static [u8], &'static [u8])>,
    cursor: Option<Cursor>,
    read: Option<Box<ReadTxn<'a>>>,
    error: Option<String>,
}

impl Iter<'_> {
    /// Moves to the first or the last entry within the bounds.
    fn start(&mut self, table: &Table, bounds: Bounds<'_>, forward: bool) {
        self.current = None;
        self.cursor = None;
        let Some(read) = &self.read else { return };
        // SAFETY: the transaction is boxed and outlives `cursor` and `current`: see the file's head.
        let read: &'static ReadTxn<'static> = unsafe { std::mem::transmute(&**read) };
        let cursor = match forward {
            true => table.range(read, &bounds).map(Cursor::Forward),
            false => table.rev_range(read, &bounds).map(Cursor::Backward),
        };
        match cursor {
            Ok(cursor) => self.cursor = Some(cursor),
            Err(error) => self.error = Some(text(error)),
        }
        self.step();
    }

    fn step(&mut self) {
        let entry = match &mut self.cursor {
            Some(Cursor::Forward(cursor)) => cursor.next(),
            Some(Cursor::Backward(cursor)) => cursor.next(),
            None => None,
        };
        match entry {
            Some(Err(error)) => (self.current, self.error) = (None, Some(text(error))),
            Some(Ok(entry)) => self.current = Some(entry),
            None => self.current = None,
        }
    }
}

/// One thread's access.
struct Thread<'a> {
    env: &'a Env,
    table: Table,
    per_call: bool,
    read: Option<ReadTxn<'a>>,
    /// Keys with their values; deletions have none.
    batch: Vec<(Vec<u8>, Option<Vec<u8>>)>,
    iterator: Iter<'a>,
}

impl Thread<'_> {
    fn write(
        &mut self,
        change: impl FnOnce(&Table, &mut heed::RwTxn<'_>) -> heed::Result<()>,
    ) -> Result<()> {
        // This thread's next read must see its own write.
        self.read = None;
        let mut write = self.env.write_txn().map_err(text)?;
        change(&self.table, &mut write).map_err(text)?;
        write.commit().map_err(text)
    }
}

impl Session for Thread<'_> {
    fn put(&mut self, key: &[u8], value: &[u8]) -> Result<()> {
        self.write(|table, write| table.put(write, key, value))
    }

    fn merge(&mut self, _: &[u8], _: &[u8]) -> Result<()> {
        Err("LMDB does not support merges".to_owned())
    }

    fn delete(&mut self, key: &[u8]) -> Result<()> {
        self.write(|table, write| table.delete(write, key).map(|_| ()))
    }

    fn batch_put(&mut self, key: &[u8], value: &[u8]) {
        self.batch.push((key.to_vec(), Some(value.to_vec())));
    }

    fn batch_delete(&mut self, key: &[u8]) {
        self.batch.push((key.to_vec(), None));
    }

    fn batch_write(&mut self) -> Result<()> {
        let batch = std::mem::take(&mut self.batch);
        self.write(|table, write| {
            batch.iter().try_for_each(|(key, value)| match value {
                Some(value) => table.put(write, key, value),
                None => table.delete(write, key).map(|_| ()),
            })
        })
    }

    #[inline]
    fn get(&mut self, key: &[u8]) -> Result<Option<&[u8]>> {
        if self.per_call {
            self.read = None;
        }
        if self.read.is_none() {
            self.read = Some(self.env.read_txn().map_err(text)?);
        }
        match &self.read {
            Some(read) => self.table.get(read, key).map_err(text),
            None => Ok(None),
        }
    }

    fn open_iterator(&mut self, lower: Option<&[u8]>, upper: Option<&[u8]>) -> Result<()> {
        if lower.is_some() || upper.is_some() {
            return Err("--max_scan_distance is not supported with --engine=lmdb".to_owned());
        }
        // A thread has one read transaction at a time.
        self.close_iterator();
        self.read = None;
        self.iterator.read = Some(Box::new(self.env.read_txn().map_err(text)?));
        Ok(())
    }

    fn close_iterator(&mut self) {
        self.iterator = Iter::default();
    }

    fn seek(&mut self, key: &[u8]) {
        self.iterator.start(&self.table, (Bound::Included(key), Bound::Unbounded), true);
    }

    fn seek_to_first(&mut self) {
        self.iterator.start(&self.table, (Bound::Unbounded, Bound::Unbounded), true);
    }

    fn seek_to_last(&mut self) {
        self.iterator.start(&self.table, (Bound::Unbounded, Bound::Unbounded), false);
    }

    fn next(&mut self) {
        self.iterator.step();
    }

    fn prev(&mut self) {
        if let (Some(Cursor::Forward(_)), Some((key, _))) =
            (&self.iterator.cursor, self.iterator.current)
        {
            let bounds = (Bound::Unbounded, Bound::Excluded(key));
            return self.iterator.start(&self.table, bounds, false);
        }
        self.iterator.step();
    }

    fn valid(&self) -> bool {
        self.iterator.current.is_some()
    }

    fn key(&self) -> &[u8] {
        self.iterator.current.map_or(&[], |(key, _)| key)
    }

    fn value(&self) -> &[u8] {
        self.iterator.current.map_or(&[], |(_, value)| value)
    }

    fn status(&self) -> Result<()> {
        self.iterator.error.clone().map_or(Ok(()), Err)
    }
}
