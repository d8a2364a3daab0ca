//! A disk that becomes full under the server program: a tmpfs of a few megabytes in a mount namespace of its own. Needs
//! root; elsewhere the test is skipped with a message.
//!
//! * Writes of both protocols are answered with errors that say so; nothing of a transaction or a script is written.
//! * Reads go on, and all acknowledged writes are there.
//! * Writes go on by themselves after space was freed.
//! * `/health` is 503 meanwhile, and no longer.
//! * After a kill while the disk is full, all acknowledged writes are there.

use crate::crash::clients::{connect, receive_with};
use crate::crash::program::Program;
use crate::redis::{Client, Value};
use fastrand::Rng;
use ferrolith_server::rows::pegasus::key;
use ferrolith_server::thrift::frame::{Head, write_request};
use ferrolith_server::thrift::request::Put;
use ferrolith_server::thrift::response::{Read, Update, status};
use ferrolith_server::thrift::{Blob, ErrorName, partition_hash, partition_of, reply};
use std::io::{BufRead, BufReader, Write};
use std::net::{TcpListener, TcpStream};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// The size of the disk.
const DISK_MB: usize = 64;
/// The space that is taken by a file which is removed later.
const FILLER_MB: usize = 24;
/// The length of values, which do not compress.
const VALUE: usize = 4096;
/// Writes go on after at most this long.
const RESUME_MAX: Duration = Duration::from_secs(20);

/// A small disk, which exists as long as a process in its mount namespace.
pub struct Disk {
    holder: Child,
    mount: tempfile::TempDir,
    pub path: PathBuf,
}

impl Disk {
    /// Mounts the disk; `None`, with a message, if this user may not.
    pub fn mount() -> Option<Disk> {
        if std::fs::metadata("/proc/self").unwrap().uid() != 0 {
            eprintln!("skipped: only root can mount a small disk");
            return None;
        }
        let mount = tempfile::tempdir().unwrap();
        let script = format!("mount -t tmpfs -o size={DISK_MB}m small \"$0\" && exec cat");
        let holder = Command::new("unshare")
            .args(["--mount", "sh", "-c", &script])
            .arg(mount.path())
            .stdin(Stdio::piped())
            .spawn()
            .expect("unshare");
        let seen = Path::new("/proc").join(holder.id().to_string()).join("root");
        let path = seen.join(mount.path().strip_prefix("/").unwrap());
        let outside = std::fs::metadata(mount.path()).unwrap().dev();
        let mut disk = Disk { holder, mount, path };
        let begun = Instant::now();
        while std::fs::metadata(&disk.path).map_or(true, |found| found.dev() == outside) {
            let ended = disk.holder.try_wait().unwrap();
            if ended.is_some() || begun.elapsed() > Duration::from_secs(10) {
                eprintln!("skipped: a tmpfs cannot be mounted here ({ended:?})");
                return None;
            }
            std::thread::sleep(Duration::from_millis(5));
        }
        Some(disk)
    }

    /// Takes space.
    fn fill(&self) {
        std::fs::write(self.path.join("filler"), vec![1; FILLER_MB << 20]).unwrap();
    }

    /// Makes the disk larger.
    fn grow(&self) {
        let options = format!("remount,size={}m", 2 * DISK_MB);
        let status = Command::new("nsenter")
            .args(["--target", &self.holder.id().to_string(), "--mount"])
            .args(["mount", "-o", &options])
            .arg(self.mount.path())
            .status();
        assert!(status.expect("nsenter").success());
    }

    /// Gives the space back.
    fn free(&self) {
        std::fs::remove_file(self.path.join("filler")).unwrap();
    }
}

impl Drop for Disk {
    fn drop(&mut self) {
        let _ = self.holder.kill();
        let _ = self.holder.wait();
    }
}

/// A client of each protocol, and how many of its writes were acknowledged. The value of a row follows from its number.
struct Clients {
    redis: Client,
    pegasus: BufReader<TcpStream>,
    redis_rows: u64,
    pegasus_rows: u64,
}

fn value(row: u64) -> Vec<u8> {
    let mut value = vec![0; VALUE];
    Rng::with_seed(row).fill(&mut value);
    value
}

