//! Tables for the benches: built by the engine's own builder, in files in memory.
//!
//! Blocks, fences and filters cannot be made from outside of the engine, but a table that has next to
//! nothing else is public.

use ferrolith::internal::base::key::{append_internal_key, pack_trailer};
use ferrolith::internal::base::{KeyOrder, ValueType};
use ferrolith::internal::cache::Cache;
use ferrolith::internal::compress::CompressionType;
use ferrolith::internal::fs::mem::MemFs;
use ferrolith::internal::fs::{FileSystem, WritableOptions};
use ferrolith::internal::hooks::SliceTransform;
use ferrolith::internal::options::{BlockBasedTableOptions, CompressionOptions, TableFactory};
use ferrolith::internal::sst::{Table, TableBuilder, TableBuilderContext, TableReadContext};
use std::path::Path;
use std::sync::Arc;

/// The sequence number of every entry.
pub const SEQUENCE: u64 = 7;

/// The internal key of the one entry that a user key has.
pub fn internal(user_key: &[u8]) -> Vec<u8> {
    let mut key = Vec::with_capacity(user_key.len() + 8);
    append_internal_key(&mut key, user_key, pack_trailer(SEQUENCE, ValueType::Value));
    key
}

/// An open table with these keys, which ascend, and the same value for all.
pub fn table(
    options: BlockBasedTableOptions,
    extractor: Option<Arc<dyn SliceTransform>>,
    keys: impl Iterator<Item = [u8; 16]>,
    value: &[u8],
) -> Arc<Table> {
    let (fs, path) = (MemFs::new(), Path::new("/db/000009.sst"));
    fs.create_dir_if_missing(Path::new("/db")).expect("directory");
    let file = fs.new_writable(path, WritableOptions::default()).expect("file");
    let factory = TableFactory::BlockBased(options);
    let context = builder_context(factory.clone(), extractor.clone());
    let mut builder = TableBuilder::new(file, context).expect("builder");
    for key in keys {
        builder.add(&internal(&key), value).expect("add");
    }
    builder.finish().expect("finish");
    let context = TableReadContext {
        order: KeyOrder::bytewise(),
        factory,
        prefix_extractor: extractor,
        cache: Some(Cache::new_lru(64 << 20)),
        mmap: false,
        file_number: 9,
        global_seqno: None,
        statistics: None,
        memory: None,
        random_reads: false,
        at_last_level: false,
    };
    Table::open(fs.open_random_access(path, false).expect("file"), &context).expect("table")
}

fn builder_context(
    factory: TableFactory,
    prefix_extractor: Option<Arc<dyn SliceTransform>>,
) -> TableBuilderContext {
    TableBuilderContext {
        order: KeyOrder::bytewise(),
        factory,
        prefix_extractor,
        merge_operator_name: None,
        compression: CompressionType::None,
        compression_opts: CompressionOptions::default(),
        target_file_size: 0,
        level: 0,
        column_family_id: 0,
        column_family_name: "default".into(),
        file_number: 9,
        db_id: "bench".into(),
        db_session_id: "BENCHBENCHBENCHBENCH".into(),
        host: "bench".into(),
        creation_time: 1,
        oldest_key_time: 1,
        file_creation_time: 1,
        bottommost: false,
        skip_filter: false,
        for_ingestion: false,
        statistics: None,
    }
}
