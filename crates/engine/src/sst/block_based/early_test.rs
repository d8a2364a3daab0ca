//! Early lookups return the same results as later ones.

use super::super::early::EARLY_LOOKUPS;
use super::super::test_util::*;
use crate::base::{KeyOrder, LookupBuffer, ReverseBytewiseComparator, SeqNo, ValueType};
use crate::cache::Cache;
use crate::compress::CompressionType;
use crate::env::sync::atomic::AtomicBool;
use crate::error::Code;
use crate::iter::GetContext;
use crate::options::{BlockBasedTableOptions, IndexType, ReadOptions, ReadTier};
use crate::sst::{Table, TableReadContext};
use crate::stats::{Statistics, Ticker};
use std::sync::Arc;

/// Keys of several lengths with up to `versions` entries each, in bytewise order.
fn rows(n: usize, versions: u64) -> Vec<Row> {
    let mut rng = fastrand::Rng::with_seed(n as u64);
    let mut rows = Vec::new();
    for i in 0..n {
        let key = format!("{:05}{}", 3 * i, "x".repeat(i % 4)).into_bytes();
        for seq in (1..=rng.u64(1..=versions)).rev() {
            let kind = if rng.u8(..8) == 0 { ValueType::Deletion } else { ValueType::Value };
            let value = if kind == ValueType::Deletion { 0 } else { 10 };
            rows.push((key.clone(), 10 * seq, kind, vec![b'a' + (seq % 20) as u8; value]));
        }
    }
    rows
}

fn cached() -> TableReadContext {
    read_context(Some(Cache::new_lru(1 << 20)))
}

fn is_early(table: &Table) -> bool {
    let Table::BlockBased(table) = table else { panic!("block-based") };
    table.parts.ready().is_none()
}

/// Compares early lookups with those of a table whose parts are loaded, for every row and for positions before, between
/// and after the rows.
fn compare(bytes: &[u8], ctx: &TableReadContext, rows: &[Row]) {
    let ready = open(bytes, ctx).unwrap();
    let mut lookups: Vec<(Vec<u8>, SeqNo)> = vec![(vec![], 99), (vec![0xff; 9], 99)];
    for (key, seq, ..) in rows {
        lookups.extend([(key.clone(), *seq), (key.clone(), seq - 1), (key.clone(), 1 << 40)]);
        lookups.push(([key, &b"0"[..]].concat(), 99));
    }
    for some in lookups.chunks(EARLY_LOOKUPS as usize) {
        let late = open_late(bytes, ctx).unwrap();
        for (key, seq) in some {
            let (answer, expected) = (get(&late, key, *seq), get(&ready, key, *seq));
            assert_eq!(answer.unwrap(), expected.unwrap(), "{} at {seq}", key.escape_ascii());
        }
        assert!(is_early(&late));
    }
}

#[test]
fn in_every_form_of_the_index() {
    let (few, many) = if cfg!(miri) { (2, 6) } else { (60, 150) };
    let (versions, intervals) =
        if cfg!(miri) { (&[2, 5][..], &[3][..]) } else { (&[2, 3, 4, 5][..], &[1, 3, 16][..]) };
    for &format_version in versions {
        for &index_block_restart_interval in intervals {
            for index_type in [IndexType::BinarySearch, IndexType::BinarySearchWithFirstKey] {
                let opts = BlockBasedTableOptions {
                    format_version,
                    index_block_restart_interval,
                    index_type,
                    block_size: 80,
                    ..with_filter()
                };
                // With several versions, a user key's entries are in several blocks.
                for rows in [rows(many, 1), rows(few, 12), rows(1, 1), vec![]] {
                    let ctx = builder_context(opts.clone(), CompressionType::Snappy);
                    compare(&build(ctx, &rows).unwrap().0, &cached(), &rows);
                }
            }
        }
    }
}

#[test]
fn in_other_orders_and_files_that_were_ingested() {
    let n = if cfg!(miri) { 5 } else { 40 };
    let opts = BlockBasedTableOptions { block_size: 80, ..BlockBasedTableOptions::default() };
    let reverse = KeyOrder::new(Arc::new(ReverseBytewiseComparator));
    let mut descending = rows(n, 1);
    descending.reverse();
    let mut write = builder_context(opts.clone(), CompressionType::None);
    write.order = reverse.clone();
    let read = TableReadContext { order: reverse, ..read_context(None) };
    compare(&build(write, &descending).unwrap().0, &read, &descending);

    let mut ingested = rows(n, 1);
    ingested.iter_mut().for_each(|row| row.1 = 0);
    let mut write = builder_context(opts, CompressionType::None);
    write.for_ingestion = true;
    let bytes = build(write, &ingested).unwrap().0;
    // The global sequence number applies to all entries.
    ingested.iter_mut().for_each(|row| row.1 = 70);
    compare(&bytes, &TableReadContext { global_seqno: Some(70), ..cached() }, &ingested);
}

