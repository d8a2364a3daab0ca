//! A socket whose reads and writes may have a common end, however many there are.

use crate::tls::Stream;
use std::io::{self, ErrorKind, Read, Write};
use std::net::{SocketAddr, TcpStream, ToSocketAddrs};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc;
use std::time::{Duration, Instant};

/// Bytes that are written at once before the time is looked at.
const PART: usize = 256 << 10;
/// Names that are resolved at once for [`resolve`]; the system may take long for each.
const RESOLVED_MAX: usize = 16;

/// A socket.
pub(super) struct Timed {
    stream: Stream,
    /// When reads and writes fail. Without it, the socket's timeouts are those of its owner.
    end: Option<Instant>,
}

impl Timed {
    /// Returns the socket without an end.
    pub(super) fn new(stream: Stream) -> Timed {
        Timed { stream, end: None }
    }

    /// Returns the socket itself.
    pub(super) fn socket(&self) -> &TcpStream {
        self.stream.socket()
    }

    /// Sets when reads and writes fail from now on.
    pub(super) fn set_end(&mut self, end: Instant) {
        self.end = Some(end);
    }

    /// Returns the time that is left, if there is an end.
    fn left(&self) -> io::Result<Option<Duration>> {
        self.end.map(time_until).transpose()
    }
}

impl Read for Timed {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if let Some(left) = self.left()? {
            self.socket().set_read_timeout(Some(left))?;
        }
        self.stream.read(buffer)
    }
}

impl Write for Timed {
    fn write(&mut self, buffer: &[u8]) -> io::Result<usize> {
        let Some(left) = self.left()? else { return self.stream.write(buffer) };
        self.socket().set_write_timeout(Some(left))?;
        self.stream.write(buffer.get(..PART).unwrap_or(buffer))
    }

    fn flush(&mut self) -> io::Result<()> {
        self.stream.flush()
    }
}

/// Returns the time until an end.
///
/// # Errors
///
/// It is over.
pub(super) fn time_until(end: Instant) -> io::Result<Duration> {
    let left = end.saturating_duration_since(Instant::now());
    if left.is_zero() { Err(ErrorKind::TimedOut.into()) } else { Ok(left) }
}

/// Connects to `HOST:PORT` before an end.
///
/// # Errors
///
/// The host is unknown, or none of its addresses answers in time.
pub(super) fn connect(address: &str, end: Instant) -> io::Result<TcpStream> {
    let mut failure = io::Error::new(ErrorKind::NotFound, "the host has no address");
    for resolved in resolve(address, end)? {
        match TcpStream::connect_timeout(&resolved, time_until(end)?) {
            Ok(socket) => return Ok(socket),
            Err(error) => failure = error,
        }
    }
    Err(failure)
}

/// Returns the addresses of `HOST:PORT`. The system has no time for names, so a thread asks it and may come too late.
fn resolve(address: &str, end: Instant) -> io::Result<Vec<SocketAddr>> {
    static ASKED: AtomicUsize = AtomicUsize::new(0);
    if let Ok(address) = address.parse() {
        return Ok(vec![address]);
    }
    if ASKED.fetch_add(1, Ordering::Relaxed) >= RESOLVED_MAX {
        ASKED.fetch_sub(1, Ordering::Relaxed);
        return Err(io::Error::other("too many names of hosts are looked up"));
    }
    let (sender, found) = mpsc::channel();
    let address = address.to_owned();
    let ask = move || {
        let found = address.to_socket_addrs().map(Iterator::collect);
        ASKED.fetch_sub(1, Ordering::Relaxed);
        // Nobody waits any more if it took too long.
        _ = sender.send(found);
    };
    if let Err(error) = std::thread::Builder::new().name("resolve".to_owned()).spawn(ask) {
        ASKED.fetch_sub(1, Ordering::Relaxed);
        return Err(error);
    }
    match found.recv_timeout(time_until(end)?) {
        Ok(found) => found,
        Err(_) => Err(ErrorKind::TimedOut.into()),
    }
}
