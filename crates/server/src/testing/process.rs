//! A real `redis-server` in a process of its own, also for integration tests.
//!
//! Tests skip with a message if the program is not installed; `tools/fetch-peers.sh` installs it.
//! `FERROLITH_REDIS_SERVER` names another program, for example a newer version.

use std::ffi::OsStr;
use std::io::{self, BufRead, BufReader, Read, Write};
use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// A running Redis. Dropping it stops the server.
pub struct RedisProcess {
    child: Child,
    directory: tempfile::TempDir,
}

impl RedisProcess {
    /// Starts a server without files on a free port of the loopback interface, with more arguments, and connects to it.
    /// `None` if there is no `redis-server`.
    pub fn start(arguments: &[&str]) -> Option<(RedisProcess, BufReader<TcpStream>)> {
        RedisProcess::start_in(arguments, &[])
    }

    /// The same, with more variables in the environment.
    pub fn start_in(
        arguments: &[&str],
        environment: &[(&str, &OsStr)],
    ) -> Option<(RedisProcess, BufReader<TcpStream>)> {
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
                .envs(environment.iter().copied())
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
                    return Some((RedisProcess { child, directory }, stream));
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
}

impl Drop for RedisProcess {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
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
