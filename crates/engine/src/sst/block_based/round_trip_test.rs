//! The reader reads the builder's files with every combination of options, and the files equal
//! RocksDB's.

use super::test_util::*;
use crate::base::{KeyOrder, ReverseBytewiseComparator, ValueType};
use crate::cache::Cache;
use crate::compress::CompressionType;
use crate::fs::fault::{Fault, FaultFs, FaultKind, Op};
use crate::fs::mem::MemFs;
use crate::fs::{FileSystem, WritableOptions};
use crate::hooks::FixedPrefixTransform;
use crate::options::{BlockBasedTableOptions, ChecksumType, DataBlockIndexType, TableFactory};
use crate::sst::{Table, TableBuilder, TableIterOptions};
use std::path::Path;
use std::sync::Arc;

fn rows(n: usize, seed: u64) -> Vec<Row> {
    let mut rng = fastrand::Rng::with_seed(seed);
    let mut rows: Vec<Row> = (0..n)
        .map(|i| {
            let kind = if i % 10 == 9 { ValueType::Deletion } else { ValueType::Value };
            let len = if kind == ValueType::Deletion { 0 } else { rng.usize(..120) };
            let value = std::iter::repeat_n(b'a' + (i % 7) as u8, len).collect();
            (format!("key{:07}", i * 3).into_bytes(), 1 + rng.u64(..1000), kind, value)
        })
        .collect();
    rows.sort();
    rows
}

#[test]
fn every_combination_of_options_reads_back() {
    let codecs = [
        CompressionType::None,
        CompressionType::Snappy,
        CompressionType::Zlib,
        CompressionType::Bzip2,
        CompressionType::Lz4,
        CompressionType::Lz4hc,
        CompressionType::Zstd,
    ];
    let checksums = [
        ChecksumType::NoChecksum,
        ChecksumType::Crc32c,
        ChecksumType::XxHash,
        ChecksumType::XxHash64,
        ChecksumType::Xxh3,
    ];
    let mut rng = fastrand::Rng::with_seed(1);
    for round in 0..48 {
        let hash = round % 5 == 0;
        let opts = BlockBasedTableOptions {
            format_version: 2 + round % 6,
            checksum: checksums[rng.usize(..5)],
            block_size: [128, 1000, 4096][rng.usize(..3)],
            block_restart_interval: [1, 4, 16][rng.usize(..3)],
            index_block_restart_interval: [1, 8][rng.usize(..2)],
            data_block_index_type: if hash {
                DataBlockIndexType::BinaryAndHash
            } else {
                DataBlockIndexType::BinarySearch
            },
            verify_compression: rng.bool(),
            ..if rng.bool() { with_filter() } else { BlockBasedTableOptions::default() }
        };
        let rows = rows([0, 1, 300, 700][rng.usize(..4)], u64::from(round));
        let mut write = builder_context(opts.clone(), codecs[round as usize % 7]);
        let mut read =
            read_context(rng.bool().then(|| Cache::new_lru([2000, 1 << 20][rng.usize(..2)])));
        read.mmap = rng.bool();
        if rng.bool() {
            write.prefix_extractor = Some(Arc::new(FixedPrefixTransform::new(8)));
            read.prefix_extractor = write.prefix_extractor.clone();
        }
        let (bytes, finished) = build(write, &rows).unwrap();
        let table = open(&bytes, &read).unwrap();
        check_rows(&table, &rows, &KeyOrder::bytewise());
        assert_eq!(table.properties(), &finished.properties);
        let p = &finished.properties;
        assert_eq!(p.num_entries, rows.len() as u64);
        let deleted = rows.iter().filter(|r| r.2 == ValueType::Deletion).count();
        assert_eq!(p.num_deletions, deleted as u64);
        let sizes = rows.iter().fold((0, 0), |s, r| (s.0 + r.0.len() + 8, s.1 + r.3.len()));
        assert_eq!((p.raw_key_size, p.raw_value_size), (sizes.0 as u64, sizes.1 as u64));
    }
}

