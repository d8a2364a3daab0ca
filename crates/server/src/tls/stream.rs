//! Connections that this program opens, with and without TLS. They block.

use super::client::{ClientTls, SecureStream, explained_later};
use std::io::{self, Read, Write};
use std::net::{TcpStream, ToSocketAddrs};
use std::time::Duration;

/// A connection to a server.
pub enum Stream {
    /// Without TLS.
    Plain(TcpStream),
    /// With TLS.
    Secure(Box<SecureStream>),
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
        let mut failure = io::Error::new(io::ErrorKind::NotFound, "the host has no address");
        for resolved in address.to_socket_addrs()? {
            match TcpStream::connect_timeout(&resolved, timeout) {
                Ok(socket) => {
                    socket.set_nodelay(true)?;
                    socket.set_read_timeout(Some(timeout))?;
                    socket.set_write_timeout(Some(timeout))?;
                    return match tls {
                        None => Ok(Stream::Plain(socket)),
                        Some(tls) => Ok(Stream::Secure(Box::new(tls.connect(address, socket)?))),
                    };
                }
                Err(error) => failure = error,
            }
        }
        Err(failure)
    }

    /// Returns the socket below.
    pub fn socket(&self) -> &TcpStream {
        match self {
            Stream::Plain(socket) => socket,
            Stream::Secure(stream) => stream.get_ref(),
        }
    }
}

impl Read for Stream {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        match self {
            Stream::Plain(socket) => socket.read(buffer),
            Stream::Secure(stream) => match stream.read(buffer) {
                // The server closed the connection without a message of TLS, which its clients learn from the replies
                // that are missing.
                Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => Ok(0),
                result => result.map_err(explained_later),
            },
        }
    }
}

impl Write for Stream {
    fn write(&mut self, buffer: &[u8]) -> io::Result<usize> {
        match self {
            Stream::Plain(socket) => socket.write(buffer),
            Stream::Secure(stream) => stream.write(buffer).map_err(explained_later),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match self {
            Stream::Plain(socket) => socket.flush(),
            Stream::Secure(stream) => stream.flush().map_err(explained_later),
        }
    }
}
