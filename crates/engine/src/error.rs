//! The one error type of the engine, with RocksDB's status codes.
//!
//! `Display` prints the code and a message, as RocksDB's `Status::ToString` does (`Corruption: message`). A message
//! names the file, the offset, what was expected and what was found. Programs that use the C ABI match on RocksDB's
//! own texts. Where one of these is unclear, the error has a clearer message, and [`rocksdb_text`] returns RocksDB's.

use std::fmt;
use std::path::{Path, PathBuf};

/// `std::result::Result` with the engine's error.
pub type Result<T> = std::result::Result<T, Error>;

/// RocksDB's status codes, with RocksDB's numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum Code {
    /// The thing asked for does not exist.
    NotFound = 1,
    /// Bytes on disk are not what they must be.
    Corruption = 2,
    /// The engine knows the feature by name and does not have it.
    NotSupported = 3,
    /// The caller asked for something that cannot be.
    InvalidArgument = 4,
    /// The operating system refused.
    IOError = 5,
    /// A merge has not finished.
    MergeInProgress = 6,
    /// The answer is not known without more work.
    Incomplete = 7,
    /// The database is closing.
    ShutdownInProgress = 8,
    /// A lock or a wait timed out.
    TimedOut = 9,
    /// The operation was aborted.
    Aborted = 10,
    /// A resource is busy.
    Busy = 11,
    /// Something has expired.
    Expired = 12,
    /// Try again.
    TryAgain = 13,
    /// A compaction would be too large.
    CompactionTooLarge = 14,
    /// The column family was dropped.
    ColumnFamilyDropped = 15,
}

/// RocksDB's sub-codes: what kind of [`Code`] it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
#[repr(u8)]
pub enum SubCode {
    /// Nothing more is known.
    #[default]
    None = 0,
    /// A lock was not free in time.
    LockTimeout = 2,
    /// There are as many locks as are allowed.
    LockLimit = 3,
    /// The device has no space left.
    NoSpace = 4,
    /// Transactions wait for each other.
    Deadlock = 5,
    /// A limit on bytes was reached.
    MemoryLimit = 7,
    /// Tables use all the space that they may.
    SpaceLimit = 8,
    /// A path does not exist.
    PathNotFound = 9,
    /// Manual compactions are disabled, or this one was cancelled.
    ManualCompactionPaused = 11,
    /// A transaction must be prepared before it is committed.
    TxnNotPrepared = 13,
    /// A merge operator failed.
    MergeOperatorFailed = 15,
}

/// How bad an error in the background is, after RocksDB's `Status::Severity`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
#[repr(u8)]
pub enum Severity {
    /// No background work is affected.
    #[default]
    NoError = 0,
    /// The engine can go on; it will retry.
    SoftError = 1,
    /// Writes stop until the cause is gone.
    HardError = 2,
    /// The database must be reopened.
    FatalError = 3,
    /// Data may be lost.
    UnrecoverableError = 4,
}

#[derive(Debug)]
struct Inner {
    code: Code,
    subcode: SubCode,
    severity: Severity,
    message: String,
    file: Option<PathBuf>,
    offset: Option<u64>,
    source: Option<std::io::Error>,
    /// What RocksDB says instead, with the code; see [`rocksdb_text`].
    rocksdb_text: Option<String>,
}

/// An error: code, sub-code, severity, message and, where there is one, the operating system's.
pub struct Error(Box<Inner>);

impl Error {
    /// An error of `code` with this message.
    pub fn new(code: Code, message: impl Into<String>) -> Error {
        Error(Box::new(Inner {
            code,
            subcode: SubCode::None,
            severity: Severity::NoError,
            message: message.into(),
            file: None,
            offset: None,
            source: None,
            rocksdb_text: None,
        }))
    }

    /// Bytes at `offset` of `file` are not what they must be. What is wrong comes first, as in RocksDB's messages, on
    /// which programs match.
    #[cold]
    pub fn corruption_at(file: &Path, offset: u64, what: impl fmt::Display) -> Error {
        let message = format!("{what}: {}: offset {offset}", file.display());
        let mut error = Error::new(Code::Corruption, message);
        error.0.file = Some(file.to_owned());
        error.0.offset = Some(offset);
        error
    }

    /// Bytes are not what they must be; the caller adds the file (see [`Error::in_file`]).
    #[cold]
    pub fn corruption(what: impl Into<String>) -> Error {
        Error::new(Code::Corruption, what)
    }

    /// Something that cannot be was asked for.
    #[cold]
    pub fn invalid_argument(what: impl Into<String>) -> Error {
        Error::new(Code::InvalidArgument, what)
    }

    /// A known feature that the engine does not have; `what` names it.
    #[cold]
    pub fn not_supported(what: impl Into<String>) -> Error {
        Error::new(Code::NotSupported, what)
    }

