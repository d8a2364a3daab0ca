//! One command on rows: where they are, reading and writing them, and the time.

use super::expiries;
use crate::pegasus::call::{BYTES_MAX, Call, Moment, Row};
use crate::pegasus::multi::whole_hash_key;
use crate::pegasus::service::Service;
use crate::pegasus::table::Table;
use crate::redis::command::Command;
use crate::redis::cursors::Cursors;
use crate::redis::failure::{Done, Failure};
use crate::resp::Reply;
use crate::rows::pegasus::{self as rows, expiry_clock, key, split_key};
use crate::rows::redis::RowKey;
use crate::store::{Batch, Partition, Range};
use crate::thrift::{partition_hash, partition_of};
use smallvec::SmallVec;

/// A key with more rows is deleted by one range.
const ROWS_SINGLE_MAX: usize = 512;
/// Fields that are looked up at once.
const LOOK_UPS: usize = 256;

/// What does not change during an evaluation.
#[derive(Clone, Copy)]
pub(super) struct Shared<'a> {
    pub(super) service: &'a Service,
    pub(super) table: &'a Table,
    /// Milliseconds since 1970.
    pub(super) now_ms: u64,
    moment: Moment,
}

/// Where the rows of a key are.
#[derive(Debug, Clone, Copy)]
pub(super) struct Place<'k> {
    pub(super) key: &'k [u8],
    pub(super) at: Partition,
    number: i32,
}

/// The evaluation of a command.
pub(super) struct Evaluation<'a> {
    pub(super) shared: Shared<'a>,
    pub(super) cursors: &'a Cursors,
    pub(super) command: &'static Command,
    pub(super) out: &'a mut Reply,
    batch: &'a mut Batch,
    /// The partitions that were written to.
    written: SmallVec<[i32; 4]>,
}

/// A live row, if there is one.
pub(super) type Found = Option<Row>;

impl<'a> Shared<'a> {
    pub(super) fn new(service: &'a Service, table: &'a Table) -> Shared<'a> {
        let wall_us = service.clock.wall_us();
        let now_ms = service.store.horizons().evaluation_ms(wall_us / 1000);
        let moment = Moment { now: expiry_clock(now_ms / 1000), wall_us };
        Shared { service, table, now_ms, moment }
    }

    /// Returns where the rows of a key are.
    pub(super) fn place<'k>(&self, key: &'k [u8]) -> Place<'k> {
        let number = partition_of(partition_hash(key, b""), self.table.count()) as i32;
        // The number is below the number of partitions.
        let at = self.table.at(number).unwrap_or(Partition(u32::MAX));
        Place { key, at, number }
    }

    /// Returns an evaluation of Pegasus in a partition, by its number and its place in the store.
    fn call<'b>(self, (partition, at): (i32, Partition), batch: &'b mut Batch) -> Call<'b>
    where
        'a: 'b,
    {
        Call {
            store: &*self.service.store,
            latches: &self.service.latches,
            clock: &*self.service.clock,
            table: self.table,
            partition,
            at,
            hash: 0,
            moment: self.moment,
            server: "",
            batch,
        }
    }
}

