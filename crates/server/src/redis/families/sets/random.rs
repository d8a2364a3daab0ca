//! SPOP and SRANDMEMBER.

use crate::redis::args::Args;
use crate::redis::context::Context;
use crate::redis::failure::{Done, NOT_POSITIVE, SYNTAX};
use crate::redis::members::{MemberKey, member_of};
use crate::redis::values::Coll;
use crate::rows::redis::{DATA, Type};

/// The largest number of members, with repetitions, that SRANDMEMBER returns.
const REPEATED_MAX: u64 = 10_000_000;

pub(super) fn spop(context: &mut Context<'_>, args: Args<'_>) -> Done {
    if args.len() > 3 {
        return Err(SYNTAX.into());
    }
    let count = match args.get(2) {
        Some(_) => {
            let count = args.integer(2).ok().and_then(|count| u64::try_from(count).ok());
            Some(count.ok_or(NOT_POSITIVE)?)
        }
        None => None,
    };
    let Some(mut set) = context.collection(args.at(1), Type::Set)? else {
        if count.is_some() {
            context.out.set(0)
        } else {
            context.out.null()
        }
        return Ok(());
    };
    if count == Some(0) {
        context.out.set(0);
        return Ok(());
    }
    if count.is_some_and(|count| count >= set.row.count) {
        return pop_all(context, &set);
    }
    let chosen = context.pick(&set, count.unwrap_or(1), true)?;
    match (count, chosen.as_slice()) {
        (None, [sub, ..]) => context.out.bulk(member_of(sub)),
        (None, []) => context.out.null(),
        (Some(_), _) => {
            context.out.set(chosen.len());
            chosen.iter().for_each(|sub| context.out.bulk(member_of(sub)));
        }
    }
    remove(context, &mut set, &chosen)
}

fn remove(context: &mut Context<'_>, set: &mut Coll<'_>, subs: &[MemberKey]) -> Done {
    for sub in subs {
        context.sub_delete(set, DATA, sub)?;
    }
    set.row.count = set.row.count.saturating_sub(subs.len() as u64);
    context.save(set)?;
    context.notify(b's', "spop", set.place.key);
    if set.row.count == 0 {
        context.notify(b'g', "del", set.place.key);
    }
    Ok(())
}

fn pop_all(context: &mut Context<'_>, set: &Coll<'_>) -> Done {
    let start = context.out.position();
    let mut members = context.members(Some(set))?;
    let mut count = 0;
    while let Some(sub) = members.sub() {
        context.out.bulk(member_of(sub));
        count += 1;
        members.advance()?;
    }
    context.out.set_later(start, count);
    context.remove(&set.place)?;
    context.notify(b's', "spop", set.place.key);
    context.notify(b'g', "del", set.place.key);
    Ok(())
}

pub(super) fn srandmember(context: &mut Context<'_>, args: Args<'_>) -> Done {
    if args.len() > 3 {
        return Err(SYNTAX.into());
    }
    let count = match args.get(2) {
        Some(_) => Some(args.integer(2)?),
        None => None,
    };
    if count == Some(i64::MIN) {
        return Err("ERR value is out of range, value must between -9223372036854775807 and \
                    9223372036854775807"
            .into());
    }
    let Some(set) = context.collection(args.at(1), Type::Set)? else {
        if count.is_some() {
            context.out.array(0)
        } else {
            context.out.null()
        }
        return Ok(());
    };
    let Some(count) = count else {
        let chosen = context.pick(&set, 1, true)?;
        context.out.bulk_or_null(chosen.first().map(|sub| member_of(sub)));
        return Ok(());
    };
    let wanted = count.unsigned_abs();
    let chosen = if count < 0 {
        if wanted > REPEATED_MAX {
            return Err("ERR value is out of range".into());
        }
        context.pick(&set, wanted, false)?
    } else if wanted >= set.row.count {
        all(context, &set)?
    } else {
        context.pick(&set, wanted, true)?
    };
    context.out.array(chosen.len());
    chosen.iter().for_each(|sub| context.out.bulk(member_of(sub)));
    Ok(())
}

fn all(context: &Context<'_>, set: &Coll<'_>) -> Done<Vec<MemberKey>> {
    let mut all = Vec::new();
    let mut members = context.members(Some(set))?;
    while let Some(sub) = members.sub() {
        all.push(MemberKey::from_slice(sub));
        members.advance()?;
    }
    Ok(all)
}
