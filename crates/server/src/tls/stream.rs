//! Connections that this program opens, with and without TLS. They block.

use super::client::{ClientTls, FlagNames, SecureStream, explained_later};
use std::io::{self, Read, Write};
use std::net::{TcpStream, ToSocketAddrs};
use std::time::Duration;

/// A connection to a server.
pub enum Stream {
    /// Without TLS.
    Plain(TcpStream),
    /// With TLS, and the flags that errors name.
    Secure(Box<SecureStream>, FlagNames),
}

impl Stream {
    /// Connects to `HOST:PORT`, and encrypts the connection if there is `tls`. Waits at most this long for the
    /// connection, and for each read and write.
    ///
    /// # Errors
    ///
    /// The host is unknown or does not answer, or the handshake failed.
    pub fn connect(
        address: &str,
        timeout: Duration,
        tls: Option<&ClientTls>,
    ) -> io::Result<Stream> {
        Stream::over(Stream::socket_to(address, timeout)?, address, tls)
    }

    /// Connects to `HOST:PORT` without TLS. Waits as [`connect`](Stream::connect).
    ///
    /// # Errors
    ///
    /// The host is unknown or does not answer.
    pub fn socket_to(address: &str, timeout: Duration) -> io::Result<TcpStream> {
        let mut failure = io::Error::new(io::ErrorKind::NotFound, "the host has no address");
        for resolved in address.to_socket_addrs()? {
            match TcpStream::connect_timeout(&resolved, timeout) {
                Ok(socket) => {
                    socket.set_nodelay(true)?;
                    socket.set_read_timeout(Some(timeout))?;
                    socket.set_write_timeout(Some(timeout))?;
                    return Ok(socket);
                }
                Err(error) => failure = error,
            }
        }
        Err(failure)
    }

    /// Returns a connection over a socket to `HOST:PORT`, which is encrypted if there is `tls`.
    ///
    /// # Errors
    ///
    /// The handshake failed.
    pub fn over(socket: TcpStream, address: &str, tls: Option<&ClientTls>) -> io::Result<Stream> {
        Ok(match tls {
            None => Stream::Plain(socket),
            Some(tls) => Stream::Secure(Box::new(tls.connect(address, socket)?), tls.flags()),
        })
    }

    /// Returns the socket below.
    pub fn socket(&self) -> &TcpStream {
        match self {
            Stream::Plain(socket) => socket,
            Stream::Secure(stream, _) => stream.get_ref(),
        }
    }
}

impl Read for Stream {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        match self {
            Stream::Plain(socket) => socket.read(buffer),
            Stream::Secure(stream, flags) => match stream.read(buffer) {
                // The server closed the connection without a message of TLS, which its clients learn from the replies
                // that are missing.
                Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => Ok(0),
                result => result.map_err(|error| explained_later(error, *flags)),
            },
        }
    }
}

impl Write for Stream {
    fn write(&mut self, buffer: &[u8]) -> io::Result<usize> {
        match self {
            Stream::Plain(socket) => socket.write(buffer),
            Stream::Secure(stream, flags) => {
                stream.write(buffer).map_err(|error| explained_later(error, *flags))
            }
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match self {
            Stream::Plain(socket) => socket.flush(),
            Stream::Secure(stream, flags) => {
                stream.flush().map_err(|error| explained_later(error, *flags))
            }
        }
    }
}
