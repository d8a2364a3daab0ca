//! One command, from its checks to its effects.

use super::args::{Args, wrong_arity};
use super::command::{
    ALL_KEYS, ALLOW_BUSY, Command, IN_SUBSCRIPTION, NO_AUTH, NO_MULTI, ONE_ROW, READS_FIRST, Run,
};
use super::context::{Cause, Context, Frame, Held};
use super::databases::OwnDatabases;
use super::detached::Detached;
use super::effects::Effects;
use super::failure::{Done, Failure};
use super::foreign;
use super::keyspec::Positions;
use super::observe::Source;
use super::pause::may_write;
use super::replica::{Mode as Role, Upstream};
use super::rights::{place_of, refusal};
use super::server::Server;
use super::session::{Blocked, Multi, Queued, ReplyMode, Session};
use super::stats::WorkerStats;
use super::table;
use super::tracking::is_tracked;
use super::waiters::Waiter;
use crate::resp::Reply;
use crate::store::{Guards, Mode, Txn};
use smallvec::SmallVec;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;
use tokio::sync::oneshot;
use tokio::time::Instant;

/// A function that controls the evaluation of other commands.
pub type Control =
    fn(&Server, &mut Worker, &mut Session, &'static Command, Args<'_>, &mut Reply) -> Done;

/// What a thread reuses between commands.
pub struct Worker {
    pub(super) txn: Txn,
    pub(super) effects: Effects,
    pub(super) stats: Arc<WorkerStats>,
    pub(super) databases: OwnDatabases,
    /// When the latest command ended, by the monotonic clock.
    pub(super) now_us: u64,
    /// Whether it belongs to a thread that runs one request, rather than to a worker with many connections.
    pub(super) is_detached: bool,
    /// Whether the request ran before, for a while.
    pub(super) is_repeated: bool,
    /// How long its script ran then, in microseconds.
    pub(super) ran_us: u64,
    /// Whether it commits the rows of another server.
    pub(super) upstream: Upstream,
}

impl Worker {
    /// Returns the counters of the thread.
    pub fn stats(&self) -> &WorkerStats {
        &self.stats
    }

    /// Discards the writes and effects of an evaluation.
    pub(super) fn discard(&mut self) {
        self.txn.reset(true);
        self.effects.clear();
    }
}

/// What follows from a command.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Next {
    /// The reply is written.
    Ready,
    /// The client waits: see [`Session::is_waiting`].
    Blocked,
}

impl Server {
    /// Returns the state of one more thread.
    pub fn worker(&self) -> Worker {
        Worker {
            txn: Txn::new(self.store.clone()),
            effects: Effects::default(),
            stats: self.stats.add_worker(),
            databases: OwnDatabases::default(),
            now_us: self.clock.monotonic_us(),
            is_detached: false,
            is_repeated: false,
            ran_us: 0,
            upstream: Upstream::None,
        }
    }

    /// Returns the state of one more thread that runs one request at a time.
    pub(crate) fn detached_worker(&self) -> Worker {
        Worker { is_detached: true, ..self.worker() }
    }

