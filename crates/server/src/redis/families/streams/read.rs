//! XREAD and XREADGROUP.

use super::commands::reply_entries;
use super::entry;
use super::group::{Consumer, Group};
use super::pending::{Owners, Pending};
use super::stream::Stream;
use super::trim::parse_id;
use crate::redis::args::{Args, is, parse_integer};
use crate::redis::context::{Cause, Context};
use crate::redis::failure::{Done, Failure, SYNTAX};
use crate::redis::waiters::Timeout;
use crate::resp::Protocol;
use crate::streamid::StreamId;

/// The entries that a client gets after it was blocked, unless COUNT says otherwise.
const WOKEN_COUNT: u64 = 1000;

/// The arguments of both commands.
#[derive(Default)]
struct Request<'a> {
    /// How long the client waits, in milliseconds, 0 without end; `None` if it does not.
    block_ms: Option<u64>,
    /// The maximum number of entries of each stream; 0 for all.
    count: u64,
    /// The names of the group and the consumer.
    group: Option<(&'a [u8], &'a [u8])>,
    no_ack: bool,
    keys: &'a [&'a [u8]],
    ids: &'a [&'a [u8]],
    /// Where the ids are among the arguments.
    ids_at: usize,
}

/// From where on a stream is read.
enum From {
    /// Behind an id.
    Behind(StreamId),
    /// The last entry only.
    Last,
    /// What the group did not deliver yet.
    New(Box<Group>),
    /// What was delivered to the consumer and is pending, behind an id.
    History(Box<Group>, StreamId),
}

pub(super) fn xread(context: &mut Context<'_>, args: Args<'_>) -> Done {
    let request = parse(context, args, false)?;
    let mut sources = Vec::with_capacity(request.keys.len());
    for (key, id) in request.keys.iter().zip(request.ids) {
        let stream = find(context, key)?;
        let from = match *id {
            b"$" => From::Behind(stream.as_ref().map_or(StreamId::MIN, |stream| stream.last_id)),
            b"+" => match &stream {
                Some(stream) if stream.len() > 0 => From::Last,
                Some(stream) => From::Behind(stream.last_id),
                None => From::Behind(StreamId::MIN),
            },
            b">" => {
                return Err(
                    "ERR The > ID can be specified only when calling XREADGROUP using the \
                            GROUP <group> <consumer> option."
                        .into(),
                );
            }
            id => From::Behind(parse_id(id)?),
        };
        sources.push((stream, from));
    }
    let is_served = reply_all(context, &request, &mut sources)?;
    if !is_served {
        let known = sources.iter().map(|(_, from)| match from {
            From::Behind(id) => Some(*id),
            _ => None,
        });
        wait(context, &request, args, known.collect());
    }
    Ok(())
}

pub(super) fn xreadgroup(context: &mut Context<'_>, args: Args<'_>) -> Done {
    let request = parse(context, args, true)?;
    let Some((group_name, _)) = request.group else {
        return Err("ERR Missing GROUP option for XREADGROUP".into());
    };
    if !request.keys.iter().all(|key| context.held.covers(key)) {
        return Err(Failure::Undeclared);
    }
    let mut sources = Vec::with_capacity(request.keys.len());
    for (key, id) in request.keys.iter().zip(request.ids) {
        let stream = find(context, key)?;
        let group = match &stream {
            Some(stream) => Group::find(context, stream, group_name)?,
            None => None,
        };
        let Some(group) = group else {
            return Err(no_group(context, key, group_name, stream.is_some()));
        };
        let from = match *id {
            b"$" => {
                return Err("ERR The $ ID is meaningless in the context of XREADGROUP: you want \
                            to read the history of this consumer by specifying a proper ID, or use \
                            the > ID to get new messages. The $ ID would just return an empty \
                            result set."
                    .into());
            }
            b">" => From::New(Box::new(group)),
            id => From::History(Box::new(group), parse_id(id)?),
        };
        sources.push((stream, from));
    }
    let is_served = reply_all(context, &request, &mut sources)?;
    if !is_served {
        wait(context, &request, args, Vec::new());
    }
    Ok(())
}

fn no_group(context: &Context<'_>, key: &[u8], group: &[u8], has_stream: bool) -> Failure {
    if context.cause() == Cause::Wake {
        return match has_stream {
            true => "NOGROUP the consumer group this client was blocked on no longer exists".into(),
            false => "UNBLOCKED the stream key no longer exists".into(),
        };
    }
    let (key, group) = (String::from_utf8_lossy(key), String::from_utf8_lossy(group));
    format!(
        "NOGROUP No such key '{key}' or consumer group '{group}' in XREADGROUP with GROUP option"
    )
    .into()
}

