//! The error of bytes that do not follow the Thrift dialect. A connection that sends such bytes is closed.

use std::fmt;

/// Describes malformed bytes: what was read, what was expected, and what was found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Malformed {
    message: String,
}

/// The result of reading Thrift bytes.
pub type Result<T> = std::result::Result<T, Malformed>;

impl Malformed {
    /// Creates an error from a whole sentence.
    pub(crate) fn new(message: impl Into<String>) -> Malformed {
        Malformed { message: message.into() }
    }

    /// Creates the error of a value that needs more bytes than are left.
    pub(super) fn truncated(what: &str, needed: usize, left: usize) -> Malformed {
        Malformed::new(format!("{what}: expected {needed} bytes, found {left}"))
    }
}

impl fmt::Display for Malformed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for Malformed {}
