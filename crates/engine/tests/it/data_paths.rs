//! Tables in several directories: `db_paths` and `cf_paths`.

use crate::support::{dump, dump_cf, small, temp_dir, wo};
use ferrolith::internal::budget::SstFileManager;
use ferrolith::internal::db::backup::{BackupEngine, BackupEngineOptions};
use ferrolith::internal::db::{Checkpoint, ColumnFamilyDescriptor, Db};
use ferrolith::internal::hooks::{CompactionJobInfo, EventDb, EventListener, FlushJobInfo};
use ferrolith::internal::options::{
    BottommostLevelCompaction, CompactRangeOptions, CompactionStyle, DbPath, FlushOptions, Options,
};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

type Content = Vec<(Vec<u8>, Vec<u8>)>;

fn paths(root: &Path, targets: &[u64]) -> Vec<DbPath> {
    let path = |(i, target): (usize, &u64)| DbPath {
        path: root.join(format!("path{i}")),
        target_size: *target,
    };
    targets.iter().enumerate().map(path).collect()
}

/// Levels 0 and 1 in the first path, level 2 in the second, the rest in the third.
fn leveled(root: &Path) -> Options {
    let mut o = small();
    o.cf.compression = ferrolith::internal::compress::CompressionType::None;
    o.cf.write_buffer_size = 64 << 10;
    o.cf.max_bytes_for_level_base = 128 << 10;
    o.cf.max_bytes_for_level_multiplier = 4.0;
    o.cf.level0_file_num_compaction_trigger = 2;
    o.db.db_paths = paths(root, &[256 << 10, 512 << 10, 1]);
    o
}

/// What every later call overwrites in part.
fn fill(db: &Db, round: u64) {
    let mut random = fastrand::Rng::with_seed(round);
    for _ in 0..6000 {
        let key = format!("key{:05}", random.u32(..20_000));
        let value: Vec<u8> = (0..200).map(|_| random.u8(..)).collect();
        db.put(&wo(), key.as_bytes(), &value).unwrap();
    }
    db.flush(&FlushOptions::default()).unwrap();
    db.wait_for_compact().unwrap();
}

fn tables_in(dir: &Path) -> BTreeSet<PathBuf> {
    let Ok(entries) = std::fs::read_dir(dir) else { return BTreeSet::new() };
    let names = entries.map(|entry| entry.unwrap().path());
    names.filter(|path| path.extension().is_some_and(|e| e == "sst")).collect()
}

/// Waits until there are exactly the live files, and says how many are in each path.
fn counts(db: &Db, root: &Path) -> [usize; 4] {
    db.wait_for_compact().unwrap();
    let files = db.live_files_metadata();
    let live: BTreeSet<PathBuf> = files.iter().map(|file| file.path()).collect();
    assert_eq!(live.len(), files.len());
    let dirs = ["db", "path0", "path1", "path2"].map(|name| root.join(name));
    let on_disk = || -> BTreeSet<PathBuf> { dirs.iter().flat_map(|dir| tables_in(dir)).collect() };
    // The thread that compacted may still be deleting its inputs.
    let deadline = Instant::now() + Duration::from_secs(60);
    while on_disk() != live && Instant::now() < deadline {
        std::thread::sleep(Duration::from_millis(5));
    }
    assert_eq!(on_disk(), live);
    dirs.map(|dir| files.iter().filter(|file| file.db_path == dir).count())
}

/// Files on every path, and what is in the database.
fn three_paths(root: &Path, options: &Options) -> (Db, Content) {
    let db = Db::open(options, root.join("db")).unwrap();
    fill(&db, 1);
    fill(&db, 2);
    // Whatever was compacted away, this is on level 0 or 1.
    db.put(&wo(), b"last", b"x").unwrap();
    db.flush(&FlushOptions::default()).unwrap();
    let [main, rest @ ..] = counts(&db, root);
    let leveled = options.cf.compaction_style == CompactionStyle::Level;
    assert!(main == 0 && rest[2] > 0, "{main} {rest:?}");
    assert!(!leveled || (rest[0] > 0 && rest[1] > 0), "{rest:?}");
    let content = dump(&db);
    (db, content)
}

#[derive(Default)]
struct Witness {
    flushed: Mutex<Vec<PathBuf>>,
    compacted: Mutex<Vec<PathBuf>>,
}

impl EventListener for Witness {
    fn on_flush_completed(&self, _: EventDb<'_>, info: &FlushJobInfo) {
        self.flushed.lock().unwrap().push(info.file_path.clone());
    }
    fn on_compaction_begin(&self, _: EventDb<'_>, info: &CompactionJobInfo) {
        assert!(info.input_files.iter().all(|file| file.exists()), "{:?}", info.input_files);
    }
    fn on_compaction_completed(&self, _: EventDb<'_>, info: &CompactionJobInfo) {
        self.compacted.lock().unwrap().extend(info.output_files.iter().cloned());
    }
}

