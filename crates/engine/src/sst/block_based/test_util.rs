//! Helpers that the tests of this folder and the fuzzer share: contexts, in-memory files, and reading everything
//! back.

#![cfg_attr(
    fuzzing,
    allow(dead_code, reason = "the fuzzer does not compare tables with their rows")
)]

use crate::base::key::{append_internal_key, pack_trailer};
use crate::base::{InternalIterator, KeyOrder, LookupBuffer, SeqNo, ValueType};
use crate::cache::Cache;
use crate::compress::CompressionType;
use crate::error::Result;
use crate::fs::mem::MemFs;
use crate::fs::{FileSystem, RandomAccessFile, WritableOptions};
use crate::iter::GetContext;
use crate::options::{
    BlockBasedTableOptions, CompressionOptions, FilterPolicy, ReadOptions, TableFactory,
};
use crate::sst::{
    FinishedTable, Table, TableBuilder, TableBuilderContext, TableIterOptions, TableReadContext,
};
use std::path::Path;
use std::sync::Arc;

/// User key, sequence number, type, value.
pub type Row = (Vec<u8>, SeqNo, ValueType, Vec<u8>);

pub fn internal(key: &[u8], seq: SeqNo, kind: ValueType) -> Vec<u8> {
    let mut out = Vec::new();
    append_internal_key(&mut out, key, pack_trailer(seq, kind));
    out
}

pub fn with_filter() -> BlockBasedTableOptions {
    BlockBasedTableOptions {
        filter_policy: Some(FilterPolicy::Bloom { bits_per_key: 10.0 }),
        ..BlockBasedTableOptions::default()
    }
}

pub fn read_context(cache: Option<Arc<Cache>>) -> TableReadContext {
    TableReadContext {
        order: KeyOrder::bytewise(),
        factory: TableFactory::BlockBased(with_filter()),
        prefix_extractor: None,
        cache,
        mmap: false,
        file_number: 9,
        global_seqno: None,
        statistics: None,
        memory: None,
        random_reads: false,
        at_last_level: false,
    }
}

pub fn builder_context(
    opts: BlockBasedTableOptions,
    compression: CompressionType,
) -> TableBuilderContext {
    TableBuilderContext {
        order: KeyOrder::bytewise(),
        factory: TableFactory::BlockBased(opts),
        prefix_extractor: None,
        merge_operator_name: None,
        compression,
        compression_opts: CompressionOptions::default(),
        target_file_size: 0,
        level: 0,
        column_family_id: 0,
        column_family_name: "default".into(),
        file_number: 9,
        db_id: "92e53605-97c8-484d-bcdd-3dd914c8f9a3".into(),
        db_session_id: "5QNTJYG9S3cFEHI65A9Y".to_uppercase(),
        host: "vm".into(),
        creation_time: 1,
        oldest_key_time: 1,
        file_creation_time: 1,
        bottommost: false,
        skip_filter: false,
        for_ingestion: false,
        statistics: None,
    }
}

/// Writes rows to an in-memory file.
pub fn build(ctx: TableBuilderContext, rows: &[Row]) -> Result<(Vec<u8>, FinishedTable)> {
    let fs = MemFs::new();
    let path = Path::new("/db/000009.sst");
    fs.create_dir_if_missing(Path::new("/db"))?;
    let file = fs.new_writable(path, WritableOptions::default())?;
    let mut builder = TableBuilder::new(file, ctx)?;
    for (key, seq, kind, value) in rows {
        builder.add(&internal(key, *seq, *kind), value)?;
    }
    let finished = builder.finish()?;
    let bytes = fs.read_file(path)?;
    assert_eq!(bytes.len() as u64, finished.file_size);
    Ok((bytes, finished))
}

/// An in-memory file; with `map`, its bytes are available as a mapping.
pub struct Bytes {
    pub bytes: Vec<u8>,
    pub map: bool,
}

impl RandomAccessFile for Bytes {
    fn read_at(&self, offset: u64, buf: &mut [u8]) -> Result<usize> {
        let rest = self.bytes.get(offset as usize..).unwrap_or_default();
        let n = rest.len().min(buf.len());
        buf[..n].copy_from_slice(&rest[..n]);
        Ok(n)
    }
    fn size(&self) -> u64 {
        self.bytes.len() as u64
    }
    fn mapped(&self) -> Option<&[u8]> {
        self.map.then_some(&self.bytes)
    }
    fn path(&self) -> &Path {
        Path::new("/db/000009.sst")
    }
}

