//! Options that bound the whole database, or say how carefully files are written.

use super::support::{dump, open_three, ro, small, temp_dir, wo};
use ferrolith::internal::db::Db;
use ferrolith::internal::options::{FlushOptions, WriteOptions};
use std::path::Path;

fn bytes_of(dir: &Path, extension: &str) -> u64 {
    let files = std::fs::read_dir(dir).unwrap().map(|e| e.unwrap());
    files
        .filter(|f| f.path().extension().is_some_and(|e| e == extension))
        .map(|f| f.metadata().map_or(0, |m| m.len()))
        .sum()
}

#[test]
fn db_write_buffer_size_bounds_all_memtables_together() {
    let dir = temp_dir();
    let mut options = small();
    options.cf.write_buffer_size = 16 << 20;
    options.cf.arena_block_size = 4 << 10;
    options.db.db_write_buffer_size = 256 << 10;
    let (db, cfs) = open_three(&options, dir.path());
    let memory = || -> u64 {
        let one = |cf| db.property_cf(cf, "rocksdb.cur-size-active-mem-table").unwrap();
        cfs.iter().map(|cf| one(cf).parse::<u64>().unwrap()).sum()
    };
    for i in 0..9_000u32 {
        db.put_cf(&wo(), &cfs[i as usize % 3], &i.to_be_bytes(), &[7; 100]).unwrap();
        if i % 100 == 0 {
            assert!(memory() <= 256 << 10, "{} bytes in memtables", memory());
        }
    }
    db.wait_for_compact().unwrap();
    assert!(bytes_of(dir.path(), "sst") > 0);
}

#[test]
fn max_total_wal_size_holds_although_no_memtable_is_full() {
    let dir = temp_dir();
    let mut options = small();
    options.cf.write_buffer_size = 64 << 20;
    options.db.max_total_wal_size = 128 << 10;
    let (db, cfs) = open_three(&options, dir.path());
    db.put_cf(&wo(), &cfs[1], b"rare", b"v").unwrap();
    for i in 0..10_000u32 {
        db.put(&wo(), &i.to_be_bytes(), &[7; 100]).unwrap();
    }
    db.wait_for_compact().unwrap();
    assert_ne!(db.property("rocksdb.total-sst-files-size").unwrap(), "0");
    let rare = db.get_cf(&ro(), &cfs[1], b"rare").unwrap();
    assert_eq!(rare.as_deref(), Some(&b"v"[..]));
}

#[test]
fn with_manual_wal_flush_records_wait_until_flushed_or_synced() {
    let dir = temp_dir();
    let mut options = small();
    options.db.manual_wal_flush = true;
    let db = Db::open(&options, dir.path()).unwrap();
    let before = bytes_of(dir.path(), "log");
    db.put(&wo(), b"a", &[1; 1000]).unwrap();
    assert_eq!(bytes_of(dir.path(), "log"), before, "written at once");
    db.flush_wal(false).unwrap();
    let flushed = bytes_of(dir.path(), "log");
    assert!(flushed >= before + 1000);
    db.put(&WriteOptions { sync: true, ..wo() }, b"b", &[2; 1000]).unwrap();
    assert!(bytes_of(dir.path(), "log") >= flushed + 1000, "a synced write stayed in the buffer");
    db.put(&wo(), b"c", b"3").unwrap();
    let all = dump(&db);
    drop(db);
    assert_eq!(dump(&Db::open(&options, dir.path()).unwrap()), all);
}

#[test]
fn careful_ways_of_writing_files_give_the_same_database() {
    let dir = temp_dir();
    let mut options = small();
    options.db.use_fsync = true;
    options.db.allow_fallocate = false;
    options.db.bytes_per_sync = 4096;
    options.db.wal_bytes_per_sync = 4096;
    options.cf.paranoid_file_checks = true;
    let db = Db::open(&options, dir.path()).unwrap();
    for i in 0..3_000u32 {
        db.put(&wo(), &(i % 1000).to_be_bytes(), &i.to_le_bytes().repeat(20)).unwrap();
    }
    db.flush(&FlushOptions { allow_write_stall: true, ..Default::default() }).unwrap();
    db.wait_for_compact().unwrap();
    let all = dump(&db);
    assert_eq!(all.len(), 1000);
    drop(db);
    assert_eq!(dump(&Db::open(&small(), dir.path()).unwrap()), all);
}

#[test]
fn figures_go_to_the_log_periodically() {
    let dir = temp_dir();
    let mut options = small();
    options.db.stats_dump_period_sec = 1;
    options.db.statistics = Some(ferrolith::internal::stats::Statistics::new());
    let db = Db::open(&options, dir.path()).unwrap();
    db.put(&wo(), b"k", b"v").unwrap();
    let log = || std::fs::read_to_string(dir.path().join("LOG")).unwrap();
    let start = std::time::Instant::now();
    while !log().contains("rocksdb.number.keys.written COUNT : 1") {
        assert!(start.elapsed().as_secs() < 30, "no figures in LOG");
        std::thread::sleep(std::time::Duration::from_millis(50));
    }
    // One entry, whose lines have no time before them.
    assert!(log().contains("\n** DB Stats **\n") && log().contains("STATISTICS:\n rocksdb."));
    // Intervals go from report to report.
    let stats = || db.property("rocksdb.dbstats").unwrap();
    drop(stats());
    db.put(&wo(), b"l", b"v").unwrap();
    let text = stats();
    assert!(text.contains("Cumulative writes: 2 writes, 2 keys, "), "{text}");
    assert!(text.contains("\nInterval stall: "), "{text}");
}

#[test]
fn the_log_tells_of_settings_without_effect() {
    let dir = temp_dir();
    let mut options = small();
    options.cf.max_successive_merges = 60;
    drop(Db::open(&options, dir.path()).unwrap());
    let log = std::fs::read_to_string(dir.path().join("LOG")).unwrap();
    assert_eq!(
        log.matches("option max_successive_merges: value 60 has no effect").count(),
        1,
        "{log}"
    );
    assert_eq!(log.matches("has no effect").count(), 1, "{log}");
}