#[test]
fn levels_lie_in_the_paths_that_their_sizes_ask_for() {
    let root = temp_dir();
    let witness = Arc::new(Witness::default());
    let manager = SstFileManager::new();
    let mut options = leveled(root.path());
    options.db.components.listeners = vec![witness.clone()];
    options.db.components.sst_file_manager = Some(manager.clone());
    let (db, content) = three_paths(root.path(), &options);
    for file in db.live_files_metadata() {
        let path = ["path0", "path0", "path1", "path2"][file.level.min(3)];
        assert_eq!(file.db_path, root.path().join(path), "level {}", file.level);
        assert_eq!(std::fs::metadata(file.path()).unwrap().len(), file.size);
    }
    let told = |files: &Mutex<Vec<PathBuf>>| -> BTreeSet<PathBuf> {
        files.lock().unwrap().iter().map(|f| f.parent().unwrap().to_path_buf()).collect()
    };
    assert_eq!(told(&witness.flushed), BTreeSet::from([root.path().join("path0")]));
    assert_eq!(told(&witness.compacted).len(), 3);
    let bytes: u64 = db.live_files_metadata().iter().map(|file| file.size).sum();
    assert_eq!(manager.total_size(), bytes);
    db.close().unwrap();

    let db = Db::open(&options, root.path().join("db")).unwrap();
    assert_eq!(dump(&db), content);
    fill(&db, 3);
    counts(&db, root.path());
}

#[test]
fn without_enough_room_universal_runs_go_further_down() {
    let root = temp_dir();
    let mut options = leveled(root.path());
    options.cf.compaction_style = CompactionStyle::Universal;
    options.db.db_paths = paths(root.path(), &[300 << 10, 2000 << 10, 1]);
    let (db, content) = three_paths(root.path(), &options);
    db.close().unwrap();
    let db = Db::open(&options, root.path().join("db")).unwrap();
    assert_eq!(dump(&db), content);
}

#[test]
fn a_manual_compaction_goes_where_it_is_told() {
    let root = temp_dir();
    let options = leveled(root.path());
    let (db, content) = three_paths(root.path(), &options);
    for target_path_id in [1, 0, 2] {
        let how = CompactRangeOptions {
            target_path_id,
            bottommost_level_compaction: BottommostLevelCompaction::Force,
            ..CompactRangeOptions::default()
        };
        db.compact_range(&how, None, None).unwrap();
        let mut expected = [0; 4];
        expected[1 + target_path_id as usize] = db.live_files_metadata().len();
        assert_eq!(counts(&db, root.path()), expected);
        assert_eq!(dump(&db), content);
    }
    let how = CompactRangeOptions { target_path_id: 3, ..CompactRangeOptions::default() };
    let e = db.compact_range(&how, None, None).unwrap_err();
    assert_eq!(e.to_string(), "Invalid argument: Invalid target path ID");
}

#[test]
fn leftovers_go_from_every_path_and_what_is_not_ours_stays() {
    let root = temp_dir();
    let options = leveled(root.path());
    let (db, content) = three_paths(root.path(), &options);
    db.close().unwrap();
    for dir in ["db", "path0", "path1", "path2"] {
        for name in ["900001.sst", "900002.sst.trash", "notes.txt", "900003.log"] {
            std::fs::write(root.path().join(dir).join(name), b"x").unwrap();
        }
        std::fs::remove_file(root.path().join(dir).join("900003.log")).unwrap();
    }
    let db = Db::open(&options, root.path().join("db")).unwrap();
    counts(&db, root.path());
    assert_eq!(dump(&db), content);
    db.close().unwrap();
    for dir in ["db", "path0", "path1", "path2"] {
        assert!(root.path().join(dir).join("notes.txt").exists());
        assert!(!root.path().join(dir).join("900002.sst.trash").exists());
        std::fs::remove_file(root.path().join(dir).join("notes.txt")).unwrap();
    }
    Db::destroy(&options.db, root.path().join("db")).unwrap();
    assert_eq!(std::fs::read_dir(root.path()).unwrap().count(), 0);
}

#[test]
fn copies_need_all_in_one_directory_and_exports_do_not() {
    let root = temp_dir();
    let options = leveled(root.path());
    let (db, content) = three_paths(root.path(), &options);
    let backups = BackupEngineOptions::new(root.path().join("backups"));
    let told = "Not implemented: db_paths / cf_paths not supported for Checkpoint nor BackupEngine";
    let copy = root.path().join("checkpoint");
    let e = Checkpoint::new(&db).create(&copy, 0).unwrap_err();
    assert_eq!(e.to_string(), told);
    assert!(!copy.exists());
    let e = BackupEngine::open(backups).unwrap().create_new_backup(&db).unwrap_err();
    assert_eq!(e.to_string(), told);

    let copy = root.path().join("export");
    let export = Checkpoint::new(&db).export_column_family(&db.default_cf(), &copy).unwrap();
    let how = Default::default();
    let family = db.create_cf_with_import("imported", &options.cf, &how, &[&export]).unwrap();
    assert_eq!(dump_cf(&db, &family), content);
    let imported = db.live_files_metadata();
    let mut imported = imported.iter().filter(|file| file.column_family_name == "imported");
    assert!(imported.all(|file| file.db_path == root.path().join("path0")));
}

