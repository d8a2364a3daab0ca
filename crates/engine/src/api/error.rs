//! The kinds of errors that a program can distinguish, and conversions.

use crate::db;
use crate::error::{Code, Error, Result, SubCode};
use std::io;
use std::path::Path;

/// The kind of an error, for `match`. See [`Error::kind`].
///
/// More kinds may be added, so a `match` needs a wildcard arm.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ErrorKind {
    /// A column family, a save point, an option or another named object does not exist.
    NotFound,
    /// Data on disk is damaged. [`Error::file`] and [`Error::offset`] return the location, if it is known.
    Corruption,
    /// RocksDB has the feature, but Ferrolith does not. The message names it.
    NotSupported,
    /// An argument or an option is not allowed: a bad value, or a handle of another database.
    InvalidArgument,
    /// The operating system reported an error, which [`source`](std::error::Error::source) returns.
    Io,
    /// The device is full, or a limit on space was reached.
    StorageFull,
    /// A merge operator failed. A missing one is [`ErrorKind::InvalidArgument`].
    MergeFailed,
    /// The operation ended early: a read that was not allowed to do I/O, a cancelled compaction, or a write that was
    /// not allowed to wait.
    Incomplete,
    /// The database is closed, or background work was cancelled.
    Closed,
    /// A deadline passed.
    TimedOut,
    /// A transaction could not get a lock in time.
    LockTimeout,
    /// Transactions wait for each other.
    Deadlock,
    /// The operation was aborted.
    Aborted,
    /// Another transaction changed a key, or the database is open already.
    Busy,
    /// A transaction has expired.
    Expired,
    /// The operation may succeed if it is repeated.
    TryAgain,
    /// A compaction would be too large.
    CompactionTooLarge,
    /// The column family was dropped.
    ColumnFamilyDropped,
}

impl Error {
    /// Returns the kind of the error, for `match`.
    ///
    /// ```
    /// use ferrolith::{Db, ErrorKind, Options};
    /// # let dir = tempfile::tempdir().unwrap();
    /// let missing = Db::open_with(Options::new(), dir.path().join("none"));
    /// match missing {
    ///     Err(e) if e.kind() == ErrorKind::InvalidArgument => println!("{e}"),
    ///     other => panic!("{other:?}"),
    /// }
    /// ```
    pub fn kind(&self) -> ErrorKind {
        match (self.code(), self.subcode()) {
            (_, SubCode::NoSpace | SubCode::SpaceLimit) => ErrorKind::StorageFull,
            (_, SubCode::MergeOperatorFailed) => ErrorKind::MergeFailed,
            (_, SubCode::LockTimeout) => ErrorKind::LockTimeout,
            (_, SubCode::Deadlock) => ErrorKind::Deadlock,
            (Code::NotFound, _) => ErrorKind::NotFound,
            (Code::Corruption, _) => ErrorKind::Corruption,
            (Code::NotSupported, _) => ErrorKind::NotSupported,
            (Code::InvalidArgument, _) => ErrorKind::InvalidArgument,
            (Code::IOError, _) => ErrorKind::Io,
            (Code::MergeInProgress, _) => ErrorKind::MergeFailed,
            (Code::Incomplete, _) => ErrorKind::Incomplete,
            (Code::ShutdownInProgress, _) => ErrorKind::Closed,
            (Code::TimedOut, _) => ErrorKind::TimedOut,
            (Code::Aborted, _) => ErrorKind::Aborted,
            (Code::Busy, _) => ErrorKind::Busy,
            (Code::Expired, _) => ErrorKind::Expired,
            (Code::TryAgain, _) => ErrorKind::TryAgain,
            (Code::CompactionTooLarge, _) => ErrorKind::CompactionTooLarge,
            (Code::ColumnFamilyDropped, _) => ErrorKind::ColumnFamilyDropped,
        }
    }
}

/// The engine's error becomes the inner error, so that no information is lost:
///
/// ```
/// fn first(path: &std::path::Path) -> std::io::Result<()> {
///     let db = ferrolith::Db::open(path)?;
///     db.put("key", "value")?;
///     Ok(())
/// }
/// # let dir = tempfile::tempdir().unwrap();
/// # first(dir.path()).unwrap();
/// ```
impl From<Error> for io::Error {
    fn from(error: Error) -> io::Error {
        let kind = match error.kind() {
            ErrorKind::Io => std::error::Error::source(&error)
                .and_then(|source| source.downcast_ref::<io::Error>())
                .map_or(io::ErrorKind::Other, io::Error::kind),
            ErrorKind::NotFound => io::ErrorKind::NotFound,
            ErrorKind::Corruption => io::ErrorKind::InvalidData,
            ErrorKind::NotSupported => io::ErrorKind::Unsupported,
            ErrorKind::InvalidArgument => io::ErrorKind::InvalidInput,
            ErrorKind::StorageFull => io::ErrorKind::StorageFull,
            ErrorKind::TimedOut | ErrorKind::LockTimeout => io::ErrorKind::TimedOut,
            ErrorKind::Deadlock => io::ErrorKind::Deadlock,
            ErrorKind::Busy => io::ErrorKind::ResourceBusy,
            ErrorKind::TryAgain => io::ErrorKind::WouldBlock,
            _ => io::ErrorKind::Other,
        };
        io::Error::new(kind, error)
    }
}

/// Returns the error for a handle or snapshot of another database.
#[cold]
pub(crate) fn foreign(what: &str) -> Error {
    Error::invalid_argument(format!(
        "{what} belongs to another database, or to an earlier opening of this one: get it from the handle that it is \
         used with"
    ))
}

/// Returns the error for a handle of a dropped column family.
#[cold]
pub(crate) fn dropped(name: &str) -> Error {
    Error::new(Code::ColumnFamilyDropped, format!("{name:?}: its handles cannot be used any more"))
}

/// Returns the error for a name that no column family has.
#[cold]
pub(crate) fn no_family(db: &db::Db, name: &str) -> Error {
    if db.is_closed() {
        return Error::closed();
    }
    let names: Vec<String> = db.column_family_names().iter().map(|n| format!("{n:?}")).collect();
    Error::not_found(format!(
        "column family {name:?}: the database has {}: create it with Db::create_cf or Db::cf_or_create",
        names.join(", ")
    ))
}

/// Adds advice to an error that prevents a database from being opened because of its files.
#[cold]
pub(crate) fn not_opened(e: Error) -> Error {
    let is_lost = e.is_path_not_found()
        && e.file().is_some_and(|file| {
            file.file_name().is_some_and(|name| name.to_string_lossy().starts_with("MANIFEST"))
        });
    match is_lost || (e.is_corruption() && !e.message().contains("Db::")) {
        true => e.advice("restore a backup, or save what can be read with Db::repair"),
        false => e,
    }
}

/// Refuses to create a database in a directory of backups.
pub(crate) fn refuse_backups(dir: &Path) -> Result<()> {
    let has = |name: &str| dir.join(name).is_dir();
    let is_backup = has("meta") && has("private") && !dir.join("CURRENT").exists();
    if !is_backup {
        return Ok(());
    }
    let message = format!(
        "{} holds backups, not a database: restore one with BackupEngine::open and \
         restore_from_latest_backup, and open the directory it was restored to",
        dir.display()
    );
    Err(Error::invalid_argument(message).about_file(dir))
}
