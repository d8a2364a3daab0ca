//! HGETEX, HSETEX and HGETDEL: values and expiries of fields in one command.

use super::expiry::{Clock, NOT_POSITIVE_COUNT, parse_fields, read_states};
use super::hash::Hash;
use crate::redis::args::{Args, is, wrong_arity};
use crate::redis::context::Context;
use crate::redis::failure::Done;
use crate::rows::hash::Field;
use crate::text::integer;

/// What becomes of the expiries of fields.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
enum Expiry {
    /// Nothing for HGETEX, no expiry for HSETEX.
    Default,
    /// They stay.
    Keep,
    /// They are removed.
    Persist,
    /// They are set to this time.
    At(u64),
}

/// The condition of HSETEX.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
enum Condition {
    Always,
    /// None of the fields exists.
    IfNone,
    /// All fields exist.
    IfAll,
}

/// Returns how the time behind a word is written; `None` for other words.
fn clock_of(word: &[u8]) -> Option<Clock> {
    let (unit_ms, is_relative) = match word {
        word if is(word, "ex") => (1000, true),
        word if is(word, "px") => (1, true),
        word if is(word, "exat") => (1000, false),
        word if is(word, "pxat") => (1, false),
        _ => return None,
    };
    Some(Clock { unit_ms, is_relative })
}

pub(super) fn hgetdel(context: &mut Context<'_>, args: Args<'_>) -> Done {
    let key = args.at(1);
    let found = Hash::find(context, key)?;
    let names = parse_fields(args, 2, NOT_POSITIVE_COUNT)?;
    context.out.array(names.len());
    let Some(mut hash) = found else {
        names.iter().for_each(|_| context.out.null());
        return Ok(());
    };
    hash.purge(context)?;
    let mut states = read_states(context, &hash, names)?;
    let mut deleted = 0;
    for name in names {
        match states.remove(name).flatten() {
            Some((expire_ms, payload)) => {
                context.out.bulk(&payload);
                hash.delete(context, name, expire_ms)?;
                deleted += 1;
            }
            None => context.out.null(),
        }
    }
    if deleted == 0 {
        return hash.save_purge(context);
    }
    let is_gone = hash.save(context)?;
    context.notify(b'h', "hdel", key);
    if is_gone {
        context.notify(b'g', "del", key);
    }
    Ok(())
}

pub(super) fn hgetex(context: &mut Context<'_>, args: Args<'_>) -> Done {
    let key = args.at(1);
    let found = Hash::find(context, key)?;
    let (expiry, fields_at) = match clock_of(args.at(2)) {
        Some(clock) => (Expiry::At(clock.parse(context.asked(), args.at(3))?), 4),
        None if args.is(2, "persist") => (Expiry::Persist, 3),
        None => (Expiry::Default, 2),
    };
    let names = parse_fields(args, fields_at, NOT_POSITIVE_COUNT)?;
    context.out.array(names.len());
    let Some(mut hash) = found else {
        names.iter().for_each(|_| context.out.null());
        return Ok(());
    };
    hash.purge(context)?;
    let mut states = read_states(context, &hash, names)?;
    let (mut updated, mut deleted) = (0, 0);
    for name in names {
        let state = states.entry(name).or_default();
        let Some((old_ms, payload)) = state else {
            context.out.null();
            continue;
        };
        context.out.bulk(payload);
        match expiry {
            Expiry::At(time_ms) if time_ms <= context.now_ms() => {
                hash.delete(context, name, *old_ms)?;
                *state = None;
                deleted += 1;
            }
            Expiry::At(time_ms) => {
                hash.put(context, name, Field { expire_ms: time_ms, payload }, Some(*old_ms))?;
                *old_ms = time_ms;
                updated += 1;
            }
            Expiry::Persist if *old_ms != 0 => {
                hash.put(context, name, Field { expire_ms: 0, payload }, Some(*old_ms))?;
                *old_ms = 0;
                updated += 1;
            }
            _ => {}
        }
    }
    if updated + deleted == 0 {
        return hash.save_purge(context);
    }
    let is_gone = hash.save(context)?;
    let event = match expiry {
        _ if updated == 0 => "hdel",
        Expiry::Persist => "hpersist",
        _ => "hexpire",
    };
    context.notify(b'h', event, key);
    if is_gone {
        context.notify(b'g', "del", key);
    }
    Ok(())
}

