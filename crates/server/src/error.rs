//! The server's error type.

use std::fmt;
use std::io;

/// The result of an operation of the server.
pub type Result<T> = std::result::Result<T, Error>;

/// Why an operation of the server failed.
#[derive(Debug)]
pub enum Error {
    /// The engine refused or failed.
    Engine(ferrolith::Error),
    /// A system call failed: what was attempted, and the system's error.
    Io(String, io::Error),
    /// A setting is invalid: its name, the value, and what is allowed.
    Setting(String),
    /// Stored bytes do not have the expected form: the row, what was expected and what was found.
    Corrupt(String),
    /// A request needs something that this server does not support: its name.
    NotSupported(String),
}

impl Error {
    /// Returns an error for a row whose bytes are not of the expected form.
    pub fn corrupt(what: impl Into<String>) -> Error {
        Error::Corrupt(what.into())
    }

    /// Returns whether the device has no space left.
    pub fn is_no_space(&self) -> bool {
        match self {
            Error::Engine(error) => error.is_no_space(),
            Error::Io(_, error) => error.kind() == io::ErrorKind::StorageFull,
            _ => false,
        }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Error::Engine(error) => write!(f, "{error}"),
            Error::Io(what, error) => write!(f, "{what}: {error}"),
            Error::Setting(text) => f.write_str(text),
            Error::Corrupt(text) => write!(f, "corruption: {text}"),
            Error::NotSupported(name) => write!(f, "{name} is not supported"),
        }
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Error::Engine(error) => Some(error),
            Error::Io(_, error) => Some(error),
            _ => None,
        }
    }
}

impl From<ferrolith::Error> for Error {
    fn from(error: ferrolith::Error) -> Error {
        Error::Engine(error)
    }
}
