//! The client of a Redis server.
//!
//! A record is a hash, as in YCSB's client of Redis: `HSET`, `HMGET`, `HGETALL`. The sorted set `_indices` has all
//! keys, each with the hash that Java computes of it as its score. A scan reads keys from there on, so its order is
//! that of the scores, and then the records. With [`Style::Whole`], a record is a string, and a row of several sort
//! keys is a hash with the prefix `row:`.

use super::flights::{Flight, Flights};
use super::resp::{Reply, head, parse, request, word};
use super::socket::Socket;
use super::{Address, Style, split};
use crate::rng::Random64;
use crate::target::{Result, touch};
use crate::ycsb::client::{Ended, Operations, Work};
use crate::ycsb::record::{Fields, Shape, append_part, java_hash};
use std::collections::VecDeque;

/// The sorted set of all keys.
const INDEX: &[u8] = b"_indices";

/// What a reply is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    /// Names and contents of all fields of a record that a read wants.
    Record,
    /// The same for a scan.
    Scanned,
    /// Values, each of which may be missing.
    Values,
    /// One value, which may be missing.
    Value,
    /// A number that says nothing about the record.
    Done,
    /// The number of fields that are new, of an update.
    Updated,
    /// A status.
    Status,
    /// The replies of a transaction.
    Committed,
    /// Keys of a scan, whose records then have to be read.
    Keys(Option<usize>),
}

/// What arrived.
enum Landed {
    /// No whole reply.
    Nothing,
    /// A reply whose operation has others to come.
    Reply,
    /// The last reply of an operation.
    Last(Ended),
}

/// A connection to a Redis server.
pub(super) struct Redis {
    socket: Socket,
    style: Style,
    flights: Flights,
    /// The replies that have to arrive, in this order.
    expected: VecDeque<(usize, Kind)>,
    value: Vec<u8>,
    /// Bytes of keys and values written and read.
    bytes: (u64, u64),
}

impl Redis {
    /// Connects to a server and returns what it says about itself.
    pub(super) fn connect(address: &Address, style: Style) -> Result<(Redis, String)> {
        let mut socket = Socket::connect(&address.host, &address.to_string())?;
        request(&[b"INFO", b"server"], socket.out());
        let info = loop {
            match parse(socket.input()) {
                Ok(Some((Reply::Bulk(Some(info)), length))) => {
                    let info = String::from_utf8_lossy(info).into_owned();
                    socket.consume(length);
                    break info;
                }
                Ok(Some((Reply::Error(error), _))) => {
                    let error = String::from_utf8_lossy(error);
                    return Err(format!("{address}: the server refused INFO: {error}"));
                }
                Ok(None) => socket.receive().map_err(|error| {
                    format!("{error}, when asked for INFO; does it speak Redis's protocol?")
                })?,
                _ => return Err(foreign(socket.name())),
            }
        };
        socket.greeted()?;
        let (flights, expected) = (Flights::default(), VecDeque::new());
        let redis = Redis { socket, style, flights, expected, value: Vec::new(), bytes: (0, 0) };
        Ok((redis, info))
    }

    fn expect(&mut self, ticket: usize, kind: Kind) {
        self.flights.of(ticket).waiting += 1;
        self.expected.push_back((ticket, kind));
    }

    fn read(&mut self, shape: &Shape, key: &[u8], field: Option<usize>, ticket: usize) {
        let out = self.socket.out();
        let kind = match (self.style, field) {
            (Style::Whole, _) => {
                request(&[b"GET", key], out);
                Kind::Value
            }
            (Style::Fields, None) => {
                request(&[b"HGETALL", key], out);
                Kind::Record
            }
            (Style::Fields, Some(field)) => {
                request(&[b"HMGET", key, shape.fields[field].as_bytes()], out);
                Kind::Values
            }
        };
        self.expect(ticket, kind);
    }

    /// Writes the record that `value` has.
    fn write(&mut self, key: &[u8], ticket: usize, kind: Kind) -> Result<()> {
        let out = self.socket.out();
        self.bytes.0 += (key.len() + self.value.len()) as u64;
        if self.style == Style::Whole {
            request(&[b"SET", key, &self.value], out);
            self.expect(ticket, Kind::Status);
            return Ok(());
        }
        head(2 + 2 * Fields(&self.value).count(), out);
        word(b"HSET", out);
        word(key, out);
        for part in Fields(&self.value) {
            let (name, content) = part?;
            word(name, out);
            word(content, out);
        }
        self.expect(ticket, kind);
        Ok(())
    }