#[test]
fn reading_only_and_repair_look_into_every_path() {
    let root = temp_dir();
    let options = leveled(root.path());
    let (db, content) = three_paths(root.path(), &options);
    db.close().unwrap();
    let dir = root.path().join("db");
    assert_eq!(dump(&Db::open_for_read_only(&options, &dir, false).unwrap()), content);
    for entry in std::fs::read_dir(&dir).unwrap() {
        let path = entry.unwrap().path();
        if path.to_string_lossy().contains("MANIFEST") {
            std::fs::remove_file(path).unwrap();
        }
    }
    Db::repair(&options, &dir).unwrap();
    let db = Db::open(&options, &dir).unwrap();
    assert_eq!(dump(&db), content);
    counts(&db, root.path());
}

#[test]
fn a_family_may_have_paths_of_its_own() {
    let root = temp_dir();
    let mut options = small();
    options.db.db_paths = paths(root.path(), &[1 << 30]);
    let mut own = options.cf.clone();
    own.cf_paths = vec![DbPath { path: root.path().join("own"), target_size: 1 << 30 }];
    let families = vec![
        ColumnFamilyDescriptor::new("default", options.cf.clone()),
        ColumnFamilyDescriptor::new("own", own.clone()),
    ];
    let dir = root.path().join("db");
    let (db, handles) = Db::open_cf(&options.db, &dir, families.clone()).unwrap();
    let late = db.create_cf("late", &own).unwrap();
    for cf in handles.iter().chain([&late]) {
        db.put_cf(&wo(), cf, b"k", cf.name().as_bytes()).unwrap();
        db.flush_cf(&FlushOptions::default(), cf).unwrap();
    }
    let own_dir = root.path().join("own");
    assert_eq!(tables_in(&root.path().join("path0")).len(), 1);
    assert_eq!(tables_in(&own_dir).len(), 2);
    db.drop_cf(&late).unwrap();
    drop(late);
    db.close().unwrap();
    drop((db, handles));

    let (db, handles) = Db::open_cf(&options.db, &dir, families.clone()).unwrap();
    assert_eq!(dump_cf(&db, &handles[1]), [(b"k".to_vec(), b"own".to_vec())]);
    assert_eq!(tables_in(&own_dir).len(), 1, "of the dropped family nothing is left");
    db.close().unwrap();
    drop((db, handles));
    Db::destroy_cf(&options.db, &dir, &families).unwrap();
    assert_eq!(std::fs::read_dir(root.path()).unwrap().count(), 0);
}

#[test]
fn what_cannot_be_is_refused() {
    let root = temp_dir();
    let dir = root.path().join("db");
    let error = |options: &Options| Db::open(options, &dir).unwrap_err().to_string();
    let mut options = small();
    options.db.db_paths = paths(root.path(), &[1; 5]);
    let told = "Not implemented: More than four DB paths are not supported yet. ";
    assert_eq!(error(&options), told);
    options.db.db_paths.truncate(2);
    options.cf.compaction_style = CompactionStyle::Fifo;
    let told = "Not implemented: More than one DB paths are only supported in universal and level \
                compaction styles. ";
    assert_eq!(error(&options), told);
    options.cf.cf_paths = options.db.db_paths.clone();
    assert_eq!(error(&options), told.replace("DB", "CF"));
    options.cf.cf_paths.truncate(1);
    Db::open(&options, &dir).unwrap().close().unwrap();
}

#[test]
fn the_first_path_may_be_the_directory_itself() {
    let root = temp_dir();
    let dir = root.path().join("db");
    let mut options = small();
    options.db.db_paths = paths(root.path(), &[1 << 30, 1]);
    options.db.db_paths[0].path = root.path().join("./db/");
    let db = Db::open(&options, &dir).unwrap();
    db.put(&wo(), b"k", b"v").unwrap();
    let copy = root.path().join("checkpoint");
    Checkpoint::new(&db).create(&copy, 0).unwrap();
    assert_eq!(dump(&Db::open(&small(), &copy).unwrap()), dump(&db));
    db.close().unwrap();
    let db = Db::open(&options, &dir).unwrap();
    assert_eq!(tables_in(&dir).len(), 1);
    assert_eq!(dump(&db).len(), 1);
}

/// The table is sought in the last path that there is.
#[test]
fn a_path_that_is_left_out_is_missed() {
    let root = temp_dir();
    let mut options = leveled(root.path());
    let (db, _) = three_paths(root.path(), &options);
    db.close().unwrap();
    options.db.db_paths.truncate(2);
    let e = Db::open(&options, root.path().join("db")).unwrap_err();
    assert!(e.is_corruption(), "{e}");
    let text = e.to_string();
    assert!(
        text.contains("/path1/") && text.contains("is missing") && text.contains("MANIFEST"),
        "{e}"
    );
}
