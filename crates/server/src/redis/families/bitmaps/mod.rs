//! Commands on the bits of strings.

mod bits;
mod fields;
mod operation;

use crate::redis::command::{
    Command, DENYOOM, FAST, Flags, Group, Handler, ONE_ROW, READONLY, READS_FIRST, WRITE,
};
use crate::redis::keyspec::{KeySpec, OW, RO, RW, RW_VARIABLE, one, range};

const READ: Flags = READONLY.and(ONE_ROW);
const CHANGE: Flags = WRITE.and(DENYOOM).and(READS_FIRST);

const fn bitmap(
    name: &'static str,
    arity: i32,
    flags: Flags,
    keys: &'static [KeySpec],
    run: Handler,
) -> Command {
    Command::new(name, arity, flags, Group::Bitmap, run).with_keys(keys)
}

pub(in crate::redis) const COMMANDS: &[Command] = &[
    bitmap("setbit", 4, CHANGE, &[one(1, RW)], bits::setbit)
        .with_docs("2.2.0", "Sets or clears a bit of a string and returns the bit before it."),
    bitmap("getbit", 3, READ.and(FAST), &[one(1, RO)], bits::getbit)
        .with_docs("2.2.0", "Returns a bit of a string."),
    bitmap("bitcount", -2, READ, &[one(1, RO)], bits::bitcount)
        .with_docs("2.6.0", "Counts the set bits of a string or of a part of it."),
    bitmap("bitpos", -3, READ, &[one(1, RO)], bits::bitpos)
        .with_docs("2.8.7", "Returns the position of the first set or clear bit of a string."),
    bitmap("bitop", -4, CHANGE, &[one(2, OW), range(3, -1, 1, RO)], operation::bitop)
        .with_docs("2.6.0", "Combines the bits of strings and stores the result."),
    bitmap("bitfield", -2, CHANGE, &[one(1, RW_VARIABLE)], fields::bitfield)
        .with_docs("3.2.0", "Reads and changes integers of any width in a string."),
    bitmap("bitfield_ro", -2, READ.and(FAST), &[one(1, RO)], fields::bitfield_ro)
        .with_docs("6.0.0", "Reads integers of any width in a string."),
];

/// An offset of a bit is no integer, negative, or beyond the largest string.
const BAD_OFFSET: &str = "ERR bit offset is not an integer or out of range";
