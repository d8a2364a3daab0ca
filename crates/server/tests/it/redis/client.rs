//! A blocking client that reads every type of RESP2 and RESP3.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::time::Duration;

/// A reply.
#[derive(Clone, Debug, Eq, Ord, PartialEq, PartialOrd)]
pub enum Value {
    Simple(String),
    Error(String),
    Integer(i64),
    Bulk(Vec<u8>),
    Null,
    NullArray,
    Boolean(bool),
    Double(String),
    Verbatim(Vec<u8>),
    Array(Vec<Value>),
    Set(Vec<Value>),
    Push(Vec<Value>),
    Map(Vec<(Value, Value)>),
}

impl Value {
    /// Returns a bulk string.
    pub fn bulk(text: &str) -> Value {
        Value::Bulk(text.as_bytes().to_vec())
    }

    /// Returns the value with the elements of arrays, sets and maps sorted.
    pub fn sorted(self) -> Value {
        match self {
            Value::Array(mut list) => {
                list.sort();
                Value::Array(list)
            }
            Value::Set(mut list) => {
                list.sort();
                Value::Set(list)
            }
            Value::Map(mut list) => {
                list.sort();
                Value::Map(list)
            }
            other => other,
        }
    }
}

/// The bytes of a connection, encrypted or not.
pub trait Duplex: Read + Write + Send {}

impl<S: Read + Write + Send> Duplex for S {}

/// A connection.
pub struct Client {
    stream: BufReader<Box<dyn Duplex>>,
}

impl Client {
    /// Connects.
    pub fn connect(address: SocketAddr) -> Client {
        let stream = TcpStream::connect(address).expect("a connection");
        stream.set_read_timeout(Some(Duration::from_secs(30))).unwrap();
        stream.set_nodelay(true).unwrap();
        Client::over(stream)
    }

    /// Returns a connection over a stream.
    pub fn over(stream: impl Duplex + 'static) -> Client {
        Client { stream: BufReader::new(Box::new(stream)) }
    }

    /// Sends a command and returns its reply.
    pub fn call<A: AsRef<[u8]>>(&mut self, command: &[A]) -> Value {
        self.send(command);
        self.receive()
    }

    /// Sends a command whose words spaces separate, and returns its reply.
    pub fn say(&mut self, command: &str) -> Value {
        self.call(&super::words(command))
    }

    /// Sends commands at once, and returns their replies.
    pub fn pipeline(&mut self, commands: &[Vec<Vec<u8>>]) -> Vec<Value> {
        commands.iter().for_each(|command| self.send(command));
        commands.iter().map(|_| self.receive()).collect()
    }

    /// Sends a command.
    pub fn send<A: AsRef<[u8]>>(&mut self, command: &[A]) {
        let mut request = format!("*{}\r\n", command.len()).into_bytes();
        for word in command {
            request.extend(format!("${}\r\n", word.as_ref().len()).bytes());
            request.extend_from_slice(word.as_ref());
            request.extend_from_slice(b"\r\n");
        }
        self.raw(&request);
    }

    /// Sends bytes.
    pub fn raw(&mut self, bytes: &[u8]) {
        self.stream.get_mut().write_all(bytes).expect("the server reads");
    }

    /// Returns the next reply or message.
    pub fn receive(&mut self) -> Value {
        let mut line = Vec::new();
        self.stream.read_until(b'\n', &mut line).expect("the server writes");
        let line = line.strip_suffix(b"\r\n").expect("a whole line");
        let text = String::from_utf8_lossy(&line[1..]).into_owned();
        let count = || text.parse::<i64>().expect("a number");
        match line[0] {
            b'+' => Value::Simple(text),
            b'-' => Value::Error(text),
            b':' => Value::Integer(count()),
            b'_' => Value::Null,
            b'#' => Value::Boolean(text == "t"),
            b',' => Value::Double(text),
            b'$' if count() < 0 => Value::Null,
            b'*' if count() < 0 => Value::NullArray,
            b'$' => Value::Bulk(self.bytes(count())),
            b'=' => Value::Verbatim(self.bytes(count())),
            b'*' => Value::Array(self.list(count())),
            b'~' => Value::Set(self.list(count())),
            b'>' => Value::Push(self.list(count())),
            b'%' => Value::Map((0..count()).map(|_| (self.receive(), self.receive())).collect()),
            other => panic!("unknown type of reply {:?}", other as char),
        }
    }

    /// Returns whether the server closed the connection.
    pub fn is_closed(&mut self) -> bool {
        matches!(self.stream.fill_buf(), Ok([]) | Err(_))
    }

    fn bytes(&mut self, length: i64) -> Vec<u8> {
        let mut bytes = vec![0; length as usize + 2];
        self.stream.read_exact(&mut bytes).expect("the server writes");
        bytes.truncate(length as usize);
        bytes
    }

    fn list(&mut self, length: i64) -> Vec<Value> {
        (0..length).map(|_| self.receive()).collect()
    }
}
