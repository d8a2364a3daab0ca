//! One thread's access to Ferrolith.

use super::ferrolith::{Database, Kind, text};
use super::{Failure, ReadMode, Result, Session, Transaction, TransactionMode, WriteMode};
use ferrolith::Code;
use ferrolith::internal::base::{ValueBuffer, perf};
use ferrolith::internal::batch::WriteBatch;
use ferrolith::internal::budget::IoPriority;
use ferrolith::internal::db::{ColumnFamily, DbIterator, PlainDb, Snapshot};
use ferrolith::internal::error::rocksdb_text;
use ferrolith::internal::options::{ReadOptions, SizeApproximationOptions, WriteOptions};
use ferrolith::internal::txn::{
    self as transaction, OptimisticTransactionOptions, TransactionOptions,
};

/// The thread's options, batch, iterator and buffers.
pub(super) struct Thread<'a> {
    database: &'a Database,
    db: &'a PlainDb,
    /// The family for the following operations.
    family: &'a ColumnFamily,
    read: ReadOptions,
    write: WriteOptions,
    batch: WriteBatch,
    batch_error: Option<String>,
    /// Reused for each value, as the peer's session does with `rocksdb_get_into_buffer`.
    value: ValueBuffer,
    iterator: Option<DbIterator>,
    snapshot: Option<Snapshot>,
}

fn priority(limited: bool) -> IoPriority {
    if limited { IoPriority::User } else { IoPriority::Total }
}

impl<'a> Thread<'a> {
    /// Creates a thread's session with these modes of reading and writing.
    pub(super) fn new(database: &'a Database, read: ReadMode, write: WriteMode) -> Thread<'a> {
        Thread {
            database,
            db: database.kind.db(),
            family: &database.families[0],
            read: ReadOptions {
                verify_checksums: read.verify_checksums,
                total_order_seek: read.total_order_seek,
                prefix_same_as_start: read.prefix_same_as_start,
                auto_prefix_mode: read.auto_prefix_mode,
                readahead_size: read.readahead_size,
                tailing: read.tailing,
                auto_readahead_size: read.auto_readahead_size,
                adaptive_readahead: read.adaptive_readahead,
                async_io: read.async_io,
                optimize_multiget_for_io: read.optimize_multiget_for_io,
                auto_refresh_iterator_with_snapshot: read.auto_refresh,
                rate_limiter_priority: priority(read.rate_limited),
                ..ReadOptions::default()
            },
            write: WriteOptions {
                sync: write.sync,
                disable_wal: write.disable_wal,
                rate_limiter_priority: priority(write.rate_limited),
                protection_bytes_per_key: write.protection_bytes,
                ..WriteOptions::default()
            },
            batch: WriteBatch::new(),
            batch_error: None,
            value: ValueBuffer::new(),
            iterator: None,
            snapshot: None,
        }
    }

    /// Adding to a batch fails only beyond four gigabytes; then writing it fails too.
    fn keep(&mut self, result: ferrolith::Result<()>) {
        if let Err(error) = result {
            self.batch_error = Some(rocksdb_text(&error));
        }
    }
}

impl Session for Thread<'_> {
    fn choose(&mut self, number: u64) {
        self.family = &self.database.families[self.database.order.of(number)];
    }

    #[inline]
    fn put(&mut self, key: &[u8], value: &[u8]) -> Result<()> {
        match &self.database.kind {
            Kind::Locking(db) => db.put(&self.write, self.family, key, value),
            _ => self.db.put_cf(&self.write, self.family, key, value),
        }
        .map_err(text)
    }

    fn merge(&mut self, key: &[u8], operand: &[u8]) -> Result<()> {
        match &self.database.kind {
            Kind::Locking(db) => db.merge(&self.write, self.family, key, operand),
            _ => self.db.merge_cf(&self.write, self.family, key, operand),
        }
        .map_err(text)
    }

    fn delete(&mut self, key: &[u8]) -> Result<()> {
        match &self.database.kind {
            Kind::Locking(db) => db.delete(&self.write, self.family, key),
            _ => self.db.delete_cf(&self.write, self.family, key),
        }
        .map_err(text)
    }

    fn single_delete(&mut self, key: &[u8]) -> Result<()> {
        self.db.single_delete_cf(&self.write, self.family, key).map_err(text)
    }

    fn delete_range(&mut self, begin: &[u8], end: &[u8]) -> Result<()> {
        self.db.delete_range_cf(&self.write, self.family, begin, end).map_err(text)
    }

    fn batch_put(&mut self, key: &[u8], value: &[u8]) {
        let result = self.batch.put_cf(self.family.id(), key, value);
        self.keep(result);
    }

    fn batch_delete(&mut self, key: &[u8]) {
        let result = self.batch.delete_cf(self.family.id(), key);
        self.keep(result);
    }

    fn batch_write(&mut self) -> Result<()> {
        if let Some(error) = self.batch_error.take() {
            return Err(error);
        }
        let result = match &self.database.kind {
            Kind::Locking(db) => db.write(&self.write, &mut self.batch),
            _ => self.db.write(&self.write, &mut self.batch),
        };
        self.batch.clear();
        result.map_err(text)
    }

