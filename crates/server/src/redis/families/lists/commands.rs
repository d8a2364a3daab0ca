//! Commands on one list and its positions.

use super::list::{End, List};
use crate::redis::args::{Args, wrong_arity};
use crate::redis::context::Context;
use crate::redis::failure::{Done, INDEX_RANGE, NO_KEY, NOT_POSITIVE};

pub(super) fn lpush(context: &mut Context<'_>, args: Args<'_>) -> Done {
    let list = List::find_or_new(context, args.at(1))?;
    push(context, args, list, End::Head)
}

pub(super) fn rpush(context: &mut Context<'_>, args: Args<'_>) -> Done {
    let list = List::find_or_new(context, args.at(1))?;
    push(context, args, list, End::Tail)
}

pub(super) fn lpushx(context: &mut Context<'_>, args: Args<'_>) -> Done {
    push_existing(context, args, End::Head)
}

pub(super) fn rpushx(context: &mut Context<'_>, args: Args<'_>) -> Done {
    push_existing(context, args, End::Tail)
}

fn push_existing(context: &mut Context<'_>, args: Args<'_>, at: End) -> Done {
    match List::find(context, args.at(1))? {
        Some(list) => push(context, args, list, at),
        None => {
            context.out.integer(0);
            Ok(())
        }
    }
}

fn push(context: &mut Context<'_>, args: Args<'_>, mut list: List<'_>, at: End) -> Done {
    for value in args.from(2) {
        list.push(context, at, value)?;
    }
    list.save(context)?;
    context.notify(b'l', pushed(at), list.key());
    context.out.integer(list.len() as i64);
    Ok(())
}

/// Returns the event of elements added at an end.
pub(super) fn pushed(at: End) -> &'static str {
    if at == End::Head { "lpush" } else { "rpush" }
}

/// Returns the event of elements removed from an end.
pub(super) fn popped(at: End) -> &'static str {
    if at == End::Head { "lpop" } else { "rpop" }
}

pub(super) fn lpop(context: &mut Context<'_>, args: Args<'_>) -> Done {
    pop(context, args, End::Head)
}

pub(super) fn rpop(context: &mut Context<'_>, args: Args<'_>) -> Done {
    pop(context, args, End::Tail)
}

fn pop(context: &mut Context<'_>, args: Args<'_>, from: End) -> Done {
    if args.len() > 3 {
        return Err(wrong_arity(context.command.full_name));
    }
    let count = match args.len() {
        3 => Some(args.integer(2).ok().and_then(|count| u64::try_from(count).ok()))
            .map(|count| count.ok_or(NOT_POSITIVE))
            .transpose()?,
        _ => None,
    };
    match (List::find(context, args.at(1))?, count) {
        (None, None) => context.out.null(),
        (None, Some(_)) => context.out.null_array(),
        (Some(_), Some(0)) => context.out.array(0),
        (Some(list), Some(count)) => pop_all(context, list, from, count)?,
        (Some(list), None) => pop_one(context, list, from)?,
    }
    Ok(())
}

/// Removes an element at an end, and replies it.
pub(super) fn pop_one(context: &mut Context<'_>, mut list: List<'_>, from: End) -> Done {
    let position = if from == End::Head { 0 } else { list.len() - 1 };
    let out = &mut *context.out;
    list.get(context.txn, position, |value| out.bulk(value))?;
    trim_end(context, &mut list, from, 1)?;
    list.save_removed(context, popped(from))
}

/// Removes up to `count` elements at an end, and replies them.
pub(super) fn pop_all(
    context: &mut Context<'_>,
    mut list: List<'_>,
    from: End,
    count: u64,
) -> Done {
    let count = count.min(list.len());
    context.out.array(count as usize);
    let out = &mut *context.out;
    list.walk(context.txn, from, 0, count, |_, value| {
        out.bulk(value);
        true
    })?;
    trim_end(context, &mut list, from, count)?;
    list.save_removed(context, popped(from))
}

/// Removes elements at an end.
pub(super) fn trim_end(
    context: &mut Context<'_>,
    list: &mut List<'_>,
    from: End,
    count: u64,
) -> Done {
    match from {
        End::Head => list.trim(context, count, 0),
        End::Tail => list.trim(context, 0, count),
    }
}

pub(super) fn llen(context: &mut Context<'_>, args: Args<'_>) -> Done {
    let length = List::find(context, args.at(1))?.map_or(0, |list| list.len());
    context.out.integer(length as i64);
    Ok(())
}

pub(super) fn lindex(context: &mut Context<'_>, args: Args<'_>) -> Done {
    let Some(list) = List::find(context, args.at(1))? else {
        context.out.null();
        return Ok(());
    };
    match position_of(args.integer(2)?, list.len()) {
        Some(position) => {
            let out = &mut *context.out;
            list.get(context.txn, position, |value| out.bulk(value))?;
        }
        None => context.out.null(),
    }
    Ok(())
}

pub(super) fn lset(context: &mut Context<'_>, args: Args<'_>) -> Done {
    let mut list = List::find(context, args.at(1))?.ok_or(NO_KEY)?;
    let position = position_of(args.integer(2)?, list.len()).ok_or(INDEX_RANGE)?;
    list.set(context, position, args.at(3))?;
    context.notify(b'l', "lset", list.key());
    context.out.ok();
    Ok(())
}

pub(super) fn lrange(context: &mut Context<'_>, args: Args<'_>) -> Done {
    let (start, stop) = (args.integer(2)?, args.integer(3)?);
    let list = List::find(context, args.at(1))?;
    let Some((list, (start, length))) =
        list.and_then(|list| part_of(start, stop, list.len()).map(|part| (list, part)))
    else {
        context.out.array(0);
        return Ok(());
    };
    context.out.array(length as usize);
    let out = &mut *context.out;
    list.walk(context.txn, End::Head, start, length, |_, value| {
        out.bulk(value);
        true
    })
}

pub(super) fn ltrim(context: &mut Context<'_>, args: Args<'_>) -> Done {
    let (start, stop) = (args.integer(2)?, args.integer(3)?);
    if let Some(mut list) = List::find(context, args.at(1))? {
        let count = list.len();
        let (left, right) = match part_of(start, stop, count) {
            Some((start, length)) => (start, count - start - length),
            None => (count, 0),
        };
        list.trim(context, left, right)?;
        list.compact(context)?;
        list.save_removed(context, "ltrim")?;
    }
    context.out.ok();
    Ok(())
}

/// Returns the position of an index, which counts from the end if it is negative.
fn position_of(index: i64, length: u64) -> Option<u64> {
    let position = match u64::try_from(index) {
        Ok(position) => position,
        Err(_) => length.checked_sub(index.unsigned_abs())?,
    };
    (position < length).then_some(position)
}

/// Returns the first position and the number of elements between two indices, both included; `None` if there are none.
fn part_of(start: i64, stop: i64, length: u64) -> Option<(u64, u64)> {
    let from_end = |index: i64| length.checked_sub(index.unsigned_abs());
    let start = u64::try_from(start).ok().or_else(|| from_end(start)).unwrap_or(0);
    let stop = u64::try_from(stop).ok().or_else(|| from_end(stop))?.min(length.checked_sub(1)?);
    (start <= stop).then(|| (start, stop - start + 1))
}
