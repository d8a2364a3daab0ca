//! A connection of a Redis client: requests in, replies and messages out.
//!
//! All complete requests of the input are evaluated, and their replies are written together, when the other connections
//! that are ready have had their turn. While replies are written, nothing is read, so a client that does not read its
//! replies is not served. While the client waits in a blocking command, a little is read, so that the end of the
//! connection is noticed. While a request runs on a thread of its own, nothing is read.

use super::output::{self, Written};
use super::quiet::Quiet;
use super::reading::Reading;
use super::round::Round;
use super::stream::Stream;
use crate::redis::args::Args;
use crate::redis::detached::Detached;
use crate::redis::parameters::Id;
use crate::redis::{Server, Session, Worker};
use crate::resp::{Limits, Parser, ProtocolError, Reply};
use smallvec::SmallVec;
use std::cell::RefCell;
use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;
use tokio::io::AsyncReadExt;
use tokio::time::Instant;

/// The maximum number of arguments of a request and the maximum length of an argument.
const LIMITS: Limits =
    Limits { arguments_max: 1024 * 1024, bulk_max: 512 << 20, is_anonymous: false };
/// The same for clients that have yet to authenticate.
const ANONYMOUS: Limits = Limits { arguments_max: 10, bulk_max: 16384, is_anonymous: true };
/// Replies are written when they have so many bytes, even if there are more requests.
const OUTPUT_BYTES: usize = 256 << 10;
/// The capacity that an empty input buffer keeps.
const KEPT_BYTES: usize = 64 << 10;
/// The maximum number of requests that are looked at together.
const GROUP_MAX: usize = 128;
/// Requests that need no memory besides the stack when they arrive together, and their words.
const REQUESTS: usize = 16;
const WORDS: usize = 3 * REQUESTS;
/// The number of positions of words for which memory is kept.
const POSITIONS_KEPT: usize = 1024;
/// The bytes that are read ahead while a client is blocked.
const AHEAD_MAX: usize = 64 << 10;
/// The seconds that a client may send nothing; 0 means for ever.
const IDLE_MAX: Id = Id::of("timeout");
/// The bytes of requests that may wait for a client.
const INPUT_MAX: Id = Id::of("client-query-buffer-limit");
/// The same for clients that have yet to authenticate.
const ANONYMOUS_MAX: u64 = 1 << 20;
/// The maximum length of an argument.
const BULK_MAX: Id = Id::of("proto-max-bulk-len");

/// Serves a connection until the client closes it.
///
/// # Errors
///
/// The connection failed.
pub(super) async fn serve(
    stream: Stream,
    server: &Arc<Server>,
    worker: &RefCell<Worker>,
) -> io::Result<()> {
    let (address, local) = stream.addresses()?;
    let mut connection = Connection::new(server, worker, address, local);
    connection.run(stream).await
}

struct Connection<'s> {
    server: &'s Arc<Server>,
    worker: &'s RefCell<Worker>,
    session: Session,
    parser: Parser,
    input: Vec<u8>,
    reading: Reading,
    round: Round,
    out: Reply,
    /// Where the words of complete requests are in `input`.
    positions: Vec<(usize, usize)>,
    /// For each complete request, the end of its words in `positions`, and its end in `input`.
    ends: Vec<(usize, usize)>,
    quiet: Quiet,
}

/// What the beginning of the input is besides the requests in `positions`.
struct Found {
    /// The end of an inline request.
    inline_end: Option<usize>,
    error: Option<ProtocolError>,
}

/// What ended a wait.
enum Event {
    Read(io::Result<usize>),
    Answer(Option<Vec<u8>>),
    Timeout,
    Idle,
    /// Nothing happened for a while, and buffers are large.
    Quiet,
    Woken,
}

