//! Rows of several sort keys over a client of YCSB.

use super::cases::ROW;
use crate::rng::Random64;
use crate::target::Result;
use crate::ycsb::chooser::KeyChooser;
use crate::ycsb::client::{Client, Ended, Work};
use crate::ycsb::inserted::Inserted;
use crate::ycsb::record::Shape;
use crate::ycsb::workload::Workload;

/// A client whose records are hash keys with [`ROW`] sort keys. A read is a `multi_get` of one row. An update is a
/// `batch_set` of one sort key in each of [`ROW`] hash keys.
pub struct Rows<'a> {
    inner: Box<dyn Client + 'a>,
    /// Chooses the hash keys of a batch after the first.
    chooser: KeyChooser,
    inserted: Inserted,
    keys: Vec<Vec<u8>>,
}

impl<'a> Rows<'a> {
    /// Creates a client for the records of a workload.
    pub fn new(inner: Box<dyn Client + 'a>, workload: &Workload) -> Rows<'a> {
        Rows {
            inner,
            chooser: workload.key_chooser(),
            inserted: Inserted::new(workload.records),
            keys: vec![Vec::new(); ROW],
        }
    }

    /// Makes the keys of one row.
    fn row(&mut self, hash_key: &[u8]) {
        for (i, key) in self.keys.iter_mut().enumerate() {
            key.clear();
            key.extend_from_slice(hash_key);
            push_sort_key(i as u64, key);
        }
    }

    /// Makes the keys of a batch: the same sort key in several hash keys.
    fn batch(&mut self, shape: &Shape, key: &[u8], random: &mut Random64) {
        let sort_key = random.draw() % ROW as u64;
        for (i, made) in self.keys.iter_mut().enumerate() {
            if i == 0 {
                made.clear();
                made.extend_from_slice(key);
            } else {
                shape.key(self.chooser.pick(random, &self.inserted), made);
            }
            push_sort_key(sort_key, made);
        }
    }
}

/// Appends a sort key to a hash key.
fn push_sort_key(sort_key: u64, key: &mut Vec<u8>) {
    key.extend_from_slice(&[b':', b'0' + sort_key as u8]);
}

impl Client for Rows<'_> {
    fn read(&mut self, shape: &Shape, key: &[u8], _: Option<usize>) -> Result<bool> {
        self.row(key);
        Ok(self.inner.multi_get(shape, &self.keys)? == ROW as u64)
    }

    fn insert(&mut self, shape: &Shape, key: &[u8], random: &mut Random64) -> Result<()> {
        self.row(key);
        self.inner.batch_set(shape, &self.keys, random)
    }

    fn update(
        &mut self,
        shape: &Shape,
        key: &[u8],
        _: Option<usize>,
        random: &mut Random64,
    ) -> Result<bool> {
        self.batch(shape, key, random);
        self.inner.batch_set(shape, &self.keys, random).map(|()| true)
    }

    fn scan(
        &mut self,
        shape: &Shape,
        key: &[u8],
        records: u64,
        field: Option<usize>,
    ) -> Result<u64> {
        self.inner.scan(shape, key, records, field)
    }

    fn delete(&mut self, shape: &Shape, key: &[u8]) -> Result<()> {
        self.row(key);
        self.keys.iter().try_for_each(|key| self.inner.delete(shape, key))
    }

    fn multi_get(&mut self, shape: &Shape, keys: &[Vec<u8>]) -> Result<u64> {
        self.inner.multi_get(shape, keys)
    }

    fn batch_set(&mut self, shape: &Shape, keys: &[Vec<u8>], random: &mut Random64) -> Result<()> {
        self.inner.batch_set(shape, keys, random)
    }

    fn user_bytes(&self) -> (u64, u64) {
        self.inner.user_bytes()
    }

    fn begin(
        &mut self,
        shape: &Shape,
        (key, work): (&[u8], Work<'_>),
        ticket: usize,
        random: &mut Random64,
    ) -> Result<()> {
        let work = match work {
            Work::Read(_) => {
                self.row(key);
                Work::MultiGet(&self.keys)
            }
            Work::Insert => {
                self.row(key);
                Work::BatchSet(&self.keys)
            }
            Work::Update(_) => {
                self.batch(shape, key, random);
                Work::BatchSet(&self.keys)
            }
            work => return Err(format!("rows of several sort keys: {work:?} is not supported")),
        };
        self.inner.begin(shape, (key, work), ticket, random)
    }

    fn end(&mut self, shape: &Shape) -> Result<Ended> {
        self.inner.end(shape)
    }
}
