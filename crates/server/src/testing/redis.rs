//! A real `redis-server` to compare with, and a small client for it.
//!
//! Tests skip with a message if the program is not installed; `tools/fetch-peers.sh` installs it.
//! `FERROLITH_REDIS_SERVER` names another program, for example a newer version.

use std::io::{self, BufRead, BufReader, Read, Write};
use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// A reply of Redis.
#[derive(Clone, Debug, PartialEq)]
pub enum Reply {
    /// A simple or a bulk string.
    Text(Vec<u8>),
    /// An error with its code.
    Error(String),
    /// An integer.
    Integer(i64),
    /// A null.
    Null,
    /// An array.
    Array(Vec<Reply>),
}

/// A running Redis and a connection to it. Dropping it stops the server.
pub struct Redis {
    child: Child,
    stream: BufReader<TcpStream>,
    directory: tempfile::TempDir,
}

impl Redis {
    /// Starts a server without files on a free port of the loopback interface. `None` if there is no `redis-server`.
    pub fn start() -> Option<Redis> {
        Redis::start_with(&[])
    }

    /// Starts a server with more arguments.
    pub fn start_with(arguments: &[&str]) -> Option<Redis> {
        let program = std::env::var_os("FERROLITH_REDIS_SERVER").unwrap_or("redis-server".into());
        let directory = tempfile::tempdir().expect("a temporary directory");
        // Another process may take the port before the server does.
        for _ in 0..20 {
            let port = free_port().to_string();
            let child = Command::new(&program)
                .args(["--bind", "127.0.0.1", "--port", &port, "--save", "", "--dir"])
                .arg(directory.path())
                .args(["--enable-debug-command", "yes"])
                .args(arguments)
                .stdout(Stdio::null())
                .stderr(Stdio::null())
                .spawn();
            let mut child = match child {
                Ok(child) => child,
                Err(error) if error.kind() == io::ErrorKind::NotFound => {
                    eprintln!("skipped: redis-server is not installed; see tools/fetch-peers.sh");
                    return None;
                }
                Err(error) => panic!("cannot start {program:?}: {error}"),
            };
            match connect(&mut child, &port) {
                Ok(stream) => {
                    return Some(Redis { child, stream, directory });
                }
                Err(_) => drop(child.kill().and_then(|()| child.wait())),
            }
        }
        panic!("{program:?} did not listen on any of 20 ports");
    }

    /// Returns the directory of the server's files.
    pub fn directory(&self) -> &std::path::Path {
        self.directory.path()
    }

    /// Sends one command and returns its reply.
    pub fn call<A: AsRef<[u8]>>(&mut self, arguments: &[A]) -> Reply {
        self.send(arguments);
        self.receive()
    }

    /// Sends commands at once and returns their replies.
    pub fn pipeline(&mut self, commands: &[Vec<Vec<u8>>]) -> Vec<Reply> {
        let mut replies = Vec::with_capacity(commands.len());
        for part in commands.chunks(200) {
            part.iter().for_each(|command| self.send(command));
            replies.extend(part.iter().map(|_| self.receive()));
        }
        replies
    }

    /// Sends one command whose reply must be a string.
    #[track_caller]
    pub fn text<A: AsRef<[u8]>>(&mut self, arguments: &[A]) -> Vec<u8> {
        match self.call(arguments) {
            Reply::Text(text) => text,
            other => panic!("expected a string, found {other:?}"),
        }
    }

    fn send<A: AsRef<[u8]>>(&mut self, arguments: &[A]) {
        let mut request = format!("*{}\r\n", arguments.len()).into_bytes();
        for argument in arguments {
            let argument = argument.as_ref();
            request.extend_from_slice(format!("${}\r\n", argument.len()).as_bytes());
            request.extend_from_slice(argument);
            request.extend_from_slice(b"\r\n");
        }
        self.stream.get_mut().write_all(&request).expect("Redis reads");
    }

    fn receive(&mut self) -> Reply {
        let mut line = Vec::new();
        self.stream.read_until(b'\n', &mut line).expect("Redis writes");
        let line = line.strip_suffix(b"\r\n").expect("a whole line");
        let rest = String::from_utf8_lossy(&line[1..]).into_owned();
        let number = || rest.parse::<i64>().expect("a number");
        match line[0] {
            b'+' => Reply::Text(rest.into_bytes()),
            b'-' => Reply::Error(rest),
            b':' => Reply::Integer(number()),
            b'$' | b'*' if number() < 0 => Reply::Null,
            b'$' => {
                let mut text = vec![0; number() as usize + 2];
                self.stream.read_exact(&mut text).expect("Redis writes");
                text.truncate(text.len() - 2);
                Reply::Text(text)
            }
            b'*' => Reply::Array((0..number()).map(|_| self.receive()).collect()),
            other => panic!("unknown reply {other}"),
        }
    }
}

impl Drop for Redis {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Returns a command from its words.
pub fn command<A: AsRef<[u8]>>(words: &[A]) -> Vec<Vec<u8>> {
    words.iter().map(|word| word.as_ref().to_vec()).collect()
}

fn free_port() -> u16 {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).expect("a free port");
    listener.local_addr().expect("an address").port()
}

/// Connects to a starting server. Fails if it ended, as it does if another server has its port.
fn connect(child: &mut Child, port: &str) -> io::Result<BufReader<TcpStream>> {
    let start = Instant::now();
    while child.try_wait()?.is_none() && start.elapsed() < Duration::from_secs(20) {
        let Ok(stream) = TcpStream::connect(format!("127.0.0.1:{port}")) else {
            std::thread::sleep(Duration::from_millis(20));
            continue;
        };
        let mut stream = BufReader::new(stream);
        if process_id(&mut stream)? == child.id() {
            return Ok(stream);
        }
        return Err(io::Error::other("another server has the port"));
    }
    Err(io::Error::other("the server ended or does not listen"))
}

/// Asks a server for the id of its process.
fn process_id(stream: &mut BufReader<TcpStream>) -> io::Result<u32> {
    stream.get_mut().write_all(b"INFO server\r\n")?;
    let mut line = String::new();
    stream.read_line(&mut line)?;
    let length: usize = line.trim_matches(['$', '\r', '\n']).parse().map_err(io::Error::other)?;
    let mut info = vec![0; length + 2];
    stream.read_exact(&mut info)?;
    let info = String::from_utf8_lossy(&info);
    let id = info.lines().find_map(|line| line.strip_prefix("process_id:"));
    id.unwrap_or_default().parse().map_err(io::Error::other)
}
