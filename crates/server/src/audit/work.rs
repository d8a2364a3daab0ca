//! Administrative work of programs that serve nobody: restores, imports and exports. They append to the files of a
//! server's log and audit log, which a running server may write at the same time.

use super::{Audit, Entry, words};
use crate::error::{Error, Result};
use crate::logs::{Format, Levels, Logs};
use std::borrow::Cow;
use std::path::PathBuf;
use std::time::{SystemTime, UNIX_EPOCH};

/// Where such work is recorded.
#[derive(Clone, Debug, Default, clap::Args)]
pub struct WorkFlags {
    /// Append lines about the work to this file, such as that of the server's log
    #[arg(long = "log-file", value_name = "FILE")]
    pub log_file: Option<PathBuf>,
    /// The form of the lines in the file of --log-file: text or json
    #[arg(
        long = "log-format",
        value_name = "FORMAT",
        default_value = "text",
        value_enum,
        hide_possible_values = true,
        requires = "log_file"
    )]
    pub log_format: Format,
    /// Append the beginning and the end of the work to this audit log
    #[arg(long = "audit-log", value_name = "FILE")]
    pub audit_log: Option<PathBuf>,
}

impl WorkFlags {
    /// Does work that the words of a call describe, which have no secrets, and records it. The log has the events of
    /// the work; the audit log has an entry with the result `started` before, and one with the end.
    ///
    /// # Errors
    ///
    /// As the work, or a file cannot be written when it is opened. Then nothing is done.
    pub fn run<T>(&self, call: &[String], work: impl FnOnce() -> Result<T>) -> Result<T> {
        if let Some(file) = &self.log_file {
            Logs::start(self.log_format, Some(file), &Levels::default())?;
        }
        let audit = self.audit_log.as_deref().map(Audit::open).transpose()?;
        let note = |result: &str| audit.iter().for_each(|audit| write(audit, call, result));
        note("started");
        let result = work();
        note(&result.as_ref().err().map_or("ok".to_owned(), Error::to_string));
        if let Some((audit, file)) = audit.iter().zip(&self.audit_log).next()
            && audit.lost() > 0
        {
            eprintln!("audit-log {}: entries about this work could not be written", file.display());
        }
        result
    }
}

fn write(audit: &Audit, call: &[String], result: &str) {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    let user = format!("uid {}", rustix::process::getuid().as_raw());
    audit.write(&Entry {
        at_ms: u64::try_from(now.as_millis()).unwrap_or(u64::MAX),
        door: "program",
        user: Some(user.into()),
        client: None,
        call: words(call.iter().map(String::as_bytes)),
        result: Cow::Borrowed(result),
    });
}

#[cfg(test)]
#[path = "work_test.rs"]
mod tests;
