//! The state of the script that runs on this thread, which the functions of the interpreter reach.
//!
//! A function of the interpreter is a plain function pointer, so the host, which borrows from the caller, is reached
//! through a thread-local variable that is set only while a script runs.

use rilua::{LuaError, LuaResult, runtime_error};
use scoped_tls_hkt::{ReborrowMut, scoped_thread_local};

use super::flags::Flags;
use super::host::{Host, Interrupt};
use crate::resp::{Protocol, Reply};

scoped_thread_local!(static mut CURRENT: for<'a> Current<'a>);

/// A function that a library registers while it is loaded.
#[derive(Clone, Debug)]
pub(super) struct Registered {
    pub name: Vec<u8>,
    pub description: Option<Vec<u8>>,
    pub flags: Flags,
    pub callback: rilua::Val,
}

/// The state of a run without its host.
#[derive(Debug, Default)]
pub(super) struct Run {
    /// The protocol of replies to the script, which `redis.setresp` sets.
    pub protocol: Protocol,
    /// The reason why the script ends, once the host asked for it.
    pub stop: Option<&'static str>,
    /// The functions of the library that is being loaded. `None` while a script or a function runs.
    pub loading: Option<Vec<Registered>>,
    /// A buffer for replies of commands.
    pub reply: Reply,
}

/// Both parts of a run.
pub(super) struct Current<'a> {
    host: &'a mut (dyn Host + 'a),
    run: &'a mut Run,
}

impl<'a, 'b: 'a> ReborrowMut<'a> for Current<'b> {
    type Result = Current<'a>;

    fn reborrow_mut(&'a mut self) -> Current<'a> {
        Current { host: &mut *self.host, run: &mut *self.run }
    }
}

/// Runs `work` with this host and state.
pub(super) fn enter<R>(host: &mut dyn Host, run: &mut Run, work: impl FnOnce() -> R) -> R {
    CURRENT.set(Current { host, run }, work)
}

/// Calls a function with the host and the state. `None` if no script runs on this thread.
pub(super) fn with<R>(work: impl FnOnce(&mut dyn Host, &mut Run) -> R) -> Option<R> {
    if !CURRENT.is_set() {
        return None;
    }
    Some(CURRENT.with(|current| work(current.host, current.run)))
}

/// Asks the host whether the script must end. The error is one that a script cannot catch.
pub(super) fn poll() -> LuaResult<()> {
    let is_stopped = with(|host, run| {
        if run.stop.is_none()
            && let Interrupt::Stop(reason) = host.interrupt()
        {
            run.stop = Some(reason);
        }
        run.stop.is_some()
    });
    match is_stopped {
        Some(false) => Ok(()),
        Some(true) => Err(stopped()),
        None => Err(runtime_error("no script runs")),
    }
}

/// Returns the error that ends a script. The interpreter has no other one that a script cannot catch.
pub(super) fn stopped() -> LuaError {
    LuaError::Yield(0)
}