#[test]
fn user_keys_that_span_blocks_are_found() {
    let opts = BlockBasedTableOptions { block_size: 100, ..with_filter() };
    let mut rows: Vec<Row> = Vec::new();
    for key in ["a", "b", "c"] {
        for seq in (1..100).rev() {
            let value = format!("{key}{seq}").into_bytes();
            rows.push((key.into(), seq, ValueType::Value, value));
        }
    }
    let (bytes, finished) = build(builder_context(opts, CompressionType::None), &rows).unwrap();
    assert!(finished.properties.num_data_blocks > 10);
    assert_eq!(finished.properties.index_key_is_user_key, 0);
    let table = open(&bytes, &read_context(Some(Cache::new_lru(1 << 20)))).unwrap();
    check_rows(&table, &rows, &KeyOrder::bytewise());
    for seq in 1..100u64 {
        assert_eq!(get(&table, b"b", seq).unwrap(), Some(format!("b{seq}").into_bytes()));
    }
    assert_eq!(get(&table, b"b", 0).unwrap(), None);
}

#[test]
fn operands_in_several_blocks_are_folded() {
    let opts = BlockBasedTableOptions { block_size: 60, ..with_filter() };
    let mut rows: Vec<Row> = (1..40)
        .rev()
        .map(|seq| (b"k".to_vec(), 1 + seq, ValueType::Merge, format!("{seq}").into_bytes()))
        .collect();
    rows.push((b"k".to_vec(), 1, ValueType::Value, b"0".to_vec()));
    let (bytes, finished) = build(builder_context(opts, CompressionType::None), &rows).unwrap();
    assert_eq!(finished.properties.num_merge_operands, 39);
    let table = open(&bytes, &read_context(Some(Cache::new_lru(1 << 20)))).unwrap();
    let all: Vec<String> = (0..40).map(|i| i.to_string()).collect();
    assert_eq!(get(&table, b"k", 100).unwrap(), Some(all.join(",").into_bytes()));
    assert_eq!(get(&table, b"k", 3).unwrap(), Some(b"0,1,2".to_vec()));
}

#[test]
fn reverse_order_reads_back() {
    let order = KeyOrder::new(Arc::new(ReverseBytewiseComparator));
    let mut rows = rows(500, 4);
    rows.reverse();
    let mut write = builder_context(with_filter(), CompressionType::Snappy);
    write.order = order.clone();
    let (bytes, _) = build(write, &rows).unwrap();
    let mut read = read_context(Some(Cache::new_lru(1 << 20)));
    read.order = order.clone();
    check_rows(&open(&bytes, &read).unwrap(), &rows, &order);
}

#[test]
fn a_prefix_filter_says_no_to_other_prefixes() {
    let mut write = builder_context(
        BlockBasedTableOptions { whole_key_filtering: false, ..with_filter() },
        CompressionType::None,
    );
    write.prefix_extractor = Some(Arc::new(FixedPrefixTransform::new(6)));
    let rows = rows(1000, 5);
    let (bytes, _) = build(write.clone(), &rows).unwrap();
    let mut read = read_context(None);
    read.prefix_extractor = write.prefix_extractor.clone();
    let table = open(&bytes, &read).unwrap();
    check_rows(&table, &rows, &KeyOrder::bytewise());
    assert!(table.prefix_may_match(b"key000"));
    let passed = (0..1000).filter(|i| table.prefix_may_match(format!("x{i:05}").as_bytes()));
    assert!(passed.count() < 30);
    // With another extractor than the file's, the filter does not decide.
    read.prefix_extractor = Some(Arc::new(FixedPrefixTransform::new(5)));
    assert!(open(&bytes, &read).unwrap().prefix_may_match(b"x0001"));
}

