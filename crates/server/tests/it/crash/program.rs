//! The server program in a process of its own.

use std::io::{BufRead, BufReader};
use std::net::SocketAddr;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::Mutex;

/// A running server, which is killed when it is dropped.
pub struct Program {
    pub redis: SocketAddr,
    pub pegasus: SocketAddr,
    child: Mutex<Child>,
}

impl Program {
    /// Starts the server on free ports.
    pub fn start(dir: &Path, durability: &str) -> Program {
        Program::start_with(dir, durability, &[])
    }

    /// The same, with more flags.
    pub fn start_with(dir: &Path, durability: &str, flags: &[&str]) -> Program {
        let mut child = Command::new(env!("CARGO_BIN_EXE_ferrolith-server"))
            .arg("--dir")
            .arg(dir)
            .args(["--durability", durability, "--memory-mb", "64", "--redis-partitions", "4"])
            .args(["--listen", "127.0.0.1:0", "--pegasus-listen", "127.0.0.1:0"])
            .args(["--pegasus-table", "t:4"])
            .args(flags)
            .stdout(Stdio::piped())
            .spawn()
            .expect("the server starts");
        let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
        let mut address = |name: &str| {
            let line = lines.next().expect("a line with an address").unwrap();
            let address = line.strip_prefix(name).unwrap_or_else(|| panic!("{name}? {line}"));
            address.parse().unwrap()
        };
        let (redis, pegasus) = (address("Redis clients: "), address("Pegasus clients: "));
        Program { redis, pegasus, child: Mutex::new(child) }
    }

    /// Waits until the server ends by itself, and checks that it did so without an error.
    pub fn wait(&self) {
        assert!(self.child.lock().unwrap().wait().unwrap().success());
    }

    /// Kills the server at once.
    pub fn kill(&self) {
        let mut child = self.child.lock().unwrap();
        child.kill().unwrap();
        child.wait().unwrap();
    }
}

impl Drop for Program {
    fn drop(&mut self) {
        self.kill();
    }
}
