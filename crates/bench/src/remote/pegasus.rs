//! The client of a Pegasus server.
//!
//! A record is a hash key; each of its fields is a sort key. A whole record takes one `MULTI_GET` or `MULTI_PUT`, and
//! one field a `GET` or `PUT`. An update does not read, so it always finds its record. A scan reads the rest of one
//! partition from the record on, in the order of the keys. With [`Style::Whole`], a record is one row.

use super::flights::{Flight, Flights};
use super::socket::Socket;
use super::{Address, Style, split};
use crate::rng::Random64;
use crate::target::{Result, touch};
use crate::ycsb::client::{Ended, Operations, Work};
use crate::ycsb::record::{Fields, Shape, append_part};
use ferrolith_server::rows::pegasus::{key as raw_key, split_key};
use ferrolith_server::thrift::frame::{Head, write_request};
use ferrolith_server::thrift::meta::{
    CreateApp, CreateAppReply, CreateOptions, QueryConfig, QueryConfigReply,
};
use ferrolith_server::thrift::request::{
    GetScanner, KeyValue, MultiGet, MultiPut, MultiRemove, Put, Scan,
};
use ferrolith_server::thrift::response::{
    MultiGetReply, MultiRemoveReply, Read, ScanReply, Update, status,
};
use ferrolith_server::thrift::{ErrorName, Value, partition_hash, partition_of, reply};
use std::collections::BTreeMap;

/// Milliseconds that the server may wait with a reply.
const TIMEOUT_MS: i32 = 10_000;
/// Partitions of a table that a load creates, as many as Pegasus's benchmark page has.
const PARTITIONS: i32 = 64;
/// The raw key after all rows.
const KEYS_END: &[u8] = b"\xff\xff";
/// The longest name of a method or an error in a reply.
const NAME_MAX: usize = 256;

/// A table, as the server describes it.
#[derive(Clone, Debug)]
pub(super) struct Table {
    id: i32,
    partitions: u32,
    /// The node that has all its partitions.
    node: String,
}

/// What a reply is about.
#[derive(Clone, Copy, Debug)]
enum Kind {
    /// One row of a read.
    Row,
    /// All fields of a record.
    Record,
    /// Some sort keys.
    Rows,
    /// A write.
    Written,
    /// A deletion of several rows.
    Removed,
    /// A scan that still wants this many rows of the partition.
    Scanned(usize),
}

/// A connection to a Pegasus server.
pub(super) struct Pegasus {
    socket: Socket,
    style: Style,
    table: Table,
    flights: Flights,
    /// Requests without a reply by their sequence numbers, and the numbers that are free.
    expected: Vec<Option<(usize, Kind)>>,
    free: Vec<usize>,
    value: Vec<u8>,
    /// Bytes of keys and values written and read.
    bytes: (u64, u64),
}

impl Table {
    /// Asks the server about a table; creates it if it does not exist and `creates`.
    pub(super) fn find(address: &Address, creates: bool) -> Result<Table> {
        let mut socket = Socket::connect(&address.host, &address.to_string())?;
        let query = QueryConfig { app_name: address.table.clone(), partition_indices: Vec::new() };
        let config = |socket: &mut Socket| {
            let method = "RPC_CM_QUERY_PARTITION_CONFIG_BY_INDEX";
            ask::<_, QueryConfigReply>(socket, method, &query)
        };
        let mut found = config(&mut socket)?;
        // Creating a table may take longer than a greeting.
        socket.greeted()?;
        if found.err == ErrorName::ObjectNotFound && creates {
            let options = CreateOptions {
                partition_count: PARTITIONS,
                replica_count: 1,
                success_if_exist: true,
                app_type: "pegasus".to_owned(),
                is_stateful: true,
                envs: BTreeMap::new(),
                atomic_idempotent: None,
            };
            let create = CreateApp { app_name: address.table.clone(), options };
            let created: CreateAppReply = ask(&mut socket, "RPC_CM_CREATE_APP", &create)?;
            if created.err != ErrorName::Ok {
                let error = created.err.as_str();
                return Err(format!("{address}: the table cannot be created: {error}"));
            }
            found = config(&mut socket)?;
        }
        Table::of(address, &found)
    }