#[test]
fn large_values_are_shared_and_outlive_table_and_cache() {
    let value = vec![7u8; 10_000];
    let rows = vec![(b"k".to_vec(), 1, ValueType::Value, value.clone())];
    let ctx = builder_context(BlockBasedTableOptions::default(), CompressionType::None);
    let (bytes, _) = build(ctx, &rows).unwrap();
    let cache = Cache::new_lru(1 << 20);
    let table = open(&bytes, &read_context(Some(Arc::clone(&cache)))).unwrap();
    for _ in 0..3 {
        let mut ctx = crate::iter::GetContext::new(b"k", None);
        let key = crate::base::LookupBuffer::new(b"k", 9);
        let key = key.key();
        table.get(&key, &Default::default(), &mut ctx).unwrap();
        let found = ctx.finish().unwrap().unwrap();
        assert_eq!(cache.pinned_usage(), cache.usage(), "the value is not shared");
        assert_eq!(*found, value[..]);
    }
    assert_eq!(cache.pinned_usage(), 0);
    let mut ctx = crate::iter::GetContext::new(b"k", None);
    let key = crate::base::LookupBuffer::new(b"k", 9);
    let key = key.key();
    table.get(&key, &Default::default(), &mut ctx).unwrap();
    drop(table);
    assert_eq!(cache.usage(), 0);
    assert_eq!(*ctx.finish().unwrap().unwrap(), value[..]);
}

#[test]
fn index_and_filter_are_charged_when_asked() {
    let (bytes, _) =
        build(builder_context(with_filter(), CompressionType::None), &rows(3000, 6)).unwrap();
    let cache = Cache::new_lru(1 << 20);
    let mut read = read_context(Some(Arc::clone(&cache)));
    read.factory = TableFactory::BlockBased(BlockBasedTableOptions {
        cache_index_and_filter_blocks: true,
        ..with_filter()
    });
    let table = open(&bytes, &read).unwrap();
    assert_eq!(cache.usage(), table.memory_usage());
    scan(&table, &TableIterOptions::default()).unwrap();
    assert!(cache.usage() > table.memory_usage());
    drop(table);
    assert_eq!(cache.usage(), 0);
}

#[test]
fn scans_for_compaction_leave_the_cache_alone() {
    let (bytes, _) =
        build(builder_context(with_filter(), CompressionType::None), &rows(3000, 6)).unwrap();
    let cache = Cache::new_lru(1 << 20);
    let table = open(&bytes, &read_context(Some(Arc::clone(&cache)))).unwrap();
    let ro = TableIterOptions { for_compaction: true, ..TableIterOptions::default() };
    assert_eq!(scan(&table, &ro).unwrap().len(), 3000);
    assert!(cache.is_empty());
}

/// The builder collects blocks that are not compressed, and a compaction reads them in windows.
#[test]
fn many_blocks_are_written_and_read_together() {
    let row = |i: usize| {
        let value = vec![i as u8; 40 + i % 700];
        (format!("key{i:06}").into_bytes(), 1, ValueType::Value, value)
    };
    let rows: Vec<Row> = (0..2000).map(row).collect();
    let order = KeyOrder::bytewise();
    for kind in [CompressionType::None, CompressionType::Lz4] {
        for block_align in [false, true] {
            let opts = BlockBasedTableOptions { block_align, ..with_filter() };
            let (bytes, finished) = build(builder_context(opts, kind), &rows).unwrap();
            assert_eq!(finished.file_size, bytes.len() as u64);
            let cache = Cache::new_lru(1 << 20);
            let table = open(&bytes, &read_context(Some(cache))).unwrap();
            let ro = TableIterOptions { for_compaction: true, ..TableIterOptions::default() };
            assert_eq!(scan(&table, &ro).unwrap(), rows, "{kind:?}");
            // Now some blocks are cached.
            for (key, seq, _, value) in rows.iter().step_by(97) {
                assert_eq!(get(&table, key, *seq).unwrap().as_ref(), Some(value));
            }
            assert_eq!(scan(&table, &ro).unwrap(), rows, "{kind:?}, partly cached");
            check_rows(&table, &rows[..], &order);
        }
    }
}