fn head(hash_key: &[u8]) -> Head {
    let partition_hash = partition_hash(hash_key, b"");
    let partition = partition_of(partition_hash, 4) as i32;
    Head { app_id: 1, partition, partition_hash, ..Head::default() }
}

impl Clients {
    fn connect(&mut self, program: &Program) {
        self.redis = Client::connect(program.redis);
        self.pegasus = connect(program.pegasus).unwrap();
    }

    fn new(program: &Program) -> Clients {
        let (redis, pegasus) = (Client::connect(program.redis), connect(program.pegasus).unwrap());
        Clients { redis, pegasus, redis_rows: 0, pegasus_rows: 0 }
    }

    /// Writes the next row of Redis, and returns the error if it was refused.
    fn set(&mut self) -> Result<(), String> {
        let name = format!("row{}", self.redis_rows);
        match self.redis.call(&[b"SET", name.as_bytes(), &value(self.redis_rows)]) {
            Value::Simple(_) => {
                self.redis_rows += 1;
                Ok(())
            }
            Value::Error(text) => Err(text),
            other => panic!("{other:?}"),
        }
    }

    /// Writes the next row of Pegasus, and returns the error if it was refused.
    fn put(&mut self) -> Result<(), ErrorName> {
        let name = self.pegasus_rows.to_string().into_bytes();
        let put = Put {
            key: Blob::from(key(&name, b"")),
            value: Blob::from(value(self.pegasus_rows)),
            ..Put::default()
        };
        let response = self.call(&name, "PUT", &put, |bytes| {
            let (received, _) = reply::read::<Update<'_>>(bytes).unwrap()?;
            Some(received.response.map(|update| update.error))
        });
        assert_eq!(response?, status::OK);
        self.pegasus_rows += 1;
        Ok(())
    }

    fn get(&mut self, row: u64) -> Vec<u8> {
        let name = row.to_string().into_bytes();
        self.call(&name, "GET", &Blob::from(key(&name, b"")), |bytes| {
            let (received, _) = reply::read::<Read<'_>>(bytes).unwrap()?;
            Some(received.response.map(|read| read.value.to_vec()).unwrap_or_default())
        })
    }

    fn call<'a, R>(
        &mut self,
        hash_key: &[u8],
        method: &str,
        request: &impl ferrolith_server::thrift::Value<'a>,
        decode: impl Fn(&[u8]) -> Option<R>,
    ) -> R {
        let mut bytes = Vec::new();
        let method = format!("RPC_RRDB_RRDB_{method}");
        write_request(&head(hash_key), &method, 1, request, &mut bytes);
        self.pegasus.get_mut().write_all(&bytes).unwrap();
        receive_with(&mut self.pegasus, decode).unwrap()
    }

    /// Writes until both protocols refuse, and returns the texts.
    fn write_until_full(&mut self) -> (String, ErrorName) {
        for _ in 0..(DISK_MB << 20) / VALUE {
            match (self.set(), self.put()) {
                (Err(text), Err(error)) => return (text, error),
                (Err(text), Ok(())) => assert!(text.starts_with("MISCONF"), "{text}"),
                _ => {}
            }
        }
        panic!("{} and {} rows fit on the disk", self.redis_rows, self.pegasus_rows);
    }

    /// Checks that every acknowledged row is there.
    fn check_rows(&mut self) {
        for row in 0..self.redis_rows {
            let found = self.redis.say(&format!("GET row{row}"));
            assert!(found == Value::Bulk(value(row)), "row {row} of {}", self.redis_rows);
        }
        for row in 0..self.pegasus_rows {
            assert!(self.get(row) == value(row), "Pegasus: row {row} of {}", self.pegasus_rows);
        }
    }

    /// Checks that larger writes are done or refused as a whole (a flush may have freed some space), and that reads are
    /// not refused.
    fn check_refusals(&mut self) {
        let large = vec![7; 100_000];
        self.redis.say("MULTI");
        self.redis.call(&[b"SET", &b"one"[..], &large]);
        self.redis.call(&[b"SET", &b"two"[..], &large]);
        let reply = self.redis.say("EXEC");
        self.check_whole(&reply, "EXISTS one two");
        let script =
            "redis.call('SET', KEYS[1], ARGV[1]) return redis.call('SET', KEYS[2], ARGV[1])";
        let eval = [b"EVAL", script.as_bytes(), b"2", b"three", b"four", &large];
        let reply = self.redis.call(&eval);
        self.check_whole(&reply, "EXISTS three four");
        let read = [&b"EVAL"[..], b"return redis.call('STRLEN', KEYS[1])", b"1", b"row0"];
        assert_eq!(self.redis.call(&read), Value::Integer(VALUE as i64));
        assert_eq!(self.redis.say("PING"), Value::Simple("PONG".into()));
    }

    /// Checks that both keys of a write are there, or none and the write was refused.
    fn check_whole(&mut self, reply: &Value, exists: &str) {
        let expected = match reply {
            Value::Error(text) => {
                assert!(text.contains("MISCONF"), "{text}");
                0
            }
            _ => 2,
        };
        assert_eq!(self.redis.say(exists), Value::Integer(expected), "{reply:?}");
        self.redis.say(&exists.replace("EXISTS", "DEL"));
    }

    /// Waits until both protocols write again.
    fn resume(&mut self) {
        let freed = Instant::now();
        while let (Err(text), _) | (Ok(()), Err(text)) =
            (self.set(), self.put().map_err(|error| error.as_str().to_owned()))
        {
            assert!(freed.elapsed() < RESUME_MAX, "after {:?}: {text}", freed.elapsed());
            std::thread::sleep(Duration::from_millis(50));
        }
    }
}

