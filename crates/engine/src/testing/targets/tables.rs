//! Tables: an input is a file. Its checksum type may be "none", so that damage reaches the decoders of all blocks.

use crate::base::checksum::ChecksumType;
use crate::base::key::{append_internal_key, pack_trailer};
use crate::base::{InternalIterator, ValueType};
use crate::cache::Cache;
use crate::compress::CompressionType;
use crate::options::{
    BlockBasedTableOptions, CuckooTableOptions, FilterPolicy, IndexType, PlainTableOptions,
    TableFactory,
};
use crate::sst::block_based::test_util::{
    Row, build, builder_context, get, open, open_late, read_context,
};
use crate::sst::{Table, TableIterOptions};
use std::sync::Arc;

/// The most rows that one scan visits. Entries of an index may all name one block.
const ROWS_MAX: usize = 2000;
/// The most keys that are looked up.
const KEYS_MAX: usize = 12;

/// Opens the table in both ways, and reads all of it. Every call returns a value or an error.
pub fn run(data: &[u8]) {
    let cached = read_context(Some(Cache::new_lru(64 << 10)));
    if let Ok(table) = open_late(data, &cached) {
        // The first lookups search the index as it is in the file.
        for key in 0..3 {
            let _ = get(&table, &user_key(key * 9), 50);
        }
        read(&table);
    }
    let mut mapped = read_context(None);
    mapped.mmap = true;
    if let Ok(table) = open(data, &mapped) {
        read(&table);
    }
}

fn read(table: &Arc<Table>) {
    let mut iter = table.iter(&TableIterOptions::default());
    let mut keys = vec![internal(b"", 0), internal(&user_key(5), 100), internal(b"\xFF\xFF", 9)];
    iter.seek_to_first();
    let mut rows = 0;
    while iter.valid() && rows < ROWS_MAX {
        let (key, _) = (iter.key(), iter.value());
        if key.len() >= 8 && rows % 7 == 0 && keys.len() < KEYS_MAX {
            keys.push(key.to_vec());
        }
        iter.next();
        rows += 1;
    }
    let _ = iter.status();
    iter.seek_to_last();
    for _ in 0..ROWS_MAX {
        if !iter.valid() {
            break;
        }
        let _ = (iter.key(), iter.value());
        iter.prev();
    }
    for key in &keys {
        iter.seek(key);
        if iter.valid() {
            iter.prev();
        }
        iter.seek_for_prev(key);
        if iter.valid() {
            iter.next();
        }
        let user = &key[..key.len() - 8];
        // The second lookup finds a cached block, and the third one its fingerprints.
        for _ in 0..3 {
            let _ = get(table, user, 1 << 40);
        }
        let _ = table.approximate_offset_of(key);
        table.prefix_may_match(user);
    }
    let for_compaction = TableIterOptions { for_compaction: true, ..TableIterOptions::default() };
    let mut iter = table.iter(&for_compaction);
    iter.seek_to_first();
    for _ in 0..ROWS_MAX {
        if !iter.valid() {
            break;
        }
        iter.next();
    }
    let _ = (table.verify_checksums(), table.range_tombstones(), table.memory_usage());
}

fn user_key(i: u32) -> Vec<u8> {
    format!("key{i:04}").into_bytes()
}

fn internal(user: &[u8], sequence: u64) -> Vec<u8> {
    let mut key = Vec::new();
    append_internal_key(&mut key, user, pack_trailer(sequence, ValueType::Value));
    key
}

fn rows(range_deletions: bool) -> Vec<Row> {
    let mut rows: Vec<Row> = Vec::new();
    for i in 0..24 {
        let value = format!("value {}", i * 37 % 11).repeat(1 + i as usize % 3).into_bytes();
        let kind = if i % 9 == 4 { ValueType::Deletion } else { ValueType::Value };
        rows.push((user_key(i), 20 + u64::from(i), kind, value));
    }
    if range_deletions {
        rows.push((user_key(3), 60, ValueType::RangeDeletion, user_key(7)));
        rows.push((user_key(5), 61, ValueType::RangeDeletion, user_key(9)));
    }
    rows
}

/// Small tables of all formats, codecs and kinds of index and filter.
pub fn seeds() -> Vec<Vec<u8>> {
    let plain = BlockBasedTableOptions {
        block_size: 200,
        checksum: ChecksumType::NoChecksum,
        ..BlockBasedTableOptions::default()
    };
    let filter = |filter_policy| BlockBasedTableOptions {
        filter_policy: Some(filter_policy),
        ..plain.clone()
    };
    let index = |index_type| BlockBasedTableOptions { index_type, ..plain.clone() };
    let bloom = || filter(FilterPolicy::Bloom { bits_per_key: 10.0 });
    let partitioned = BlockBasedTableOptions {
        index_type: IndexType::TwoLevelIndexSearch,
        partition_filters: true,
        metadata_block_size: 64,
        ..bloom()
    };
    let options = [
        plain.clone(),
        bloom(),
        index(IndexType::HashSearch),
        index(IndexType::BinarySearchWithFirstKey),
        partitioned,
        BlockBasedTableOptions { format_version: 2, ..bloom() },
        BlockBasedTableOptions { format_version: 6, ..bloom() },
        BlockBasedTableOptions { checksum: ChecksumType::Crc32c, ..plain.clone() },
    ];
    let mut seeds = Vec::new();
    for (i, options) in options.into_iter().enumerate() {
        seeds.push(built(TableFactory::BlockBased(options), CompressionType::None, i % 2 == 0));
    }
    let codecs = CompressionType::ALL.into_iter().filter(|codec| codec.is_supported());
    for codec in codecs.filter(|&codec| codec != CompressionType::None) {
        seeds.push(built(TableFactory::BlockBased(plain.clone()), codec, false));
    }
    let formats = [
        TableFactory::Plain(PlainTableOptions::default()),
        TableFactory::Cuckoo(CuckooTableOptions::default()),
    ];
    for factory in formats {
        seeds.push(built(factory, CompressionType::None, false));
    }
    seeds
}

fn built(factory: TableFactory, compression: CompressionType, range_deletions: bool) -> Vec<u8> {
    let mut context = builder_context(BlockBasedTableOptions::default(), compression);
    context.factory = factory;
    build(context, &rows(range_deletions)).expect("a table").0
}
