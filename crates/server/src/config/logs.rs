//! Flags of the server's log.

use crate::error::Result;
use crate::logs::{Format, Levels, Logs};
use std::path::PathBuf;
use std::sync::Arc;

/// The flags.
#[derive(Debug, clap::Args)]
pub struct LogFlags {
    /// How much the log has: debug, verbose, notice, warning or nothing; and PART=LEVEL for parts of the server that
    /// differ, separated by commas
    #[arg(long = "log-level", value_name = "LEVELS", default_value = "notice")]
    pub log_level: Levels,
    /// The form of the lines of the log
    #[arg(long = "log-format", value_name = "FORMAT", default_value = "text", value_enum)]
    pub log_format: Format,
    /// The file of the log, which is appended to [default: standard error]. SIGHUP opens it anew
    #[arg(long = "log-file", value_name = "FILE")]
    pub log_file: Option<PathBuf>,
}

impl LogFlags {
    /// Starts the log of this process.
    ///
    /// # Errors
    ///
    /// As [`Logs::start`].
    pub fn start(&self) -> Result<Arc<Logs>> {
        Logs::start(self.log_format, self.log_file.as_deref(), &self.log_level)
    }
}
