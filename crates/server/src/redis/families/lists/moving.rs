//! Commands that move elements from list to list, pop from one of several lists, and wait.

use super::commands::{pop_all, pop_one, popped, pushed, trim_end};
use super::list::{End, List};
use crate::redis::args::{Args, is, parse_integer};
use crate::redis::context::{Cause, Context};
use crate::redis::failure::{Done, Failure, SYNTAX};
use crate::redis::waiters::Timeout;

pub(super) fn rpoplpush(context: &mut Context<'_>, args: Args<'_>) -> Done {
    try_move(context, args.at(1), args.at(2), (End::Tail, End::Head)).map(|moved| {
        if !moved {
            context.out.null();
        }
    })
}

pub(super) fn lmove(context: &mut Context<'_>, args: Args<'_>) -> Done {
    let ends = (end(args.at(3))?, end(args.at(4))?);
    try_move(context, args.at(1), args.at(2), ends).map(|moved| {
        if !moved {
            context.out.null();
        }
    })
}

pub(super) fn brpoplpush(context: &mut Context<'_>, args: Args<'_>) -> Done {
    let timeout_ms = args.timeout_ms(3)?;
    move_or_wait(context, args, (End::Tail, End::Head), timeout_ms)
}

pub(super) fn blmove(context: &mut Context<'_>, args: Args<'_>) -> Done {
    let ends = (end(args.at(3))?, end(args.at(4))?);
    let timeout_ms = args.timeout_ms(5)?;
    move_or_wait(context, args, ends, timeout_ms)
}

fn move_or_wait(
    context: &mut Context<'_>,
    args: Args<'_>,
    ends: (End, End),
    timeout_ms: Option<u64>,
) -> Done {
    let (source, target) = (args.at(1), args.at(2));
    if find_filled(context, source)?.is_some() {
        try_move(context, source, target, ends)?;
    } else if context.can_block() {
        context.block(&[source], timeout_ms, Timeout::NullArray);
    } else {
        context.out.null();
    }
    Ok(())
}

/// Moves an element and replies it. Returns `false` if there is none.
fn try_move(
    context: &mut Context<'_>,
    source: &[u8],
    target: &[u8],
    (from, to): (End, End),
) -> Done<bool> {
    let Some(mut list) = List::find(context, source)? else { return Ok(false) };
    let position = if from == End::Head { 0 } else { list.len() - 1 };
    if source == target {
        let value = list.get(context.txn, position, <[u8]>::to_vec)?;
        trim_end(context, &mut list, from, 1)?;
        list.push(context, to, &value)?;
        list.save(context)?;
        context.out.bulk(&value);
    } else {
        let mut other = List::find_or_new(context, target)?;
        let value = list.get(context.txn, position, <[u8]>::to_vec)?;
        trim_end(context, &mut list, from, 1)?;
        other.push(context, to, &value)?;
        other.save(context)?;
        list.save(context)?;
        context.out.bulk(&value);
    }
    context.notify(b'l', pushed(to), target);
    context.notify(b'l', popped(from), source);
    if list.len() == 0 {
        context.notify(b'g', "del", source);
    }
    Ok(true)
}

pub(super) fn lmpop(context: &mut Context<'_>, args: Args<'_>) -> Done {
    let (keys, from, count) = parse_several(args, 1)?;
    for key in keys {
        if let Some(list) = List::find(context, key)? {
            return pop_with_key(context, list, from, Some(count));
        }
    }
    context.out.null_array();
    Ok(())
}

pub(super) fn blmpop(context: &mut Context<'_>, args: Args<'_>) -> Done {
    let (keys, from, count) = parse_several(args, 2)?;
    pop_or_wait(context, keys, from, Some(count), args.timeout_ms(1)?)
}

pub(super) fn blpop(context: &mut Context<'_>, args: Args<'_>) -> Done {
    let last = args.len() - 1;
    pop_or_wait(context, args.range(1, last), End::Head, None, args.timeout_ms(last)?)
}

pub(super) fn brpop(context: &mut Context<'_>, args: Args<'_>) -> Done {
    let last = args.len() - 1;
    pop_or_wait(context, args.range(1, last), End::Tail, None, args.timeout_ms(last)?)
}

fn pop_or_wait(
    context: &mut Context<'_>,
    keys: &[&[u8]],
    from: End,
    count: Option<u64>,
    timeout_ms: Option<u64>,
) -> Done {
    for key in keys {
        if let Some(list) = find_filled(context, key)? {
            return pop_with_key(context, list, from, count);
        }
    }
    context.block(keys, timeout_ms, Timeout::NullArray);
    Ok(())
}

/// Returns a list from which a blocking command may take. A client that waits already does not mind keys of other
/// types, and a new one comes behind those that wait.
fn find_filled<'k>(context: &Context<'_>, key: &'k [u8]) -> Done<Option<List<'k>>> {
    match List::find(context, key) {
        Err(Failure::Reply(_)) if context.cause() == Cause::Wake => Ok(None),
        Ok(Some(_)) if context.is_behind_waiters(key, b"") => Ok(None),
        found => found,
    }
}

/// Replies the key and its removed elements: one, or an array of up to `count`.
fn pop_with_key(context: &mut Context<'_>, list: List<'_>, from: End, count: Option<u64>) -> Done {
    context.out.array(2);
    context.out.bulk(list.key());
    match count {
        Some(count) => pop_all(context, list, from, count),
        None => pop_one(context, list, from),
    }
}

/// Parses the keys, the end and the number of elements of LMPOP, from the number of keys on.
fn parse_several<'a>(args: Args<'a>, at: usize) -> Done<(&'a [&'a [u8]], End, u64)> {
    let positive = |argument: &[u8], text: &'static str| {
        let value = parse_integer(argument).ok().and_then(|value| usize::try_from(value).ok());
        value.filter(|value| *value > 0).ok_or(text)
    };
    let keys = positive(args.at(at), "ERR numkeys should be greater than 0")?;
    let word = at.saturating_add(keys).saturating_add(1);
    let from = end(args.get(word).ok_or(SYNTAX)?)?;
    let mut count = None;
    let mut options = args.options(word + 1);
    while let Some(option) = options.next() {
        if count.is_some() || !is(option, "count") || options.left() == 0 {
            return Err(SYNTAX.into());
        }
        count = Some(positive(options.value()?, "ERR count should be greater than 0")?);
    }
    Ok((args.range(at + 1, word), from, count.unwrap_or(1) as u64))
}

fn end(word: &[u8]) -> Done<End> {
    match word {
        _ if is(word, "left") => Ok(End::Head),
        _ if is(word, "right") => Ok(End::Tail),
        _ => Err(SYNTAX.into()),
    }
}