    fn insert(
        &mut self,
        shape: &Shape,
        key: &[u8],
        ticket: usize,
        random: &mut Random64,
    ) -> Result<()> {
        shape.value(key, random, &mut self.value);
        self.write(key, ticket, Kind::Done)?;
        if self.style == Style::Fields {
            let score = java_hash(key).to_string();
            request(&[b"ZADD", INDEX, score.as_bytes(), key], self.socket.out());
            self.expect(ticket, Kind::Done);
        }
        self.flights.of(ticket).is_found = true;
        Ok(())
    }

    fn update(
        &mut self,
        shape: &Shape,
        (key, field): (&[u8], Option<usize>),
        ticket: usize,
        random: &mut Random64,
    ) -> Result<()> {
        let field = field.filter(|_| self.style == Style::Fields);
        shape.updated(&[], (key, field), random, &mut self.value)?;
        // A string is written without being read.
        self.flights.of(ticket).is_found |= self.style == Style::Whole;
        self.write(key, ticket, Kind::Updated)
    }

    /// Reads several sort keys of one hash key.
    fn multi_get(&mut self, keys: &[Vec<u8>], ticket: usize) -> Result<()> {
        let Some(first) = keys.first() else { return Err("multi_get: no keys".to_owned()) };
        let (hash_key, _) = split(first);
        let out = self.socket.out();
        head(2 + keys.len(), out);
        word(b"HMGET", out);
        word(&row(hash_key), out);
        keys.iter().for_each(|key| word(split(key).1, out));
        self.flights.of(ticket).wanted = keys.len() as u64;
        self.expect(ticket, Kind::Values);
        Ok(())
    }

    /// Writes several sort keys, all or none.
    fn batch_set(&mut self, shape: &Shape, keys: &[Vec<u8>], ticket: usize, random: &mut Random64) {
        request(&[b"MULTI"], self.socket.out());
        self.expect(ticket, Kind::Status);
        for key in keys {
            shape.value(key, random, &mut self.value);
            self.bytes.0 += (key.len() + self.value.len()) as u64;
            let (hash_key, sort_key) = split(key);
            request(&[b"HSET", &row(hash_key), sort_key, &self.value], self.socket.out());
            self.expect(ticket, Kind::Status);
        }
        request(&[b"EXEC"], self.socket.out());
        self.expect(ticket, Kind::Committed);
        self.flights.of(ticket).is_found = true;
    }

    fn delete(&mut self, key: &[u8], ticket: usize) {
        request(&[b"DEL", key], self.socket.out());
        self.expect(ticket, Kind::Done);
        if self.style == Style::Fields {
            request(&[b"ZREM", INDEX, key], self.socket.out());
            self.expect(ticket, Kind::Done);
        }
        self.bytes.0 += key.len() as u64;
        self.flights.of(ticket).is_found = true;
    }

    /// Takes the next reply, if it has arrived as a whole.
    fn land(&mut self, shape: &Shape) -> Result<Landed> {
        let (name, input) = (self.socket.name(), self.socket.input());
        let Ok(parsed) = parse(input) else { return Err(foreign(name)) };
        let Some((reply, length)) = parsed else { return Ok(Landed::Nothing) };
        let Some((ticket, kind)) = self.expected.pop_front() else { return Err(foreign(name)) };
        let flight = self.flights.of(ticket);
        let taken = take(kind, reply, shape, flight, &mut self.bytes.1);
        self.socket.consume(length);
        match (taken, kind) {
            (Ok(keys), Kind::Keys(field)) => self.read_scanned(shape, &keys, field, ticket),
            (Ok(_), _) => {}
            (Err(error), _) => self.flights.fail(ticket, error),
        }
        match self.flights.land(ticket) {
            None => Ok(Landed::Reply),
            Some(Ok((is_found, records))) => Ok(Landed::Last(Ended { ticket, is_found, records })),
            Some(Err(error)) => Err(format!("{}: {error}", self.socket.name())),
        }
    }

    /// Reads the records of a scan.
    fn read_scanned(
        &mut self,
        shape: &Shape,
        keys: &[Vec<u8>],
        field: Option<usize>,
        ticket: usize,
    ) {
        for key in keys {
            match field {
                None => request(&[b"HGETALL", key], self.socket.out()),
                Some(field) => {
                    let field = shape.fields[field].as_bytes();
                    request(&[b"HMGET", key, field], self.socket.out());
                }
            }
            self.expect(ticket, Kind::Scanned);
        }
    }
}

