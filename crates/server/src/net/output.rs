//! Output to a client that may not read it: the limits of `client-output-buffer-limit`.

use super::stream::Stream;
use crate::logs::Gate;
use crate::redis::parameters::OutputLimit;
use crate::redis::{Server, Session};
use std::future::poll_fn;
use std::io;
use std::pin::Pin;
use std::task::Poll;
use std::time::Duration;
use tokio::io::{AsyncWrite, AsyncWriteExt};
use tokio::time::{Instant, sleep};
use tracing::warn;

/// How often limits are checked while a client reads nothing.
const TICK: Duration = Duration::from_millis(500);

/// Slow clients cannot fill the log.
static CUT_OFF: Gate = Gate::ten_a_second();

/// How output was written.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum Written {
    /// All at once.
    All,
    /// All; messages for the client may have arrived meanwhile.
    Later,
    /// Not all: the client was killed, or did not read fast enough.
    Stopped,
}

/// Writes the output of a session.
///
/// # Errors
///
/// The connection failed.
pub(super) async fn write(
    stream: &mut Stream,
    bytes: &[u8],
    server: &Server,
    session: &Session,
) -> io::Result<Written> {
    let mut watch = Watch { over_since: None };
    if watch.exceeds(bytes.len(), server, session) {
        return Ok(Written::Stopped);
    }
    // Usually the socket takes all at once.
    let first = poll_fn(|context| match Pin::new(&mut *stream).poll_write(context, bytes) {
        Poll::Ready(written) => Poll::Ready(written),
        Poll::Pending => Poll::Ready(Ok(0)),
    });
    let mut rest = bytes.get(first.await?..).unwrap_or_default();
    if rest.is_empty() && stream.is_flushed() {
        return Ok(Written::All);
    }
    while !rest.is_empty() || !stream.is_flushed() {
        tokio::select! {
            biased;
            written = push(stream, rest) => rest = rest.get(written?..).unwrap_or_default(),
            () = session.client.outbox.wake.notified() => {}
            () = sleep(TICK) => {}
        }
        if session.client.is_killed() && !session.is_closing {
            return Ok(Written::Stopped);
        }
        if watch.exceeds(rest.len(), server, session) {
            return Ok(Written::Stopped);
        }
    }
    Ok(Written::Later)
}

/// Writes a part of some bytes, or flushes if there are none. Returns the length of the part.
async fn push(stream: &mut Stream, bytes: &[u8]) -> io::Result<usize> {
    if bytes.is_empty() {
        stream.flush().await?;
        return Ok(0);
    }
    match stream.write(bytes).await? {
        0 => Err(io::ErrorKind::WriteZero.into()),
        count => Ok(count),
    }
}

/// Since when a client has more output than its soft limit.
struct Watch {
    over_since: Option<Instant>,
}

impl Watch {
    /// Returns whether output of which this many bytes are left, and messages, exceed a limit.
    fn exceeds(&mut self, left: usize, server: &Server, session: &Session) -> bool {
        let OutputLimit { hard, soft, soft_seconds } = server.output_limit(session);
        if hard == 0 && soft == 0 {
            return false;
        }
        let pending = (left + session.client.outbox.len()) as u64;
        if soft == 0 || pending <= soft {
            self.over_since = None;
        } else {
            let since = *self.over_since.get_or_insert_with(Instant::now);
            if since.elapsed() >= Duration::from_secs(soft_seconds) {
                return report(pending, session);
            }
        }
        hard > 0 && pending > hard && report(pending, session)
    }
}

/// Logs that a client exceeds its limit, and returns true.
#[cold]
fn report(pending: u64, session: &Session) -> bool {
    if let Some(skipped) = CUT_OFF.pass() {
        let client = session.client.address;
        warn!(
            target: "ferrolith::client",
            %client,
            bytes = pending,
            skipped,
            "closed: it does not read fast enough (client-output-buffer-limit)"
        );
    }
    true
}
