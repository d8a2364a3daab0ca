//! Universal and FIFO compaction, and what time and snapshots make due.

use super::support::{dump, ro, small, temp_dir, wo};
use ferrolith::Code;
use ferrolith::internal::db::Db;
use ferrolith::internal::hooks::FixedPrefixPartitionerFactory;
use ferrolith::internal::options::{
    CompactOnDeletion, CompactRangeOptions, CompactionStyle, FlushOptions, Options,
    PlainTableOptions, TableFactory,
};
use std::sync::Arc;
use std::time::{Duration, Instant};

fn with_style(style: CompactionStyle) -> Options {
    let mut options = small();
    options.cf.compaction_style = style;
    options
}

fn fill(db: &Db, round: u32) {
    for i in 0..200u32 {
        let key = (i * 7 + round) % 1000;
        db.put(&wo(), &key.to_be_bytes(), format!("{round}-{i}").repeat(10).as_bytes()).unwrap();
    }
    db.flush(&FlushOptions::default()).unwrap();
}

fn files(db: &Db) -> Vec<u64> {
    let at = |level| db.property_int(&format!("rocksdb.num-files-at-level{level}")).unwrap();
    (0..7).map(at).collect()
}

fn compact(db: &Db) {
    db.compact_range(&CompactRangeOptions::default(), None, None).unwrap();
}

fn wait_for(what: impl Fn() -> bool) {
    let start = Instant::now();
    while !what() {
        assert!(start.elapsed() < Duration::from_secs(30), "it does not happen");
        std::thread::sleep(Duration::from_millis(20));
    }
}

#[test]
fn a_directory_changes_between_leveled_and_universal() {
    let dir = temp_dir();
    let styles = [CompactionStyle::Universal, CompactionStyle::Level];
    let mut expected = Vec::new();
    for (round, style) in styles.iter().cycle().take(6).enumerate() {
        let db = Db::open(&with_style(*style), dir.path()).unwrap();
        assert_eq!(dump(&db), expected, "as the other style left it");
        (0..10).for_each(|i| fill(&db, round as u32 * 10 + i));
        db.wait_for_compact().unwrap();
        let runs: u64 = files(&db)[0] + files(&db)[1..].iter().filter(|n| **n > 0).count() as u64;
        assert!(runs <= 4 || *style == CompactionStyle::Level, "{:?}", files(&db));
        if round % 3 == 2 {
            compact(&db);
            assert_eq!(files(&db)[..6], [0; 6], "all on the last level");
        }
        expected = dump(&db);
        db.close().unwrap();
    }
}

#[test]
fn universal_on_one_level_stays_there() {
    let dir = temp_dir();
    let mut options = with_style(CompactionStyle::Universal);
    options.cf.num_levels = 1;
    let db = Db::open(&options, dir.path()).unwrap();
    (0..10).for_each(|i| fill(&db, i));
    db.wait_for_compact().unwrap();
    compact(&db);
    assert_eq!(db.property_int("rocksdb.num-files-at-level0"), Some(1));
    let all = dump(&db);
    drop(db);
    // Leveled compaction takes it from there; back is not possible.
    let db = Db::open(&small(), dir.path()).unwrap();
    compact(&db);
    assert_eq!(dump(&db), all);
    drop(db);
    let e = Db::open(&options, dir.path()).unwrap_err();
    assert_eq!(e.code(), Code::InvalidArgument);
}

#[test]
fn fifo_drops_the_oldest_files() {
    let dir = temp_dir();
    let mut options = with_style(CompactionStyle::Fifo);
    options.cf.compaction_options_fifo.max_table_files_size = 64 << 10;
    options.cf.compression = ferrolith::internal::compress::CompressionType::None;
    let db = Db::open(&options, dir.path()).unwrap();
    db.put(&wo(), b"first", b"v").unwrap();
    let snapshot = db.snapshot();
    (0..20).for_each(|i| fill(&db, i));
    db.wait_for_compact().unwrap();
    let size = db.property_int("rocksdb.total-sst-files-size").unwrap();
    assert!(size <= 64 << 10 && size > 32 << 10, "{size}");
    assert_eq!(db.get(&ro(), b"first").unwrap(), None);
    assert!(!dump(&db).is_empty());
    drop(snapshot);
    let level = CompactRangeOptions { change_level: true, ..Default::default() };
    let e = db.compact_range(&level, None, None).unwrap_err();
    assert_eq!(e.to_string(), "Not implemented: FIFO compaction does not support change_level.");
}

#[test]
fn fifo_drops_what_is_too_old() {
    let dir = temp_dir();
    let mut options = with_style(CompactionStyle::Fifo);
    options.cf.ttl = 1;
    let db = Db::open(&options, dir.path()).unwrap();
    fill(&db, 0);
    wait_for(|| files(&db)[0] == 0);
    assert!(dump(&db).is_empty());
    drop(db);
    options.db.max_open_files = 100;
    let e = Db::open(&options, dir.path()).unwrap_err();
    assert_eq!(e.message(), "FIFO compaction only supported with max_open_files = -1.");
}

