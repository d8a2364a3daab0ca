//! CuckooTable as the format of column families: a model, and what it refuses.

use super::support::{dump, ro, small, temp_dir, wo};
use ferrolith::internal::batch::WriteBatch;
use ferrolith::internal::compress::CompressionType;
use ferrolith::internal::db::Db;
use ferrolith::internal::external::SstFileWriter;
use ferrolith::internal::options::{
    BlockBasedTableOptions, CompactRangeOptions, CuckooTableOptions, FlushOptions,
    IngestExternalFileOptions, Options, ReadOptions, TableFactory,
};
use std::collections::BTreeMap;
use std::path::Path;

fn cuckoo(table: CuckooTableOptions) -> Options {
    let mut o = small();
    o.cf.table_factory = TableFactory::Cuckoo(table);
    o.cf.merge_operator = None;
    o.cf.compression = CompressionType::None;
    o.db.allow_mmap_reads = true;
    o
}

fn plain_cuckoo() -> Options {
    cuckoo(CuckooTableOptions::default())
}

fn open(options: &Options, path: &Path) -> Db {
    Db::open(options, path).unwrap()
}

fn flush(db: &Db) -> ferrolith::Result<()> {
    db.flush(&FlushOptions::default())
}

fn compact(db: &Db) {
    db.compact_range(&CompactRangeOptions::default(), None, None).unwrap();
}

fn key(n: u32) -> Vec<u8> {
    format!("key{n:05}").into_bytes()
}

struct Run {
    rng: fastrand::Rng,
    map: BTreeMap<Vec<u8>, Vec<u8>>,
    next: u64,
}

impl Run {
    fn entry(&mut self) -> (Vec<u8>, Vec<u8>) {
        self.next += 1;
        (key(self.rng.u32(..2000)), format!("value{:050}", self.next).into_bytes())
    }

    fn batch(&mut self, db: &Db) {
        let mut batch = WriteBatch::new();
        for _ in 0..self.rng.usize(1..12) {
            let (key, value) = self.entry();
            if self.rng.u32(..4) == 0 {
                batch.delete(&key).unwrap();
                self.map.remove(&key);
            } else {
                batch.put(&key, &value).unwrap();
                self.map.insert(key, value);
            }
        }
        db.write(&wo(), &mut batch).unwrap();
    }

    fn get(&mut self, db: &Db) {
        let (key, _) = self.entry();
        let found = db.get(&ro(), &key).unwrap();
        assert_eq!(found.as_ref(), self.map.get(&key));
    }

    fn walk(&mut self, db: &Db) {
        let (target, _) = self.entry();
        let entries: Vec<_> = self.map.iter().collect();
        let mut iter = db.iter(&ReadOptions::default()).unwrap();
        let mut at = if self.rng.bool() {
            iter.seek(&target);
            Some(entries.partition_point(|(k, _)| **k < target))
        } else {
            iter.seek_for_prev(&target);
            entries.partition_point(|(k, _)| **k <= target).checked_sub(1)
        };
        for _ in 0..self.rng.usize(1..30) {
            let expected = at.and_then(|i| entries.get(i));
            let found = iter.valid().then(|| (iter.key(), iter.value()));
            assert_eq!(found, expected.map(|(k, v)| (&k[..], &v[..])));
            if found.is_none() {
                break;
            }
            if self.rng.u32(..3) == 0 {
                iter.prev();
                at = at.and_then(|i| i.checked_sub(1));
            } else {
                iter.next();
                at = at.map(|i| i + 1);
            }
        }
        iter.status().unwrap();
    }

    fn check(&self, db: &Db) {
        assert!(dump(db).iter().map(|(k, v)| (k, v)).eq(&self.map));
    }
}

#[test]
fn random_operations_agree_with_a_map() {
    let sets = [
        CuckooTableOptions::default(),
        CuckooTableOptions { use_module_hash: false, cuckoo_block_size: 1, ..Default::default() },
        CuckooTableOptions {
            identity_as_first_hash: true,
            hash_table_ratio: 0.98,
            ..Default::default()
        },
    ];
    for table in sets {
        let (dir, options) = (temp_dir(), cuckoo(table));
        let seed = fastrand::u64(..1 << 40);
        eprintln!("cuckoo model: {table:?}, seed {seed}");
        let rng = fastrand::Rng::with_seed(seed);
        let mut run = Run { rng, map: BTreeMap::new(), next: 0 };
        let mut db = open(&options, dir.path());
        for _ in 0..8000 {
            match run.rng.u32(..2000) {
                0..900 => run.batch(&db),
                900..1800 => run.get(&db),
                1800..1980 => run.walk(&db),
                1980..1990 => flush(&db).unwrap(),
                1990..1992 => compact(&db),
                1992..1996 => run.check(&db),
                1996 => {
                    drop(db);
                    db = open(&options, dir.path());
                    run.check(&db);
                }
                _ => assert!(db.property("rocksdb.stats").is_some()),
            }
        }
        compact(&db);
        run.check(&db);
    }
}

#[test]
fn without_mapped_files_a_flush_fails_and_writes_stop() {
    let dir = temp_dir();
    let mut options = plain_cuckoo();
    options.db.allow_mmap_reads = false;
    let db = open(&options, dir.path());
    db.put(&wo(), b"k1", b"v1").unwrap();
    let words = "Invalid argument: File is not mmaped";
    assert_eq!(flush(&db).unwrap_err().to_string(), words);
    assert_eq!(db.put(&wo(), b"k2", b"v2").unwrap_err().to_string(), words);
    assert_eq!(db.get(&ro(), b"k1").unwrap().unwrap(), b"v1");
    drop(db);
    assert_eq!(Db::open(&options, dir.path()).unwrap_err().to_string(), words);
    let db = open(&plain_cuckoo(), dir.path());
    assert_eq!(dump(&db), [(b"k1".to_vec(), b"v1".to_vec())]);
}