    /// Runs a command that a client sent. Before some of them, call [`begin`](Server::begin).
    pub fn execute(
        &self,
        worker: &mut Worker,
        session: &mut Session,
        args: Args<'_>,
        out: &mut Reply,
    ) -> Next {
        if session.reply_mode == ReplyMode::SkipNext {
            session.reply_mode = ReplyMode::Skip;
        } else if session.reply_mode == ReplyMode::Skip {
            session.reply_mode = ReplyMode::On;
        }
        out.protocol = session.protocol;
        let start = out.position();
        let start_us = worker.now_us;
        session.client.active_us.store(start_us, Ordering::Relaxed);
        let command = table::find(args);
        let found = command.as_ref().ok().copied();
        if found.is_none() && foreign::is_http(args.at(0)) {
            foreign::report(session.client.address);
            session.is_closing = true;
            session.client.kill();
            return Next::Ready;
        }
        let admitted = command.and_then(|command| self.admit(session, command, args));
        let result = match admitted {
            Ok(command) if self.is_queued(session, command) => {
                queue(session, command, args);
                out.simple("QUEUED");
                Ok(())
            }
            Ok(command) => {
                let result = self.run(worker, session, command, args, out);
                if let Err(failure @ (Failure::TooLong { .. } | Failure::NeedsThread)) = &result {
                    out.truncate(start);
                    let args = args.all().iter().map(|arg| Box::from(*arg)).collect();
                    let ran_us = match failure {
                        Failure::TooLong { ran_us } => Some(*ran_us),
                        _ => None,
                    };
                    session.detached = Some(Detached { args, start_us, ran_us });
                    self.show_session(session, command);
                    return Next::Blocked;
                }
                let began = (Source::Client, start_us);
                self.ended(worker, session, (command, args), began, &result);
                result
            }
            Err(failure) => {
                let failure = self.refuse(session, args, failure);
                self.refused(worker, session, (found, args), failure)
            }
        };
        self.conclude(session, found, result, (start, out));
        if session.is_waiting() { Next::Blocked } else { Next::Ready }
    }

    /// Completes the reply of a command that ended, which begins at `start`.
    pub(super) fn conclude(
        &self,
        session: &mut Session,
        command: Option<&'static Command>,
        result: Done,
        (start, out): (usize, &mut Reply),
    ) {
        if let Some(command) = command {
            self.show_session(session, command);
            end_choice(session, command);
        }
        if let Err(failure) = result {
            out.truncate(start);
            out.error(&failure.text());
        }
        if matches!(session.reply_mode, ReplyMode::Off | ReplyMode::Skip) {
            out.truncate(start);
        }
        if session.is_closing {
            // From its last reply on it is gone for others.
            session.client.kill();
        }
        if session.subscription_count() > 0 || session.tracking.is_some() {
            // A message that the client sent to itself follows the reply.
            session.client.outbox.drain_into(out);
        }
    }

    /// Returns whether a request must wait for the end of a pause: see [`Session::paused`].
    #[inline]
    pub fn is_paused(&self, session: &mut Session, args: Args<'_>) -> bool {
        session.paused = None;
        if !self.pause.is_possible() {
            return false;
        }
        let Ok(command) = table::find(args) else { return false };
        let queued = session.multi.as_ref().filter(|_| command.name == "exec");
        let writes = match queued {
            Some(multi) => multi.commands.iter().any(|queued| {
                let args: Vec<&[u8]> = queued.args.iter().map(|arg| &arg[..]).collect();
                self.may_write(queued.command, Args::new(&args))
            }),
            None => self.may_write(command, args),
        };
        session.paused = self.pause.applies(command, writes, self.clock.monotonic_us() / 1000);
        session.paused.is_some()
    }

    /// Returns whether a request may change rows or what subscribers see. A script is asked for its flags.
    fn may_write(&self, command: &Command, args: Args<'_>) -> bool {
        may_write(command) && !self.scripts.declares_no_writes(command, args)
    }