#[test]
fn old_data_goes_down_and_old_files_are_written_again() {
    let dir = temp_dir();
    let mut options = small();
    options.cf.level_compaction_dynamic_level_bytes = false;
    options.cf.ttl = 1;
    options.cf.num_levels = 3;
    let db = Db::open(&options, dir.path()).unwrap();
    fill(&db, 0);
    compact(&db);
    let down = CompactRangeOptions { change_level: true, target_level: 2, ..Default::default() };
    db.compact_range(&down, None, None).unwrap();
    fill(&db, 1);
    wait_for(|| {
        db.property_int("rocksdb.num-files-at-level2") == Some(1)
            && db.property_int("rocksdb.num-files-at-level0") == Some(0)
    });
    let all = dump(&db);
    drop(db);
    options.cf.periodic_compaction_seconds = 1;
    let db = Db::open(&options, dir.path()).unwrap();
    let count = || db.property_int("rocksdb.estimate-num-keys");
    wait_for(|| !db.property("rocksdb.stats").unwrap().is_empty());
    std::thread::sleep(Duration::from_millis(3100));
    assert!(count().is_some());
    assert_eq!(dump(&db), all);
    let log = std::fs::read_to_string(dir.path().join("LOG")).unwrap();
    assert!(log.contains(r#""compaction_reason": "PeriodicCompaction""#), "{log}");
    drop(db);
    let mut plain = small();
    plain.db.allow_mmap_reads = true;
    plain.cf.table_factory = TableFactory::Plain(PlainTableOptions::default());
    plain.cf.ttl = 1;
    let e = Db::open(&plain, temp_dir().path()).unwrap_err();
    assert_eq!(
        e.to_string(),
        "Not implemented: TTL is only supported in Block-Based Table format. "
    );
}

#[test]
fn what_a_snapshot_kept_goes_when_it_is_released() {
    let dir = temp_dir();
    let db = Db::open(&small(), dir.path()).unwrap();
    fill(&db, 0);
    let snapshot = db.snapshot();
    for (key, _) in dump(&db) {
        db.delete(&wo(), &key).unwrap();
    }
    db.flush(&FlushOptions::default()).unwrap();
    compact(&db);
    db.wait_for_compact().unwrap();
    assert_eq!((dump(&db).len(), files(&db)[6]), (0, 1), "kept for the snapshot");
    drop(db.snapshot());
    db.wait_for_compact().unwrap();
    assert_eq!(files(&db)[6], 1, "not the oldest one");
    // As in RocksDB, something newer must be visible.
    db.put(&wo(), b"later", b"v").unwrap();
    drop(snapshot);
    wait_for(|| files(&db)[6] == 0);
}

#[test]
fn tables_end_where_the_partitioner_says() {
    let dir = temp_dir();
    let mut options = small();
    options.cf.disable_auto_compactions = true;
    options.cf.sst_partitioner_factory = Some(Arc::new(FixedPrefixPartitionerFactory::new(1)));
    let db = Db::open(&options, dir.path()).unwrap();
    for key in ["a1", "a2", "b1", "c1", "c2"] {
        db.put(&wo(), key.as_bytes(), b"v").unwrap();
    }
    db.flush(&FlushOptions::default()).unwrap();
    assert_eq!(files(&db)[0], 1);
    compact(&db);
    assert_eq!((files(&db)[0], files(&db)[6], dump(&db).len()), (0, 3, 5), "no mere move");
    drop(db);
    let path = ferrolith::internal::options::newest_options_file(
        &*ferrolith::internal::fs::posix(),
        dir.path(),
    );
    let text = std::fs::read_to_string(path.unwrap().unwrap()).unwrap();
    let line = "sst_partitioner_factory={id=SstPartitionerFixedPrefixFactory;length=1;}";
    assert!(text.contains(line), "{text}");
}

#[test]
fn tables_with_many_tombstones_ask_to_be_compacted() {
    let dir = temp_dir();
    let mut options = small();
    options.cf.level_compaction_dynamic_level_bytes = false;
    options.cf.level0_file_num_compaction_trigger = 10;
    let watch = CompactOnDeletion { window_size: 128, deletion_trigger: 50, ..Default::default() };
    options.cf.compact_on_deletion = vec![watch];
    let db = Db::open(&options, dir.path()).unwrap();
    fill(&db, 0);
    compact(&db);
    let keys: Vec<_> = dump(&db).into_iter().map(|(key, _)| key).collect();
    let delete = |keys: &[Vec<u8>]| {
        keys.iter().for_each(|key| db.delete(&wo(), key).unwrap());
        db.flush(&FlushOptions::default()).unwrap();
        db.wait_for_compact().unwrap();
    };
    delete(&keys[..49]);
    assert_eq!(files(&db)[0], 1, "not enough");
    delete(&keys[100..150]);
    assert_eq!((files(&db)[0], dump(&db).len()), (0, keys.len() - 99));
    let log = std::fs::read_to_string(dir.path().join("LOG")).unwrap();
    let line = "Options.table_properties_collectors: CompactOnDeletionCollector (Sliding window \
                size = 128 Deletion trigger = 50 Deletion ratio = 0); ";
    assert!(log.contains(line), "{log}");
}