/// RocksDB drops the entries that do not fit, and says that the flush went well.
#[test]
fn entries_that_do_not_fit_are_flushed_and_compacted_all_the_same() {
    type Write = fn(&Db) -> ferrolith::Result<()>;
    let cases: [Write; 4] = [
        |db| db.put(&wo(), b"key00001!", b"value"),
        |db| db.put(&wo(), b"key00002", b"valu"),
        |db| db.single_delete(&wo(), b"key00002"),
        |db| {
            let snapshot = db.snapshot();
            db.put(&wo(), b"key00001", b"other")?;
            let flushed = db.flush(&FlushOptions::default());
            assert_eq!(dump(db), [(b"key00001".to_vec(), b"other".to_vec())]);
            drop(snapshot);
            flushed
        },
    ];
    for (i, write) in cases.into_iter().enumerate() {
        let dir = temp_dir();
        let db = open(&plain_cuckoo(), dir.path());
        db.put(&wo(), b"key00001", b"value").unwrap();
        write(&db).unwrap();
        let before = dump(&db);
        flush(&db).unwrap();
        assert_eq!(dump(&db), before, "case {i}");
        db.put(&wo(), b"key00003", b"value").unwrap();
        flush(&db).unwrap();
        compact(&db);
        let after = dump(&db);
        assert_eq!(after.len(), before.len() + 1, "case {i}");
        drop(db);
        // Files of both formats are read under either setting.
        let mut other = plain_cuckoo();
        other.cf.table_factory = TableFactory::BlockBased(BlockBasedTableOptions::default());
        for options in [plain_cuckoo(), other] {
            assert_eq!(dump(&open(&options, dir.path())), after, "case {i}");
        }
    }
}

#[test]
fn range_deletions_are_refused_and_writes_go_on() {
    let dir = temp_dir();
    let db = open(&plain_cuckoo(), dir.path());
    let e = db.delete_range(&wo(), b"a", b"b").unwrap_err();
    let words = "Not implemented: CF default reports it does not support DeleteRange";
    assert_eq!(e.to_string(), words);
    db.put(&wo(), b"a", b"1").unwrap();
}

#[test]
fn a_family_may_change_its_format() {
    let dir = temp_dir();
    let mut block_based = plain_cuckoo();
    block_based.cf.table_factory = TableFactory::BlockBased(BlockBasedTableOptions::default());
    let mut expected = Vec::new();
    for round in 0..4u32 {
        let options = if round % 2 == 0 { plain_cuckoo() } else { block_based.clone() };
        let db = open(&options, dir.path());
        for n in 0..500 {
            expected.push((key(round * 500 + n), b"value".to_vec()));
            db.put(&wo(), &key(round * 500 + n), b"value").unwrap();
        }
        flush(&db).unwrap();
        assert_eq!(dump(&db), expected);
        if round == 2 {
            compact(&db);
            assert_eq!(dump(&db), expected);
        }
        let options = ferrolith::internal::options::newest_options_file(
            &*ferrolith::internal::fs::posix(),
            dir.path(),
        );
        let text = std::fs::read_to_string(options.unwrap().unwrap()).unwrap();
        let section = "[TableOptions/CuckooTable \"default\"]\n  hash_table_ratio=0.9";
        assert_eq!(text.contains(section), round % 2 == 0, "{text}");
    }
}

#[test]
fn files_made_outside_are_refused_as_in_rocksdb_unless_told_otherwise() {
    let dir = temp_dir();
    let options = plain_cuckoo();
    let path = dir.path().join("made.sst");
    let mut writer = SstFileWriter::new(&options);
    writer.open(&path).unwrap();
    writer.put(b"key1", b"value1").unwrap();
    assert_eq!(
        writer.put(b"key22", b"value2").unwrap_err().to_string(),
        "Not implemented: all keys have to be the same size"
    );
    writer.put(b"key2", b"value2").unwrap();
    let info = writer.finish().unwrap();
    assert_eq!(info.num_entries, 2);
    let db = open(&options, &dir.path().join("db"));
    let how = IngestExternalFileOptions::default();
    let e = db.ingest_external_file(&[&path], &how).unwrap_err();
    assert_eq!(e.to_string(), "Corruption: External file version not found");
    let how = IngestExternalFileOptions { allow_db_generated_files: true, ..how };
    db.ingest_external_file(&[&path], &how).unwrap();
    assert_eq!(dump(&db).len(), 2);
    assert_eq!(db.get(&ro(), b"key2").unwrap().unwrap(), b"value2");
}

#[test]
fn settings_that_cannot_be_are_refused() {
    let table = |change: fn(&mut CuckooTableOptions)| {
        let mut table = CuckooTableOptions::default();
        change(&mut table);
        Db::open(&cuckoo(table), temp_dir().path()).unwrap_err().to_string()
    };
    for e in [
        table(|t| t.hash_table_ratio = 0.0),
        table(|t| t.hash_table_ratio = 1.01),
        table(|t| t.hash_table_ratio = f64::NAN),
    ] {
        assert!(e.contains("option hash_table_ratio"), "{e}");
    }
    let e = table(|t| t.cuckoo_block_size = 1 << 21);
    assert!(e.contains("option cuckoo_block_size: value 2097152"), "{e}");
}
