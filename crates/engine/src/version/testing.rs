//! Test helpers of this folder: the test vectors, and files built by hand.

use super::{ColumnFamilySpec, FileMeta, VersionSetOptions};
use crate::base::key::{append_internal_key, pack_trailer};
use crate::base::{InternalIterator, KeyOrder, ValueType};
use crate::compress::CompressionType;
use crate::fs::filename::table_file_name;
use crate::fs::mem::MemFs;
use crate::fs::{FileSystem, ReadMode, WritableOptions};
use crate::iter::testing::text;
use crate::options::{ColumnFamilyOptions, CompressionOptions, PlainTableOptions, TableFactory};
use crate::sst::{TableBuilder, TableBuilderContext, TableIterOptions};
use crate::version::{DataPaths, OpenTables, TableCache, VersionEdit};
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Decodes a string of hexadecimal digits.
pub(crate) fn unhex(s: &str) -> Vec<u8> {
    assert!(s.len().is_multiple_of(2));
    (0..s.len()).step_by(2).map(|i| u8::from_str_radix(&s[i..i + 2], 16).unwrap()).collect()
}

/// The bytes under a key of a JSON object.
pub(crate) fn bytes_of(v: &Value, key: &str) -> Vec<u8> {
    unhex(v[key].as_str().unwrap_or_else(|| panic!("no {key}")))
}

/// The real MANIFESTs: name, object with `hex`, `offsets`, `parsed`.
pub(crate) fn real_manifests() -> Vec<(String, Value)> {
    let v: Value = serde_json::from_str(include_str!("testdata/manifests.json")).unwrap();
    v.as_object().unwrap().iter().map(|(k, v)| (k.clone(), v.clone())).collect()
}

/// The records of a MANIFEST that fits one block, found at the vector's offsets.
pub(crate) fn records_of(manifest: &Value) -> Vec<Vec<u8>> {
    let bytes = bytes_of(manifest, "hex");
    let offsets = manifest["offsets"].as_array().unwrap();
    let at = |o: &Value| o.as_u64().unwrap() as usize;
    let record = |o: usize| {
        let len = usize::from(u16::from_le_bytes([bytes[o + 4], bytes[o + 5]]));
        assert_eq!(bytes[o + 6], 1, "a record in one piece");
        bytes[o + 7..o + 7 + len].to_vec()
    };
    offsets.iter().map(|o| record(at(o))).collect()
}

/// An internal key with a value's type.
pub(crate) fn ikey(user_key: impl AsRef<[u8]>, seq: u64) -> Vec<u8> {
    let mut key = Vec::new();
    append_internal_key(&mut key, user_key.as_ref(), pack_trailer(seq, ValueType::Value));
    key
}

/// A file of 1000 bytes with the keys `[smallest, largest]`, written at sequence numbers `seqs`.
pub(crate) fn file(number: u64, keys: (&str, &str), seqs: (u64, u64)) -> FileMeta {
    let mut f = FileMeta::new(number, 1000, ikey(keys.0, seqs.1), ikey(keys.1, seqs.0));
    (f.smallest_seqno, f.largest_seqno) = seqs;
    f
}

/// [`file`] in an `Arc`.
pub(crate) fn shared(number: u64, keys: (&str, &str), seqs: (u64, u64)) -> Arc<FileMeta> {
    Arc::new(file(number, keys, seqs))
}

/// Writes and syncs a file.
pub(crate) fn put_file(fs: &dyn FileSystem, path: &Path, bytes: &[u8]) {
    let mut file = fs.new_writable(path, WritableOptions::default()).unwrap();
    file.append(bytes).unwrap();
    file.sync().unwrap();
    file.close().unwrap();
    fs.sync_dir(path.parent().unwrap()).unwrap();
}

/// A bytewise column family with seven levels.
pub(crate) fn spec(name: &str) -> ColumnFamilySpec {
    ColumnFamilySpec {
        name: name.to_owned(),
        order: KeyOrder::bytewise(),
        num_levels: 7,
        paths: Vec::new(),
    }
}

/// Options of a version set in `/db`.
pub(crate) fn options(fs: Arc<dyn FileSystem>) -> VersionSetOptions {
    VersionSetOptions {
        fs,
        dir: "/db".into(),
        max_manifest_file_size: 1 << 30,
        write_dbid_to_manifest: true,
    }
}

/// A file system with these files in `/db`.
pub(crate) fn db_with(files: &[(&str, Vec<u8>)]) -> MemFs {
    let fs = MemFs::new();
    fs.create_dir_if_missing(Path::new("/db")).unwrap();
    for (name, bytes) in files {
        put_file(&fs, &Path::new("/db").join(name), bytes);
    }
    fs
}

/// A directory of real tables, and a table cache over it.
pub(crate) struct Tables {
    pub(crate) fs: Arc<dyn FileSystem>,
    pub(crate) dir: PathBuf,
    /// The column family that tables are written for.
    pub(crate) cf: (u32, &'static str),
    pub(crate) opts: ColumnFamilyOptions,
    pub(crate) order: KeyOrder,
}

impl Tables {
    /// Tables of the default format, in memory.
    pub(crate) fn new() -> Tables {
        Tables::of(TableFactory::default(), Arc::new(MemFs::new()), "/db".into())
    }

