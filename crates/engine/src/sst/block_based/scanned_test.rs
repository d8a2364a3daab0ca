//! What scans that leave the cache alone, such as compactions, count: each block once, and cached ones as hits if that
//! saves something.

use super::super::test_util::*;
use crate::base::ValueType;
use crate::cache::Cache;
use crate::compress::CompressionType;
use crate::options::BlockBasedTableOptions;
use crate::sst::{TableIterOptions, TableReadContext};
use crate::stats::{Activity, Statistics, Ticker, busy_with};
use std::sync::Arc;

fn rows() -> Vec<Row> {
    let row = |i: usize| {
        let value = format!("{i:09}").repeat(50).into_bytes();
        (format!("key{i:06}").into_bytes(), 1, ValueType::Value, value)
    };
    (0..2000).map(row).collect()
}

/// The counts of one scan: blocks in the cache, those that are not, those found in a window, and their bytes; and the
/// numbers of all blocks and of their bytes.
fn counts(kind: CompressionType, activity: Activity, is_cached: bool) -> [u64; 6] {
    let rows = rows();
    let opts = BlockBasedTableOptions::default();
    let (bytes, finished) = build(builder_context(opts, kind), &rows).unwrap();
    let statistics = Statistics::new();
    let ctx = TableReadContext {
        statistics: Some(Arc::clone(&statistics)),
        ..read_context(Some(Cache::new_lru(8 << 20)))
    };
    let table = open(&bytes, &ctx).unwrap();
    if is_cached {
        // All blocks but the first.
        let later = rows.iter().skip(100);
        later.for_each(|(key, seq, ..)| drop(get(&table, key, *seq).unwrap()));
    }
    let tickers = [
        Ticker::BlockCacheDataHit,
        Ticker::BlockCacheDataMiss,
        Ticker::PrefetchHits,
        Ticker::PrefetchBytesUseful,
    ];
    let before = tickers.map(|ticker| statistics.ticker(ticker));
    let _busy = busy_with(activity);
    let ro = TableIterOptions { for_compaction: true, ..TableIterOptions::default() };
    assert_eq!(scan(&table, &ro).unwrap(), rows);
    let after = tickers.map(|ticker| statistics.ticker(ticker));
    let [hits, misses, in_window, useful] = std::array::from_fn(|i| after[i] - before[i]);
    let properties = finished.properties;
    [hits, misses, in_window, useful, properties.num_data_blocks, properties.data_size]
}

#[test]
fn a_block_in_a_window_is_counted_once() {
    for kind in [CompressionType::None, CompressionType::Lz4] {
        let [hits, misses, in_window, useful, blocks, bytes] = counts(kind, Activity::Flush, false);
        assert_eq!((hits, misses), (0, blocks), "{kind:?}");
        assert!(
            blocks > 20 && in_window < blocks && in_window > blocks / 2,
            "{in_window} {blocks}"
        );
        assert!(useful <= bytes && useful > bytes / 10 * 9, "{kind:?}: {useful} of {bytes}");
    }
}

#[test]
fn cached_blocks_are_not_unpacked_again() {
    let [hits, misses, _, _, blocks, _] = counts(CompressionType::Lz4, Activity::Compaction, true);
    assert_eq!(hits + misses, blocks);
    assert!(misses * 10 < blocks, "{misses} of {blocks}");
    // Cached blocks that a window has as they are used come from it, and are no misses.
    let [hits, misses, _, _, blocks, _] = counts(CompressionType::None, Activity::Compaction, true);
    assert!(hits + misses < blocks && misses * 10 < blocks, "{hits} {misses} of {blocks}");
}
