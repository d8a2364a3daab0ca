//! Test files and models for the tests of this folder.

use super::{PlainTable, PlainTableBuilder};
use crate::base::key::append_internal_key;
use crate::base::{KeyOrder, SeqNo, ValueType};
use crate::compress::CompressionType;
use crate::error::Result;
use crate::fs::{FileSyncer, NoSync, RandomAccessFile, WritableFile};
use crate::hooks::{SliceTransform, slice_transform_by_name};
use crate::options::{CompressionOptions, PlainTableOptions, TableFactory};
use crate::sst::{TableBuilderContext, TableReadContext};
use parking_lot::Mutex;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// An in-memory file that can claim to be mapped and can change while it is being read.
pub(in crate::sst) struct TestFile {
    pub(in crate::sst) bytes: Vec<u8>,
    pub(in crate::sst) changed: Vec<u8>,
    pub(in crate::sst) is_changed: AtomicBool,
    pub(in crate::sst) mapped: bool,
}

impl TestFile {
    pub(in crate::sst) fn new(bytes: Vec<u8>, mapped: bool) -> Arc<TestFile> {
        Arc::new(TestFile {
            bytes,
            changed: Vec::new(),
            is_changed: AtomicBool::new(false),
            mapped,
        })
    }

    fn now(&self) -> &[u8] {
        if self.is_changed.load(Ordering::Relaxed) { &self.changed } else { &self.bytes }
    }
}

impl RandomAccessFile for TestFile {
    fn read_at(&self, offset: u64, buf: &mut [u8]) -> Result<usize> {
        let rest = self.now().get(offset as usize..).unwrap_or_default();
        let n = rest.len().min(buf.len());
        buf[..n].copy_from_slice(&rest[..n]);
        Ok(n)
    }
    fn size(&self) -> u64 {
        self.bytes.len() as u64
    }
    fn mapped(&self) -> Option<&[u8]> {
        self.mapped.then(|| self.now())
    }
    fn path(&self) -> &Path {
        Path::new("/test/000007.sst")
    }
}

#[derive(Clone, Default)]
pub(in crate::sst) struct TestSink(pub(in crate::sst) Arc<Mutex<Vec<u8>>>);

impl WritableFile for TestSink {
    fn append(&mut self, data: &[u8]) -> Result<()> {
        self.0.lock().extend_from_slice(data);
        Ok(())
    }
    fn flush(&mut self) -> Result<()> {
        Ok(())
    }
    fn sync(&mut self) -> Result<()> {
        Ok(())
    }
    fn syncer(&self) -> Arc<dyn FileSyncer> {
        Arc::new(NoSync)
    }
    fn size(&self) -> u64 {
        self.0.lock().len() as u64
    }
    fn close(&mut self) -> Result<()> {
        Ok(())
    }
}

pub(super) fn extractor(name: &str) -> Option<Arc<dyn SliceTransform>> {
    if name == "reverse-first" {
        return Some(Arc::new(LastByte));
    }
    slice_transform_by_name(name)
}

/// An extractor whose groups are not contiguous and whose domain excludes some keys.
struct LastByte;

impl SliceTransform for LastByte {
    fn name(&self) -> &str {
        "test.LastByte"
    }
    fn transform<'a>(&self, key: &'a [u8]) -> &'a [u8] {
        &key[key.len() - 1..]
    }
    fn in_domain(&self, key: &[u8]) -> bool {
        key.len() > 1
    }
}

pub(in crate::sst) fn read_context(
    order: KeyOrder,
    extractor_name: &str,
    opts: PlainTableOptions,
) -> TableReadContext {
    TableReadContext {
        order,
        factory: TableFactory::Plain(opts),
        prefix_extractor: extractor(extractor_name),
        cache: None,
        mmap: true,
        file_number: 7,
        global_seqno: None,
        statistics: None,
        memory: None,
        random_reads: false,
        at_last_level: false,
    }
}

pub(in crate::sst) fn builder_context(
    order: KeyOrder,
    extractor_name: &str,
    opts: PlainTableOptions,
) -> TableBuilderContext {
    TableBuilderContext {
        order,
        factory: TableFactory::Plain(opts),
        prefix_extractor: extractor(extractor_name),
        merge_operator_name: None,
        compression: CompressionType::None,
        compression_opts: CompressionOptions::default(),
        target_file_size: 0,
        level: 0,
        column_family_id: 0,
        column_family_name: "default".into(),
        file_number: 7,
        db_id: "id".into(),
        db_session_id: "session".into(),
        host: "host".into(),
        creation_time: 0,
        oldest_key_time: 0,
        file_creation_time: 0,
        bottommost: false,
        skip_filter: false,
        for_ingestion: false,
        statistics: None,
    }
}

pub(in crate::sst) type Entry = (Vec<u8>, Vec<u8>);

pub(in crate::sst) fn internal_key(user_key: &[u8], seq: SeqNo, kind: ValueType) -> Vec<u8> {
    let mut key = Vec::new();
    append_internal_key(&mut key, user_key, (seq << 8) | kind as u64);
    key
}

pub(super) fn build(
    order: &KeyOrder,
    extractor_name: &str,
    opts: PlainTableOptions,
    entries: &[Entry],
) -> Vec<u8> {
    let sink = TestSink::default();
    let ctx = builder_context(order.clone(), extractor_name, opts);
    let mut builder = PlainTableBuilder::new(Box::new(sink.clone()), ctx, opts).unwrap();
    for (key, value) in entries {
        builder.add(key, value).unwrap();
    }
    let done = builder.finish().unwrap();
    let bytes = sink.0.lock().clone();
    assert_eq!(done.file_size, bytes.len() as u64);
    bytes
}

pub(super) fn open(
    bytes: Vec<u8>,
    order: &KeyOrder,
    extractor_name: &str,
    opts: PlainTableOptions,
    mapped: bool,
) -> Result<PlainTable> {
    let ctx = read_context(order.clone(), extractor_name, opts);
    PlainTable::open(TestFile::new(bytes, mapped), &ctx, &opts)
}

/// A real file that RocksDB wrote.
pub(super) fn vector(i: usize) -> &'static [u8] {
    [
        &include_bytes!("testdata/plain_table_0.sst")[..],
        include_bytes!("testdata/plain_table_1.sst"),
        include_bytes!("testdata/plain_table_2.sst"),
        include_bytes!("testdata/plain_table_3.sst"),
        include_bytes!("testdata/plain_table_4.sst"),
        include_bytes!("testdata/plain_table_5.sst"),
    ][i]
}

/// The name of the prefix extractor and the options of vector `i`.
pub(super) fn vector_options(i: usize) -> (&'static str, PlainTableOptions) {
    use crate::options::PlainTableEncoding::{Plain, Prefix};
    let (name, user_key_len, encoding_type, index_sparseness, ratio, store) = [
        ("", 0, Plain, 16, 0.0, false),
        ("fixed:6", 9, Plain, 16, 0.75, false),
        ("fixed:7", 0, Prefix, 4, 0.75, false),
        ("fixed:7", 0, Plain, 4, 0.75, true),
        ("fixed:7", 0, Plain, 4, 0.75, true),
        ("", 0, Plain, 3, 0.0, true),
    ][i];
    let opts = PlainTableOptions {
        user_key_len,
        encoding_type,
        index_sparseness,
        hash_table_ratio: ratio,
        store_index_in_file: store,
        ..PlainTableOptions::default()
    };
    (name, opts)
}