    /// The database was closed.
    #[cold]
    pub(crate) fn closed() -> Error {
        Error::new(Code::ShutdownInProgress, "the database is closed: open it again")
    }

    /// No save point was set, or all were used. RocksDB says nothing but the code.
    #[cold]
    pub(crate) fn no_save_point() -> Error {
        Error::not_found("").explained("no save point: set one first")
    }

    /// A column family has operands, or is to get some, and has no merge operator. Who finds that out first decides
    /// what RocksDB says.
    #[cold]
    pub(crate) fn no_merge_operator(rocksdb_text: &str) -> Error {
        let mut error = Error::invalid_argument(
            "the column family has no merge operator: open the database with the option merge_operator for this \
             column family",
        );
        error.0.rocksdb_text = Some(rocksdb_text.to_owned());
        error
    }

    /// The same error with the name of the column family that it speaks of.
    #[cold]
    #[must_use]
    pub(crate) fn in_family(mut self, name: &str) -> Error {
        if let Some(rest) = self.0.message.strip_prefix("the column family ") {
            self.0.message = format!("column family {name:?} {rest}");
        }
        self
    }

    /// Something does not exist.
    #[cold]
    pub fn not_found(what: impl Into<String>) -> Error {
        Error::new(Code::NotFound, what)
    }

    /// The operating system refused an operation; `context` says which, on which file.
    #[cold]
    pub fn io(context: impl Into<String>, source: std::io::Error) -> Error {
        let subcode = match source.kind() {
            std::io::ErrorKind::StorageFull | std::io::ErrorKind::QuotaExceeded => SubCode::NoSpace,
            std::io::ErrorKind::NotFound => SubCode::PathNotFound,
            _ => SubCode::None,
        };
        Error(Box::new(Inner {
            code: Code::IOError,
            subcode,
            severity: Severity::NoError,
            message: format!("{}: {}", context.into(), os_text(&source)),
            file: None,
            offset: None,
            source: Some(source),
            rocksdb_text: None,
        }))
    }

    /// The same error with the file's name behind its message, unless it has it already.
    #[must_use]
    pub fn in_file(mut self, file: &Path) -> Error {
        self.0.file.get_or_insert_with(|| file.to_owned());
        let file = file.to_string_lossy();
        if !self.0.message.contains(&*file) {
            self.0.message = format!("{}: {file}", self.0.message);
        }
        self
    }

    /// The same error that also names the file as a field; the message stays as it is.
    #[must_use]
    pub(crate) fn about_file(mut self, file: &Path) -> Error {
        self.0.file.get_or_insert_with(|| file.to_owned());
        self
    }

    /// The same error that also has the offset as a field; the message stays as it is.
    #[must_use]
    pub(crate) fn about_offset(mut self, offset: u64) -> Error {
        self.0.offset = Some(offset);
        self
    }

    /// The same error with this message for people. [`rocksdb_text`] stays as it was.
    #[cold]
    #[must_use]
    pub(crate) fn explained(mut self, message: impl Into<String>) -> Error {
        self.0.rocksdb_text = Some(rocksdb_text(&self));
        self.0.message = message.into();
        self
    }

    /// The same error with another code for people. [`rocksdb_text`] stays as it was.
    #[cold]
    #[must_use]
    pub(crate) fn regarded_as(mut self, code: Code) -> Error {
        self.0.rocksdb_text = Some(rocksdb_text(&self));
        self.0.code = code;
        self
    }

    /// The same error with more behind its message for people, which says what to do. [`rocksdb_text`] stays as it was.
    #[cold]
    #[must_use]
    pub(crate) fn advice(self, advice: impl fmt::Display) -> Error {
        let message = format!("{}: {advice}", self.0.message);
        self.explained(message)
    }

    /// The same error with a severity.
    #[must_use]
    pub fn with_severity(mut self, severity: Severity) -> Error {
        self.0.severity = severity;
        self
    }

    /// The same error with a sub-code.
    #[must_use]
    pub fn with_subcode(mut self, subcode: SubCode) -> Error {
        self.0.subcode = subcode;
        self
    }

    /// RocksDB's status code.
    pub fn code(&self) -> Code {
        self.0.code
    }

    /// RocksDB's sub-code.
    pub fn subcode(&self) -> SubCode {
        self.0.subcode
    }

    /// How bad it is for background work.
    pub fn severity(&self) -> Severity {
        self.0.severity
    }

    /// The text without the code.
    pub fn message(&self) -> &str {
        &self.0.message
    }

    /// The file that the operation failed on, where the error knows it.
    pub fn file(&self) -> Option<&Path> {
        self.0.file.as_deref()
    }

    /// The offset in bytes in [`Error::file`] at which the fault was found, where the error knows it.
    pub fn offset(&self) -> Option<u64> {
        self.0.offset
    }

