//! A real `redis-server` to compare with, and a small client for it.

use super::process::RedisProcess;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;

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
    process: RedisProcess,
    stream: BufReader<TcpStream>,
}

impl Redis {
    /// Starts a server without files on a free port of the loopback interface. `None` if there is no `redis-server`.
    pub fn start() -> Option<Redis> {
        Redis::start_with(&[])
    }

    /// Starts a server with more arguments.
    pub fn start_with(arguments: &[&str]) -> Option<Redis> {
        let (process, stream) = RedisProcess::start(arguments)?;
        Some(Redis { process, stream })
    }

    /// Returns the directory of the server's files.
    pub fn directory(&self) -> &std::path::Path {
        self.process.directory()
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

/// Returns a command from its words.
pub fn command<A: AsRef<[u8]>>(words: &[A]) -> Vec<Vec<u8>> {
    words.iter().map(|word| word.as_ref().to_vec()).collect()
}