#[test]
fn full_disks_refuse_writes_and_lose_nothing() {
    for durability in ["always", "os"] {
        let Some(disk) = Disk::mount() else { return };
        let dir = disk.path.join("db");
        disk.fill();
        let logs = tempfile::tempdir().unwrap();
        let log = logs.path().join("log");
        let flags = ["--log-file", log.to_str().unwrap()];
        let program = Program::start_with(&dir, durability, &flags);
        let mut clients = Clients::new(&program);
        for round in 0..2 {
            let (text, error) = clients.write_until_full();
            assert!(text.starts_with("MISCONF The device has no space left: "), "{text}");
            assert_eq!(error, ErrorName::DiskInsufficient);
            clients.check_refusals();
            clients.check_rows();
            if round == 0 {
                let has = |line: &str| std::fs::read_to_string(&log).unwrap().contains(line);
                assert!(has("the device is full: writes are refused"));
                disk.free();
                // The log waits, because a small write may fit into a full disk.
                let freed = Instant::now();
                while !has("the device has space again: writes succeed") {
                    assert!(freed.elapsed() < RESUME_MAX, "the log does not tell of the end");
                    clients.resume();
                    std::thread::sleep(Duration::from_millis(200));
                }
            }
        }
        program.kill();
        // Opening needs room for the tables of the log's rows.
        disk.grow();
        let program = Program::start(&dir, durability);
        clients.connect(&program);
        clients.check_rows();
        clients.resume();
    }
}

/// Returns the status line of `/health`.
fn health(address: &str) -> String {
    let mut socket = TcpStream::connect(address).unwrap();
    socket.write_all(b"GET /health HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n").unwrap();
    let mut line = String::new();
    BufReader::new(socket).read_line(&mut line).unwrap();
    line
}

#[test]
fn health_is_bad_as_long_as_a_full_disk_refuses_writes() {
    let Some(disk) = Disk::mount() else { return };
    disk.fill();
    let free = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().to_string();
    let program = Program::start_with(&disk.path.join("db"), "os", &["--http-listen", &free]);
    let mut clients = Clients::new(&program);
    assert!(health(&free).contains(" 200 "));
    clients.write_until_full();
    // Longer than a single refused write counts, and without any further one.
    let begun = Instant::now();
    while begun.elapsed() < Duration::from_secs(8) {
        let line = health(&free);
        assert!(line.contains(" 503 "), "after {:?}: {line}", begun.elapsed());
        std::thread::sleep(Duration::from_millis(100));
    }
    disk.free();
    let freed = Instant::now();
    while !health(&free).contains(" 200 ") {
        assert!(freed.elapsed() < RESUME_MAX, "{}", health(&free));
        std::thread::sleep(Duration::from_millis(50));
    }
    // Healthy means that it serves.
    assert!(clients.set().is_ok() && clients.put().is_ok());
}
