//! What the database tells about its files, and what it does with ranges of them.

use crate::faults::eventually;
use crate::support::{dump, open_three, ro, small, temp_dir, wo};
use ferrolith::internal::db::Db;
use ferrolith::internal::options::{
    CompactRangeOptions, FlushOptions, Options, SizeApproximationOptions,
};
use std::path::Path;

fn key(i: u32) -> Vec<u8> {
    format!("key{i:06}").into_bytes()
}

/// A database whose last level has several files, and nothing else anywhere.
fn compacted(path: &Path) -> Db {
    let mut options = small();
    options.cf.compression = ferrolith::internal::compress::CompressionType::None;
    options.cf.write_buffer_size = 16 << 10;
    options.cf.disable_auto_compactions = true;
    let db = Db::open(&options, path).unwrap();
    for i in 0..2000 {
        db.put(&wo(), &key(i), &[b'v'; 400]).unwrap();
    }
    db.compact_range(&CompactRangeOptions::default(), None, None).unwrap();
    db
}

fn tables_in(dir: &Path) -> usize {
    let names = std::fs::read_dir(dir).unwrap().map(|entry| entry.unwrap().path());
    names.filter(|path| path.extension().is_some_and(|e| e == "sst")).count()
}

#[test]
fn live_files_are_told_with_their_levels_keys_and_counts() {
    let dir = temp_dir();
    let (db, families) = open_three(&small(), dir.path());
    db.put_cf(&wo(), &families[1], b"b", b"1").unwrap();
    db.put_cf(&wo(), &families[1], b"a", b"1").unwrap();
    db.delete_cf(&wo(), &families[1], b"c").unwrap();
    db.flush_cf(&FlushOptions::default(), &families[1]).unwrap();
    db.put(&wo(), b"z", b"1").unwrap();
    db.flush(&FlushOptions::default()).unwrap();

    let files = db.live_files_metadata();
    assert_eq!(files.len(), 2);
    let one = files.iter().find(|f| f.column_family_name == "one").unwrap();
    assert_eq!((one.smallest_key.as_slice(), one.largest_key.as_slice()), (&b"a"[..], &b"c"[..]));
    assert_eq!((one.num_entries, one.num_deletions, one.level), (3, 1, 0));
    assert_eq!((one.smallest_seqno, one.largest_seqno), (1, 3));
    assert_eq!(one.name, format!("/{:06}.sst", one.file_number));
    assert_eq!(std::fs::metadata(one.path()).unwrap().len(), one.size);
    assert_eq!(one.db_path, dir.path());

    let meta = db.column_family_metadata(&families[1]).unwrap();
    assert_eq!((meta.name.as_str(), meta.file_count, meta.size), ("one", 1, one.size));
    assert_eq!(meta.levels.len(), 7);
    assert_eq!((meta.levels[0].level, meta.levels[0].size), (0, one.size));
    assert_eq!(meta.levels[0].files, std::slice::from_ref(one));
    assert!(meta.levels[1..].iter().all(|level| level.files.is_empty() && level.size == 0));
    db.drop_cf(&families[1]).unwrap();
    assert!(db.column_family_metadata(&families[1]).is_err());
}

#[test]
fn counts_are_known_after_a_reopening_that_opens_no_tables() {
    let dir = temp_dir();
    let mut options = small();
    options.db.max_open_files = 2;
    let db = Db::open(&options, dir.path()).unwrap();
    db.put(&wo(), b"a", b"1").unwrap();
    db.delete(&wo(), b"b").unwrap();
    db.flush(&FlushOptions::default()).unwrap();
    db.close().unwrap();
    let db = Db::open(&options, dir.path()).unwrap();
    let files = db.live_files_metadata();
    assert_eq!((files[0].num_entries, files[0].num_deletions), (2, 1));
}

#[test]
fn live_files_copied_while_deletions_are_disabled_are_the_database() {
    let (dir, copy) = (temp_dir(), temp_dir());
    let db = Db::open(&small(), dir.path()).unwrap();
    for i in 0..500 {
        db.put(&wo(), &key(i), b"old").unwrap();
    }
    db.disable_file_deletions().unwrap();
    let files = db.live_files(true).unwrap();
    for i in 0..3000 {
        db.put(&wo(), &key(i), &[b'n'; 100]).unwrap();
    }
    db.compact_range(&CompactRangeOptions::default(), None, None).unwrap();
    for name in &files.names {
        let name = name.strip_prefix('/').unwrap();
        std::fs::copy(dir.path().join(name), copy.path().join(name)).unwrap();
        if name.starts_with("MANIFEST") {
            let file = std::fs::OpenOptions::new().write(true).open(copy.path().join(name));
            file.unwrap().set_len(files.manifest_file_size).unwrap();
        }
    }
    assert_eq!(db.property_int("rocksdb.is-file-deletions-enabled"), Some(0));
    let opened = Db::open(&Options::default(), copy.path()).unwrap();
    let expected: Vec<_> = (0..500).map(|i| (key(i), b"old".to_vec())).collect();
    assert_eq!(dump(&opened), expected);
}

