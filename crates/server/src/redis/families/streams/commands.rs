//! Commands on the entries of one stream.

use super::entry;
use super::stream::Stream;
use super::trim::{self, INVALID_ID};
use crate::redis::args::{Args, is, parse_integer, wrong_arity};
use crate::redis::context::Context;
use crate::redis::failure::{Done, NO_KEY, SYNTAX};
use crate::streamid::{IdBound, NewId, StreamId};

pub(super) fn xadd(context: &mut Context<'_>, args: Args<'_>) -> Done {
    let options = trim::parse(context, args, true)?;
    let fields = args.from(options.fields_at);
    let Some(new_id) = options.id.filter(|_| !fields.is_empty() && fields.len().is_multiple_of(2))
    else {
        return Err(wrong_arity(context.command.full_name));
    };
    if new_id == NewId::Given(StreamId::MIN) {
        return Err("ERR The ID specified in XADD must be greater than 0-0".into());
    }
    let key = args.at(1);
    let mut stream = match Stream::find(context, key)? {
        Some(stream) => stream,
        None if options.must_exist => {
            context.out.null();
            return Ok(());
        }
        None => Stream::replacing(context, key)?,
    };
    if stream.last_id == StreamId::MAX {
        return Err(
            "ERR The stream has exhausted the last possible ID, unable to add more items".into()
        );
    }
    let id = new_id.resolve(stream.last_id, context.clock_ms()).ok_or(
        "ERR The ID specified in XADD is equal or smaller than the target stream top item",
    )?;
    let plan = options.trim.map(|trim| trim.plan(&stream, context.txn, Some(id))).transpose()?;
    let mut is_trimmed = false;
    if let Some(plan) = &plan {
        is_trimmed = plan.removed > 0 || plan.drops_new;
        if plan.removed > 0 {
            stream.remove_first(context, plan.removed, plan.first_kept)?;
        }
    }
    match plan {
        Some(plan) if plan.drops_new => stream.count_added(id),
        _ => stream.append(context, id, fields)?,
    }
    stream.save(context)?;
    context.notify(b't', "xadd", key);
    if is_trimmed {
        context.notify(b't', "xtrim", key);
    }
    entry::reply_id(context.out, id);
    Ok(())
}

pub(super) fn xlen(context: &mut Context<'_>, args: Args<'_>) -> Done {
    let length = Stream::find(context, args.at(1))?.map_or(0, |stream| stream.len());
    context.out.integer(length as i64);
    Ok(())
}

pub(super) fn xrange(context: &mut Context<'_>, args: Args<'_>) -> Done {
    range(context, args, (args.at(2), args.at(3)), false)
}

pub(super) fn xrevrange(context: &mut Context<'_>, args: Args<'_>) -> Done {
    range(context, args, (args.at(3), args.at(2)), true)
}

fn range(
    context: &mut Context<'_>,
    args: Args<'_>,
    (from, to): (&[u8], &[u8]),
    is_backwards: bool,
) -> Done {
    let from = lower(from)?;
    let to = upper(to)?;
    let mut count = None;
    let mut options = args.options(4);
    while let Some(word) = options.next() {
        if !is(word, "count") || options.left() == 0 {
            return Err(SYNTAX.into());
        }
        count = Some(u64::try_from(parse_integer(options.value()?)?).unwrap_or(0));
    }
    let Some(stream) = Stream::find(context, args.at(1))? else {
        context.out.array(0);
        return Ok(());
    };
    match count {
        Some(0) => context.out.null_array(),
        count => {
            reply_entries(context, &stream, (from, to), is_backwards, count.unwrap_or(u64::MAX))?;
        }
    }
    Ok(())
}

/// Parses the lower end of a range.
pub(super) fn lower(text: &[u8]) -> Done<StreamId> {
    let bound = IdBound::parse(text, 0).ok_or(INVALID_ID)?;
    bound.first().ok_or_else(|| "ERR invalid start ID for the interval".into())
}

/// Parses the upper end of a range.
pub(super) fn upper(text: &[u8]) -> Done<StreamId> {
    let bound = IdBound::parse(text, u64::MAX).ok_or(INVALID_ID)?;
    bound.last().ok_or_else(|| "ERR invalid end ID for the interval".into())
}

/// Replies an array of up to `count` entries. Returns their number.
pub(super) fn reply_entries(
    context: &mut Context<'_>,
    stream: &Stream<'_>,
    range: (StreamId, StreamId),
    is_backwards: bool,
    count: u64,
) -> Done<usize> {
    let out = &mut *context.out;
    let (start, mut found) = (out.position(), 0);
    stream.walk(context.txn, range, is_backwards, count, |id, value| {
        found += 1;
        entry::reply(out, id, value).map(|()| true)
    })?;
    out.array_later(start, found);
    Ok(found)
}

pub(super) fn xdel(context: &mut Context<'_>, args: Args<'_>) -> Done {
    let Some(mut stream) = Stream::find(context, args.at(1))? else {
        context.out.integer(0);
        return Ok(());
    };
    let ids = args.from(2).iter().map(|id| trim::parse_id(id)).collect::<Done<Vec<_>>>()?;
    let removed = stream.remove(context, ids)?;
    if removed > 0 {
        stream.save(context)?;
        context.notify(b't', "xdel", args.at(1));
    }
    context.out.integer(removed);
    Ok(())
}

pub(super) fn xtrim(context: &mut Context<'_>, args: Args<'_>) -> Done {
    let options = trim::parse(context, args, false)?;
    let mut removed = 0;
    if let (Some(mut stream), Some(trim)) = (Stream::find(context, args.at(1))?, options.trim) {
        let plan = trim.plan(&stream, context.txn, None)?;
        removed = plan.removed;
        if removed > 0 {
            stream.remove_first(context, removed, plan.first_kept)?;
            stream.save(context)?;
            context.notify(b't', "xtrim", args.at(1));
        }
    }
    context.out.integer(removed as i64);
    Ok(())
}

pub(super) fn xsetid(context: &mut Context<'_>, args: Args<'_>) -> Done {
    let id = trim::parse_id(args.at(2))?;
    let (mut added, mut max_deleted_id) = (None, StreamId::MIN);
    let mut options = args.options(3);
    while let Some(word) = options.next() {
        if is(word, "entriesadded") && options.left() > 0 {
            let value = u64::try_from(parse_integer(options.value()?)?);
            added = Some(value.map_err(|_| "ERR entries_added must be positive")?);
        } else if is(word, "maxdeletedid") && options.left() > 0 {
            max_deleted_id = trim::parse_id(options.value()?)?;
            if id < max_deleted_id {
                return Err("ERR The ID specified in XSETID is smaller than the provided \
                            max_deleted_entry_id"
                    .into());
            }
        } else {
            return Err(SYNTAX.into());
        }
    }
    let mut stream = Stream::find(context, args.at(1))?.ok_or(NO_KEY)?;
    if stream.last_entry(context.txn)?.is_some_and(|last| id < last) {
        return Err(
            "ERR The ID specified in XSETID is smaller than the target stream top item".into()
        );
    }
    if stream.len() > 0 && added.is_some_and(|added| added < stream.len()) {
        return Err("ERR The entries_added specified in XSETID is smaller than the target stream \
                    length"
            .into());
    }
    stream.last_id = id;
    stream.added = added.unwrap_or(stream.added);
    if max_deleted_id != StreamId::MIN {
        stream.max_deleted_id = max_deleted_id;
    }
    stream.save(context)?;
    context.notify(b't', "xsetid", args.at(1));
    context.out.ok();
    Ok(())
}
