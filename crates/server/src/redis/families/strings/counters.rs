//! INCR, DECR and their relatives.

use crate::redis::args::Args;
use crate::redis::context::Context;
use crate::redis::failure::{Done, NOT_FLOAT, NOT_INTEGER, OVERFLOW};
use crate::redis::string_value::StringRow;
use crate::text::integer;
use crate::text::long_double::LongDouble;

pub(super) fn incr(context: &mut Context<'_>, args: Args<'_>) -> Done {
    add(context, args.at(1), 1)
}

pub(super) fn decr(context: &mut Context<'_>, args: Args<'_>) -> Done {
    add(context, args.at(1), -1)
}

pub(super) fn incrby(context: &mut Context<'_>, args: Args<'_>) -> Done {
    add(context, args.at(1), args.integer(2)?)
}

pub(super) fn decrby(context: &mut Context<'_>, args: Args<'_>) -> Done {
    let by = args.integer(2)?.checked_neg().ok_or("ERR decrement would overflow")?;
    add(context, args.at(1), by)
}

fn add(context: &mut Context<'_>, key: &[u8], by: i64) -> Done {
    let (old, expire_ms) = match context.string_row(key, |bytes, _| integer::parse(bytes))? {
        StringRow::Absent => (0, 0),
        StringRow::Found(Some(old), expire_ms) => (old, expire_ms),
        // A string in chunks is longer than any number.
        StringRow::Found(None, _) | StringRow::Chunked => return Err(NOT_INTEGER.into()),
    };
    let new = old.checked_add(by).ok_or(OVERFLOW)?;
    let mut text = itoa::Buffer::new();
    context.put_string(&context.place(key), text.format(new).as_bytes(), expire_ms)?;
    context.notify(b'$', "incrby", key);
    context.out.integer(new);
    Ok(())
}

pub(super) fn incrbyfloat(context: &mut Context<'_>, args: Args<'_>) -> Done {
    let key = args.at(1);
    let (old, expire_ms) = match context.string_row(key, |bytes, _| LongDouble::parse(bytes))? {
        StringRow::Absent => (LongDouble::ZERO, 0),
        StringRow::Found(Some(old), expire_ms) => (old, expire_ms),
        StringRow::Found(None, _) | StringRow::Chunked => return Err(NOT_FLOAT.into()),
    };
    let by = LongDouble::parse(args.at(2)).ok_or(NOT_FLOAT)?;
    let new = old.checked_add(by).ok_or("ERR increment would produce NaN or Infinity")?;
    let text = new.to_string();
    context.put_string(&context.place(key), text.as_bytes(), expire_ms)?;
    context.notify(b'$', "incrbyfloat", key);
    context.out.bulk(text.as_bytes());
    Ok(())
}