/// A write that fails ends the table, wherever it happens: in the collected blocks, or in the rest of the table.
#[test]
fn a_table_with_a_failed_write_cannot_be_finished() {
    let path = Path::new("/db/000009.sst");
    for kind in [CompressionType::None, CompressionType::Lz4] {
        let (mut failed_adds, mut failed_ends) = (0, 0);
        for n in 0.. {
            let faults = FaultFs::new(Arc::new(MemFs::new()));
            faults.create_dir_if_missing(Path::new("/db")).unwrap();
            let file = faults.new_writable(path, WritableOptions::default()).unwrap();
            faults.inject(Fault::nth(Op::Append, "/db/000009.sst", n, FaultKind::Io));
            let mut table = TableBuilder::new(file, builder_context(with_filter(), kind)).unwrap();
            let added = (0..200_u8).try_for_each(|i| {
                let key = internal(format!("key{i:03}").as_bytes(), 1, ValueType::Value);
                table.add(&key, &[i; 3000])
            });
            match (added.is_ok(), table.finish().is_ok()) {
                (true, true) => break,
                (true, false) => failed_ends += 1,
                (false, false) => failed_adds += 1,
                (false, true) => panic!("{kind:?}: write {n} failed, and the table was finished"),
            }
        }
        assert!(failed_adds > 2 && failed_ends > 2, "{kind:?}: {failed_adds} {failed_ends}");
    }
}

#[test]
fn offsets_grow_with_keys() {
    let rows = rows(3000, 7);
    let (bytes, finished) =
        build(builder_context(with_filter(), CompressionType::None), &rows).unwrap();
    let table = open(&bytes, &read_context(None)).unwrap();
    let offset_of =
        |key: &[u8], seq, kind| table.approximate_offset_of(&internal(key, seq, kind)).unwrap();
    let offsets: Vec<u64> = rows.iter().map(|r| offset_of(&r.0, r.1, r.2)).collect();
    assert!(offsets.is_sorted() && offsets[0] == 0);
    assert_eq!(offset_of(b"zzz", 1, ValueType::Value), finished.properties.data_size);
}

#[test]
fn disorder_and_unknown_options_are_refused() {
    let ctx = || builder_context(BlockBasedTableOptions::default(), CompressionType::None);
    let row = |k: &str, seq, kind| (k.as_bytes().to_vec(), seq, kind, Vec::new());
    let put = ValueType::Value;
    build(ctx(), &[row("b", 1, put), row("a", 1, put)]).unwrap_err();
    build(ctx(), &[row("a", 1, put), row("a", 1, put)]).unwrap_err();
    build(ctx(), &[row("a", 1, put), row("a", 2, put)]).unwrap_err();
    let xpress = builder_context(BlockBasedTableOptions::default(), CompressionType::Xpress);
    assert!(build(xpress, &[]).unwrap_err().message().contains("Xpress"));
    let opts = BlockBasedTableOptions { format_version: 8, ..Default::default() };
    let e = build(builder_context(opts, CompressionType::None), &[]).unwrap_err();
    assert!(e.message().contains("format_version 8"));
}

