//! Whole streams with their groups, for DUMP and RESTORE.

use super::entry;
use super::group::{Consumer, Group};
use super::pending::Pending;
use super::stream::Stream;
use crate::dump;
use crate::redis::context::Context;
use crate::redis::failure::Done;
use crate::streamid::StreamId;

/// Returns a stream with its groups; `None` if the key is absent. `charge` is called with the bytes of each part, and
/// may refuse a value that is too large.
pub(in crate::redis) fn read(
    context: &Context<'_>,
    key: &[u8],
    charge: &mut dyn FnMut(usize) -> Done,
) -> Done<Option<dump::Stream>> {
    let Some(stream) = Stream::find(context, key)? else { return Ok(None) };
    let mut whole = dump::Stream {
        entries: Vec::new(),
        last_id: stream.last_id,
        max_deleted_id: stream.max_deleted_id,
        entries_added: stream.added,
        groups: Vec::new(),
    };
    stream.walk(context.txn, (StreamId::MIN, StreamId::MAX), false, u64::MAX, |id, value| {
        charge(value.len())?;
        let strings = entry::decode(value)?;
        let fields = strings.chunks_exact(2).filter_map(|pair| match pair {
            [field, value] => Some((field.to_vec(), value.to_vec())),
            _ => None,
        });
        whole.entries.push(dump::StreamEntry { id, fields: fields.collect() });
        Ok(true)
    })?;
    for group in Group::all(context, &stream)? {
        whole.groups.push(read_group(context, &stream, &group, charge)?);
    }
    Ok(Some(whole))
}

fn read_group(
    context: &Context<'_>,
    stream: &Stream<'_>,
    group: &Group,
    charge: &mut dyn FnMut(usize) -> Done,
) -> Done<dump::Group> {
    let mut consumers = Vec::new();
    for consumer in group.all_consumers(context, stream)? {
        let mut pending = Vec::new();
        group.walk_owned(context, stream, consumer.number, StreamId::MIN, |id| {
            charge(size_of::<dump::Pending>())?;
            pending.extend(group.pending_entry(context, stream, id)?.map(|entry| dump::Pending {
                id,
                delivered_ms: entry.delivered_ms as i64,
                deliveries: entry.deliveries,
            }));
            Ok(true)
        })?;
        consumers.push(dump::Consumer {
            seen_ms: consumer.seen_ms as i64,
            active_ms: consumer.active().map_or(-1, |time_ms| time_ms as i64),
            name: consumer.name,
            pending,
        });
    }
    let (name, last_id, entries_read) = (group.name.clone(), group.last_id, group.read);
    Ok(dump::Group { name, last_id, entries_read, consumers })
}

/// Writes a stream with its groups. It replaces the value of the key, whose rows the caller discards.
pub(in crate::redis) fn write(context: &mut Context<'_>, key: &[u8], whole: &dump::Stream) -> Done {
    let mut stream = Stream::replacing(context, key)?;
    for entry in &whole.entries {
        let strings: Vec<&[u8]> =
            entry.fields.iter().flat_map(|(field, value)| [&field[..], &value[..]]).collect();
        stream.append(context, entry.id, &strings)?;
    }
    stream.last_id = whole.last_id;
    stream.max_deleted_id = whole.max_deleted_id;
    stream.added = whole.entries_added;
    stream.save(context)?;
    for group in &whole.groups {
        write_group(context, &stream, group)?;
    }
    Ok(())
}

fn write_group(context: &mut Context<'_>, stream: &Stream<'_>, whole: &dump::Group) -> Done {
    let mut group = Group::new(context, &whole.name, whole.last_id, whole.entries_read);
    for consumer in &whole.consumers {
        let owner = context.server.store.versions().next();
        for entry in &consumer.pending {
            let pending = Pending {
                id: entry.id,
                delivered_ms: u64::try_from(entry.delivered_ms).unwrap_or(0),
                deliveries: entry.deliveries,
                owner,
                consumer: consumer.name.clone(),
            };
            group.put_pending(context, stream, &pending, true)?;
        }
        let consumer = Consumer {
            name: consumer.name.clone(),
            number: owner,
            seen_ms: u64::try_from(consumer.seen_ms).unwrap_or(0),
            active_ms: u64::try_from(consumer.active_ms).unwrap_or(0),
            pending: consumer.pending.len() as u64,
        };
        group.save_consumer(context, stream, &consumer)?;
        group.pending += consumer.pending;
        group.consumers += 1;
    }
    group.save(context, stream)
}