#[test]
fn disabled_deletions_are_counted_and_made_up_for() {
    let dir = temp_dir();
    let db = compacted(dir.path());
    let live = db.live_files_metadata().len();
    db.disable_file_deletions().unwrap();
    db.disable_file_deletions().unwrap();
    assert_eq!(db.property_int("rocksdb.is-file-deletions-enabled"), Some(0));
    db.delete_files_in_range(&db.default_cf(), None, None).unwrap();
    assert_eq!(db.live_files_metadata().len(), 0);
    assert_eq!(tables_in(dir.path()), live);
    db.enable_file_deletions().unwrap();
    assert_eq!(tables_in(dir.path()), live, "another one has them disabled");
    db.enable_file_deletions().unwrap();
    // A thread of another test may just be freeing what held them: then a background thread deletes them.
    eventually("the tables are gone", || tables_in(dir.path()) == 0);
    assert_eq!(db.property_int("rocksdb.is-file-deletions-enabled"), Some(1));
    db.enable_file_deletions().unwrap();
    assert_eq!(db.property_int("rocksdb.is-file-deletions-enabled"), Some(1));
}

#[test]
fn what_waited_for_deletion_at_close_goes_at_the_next_open() {
    let dir = temp_dir();
    let db = compacted(dir.path());
    db.disable_file_deletions().unwrap();
    db.delete_files_in_range(&db.default_cf(), None, None).unwrap();
    db.close().unwrap();
    assert!(tables_in(dir.path()) > 1);
    let db = Db::open(&small(), dir.path()).unwrap();
    assert_eq!(tables_in(dir.path()), 0);
    assert!(dump(&db).is_empty());
}

#[test]
fn files_inside_a_range_go_and_others_stay() {
    let dir = temp_dir();
    let db = compacted(dir.path());
    let before = db.live_files_metadata();
    assert!(before.len() > 3, "{before:?}");
    let (begin, end) = (key(300), key(1700));
    db.delete_files_in_range(&db.default_cf(), Some(&begin), Some(&end)).unwrap();
    let after = db.live_files_metadata();
    for file in &before {
        let inside = file.smallest_key >= begin && file.largest_key <= end;
        assert_eq!(after.contains(file), !inside, "{file:?}");
    }
    assert!(after.len() < before.len());
    let left = dump(&db);
    let expected =
        |i: u32| after.iter().any(|f| f.smallest_key <= key(i) && f.largest_key >= key(i));
    let expected: Vec<_> = (0..2000).filter(|i| expected(*i)).map(key).collect();
    assert_eq!(left.into_iter().map(|(key, _)| key).collect::<Vec<_>>(), expected);
    db.close().unwrap();
    let db = Db::open(&small(), dir.path()).unwrap();
    assert_eq!(db.live_files_metadata().len(), after.len());
    // Backwards ranges are empty ones.
    db.delete_files_in_range(&db.default_cf(), Some(&end), Some(&begin)).unwrap();
    assert_eq!(db.live_files_metadata().len(), after.len());
}

#[test]
fn sizes_are_about_right_with_and_without_memtables() {
    let dir = temp_dir();
    let db = compacted(dir.path());
    let (cf, whole) = (db.default_cf(), (key(0), key(2000)));
    let sizes = |options: &SizeApproximationOptions, ranges: &[(u32, u32)]| {
        let keys: Vec<_> = ranges.iter().map(|(a, b)| (key(*a), key(*b))).collect();
        let ranges: Vec<_> = keys.iter().map(|(a, b)| (a.as_slice(), b.as_slice())).collect();
        db.approximate_sizes(options, &cf, &ranges).unwrap()
    };
    let files = SizeApproximationOptions::default();
    let total: u64 = db.live_files_metadata().iter().map(|f| f.size).sum();
    let found = sizes(&files, &[(0, 2000), (0, 1000), (1000, 2000), (5000, 6000), (100, 50)]);
    assert_eq!(found[0], total);
    assert!(found[1].abs_diff(total / 2) < total / 10, "{found:?} of {total}");
    assert!(found[2].abs_diff(total / 2) < total / 10, "{found:?} of {total}");
    assert_eq!(found[3..], [0, 0]);
    let rough = SizeApproximationOptions { files_size_error_margin: 0.9, ..files };
    let found = sizes(&rough, &[(100, 1900)]);
    assert!(found[0].abs_diff(total * 9 / 10) < total / 5, "{found:?} of {total}");

    for i in 0..100 {
        db.put(&wo(), &key(i), &[b'm'; 50]).unwrap();
    }
    let memory =
        SizeApproximationOptions { include_memtables: true, include_files: false, ..files };
    let found = sizes(&memory, &[(0, 2000), (0, 50), (200, 2000)]);
    assert!((5000..10_000).contains(&found[0]), "{found:?}");
    assert!(found[1].abs_diff(found[0] / 2) < 100 && found[2] == 0, "{found:?}");
    let both = SizeApproximationOptions { include_memtables: true, ..files };
    assert_eq!(sizes(&both, &[(0, 2000)])[0], total + found[0]);
    let stats = db.approximate_memtable_stats(&cf, &whole.0, &whole.1).unwrap();
    assert_eq!(stats, (100, found[0]));
    let none = SizeApproximationOptions { include_files: false, ..files };
    let error = db.approximate_sizes(&none, &cf, &[]).unwrap_err();
    assert_eq!(error.to_string(), "Invalid argument: Invalid options");
    assert!(db.get(&ro(), &key(7)).unwrap().is_some());
}
