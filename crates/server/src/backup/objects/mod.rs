//! Object stores as places of backups: S3 and what speaks its protocol, Google Cloud Storage, Azure.
//!
//! The crate `object_store` has the protocols, the signatures and the repetition of failed requests. What it would take
//! from C libraries is here: `http` is its HTTP client with this server's TLS, `crypto` its hashes and signatures.
//! `settings` reads credentials, `lease` is the lock and `holder` who has it, `upload` writes objects, `driver` runs
//! the requests.
//!
//! * **OB1** An object has its final name only when all its bytes are stored, so one that exists is whole. Uploads in
//!   parts that a kill left are noted in `uploads/`, and cancelled by the next process that takes the lock.
//! * **OB2** Only the holder of the lease changes a place. A holder that cannot renew it ends its requests before
//!   others may take it.
//! * **OB3** A stop ends every request within seconds, also those that open a place or delete objects, and the lock is
//!   removed.

mod crypto;
mod driver;
mod holder;
mod http;
mod lease;
mod settings;
mod upload;

use super::place::Address;
use super::vault::Access;
use super::{BackupProgress, Place};
use crate::error::{Error, Result};
use driver::Driver;
use ferrolith::backup::{BackupStorage, BackupWriter};
use futures_util::TryStreamExt;
use lease::{Lease, Terms};
use object_store::multipart::MultipartStore;
use object_store::path::Path;
use object_store::{ObjectStore, ObjectStoreExt};
use parking_lot::Mutex;
use std::fmt;
use std::future::Future;
use std::io;
use std::sync::Arc;
use std::time::Duration;
use upload::Upload;

/// How often a request looks whether it is to end.
const STOP_CHECK: Duration = Duration::from_millis(100);
/// The error of work that was stopped: the engine's text.
const STOPPED: &str = "Backup stopped";
/// The characters that are shown of a store's error.
const SHOWN_MAX: usize = 500;

/// The interfaces of one object store.
#[derive(Clone)]
pub(super) struct Store {
    objects: Arc<dyn ObjectStore>,
    parts: Arc<dyn MultipartStore>,
}

impl Store {
    fn new<S: ObjectStore + MultipartStore>(store: S) -> Store {
        let store = Arc::new(store);
        Store { objects: store.clone(), parts: store }
    }
}

/// A part of an object store that is open for backups.
pub(super) struct ObjectStorage {
    access: Arc<Objects>,
    /// What [`open`](ObjectStorage::open) found, for the engine's first question.
    listed: Mutex<Option<Vec<(String, u64)>>>,
    /// Released before the driver ends, which runs its requests.
    lease: Option<Lease>,
}

/// Access to the objects below a prefix.
struct Objects {
    store: Store,
    prefix: Path,
    driver: Driver,
    /// What makes requests end, if there is something.
    stop: Mutex<Option<Arc<BackupProgress>>>,
    /// Whether the lease is held; none if the place is only read.
    held: Mutex<Option<Arc<lease::State>>>,
}

impl fmt::Debug for ObjectStorage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // The store's own form might show credentials.
        f.debug_struct("ObjectStorage").field("prefix", &self.access.prefix).finish_non_exhaustive()
    }
}

impl ObjectStorage {
    /// Opens an address, and takes its lock if it is to be changed. Stopping the progress ends requests now and later,
    /// until [`watch`](ObjectStorage::watch) replaces it.
    ///
    /// # Errors
    ///
    /// The settings are wrong, the store cannot be reached, there are no backups and none is to be created, another
    /// process changes the place, or opening was stopped.
    pub(super) fn open(
        address: &Address,
        access: Access,
        progress: &Arc<BackupProgress>,
    ) -> Result<ObjectStorage> {
        let store = settings::store(address)?;
        ObjectStorage::over(store, (address, access), Terms::USUAL, progress)
    }

    /// Opens an address in a store.
    fn over(
        store: Store,
        (address, access): (&Address, Access),
        terms: Terms,
        progress: &Arc<BackupProgress>,
    ) -> Result<ObjectStorage> {
        let failed = |error: io::Error| match error.kind() {
            io::ErrorKind::NotFound => no_bucket(address.url()),
            _ => Error::Io(address.url().to_owned(), error),
        };
        let prefix = Path::parse(address.prefix())
            .map_err(|error| Error::Setting(format!("{}: {error}", address.url())))?;
        let driver = Driver::start().map_err(failed)?;
        let (stop, held) = (Mutex::new(Some(progress.clone())), Mutex::default());
        let objects = Arc::new(Objects { store, prefix, driver, stop, held });
        let mut storage =
            ObjectStorage { access: objects.clone(), listed: Mutex::default(), lease: None };
        if access == Access::Write {
            let lock = objects.path("LOCK");
            let taking = Lease::take(&objects.store.objects, &lock, terms, progress);
            let taken = objects.driver.run(taking);
            let lease = taken.map_err(|error| lease::refusal(address.url(), error))?;
            *objects.held.lock() = Some(lease.state());
            storage.lease = Some(lease);
        }
        let listed = objects.list().map_err(failed)?;
        if access == Access::Write {
            upload::cancel_unfinished(&objects, &listed).map_err(failed)?;
        } else if listed.is_empty() {
            let place = Place::Objects(address.clone());
            return Err(Error::Setting(format!("{place} has no backups: no object is there")));
        }
        *storage.listed.lock() = Some(listed);
        Ok(storage)
    }

