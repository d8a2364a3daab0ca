//! Commands on single members, and on all of one set.

use crate::redis::args::Args;
use crate::redis::context::Context;
use crate::redis::failure::Done;
use crate::redis::members::{MemberKey, member_key, member_of};
use crate::rows::redis::{DATA, Type};
use std::collections::HashSet;

/// Returns the sub-keys of members, each once.
fn distinct(members: &[&[u8]]) -> Vec<MemberKey> {
    let keys = members.iter().map(|member| member_key(member));
    if members.len() == 1 {
        return keys.collect();
    }
    let mut seen = HashSet::with_capacity(members.len());
    keys.filter(|key| seen.insert(key.clone())).collect()
}

pub(super) fn sadd(context: &mut Context<'_>, args: Args<'_>) -> Done {
    let mut set = context.collection_or_new(args.at(1), Type::Set)?;
    let subs = distinct(args.from(2));
    let found = context.contains_members(&set, &subs)?;
    let mut added = 0;
    for (sub, _) in subs.iter().zip(found).filter(|(_, found)| !found) {
        context.sub_put(&set, DATA, sub, b"")?;
        added += 1;
    }
    if added > 0 {
        set.row.count += added;
        context.save(&mut set)?;
        context.notify(b's', "sadd", set.place.key);
    }
    context.out.integer(added as i64);
    Ok(())
}

pub(super) fn srem(context: &mut Context<'_>, args: Args<'_>) -> Done {
    let Some(mut set) = context.collection(args.at(1), Type::Set)? else {
        context.out.integer(0);
        return Ok(());
    };
    let subs = distinct(args.from(2));
    let found = context.contains_members(&set, &subs)?;
    let mut removed = 0;
    for (sub, _) in subs.iter().zip(found).filter(|(_, found)| *found) {
        context.sub_delete(&set, DATA, sub)?;
        removed += 1;
    }
    if removed > 0 {
        set.row.count = set.row.count.saturating_sub(removed);
        context.save(&mut set)?;
        context.notify(b's', "srem", set.place.key);
        if set.row.count == 0 {
            context.notify(b'g', "del", set.place.key);
        }
    }
    context.out.integer(removed as i64);
    Ok(())
}

pub(super) fn smembers(context: &mut Context<'_>, args: Args<'_>) -> Done {
    let set = context.collection(args.at(1), Type::Set)?;
    let start = context.out.position();
    let mut members = context.members(set.as_ref())?;
    let mut count = 0;
    while let Some(sub) = members.sub() {
        context.out.bulk(member_of(sub));
        count += 1;
        members.advance()?;
    }
    context.out.set_later(start, count);
    Ok(())
}

pub(super) fn sismember(context: &mut Context<'_>, args: Args<'_>) -> Done {
    let is_member = match context.collection(args.at(1), Type::Set)? {
        Some(set) => context.sub_get(&set, DATA, &member_key(args.at(2)), |_| ())?.is_some(),
        None => false,
    };
    context.out.integer(is_member.into());
    Ok(())
}

pub(super) fn smismember(context: &mut Context<'_>, args: Args<'_>) -> Done {
    let members = args.from(2);
    let found = match context.collection(args.at(1), Type::Set)? {
        Some(set) => {
            let subs: Vec<_> = members.iter().map(|member| member_key(member)).collect();
            context.contains_members(&set, &subs)?
        }
        None => vec![false; members.len()],
    };
    context.out.array(found.len());
    found.into_iter().for_each(|is_member| context.out.integer(is_member.into()));
    Ok(())
}

pub(super) fn scard(context: &mut Context<'_>, args: Args<'_>) -> Done {
    let set = context.collection(args.at(1), Type::Set)?;
    context.out.integer(set.map_or(0, |set| set.row.count) as i64);
    Ok(())
}

pub(super) fn smove(context: &mut Context<'_>, args: Args<'_>) -> Done {
    let (from, to, sub) = (args.at(1), args.at(2), member_key(args.at(3)));
    let Some(mut source) = context.collection(from, Type::Set)? else {
        context.out.integer(0);
        return Ok(());
    };
    let mut target = context.collection_or_new(to, Type::Set)?;
    let is_member = context.sub_get(&source, DATA, &sub, |_| ())?.is_some();
    if from == to || !is_member {
        context.out.integer(is_member.into());
        return Ok(());
    }
    let is_new = !target.is_stored || context.sub_get(&target, DATA, &sub, |_| ())?.is_none();
    context.sub_delete(&source, DATA, &sub)?;
    source.row.count = source.row.count.saturating_sub(1);
    context.save(&mut source)?;
    context.notify(b's', "srem", from);
    if source.row.count == 0 {
        context.notify(b'g', "del", from);
    }
    if is_new {
        context.sub_put(&target, DATA, &sub, b"")?;
        target.row.count += 1;
        context.save(&mut target)?;
        context.notify(b's', "sadd", to);
    }
    context.out.integer(1);
    Ok(())
}
