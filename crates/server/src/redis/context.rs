//! What a handler sees: the time, the client, the reply, and its reads and writes.

use super::args::Args;
use super::command::{Command, Run};
use super::databases::Database;
use super::effects::{Block, Effects, Event, Message};
use super::execute::Worker;
use super::failure::{Done, Failure};
use super::observe::{Ran, Source};
use super::server::Server;
use super::session::Session;
use super::stats::WorkerStats;
use super::tracking::is_tracked;
use super::waiters::Timeout;
use crate::resp::Reply;
use crate::script::Libraries;
use crate::store::Txn;
use std::cell::Cell;
use std::sync::Arc;

/// Why a command is evaluated.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Cause {
    /// A client sent it.
    Client,
    /// EXEC runs it.
    Multi,
    /// A script calls it.
    Script,
    /// A client that blocked in it may find something now.
    Wake,
}

/// The latches that an evaluation holds, so that scripts can be checked.
#[derive(Clone, Copy, Debug)]
pub enum Held<'a> {
    /// Those of all keys.
    All,
    /// Those of these keys, sorted.
    Keys(&'a [&'a [u8]]),
}

impl Held<'_> {
    /// Returns whether the latch of a key is held.
    pub fn covers(self, key: &[u8]) -> bool {
        match self {
            Held::All => true,
            Held::Keys(keys) => keys.binary_search(&key).is_ok(),
        }
    }
}

/// The context of one evaluation.
pub struct Context<'a> {
    /// What all connections share.
    pub server: &'a Server,
    /// The connection.
    pub session: &'a mut Session,
    /// The reply.
    pub out: &'a mut Reply,
    /// The reads and writes.
    pub txn: &'a mut Txn,
    /// The description of the command.
    pub command: &'static Command,
    pub(super) db: Arc<Database>,
    pub(super) effects: &'a mut Effects,
    pub(super) now_ms: u64,
    pub(super) cause: Cause,
    pub(super) held: Held<'a>,
    /// A key whose slot is known.
    pub(super) slot: Option<(&'a [u8], u16)>,
    pub(super) stats: &'a WorkerStats,
    /// Whether somebody watches or waits for keys.
    pub(super) has_interest: bool,
    /// The address of the argument whose look-up was counted last; 0 before the first.
    pub(super) counted: Cell<usize>,
    /// Whether the evaluation has a thread of its own.
    pub(super) is_detached: bool,
    /// Whether a part of the same evaluation ran before, and was discarded.
    pub(super) is_repeated: bool,
    /// How long a script of it ran before, in microseconds.
    pub(super) ran_us: u64,
}

/// What all commands of an evaluation have in common.
#[derive(Clone)]
pub(super) struct Frame<'a> {
    /// The selected database.
    pub db: Arc<Database>,
    /// The time of the evaluation.
    pub now_ms: u64,
    /// Why it takes place.
    pub cause: Cause,
    /// The latches that it holds.
    pub held: Held<'a>,
    /// A key of the command, and its slot, if somebody computed it already.
    pub slot: Option<(&'a [u8], u16)>,
}

impl<'a> Context<'a> {
    /// Returns the context of a command; its writes and effects go to the worker's.
    pub(super) fn new(
        (server, command): (&'a Server, &'static Command),
        worker: &'a mut Worker,
        session: &'a mut Session,
        out: &'a mut Reply,
        frame: Frame<'a>,
    ) -> Context<'a> {
        let Frame { db, now_ms, cause, held, slot } = frame;
        let has_widened = cause == Cause::Client && matches!(held, Held::All);
        Context {
            server,
            session,
            out,
            txn: &mut worker.txn,
            command,
            db,
            effects: &mut worker.effects,
            now_ms,
            cause,
            held,
            slot,
            stats: &worker.stats,
            has_interest: server.has_interest(),
            counted: Cell::new(0),
            is_detached: worker.is_detached,
            is_repeated: worker.is_repeated || has_widened,
            ran_us: worker.ran_us,
        }
    }
}

