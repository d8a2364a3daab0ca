//! Whole keys, as imports, exports and copies of another server move them.

use super::acl::Account;
use super::context::{Cause, Context, Frame, Held};
use super::execute::Worker;
use super::failure::{Done, Failure};
use super::families::dump;
use super::keyspace::Scope;
use super::server::Server;
use super::session::Session;
use super::table;
use crate::dump::{Entry, Value};
use crate::error::{Error, Result};
use crate::resp::Reply;
use crate::store::Mode;
use std::net::{Ipv4Addr, SocketAddr};
use std::ops::ControlFlow;
use std::sync::Arc;

/// Keys that are read as of one moment.
const TOGETHER: usize = 256;

/// The keys of a batch.
const BATCH_KEYS: usize = 256;
/// The memory that the values of a batch take, except for the last one.
const BATCH_BYTES: usize = 1 << 20;

/// Keys of one database that are written together.
#[derive(Debug, Default)]
pub struct EntryBatch {
    entries: Vec<Entry>,
    bytes: usize,
}

impl EntryBatch {
    /// Returns whether this entry must wait for the next batch: the batch has enough, or keys of another database.
    pub fn is_full_for(&self, entry: &Entry) -> bool {
        self.entries.len() >= BATCH_KEYS
            || self.bytes >= BATCH_BYTES
            || self.entries.last().is_some_and(|last| last.database != entry.database)
    }

    /// Adds a key.
    pub fn add(&mut self, entry: Entry) {
        self.bytes += entry.key.len() + entry.value.memory_bytes();
        self.entries.push(entry);
    }

    /// Returns the keys, and begins anew.
    pub fn take(&mut self) -> Vec<Entry> {
        self.bytes = 0;
        std::mem::take(&mut self.entries)
    }
}

/// What happens to a key that exists already.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Existing {
    /// It is an error.
    Refuse,
    /// It stays as it is.
    Keep,
    /// It is replaced.
    Replace,
}

/// What became of keys.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub struct Moved {
    /// They were written.
    pub written: u64,
    /// They existed already, and stayed as they were.
    pub kept: u64,
    /// They had expired, and were left out.
    pub expired: u64,
}

impl Moved {
    /// Adds the numbers of other keys.
    pub fn add(&mut self, other: Moved) {
        self.written += other.written;
        self.kept += other.kept;
        self.expired += other.expired;
    }

    /// Returns the number of keys.
    pub fn total(&self) -> u64 {
        self.written + self.kept + self.expired
    }
}

/// How keys are written.
#[derive(Clone, Copy, Debug)]
pub struct Writing {
    /// What happens to keys that exist already.
    pub existing: Existing,
    /// Whether keys that have expired are written nevertheless: another server decides when they end.
    pub keeps_expired: bool,
}

impl Server {
    /// Returns a session for work of the server itself. It may do everything, and lists of clients do not show it.
    pub fn internal_session(&self, name: &str) -> Session {
        let nowhere = SocketAddr::from((Ipv4Addr::UNSPECIFIED, 0));
        let account = Arc::new(Account::internal(name.as_bytes()));
        let now_us = self.clock.monotonic_us();
        let client = self.clients.unlisted((nowhere, nowhere), now_us, usize::MAX, &account);
        Session::new(client, true)
    }

    /// Writes keys of one database, in one commit. Rows of large values may be committed before it, unseen.
    ///
    /// # Errors
    ///
    /// A key exists and must not, or is too long, or the store failed. Then none of the keys is written.
    pub fn put_entries(
        &self,
        worker: &mut Worker,
        session: &mut Session,
        entries: Vec<Entry>,
        how: Writing,
    ) -> Done<Moved> {
        let Some(first) = entries.first() else { return Ok(Moved::default()) };
        session.database = self.database_of(first)?;
        let keys: Vec<Vec<u8>> = entries.iter().map(|entry| entry.key.clone()).collect();
        let keyed = keys.iter().map(|key| (session.database, &key[..]));
        let guards = self.latch(keyed, Mode::Exclusive)?;
        let result = self.put_latched(worker, session, entries, how);
        let result = result.and_then(|moved| self.commit(worker).map(|()| moved));
        drop(guards);
        match &result {
            Ok(_) => self.follow(worker),
            Err(_) => worker.discard(),
        }
        result
    }

