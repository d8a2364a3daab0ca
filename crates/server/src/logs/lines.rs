//! Files of lines: they are only appended to, and opened anew after a tool has renamed them.

use crate::complaints::Complaints;
use crate::error::{Error, Result};
use parking_lot::Mutex;
use std::borrow::Cow;
use std::fs::{File, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;

/// The permissions of a new file: lines name users and addresses.
const MODE: u32 = 0o600;

/// A file of lines. One that cannot be written stops nothing: lines are lost and counted.
#[derive(Debug)]
pub struct LineFile {
    setting: &'static str,
    path: PathBuf,
    state: Mutex<State>,
    lost: AtomicU64,
    opened: Instant,
}

#[derive(Debug)]
struct State {
    file: File,
    complaints: Complaints,
    /// Whether the last line was written in part.
    is_torn: bool,
}

impl LineFile {
    /// Opens the file that a setting names, to append to it, and creates it if it does not exist. The task begins
    /// complaints.
    ///
    /// # Errors
    ///
    /// The directory does not exist, or the file cannot be written.
    pub fn open(setting: &'static str, task: &'static str, path: &Path) -> Result<LineFile> {
        let file = open(setting, path)?;
        let complaints = Complaints::new(task);
        Ok(LineFile {
            setting,
            path: path.to_owned(),
            state: Mutex::new(State { file, complaints, is_torn: false }),
            lost: AtomicU64::new(0),
            opened: Instant::now(),
        })
    }

    /// Opens the file anew, after a tool has renamed it.
    ///
    /// # Errors
    ///
    /// As [`open`](LineFile::open). Lines then go to the old file.
    pub fn reopen(&self) -> Result<()> {
        let file = open(self.setting, &self.path)?;
        let mut state = self.state.lock();
        (state.file, state.is_torn) = (file, false);
        Ok(())
    }

    /// Appends a line, which includes its end, by one system call that does not wait for the device. Returns a
    /// complaint to report, if one is due.
    #[must_use]
    pub fn write(&self, line: &[u8]) -> Option<String> {
        let mut state = self.state.lock();
        let written = state.append(line);
        if written.is_err() {
            self.lost.fetch_add(1, Ordering::Relaxed);
        }
        let named = written.map_err(|error| format!("{}: {error}", self.path.display()));
        let now_us = u64::try_from(self.opened.elapsed().as_micros()).unwrap_or(u64::MAX);
        state.complaints.note(named, now_us)
    }

    /// Returns how many lines could not be written.
    pub fn lost(&self) -> u64 {
        self.lost.load(Ordering::Relaxed)
    }
}

impl State {
    fn append(&mut self, line: &[u8]) -> io::Result<()> {
        let line = match self.is_torn {
            false => Cow::Borrowed(line),
            true => [b"\n", line].concat().into(),
        };
        let written = self.file.write(&line)?;
        let rest = line.get(written..).unwrap_or_default();
        if rest.is_empty() {
            self.is_torn = false;
            return Ok(());
        }
        // The attempt to write the rest says what is wrong.
        let more = self.file.write(rest);
        self.is_torn = !matches!(more, Ok(count) if count == rest.len());
        match (more, self.is_torn) {
            (Err(error), _) => Err(error),
            (Ok(_), true) => Err(io::ErrorKind::StorageFull.into()),
            (Ok(_), false) => Ok(()),
        }
    }
}

fn open(setting: &str, path: &Path) -> Result<File> {
    let opened = OpenOptions::new().append(true).create(true).mode(MODE).open(path);
    opened.map_err(|error| Error::Io(format!("{setting} {}", path.display()), error))
}
