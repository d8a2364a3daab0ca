//! Export and import of column families.

use crate::support::{dump_cf, open_three, ro, small, temp_dir, wo};
use ferrolith::internal::db::{Checkpoint, Db};
use ferrolith::internal::error::rocksdb_text;
use ferrolith::internal::options::{
    CompactRangeOptions, FlushOptions, ImportColumnFamilyOptions, ReadOptions,
};
use std::path::Path;

fn key(i: u32) -> Vec<u8> {
    format!("key{i:06}").into_bytes()
}

/// A family with files on several levels, some with newer versions of the same keys.
fn fill(db: &Db, cf: &ferrolith::internal::db::ColumnFamily) {
    for round in 0..3u32 {
        for i in (0..600).step_by(round as usize + 1) {
            db.put_cf(&wo(), cf, &key(i), &[&round.to_be_bytes()[..], &[b'v'; 60]].concat())
                .unwrap();
        }
        db.flush_cf(&FlushOptions::default(), cf).unwrap();
        if round == 0 {
            db.compact_range_cf(&CompactRangeOptions::default(), cf, None, None).unwrap();
        }
        db.delete_cf(&wo(), cf, &key(round * 7)).unwrap();
    }
}

fn count(dir: &Path) -> usize {
    std::fs::read_dir(dir).unwrap().count()
}

#[test]
fn a_family_moves_to_another_database() {
    for move_files in [false, true] {
        let dir = temp_dir();
        let (db, families) = open_three(&small(), &dir.path().join("db"));
        fill(&db, &families[1]);
        let expected = dump_cf(&db, &families[1]);
        let exported = dir.path().join("exported");
        let export = Checkpoint::new(&db).export_column_family(&families[1], &exported).unwrap();
        assert_eq!(export.db_comparator_name, "leveldb.BytewiseComparator");
        assert_eq!(count(&exported), export.files.len());
        assert!(export.files.len() > 1);
        assert!(export.files.iter().all(|f| f.db_path == exported && f.path().exists()));
        db.put_cf(&wo(), &families[1], b"later", b"1").unwrap();

        let other = Db::open(&small(), dir.path().join("other")).unwrap();
        other.put(&wo(), b"mine", b"1").unwrap();
        let how = ImportColumnFamilyOptions { move_files };
        let cf = other.create_cf_with_import("came", &small().cf, &how, &[&export]).unwrap();
        assert_eq!(dump_cf(&other, &cf), expected);
        assert_eq!(count(&exported) == 0, move_files);
        let newest = export.files.iter().map(|f| f.largest_seqno).max().unwrap();
        assert!(other.latest_sequence_number() >= newest);
        other.put_cf(&wo(), &cf, &key(1), b"newer").unwrap();
        assert_eq!(other.get_cf(&ro(), &cf, &key(1)).unwrap().unwrap(), b"newer");
        other.delete_cf(&wo(), &cf, &key(1)).unwrap();
        other.compact_range_cf(&CompactRangeOptions::default(), &cf, None, None).unwrap();
        let left: Vec<_> = expected.iter().filter(|(k, _)| *k != key(1)).cloned().collect();
        assert_eq!(dump_cf(&other, &cf), left);
        other.close().unwrap();
        let names = ["default", "came"];
        let descriptors = names
            .map(|name| ferrolith::internal::db::ColumnFamilyDescriptor::new(name, small().cf));
        let (other, cfs) =
            Db::open_cf(&small().db, dir.path().join("other"), descriptors.to_vec()).unwrap();
        assert_eq!(dump_cf(&other, &cfs[1]), left);
    }
}

