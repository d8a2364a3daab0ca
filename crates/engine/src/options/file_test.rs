use super::*;
use crate::hooks::{FixedPrefixTransform, StringAppendOperator};
use crate::options::{
    BlockBasedTableOptions, FilterPolicy, InFile, PlainTableOptions, Support, validate_cf,
    validate_db,
};
use std::sync::Arc;

/// Written by `ldb --create_if_missing put a b` of RocksDB 7.8.3.
const REAL: &str = include_str!("testdata/OPTIONS-7.8.3");

fn parse(text: &str) -> Result<OptionsFile> {
    OptionsFile::parse(text, &Options::default(), Leniency::default())
}

#[test]
fn a_real_file_parses_and_is_valid() {
    let file = parse(REAL).unwrap();
    assert_eq!(file.rocksdb_version, "7.8.3");
    assert!(file.db.create_if_missing);
    assert!(!file.db.write_dbid_to_manifest);
    assert_eq!(file.column_families.len(), 1);
    let cf = &file.column_families[0].1;
    assert_eq!(cf.max_compaction_bytes, 1_677_721_600);
    assert!(!cf.level_compaction_dynamic_level_bytes);
    assert_eq!(
        cf.merge_operator.as_ref().unwrap().options_text(),
        "{id=StringAppendOperator;delimiter=\\:;}"
    );
    validate_db(&file.db).unwrap();
    validate_cf(cf).unwrap();
}

/// Every line of the real file is a line of ours, except for values that the engine does not store.
#[test]
fn we_write_what_rocksdb_writes() {
    let file = parse(REAL).unwrap();
    let cfs: Vec<_> = file.column_families.iter().map(|(n, cf)| (n.as_str(), cf)).collect();
    let ours = options_file_text(&file.db, &cfs);
    let sorted = |text: &str| {
        let mut lines: Vec<String> =
            text.lines().map(str::trim).filter(|l| l.contains('=')).map(String::from).collect();
        lines.sort();
        lines
    };
    let (ours, real) = (sorted(&ours), sorted(REAL));
    let missing: Vec<_> = real.iter().filter(|l| !ours.contains(l)).collect();
    let extra: Vec<_> = ours.iter().filter(|l| !real.contains(l)).collect();
    assert_eq!(missing, ["rocksdb_version=7.8.3"]);
    assert_eq!(extra, ["rocksdb_version=10.10.1"]);
}

#[test]
fn what_we_write_we_read() {
    let db = DbOptions { max_open_files: 77, wal_dir: "/tmp/a:b#c".into(), ..DbOptions::default() };
    let block_based = ColumnFamilyOptions {
        table_factory: TableFactory::BlockBased(BlockBasedTableOptions {
            filter_policy: Some(FilterPolicy::Bloom { bits_per_key: 10.0 }),
            ..BlockBasedTableOptions::default()
        }),
        merge_operator: Some(Arc::new(StringAppendOperator::new("#;"))),
        ..ColumnFamilyOptions::default()
    };
    let plain = ColumnFamilyOptions {
        table_factory: TableFactory::Plain(PlainTableOptions {
            user_key_len: 16,
            ..PlainTableOptions::default()
        }),
        prefix_extractor: Some(Arc::new(FixedPrefixTransform::new(12))),
        memtable_factory: MemtableFactory::hash_skip_list(),
        max_bytes_for_level_multiplier_additional: vec![1, 2, 3],
        ..ColumnFamilyOptions::default()
    };
    let text = options_file_text(&db, &[("hot", &plain), ("default", &block_based)]);
    let file = parse(&text).unwrap();
    assert_eq!(file.db.wal_dir, db.wal_dir);
    assert!(!file.db.allow_concurrent_memtable_write, "one writer at a time in \"hot\"");
    let cfs: Vec<_> = file.column_families.iter().map(|(n, cf)| (n.as_str(), cf)).collect();
    assert_eq!((cfs[0].0, cfs[1].0), ("default", "hot"));
    assert_eq!(cfs[1].1.memtable_factory, plain.memtable_factory);
    assert_eq!(options_file_text(&file.db, &cfs), text);
}

#[test]
fn faults_name_their_line() {
    let small = "[DBOptions]\n[CFOptions \"default\"]\n";
    parse(small).unwrap();
    let fail = |text: &str| parse(text).err().unwrap().to_string();
    for (text, message) in [
        ("", "OPTIONS: expected [DBOptions] and [CFOptions \"default\"]"),
        ("[DBOptions]\n", "OPTIONS: expected [DBOptions] and [CFOptions \"default\"]"),
        ("a=1", "OPTIONS line 1: \"a\" appears before the first section"),
        (
            "[DBOptions]\nhello\n",
            "OPTIONS line 2: expected name=value or [section], found \"hello\"",
        ),
        ("[DBOptions]\n\n  future=1 # ?\n", "OPTIONS line 3: Extra option not recognized: future"),
        ("[What]\n", "OPTIONS line 1: unknown section [What]"),
        ("[DBOptions]\n[DBOptions]\n", "OPTIONS line 2: a second [DBOptions]"),
        (
            "[CFOptions \"x\"]\n",
            "OPTIONS line 1: [CFOptions \"x\"]: expected \"default\" first and once",
        ),
        (
            "[Version]\noptions_file_version=0.9",
            "OPTIONS line 2: options_file_version: expected 1.0 or later, found \"0.9\"",
        ),
        (
            "[DBOptions]\n[CFOptions \"default\"]\n[TableOptions/PlainTable \"default\"]",
            "OPTIONS line 3: [TableOptions/PlainTable \"default\"]: the table_factory of \"default\" \
             is BlockBasedTable",
        ),
    ] {
        assert_eq!(fail(text), format!("Invalid argument: {message}"));
    }
}

