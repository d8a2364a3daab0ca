//! The load of one client and what must be there after a kill.
//!
//! A client makes numbered steps, one after the other. After a kill, its rows are those of the last acknowledged step,
//! or of the one behind it, which may have been committed without an answer; and all rows of a step agree.

use super::program::Program;
use ferrolith_server::rows::pegasus::key;
use ferrolith_server::thrift::frame::{Head, write_request};
use ferrolith_server::thrift::request::{KeyValue, MultiPut};
use ferrolith_server::thrift::response::{Read as Value, Update};
use ferrolith_server::thrift::{Blob, partition_hash, partition_of, reply};
use std::io::{BufRead, BufReader, Error, Read, Result, Write};
use std::net::{SocketAddr, TcpStream};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

/// A client's load.
pub trait Load: Send {
    /// Makes steps until the connection breaks.
    fn run(&mut self, program: &Program, is_over: &AtomicBool);
    /// Checks the rows, and continues from them.
    fn check(&mut self, program: &Program);
    /// Returns the number of acknowledged steps.
    fn acknowledged(&self) -> u64;
}

/// Connects to a server.
pub fn connect(address: SocketAddr) -> Result<BufReader<TcpStream>> {
    let stream = TcpStream::connect(address)?;
    stream.set_read_timeout(Some(Duration::from_secs(30)))?;
    stream.set_nodelay(true)?;
    Ok(BufReader::new(stream))
}

/// A Redis client: a plain write, a transaction and a script in turn, and a list that tells all steps.
pub struct RedisLoad {
    id: usize,
    step: u64,
}

impl RedisLoad {
    pub fn new(id: usize) -> RedisLoad {
        RedisLoad { id, step: 0 }
    }

    fn key(&self, name: &str) -> String {
        // No hash tag: the keys are in several partitions.
        format!("{name}:{}", self.id)
    }

    /// Makes a step: three commits. Fails if an answer is missing.
    fn step(&self, stream: &mut BufReader<TcpStream>, step: u64) -> Result<()> {
        let text = step.to_string();
        let (set, one, two, list) =
            (self.key("set"), self.key("one"), self.key("two"), self.key("list"));
        let mut commands = vec![
            vec!["SET", &set, &text],
            vec!["MULTI"],
            vec!["SET", &one, &text],
            vec!["RPUSH", &list, &text],
            vec!["SET", &two, &text],
            vec!["EXEC"],
        ];
        const SCRIPT: &str =
            "redis.call('set', KEYS[1], ARGV[1]) return redis.call('set', KEYS[2], ARGV[1])";
        let (three, four) = (self.key("three"), self.key("four"));
        commands.push(vec!["EVAL", SCRIPT, "2", &three, &four, &text]);
        for command in &commands {
            let last = call(stream, command)?;
            let is_right =
                !last.starts_with('-') && (command[0] != "EXEC" || last.starts_with('*'));
            assert!(is_right, "{command:?}: {last}");
        }
        Ok(())
    }
}

/// Sends a command and returns its reply on one line.
fn call(stream: &mut BufReader<TcpStream>, words: &[&str]) -> Result<String> {
    let mut request = format!("*{}\r\n", words.len());
    words.iter().for_each(|word| request += &format!("${}\r\n{word}\r\n", word.len()));
    stream.get_mut().write_all(request.as_bytes())?;
    receive(stream)
}

fn receive(stream: &mut BufReader<TcpStream>) -> Result<String> {
    let mut line = String::new();
    stream.read_line(&mut line)?;
    let Some(line) = line.strip_suffix("\r\n") else { return Err(Error::other("cut off")) };
    let count = || line[1..].parse::<i64>().expect("a number");
    match line.as_bytes()[0] {
        b'$' if count() >= 0 => {
            let mut text = vec![0; count() as usize + 2];
            stream.read_exact(&mut text)?;
            Ok(String::from_utf8_lossy(&text[..text.len() - 2]).into_owned())
        }
        b'*' => {
            let parts: Result<Vec<_>> = (0..count()).map(|_| receive(stream)).collect();
            Ok(format!("*{}", parts?.join(" ")))
        }
        _ => Ok(line.to_owned()),
    }
}

impl Load for RedisLoad {
    fn run(&mut self, program: &Program, is_over: &AtomicBool) {
        let Ok(mut stream) = connect(program.redis) else { return };
        while !is_over.load(Ordering::Relaxed) && self.step(&mut stream, self.step + 1).is_ok() {
            self.step += 1;
        }
    }