#[test]
fn a_family_is_imported_beside_itself_and_exports_without_overlap_become_one() {
    let dir = temp_dir();
    let (db, families) = open_three(&small(), &dir.path().join("db"));
    for i in 0..100 {
        db.put_cf(&wo(), &families[(i >= 50) as usize + 1], &key(i), b"v").unwrap();
    }
    let checkpoint = Checkpoint::new(&db);
    let one = checkpoint.export_column_family(&families[1], dir.path().join("1")).unwrap();
    let two = checkpoint.export_column_family(&families[2], dir.path().join("2")).unwrap();
    let how = ImportColumnFamilyOptions::default();
    let cf = db.create_cf_with_import("both", &small().cf, &how, &[&two, &one]).unwrap();
    let expected: Vec<_> = (0..100).map(|i| (key(i), b"v".to_vec())).collect();
    assert_eq!(dump_cf(&db, &cf), expected);
    let again = db.create_cf_with_import("again", &small().cf, &how, &[&one, &one]).unwrap_err();
    assert_eq!(again.to_string(), "Invalid argument: CFs have overlapping ranges");
    assert!(db.cf("again").is_none(), "it was dropped again");

    // Without the boundaries, as after a way through C: the files are read.
    let mut plain = one.clone();
    for file in &mut plain.files {
        (file.smallest, file.largest) = (Vec::new(), Vec::new());
        (file.epoch_number, file.size) = (0, 0);
    }
    let cf = db.create_cf_with_import("plain", &small().cf, &how, &[&plain]).unwrap();
    assert_eq!(dump_cf(&db, &cf), expected[..50]);
}

#[test]
fn snapshots_of_the_importing_database_do_not_lie() {
    let dir = temp_dir();
    let (db, families) = open_three(&small(), &dir.path().join("db"));
    fill(&db, &families[1]);
    let export =
        Checkpoint::new(&db).export_column_family(&families[1], dir.path().join("x")).unwrap();
    let other = Db::open(&small(), dir.path().join("other")).unwrap();
    other.put(&wo(), b"a", b"1").unwrap();
    let snapshot = other.snapshot();
    other.put(&wo(), b"a", b"2").unwrap();
    let how = ImportColumnFamilyOptions::default();
    other.create_cf_with_import("came", &small().cf, &how, &[&export]).unwrap();
    let at = ReadOptions { snapshot: Some(snapshot.sequence()), ..ro() };
    assert_eq!(other.get(&at, b"a").unwrap().unwrap(), b"1");
    assert_eq!(other.get(&ro(), b"a").unwrap().unwrap(), b"2");
}

#[test]
fn refusals_have_rocksdbs_words_and_leave_nothing() {
    let dir = temp_dir();
    let (db, families) = open_three(&small(), &dir.path().join("db"));
    fill(&db, &families[1]);
    let checkpoint = Checkpoint::new(&db);
    let export = |name: &Path| {
        rocksdb_text(&checkpoint.export_column_family(&families[1], name).map(drop).unwrap_err())
    };
    assert_eq!(export(dir.path()), "Invalid argument: Specified export_dir exists");
    assert_eq!(export(Path::new("")), "Invalid argument: Specified export_dir invalid");
    let good = checkpoint.export_column_family(&families[1], dir.path().join("x")).unwrap();

    let tables = count(&dir.path().join("db"));
    let how = ImportColumnFamilyOptions::default();
    let import = |name: &str,
                  change: &dyn Fn(
        &mut ferrolith::internal::external::ExportImportFilesMetaData,
    )| {
        let mut export = good.clone();
        change(&mut export);
        rocksdb_text(&db.create_cf_with_import(name, &small().cf, &how, &[&export]).unwrap_err())
    };
    let comparator = import("a", &|e| e.db_comparator_name = "other".into());
    assert_eq!(comparator, "Invalid argument: Comparator name mismatch");
    let empty = import("a", &|e| e.files.clear());
    assert_eq!(empty, "Invalid argument: The list of files is empty");
    let missing = import("a", &|e| e.files[0].name = "/999999.sst".into());
    assert!(missing.starts_with("IO error: No such file or directory"), "{missing}");
    let level = import("a", &|e| e.files[0].level = 99);
    let words = "Invalid argument: db has more levels than options.num_levels: num_levels is 7";
    assert!(level.starts_with(words), "{level}");
    assert!(import("one", &|_| {}).starts_with("Invalid argument: Column family already exists"));
    assert!(db.cf("a").is_none());
    let left = std::fs::read_dir(dir.path().join("db")).unwrap();
    let left = left.filter(|e| e.as_ref().unwrap().file_name().to_string_lossy().ends_with(".sst"));
    assert_eq!(left.count(), db.live_files_metadata().len(), "of {tables}");
}
