//! Intersections, unions and differences of sets: merges of their members in the order of sub-keys.

use crate::redis::args::{Args, is};
use crate::redis::context::Context;
use crate::redis::copies::BulkWriter;
use crate::redis::failure::{Done, SYNTAX};
use crate::redis::members::{MemberKey, Members, member_of};
use crate::redis::values::Coll;
use crate::rows::redis::{DATA, Type};
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// How sets are combined.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
enum Way {
    Inter,
    Union,
    Diff,
}

pub(super) fn sinter(context: &mut Context<'_>, args: Args<'_>) -> Done {
    reply(context, Way::Inter, args.from(1))
}

pub(super) fn sunion(context: &mut Context<'_>, args: Args<'_>) -> Done {
    reply(context, Way::Union, args.from(1))
}

pub(super) fn sdiff(context: &mut Context<'_>, args: Args<'_>) -> Done {
    reply(context, Way::Diff, args.from(1))
}

pub(super) fn sinterstore(context: &mut Context<'_>, args: Args<'_>) -> Done {
    store(context, Way::Inter, "sinterstore", args)
}

pub(super) fn sunionstore(context: &mut Context<'_>, args: Args<'_>) -> Done {
    store(context, Way::Union, "sunionstore", args)
}

pub(super) fn sdiffstore(context: &mut Context<'_>, args: Args<'_>) -> Done {
    store(context, Way::Diff, "sdiffstore", args)
}

pub(super) fn sintercard(context: &mut Context<'_>, args: Args<'_>) -> Done {
    let count = args.integer(1).ok().and_then(|count| usize::try_from(count).ok());
    let count = count.filter(|count| *count > 0).ok_or("ERR numkeys should be greater than 0")?;
    if count > args.len() - 2 {
        return Err("ERR Number of keys can't be greater than number of args".into());
    }
    let mut limit = 0;
    let mut words = args.options(2 + count);
    while let Some(word) = words.next() {
        if !is(word, "limit") || words.left() == 0 {
            return Err(SYNTAX.into());
        }
        let value = crate::text::integer::parse(words.value()?);
        let value = value.and_then(|limit| u64::try_from(limit).ok());
        limit = value.ok_or("ERR LIMIT can't be negative")?;
    }
    let mut merge = Merge::new(context, Way::Inter, args.range(2, 2 + count))?;
    let mut found = 0;
    while (limit == 0 || found < limit) && merge.next()?.is_some() {
        found += 1;
    }
    context.out.integer(found as i64);
    Ok(())
}

fn reply(context: &mut Context<'_>, way: Way, keys: &[&[u8]]) -> Done {
    let mut merge = Merge::new(context, way, keys)?;
    let start = context.out.position();
    let mut count = 0;
    while let Some(sub) = merge.next()? {
        context.out.bulk(member_of(&sub));
        count += 1;
    }
    context.out.set_later(start, count);
    Ok(())
}

fn store(context: &mut Context<'_>, way: Way, event: &'static str, args: Args<'_>) -> Done {
    let mut merge = Merge::new(context, way, args.from(2))?;
    let mut target = context.new_collection(args.at(1), Type::Set)?;
    let mut writer = BulkWriter::new(context);
    while let Some(sub) = merge.next()? {
        writer.put(context, &target, DATA, &sub, b"")?;
        target.row.count += 1;
    }
    let is_replaced = context.remove(&target.place)?;
    if target.row.count > 0 {
        writer.finish(context)?;
        context.save(&mut target)?;
        context.notify(b's', event, target.place.key);
    } else if is_replaced {
        context.notify(b'g', "del", target.place.key);
    }
    context.out.integer(target.row.count as i64);
    Ok(())
}

/// A merge of sets.
struct Merge {
    way: Way,
    /// The sets; for an intersection, the smallest first.
    sets: Vec<Members>,
    /// For a union: the next sub-key of each set.
    heads: BinaryHeap<Reverse<(MemberKey, usize)>>,
}

impl Merge {
    /// Begins to combine the sets of keys. Absent keys are empty sets.
    ///
    /// # Errors
    ///
    /// A key holds another type.
    fn new(context: &Context<'_>, way: Way, keys: &[&[u8]]) -> Done<Merge> {
        let mut colls: Vec<Option<Coll<'_>>> = Vec::with_capacity(keys.len());
        for key in keys {
            colls.push(context.collection(key, Type::Set)?);
        }
        let count = |coll: &Option<Coll<'_>>| coll.as_ref().map_or(0, |coll| coll.row.count);
        match way {
            Way::Inter => {
                colls.sort_by_key(count);
                if colls.first().is_some_and(Option::is_none) {
                    colls.truncate(1);
                }
            }
            Way::Union => colls.retain(Option::is_some),
            Way::Diff => {
                let mut at = 0;
                colls.retain(|coll| {
                    at += 1;
                    at == 1 || coll.is_some()
                });
            }
        }
        let mut merge = Merge { way, sets: Vec::new(), heads: BinaryHeap::new() };
        for (at, coll) in colls.iter().enumerate() {
            let members = context.members(coll.as_ref())?;
            if let (Way::Union, Some(sub)) = (way, members.sub()) {
                merge.heads.push(Reverse((MemberKey::from_slice(sub), at)));
            }
            merge.sets.push(members);
        }
        Ok(merge)
    }

    /// Returns the next sub-key of the result.
    fn next(&mut self) -> Done<Option<MemberKey>> {
        match self.way {
            Way::Inter => self.next_common(),
            Way::Union => self.next_of_any(),
            Way::Diff => self.next_of_first(),
        }
    }

    fn next_common(&mut self) -> Done<Option<MemberKey>> {
        let Some((first, others)) = self.sets.split_first_mut() else { return Ok(None) };
        'candidates: while let Some(candidate) = first.sub().map(MemberKey::from_slice) {
            for other in others.iter_mut() {
                other.advance_to(&candidate)?;
                match other.sub() {
                    None => return Ok(None),
                    Some(found) if found == &candidate[..] => {}
                    Some(found) => {
                        first.advance_to(&MemberKey::from_slice(found))?;
                        continue 'candidates;
                    }
                }
            }
            first.advance()?;
            return Ok(Some(candidate));
        }
        Ok(None)
    }

    fn next_of_any(&mut self) -> Done<Option<MemberKey>> {
        let Some(Reverse((least, _))) = self.heads.peek().cloned() else { return Ok(None) };
        while let Some(mut head) = self.heads.peek_mut() {
            let Reverse((sub, at)) = &mut *head;
            if *sub != least {
                break;
            }
            let Some(set) = self.sets.get_mut(*at) else { break };
            set.advance()?;
            match set.sub() {
                Some(next) => *sub = MemberKey::from_slice(next),
                None => drop(std::collections::binary_heap::PeekMut::pop(head)),
            }
        }
        Ok(Some(least))
    }

    fn next_of_first(&mut self) -> Done<Option<MemberKey>> {
        let Some((first, others)) = self.sets.split_first_mut() else { return Ok(None) };
        'candidates: while let Some(candidate) = first.sub().map(MemberKey::from_slice) {
            first.advance()?;
            for other in others.iter_mut() {
                other.advance_to(&candidate)?;
                if other.sub() == Some(&candidate[..]) {
                    continue 'candidates;
                }
            }
            return Ok(Some(candidate));
        }
        Ok(None)
    }
}