impl<'a> Evaluation<'a> {
    pub(super) fn new(
        shared: Shared<'a>,
        cursors: &'a Cursors,
        command: &'static Command,
        batch: &'a mut Batch,
        out: &'a mut Reply,
    ) -> Evaluation<'a> {
        Evaluation { shared, cursors, command, out, batch, written: SmallVec::new() }
    }

    /// Returns the time of the evaluation and the name of the command, for parsers of times.
    pub(super) fn asked(&self) -> (u64, &'static str) {
        (self.shared.now_ms, self.command.full_name)
    }

    /// Passes a live row and the reply to `found`, and returns its result; `None` if the row is absent or expired.
    pub(super) fn with_row<R>(
        &mut self,
        place: &Place<'_>,
        sort_key: &[u8],
        found: impl FnOnce(rows::Value<'_>, &mut Reply) -> R,
    ) -> Done<Option<R>> {
        let out = &mut *self.out;
        let call = self.shared.call((place.number, place.at), self.batch);
        Ok(call.get_with(&key(place.key, sort_key), |value| found(value, out))?)
    }

    /// Returns a live row.
    pub(super) fn row(&mut self, place: &Place<'_>, sort_key: &[u8]) -> Done<Found> {
        self.with_row(place, sort_key, |value, _| owned(&value))
    }

    /// Returns live rows of keys with sort keys, in their order.
    pub(super) fn rows<'k>(
        &mut self,
        wanted: impl IntoIterator<Item = (Place<'k>, &'k [u8])>,
    ) -> Done<Vec<Found>> {
        let keys: Vec<_> = wanted
            .into_iter()
            .map(|(place, sort_key)| (place.at, RowKey::from_vec(key(place.key, sort_key))))
            .collect();
        let mut found = Vec::with_capacity(keys.len());
        let call = self.shared.call((0, Partition(0)), self.batch);
        for keys in keys.chunks(LOOK_UPS) {
            for ((_, raw), stored) in keys.iter().zip(call.store.multi_get(keys)?) {
                let value = match &stored {
                    Some(stored) => call.live(raw, stored)?,
                    None => None,
                };
                found.push(value.map(|value| owned(&value)));
            }
        }
        Ok(found)
    }

    /// Passes the fields of a hash that are alive, without the string of the same key, to `found` until that returns
    /// `false`: name, value and the reply. Returns whether it did.
    ///
    /// # Errors
    ///
    /// The rows are damaged, or they exceed a limit of the table.
    pub(super) fn each_field(
        &mut self,
        place: &Place<'_>,
        found: impl FnMut(&[u8], rows::Value<'_>, &mut Reply) -> bool,
    ) -> Done<bool> {
        self.fields_behind(place, b"", found)
    }

    /// Does the same for the fields behind a name.
    pub(super) fn fields_behind(
        &mut self,
        place: &Place<'_>,
        last: &[u8],
        mut found: impl FnMut(&[u8], rows::Value<'_>, &mut Reply) -> bool,
    ) -> Done<bool> {
        // Rows with an empty hash key belong to partitions by their sort keys: they are no fields.
        if place.key.is_empty() {
            return Ok(false);
        }
        let range = Range { start: after(last, place.key), ..whole_hash_key(place.key) };
        let out = &mut *self.out;
        let call = self.shared.call((place.number, place.at), self.batch);
        let mut limits = call.limits(usize::MAX, BYTES_MAX);
        let mut cursor = call.store.cursor(place.at, &range, None)?;
        cursor.seek_to_end(false);
        while let Some((raw, stored)) = cursor.item() {
            if !limits.admit_row() {
                return Err(too_large());
            }
            if let Some(value) = call.live(raw, stored)? {
                let name = split_key(raw).map_or(&b""[..], |(_, name)| name);
                limits.add_bytes(name.len() + value.data.len());
                if !found(name, value, out) {
                    return Ok(true);
                }
            }
            cursor.step(false);
        }
        cursor.status()?;
        Ok(false)
    }

    /// Returns whether a key has a string or a field that is alive.
    pub(super) fn exists(&mut self, place: &Place<'_>) -> Done<bool> {
        match self.with_row(place, b"", |_, _| ())? {
            Some(()) => Ok(true),
            None => self.each_field(place, |_, _, _| false),
        }
    }

    /// Deletes all rows of a key. Returns whether one of them was alive.
    pub(super) fn remove_all(&mut self, place: &Place<'_>) -> Done<bool> {
        let mut range = whole_hash_key(place.key);
        if place.key.is_empty() {
            range.end = after(b"", b"");
        }
        let (mut raws, mut is_alive) = (Vec::new(), false);
        let mut call = self.shared.call((place.number, place.at), self.batch);
        let mut cursor = call.store.cursor(place.at, &range, None)?;
        cursor.seek_to_end(false);
        while let Some((raw, stored)) = cursor.item() {
            is_alive = is_alive || call.live(raw, stored)?.is_some();
            if raws.len() <= ROWS_SINGLE_MAX {
                raws.push(raw.to_vec());
            } else if is_alive {
                break;
            }
            cursor.step(false);
        }
        cursor.status()?;
        drop(cursor);
        match raws.len() > ROWS_SINGLE_MAX {
            true => call.store.delete_range(call.batch, place.at, &range)?,
            false => raws.iter().try_for_each(|raw| call.delete(raw))?,
        }
        if !raws.is_empty() {
            self.note(place);
        }
        Ok(is_alive)
    }

    /// Writes a row that expires at a time in seconds since 2016. With 0, it expires after the table's default time.
    pub(super) fn put(
        &mut self,
        place: &Place<'_>,
        sort_key: &[u8],
        data: &[u8],
        expiry: u32,
    ) -> Done {
        let call = self.shared.call((place.number, place.at), self.batch);
        let expiry = i32::try_from(expiry).ok().and_then(|expiry| call.expiry(expiry));
        let expiry = expiry.ok_or_else(|| expiries::invalid(self.command.full_name))?;
        self.put_exactly(place, sort_key, data, expiry)
    }

    /// Writes a row that expires at a time in seconds since 2016; 0 means never.
    pub(super) fn put_exactly(
        &mut self,
        place: &Place<'_>,
        sort_key: &[u8],
        data: &[u8],
        expiry: u32,
    ) -> Done {
        let mut call = self.shared.call((place.number, place.at), self.batch);
        call.put(&key(place.key, sort_key), data, expiry)?;
        self.note(place);
        Ok(())
    }

    /// Deletes a row.
    pub(super) fn delete(&mut self, place: &Place<'_>, sort_key: &[u8]) -> Done {
        let mut call = self.shared.call((place.number, place.at), self.batch);
        call.delete(&key(place.key, sort_key))?;
        self.note(place);
        Ok(())
    }

    fn note(&mut self, place: &Place<'_>) {
        if !self.written.contains(&place.number) {
            self.written.push(place.number);
        }
    }

    /// Commits what was written, and counts a write of each partition.
    pub(super) fn commit(&mut self) -> Done {
        if !self.batch.is_empty() {
            self.shared.service.store.commit(self.batch)?;
            for number in &self.written {
                self.shared.table.next_decree(*number);
            }
        }
        Ok(())
    }

    /// Takes a stored value apart; `None` if it has expired.
    pub(super) fn live<'v>(
        &mut self,
        raw: &[u8],
        stored: &'v [u8],
    ) -> Done<Option<rows::Value<'v>>> {
        let call = self.shared.call((0, Partition(0)), self.batch);
        Ok(call.live(raw, stored)?)
    }
}

fn owned(value: &rows::Value<'_>) -> Row {
    Row { expiry: value.expiry, data: value.data.to_vec() }
}

/// Returns the first key behind a row.
pub(super) fn after(sort_key: &[u8], hash_key: &[u8]) -> RowKey {
    let mut raw = key(hash_key, sort_key);
    raw.push(0);
    RowKey::from_vec(raw)
}

fn too_large() -> Failure {
    format!(
        "ERR the fields have more than {BYTES_MAX} bytes, or reading them takes too long: use HSCAN, or a smaller COUNT"
    )
    .into()
}