#[test]
fn range_deletions_have_a_block_of_their_own() {
    let row = |k: &str, seq, kind, v: &str| (k.into(), seq, kind, v.as_bytes().to_vec());
    let (put, range) = (ValueType::Value, ValueType::RangeDeletion);
    let rows: Vec<Row> = vec![
        row("c", 5, put, "1"),
        row("b", 7, range, "f"),
        row("d", 9, put, "2"),
        row("e", 3, range, "k"),
    ];
    let ctx = builder_context(with_filter(), CompressionType::Lz4);
    let (bytes, finished) = build(ctx, &rows).unwrap();
    let p = &finished.properties;
    assert_eq!((p.num_entries, p.num_deletions, p.num_range_deletions), (4, 2, 2));
    let mut table = open(&bytes, &read_context(None)).unwrap();
    let found = |table: &Table| -> Vec<(String, String, Vec<u64>)> {
        let text = |key: &[u8]| String::from_utf8(key.to_vec()).unwrap();
        let all = table.range_tombstones().unwrap();
        all.iter().map(|f| (text(f.begin), text(f.end), f.seqs.to_vec())).collect()
    };
    let piece = |begin: &str, end: &str, seqs: &[u64]| (begin.into(), end.into(), seqs.to_vec());
    let all = [piece("b", "e", &[7]), piece("e", "f", &[7, 3]), piece("f", "k", &[3])];
    assert_eq!(found(&table), all);
    let entries = scan(&table, &TableIterOptions::default()).unwrap();
    assert_eq!(entries, [rows[0].clone(), rows[2].clone()]);
    let get = |table: &Table, key: &[u8], at| {
        let mut lookup = crate::iter::GetContext::new(key, None);
        let key = crate::base::LookupBuffer::new(key, at);
        let key = key.key();
        table.get(&key, &Default::default(), &mut lookup).unwrap();
        (lookup.is_done(), lookup.finish().unwrap().map(|v| v.to_vec()))
    };
    assert_eq!(get(&table, b"c", 6), (true, Some(b"1".to_vec())));
    assert_eq!(get(&table, b"c", 7), (true, None));
    assert_eq!(get(&table, b"d", 9), (true, Some(b"2".to_vec())));
    assert_eq!(get(&table, b"bb", 9), (true, None), "older places are hidden, too");
    assert_eq!(get(&table, b"g", 2), (false, None));
    // Only the file's boundaries in the MANIFEST matter.
    let last = internal(b"f", crate::base::MAX_SEQUENCE_NUMBER, range);
    Arc::get_mut(&mut table).unwrap().clip_range_tombstones(&internal(b"c", 5, put), &last);
    assert_eq!(found(&table), [piece("c", "e", &[7]), piece("e", "f", &[7, 3])]);
    let last = internal(b"d", 9, put);
    Arc::get_mut(&mut table).unwrap().clip_range_tombstones(&internal(b"c", 5, put), &last);
    assert_eq!(found(&table), [piece("c", "d\0", &[7])]);
}

/// Rebuilds files of RocksDB 7.8.3 from their entries: data, filter and index blocks are the same.
#[test]
fn blocks_are_rocksdbs_byte_for_byte() {
    let base = BlockBasedTableOptions { block_size: 1024, ..Default::default() };
    let cases: Vec<(&str, BlockBasedTableOptions)> = vec![
        ("tiny_fv5_xxh3", BlockBasedTableOptions::default()),
        (
            "tiny_bloom_crc32c",
            BlockBasedTableOptions { checksum: ChecksumType::Crc32c, ..with_filter() },
        ),
        (
            "checksum_type_3",
            BlockBasedTableOptions { checksum: ChecksumType::XxHash64, ..base.clone() },
        ),
        (
            "restart_interval_1",
            BlockBasedTableOptions { block_restart_interval: 1, ..base.clone() },
        ),
        (
            "index_restart_16",
            BlockBasedTableOptions { index_block_restart_interval: 16, ..base.clone() },
        ),
        (
            "data_block_hash_index",
            BlockBasedTableOptions {
                data_block_index_type: DataBlockIndexType::BinaryAndHash,
                ..base.clone()
            },
        ),
    ];
    for (name, opts) in cases {
        let path = format!("{}/src/sst/testdata/sst/{name}.sst", env!("CARGO_MANIFEST_DIR"));
        let real = std::fs::read(path).unwrap();
        let table = open(&real, &read_context(None)).unwrap();
        let rows = scan(&table, &TableIterOptions::default()).unwrap();
        let Table::BlockBased(inner) = &*table else { panic!() };
        let index = inner.source.footer().index.unwrap();
        let mut matched = None;
        for block_size in [512, 1024, 2048, 4096] {
            let opts = BlockBasedTableOptions { block_size, ..opts.clone() };
            let (ours, _) = build(builder_context(opts, CompressionType::None), &rows).unwrap();
            let end = index.end().unwrap() as usize;
            if ours.get(..end) == real.get(..end) {
                matched = Some(block_size);
            }
        }
        assert!(matched.is_some(), "{name}");
    }
}
