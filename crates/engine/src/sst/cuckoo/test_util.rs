//! Test files and models for the tests of this folder.

use super::{CuckooTable, CuckooTableBuilder};
use crate::base::{InternalIterator, KeyOrder, LookupBuffer, PinnedValue, SeqNo, ValueType};
use crate::error::Result;
use crate::iter::GetContext;
use crate::options::{CuckooTableOptions, PlainTableOptions, ReadOptions};
pub(super) use crate::sst::plain::test_util::{Entry, TestFile, TestSink, internal_key};
use crate::sst::plain::test_util::{builder_context, read_context};

pub(super) fn builder(
    order: &KeyOrder,
    opts: CuckooTableOptions,
    sink: &TestSink,
) -> CuckooTableBuilder {
    let ctx = builder_context(order.clone(), "", PlainTableOptions::default());
    CuckooTableBuilder::new(Box::new(sink.clone()), ctx, opts)
}

pub(super) fn try_build(
    order: &KeyOrder,
    opts: CuckooTableOptions,
    entries: &[Entry],
) -> Result<Vec<u8>> {
    let sink = TestSink::default();
    let mut builder = builder(order, opts, &sink);
    for (key, value) in entries {
        builder.add(key, value)?;
    }
    let done = builder.finish()?;
    let bytes = sink.0.lock().clone();
    assert_eq!(done.file_size, bytes.len() as u64);
    Ok(bytes)
}

pub(super) fn open(bytes: Vec<u8>, order: &KeyOrder, mapped: bool) -> Result<CuckooTable> {
    let ctx = read_context(order.clone(), "", PlainTableOptions::default());
    CuckooTable::open(TestFile::new(bytes, mapped), &ctx)
}

pub(super) fn get(table: &CuckooTable, key: &[u8], seq: SeqNo) -> Result<Option<Vec<u8>>> {
    let mut ctx = GetContext::new(key, None);
    table.get(&LookupBuffer::new(key, seq).key(), &ReadOptions::default(), &mut ctx)?;
    Ok(ctx.finish()?.map(PinnedValue::into_vec))
}

/// All entries from the iterator's position on.
pub(super) fn rest(iter: &mut dyn InternalIterator) -> Vec<Entry> {
    let mut out = Vec::new();
    while iter.valid() {
        out.push((iter.key().to_vec(), iter.value().to_vec()));
        iter.next();
    }
    iter.status().unwrap();
    out
}

pub(super) fn all_entries(table: &CuckooTable) -> Vec<Entry> {
    let mut iter = table.iter();
    iter.seek_to_first();
    rest(&mut iter)
}

/// A file that RocksDB 10.10.1 wrote, and the options that it was written with.
pub(super) fn vector(i: usize) -> (&'static [u8], CuckooTableOptions) {
    let bytes = [
        &include_bytes!("testdata/cuckoo_table_0.sst")[..],
        include_bytes!("testdata/cuckoo_table_1.sst"),
        include_bytes!("testdata/cuckoo_table_2.sst"),
        include_bytes!("testdata/cuckoo_table_3.sst"),
        include_bytes!("testdata/cuckoo_table_4.sst"),
        include_bytes!("testdata/cuckoo_table_5.sst"),
    ][i];
    let (ratio, block, identity, module) = [
        (0.9, 5, false, true),
        (0.9, 5, false, true),
        (0.9, 5, true, false),
        (0.95, 1, false, true),
        (0.5, 2, false, true),
        (0.5, 1, false, false),
    ][i];
    let opts = CuckooTableOptions {
        hash_table_ratio: ratio,
        cuckoo_block_size: block,
        identity_as_first_hash: identity,
        use_module_hash: module,
        ..CuckooTableOptions::default()
    };
    (bytes, opts)
}

/// The contents of vector `i`: user keys, whether they are deleted, and values.
pub(super) fn vector_entries(i: usize) -> Vec<(Vec<u8>, bool, Vec<u8>)> {
    let (count, with_deletions) = if i == 5 { (7, false) } else { (300, i == 0 || i == 4) };
    let entry = |n: u32| {
        let deleted = with_deletions && n.is_multiple_of(5);
        let value = if deleted { "aaaaaaaaaaa".to_owned() } else { format!("value{n:06}") };
        (format!("key{:05}", n * 7).into_bytes(), deleted, value.into_bytes())
    };
    (0..count).map(entry).collect()
}

/// A put of a user key with its own number as sequence number, or 0.
pub(super) fn put(n: u32, seq: SeqNo) -> Entry {
    let key = internal_key(&n.to_be_bytes(), seq, ValueType::Value);
    (key, format!("{n:06}").into_bytes())
}