    fn put_latched(
        &self,
        worker: &mut Worker,
        session: &mut Session,
        entries: Vec<Entry>,
        how: Writing,
    ) -> Done<Moved> {
        let mut moved = Moved::default();
        let mut out = Reply::default();
        worker.discard();
        let mut context = self.entries_context(worker, session, &mut out)?;
        for entry in entries {
            let expire_ms = match entry.expires_ms {
                None => 0,
                // A time before 1970 is over, as is the first millisecond; 0 would mean never.
                Some(ms) => u64::try_from(ms).unwrap_or(1).max(1),
            };
            let place = context.place(&entry.key);
            if expire_ms != 0 && expire_ms < context.now_ms() && !how.keeps_expired {
                moved.expired += 1;
            } else if how.existing != Existing::Replace && context.head(&place)?.is_some() {
                if how.existing == Existing::Refuse {
                    let text = format!("BUSYKEY the key {} exists", entry.key.escape_ascii());
                    return Err(text.into());
                }
                moved.kept += 1;
            } else {
                dump::write(&mut context, &place, entry.value, expire_ms)
                    .map_err(|failure| of_key(failure, &entry.key))?;
                moved.written += 1;
            }
        }
        Ok(moved)
    }

    /// Passes all keys of a database to `visit`, in the order of slots, until it fails. Some hundred keys or
    /// a megabyte at a time are read as of one moment. Returns the number of keys.
    ///
    /// # Errors
    ///
    /// The store failed, a value is larger than DUMP allows, or `visit` failed.
    pub fn each_entry(
        &self,
        worker: &mut Worker,
        session: &mut Session,
        database: u32,
        visit: &mut dyn FnMut(Entry) -> Result<()>,
    ) -> Result<u64> {
        let (mut from, mut count) = ((0, Vec::new()), 0);
        if self.databases.existing(database).is_none() {
            return Ok(0);
        }
        session.database = database;
        loop {
            let entries = self.some_entries(worker, session, &mut from)?;
            if entries.is_empty() {
                return Ok(count);
            }
            // A key of which nothing was found expired meanwhile.
            for entry in entries.into_iter().flatten() {
                count += 1;
                visit(entry)?;
            }
        }
    }

    /// Reads some keys behind a position, and moves the position.
    fn some_entries(
        &self,
        worker: &mut Worker,
        session: &mut Session,
        from: &mut (u16, Vec<u8>),
    ) -> Result<Vec<Option<Entry>>> {
        worker.discard();
        worker.txn.fix_view();
        let database = u64::from(session.database);
        let mut out = Reply::default();
        let mut context = self.entries_context(worker, session, &mut out).map_err(error_of)?;
        let mut found = Vec::new();
        context
            .walk_keys(&Scope::All, (from.0, &from.1), |visited| {
                found.push((visited.slot, visited.key.to_vec(), visited.head.expire_ms));
                if found.len() < TOGETHER {
                    ControlFlow::Continue(())
                } else {
                    ControlFlow::Break(())
                }
            })
            .map_err(error_of)?;
        let (mut entries, mut bytes) = (Vec::with_capacity(found.len()), 0);
        for (slot, key, expire_ms) in found {
            if bytes >= BATCH_BYTES {
                break;
            }
            *from = (slot, key.iter().copied().chain([0]).collect());
            let value = dump::read(&mut context, &key).map_err(|failure| {
                Error::Setting(format!("key {}: {}", key.escape_ascii(), failure.text()))
            })?;
            bytes += key.len() + value.as_ref().map_or(0, Value::memory_bytes);
            let expires_ms = (expire_ms != 0).then_some(expire_ms as i64);
            entries.push(value.map(|value| Entry { database, key, value, expires_ms }));
        }
        Ok(entries)
    }

    fn entries_context<'a>(
        &'a self,
        worker: &'a mut Worker,
        session: &'a mut Session,
        out: &'a mut Reply,
    ) -> Done<Context<'a>> {
        let Some(command) = table::by_name(b"restore") else {
            return Err("ERR there is no command RESTORE".into());
        };
        let frame = Frame {
            db: worker.databases.get(&self.databases, session.database)?,
            now_ms: self.expiry_ms(session),
            cause: Cause::Multi,
            held: Held::All,
            slot: None,
        };
        Ok(Context::new((self, command), worker, session, out, frame))
    }

    fn database_of(&self, entry: &Entry) -> Done<u32> {
        let count = self.databases.count();
        let index = u32::try_from(entry.database).ok().filter(|index| *index < count);
        index.ok_or_else(|| {
            let number = entry.database;
            format!("ERR database {number} does not exist; there are {count}: see --databases")
                .into()
        })
    }
}

/// Adds the key to the text of a failure.
fn of_key(failure: Failure, key: &[u8]) -> Failure {
    match failure {
        Failure::Store(error) => Failure::Store(error),
        other => format!("{}: key {}", other.text(), key.escape_ascii()).into(),
    }
}

/// Returns a failure as an error of the server.
pub fn error_of(failure: Failure) -> Error {
    match failure {
        Failure::Store(error) => error,
        other => Error::Setting(other.text().into_owned()),
    }
}
