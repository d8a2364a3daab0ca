//! XCLAIM and XAUTOCLAIM: pending entries change their consumer.

use super::acks::find;
use super::commands::lower;
use super::entry;
use super::group::Group;
use super::pending::{Owners, Pending};
use super::stream::Stream;
use super::trim::parse_id;
use crate::redis::args::{Args, is, parse_integer};
use crate::redis::context::Context;
use crate::redis::failure::{Done, SYNTAX};
use crate::streamid::StreamId;

/// How many pending entries XAUTOCLAIM looks at for each that it may claim.
const LOOKED_AT: u64 = 10;

/// The options of XCLAIM.
struct Options {
    delivered_ms: i64,
    deliveries: Option<u64>,
    is_forced: bool,
    ids_only: bool,
    last_id: StreamId,
}

/// The work of both commands on a group.
struct Claims<'s, 'k> {
    stream: &'s Stream<'k>,
    group: Group,
    owners: Owners,
    /// The number of the consumer.
    consumer: u64,
}

pub(super) fn xclaim(context: &mut Context<'_>, args: Args<'_>) -> Done {
    let (stream, group) = find(context, args)?;
    let idle_min_ms = parse_integer(args.at(4))
        .map_err(|_| "ERR Invalid min-idle-time argument for XCLAIM")?
        .max(0);
    let ids: Vec<StreamId> = args.from(5).iter().map_while(|id| StreamId::parse(id, 0)).collect();
    let now_ms = context.clock_ms() as i64;
    let options = parse(args, 5 + ids.len(), now_ms)?;
    let mut claims = Claims::begin(context, &stream, group, args.at(3))?;
    claims.group.last_id = claims.group.last_id.max(options.last_id);
    let (start, mut claimed) = (context.out.position(), 0);
    for id in ids {
        let old = claims.group.pending_entry(context, &stream, id)?;
        let Some(value) = stream.get(context, id, <[u8]>::to_vec)? else {
            if let Some(old) = old {
                claims.remove(context, &old)?;
            }
            continue;
        };
        if old.is_none() && !options.is_forced {
            continue;
        }
        let idle_ms = old.as_ref().map(|old| now_ms.wrapping_sub(old.delivered_ms as i64));
        if idle_min_ms > 0 && idle_ms.is_some_and(|idle_ms| idle_ms < idle_min_ms) {
            continue;
        }
        let counted = old.as_ref().map_or(1, |old| old.deliveries);
        let deliveries = match options.deliveries {
            Some(deliveries) => deliveries,
            None if options.ids_only => counted,
            None => counted.saturating_add(1),
        };
        claims.give(context, args.at(3), id, old, (options.delivered_ms as u64, deliveries))?;
        match options.ids_only {
            true => entry::reply_id(context.out, id),
            false => entry::reply(context.out, id, &value)?,
        }
        claimed += 1;
    }
    context.out.array_later(start, claimed);
    claims.save(context)
}

fn parse(args: Args<'_>, at: usize, now_ms: i64) -> Done<Options> {
    let mut parsed = Options {
        delivered_ms: now_ms,
        deliveries: None,
        is_forced: false,
        ids_only: false,
        last_id: StreamId::MIN,
    };
    let mut options = args.options(at);
    while let Some(word) = options.next() {
        let left = options.left();
        if is(word, "force") {
            parsed.is_forced = true;
        } else if is(word, "justid") {
            parsed.ids_only = true;
        } else if is(word, "idle") && left > 0 {
            let idle_ms = parse_integer(options.value()?)
                .map_err(|_| "ERR Invalid IDLE option argument for XCLAIM")?;
            parsed.delivered_ms = now_ms.wrapping_sub(idle_ms);
        } else if is(word, "time") && left > 0 {
            parsed.delivered_ms = parse_integer(options.value()?)
                .map_err(|_| "ERR Invalid TIME option argument for XCLAIM")?;
        } else if is(word, "retrycount") && left > 0 {
            let count = parse_integer(options.value()?)
                .map_err(|_| "ERR Invalid RETRYCOUNT option argument for XCLAIM")?;
            parsed.deliveries = u64::try_from(count).ok();
        } else if is(word, "lastid") && left > 0 {
            parsed.last_id = parse_id(options.value()?)?;
        } else {
            let word = String::from_utf8_lossy(word);
            return Err(format!("ERR Unrecognized XCLAIM option '{word}'").into());
        }
    }
    // Clients compute these times by their own clocks.
    if !(0..=now_ms).contains(&parsed.delivered_ms) {
        parsed.delivered_ms = now_ms;
    }
    Ok(parsed)
}

/// What XAUTOCLAIM does with a pending entry.
enum Action {
    Claim(Pending, Vec<u8>),
    /// The entry was deleted.
    Remove(Pending),
}

