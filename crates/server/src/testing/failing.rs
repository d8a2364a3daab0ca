//! A server over a store whose commits fail when a test says so.

use crate::backup::{BackupProgress, Creation, Vault};
use crate::clock::SystemClock;
use crate::error::{Error, Result};
use crate::redis::Worker;
use crate::redis::args::Args;
use crate::redis::server::{Server, Settings};
use crate::redis::session::Session;
use crate::resp::Reply;
use crate::rows::redis::RowKey;
use crate::store::local::{LocalStore, StoreOptions};
use crate::store::{
    Batch, DirectoryFormat, Durability, Format, Horizons, Latches, Partition, Range, RowCursor,
    Store, SyncProgress, Versions, View,
};
use crate::tables::Catalogue;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// A store of which some commits fail without an effect.
pub struct FailingStore {
    inner: Arc<LocalStore>,
    /// The commits that succeed before all others fail.
    left: AtomicU64,
}

impl FailingStore {
    /// Opens the store of a directory. All commits succeed.
    pub fn open(dir: &Path) -> Arc<FailingStore> {
        let inner = LocalStore::open(dir, StoreOptions::new(Durability::Os, 32 << 20, 1)).unwrap();
        Arc::new(FailingStore { inner, left: AtomicU64::new(u64::MAX) })
    }

    /// Lets so many commits succeed, and all later ones fail.
    pub fn fail_after(&self, commits: u64) {
        self.left.store(commits, Ordering::SeqCst);
    }

    /// Closes the store, so that it can be opened again.
    pub fn close(&self) {
        self.inner.close().unwrap();
    }
}

impl Store for FailingStore {
    fn get(
        &self,
        partition: Partition,
        key: &[u8],
        view: Option<&View>,
        found: &mut dyn FnMut(&[u8]),
    ) -> Result<bool> {
        self.inner.get(partition, key, view, found)
    }

    fn multi_get(&self, keys: &[(Partition, RowKey)]) -> Result<Vec<Option<ferrolith::Value>>> {
        self.inner.multi_get(keys)
    }

    fn multi_get_with(
        &self,
        keys: &[(Partition, &[u8])],
        found: &mut dyn FnMut(usize, &[u8]),
    ) -> Result<()> {
        self.inner.multi_get_with(keys, found)
    }

    fn get_each_alone(
        &self,
        keys: &[(Partition, &[u8])],
        found: &mut dyn FnMut(usize, &[u8]),
    ) -> Result<()> {
        self.inner.get_each_alone(keys, found)
    }

    fn cursor(
        &self,
        partition: Partition,
        range: &Range,
        view: Option<&View>,
    ) -> Result<Box<dyn RowCursor>> {
        self.inner.cursor(partition, range, view)
    }

    fn view(&self) -> View {
        self.inner.view()
    }

    fn put(&self, batch: &mut Batch, partition: Partition, key: &[u8], value: &[u8]) -> Result<()> {
        self.inner.put(batch, partition, key, value)
    }

    fn delete(&self, batch: &mut Batch, partition: Partition, key: &[u8]) -> Result<()> {
        self.inner.delete(batch, partition, key)
    }

    fn delete_range(&self, batch: &mut Batch, partition: Partition, range: &Range) -> Result<()> {
        self.inner.delete_range(batch, partition, range)
    }

    fn commit(&self, batch: &mut Batch) -> Result<()> {
        let take = |left: u64| left.checked_sub(1);
        match self.left.fetch_update(Ordering::SeqCst, Ordering::SeqCst, take) {
            Ok(_) => self.inner.commit(batch),
            Err(_) => {
                batch.clear();
                Err(Error::corrupt("the test lets commits fail".to_owned()))
            }
        }
    }

    fn sync(&self) -> &SyncProgress {
        self.inner.sync()
    }

    fn sync_now(&self) -> Result<()> {
        self.inner.sync_now()
    }

    fn back_up(
        &self,
        vault: &mut Vault,
        how: &Creation,
        progress: &Arc<BackupProgress>,
    ) -> Result<u32> {
        self.inner.back_up(vault, how, progress)
    }

    fn format(&self) -> &DirectoryFormat {
        self.inner.format()
    }

    fn finalize(&self) -> Result<()> {
        self.inner.finalize()
    }

    fn create_partition(&self, partition: Partition, format: Format) -> Result<()> {
        self.inner.create_partition(partition, format)
    }

    fn drop_partition(&self, partition: Partition) -> Result<()> {
        self.inner.drop_partition(partition)
    }

    fn set_options(&self, partition: Partition, options: &[(&str, &str)]) -> Result<()> {
        self.inner.set_options(partition, options)
    }

    fn horizons(&self) -> &Horizons {
        self.inner.horizons()
    }

    fn versions(&self) -> &Versions {
        self.inner.versions()
    }

    fn figure(&self, name: &str) -> Option<u64> {
        self.inner.figure(name)
    }
}

/// A server without sockets.
pub struct Local {
    pub store: Arc<FailingStore>,
    pub server: Arc<Server>,
    worker: Worker,
    session: Session,
}

impl Local {
    /// Opens the server of a directory.
    pub fn open(dir: &Path) -> Local {
        let store = FailingStore::open(dir);
        let rows = store.clone() as Arc<dyn Store>;
        let catalogue = Arc::new(Catalogue::open(rows.clone()).unwrap());
        let settings = Settings { dir: dir.display().to_string(), ..Settings::default() };
        let (latches, clock) = (Arc::new(Latches::default()), Arc::new(SystemClock::new()));
        let server = Arc::new(Server::new(rows, latches, clock, catalogue, settings));
        let (worker, session) = (server.worker(), server.internal_session("test"));
        Local { store, server, worker, session }
    }

    /// Runs a command whose words spaces separate, and returns its reply as it is sent.
    pub fn say(&mut self, line: &str) -> String {
        self.call(&line.split(' ').map(str::as_bytes).collect::<Vec<_>>())
    }

    /// Runs a command, and returns its reply as it is sent.
    pub fn call(&mut self, words: &[&[u8]]) -> String {
        let mut out = Reply::default();
        self.server.execute(&mut self.worker, &mut self.session, Args::new(words), &mut out);
        String::from_utf8_lossy(out.bytes()).into_owned()
    }

    /// Closes the store, so that another server can open the directory.
    pub fn close(self) {
        self.store.close();
    }
}