    /// Checks whether the client may use a command now.
    fn admit(
        &self,
        session: &mut Session,
        command: &'static Command,
        args: Args<'_>,
    ) -> Done<&'static Command> {
        if !command.allows(args.len()) {
            return Err(wrong_arity(command.full_name));
        }
        if self.needs_login(session) && !command.flags.has(NO_AUTH) {
            return Err("NOAUTH Authentication required.".into());
        }
        if session.multi.is_some() && command.flags.has(NO_MULTI) {
            return Err("ERR Command not allowed inside a transaction".into());
        }
        self.check_rights(session, command, args, place_of(session))
            .map_err(|denied| refusal(denied, command))?;
        if self.replication.mode() != Role::Master {
            self.admit_at_replica(session, command)?;
        }
        if session.is_subscriber() && !command.flags.has(IN_SUBSCRIPTION) {
            return Err(format!(
                "ERR Can't execute '{}': only (P|S)SUBSCRIBE / (P|S)UNSUBSCRIBE / PING / QUIT / \
                 RESET are allowed in this context",
                command.full_name
            )
            .into());
        }
        match self.scripts.running.busy_text() {
            Some(text) if !command.flags.has(ALLOW_BUSY) => Err(text.into()),
            _ => Ok(command),
        }
    }

    /// Notes in a transaction that a command was refused. A refused EXEC ends the transaction.
    fn refuse(&self, session: &mut Session, args: Args<'_>, failure: Failure) -> Failure {
        if args.is(0, "exec") {
            session.multi = None;
            session.unwatch(self);
            let text = failure.text();
            let text = text.strip_prefix("ERR ").unwrap_or(&text);
            return format!("EXECABORT Transaction discarded because of: {text}").into();
        }
        if let Some(multi) = &mut session.multi {
            multi.is_dirty = true;
        }
        failure
    }

    fn is_queued(&self, session: &Session, command: &Command) -> bool {
        session.multi.is_some() && !super::transactions::is_control(command)
    }

    /// Runs a command: takes its latches, evaluates it, and commits what it wrote.
    pub(super) fn run(
        &self,
        worker: &mut Worker,
        session: &mut Session,
        command: &'static Command,
        args: Args<'_>,
        out: &mut Reply,
    ) -> Done {
        match command.run {
            Run::Control(control) => return control(self, worker, session, command, args, out),
            Run::Container => return Err(wrong_arity(command.full_name)),
            Run::Handler(_) => {}
        }
        let start = out.position();
        let mut needs_all = command.flags.has(ALL_KEYS);
        (worker.effects.divisions, worker.effects.waits) = (0, 0);
        loop {
            let keys = command.key_positions(args);
            let guards = self.lock(session, command, args, &keys, needs_all)?;
            let result = self.evaluate(
                worker,
                session,
                (command, args, &keys),
                Cause::Client,
                needs_all,
                out,
            );
            let kept = match result {
                Err(Failure::Undeclared) if !needs_all => {
                    out.truncate(start);
                    needs_all = true;
                    continue;
                }
                Err(Failure::Undivided) => {
                    out.truncate(start);
                    drop(guards);
                    match self.divide_block(worker)? {
                        true => worker.effects.divisions += 1,
                        false => worker.effects.waits += 1,
                    }
                    continue;
                }
                kept @ (Ok(()) | Err(Failure::Kept { .. })) => kept,
                Err(failure) => {
                    worker.discard();
                    return Err(failure);
                }
            };
            let script_reads = worker.effects.script_reads;
            self.commit(worker)?;
            if session.tracking.is_some() && (script_reads || is_tracked(command)) {
                self.note_reads(session, args, &keys);
            }
            if let Some(block) = worker.effects.block.take() {
                self.block(session, command, args, block);
            }
            drop(guards);
            self.follow(worker);
            return kept;
        }
    }

    /// Takes the latches that a command needs.
    fn lock(
        &self,
        session: &Session,
        command: &Command,
        args: Args<'_>,
        keys: &Positions,
        needs_all: bool,
    ) -> Done<Guards<'_>> {
        let mode = if command.may_write() { Mode::Exclusive } else { Mode::Shared };
        if needs_all {
            return self.latch_all();
        }
        // What a client caches must be read and noted under one latch.
        if command.flags.has(ONE_ROW) && session.tracking.is_none() || keys.is_empty() {
            return Ok(Guards::default());
        }
        let database = session.database;
        self.latch(keys.iter().map(|at| (database, args.at(*at))), mode)
    }

    /// Calls a command's handler. Its writes stay in the worker's transaction.
    pub(super) fn evaluate(
        &self,
        worker: &mut Worker,
        session: &mut Session,
        (command, args, keys): (&'static Command, Args<'_>, &Positions),
        cause: Cause,
        has_all: bool,
        out: &mut Reply,
    ) -> Done {
        let Run::Handler(handler) = command.run else { return Err(wrong_arity(command.full_name)) };
        worker.txn.reset(!command.flags.has(READS_FIRST));
        worker.effects.clear();
        worker.effects.writer = session.client.id;
        let mut held: SmallVec<[&[u8]; 8]> = keys.iter().map(|at| args.at(*at)).collect();
        held.sort_unstable();
        let frame = Frame {
            db: worker.databases.get(&self.databases, session.database)?,
            now_ms: self.expiry_ms(session),
            cause,
            held: if has_all { Held::All } else { Held::Keys(&held) },
            slot: None,
        };
        handler(&mut Context::new((self, command), worker, session, out, frame), args)
    }

    /// Commits what an evaluation wrote, and marks watched keys. The latches must be held.
    pub(super) fn commit(&self, worker: &mut Worker) -> Done {
        let changes = worker.txn.len();
        if (changes > 0 || worker.effects.changes_server())
            && let Err(failure) = self.admit_commit(worker)
        {
            worker.discard();
            return Err(failure);
        }
        let effects = &mut worker.effects;
        let committed = match effects.swaps.is_empty() {
            true => worker.txn.commit(),
            false => self.databases.commit_swaps(&effects.swaps, &mut worker.txn),
        };
        if let Err(error) = committed {
            worker.discard();
            return Err(error.into());
        }
        effects.swaps.clear();
        if let Some(role) = effects.role.take() {
            self.take_role(*role);
        }
        if let Some(libraries) = effects.libraries.take() {
            self.scripts.replace_libraries(libraries);
        }
        if changes > 0 {
            worker.stats.changes.add(changes as u64);
        }
        self.ranks.apply(&worker.effects.ranks);
        worker.effects.ranks.clear();
        if !self.watches.is_empty() {
            worker.effects.touched.iter().for_each(|key| self.watches.changed(key));
        }
        if self.tracking.is_on() {
            self.invalidate(&mut worker.effects);
        }
        Ok(())
    }

    /// Makes a client wait. The latches must be held.
    fn block(
        &self,
        session: &mut Session,
        command: &'static Command,
        args: Args<'_>,
        block: super::effects::Block,
    ) {
        let (sender, reply) = oneshot::channel();
        let own_args = || args.all().iter().map(|arg| Box::from(*arg)).collect();
        let waiter = Arc::new(Waiter::new(
            (session.client.id, session.protocol),
            session.database,
            command,
            block.args.unwrap_or_else(own_args),
            block.keys,
            block.timeout,
            sender,
        ));
        self.waiters.add(&waiter);
        session.client.details.lock().is_blocked = true;
        let timeout = block.timeout_ms.map(Duration::from_millis);
        // A time beyond what the clock can show has no end.
        let deadline = timeout.and_then(|time| Instant::now().checked_add(time));
        session.blocked = Some(Blocked { waiter, reply, deadline });
    }
}