    fn of(address: &Address, found: &QueryConfigReply) -> Result<Table> {
        if found.err != ErrorName::Ok {
            let error = found.err.as_str();
            return Err(format!("{address}: the server does not serve this table: {error}"));
        }
        let partitions = u32::try_from(found.partition_count).unwrap_or(0);
        let mut nodes: Vec<_> = found.partitions.iter().map(|part| part.primary.0).collect();
        nodes.dedup();
        match nodes[..] {
            [Some(node)] if partitions.is_power_of_two() => {
                Ok(Table { id: found.app_id, partitions, node: node.to_string() })
            }
            [Some(_), ..] => Err(format!(
                "{address}: expected one node with all partitions, 2^n of them; found {} nodes and {partitions} partitions",
                nodes.len()
            )),
            _ => Err(format!("{address}: partitions without a node; is the table being created?")),
        }
    }
}

/// Sends a request to the meta server and waits for its reply.
fn ask<'a, R: Value<'a>, T: for<'b> Value<'b>>(
    socket: &mut Socket,
    method: &str,
    request: &R,
) -> Result<T> {
    write_request(&Head::default(), method, 1, request, socket.out());
    loop {
        match reply::read::<T>(socket.input()) {
            Ok(Some((received, length))) => {
                let fail = |error: ErrorName| {
                    format!("{}: {method} failed: {}", socket.name(), error.as_str())
                };
                let response = received.response.map_err(fail)?;
                socket.consume(length);
                return Ok(response);
            }
            Ok(None) => socket.receive().map_err(|error| {
                format!("{error}, when asked for the table; does it speak Pegasus's protocol?")
            })?,
            Err(error) => return Err(foreign(socket.name(), &error)),
        }
    }
}

impl Pegasus {
    /// Connects to the node of a table.
    pub(super) fn connect(address: &Address, table: &Table, style: Style) -> Result<Pegasus> {
        let mut socket = Socket::connect(&table.node, &address.to_string())?;
        socket.greeted()?;
        Ok(Pegasus {
            socket,
            style,
            table: table.clone(),
            flights: Flights::default(),
            expected: Vec::new(),
            free: Vec::new(),
            value: Vec::new(),
            bytes: (0, 0),
        })
    }

