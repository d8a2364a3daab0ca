//! Streams.
//!
//! ```text
//! stream   = nodes length last-id [ first-id max-deleted-id entries-added ] groups     in brackets: from type 2 on
//! group    = name last-id [ entries-read ] pending { id:16 time:8 deliveries } consumers
//! consumer = name seen:8 [[ active:8 ]] pending { id:16 }                            in double brackets: type 3
//! ```
//!
//! Ids are two numbers except where a length is given. Times are Unix milliseconds, little-endian.

use std::collections::{BTreeMap, HashSet};

use super::kind::Kind;
use super::reader::{Reader, Result};
use super::{Consumer, Group, Pending, Stream, StreamEntry, Version, nodes, writer};
use crate::streamid::StreamId;

/// The number of read entries of a group for which it is unknown.
const UNKNOWN: u64 = u64::MAX;

/// What a group says about its pending entries, by id.
type Deliveries = BTreeMap<StreamId, (i64, u64)>;

/// Reads a stream.
pub(super) fn read(kind: Kind, reader: &mut Reader<'_>) -> Result<Stream> {
    let entries = nodes::read(reader)?;
    // The number of entries: those that were read count.
    reader.number()?;
    let mut stream = Stream { last_id: id(reader)?, ..Stream::default() };
    if kind == Kind::Stream {
        stream.entries_added = entries.len() as u64;
    } else {
        // The id of the first entry.
        id(reader)?;
        stream.max_deleted_id = id(reader)?;
        stream.entries_added = reader.number()?;
    }
    if entries.last().is_some_and(|entry| entry.id > stream.last_id) {
        return Err(reader.fail("a last id of a stream that is below an entry's"));
    }
    stream.entries = entries;
    for _ in 0..reader.count()? {
        let group = group(kind, &stream, reader)?;
        stream.groups.push(group);
    }
    unique(stream.groups.iter().map(|group| group.name.as_slice()), "a repeated group", reader)?;
    Ok(stream)
}

/// Appends a stream's type, entries and groups.
pub(super) fn write(stream: &Stream, version: Version, out: &mut Vec<u8>) {
    let kind = if version >= Version::V11 { Kind::Stream3 } else { Kind::Stream2 };
    kind.write(out);
    nodes::write(&stream.entries, out);
    writer::count(out, stream.entries.len());
    let first_id = stream.entries.first().map_or(StreamId::MIN, |entry| entry.id);
    for id in [stream.last_id, first_id, stream.max_deleted_id] {
        write_id(id, out);
    }
    writer::number(out, stream.entries_added);
    writer::count(out, stream.groups.len());
    for group in &stream.groups {
        write_group(kind, group, out);
    }
}

fn group(kind: Kind, stream: &Stream, reader: &mut Reader<'_>) -> Result<Group> {
    let mut group = Group { name: reader.string()?, last_id: id(reader)?, ..Group::default() };
    reader.charge(size_of::<Group>())?;
    group.entries_read = if kind == Kind::Stream {
        estimated_reads(stream, group.last_id)
    } else {
        Some(reader.number()?).filter(|read| *read != UNKNOWN)
    };
    let mut deliveries = Deliveries::new();
    for _ in 0..reader.count()? {
        let id = StreamId::from_bytes(reader.array()?);
        let delivered_ms = i64::from_le_bytes(reader.array()?);
        reader.charge(2 * size_of::<Pending>())?;
        if deliveries.insert(id, (delivered_ms, reader.number()?)).is_some() {
            return Err(reader.fail("a repeated pending entry of a group"));
        }
    }
    for _ in 0..reader.count()? {
        let consumer = consumer(kind, &mut deliveries, reader)?;
        group.consumers.push(consumer);
    }
    if !deliveries.is_empty() {
        return Err(reader.fail("a pending entry without a consumer"));
    }
    let names = group.consumers.iter().map(|consumer| consumer.name.as_slice());
    unique(names, "a repeated consumer", reader)?;
    Ok(group)
}

/// Reads a consumer and takes its entries from those of its group.
fn consumer(kind: Kind, deliveries: &mut Deliveries, reader: &mut Reader<'_>) -> Result<Consumer> {
    let name = reader.string()?;
    reader.charge(size_of::<Consumer>())?;
    let seen_ms = i64::from_le_bytes(reader.array()?);
    let active_ms = match kind {
        Kind::Stream3 => i64::from_le_bytes(reader.array()?),
        _ => seen_ms,
    };
    let mut pending = Vec::new();
    for _ in 0..reader.count()? {
        let id = StreamId::from_bytes(reader.array()?);
        let (delivered_ms, deliveries) = deliveries
            .remove(&id)
            .ok_or_else(|| reader.fail("a consumer's entry that its group does not have"))?;
        pending.push(Pending { id, delivered_ms, deliveries });
    }
    pending.sort_by_key(|pending| pending.id);
    Ok(Consumer { name, seen_ms, active_ms, pending })
}

/// Returns the number of entries that a group has read, as far as the ids tell: a stream of the oldest type does not
/// say it, and such a stream has no record of deleted entries.
fn estimated_reads(stream: &Stream, last_read: StreamId) -> Option<u64> {
    let first: Option<&StreamEntry> = stream.entries.first();
    match first {
        None if stream.entries_added == 0 => Some(0),
        _ if last_read == stream.last_id => Some(stream.entries_added),
        _ if last_read > stream.last_id => None,
        None => Some(stream.entries_added),
        Some(first) if last_read < first.id => Some(0),
        Some(first) if last_read == first.id => Some(1),
        Some(_) => None,
    }
}

fn write_group(kind: Kind, group: &Group, out: &mut Vec<u8>) {
    writer::string(out, &group.name);
    write_id(group.last_id, out);
    writer::number(out, group.entries_read.unwrap_or(UNKNOWN));
    let mut all: Vec<&Pending> =
        group.consumers.iter().flat_map(|consumer| &consumer.pending).collect();
    all.sort_by_key(|pending| pending.id);
    writer::count(out, all.len());
    for pending in all {
        out.extend_from_slice(&pending.id.to_bytes());
        out.extend_from_slice(&pending.delivered_ms.to_le_bytes());
        writer::number(out, pending.deliveries);
    }
    writer::count(out, group.consumers.len());
    for consumer in &group.consumers {
        writer::string(out, &consumer.name);
        out.extend_from_slice(&consumer.seen_ms.to_le_bytes());
        if kind == Kind::Stream3 {
            out.extend_from_slice(&consumer.active_ms.to_le_bytes());
        }
        writer::count(out, consumer.pending.len());
        for pending in &consumer.pending {
            out.extend_from_slice(&pending.id.to_bytes());
        }
    }
}

fn id(reader: &mut Reader<'_>) -> Result<StreamId> {
    Ok(StreamId { ms: reader.number()?, seq: reader.number()? })
}

fn write_id(id: StreamId, out: &mut Vec<u8>) {
    writer::number(out, id.ms);
    writer::number(out, id.seq);
}

fn unique<'a>(
    mut names: impl Iterator<Item = &'a [u8]>,
    what: &'static str,
    reader: &Reader<'_>,
) -> Result<()> {
    let mut seen = HashSet::new();
    if names.all(|name| seen.insert(name)) { Ok(()) } else { Err(reader.fail(what)) }
}
