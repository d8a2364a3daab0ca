//! Messages of scripts in the server's log.

use crate::logs::Gate;
use crate::script::LogLevel;
use std::time::Duration;
use tracing::{Level, debug, enabled, info, trace, warn};

/// Scripts cannot fill the log: a loop of messages is a short script.
static MESSAGES: Gate = Gate::new(100, Duration::from_secs(1));
/// The bytes of a message that the log gets; its line is formatted in memory that the thread keeps.
const SHOWN_MAX: usize = 1024;

/// Logs a message of a script, shortened, unless there were many just now.
pub(super) fn log(script: &str, level: LogLevel, text: &[u8]) {
    // What the level hides does not count.
    let is_enabled = match level {
        LogLevel::Debug => enabled!(target: "ferrolith::script", Level::TRACE),
        LogLevel::Verbose => enabled!(target: "ferrolith::script", Level::DEBUG),
        LogLevel::Notice => enabled!(target: "ferrolith::script", Level::INFO),
        LogLevel::Warning => enabled!(target: "ferrolith::script", Level::WARN),
    };
    if !is_enabled {
        return;
    }
    let Some(skipped) = MESSAGES.pass() else { return };
    let (shown, rest) = text.split_at(text.len().min(SHOWN_MAX));
    let (text, cut_off) = (shown.escape_ascii(), (!rest.is_empty()).then_some(rest.len()));
    match level {
        LogLevel::Debug => {
            trace!(target: "ferrolith::script", script, cut_off, skipped, "{text}");
        }
        LogLevel::Verbose => {
            debug!(target: "ferrolith::script", script, cut_off, skipped, "{text}");
        }
        LogLevel::Notice => info!(target: "ferrolith::script", script, cut_off, skipped, "{text}"),
        LogLevel::Warning => warn!(target: "ferrolith::script", script, cut_off, skipped, "{text}"),
    }
}
