//! Options by setters, names and files.

use ferrolith::{
    BlockBasedOptions, Cache, ColumnFamilyOptions, CompressionType, Db, ErrorKind, FilterDecision,
    Options,
};
use std::time::Duration;

#[test]
fn setters_reach_the_engine() {
    let table = BlockBasedOptions::new()
        .block_size(8 << 10)
        .bloom_filter(10.0)
        .block_cache(&Cache::new_lru(1 << 20));
    let options = Options::new()
        .max_background_jobs(3)
        .wal_ttl(Duration::from_secs(60))
        .wal_size_limit(5 << 20)
        .stats_dump_period(Duration::ZERO)
        .write_buffer_size(1 << 20)
        .compression(CompressionType::Zstd)
        .compression_level(5)
        .ttl(Duration::from_secs(3600))
        .fixed_prefix(4)
        .block_based_table(table);
    for (name, value) in [
        ("max_background_jobs", "3"),
        ("WAL_ttl_seconds", "60"),
        ("WAL_size_limit_MB", "5"),
        ("stats_dump_period_sec", "0"),
        ("write_buffer_size", "1048576"),
        ("compression", "kZSTD"),
        ("ttl", "3600"),
        ("prefix_extractor", "rocksdb.FixedPrefix.4"),
    ] {
        assert_eq!(options.get(name).as_deref(), Some(value), "{name}");
    }
    let shown = format!("{options:?}");
    assert!(
        shown.contains("max_background_jobs: 3") && !shown.contains("max_open_files"),
        "{shown}"
    );
    let text = options.to_text();
    assert!(text.contains("block_size=8192") && text.contains("level=5"), "{text}");
}

#[test]
fn a_file_has_all_families() {
    let dir = tempfile::tempdir().unwrap();
    let archive = ColumnFamilyOptions::new().set("num_levels", "3").unwrap();
    let options = Options::new()
        .create_if_missing(true)
        .set_from_str("max_open_files=77;write_buffer_size=2M")
        .unwrap()
        .column_family("archive", archive);
    drop(Db::open_with(&options, dir.path()).unwrap());
    let stored = Options::latest(dir.path()).unwrap();
    assert_eq!(stored.get("max_open_files").as_deref(), Some("77"));
    assert_eq!(stored.get("write_buffer_size").as_deref(), Some("2097152"));
    assert!(stored.to_text().contains("num_levels=3"));
    drop(Db::open_with(stored, dir.path()).unwrap());
    assert_eq!(Options::latest("/nowhere/at/all").unwrap_err().kind(), ErrorKind::Io);
}

#[test]
fn wrong_names_and_values_are_errors() {
    let kind = |result: ferrolith::Result<Options>| result.unwrap_err().kind();
    assert_eq!(kind(Options::new().set("max_open_flies", "1")), ErrorKind::InvalidArgument);
    assert_eq!(kind(Options::new().set("max_open_files", "many")), ErrorKind::InvalidArgument);
    assert_eq!(kind(Options::new().set_from_str("a=b")), ErrorKind::InvalidArgument);
    let refused = Options::in_memory().set("allow_mmap_writes", "true").unwrap();
    let error = Db::open_with(refused, "/db").unwrap_err();
    assert!(error.to_string().contains("allow_mmap_writes"), "{error}");
}

#[test]
fn closures_are_hooks() {
    let sum = |_: &[u8], value: Option<&[u8]>, operands: &[&[u8]]| {
        let number = |bytes: &[u8]| std::str::from_utf8(bytes).ok()?.parse::<u64>().ok();
        let start = value.map_or(Some(0), number)?;
        let all = operands.iter().try_fold(start, |sum, one| Some(sum + number(one)?))?;
        Some(all.to_string().into_bytes())
    };
    let options = Options::in_memory()
        .merge_operator_associative("test.sum", sum)
        .compaction_filter("test.drop", |_level, key, _value| match key.starts_with(b"tmp") {
            true => FilterDecision::Remove,
            false => FilterDecision::Keep,
        })
        .comparator("test.length", |a: &[u8], b: &[u8]| (a.len(), a).cmp(&(b.len(), b)))
        .prefix_extractor("test.word", |key| key.split(|byte| *byte == b' ').next());
    let db = Db::open_with(options, "/db").unwrap();
    for n in ["1", "20", "300"] {
        db.merge("total", n).unwrap();
    }
    db.put("tmp1", "gone").unwrap();
    db.put("b", "").unwrap();
    db.put("aa", "").unwrap();
    db.flush().unwrap();
    db.compact().unwrap();
    let keys: Vec<_> = db.iter().map(|item| item.unwrap().0).collect();
    assert_eq!(keys, ["b", "aa", "total"], "by length, without tmp1");
    assert_eq!(db.get("total").unwrap().unwrap(), "321");
    db.merge("total", "not a number").unwrap();
    assert_eq!(db.get("total").unwrap_err().kind(), ErrorKind::MergeFailed);
    let error = db.prefix("a").next().unwrap().unwrap_err();
    assert_eq!(error.kind(), ErrorKind::NotSupported);
}
