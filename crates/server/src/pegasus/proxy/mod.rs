//! Redis commands on a Pegasus table, so that Redis clients and Pegasus clients share rows, as Pegasus's Redis proxy
//! lets them.
//!
//! ```text
//! string: hash key = key, sort key = ""        hash: hash key = key, sort key = field (not empty)
//! ```
//!
//! `docs/formats/pegasus-rows.md` has the rows, `docs/server/pegasus.md` the commands and how they differ from Redis's.
//! Names, numbers of arguments, keys and flags of commands are those of the table of Redis commands.
//!
//! * **PX1** A command that writes holds the latches of its keys exclusively, from its first read to its commit.
//!   These are the latches of Pegasus's operations.
//! * **PX2** A command is one batch. A command that fails has written nothing.
//! * **PX3** The limits of the table hold for commands as for Pegasus's requests.
//!
//! Files in reading order: `session`, `evaluation` (one command on rows), `expiries`, `strings`, `hashes`, `fields`
//! (those that expire), `keys`, `scans`, `commands` (all of them, by name).

mod commands;
mod evaluation;
mod expiries;
mod fields;
mod hashes;
mod keys;
mod scans;
mod session;
mod strings;

pub use session::Session;

use super::method::Kind;
use super::service::{Gate, Load, Service, WRITE_BYTES_MAX};
use super::table::Table;
use crate::redis::args::{Args, wrong_arity};
use crate::redis::command::{Command, ONE_ROW};
use crate::redis::cursors::Cursors;
use crate::redis::failure::{Done, Failure};
use crate::redis::foreign;
use crate::redis::table as redis_commands;
use crate::resp::Reply;
use crate::rows::pegasus::HASH_KEY_MAX;
use crate::store::{Batch, Guards, Mode};
use crate::thrift::ErrorName;
use commands::Run;
use evaluation::{Evaluation, Shared};
use std::sync::Arc;
use std::sync::atomic::{AtomicI32, AtomicU64, Ordering};
use std::time::Duration;

/// A table that Redis clients use.
pub struct Proxy {
    service: Arc<Service>,
    name: String,
    /// The table's id, as it was found last; 0 before.
    app_id: AtomicI32,
    cursors: Cursors,
    sessions: AtomicU64,
}

/// What follows from a command.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Next {
    /// The reply is written.
    Replied,
    /// The command is to be given to [`Proxy::execute`] again after a delay, as one that has waited.
    Later(Duration),
    /// The command is to be answered by [`Proxy::reject`] after a delay.
    RejectLater(Duration),
}

impl Proxy {
    /// Returns the proxy of a table, which need not exist yet.
    pub fn new(service: Arc<Service>, name: String) -> Proxy {
        let (app_id, sessions) = (AtomicI32::new(0), AtomicU64::new(0));
        Proxy { service, name, app_id, cursors: Cursors::default(), sessions }
    }

    /// Returns the state of a new connection.
    pub fn session(&self) -> Session {
        Session::new(self.sessions.fetch_add(1, Ordering::Relaxed) + 1)
    }

    /// Runs a command and writes its reply, or says what else is to be done. `has_waited` is whether a throttle
    /// delayed it already.
    pub fn execute(
        &self,
        session: &mut Session,
        args: Args<'_>,
        has_waited: bool,
        out: &mut Reply,
    ) -> Next {
        out.protocol = session.protocol;
        let start = out.position();
        self.run(session, args, has_waited, out).unwrap_or_else(|failure| {
            out.truncate(start);
            if foreign::is_http(args.at(0)) {
                foreign::report(format_args!("of the Pegasus table {}", self.name));
                session.close();
            } else {
                out.error(&failure.text());
            }
            Next::Replied
        })
    }

    /// Writes the reply to a command that a throttle rejected.
    pub fn reject(&self, out: &mut Reply) {
        out.error(&refusal(ErrorName::Busy).text());
    }

    fn run(
        &self,
        session: &mut Session,
        args: Args<'_>,
        has_waited: bool,
        out: &mut Reply,
    ) -> Done<Next> {
        // Redis's error for unknown commands and subcommands: clients fall back on it.
        let command = redis_commands::find(args)?;
        let run = redis_commands::by_name(args.at(0)).and_then(|whole| commands::find(whole.name));
        let run = run.ok_or_else(|| self.unsupported(command))?;
        if !command.allows(args.len()) {
            return Err(wrong_arity(command.full_name));
        }
        match run {
            Run::Connection(run) => run(self, session, args, out)?,
            Run::Rows(run) => {
                let table = self.table()?;
                if let Some(next) = self.admit(command, &table, args, has_waited)? {
                    return Ok(next);
                }
                self.evaluate(command, &table, args, out, run)?;
            }
        }
        Ok(Next::Replied)
    }