impl Operations for Redis {
    fn begin(
        &mut self,
        shape: &Shape,
        (key, work): (&[u8], Work<'_>),
        ticket: usize,
        random: &mut Random64,
    ) -> Result<()> {
        self.flights.begin(ticket, key);
        match work {
            Work::Read(field) => self.read(shape, key, field, ticket),
            Work::Insert => self.insert(shape, key, ticket, random)?,
            Work::Update(field) => self.update(shape, (key, field), ticket, random)?,
            Work::ReadModifyWrite(read, written) => {
                self.read(shape, key, read, ticket);
                self.update(shape, (key, written), ticket, random)?;
            }
            Work::Scan(records, field) => {
                let (score, count) = (java_hash(key).to_string(), records.to_string());
                let range = [b"ZRANGEBYSCORE", INDEX, score.as_bytes(), b"+inf"];
                let limit = [b"LIMIT", &b"0"[..], count.as_bytes()];
                request(&[&range[..], &limit].concat(), self.socket.out());
                self.expect(ticket, Kind::Keys(field));
            }
            Work::Delete => self.delete(key, ticket),
            Work::MultiGet(keys) => self.multi_get(keys, ticket)?,
            Work::BatchSet(keys) => self.batch_set(shape, keys, ticket, random),
        }
        Ok(())
    }

    fn end(&mut self, shape: &Shape) -> Result<Ended> {
        loop {
            match self.land(shape)? {
                Landed::Last(ended) => return Ok(ended),
                Landed::Reply => {}
                Landed::Nothing => self.socket.receive()?,
            }
        }
    }

    fn bytes(&self) -> (u64, u64) {
        self.bytes
    }
}

/// Takes a reply. Returns the keys of a scan.
fn take(
    kind: Kind,
    reply: Reply<'_>,
    shape: &Shape,
    flight: &mut Flight,
    read: &mut u64,
) -> Result<Vec<Vec<u8>>> {
    let is_there = |part: &&Reply<'_>| matches!(part, Reply::Bulk(Some(_)));
    match (kind, reply) {
        (_, Reply::Error(error)) => return Err(String::from_utf8_lossy(error).into_owned()),
        (Kind::Record, Reply::Array(Some(parts))) => {
            *read += used(&parts);
            flight.is_found |= !parts.is_empty();
            if shape.checked && !parts.is_empty() && !is_whole(shape, &flight.key, &parts)? {
                return Err("the record is not what was written".to_owned());
            }
        }
        (Kind::Scanned, Reply::Array(Some(parts))) => {
            *read += used(&parts);
            flight.records += u64::from(parts.iter().any(|part| is_there(&part)));
            flight.is_found = flight.records > 0;
        }
        (Kind::Values, Reply::Array(Some(parts))) => {
            *read += used(&parts);
            let there = parts.iter().filter(is_there).count();
            flight.records += there as u64;
            flight.is_found |= there > 0;
        }
        (Kind::Value, Reply::Bulk(value)) => {
            *read += value.map_or(0, |value| (flight.key.len() + value.len()) as u64);
            value.inspect(|value| touch(value));
            flight.is_found |= value.is_some();
        }
        (Kind::Updated, Reply::Integer(new)) => flight.is_found |= new == 0,
        (Kind::Done, Reply::Integer(_)) | (Kind::Status, Reply::Status(_)) => {}
        (Kind::Committed, Reply::Array(Some(replies))) => {
            let error = replies.iter().find_map(|reply| match reply {
                Reply::Error(error) => Some(String::from_utf8_lossy(error).into_owned()),
                _ => None,
            });
            error.map_or(Ok(()), Err)?;
        }
        (Kind::Keys(_), Reply::Array(Some(found))) => {
            let bulk = |reply: &Reply<'_>| match reply {
                Reply::Bulk(Some(key)) => Some(key.to_vec()),
                _ => None,
            };
            return Ok(found.iter().filter_map(bulk).collect());
        }
        (kind, reply) => return Err(format!("{kind:?}: an unexpected reply {reply:?}")),
    }
    Ok(Vec::new())
}

/// Returns the key of a row of several sort keys: records that are strings have the plain key.
fn row(hash_key: &[u8]) -> Vec<u8> {
    [b"row:", hash_key].concat()
}

/// Reads the values; returns their bytes.
fn used(parts: &[Reply<'_>]) -> u64 {
    let mut bytes = 0;
    for part in parts {
        if let Reply::Bulk(Some(value)) = part {
            touch(value);
            bytes += value.len() as u64;
        }
    }
    bytes
}

/// Returns whether these names and contents are those of a whole record.
fn is_whole(shape: &Shape, key: &[u8], parts: &[Reply<'_>]) -> Result<bool> {
    let mut value = Vec::new();
    for part in parts {
        if let Reply::Bulk(Some(part)) = part {
            append_part(part, &mut value);
        }
    }
    shape.is_whole(key, &value)
}

fn foreign(name: &str) -> String {
    format!("{name}: the server does not speak Redis's protocol")
}
