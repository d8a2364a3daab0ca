//! The rows of consumer groups.
//!
//! ```text
//! G rows: sub-key                              value
//!   g name                                     group:8 last-id:16 top-id:16 read:8 pending:varint consumers:varint
//!   c group:8 name                             consumer:8 seen-ms:8 active-ms:8 pending:varint
//!   p group:8 id:16                            delivered-ms:8 deliveries:varint consumer:8 name
//!   q group:8 consumer:8 id:16                 (empty)
//! ```
//!
//! 1. `group` and `consumer` are numbers that are never used twice, so rows of a destroyed group never come back.
//! 2. Each pending entry has a row `p` and a row `q`: by group, and by consumer.
//! 3. `top-id` is at or above the id of each pending entry: an entry above it is not pending.
//! 4. `read` is the number of entries that were delivered, or all ones if it is unknown.

use super::stream::{Stream, id_of};
use crate::redis::context::Context;
use crate::redis::failure::{DAMAGED, Done};
use crate::rows::redis::{GROUP, RowKey, read_varint, write_varint};
use crate::store::{Range, Rows};
use crate::streamid::StreamId;
use smallvec::SmallVec;

type Sub = SmallVec<[u8; 64]>;

const GROUP_ROW: u8 = b'g';
const CONSUMER_ROW: u8 = b'c';
pub(super) const PENDING_ROW: u8 = b'p';
pub(super) const OWNED_ROW: u8 = b'q';
const UNKNOWN: u64 = u64::MAX;
/// Pending entries that are removed one by one; more are removed as a range.
const SINGLE_DELETIONS_MAX: u64 = 512;

/// A consumer group.
#[derive(Clone, Debug)]
pub(in crate::redis) struct Group {
    pub(super) name: Vec<u8>,
    pub(super) number: u64,
    /// The last id that was delivered.
    pub(super) last_id: StreamId,
    pub(super) top_id: StreamId,
    /// The number of entries that were delivered, if known.
    pub(super) read: Option<u64>,
    /// The number of pending entries.
    pub(super) pending: u64,
    pub(super) consumers: u64,
}

/// A consumer of a group.
#[derive(Clone, Debug)]
pub(in crate::redis) struct Consumer {
    pub(super) name: Vec<u8>,
    pub(super) number: u64,
    /// When it was last seen, in milliseconds since 1970.
    pub(super) seen_ms: u64,
    /// When it last got an entry; 0 if never.
    pub(super) active_ms: u64,
    /// The number of its pending entries.
    pub(super) pending: u64,
}

impl Group {
    /// Returns a group of a stream.
    pub(super) fn find(
        context: &Context<'_>,
        stream: &Stream<'_>,
        name: &[u8],
    ) -> Done<Option<Group>> {
        let sub = sub(GROUP_ROW, &[name]);
        let found =
            context.sub_get(&stream.coll, GROUP, &sub, |value| Group::parse(name, value))?;
        found.map(|group| group.ok_or(DAMAGED.into())).transpose()
    }

    /// Returns a new group. The caller saves it, and counts it in the stream.
    pub(super) fn new(
        context: &Context<'_>,
        name: &[u8],
        last_id: StreamId,
        read: Option<u64>,
    ) -> Group {
        let number = context.server.store.versions().next();
        let (name, top_id) = (name.to_vec(), StreamId::MIN);
        Group { name, number, last_id, top_id, read, pending: 0, consumers: 0 }
    }

    /// Returns all groups in the order of their names.
    pub(super) fn all(context: &Context<'_>, stream: &Stream<'_>) -> Done<Vec<Group>> {
        let mut groups = Vec::new();
        for_each(context, stream, &[GROUP_ROW], b"", |sub, value| {
            let name = sub.get(1..).unwrap_or_default();
            groups.push(Group::parse(name, value).ok_or(DAMAGED)?);
            Ok(true)
        })?;
        Ok(groups)
    }

    fn parse(name: &[u8], value: &[u8]) -> Option<Group> {
        let (number, rest) = word(value)?;
        let (last_id, rest) = rest.split_first_chunk()?;
        let (top_id, rest) = rest.split_first_chunk()?;
        let (read, rest) = word(rest)?;
        let (pending, rest) = read_varint(rest)?;
        let (consumers, _) = read_varint(rest)?;
        Some(Group {
            name: name.to_vec(),
            number,
            last_id: StreamId::from_bytes(*last_id),
            top_id: StreamId::from_bytes(*top_id),
            read: Some(read).filter(|read| *read != UNKNOWN),
            pending,
            consumers,
        })
    }