pub(super) fn xautoclaim(context: &mut Context<'_>, args: Args<'_>) -> Done {
    let idle_min_ms = parse_integer(args.at(4))
        .map_err(|_| "ERR Invalid min-idle-time argument for XAUTOCLAIM")?
        .max(0);
    let from = lower(args.at(5))?;
    let (mut count, mut ids_only) = (100, false);
    let mut options = args.options(6);
    while let Some(word) = options.next() {
        if is(word, "count") && options.left() > 0 {
            let value = parse_integer(options.value()?).ok();
            let value = value.filter(|value| (1..=i64::MAX / 16).contains(value));
            count = value.ok_or("ERR COUNT must be > 0")? as u64;
        } else if is(word, "justid") {
            ids_only = true;
        } else {
            return Err(SYNTAX.into());
        }
    }
    let (stream, group) = find(context, args)?;
    let (actions, next) = plan(context, (&stream, &group), from, count, idle_min_ms)?;
    let mut claims = Claims::begin(context, &stream, group, args.at(3))?;
    context.out.array(3);
    entry::reply_id(context.out, next);
    let (start, mut claimed, mut removed) = (context.out.position(), 0, Vec::new());
    for action in actions {
        match action {
            Action::Remove(pending) => {
                claims.remove(context, &pending)?;
                removed.push(pending.id);
            }
            Action::Claim(pending, value) => {
                let id = pending.id;
                let deliveries = pending.deliveries.saturating_add(u64::from(!ids_only));
                let delivery = (context.clock_ms(), deliveries);
                claims.give(context, args.at(3), id, Some(pending), delivery)?;
                match ids_only {
                    true => entry::reply_id(context.out, id),
                    false => entry::reply(context.out, id, &value)?,
                }
                claimed += 1;
            }
        }
    }
    context.out.array_later(start, claimed);
    context.out.array(removed.len());
    removed.iter().for_each(|id| entry::reply_id(context.out, *id));
    claims.save(context)
}

/// Returns what XAUTOCLAIM does from an id on, and the id where the next call begins, 0-0 at the end.
fn plan(
    context: &Context<'_>,
    (stream, group): (&Stream<'_>, &Group),
    from: StreamId,
    count: u64,
    idle_min_ms: i64,
) -> Done<(Vec<Action>, StreamId)> {
    let (mut actions, mut next) = (Vec::new(), StreamId::MIN);
    let (mut left, now_ms) = (count.saturating_mul(LOOKED_AT), context.clock_ms() as i64);
    group.walk_pending(context, stream, from, |pending| {
        if left == 0 || actions.len() as u64 >= count {
            next = pending.id;
            return Ok(false);
        }
        left -= 1;
        let idle_ms = now_ms.wrapping_sub(pending.delivered_ms as i64);
        match stream.get(context, pending.id, <[u8]>::to_vec)? {
            None => actions.push(Action::Remove(pending)),
            Some(_) if idle_min_ms > 0 && idle_ms < idle_min_ms => {}
            Some(value) => actions.push(Action::Claim(pending, value)),
        }
        Ok(true)
    })?;
    Ok((actions, next))
}

impl<'s, 'k> Claims<'s, 'k> {
    /// Begins the work. The consumer is seen now, and is created if it is new, whether it gets entries or not.
    fn begin(
        context: &mut Context<'_>,
        stream: &'s Stream<'k>,
        mut group: Group,
        name: &[u8],
    ) -> Done<Claims<'s, 'k>> {
        let consumer = group.consumer_or_new(context, stream, name)?;
        let mut owners = Owners::default();
        let consumer = owners.add(consumer);
        Ok(Claims { stream, group, owners, consumer })
    }

    /// Removes a pending entry.
    fn remove(&mut self, context: &mut Context<'_>, pending: &Pending) -> Done {
        self.owners.take(context, (self.stream, &self.group), pending)?;
        self.group.delete_pending(context, self.stream, pending.id)
    }

    /// Makes an entry pending for the consumer. `old` is how it was pending before.
    fn give(
        &mut self,
        context: &mut Context<'_>,
        name: &[u8],
        id: StreamId,
        old: Option<Pending>,
        (delivered_ms, deliveries): (u64, u64),
    ) -> Done {
        let owner = self.consumer;
        self.owners.set_active(owner, context.clock_ms());
        let is_new_owner = old.as_ref().is_none_or(|old| old.owner != owner);
        match &old {
            Some(old) if is_new_owner => {
                self.owners.take(context, (self.stream, &self.group), old)?;
            }
            Some(_) => {}
            None => self.group.pending += 1,
        }
        if is_new_owner {
            self.owners.count(owner);
        }
        let pending = Pending { id, delivered_ms, deliveries, owner, consumer: name.to_vec() };
        self.group.put_pending(context, self.stream, &pending, is_new_owner)
    }

    fn save(&self, context: &mut Context<'_>) -> Done {
        self.owners.save(context, (self.stream, &self.group))?;
        self.group.save(context, self.stream)
    }
}
