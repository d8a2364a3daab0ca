//! The format of a data directory: what an older server must understand to open it.
//!
//! * **DF1** The file `FORMAT` names the format. It is checked before the engine opens the directory, so a server that
//!   does not know the format changes nothing.
//! * **DF2** A directory keeps its format until `DirectoryFormat::finalize`, so the older server can open it again.
//!   Code that writes what older servers misread asks [`DirectoryFormat::allows`] first.
//! * **DF3** A row repeats what the file has, for backups, which have no file `FORMAT`. A format above 1 is in the file
//!   before it is in the row, and in both before anything is written in it. A row above the file, which was then edited
//!   or replaced, is refused or counts, too.

use crate::error::{Error, Result};
use ferrolith::{Db, Options, WriteOptions};
use parking_lot::Mutex;
use serde::{Deserialize, Serialize};
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};
use tracing::info;

/// A format of directories. It includes those with lower numbers.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct FormatVersion {
    /// Counts the formats, from 1 on.
    pub number: u32,
    /// What it adds, in a few words.
    pub name: &'static str,
    /// The first version of the server that reads it.
    pub since: &'static str,
}

/// All formats that this version of the server reads and writes, in the order of their numbers.
pub const FORMATS: &[FormatVersion] =
    &[FormatVersion { number: 1, name: "the first format", since: "0.1.0" }];

/// The name of the file.
pub const FORMAT_FILE: &str = "FORMAT";
const FORMAT_ROW: &[u8] = b"S.format";
const COMMENT: &str =
    "# The format of this directory. ferrolith-server reads it before anything else.\n";

/// The content of the file and of the row. Later formats may add keys, never remove these.
#[derive(Clone, Debug, Deserialize, Eq, PartialEq, Serialize)]
struct Label {
    number: u32,
    name: String,
    since: String,
}

impl From<FormatVersion> for Label {
    fn from(format: FormatVersion) -> Label {
        let FormatVersion { number, name, since } = format;
        Label { number, name: name.to_owned(), since: since.to_owned() }
    }
}

/// The format of an open directory.
#[derive(Debug)]
pub struct DirectoryFormat {
    path: PathBuf,
    known: &'static [FormatVersion],
    number: AtomicU32,
    /// Serialises changes.
    change: Mutex<()>,
}

impl DirectoryFormat {
    /// Reads the format of a directory that is not open yet, which changes nothing. A directory without data gets the
    /// newest format of `known`, one of which there is at least.
    ///
    /// # Errors
    ///
    /// The format is not among `known`, or cannot be read.
    pub(super) fn read(path: &Path, known: &'static [FormatVersion]) -> Result<DirectoryFormat> {
        let file = path.join(FORMAT_FILE);
        let label = match std::fs::read_to_string(&file) {
            Ok(text) => Some(parse(&text, &file.display().to_string())?),
            Err(error) if error.kind() == ErrorKind::NotFound => None,
            Err(error) => return Err(Error::Io(format!("reading {}", file.display()), error)),
        };
        let exists = path.join("CURRENT").exists();
        let label = match label {
            // Of an earlier build, or restored: only the row says more.
            None if exists => row(&Db::open_read_only(Options::new(), path)?)?,
            label => label,
        };
        let newest = newest(known);
        let first = if exists { 1 } else { newest.number };
        if let Some(label) = label.as_ref().filter(|label| label.number > newest.number) {
            return Err(refusal(path, label, newest, "Nothing was changed"));
        }
        let number = AtomicU32::new(label.map_or(first, |label| label.number.max(1)));
        Ok(DirectoryFormat { path: path.to_owned(), known, number, change: Mutex::new(()) })
    }

    /// Writes the format of a directory that was just opened, unless it is there.
    ///
    /// # Errors
    ///
    /// The row has a format that is not among the known ones, or the directory cannot be written.
    pub(super) fn settle(&self, db: &Db) -> Result<()> {
        let label = row(db)?;
        if let Some(label) = label.as_ref().filter(|label| label.number > self.newest().number) {
            return Err(refusal(&self.path, label, self.newest(), "No row was changed"));
        }
        let of_row = label.map_or(1, |label| label.number);
        let is_above_file = self.number.fetch_max(of_row, Ordering::AcqRel) < of_row;
        if is_above_file || !self.path.join(FORMAT_FILE).exists() {
            self.write_file(self.current())?;
        }
        // A kill can leave the file alone.
        if self.current().number > of_row {
            write_row(db, self.current())?;
        }
        Ok(())
    }

    /// Returns the format.
    pub fn current(&self) -> FormatVersion {
        let number = self.number.load(Ordering::Acquire);
        self.known.iter().find(|it| it.number == number).copied().unwrap_or(newest(self.known))
    }

    /// Returns the newest format of this server.
    pub fn newest(&self) -> FormatVersion {
        newest(self.known)
    }

    /// Returns whether rows of the format with this number may be written.
    #[inline]
    pub fn allows(&self, number: u32) -> bool {
        self.number.load(Ordering::Acquire) >= number
    }

    /// Gives the directory the newest format. Older servers cannot open it from then on.
    ///
    /// # Errors
    ///
    /// The directory cannot be written. Then it has the old format for this server, and perhaps the new one for others.
    pub(super) fn finalize(&self, db: &Db) -> Result<()> {
        let _change = self.change.lock();
        let newest = self.newest();
        if self.allows(newest.number) {
            return Ok(());
        }
        self.write_file(newest)?;
        write_row(db, newest)?;
        self.number.store(newest.number, Ordering::Release);
        info!(target: "ferrolith::server", format = newest.number, name = newest.name, "the directory has a new format");
        Ok(())
    }

    fn write_file(&self, format: FormatVersion) -> Result<()> {
        let path = self.path.join(FORMAT_FILE);
        let failed = |error| Error::Io(format!("writing {}", path.display()), error);
        crate::files::replace(&path, text(format).as_bytes()).map_err(failed)
    }
}

fn newest(known: &[FormatVersion]) -> FormatVersion {
    known.last().copied().unwrap_or(FORMATS[0])
}

fn text(format: FormatVersion) -> String {
    // Numbers and strings always become TOML.
    format!("{COMMENT}{}", toml::to_string(&Label::from(format)).unwrap_or_default())
}

fn parse(text: &str, place: &str) -> Result<Label> {
    toml::from_str(text).map_err(|error| {
        let error = error.to_string().trim_end().replace('\n', "; ");
        Error::corrupt(format!("{place}: expected a number, a name and a version: {error}"))
    })
}

fn row(db: &Db) -> Result<Option<Label>> {
    let row = db.get(FORMAT_ROW)?;
    row.map(|bytes| parse(&String::from_utf8_lossy(&bytes), "the row S.format")).transpose()
}

fn write_row(db: &Db, format: FormatVersion) -> Result<()> {
    Ok(db.put_opt(FORMAT_ROW, text(format), &WriteOptions::new().sync(true))?)
}

fn refusal(path: &Path, label: &Label, newest: FormatVersion, changed: &str) -> Error {
    Error::Setting(format!(
        "{} has format {} ({}), which ferrolith-server {} and later read; this is version {}, which reads formats up to {} \
         ({}). {changed}. Start a newer server, or restore a backup from before the format changed",
        path.display(),
        label.number,
        label.name.escape_debug(),
        label.since.escape_debug(),
        env!("CARGO_PKG_VERSION"),
        newest.number,
        newest.name
    ))
}

#[cfg(test)]
#[path = "directory_test.rs"]
mod tests;