/// Returns a stream. A client that waits already does not mind keys of other types.
fn find<'k>(context: &Context<'_>, key: &'k [u8]) -> Done<Option<Stream<'k>>> {
    match Stream::find(context, key) {
        Err(Failure::Reply(_)) if context.cause() == Cause::Wake => Ok(None),
        found => found,
    }
}

fn parse<'a>(context: &Context<'_>, args: Args<'a>, is_group: bool) -> Done<Request<'a>> {
    let mut request = Request::default();
    let mut options = args.options(1);
    while let Some(word) = options.next() {
        let left = options.left();
        if is(word, "block") && left > 0 {
            if context.cause() == Cause::Script {
                let name = String::from_utf8_lossy(args.at(0));
                return Err(format!(
                    "ERR {name} command is not allowed with BLOCK option from scripts"
                )
                .into());
            }
            let value = parse_integer(options.value()?)
                .map_err(|_| "ERR timeout is not an integer or out of range")?;
            let value = u64::try_from(value).map_err(|_| "ERR timeout is negative")?;
            request.block_ms = Some(value);
        } else if is(word, "count") && left > 0 {
            request.count = u64::try_from(parse_integer(options.value()?)?).unwrap_or(0);
        } else if is(word, "streams") && left > 0 {
            if !left.is_multiple_of(2) {
                return Err("ERR Unbalanced XREAD list of streams: for each stream key an ID or \
                            '$' must be specified."
                    .into());
            }
            let at = options.position();
            request.ids_at = at + left / 2;
            request.keys = args.range(at, request.ids_at);
            request.ids = args.from(request.ids_at);
            return Ok(request);
        } else if is(word, "group") && left >= 2 {
            if !is_group {
                return Err("ERR The GROUP option is only supported by XREADGROUP. You called \
                            XREAD instead."
                    .into());
            }
            request.group = Some((options.value()?, options.value()?));
        } else if is(word, "noack") {
            if !is_group {
                return Err("ERR The NOACK option is only supported by XREADGROUP. You called \
                            XREAD instead."
                    .into());
            }
            request.no_ack = true;
        } else {
            return Err(SYNTAX.into());
        }
    }
    Err(SYNTAX.into())
}

