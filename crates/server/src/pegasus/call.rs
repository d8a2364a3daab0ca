//! One evaluation of an operation: where it reads and writes, and its time. The files of operations add methods.
//!
//! * **PC1** An operation that writes holds the latch of its hash key from its first read until its commit, so that a
//!   blind put does not get lost between the read and the write of an atomic operation.
//! * **PC2** All rows of an operation have one hash key, except those of BATCH_GET and scans. The whole operation is
//!   one batch.

use super::table::Table;
use crate::clock::Clock;
use crate::error::{Error, Result};
use crate::rows::pegasus::{self as rows, Version};
use crate::store::{Batch, Guards, Latches, Mode, Partition, Range, Store};
use crate::thrift::request::KeyValue;
use crate::thrift::response::{self, status};
use crate::thrift::{ErrorName, Value, partition_hash, partition_of};
use std::borrow::Cow;

/// The version of values that this server writes.
pub const VERSION: Version = Version::V1;

/// The cluster's number in timetags. Clusters do not exchange writes, so it does not matter yet.
const CLUSTER: u8 = 1;

/// The maximum number of rows that one read iterates over or returns.
pub(super) const ROWS_MAX: usize = 3000;
/// The maximum number of bytes that one read returns.
pub(super) const BYTES_MAX: u64 = 30 << 20;

/// When operations are evaluated.
#[derive(Debug, Clone, Copy)]
pub struct Moment {
    /// Seconds since 2016.
    pub now: u32,
    /// Microseconds since 1970, for timetags.
    pub wall_us: u64,
}

/// The evaluation of one operation.
pub struct Call<'a> {
    /// Where the rows are.
    pub store: &'a dyn Store,
    /// The latches of hash keys.
    pub latches: &'a Latches,
    /// The server's clock, for time limits.
    pub clock: &'a dyn Clock,
    /// The table.
    pub table: &'a Table,
    /// The number of the partition in the table.
    pub partition: i32,
    /// The partition in the store.
    pub at: Partition,
    /// The hash of the key that the client computed; 0 if it is not to be compared.
    pub hash: u64,
    /// The same during the whole evaluation.
    pub moment: Moment,
    /// The address that answers name.
    pub server: &'a str,
    /// The batch, whose memory is reused.
    pub batch: &'a mut Batch,
}

/// An operation that is not answered with a response.
pub type Refused<T> = std::result::Result<T, ErrorName>;

/// A response: it begins with a status and names its partition and server.
pub trait Reply<'a>: Value<'a> {
    /// Returns a response with this status and nothing else.
    fn new(error: i32, app_id: i32, partition: i32, server: &'a str) -> Self;
}

macro_rules! replies {
    ($($name:ident)*) => {$(
        impl<'a> Reply<'a> for response::$name<'a> {
            fn new(error: i32, app_id: i32, partition_index: i32, server: &'a str) -> Self {
                let server = Cow::Borrowed(server);
                Self { error, app_id, partition_index, server, ..Self::default() }
            }
        }
    )*};
}

replies! { Update Read Ttl Count MultiGetReply BatchGetReply MultiRemoveReply IncrReply CheckReply ScanReply }

/// Returns the status of an error of the store.
pub fn status_of(error: &Error) -> i32 {
    match error {
        Error::Corrupt(_) => status::CORRUPTION,
        Error::NotSupported(_) => status::NOT_SUPPORTED,
        _ => status::IO_ERROR,
    }
}

/// A live row's expiry and the user's bytes.
pub(super) struct Row {
    pub(super) expiry: u32,
    pub(super) data: Vec<u8>,
}

