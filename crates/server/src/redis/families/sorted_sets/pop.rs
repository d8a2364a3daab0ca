//! Commands that remove the members with the lowest or the highest scores, and their blocking forms.

use super::reply_score;
use super::set::{SortedSet, Span};
use crate::redis::args::{Args, is};
use crate::redis::context::{Cause, Context};
use crate::redis::failure::{Done, Failure, NOT_POSITIVE, SYNTAX};
use crate::redis::waiters::Timeout;
use crate::resp::Protocol;
use crate::text::integer;

pub(super) fn zpopmin(context: &mut Context<'_>, args: Args<'_>) -> Done {
    pop_some(context, args, false)
}

pub(super) fn zpopmax(context: &mut Context<'_>, args: Args<'_>) -> Done {
    pop_some(context, args, true)
}

fn pop_some(context: &mut Context<'_>, args: Args<'_>, is_max: bool) -> Done {
    if args.len() > 3 {
        return Err(SYNTAX.into());
    }
    let count = match args.len() {
        3 => Some(parse_count(args.at(2), 0).ok_or(NOT_POSITIVE)?),
        _ => None,
    };
    let Some(mut set) = SortedSet::find(context, args.at(1))? else {
        context.out.array(0);
        return Ok(());
    };
    let popped = pop(context, &mut set, args.at(1), is_max, count.unwrap_or(1))?;
    let is_nested = count.is_some() && context.out.protocol == Protocol::Resp3;
    context.out.array(popped.len() * if is_nested { 1 } else { 2 });
    reply_members(context, &popped, is_nested);
    Ok(())
}

/// Removes and returns up to `count` members.
fn pop(
    context: &mut Context<'_>,
    set: &mut SortedSet<'_>,
    key: &[u8],
    is_max: bool,
    count: u64,
) -> Done<Vec<(Vec<u8>, f64)>> {
    let mut walk = set.walk(context.txn, &Span::ALL, is_max)?;
    walk.limit(count);
    let mut popped = Vec::new();
    while let Some((member, score)) = walk.next()? {
        set.delete(context, member, score)?;
        popped.push((member.to_vec(), score));
    }
    if !popped.is_empty() {
        let event = if is_max { "zpopmax" } else { "zpopmin" };
        super::save_removal(context, set, key, event)?;
    }
    Ok(popped)
}

fn reply_members(context: &mut Context<'_>, members: &[(Vec<u8>, f64)], is_nested: bool) {
    for (member, score) in members {
        if is_nested {
            context.out.array(2);
        }
        context.out.bulk(member);
        reply_score(context.out, *score);
    }
}

/// Returns the first of these keys that holds a sorted set.
fn first_of<'k>(
    context: &Context<'_>,
    keys: &[&'k [u8]],
    is_blocking: bool,
) -> Done<Option<(&'k [u8], SortedSet<'k>)>> {
    for key in keys {
        match SortedSet::find(context, key) {
            // A client that waits already does not mind keys of other types, and a new one comes behind those that
            // wait.
            Err(Failure::Reply(_)) if context.cause() == Cause::Wake => {}
            Ok(Some(_)) if is_blocking && context.is_behind_waiters(key, b"") => {}
            found => {
                if let Some(set) = found? {
                    return Ok(Some((key, set)));
                }
            }
        }
    }
    Ok(None)
}

pub(super) fn bzpopmin(context: &mut Context<'_>, args: Args<'_>) -> Done {
    pop_or_block(context, args, false)
}

pub(super) fn bzpopmax(context: &mut Context<'_>, args: Args<'_>) -> Done {
    pop_or_block(context, args, true)
}

fn pop_or_block(context: &mut Context<'_>, args: Args<'_>, is_max: bool) -> Done {
    let last = args.len().saturating_sub(1);
    let timeout_ms = args.timeout_ms(last)?;
    let keys = args.range(1, last);
    let Some((key, mut set)) = first_of(context, keys, true)? else {
        context.block(keys, timeout_ms, Timeout::NullArray);
        return Ok(());
    };
    let popped = pop(context, &mut set, key, is_max, 1)?;
    context.out.array(1 + 2 * popped.len());
    context.out.bulk(key);
    reply_members(context, &popped, false);
    Ok(())
}

pub(super) fn zmpop(context: &mut Context<'_>, args: Args<'_>) -> Done {
    let pop = Pop::parse(args, 1)?;
    if !pop.run(context, false)? {
        context.out.null_array();
    }
    Ok(())
}

pub(super) fn bzmpop(context: &mut Context<'_>, args: Args<'_>) -> Done {
    let pop = Pop::parse(args, 2)?;
    let timeout_ms = args.timeout_ms(1)?;
    if !pop.run(context, true)? {
        context.block(pop.keys, timeout_ms, Timeout::NullArray);
    }
    Ok(())
}

/// The arguments of ZMPOP: `numkeys key ... MIN|MAX [COUNT count]`.
struct Pop<'a> {
    keys: &'a [&'a [u8]],
    is_max: bool,
    count: u64,
}

impl<'a> Pop<'a> {
    /// Parses the arguments from an index on.
    fn parse(args: Args<'a>, at: usize) -> Done<Pop<'a>> {
        let number = parse_count(args.at(at), 1).and_then(|number| usize::try_from(number).ok());
        let number = number.ok_or("ERR numkeys should be greater than 0")?;
        let end = (at + 1).saturating_add(number);
        let is_max = match args.get(end) {
            Some(word) if is(word, "min") => false,
            Some(word) if is(word, "max") => true,
            _ => return Err(SYNTAX.into()),
        };
        let (mut count, mut options) = (None, args.options(end + 1));
        while let Some(word) = options.next() {
            if count.is_some() || !is(word, "count") || options.left() == 0 {
                return Err(SYNTAX.into());
            }
            let value = crate::text::integer::parse(options.value()?);
            let value =
                value.and_then(|value| u64::try_from(value).ok()).filter(|value| *value > 0);
            count = Some(value.ok_or("ERR count should be greater than 0")?);
        }
        Ok(Pop { keys: args.range(at + 1, end), is_max, count: count.unwrap_or(1) })
    }

    /// Removes and replies members of the first key that has some. Returns whether there was one.
    fn run(&self, context: &mut Context<'_>, is_blocking: bool) -> Done<bool> {
        let Some((key, mut set)) = first_of(context, self.keys, is_blocking)? else {
            return Ok(false);
        };
        let popped = pop(context, &mut set, key, self.is_max, self.count)?;
        context.out.array(2);
        context.out.bulk(key);
        context.out.array(popped.len());
        reply_members(context, &popped, true);
        Ok(true)
    }
}

/// Parses a number of at least `min`.
fn parse_count(text: &[u8], min: u64) -> Option<u64> {
    let count = u64::try_from(integer::parse(text)?).ok()?;
    (count >= min).then_some(count)
}
