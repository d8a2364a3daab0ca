//! Commands on sorted sets.

pub(super) mod add;
mod combine;
mod count;
mod pop;
mod ranges;
mod read;
pub(super) mod set;

use crate::redis::command::{
    APART, BLOCKING, Command, DENYOOM, FAST, Flags, Group, Handler, NOSCRIPT, READONLY,
    READS_FIRST, TAKES, WRITE,
};
use crate::redis::context::Context;
use crate::redis::failure::Done;
use crate::redis::keyspec::{
    KeySpec, OW, RO, RO_META, RW, RW_DELETE, RW_POP, RW_UPDATE, counted, one, range,
};
use crate::resp::Reply;
use crate::text::double;
use set::SortedSet;

const READ: Flags = READONLY.and(FAST);
const COUNT: Flags = READ.and(APART);
const ADD: Flags = WRITE.and(DENYOOM).and(FAST).and(READS_FIRST);
const STORE: Flags = WRITE.and(DENYOOM).and(READS_FIRST);
const TAKE: Flags = WRITE.and(READS_FIRST);
const BLOCK: Flags = TAKE.and(BLOCKING).and(TAKES);

const fn command(name: &'static str, arity: i32, flags: Flags, run: Handler) -> Command {
    const KEYS: &[KeySpec] = &[one(1, RO)];
    Command::new(name, arity, flags, Group::SortedSet, run).with_keys(KEYS)
}