impl<'s> Connection<'s> {
    fn new(
        server: &'s Arc<Server>,
        worker: &'s RefCell<Worker>,
        address: SocketAddr,
        local: SocketAddr,
    ) -> Connection<'s> {
        let now_us = server.clock.monotonic_us();
        let account = server.users.default_account();
        let client = server.clients.add(address, local, now_us, server.outbox_max(), account);
        let session = Session::new(client, account.user().needs_no_password());
        let (parser, out) = (Parser::default(), Reply::default());
        let (input, positions, ends) = (Vec::new(), Vec::new(), Vec::new());
        let (quiet, reading, round) = (Quiet::default(), Reading::default(), Round::new());
        Connection {
            server,
            worker,
            session,
            parser,
            input,
            reading,
            round,
            out,
            positions,
            ends,
            quiet,
        }
    }

    async fn run(&mut self, mut stream: Stream) -> io::Result<()> {
        loop {
            // A client that reads a reply has the messages that were published before it sent the request.
            self.session.client.outbox.drain_into(&mut self.out);
            let mut has_more = self.run_requests();
            self.session.client.outbox.drain_into(&mut self.out);
            if self.out.position() > 0 {
                self.round.ended().await;
                let sync = self.server.store.sync();
                if let Some(barrier) = sync.barrier() {
                    sync.wait(barrier).await;
                }
                let written =
                    output::write(&mut stream, self.out.bytes(), self.server, &self.session)
                        .await?;
                match written {
                    Written::All => {}
                    Written::Later => has_more = true,
                    // What the client gets is incomplete anyway.
                    Written::Stopped => return Ok(()),
                }
                let worker = self.worker.borrow();
                worker.stats().bytes_out.add(self.out.position() as u64);
                worker.stats().writes.add(1);
                self.out.clear();
            }
            if self.session.is_closing || self.session.client.is_killed() {
                return stream.close().await;
            }
            if let Some(request) = self.session.detached.take() {
                self.run_apart(request).await?;
                continue;
            }
            if has_more {
                continue;
            }
            match self.wait(&mut stream).await {
                Event::Read(read) => {
                    let bytes = read?;
                    self.reading.has_read(&self.input);
                    if bytes == 0 {
                        return Ok(());
                    }
                    let worker = self.worker.borrow();
                    worker.stats().bytes_in.add(bytes as u64);
                    worker.stats().reads.add(1);
                    if self.has_too_much_input() {
                        return Ok(());
                    }
                }
                Event::Answer(reply) => self.answer(reply),
                Event::Timeout => self.time_out(),
                Event::Idle => return stream.close().await,
                Event::Quiet => self.shrink(),
                Event::Woken => {}
            }
        }
    }

    /// Runs a request on a thread of its own, and waits for its reply.
    async fn run_apart(&mut self, request: Detached) -> io::Result<()> {
        let _slot = self.server.script_threads.slot().await;
        let stand_in = Session::new(self.session.client.clone(), false);
        let session = std::mem::replace(&mut self.session, stand_in);
        let finished = self.server.detach(session, request).await;
        let (session, reply) =
            finished.map_err(|_| io::Error::other("the thread of a script ended"))?;
        self.session = session;
        self.out.raw(&reply);
        Ok(())
    }

    /// Returns whether the client sent more than may wait, together with the commands of its transaction.
    fn has_too_much_input(&self) -> bool {
        let queued = self.session.multi.as_ref().map_or(0, |multi| multi.bytes);
        let limit = self.server.parameters.number(INPUT_MAX) as u64;
        let limit = if self.session.is_authenticated { limit } else { limit.min(ANONYMOUS_MAX) };
        (self.input.len() + queued) as u64 > limit
    }

    /// Evaluates complete requests. Returns whether there may be more although enough was replied for now.
    fn run_requests(&mut self) -> bool {
        let mut at = 0;
        let mut has_more = false;
        self.server.begin(&mut self.worker.borrow_mut());
        while at < self.input.len()
            && !self.session.is_waiting()
            && !self.session.is_closing
            && !has_more
        {
            let found = self.find_requests(at);
            let consumed = self.run_found(at, found.inline_end);
            at += consumed;
            if self.ends.last().is_some_and(|(_, end)| at < *end) {
                // Requests behind `at` will be parsed again.
                self.parser = Parser::default();
            }
            has_more = self.out.position() >= OUTPUT_BYTES;
            if let Some(error) = found.error
                && !has_more
                && !self.session.is_waiting()
            {
                self.out.protocol = self.session.protocol;
                self.out.error(&error.0);
                super::protocol_error(Some(self.session.client.address), &error.0.escape_debug());
                self.session.is_closing = true;
            }
            if consumed == 0 {
                break;
            }
        }
        self.input.drain(..at);
        if self.input.is_empty() && self.input.capacity() > KEPT_BYTES {
            self.input = Vec::new();
        }
        if self.positions.capacity() > POSITIONS_KEPT {
            self.positions = Vec::new();
        }
        has_more
    }

    /// Finds complete requests of the input from `at` on: several, or one inline request.
    fn find_requests(&mut self, at: usize) -> Found {
        self.positions.clear();
        self.ends.clear();
        let limits = match self.session.is_authenticated {
            true => Limits { bulk_max: self.server.parameters.number(BULK_MAX), ..LIMITS },
            false => ANONYMOUS,
        };
        let mut from = at;
        while self.ends.len() < GROUP_MAX {
            let rest = self.input.get(from..).unwrap_or_default();
            match self.parser.next(rest, limits) {
                Ok(Some(length)) => {
                    let Some(positions) = self.parser.positions() else {
                        if self.ends.is_empty() {
                            return Found { inline_end: Some(from + length), error: None };
                        }
                        // It is parsed again when those before it are done.
                        break;
                    };
                    let shifted = positions.iter().map(|(start, end)| (start + from, end + from));
                    self.positions.extend(shifted);
                    from += length;
                    self.ends.push((self.positions.len(), from));
                }
                Ok(None) => break,
                // Limits change with AUTH: what follows it is parsed again.
                Err(error) if self.ends.is_empty() => {
                    return Found { inline_end: None, error: Some(error) };
                }
                Err(_) => {
                    self.parser = Parser::default();
                    break;
                }
            }
            if !self.session.is_authenticated {
                break;
            }
        }
        Found { inline_end: None, error: None }
    }

    /// Runs the requests that were found. Returns how many bytes of the input from `at` on are done.
    fn run_found(&mut self, at: usize, inline_end: Option<usize>) -> usize {
        let mut worker = self.worker.borrow_mut();
        let (session, out) = (&mut self.session, &mut self.out);
        if let Some(end) = inline_end {
            let args: SmallVec<[&[u8]; 8]> = self.parser.arguments(&[]).collect();
            if !args.is_empty() && self.server.is_paused(session, Args::new(&args)) {
                // It is parsed again.
                drop(args);
                self.parser = Parser::default();
                return 0;
            }
            if !args.is_empty() {
                self.server.execute(&mut worker, session, Args::new(&args), out);
            }
            return end - at;
        }
        let slice =
            |(start, end): &(usize, usize)| self.input.get(*start..*end).unwrap_or_default();
        let words: SmallVec<[&[u8]; WORDS]> = self.positions.iter().map(slice).collect();
        let (mut requests, mut ends) =
            (SmallVec::<[Args<'_>; REQUESTS]>::new(), SmallVec::<[usize; REQUESTS]>::new());
        let (mut first, mut done) = (0, at);
        for (last, end) in &self.ends {
            // A request without arguments is ignored.
            match words.get(first..*last) {
                Some(list) if !list.is_empty() => {
                    requests.push(Args::new(list));
                    ends.push(*end);
                }
                _ if requests.is_empty() => done = *end,
                _ => {
                    if let Some(before) = ends.last_mut() {
                        *before = *end;
                    }
                }
            }
            first = *last;
        }
        let server = self.server;
        let count = server.execute_many(&mut worker, session, &requests, out, OUTPUT_BYTES);
        count.checked_sub(1).and_then(|last| ends.get(last)).copied().unwrap_or(done) - at
    }

    /// Waits for the client, for an answer to its blocking command, or for messages.
    async fn wait(&mut self, stream: &mut Stream) -> Event {
        let words = self.positions.capacity() * size_of::<(usize, usize)>();
        self.quiet.used(self.input.capacity() + self.out.capacity() + words);
        self.reading.make_room(&mut self.input, self.parser.wanted());
        self.session.client.set_input(self.input.len(), self.input.capacity());
        let waits = self.session.blocked.is_some() || self.session.paused.is_some();
        let may_read = !waits || self.input.len() < AHEAD_MAX;
        let client = &self.session.client;
        let (server, quiet) = (self.server, &mut self.quiet);
        if let Some(wait) = self.session.paused {
            let now_ms = server.clock.monotonic_us() / 1000;
            let left = Duration::from_millis(wait.until_ms.saturating_sub(now_ms).max(1));
            return tokio::select! {
                () = server.pause.changed(wait) => Event::Woken,
                () = tokio::time::sleep(left) => Event::Woken,
                read = stream.read_buf(&mut self.input), if may_read => Event::Read(read),
                () = client.outbox.wake.notified() => Event::Woken,
            };
        }
        match &mut self.session.blocked {
            None => {
                let deadline = idle_deadline(server, &self.session);
                tokio::select! {
                    // Messages are sent after each read, too, so reads cannot hold them up.
                    biased;
                    read = stream.read_buf(&mut self.input) => Event::Read(read),
                    () = client.outbox.wake.notified() => Event::Woken,
                    () = sleep_until(deadline), if deadline.is_some() => Event::Idle,
                    () = quiet.wait() => Event::Quiet,
                }
            }
            Some(blocked) => {
                let deadline = blocked.deadline;
                tokio::select! {
                    biased;
                    reply = &mut blocked.reply => Event::Answer(reply.ok()),
                    read = stream.read_buf(&mut self.input), if may_read => Event::Read(read),
                    () = client.outbox.wake.notified() => Event::Woken,
                    () = sleep_until(deadline), if deadline.is_some() => Event::Timeout,
                }
            }
        }
    }

    /// Frees the memory of buffers that are empty.
    fn shrink(&mut self) {
        self.out.shrink();
        if self.input.is_empty() {
            (self.input, self.positions, self.ends) = (Vec::new(), Vec::new(), Vec::new());
            (self.parser, self.reading) = (Parser::default(), Reading::default());
            self.session.client.set_input(0, 0);
        }
    }

    /// Ends a blocking command with its answer.
    fn answer(&mut self, reply: Option<Vec<u8>>) {
        self.session.unblock(self.server);
        if let Some(reply) = reply {
            self.out.raw(&reply);
        }
    }

    /// Ends a blocking command without one.
    fn time_out(&mut self) {
        let Some(blocked) = &self.session.blocked else { return };
        let timeout = blocked.waiter.timeout;
        match self.session.unblock(self.server) {
            Some(reply) => self.out.raw(&reply),
            None => {
                self.out.protocol = self.session.protocol;
                crate::redis::write_timeout(&mut self.out, timeout);
            }
        }
    }
}

impl Drop for Connection<'_> {
    fn drop(&mut self) {
        self.session.close(self.server);
    }
}

/// Returns until when the client may send nothing.
fn idle_deadline(server: &Server, session: &Session) -> Option<Instant> {
    let seconds = u64::try_from(server.parameters.number(IDLE_MAX)).ok()?;
    let has_limit = seconds > 0 && session.subscription_count() == 0;
    has_limit.then(|| Instant::now() + Duration::from_secs(seconds))
}

async fn sleep_until(deadline: Option<Instant>) {
    if let Some(deadline) = deadline {
        tokio::time::sleep_until(deadline).await;
    }
}
