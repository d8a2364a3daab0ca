//! MIGRATE: keys move to another server, which restores them from the serialized form.
//!
//! The command runs on a thread of its own, since it waits for the other server. It holds the latches of its keys all
//! the while, so no client changes them between the copy and the deletion. So all that it waits for has an end.

use crate::dump::{self, Version};
use crate::redis::args::{Args, is};
use crate::redis::command::{APART, Command, Group, WRITE};
use crate::redis::context::{Cause, Context};
use crate::redis::failure::{Done, Failure, SYNTAX};
use crate::redis::families::dump::read;
use crate::redis::keyspec::{self, KeySpec, MIGRATE_KEY, MIGRATE_OPTIONS, migrate_operands};
use crate::resp::{Peer, PeerReply, write_request};
use std::collections::HashSet;
use std::io::{self, ErrorKind};
use std::time::{Duration, Instant};

pub(in crate::redis) const COMMANDS: &[Command] =
    &[Command::new("migrate", -6, WRITE.and(APART), Group::Generic, migrate)
        .with_keys(&KEYS)
        .with_docs("2.6.0", "Moves keys to another server.")];

const KEYS: [KeySpec; 2] = keyspec::migrate();

/// Keys that are sent before their replies are read.
const BATCH: usize = 32;
/// The longest time of each step; a client may ask for less.
const STEP_MAX_MS: i64 = 60_000;
/// The time of each step if the client asks for none.
const STEP_DEFAULT_MS: i64 = 1000;
/// The longest time of all steps.
const TOTAL_MAX: Duration = Duration::from_secs(300);

const WRITING: &str = "writing to target instance";
const READING: &str = "reading from target instance";

/// What is asked for.
struct Request<'a> {
    address: String,
    database: i64,
    timeout: Duration,
    /// When the command ends at the latest.
    end: Instant,
    keeps: bool,
    replaces: bool,
    /// The words of AUTH for the other server.
    login: Option<Vec<&'a [u8]>>,
    keys: Vec<&'a [u8]>,
}

