//! Commands on strings. A string is the row with the empty sort key.

use super::evaluation::{Evaluation, Place};
use super::expiries;
use crate::pegasus::call::Row;
use crate::redis::args::{Args, wrong_arity};
use crate::redis::failure::{Done, NOT_FLOAT, NOT_INTEGER, OVERFLOW};
use crate::redis::shared::{SetOptions, expiry, resolve};
use crate::text::integer;
use crate::text::long_double::LongDouble;

/// The maximum length of a string: that of a write to a Pegasus table.
const STRING_MAX: usize = crate::pegasus::service::WRITE_BYTES_MAX;

pub(super) fn get(evaluation: &mut Evaluation<'_>, args: Args<'_>) -> Done {
    let place = evaluation.shared.place(args.at(1));
    if evaluation.with_row(&place, b"", |value, out| out.bulk(value.data))?.is_none() {
        evaluation.out.null();
    }
    Ok(())
}

pub(super) fn strlen(evaluation: &mut Evaluation<'_>, args: Args<'_>) -> Done {
    let place = evaluation.shared.place(args.at(1));
    let length = evaluation.with_row(&place, b"", |value, _| value.data.len())?;
    evaluation.out.count(length.unwrap_or(0));
    Ok(())
}

pub(super) fn getrange(evaluation: &mut Evaluation<'_>, args: Args<'_>) -> Done {
    let (start, end) = (args.integer(2)?, args.integer(3)?);
    let place = evaluation.shared.place(args.at(1));
    let found = evaluation.with_row(&place, b"", |value, out| {
        let (from, to) = resolve(start, end, value.data.len() as u64);
        out.bulk(value.data.get(from as usize..to as usize).unwrap_or_default());
    })?;
    if found.is_none() {
        evaluation.out.bulk(b"");
    }
    Ok(())
}

pub(super) fn mget(evaluation: &mut Evaluation<'_>, args: Args<'_>) -> Done {
    let shared = evaluation.shared;
    let found = evaluation.rows(args.from(1).iter().map(|key| (shared.place(key), &b""[..])))?;
    evaluation.out.array(found.len());
    for row in found {
        evaluation.out.bulk_or_null(row.as_ref().map(|row| &row.data[..]));
    }
    Ok(())
}

/// Replies the string of a key, or null. Returns its row.
fn reply_old(evaluation: &mut Evaluation<'_>, place: &Place<'_>) -> Done<Option<Row>> {
    let old = evaluation.row(place, b"")?;
    evaluation.out.bulk_or_null(old.as_ref().map(|row| &row.data[..]));
    Ok(old)
}

pub(super) fn set(evaluation: &mut Evaluation<'_>, args: Args<'_>) -> Done {
    let (place, asked) = (evaluation.shared.place(args.at(1)), evaluation.asked());
    let options = SetOptions::parse(args, 3, true)?;
    let at_ms = options.expiry.as_ref().map(|expiry| expiry.at_ms(asked)).transpose()?;
    let expiry = at_ms.map(|at_ms| expiries::of_ms(at_ms, asked.1)).transpose()?;
    let needs_old = options.only_new || options.only_old || options.keeps_expiry;
    let old = match (options.replies_old, needs_old) {
        (true, _) => reply_old(evaluation, &place)?.map(|row| row.expiry),
        (false, true) => evaluation.with_row(&place, b"", |value, _| value.expiry)?,
        (false, false) => None,
    };
    if (options.only_new && old.is_some()) || (options.only_old && old.is_none()) {
        if !options.replies_old {
            evaluation.out.null();
        }
        return Ok(());
    }
    if at_ms.is_some_and(|at_ms| at_ms <= asked.0) {
        evaluation.delete(&place, b"")?;
    } else {
        match old.filter(|_| options.keeps_expiry && expiry.is_none()) {
            // Also "never", whatever the table's default time is.
            Some(kept) => evaluation.put_exactly(&place, b"", args.at(2), kept)?,
            None => evaluation.put(&place, b"", args.at(2), expiry.unwrap_or(0))?,
        }
    }
    if !options.replies_old {
        evaluation.out.ok();
    }
    Ok(())
}