/// Ends the effect of CLIENT CACHING after the command or transaction behind it.
fn end_choice(session: &mut Session, command: &Command) {
    if session.multi.is_none()
        && let Some(tracking) = &mut session.tracking
        && !command.full_name.starts_with("client|")
    {
        tracking.is_chosen = false;
    }
}

/// Replaces what a command of several wrote since `start` by its error. An error that concerns all of them is returned,
/// such as one of the store.
pub(super) fn reply_failure(result: Done, start: usize, out: &mut Reply) -> Done {
    match result {
        Ok(()) => Ok(()),
        Err(failure @ (Failure::Store(_) | Failure::TooLong { .. } | Failure::Ended(_))) => {
            Err(failure)
        }
        Err(failure) => {
            out.truncate(start);
            out.error(&failure.text());
            Ok(())
        }
    }
}

/// Queues a command of a transaction.
pub(super) fn queue(session: &mut Session, command: &'static Command, args: Args<'_>) {
    let Some(multi) = session.multi.as_deref_mut() else { return };
    let Multi { commands, bytes, .. } = multi;
    *bytes += args.all().iter().map(|arg| arg.len() + 16).sum::<usize>();
    let args = args.all().iter().map(|arg| Box::from(*arg)).collect();
    commands.push(Queued { command, args });
}
