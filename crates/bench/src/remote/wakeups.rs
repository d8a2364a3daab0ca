//! `ferrolith-bench wakeups`: clients wait in BRPOP for elements that another client pushes one by one, and the time
//! from sending LPUSH to the arrival of an element at one of them is measured.
//!
//! One thread serves all connections, so a time is that of the server and of one round trip, without switches between
//! threads of the client.

use super::arguments::{self, chosen};
use super::resp::{Reply, parse, request};
use super::server::costs;
use super::socket::Socket;
use super::{Address, Protocol, Server, Style};
use crate::histogram::Histogram;
use crate::process::Usage;
use crate::report::say;
use crate::shared::latency;
use crate::shared::screen::{append_line, json_argument};
use crate::target::Result;
use clap::{Arg, ArgMatches, Command, value_parser};
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use serde_json::json;
use std::path::PathBuf;
use std::time::{Duration, Instant};

/// The list.
const KEY: &[u8] = b"ferrolith-bench-wakeups";
/// How long the clients may take until all of them wait.
const BLOCKED_MAX: Duration = Duration::from_secs(10);
/// How long an element may take to arrive.
const ELEMENT_MAX: Timespec = Timespec { tv_sec: 30, tv_nsec: 0 };

/// Runs what the command line says.
pub fn dispatch(args: &ArgMatches) -> Result<bool> {
    let number = |name: &str, default| args.get_one::<u64>(name).copied().unwrap_or(default);
    let (clients, events) = (number("clients", 50), number("events", 20_000));
    let choice = match chosen(args, &[])? {
        (_, Some(choice)) if choice.address.protocol == Protocol::Redis => choice,
        _ => return Err("--engine: expected redis://HOST:PORT".to_owned()),
    };
    let server = Server::open(&choice, Style::Whole, false)?;
    let mut waiting = Waiting::start(&choice.address, clients as usize)?;
    let before = server.pid().and_then(Usage::of);
    let mut times = Histogram::default();
    let begin = Instant::now();
    for _ in 0..events {
        times.add(waiting.wake()?.as_nanos() as u64);
    }
    let seconds = begin.elapsed().as_secs_f64();
    say(&latency::heading());
    say(&latency::row("BRPOP", &times));
    let used = server
        .pid()
        .zip(before)
        .and_then(|(pid, before)| Some(costs(pid, &Usage::of(pid)?.since(&before), events)));
    if let Some(cpu_us) = used.as_ref().and_then(|costs| costs["cpu_us_per_op"].as_f64()) {
        say(&format!("{cpu_us:.2} us of the server's CPU per element"));
    }
    if let Some(path) = args.get_one::<PathBuf>("json") {
        let line = json!({
            "suite": "wakeups", "engine": choice.address.to_string(), "clients": clients,
            "events": events, "seconds": seconds, "latency": latency::of(&times), "server": used,
        });
        append_line(path, &line.to_string())?;
    }
    Ok(true)
}

/// Clients that wait for elements, and the one that pushes them.
struct Waiting {
    /// The pushing client is the first.
    sockets: Vec<Socket>,
    pushed: u64,
}

impl Waiting {
    /// Connects the clients, and returns when all of them wait.
    fn start(address: &Address, clients: usize) -> Result<Waiting> {
        let connect = |_| {
            let mut socket = Socket::connect(&address.host, &address.to_string())?;
            socket.greeted()?;
            Ok(socket)
        };
        let sockets = (0..=clients).map(connect).collect::<Result<Vec<_>>>()?;
        let mut waiting = Waiting { sockets, pushed: 0 };
        waiting.ask(&[b"DEL", KEY])?;
        for at in 1..=clients {
            waiting.block(at)?;
        }
        let begin = Instant::now();
        let expected = format!("blocked_clients:{clients}\r\n");
        while !waiting.ask(&[b"INFO", b"clients"])?.contains(&expected) {
            if begin.elapsed() > BLOCKED_MAX {
                return Err(format!("{address}: {clients} clients sent BRPOP and do not wait"));
            }
            std::thread::sleep(Duration::from_millis(10));
        }
        Ok(waiting)
    }