pub(super) fn setnx(evaluation: &mut Evaluation<'_>, args: Args<'_>) -> Done {
    let place = evaluation.shared.place(args.at(1));
    let is_new = evaluation.with_row(&place, b"", |_, _| ())?.is_none();
    if is_new {
        evaluation.put(&place, b"", args.at(2), 0)?;
    }
    evaluation.out.integer(is_new.into());
    Ok(())
}

pub(super) fn setex(evaluation: &mut Evaluation<'_>, args: Args<'_>) -> Done {
    set_for(evaluation, args, true)
}

pub(super) fn psetex(evaluation: &mut Evaluation<'_>, args: Args<'_>) -> Done {
    set_for(evaluation, args, false)
}

fn set_for(evaluation: &mut Evaluation<'_>, args: Args<'_>, in_seconds: bool) -> Done {
    let asked = evaluation.asked();
    let expiry = expiries::of_ms(expiry(asked, args.at(2), in_seconds, true)?, asked.1)?;
    let place = evaluation.shared.place(args.at(1));
    evaluation.put(&place, b"", args.at(3), expiry)?;
    evaluation.out.ok();
    Ok(())
}

pub(super) fn getset(evaluation: &mut Evaluation<'_>, args: Args<'_>) -> Done {
    let place = evaluation.shared.place(args.at(1));
    reply_old(evaluation, &place)?;
    evaluation.put(&place, b"", args.at(2), 0)
}

pub(super) fn getdel(evaluation: &mut Evaluation<'_>, args: Args<'_>) -> Done {
    let place = evaluation.shared.place(args.at(1));
    match reply_old(evaluation, &place)? {
        Some(_) => evaluation.delete(&place, b""),
        None => Ok(()),
    }
}

pub(super) fn getex(evaluation: &mut Evaluation<'_>, args: Args<'_>) -> Done {
    let (place, asked) = (evaluation.shared.place(args.at(1)), evaluation.asked());
    let options = SetOptions::parse(args, 2, false)?;
    let at_ms = options.expiry.as_ref().map(|expiry| expiry.at_ms(asked)).transpose()?;
    let Some(old) = reply_old(evaluation, &place)? else { return Ok(()) };
    match at_ms {
        None if options.persists && old.expiry != 0 => {
            evaluation.put_exactly(&place, b"", &old.data, 0)
        }
        None => Ok(()),
        Some(at_ms) if at_ms <= asked.0 => evaluation.delete(&place, b""),
        Some(at_ms) => {
            let expiry = expiries::of_ms(at_ms, asked.1)?;
            evaluation.put_exactly(&place, b"", &old.data, expiry)
        }
    }
}

pub(super) fn mset(evaluation: &mut Evaluation<'_>, args: Args<'_>) -> Done {
    put_pairs(evaluation, args)?;
    evaluation.out.ok();
    Ok(())
}

pub(super) fn msetnx(evaluation: &mut Evaluation<'_>, args: Args<'_>) -> Done {
    let shared = evaluation.shared;
    let keys = args.from(1).iter().step_by(2);
    let olds = evaluation.rows(keys.map(|key| (shared.place(key), &b""[..])))?;
    let is_free = olds.iter().all(Option::is_none);
    if is_free {
        put_pairs(evaluation, args)?;
    }
    evaluation.out.integer(is_free.into());
    Ok(())
}

fn put_pairs(evaluation: &mut Evaluation<'_>, args: Args<'_>) -> Done {
    if args.len().is_multiple_of(2) {
        return Err(wrong_arity(evaluation.command.full_name));
    }
    args.from(1).chunks_exact(2).try_for_each(|pair| match pair {
        [key, value] => evaluation.put(&evaluation.shared.place(key), b"", value, 0),
        _ => Ok(()),
    })
}

