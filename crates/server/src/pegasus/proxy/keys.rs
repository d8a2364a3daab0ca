//! Commands on keys: deleting, existence, type, and expiry.
//!
//! A key is there if it has a string or fields. Only strings expire as a whole.

use super::evaluation::{Evaluation, Place};
use super::expiries;
use crate::redis::args::Args;
use crate::redis::failure::Done;
use crate::redis::shared::{Base, Expire, Unit, time_left};
use std::collections::HashSet;

/// The error of an expiry of a key that has fields and no string.
const HASH_EXPIRY: &str = "ERR the expiry of a whole hash is not supported on Pegasus tables: use HEXPIRE, or EXPIRE on a string";

pub(super) fn del(evaluation: &mut Evaluation<'_>, args: Args<'_>) -> Done {
    let (mut seen, mut count) = (HashSet::new(), 0);
    for key in args.from(1) {
        if seen.insert(*key) && evaluation.remove_all(&evaluation.shared.place(key))? {
            count += 1;
        }
    }
    evaluation.out.integer(count);
    Ok(())
}

pub(super) fn exists(evaluation: &mut Evaluation<'_>, args: Args<'_>) -> Done {
    let mut count = 0;
    for key in args.from(1) {
        count += i64::from(evaluation.exists(&evaluation.shared.place(key))?);
    }
    evaluation.out.integer(count);
    Ok(())
}

pub(super) fn type_of(evaluation: &mut Evaluation<'_>, args: Args<'_>) -> Done {
    let place = evaluation.shared.place(args.at(1));
    let name = match evaluation.with_row(&place, b"", |_, _| ())? {
        Some(()) => "string",
        None if evaluation.each_field(&place, |_, _, _| false)? => "hash",
        None => "none",
    };
    evaluation.out.simple(name);
    Ok(())
}

pub(super) fn expire(evaluation: &mut Evaluation<'_>, args: Args<'_>) -> Done {
    set_expiry(evaluation, args, (Unit::Seconds, Base::Now))
}

pub(super) fn pexpire(evaluation: &mut Evaluation<'_>, args: Args<'_>) -> Done {
    set_expiry(evaluation, args, (Unit::Milliseconds, Base::Now))
}

pub(super) fn expireat(evaluation: &mut Evaluation<'_>, args: Args<'_>) -> Done {
    set_expiry(evaluation, args, (Unit::Seconds, Base::Epoch))
}

pub(super) fn pexpireat(evaluation: &mut Evaluation<'_>, args: Args<'_>) -> Done {
    set_expiry(evaluation, args, (Unit::Milliseconds, Base::Epoch))
}

fn set_expiry(evaluation: &mut Evaluation<'_>, args: Args<'_>, form: (Unit, Base)) -> Done {
    let asked = evaluation.asked();
    let wanted = Expire::parse(args, form, asked)?;
    let place = evaluation.shared.place(args.at(1));
    let old = evaluation.row(&place, b"")?;
    if old.is_none() {
        check_not_hash(evaluation, &place)?;
    }
    let old = old.filter(|old| wanted.may_replace(expiries::to_ms(old.expiry)));
    evaluation.out.integer(old.is_some().into());
    let Some(old) = old else { return Ok(()) };
    match u64::try_from(wanted.time_ms) {
        Ok(at_ms) if at_ms > asked.0 => {
            let expiry = expiries::of_ms(at_ms, asked.1)?;
            evaluation.put_exactly(&place, b"", &old.data, expiry)
        }
        // A time in the past deletes the string only, as its end would. Fields under the same key stay.
        _ => evaluation.delete(&place, b""),
    }
}

/// Checks that a key without a string has no fields either.
fn check_not_hash(evaluation: &mut Evaluation<'_>, place: &Place<'_>) -> Done {
    match evaluation.each_field(place, |_, _, _| false)? {
        true => Err(HASH_EXPIRY.into()),
        false => Ok(()),
    }
}

pub(super) fn ttl(evaluation: &mut Evaluation<'_>, args: Args<'_>) -> Done {
    reply_left(evaluation, args, Unit::Seconds, Base::Now)
}

pub(super) fn pttl(evaluation: &mut Evaluation<'_>, args: Args<'_>) -> Done {
    reply_left(evaluation, args, Unit::Milliseconds, Base::Now)
}

pub(super) fn expiretime(evaluation: &mut Evaluation<'_>, args: Args<'_>) -> Done {
    reply_left(evaluation, args, Unit::Seconds, Base::Epoch)
}

pub(super) fn pexpiretime(evaluation: &mut Evaluation<'_>, args: Args<'_>) -> Done {
    reply_left(evaluation, args, Unit::Milliseconds, Base::Epoch)
}

/// Replies when a string expires. A hash never does.
fn reply_left(evaluation: &mut Evaluation<'_>, args: Args<'_>, unit: Unit, base: Base) -> Done {
    let place = evaluation.shared.place(args.at(1));
    let expiry = match evaluation.with_row(&place, b"", |value, _| value.expiry)? {
        None => evaluation.each_field(&place, |_, _, _| false)?.then_some(0),
        found => found,
    };
    let now_ms = evaluation.shared.now_ms;
    evaluation.out.integer(time_left(expiry.map(expiries::to_ms), now_ms, unit, base));
    Ok(())
}

pub(super) fn persist(evaluation: &mut Evaluation<'_>, args: Args<'_>) -> Done {
    let place = evaluation.shared.place(args.at(1));
    let row = evaluation.row(&place, b"")?.filter(|row| row.expiry != 0);
    evaluation.out.integer(row.is_some().into());
    match row {
        Some(row) => evaluation.put_exactly(&place, b"", &row.data, 0),
        None => Ok(()),
    }
}
