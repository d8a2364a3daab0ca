//! XACK and XPENDING.

use super::commands::{lower, upper};
use super::entry::reply_id;
use super::group::Group;
use super::pending::{Owners, Pending};
use super::stream::Stream;
use super::trim::parse_id;
use crate::redis::args::{Args, is, parse_integer};
use crate::redis::context::Context;
use crate::redis::failure::{Done, Failure, SYNTAX};
use crate::resp::Reply;
use crate::streamid::StreamId;

pub(super) fn xack(context: &mut Context<'_>, args: Args<'_>) -> Done {
    let stream = Stream::find(context, args.at(1))?;
    let group = match &stream {
        Some(stream) => Group::find(context, stream, args.at(2))?,
        None => None,
    };
    let (Some(stream), Some(mut group)) = (stream, group) else {
        context.out.integer(0);
        return Ok(());
    };
    let mut ids = args.from(3).iter().map(|id| parse_id(id)).collect::<Done<Vec<_>>>()?;
    ids.sort_unstable();
    ids.dedup();
    let mut owners = Owners::default();
    let mut acknowledged = 0;
    for id in ids {
        if let Some(pending) = group.pending_entry(context, &stream, id)? {
            owners.take(context, (&stream, &group), &pending)?;
            group.delete_pending(context, &stream, id)?;
            acknowledged += 1;
        }
    }
    if acknowledged > 0 {
        owners.save(context, (&stream, &group))?;
        group.save(context, &stream)?;
    }
    context.out.integer(acknowledged);
    Ok(())
}

/// Which pending entries XPENDING lists.
struct Filter<'a> {
    from: StreamId,
    to: StreamId,
    count: u64,
    idle_min_ms: i64,
    consumer: Option<&'a [u8]>,
}

pub(super) fn xpending(context: &mut Context<'_>, args: Args<'_>) -> Done {
    let filter = parse(args)?;
    let (stream, group) = find(context, args)?;
    match filter {
        None => reply_summary(context, &stream, &group),
        Some(filter) => reply_list(context, &stream, &group, &filter),
    }
}

/// Returns the stream and the group that the first two arguments name.
pub(super) fn find<'k>(context: &Context<'_>, args: Args<'k>) -> Done<(Stream<'k>, Group)> {
    let (key, name) = (args.at(1), args.at(2));
    let stream = Stream::find(context, key)?;
    let group = match &stream {
        Some(stream) => Group::find(context, stream, name)?,
        None => None,
    };
    match (stream, group) {
        (Some(stream), Some(group)) => Ok((stream, group)),
        _ => {
            let (key, name) = (String::from_utf8_lossy(key), String::from_utf8_lossy(name));
            Err(Failure::from(format!("NOGROUP No such key '{key}' or consumer group '{name}'")))
        }
    }
}

fn parse<'a>(args: Args<'a>) -> Done<Option<Filter<'a>>> {
    match args.len() {
        3 => return Ok(None),
        6..=9 => {}
        _ => return Err(SYNTAX.into()),
    }
    let (mut at, mut idle_min_ms) = (3, 0);
    if is(args.at(3), "idle") {
        idle_min_ms = parse_integer(args.at(4))?;
        if args.len() < 8 {
            return Err(SYNTAX.into());
        }
        at = 5;
    }
    let count = u64::try_from(parse_integer(args.at(at + 2))?).unwrap_or(0);
    let (from, to) = (lower(args.at(at))?, upper(args.at(at + 1))?);
    Ok(Some(Filter { from, to, count, idle_min_ms, consumer: args.get(at + 3) }))
}

fn reply_summary(context: &mut Context<'_>, stream: &Stream<'_>, group: &Group) -> Done {
    context.out.array(4);
    context.out.integer(group.pending as i64);
    let Some((first, last)) = group.pending_ends(context, stream)? else {
        context.out.null();
        context.out.null();
        context.out.null_array();
        return Ok(());
    };
    reply_id(context.out, first);
    reply_id(context.out, last);
    let mut consumers = group.all_consumers(context, stream)?;
    consumers.retain(|consumer| consumer.pending > 0);
    context.out.array(consumers.len());
    for consumer in consumers {
        context.out.array(2);
        context.out.bulk(&consumer.name);
        context.out.bulk_integer(consumer.pending as i64);
    }
    Ok(())
}

fn reply_list(
    context: &mut Context<'_>,
    stream: &Stream<'_>,
    group: &Group,
    filter: &Filter<'_>,
) -> Done {
    let mut out = Reply::new(context.out.protocol);
    let (now_ms, mut found) = (context.clock_ms() as i64, 0);
    let mut list = |pending: &Pending| {
        let idle_ms = now_ms.wrapping_sub(pending.delivered_ms as i64);
        if pending.id > filter.to || found >= filter.count {
            return false;
        }
        if filter.idle_min_ms == 0 || idle_ms >= filter.idle_min_ms {
            found += 1;
            out.array(4);
            reply_id(&mut out, pending.id);
            out.bulk(&pending.consumer);
            out.integer(idle_ms.max(0));
            out.integer(pending.deliveries as i64);
        }
        found < filter.count
    };
    match filter.consumer {
        _ if filter.count == 0 => {}
        None => {
            group.walk_pending(context, stream, filter.from, |pending| Ok(list(&pending)))?;
        }
        Some(name) => {
            if let Some(consumer) = group.consumer(context, stream, name)? {
                group.walk_owned(context, stream, consumer.number, filter.from, |id| {
                    let pending = group.pending_entry(context, stream, id)?;
                    Ok(pending.is_none_or(|pending| list(&pending)))
                })?;
            }
        }
    }
    context.out.array(found as usize);
    context.out.raw(out.bytes());
    Ok(())
}
