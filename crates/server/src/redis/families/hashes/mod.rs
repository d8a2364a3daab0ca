//! Commands on hashes.
//!
//! Replies with several fields have them in the order of their names; Redis's order is arbitrary.

pub(crate) mod expiry;
mod extended;
pub(in crate::redis::families) mod hash;
mod random;
mod read;
mod write;

use crate::redis::command::{
    Command, DENYOOM, FAST, Flags, Group, Handler, READONLY, READS_FIRST, WRITE,
};
use crate::redis::keyspec::{
    KeySpec, RO, RO_META, RW, RW_DELETE, RW_INSERT, RW_POP, RW_UPDATE, one,
};

const READ: Flags = READONLY.and(FAST);
const ADD: Flags = WRITE.and(DENYOOM).and(FAST).and(READS_FIRST);

const EXPIRE: Flags = WRITE.and(DENYOOM).and(FAST);

const fn command(name: &'static str, arity: i32, flags: Flags, run: Handler) -> Command {
    const KEYS: &[KeySpec] = &[one(1, RO)];
    Command::new(name, arity, flags, Group::Hash, run).with_keys(KEYS)
}

pub(in crate::redis) const COMMANDS: &[Command] = &[
    command("hset", -4, ADD, write::hset)
        .with_keys(&[one(1, RW_UPDATE)])
        .with_docs("2.0.0", "Sets fields of a hash."),
    command("hmset", -4, ADD, write::hmset)
        .with_keys(&[one(1, RW_UPDATE)])
        .with_docs("2.0.0", "Sets fields of a hash, and replies OK."),
    command("hsetnx", 4, ADD, write::hsetnx)
        .with_keys(&[one(1, RW_INSERT)])
        .with_docs("2.0.0", "Sets a field of a hash if the field does not exist."),
    command("hincrby", 4, ADD, write::hincrby)
        .with_keys(&[one(1, RW)])
        .with_docs("2.0.0", "Adds an integer to a field of a hash."),
    command("hincrbyfloat", 4, ADD, write::hincrbyfloat)
        .with_keys(&[one(1, RW)])
        .with_docs("2.6.0", "Adds a floating-point number to a field of a hash."),
    command("hdel", -3, WRITE.and(FAST).and(READS_FIRST), write::hdel)
        .with_keys(&[one(1, RW_DELETE)])
        .with_docs("2.0.0", "Deletes fields of a hash, and the hash if none is left."),
    command("hget", 3, READ, read::hget).with_docs("2.0.0", "Returns the value of a field."),
    command("hmget", -3, READ, read::hmget)
        .with_docs("2.0.0", "Returns the values of several fields."),
    command("hgetall", 2, READONLY, read::hgetall)
        .with_docs("2.0.0", "Returns all fields and their values."),
    command("hkeys", 2, READONLY, read::hkeys).with_docs("2.0.0", "Returns all fields."),
    command("hvals", 2, READONLY, read::hvals).with_docs("2.0.0", "Returns all values."),
    command("hlen", 2, READ, read::hlen)
        .with_keys(&[one(1, RO_META)])
        .with_docs("2.0.0", "Returns the number of fields."),
    command("hexists", 3, READ, read::hexists)
        .with_keys(&[one(1, RO_META)])
        .with_docs("2.0.0", "Tells whether a field exists."),
    command("hstrlen", 3, READ, read::hstrlen)
        .with_keys(&[one(1, RO_META)])
        .with_docs("3.2.0", "Returns the length of a field's value."),
    command("hrandfield", -2, READONLY, random::hrandfield)
        .with_docs("6.2.0", "Returns random fields, with or without their values."),
    command("hscan", -3, READONLY, read::hscan).with_docs(
        "2.8.0",
        "Returns some fields with their values, and a cursor for the next ones.",
    ),
    command("hexpire", -6, EXPIRE, expiry::hexpire)
        .with_keys(&[one(1, RW_UPDATE)])
        .with_docs("7.4.0", "Sets in how many seconds fields expire."),
    command("hpexpire", -6, EXPIRE, expiry::hpexpire)
        .with_keys(&[one(1, RW_UPDATE)])
        .with_docs("7.4.0", "Sets in how many milliseconds fields expire."),
    command("hexpireat", -6, EXPIRE, expiry::hexpireat)
        .with_keys(&[one(1, RW_UPDATE)])
        .with_docs("7.4.0", "Sets the second at which fields expire."),
    command("hpexpireat", -6, EXPIRE, expiry::hpexpireat)
        .with_keys(&[one(1, RW_UPDATE)])
        .with_docs("7.4.0", "Sets the millisecond at which fields expire."),
    command("httl", -5, READ, expiry::httl)
        .with_docs("7.4.0", "Returns in how many seconds fields expire."),
    command("hpttl", -5, READ, expiry::hpttl)
        .with_docs("7.4.0", "Returns in how many milliseconds fields expire."),
    command("hexpiretime", -5, READ, expiry::hexpiretime)
        .with_docs("7.4.0", "Returns the second at which fields expire."),
    command("hpexpiretime", -5, READ, expiry::hpexpiretime)
        .with_docs("7.4.0", "Returns the millisecond at which fields expire."),
    command("hpersist", -5, WRITE.and(FAST), expiry::hpersist)
        .with_keys(&[one(1, RW_UPDATE)])
        .with_docs("7.4.0", "Removes the expiries of fields."),
    command("hgetex", -5, WRITE.and(FAST), extended::hgetex)
        .with_keys(&[one(1, RW)])
        .with_docs("8.0.0", "Returns the values of fields, and changes when they expire."),
    command("hsetex", -6, EXPIRE, extended::hsetex)
        .with_keys(&[one(1, RW_UPDATE)])
        .with_docs("8.0.0", "Sets fields and when they expire, under a condition."),
    command("hgetdel", -5, WRITE.and(FAST), extended::hgetdel)
        .with_keys(&[one(1, RW_POP)])
        .with_docs("8.0.0", "Returns the values of fields, and deletes the fields."),
];
