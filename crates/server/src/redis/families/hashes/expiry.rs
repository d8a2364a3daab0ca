//! Fields that expire: HEXPIRE, HTTL, HPERSIST and their relatives.

use super::hash::Hash;
use crate::redis::args::{Args, is, parse_integer};
use crate::redis::context::Context;
use crate::redis::failure::{Done, Failure};
use crate::rows::hash::{EXPIRE_MS_MAX, Field};
use crate::text::integer;
use std::collections::HashMap;

/// Replies for one field.
pub(crate) const NO_FIELD: i64 = -2;
pub(crate) const NO_EXPIRY: i64 = -1;
pub(crate) const REFUSED: i64 = 0;
pub(crate) const DONE: i64 = 1;
pub(crate) const DELETED: i64 = 2;

/// The error of a count of fields below 1.
pub(crate) const NOT_POSITIVE_COUNT: &str = "ERR Number of fields must be a positive integer";

/// How a time is written.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) struct Clock {
    /// Milliseconds per unit.
    pub(super) unit_ms: u64,
    /// Whether times count from now.
    pub(super) is_relative: bool,
}

pub(crate) const SECONDS: Clock = Clock { unit_ms: 1000, is_relative: true };
pub(crate) const MILLISECONDS: Clock = Clock { unit_ms: 1, is_relative: true };
pub(crate) const UNIX_SECONDS: Clock = Clock { unit_ms: 1000, is_relative: false };
pub(crate) const UNIX_MILLISECONDS: Clock = Clock { unit_ms: 1, is_relative: false };

impl Clock {
    /// Returns the time in milliseconds since 1970 that an argument stands for.
    pub(crate) fn parse(
        self,
        (now_ms, command): (u64, &'static str),
        argument: &[u8],
    ) -> Done<u64> {
        let time = parse_integer(argument)?;
        let time = u64::try_from(time).map_err(|_| "ERR invalid expire time, must be >= 0")?;
        let base_ms = if self.is_relative { now_ms } else { 0 };
        let time_ms = time.checked_mul(self.unit_ms).and_then(|time| time.checked_add(base_ms));
        time_ms.filter(|time| *time <= EXPIRE_MS_MAX).ok_or_else(|| -> Failure {
            format!("ERR invalid expire time in '{command}' command").into()
        })
    }

    /// Returns what is replied for a field that expires at this time; 0 means never.
    pub(crate) fn time_left(self, expire_ms: u64, now_ms: u64) -> i64 {
        let base_ms = if self.is_relative { now_ms } else { 0 };
        match expire_ms {
            0 => NO_EXPIRY,
            // Seconds are rounded up.
            time => time.saturating_sub(base_ms).div_ceil(self.unit_ms) as i64,
        }
    }
}

/// A condition on the earlier expiry.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum Condition {
    Always,
    IfNone,
    IfSome,
    IfLater,
    IfEarlier,
}

impl Condition {
    pub(crate) fn parse(word: &[u8]) -> Condition {
        match word {
            word if is(word, "nx") => Condition::IfNone,
            word if is(word, "xx") => Condition::IfSome,
            word if is(word, "gt") => Condition::IfLater,
            word if is(word, "lt") => Condition::IfEarlier,
            _ => Condition::Always,
        }
    }

    /// Returns whether a field that expires at `old_ms`, 0 meaning never, may expire at `new_ms`.
    pub(crate) fn allows(self, old_ms: u64, new_ms: u64) -> bool {
        match self {
            Condition::Always => true,
            Condition::IfNone => old_ms == 0,
            Condition::IfSome => old_ms != 0,
            Condition::IfLater => old_ms != 0 && new_ms > old_ms,
            Condition::IfEarlier => old_ms == 0 || new_ms < old_ms,
        }
    }
}

/// Parses `FIELDS count field ...` at the end of the arguments.
pub(crate) fn parse_fields<'a>(
    args: Args<'a>,
    at: usize,
    not_positive: &'static str,
) -> Done<&'a [&'a [u8]]> {
    if !args.is(at, "fields") {
        return Err("ERR Mandatory argument FIELDS is missing or not at the right position".into());
    }
    let number = integer::parse(args.at(at + 1)).filter(|number| *number >= 1);
    let number = number.ok_or(not_positive)?;
    let names = args.from(at + 2);
    if u64::try_from(number).ok() != Some(names.len() as u64) {
        return Err("ERR The `numfields` parameter must match the number of arguments".into());
    }
    Ok(names)
}

/// The fields that a command names, as they are while it runs: expiry and payload, or `None` for absent ones.
pub(super) type States<'a> = HashMap<&'a [u8], Option<(u64, Vec<u8>)>>;

pub(super) fn read_states<'a>(
    context: &Context<'_>,
    hash: &Hash<'_>,
    names: &[&'a [u8]],
) -> Done<States<'a>> {
    let (mut states, mut at) = (States::new(), names.iter());
    hash.get_all(context.txn, names, |field| {
        if let Some(name) = at.next() {
            let state = field.map(|field| (field.expire_ms, field.payload.to_vec()));
            states.insert(name, state);
        }
    })?;
    Ok(states)
}

