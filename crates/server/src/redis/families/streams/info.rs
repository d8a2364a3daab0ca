//! XINFO.

use super::commands::reply_entries;
use super::entry::{self, reply_id};
use super::group::{Consumer, Group};
use super::groups::{no_group, wrong_subcommand};
use super::stream::Stream;
use crate::redis::args::{Args, is, parse_integer};
use crate::redis::context::Context;
use crate::redis::failure::{Done, NO_KEY};
use crate::streamid::StreamId;

/// Entries of a node of Redis, for figures that programs may expect.
const NODE_ENTRIES: u64 = 100;
/// The elements of each list of XINFO STREAM FULL.
const FULL_COUNT: u64 = 10;
const ALL: (StreamId, StreamId) = (StreamId::MIN, StreamId::MAX);

pub(super) fn consumers(context: &mut Context<'_>, args: Args<'_>) -> Done {
    let (key, name) = (args.at(2), args.at(3));
    let stream = Stream::find(context, key)?.ok_or(NO_KEY)?;
    let group = Group::find(context, &stream, name)?.ok_or_else(|| no_group(key, name))?;
    let consumers = group.all_consumers(context, &stream)?;
    context.out.array(consumers.len());
    for consumer in consumers {
        let now_ms = context.clock_ms();
        let since = |time_ms: u64| now_ms.saturating_sub(time_ms) as i64;
        context.out.map(4);
        context.out.bulk(b"name");
        context.out.bulk(&consumer.name);
        context.out.bulk(b"pending");
        context.out.integer(consumer.pending as i64);
        context.out.bulk(b"idle");
        context.out.integer(since(consumer.seen_ms));
        context.out.bulk(b"inactive");
        context.out.integer(consumer.active().map_or(-1, since));
    }
    Ok(())
}

pub(super) fn groups(context: &mut Context<'_>, args: Args<'_>) -> Done {
    let stream = Stream::find(context, args.at(2))?.ok_or(NO_KEY)?;
    let groups = Group::all(context, &stream)?;
    context.out.array(groups.len());
    for group in groups {
        context.out.map(6);
        context.out.bulk(b"name");
        context.out.bulk(&group.name);
        context.out.bulk(b"consumers");
        context.out.integer(group.consumers as i64);
        context.out.bulk(b"pending");
        context.out.integer(group.pending as i64);
        reply_progress(context, &stream, &group);
    }
    Ok(())
}

/// Replies how far a group is: three pairs of a map.
fn reply_progress(context: &mut Context<'_>, stream: &Stream<'_>, group: &Group) {
    context.out.bulk(b"last-delivered-id");
    reply_id(context.out, group.last_id);
    let read = group.read.map(|read| read as i64);
    for (name, value) in [("entries-read", read), ("lag", group.lag(stream))] {
        context.out.bulk(name.as_bytes());
        match value {
            Some(value) => context.out.integer(value),
            None => context.out.null(),
        }
    }
}

pub(super) fn stream(context: &mut Context<'_>, args: Args<'_>) -> Done {
    let stream = Stream::find(context, args.at(2))?.ok_or(NO_KEY)?;
    match (args.len(), is(args.at(3), "full"), is(args.at(4), "count")) {
        (3, ..) => reply_short(context, &stream),
        (4, true, _) => reply_full(context, &stream, FULL_COUNT),
        (6, true, true) => {
            let count = u64::try_from(parse_integer(args.at(5))?);
            let count = match count.unwrap_or(FULL_COUNT) {
                0 => u64::MAX,
                count => count,
            };
            reply_full(context, &stream, count)
        }
        _ => Err(wrong_subcommand(args)),
    }
}

