use super::*;

/// The dump in the LOG of a database that RocksDB 10.10.1 created with default options; pointers are `0x1`.
const THEIRS: &str = include_str!("testdata/LOG-10.10.1");

/// Options whose values differ: our own defaults, and a manager and a cache that RocksDB creates before the dump.
const DIFFERENT: [&str; 5] = [
    "Options.write_buffer_manager: ",
    "  block_cache: ",
    "  block_cache_name: ",
    "    capacity : ",
    "  format_version: ",
];

#[test]
fn the_dump_is_rocksdbs() {
    let mut db = DbOptions { create_if_missing: true, ..DbOptions::default() };
    let mut cf = ColumnFamilyOptions::default();
    super::super::sanitize_db(&mut db);
    super::super::sanitize_cf(&mut cf);
    let ours = [dump_db_options(&db), dump_cf_options(&cf)].concat().join("\n");
    let ours: Vec<&str> = ours.lines().filter(|line| !line.is_empty()).collect();
    let theirs: Vec<&str> = THEIRS.lines().collect();
    let head = |line: &'static str| {
        let name = DIFFERENT.iter().find(|name| line.contains(*name))?;
        line.find(name).map(|at| &line[..at + name.len()])
    };
    for (ours, theirs) in ours.iter().zip(&theirs) {
        match head(theirs) {
            Some(head) => assert!(ours.starts_with(head), "{ours:?}, expected {head:?}"),
            None => assert_eq!(ours, theirs),
        }
    }
    assert_eq!(ours.len(), theirs.len());
}

/// Forms that RocksDB's defaults do not show.
#[test]
fn set_options_show_in_the_dump() {
    let mut db = DbOptions::default();
    let statistics = "                             Options.statistics stats level: ";
    let has = |lines: &[String], line: &str| lines.iter().any(|l| l.starts_with(line));
    assert!(!has(&dump_db_options(&db), statistics));
    db.set_option("statistics", "true").unwrap();
    assert!(has(&dump_db_options(&db), statistics));
    let mut cf = ColumnFamilyOptions::default();
    cf.set_options(
        "compression_per_level=kNoCompression:kLZ4Compression;num_levels=2;\
         max_bytes_for_level_multiplier_additional=3;merge_operator={id=StringAppendOperator;delimiter=,};\
         enable_blob_files=true;bottommost_compression=kZSTD;compaction_options_universal={max_read_amp=5}",
    )
    .unwrap();
    let lines = dump_cf_options(&cf);
    for line in [
        "       Options.compression[0]: NoCompression",
        "       Options.compression[1]: LZ4",
        "Options.max_bytes_for_level_multiplier_addtl[0]: 3",
        "Options.max_bytes_for_level_multiplier_addtl[1]: 1",
        "          Options.merge_operator: StringAppendOperator",
        "                      Options.enable_blob_files: true",
        "                 Options.bottommost_compression: ZSTD",
        "Options.compaction_options_universal.max_read_amp: 5",
    ] {
        assert!(lines.iter().any(|l| l == line), "{line:?} in {lines:#?}");
    }
    assert!(!has(&lines, "Options.max_bytes_for_level_multiplier_addtl[2]"));
    cf.set_option("plain_table_factory", "{user_key_len=20}").unwrap();
    let lines = dump_cf_options(&cf);
    let table = "           table_factory options:   user_key_len: 20\n";
    assert!(has(&lines, table), "{lines:#?}");
}
