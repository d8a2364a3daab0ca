//! Listeners and workers, and the loops that serve connections.

use crate::logs::Gate;
use std::fmt::Display;
use std::net::SocketAddr;
use tracing::warn;

pub(crate) mod handshake;
mod output;
pub mod proxy;
mod quiet;
mod reading;
mod resp;
mod round;
pub(crate) mod stream;
pub mod thft;
pub mod workers;

/// Clients that follow no protocol cannot fill the log.
static PROTOCOL_ERRORS: Gate = Gate::ten_a_second();

/// Logs that a client does not follow its protocol, and is disconnected.
#[cold]
fn protocol_error(client: Option<SocketAddr>, error: &dyn Display) {
    if let Some(skipped) = PROTOCOL_ERRORS.pass() {
        warn!(target: "ferrolith::client", client = client.map(display), %error, skipped, "protocol error");
    }
}