    /// Writes the group's row.
    pub(super) fn save(&self, context: &mut Context<'_>, stream: &Stream<'_>) -> Done {
        let mut value = Vec::with_capacity(60);
        value.extend_from_slice(&self.number.to_be_bytes());
        value.extend_from_slice(&self.last_id.to_bytes());
        value.extend_from_slice(&self.top_id.to_bytes());
        value.extend_from_slice(&self.read.unwrap_or(UNKNOWN).to_be_bytes());
        write_varint(self.pending, &mut value);
        write_varint(self.consumers, &mut value);
        context.sub_put(&stream.coll, GROUP, &sub(GROUP_ROW, &[&self.name]), &value)
    }

    /// Deletes all rows of the group.
    pub(super) fn delete(&self, context: &mut Context<'_>, stream: &Stream<'_>) -> Done {
        for kind in [CONSUMER_ROW, PENDING_ROW, OWNED_ROW] {
            let prefix = sub(kind, &[&self.number.to_be_bytes()]);
            let is_large = self.pending.max(self.consumers) > SINGLE_DELETIONS_MAX;
            delete_all(context, stream, &prefix, is_large)?;
        }
        context.sub_delete(&stream.coll, GROUP, &sub(GROUP_ROW, &[&self.name]))
    }

    /// Notes that an entry was delivered for the first time to this group.
    pub(super) fn note_delivery(&mut self, stream: &Stream<'_>, id: StreamId) {
        if id <= self.last_id {
            return;
        }
        if let Some(read) = self.read.filter(|_| !stream.has_holes_from(id)) {
            self.read = Some(read.saturating_add(1));
        } else if stream.added > 0 {
            self.read = stream.added_up_to(id);
        }
        self.last_id = id;
    }

    /// Returns how many entries are still to be delivered, if the counters tell. As Redis 8.0, not 7.0, a group that is
    /// behind the first entry has all of them before it, whatever it read.
    pub(super) fn lag(&self, stream: &Stream<'_>) -> Option<i64> {
        if stream.len() == 0 {
            return Some(0);
        }
        if self.last_id.max(stream.max_deleted_id) < stream.first_id {
            return Some(stream.len() as i64);
        }
        let left = |read: u64| stream.added.wrapping_sub(read) as i64;
        match self.read {
            Some(read) if !stream.has_holes_from(self.last_id) => Some(left(read)),
            _ => stream.added_up_to(self.last_id).map(left),
        }
    }

    /// Returns a consumer.
    pub(super) fn consumer(
        &self,
        context: &Context<'_>,
        stream: &Stream<'_>,
        name: &[u8],
    ) -> Done<Option<Consumer>> {
        let sub = sub(CONSUMER_ROW, &[&self.number.to_be_bytes(), name]);
        let found =
            context.sub_get(&stream.coll, GROUP, &sub, |value| Consumer::parse(name, value))?;
        found.map(|consumer| consumer.ok_or(DAMAGED.into())).transpose()
    }

    /// Returns a consumer that is seen now. A new one is counted, and told to subscribers. The caller saves both.
    pub(super) fn consumer_or_new(
        &mut self,
        context: &mut Context<'_>,
        stream: &Stream<'_>,
        name: &[u8],
    ) -> Done<Consumer> {
        if let Some(mut consumer) = self.consumer(context, stream, name)? {
            consumer.seen_ms = context.clock_ms();
            return Ok(consumer);
        }
        self.consumers += 1;
        context.notify(b't', "xgroup-createconsumer", stream.key());
        Ok(Consumer {
            name: name.to_vec(),
            number: context.server.store.versions().next(),
            seen_ms: context.clock_ms(),
            active_ms: 0,
            pending: 0,
        })
    }

    /// Returns all consumers in the order of their names.
    pub(super) fn all_consumers(
        &self,
        context: &Context<'_>,
        stream: &Stream<'_>,
    ) -> Done<Vec<Consumer>> {
        let mut consumers = Vec::new();
        let prefix = sub(CONSUMER_ROW, &[&self.number.to_be_bytes()]);
        for_each(context, stream, &prefix, b"", |sub, value| {
            let name = sub.get(prefix.len()..).unwrap_or_default();
            consumers.push(Consumer::parse(name, value).ok_or(DAMAGED)?);
            Ok(true)
        })?;
        Ok(consumers)
    }

