//! Backups: what is restored is the database of that moment, shared files live as long as a backup
//! needs them, and damage is found.

use super::support::{dump, dump_cf, open_three, small, temp_dir, with_cf, wo};
use ferrolith::Code;
use ferrolith::internal::db::Db;
use ferrolith::internal::db::backup::{
    BackupEngine, BackupEngineOptions, BackupProgress, CreateBackupOptions, RestoreOptions,
    ShareFilesNaming,
};
use ferrolith::internal::error::rocksdb_text;
use ferrolith::internal::fs::fault::FaultFs;
use ferrolith::internal::fs::posix;
use ferrolith::internal::options::{FlushOptions, Options, WriteOptions};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

fn options() -> Options {
    with_cf(&small(), |cf| cf.disable_auto_compactions = true)
}

fn fill(db: &Db, from: u32, to: u32) {
    for i in from..to {
        db.put(&wo(), &i.to_be_bytes(), &[i as u8; 50]).unwrap();
    }
}

fn engine(dir: &Path) -> BackupEngine {
    BackupEngine::open(BackupEngineOptions::new(dir.join("backups"))).unwrap()
}

fn names(dir: &Path) -> Vec<String> {
    let Ok(entries) = std::fs::read_dir(dir) else { return Vec::new() };
    let mut names: Vec<_> =
        entries.map(|e| e.unwrap().file_name().to_string_lossy().into_owned()).collect();
    names.sort();
    names
}

fn restored(engine: &BackupEngine, id: u32) -> Vec<(Vec<u8>, Vec<u8>)> {
    let dir = temp_dir();
    engine.restore(id, dir.path(), dir.path(), &RestoreOptions::default()).unwrap();
    let db = Db::open(&options(), dir.path()).unwrap();
    dump(&db)
}

#[test]
fn each_backup_is_the_database_of_its_moment() {
    let dir = temp_dir();
    let db = Db::open(&options(), dir.path().join("db")).unwrap();
    let mut moments = Vec::new();
    for round in 0..4u32 {
        fill(&db, round * 100, round * 150 + 200);
        if round % 2 == 0 {
            db.flush(&FlushOptions::default()).unwrap();
        }
        // A new engine each time: everything it knows comes from the directory.
        let mut engine = engine(dir.path());
        let flush = CreateBackupOptions {
            flush_before_backup: round == 3,
            app_metadata: format!("round {round}").into_bytes(),
            ..CreateBackupOptions::default()
        };
        assert_eq!(engine.create_new_backup_with(&db, &flush).unwrap(), round + 1);
        moments.push(dump(&db));
    }
    let mut engine = engine(dir.path());
    for (i, moment) in moments.iter().enumerate() {
        engine.verify_backup(i as u32 + 1, true).unwrap();
        assert_eq!(&restored(&engine, i as u32 + 1), moment, "backup {}", i + 1);
    }
    let info = engine.backup_info();
    assert_eq!(info.iter().map(|b| b.backup_id).collect::<Vec<_>>(), [1, 2, 3, 4]);
    assert!(info.iter().all(|b| b.size > 0 && b.number_files >= 4 && b.timestamp > 1_700_000_000));
    assert_eq!(info[2].app_metadata, b"round 2");
    // The same tables are there once; they go with the last backup that has them.
    let shared = names(&dir.path().join("backups/shared_checksum"));
    let live = db.live_files_metadata().len();
    assert_eq!(shared.len(), live, "{shared:?}");
    engine.delete_backup(1).unwrap();
    engine.purge_old_backups(2).unwrap();
    assert_eq!(names(&dir.path().join("backups/private")), ["3", "4"]);
    assert_eq!(restored(&engine, 3), moments[2]);
    engine.purge_old_backups(0).unwrap();
    for part in ["shared_checksum", "private", "meta"] {
        assert!(names(&dir.path().join("backups").join(part)).is_empty(), "{part}");
    }
    let to = dir.path().join("r");
    let e = engine.restore_from_latest(&to, &to, &RestoreOptions::default()).unwrap_err();
    let text = format!(
        "NotFound: Backup not found: {} has no backup",
        dir.path().join("backups").display()
    );
    assert_eq!(e.to_string(), text);
}