fn reply_head(context: &mut Context<'_>, stream: &Stream<'_>) {
    let nodes = stream.len().div_ceil(NODE_ENTRIES) as i64;
    let numbers = [
        ("length", stream.len() as i64),
        ("radix-tree-keys", nodes),
        ("radix-tree-nodes", nodes + 1),
    ];
    for (name, value) in numbers {
        context.out.bulk(name.as_bytes());
        context.out.integer(value);
    }
    context.out.bulk(b"last-generated-id");
    reply_id(context.out, stream.last_id);
    context.out.bulk(b"max-deleted-entry-id");
    reply_id(context.out, stream.max_deleted_id);
    context.out.bulk(b"entries-added");
    context.out.integer(stream.added as i64);
    context.out.bulk(b"recorded-first-entry-id");
    reply_id(context.out, stream.first_id);
}

fn reply_short(context: &mut Context<'_>, stream: &Stream<'_>) -> Done {
    context.out.map(10);
    reply_head(context, stream);
    context.out.bulk(b"groups");
    let groups = Group::all(context, stream)?;
    context.out.count(groups.len());
    for (name, is_backwards) in [("first-entry", false), ("last-entry", true)] {
        context.out.bulk(name.as_bytes());
        let (out, mut found) = (&mut *context.out, false);
        stream.walk(context.txn, ALL, is_backwards, 1, |id, value| {
            found = true;
            entry::reply(out, id, value).map(|()| false)
        })?;
        if !found {
            context.out.null();
        }
    }
    Ok(())
}

fn reply_full(context: &mut Context<'_>, stream: &Stream<'_>, count: u64) -> Done {
    context.out.map(9);
    reply_head(context, stream);
    context.out.bulk(b"entries");
    reply_entries(context, stream, ALL, false, count)?;
    context.out.bulk(b"groups");
    let groups = Group::all(context, stream)?;
    context.out.array(groups.len());
    for group in groups {
        context.out.map(7);
        context.out.bulk(b"name");
        context.out.bulk(&group.name);
        reply_progress(context, stream, &group);
        context.out.bulk(b"pel-count");
        context.out.integer(group.pending as i64);
        context.out.bulk(b"pending");
        reply_pending(context, stream, &group, count)?;
        context.out.bulk(b"consumers");
        let consumers = group.all_consumers(context, stream)?;
        context.out.array(consumers.len());
        for consumer in consumers {
            reply_consumer(context, stream, (&group, &consumer), count)?;
        }
    }
    Ok(())
}

fn reply_pending(
    context: &mut Context<'_>,
    stream: &Stream<'_>,
    group: &Group,
    count: u64,
) -> Done {
    let mut entries = Vec::new();
    group.walk_pending(context, stream, StreamId::MIN, |pending| {
        entries.push(pending);
        Ok((entries.len() as u64) < count)
    })?;
    context.out.array(entries.len());
    for pending in entries {
        context.out.array(4);
        reply_id(context.out, pending.id);
        context.out.bulk(&pending.consumer);
        context.out.integer(pending.delivered_ms as i64);
        context.out.integer(pending.deliveries as i64);
    }
    Ok(())
}

fn reply_consumer(
    context: &mut Context<'_>,
    stream: &Stream<'_>,
    (group, consumer): (&Group, &Consumer),
    count: u64,
) -> Done {
    context.out.map(5);
    context.out.bulk(b"name");
    context.out.bulk(&consumer.name);
    context.out.bulk(b"seen-time");
    context.out.integer(consumer.seen_ms as i64);
    context.out.bulk(b"active-time");
    context.out.integer(consumer.active().map_or(-1, |time_ms| time_ms as i64));
    context.out.bulk(b"pel-count");
    context.out.integer(consumer.pending as i64);
    context.out.bulk(b"pending");
    let mut entries = Vec::new();
    group.walk_owned(context, stream, consumer.number, StreamId::MIN, |id| {
        entries.extend(group.pending_entry(context, stream, id)?);
        Ok((entries.len() as u64) < count)
    })?;
    context.out.array(entries.len());
    for pending in entries {
        context.out.array(3);
        reply_id(context.out, pending.id);
        context.out.integer(pending.delivered_ms as i64);
        context.out.integer(pending.deliveries as i64);
    }
    Ok(())
}
