//! Changes while the database is open: refused with RocksDB 10.10.1's messages, and applied completely or not at all.

use super::*;
use crate::options::BlockBasedTableOptions;

fn text(changes: &[(&str, &str)]) -> String {
    let result = change_cf(&ColumnFamilyOptions::default(), changes);
    result.map(|_| ()).unwrap_err().to_string()
}

#[test]
fn refusals_have_rocksdb_texts() {
    assert_eq!(text(&[]), "Invalid argument: empty input");
    let extra = "Invalid argument: Extra option not recognized: ";
    assert_eq!(text(&[("nosuch", "1")]), format!("{extra}nosuch"));
    assert_eq!(text(&[("max_open_files", "5")]), format!("{extra}max_open_files"));
    for name in ["num_levels", "comparator", "merge_operator", "memtable_factory", "compaction_pri"]
    {
        assert_eq!(
            text(&[(name, "1")]),
            format!("Invalid argument: Option not changeable: {name}")
        );
    }
    for (name, value) in [("write_buffer_size", "x"), ("disable_auto_compactions", "maybe")] {
        let e = text(&[(name, value)]);
        assert!(e.starts_with(&format!("Invalid argument: Error parsing {name}:")), "{e}");
    }
    let e = text(&[("compression", "kBogus")]);
    assert!(e.starts_with("Invalid argument: Error parsing:: compression"), "{e}");
    let unknown = change_db(&DbOptions::default(), &[("create_if_missing", "true")]).map(|_| ());
    assert_eq!(
        unknown.unwrap_err().to_string(),
        "NotFound: Unrecognized option: create_if_missing"
    );
}

#[test]
fn parts_change_by_their_names() {
    let changed =
        |changes: &[(&str, &str)]| change_cf(&ColumnFamilyOptions::default(), changes).unwrap().0;
    assert_eq!(changed(&[("write_buffer_size", "1m")]).write_buffer_size, 1 << 20);
    assert_eq!(changed(&[("compression_opts.level", "3")]).compression_opts.level, 3);
    assert_eq!(changed(&[("compression_opts", "{level=4}")]).compression_opts.level, 4);
    for name in ["table_factory.block_size", "block_based_table_factory.block_size"] {
        let TableFactory::BlockBased(table) = changed(&[(name, "8192")]).table_factory else {
            panic!("another format")
        };
        assert_eq!(table.block_size, 8192);
    }
    let e = text(&[("plain_table_factory", "{user_key_len=4}")]);
    assert_eq!(e, "Invalid argument: Cannot modify BlockBasedTable as plain_table_factory");
    let e = text(&[("block_based_table_factory", "{no_block_cache=true}")]);
    assert!(e.contains("block cache"), "{e}");
    let table = BlockBasedTableOptions::default().block_size;
    assert_ne!(table, 8192, "the test would prove nothing");
}

#[test]
fn database_options_are_checked_like_at_open() {
    let open = DbOptions { max_open_files: 100, ..DbOptions::default() };
    let change = |pairs: &[(&str, &str)]| change_db(&open, pairs);
    let (changed, moved) =
        change(&[("max_background_jobs", "0"), ("max_open_files", "5")]).unwrap();
    assert_eq!((changed.max_background_jobs, changed.max_open_files), (1, 20));
    assert_eq!(moved.len(), 2, "{moved:?}");
    let jobs = change(&[("max_background_jobs", "5000")]).unwrap().0.max_background_jobs;
    assert_eq!(jobs, 1024);
    assert!(change(&[("daily_offpeak_time_utc", "noon")]).is_err());
    assert!(change(&[("max_open_files", "-1")]).is_err());
}
