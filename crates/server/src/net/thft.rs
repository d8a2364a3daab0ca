//! A connection of a Pegasus client: requests in, replies out.
//!
//! All complete requests of the input are evaluated, those that read or write one row in groups, and their replies
//! are written at once. While replies are written, nothing is read, so a client that does not read its replies is not
//! served. A request that a throttle delays does not hold up the requests behind it: replies may come in any order.

use super::quiet::Quiet;
use super::reading::Reading;
use super::round::Round;
use crate::pegasus::{Kind, Outcome, Scratch, Service};
use crate::store::Store;
use crate::thrift::frame::{Frame, Request, parse};
use smallvec::SmallVec;
use std::collections::BinaryHeap;
use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tokio::time::{Instant, sleep_until};

/// The maximum length of a request's body. Longer ones close the connection.
pub const BODY_BYTES_MAX: usize = 16 << 20;
/// The maximum number of bytes of delayed requests of a connection. What exceeds it is answered with ERR_BUSY.
const DELAYED_BYTES_MAX: usize = 16 << 20;
/// The maximum number of requests that share a commit and a look-up.
const GROUP_MAX: usize = 128;
/// The maximum number of reads among them, whose values are in the output at the same time.
const READS_MAX: usize = 32;
/// Replies are written when they have so many bytes, even if there are more requests.
pub(super) const OUTPUT_BYTES: usize = 256 << 10;
/// The capacity that buffers keep while they are empty.
pub(super) const KEPT_BYTES: usize = 256 << 10;

/// A request that waits.
#[derive(PartialEq, Eq)]
struct Delayed {
    until: Instant,
    frame: Vec<u8>,
    is_rejected: bool,
}

/// The earliest is the greatest.
impl Ord for Delayed {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        other.until.cmp(&self.until)
    }
}

impl PartialOrd for Delayed {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

struct Connection<'s> {
    service: &'s Service,
    scratch: Scratch,
    output: Vec<u8>,
    delayed: BinaryHeap<Delayed>,
    delayed_bytes: usize,
}

/// Serves a connection of a client at this address until it closes the connection.
///
/// # Errors
///
/// The connection failed, or the client does not follow the protocol (`InvalidData`).
pub async fn serve<S: AsyncRead + AsyncWrite + Unpin>(
    mut stream: S,
    client: Option<SocketAddr>,
    service: &Service,
    store: &Arc<dyn Store>,
) -> io::Result<()> {
    let (scratch, delayed) = (Scratch::new(client), BinaryHeap::new());
    let output = Vec::new();
    let mut connection = Connection { service, scratch, output, delayed, delayed_bytes: 0 };
    let (mut input, mut quiet, mut reading) = (Vec::new(), Quiet::default(), Reading::default());
    let round = Round::new();
    loop {
        let (at, taken) = connection.take_all(&input);
        let has_more = connection.output.len() >= OUTPUT_BYTES;
        input.drain(..at);
        shrink(&mut input);
        if !connection.output.is_empty() {
            round.ended().await;
            if let Some(barrier) = store.sync().barrier() {
                store.sync().wait(barrier).await;
            }
            stream.write_all(&connection.output).await?;
            // Encrypted bytes may wait; a socket has nothing to flush.
            stream.flush().await?;
            connection.output.clear();
            shrink(&mut connection.output);
        }
        // The requests before a malformed one were executed, and have their replies now.
        taken?;
        if has_more {
            continue;
        }
        quiet.used(input.capacity() + connection.output.capacity());
        reading.make_room(&mut input, 0);
        let due = connection.delayed.peek().map(|delayed| delayed.until);
        tokio::select! {
            read = stream.read_buf(&mut input) => {
                if read? == 0 {
                    return Ok(());
                }
                reading.has_read(&input);
            }
            () = wait(due), if due.is_some() => connection.run_due(),
            () = quiet.wait() => {
                // The output is empty; a part of a request stays.
                input.shrink_to_fit();
                reading = Reading::default();
                (connection.output, connection.scratch) = (Vec::new(), Scratch::new(client));
            }
        }
    }
}

async fn wait(due: Option<Instant>) {
    if let Some(due) = due {
        sleep_until(due).await;
    }
}