#[test]
fn damaged_files_do_not_panic() {
    let bytes = REAL.as_bytes();
    for _ in 0..2000 {
        let mut text = bytes[..fastrand::usize(..bytes.len())].to_vec();
        for _ in 0..fastrand::usize(..4).min(text.len()) {
            let at = fastrand::usize(..text.len());
            text[at] = b"[]=\"{};\\#0a\n"[fastrand::usize(..12)];
        }
        let _ = parse(&String::from_utf8_lossy(&text));
    }
}

/// Compatibility with 7.8.3: `ldb` loads our file, by name and with each memtable and table.
#[test]
fn ldb_loads_our_file() {
    let ldb = Path::new("/usr/bin/ldb");
    if !ldb.exists() {
        return;
    }
    let default = ColumnFamilyOptions::default();
    let plain = ColumnFamilyOptions {
        prefix_extractor: Some(Arc::new(FixedPrefixTransform::new(4))),
        memtable_factory: MemtableFactory::hash_skip_list(),
        table_factory: TableFactory::Plain(PlainTableOptions::default()),
        ..ColumnFamilyOptions::default()
    };
    let rich = ColumnFamilyOptions {
        table_factory: TableFactory::BlockBased(BlockBasedTableOptions {
            filter_policy: Some(FilterPolicy::Bloom { bits_per_key: 9.5 }),
            ..BlockBasedTableOptions::default()
        }),
        merge_operator: Some(Arc::new(StringAppendOperator::new("#;:"))),
        bottommost_compression: Some(crate::compress::CompressionType::Zstd),
        max_bytes_for_level_multiplier_additional: vec![1, 2],
        ..ColumnFamilyOptions::default()
    };
    for cf in [&default, &rich, &plain] {
        // PlainTable requires memory-mapped files.
        let mapped = matches!(cf.table_factory, TableFactory::Plain(_));
        let db = DbOptions { allow_mmap_reads: mapped, ..DbOptions::default() };
        let dir = tempfile::tempdir().unwrap();
        let run = |args: &[&str]| {
            let db = format!("--db={}", dir.path().display());
            let out = std::process::Command::new(ldb).arg(db).args(args).output().unwrap();
            String::from_utf8_lossy(&[out.stdout, out.stderr].concat()).trim().to_string()
        };
        assert_eq!(run(&["--create_if_missing", "put", "key1", "v"]), "OK");
        let text = options_file_text(&db, &[("default", cf)]);
        std::fs::write(dir.path().join("OPTIONS-900000"), text).unwrap();
        assert_eq!(run(&["get", "key1"]), "v", "{}", cf.table_factory.name());
        assert_eq!(run(&["put", "key2", "v"]), "OK", "{}", cf.table_factory.name());
        // Check that `ldb` really reads our file: an unknown name fails.
        let bad = "[DBOptions]\nno_such=1\n[CFOptions \"default\"]\n";
        std::fs::write(dir.path().join("OPTIONS-990000"), bad).unwrap();
        assert!(run(&["get", "key1"]).contains("no_such"));
    }
}

#[test]
fn the_newest_two_files_stay() {
    let fs = crate::fs::mem::MemFs::new();
    let dir = Path::new("/db");
    fs.create_dir_if_missing(dir).unwrap();
    assert_eq!(newest_options_file(&fs, dir).unwrap(), None);
    let cf = ColumnFamilyOptions::default();
    for number in [7, 9, 1_000_012] {
        let db = DbOptions { max_open_files: number, ..DbOptions::default() };
        write_options_file(&fs, dir, number as u64, &db, &[("default", &cf)]).unwrap();
    }
    let mut names = fs.list_dir(dir).unwrap();
    names.sort();
    assert_eq!(names, ["OPTIONS-000009", "OPTIONS-1000012"]);
    let newest = newest_options_file(&fs, dir).unwrap().unwrap();
    let file = read_options_file(&fs, &newest, &Options::default(), Leniency::default()).unwrap();
    assert_eq!(file.db.max_open_files, 1_000_012);
}

/// Names that 7.8.3 writes are the names that we write.
#[test]
fn rows_know_what_7_8_3_knows() {
    let known = |name: &str| REAL.lines().any(|l| l.trim().starts_with(&format!("{name}=")));
    let db = DbOptions::rows().iter().filter(|r| r.in_file == InFile::Always).map(|r| r.name);
    let cf =
        ColumnFamilyOptions::rows().iter().filter(|r| r.in_file == InFile::Always).map(|r| r.name);
    let table = BlockBasedTableOptions::rows()
        .iter()
        .filter(|r| r.in_file == InFile::Always)
        .map(|r| r.name);
    let unknown: Vec<_> = db.chain(cf).chain(table).filter(|n| !known(n)).collect();
    // Omitted by 7.8.3 while empty, but read by it.
    assert_eq!(unknown, ["db_log_dir", "wal_dir", "compression_per_level"]);
    let refused = DbOptions::row("best_efforts_recovery").unwrap();
    assert_eq!(refused.support, Support::Refused);
}
