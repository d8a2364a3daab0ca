use super::*;
use crate::base::{InternalIterator, KeyOrder};
use crate::options::{PlainTableOptions, TableFactory};
use crate::sst::plain::test_util::{
    Entry, TestFile, TestSink, builder_context, internal_key, read_context,
};
use crate::sst::{Table, TableBuilder, TableIterOptions};

fn entry(key: &str, seq: u64, kind: ValueType, value: &str) -> Entry {
    (internal_key(key.as_bytes(), seq, kind), value.into())
}

fn put(key: &str, seq: u64, value: &str) -> Entry {
    entry(key, seq, ValueType::Value, value)
}

/// Writes a table as a flush does. Returns its format and the entries read from it.
fn round_trip(opts: CuckooTableOptions, entries: &[Entry]) -> (&'static str, Vec<Entry>) {
    let order = KeyOrder::bytewise();
    let mut ctx = builder_context(order.clone(), "", PlainTableOptions::default());
    ctx.factory = TableFactory::Cuckoo(opts);
    let sink = TestSink::default();
    let mut builder = TableBuilder::new(Box::new(sink.clone()), ctx).unwrap();
    for (key, value) in entries {
        builder.add(key, value).unwrap();
    }
    assert_eq!(builder.num_entries(), entries.len() as u64);
    let finished = builder.finish().unwrap();
    let bytes = sink.0.lock().clone();
    assert_eq!(finished.file_size, bytes.len() as u64);
    let mut ctx = read_context(order, "", PlainTableOptions::default());
    ctx.factory = TableFactory::Cuckoo(CuckooTableOptions::default());
    let table = Table::open(TestFile::new(bytes, true), &ctx).unwrap();
    let mut iter = table.iter(&TableIterOptions::default());
    iter.seek_to_first();
    let mut found = Vec::new();
    while iter.valid() {
        found.push((iter.key().to_vec(), iter.value().to_vec()));
        iter.next();
    }
    iter.status().unwrap();
    let format = match &*table {
        Table::Cuckoo(_) => "cuckoo",
        Table::BlockBased(_) => "block-based",
        Table::Plain(_) => "plain",
    };
    (format, found)
}

#[test]
fn entries_that_fit_make_a_cuckoo_table() {
    let entries = [put("key1", 3, "aaaa"), entry("key2", 2, ValueType::Deletion, "")];
    let (format, found) = round_trip(CuckooTableOptions::default(), &entries);
    assert_eq!(format, "cuckoo");
    assert_eq!(found.len(), 2);
}

#[test]
fn entries_that_do_not_fit_move_with_all_before_them() {
    let before =
        [entry("key0", 9, ValueType::Deletion, ""), put("key1", 3, "aaaa"), put("key2", 4, "bbbb")];
    for misfit in [
        put("key22", 4, "cccc"),
        put("key3", 4, "ccc"),
        put("key2", 3, "cccc"),
        entry("key3", 4, ValueType::SingleDeletion, ""),
        entry("key3", 4, ValueType::Merge, "cccc"),
    ] {
        let mut entries = before.to_vec();
        entries.extend([misfit, put("key4", 5, "dddd")]);
        let (format, found) = round_trip(CuckooTableOptions::default(), &entries);
        assert_eq!((format, found), ("block-based", entries));
    }
}

#[test]
fn entries_that_find_no_place_together_move_when_the_table_is_finished() {
    // All 256 keys of one byte: no key is left for empty buckets.
    let entries: Vec<Entry> =
        (0..=255u8).map(|byte| (internal_key(&[byte], 7, ValueType::Value), vec![byte])).collect();
    let (format, found) = round_trip(CuckooTableOptions::default(), &entries);
    assert_eq!((format, found), ("block-based", entries));
}

#[test]
fn disorder_is_an_error_and_nothing_moves() {
    let mut ctx = builder_context(KeyOrder::bytewise(), "", PlainTableOptions::default());
    ctx.factory = TableFactory::Cuckoo(CuckooTableOptions::default());
    let mut builder = TableBuilder::new(Box::new(TestSink::default()), ctx).unwrap();
    let (first, second) = (put("key2", 3, "aaaa"), put("key1", 3, "aaaa"));
    builder.add(&first.0, &first.1).unwrap();
    assert!(builder.add(&second.0, &second.1).unwrap_err().is_corruption());
}
