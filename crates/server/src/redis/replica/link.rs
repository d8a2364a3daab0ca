//! The connection to the server whose replica this one is: handshake, copy, and stream.
//!
//! ```text
//! connect -> PING, AUTH, REPLCONF -> PSYNC -+-> +FULLRESYNC: copy to a file, load it -+-> stream
//!               ^                           +-> +CONTINUE ----------------------------+     |
//!               +----------- after an error, at the position that was reached --------------+
//! ```
//!
//! `receive` has the copy.

use super::apply::{Applied, Applier};
use super::position::{Position, Target};
use super::state::{LinkState, Status};
use crate::error::{Error, Result};
use crate::redis::args::Args;
use crate::redis::entries::error_of;
use crate::redis::parameters::Id;
use crate::redis::server::Server;
use crate::resp::{Limits, Parser, Peer, PeerReply, write_request};
use crate::tls::Stream;
use std::io::{self, BufRead, ErrorKind};
use std::sync::Arc;
use std::time::{Duration, Instant};
use tracing::{info, warn};

const MASTER_USER: Id = Id::of("masteruser");
const MASTER_PASSWORD: Id = Id::of("masterauth");
const TIMEOUT_S: Id = Id::of("repl-timeout");

/// How long the connection may take to be made.
const CONNECT_MAX: Duration = Duration::from_secs(5);
/// The time between two acknowledgements.
pub(super) const ACK_INTERVAL: Duration = Duration::from_secs(1);
/// The first pause after an error; it doubles with each that follows.
const PAUSE_MIN: Duration = Duration::from_secs(1);
/// The longest pause after an error.
const PAUSE_MAX: Duration = Duration::from_secs(30);
/// Errors of commands that are printed, per connection.
const PRINTED_MAX: u64 = 10;
/// The other server checked the commands of its stream.
const LIMITS: Limits =
    Limits { arguments_max: i32::MAX as i64, bulk_max: i64::MAX / 2, is_anonymous: false };

/// Follows other servers until this one stops: the main function of a thread.
pub fn run(server: &Arc<Server>) {
    let mut pause = PAUSE_MIN;
    while let Some((generation, status)) = server.replication.wait_for_target() {
        let Some(target) = status.target.clone() else { continue };
        let mut link = Link { server, generation, target, has_streamed: false };
        let result = link.follow(status.position);
        server.replication.hang_up(generation);
        if server.replication.is_stopping() || server.replication.generation() != generation {
            pause = PAUSE_MIN;
            continue;
        }
        if link.has_streamed {
            pause = PAUSE_MIN;
        }
        if let Err(error) = result {
            let text = error.to_string();
            warn!(target: "ferrolith::replica", master = %link.target, error = text, again_in = ?pause, "the connection failed");
            link.update(|status| {
                (status.link, status.last_error) = (LinkState::Down, text);
                status.down_us = server.clock.monotonic_us();
            });
        }
        server.replication.pause(generation, pause);
        pause = (pause * 2).min(PAUSE_MAX);
    }
}

/// A connection.
pub(super) struct Link<'s> {
    pub server: &'s Arc<Server>,
    pub generation: u64,
    pub target: Target,
    /// Whether the connection got as far as the stream.
    has_streamed: bool,
}

