//! The server as a running script sees it: commands are parts of the evaluation that runs the script.

use super::messages;
use crate::redis::acl::{self, Place};
use crate::redis::args::Args;
use crate::redis::command::{Command, MAY_REPLICATE, NOSCRIPT, Run, WRITE};
use crate::redis::context::{Context, Held};
use crate::redis::detached::WORKER_MAX_US;
use crate::redis::failure::Failure;
use crate::redis::parameters::Id;
use crate::redis::rights::script_refusal;
use crate::redis::running::Running;
use crate::redis::stats::Outcome;
use crate::redis::table;
use crate::resp::Reply;
use crate::script::{Host, Interrupt, LogLevel};
use std::sync::Arc;
use std::sync::atomic::Ordering;

/// How long the code of a library may run while it is loaded.
const LOAD_MAX_US: u64 = 500_000;

/// After how many milliseconds a script runs too long; 0 means never.
const BUSY_AFTER: Id = Id::of("busy-reply-threshold");

/// The end of a script that SCRIPT KILL or FUNCTION KILL ended, without a code.
const KILLED: &str = "Script killed by user with SCRIPT KILL...";
/// The same as a reply.
const KILLED_REPLY: &str = "ERR Script killed by user with SCRIPT KILL...";
/// The end of a script when the server stops, without a code.
const STOPPING: &str = "The server is shutting down";
/// The same as a reply.
const STOPPING_REPLY: &str = "ERR The server is shutting down";

/// The host of one run.
pub(super) struct ScriptHost<'a, 'c> {
    context: &'a mut Context<'c>,
    args: Args<'a>,
    name: &'a str,
    is_eval: bool,
    is_read_only: bool,
    is_loading: bool,
    started_us: u64,
    has_written: bool,
    running: Option<Arc<Running>>,
    failure: Option<Failure>,
}