pub fn open(bytes: &[u8], ctx: &TableReadContext) -> Result<Arc<Table>> {
    Table::open(Arc::new(Bytes { bytes: bytes.to_vec(), map: ctx.mmap }), ctx)
}

/// Opens a table in the way in which a database opens many tables.
pub fn open_late(bytes: &[u8], ctx: &TableReadContext) -> Result<Arc<Table>> {
    let file = Arc::new(Bytes { bytes: bytes.to_vec(), map: ctx.mmap });
    Table::open_late(file, ctx, &mut Vec::new())
}

fn row_of(iter: &dyn InternalIterator) -> Row {
    let parsed = crate::base::key::ParsedInternalKey::parse(iter.key()).unwrap();
    (parsed.user_key.to_vec(), parsed.sequence, parsed.value_type, iter.value().to_vec())
}

/// Every row, forwards.
pub fn scan(table: &Arc<Table>, ro: &TableIterOptions) -> Result<Vec<Row>> {
    let mut iter = table.iter(ro);
    let mut rows = Vec::new();
    iter.seek_to_first();
    while iter.valid() {
        rows.push(row_of(&iter));
        iter.next();
    }
    iter.status().map(|()| rows)
}

/// Every row, backwards.
pub fn scan_backwards(table: &Arc<Table>) -> Result<Vec<Row>> {
    let mut iter = table.iter(&TableIterOptions::default());
    let mut rows = Vec::new();
    iter.seek_to_last();
    while iter.valid() {
        rows.push(row_of(&iter));
        iter.prev();
    }
    iter.status().map(|()| rows)
}

pub fn get(table: &Table, key: &[u8], seq: SeqNo) -> Result<Option<Vec<u8>>> {
    let operator = crate::hooks::StringAppendOperator::default();
    let mut ctx = GetContext::new(key, Some(&operator));
    table.get(&LookupBuffer::new(key, seq).key(), &ReadOptions::default(), &mut ctx)?;
    Ok(ctx.finish()?.map(|v| v.into_vec()))
}

/// Reads the table in every way and compares the result with `rows`, which must be all rows of the
/// table.
pub fn check_rows(table: &Arc<Table>, rows: &[Row], order: &KeyOrder) {
    assert_eq!(scan(table, &TableIterOptions::default()).unwrap(), rows);
    let compaction = TableIterOptions { for_compaction: true, ..TableIterOptions::default() };
    assert_eq!(scan(table, &compaction).unwrap(), rows);
    let mut backwards = scan_backwards(table).unwrap();
    backwards.reverse();
    assert_eq!(backwards, rows);

    let mut iter = table.iter(&TableIterOptions::default());
    for (i, (key, seq, kind, value)) in rows.iter().enumerate() {
        let at = internal(key, *seq, *kind);
        iter.seek(&at);
        assert_eq!(row_of(&iter), rows[i]);
        iter.seek_for_prev(&at);
        assert_eq!(row_of(&iter), rows[i]);
        if i > 0 {
            iter.prev();
            assert_eq!(row_of(&iter), rows[i - 1]);
            iter.next();
            assert_eq!(row_of(&iter), rows[i]);
        }
        // The second lookup finds a cached block, and the third one its fingerprints.
        for _ in 0..3 {
            let found = get(table, key, *seq).unwrap();
            match kind {
                ValueType::Value => assert_eq!(found.as_ref(), Some(value), "{key:?}"),
                ValueType::Deletion => assert_eq!(found, None),
                _ => {}
            }
        }
        // The next possible key is between this one and its successor.
        let mut between = key.clone();
        between.push(0);
        let next = rows.partition_point(|r| order.compare_user(&r.0, &between).is_lt());
        let next = rows.get(next);
        iter.seek(&internal(&between, 1 << 40, ValueType::Value));
        assert_eq!(iter.valid().then(|| row_of(&iter)).as_ref(), next);
        if next.is_none_or(|r| r.0 != between) {
            assert_eq!(get(table, &between, 1 << 40).unwrap(), None);
        }
    }
    table.verify_checksums().unwrap();
}