pub(in crate::redis) const COMMANDS: &[Command] = &[
    command("zadd", -4, ADD, add::zadd)
        .with_keys(&[one(1, RW_UPDATE)])
        .with_docs("1.2.0", "Adds members to a sorted set, or changes their scores."),
    command("zincrby", 4, ADD, add::zincrby)
        .with_keys(&[one(1, RW)])
        .with_docs("1.2.0", "Adds to the score of a member."),
    command("zrem", -3, TAKE.and(FAST), add::zrem)
        .with_keys(&[one(1, RW_DELETE)])
        .with_docs("1.2.0", "Removes members."),
    command("zcard", 2, READ, read::zcard)
        .with_keys(&[one(1, RO_META)])
        .with_docs("1.2.0", "Returns the number of members."),
    command("zscore", 3, READ, read::zscore).with_docs("1.2.0", "Returns the score of a member."),
    command("zmscore", -3, READ, read::zmscore)
        .with_docs("6.2.0", "Returns the scores of several members."),
    command("zrank", -3, COUNT, read::zrank)
        .with_docs("2.0.0", "Returns the index of a member, lowest score first."),
    command("zrevrank", -3, COUNT, read::zrevrank)
        .with_docs("2.0.0", "Returns the index of a member, highest score first."),
    command("zcount", 4, COUNT, read::zcount)
        .with_docs("2.0.0", "Counts the members with scores in a range."),
    command("zlexcount", 4, COUNT, read::zlexcount)
        .with_docs("2.8.9", "Counts the members in a range of bytes."),
    command("zrandmember", -2, READONLY, read::zrandmember)
        .with_docs("6.2.0", "Returns random members, with or without their scores."),
    command("zscan", -3, READONLY, read::zscan).with_docs(
        "2.8.0",
        "Returns some members with their scores, and a cursor for the next ones.",
    ),
    command("zrange", -4, READONLY, ranges::zrange)
        .with_docs("1.2.0", "Returns a range of members by index, score or bytes."),
    command("zrevrange", -4, READONLY, ranges::zrevrange)
        .with_docs("1.2.0", "Returns a range of members by index, highest score first."),
    command("zrangebyscore", -4, READONLY, ranges::zrangebyscore)
        .with_docs("1.0.5", "Returns the members with scores in a range."),
    command("zrevrangebyscore", -4, READONLY, ranges::zrevrangebyscore)
        .with_docs("2.2.0", "Returns the members with scores in a range, highest first."),
    command("zrangebylex", -4, READONLY, ranges::zrangebylex)
        .with_docs("2.8.9", "Returns the members in a range of bytes."),
    command("zrevrangebylex", -4, READONLY, ranges::zrevrangebylex)
        .with_docs("2.8.9", "Returns the members in a range of bytes, in reverse order."),
    command("zrangestore", -5, STORE, ranges::zrangestore)
        .with_keys(&[one(1, OW), one(2, RO)])
        .with_docs("6.2.0", "Stores a range of members in another key."),
    command("zremrangebyrank", 4, TAKE, ranges::zremrangebyrank)
        .with_keys(&[one(1, RW_DELETE)])
        .with_docs("2.0.0", "Removes a range of members by index."),
    command("zremrangebyscore", 4, TAKE, ranges::zremrangebyscore)
        .with_keys(&[one(1, RW_DELETE)])
        .with_docs("1.2.0", "Removes the members with scores in a range."),
    command("zremrangebylex", 4, TAKE, ranges::zremrangebylex)
        .with_keys(&[one(1, RW_DELETE)])
        .with_docs("2.8.9", "Removes the members in a range of bytes."),
    command("zpopmin", -2, TAKE.and(FAST), pop::zpopmin)
        .with_keys(&[one(1, RW_POP)])
        .with_docs("5.0.0", "Removes and returns the members with the lowest scores."),
    command("zpopmax", -2, TAKE.and(FAST), pop::zpopmax)
        .with_keys(&[one(1, RW_POP)])
        .with_docs("5.0.0", "Removes and returns the members with the highest scores."),
    command("bzpopmin", -3, BLOCK.and(NOSCRIPT).and(FAST), pop::bzpopmin)
        .with_keys(&[range(1, -2, 1, RW_POP)])
        .with_docs(
            "5.0.0",
            "Waits for a member, and removes and returns the one with the lowest score.",
        ),
    command("bzpopmax", -3, BLOCK.and(NOSCRIPT).and(FAST), pop::bzpopmax)
        .with_keys(&[range(1, -2, 1, RW_POP)])
        .with_docs(
            "5.0.0",
            "Waits for a member, and removes and returns the one with the highest score.",
        ),
    command("zmpop", -4, TAKE, pop::zmpop)
        .with_keys(&[counted(1, RW_POP)])
        .with_docs("7.0.0", "Removes and returns members of the first sorted set that has some."),
    command("bzmpop", -5, BLOCK, pop::bzmpop).with_keys(&[counted(2, RW_POP)]).with_docs(
        "7.0.0",
        "Waits for members, and removes and returns those of the first sorted set that has some.",
    ),
    command("zunion", -3, READONLY, combine::zunion)
        .with_keys(&[counted(1, RO)])
        .with_docs("6.2.0", "Returns the union of sorted sets and sets."),
    command("zunionstore", -4, STORE, combine::zunionstore)
        .with_keys(&[one(1, OW), counted(2, RO)])
        .with_docs("2.0.0", "Stores the union of sorted sets and sets."),
    command("zinter", -3, READONLY, combine::zinter)
        .with_keys(&[counted(1, RO)])
        .with_docs("6.2.0", "Returns the intersection of sorted sets and sets."),
    command("zinterstore", -4, STORE, combine::zinterstore)
        .with_keys(&[one(1, OW), counted(2, RO)])
        .with_docs("2.0.0", "Stores the intersection of sorted sets and sets."),
    command("zdiff", -3, READONLY, combine::zdiff)
        .with_keys(&[counted(1, RO)])
        .with_docs("6.2.0", "Returns the difference of sorted sets and sets."),
    command("zdiffstore", -4, STORE, combine::zdiffstore)
        .with_keys(&[one(1, OW), counted(2, RO)])
        .with_docs("6.2.0", "Stores the difference of sorted sets and sets."),
    command("zintercard", -3, READONLY, combine::zintercard)
        .with_keys(&[counted(1, RO)])
        .with_docs("7.0.0", "Counts the members of an intersection."),
];

/// Replies a score.
pub(super) fn reply_score(out: &mut Reply, score: f64) {
    out.double(&double::format(score));
}

/// Stores the count of a sorted set some of whose members were removed, and tells subscribers.
fn save_removal(
    context: &mut Context<'_>,
    set: &mut SortedSet<'_>,
    key: &[u8],
    event: &'static str,
) -> Done {
    let is_gone = set.save(context)?;
    context.notify(b'z', event, key);
    if is_gone {
        context.notify(b'g', "del", key);
    }
    Ok(())
}