impl Link<'_> {
    /// Connects, and follows the other server until the connection ends.
    fn follow(&mut self, position: Option<Position>) -> Result<()> {
        self.update(|status| status.link = LinkState::Connecting);
        let mut peer = self.connect()?;
        let position = self.synchronise(&mut peer, position)?;
        info!(target: "ferrolith::replica", master = %self.target, offset = position.offset, "following");
        self.stream(&mut peer, position)
    }

    fn connect(&self) -> Result<Peer> {
        let failed = |error| self.failed("connecting", error);
        // The files are read for each connection, so a renewed certificate needs no restart.
        let (address, tls) = (self.target.address(), self.server.replica_tls()?);
        let socket = Stream::socket_to(&address, CONNECT_MAX).map_err(failed)?;
        // Before the handshake: REPLICAOF must end that of a server which sends a byte now and then, too.
        let same = socket.try_clone().map_err(failed)?;
        if !self.server.replication.set_socket(self.generation, same) {
            return Err(Error::Setting("the server follows another one now".to_owned()));
        }
        let mut peer = Peer::over(socket, &address, tls.as_ref()).map_err(failed)?;
        let timeout = Some(self.timeout());
        peer.socket().set_read_timeout(timeout).map_err(failed)?;
        peer.socket().set_write_timeout(timeout).map_err(failed)?;
        let parameters = &self.server.parameters;
        let (user, password) = (parameters.text(MASTER_USER), parameters.text(MASTER_PASSWORD));
        peer.authenticate(&user, &password)
            .map_err(|error| self.failed("the parameters masteruser and masterauth", error))?;
        let port = self.server.settings.port.to_string();
        self.expect_ok(&mut peer, &[b"PING"])?;
        self.expect_ok(&mut peer, &[b"REPLCONF", b"listening-port", port.as_bytes()])?;
        self.expect_ok(&mut peer, &[b"REPLCONF", b"capa", b"eof", b"capa", b"psync2"])?;
        Ok(peer)
    }

    fn expect_ok(&self, peer: &mut Peer, words: &[&[u8]]) -> Result<()> {
        let reply = peer.call(words).map_err(|error| self.failed("handshake", error))?;
        match reply {
            PeerReply::Simple(_) => Ok(()),
            // Old servers do not know each option, and need none.
            PeerReply::Error(text)
                if words.first() == Some(&&b"REPLCONF"[..])
                    && !text.starts_with("NOAUTH")
                    && !text.starts_with("NOPERM") =>
            {
                Ok(())
            }
            other => {
                let name = String::from_utf8_lossy(words.first().copied().unwrap_or_default());
                let text = shown(&other);
                let advice = match text.starts_with("NOAUTH") {
                    true => " (CONFIG SET masterauth, and masteruser if need be)",
                    false => "",
                };
                Err(Error::Setting(format!("{name}: {text}{advice}")))
            }
        }
    }

    /// Asks for the stream behind a position, or for a copy of all data. Returns the position where the stream begins.
    fn synchronise(&self, peer: &mut Peer, position: Option<Position>) -> Result<Position> {
        let (id, offset) = match &position {
            Some(position) => (position.id.clone(), (position.offset + 1).to_string()),
            None => ("?".to_owned(), "-1".to_owned()),
        };
        let mut request = Vec::new();
        write_request(&mut request, &[b"PSYNC", id.as_bytes(), offset.as_bytes()]);
        let failed = |error| self.failed("PSYNC", error);
        peer.send(&request).map_err(failed)?;
        let line = self.line(peer)?;
        let words: Vec<&str> = line.split(' ').collect();
        match (words.as_slice(), position) {
            ([first, id, offset], _) if *first == "+FULLRESYNC" => {
                // A signed number at the other server, so the next one is in the range, too.
                let number = offset.parse::<i64>().ok();
                let number = number.and_then(|number| u64::try_from(number).ok());
                let offset = number.ok_or_else(|| unexpected("PSYNC", &line))?;
                let (target, id) = (self.target.clone(), (*id).to_owned());
                self.copy(peer, Position { target, id, offset, database: 0 })
            }
            ([first, rest @ ..], Some(position)) if *first == "+CONTINUE" => {
                // After a failover the stream has a new identity.
                let id = rest.first().map_or(position.id.clone(), |id| (*id).to_owned());
                Ok(Position { id, ..position })
            }
            _ => Err(unexpected("PSYNC", &line)),
        }
    }

    /// Returns the next line that is not empty: empty ones say that the other server lives.
    pub(super) fn line(&self, peer: &mut Peer) -> Result<String> {
        loop {
            let line = peer.line().map_err(|error| self.failed("waiting for the copy", error))?;
            self.heard();
            if !line.is_empty() {
                return Ok(String::from_utf8_lossy(&line).into_owned());
            }
        }
    }

    /// Applies the stream until the connection ends.
    fn stream(&mut self, peer: &mut Peer, position: Position) -> Result<()> {
        let failed = |error| self.failed("the stream", error);
        peer.socket().set_read_timeout(Some(ACK_INTERVAL)).map_err(failed)?;
        let (now_us, start) = (self.server.clock.monotonic_us(), position.clone());
        self.update(|status| {
            (status.link, status.read_offset) = (LinkState::Up, start.offset);
            status.heard_us = now_us;
            status.position = Some(start);
            if status.errors == 0 {
                status.last_error.clear();
            }
        });
        self.has_streamed = true;
        let mut applier = Applier::new(self.server, self.generation, position);
        let mut input = Input::default();
        let (mut heard, mut acknowledged) = (Instant::now(), None::<Instant>);
        loop {
            if acknowledged.is_none_or(|last| last.elapsed() >= ACK_INTERVAL) {
                self.acknowledge(peer, applier.position.offset)?;
                acknowledged = Some(Instant::now());
            }
            match input.read(peer) {
                Ok(0) => return Err(self.failed("the stream", ErrorKind::UnexpectedEof.into())),
                Ok(_) => heard = Instant::now(),
                Err(error) if is_timeout(&error) => {
                    if heard.elapsed() > self.timeout() {
                        return Err(self.failed("the stream is silent", error));
                    }
                    self.note_position(&applier);
                    continue;
                }
                Err(error) => return Err(self.failed("the stream", error)),
            }
            let offset =
                applier.position.offset + input.unapplied as u64 + input.bytes.len() as u64;
            let now_us = self.server.clock.monotonic_us();
            self.update(|status| (status.read_offset, status.heard_us) = (offset, now_us));
            let asked = self.apply_all(&mut applier, &mut input);
            // After an error, too: what is applied must not be asked for again.
            self.note_position(&applier);
            if asked? {
                self.acknowledge(peer, applier.position.offset)?;
            }
        }
    }

    /// Applies the complete commands that arrived. Returns whether the other server asked for an acknowledgement.
    fn apply_all(&self, applier: &mut Applier<'_>, input: &mut Input) -> Result<bool> {
        let (mut at, mut asked) = (0, false);
        let mut offset = applier.position.offset + input.unapplied as u64;
        loop {
            let rest = input.bytes.get(at..).unwrap_or_default();
            let length = input.parser.next(rest, LIMITS).map_err(|error| {
                Error::corrupt(format!("the stream at offset {offset}: {}", error.0))
            })?;
            let Some(length) = length else { break };
            offset += length as u64;
            let args: Vec<&[u8]> = input.parser.arguments(rest).collect();
            if args.is_empty() {
                // A line without a command.
                input.unapplied += length;
            } else {
                let args = Args::new(&args);
                let mut note = |text: &str| self.note_failure(args, offset, text);
                let applied = applier.apply(args, offset, &mut note).map_err(error_of)?;
                asked |= applied == Applied::Acknowledge;
                input.unapplied = (offset - applier.position.offset) as usize;
            }
            at += length;
        }
        input.bytes.drain(..at);
        Ok(asked)
    }

    /// Notes a command that failed although it did not fail at the other server.
    fn note_failure(&self, args: Args<'_>, offset: u64, text: &str) {
        let name = String::from_utf8_lossy(args.at(0)).into_owned();
        let text = format!("{name} at offset {offset}: {}", text.trim_end());
        let mut errors = 0;
        self.update(|status| {
            status.errors += 1;
            status.last_error.clone_from(&text);
            errors = status.errors;
        });
        if errors <= PRINTED_MAX {
            warn!(target: "ferrolith::replica", master = %self.target, error = text, "the copy may differ");
        }
    }

    /// Shows how far the stream is applied.
    fn note_position(&self, applier: &Applier<'_>) {
        let position = applier.position.clone();
        self.update(|status| status.position = Some(position));
    }

    fn acknowledge(&self, peer: &mut Peer, offset: u64) -> Result<()> {
        let (mut request, offset) = (Vec::new(), offset.to_string());
        write_request(&mut request, &[b"REPLCONF", b"ACK", offset.as_bytes()]);
        peer.send(&request).map_err(|error| self.failed("sending an acknowledgement", error))
    }

    pub(super) fn update(&self, change: impl FnOnce(&mut Status)) {
        self.server.replication.update(self.generation, change);
    }

    fn heard(&self) {
        let now_us = self.server.clock.monotonic_us();
        self.update(|status| status.heard_us = now_us);
    }

    fn timeout(&self) -> Duration {
        let seconds = self.server.parameters.number(TIMEOUT_S);
        Duration::from_secs(u64::try_from(seconds).unwrap_or(1).max(1))
    }

    pub(super) fn failed(&self, what: &str, error: io::Error) -> Error {
        Error::Io(what.to_owned(), error)
    }
}

/// The bytes of the stream that are not applied.
#[derive(Default)]
struct Input {
    bytes: Vec<u8>,
    parser: Parser,
    /// The bytes of commands of an open transaction, which are parsed but not applied.
    unapplied: usize,
}

impl Input {
    /// Appends what arrived. Returns how many bytes these are; 0 at the end of the connection.
    fn read(&mut self, peer: &mut Peer) -> io::Result<usize> {
        let part = peer.reader().fill_buf()?;
        let length = part.len();
        self.bytes.extend_from_slice(part);
        peer.reader().consume(length);
        Ok(length)
    }
}

fn is_timeout(error: &io::Error) -> bool {
    matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut | ErrorKind::Interrupted)
}

pub(super) fn unexpected(what: &str, line: &str) -> Error {
    Error::Setting(format!("{what}: the other server replied {line:?}"))
}

fn shown(reply: &PeerReply) -> String {
    match reply {
        PeerReply::Error(text) | PeerReply::Simple(text) => text.clone(),
        other => format!("{other:?}"),
    }
}
