//! Commands of another server's stream.

use super::Upstream;
use super::position::Position;
use crate::redis::args::Args;
use crate::redis::execute::{Worker, queue};
use crate::redis::failure::{Done, Failure};
use crate::redis::observe::Source;
use crate::redis::server::Server;
use crate::redis::session::Session;
use crate::redis::table;
use crate::redis::transactions::is_control;
use crate::resp::Reply;
use crate::text::integer;
use std::time::Duration;

/// The reply bytes that a command may leave in memory.
const KEPT_BYTES: usize = 64 << 10;

/// Applies the commands of a stream.
pub(super) struct Applier<'s> {
    server: &'s Server,
    pub worker: Worker,
    pub session: Session,
    out: Reply,
    generation: u64,
    /// The position behind the last command that is applied, outside of transactions.
    pub position: Position,
}

/// What a command asks for.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum Applied {
    /// Nothing more.
    Done,
    /// The other server wants to know the offset.
    Acknowledge,
    /// The command failed: the copy may differ.
    Failed,
}

impl<'s> Applier<'s> {
    /// Returns what applies the commands behind a position.
    pub fn new(server: &'s Server, generation: u64, position: Position) -> Applier<'s> {
        let mut session = server.internal_session("replication");
        (session.upstream, session.database) = (Some(generation), position.database);
        let worker = server.detached_worker();
        Applier { server, worker, session, out: Reply::default(), generation, position }
    }

    /// Applies a command that has so many bytes in the stream. `note` receives the text of an error reply.
    ///
    /// # Errors
    ///
    /// The store failed, or the server does not follow the stream any more. The position is before the command.
    pub fn apply(
        &mut self,
        args: Args<'_>,
        offset: u64,
        note: &mut dyn FnMut(&str),
    ) -> Done<Applied> {
        let mut applied = Applied::Done;
        self.check_select(args)?;
        if args.is(0, "replconf") {
            if args.is(1, "getack") {
                applied = Applied::Acknowledge;
            }
        } else if !args.is(0, "ping") || self.session.multi.is_some() {
            let mut position = self.position.clone();
            (position.offset, position.database) = (offset, self.database_after(args));
            self.server.wait_for_scripts();
            self.worker.upstream = Upstream::Stream(self.generation, position);
            let result = self.run(args);
            let is_failed = match &result {
                Ok(()) => self.out.bytes().starts_with(b"-"),
                Err(Failure::Store(_) | Failure::Ended(_)) => return result.map(|()| applied),
                // A script became late before the command had its latches. It is asked for again.
                Err(failure) if failure.text().contains("BUSY Redis is busy") => {
                    return Err(Failure::Ended("ERR a script runs too long"));
                }
                Err(_) => true,
            };
            if is_failed {
                let reply = String::from_utf8_lossy(self.out.bytes()).into_owned();
                note(&match result {
                    Ok(()) => reply,
                    Err(failure) => failure.text().into_owned(),
                });
                applied = Applied::Failed;
            }
        }
        if self.session.multi.is_none() {
            (self.position.offset, self.position.database) = (offset, self.session.database);
        }
        Ok(applied)
    }

    /// Refuses a SELECT that would fail, in a transaction too: what follows it must not go to another database.
    fn check_select(&self, args: Args<'_>) -> Done {
        let count = self.server.databases.count();
        if !args.is(0, "select")
            || args.integer(1).is_ok_and(|at| (0..i64::from(count)).contains(&at))
        {
            return Ok(());
        }
        let shown = args.at(1).escape_ascii();
        let text = format!("ERR SELECT {shown} of the stream: there are {count} databases here");
        Err(format!("{text}; start the server with more --databases").into())
    }

    /// Returns the database that is selected behind a command. Transactions select, too.
    fn database_after(&self, args: Args<'_>) -> u32 {
        let queued = self.session.multi.iter().flat_map(|multi| &multi.commands).rev();
        let mut selects =
            queued.filter(|queued| args.is(0, "exec") && queued.command.name == "select");
        let selected = selects.next().and_then(|queued| integer::parse(queued.args.get(1)?));
        let selected = selected.and_then(|index| u32::try_from(index).ok());
        selected.unwrap_or(self.session.database)
    }

    fn run(&mut self, args: Args<'_>) -> Done {
        let Applier { server, worker, session, out, .. } = self;
        out.clear();
        if out.capacity() > KEPT_BYTES {
            out.shrink();
        }
        let command = table::find(args)?;
        if !command.allows(args.len()) {
            return Err(crate::redis::args::wrong_arity(command.full_name));
        }
        if session.multi.is_some() && !is_control(command) {
            queue(session, command, args);
            return Ok(());
        }
        server.begin(worker);
        let start_us = worker.now_us;
        let result = server.run(worker, session, command, args, out);
        server.ended(worker, session, (command, args), (Source::Client, start_us), &result);
        match (&result, has_error_in_array(out.bytes())) {
            (Ok(()), Some(text)) => Err(Failure::from(text)),
            _ => result,
        }
    }
}

/// Returns the first error in the reply to a transaction, whose commands reply short lines in most cases.
fn has_error_in_array(reply: &[u8]) -> Option<String> {
    let rest = reply.strip_prefix(b"*")?;
    let line = rest.split(|byte| *byte == b'\n').find(|line| line.starts_with(b"-"))?;
    // Bulk strings may have such lines, too: an error begins with a code in capitals.
    let text = String::from_utf8_lossy(line.get(1..)?).trim_end().to_owned();
    let code = text.split(' ').next().unwrap_or_default();
    (!code.is_empty() && code.bytes().all(|byte| byte.is_ascii_uppercase())).then_some(text)
}

impl Server {
    /// Waits while a script of a client runs too long: it may hold any latch.
    pub(super) fn wait_for_scripts(&self) {
        while self.is_busy() && !self.replication.is_stopping() {
            std::thread::sleep(Duration::from_millis(5));
        }
    }

    /// Commits the position of a stream, or that a copy is incomplete, alone. It holds all latches, as RR3 asks.
    pub(super) fn save_upstream(&self, worker: &mut Worker) -> Done {
        worker.discard();
        let _guards = loop {
            match self.latch_all() {
                Ok(guards) => break guards,
                Err(_) if self.replication.is_stopping() => {
                    return Err(Failure::Ended("ERR the server stops"));
                }
                Err(_) => self.wait_for_scripts(),
            }
        };
        self.admit_commit(worker)?;
        Ok(worker.txn.commit()?)
    }
}

#[cfg(test)]
#[path = "apply_test.rs"]
mod tests;
