//! The beginning of an encrypted connection.
//!
//! The protocol's library bounds the bytes of a handshake (64 KiB per message); this file bounds its time.

use super::stream::Stream;
use crate::logs::Gate;
use crate::tls::Tls;
use std::io;
use std::time::Duration;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::time::timeout;
use tokio_rustls::TlsAcceptor;
use tracing::warn;

/// How long a handshake may take.
const HANDSHAKE_TIME: Duration = Duration::from_secs(10);
/// How long a refused client may take to read why.
const LINGER_TIME: Duration = Duration::from_secs(1);
/// The bytes of a refused client that are read meanwhile.
const LINGER_BYTES: usize = 64 << 10;

/// Foreign clients cannot fill the log.
static FAILURES: Gate = Gate::new(1, Duration::from_secs(1));

/// Begins an encrypted connection; `None` if the client does not do its part.
pub(crate) async fn shake_hands(stream: TcpStream, tls: &Tls) -> Option<Stream> {
    let peer = stream.peer_addr().ok()?;
    let accepted = TlsAcceptor::from(tls.config()).accept(stream).into_fallible();
    let error = match timeout(HANDSHAKE_TIME, accepted).await {
        Ok(Ok(stream)) => {
            tls.count(true);
            return Some(Stream::Tls(Box::new(stream)));
        }
        Ok(Err((error, stream))) => {
            // Bytes that nobody reads would make the system drop the alert that says why.
            _ = timeout(LINGER_TIME, linger(stream)).await;
            error
        }
        Err(late) => late.into(),
    };
    tls.count(false);
    // A client that disconnects without a message is a port check.
    if error.kind() != io::ErrorKind::UnexpectedEof
        && let Some(skipped) = FAILURES.pass()
    {
        warn!(target: "ferrolith::tls", client = %peer, %error, skipped, "handshake failed");
    }
    None
}

/// Waits until the client has closed the connection.
async fn linger(mut stream: TcpStream) -> io::Result<()> {
    stream.shutdown().await?;
    let (mut buffer, mut left) = ([0; 1024], LINGER_BYTES);
    while left > 0 {
        match stream.read(&mut buffer).await? {
            0 => break,
            count => left = left.saturating_sub(count),
        }
    }
    Ok(())
}
