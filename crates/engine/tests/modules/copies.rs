//! Backups and checkpoints.

use ferrolith::backup::{BackupEngine, BackupEngineOptions, CreateBackupOptions, RestoreOptions};
use ferrolith::checkpoint::Checkpoint;
use ferrolith::{CompressionType, Db, ErrorKind, Options, WriteOptions};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

#[test]
fn backups_are_found_again_checked_deleted_and_restored() {
    let dir = tempfile::tempdir().unwrap();
    let (backups, target) = (dir.path().join("backups"), dir.path().join("target"));
    let db = Db::open(dir.path().join("db")).unwrap();
    let mut engine = BackupEngine::open(&backups).unwrap();
    let e = engine.restore_from_latest_backup(&target).unwrap_err();
    assert_eq!(e.kind(), ErrorKind::NotFound);
    for n in 1..=3 {
        db.put_opt("n", n.to_string(), &WriteOptions::new().disable_wal(true)).unwrap();
        let how = CreateBackupOptions::new().flush_before_backup(true);
        let how = how.app_metadata(format!("note {n}"));
        let id = engine.create_new_backup_opt(&db, &how).unwrap();
        assert_eq!(id, n);
    }
    drop(engine);

    let mut engine = BackupEngine::open(&backups).unwrap();
    let found = engine.get_backup_info();
    assert_eq!(found.len(), 3);
    assert_eq!(found[1].app_metadata, b"note 2");
    engine.restore_from_backup(2, &target).unwrap();
    assert_eq!(Db::open(&target).unwrap().get("n").unwrap().unwrap(), "2");
    engine.delete_backup(2).unwrap();
    assert_eq!(engine.restore_from_backup(2, &target).unwrap_err().kind(), ErrorKind::NotFound);
    engine.verify_backup(3, true).unwrap();

    let shared = backups.join("shared_checksum");
    for table in std::fs::read_dir(&shared).unwrap() {
        let path = table.unwrap().path();
        let mut bytes = std::fs::read(&path).unwrap();
        bytes[0] ^= 1;
        std::fs::write(&path, bytes).unwrap();
    }
    engine.verify_backup(3, false).unwrap();
    assert_eq!(engine.verify_backup(3, true).unwrap_err().kind(), ErrorKind::Corruption);
    let options = BackupEngineOptions::new(&backups).destroy_old_data(true);
    assert!(BackupEngine::open_with(options).unwrap().get_backup_info().is_empty());
}

#[test]
fn a_checkpoint_has_what_is_only_in_the_log() {
    let dir = tempfile::tempdir().unwrap();
    let db = Db::open(dir.path().join("db")).unwrap();
    db.put("flushed", "1").unwrap();
    db.flush().unwrap();
    db.put("logged", "1").unwrap();
    let copy = dir.path().join("copy");
    let checkpoint = Checkpoint::new(&db);
    checkpoint.create_checkpoint_with_log_size(&copy, u64::MAX).unwrap();
    assert_eq!(checkpoint.create_checkpoint(&copy).unwrap_err().kind(), ErrorKind::InvalidArgument);
    db.put("later", "1").unwrap();
    assert_eq!(Db::open(&copy).unwrap().iter().count(), 2);
}

#[test]
fn a_backup_is_restored_into_two_directories_beside_logs_that_survived() {
    let dir = tempfile::tempdir().unwrap();
    let [path, logs, backups] = ["db", "logs", "backups"].map(|name| dir.path().join(name));
    let options = Options::new().create_if_missing(true).wal_dir(&logs);
    let db = Db::open_with(&options, &path).unwrap();
    db.put("flushed", "1").unwrap();
    let engine = BackupEngineOptions::new(&backups).backup_log_files(false);
    let mut engine = BackupEngine::open_with(engine).unwrap();
    let flush = CreateBackupOptions::new().flush_before_backup(true);
    let id = engine.create_new_backup_opt(&db, &flush).unwrap();
    db.put("logged later", "1").unwrap();
    db.close().unwrap();
    let keys = || {
        let db = Db::open_with(&options, &path).unwrap();
        let count = db.iter().count();
        assert!(db.contains_key("flushed").unwrap());
        db.close().unwrap();
        count
    };
    let keep = RestoreOptions::new().keep_log_files(true);
    std::fs::remove_file(path.join("CURRENT")).unwrap();
    engine.restore_from_backup_opt(id, &path, &logs, &keep).unwrap();
    assert_eq!(keys(), 2, "the log was replayed");
    engine.restore_from_latest_backup_opt(&path, &logs, &RestoreOptions::new()).unwrap();
    assert_eq!(keys(), 1, "the log is gone");

    // Logs of a backup go to the directory of logs.
    let db = Db::open_with(&options, &path).unwrap();
    db.put("logged", "1").unwrap();
    let mut whole = BackupEngine::open(dir.path().join("whole")).unwrap();
    whole.create_new_backup(&db).unwrap();
    let [to, to_logs] = ["to", "to-logs"].map(|name| dir.path().join(name));
    whole.restore_from_latest_backup_opt(&to, &to_logs, &RestoreOptions::new()).unwrap();
    let is_log = |file: &std::fs::DirEntry| file.path().extension().is_some_and(|e| e == "log");
    let files = |dir| std::fs::read_dir(dir).unwrap().map(Result::unwrap);
    assert!(!files(&to).any(|file| is_log(&file)) && files(&to_logs).any(|file| is_log(&file)));
    let restored = Db::open_with(options.clone().wal_dir(&to_logs), &to).unwrap();
    assert!(restored.contains_key("logged").unwrap());
}

#[test]
fn making_a_backup_tells_how_far_it_is() {
    let dir = tempfile::tempdir().unwrap();
    let options = Options::new().create_if_missing(true).compression(CompressionType::None);
    let db = Db::open_with(options, dir.path().join("db")).unwrap();
    db.put("key", vec![7; 1 << 20]).unwrap();
    let engine = BackupEngineOptions::new(dir.path().join("backups"));
    let mut engine = BackupEngine::open_with(engine.callback_trigger_interval_size(1000)).unwrap();
    let calls = Arc::new(AtomicU64::new(0));
    let mut backup = || {
        let calls_now = Arc::clone(&calls);
        let how = CreateBackupOptions::new().flush_before_backup(true);
        let how = how.progress_callback(move || {
            calls_now.fetch_add(1, Ordering::Relaxed);
        });
        engine.create_new_backup_opt(&db, &how).unwrap();
        calls.swap(0, Ordering::Relaxed)
    };
    let first = backup();
    assert!(((1 << 20) / 1000..2000).contains(&first), "{first}");
    assert!(backup() < 100, "the table is there already");
}