pub(super) fn hexpire(context: &mut Context<'_>, args: Args<'_>) -> Done {
    expire(context, args, SECONDS)
}

pub(super) fn hpexpire(context: &mut Context<'_>, args: Args<'_>) -> Done {
    expire(context, args, MILLISECONDS)
}

pub(super) fn hexpireat(context: &mut Context<'_>, args: Args<'_>) -> Done {
    expire(context, args, UNIX_SECONDS)
}

pub(super) fn hpexpireat(context: &mut Context<'_>, args: Args<'_>) -> Done {
    expire(context, args, UNIX_MILLISECONDS)
}

/// Parses the arguments of HEXPIRE and its relatives behind the key: the time in milliseconds since 1970, the condition
/// and the fields.
pub(crate) fn parse_expire<'a>(
    args: Args<'a>,
    clock: Clock,
    asked: (u64, &'static str),
) -> Done<(u64, Condition, &'a [&'a [u8]])> {
    let time_ms = clock.parse(asked, args.at(2))?;
    let condition = Condition::parse(args.at(3));
    let fields_at = if condition == Condition::Always { 3 } else { 4 };
    let names =
        parse_fields(args, fields_at, "ERR Parameter `numFields` should be greater than 0")?;
    Ok((time_ms, condition, names))
}

fn expire(context: &mut Context<'_>, args: Args<'_>, clock: Clock) -> Done {
    let key = args.at(1);
    let found = Hash::find(context, key)?;
    let (time_ms, condition, names) = parse_expire(args, clock, context.asked())?;
    context.out.array(names.len());
    let Some(mut hash) = found else {
        names.iter().for_each(|_| context.out.integer(NO_FIELD));
        return Ok(());
    };
    hash.purge(context)?;
    let mut states = read_states(context, &hash, names)?;
    let (mut updated, mut deleted) = (0, 0);
    for name in names {
        let state = states.entry(name).or_default();
        let reply = match state {
            None => NO_FIELD,
            Some((old_ms, _)) if !condition.allows(*old_ms, time_ms) => REFUSED,
            Some((old_ms, _)) if time_ms <= context.now_ms() => {
                hash.delete(context, name, *old_ms)?;
                *state = None;
                deleted += 1;
                DELETED
            }
            Some((old_ms, payload)) => {
                hash.put(context, name, Field { expire_ms: time_ms, payload }, Some(*old_ms))?;
                *old_ms = time_ms;
                updated += 1;
                DONE
            }
        };
        context.out.integer(reply);
    }
    if updated + deleted == 0 {
        return hash.save_purge(context);
    }
    let is_gone = hash.save(context)?;
    context.notify(b'h', if deleted > 0 { "hdel" } else { "hexpire" }, key);
    if is_gone {
        context.notify(b'g', "del", key);
    }
    Ok(())
}

pub(super) fn httl(context: &mut Context<'_>, args: Args<'_>) -> Done {
    ttl(context, args, SECONDS)
}

pub(super) fn hpttl(context: &mut Context<'_>, args: Args<'_>) -> Done {
    ttl(context, args, MILLISECONDS)
}

pub(super) fn hexpiretime(context: &mut Context<'_>, args: Args<'_>) -> Done {
    ttl(context, args, UNIX_SECONDS)
}

pub(super) fn hpexpiretime(context: &mut Context<'_>, args: Args<'_>) -> Done {
    ttl(context, args, UNIX_MILLISECONDS)
}

fn ttl(context: &mut Context<'_>, args: Args<'_>, clock: Clock) -> Done {
    let found = Hash::find(context, args.at(1))?;
    let names = parse_fields(args, 2, NOT_POSITIVE_COUNT)?;
    context.out.array(names.len());
    let Some(hash) = found else {
        names.iter().for_each(|_| context.out.integer(NO_FIELD));
        return Ok(());
    };
    let (now_ms, out) = (context.clock_ms(), &mut *context.out);
    hash.get_all(context.txn, names, |field| {
        out.integer(field.map_or(NO_FIELD, |field| clock.time_left(field.expire_ms, now_ms)));
    })
}

pub(super) fn hpersist(context: &mut Context<'_>, args: Args<'_>) -> Done {
    let key = args.at(1);
    let found = Hash::find(context, key)?;
    let names = parse_fields(args, 2, NOT_POSITIVE_COUNT)?;
    context.out.array(names.len());
    let Some(mut hash) = found else {
        names.iter().for_each(|_| context.out.integer(NO_FIELD));
        return Ok(());
    };
    hash.purge(context)?;
    let mut states = read_states(context, &hash, names)?;
    let mut changed = 0;
    for name in names {
        let reply = match states.entry(name).or_default() {
            None => NO_FIELD,
            Some((0, _)) => NO_EXPIRY,
            Some((old_ms, payload)) => {
                hash.put(context, name, Field { expire_ms: 0, payload }, Some(*old_ms))?;
                *old_ms = 0;
                changed += 1;
                DONE
            }
        };
        context.out.integer(reply);
    }
    if changed == 0 {
        return hash.save_purge(context);
    }
    hash.save(context)?;
    context.notify(b'h', "hpersist", key);
    Ok(())
}
