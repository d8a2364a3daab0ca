//! Commands on strings.

mod basic;
mod counters;
mod lcs;
mod many;
mod parts;
mod set;

use crate::redis::command::{
    COUNTED, Command, DENYOOM, FAST, Flags, Group, Handler, ONE_ROW, READONLY, READS_FIRST, WRITE,
};
use crate::redis::context::Context;
use crate::redis::failure::{Done, Failure, NOT_INTEGER};
use crate::redis::keyspec::{
    KeyFlags, KeySpec, OW, RO, RO_META, RW, RW_INSERT, RW_POP, RW_UPDATE, RW_VARIABLE, one, range,
};
use crate::text::integer;

/// Sets the value of a key that was absent.
const OW_INSERT: KeyFlags = KeyFlags(&["OW", "insert"]);

const READ: Flags = READONLY.and(ONE_ROW);
const CHANGE: Flags = WRITE.and(DENYOOM).and(READS_FIRST);
const READ_AND_CHANGE: Flags = WRITE.and(READS_FIRST).and(FAST).and(COUNTED);

const fn string(
    name: &'static str,
    arity: i32,
    flags: Flags,
    keys: &'static [KeySpec],
    run: Handler,
) -> Command {
    Command::new(name, arity, flags, Group::String, run).with_keys(keys)
}

pub(in crate::redis) const COMMANDS: &[Command] = &[
    string("get", 2, READ.and(FAST), &[one(1, RO)], basic::get)
        .with_docs("1.0.0", "Returns the string of a key."),
    string("set", -3, CHANGE, &[one(1, RW_VARIABLE)], set::set)
        .with_docs("1.0.0", "Stores a string at a key, whatever the key held."),
    string("setnx", 3, CHANGE.and(FAST), &[one(1, OW_INSERT)], set::setnx)
        .with_docs("1.0.0", "Stores a string if the key is absent."),
    string("setex", 4, CHANGE, &[one(1, OW)], set::setex)
        .with_docs("2.0.0", "Stores a string and its time to live in seconds."),
    string("psetex", 4, CHANGE, &[one(1, OW)], set::psetex)
        .with_docs("2.6.0", "Stores a string and its time to live in milliseconds."),
    string("getset", 3, CHANGE.and(FAST).and(COUNTED), &[one(1, RW)], set::getset)
        .with_docs("1.0.0", "Stores a string and returns the one before it."),
    string("getdel", 2, READ_AND_CHANGE, &[one(1, RW_POP)], basic::getdel)
        .with_docs("6.2.0", "Returns the string of a key and deletes the key."),
    string("getex", -2, READ_AND_CHANGE, &[one(1, RW)], set::getex)
        .with_docs("6.2.0", "Returns the string of a key and changes when the key expires."),
    string("mget", -2, READONLY.and(FAST), &[range(1, -1, 1, RO)], many::mget)
        .with_docs("1.0.0", "Returns the strings of several keys."),
    string("mset", -3, CHANGE, &[range(1, -1, 2, OW)], many::mset)
        .with_docs("1.0.1", "Stores several strings at once."),
    string("msetnx", -3, CHANGE, &[range(1, -1, 2, OW_INSERT)], many::msetnx)
        .with_docs("1.0.1", "Stores several strings if all their keys are absent."),
    string("append", 3, CHANGE.and(FAST), &[one(1, RW_INSERT)], parts::append)
        .with_docs("2.0.0", "Appends to a string, which is created if the key is absent."),
    string("strlen", 2, READ.and(FAST), &[one(1, RO_META)], parts::strlen)
        .with_docs("2.2.0", "Returns the length of a string in bytes."),
    string("incr", 2, CHANGE.and(FAST), &[one(1, RW)], counters::incr)
        .with_docs("1.0.0", "Adds 1 to the integer at a key; an absent key counts as 0."),
    string("decr", 2, CHANGE.and(FAST), &[one(1, RW)], counters::decr)
        .with_docs("1.0.0", "Subtracts 1 from the integer at a key; an absent key counts as 0."),
    string("incrby", 3, CHANGE.and(FAST), &[one(1, RW)], counters::incrby)
        .with_docs("1.0.0", "Adds to the integer at a key; an absent key counts as 0."),
    string("decrby", 3, CHANGE.and(FAST), &[one(1, RW)], counters::decrby)
        .with_docs("1.0.0", "Subtracts from the integer at a key; an absent key counts as 0."),
    string("incrbyfloat", 3, CHANGE.and(FAST), &[one(1, RW)], counters::incrbyfloat)
        .with_docs("2.6.0", "Adds to the floating-point number at a key."),
    string("setrange", 4, CHANGE, &[one(1, RW_UPDATE)], parts::setrange)
        .with_docs("2.2.0", "Overwrites a part of a string from an offset on."),
    string("getrange", 4, READ, &[one(1, RO)], parts::getrange)
        .with_docs("2.4.0", "Returns a part of a string."),
    string("substr", 4, READ, &[one(1, RO)], parts::getrange)
        .with_docs("1.0.0", "Returns a part of a string: the former name of GETRANGE."),
    string("lcs", -3, READONLY, &[range(1, 1, 1, RO)], lcs::lcs)
        .with_docs("7.0.0", "Returns the longest common subsequence of two strings."),
];

/// Returns the time of an expiry that a command was given.
///
/// # Errors
///
/// It is no integer, not positive, or too far away.
fn expiry(context: &Context<'_>, text: &[u8], in_seconds: bool, is_relative: bool) -> Done<u64> {
    let invalid = || -> Failure {
        format!("ERR invalid expire time in '{}' command", context.command.full_name).into()
    };
    let number = integer::parse(text).ok_or(NOT_INTEGER)?;
    let ms = number.checked_mul(if in_seconds { 1000 } else { 1 }).filter(|ms| *ms > 0);
    let start = if is_relative { context.clock_ms() as i64 } else { 0 };
    let at = ms.and_then(|ms| ms.checked_add(start)).ok_or_else(invalid)?;
    u64::try_from(at).map_err(|_| invalid())
}