    /// Sets the progress whose stop makes requests end.
    pub(super) fn watch(&self, progress: Option<Arc<BackupProgress>>) {
        *self.access.stop.lock() = progress;
    }
}

impl Drop for ObjectStorage {
    fn drop(&mut self) {
        if let Some(lease) = self.lease.take() {
            self.access.driver.run(lease.release());
        }
    }
}

impl Objects {
    /// Returns the path of an object.
    fn path(&self, name: &str) -> Path {
        name.split('/').fold(self.prefix.clone(), |path, part| path.join(part))
    }

    /// Runs a request to its end, or until the work is stopped or the lease is lost.
    fn run<T>(&self, request: impl Future<Output = object_store::Result<T>>) -> io::Result<T> {
        self.driver.run(async {
            tokio::select! {
                // The end first: after a stop, no request begins.
                biased;
                error = self.ended() => Err(error),
                result = request => result.map_err(problem),
            }
        })
    }

    /// Waits until the work is to end, and returns why.
    async fn ended(&self) -> io::Error {
        loop {
            if self.stop.lock().as_ref().is_some_and(|stop| stop.is_stopped()) {
                return io::Error::other(STOPPED);
            }
            if let Some(Err(lost)) = self.held.lock().as_ref().map(|state| state.check()) {
                return lost;
            }
            tokio::time::sleep(STOP_CHECK).await;
        }
    }

    /// Fails if this process may not change the place, or not any more.
    fn check_held(&self) -> io::Result<()> {
        match &*self.held.lock() {
            Some(state) => state.check(),
            None => Err(io::Error::other("the place is open for reading only")),
        }
    }

    fn list(&self) -> io::Result<Vec<(String, u64)>> {
        let prefix = Some(&self.prefix).filter(|prefix| !prefix.as_ref().is_empty());
        let found = self.run(self.store.objects.list(prefix).try_collect::<Vec<_>>())?;
        let named = found.into_iter().filter_map(|object| {
            let parts: Vec<_> = object.location.prefix_match(&self.prefix)?.collect();
            let parts: Vec<_> = parts.iter().map(AsRef::as_ref).collect();
            Some((parts.join("/"), object.size))
        });
        Ok(named.collect())
    }

    fn read(&self, name: &str, range: std::ops::Range<u64>) -> io::Result<bytes::Bytes> {
        self.run(self.store.objects.get_range(&self.path(name), range))
    }

    /// Removes an object, if it exists.
    fn remove(&self, name: &str) -> io::Result<()> {
        match self.run(self.store.objects.delete(&self.path(name))) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
            removed => removed,
        }
    }
}

impl BackupStorage for ObjectStorage {
    fn list(&self) -> io::Result<Vec<(String, u64)>> {
        let listed = self.listed.lock().take();
        listed.map_or_else(|| self.access.list(), Ok)
    }

    fn create(&self, name: &str) -> io::Result<Box<dyn BackupWriter>> {
        self.access.check_held()?;
        Ok(Box::new(Upload::new(self.access.clone(), name)))
    }

    fn read_at(&self, name: &str, offset: u64, buffer: &mut [u8]) -> io::Result<usize> {
        let bytes = self.access.read(name, offset..offset.saturating_add(buffer.len() as u64))?;
        let count = bytes.len().min(buffer.len());
        buffer[..count].copy_from_slice(&bytes[..count]);
        Ok(count)
    }

    fn remove(&self, name: &str) -> io::Result<()> {
        self.access.check_held()?;
        self.access.remove(name)
    }
}

/// Waits until the work is stopped.
async fn stopped(progress: &BackupProgress) {
    while !progress.is_stopped() {
        tokio::time::sleep(STOP_CHECK).await;
    }
}

/// Returns the error of a place whose bucket is missing.
fn no_bucket(url: &str) -> Error {
    let bucket = url.split('/').nth(2).unwrap_or_default();
    Error::Setting(format!("{url}: the bucket or container {bucket} does not exist"))
}

/// Returns a store's error as one of input and output.
fn problem(error: object_store::Error) -> io::Error {
    let text = error.to_string();
    let kind = match &error {
        object_store::Error::NotFound { .. } => io::ErrorKind::NotFound,
        object_store::Error::PermissionDenied { .. }
        | object_store::Error::Unauthenticated { .. } => io::ErrorKind::PermissionDenied,
        // The crate has no error of its own for a listing in a bucket that is missing.
        _ if text.contains("status code: 404") => io::ErrorKind::NotFound,
        _ => io::ErrorKind::Other,
    };
    io::Error::new(kind, shown(&text))
}

/// Returns what may be shown of an error. Bodies of replies, which are XML, can repeat credentials of the request.
fn shown(error: &str) -> String {
    let element = |name: &str| {
        let (_, rest) = error.split_once(&format!("<{name}>"))?;
        Some(rest.split('<').next().unwrap_or(rest))
    };
    let text = match error.split_once('<') {
        None => error.to_owned(),
        Some((before, _)) => {
            let parts = [element("Code"), element("Message")];
            format!("{before}{}", parts.into_iter().flatten().collect::<Vec<_>>().join(": "))
        }
    };
    // Only the time limits the repetitions.
    let text = text.replace(&format!(", max_retries: {}", usize::MAX), "");
    text.chars().take(SHOWN_MAX).collect()
}

#[cfg(test)]
#[path = "../objects_test.rs"]
mod tests;
