//! Runs the program, and servers.

use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, Command, Output, Stdio};

/// Returns the program with arguments.
pub fn ferrolith(args: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_ferrolith"));
    command.args(args);
    command
}

/// How a command ended.
pub struct Ended {
    pub code: i32,
    pub out: String,
    pub error: String,
}

impl Ended {
    fn new(output: Output) -> Ended {
        let text = |bytes| String::from_utf8(bytes).unwrap();
        let code = output.status.code().expect("an exit code");
        Ended { code, out: text(output.stdout), error: text(output.stderr) }
    }
}

/// Runs a command to its end.
pub fn run(args: &[&str]) -> Ended {
    Ended::new(ferrolith(args).output().unwrap())
}

/// Runs a command that must succeed, and returns what it printed.
pub fn done(args: &[&str]) -> String {
    let ended = run(args);
    assert_eq!(ended.code, 0, "{args:?}: {}{}", ended.out, ended.error);
    ended.out
}

/// Runs a command with this standard input.
pub fn with_input(args: &[&str], input: &[u8]) -> Ended {
    let mut command = ferrolith(args);
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    child.stdin.take().unwrap().write_all(input).unwrap();
    Ended::new(child.wait_with_output().unwrap())
}

/// A running server, which is killed when it is dropped.
pub struct Server {
    pub redis: String,
    pub pegasus: String,
    /// The addresses with TLS, those for Redis clients first; or that of Redis clients of a table.
    pub secure: Vec<String>,
    child: Child,
}

impl Server {
    pub fn start(dir: &Path, flags: &[&str]) -> Server {
        let mut command = ferrolith(&["server", "--dir"]);
        command.arg(dir).args(["--listen", "127.0.0.1:0", "--pegasus-listen", "127.0.0.1:0"]);
        command.args(["--memory-mb", "32", "--durability", "os"]).args(flags);
        let mut child = command.stdout(Stdio::piped()).spawn().unwrap();
        let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
        let (mut redis, mut pegasus, mut secure) = (String::new(), String::new(), Vec::new());
        let is_listener =
            |flag: &&&str| flag.ends_with("tls-listen") || flag.ends_with("redis-listen");
        let count = 2 + flags.iter().filter(is_listener).count();
        for _ in 0..count {
            let line = lines.next().expect("a line with an address").unwrap();
            let (name, address) = line.split_once(": ").expect("an address");
            match name {
                "Redis clients" => redis = address.to_owned(),
                "Pegasus clients" => pegasus = address.to_owned(),
                _ => secure.push(address.to_owned()),
            }
        }
        assert!(!redis.is_empty() && !pegasus.is_empty());
        Server { redis, pegasus, secure, child }
    }

    /// Runs a command at this server.
    pub fn run(&self, args: &[&str]) -> Ended {
        run(&[args, &["--server", &self.redis]].concat())
    }

    /// Runs a command at this server, which must succeed.
    pub fn done(&self, args: &[&str]) -> String {
        done(&[args, &["--server", &self.redis]].concat())
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }
}
