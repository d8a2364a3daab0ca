//! The seam between scripts and the server: what a running script may ask of the server.

use crate::resp::Reply;

/// The server as a running script sees it.
///
/// A host is called on the thread that runs the script, and never calls back into the script.
pub trait Host {
    /// Runs one command and appends exactly one reply, in the protocol of the buffer. Refusals are error replies. The
    /// reply is ignored if the script must end.
    fn call(&mut self, arguments: &[&[u8]], reply: &mut Reply) -> Interrupt;

    /// Writes a line to the server's log.
    fn log(&mut self, level: LogLevel, text: &[u8]);

    /// Returns whether the caller of the script may run this command. `None` if there is no such command.
    fn may_call(&mut self, arguments: &[&[u8]]) -> Option<bool>;

    /// Is asked after some thousand instructions, and whether the script must end.
    fn interrupt(&mut self) -> Interrupt;
}

/// Whether a script may go on.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Interrupt {
    /// The script continues.
    Continue,
    /// The script ends with this error, which it cannot catch. The text has no error code.
    Stop(&'static str),
}

/// A level of `redis.log`.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum LogLevel {
    /// `redis.LOG_DEBUG`, 0.
    Debug,
    /// `redis.LOG_VERBOSE`, 1.
    Verbose,
    /// `redis.LOG_NOTICE`, 2.
    Notice,
    /// `redis.LOG_WARNING`, 3.
    Warning,
}

/// What a script may use.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// The memory of the interpreter of one worker, in bytes. A script that needs more ends with an error.
    pub memory_max: usize,
}

impl Default for Limits {
    fn default() -> Limits {
        Limits { memory_max: 256 << 20 }
    }
}