    /// Tables of PlainTable's format, in total order, in memory.
    pub(crate) fn plain() -> Tables {
        let plain = PlainTableOptions { hash_table_ratio: 0.0, ..PlainTableOptions::default() };
        Tables::of(TableFactory::Plain(plain), Arc::new(MemFs::new()), "/db".into())
    }

    pub(crate) fn of(factory: TableFactory, fs: Arc<dyn FileSystem>, dir: PathBuf) -> Tables {
        fs.create_dir_if_missing(&dir).unwrap();
        let opts = ColumnFamilyOptions { table_factory: factory, ..ColumnFamilyOptions::default() };
        Tables { fs, dir, cf: (0, "default"), opts, order: KeyOrder::bytewise() }
    }

    pub(crate) fn cache(&self, open_tables: Option<Arc<OpenTables>>) -> Arc<TableCache> {
        self.cache_on(Arc::clone(&self.fs), open_tables)
    }

    pub(crate) fn cache_on(
        &self,
        fs: Arc<dyn FileSystem>,
        open_tables: Option<Arc<OpenTables>>,
    ) -> Arc<TableCache> {
        let paths = DataPaths::new(&*fs, &self.dir, &[]);
        Arc::new(TableCache::new(fs, paths, &self.opts, None, ReadMode::Buffered, open_tables))
    }

    /// Writes a table with these entries (internal key, value), which must be in order.
    pub(crate) fn write(&self, number: u64, entries: &[(Vec<u8>, Vec<u8>)]) -> FileMeta {
        let path = table_file_name(&self.dir, number);
        let file = self.fs.new_writable(&path, WritableOptions::default()).unwrap();
        let ctx = TableBuilderContext {
            order: self.order.clone(),
            factory: self.opts.table_factory.clone(),
            prefix_extractor: None,
            merge_operator_name: None,
            compression: CompressionType::None,
            compression_opts: CompressionOptions::default(),
            target_file_size: 0,
            level: 0,
            column_family_id: self.cf.0,
            column_family_name: self.cf.1.into(),
            file_number: number,
            db_id: "31285a1f-54d1-4e6a-bafe-43cad6912e89".into(),
            db_session_id: "5QNTJYG9S66EHI65A9Z2".into(),
            host: String::new(),
            creation_time: 0,
            oldest_key_time: 0,
            file_creation_time: 0,
            bottommost: false,
            skip_filter: false,
            for_ingestion: false,
            statistics: None,
        };
        let mut builder = TableBuilder::new(file, ctx).unwrap();
        for (key, value) in entries {
            builder.add(key, value).unwrap();
        }
        let finished = builder.finish().unwrap();
        let (first, last) = (&entries[0].0, &entries[entries.len() - 1].0);
        let mut f = FileMeta::of_table(number, &finished, first.clone(), last.clone());
        let seqs = || entries.iter().map(|(key, _)| crate::base::key::sequence(key));
        f.smallest_seqno = seqs().min().unwrap();
        f.largest_seqno = seqs().max().unwrap();
        f
    }
}

/// A table as text, without its size and times.
pub(crate) fn describe(file: &FileMeta) -> String {
    let (smallest, largest) = (text::show(&file.smallest, b""), text::show(&file.largest, b""));
    let stats = file.stats();
    let (from, to) = (file.smallest_seqno, file.largest_seqno);
    format!(
        "{}: {smallest} .. {largest}; {} entries, {} deletions, {} range deletions, sequence numbers {from}-{to}",
        file.number, stats.num_entries, stats.num_deletions, stats.num_range_deletions,
    )
}

/// The entries and range tombstones of a table, a line each.
pub(crate) fn contents(file: &FileMeta, tables: &TableCache) -> String {
    let table = tables.find(file).unwrap();
    let whole = TableIterOptions { total_order: true, ..TableIterOptions::default() };
    let mut iter = table.iter(&whole);
    let mut out = String::new();
    iter.seek_to_first();
    while iter.valid() {
        out += &format!("  {}\n", text::show(iter.key(), iter.value()));
        iter.next();
    }
    iter.status().unwrap();
    if let Some(tombstones) = table.range_tombstones() {
        for t in tombstones.tombstones() {
            out += &format!("  {}\n", text::show_tombstone(t.begin, t.end, t.seq));
        }
    }
    out
}

/// An edit as text, without sizes and times.
pub(crate) fn show_edit(edit: &VersionEdit) -> String {
    let mut out = format!("of family {}:", edit.column_family);
    for (what, number) in [
        ("log", edit.log_number),
        ("min log", edit.min_log_number_to_keep),
        ("next file", edit.next_file_number),
        ("last sequence", edit.last_sequence),
        ("in a group, still to come", edit.in_atomic_group.map(u64::from)),
    ] {
        out += &number.map_or_else(String::new, |number| format!(" {what} {number},"));
    }
    out +=
        &edit.column_family_add.as_ref().map_or_else(String::new, |name| format!(" add {name},"));
    edit.deleted_files.iter().for_each(|(level, n)| out += &format!(" -L{level} {n},"));
    edit.new_files.iter().for_each(|(level, f)| out += &format!(" +L{level} {},", f.number));
    out.trim_end_matches([',', ':']).to_owned()
}