impl Context<'_> {
    /// Returns the time of the evaluation in milliseconds since 1970: it is the same for all commands of a transaction
    /// or script. A key that expired by then is absent.
    pub fn now_ms(&self) -> u64 {
        self.now_ms
    }

    /// Returns the present time in milliseconds since 1970, for what is noted or relative. It differs from
    /// [`now_ms`](Context::now_ms) for commands of another server's stream, for which no key has expired.
    pub fn clock_ms(&self) -> u64 {
        if self.now_ms == 0 { self.server.now_ms() } else { self.now_ms }
    }

    /// Returns the present time and the name of the command, for parsers of times.
    pub fn asked(&self) -> (u64, &'static str) {
        (self.clock_ms(), self.command.full_name)
    }

    /// Returns the selected database.
    pub fn db(&self) -> &Arc<Database> {
        &self.db
    }

    /// Selects another database for what follows.
    ///
    /// # Errors
    ///
    /// The store cannot create it. The number must be valid.
    pub fn select(&mut self, index: u32) -> Done {
        self.db = self.database(index)?;
        self.session.database = index;
        Ok(())
    }

    /// Takes the selected database from the table of databases again, after SWAPDB.
    ///
    /// # Errors
    ///
    /// The store failed.
    pub fn reload(&mut self) -> Done {
        self.db = self.database(self.session.database)?;
        Ok(())
    }

    /// Returns a database, with the exchanges of the evaluation so far, and creates its table if need be.
    ///
    /// # Errors
    ///
    /// There is no database of this number, or the store failed.
    pub fn database(&self, index: u32) -> Done<Arc<Database>> {
        Ok(self.server.databases.get_behind(&self.effects.swaps, index)?)
    }

    /// Returns all databases that were ever written to, with the exchanges of the evaluation so far.
    pub fn existing_databases(&self) -> impl Iterator<Item = Arc<Database>> {
        let (databases, swaps) = (&self.server.databases, &self.effects.swaps);
        (0..databases.count()).filter_map(|index| databases.existing_behind(swaps, index))
    }

    /// Returns the libraries of functions, with the changes of the evaluation so far.
    pub fn libraries(&self) -> Arc<Libraries> {
        let changed = self.effects.libraries.clone();
        changed.unwrap_or_else(|| self.server.scripts.libraries())
    }

    /// Replaces the libraries of functions by the commit. The caller writes their rows.
    pub fn replace_libraries(&mut self, libraries: Libraries) {
        self.effects.libraries = Some(Arc::new(libraries));
    }

    /// Returns whether the latch of a key is held.
    pub fn holds(&self, key: &[u8]) -> bool {
        self.held.covers(key)
    }

    /// Returns whether the evaluation has a thread of its own, so that it may take long.
    pub fn is_detached(&self) -> bool {
        self.is_detached
    }

    /// Returns why the command is evaluated.
    pub fn cause(&self) -> Cause {
        self.cause
    }

    /// Returns whether the command may wait.
    pub fn can_block(&self) -> bool {
        matches!(self.cause, Cause::Client | Cause::Wake)
    }

    /// Makes the client wait until one of these keys changes; then the command is evaluated again. A command of a
    /// transaction or script replies `timeout` at once. The handler must not have replied. What it wrote is committed
    /// when a client sent the command, and discarded when a waiting client's command is evaluated again in vain.
    pub fn block(&mut self, keys: &[&[u8]], timeout_ms: Option<u64>, timeout: Timeout) {
        self.block_with(keys, timeout_ms, timeout, None);
    }

    /// As [`block`](Context::block), but the command is evaluated again with other arguments, such as a stream's last
    /// id in the place of `$`.
    pub fn block_with(
        &mut self,
        keys: &[&[u8]],
        timeout_ms: Option<u64>,
        timeout: Timeout,
        args: Option<Vec<Box<[u8]>>>,
    ) {
        if !self.can_block() {
            return write_timeout(self.out, timeout);
        }
        let keys = keys.iter().map(|key| Box::from(*key)).collect();
        self.effects.block = Some(Block { keys, timeout_ms, timeout, args });
    }

    /// Returns whether clients wait for elements of a key in commands of this one's group, so that a client that comes
    /// now must wait behind them although there are elements: the writer that added those is about to serve the
    /// waiters. Only for commands that take elements, and under the key's latch. `consumers` is the consumer group of
    /// a stream, and empty for other types.
    pub fn is_behind_waiters(&self, key: &[u8], consumers: &[u8]) -> bool {
        let waiters = &self.server.waiters;
        self.cause == Cause::Client
            && !waiters.is_empty()
            && waiters.has_takers(&(self.db.index(), key.into()), (self.command.group, consumers))
    }

    /// Notes that a key of the selected database changed, for watchers and waiters. The functions that write M rows
    /// call it; a handler that changes only other rows calls it itself.
    pub fn touch(&mut self, key: &[u8]) {
        if self.has_interest {
            self.effects.touched.push((self.db.index(), key.into()));
        }
    }

    /// Notes that all keys of a database may have changed, for waiters. Watched keys are touched one by one.
    pub fn touch_all(&mut self, database: u32) {
        self.effects.emptied.push(database);
    }

    /// Tells subscribers of keyspace events, after the commit, if events of this class are switched on. The class is a
    /// letter of `notify-keyspace-events`.
    pub fn notify(&mut self, class: u8, name: &'static str, key: &[u8]) {
        if self.server.wants_event(class) {
            let (key, database) = (key.to_vec(), self.db.index());
            self.effects.events.get_mut().push(Event { class, name, key, database });
        }
    }

    /// Counts the look-up of a key for INFO if the command reads: once for each argument, however often it is looked up
    /// in succession.
    #[inline]
    pub fn count_lookup(&self, key: &[u8], is_found: bool) {
        let address = key.as_ptr().addr();
        if self.command.counts_lookups() && self.counted.replace(address) != address {
            self.count_read(key, is_found);
        }
    }

    /// Counts a look-up of a key for INFO, whatever the command is.
    pub fn count_read(&self, key: &[u8], is_found: bool) {
        self.stats.count_lookup(is_found);
        if !is_found {
            self.notify_miss(key);
        }
    }

    /// Tells subscribers of keyspace events that a command read an absent key. OBJECT and MEMORY USAGE look at keys
    /// unnoticed.
    #[cold]
    fn notify_miss(&self, key: &[u8]) {
        let name = self.command.full_name;
        let is_unnoticed = name.starts_with("object|") || name == "memory|usage";
        if self.server.wants_event(b'm') && !is_unnoticed {
            let (key, database) = (key.to_vec(), self.db.index());
            let event = Event { class: b'm', name: "keymiss", key, database };
            self.effects.events.borrow_mut().push(event);
        }
    }

    /// Sends a message to subscribers of a channel after the commit.
    pub fn publish_later(&mut self, message: Message) {
        self.effects.messages.push(message);
    }

    /// Shows a script's call to the clients of MONITOR, once: they see it before the script's commands.
    pub fn show_to_monitors(&self, args: Args<'_>) {
        if !self.is_repeated {
            self.server.script_begins(self.session, self.command, args);
        }
    }

    /// Evaluates another command as a part of this one, and appends its reply to `out`; a script calls it. The command
    /// must have the right number of arguments and a handler.
    ///
    /// # Errors
    ///
    /// As the command. [`Failure::Undeclared`] must be returned by the caller as it is: the evaluation begins anew.
    pub fn call(&mut self, command: &'static Command, args: Args<'_>, out: &mut Reply) -> Done {
        let Run::Handler(handler) = command.run else {
            return Err("ERR This Redis command is not allowed from script".into());
        };
        let positions = command.key_positions(args);
        if !positions.iter().all(|at| self.held.covers(args.at(*at))) {
            return Err(Failure::Undeclared);
        }
        if command.flags.has(super::command::ALL_KEYS) && !matches!(self.held, Held::All) {
            return Err(Failure::Undeclared);
        }
        let mut inner = Context {
            server: self.server,
            session: self.session,
            out,
            txn: self.txn,
            command,
            db: self.db.clone(),
            effects: self.effects,
            now_ms: self.now_ms,
            cause: Cause::Script,
            held: self.held,
            slot: None,
            stats: self.stats,
            has_interest: self.has_interest,
            counted: Cell::new(0),
            is_detached: self.is_detached,
            is_repeated: self.is_repeated,
            ran_us: self.ran_us,
        };
        let start_us = self.server.clock.monotonic_us();
        let result = handler(&mut inner, args);
        self.db = inner.db;
        if self.session.tracking.is_some() && is_tracked(command) {
            self.effects.script_reads = true;
            self.server.note_reads(self.session, args, &positions);
        }
        let us = self.server.clock.monotonic_us().saturating_sub(start_us);
        let ran = Ran { command, args, result: &result, source: Source::Script, us };
        self.server.script_command_ended(self.stats, self.session, &ran);
        result
    }
}

/// Writes what a blocking command replies when its time is over.
pub fn write_timeout(out: &mut Reply, timeout: Timeout) {
    match timeout {
        Timeout::NullArray => out.null_array(),
        Timeout::Null => out.null(),
        Timeout::Integer(value) => out.integer(value),
        Timeout::Pair(one, other) => {
            out.array(2);
            out.integer(one);
            out.integer(other);
        }
    }
}
