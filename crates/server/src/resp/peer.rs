//! A connection to another server that speaks RESP2: requests out, replies in. It blocks.
#![deny(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing)]

use super::timed::{self, Timed};
use crate::tls::{ClientTls, Stream};
use std::io::{self, BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::time::{Duration, Instant};

/// The longest line of a reply.
const LINE_MAX: u64 = 64 << 10;
/// The longest string of a reply.
const BULK_MAX: i64 = 1 << 30;
/// The first byte of an alert of TLS, which a server with TLS sends to a client without.
const ALERT: u8 = 21;
/// How deep arrays may be in arrays.
const DEPTH_MAX: usize = 16;
/// The bytes by which a string grows while it arrives.
const STEP: usize = 1 << 20;

/// A reply.
#[derive(Clone, Debug, Eq, PartialEq)]
pub enum PeerReply {
    /// A simple string.
    Simple(String),
    /// An error with its code.
    Error(String),
    /// An integer.
    Integer(i64),
    /// A string.
    Bulk(Vec<u8>),
    /// A null.
    Null,
    /// An array.
    Array(Vec<PeerReply>),
}

/// A connection to another server.
pub struct Peer {
    stream: BufReader<Timed>,
    address: String,
}

impl Peer {
    /// Connects to `HOST:PORT`. Waits at most this long for the connection, and later for each reply.
    ///
    /// # Errors
    ///
    /// The host is unknown or does not answer.
    pub fn connect(address: &str, timeout: Duration) -> io::Result<Peer> {
        Peer::connect_with(address, timeout, None)
    }

    /// Connects to `HOST:PORT`, with TLS if there is `tls`. Waits as [`connect`](Peer::connect).
    ///
    /// # Errors
    ///
    /// The host is unknown or does not answer, or the handshake failed.
    pub fn connect_with(
        address: &str,
        timeout: Duration,
        tls: Option<&ClientTls>,
    ) -> io::Result<Peer> {
        Peer::new(Stream::connect(address, timeout, tls)?, address)
    }

    /// Returns a connection over a socket to `HOST:PORT`, with TLS if there is `tls`. The timeouts of the socket hold.
    ///
    /// # Errors
    ///
    /// The handshake failed.
    pub fn over(socket: TcpStream, address: &str, tls: Option<&ClientTls>) -> io::Result<Peer> {
        Peer::new(Stream::over(socket, address, tls)?, address)
    }

    /// Connects to `HOST:PORT` before an end, which is then that of all that is read and written, until
    /// [`set_end`](Peer::set_end) sets another one. Looking up the name counts.
    ///
    /// # Errors
    ///
    /// The host is unknown or does not answer in time.
    pub fn connect_until(address: &str, end: Instant) -> io::Result<Peer> {
        let socket = timed::connect(address, end)?;
        let mut peer = Peer::new(Stream::Plain(socket), address)?;
        peer.set_end(end);
        Ok(peer)
    }

    fn new(stream: Stream, address: &str) -> io::Result<Peer> {
        stream.socket().set_nodelay(true)?;
        let stream = BufReader::with_capacity(256 << 10, Timed::new(stream));
        Ok(Peer { stream, address: address.to_owned() })
    }

    /// Sets when reading and writing fail, however many bytes arrive until then.
    pub fn set_end(&mut self, end: Instant) {
        self.stream.get_mut().set_end(end);
    }

    /// Returns the address as it was given.
    pub fn address(&self) -> &str {
        &self.address
    }

    /// Authenticates, unless the password is empty. An empty user is the default one.
    ///
    /// # Errors
    ///
    /// The connection failed, or the server refused.
    pub fn authenticate(&mut self, user: &str, password: &str) -> io::Result<()> {
        if password.is_empty() {
            return Ok(());
        }
        let (user, password) = (user.as_bytes(), password.as_bytes());
        let reply = match user {
            b"" => self.call(&[b"AUTH", password])?,
            user => self.call(&[b"AUTH", user, password])?,
        };
        match reply {
            PeerReply::Error(text) => Err(io::Error::other(format!("AUTH: {text}"))),
            _ => Ok(()),
        }
    }

    /// Sends a request and returns its reply.
    ///
    /// # Errors
    ///
    /// The connection failed, or what arrived is no reply.
    pub fn call(&mut self, words: &[&[u8]]) -> io::Result<PeerReply> {
        let mut request = Vec::new();
        write_request(&mut request, words);
        self.send(&request)?;
        self.receive()
    }

    /// Sends bytes.
    ///
    /// # Errors
    ///
    /// The connection failed.
    pub fn send(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.stream.get_mut().write_all(bytes)
    }

    /// Returns the next reply.
    ///
    /// # Errors
    ///
    /// The connection failed, or what arrived is no reply.
    pub fn receive(&mut self) -> io::Result<PeerReply> {
        self.receive_at(0)
    }

    fn receive_at(&mut self, depth: usize) -> io::Result<PeerReply> {
        let line = self.line()?;
        let Some((kind, text)) = line.split_first() else { return Err(invalid("an empty line")) };
        let text = String::from_utf8_lossy(text).into_owned();
        let number = || text.parse::<i64>().map_err(|_| invalid("a number that is none"));
        Ok(match kind {
            b'+' => PeerReply::Simple(text),
            b'-' => PeerReply::Error(text),
            b':' => PeerReply::Integer(number()?),
            b'$' | b'*' if number()? < 0 => PeerReply::Null,
            b'$' if number()? > BULK_MAX => return Err(invalid("a string that is too long")),
            b'$' => PeerReply::Bulk(self.bytes(number()? as usize)?),
            b'*' if depth < DEPTH_MAX => {
                let mut list = Vec::new();
                for _ in 0..number()? {
                    list.push(self.receive_at(depth + 1)?);
                }
                PeerReply::Array(list)
            }
            _ => return Err(invalid("an unknown type of reply")),
        })
    }

    /// Returns the next line without its end.
    ///
    /// # Errors
    ///
    /// The connection failed or ended, or the line is too long.
    pub fn line(&mut self) -> io::Result<Vec<u8>> {
        let mut line = Vec::new();
        (&mut self.stream).take(LINE_MAX).read_until(b'\n', &mut line)?;
        if line.first() == Some(&ALERT) {
            return Err(invalid("an alert of TLS: the server expects TLS at this address"));
        }
        match line.strip_suffix(b"\n") {
            Some(text) => Ok(text.strip_suffix(b"\r").unwrap_or(text).to_vec()),
            None if line.len() as u64 >= LINE_MAX => Err(invalid("a line that is too long")),
            None => Err(io::ErrorKind::UnexpectedEof.into()),
        }
    }

    /// Reads a string and the end of its line.
    fn bytes(&mut self, length: usize) -> io::Result<Vec<u8>> {
        let mut bytes = Vec::new();
        while bytes.len() < length + 2 {
            let from = bytes.len();
            bytes.resize((length + 2).min(from + STEP), 0);
            self.stream.read_exact(bytes.get_mut(from..).unwrap_or_default())?;
        }
        bytes.truncate(length);
        Ok(bytes)
    }

    /// Returns the bytes that arrive, for what is no reply.
    pub fn reader(&mut self) -> &mut impl BufRead {
        &mut self.stream
    }

    /// Returns the socket.
    pub fn socket(&self) -> &TcpStream {
        self.stream.get_ref().socket()
    }
}

/// Appends a request.
pub fn write_request(out: &mut Vec<u8>, words: &[&[u8]]) {
    write_line(out, b'*', words.len());
    for word in words {
        write_line(out, b'$', word.len());
        out.extend_from_slice(word);
        out.extend_from_slice(b"\r\n");
    }
}

fn write_line(out: &mut Vec<u8>, kind: u8, number: usize) {
    out.push(kind);
    out.extend_from_slice(itoa::Buffer::new().format(number).as_bytes());
    out.extend_from_slice(b"\r\n");
}

fn invalid(what: &str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, format!("expected a reply, found {what}"))
}

#[cfg(test)]
#[path = "peer_test.rs"]
mod tests;
