//! An upstream server whose bytes the test decides: it sends copies and streams to a replica.

use super::words;
use ferrolith_server::dump::{Entry, RdbWriter, Value, Version};
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{Shutdown, SocketAddr, TcpListener, TcpStream};
use std::time::{Duration, Instant};

/// How long the replica may take on a busy machine.
const PATIENCE: Duration = Duration::from_secs(120);
/// The identity of the stream.
pub const ID: &str = "0123456789abcdef0123456789abcdef01234567";

/// A listening server. It serves one replica at a time.
pub struct Upstream {
    pub address: SocketAddr,
    listener: TcpListener,
}

impl Upstream {
    /// Listens on a free port.
    pub fn start() -> Upstream {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        listener.set_nonblocking(true).unwrap();
        Upstream { address: listener.local_addr().unwrap(), listener }
    }

    /// Returns the arguments of REPLICAOF.
    pub fn replica_of(&self) -> String {
        format!("REPLICAOF 127.0.0.1 {}", self.address.port())
    }

    /// Waits for the replica, and for its PSYNC.
    #[track_caller]
    pub fn accept(&self) -> Link {
        let begun = Instant::now();
        let stream = loop {
            match self.listener.accept() {
                Ok((stream, _)) => break stream,
                Err(_) => assert!(begun.elapsed() < PATIENCE, "no replica connects"),
            }
            std::thread::sleep(Duration::from_millis(5));
        };
        stream.set_nonblocking(false).unwrap();
        stream.set_read_timeout(Some(PATIENCE)).unwrap();
        let mut link =
            Link { stream: BufReader::new(stream), asked: (String::new(), 0), offset: 0 };
        loop {
            let request = link.request();
            match request[0].to_ascii_lowercase().as_str() {
                "ping" => link.send(b"+PONG\r\n"),
                "psync" => {
                    link.asked = (request[1].clone(), request[2].parse().unwrap());
                    return link;
                }
                _ => link.send(b"+OK\r\n"),
            }
        }
    }
}

/// A connection of a replica that has sent PSYNC.
pub struct Link {
    stream: BufReader<TcpStream>,
    /// The identity and the offset that PSYNC asked for.
    pub asked: (String, i64),
    /// The bytes of the stream that were sent.
    pub offset: u64,
}

impl Link {
    /// Announces a copy whose stream begins at offset 1000, and sends these bytes.
    pub fn copy(&mut self, bytes: &[u8]) {
        self.offset = 1000;
        self.send(format!("+FULLRESYNC {ID} 1000\r\n").as_bytes());
        self.send(bytes);
    }

    /// Announces that the stream goes on where the replica asked for it.
    pub fn go_on(&mut self) {
        self.offset = u64::try_from(self.asked.1 - 1).unwrap();
        self.send(b"+CONTINUE\r\n");
    }

    /// Sends commands of the stream whose words spaces separate.
    pub fn commands(&mut self, lines: &[&str]) {
        for line in lines {
            let words = words(line);
            let mut request = format!("*{}\r\n", words.len()).into_bytes();
            for word in words {
                request.extend(format!("${}\r\n", word.len()).bytes());
                request.extend(word);
                request.extend(b"\r\n");
            }
            self.offset += request.len() as u64;
            self.send(&request);
        }
    }

    /// Waits for the first acknowledgement: before it nothing may follow a copy that ends with a mark.
    #[track_caller]
    pub fn wait_for_first(&mut self) {
        assert_eq!(self.request()[..2], ["REPLCONF", "ACK"]);
    }

    /// Waits until the replica has applied everything that was sent.
    #[track_caller]
    pub fn wait(&mut self) {
        self.commands(&["REPLCONF GETACK *"]);
        // The acknowledgement has the offset behind the question.
        let begun = Instant::now();
        loop {
            let request = self.request();
            assert!(begun.elapsed() < PATIENCE, "the replica stays behind: {request:?}");
            if request[1].eq_ignore_ascii_case("ack") && request[2] == self.offset.to_string() {
                return;
            }
        }
    }

    /// Waits until the replica ends the connection.
    pub fn wait_for_end(&mut self) {
        // A reset is an end, too.
        _ = std::io::copy(&mut self.stream, &mut std::io::sink());
    }

    /// Sends bytes. The replica may be gone.
    pub fn send(&mut self, bytes: &[u8]) {
        _ = self.stream.get_mut().write_all(bytes);
    }

    /// Ends the connection.
    pub fn close(self) {
        _ = self.stream.get_ref().shutdown(Shutdown::Both);
    }

    #[track_caller]
    fn request(&mut self) -> Vec<String> {
        let count = self.number("*");
        (0..count)
            .map(|_| {
                let mut word = vec![0; self.number("$") + 2];
                self.stream.read_exact(&mut word).unwrap();
                String::from_utf8(word[..word.len() - 2].to_vec()).unwrap()
            })
            .collect()
    }

    #[track_caller]
    fn number(&mut self, prefix: &str) -> usize {
        let mut line = String::new();
        // Signs of life are empty lines.
        while line.trim().is_empty() {
            line.clear();
            assert!(self.stream.read_line(&mut line).unwrap() > 0, "the replica is gone");
        }
        line.trim().strip_prefix(prefix).and_then(|rest| rest.parse().ok()).expect("a request")
    }
}

/// Returns a string of a database, as a part of a copy.
pub fn text(database: u64, key: &str, value: &str, expires_ms: Option<i64>) -> Entry {
    let (key, value) = (key.as_bytes().to_vec(), Value::String(value.as_bytes().to_vec()));
    Entry { database, key, value, expires_ms }
}

/// Returns an RDB file.
pub fn rdb(entries: impl IntoIterator<Item = Entry>) -> Vec<u8> {
    let mut file = RdbWriter::begin(Vec::new(), Version::V10).unwrap();
    entries.into_iter().for_each(|entry| file.entry(&entry).unwrap());
    file.finish().unwrap()
}

/// Returns the bytes of a copy of known length.
pub fn counted(rdb: &[u8]) -> Vec<u8> {
    [format!("${}\r\n", rdb.len()).as_bytes(), rdb].concat()
}

/// Returns the bytes of a copy that ends with a mark.
pub fn marked(rdb: &[u8]) -> Vec<u8> {
    [b"$EOF:", ID.as_bytes(), b"\r\n", rdb, ID.as_bytes()].concat()
}
