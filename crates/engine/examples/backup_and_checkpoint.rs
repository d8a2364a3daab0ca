//! Two ways to copy an open database: a checkpoint (one state, hard links) and backups (many states in one directory).
//!
//! `cargo run -p ferrolith --example backup_and_checkpoint`

use ferrolith::backup::{BackupEngine, BackupEngineOptions, CreateBackupOptions};
use ferrolith::checkpoint::Checkpoint;
use ferrolith::{Db, Result};
use std::path::Path;

/// The program, in this directory.
pub fn run(dir: &Path) -> Result<()> {
    let db = Db::open(dir.join("db"))?;
    db.put("state", "one")?;

    // A checkpoint is a database of its own; on the same file system its tables take no space.
    Checkpoint::new(&db).create_checkpoint(dir.join("checkpoint"))?;

    // Backups share tables that are the same. The directory may be on another device.
    let options = BackupEngineOptions::new(dir.join("backups")).max_background_operations(2);
    let mut backups = BackupEngine::open_with(options)?;
    let first = backups.create_new_backup(&db)?;
    db.put("state", "two")?;
    let how =
        CreateBackupOptions::new().flush_before_backup(true).app_metadata("before the upgrade");
    let second = backups.create_new_backup_opt(&db, &how)?;
    db.put("state", "three")?;

    for backup in backups.get_backup_info() {
        backups.verify_backup(backup.backup_id, true)?;
        let note = String::from_utf8_lossy(&backup.app_metadata);
        println!("backup {}: {} bytes, {note:?}", backup.backup_id, backup.size);
    }

    backups.restore_from_backup(first, dir.join("restored"))?;
    assert_eq!(Db::open(dir.join("restored"))?.get("state")?.unwrap(), "one");
    backups.restore_from_latest_backup(dir.join("restored"))?;
    assert_eq!(Db::open(dir.join("restored"))?.get("state")?.unwrap(), "two");
    assert_eq!(Db::open(dir.join("checkpoint"))?.get("state")?.unwrap(), "one");

    backups.purge_old_backups(1)?;
    assert_eq!(backups.get_backup_info()[0].backup_id, second);
    Ok(())
}

fn main() -> Result<()> {
    let dir = tempfile::tempdir().expect("a temporary directory");
    run(dir.path())
}