    /// Whether the code is [`Code::Corruption`].
    pub fn is_corruption(&self) -> bool {
        self.0.code == Code::Corruption
    }

    /// Whether the device has no space left.
    pub fn is_no_space(&self) -> bool {
        self.0.subcode == SubCode::NoSpace
    }

    /// Whether a file would become larger than the system or a limit allows.
    pub(crate) fn is_file_too_large(&self) -> bool {
        let kind = self.0.source.as_ref().map(std::io::Error::kind);
        kind == Some(std::io::ErrorKind::FileTooLarge)
    }

    /// Whether the system or the file system does not support the operation on this file.
    pub(crate) fn is_unsupported(&self) -> bool {
        let kind = self.0.source.as_ref().map(std::io::Error::kind);
        let refused = [std::io::ErrorKind::InvalidInput, std::io::ErrorKind::Unsupported];
        self.0.code == Code::NotSupported || kind.is_some_and(|kind| refused.contains(&kind))
    }

    /// Whether a path does not exist.
    pub fn is_path_not_found(&self) -> bool {
        self.0.subcode == SubCode::PathNotFound || self.0.code == Code::NotFound
    }
}

/// What the operating system calls an error, without the number that `std` adds.
fn os_text(source: &std::io::Error) -> String {
    let mut text = source.to_string();
    if let Some(at) = text.rfind(" (os error ") {
        text.truncate(at);
    }
    text
}

/// A copy keeps code, sub-code, severity and message; the source is kept as its kind and text.
impl Clone for Error {
    fn clone(&self) -> Error {
        Error(Box::new(Inner {
            code: self.0.code,
            subcode: self.0.subcode,
            severity: self.0.severity,
            message: self.0.message.clone(),
            file: self.0.file.clone(),
            offset: self.0.offset,
            source: self.0.source.as_ref().map(|e| std::io::Error::new(e.kind(), e.to_string())),
            rocksdb_text: self.0.rocksdb_text.clone(),
        }))
    }
}

impl fmt::Debug for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self.0.code {
            Code::ShutdownInProgress => "Shutdown: ",
            code => prefix(code),
        })?;
        let detail = detail(self.0.subcode);
        // An explanation says it, and the operating system's words are in a message already.
        let is_said = self.0.rocksdb_text.is_some() || self.0.message.contains(detail);
        if !is_said {
            f.write_str(detail)?;
            f.write_str(if self.0.message.is_empty() { "" } else { ": " })?;
        }
        f.write_str(&self.0.message)
    }
}

/// The text of RocksDB's status for an error: what the C ABI hands out. It differs from `Display` where RocksDB's words
/// do not say what is wrong, or say it twice.
#[must_use]
pub fn rocksdb_text(error: &Error) -> String {
    let Inner { code, subcode, message, rocksdb_text, .. } = &*error.0;
    rocksdb_text.clone().unwrap_or_else(|| {
        let detail = detail(*subcode);
        let colon = if detail.is_empty() || message.is_empty() { "" } else { ": " };
        format!("{}{detail}{colon}{message}", prefix(*code))
    })
}

/// What RocksDB calls a code.
fn prefix(code: Code) -> &'static str {
    match code {
        Code::NotFound => "NotFound: ",
        Code::Corruption => "Corruption: ",
        Code::NotSupported => "Not implemented: ",
        Code::InvalidArgument => "Invalid argument: ",
        Code::IOError => "IO error: ",
        Code::MergeInProgress => "Merge in progress: ",
        Code::Incomplete => "Result incomplete: ",
        Code::ShutdownInProgress => "Shutdown in progress: ",
        Code::TimedOut => "Operation timed out: ",
        Code::Aborted => "Operation aborted: ",
        Code::Busy => "Resource busy: ",
        Code::Expired => "Operation expired: ",
        Code::TryAgain => "Operation failed. Try again.: ",
        Code::CompactionTooLarge => "Compaction too large: ",
        Code::ColumnFamilyDropped => "Column family dropped: ",
    }
}

/// What RocksDB calls a sub-code.
fn detail(subcode: SubCode) -> &'static str {
    match subcode {
        SubCode::None => "",
        SubCode::LockTimeout => "Timeout waiting to lock key",
        SubCode::LockLimit => "Failed to acquire lock due to max_num_locks limit",
        SubCode::Deadlock => "Deadlock",
        SubCode::MemoryLimit => "Memory limit reached",
        SubCode::NoSpace => "No space left on device",
        SubCode::SpaceLimit => "Space limit reached",
        SubCode::PathNotFound => "No such file or directory",
        SubCode::ManualCompactionPaused => "Manual compaction paused",
        SubCode::TxnNotPrepared => "Txn not prepared",
        SubCode::MergeOperatorFailed => "Merge operator failed",
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        self.0.source.as_ref().map(|e| e as _)
    }
}
