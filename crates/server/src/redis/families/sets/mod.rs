//! Commands on sets.

mod basic;
mod combine;
mod random;
mod scan;

use crate::redis::command::{
    Command, DENYOOM, FAST, Flags, Group, Handler, ONE_ROW, READONLY, READS_FIRST, WRITE,
};
use crate::redis::keyspec::{
    KeySpec, OW, RO, RO_META, RW_DELETE, RW_INSERT, RW_POP, RW_UPDATE, counted, one, range,
};

const CHANGE: Flags = WRITE.and(DENYOOM).and(READS_FIRST);
const TAKE: Flags = WRITE.and(FAST).and(READS_FIRST);

const fn set(
    name: &'static str,
    arity: i32,
    flags: Flags,
    keys: &'static [KeySpec],
    run: Handler,
) -> Command {
    Command::new(name, arity, flags, Group::Set, run).with_keys(keys)
}

const STORE_KEYS: &[KeySpec] = &[one(1, OW), range(2, -1, 1, RO)];
/// Redis describes the target of SINTERSTORE otherwise.
const INTER_KEYS: &[KeySpec] = &[one(1, RW_UPDATE), range(2, -1, 1, RO)];

pub(in crate::redis) const COMMANDS: &[Command] = &[
    set("sadd", -3, CHANGE.and(FAST), &[one(1, RW_INSERT)], basic::sadd)
        .with_docs("1.0.0", "Adds members to a set, which is created if the key is absent."),
    set("srem", -3, TAKE, &[one(1, RW_DELETE)], basic::srem)
        .with_docs("1.0.0", "Removes members from a set; an empty set is deleted."),
    set("smembers", 2, READONLY, &[one(1, RO)], basic::smembers)
        .with_docs("1.0.0", "Returns all members of a set."),
    set("sismember", 3, READONLY.and(FAST), &[one(1, RO_META)], basic::sismember)
        .with_docs("1.0.0", "Returns whether a set has a member."),
    set("smismember", -3, READONLY.and(FAST), &[one(1, RO)], basic::smismember)
        .with_docs("6.2.0", "Returns for each of several members whether a set has it."),
    set("scard", 2, READONLY.and(FAST).and(ONE_ROW), &[one(1, RO_META)], basic::scard)
        .with_docs("1.0.0", "Returns the number of members of a set."),
    set("smove", 4, TAKE, &[one(1, RW_POP), one(2, RW_INSERT)], basic::smove)
        .with_docs("1.0.0", "Moves a member from one set to another."),
    set("spop", -2, TAKE, &[one(1, RW_POP)], random::spop)
        .with_docs("1.0.0", "Removes members at random and returns them."),
    set("srandmember", -2, READONLY, &[one(1, RO)], random::srandmember)
        .with_docs("1.0.0", "Returns members at random."),
    set("sinter", -2, READONLY, &[range(1, -1, 1, RO)], combine::sinter)
        .with_docs("1.0.0", "Returns the members that all sets have."),
    set("sintercard", -3, READONLY, &[counted(1, RO)], combine::sintercard)
        .with_docs("7.0.0", "Counts the members that all sets have."),
    set("sinterstore", -3, CHANGE, INTER_KEYS, combine::sinterstore)
        .with_docs("1.0.0", "Stores the members that all sets have."),
    set("sunion", -2, READONLY, &[range(1, -1, 1, RO)], combine::sunion)
        .with_docs("1.0.0", "Returns the members that any set has."),
    set("sunionstore", -3, CHANGE, STORE_KEYS, combine::sunionstore)
        .with_docs("1.0.0", "Stores the members that any set has."),
    set("sdiff", -2, READONLY, &[range(1, -1, 1, RO)], combine::sdiff)
        .with_docs("1.0.0", "Returns the members of the first set that no other set has."),
    set("sdiffstore", -3, CHANGE, STORE_KEYS, combine::sdiffstore)
        .with_docs("1.0.0", "Stores the members of the first set that no other set has."),
    set("sscan", -3, READONLY, &[one(1, RO)], scan::sscan)
        .with_docs("2.8.0", "Returns some members of a set and a cursor for the next ones."),
];