/// Gives the memory of a buffer back that was large and is empty.
fn shrink(buffer: &mut Vec<u8>) {
    if buffer.is_empty() && buffer.capacity() > KEPT_BYTES {
        *buffer = Vec::new();
    }
}

impl Connection<'_> {
    /// Handles the complete requests of `input` until the output is large. Returns the length of what was handled, and
    /// the error of a malformed request behind it.
    fn take_all(&mut self, input: &[u8]) -> (usize, io::Result<()>) {
        let mut at = 0;
        while self.output.len() < OUTPUT_BYTES {
            match self.take(input.get(at..).unwrap_or_default()) {
                Ok(0) => break,
                Ok(consumed) => at += consumed,
                Err(e) => return (at, Err(e)),
            }
        }
        (at, Ok(()))
    }

    /// Handles the first request of `input`, and those that follow if it is one of a group. Returns the length of what
    /// was handled; 0 if the first request is not complete.
    fn take(&mut self, input: &[u8]) -> io::Result<usize> {
        let (mut group, mut at) = (SmallVec::<[Request<'_>; 1]>::new(), 0);
        let mut reads = 0;
        while group.len() < GROUP_MAX && reads < READS_MAX {
            let rest = input.get(at..).unwrap_or_default();
            let (request, len) = match parse(rest, BODY_BYTES_MAX) {
                Ok(Frame::Whole(request, len)) => (request, len),
                Ok(Frame::Partial(_)) => break,
                // What came before is answered first.
                Err(_) if !group.is_empty() => break,
                Err(e) => return Err(io::Error::new(io::ErrorKind::InvalidData, e)),
            };
            let Some(kind) = Service::group_kind(&request) else {
                if group.is_empty() {
                    let (scratch, output) = (&mut self.scratch, &mut self.output);
                    let outcome = self.service.handle(&request, false, scratch, output);
                    self.follow(outcome, &request, rest.get(..len).unwrap_or_default());
                    return Ok(len);
                }
                break;
            };
            reads += usize::from(kind == Kind::Read);
            group.push(request);
            at += len;
        }
        if !group.is_empty() {
            self.run_group(&group, input);
        }
        Ok(at)
    }

    /// Handles the requests of a group, whose frames follow each other in `input`.
    fn run_group(&mut self, group: &[Request<'_>], input: &[u8]) {
        let mut others = SmallVec::<[(usize, Outcome); 4]>::new();
        let (scratch, output) = (&mut self.scratch, &mut self.output);
        self.service.handle_group(group, false, scratch, output, |i, outcome| {
            others.push((i, outcome));
        });
        for (i, outcome) in others {
            let Some(request) = group.get(i) else { continue };
            let start: usize = group.iter().take(i).map(|request| request.frame_bytes).sum();
            let frame = input.get(start..start + request.frame_bytes).unwrap_or_default();
            self.follow(outcome, request, frame);
        }
    }

    /// Puts a delayed request aside.
    fn follow(&mut self, outcome: Outcome, request: &Request<'_>, frame: &[u8]) {
        let (delay, is_rejected) = match outcome {
            Outcome::Replied | Outcome::Silent => return,
            Outcome::Later(delay) => (delay, false),
            Outcome::BusyLater(delay) => (delay, true),
        };
        if self.delayed_bytes + frame.len() > DELAYED_BYTES_MAX {
            return self.service.reject(request, &mut self.output);
        }
        self.delayed_bytes += frame.len();
        let until = Instant::now() + delay;
        self.delayed.push(Delayed { until, frame: frame.to_vec(), is_rejected });
    }

    /// Handles delayed requests whose time has come.
    fn run_due(&mut self) {
        let now = Instant::now();
        while self.delayed.peek().is_some_and(|delayed| delayed.until <= now)
            && self.output.len() < OUTPUT_BYTES
        {
            let Some(delayed) = self.delayed.pop() else { return };
            self.delayed_bytes -= delayed.frame.len();
            // It was parsed before.
            let Ok(Frame::Whole(request, _)) = parse(&delayed.frame, BODY_BYTES_MAX) else {
                continue;
            };
            if delayed.is_rejected {
                self.service.reject(&request, &mut self.output);
            } else {
                self.service.handle(&request, true, &mut self.scratch, &mut self.output);
            }
        }
    }
}
