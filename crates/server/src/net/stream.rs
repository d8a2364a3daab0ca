//! The bytes of a connection, encrypted or not.
//!
//! An enum, so that connections without TLS pay one branch per system call, and none per byte.

use std::io;
use std::net::SocketAddr;
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncWrite, AsyncWriteExt, ReadBuf};
use tokio::net::TcpStream;
use tokio_rustls::server::TlsStream;

/// How long closing an encrypted connection may wait for a client that does not read.
const CLOSE_TIME: Duration = Duration::from_secs(1);

/// A connection.
#[derive(Debug)]
pub(crate) enum Stream {
    Plain(TcpStream),
    /// In a box: it is some kilobytes, which connections without TLS would have, too.
    Tls(Box<TlsStream<TcpStream>>),
}

impl Stream {
    /// Returns the addresses of the client and of this end.
    pub(super) fn addresses(&self) -> io::Result<(SocketAddr, SocketAddr)> {
        let socket = match self {
            Stream::Plain(socket) => socket,
            Stream::Tls(stream) => stream.get_ref().0,
        };
        Ok((socket.peer_addr()?, socket.local_addr()?))
    }

    /// Returns whether the system has all that was written. Encrypted bytes may wait for a flush.
    pub(super) fn is_flushed(&self) -> bool {
        match self {
            Stream::Plain(_) => true,
            Stream::Tls(stream) => !stream.get_ref().1.wants_write(),
        }
    }

    /// Tells the client that nothing follows.
    ///
    /// # Errors
    ///
    /// The connection failed, or the client did not read for a second.
    pub(super) async fn close(&mut self) -> io::Result<()> {
        match self {
            Stream::Plain(socket) => socket.shutdown().await,
            Stream::Tls(stream) => tokio::time::timeout(CLOSE_TIME, stream.shutdown()).await?,
        }
    }
}

impl AsyncRead for Stream {
    fn poll_read(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        match self.get_mut() {
            Stream::Plain(socket) => Pin::new(socket).poll_read(context, buffer),
            Stream::Tls(stream) => Pin::new(stream).poll_read(context, buffer),
        }
    }
}

impl AsyncWrite for Stream {
    fn poll_write(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        match self.get_mut() {
            Stream::Plain(socket) => Pin::new(socket).poll_write(context, bytes),
            Stream::Tls(stream) => Pin::new(stream).poll_write(context, bytes),
        }
    }

    fn poll_flush(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        match self.get_mut() {
            Stream::Plain(socket) => Pin::new(socket).poll_flush(context),
            Stream::Tls(stream) => Pin::new(stream).poll_flush(context),
        }
    }

    fn poll_shutdown(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        match self.get_mut() {
            Stream::Plain(socket) => Pin::new(socket).poll_shutdown(context),
            Stream::Tls(stream) => Pin::new(stream).poll_shutdown(context),
        }
    }
}