impl<'a> Call<'a> {
    /// Returns a response with this status.
    pub fn reply<R: Reply<'a>>(&self, error: i32) -> R {
        R::new(error, self.table.app_id, self.partition, self.server)
    }

    /// Checks that a row with this key belongs to this partition, and that the client's hash is right.
    pub(super) fn check_place(&self, hash_key: &[u8], sort_key: &[u8]) -> Refused<()> {
        let hash = partition_hash(hash_key, sort_key);
        if self.hash != 0 && self.hash != hash {
            return Err(ErrorName::InvalidParameters);
        }
        match i32::try_from(partition_of(hash, self.table.count())) == Ok(self.partition) {
            true => Ok(()),
            false => Err(ErrorName::ParentPartitionMisused),
        }
    }

    /// Waits for the latch of a hash key.
    pub(super) fn latch(&self, hash_key: &[u8], mode: Mode) -> Guards<'a> {
        self.latches.lock([(self.at.0, hash_key)], mode)
    }

    /// Returns the expiry to store for what a request asks; `None` if it is not valid.
    pub(super) fn expiry(&self, requested: i32) -> Option<u32> {
        match u32::try_from(requested).ok()? {
            0 => match self.table.settings().default_ttl {
                0 => Some(0),
                ttl => Some(self.moment.now.saturating_add(ttl).min(rows::EXPIRY_MAX)),
            },
            expiry => Some(expiry),
        }
    }

    /// Passes a live row to `found`, and returns its result; `None` if the row is absent or expired.
    pub(super) fn get_with<R>(
        &self,
        key: &[u8],
        found: impl FnOnce(rows::Value<'_>) -> R,
    ) -> Result<Option<R>> {
        let (mut found, mut result) = (Some(found), Ok(None));
        self.store.get(self.at, key, None, &mut |stored| {
            result = self.live(key, stored).map(|value| match (value, found.take()) {
                (Some(value), Some(found)) => Some(found(value)),
                _ => None,
            });
        })?;
        result
    }

    /// Returns a live row; `None` if the row is absent or expired.
    pub(super) fn row(&self, key: &[u8]) -> Result<Option<Row>> {
        self.get_with(key, |value| Row { expiry: value.expiry, data: value.data.to_vec() })
    }

    /// Takes a stored value apart; `None` if it has expired.
    pub(super) fn live<'v>(&self, key: &[u8], stored: &'v [u8]) -> Result<Option<rows::Value<'v>>> {
        let value = VERSION.read(stored).ok_or_else(|| damaged(key, stored))?;
        Ok((!rows::is_expired(value.expiry, self.moment.now)).then_some(value))
    }

    /// Appends the write of a row to the batch.
    pub(super) fn put(&mut self, key: &[u8], data: &[u8], expiry: u32) -> Result<()> {
        let timetag = rows::timetag(self.moment.wall_us, CLUSTER, false);
        let mut value = Vec::new();
        VERSION.write(rows::Value { expiry, timetag, data }, &mut value);
        self.store.put(self.batch, self.at, key, &value)
    }

    /// Appends the deletion of a row to the batch.
    pub(super) fn delete(&mut self, key: &[u8]) -> Result<()> {
        self.store.delete(self.batch, self.at, key)
    }

    /// Commits the batch and returns the number of the write in its partition.
    pub(super) fn commit(&mut self) -> Result<i64> {
        self.store.commit(self.batch)?;
        Ok(self.table.next_decree(self.partition))
    }

    /// Commits the batch and returns the answer to it.
    pub(super) fn updated(&mut self) -> Result<response::Update<'a>> {
        let decree = self.commit()?;
        Ok(response::Update { decree, ..self.reply(status::OK) })
    }

    /// Returns the limits of a read over many rows that begins now.
    pub(super) fn limits(&self, rows: usize, bytes: u64) -> Limits<'a> {
        let limit = self.table.settings().iteration_limit();
        let limit_us = limit.map(|limit| u64::try_from(limit.as_micros()).unwrap_or(u64::MAX));
        let deadline_us = limit_us.map(|limit| self.clock.monotonic_us().saturating_add(limit));
        Limits { clock: self.clock, rows_left: rows, bytes_left: bytes, deadline_us, seen: 0 }
    }
}

/// Returns the error of a value that cannot be taken apart.
fn damaged(key: &[u8], stored: &[u8]) -> Error {
    Error::corrupt(format!(
        "the row {}: expected a value of a known version, found {} bytes",
        key.escape_ascii(),
        stored.len()
    ))
}

/// What is left of the limits of a read.
pub(super) struct Limits<'a> {
    clock: &'a dyn Clock,
    rows_left: usize,
    bytes_left: u64,
    deadline_us: Option<u64>,
    seen: u32,
}

impl Limits<'_> {
    /// Rows between two looks at the clock.
    const LOOK_EVERY: u32 = 32;

    /// Returns whether one more row may be looked at, and counts it.
    pub(super) fn admit_row(&mut self) -> bool {
        if self.rows_left == 0 || self.bytes_left == 0 || self.is_late() {
            return false;
        }
        self.rows_left -= 1;
        true
    }

    /// Counts bytes that are returned.
    pub(super) fn add_bytes(&mut self, bytes: usize) {
        self.bytes_left = self.bytes_left.saturating_sub(bytes as u64);
    }

    fn is_late(&mut self) -> bool {
        self.seen += 1;
        self.seen.is_multiple_of(Self::LOOK_EVERY)
            && self.deadline_us.is_some_and(|deadline| self.clock.monotonic_us() > deadline)
    }
}

/// Returns the range of raw keys from `start` to `stop`.
pub(super) fn range(
    start: &[u8],
    start_inclusive: bool,
    stop: &[u8],
    stop_inclusive: bool,
) -> Range {
    // The next greater key has one more byte.
    let bound = |key: &[u8], is_behind: bool| {
        let mut bound = crate::rows::redis::RowKey::from_slice(key);
        if is_behind {
            bound.push(0);
        }
        bound
    };
    Range { start: bound(start, !start_inclusive), end: bound(stop, stop_inclusive) }
}

/// Returns a row of an answer.
pub(super) fn key_value<'v>(key: &[u8], data: Option<&[u8]>, expiry: Option<u32>) -> KeyValue<'v> {
    KeyValue {
        key: key.to_vec().into(),
        value: data.unwrap_or_default().to_vec().into(),
        expire_ts_seconds: expiry.map(|expiry| i32::try_from(expiry).unwrap_or(i32::MAX)),
    }
}