    /// Writes a consumer's row.
    pub(super) fn save_consumer(
        &self,
        context: &mut Context<'_>,
        stream: &Stream<'_>,
        consumer: &Consumer,
    ) -> Done {
        let mut value = Vec::with_capacity(32);
        for word in [consumer.number, consumer.seen_ms, consumer.active_ms] {
            value.extend_from_slice(&word.to_be_bytes());
        }
        write_varint(consumer.pending, &mut value);
        let sub = sub(CONSUMER_ROW, &[&self.number.to_be_bytes(), &consumer.name]);
        context.sub_put(&stream.coll, GROUP, &sub, &value)
    }

    /// Deletes a consumer and its pending entries. The caller saves the group.
    pub(super) fn delete_consumer(
        &mut self,
        context: &mut Context<'_>,
        stream: &Stream<'_>,
        consumer: &Consumer,
    ) -> Done {
        let group = self.number.to_be_bytes();
        let prefix = sub(OWNED_ROW, &[&group, &consumer.number.to_be_bytes()]);
        let mut ids = Vec::new();
        for_each(context, stream, &prefix, b"", |sub, _| {
            ids.push(id_of(sub.get(prefix.len()..).unwrap_or_default())?);
            Ok(true)
        })?;
        for id in ids {
            context.sub_delete(
                &stream.coll,
                GROUP,
                &sub(PENDING_ROW, &[&group, &id.to_bytes()]),
            )?;
        }
        delete_all(context, stream, &prefix, consumer.pending > SINGLE_DELETIONS_MAX)?;
        self.pending = self.pending.saturating_sub(consumer.pending);
        self.consumers = self.consumers.saturating_sub(1);
        context.sub_delete(&stream.coll, GROUP, &sub(CONSUMER_ROW, &[&group, &consumer.name]))
    }
}

impl Consumer {
    /// Returns when it last got an entry, in milliseconds since 1970; `None` if never.
    pub(super) fn active(&self) -> Option<u64> {
        Some(self.active_ms).filter(|time_ms| *time_ms > 0)
    }

    fn parse(name: &[u8], value: &[u8]) -> Option<Consumer> {
        let (number, rest) = word(value)?;
        let (seen_ms, rest) = word(rest)?;
        let (active_ms, rest) = word(rest)?;
        let (pending, _) = read_varint(rest)?;
        Some(Consumer { name: name.to_vec(), number, seen_ms, active_ms, pending })
    }
}

pub(super) fn word(bytes: &[u8]) -> Option<(u64, &[u8])> {
    let (word, rest) = bytes.split_first_chunk()?;
    Some((u64::from_be_bytes(*word), rest))
}

/// Returns a sub-key of its parts.
pub(super) fn sub(kind: u8, parts: &[&[u8]]) -> Sub {
    let mut sub = Sub::new();
    sub.push(kind);
    parts.iter().for_each(|part| sub.extend_from_slice(part));
    sub
}

/// Returns the range of rows whose sub-keys begin with a prefix, from `from` on.
pub(super) fn range_of(stream: &Stream<'_>, prefix: &[u8], from: &[u8]) -> Range {
    let whole = Range::prefix(&stream.coll.sub_key(GROUP, prefix));
    let mut start: RowKey = whole.start;
    start.extend_from_slice(from);
    Range { start, end: whole.end }
}

/// Calls `each` with the sub-keys and values of rows with a prefix, from `from` on, until it returns `false`.
pub(super) fn for_each(
    context: &Context<'_>,
    stream: &Stream<'_>,
    prefix: &[u8],
    from: &[u8],
    mut each: impl FnMut(&[u8], &[u8]) -> Done<bool>,
) -> Done {
    let mut rows: Rows = context.sub_range(&stream.coll, range_of(stream, prefix, from))?;
    rows.first()?;
    while let Some((key, value)) = rows.item() {
        if !each(stream.coll.sub(key), value)? {
            break;
        }
        rows.next()?;
    }
    Ok(())
}

/// Deletes all rows with a prefix, as a range if there are many.
pub(super) fn delete_all(
    context: &mut Context<'_>,
    stream: &Stream<'_>,
    prefix: &[u8],
    is_large: bool,
) -> Done {
    if is_large {
        let range = range_of(stream, prefix, b"");
        return Ok(context.txn.delete_range(stream.coll.place.partition, &range)?);
    }
    let mut subs = Vec::new();
    for_each(context, stream, prefix, b"", |sub, _| {
        subs.push(Sub::from_slice(sub));
        Ok(true)
    })?;
    subs.iter().try_for_each(|sub| context.sub_delete(&stream.coll, GROUP, sub))
}
