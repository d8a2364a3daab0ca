//! A place of backups that is open.

#[cfg(feature = "object-store")]
use super::objects::ObjectStorage;
use super::place::{Address, Place};
use crate::error::{Error, Result};
use ferrolith::Db;
use ferrolith::backup::{
    BackupEngine, BackupEngineOptions, BackupInfo, BackupProgress, CreateBackupOptions,
};
use std::fs::{File, OpenOptions, TryLockError};
use std::io;
use std::path::Path;
use std::sync::Arc;

/// The name of the lock file.
const LOCK: &str = "LOCK";

/// The files that are copied at once to and from an object store, whose requests take long.
#[cfg(feature = "object-store")]
const COPIES_AT_ONCE: u32 = 4;

/// What the place is opened for.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Access {
    /// Listing backups, while others may change them.
    List,
    /// Reading backups. Nobody may change those in a directory meanwhile.
    Read,
    /// Creating and deleting backups, which nobody else may do meanwhile. A directory is created if its parent exists.
    Write,
}

/// How a backup is created.
#[derive(Clone, Debug, Default)]
pub struct Creation {
    /// Whether each copied file is read again and compared.
    pub verifies: bool,
    /// A text that is stored with the backup.
    pub note: String,
}

/// An open place of backups.
#[derive(Debug)]
pub struct Vault {
    engine: BackupEngine,
    place: Place,
    hold: Hold,
}

/// What keeps others from changing the place, while it is open.
#[derive(Debug)]
enum Hold {
    /// The lock of a directory, which is held until this is dropped.
    Directory { _lock: Option<File> },
    /// The object store with its lock.
    #[cfg(feature = "object-store")]
    Objects(Arc<ObjectStorage>),
}

impl Vault {
    /// Opens a place. `bytes_per_second` limits copying and verifying; 0 means no limit.
    ///
    /// # Errors
    ///
    /// The place has no backups and is not opened to create some, another process changes it, it cannot be read, or
    /// this program was built without object stores.
    pub fn open(place: impl Into<Place>, access: Access, bytes_per_second: u64) -> Result<Vault> {
        Vault::open_stoppable(place, access, bytes_per_second, &Arc::default())
    }

    /// Opens a place as [`open`](Vault::open) does. If the progress is stopped, requests to an object store end within
    /// seconds, and the lock is released.
    ///
    /// # Errors
    ///
    /// As [`open`](Vault::open), or opening was stopped.
    pub fn open_stoppable(
        place: impl Into<Place>,
        access: Access,
        bytes_per_second: u64,
        progress: &Arc<BackupProgress>,
    ) -> Result<Vault> {
        let place = place.into();
        let (options, hold) = match &place {
            Place::Directory(dir) => {
                let lock = open_directory(dir, access)?;
                (BackupEngineOptions::new(dir), Hold::Directory { _lock: lock })
            }
            Place::Objects(address) => open_objects(address, access, progress)?,
        };
        let options =
            options.backup_rate_limit(bytes_per_second).restore_rate_limit(bytes_per_second);
        let engine = BackupEngine::open_with(options)?;
        let vault = Vault { engine, place, hold };
        vault.watch(None);
        Ok(vault)
    }

    /// Returns the place.
    pub fn place(&self) -> &Place {
        &self.place
    }

    /// Makes requests to an object store end when the progress is stopped, even those that are repeated meanwhile.
    #[cfg_attr(not(feature = "object-store"), expect(unused_variables))]
    fn watch(&self, progress: Option<&Arc<BackupProgress>>) {
        match &self.hold {
            Hold::Directory { .. } => {}
            #[cfg(feature = "object-store")]
            Hold::Objects(storage) => storage.watch(progress.cloned()),
        }
    }

    /// Returns the backups that can be restored, oldest first.
    pub fn list(&self) -> Vec<BackupInfo> {
        self.engine.get_backup_info()
    }

    /// Returns the backups that cannot be restored, and the reasons.
    pub fn damaged(&self) -> Vec<(u32, String)> {
        let damaged = self.engine.corrupted_backups().into_iter();
        damaged.map(|(id, error)| (id, error.to_string())).collect()
    }

    /// Returns the number of the newest backup that can be restored.
    ///
    /// # Errors
    ///
    /// There is none.
    pub fn newest(&self) -> Result<u32> {
        let newest = self.list().last().map(|backup| backup.backup_id);
        newest.ok_or_else(|| Error::Setting(format!("{} has no backup", self.place)))
    }

    /// Creates a backup of everything that is committed, and returns its number. Files that an earlier backup has are
    /// not copied again.
    ///
    /// # Errors
    ///
    /// A file cannot be read or written, a copy is not right, there is not enough space, or the backup was stopped.
    /// Then there is no new backup.
    pub fn create(
        &mut self,
        db: &Db,
        how: &Creation,
        progress: &Arc<BackupProgress>,
    ) -> Result<u32> {
        let options = CreateBackupOptions::new()
            // Tables are shared by later backups; the log would be copied each time.
            .flush_before_backup(true)
            .app_metadata(how.note.as_bytes())
            .verify_copies(how.verifies)
            .check_free_space(true)
            .progress(progress);
        self.watch(Some(progress));
        let created = self.engine.create_new_backup_opt(db, &options);
        self.watch(None);
        Ok(created?)
    }

