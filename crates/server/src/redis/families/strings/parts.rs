//! Commands that read or change a part of a string: APPEND, STRLEN, SETRANGE, GETRANGE.

use crate::redis::args::Args;
use crate::redis::context::Context;
use crate::redis::failure::Done;
use crate::redis::string_value::{STRING_TOO_LONG, StringRow, StringValue};

pub(super) fn append(context: &mut Context<'_>, args: Args<'_>) -> Done {
    let (key, added) = (args.at(1), args.at(2));
    let found = context.string(key)?;
    let length = found.as_ref().map_or(0, StringValue::len);
    let new_length = end_of(context, length, added)?;
    let mut edit = context.edit_string(key, found, new_length)?;
    edit.write(context.txn, length, added)?;
    context.finish_edit(edit)?;
    context.notify(b'$', "append", key);
    context.out.integer(new_length as i64);
    Ok(())
}

pub(super) fn strlen(context: &mut Context<'_>, args: Args<'_>) -> Done {
    let length = match context.string_row(args.at(1), |bytes, _| bytes.len() as u64)? {
        StringRow::Absent => 0,
        StringRow::Found(length, _) => length,
        StringRow::Chunked => context.string(args.at(1))?.map_or(0, |value| value.len()),
    };
    context.out.integer(length as i64);
    Ok(())
}

pub(super) fn setrange(context: &mut Context<'_>, args: Args<'_>) -> Done {
    let (key, value) = (args.at(1), args.at(3));
    let offset = u64::try_from(args.integer(2)?).map_err(|_| "ERR offset is out of range")?;
    let found = context.string(key)?;
    if value.is_empty() {
        context.out.integer(found.map_or(0, |found| found.len()) as i64);
        return Ok(());
    }
    let mut edit = context.edit_string(key, found, end_of(context, offset, value)?)?;
    edit.write(context.txn, offset, value)?;
    let length = context.finish_edit(edit)?;
    context.notify(b'$', "setrange", key);
    context.out.integer(length as i64);
    Ok(())
}

/// Returns where bytes end that begin at an offset.
fn end_of(context: &Context<'_>, offset: u64, bytes: &[u8]) -> Done<u64> {
    let end = offset.checked_add(bytes.len() as u64);
    end.filter(|end| *end <= context.string_max()).ok_or_else(|| STRING_TOO_LONG.into())
}

pub(super) fn getrange(context: &mut Context<'_>, args: Args<'_>) -> Done {
    let (start, end) = (args.integer(2)?, args.integer(3)?);
    let found = context.string_row(args.at(1), |bytes, out| {
        let (from, to) = resolve(start, end, bytes.len() as u64);
        out.bulk(bytes.get(from as usize..to as usize).unwrap_or_default());
    })?;
    match found {
        StringRow::Absent => context.out.bulk(b""),
        StringRow::Found((), _) => {}
        StringRow::Chunked => match context.string(args.at(1))? {
            Some(value) => {
                let (from, to) = resolve(start, end, value.len());
                context.reply_part(&value, from, to)?;
            }
            None => context.out.bulk(b""),
        },
    }
    Ok(())
}

/// Returns the first offset of a range and the offset behind its last. Negative ends count from the end of the string.
pub(crate) fn resolve(start: i64, end: i64, length: u64) -> (u64, u64) {
    if start < 0 && end < 0 && start > end {
        return (0, 0);
    }
    let length = i128::from(length);
    let inside = |at: i64| (i128::from(at) + if at < 0 { length } else { 0 }).max(0);
    let (from, to) = (inside(start), (inside(end) + 1).min(length));
    if from < to { (from as u64, to as u64) } else { (0, 0) }
}