    /// Sends a request about a hash key.
    fn send<'a>(
        &mut self,
        (hash_key, ticket, kind): (&[u8], usize, Kind),
        method: &str,
        request: &impl Value<'a>,
    ) {
        let sequence = self.free.pop().unwrap_or_else(|| {
            self.expected.push(None);
            self.expected.len() - 1
        });
        self.expected[sequence] = Some((ticket, kind));
        self.flights.of(ticket).waiting += 1;
        let head = self.head(hash_key);
        write_request(&head, method, sequence as i32, request, self.socket.out());
    }

    fn head(&self, hash_key: &[u8]) -> Head {
        let hash = partition_hash(hash_key, b"");
        Head {
            app_id: self.table.id,
            partition: partition_of(hash, self.table.partitions) as i32,
            timeout_ms: TIMEOUT_MS,
            partition_hash: hash,
            is_backup_request: false,
        }
    }

    fn read(&mut self, shape: &Shape, key: &[u8], field: Option<usize>, ticket: usize) {
        let (hash_key, sort_key) = match (self.style, field) {
            (Style::Whole, _) => split(key),
            (Style::Fields, Some(field)) => (key, shape.fields[field].as_bytes()),
            (Style::Fields, None) => {
                let whole =
                    MultiGet { hash_key: key.into(), start_inclusive: true, ..MultiGet::default() };
                return self.send((key, ticket, Kind::Record), "RPC_RRDB_RRDB_MULTI_GET", &whole);
            }
        };
        // A GET's argument is a bare raw key.
        let row: ferrolith_server::thrift::Blob<'_> = raw_key(hash_key, sort_key).into();
        self.send((hash_key, ticket, Kind::Row), "RPC_RRDB_RRDB_GET", &row);
    }

    /// Writes the record that `value` has.
    fn write(&mut self, key: &[u8], ticket: usize) -> Result<()> {
        self.bytes.0 += (key.len() + self.value.len()) as u64;
        let value = std::mem::take(&mut self.value);
        let fields: Vec<_> = match self.style {
            Style::Whole => vec![(split(key).1, &value[..])],
            Style::Fields => Fields(&value).collect::<Result<_>>()?,
        };
        let hash_key = if self.style == Style::Whole { split(key).0 } else { key };
        let of = (hash_key, ticket, Kind::Written);
        if let [(sort_key, content)] = fields[..] {
            let put = Put {
                key: raw_key(hash_key, sort_key).into(),
                value: content.into(),
                expire_ts_seconds: 0,
            };
            self.send(of, "RPC_RRDB_RRDB_PUT", &put);
        } else {
            let row = |(sort_key, content): &(&'_ [u8], &'_ [u8])| KeyValue {
                key: sort_key.to_vec().into(),
                value: content.to_vec().into(),
                expire_ts_seconds: None,
            };
            let kvs = fields.iter().map(row).collect();
            let put = MultiPut { hash_key: hash_key.into(), kvs, expire_ts_seconds: 0 };
            self.send(of, "RPC_RRDB_RRDB_MULTI_PUT", &put);
        }
        self.value = value;
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
        self.write(key, ticket)
    }

    /// Reads several sort keys of one hash key.
    fn multi_get(&mut self, keys: &[Vec<u8>], ticket: usize) -> Result<()> {
        let Some(first) = keys.first() else { return Err("multi_get: no keys".to_owned()) };
        let (hash_key, _) = split(first);
        let sort_keys = keys.iter().map(|key| split(key).1.into()).collect();
        let request = MultiGet { hash_key: hash_key.into(), sort_keys, ..MultiGet::default() };
        self.flights.of(ticket).wanted = keys.len() as u64;
        self.send((hash_key, ticket, Kind::Rows), "RPC_RRDB_RRDB_MULTI_GET", &request);
        Ok(())
    }

    /// Writes several sort keys: those of one hash key together, each hash key by a request of its own.
    fn batch_set(&mut self, shape: &Shape, keys: &[Vec<u8>], ticket: usize, random: &mut Random64) {
        for row in keys.chunk_by(|a, b| split(a).0 == split(b).0) {
            let mut kvs = Vec::new();
            for key in row {
                shape.value(key, random, &mut self.value);
                self.bytes.0 += (key.len() + self.value.len()) as u64;
                let value = self.value.clone().into();
                kvs.push(KeyValue { key: split(key).1.into(), value, expire_ts_seconds: None });
            }
            let hash_key = split(&row[0]).0;
            let put = MultiPut { hash_key: hash_key.into(), kvs, expire_ts_seconds: 0 };
            self.send((hash_key, ticket, Kind::Written), "RPC_RRDB_RRDB_MULTI_PUT", &put);
        }
    }

    fn delete(&mut self, shape: &Shape, key: &[u8], ticket: usize) {
        let sort_keys = shape.fields.iter().map(|field| field.as_bytes().into()).collect();
        let request = MultiRemove { hash_key: key.into(), sort_keys, max_count: 0 };
        self.bytes.0 += key.len() as u64;
        self.send((key, ticket, Kind::Removed), "RPC_RRDB_RRDB_MULTI_REMOVE", &request);
    }

    fn scan(&mut self, shape: &Shape, (key, records): (&[u8], u64), ticket: usize) {
        let of_record = if self.style == Style::Whole { 1 } else { shape.fields.len() };
        let rows = of_record.saturating_mul(usize::try_from(records).unwrap_or(usize::MAX));
        let request = GetScanner {
            start_key: raw_key(key, b"").into(),
            stop_key: KEYS_END.into(),
            start_inclusive: true,
            batch_size: i32::try_from(rows).unwrap_or(i32::MAX),
            ..GetScanner::default()
        };
        self.send((key, ticket, Kind::Scanned(rows)), "RPC_RRDB_RRDB_GET_SCANNER", &request);
    }

    /// Goes on with a scan that wants more rows, or ends it at the server.
    fn go_on(&mut self, ticket: usize, context: i64, rows: usize) {
        // The partition is that of the scan's first key.
        let key = self.flights.of(ticket).key.clone();
        if rows > 0 {
            let scan = Scan { context_id: context };
            self.send((&key, ticket, Kind::Scanned(rows)), "RPC_RRDB_RRDB_SCAN", &scan);
        } else {
            // No reply comes.
            let head = self.head(&key);
            let method = "RPC_RRDB_RRDB_CLEAR_SCANNER";
            write_request(&head, method, i32::MAX, &context, self.socket.out());
        }
    }

    /// Takes the next reply, if it has arrived as a whole. Returns its operation if that has ended.
    fn land(&mut self, shape: &Shape) -> Result<Option<Option<Ended>>> {
        let name = self.socket.name();
        let Some(sequence) = sequence(self.socket.input()).map_err(|e| foreign(name, &e))? else {
            return Ok(None);
        };
        let expected = self.expected.get_mut(sequence).and_then(Option::take);
        let Some((ticket, kind)) = expected else {
            return Err(format!("{name}: a reply to no request: number {sequence}"));
        };
        self.free.push(sequence);
        let flight = self.flights.of(ticket);
        let taken = take(kind, self.socket.input(), shape, flight, &mut self.bytes.1);
        let (length, more) = taken.map_err(|error| foreign(name, &error))?;
        self.socket.consume(length);
        match more {
            Ok(Some((context, rows))) => self.go_on(ticket, context, rows),
            Ok(None) => {}
            Err(error) => self.flights.fail(ticket, error),
        }
        match self.flights.land(ticket) {
            None => Ok(Some(None)),
            Some(Ok((is_found, records))) => Ok(Some(Some(Ended { ticket, is_found, records }))),
            Some(Err(error)) => Err(format!("{}: {error}", self.socket.name())),
        }
    }
}

