//! Commands that write fields.

use super::hash::{Hash, Old};
use crate::redis::args::{Args, wrong_arity};
use crate::redis::context::Context;
use crate::redis::failure::{Done, NOT_FLOAT, OVERFLOW};
use crate::rows::hash::Field;
use crate::text::integer;
use crate::text::long_double::LongDouble;
use std::collections::HashSet;

pub(super) fn hset(context: &mut Context<'_>, args: Args<'_>) -> Done {
    let created = set_pairs(context, args)?;
    context.out.integer(created);
    Ok(())
}

pub(super) fn hmset(context: &mut Context<'_>, args: Args<'_>) -> Done {
    set_pairs(context, args)?;
    context.out.ok();
    Ok(())
}

/// Sets fields to values, without expiries. Returns how many fields are new.
fn set_pairs(context: &mut Context<'_>, args: Args<'_>) -> Done<i64> {
    if args.len() % 2 == 1 {
        return Err(wrong_arity(context.command.full_name));
    }
    let mut hash = Hash::find_or_create(context, args.at(1))?;
    let pairs = args.from(2);
    let names: Vec<&[u8]> = pairs.iter().step_by(2).copied().collect();
    let olds = hash.olds(context.txn, &names)?;
    let (mut seen, mut created) = (HashSet::new(), 0);
    for ((name, old), payload) in names.iter().zip(olds).zip(pairs.iter().skip(1).step_by(2)) {
        let field = Field { expire_ms: 0, payload };
        // A field that is named twice is new once, and its rows must not be read after the first write.
        let is_first = names.len() == 1 || seen.insert(*name);
        let old: Old = if is_first { old } else { Some(0) };
        created += i64::from(old.is_none());
        hash.put(context, name, field, old)?;
    }
    hash.save(context)?;
    context.notify(b'h', "hset", args.at(1));
    Ok(created)
}

pub(super) fn hsetnx(context: &mut Context<'_>, args: Args<'_>) -> Done {
    let (key, name) = (args.at(1), args.at(2));
    let mut hash = Hash::find_or_create(context, key)?;
    let is_there = hash.is_stored() && hash.get(context.txn, name, |_| ())?.is_some();
    if is_there {
        hash.save_purge(context)?;
    } else {
        hash.put(context, name, Field { expire_ms: 0, payload: args.at(3) }, None)?;
        hash.save(context)?;
        context.notify(b'h', "hset", key);
    }
    context.out.integer((!is_there).into());
    Ok(())
}

pub(super) fn hincrby(context: &mut Context<'_>, args: Args<'_>) -> Done {
    let by = args.integer(3)?;
    let sum = |value: Option<&[u8]>| {
        let value = match value {
            Some(value) => integer::parse(value).ok_or("ERR hash value is not an integer")?,
            None => 0,
        };
        let sum = value.checked_add(by).ok_or(OVERFLOW)?;
        Ok((sum, itoa::Buffer::new().format(sum).to_owned()))
    };
    let (sum, _) = change(context, args, sum, "hincrby")?;
    context.out.integer(sum);
    Ok(())
}

pub(super) fn hincrbyfloat(context: &mut Context<'_>, args: Args<'_>) -> Done {
    let by = LongDouble::parse(args.at(3)).ok_or(NOT_FLOAT)?;
    if by.is_infinite() {
        return Err("ERR value is NaN or Infinity".into());
    }
    let sum = |value: Option<&[u8]>| {
        let value = match value {
            Some(value) => LongDouble::parse(value).ok_or("ERR hash value is not a float")?,
            None => LongDouble::ZERO,
        };
        let sum = value.checked_add(by).ok_or("ERR increment would produce NaN or Infinity")?;
        Ok(((), sum.to_string()))
    };
    let ((), text) = change(context, args, sum, "hincrbyfloat")?;
    context.out.bulk(text.as_bytes());
    Ok(())
}

/// Replaces the value of a field, which keeps its expiry. `new` gets the old value and returns the new one with a part
/// of the reply.
fn change<R>(
    context: &mut Context<'_>,
    args: Args<'_>,
    new: impl FnOnce(Option<&[u8]>) -> Result<(R, String), &'static str>,
    event: &'static str,
) -> Done<(R, String)> {
    let (key, name) = (args.at(1), args.at(2));
    let mut hash = Hash::find_or_new(context, key)?;
    let mut old: Option<(u64, Vec<u8>)> = None;
    if hash.is_stored() {
        old = hash.get(context.txn, name, |field| (field.expire_ms, field.payload.to_vec()))?;
    }
    // All checks come before the removal of expired fields, which writes.
    let (reply, text) = new(old.as_ref().map(|(_, payload)| &payload[..]))?;
    hash.purge(context)?;
    let expire_ms = old.as_ref().map(|(expire_ms, _)| *expire_ms);
    let field = Field { expire_ms: expire_ms.unwrap_or(0), payload: text.as_bytes() };
    hash.put(context, name, field, expire_ms)?;
    hash.save(context)?;
    context.notify(b'h', event, key);
    Ok((reply, text))
}

pub(super) fn hdel(context: &mut Context<'_>, args: Args<'_>) -> Done {
    let (key, names) = (args.at(1), args.from(2));
    let Some(mut hash) = Hash::find_to_write(context, key)? else {
        context.out.integer(0);
        return Ok(());
    };
    let olds = hash.olds(context.txn, names)?;
    let (mut seen, mut deleted) = (HashSet::new(), 0);
    for (name, old) in names.iter().zip(olds) {
        let Some(expire_ms) = old else { continue };
        if names.len() > 1 && !seen.insert(*name) {
            continue;
        }
        hash.delete(context, name, expire_ms)?;
        deleted += 1;
    }
    if deleted > 0 {
        let is_gone = hash.save(context)?;
        context.notify(b'h', "hdel", key);
        if is_gone {
            context.notify(b'g', "del", key);
        }
    } else {
        hash.save_purge(context)?;
    }
    context.out.integer(deleted);
    Ok(())
}