#[test]
fn families_and_unlogged_writes_are_in_a_backup_that_flushes() {
    let dir = temp_dir();
    let (db, families) = open_three(&options(), &dir.path().join("db"));
    let unlogged = WriteOptions { disable_wal: true, ..WriteOptions::default() };
    for (i, cf) in families.iter().enumerate() {
        db.put_cf(&unlogged, cf, b"k", &[i as u8]).unwrap();
    }
    let flush = CreateBackupOptions { flush_before_backup: true, ..CreateBackupOptions::default() };
    let mut engine = engine(dir.path());
    engine.create_new_backup_with(&db, &flush).unwrap();
    let to = dir.path().join("restored");
    engine.restore_from_latest(&to, to.join("wal"), &RestoreOptions::default()).unwrap();
    let mut restored = options();
    restored.db.wal_dir = to.join("wal");
    let (db, families) = open_three(&restored, &to);
    for (i, cf) in families.iter().enumerate() {
        assert_eq!(dump_cf(&db, cf), [(b"k".to_vec(), vec![i as u8])]);
    }
}

#[test]
fn damage_is_found() {
    let dir = temp_dir();
    let db = Db::open(&options(), dir.path().join("db")).unwrap();
    fill(&db, 0, 100);
    db.flush(&FlushOptions::default()).unwrap();
    let mut engine = engine(dir.path());
    engine.create_new_backup(&db).unwrap();
    let shared = dir.path().join("backups/shared_checksum");
    let table = shared.join(&names(&shared)[0]);
    let bytes = std::fs::read(&table).unwrap();
    let restore = |engine: &BackupEngine| {
        let to = dir.path().join("restored");
        engine.restore_from_latest(&to, &to, &RestoreOptions::default())
    };
    let mut flipped = bytes.clone();
    flipped[10] ^= 1;
    std::fs::write(&table, &flipped).unwrap();
    engine.verify_backup(1, false).unwrap();
    let e = engine.verify_backup(1, true).unwrap_err();
    assert!(e.to_string().starts_with("Corruption: File corrupted: Checksum mismatch for"), "{e}");
    let e = restore(&engine).unwrap_err();
    assert!(e.to_string().contains("expected checksum is"), "{e}");
    std::fs::write(&table, &bytes[..bytes.len() - 1]).unwrap();
    let e = engine.verify_backup(1, false).unwrap_err();
    assert!(e.to_string().starts_with("Corruption: File corrupted: File size mismatch for"), "{e}");
    std::fs::remove_file(&table).unwrap();
    let e = engine.verify_backup(1, false).unwrap_err();
    assert!(e.to_string().starts_with("NotFound: File missing: "), "{e}");
    let unknown = engine.verify_backup(9, false).unwrap_err();
    assert_eq!(rocksdb_text(&unknown), "NotFound: ");
    // Opened again, it is no backup any more, and its number is not given again.
    let mut again =
        BackupEngine::open(BackupEngineOptions::new(dir.path().join("backups"))).unwrap();
    assert!(again.backup_info().is_empty());
    assert_eq!(again.corrupted_backups().len(), 1);
    assert_eq!(again.create_new_backup(&db).unwrap(), 2);
    assert_eq!(restored(&again, 2), dump(&db));
    // Backup 1 is whole again: the table that it lacked is there.
    for meta in ["backups/meta/1", "backups/meta/2"] {
        std::fs::write(dir.path().join(meta), "garbage\n").unwrap();
    }
    let again = BackupEngine::open(BackupEngineOptions::new(dir.path().join("backups"))).unwrap();
    assert_eq!(restore(&again).unwrap_err().code(), Code::NotFound);
}