    #[inline]
    fn get(&mut self, key: &[u8]) -> Result<Option<&[u8]>> {
        let found = self
            .db
            .get_pinned_into_cf(&self.read, self.family, key, &mut self.value)
            .map_err(text)?;
        Ok(found.then_some(&*self.value))
    }

    fn merge_operands(&mut self, key: &[u8]) -> Result<Vec<Vec<u8>>> {
        self.db.merge_operands_cf(&self.read, self.family, key).map_err(text)
    }

    fn multi_get(&mut self, keys: &[u8], key_size: usize) -> Result<(u64, u64)> {
        let keys: Vec<&[u8]> = keys.chunks_exact(key_size).collect();
        let (mut found, mut bytes) = (0, 0);
        for value in self.db.multi_get_cf(&self.read, self.family, &keys) {
            if let Some(value) = value.map_err(text)? {
                super::touch(&value);
                found += 1;
                bytes += value.len() as u64;
            }
        }
        Ok((found, bytes))
    }

    fn approximate_size(&mut self, begin: &[u8], end: &[u8]) -> Result<u64> {
        let options = SizeApproximationOptions::default();
        let sizes =
            self.db.approximate_sizes(&options, self.family, &[(begin, end)]).map_err(text)?;
        Ok(sizes.iter().sum())
    }

    fn approximate_memtable_stats(&mut self, begin: &[u8], end: &[u8]) -> Result<(u64, u64)> {
        self.db.approximate_memtable_stats(self.family, begin, end).map_err(text)
    }

    fn take_snapshot(&mut self) -> Result<()> {
        let snapshot = self.db.snapshot();
        self.read.snapshot = Some(snapshot.sequence());
        self.snapshot = Some(snapshot);
        Ok(())
    }

    fn set_perf_level(&mut self, level: u8) -> Result<()> {
        perf::set_level(perf::PerfLevel::from_number(level).ok_or("--perf_level is out of range")?);
        perf::reset();
        Ok(())
    }

    fn perf_report(&mut self) -> String {
        perf::report(false)
    }

    fn transaction(&mut self, mode: TransactionMode) -> Result<Box<dyn Transaction + '_>> {
        let inner = match &self.database.kind {
            Kind::Plain(_) => {
                return Err("this database was opened without transactions".to_owned());
            }
            Kind::Locking(db) => {
                let TransactionMode { lock_timeout, set_snapshot } = mode;
                db.begin(
                    &self.write,
                    &TransactionOptions { lock_timeout, set_snapshot, ..Default::default() },
                )
            }
            Kind::Optimistic(db) => db.begin(
                &self.write,
                &OptimisticTransactionOptions { set_snapshot: mode.set_snapshot },
            ),
        };
        let mut running = Running { inner, read: self.read.clone(), family: self.family };
        running.read_at_snapshot();
        Ok(Box::new(running))
    }

    fn open_iterator(&mut self, lower: Option<&[u8]>, upper: Option<&[u8]>) -> Result<()> {
        self.iterator = None;
        self.read.iterate_lower_bound = lower.map(<[u8]>::to_vec);
        self.read.iterate_upper_bound = upper.map(<[u8]>::to_vec);
        self.iterator = Some(self.db.iter_cf(&self.read, self.family).map_err(text)?.into());
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

/// A transaction of this thread.
struct Running<'a> {
    inner: transaction::Transaction,
    read: ReadOptions,
    family: &'a ColumnFamily,
}

impl Running<'_> {
    fn read_at_snapshot(&mut self) {
        self.read.snapshot = self.inner.snapshot().map(Snapshot::sequence);
    }
}

/// A conflict with another transaction is not an error of the benchmark.
fn failure(error: ferrolith::Error) -> Failure {
    match error.code() {
        Code::Busy | Code::TimedOut | Code::TryAgain | Code::Expired => Failure::Conflict,
        _ => Failure::Error(rocksdb_text(&error)),
    }
}

impl Transaction for Running<'_> {
    fn take_snapshot(&mut self) {
        self.inner.set_snapshot();
        self.read_at_snapshot();
    }

    fn get(
        &mut self,
        key: &[u8],
        for_update: bool,
    ) -> std::result::Result<Option<Vec<u8>>, Failure> {
        let value = match for_update {
            true => self.inner.get_for_update(&self.read, self.family, key, true),
            false => self.inner.get(&self.read, self.family, key),
        };
        value.map(|value| value.map(|value| value.to_vec())).map_err(failure)
    }

    fn delete(&mut self, key: &[u8], single: bool) -> std::result::Result<(), Failure> {
        match single {
            true => self.inner.single_delete(self.family, key),
            false => self.inner.delete(self.family, key),
        }
        .map_err(failure)
    }

    fn put(&mut self, key: &[u8], value: &[u8]) -> std::result::Result<(), Failure> {
        self.inner.put(self.family, key, value).map_err(failure)
    }

    fn prepare(&mut self, id: u64) -> std::result::Result<(), Failure> {
        let named = self.inner.set_name(format!("txn{id}").as_bytes());
        named.and_then(|()| self.inner.prepare()).map_err(failure)
    }

    fn commit(&mut self) -> std::result::Result<(), Failure> {
        self.inner.commit().map_err(failure)
    }

    fn rollback(&mut self) -> std::result::Result<(), Failure> {
        self.inner.rollback().map_err(failure)
    }
}
