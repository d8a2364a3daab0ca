//! Tables whose index and filter are loaded at their first use.

use super::super::test_util::*;
use crate::base::{KeyOrder, ValueType};
use crate::cache::Cache;
use crate::compress::CompressionType;
use crate::env::sync::atomic::AtomicBool;
use crate::error::Code;
use crate::options::{BlockBasedTableOptions, ChecksumType};
use crate::sst::{Table, TableIterOptions, TableReadContext};
use std::sync::{Arc, Barrier};

fn rows(n: usize) -> Vec<Row> {
    let row = |i| (format!("key{i:06}").into_bytes(), 7, ValueType::Value, vec![b'v'; 30]);
    (0..n).map(row).collect()
}

fn table_bytes(rows: &[Row], checksum: ChecksumType) -> Vec<u8> {
    let opts = BlockBasedTableOptions { block_size: 200, checksum, ..with_filter() };
    build(builder_context(opts, CompressionType::None), rows).unwrap().0
}

fn cached() -> TableReadContext {
    read_context(Some(Cache::new_lru(1 << 20)))
}

/// The offsets of index and filter.
fn places(bytes: &[u8]) -> (usize, usize) {
    let Table::BlockBased(table) = &*open(bytes, &cached()).unwrap() else { panic!() };
    let super::FilterAt::Full(filter) = table.parts.at.filter else { panic!() };
    (table.parts.at.index.offset as usize, filter.offset as usize)
}

#[test]
fn a_late_table_reads_its_parts_once_and_answers_as_any() {
    let rows = rows(if cfg!(miri) { 30 } else { 2000 });
    let bytes = table_bytes(&rows, ChecksumType::Xxh3);
    let (early, late) = (open(&bytes, &cached()).unwrap(), open_late(&bytes, &cached()).unwrap());
    assert!(late.memory_usage() < early.memory_usage());
    for _ in 0..=super::super::early::EARLY_LOOKUPS {
        assert_eq!(get(&late, b"key000003", 9).unwrap(), Some(vec![b'v'; 30]));
    }
    assert_eq!(late.memory_usage(), early.memory_usage());
    check_rows(&late, &rows, &KeyOrder::bytewise());
    // The first use may also be a scan, an approximate offset, or a lookup of an absent key.
    let fresh = || open_late(&bytes, &cached()).unwrap();
    assert_eq!(scan(&fresh(), &TableIterOptions::default()).unwrap(), rows);
    let middle = internal(&rows[rows.len() / 2].0, 9, ValueType::Value);
    let place = early.approximate_offset_of(&middle).unwrap();
    assert!(place > 0);
    assert_eq!(fresh().approximate_offset_of(&middle).unwrap(), place);
    assert_eq!(get(&fresh(), b"key9", 9).unwrap(), None);
    fresh().verify_checksums().unwrap();
}

#[test]
fn reading_that_is_cancelled_leaves_the_parts_to_others() {
    let rows = rows(300);
    let bytes = table_bytes(&rows, ChecksumType::Xxh3);
    let table = open_late(&bytes, &cached()).unwrap();
    let memory = table.memory_usage();
    let e = table.read_parts(&AtomicBool::new(true)).unwrap_err();
    assert_eq!((e.code(), table.memory_usage()), (Code::ShutdownInProgress, memory));
    table.read_parts(&AtomicBool::new(false)).unwrap();
    assert!(table.memory_usage() > memory);
    table.read_parts(&AtomicBool::new(true)).unwrap();
    check_rows(&table, &rows, &KeyOrder::bytewise());
}

#[test]
fn a_wrong_checksum_is_found_at_opening() {
    let bytes = table_bytes(&rows(300), ChecksumType::Crc32c);
    let (index, filter) = places(&bytes);
    for at in [index + 5, filter + 5] {
        let mut damaged = bytes.clone();
        damaged[at] ^= 1;
        let early = open(&damaged, &cached()).err().unwrap();
        let late = open_late(&damaged, &cached()).err().unwrap();
        assert_eq!(late.to_string(), early.to_string());
        assert!(late.is_corruption() && late.message().contains("checksum mismatch"), "{late}");
    }
}

#[test]
fn damage_under_a_right_checksum_is_found_by_every_use_of_the_parts() {
    // Without checksums the file behaves like a crafted one.
    let mut bytes = table_bytes(&rows(300), ChecksumType::NoChecksum);
    let (index, _) = places(&bytes);
    // Change the second of two ascending keys, so that the index is out of order.
    let first = bytes[index..].windows(3).position(|w| w == b"key").unwrap();
    bytes[index + first] = b'z';
    let early = open(&bytes, &cached()).err().unwrap();
    assert!(early.is_corruption() && early.message().contains("out of order"), "{early}");
    let late = open_late(&bytes, &cached()).unwrap();
    // The first lookups do not read the whole index.
    for _ in 0..super::super::early::EARLY_LOOKUPS {
        let _ = get(&late, b"key000003", 9);
    }
    for _ in 0..2 {
        assert_eq!(get(&late, b"key000003", 9).unwrap_err().to_string(), early.to_string());
        let walked = scan(&late, &TableIterOptions::default()).unwrap_err();
        assert_eq!(walked.to_string(), early.to_string());
        assert!(late.verify_checksums().is_err());
        assert!(late.approximate_offset_of(&internal(b"k", 1, ValueType::Value)).is_err());
        assert!(late.prefix_may_match(b"key"), "who cannot tell does not say no");
    }
}

#[test]
fn a_budget_for_index_and_filter_is_taken_at_opening() {
    let bytes = table_bytes(&rows(300), ChecksumType::Xxh3);
    let cache = Cache::new_lru(1 << 20);
    let opts = BlockBasedTableOptions { cache_index_and_filter_blocks: true, ..with_filter() };
    let factory = crate::options::TableFactory::BlockBased(opts);
    let ctx = TableReadContext { factory, ..read_context(Some(Arc::clone(&cache))) };
    let table = open_late(&bytes, &ctx).unwrap();
    assert!(cache.usage() >= table.memory_usage());
    assert_eq!(table.memory_usage(), open(&bytes, &ctx).unwrap().memory_usage());
}

#[test]
fn threads_that_meet_at_the_first_use_get_the_same_parts() {
    let rows = rows(if cfg!(miri) { 20 } else { 500 });
    let bytes = table_bytes(&rows, ChecksumType::Xxh3);
    for _ in 0..if cfg!(miri) { 2 } else { 50 } {
        let (table, start) = (open_late(&bytes, &cached()).unwrap(), Barrier::new(4));
        let Table::BlockBased(inner) = &*table else { panic!() };
        std::thread::scope(|scope| {
            let look_up = || {
                start.wait();
                for (key, _, _, value) in rows.iter().step_by(97) {
                    assert_eq!(get(&table, key, 9).unwrap().as_ref(), Some(value));
                }
                std::ptr::from_ref(inner.parts().unwrap()) as usize
            };
            let threads: Vec<_> = (0..4).map(|_| scope.spawn(look_up)).collect();
            let seen: Vec<usize> = threads.into_iter().map(|t| t.join().unwrap()).collect();
            assert!(seen.iter().all(|at| *at == seen[0]), "{seen:?}");
        });
    }
}
