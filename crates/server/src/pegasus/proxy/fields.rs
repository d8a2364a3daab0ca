//! Fields that expire: HEXPIRE, HTTL, HPERSIST and their relatives.

use super::evaluation::Evaluation;
use super::expiries;
use super::hashes::hash;
use crate::redis::args::Args;
use crate::redis::failure::Done;
use crate::redis::shared::fields::{
    Clock, DELETED, DONE, MILLISECONDS, NO_EXPIRY, NO_FIELD, NOT_POSITIVE_COUNT, REFUSED, SECONDS,
    UNIX_MILLISECONDS, UNIX_SECONDS, parse_expire, parse_fields,
};
use std::collections::{HashMap, HashSet};

pub(super) fn hexpire(evaluation: &mut Evaluation<'_>, args: Args<'_>) -> Done {
    expire(evaluation, args, SECONDS)
}

pub(super) fn hpexpire(evaluation: &mut Evaluation<'_>, args: Args<'_>) -> Done {
    expire(evaluation, args, MILLISECONDS)
}

pub(super) fn hexpireat(evaluation: &mut Evaluation<'_>, args: Args<'_>) -> Done {
    expire(evaluation, args, UNIX_SECONDS)
}

pub(super) fn hpexpireat(evaluation: &mut Evaluation<'_>, args: Args<'_>) -> Done {
    expire(evaluation, args, UNIX_MILLISECONDS)
}

fn expire(evaluation: &mut Evaluation<'_>, args: Args<'_>, clock: Clock) -> Done {
    let asked = evaluation.asked();
    let (time_ms, condition, names) = parse_expire(args, clock, asked)?;
    let place = hash(evaluation, args.at(1), names)?;
    let expiry = expiries::of_ms(time_ms, asked.1)?;
    let mut rows: HashMap<&[u8], _> = names
        .iter()
        .copied()
        .zip(evaluation.rows(names.iter().map(|name| (place, *name)))?)
        .collect();
    evaluation.out.array(names.len());
    for name in names {
        let row = rows.entry(name).or_default();
        let reply = match row {
            None => NO_FIELD,
            Some(old) if !condition.allows(expiries::to_ms(old.expiry), time_ms) => REFUSED,
            Some(_) if time_ms <= asked.0 => {
                evaluation.delete(&place, name)?;
                *row = None;
                DELETED
            }
            Some(old) => {
                evaluation.put_exactly(&place, name, &old.data, expiry)?;
                old.expiry = expiry;
                DONE
            }
        };
        evaluation.out.integer(reply);
    }
    Ok(())
}

pub(super) fn httl(evaluation: &mut Evaluation<'_>, args: Args<'_>) -> Done {
    ttl(evaluation, args, SECONDS)
}

pub(super) fn hpttl(evaluation: &mut Evaluation<'_>, args: Args<'_>) -> Done {
    ttl(evaluation, args, MILLISECONDS)
}

pub(super) fn hexpiretime(evaluation: &mut Evaluation<'_>, args: Args<'_>) -> Done {
    ttl(evaluation, args, UNIX_SECONDS)
}

pub(super) fn hpexpiretime(evaluation: &mut Evaluation<'_>, args: Args<'_>) -> Done {
    ttl(evaluation, args, UNIX_MILLISECONDS)
}

fn ttl(evaluation: &mut Evaluation<'_>, args: Args<'_>, clock: Clock) -> Done {
    let names = parse_fields(args, 2, NOT_POSITIVE_COUNT)?;
    let place = hash(evaluation, args.at(1), names)?;
    let now_ms = evaluation.shared.now_ms;
    let found = evaluation.rows(names.iter().map(|name| (place, *name)))?;
    evaluation.out.array(names.len());
    for row in found {
        let left = row.map(|row| clock.time_left(expiries::to_ms(row.expiry), now_ms));
        evaluation.out.integer(left.unwrap_or(NO_FIELD));
    }
    Ok(())
}

pub(super) fn hpersist(evaluation: &mut Evaluation<'_>, args: Args<'_>) -> Done {
    let names = parse_fields(args, 2, NOT_POSITIVE_COUNT)?;
    let place = hash(evaluation, args.at(1), names)?;
    let found = evaluation.rows(names.iter().map(|name| (place, *name)))?;
    evaluation.out.array(names.len());
    let mut seen = HashSet::new();
    for (name, row) in names.iter().zip(found) {
        let reply = match row {
            None => NO_FIELD,
            // A field that is named twice was made to last the first time.
            Some(row) if row.expiry == 0 || !seen.insert(*name) => NO_EXPIRY,
            Some(row) => {
                evaluation.put_exactly(&place, name, &row.data, 0)?;
                DONE
            }
        };
        evaluation.out.integer(reply);
    }
    Ok(())
}
