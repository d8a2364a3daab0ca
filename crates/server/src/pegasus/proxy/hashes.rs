//! Commands on hashes. A field is a row whose sort key is the field's name.
//!
//! The empty field would be the string of the same key, and the rows of the empty key are spread over partitions: both
//! are refused.

use super::evaluation::{Evaluation, Place};
use super::strings::{add_float_to, add_to};
use crate::redis::args::{Args, wrong_arity};
use crate::redis::failure::{Done, NOT_FLOAT};
use crate::text::long_double::LongDouble;
use std::collections::HashSet;

/// Returns the place of a hash whose fields have these names.
///
/// # Errors
///
/// The key or a name is empty.
pub(super) fn hash<'k>(
    evaluation: &Evaluation<'_>,
    key: &'k [u8],
    names: &[&[u8]],
) -> Done<Place<'k>> {
    if key.is_empty() {
        return Err("ERR a hash of a Pegasus table needs a key that is not empty".into());
    }
    if names.iter().any(|name| name.is_empty()) {
        return Err(
            "ERR the empty field is not supported on Pegasus tables: its row is the string of \
                    the same key"
                .into(),
        );
    }
    Ok(evaluation.shared.place(key))
}

fn field<'k>(evaluation: &Evaluation<'_>, args: Args<'k>) -> Done<(Place<'k>, &'k [u8])> {
    let name = args.at(2);
    Ok((hash(evaluation, args.at(1), &[name])?, name))
}

pub(super) fn hget(evaluation: &mut Evaluation<'_>, args: Args<'_>) -> Done {
    let (place, name) = field(evaluation, args)?;
    if evaluation.with_row(&place, name, |value, out| out.bulk(value.data))?.is_none() {
        evaluation.out.null();
    }
    Ok(())
}

pub(super) fn hmget(evaluation: &mut Evaluation<'_>, args: Args<'_>) -> Done {
    let names = args.from(2);
    let place = hash(evaluation, args.at(1), names)?;
    let found = evaluation.rows(names.iter().map(|name| (place, *name)))?;
    evaluation.out.array(found.len());
    for row in found {
        evaluation.out.bulk_or_null(row.as_ref().map(|row| &row.data[..]));
    }
    Ok(())
}

pub(super) fn hexists(evaluation: &mut Evaluation<'_>, args: Args<'_>) -> Done {
    let (place, name) = field(evaluation, args)?;
    let found = evaluation.with_row(&place, name, |_, _| ())?;
    evaluation.out.integer(found.is_some().into());
    Ok(())
}

pub(super) fn hstrlen(evaluation: &mut Evaluation<'_>, args: Args<'_>) -> Done {
    let (place, name) = field(evaluation, args)?;
    let length = evaluation.with_row(&place, name, |value, _| value.data.len())?;
    evaluation.out.count(length.unwrap_or(0));
    Ok(())
}

pub(super) fn hlen(evaluation: &mut Evaluation<'_>, args: Args<'_>) -> Done {
    let place = hash(evaluation, args.at(1), &[])?;
    let mut count = 0;
    evaluation.each_field(&place, |_, _, _| {
        count += 1;
        true
    })?;
    evaluation.out.integer(count);
    Ok(())
}

pub(super) fn hgetall(evaluation: &mut Evaluation<'_>, args: Args<'_>) -> Done {
    let (start, mut count) = (evaluation.out.position(), 0);
    let place = hash(evaluation, args.at(1), &[])?;
    evaluation.each_field(&place, |name, value, out| {
        out.bulk(name);
        out.bulk(value.data);
        count += 1;
        true
    })?;
    evaluation.out.map_later(start, count);
    Ok(())
}

pub(super) fn hkeys(evaluation: &mut Evaluation<'_>, args: Args<'_>) -> Done {
    list(evaluation, args, |name, _| name)
}