    /// Returns the error of a command of Redis that a Pegasus table does not have.
    fn unsupported(&self, command: &Command) -> Failure {
        let (name, table) = (command.full_name, &self.name);
        format!("ERR the command '{name}' is not supported on Pegasus tables, such as {table}")
            .into()
    }

    /// Returns the table. The id that is remembered saves the search by name.
    fn table(&self) -> Done<Arc<Table>> {
        let admin = self.service.admin();
        let known = admin.table(self.app_id.load(Ordering::Relaxed));
        if let Some(table) = known.filter(|table| table.name() == self.name) {
            return Ok(table);
        }
        let table = admin.table_named(&self.name).ok_or_else(|| -> Failure {
            let name = ErrorName::ObjectNotFound.as_str();
            format!("ERR {name}: there is no Pegasus table {}", self.name).into()
        })?;
        self.app_id.store(table.app_id, Ordering::Relaxed);
        Ok(table)
    }

    /// Checks the sizes of a command, and applies the table's limits. Returns what is to be done if they delay it.
    fn admit(
        &self,
        command: &Command,
        table: &Table,
        args: Args<'_>,
        has_waited: bool,
    ) -> Done<Option<Next>> {
        let bytes: usize = args.all().iter().map(|arg| arg.len()).sum();
        let kind = if command.is_write() { Kind::Write } else { Kind::Read };
        if kind == Kind::Write && bytes > WRITE_BYTES_MAX {
            return Err(format!(
                "ERR the arguments have {bytes} bytes, expected at most {WRITE_BYTES_MAX} in a write to a Pegasus table"
            )
            .into());
        }
        let mut keys = command.key_positions(args).into_iter();
        let len_of = |at: usize| args.at(at).len();
        if let Some(len) = keys.find_map(|at| Some(len_of(at)).filter(|len| *len > HASH_KEY_MAX)) {
            return Err(format!(
                "ERR the key has {len} bytes, expected at most {HASH_KEY_MAX} in a Pegasus table"
            )
            .into());
        }
        let load = Load { kind, is_backup: false, is_free: has_waited, bytes, timeout_ms: 0 };
        match self.service.gate(&load, table) {
            Gate::Open => Ok(None),
            // A Redis client cannot go on without a reply.
            Gate::Denied => Err(refusal(ErrorName::Timeout)),
            Gate::Refused(name) => Err(refusal(name)),
            Gate::Rejected(Duration::ZERO) => Err(refusal(ErrorName::Busy)),
            Gate::Rejected(delay) => Ok(Some(Next::RejectLater(delay))),
            Gate::Delayed(delay) => Ok(Some(Next::Later(delay))),
        }
    }

    fn evaluate(
        &self,
        command: &'static Command,
        table: &Table,
        args: Args<'_>,
        out: &mut Reply,
        run: commands::Handler,
    ) -> Done {
        let (begun_us, before) = (self.service.clock.monotonic_us(), out.position());
        let shared = Shared::new(&self.service, table);
        let _guards = self.latch(command, shared, args);
        let mut batch = Batch::default();
        let mut evaluation = Evaluation::new(shared, &self.cursors, command, &mut batch, out);
        run(&mut evaluation, args)?;
        evaluation.commit()?;
        let kind = if command.is_write() { Kind::Write } else { Kind::Read };
        let bytes = out.position() - before;
        self.service.account(&command.full_name, kind, table, begun_us, bytes);
        Ok(())
    }

    /// Waits for the latches of a command's keys.
    fn latch(&self, command: &Command, shared: Shared<'_>, args: Args<'_>) -> Guards<'_> {
        let mode = match (command.is_write(), command.flags.has(ONE_ROW)) {
            (true, _) => Mode::Exclusive,
            (false, false) => Mode::Shared,
            (false, true) => return Guards::default(),
        };
        let positions = command.key_positions(args);
        let keys = positions.iter().map(|at| shared.place(args.at(*at)));
        self.service.latches.lock(keys.map(|place| (place.at.0, place.key)), mode)
    }
}

/// Returns the reply for an error of Pegasus, as Pegasus's proxy writes it.
fn refusal(name: ErrorName) -> Failure {
    format!("ERR {}", name.as_str()).into()
}