#[test]
fn what_was_cut_short_is_replaced() {
    let dir = temp_dir();
    let db = Db::open(&options(), dir.path().join("db")).unwrap();
    fill(&db, 0, 100);
    db.flush(&FlushOptions::default()).unwrap();
    let backups = dir.path().join("backups");
    let mut first = engine(dir.path());
    first.create_new_backup(&db).unwrap();
    // As if killed before the meta file had its name.
    std::fs::rename(backups.join("meta/1"), backups.join("meta/1.tmp")).unwrap();
    let shared = backups.join("shared_checksum");
    std::fs::write(shared.join(&names(&shared)[0]), b"half").unwrap();
    let mut engine = engine(dir.path());
    assert!(engine.backup_info().is_empty());
    assert_eq!(engine.create_new_backup(&db).unwrap(), 1);
    engine.verify_backup(1, true).unwrap();
    assert_eq!(restored(&engine, 1), dump(&db));
}

#[test]
fn a_stopped_backup_leaves_its_tables_to_the_next_one() {
    let dir = temp_dir();
    let db = Db::open(&options(), dir.path().join("db")).unwrap();
    for round in 0..5 {
        fill(&db, round * 1000, round * 1000 + 1000);
        db.flush(&FlushOptions::default()).unwrap();
    }
    let mut slow = BackupEngineOptions::new(dir.path().join("backups"));
    slow.backup_rate_limit = 200_000;
    let mut slow = BackupEngine::open(slow).unwrap();
    let progress = Arc::new(BackupProgress::default());
    let how = |progress: &Arc<BackupProgress>| CreateBackupOptions {
        progress: Some(Arc::clone(progress)),
        verify_copies: true,
        check_free_space: true,
        ..CreateBackupOptions::default()
    };
    std::thread::scope(|scope| {
        let backup = scope.spawn(|| slow.create_new_backup_with(&db, &how(&progress)));
        while names(&dir.path().join("backups/shared_checksum")).len() < 3 {
            std::thread::sleep(Duration::from_millis(1));
        }
        progress.stop();
        let e = backup.join().unwrap().unwrap_err();
        assert_eq!((e.code(), e.message()), (Code::Incomplete, "Backup stopped"));
    });
    assert!(progress.copied_bytes() < progress.planned_bytes());
    let shared = dir.path().join("backups/shared_checksum");
    let left = names(&shared);
    // One of them was damaged since, and keeps its size.
    let damaged = shared.join(&left[0]);
    let mut bytes = std::fs::read(&damaged).unwrap();
    bytes[20] ^= 1;
    std::fs::write(&damaged, &bytes).unwrap();
    let mut engine = engine(dir.path());
    assert!(engine.backup_info().is_empty(), "an unfinished backup is never listed");
    let progress = Arc::new(BackupProgress::default());
    assert_eq!(engine.create_new_backup_with(&db, &how(&progress)).unwrap(), 1);
    assert_eq!(progress.copied_bytes(), progress.planned_bytes());
    let whole = left.iter().filter(|name| name.ends_with(".sst")).count() as u64;
    let reused = progress.reused_bytes();
    assert!(whole >= 2 && reused > 0, "{left:?} {reused}");
    assert!(reused < whole * bytes.len() as u64 * 3 / 2 && reused < progress.copied_bytes());
    engine.verify_backup(1, true).unwrap();
    assert_eq!(restored(&engine, 1), dump(&db));
}