pub(super) fn hvals(evaluation: &mut Evaluation<'_>, args: Args<'_>) -> Done {
    list(evaluation, args, |_, data| data)
}

/// Replies a part of each field.
fn list(
    evaluation: &mut Evaluation<'_>,
    args: Args<'_>,
    part: for<'v> fn(&'v [u8], &'v [u8]) -> &'v [u8],
) -> Done {
    let (start, mut count) = (evaluation.out.position(), 0);
    let place = hash(evaluation, args.at(1), &[])?;
    evaluation.each_field(&place, |name, value, out| {
        out.bulk(part(name, value.data));
        count += 1;
        true
    })?;
    evaluation.out.array_later(start, count);
    Ok(())
}

pub(super) fn hset(evaluation: &mut Evaluation<'_>, args: Args<'_>) -> Done {
    let created = set_pairs(evaluation, args)?;
    evaluation.out.count(created);
    Ok(())
}

pub(super) fn hmset(evaluation: &mut Evaluation<'_>, args: Args<'_>) -> Done {
    set_pairs(evaluation, args)?;
    evaluation.out.ok();
    Ok(())
}

/// Sets fields to values, without expiries. Returns how many fields are new.
fn set_pairs(evaluation: &mut Evaluation<'_>, args: Args<'_>) -> Done<usize> {
    if args.len() % 2 == 1 {
        return Err(wrong_arity(evaluation.command.full_name));
    }
    let pairs = args.from(2);
    let names: Vec<&[u8]> = pairs.iter().step_by(2).copied().collect();
    let place = hash(evaluation, args.at(1), &names)?;
    let olds = evaluation.rows(names.iter().map(|name| (place, *name)))?;
    let absent = names.iter().zip(&olds).filter(|(_, old)| old.is_none());
    let created = absent.map(|(name, _)| *name).collect::<HashSet<_>>().len();
    for pair in pairs.chunks_exact(2) {
        let [name, value] = pair else { continue };
        evaluation.put(&place, name, value, 0)?;
    }
    Ok(created)
}

pub(super) fn hsetnx(evaluation: &mut Evaluation<'_>, args: Args<'_>) -> Done {
    let (place, name) = field(evaluation, args)?;
    let is_new = evaluation.with_row(&place, name, |_, _| ())?.is_none();
    if is_new {
        evaluation.put(&place, name, args.at(3), 0)?;
    }
    evaluation.out.integer(is_new.into());
    Ok(())
}

pub(super) fn hincrby(evaluation: &mut Evaluation<'_>, args: Args<'_>) -> Done {
    let by = args.integer(3)?;
    let (place, name) = field(evaluation, args)?;
    let sum = add_to(evaluation, (&place, name), by, "ERR hash value is not an integer")?;
    evaluation.out.integer(sum);
    Ok(())
}

pub(super) fn hincrbyfloat(evaluation: &mut Evaluation<'_>, args: Args<'_>) -> Done {
    let by = LongDouble::parse(args.at(3)).ok_or(NOT_FLOAT)?;
    if by.is_infinite() {
        return Err("ERR value is NaN or Infinity".into());
    }
    let (place, name) = field(evaluation, args)?;
    let sum = add_float_to(evaluation, (&place, name), by, "ERR hash value is not a float")?;
    evaluation.out.bulk(sum.as_bytes());
    Ok(())
}

pub(super) fn hdel(evaluation: &mut Evaluation<'_>, args: Args<'_>) -> Done {
    let names = args.from(2);
    let place = hash(evaluation, args.at(1), names)?;
    let olds = evaluation.rows(names.iter().map(|name| (place, *name)))?;
    let there = names.iter().zip(&olds).filter(|(_, old)| old.is_some());
    let there: HashSet<&[u8]> = there.map(|(name, _)| *name).collect();
    there.iter().try_for_each(|name| evaluation.delete(&place, name))?;
    evaluation.out.count(there.len());
    Ok(())
}
