//! Backups and checkpoints.

use ferrolith::backup::{BackupEngine, BackupEngineOptions};
use ferrolith::checkpoint::Checkpoint;
use ferrolith::{Db, ErrorKind, WriteOptions};

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
        let id = engine.create_new_backup_opt(&db, true, format!("note {n}")).unwrap();
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
