//! The copy of all data: an RDB file that the other server sends. It replaces what this server has.

use super::Upstream;
use super::position::{Position, Target};
use super::state::Mode;
use crate::dump::{DumpError, Entry, Item, RdbFile, Value};
use crate::error::{Error, Result};
use crate::redis::args::Args;
use crate::redis::entries::{EntryBatch, Existing, Writing, error_of};
use crate::redis::execute::Worker;
use crate::redis::failure::{Done, Failure};
use crate::redis::scripts::check_libraries;
use crate::redis::server::Server;
use crate::redis::session::Session;
use crate::redis::table;
use crate::resp::Reply;
use crate::rows::redis::COLLECTION_KEY_MAX;
use std::io::Read;

/// The most memory that one value may take.
const VALUE_MAX: usize = 4 << 30;

/// Receives the keys so far and the bytes that were read.
pub(super) type Note<'a> = dyn FnMut(u64, u64) -> Result<()> + 'a;

/// The keys that are read between two calls of a [`Note`].
const NOTED_KEYS: u64 = 1000;

/// Reads an RDB file to its checksum without keeping anything. `note` is called now and then.
///
/// # Errors
///
/// The file is damaged, or has something that is not supported, keys of databases beyond `databases`, keys that are too
/// long, or functions that do not load, or `note` failed.
pub(super) fn check(source: impl Read, databases: u32, note: &mut Note<'_>) -> Result<()> {
    let mut file = RdbFile::open(source, VALUE_MAX).map_err(|error| damaged(0, &error))?;
    let (mut keys, mut libraries) = (0, Vec::new());
    while let Some(item) = file.next_item().map_err(|error| damaged(file.offset(), &error))? {
        match item {
            Item::Entry(entry) => check_entry(&entry, databases)?,
            Item::Function(code) => {
                libraries.push(code);
                continue;
            }
            Item::Field { .. } => continue,
        }
        keys += 1;
        if keys % NOTED_KEYS == 0 {
            note(keys, file.offset() as u64)?;
        }
    }
    check_libraries(libraries)?;
    note(keys, file.offset() as u64)
}

/// Refuses keys that this server cannot have.
fn check_entry(entry: &Entry, databases: u32) -> Result<()> {
    if entry.database >= u64::from(databases) {
        let index = entry.database;
        return Err(Error::Setting(format!(
            "the copy has keys of database {index}: there are {databases} databases here; start \
             the server with more --databases"
        )));
    }
    let length = entry.key.len();
    if length > COLLECTION_KEY_MAX && !matches!(entry.value, Value::String(_)) {
        let start = entry.key.get(..40).unwrap_or_default().escape_ascii();
        return Err(Error::Setting(format!(
            "the copy has a key of {length} bytes that is no string, and begins with {start}: such keys have at \
             most {COLLECTION_KEY_MAX} bytes here"
        )));
    }
    Ok(())
}

fn damaged(offset: usize, error: &DumpError) -> Error {
    Error::corrupt(format!("the copy of the data, before byte {offset}: {error}"))
}

/// A copy that is being loaded.
pub(super) struct Copy<'s> {
    server: &'s Server,
    worker: Worker,
    session: Session,
    generation: u64,
    keys: u64,
}

impl<'s> Copy<'s> {
    /// Begins a copy: from now on the data is incomplete, and what was there is removed.
    ///
    /// # Errors
    ///
    /// The store failed, or the server does not follow the other one any more.
    pub fn begin(server: &'s Server, generation: u64, target: &Target) -> Result<Copy<'s>> {
        let mut session = server.internal_session("replication");
        session.upstream = Some(generation);
        let mut worker = server.detached_worker();
        worker.upstream = Upstream::Copy(generation, target.clone());
        let mut copy = Copy { server, worker, session, generation, keys: 0 };
        server.save_upstream(&mut copy.worker).map_err(error_of)?;
        server.store.sync_now()?;
        server.replication.set_mode(generation, Mode::Loading);
        server.wait_for_scripts();
        copy.call(&[b"FLUSHALL"])?;
        copy.call(&[b"FUNCTION", b"FLUSH"])?;
        Ok(copy)
    }

    /// Loads an RDB file. `note` is called after each batch.
    ///
    /// # Errors
    ///
    /// The file is damaged or has something that is not supported, or the store or `note` failed.
    pub fn load(&mut self, source: impl Read, note: &mut Note<'_>) -> Result<()> {
        let mut file = RdbFile::open(source, VALUE_MAX).map_err(|error| damaged(0, &error))?;
        let mut batch = EntryBatch::default();
        loop {
            match file.next_item().map_err(|error| damaged(file.offset(), &error))? {
                Some(Item::Entry(entry)) => {
                    if batch.is_full_for(&entry) {
                        self.put(&mut batch)?;
                        note(self.keys, file.offset() as u64)?;
                    }
                    batch.add(entry);
                }
                Some(Item::Function(code)) => {
                    self.call(&[b"FUNCTION", b"LOAD", b"REPLACE", &code])?;
                }
                Some(Item::Field { .. }) => {}
                None => break,
            }
        }
        self.put(&mut batch)?;
        note(self.keys, file.offset() as u64)
    }

    /// Ends the copy: the data is complete, and that of a position.
    ///
    /// # Errors
    ///
    /// The store failed, or the server does not follow the other one any more.
    pub fn finish(mut self, position: &Position) -> Result<()> {
        self.worker.upstream = Upstream::Stream(self.generation, position.clone());
        self.server.save_upstream(&mut self.worker).map_err(error_of)?;
        self.server.store.sync_now()?;
        self.server.replication.set_mode(self.generation, Mode::Replica);
        Ok(())
    }

    fn put(&mut self, batch: &mut EntryBatch) -> Result<()> {
        let how = Writing { existing: Existing::Replace, keeps_expired: true };
        let (worker, session) = (&mut self.worker, &mut self.session);
        let moved = self.server.put_entries(worker, session, batch.take(), how);
        self.keys += moved.map_err(error_of)?.written;
        Ok(())
    }

    fn call(&mut self, words: &[&[u8]]) -> Result<()> {
        self.try_call(Args::new(words)).map_err(|failure| match failure {
            Failure::Store(error) => error,
            other => {
                let name = String::from_utf8_lossy(words.first().copied().unwrap_or_default());
                Error::Setting(format!("{name} for the copy of the data: {}", other.text()))
            }
        })
    }

    fn try_call(&mut self, args: Args<'_>) -> Done {
        let mut out = Reply::default();
        let command = table::find(args)?;
        self.server.run(&mut self.worker, &mut self.session, command, args, &mut out)
    }
}
