use super::super::test_util::*;
use super::*;
use crate::base::InternalIterator;
use crate::options::PlainTableEncoding;
use crate::sst::TableIterOptions;

/// Writes the entries of a real file again, with its original extractor name and options.
fn rewrite(i: usize) -> Vec<u8> {
    let (name, opts) = vector_options(i);
    let order = KeyOrder::bytewise();
    let table = open(vector(i).to_vec(), &order, name, opts, true).unwrap();
    let p = table.properties();
    let mut ctx = builder_context(order, name, opts);
    ctx.file_number = p.orig_file_number;
    ctx.db_id.clone_from(&p.db_id);
    ctx.db_session_id.clone_from(&p.db_session_id);
    ctx.host.clone_from(&p.db_host_id);
    let sink = TestSink::default();
    let mut builder = PlainTableBuilder::new(Box::new(sink.clone()), ctx, opts).unwrap();
    let mut iter = table.iter(&TableIterOptions::default());
    iter.seek_to_first();
    while iter.valid() {
        builder.add(iter.key(), iter.value()).unwrap();
        iter.next();
    }
    assert_eq!(builder.num_entries(), p.num_entries);
    let done = builder.finish().unwrap();
    let bytes = sink.0.lock().clone();
    assert_eq!(done.file_size, bytes.len() as u64);
    bytes
}

#[test]
fn real_files_are_written_byte_for_byte() {
    for i in [0, 1, 2, 3, 5] {
        let written = rewrite(i);
        let real = vector(i);
        let differs = written.iter().zip(real).position(|(a, b)| a != b);
        assert_eq!((differs, written.len()), (None, real.len()), "vector {i}");
    }
}

#[test]
fn a_filter_with_locality_is_the_only_thing_not_written() {
    // Vector 4 is vector 3 with a Bloom filter in cache lines.
    let (written, real) = (rewrite(4), vector(4));
    assert_eq!(written[..1292], real[..1292]);
    assert_eq!(written[1292 + 52..][..55], real[1292 + 64..][..55], "the index");
}

fn builder(opts: PlainTableOptions) -> PlainTableBuilder {
    let ctx = builder_context(KeyOrder::bytewise(), "fixed:1", opts);
    PlainTableBuilder::new(Box::new(TestSink::default()), ctx, opts).unwrap()
}

#[test]
fn a_file_never_gets_longer_than_31_bits() {
    for store_index_in_file in [false, true] {
        let opts = PlainTableOptions { store_index_in_file, ..PlainTableOptions::default() };
        let mut b = builder(opts);
        // As if two gigabytes had already been added.
        b.offset = MAX_FILE_SIZE - TAIL_RESERVE - 1000;
        let mut added = 0u64;
        let error = loop {
            let key = internal_key(&added.to_be_bytes(), 1, ValueType::Value);
            match b.add(&key, b"value") {
                Ok(()) => added += 1,
                Err(e) => break e,
            }
        };
        assert!(added > 10, "{added}");
        assert_eq!(error.code(), crate::Code::NotSupported);
        assert!(error.message().contains("2147483647 bytes (2^31-1)"), "{error}");
        let done = b.finish().unwrap();
        assert!(done.file_size <= MAX_FILE_SIZE, "{}", done.file_size);
        assert_eq!(done.properties.num_entries, added);
    }
}

#[test]
fn what_the_format_cannot_hold_is_refused() {
    let opts = PlainTableOptions { user_key_len: 4, ..PlainTableOptions::default() };
    let mut b = builder(opts);
    let e = b.add(&internal_key(b"abc", 1, ValueType::Value), b"").unwrap_err();
    assert!(e.to_string().contains("user_key_len 4: a user key has 3 bytes"), "{e}");
    let e = b.add(&internal_key(b"abcd", 1, ValueType::RangeDeletion), b"").unwrap_err();
    assert_eq!(e.to_string(), "Not implemented: range deletions in PlainTable");
    assert!(b.add(b"short", b"").unwrap_err().is_corruption());
    b.add(&internal_key(b"bbbb", 1, ValueType::Value), b"").unwrap();
    let e = b.add(&internal_key(b"aaaa", 1, ValueType::Value), b"").unwrap_err();
    assert!(e.message().contains("out of order"));
    assert_eq!(b.num_entries(), 1);
}

#[test]
fn an_empty_file_is_a_file() {
    for encoding_type in [PlainTableEncoding::Plain, PlainTableEncoding::Prefix] {
        let opts = PlainTableOptions {
            encoding_type,
            store_index_in_file: true,
            ..PlainTableOptions::default()
        };
        let order = KeyOrder::bytewise();
        let table =
            open(build(&order, "fixed:1", opts, &[]), &order, "fixed:1", opts, true).unwrap();
        let mut iter = table.iter(&TableIterOptions::default());
        iter.seek_to_first();
        assert!(!iter.valid());
        iter.seek_to_last();
        assert!(!iter.valid());
        iter.seek(&internal_key(b"a", 1, ValueType::Value));
        assert!(!iter.valid());
        iter.seek_for_prev(&internal_key(b"", 1, ValueType::Value));
        assert!(!iter.valid());
        iter.status().unwrap();
    }
}