    /// Reads all files of a backup and compares their checksums.
    ///
    /// # Errors
    ///
    /// There is no such backup, a file is missing or damaged (the error names it), or the verification was stopped.
    pub fn verify(&self, id: u32, progress: &Arc<BackupProgress>) -> Result<()> {
        self.watch(Some(progress));
        let verified = self.engine.verify_backup_opt(id, progress);
        self.watch(None);
        Ok(verified?)
    }

    /// Deletes a backup, and the files that only it uses. In an object store, stopping the progress ends this; the
    /// next [`clean`](Vault::clean) deletes what is left.
    ///
    /// # Errors
    ///
    /// There is no such backup, a file cannot be deleted, or the deletion was stopped.
    pub fn delete(&mut self, id: u32, progress: &Arc<BackupProgress>) -> Result<()> {
        self.watch(Some(progress));
        let deleted = self.engine.delete_backup(id);
        self.watch(None);
        Ok(deleted?)
    }

    /// Deletes all backups but the `keep` newest, if there is such a number, and what interrupted backups left and no
    /// backup uses. In an object store, stopping the progress ends this.
    ///
    /// # Errors
    ///
    /// A file cannot be deleted, or the work was stopped.
    pub fn clean(&mut self, keep: Option<u32>, progress: &Arc<BackupProgress>) -> Result<()> {
        self.watch(Some(progress));
        let cleaned = match keep {
            Some(keep) => self.engine.purge_old_backups(keep),
            None => self.engine.garbage_collect(),
        };
        self.watch(None);
        Ok(cleaned?)
    }

    pub(super) fn engine(&self) -> &BackupEngine {
        &self.engine
    }
}

/// Opens a directory, and takes the lock that the access needs.
fn open_directory(dir: &Path, access: Access) -> Result<Option<File>> {
    if access == Access::Write {
        match std::fs::create_dir(dir) {
            Err(error) if error.kind() != io::ErrorKind::AlreadyExists => {
                return Err(Error::Io(format!("creating {}", dir.display()), error));
            }
            _ => {}
        }
    } else if !dir.join("meta").is_dir() {
        return Err(Error::Setting(format!(
            "{} has no backups: expected a directory with the directory meta in it",
            dir.display()
        )));
    }
    lock(dir, access)
}

#[cfg(feature = "object-store")]
fn open_objects(
    address: &Address,
    access: Access,
    progress: &Arc<BackupProgress>,
) -> Result<(BackupEngineOptions, Hold)> {
    let storage = Arc::new(ObjectStorage::open(address, access, progress)?);
    let options = BackupEngineOptions::new(address.url())
        .storage(storage.clone())
        .max_background_operations(COPIES_AT_ONCE);
    Ok((options, Hold::Objects(storage)))
}

#[cfg(not(feature = "object-store"))]
fn open_objects(
    address: &Address,
    _: Access,
    _: &Arc<BackupProgress>,
) -> Result<(BackupEngineOptions, Hold)> {
    Err(unsupported(address))
}

/// Checks that this program was built with object stores.
///
/// # Errors
///
/// It was not.
pub(super) fn check_support(address: &Address) -> Result<()> {
    match cfg!(feature = "object-store") {
        true => Ok(()),
        false => Err(unsupported(address)),
    }
}

fn unsupported(address: &Address) -> Error {
    Error::Setting(format!(
        "{}: this program was built without object stores (the Cargo feature object-store)",
        address.url()
    ))
}

/// Takes the lock that the access needs. Reading works without one where the file can neither be opened nor created, as
/// on a read-only device.
fn lock(dir: &Path, access: Access) -> Result<Option<File>> {
    if access == Access::List {
        return Ok(None);
    }
    let path = dir.join(LOCK);
    let opened = OpenOptions::new().create(true).truncate(false).read(true).write(true).open(&path);
    let file = match (opened, access) {
        (Ok(file), _) => file,
        (Err(_), Access::Read) => match File::open(&path) {
            Ok(file) => file,
            Err(_) => return Ok(None),
        },
        (Err(error), _) => return Err(Error::Io(format!("opening {}", path.display()), error)),
    };
    let locked = match access {
        Access::Write => file.try_lock(),
        _ => file.try_lock_shared(),
    };
    match locked {
        Ok(()) => Ok(Some(file)),
        Err(TryLockError::WouldBlock) => Err(Error::Setting(format!(
            "another process uses the backups in {}: wait until it ends",
            dir.display()
        ))),
        Err(TryLockError::Error(error)) => {
            Err(Error::Io(format!("locking {}", path.display()), error))
        }
    }
}
