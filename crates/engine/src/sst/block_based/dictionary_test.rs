//! Files with a compression dictionary: which files have one, that it is used, and the limits on held blocks.

use super::test_util::*;
use crate::base::{KeyOrder, ValueType};
use crate::cache::Cache;
use crate::compress::{CompressionType, DEFAULT_LEVEL};
use crate::fs::mem::MemFs;
use crate::fs::{FileSystem, WritableOptions};
use crate::hooks::FixedPrefixTransform;
use crate::options::{BlockBasedTableOptions, CompressionOptions, IndexType};
use crate::sst::{Table, TableBuilder, TableBuilderContext};
use std::path::Path;
use std::sync::Arc;

/// Entries that have more in common with distant entries than with their neighbours.
fn rows(n: usize) -> Vec<Row> {
    let cities = ["Utrecht", "Reykjavik", "Montevideo", "Antananarivo", "Vladivostok"];
    let mut rng = fastrand::Rng::with_seed(5);
    (0..n)
        .map(|i| {
            let value = format!(
                "{{\"name\":\"user{}\",\"city\":\"{}\",\"score\":{}}}",
                rng.u32(..),
                cities[rng.usize(..5)],
                rng.u16(..)
            );
            (format!("key{i:07}").into_bytes(), i as u64 + 1, ValueType::Value, value.into_bytes())
        })
        .collect()
}

fn context(kind: CompressionType, table: BlockBasedTableOptions) -> TableBuilderContext {
    let mut ctx = builder_context(table, kind);
    ctx.compression_opts =
        CompressionOptions { max_dict_bytes: 4096, ..CompressionOptions::default() };
    ctx
}

fn small_blocks() -> BlockBasedTableOptions {
    BlockBasedTableOptions { block_size: 512, verify_compression: true, ..with_filter() }
}

/// Builds a table and reads everything back. Returns the lengths of the file and of its dictionary.
fn build_and_check(ctx: TableBuilderContext, rows: &[Row]) -> (u64, Option<usize>) {
    let mut read = read_context(Some(Cache::new_lru(1 << 20)));
    read.prefix_extractor = ctx.prefix_extractor.clone();
    let (bytes, finished) = build(ctx, rows).unwrap();
    let table = open(&bytes, &read).unwrap();
    check_rows(&table, rows, &KeyOrder::bytewise());
    assert_eq!(table.properties(), &finished.properties);
    let Table::BlockBased(inner) = &*table else { panic!() };
    let dictionary = inner.dictionary.as_ref().map(|d| d.bytes().len());
    assert!(table.memory_usage() > dictionary.unwrap_or(0), "the reader counts it");
    (finished.file_size, dictionary)
}

#[test]
fn codecs_with_dictionaries_use_them() {
    let rows = rows(600);
    for kind in [CompressionType::Zlib, CompressionType::Lz4, CompressionType::Zstd] {
        for format_version in [2, 5, 7] {
            let table = BlockBasedTableOptions { format_version, ..small_blocks() };
            let mut ctx = context(kind, table.clone());
            let (size, dictionary) = build_and_check(ctx.clone(), &rows);
            let dictionary = dictionary.expect("a dictionary") as u64;
            assert!(dictionary <= 4096);
            ctx.compression_opts.max_dict_bytes = 0;
            let (alone, none) = build_and_check(ctx, &rows);
            assert!(none.is_none());
            assert!(size < alone + dictionary, "{kind:?}: {size} with, {alone} without");
        }
    }
    for kind in [CompressionType::None, CompressionType::Snappy, CompressionType::Bzip2] {
        let (_, dictionary) = build_and_check(context(kind, small_blocks()), &rows[..100]);
        assert!(dictionary.is_none(), "{kind:?}");
    }
}