impl Operations for Pegasus {
    fn begin(
        &mut self,
        shape: &Shape,
        (key, work): (&[u8], Work<'_>),
        ticket: usize,
        random: &mut Random64,
    ) -> Result<()> {
        self.flights.begin(ticket, key);
        // Blind writes find what they write.
        self.flights.of(ticket).is_found = !matches!(
            work,
            Work::Read(_) | Work::ReadModifyWrite(..) | Work::Scan(..) | Work::MultiGet(_)
        );
        match work {
            Work::Read(field) => self.read(shape, key, field, ticket),
            Work::Insert => {
                shape.value(key, random, &mut self.value);
                self.write(key, ticket)?;
            }
            Work::Update(field) => self.update(shape, (key, field), ticket, random)?,
            Work::ReadModifyWrite(read, written) => {
                self.read(shape, key, read, ticket);
                self.update(shape, (key, written), ticket, random)?;
            }
            Work::Scan(records, _) => self.scan(shape, (key, records), ticket),
            Work::Delete => self.delete(shape, key, ticket),
            Work::MultiGet(keys) => self.multi_get(keys, ticket)?,
            Work::BatchSet(keys) => self.batch_set(shape, keys, ticket, random),
        }
        Ok(())
    }

    fn end(&mut self, shape: &Shape) -> Result<Ended> {
        loop {
            match self.land(shape)? {
                Some(Some(ended)) => return Ok(ended),
                Some(None) => {}
                None => self.socket.receive()?,
            }
        }
    }

    fn bytes(&self) -> (u64, u64) {
        self.bytes
    }
}

/// Returns the sequence number of the first reply, if it has arrived as a whole.
fn sequence(input: &[u8]) -> Result<Option<usize>> {
    let word = |at: usize| -> Option<usize> {
        let bytes = input.get(at..at + 4)?;
        Some(u32::from_be_bytes(bytes.try_into().ok()?) as usize)
    };
    let Some(length) = word(0) else { return Ok(None) };
    let wrong = || "expected a reply".to_owned();
    // A length of 16 MB and more is no reply of a server that limits its answers.
    if length > 256 << 20 {
        return Err(wrong());
    }
    if input.len() < length {
        return Ok(None);
    }
    let error = word(4).filter(|length| *length <= NAME_MAX).ok_or_else(wrong)?;
    let method = word(4 + 4 + error + 4).filter(|length| *length <= NAME_MAX).ok_or_else(wrong)?;
    word(4 + 4 + error + 4 + 4 + method).map(Some).ok_or_else(wrong)
}

/// The result of an operation: more rows of a scan are behind this context, and this many are wanted.
type More = Result<Option<(i64, usize)>>;

/// Takes a reply. Returns its length, and its error or what is to be done next.
fn take(
    kind: Kind,
    input: &[u8],
    shape: &Shape,
    flight: &mut Flight,
    read: &mut u64,
) -> Result<(usize, More)> {
    Ok(match kind {
        Kind::Row => {
            let (response, length) = received::<Read<'_>>(input)?;
            (length, response.and_then(|row| take_row(&row, flight, read)))
        }
        Kind::Record | Kind::Rows => {
            let (response, length) = received::<MultiGetReply<'_>>(input)?;
            let checked = shape.checked && matches!(kind, Kind::Record);
            (
                length,
                response.and_then(|rows| take_rows(&rows, flight, read, checked.then_some(shape))),
            )
        }
        Kind::Written => {
            let (response, length) = received::<Update<'_>>(input)?;
            (length, response.and_then(|update| check(update.error)).map(|()| None))
        }
        Kind::Removed => {
            let (response, length) = received::<MultiRemoveReply<'_>>(input)?;
            (length, response.and_then(|removed| check(removed.error)).map(|()| None))
        }
        Kind::Scanned(wanted) => {
            let (response, length) = received::<ScanReply<'_>>(input)?;
            (length, response.and_then(|scan| take_scan(&scan, flight, read, wanted)))
        }
    })
}

/// Returns a response or its error, and the length of the reply.
fn received<'a, T: Value<'a>>(input: &'a [u8]) -> Result<(Result<T>, usize)> {
    let read = reply::read::<T>(input).map_err(|error| error.to_string())?;
    let Some((received, length)) = read else {
        return Err("a reply with a wrong length".to_owned());
    };
    Ok((received.response.map_err(|error| error.as_str().to_owned()), length))
}

fn check(error: i32) -> Result<()> {
    match error {
        status::OK => Ok(()),
        error => Err(format!("storage status {error}")),
    }
}

fn take_row(row: &Read<'_>, flight: &mut Flight, read: &mut u64) -> More {
    if row.error != status::NOT_FOUND {
        check(row.error)?;
        touch(&row.value);
        *read += (flight.key.len() + row.value.len()) as u64;
        flight.is_found = true;
    }
    Ok(None)
}

fn take_rows(
    rows: &MultiGetReply<'_>,
    flight: &mut Flight,
    read: &mut u64,
    checked: Option<&Shape>,
) -> More {
    check(if rows.error == status::NOT_FOUND { status::OK } else { rows.error })?;
    let mut record = Vec::new();
    for row in &rows.kvs {
        touch(&row.value);
        *read += (flight.key.len() + row.key.len() + row.value.len()) as u64;
        if checked.is_some() {
            append_part(&row.key, &mut record);
            append_part(&row.value, &mut record);
        }
    }
    flight.records += rows.kvs.len() as u64;
    flight.is_found |= !rows.kvs.is_empty();
    match checked {
        Some(shape) if !rows.kvs.is_empty() && !shape.is_whole(&flight.key, &record)? => {
            Err("the record is not what was written".to_owned())
        }
        _ => Ok(None),
    }
}

fn take_scan(scan: &ScanReply<'_>, flight: &mut Flight, read: &mut u64, wanted: usize) -> More {
    check(scan.error)?;
    for row in &scan.kvs {
        touch(&row.value);
        *read += (row.key.len() + row.value.len()) as u64;
        let Some((hash_key, _)) = split_key(&row.key) else {
            return Err("a row whose key is damaged".to_owned());
        };
        if flight.records == 0 || flight.last != hash_key {
            flight.records += 1;
            flight.last.clear();
            flight.last.extend_from_slice(hash_key);
        }
    }
    flight.is_found |= flight.records > 0;
    let left = wanted.saturating_sub(scan.kvs.len());
    Ok((scan.context_id >= 0).then_some((scan.context_id, left)))
}

fn foreign(name: &str, error: &dyn std::fmt::Display) -> String {
    format!("{name}: the server does not speak Pegasus's protocol: {error}")
}