pub(super) fn append(evaluation: &mut Evaluation<'_>, args: Args<'_>) -> Done {
    let place = evaluation.shared.place(args.at(1));
    let old = evaluation.row(&place, b"")?;
    let kept = old.as_ref().map(|row| row.expiry);
    let mut data = old.map_or_else(Vec::new, |row| row.data);
    data.extend_from_slice(args.at(2));
    if data.len() > STRING_MAX {
        return Err(format!(
            "ERR the string would have {} bytes, expected at most {STRING_MAX} in a Pegasus table",
            data.len()
        )
        .into());
    }
    put_keeping(evaluation, (&place, b""), &data, kept)?;
    evaluation.out.count(data.len());
    Ok(())
}

/// Writes a row with the expiry that the row before it had, also if that is "never". A new row expires after the
/// table's default time.
fn put_keeping(
    evaluation: &mut Evaluation<'_>,
    (place, sort_key): (&Place<'_>, &[u8]),
    data: &[u8],
    kept: Option<u32>,
) -> Done {
    match kept {
        Some(kept) => evaluation.put_exactly(place, sort_key, data, kept),
        None => evaluation.put(place, sort_key, data, 0),
    }
}

pub(super) fn incr(evaluation: &mut Evaluation<'_>, args: Args<'_>) -> Done {
    add(evaluation, args, 1)
}

pub(super) fn decr(evaluation: &mut Evaluation<'_>, args: Args<'_>) -> Done {
    add(evaluation, args, -1)
}

pub(super) fn incrby(evaluation: &mut Evaluation<'_>, args: Args<'_>) -> Done {
    add(evaluation, args, args.integer(2)?)
}

pub(super) fn decrby(evaluation: &mut Evaluation<'_>, args: Args<'_>) -> Done {
    let by = args.integer(2)?.checked_neg().ok_or("ERR decrement would overflow")?;
    add(evaluation, args, by)
}

fn add(evaluation: &mut Evaluation<'_>, args: Args<'_>, by: i64) -> Done {
    let place = evaluation.shared.place(args.at(1));
    let sum = add_to(evaluation, (&place, b""), by, NOT_INTEGER)?;
    evaluation.out.integer(sum);
    Ok(())
}

/// Adds to the integer in a row, which is 0 if there is none, and returns the sum.
pub(super) fn add_to(
    evaluation: &mut Evaluation<'_>,
    (place, sort_key): (&Place<'_>, &[u8]),
    by: i64,
    not_integer: &'static str,
) -> Done<i64> {
    let read = |value: crate::rows::pegasus::Value<'_>| (integer::parse(value.data), value.expiry);
    let old = evaluation.with_row(place, sort_key, |value, _| read(value))?;
    let kept = old.map(|(_, expiry)| expiry);
    let old = old.map_or(Some(0), |(old, _)| old);
    let sum = old.ok_or(not_integer)?.checked_add(by).ok_or(OVERFLOW)?;
    let mut text = itoa::Buffer::new();
    put_keeping(evaluation, (place, sort_key), text.format(sum).as_bytes(), kept)?;
    Ok(sum)
}

pub(super) fn incrbyfloat(evaluation: &mut Evaluation<'_>, args: Args<'_>) -> Done {
    let by = LongDouble::parse(args.at(2)).ok_or(NOT_FLOAT)?;
    let place = evaluation.shared.place(args.at(1));
    let sum = add_float_to(evaluation, (&place, b""), by, NOT_FLOAT)?;
    evaluation.out.bulk(sum.as_bytes());
    Ok(())
}

/// Adds to the number in a row, which is 0 if there is none, and returns the text of the sum.
pub(super) fn add_float_to(
    evaluation: &mut Evaluation<'_>,
    (place, sort_key): (&Place<'_>, &[u8]),
    by: LongDouble,
    not_float: &'static str,
) -> Done<String> {
    let old = evaluation
        .with_row(place, sort_key, |value, _| (LongDouble::parse(value.data), value.expiry))?;
    let kept = old.map(|(_, expiry)| expiry);
    let old = old.map_or(Some(LongDouble::ZERO), |(old, _)| old);
    let sum = old.ok_or(not_float)?.checked_add(by);
    let text = sum.ok_or("ERR increment would produce NaN or Infinity")?.to_string();
    put_keeping(evaluation, (place, sort_key), text.as_bytes(), kept)?;
    Ok(text)
}
