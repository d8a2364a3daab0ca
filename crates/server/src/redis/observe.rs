//! What is noted of each command: statistics, slow log, latency monitor, and the clients of MONITOR.

use super::args::Args;
use super::command::{ADMIN, Command, FAST, PUBSUB, SKIP_MONITOR, SKIP_SLOWLOG};
use super::execute::Worker;
use super::failure::{Done, Failure};
use super::parameters::Id;
use super::server::Server;
use super::session::Session;
use super::slowlog::{Entry, redact, shorten};
use super::stats::{Outcome, WorkerStats};
use crate::logs::Gate;
use std::collections::BTreeSet;
use std::sync::atomic::Ordering;
use tracing::info;

const SLOWER_THAN: Id = Id::of("slowlog-log-slower-than");
const SLOWLOG_MAX: Id = Id::of("slowlog-max-len");
const LATENCY_THRESHOLD: Id = Id::of("latency-monitor-threshold");
const LATENCY_TRACKING: Id = Id::of("latency-tracking");

/// Slow commands cannot fill the log.
static SLOW: Gate = Gate::ten_a_second();
/// The bytes of a slow command that the log has.
const SLOW_BYTES: usize = 256;

/// Who sent a command.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum Source {
    /// The client itself, or its transaction.
    Client,
    /// Its script.
    Script,
    /// The client, some time ago: the command waited, and its call was counted and shown then.
    Waiter,
}

/// A command that ran.
pub(super) struct Ran<'r, 'a> {
    pub command: &'static Command,
    pub args: Args<'a>,
    pub result: &'r Done,
    pub source: Source,
    /// How long it took, in microseconds.
    pub us: u64,
}

impl Server {
    /// Reads the clock, before the first of some commands that run one after the other.
    pub fn begin(&self, worker: &mut Worker) {
        worker.now_us = self.clock.monotonic_us();
    }

    /// Notes that a command of the worker ended, which began at `start_us`. With [`Source::Waiter`] it was evaluated
    /// once more, and has a reply now.
    pub(super) fn ended(
        &self,
        worker: &mut Worker,
        session: &Session,
        (command, args): (&'static Command, Args<'_>),
        (source, start_us): (Source, u64),
        result: &Done,
    ) {
        worker.now_us = self.clock.monotonic_us();
        let us = worker.now_us.saturating_sub(start_us);
        if session.blocked.is_some() {
            worker.stats.count_waiting(command.id);
        } else {
            self.count(&worker.stats, session, &Ran { command, args, result, source, us });
        }
        // Commands of waiters were shown when they began to wait.
        let is_shown = source != Source::Waiter && !self.monitors.is_empty();
        if is_shown && !command.flags.has(SKIP_MONITOR) {
            self.feed_monitors(session, command, args, source);
        }
    }

    /// Counts a command that waited until another client ended it, with an error or as if its time were over.
    pub(super) fn waiter_unblocked(
        &self,
        stats: &WorkerStats,
        command: &Command,
        error: Option<&str>,
    ) {
        if let Some(text) = error {
            stats.count_error(text);
        }
        let has_times = self.parameters.is_on(LATENCY_TRACKING);
        stats.count_waited(command.id, Outcome::Failed, 0, has_times);
    }

    /// Shows a script's call to the clients of MONITOR.
    pub(super) fn script_begins(&self, session: &Session, command: &Command, args: Args<'_>) {
        if !self.monitors.is_empty() {
            self.feed_monitors(session, command, args, Source::Client);
        }
    }

    /// Notes that a script's command ended.
    pub(super) fn script_command_ended(
        &self,
        stats: &WorkerStats,
        session: &Session,
        ran: &Ran<'_, '_>,
    ) {
        self.count(stats, session, ran);
        if !self.monitors.is_empty() && !ran.command.flags.has(SKIP_MONITOR) {
            self.feed_monitors(session, ran.command, ran.args, ran.source);
        }
    }

