//! The reasons why a payload is refused.

use std::fmt;

/// The reason why a payload or an RDB file is refused.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum DumpError {
    /// The version is too new, or the checksum is wrong.
    Footer,
    /// The bytes do not have the format.
    Format {
        /// What was expected or found.
        what: &'static str,
        /// The offset in the payload where this was noticed.
        offset: usize,
    },
    /// A collection has no elements.
    Empty,
    /// The value takes more memory than allowed.
    TooLarge,
    /// A file cannot be read.
    Io(String),
    /// A file cannot be written.
    Write(String),
    /// The type is unknown, or one that is not supported.
    Unsupported(String),
}

impl DumpError {
    /// Returns RESTORE's error reply without the leading `-`.
    pub fn reply(&self) -> &'static str {
        match self {
            DumpError::Footer => "ERR DUMP payload version or checksum are wrong",
            _ => "ERR Bad data format",
        }
    }
}

impl fmt::Display for DumpError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            DumpError::Footer => f.write_str("the version is too new or the checksum is wrong"),
            DumpError::Format { what, offset } => write!(f, "damaged at byte {offset}: {what}"),
            DumpError::Empty => f.write_str("the collection has no elements"),
            DumpError::TooLarge => f.write_str("the value takes more memory than allowed"),
            DumpError::Io(error) => write!(f, "cannot read: {error}"),
            DumpError::Write(error) => write!(f, "cannot write: {error}"),
            DumpError::Unsupported(what) => write!(f, "not supported: {what}"),
        }
    }
}

impl std::error::Error for DumpError {}