/// Replies what the streams have. Returns `false`, without a reply, if they have nothing.
fn reply_all(
    context: &mut Context<'_>,
    request: &Request<'_>,
    sources: &mut [(Option<Stream<'_>>, From)],
) -> Done<bool> {
    let start = context.out.position();
    let is_map = context.out.protocol == Protocol::Resp3;
    let mut served = 0;
    for (stream, from) in sources {
        let Some(stream) = stream else { continue };
        let before = context.out.position();
        if !is_map {
            context.out.array(2);
        }
        context.out.bulk(stream.key());
        if reply_stream(context, request, stream, from)? {
            served += 1;
        } else {
            context.out.truncate(before);
        }
    }
    match (served, is_map) {
        (0, _) => return Ok(false),
        (_, true) => context.out.map_later(start, served),
        (_, false) => context.out.array_later(start, served),
    }
    Ok(true)
}

/// Replies the entries of a stream. Returns whether there is a reply.
fn reply_stream(
    context: &mut Context<'_>,
    request: &Request<'_>,
    stream: &Stream<'_>,
    from: &mut From,
) -> Done<bool> {
    let count = match request.count {
        0 if context.cause() == Cause::Wake => WOKEN_COUNT,
        0 => u64::MAX,
        count => count,
    };
    let consumer = request.group.map_or(&b""[..], |(_, consumer)| consumer);
    match from {
        From::Last => {
            let range = (StreamId::MIN, StreamId::MAX);
            Ok(reply_entries(context, stream, range, true, 1)? > 0)
        }
        From::Behind(id) if *id >= stream.last_id => Ok(false),
        From::Behind(id) => {
            let range = (id.next().unwrap_or(StreamId::MAX), StreamId::MAX);
            Ok(reply_entries(context, stream, range, false, count)? > 0)
        }
        From::New(group) => {
            // The same stream may be named twice.
            if let Some(current) = Group::find(context, stream, &group.name)? {
                **group = current;
            }
            let consumer = meet(context, stream, group, consumer)?;
            deliver(context, stream, group, (consumer, request.no_ack), count)
        }
        From::History(group, id) => {
            if let Some(current) = Group::find(context, stream, &group.name)? {
                **group = current;
            }
            reply_history(context, stream, group, consumer, *id, count)?;
            Ok(true)
        }
    }
}

/// Returns a consumer that asks for new entries. It is seen now, and is created if it is new, whether there are entries
/// or not.
fn meet(
    context: &mut Context<'_>,
    stream: &Stream<'_>,
    group: &mut Group,
    name: &[u8],
) -> Done<Consumer> {
    let consumers = group.consumers;
    let consumer = group.consumer_or_new(context, stream, name)?;
    group.save_consumer(context, stream, &consumer)?;
    if group.consumers != consumers {
        group.save(context, stream)?;
    }
    Ok(consumer)
}

/// Delivers new entries to a consumer. Returns whether there are any.
fn deliver(
    context: &mut Context<'_>,
    stream: &Stream<'_>,
    group: &mut Group,
    (mut consumer, no_ack): (Consumer, bool),
    count: u64,
) -> Done<bool> {
    if group.last_id >= stream.last_id || context.is_behind_waiters(stream.key(), &group.name) {
        return Ok(false);
    }
    let from = group.last_id.next().unwrap_or(StreamId::MAX);
    let (mut ids, start) = (Vec::new(), context.out.position());
    let out = &mut *context.out;
    stream.walk(context.txn, (from, StreamId::MAX), false, count, |id, value| {
        ids.push(id);
        entry::reply(out, id, value).map(|()| true)
    })?;
    if ids.is_empty() {
        return Ok(false);
    }
    out.array_later(start, ids.len());
    consumer.active_ms = context.clock_ms();
    let name = consumer.name.clone();
    let mut owners = Owners::default();
    let owner = owners.add(consumer);
    for id in ids {
        group.note_delivery(stream, id);
        if no_ack {
            continue;
        }
        let old = group.pending_entry(context, stream, id)?;
        let is_new_owner = old.as_ref().is_none_or(|old| old.owner != owner);
        match &old {
            Some(old) if is_new_owner => owners.take(context, (stream, group), old)?,
            Some(_) => {}
            None => group.pending += 1,
        }
        if is_new_owner {
            owners.count(owner);
        }
        let (delivered_ms, consumer) = (context.clock_ms(), name.clone());
        let pending = Pending { id, delivered_ms, deliveries: 1, owner, consumer };
        group.put_pending(context, stream, &pending, is_new_owner)?;
    }
    owners.save(context, (stream, group))?;
    group.save(context, stream)?;
    Ok(true)
}

/// Replies pending entries of a consumer. Deleted ones have a null in the place of their fields.
fn reply_history(
    context: &mut Context<'_>,
    stream: &Stream<'_>,
    group: &mut Group,
    consumer: &[u8],
    behind: StreamId,
    count: u64,
) -> Done {
    let consumer = group.consumer_or_new(context, stream, consumer)?;
    let mut ids = Vec::new();
    if let Some(from) = behind.next() {
        group.walk_owned(context, stream, consumer.number, from, |id| {
            ids.push(id);
            Ok((ids.len() as u64) < count)
        })?;
    }
    context.out.array(ids.len());
    for id in ids {
        let out_start = context.out.position();
        let value = stream.get(context, id, <[u8]>::to_vec)?;
        match value {
            Some(value) => {
                entry::reply(context.out, id, &value)?;
                if let Some(mut pending) = group.pending_entry(context, stream, id)? {
                    pending.delivered_ms = context.clock_ms();
                    pending.deliveries = pending.deliveries.saturating_add(1);
                    group.put_pending(context, stream, &pending, false)?;
                }
            }
            None => {
                context.out.truncate(out_start);
                context.out.array(2);
                entry::reply_id(context.out, id);
                context.out.null_array();
            }
        }
    }
    group.save_consumer(context, stream, &consumer)?;
    group.save(context, stream)
}

/// Makes the client wait if it wants to. `known` has the ids behind which entries are new, in the place of `$`.
fn wait(
    context: &mut Context<'_>,
    request: &Request<'_>,
    args: Args<'_>,
    known: Vec<Option<StreamId>>,
) {
    let Some(block_ms) = request.block_ms else { return context.out.null_array() };
    let mut changed: Vec<Box<[u8]>> = args.all().iter().map(|arg| Box::from(*arg)).collect();
    for (arg, id) in changed.iter_mut().skip(request.ids_at).zip(known) {
        if let Some(id) = id {
            *arg = id.to_string().into_bytes().into();
        }
    }
    let timeout_ms = (block_ms > 0).then_some(block_ms);
    context.block_with(request.keys, timeout_ms, Timeout::NullArray, Some(changed));
}