    /// Counts a command that ended.
    pub(super) fn count(&self, stats: &WorkerStats, session: &Session, ran: &Ran<'_, '_>) {
        let outcome = match ran.result {
            Ok(()) => Outcome::Done,
            Err(Failure::Kept { is_counted: true, .. }) => Outcome::Failed,
            Err(failure) => {
                stats.count_error(&failure.text());
                Outcome::Failed
            }
        };
        let has_times = self.parameters.is_on(LATENCY_TRACKING);
        match ran.source {
            Source::Waiter => stats.count_waited(ran.command.id, outcome, ran.us, has_times),
            _ => stats.count(ran.command.id, outcome, ran.us, has_times),
        }
        let slower_than = self.parameters.number(SLOWER_THAN);
        let is_slow = u64::try_from(slower_than).is_ok_and(|min_us| ran.us >= min_us);
        if is_slow && !ran.command.flags.has(SKIP_SLOWLOG) {
            self.log_slow(session, ran);
        }
        self.audit(session, (ran.command, ran.args), ran.result);
        let threshold_ms = self.parameters.number(LATENCY_THRESHOLD);
        if threshold_ms > 0 && ran.us >= threshold_ms.unsigned_abs().saturating_mul(1000) {
            let event = if ran.command.flags.has(FAST) { "fast-command" } else { "command" };
            self.latency.add(event, self.clock.wall_ms() / 1000, ran.us / 1000);
        }
    }

    /// Counts a command that was refused; `None` if there is no such command.
    pub(super) fn refused(
        &self,
        worker: &mut Worker,
        session: &Session,
        (command, args): (Option<&'static Command>, Args<'_>),
        failure: Failure,
    ) -> Done {
        worker.stats.count_error(&failure.text());
        let result = Err(failure);
        if let Some(command) = command {
            worker.stats.count(command.id, Outcome::Rejected, 0, false);
            self.audit(session, (command, args), &result);
        }
        result
    }

    fn log_slow(&self, session: &Session, ran: &Ran<'_, '_>) {
        let max = usize::try_from(self.parameters.number(SLOWLOG_MAX)).unwrap_or(0);
        let entry = Entry {
            id: 0,
            at_s: self.clock.wall_ms() / 1000,
            us: ran.us,
            args: shorten(&redact(ran.command.full_name, ran.args)),
            address: session.client.address.to_string(),
            name: session.client.details.lock().name.clone(),
        };
        if tracing::enabled!(target: "ferrolith::slow", tracing::Level::INFO)
            && let Some(skipped) = SLOW.pass()
        {
            report_slow(&entry, ran.us, skipped);
        }
        self.slowlog.add(entry, max);
    }

    fn feed_monitors(&self, session: &Session, command: &Command, args: Args<'_>, source: Source) {
        if command.flags.has(ADMIN) {
            return;
        }
        let address = session.client.address.to_string();
        let source = if source == Source::Script { "lua" } else { &address };
        let args = redact(command.full_name, args);
        self.monitors.feed(self.clock.wall_us(), session.database, source, &args);
    }

    /// Notes what others may see of the session.
    pub(super) fn show_session(&self, session: &Session, command: &Command) {
        let client = &session.client;
        client.command.store(command.id, Ordering::Relaxed);
        client.database.store(session.database, Ordering::Relaxed);
        if command.flags.has(PUBSUB) || command.name == "reset" {
            let counts = session.subscriptions.each_ref().map(BTreeSet::len);
            client.details.lock().subscriptions = counts;
        }
        client.set_queued(session.multi.as_ref().map(|multi| (multi.commands.len(), multi.bytes)));
    }
}

/// Logs a slow command, whose entry of the slow log is without secrets.
#[cold]
fn report_slow(entry: &Entry, us: u64, skipped: Option<u64>) {
    let words: Vec<_> = entry.args.iter().map(|arg| arg.escape_ascii().to_string()).collect();
    let words = words.join(" ");
    // Escaped bytes are ASCII, so each position is the end of a character.
    let command = words.get(..SLOW_BYTES).unwrap_or(&words);
    let client = &entry.address;
    info!(target: "ferrolith::slow", command, us, client, skipped, "slow command");
}
