//! Why a command failed, and the texts of Redis's errors that several commands share.

use crate::error::Error;
use std::borrow::Cow;

/// Why a command ended without a reply of its own.
#[derive(Debug)]
pub enum Failure {
    /// The error reply: a code in capitals and a text, letter for letter as Redis writes it.
    Reply(Cow<'static, str>),
    /// The store failed.
    Store(Error),
    /// A script ended with this error reply. What it wrote before is kept.
    Kept {
        /// The error reply.
        text: String,
        /// Whether the statistics have counted the error, because a command of the script replied it.
        is_counted: bool,
    },
    /// A script ran too long for a worker, or a part of it would. The client's request is run again on a thread of its
    /// own.
    TooLong {
        /// How long the script ran, in microseconds.
        ran_us: u64,
    },
    /// The request must begin on a thread of its own: a transaction with a script and commands that cannot be repeated,
    /// or a command that must read many rows.
    NeedsThread,
    /// A thread must divide a block of an index of ranks without latches. Then the evaluation begins anew.
    Undivided,
    /// The evaluation ends with this error reply, and nothing of it is committed, not even the rest of a transaction.
    Ended(&'static str),
    /// A script uses a key that it did not declare. It is run again, from its beginning, with all latches.
    Undeclared,
}

/// The result of a part of a command.
pub type Done<T = ()> = Result<T, Failure>;

impl From<&'static str> for Failure {
    fn from(text: &'static str) -> Failure {
        Failure::Reply(Cow::Borrowed(text))
    }
}

impl From<String> for Failure {
    fn from(text: String) -> Failure {
        Failure::Reply(Cow::Owned(text))
    }
}

impl From<Error> for Failure {
    fn from(error: Error) -> Failure {
        Failure::Store(error)
    }
}

impl Failure {
    /// Returns the text of the error reply.
    pub fn text(&self) -> Cow<'_, str> {
        match self {
            Failure::Reply(text) => Cow::Borrowed(text),
            Failure::Kept { text, .. } => Cow::Borrowed(text),
            Failure::Store(error) if error.is_no_space() => {
                Cow::Owned(format!("MISCONF The device has no space left: {error}"))
            }
            Failure::Store(error) => Cow::Owned(format!("ERR {error}")),
            Failure::TooLong { .. } | Failure::NeedsThread | Failure::Undivided => {
                Cow::Borrowed("ERR the command takes too long here")
            }
            Failure::Ended(text) => Cow::Borrowed(text),
            Failure::Undeclared => {
                Cow::Borrowed("ERR Script attempted to access a non local key in a cluster node")
            }
        }
    }

    /// Returns whether this is an error reply with this code.
    pub fn has_code(&self, code: &str) -> bool {
        matches!(self, Failure::Reply(text) if text.split(' ').next() == Some(code))
    }
}

/// The value has another type than the command needs.
pub const WRONG_TYPE: &str = "WRONGTYPE Operation against a key holding the wrong kind of value";
/// The arguments do not have the form that the command expects.
pub const SYNTAX: &str = "ERR syntax error";
/// An argument or a value is not a signed 64-bit integer.
pub const NOT_INTEGER: &str = "ERR value is not an integer or out of range";
/// An argument or a value is not a floating-point number.
pub const NOT_FLOAT: &str = "ERR value is not a valid float";
/// An index is outside of the value.
pub const INDEX_RANGE: &str = "ERR index out of range";
/// There is no such key.
pub const NO_KEY: &str = "ERR no such key";
/// A length or count is negative.
pub const NOT_POSITIVE: &str = "ERR value is out of range, must be positive";
/// A sum left the range of integers.
pub const OVERFLOW: &str = "ERR increment or decrement would overflow";
/// A key is too long for a collection.
pub const KEY_TOO_LONG: &str = "ERR the key of a collection has more than 65535 bytes";
/// Stored bytes do not have the expected form.
pub const DAMAGED: &str = "ERR the stored value is damaged";
