//! A data directory whose server is stopped.

use super::sink::Sink;
use crate::clock::SystemClock;
use crate::dump::Entry;
use crate::error::{Error, Result};
use crate::redis::args::Args;
use crate::redis::entries::{Existing, Moved, Writing, error_of};
use crate::redis::server::Settings;
use crate::redis::{Server, Session, Worker};
use crate::resp::Reply;
use crate::script::library_name;
use crate::store::local::{LocalStore, StoreOptions};
use crate::store::{Durability, Latches, Store};
use crate::tables::Catalogue;
use std::path::PathBuf;
use std::sync::Arc;

/// How a directory is opened.
#[derive(Clone, Debug)]
pub struct DirectoryOptions {
    /// The directory.
    pub dir: PathBuf,
    /// Whether it is created if it does not exist.
    pub creates: bool,
    /// Megabytes for cached rows, cached blocks and memtables together.
    pub memory_mb: usize,
    /// The number of databases.
    pub databases: usize,
    /// The partitions of database 0 when it is created: a power of two.
    pub partitions: i32,
    /// What happens to keys that exist already.
    pub existing: Existing,
}

/// A data directory. Nobody else uses it meanwhile.
pub struct Directory {
    store: Arc<LocalStore>,
    server: Server,
    worker: Worker,
    session: Session,
    existing: Existing,
}

impl Directory {
    /// Opens a directory.
    ///
    /// # Errors
    ///
    /// It does not exist and is not to be created, a server uses it, or its files are damaged.
    pub fn open(options: &DirectoryOptions) -> Result<Directory> {
        let dir = &options.dir;
        if !options.creates && !dir.join("CURRENT").exists() {
            let text = format!("{} is no data directory of ferrolith-server", dir.display());
            return Err(Error::Setting(text));
        }
        let store_options = StoreOptions::new(Durability::Os, options.memory_mb << 20, 2);
        let store = LocalStore::open(dir, store_options)?;
        let catalogue = Arc::new(Catalogue::open(store.clone())?);
        check_databases(&catalogue, options.databases)?;
        let settings = Settings {
            databases: options.databases,
            partitions: options.partitions,
            dir: dir.display().to_string(),
            ..Settings::default()
        };
        let (rows, clock) = (store.clone() as Arc<dyn Store>, Arc::new(SystemClock::new()));
        let server = Server::new(rows, Arc::new(Latches::default()), clock, catalogue, settings);
        server.check_role(options.creates)?;
        let (worker, session) = (server.worker(), server.internal_session("transfer"));
        Ok(Directory { store, server, worker, session, existing: options.existing })
    }

    /// Passes all keys of all databases to `visit`. Returns their number.
    ///
    /// # Errors
    ///
    /// The store or `visit` failed.
    pub fn each_entry(&mut self, visit: &mut dyn FnMut(Entry) -> Result<()>) -> Result<u64> {
        let mut count = 0;
        for database in 0..self.server.databases.count() {
            let (worker, session) = (&mut self.worker, &mut self.session);
            count += self.server.each_entry(worker, session, database, visit)?;
        }
        Ok(count)
    }

    /// Returns the code of all libraries of functions.
    pub fn functions(&self) -> Vec<Vec<u8>> {
        self.server.scripts.libraries().iter().map(|library| library.code().to_vec()).collect()
    }

    /// Syncs and closes the directory.
    ///
    /// # Errors
    ///
    /// The log cannot be written.
    pub fn close(self) -> Result<()> {
        drop(self.worker);
        self.store.close()
    }
}

/// Refuses a directory with databases that would be left out.
fn check_databases(catalogue: &Catalogue, count: usize) -> Result<()> {
    let tables = catalogue.list();
    let numbers = tables
        .iter()
        .filter_map(|table| table.info().app_name.strip_prefix("redis.")?.parse::<usize>().ok());
    match numbers.max() {
        Some(last) if last >= count => Err(Error::Setting(format!(
            "the directory has database {last}, expected numbers below {count}: raise --databases \
             to {}",
            last + 1
        ))),
        _ => Ok(()),
    }
}

impl Sink for Directory {
    fn put(&mut self, entries: Vec<Entry>) -> Result<Moved> {
        let how = Writing { existing: self.existing, keeps_expired: false };
        let (worker, session) = (&mut self.worker, &mut self.session);
        self.server.put_entries(worker, session, entries, how).map_err(error_of)
    }

    fn put_function(&mut self, code: Vec<u8>) -> Result<bool> {
        if self.existing == Existing::Keep
            && library_name(&code)
                .is_ok_and(|name| self.server.scripts.libraries().get(&name).is_some())
        {
            return Ok(false);
        }
        let mut words: Vec<&[u8]> = vec![b"FUNCTION", b"LOAD"];
        if self.existing == Existing::Replace {
            words.push(b"REPLACE");
        }
        words.push(&code);
        let mut out = Reply::default();
        self.server.execute(&mut self.worker, &mut self.session, Args::new(&words), &mut out);
        match out.bytes().strip_prefix(b"-") {
            None => Ok(true),
            Some(text) => {
                let text = String::from_utf8_lossy(text.trim_ascii_end());
                Err(Error::Setting(format!("loading a library of functions: {text}")))
            }
        }
    }

    fn finish(&mut self) -> Result<()> {
        self.store.sync_now()
    }
}
