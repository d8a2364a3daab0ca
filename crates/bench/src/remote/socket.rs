//! A connection to a server: output that is sent when a reply is waited for, and input that is not parsed yet.

use crate::target::Result;
use std::io::{ErrorKind, Read, Write};
use std::net::{TcpStream, ToSocketAddrs};
use std::os::fd::{AsFd, BorrowedFd};
use std::time::Duration;

/// How long a connection may take to open.
const CONNECT_MAX: Duration = Duration::from_secs(5);
/// How long the first reply may take.
const GREETING_MAX: Duration = Duration::from_secs(5);
/// How long a later reply may take.
const REPLY_MAX: Duration = Duration::from_secs(30);
/// After this time in one write, the input is read: the server may wait for that.
const WRITE_MAX: Duration = Duration::from_millis(20);
/// The bytes that one read may add.
const READ_BYTES: usize = 64 << 10;
/// The consumed bytes of input that are kept before the rest is moved to the front.
const CONSUMED_MAX: usize = 256 << 10;

/// A connection.
pub(super) struct Socket {
    stream: TcpStream,
    /// The server's address, for errors.
    name: String,
    input: Vec<u8>,
    /// The beginning of the input that is not consumed.
    at: usize,
    out: Vec<u8>,
    chunk: Box<[u8]>,
}

impl AsFd for Socket {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.stream.as_fd()
    }
}

impl Socket {
    /// Connects to `host`, which has a port.
    pub(super) fn connect(host: &str, name: &str) -> Result<Socket> {
        let fail = |error| format!("{name}: cannot connect: {error}; is the server running there?");
        let addresses: Vec<_> = host
            .to_socket_addrs()
            .map_err(|error| format!("{name}: the host cannot be resolved: {error}"))?
            .collect();
        let mut result = Err(format!("{name}: the host has no address"));
        for address in addresses {
            result = TcpStream::connect_timeout(&address, CONNECT_MAX).map_err(fail);
            if result.is_ok() {
                break;
            }
        }
        let stream = result?;
        stream
            .set_nodelay(true)
            .and_then(|()| stream.set_write_timeout(Some(WRITE_MAX)))
            .and_then(|()| stream.set_read_timeout(Some(GREETING_MAX)))
            .map_err(fail)?;
        let (input, out, chunk) = (Vec::new(), Vec::new(), vec![0; READ_BYTES].into());
        Ok(Socket { stream, name: name.to_owned(), input, at: 0, out, chunk })
    }

    /// Returns the server's address.
    pub(super) fn name(&self) -> &str {
        &self.name
    }

    /// Notes that the server has greeted: it speaks the protocol and may take longer from now on.
    pub(super) fn greeted(&mut self) -> Result<()> {
        let set = self.stream.set_read_timeout(Some(REPLY_MAX));
        set.map_err(|error| format!("{}: {error}", self.name))
    }

    /// Returns the output to append requests to.
    pub(super) fn out(&mut self) -> &mut Vec<u8> {
        &mut self.out
    }

    /// Returns what has arrived and is not consumed.
    pub(super) fn input(&self) -> &[u8] {
        &self.input[self.at..]
    }

    /// Drops the first bytes of the input.
    pub(super) fn consume(&mut self, bytes: usize) {
        self.at += bytes;
        if self.at == self.input.len() {
            self.input.clear();
            self.at = 0;
        } else if self.at > CONSUMED_MAX {
            self.input.drain(..self.at);
            self.at = 0;
        }
    }

    /// Sends the output, then waits for more input.
    pub(super) fn receive(&mut self) -> Result<()> {
        self.send()?;
        self.fill()
    }

    /// Sends the output.
    pub(super) fn send(&mut self) -> Result<()> {
        let mut sent = 0;
        while sent < self.out.len() {
            match self.stream.write(&self.out[sent..]) {
                Ok(0) => return Err(self.closed()),
                Ok(bytes) => sent += bytes,
                Err(error) if is_timeout(&error) => self.fill()?,
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) => return Err(self.failed(&error)),
            }
        }
        self.out.clear();
        Ok(())
    }

    /// Waits for more input.
    pub(super) fn fill(&mut self) -> Result<()> {
        loop {
            match self.stream.read(&mut self.chunk) {
                Ok(0) => return Err(self.closed()),
                Ok(bytes) => {
                    self.input.extend_from_slice(&self.chunk[..bytes]);
                    return Ok(());
                }
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) => return Err(self.failed(&error)),
            }
        }
    }

    fn closed(&self) -> String {
        format!("{}: the server closed the connection", self.name)
    }

    fn failed(&self, error: &std::io::Error) -> String {
        if is_timeout(error) {
            let wait = self.stream.read_timeout().ok().flatten().unwrap_or_default();
            return format!("{}: no reply within {} s", self.name, wait.as_secs());
        }
        format!("{}: the connection failed: {error}", self.name)
    }
}

fn is_timeout(error: &std::io::Error) -> bool {
    matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut)
}
