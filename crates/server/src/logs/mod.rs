//! The server's log: events of the crate `tracing`, written as lines of text or JSON to standard error or a file.
//!
//! 1. The target of an event is `ferrolith::PART`; [`PARTS`] lists the parts. The engine's parts come from its
//!    `TracingListener`. Libraries have targets of their own, and only their warnings and errors are shown.
//! 2. A disabled event costs one load of a variable. Events that clients can cause at will pass a [`Gate`], except
//!    those about each connection below `INFO`.
//! 3. Events have no secrets, and no bytes of clients that could begin a line of their own.
//!
//! Only the program starts a log. Without it, as in tests, events go nowhere.

mod gate;
mod levels;
mod lines;

pub use gate::Gate;
pub use levels::{Level, Levels, PARTS};
pub use lines::LineFile;

use crate::error::{Error, Result};
use parking_lot::Mutex;
use std::io::{self, Write};
use std::panic::PanicHookInfo;
use std::path::Path;
use std::sync::Arc;
use tracing::{error, warn};
use tracing_subscriber::filter::Targets;
use tracing_subscriber::fmt::MakeWriter;
use tracing_subscriber::prelude::*;
use tracing_subscriber::{Registry, fmt, reload};

/// The form of a line.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq, clap::ValueEnum)]
pub enum Format {
    /// Words for people: the time, the level, the part, the message, and `name=value` pairs.
    #[default]
    Text,
    /// An object of JSON.
    Json,
}

/// The log of this process.
#[derive(Debug)]
pub struct Logs {
    format: Format,
    file: Option<Arc<LineFile>>,
    levels: Mutex<Levels>,
    filter: reload::Handle<Targets, Registry>,
}

impl Logs {
    /// Starts the log of this process: all events go to the file, or to standard error without one. Panics become
    /// events, too.
    ///
    /// # Errors
    ///
    /// The file cannot be written, or the process has a log.
    pub fn start(format: Format, file: Option<&Path>, levels: &Levels) -> Result<Arc<Logs>> {
        let open = |path| LineFile::open("log-file", "writing the log", path);
        let file = file.map(open).transpose()?.map(Arc::new);
        let (filter, handle) = reload::Layer::new(levels.targets());
        let output = Output(file.clone());
        let lines = fmt::layer().with_ansi(false).with_writer(output);
        let lines = match format {
            Format::Text => lines.boxed(),
            Format::Json => {
                let lines = lines.json().flatten_event(true);
                lines.with_current_span(false).with_span_list(false).boxed()
            }
        };
        let subscriber = Registry::default().with(filter).with(lines);
        tracing::subscriber::set_global_default(subscriber)
            .map_err(|_| Error::Setting("this process has a log already".to_owned()))?;
        let shown_before = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |panic| {
            match tracing::enabled!(target: "ferrolith::server", tracing::Level::ERROR) {
                true => log_panic(panic),
                false => shown_before(panic),
            }
        }));
        let levels = Mutex::new(levels.clone());
        Ok(Arc::new(Logs { format, file, levels, filter: handle }))
    }

    /// Changes the level of the parts that have none of their own.
    pub fn set_level(&self, level: Level) {
        let mut levels = self.levels.lock();
        levels.base = level;
        // It fails only if the log is gone, which lives as long as the process.
        _ = self.filter.reload(levels.targets());
    }

    /// Returns the levels in force.
    pub fn levels(&self) -> Levels {
        self.levels.lock().clone()
    }

    /// Opens the file anew, after a tool has renamed it; `None` without a file.
    ///
    /// # Errors
    ///
    /// The file cannot be opened; lines then go to the old one.
    pub fn reopen(&self) -> Option<Result<()>> {
        self.file.as_ref().map(|file| file.reopen())
    }

    /// Returns how many lines could not be written to the file.
    pub fn lost(&self) -> u64 {
        self.file.as_ref().map_or(0, |file| file.lost())
    }

    /// Returns whether standard error belongs to lines of JSON, so that nothing else may be printed there.
    pub fn owns_standard_error(&self) -> bool {
        self.file.is_none() && self.format == Format::Json
    }

    /// Returns whether lines go to standard error.
    pub fn is_on_standard_error(&self) -> bool {
        self.file.is_none()
    }
}

/// Refused logins cannot fill the log.
static LOGINS: Gate = Gate::ten_a_second();

/// Logs a refused login. Only names of existing users are shown: another one may be a misplaced password.
pub fn login_refused(door: &str, client: impl std::fmt::Display, user: Option<&[u8]>) {
    if let Some(skipped) = LOGINS.pass() {
        let user = user.map_or("(unknown)".to_owned(), |name| name.escape_ascii().to_string());
        warn!(target: "ferrolith::login", door, %client, user, skipped, "login refused");
    }
}

fn log_panic(panic: &PanicHookInfo<'_>) {
    let thread = std::thread::current();
    let text = panic.payload_as_str().unwrap_or("(no text)").escape_debug();
    let location = panic.location().map(ToString::to_string);
    error!(
        target: "ferrolith::server",
        thread = thread.name(),
        location,
        "panic: {text}"
    );
}

/// Where lines go: a file, or standard error.
struct Output(Option<Arc<LineFile>>);

/// Takes one line at a time.
struct Sink<'o>(Option<&'o LineFile>);

impl<'o> MakeWriter<'o> for Output {
    type Writer = Sink<'o>;

    fn make_writer(&'o self) -> Sink<'o> {
        Sink(self.0.as_deref())
    }
}

impl Write for Sink<'_> {
    fn write(&mut self, line: &[u8]) -> io::Result<usize> {
        match self.0 {
            // The log cannot have this complaint.
            Some(file) => {
                if let Some(complaint) = file.write(line) {
                    _ = writeln!(io::stderr(), "{complaint}");
                }
            }
            // Nobody can be told that standard error is closed.
            None => _ = io::stderr().write_all(line),
        }
        Ok(line.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[cfg(test)]
#[path = "panics_test.rs"]
mod tests;
