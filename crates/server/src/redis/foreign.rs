//! Requests of HTTP clients at a door of Redis clients.
//!
//! A page of any site can make a browser send a request to an address of the user's machine or network. Its lines would
//! be read as inline commands, and its body could have valid ones. The browser always sends the line `Host:` before the
//! body, and the form of most such requests begins with `POST`, so these two words end the connection, as in Redis.

use crate::logs::Gate;
use std::fmt::Display;
use std::time::Duration;
use tracing::warn;

/// Foreign clients cannot fill the log.
static REPORTS: Gate = Gate::new(1, Duration::from_secs(60));

/// Returns whether the name of an unknown command is the beginning of a line of HTTP.
pub(crate) fn is_http(name: &[u8]) -> bool {
    name.eq_ignore_ascii_case(b"host:") || name.eq_ignore_ascii_case(b"post")
}

/// Logs that a client sent HTTP and is disconnected, at most once a minute.
pub(crate) fn report(client: impl Display) {
    if let Some(skipped) = REPORTS.pass() {
        warn!(
            target: "ferrolith::client",
            %client,
            skipped,
            "a Redis client sent HTTP (POST or Host:) and was disconnected: a web page may be trying to run commands here"
        );
    }
}