#[test]
fn zstandard_trains_or_finalizes() {
    let rows = rows(800);
    for (trainer, level) in [(true, DEFAULT_LEVEL), (false, DEFAULT_LEVEL), (false, 1)] {
        let mut ctx = context(CompressionType::Zstd, small_blocks());
        ctx.compression_opts.zstd_max_train_bytes = 40 << 10;
        ctx.compression_opts.use_zstd_dict_trainer = trainer;
        ctx.compression_opts.level = level;
        ctx.compression_opts.checksum = true;
        let (bytes, finished) = build(ctx.clone(), &rows).unwrap();
        let table = open(&bytes, &read_context(None)).unwrap();
        let Table::BlockBased(inner) = &*table else { panic!() };
        let dictionary = inner.dictionary.as_ref().expect("a dictionary").bytes();
        assert!(dictionary.starts_with(&0xEC30_A437_u32.to_le_bytes()), "with entropy tables");
        build_and_check(ctx, &rows);
        let expected = format!(
            "window_bits=-14; level={level}; strategy=0; max_dict_bytes=4096; \
             zstd_max_train_bytes=40960; enabled=0; max_dict_buffer_bytes=0; \
             use_zstd_dict_trainer={}; max_compressed_bytes_per_kb=896; checksum=1; ",
            u8::from(trainer)
        );
        assert_eq!(finished.properties.compression_options, expected);
    }
    // One block is too little to train from; the file has no dictionary.
    let mut ctx = context(CompressionType::Zstd, small_blocks());
    ctx.compression_opts.zstd_max_train_bytes = 40 << 10;
    assert!(build_and_check(ctx, &rows[..3]).1.is_none());
}

#[test]
fn indexes_do_not_notice_that_blocks_waited() {
    let rows = rows(500);
    for index_type in
        [IndexType::HashSearch, IndexType::TwoLevelIndexSearch, IndexType::BinarySearchWithFirstKey]
    {
        let mut table = BlockBasedTableOptions { index_type, ..small_blocks() };
        table.metadata_block_size = 256;
        table.partition_filters = index_type == IndexType::TwoLevelIndexSearch;
        let mut ctx = context(CompressionType::Lz4, table);
        ctx.prefix_extractor = Some(Arc::new(FixedPrefixTransform::new(8)));
        assert!(build_and_check(ctx, &rows).1.is_some());
    }
    assert!(build_and_check(context(CompressionType::Zstd, small_blocks()), &[]).1.is_none());
}

#[test]
fn the_wait_is_limited_by_options_and_by_the_cache() {
    let rows = rows(9000);
    let cache = Cache::with_settings("LRUCache", 4 << 20, 0, true);
    let mut table = BlockBasedTableOptions { verify_compression: false, ..small_blocks() };
    table.block_cache = Some(Arc::clone(&cache));
    let charged_at_most = |ctx: &TableBuilderContext| {
        let fs = MemFs::new();
        fs.create_dir_if_missing(Path::new("/db")).unwrap();
        let file =
            fs.new_writable(Path::new("/db/000009.sst"), WritableOptions::default()).unwrap();
        let mut builder = TableBuilder::new(file, ctx.clone()).unwrap();
        let mut most = 0;
        for (key, seq, kind, value) in &rows {
            builder.add(&internal(key, *seq, *kind), value).unwrap();
            most = most.max(cache.usage());
        }
        builder.finish().unwrap();
        assert_eq!(cache.usage(), 0, "the charge is released");
        most
    };
    let ctx = context(CompressionType::Lz4, table);
    let everything = charged_at_most(&ctx);
    assert!(everything > 600 << 10, "{everything}");
    let mut limited = ctx.clone();
    limited.compression_opts.max_dict_buffer_bytes = 200 << 10;
    assert_eq!(charged_at_most(&limited), 256 << 10);
    let mut of_a_size = ctx.clone();
    of_a_size.target_file_size = 200 << 10;
    assert_eq!(charged_at_most(&of_a_size), 256 << 10);
    // Nothing fits into the cache, so only the first block is used.
    let full = cache.reserve(4 << 20).unwrap();
    let (_, dictionary) = build_and_check(ctx, &rows[..400]);
    assert!(dictionary.expect("one block's") <= 700);
    drop(full);
}