    /// Sends a request of the first client. Returns its reply if it is a text.
    fn ask(&mut self, words: &[&[u8]]) -> Result<String> {
        let socket = &mut self.sockets[0];
        request(words, socket.out());
        loop {
            socket.receive()?;
            if let Some(reply) = take(socket)? {
                return Ok(String::from_utf8_lossy(&reply).into_owned());
            }
        }
    }

    /// Makes a client wait.
    fn block(&mut self, at: usize) -> Result<()> {
        let socket = &mut self.sockets[at];
        request(&[b"BRPOP", KEY, b"0"], socket.out());
        socket.send()
    }

    /// Pushes an element. Returns how long it took to a waiting client, which then waits again.
    fn wake(&mut self) -> Result<Duration> {
        self.pushed += 1;
        let element = self.pushed.to_string();
        request(&[b"LPUSH", KEY, element.as_bytes()], self.sockets[0].out());
        let begin = Instant::now();
        self.sockets[0].send()?;
        let (mut woken, mut is_pushed) = (None, false);
        loop {
            for at in self.readable()? {
                self.sockets[at].fill()?;
                let Some(reply) = take(&mut self.sockets[at])? else { continue };
                if at == 0 {
                    is_pushed = true;
                } else if woken.is_none() && reply == element.as_bytes() {
                    woken = Some((at, begin.elapsed()));
                } else {
                    let text = String::from_utf8_lossy(&reply);
                    return Err(format!("element {element}: an unexpected reply {text:?}"));
                }
            }
            if let (Some((at, time)), true) = (woken, is_pushed) {
                self.block(at)?;
                return Ok(time);
            }
        }
    }

    /// Waits until replies arrive, and returns whose.
    fn readable(&self) -> Result<Vec<usize>> {
        let new = |socket| PollFd::new(socket, PollFlags::IN);
        let mut polled: Vec<PollFd<'_>> = self.sockets.iter().map(new).collect();
        let count = poll(&mut polled, Some(&ELEMENT_MAX)).map_err(|e| format!("poll: {e}"))?;
        if count == 0 {
            return Err(format!("element {}: no reply within 30 s", self.pushed));
        }
        let is_ready = |fd: &PollFd<'_>| !fd.revents().is_empty();
        Ok((0..).zip(&polled).filter(|(_, fd)| is_ready(fd)).map(|(at, _)| at).collect())
    }
}

/// Takes a reply, if it has arrived as a whole: a text, the last part of an array, or nothing of a number.
fn take(socket: &mut Socket) -> Result<Option<Vec<u8>>> {
    let foreign = || format!("{}: the reply is not one of Redis's protocol", socket.name());
    let Some((reply, length)) = parse(socket.input()).map_err(|_| foreign())? else {
        return Ok(None);
    };
    let text = match reply {
        Reply::Bulk(Some(text)) => text.to_vec(),
        Reply::Array(Some(parts)) => match parts.last() {
            Some(Reply::Bulk(Some(text))) => text.to_vec(),
            _ => return Err(foreign()),
        },
        Reply::Integer(_) => Vec::new(),
        Reply::Error(error) => {
            return Err(format!("{}: {}", socket.name(), String::from_utf8_lossy(error)));
        }
        _ => return Err(foreign()),
    };
    socket.consume(length);
    Ok(Some(text))
}

/// The subcommand of `ferrolith-bench`.
pub fn command() -> Command {
    let number = |name: &'static str, help: &'static str| {
        let parser = value_parser!(u64).range(1..);
        Arg::new(name).long(name).value_name("N").value_parser(parser).help(help)
    };
    Command::new("wakeups")
        .about("The time that clients of a Redis server take to wake up in BRPOP")
        .args(arguments::of_server())
        .arg(number("clients", "Clients that wait [default: 50]"))
        .arg(number("events", "Elements that are pushed [default: 20000]"))
        .arg(json_argument())
}
