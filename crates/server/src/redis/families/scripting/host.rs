//! The server as a running script sees it: commands are parts of the evaluation that runs the script.

use crate::redis::acl::{self, Place};
use crate::redis::args::Args;
use crate::redis::command::{Command, MAY_REPLICATE, NOSCRIPT, Run, WRITE};
use crate::redis::context::{Context, Held};
use crate::redis::failure::Failure;
use crate::redis::rights::script_refusal;
use crate::redis::scripts::Running;
use crate::redis::stats::Outcome;
use crate::redis::table;
use crate::resp::Reply;
use crate::script::{Host, Interrupt, LogLevel};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// How long the code of a library may run while it is loaded.
const LOAD_MAX_US: u64 = 500_000;

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
    pub fn finish(self) -> Option<Failure> {
        if let Some(running) = &self.running {
            self.context.server.scripts.remove_running(running);
        }
        self.failure
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
        let running = Arc::new(Running {
            name: self.name.to_owned(),
            is_eval: self.is_eval,
            args: self.args.all().iter().map(|arg| arg.to_vec()).collect(),
            started_us: self.started_us,
            has_written: AtomicBool::new(self.has_written),
            is_killed: AtomicBool::new(false),
        });
        self.context.server.scripts.add_running(running.clone());
        self.running = Some(running.clone());
        running
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
        // The server logs what operators must know.
        if matches!(level, LogLevel::Notice | LogLevel::Warning) {
            eprintln!("script {}: {}", self.name, text.escape_ascii());
        }
    }

    fn may_call(&mut self, arguments: &[&[u8]]) -> Option<bool> {
        let (args, account) = (Args::new(arguments), &self.context.session.account);
        let command = table::find(args).ok()?;
        Some(account.is_unlimited() || acl::check(&account.user(), command, args).is_ok())
    }

    fn interrupt(&mut self) -> Interrupt {
        let server = self.context.server;
        if server.scripts.is_stopping() {
            return Interrupt::Stop("The server is shutting down");
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
        if running.is_killed.load(Ordering::Relaxed) && !self.has_written {
            return Interrupt::Stop("Script killed by user with SCRIPT KILL...");
        }
        Interrupt::Continue
    }
}