    fn check(&mut self, program: &Program) {
        let mut stream = connect(program.redis).unwrap();
        let mut get = |name: &str| match call(&mut stream, &["GET", &self.key(name)]).unwrap() {
            nothing if nothing == "$-1" => 0,
            text => text.parse::<u64>().unwrap_or_else(|_| panic!("{name}: {text}")),
        };
        let names = ["set", "one", "two", "three", "four"];
        let [set, one, two, three, four] = names.map(&mut get);
        let found = format!(
            "client {}: {set} {one} {two} {three} {four}, acknowledged {}",
            self.id, self.step
        );
        assert!(one == two && three == four, "half of a commit: {found}");
        // The commits of a step are in this order.
        assert!(set >= one && one >= three && set <= three + 1, "out of order: {found}");
        assert!(three >= self.step && set <= self.step + 1, "lost or invented: {found}");
        let list = call(&mut stream, &["LRANGE", &self.key("list"), "-3", "-1"]).unwrap();
        let last = list.trim_start_matches('*').rsplit(' ').next().unwrap_or_default();
        assert!(one == 0 || last == one.to_string(), "{found}, list {list}");
        // A step that was committed in part is completed, so that the next check is as strict.
        if set > self.step {
            if one < set || three < set {
                call(&mut stream, &["SET", &self.key("set"), &self.step.to_string()]).unwrap();
            }
            if one > three {
                for name in ["one", "two"] {
                    call(&mut stream, &["SET", &self.key(name), &self.step.to_string()]).unwrap();
                }
                call(&mut stream, &["RPOP", &self.key("list")]).unwrap();
            }
            if three == set {
                self.step = set;
            }
        }
    }

    fn acknowledged(&self) -> u64 {
        self.step
    }
}

/// A Pegasus client: MULTI_PUT of five rows.
pub struct PegasusLoad {
    id: usize,
    step: u64,
}

const ROWS: usize = 5;

impl PegasusLoad {
    pub fn new(id: usize) -> PegasusLoad {
        PegasusLoad { id, step: 0 }
    }

    fn head(&self) -> Head {
        let partition_hash = partition_hash(self.hash_key().as_bytes(), b"");
        let partition = partition_of(partition_hash, 4) as i32;
        Head { app_id: 1, partition, partition_hash, ..Head::default() }
    }

    fn hash_key(&self) -> String {
        format!("client{}", self.id)
    }

    fn step(&self, stream: &mut BufReader<TcpStream>, step: u64) -> Result<()> {
        let row = |at: usize| KeyValue {
            key: format!("row{at}").into_bytes().into(),
            value: step.to_string().into_bytes().into(),
            expire_ts_seconds: None,
        };
        let hash_key = self.hash_key().into_bytes().into();
        let put = MultiPut { hash_key, kvs: (0..ROWS).map(row).collect(), expire_ts_seconds: 0 };
        let mut bytes = Vec::new();
        write_request(&self.head(), "RPC_RRDB_RRDB_MULTI_PUT", 1, &put, &mut bytes);
        stream.get_mut().write_all(&bytes)?;
        let error = receive_with(stream, |bytes| {
            let (received, _) = reply::read::<Update<'_>>(bytes).unwrap()?;
            Some(received.response.unwrap().error)
        })?;
        assert_eq!(error, 0);
        Ok(())
    }

    fn get(&self, stream: &mut BufReader<TcpStream>, at: usize) -> u64 {
        let row = Blob::from(key(self.hash_key().as_bytes(), format!("row{at}").as_bytes()));
        let mut bytes = Vec::new();
        write_request(&self.head(), "RPC_RRDB_RRDB_GET", 1, &row, &mut bytes);
        stream.get_mut().write_all(&bytes).unwrap();
        let text = receive_with(stream, |bytes| {
            let (received, _) = reply::read::<Value<'_>>(bytes).unwrap()?;
            Some(String::from_utf8_lossy(&received.response.unwrap().value).into_owned())
        });
        text.unwrap().parse().unwrap_or(0)
    }
}

/// Reads until `decode` finds a whole reply.
pub fn receive_with<R>(
    stream: &mut BufReader<TcpStream>,
    decode: impl Fn(&[u8]) -> Option<R>,
) -> Result<R> {
    let mut input = Vec::new();
    loop {
        if let Some(result) = decode(&input) {
            return Ok(result);
        }
        let mut chunk = [0; 4096];
        match stream.read(&mut chunk)? {
            0 => return Err(Error::other("cut off")),
            length => input.extend_from_slice(&chunk[..length]),
        }
    }
}

impl Load for PegasusLoad {
    fn run(&mut self, program: &Program, is_over: &AtomicBool) {
        let Ok(mut stream) = connect(program.pegasus) else { return };
        while !is_over.load(Ordering::Relaxed) && self.step(&mut stream, self.step + 1).is_ok() {
            self.step += 1;
        }
    }

    fn check(&mut self, program: &Program) {
        let mut stream = connect(program.pegasus).unwrap();
        let rows: Vec<u64> = (0..ROWS).map(|at| self.get(&mut stream, at)).collect();
        let found = format!("client {}: {rows:?}, acknowledged {}", self.id, self.step);
        assert!(rows.iter().all(|row| *row == rows[0]), "half of a MULTI_PUT: {found}");
        assert!(rows[0] == self.step || rows[0] == self.step + 1, "lost or invented: {found}");
        self.step = rows[0];
    }

    fn acknowledged(&self) -> u64 {
        self.step
    }
}