impl<'a, 'c> ScriptHost<'a, 'c> {
    /// Returns the host of a script or function.
    pub fn new(
        context: &'a mut Context<'c>,
        args: Args<'a>,
        (name, is_eval): (&'a str, bool),
        is_read_only: bool,
    ) -> ScriptHost<'a, 'c> {
        let started_us = context.server.clock.monotonic_us();
        ScriptHost {
            context,
            args,
            name,
            is_eval,
            is_read_only,
            is_loading: false,
            started_us,
            has_written: false,
            running: None,
            failure: None,
        }
    }

    /// Returns the host of a library that is loaded.
    pub fn for_loading(context: &'a mut Context<'c>, args: Args<'a>) -> ScriptHost<'a, 'c> {
        let mut host = ScriptHost::new(context, args, ("", false), true);
        host.is_loading = true;
        host
    }

    /// Ends the run. Returns the failure that the evaluation must return, if any.
    pub fn finish(mut self) -> Option<Failure> {
        let is_killed = self.leave();
        match self.failure.take() {
            // It was killed after its last question.
            Some(Failure::TooLong { .. } | Failure::Undeclared) if is_killed => {
                Some(Failure::Ended(KILLED_REPLY))
            }
            failure => failure,
        }
    }

    /// Removes the script from the list of those that run. Returns whether a client had asked to end it.
    fn leave(&mut self) -> bool {
        let running = self.running.take();
        running.is_some_and(|running| self.context.server.scripts.running.remove(&running))
    }

    /// Finds a command and checks whether the script may call it. The error is what it replies.
    fn admit(&self, args: Args<'_>) -> Result<&'static Command, &'static str> {
        let command =
            table::find(args).map_err(|_| "ERR Unknown Redis command called from script")?;
        if !command.allows(args.len()) {
            return Err("ERR Wrong number of args calling Redis command from script");
        }
        if command.flags.has(NOSCRIPT) || !matches!(command.run, Run::Handler(_)) {
            return Err("ERR This Redis command is not allowed from script");
        }
        self.context
            .server
            .check_rights(self.context.session, command, args, Place::Script)
            .map_err(script_refusal)?;
        if command.flags.has(WRITE) {
            self.context.server.check_script_write(self.context.session)?;
        }
        let may_write = command.flags.has(WRITE) || command.flags.has(MAY_REPLICATE);
        if may_write && self.is_read_only {
            return Err("ERR Write commands are not allowed from read-only scripts.");
        }
        Ok(command)
    }

    /// Calls a command. The error is what it replies.
    fn try_call(&mut self, args: Args<'_>, reply: &mut Reply) -> Result<(), Failure> {
        let command = match self.admit(args) {
            Ok(command) => command,
            Err(text) => {
                let stats = self.context.stats;
                stats.count_error(text);
                if let Ok(command) = table::find(args) {
                    stats.count(command.id, Outcome::Rejected, 0, false);
                }
                return Err(text.into());
            }
        };
        // The latches are those of the keys in the database that was selected.
        if command.name == "select" && !matches!(self.context.held, Held::All) {
            return Err(Failure::Undeclared);
        }
        if command.flags.has(WRITE) && !self.has_written {
            self.has_written = true;
            if let Some(running) = &self.running {
                running.has_written.store(true, Ordering::Relaxed);
            }
        }
        self.context.call(command, args, reply)
    }

    /// Lets SCRIPT KILL find the script.
    fn register(&mut self) -> Arc<Running> {
        let args = self.args.all().iter().map(|arg| arg.to_vec()).collect();
        let running = Running::new(self.name, self.is_eval, args, self.started_us);
        running.has_written.store(self.has_written, Ordering::Relaxed);
        let running = Arc::new(running);
        self.context.server.scripts.running.add(running.clone());
        self.running = Some(running.clone());
        running
    }

    /// Ends the script without its writes.
    fn abandon(&mut self, failure: Failure, reason: &'static str) -> Interrupt {
        self.failure = Some(failure);
        Interrupt::Stop(reason)
    }

    /// Acts on the time that the script has run: it leaves the worker, or becomes late. The time on the worker counts,
    /// so that others are answered with BUSY as early as in Redis.
    fn check_time(&mut self, running: &Running) -> Interrupt {
        let server = self.context.server;
        let ran_us = server.clock.monotonic_us().saturating_sub(self.started_us);
        let ran_us = ran_us.saturating_add(self.context.ran_us);
        let busy_ms = u64::try_from(server.parameters.number(BUSY_AFTER)).unwrap_or(0);
        let is_late = busy_ms > 0 && ran_us >= busy_ms.saturating_mul(1000);
        if self.context.is_detached() {
            if is_late && !running.is_late() {
                server.scripts.running.set_late(running);
            }
            return Interrupt::Continue;
        }
        if is_late || ran_us >= WORKER_MAX_US {
            return self.abandon(Failure::TooLong { ran_us }, "The script ran too long");
        }
        Interrupt::Continue
    }
}

impl Drop for ScriptHost<'_, '_> {
    fn drop(&mut self) {
        self.leave();
    }
}

impl Host for ScriptHost<'_, '_> {
    fn call(&mut self, arguments: &[&[u8]], reply: &mut Reply) -> Interrupt {
        let start = reply.position();
        match self.try_call(Args::new(arguments), reply) {
            Ok(()) => Interrupt::Continue,
            Err(Failure::Reply(text)) => {
                reply.truncate(start);
                reply.error(&text);
                Interrupt::Continue
            }
            Err(failure) => {
                // The evaluation begins anew, or nothing can be read or written any more.
                self.failure = Some(failure);
                Interrupt::Stop("The command failed")
            }
        }
    }

    fn log(&mut self, level: LogLevel, text: &[u8]) {
        messages::log(self.name, level, text);
    }

    fn may_call(&mut self, arguments: &[&[u8]]) -> Option<bool> {
        let (args, account) = (Args::new(arguments), &self.context.session.account);
        let command = table::find(args).ok()?;
        Some(account.is_unlimited() || acl::check(&account.user(), command, args).is_ok())
    }

    fn interrupt(&mut self) -> Interrupt {
        let server = self.context.server;
        if server.scripts.is_stopping() {
            return self.abandon(Failure::Ended(STOPPING_REPLY), STOPPING);
        }
        if self.is_loading {
            let us = server.clock.monotonic_us().saturating_sub(self.started_us);
            let is_late = us > LOAD_MAX_US;
            return if is_late {
                Interrupt::Stop("FUNCTION LOAD timeout")
            } else {
                Interrupt::Continue
            };
        }
        let running = match &self.running {
            Some(running) => running.clone(),
            None => self.register(),
        };
        if running.is_killed() {
            return match self.has_written {
                // It wrote after the client had asked.
                true => self.abandon(Failure::Ended(KILLED_REPLY), KILLED),
                false => Interrupt::Stop(KILLED),
            };
        }
        self.check_time(&running)
    }
}
