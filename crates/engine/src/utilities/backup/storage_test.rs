//! Backups in a storage that is a map in memory.

use crate::Db;
use crate::backup::{BackupEngine, BackupEngineOptions, CreateBackupOptions};
use crate::utilities::backup::storage::{BackupStorage, BackupWriter};
use parking_lot::Mutex;
use std::collections::BTreeMap;
use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

#[derive(Default)]
struct Memory {
    objects: Mutex<BTreeMap<String, Vec<u8>>>,
    /// Fails when as many objects were finished; 0 means never.
    fails_at: AtomicUsize,
    finished: AtomicUsize,
    listings: AtomicUsize,
}

struct Writer {
    memory: Arc<Memory>,
    name: String,
    bytes: Vec<u8>,
}

/// What the engine gets.
struct Shared(Arc<Memory>);

impl BackupStorage for Shared {
    fn list(&self) -> io::Result<Vec<(String, u64)>> {
        self.0.listings.fetch_add(1, Ordering::Relaxed);
        let objects = self.0.objects.lock();
        Ok(objects.iter().map(|(name, bytes)| (name.clone(), bytes.len() as u64)).collect())
    }

    fn create(&self, name: &str) -> io::Result<Box<dyn BackupWriter>> {
        Ok(Box::new(Writer { memory: self.0.clone(), name: name.to_owned(), bytes: Vec::new() }))
    }

    fn read_at(&self, name: &str, offset: u64, buffer: &mut [u8]) -> io::Result<usize> {
        let objects = self.0.objects.lock();
        let bytes = objects.get(name).ok_or(io::ErrorKind::NotFound)?;
        let rest = &bytes[offset as usize..];
        let count = rest.len().min(buffer.len());
        buffer[..count].copy_from_slice(&rest[..count]);
        Ok(count)
    }

    fn remove(&self, name: &str) -> io::Result<()> {
        self.0.objects.lock().remove(name);
        Ok(())
    }
}

impl BackupWriter for Writer {
    fn append(&mut self, data: &[u8]) -> io::Result<()> {
        self.bytes.extend_from_slice(data);
        Ok(())
    }

    fn finish(&mut self) -> io::Result<()> {
        let number = self.memory.finished.fetch_add(1, Ordering::Relaxed) + 1;
        if number == self.memory.fails_at.load(Ordering::Relaxed) {
            return Err(io::Error::other("the store failed"));
        }
        let bytes = std::mem::take(&mut self.bytes);
        self.memory.objects.lock().insert(self.name.clone(), bytes);
        Ok(())
    }
}

fn engine(memory: &Arc<Memory>) -> BackupEngine {
    let options = BackupEngineOptions::new("s3://bucket/daily").max_background_operations(2);
    BackupEngine::open_with(options.storage(Arc::new(Shared(memory.clone())))).unwrap()
}

fn how() -> CreateBackupOptions {
    CreateBackupOptions::new().flush_before_backup(true).verify_copies(true).check_free_space(true)
}

fn tables(memory: &Memory) -> usize {
    memory.objects.lock().keys().filter(|name| name.starts_with("shared_checksum/")).count()
}

#[test]
fn backups_in_a_storage_are_as_in_a_directory() {
    let (dir, memory) = (tempfile::tempdir().unwrap(), Arc::new(Memory::default()));
    let db = Db::open(dir.path().join("db")).unwrap();
    db.put("key", "one").unwrap();
    assert_eq!(engine(&memory).create_new_backup_opt(&db, &how()).unwrap(), 1);
    db.put("other", "two").unwrap();
    let mut engine = engine(&memory);
    assert_eq!(engine.create_new_backup_opt(&db, &how()).unwrap(), 2);
    // One listing for each engine, and no temporary names.
    assert_eq!(memory.listings.load(Ordering::Relaxed), 2);
    assert!(memory.objects.lock().keys().all(|name| !name.ends_with(".tmp")));
    assert_eq!(tables(&memory), 2);
    engine.verify_backup(1, true).unwrap();
    let (one, two) = (dir.path().join("one"), dir.path().join("two"));
    engine.restore_from_backup(1, &one).unwrap();
    engine.restore_from_latest_backup(&two).unwrap();
    assert_eq!(Db::open(&one).unwrap().get("other").unwrap(), None);
    assert_eq!(Db::open(&two).unwrap().get("other").unwrap().unwrap(), "two");
    engine.delete_backup(2).unwrap();
    assert_eq!(tables(&memory), 1);
    assert!(memory.objects.lock().keys().all(|name| !name.starts_with("private/2")));
    // Damage and loss are found by name.
    let table = memory.objects.lock().keys().find(|name| name.ends_with(".sst")).unwrap().clone();
    memory.objects.lock().get_mut(&table).unwrap()[5] ^= 1;
    let error = engine.verify_backup(1, true).unwrap_err().to_string();
    assert!(error.contains(&table) && error.contains("s3://bucket/daily"), "{error}");
    memory.objects.lock().remove(&table);
    let lost = self::engine(&memory).corrupted_backups();
    assert!(lost.len() == 1 && lost[0].1.to_string().contains(&table), "{lost:?}");
}

#[test]
fn a_backup_that_fails_anywhere_is_not_listed() {
    let dir = tempfile::tempdir().unwrap();
    let db = Db::open(dir.path().join("db")).unwrap();
    db.put("key", "one").unwrap();
    for fails_at in 1.. {
        let memory = Arc::new(Memory::default());
        memory.fails_at.store(fails_at, Ordering::Relaxed);
        let created = engine(&memory).create_new_backup_opt(&db, &how());
        let listed = engine(&memory).get_backup_info().len();
        match created {
            Ok(_) => {
                assert!(listed == 1 && fails_at == 7, "{fails_at} objects");
                break;
            }
            Err(error) => {
                let text = error.to_string();
                assert!(text.contains("the store failed") && !text.contains(".tmp"), "{text}");
                assert_eq!(listed, 0);
                // The next backup is complete, and uses the tables that were copied.
                let written = || memory.finished.load(Ordering::Relaxed);
                let (before, tables) = (written(), tables(&memory));
                engine(&memory).create_new_backup_opt(&db, &how()).unwrap();
                engine(&memory).verify_backup(1, true).unwrap();
                assert_eq!(written() - before, 6 - tables, "{fails_at}");
            }
        }
    }
}