#[test]
fn they_end_when_the_parts_are_there() {
    let rows = rows(50, 1);
    let opts = BlockBasedTableOptions { block_size: 80, ..with_filter() };
    let bytes = build(builder_context(opts, CompressionType::None), &rows).unwrap().0;
    let (key, empty) = (&rows[7].0, open_late(&bytes, &cached()).unwrap().memory_usage());
    let whole = open(&bytes, &cached()).unwrap().memory_usage();
    let table = open_late(&bytes, &cached()).unwrap();
    for _ in 0..EARLY_LOOKUPS {
        get(&table, key, 99).unwrap();
        assert!(is_early(&table) && (empty + 1..whole).contains(&table.memory_usage()));
    }
    get(&table, key, 99).unwrap();
    assert!(!is_early(&table));
    assert_eq!(table.memory_usage(), whole, "the index block is freed");
    // The background thread may be faster.
    let table = open_late(&bytes, &cached()).unwrap();
    get(&table, key, 99).unwrap();
    table.read_parts(&AtomicBool::new(false)).unwrap();
    assert_eq!((is_early(&table), table.memory_usage()), (false, whole));
}

#[test]
fn a_lookup_that_may_not_read_finds_nothing_in_memory() {
    let rows = rows(50, 1);
    let bytes = build(builder_context(with_filter(), CompressionType::None), &rows).unwrap().0;
    let table = open_late(&bytes, &cached()).unwrap();
    let key = LookupBuffer::new(&rows[7].0, 99);
    let mut ctx = GetContext::new(&rows[7].0, None);
    let ro = ReadOptions { read_tier: ReadTier::BlockCache, ..ReadOptions::default() };
    assert_eq!(table.get(&key.key(), &ro, &mut ctx).unwrap_err().code(), Code::Incomplete);
}

#[test]
fn crafted_indexes_are_errors_and_no_panics() {
    // Without checksums the file behaves like a crafted one.
    let opts = BlockBasedTableOptions {
        checksum: crate::options::ChecksumType::NoChecksum,
        block_size: 80,
        ..with_filter()
    };
    let rows = rows(20, 1);
    let bytes = build(builder_context(opts, CompressionType::None), &rows).unwrap().0;
    let Table::BlockBased(table) = &*open(&bytes, &cached()).unwrap() else { panic!() };
    let index = table.parts.index();
    let (mut refused, mut rng) = (0, fastrand::Rng::with_seed(3));
    for _ in 0..if cfg!(miri) { 20 } else { 3000 } {
        let mut crafted = bytes.clone();
        let at = index.offset as usize + rng.usize(..index.size as usize);
        crafted[at] = rng.u8(..);
        let Ok(late) = open_late(&crafted, &cached()) else { continue };
        for (key, ..) in rows.iter().take(EARLY_LOOKUPS as usize) {
            if let Err(e) = get(&late, key, 1 << 40) {
                assert!(e.is_corruption() && e.message().contains("000009.sst"), "{e}");
                refused += 1;
            }
        }
    }
    assert!(cfg!(miri) || refused > 1000, "{refused}");
}

#[test]
fn they_count_as_misses() {
    let rows = rows(50, 1);
    let opts = BlockBasedTableOptions { block_size: 80, ..with_filter() };
    let bytes = build(builder_context(opts, CompressionType::None), &rows).unwrap().0;
    let statistics = Some(Statistics::new());
    let table = open_late(&bytes, &TableReadContext { statistics: statistics.clone(), ..cached() })
        .unwrap();
    for (key, ..) in rows.iter().take(5) {
        get(&table, key, 99).unwrap();
    }
    let ticks = |ticker| statistics.as_ref().unwrap().ticker(ticker);
    assert_eq!((ticks(Ticker::BlockCacheMiss), ticks(Ticker::BlockCacheDataMiss)), (5, 5));
    assert_eq!((ticks(Ticker::BlockCacheHit), ticks(Ticker::BlockCacheAdd)), (0, 0));
}