#[test]
fn a_backup_that_does_not_fit_fails_before_it_copies() {
    let dir = temp_dir();
    let db = Db::open(&options(), dir.path().join("db")).unwrap();
    fill(&db, 0, 1000);
    db.flush(&FlushOptions::default()).unwrap();
    let full = Arc::new(FaultFs::new(posix()));
    full.set_free_space(Some(1000));
    let mut how = BackupEngineOptions::new(dir.path().join("backups"));
    how.file_system = Some(full.clone());
    let mut engine = BackupEngine::open(how).unwrap();
    let checked = CreateBackupOptions { check_free_space: true, ..Default::default() };
    let e = engine.create_new_backup_with(&db, &checked).unwrap_err();
    assert!(e.is_no_space() && e.to_string().contains("has 1000 free bytes"), "{e}");
    assert!(names(&dir.path().join("backups/shared_checksum")).is_empty());
    full.set_free_space(None);
    assert_eq!(engine.create_new_backup_with(&db, &checked).unwrap(), 1);
}

#[test]
fn options_say_how_files_are_shared_and_how_fast_they_are_copied() {
    let dir = temp_dir();
    let db = Db::open(&options(), dir.path().join("db")).unwrap();
    fill(&db, 0, 3000);
    db.flush(&FlushOptions::default()).unwrap();
    let path = |name: &str| dir.path().join(name);
    let make = |name: &str, change: &dyn Fn(&mut BackupEngineOptions)| {
        let mut options = BackupEngineOptions::new(path(name));
        change(&mut options);
        let mut engine = BackupEngine::open(options).unwrap();
        let id = engine.create_new_backup(&db).unwrap();
        assert_eq!(restored(&engine, id), dump(&db), "{name}");
    };
    make("alone", &|o| o.share_table_files = false);
    assert!(names(&path("alone/private/1")).iter().any(|name| name.ends_with(".sst")));
    make("plain", &|o| o.share_files_with_checksum = false);
    assert!(names(&path("plain/shared")).iter().all(|name| name.len() == "000001.sst".len()));
    make("legacy", &|o| {
        o.share_files_with_checksum_naming = ShareFilesNaming::LEGACY_CRC32C_AND_FILE_SIZE;
        o.max_background_operations = 4;
        o.sync = false;
    });
    let legacy = names(&path("legacy/shared_checksum"));
    assert!(legacy.iter().all(|name| name.split('_').count() == 3 && !name.contains("_s")));
    make("session", &|o| {
        o.share_files_with_checksum_naming = ShareFilesNaming::USE_DB_SESSION_ID;
    });
    assert!(names(&path("session/shared_checksum"))[0].contains("_s"));
    let began = Instant::now();
    make("slow", &|o| o.backup_rate_limit = 100_000);
    assert!(began.elapsed() > Duration::from_millis(250), "{:?}", began.elapsed());
    make("session", &|o| o.destroy_old_data = true);
    assert_eq!(names(&path("session/meta")), ["1"]);
}

#[test]
fn kept_wals_and_progress() {
    let dir = temp_dir();
    let db = Db::open(&options(), dir.path().join("db")).unwrap();
    fill(&db, 0, 500);
    db.flush(&FlushOptions::default()).unwrap();
    let mut how = BackupEngineOptions::new(dir.path().join("backups"));
    (how.backup_log_files, how.callback_trigger_interval_size) = (false, 1000);
    let mut engine = BackupEngine::open(how).unwrap();
    let calls = Arc::new(AtomicUsize::new(0));
    let counted = Arc::clone(&calls);
    let progress = CreateBackupOptions {
        progress_callback: Some(Box::new(move || {
            counted.fetch_add(1, Ordering::Relaxed);
        })),
        ..CreateBackupOptions::default()
    };
    engine.create_new_backup_with(&db, &progress).unwrap();
    assert!(calls.load(Ordering::Relaxed) > 3);
    fill(&db, 500, 600);
    let everything = dump(&db);
    let path = db.path().to_owned();
    drop(db);
    let keep = RestoreOptions { keep_log_files: true };
    engine.restore_from_latest(&path, &path, &keep).unwrap();
    assert_eq!(dump(&Db::open(&options(), &path).unwrap()), everything);
    let open = Db::open(&options(), &path).unwrap();
    assert!(engine.restore_from_latest(&path, &path, &keep).is_err(), "it is open");
    drop(open);
}