impl<'a> Request<'a> {
    fn parse(args: Args<'a>) -> Done<Request<'a>> {
        let (mut keeps, mut replaces, mut login) = (false, false, None);
        // The positions of keys, for rights and latches, are found in the same way: see `keyspec::migrate`.
        let mut keys = vec![args.at(MIGRATE_KEY)];
        let mut words = args.options(MIGRATE_OPTIONS);
        while let Some(word) = words.next() {
            if is(word, "copy") {
                keeps = true;
            } else if is(word, "replace") {
                replaces = true;
            } else if is(word, "auth") || is(word, "auth2") {
                let mut request = vec![&b"AUTH"[..]];
                for _ in 0..migrate_operands(word) {
                    request.push(words.value()?);
                }
                login = Some(request);
            } else if is(word, "keys") {
                if !args.at(MIGRATE_KEY).is_empty() {
                    return Err(
                        "ERR When using MIGRATE KEYS option, the key argument must be set to \
                                the empty string"
                            .into(),
                    );
                }
                keys = args.from(args.len() - words.left()).to_vec();
                break;
            } else {
                return Err(SYNTAX.into());
            }
        }
        let (timeout_ms, database) = (args.integer(5)?, args.integer(4)?);
        let timeout_ms = if timeout_ms <= 0 { STEP_DEFAULT_MS } else { timeout_ms };
        let host = String::from_utf8_lossy(args.at(1));
        let address = match host.contains(':') && !host.starts_with('[') {
            true => format!("[{host}]:{}", args.at(2).escape_ascii()),
            false => format!("{host}:{}", args.at(2).escape_ascii()),
        };
        let timeout = Duration::from_millis(timeout_ms.min(STEP_MAX_MS).unsigned_abs());
        let end = Instant::now() + TOTAL_MAX;
        Ok(Request { address, database, timeout, end, keeps, replaces, login, keys })
    }

    /// Returns when a step ends at the latest that begins now.
    fn step_end(&self) -> Instant {
        (Instant::now() + self.timeout).min(self.end)
    }

    /// Connects, authenticates and selects the database.
    fn connect(&self) -> Done<Peer> {
        let mut peer = Peer::connect_until(&self.address, self.step_end()).map_err(|error| {
            // Redis notices when it writes that nobody listens.
            let is_refused = error.kind() == ErrorKind::ConnectionRefused;
            lost(if is_refused { WRITING } else { "connecting to the client" })
        })?;
        let database = self.database.to_string();
        let select = [&b"SELECT"[..], database.as_bytes()];
        for words in self.login.iter().map(Vec::as_slice).chain([&select[..]]) {
            peer.set_end(self.step_end());
            accepted(peer.call(words).map_err(|_| lost(READING))?)?;
        }
        Ok(peer)
    }
}

fn migrate(context: &mut Context<'_>, args: Args<'_>) -> Done {
    let request = Request::parse(args)?;
    if context.cause() != Cause::Client {
        return Err("ERR MIGRATE is not supported in transactions and scripts".into());
    }
    if !context.is_detached() {
        return Err(Failure::NeedsThread);
    }
    let (mut present, mut seen) = (Vec::new(), HashSet::with_capacity(request.keys.len()));
    for key in &request.keys {
        if seen.insert(*key) && context.head(&context.place(key))?.is_some() {
            present.push(*key);
        }
    }
    if present.is_empty() {
        context.out.simple("NOKEY");
        return Ok(());
    }
    let mut peer = request.connect()?;
    let mut failure = None;
    for keys in present.chunks(BATCH) {
        let Ok(sent) = send(context, &request, &mut peer, keys)? else {
            failure.get_or_insert(lost(WRITING));
            break;
        };
        // All replies are read, also behind a refusal: a key that the other server took is not kept here, too.
        match receive(context, &request, &mut peer, &sent, &mut failure) {
            Ok(deleted) => deleted?,
            Err(_) => {
                failure.get_or_insert(lost(READING));
                break;
            }
        }
    }
    match failure {
        None => {
            context.out.ok();
            Ok(())
        }
        // The keys that moved are deleted all the same.
        Some(failure) => {
            Err(Failure::Kept { text: failure.text().into_owned(), is_counted: false })
        }
    }
}

/// Sends keys with their values. Returns those that were sent.
fn send<'k>(
    context: &mut Context<'_>,
    request: &Request<'_>,
    peer: &mut Peer,
    keys: &[&'k [u8]],
) -> Done<io::Result<Vec<&'k [u8]>>> {
    let mut sent = Vec::with_capacity(keys.len());
    for key in keys {
        if is_stopping(context) {
            return Ok(Err(ErrorKind::Interrupted.into()));
        }
        let expire_ms = context.head(&context.place(key))?.map_or(0, |head| head.expire_ms);
        let Some(value) = read(context, key)? else { continue };
        // Relative, since the clocks of two machines may differ.
        let ttl = match expire_ms {
            0 => 0,
            at_ms => at_ms.saturating_sub(context.clock_ms()).max(1),
        };
        let (ttl, payload) = (ttl.to_string(), dump::encode(&value, Version::V10));
        let mut words: Vec<&[u8]> = vec![b"RESTORE", key, ttl.as_bytes(), &payload];
        if request.replaces {
            words.push(b"REPLACE");
        }
        let mut bytes = Vec::new();
        write_request(&mut bytes, &words);
        if let Err(error) = send_all(request, peer, &bytes) {
            return Ok(Err(error));
        }
        sent.push(*key);
    }
    Ok(Ok(sent))
}

/// Sends bytes. Each part of them is a step, since a large value may take long.
fn send_all(request: &Request<'_>, peer: &mut Peer, bytes: &[u8]) -> io::Result<()> {
    const PART: usize = 1 << 20;
    for part in bytes.chunks(PART) {
        peer.set_end(request.step_end());
        peer.send(part)?;
    }
    Ok(())
}

/// Returns whether the server stops: then the keys that did not move yet stay.
fn is_stopping(context: &Context<'_>) -> bool {
    context.server.scripts.is_stopping()
}

/// Reads the replies for keys, and deletes those that the other server has. Notes the first refusal.
fn receive(
    context: &mut Context<'_>,
    request: &Request<'_>,
    peer: &mut Peer,
    keys: &[&[u8]],
    failure: &mut Option<Failure>,
) -> io::Result<Done> {
    for key in keys {
        if is_stopping(context) {
            return Err(ErrorKind::Interrupted.into());
        }
        peer.set_end(request.step_end());
        match accepted(peer.receive()?) {
            Ok(()) if request.keeps => {}
            Ok(()) => {
                if let Err(failure) = delete(context, key) {
                    return Ok(Err(failure));
                }
            }
            Err(refusal) => _ = failure.get_or_insert(refusal),
        }
    }
    Ok(Ok(()))
}

fn delete(context: &mut Context<'_>, key: &[u8]) -> Done {
    if context.remove(&context.place(key))? {
        context.notify(b'g', "del", key);
    }
    Ok(())
}

/// Checks a reply of the other server.
fn accepted(reply: PeerReply) -> Done {
    match reply {
        PeerReply::Error(text) => {
            Err(format!("ERR Target instance replied with error: {text}").into())
        }
        _ => Ok(()),
    }
}

/// Returns the error of a connection that failed. The reason is not told, as in Redis.
fn lost(what: &str) -> Failure {
    format!("IOERR error or timeout {what}").into()
}