/// The arguments of HSETEX.
struct SetEx<'a> {
    condition: Condition,
    expiry: Expiry,
    /// Fields and values in turn.
    pairs: &'a [&'a [u8]],
}

impl<'a> SetEx<'a> {
    fn parse(context: &Context<'_>, args: Args<'a>) -> Done<SetEx<'a>> {
        let (mut condition, mut expiry) = (Condition::Always, Expiry::Default);
        let mut options = args.options(2);
        while let Some(word) = options.next() {
            let clock = clock_of(word);
            if is(word, "fields") {
                let number = options.next().and_then(integer::parse);
                let number = number.filter(|number| *number > 0);
                let number = number.ok_or("ERR invalid number of fields")?;
                let pairs = args.from(options.position());
                if number.unsigned_abs().checked_mul(2) != Some(pairs.len() as u64) {
                    return Err(wrong_arity(context.command.full_name));
                }
                return Ok(SetEx { condition, expiry, pairs });
            } else if clock.is_some() || is(word, "keepttl") {
                if expiry != Expiry::Default {
                    return Err("ERR Only one of EX, PX, EXAT, PXAT or KEEPTTL arguments can be \
                                specified"
                        .into());
                }
                expiry = Expiry::Keep;
                if let Some(clock) = clock {
                    let time = options.next().ok_or("ERR missing expire time")?;
                    expiry = Expiry::At(clock.parse(context.asked(), time)?);
                }
            } else if is(word, "fnx") || is(word, "fxx") {
                if condition != Condition::Always {
                    return Err("ERR Only one of FXX or FNX arguments can be specified".into());
                }
                condition = if is(word, "fnx") { Condition::IfNone } else { Condition::IfAll };
            } else {
                let word = String::from_utf8_lossy(word);
                return Err(format!("ERR unknown argument: {word}").into());
            }
        }
        Err("ERR missing FIELDS argument".into())
    }
}

pub(super) fn hsetex(context: &mut Context<'_>, args: Args<'_>) -> Done {
    let query = SetEx::parse(context, args)?;
    let key = args.at(1);
    let names: Vec<&[u8]> = query.pairs.iter().step_by(2).copied().collect();
    let mut hash = Hash::find_or_new(context, key)?;
    let olds = hash.olds(context.txn, &names)?;
    let is_met = match query.condition {
        Condition::Always => true,
        Condition::IfNone => olds.iter().all(Option::is_none),
        Condition::IfAll => olds.iter().all(Option::is_some),
    };
    context.out.integer(is_met.into());
    if !is_met {
        return Ok(());
    }
    hash.purge(context)?;
    let mut states: std::collections::HashMap<&[u8], Option<u64>> =
        names.iter().copied().zip(olds).collect();
    for (name, payload) in names.iter().zip(query.pairs.iter().skip(1).step_by(2)) {
        let old = states.entry(name).or_default();
        let expire_ms = match query.expiry {
            Expiry::At(time_ms) => time_ms,
            Expiry::Keep => old.unwrap_or(0),
            Expiry::Default | Expiry::Persist => 0,
        };
        if expire_ms != 0 && expire_ms <= context.now_ms() {
            if let Some(old_ms) = old.take() {
                hash.delete(context, name, old_ms)?;
            }
        } else {
            hash.put(context, name, Field { expire_ms, payload }, *old)?;
            *old = Some(expire_ms);
        }
    }
    let is_gone = hash.save(context)?;
    context.notify(b'h', "hset", key);
    if let Expiry::At(time_ms) = query.expiry {
        let is_past = time_ms <= context.now_ms();
        context.notify(b'h', if is_past { "hdel" } else { "hexpire" }, key);
    }
    if is_gone {
        context.notify(b'g', "del", key);
    }
    Ok(())
}
