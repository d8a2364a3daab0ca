//! Lists: `places` (sub-keys), `list` and `middle` (rows), `commands`, `search` (LPOS, LREM, LINSERT), and `moving`
//! (from list to list, several lists, blocking).

mod commands;
pub(in crate::redis::families) mod list;
mod middle;
mod moving;
mod places;
mod search;

use crate::redis::command::{
    BLOCKING, Command, DENYOOM, FAST, Group, NOSCRIPT, READONLY, READS_FIRST, TAKES, WRITE,
};
use crate::redis::keyspec::{
    KeySpec, RO, RO_META, RW_DELETE, RW_INSERT, RW_POP, RW_UPDATE, counted, one, range,
};

const LIST: Group = Group::List;
const READ_KEY: &[KeySpec] = &[one(1, RO)];
const PUSH_KEY: &[KeySpec] = &[one(1, RW_INSERT)];
const POP_KEY: &[KeySpec] = &[one(1, RW_POP)];
const MOVE_KEYS: &[KeySpec] = &[one(1, RW_POP), one(2, RW_INSERT)];
/// Adds elements.
const ADD: crate::redis::command::Flags = WRITE.and(DENYOOM).and(READS_FIRST);
/// Removes elements.
const REMOVE: crate::redis::command::Flags = WRITE.and(READS_FIRST);
/// Waits for elements.
const WAIT: crate::redis::command::Flags = WRITE.and(BLOCKING).and(TAKES).and(READS_FIRST);

pub(in crate::redis) const COMMANDS: &[Command] = &[
    Command::new("lpush", -3, ADD.and(FAST), LIST, commands::lpush).with_keys(PUSH_KEY).with_docs(
        "1.0.0",
        "Adds elements at the left end of a list, which is created if it is absent.",
    ),
    Command::new("rpush", -3, ADD.and(FAST), LIST, commands::rpush).with_keys(PUSH_KEY).with_docs(
        "1.0.0",
        "Adds elements at the right end of a list, which is created if it is absent.",
    ),
    Command::new("lpushx", -3, ADD.and(FAST), LIST, commands::lpushx)
        .with_keys(PUSH_KEY)
        .with_docs("2.2.0", "Adds elements at the left end of a list that exists."),
    Command::new("rpushx", -3, ADD.and(FAST), LIST, commands::rpushx)
        .with_keys(PUSH_KEY)
        .with_docs("2.2.0", "Adds elements at the right end of a list that exists."),
    Command::new("lpop", -2, REMOVE.and(FAST), LIST, commands::lpop)
        .with_keys(POP_KEY)
        .with_docs("1.0.0", "Removes and returns elements at the left end of a list."),
    Command::new("rpop", -2, REMOVE.and(FAST), LIST, commands::rpop)
        .with_keys(POP_KEY)
        .with_docs("1.0.0", "Removes and returns elements at the right end of a list."),
    Command::new("llen", 2, READONLY.and(FAST), LIST, commands::llen)
        .with_keys(&[one(1, RO_META)])
        .with_docs("1.0.0", "Returns the number of elements of a list."),
    Command::new("lindex", 3, READONLY, LIST, commands::lindex)
        .with_keys(READ_KEY)
        .with_docs("1.0.0", "Returns the element of a list at a position."),
    Command::new("lrange", 4, READONLY, LIST, commands::lrange)
        .with_keys(READ_KEY)
        .with_docs("1.0.0", "Returns the elements of a list between two positions."),
    Command::new("lset", 4, ADD, LIST, commands::lset)
        .with_keys(&[one(1, RW_UPDATE)])
        .with_docs("1.0.0", "Replaces the element of a list at a position."),
    Command::new("ltrim", 4, WRITE, LIST, commands::ltrim)
        .with_keys(&[one(1, RW_DELETE)])
        .with_docs("1.0.0", "Removes the elements of a list that are not between two positions."),
    Command::new("lrem", 4, WRITE, LIST, search::lrem)
        .with_keys(&[one(1, RW_DELETE)])
        .with_docs("1.0.0", "Removes elements of a list that are equal to a value."),
    Command::new("linsert", 5, WRITE.and(DENYOOM), LIST, search::linsert)
        .with_keys(PUSH_KEY)
        .with_docs("2.2.0", "Inserts an element in front of or behind another one."),
    Command::new("lpos", -3, READONLY, LIST, search::lpos)
        .with_keys(READ_KEY)
        .with_docs("6.0.6", "Returns the positions of elements that are equal to a value."),
    Command::new("rpoplpush", 3, ADD, LIST, moving::rpoplpush).with_keys(MOVE_KEYS).with_docs(
        "1.2.0",
        "Moves the last element of a list to the front of another, and returns it.",
    ),
    Command::new("lmove", 5, ADD, LIST, moving::lmove).with_keys(MOVE_KEYS).with_docs(
        "6.2.0",
        "Moves an element from an end of a list to an end of another, and returns it.",
    ),
    Command::new("lmpop", -4, REMOVE, LIST, moving::lmpop)
        .with_keys(&[counted(1, RW_POP)])
        .with_docs(
            "7.0.0",
            "Removes and returns elements of the first of several lists that has any.",
        ),
    Command::new("blpop", -3, WAIT.and(NOSCRIPT), LIST, moving::blpop)
        .with_keys(&[range(1, -2, 1, RW_POP)])
        .with_docs("2.0.0", "As LPOP of the first list that has elements; waits for one."),
    Command::new("brpop", -3, WAIT.and(NOSCRIPT), LIST, moving::brpop)
        .with_keys(&[range(1, -2, 1, RW_POP)])
        .with_docs("2.0.0", "As RPOP of the first list that has elements; waits for one."),
    Command::new("brpoplpush", 4, WAIT.and(DENYOOM).and(NOSCRIPT), LIST, moving::brpoplpush)
        .with_keys(MOVE_KEYS)
        .with_docs("2.2.0", "As RPOPLPUSH; waits for an element."),
    Command::new("blmove", 6, WAIT.and(DENYOOM).and(NOSCRIPT), LIST, moving::blmove)
        .with_keys(MOVE_KEYS)
        .with_docs("6.2.0", "As LMOVE; waits for an element."),
    Command::new("blmpop", -5, WAIT, LIST, moving::blmpop)
        .with_keys(&[counted(2, RW_POP)])
        .with_docs("7.0.0", "As LMPOP; waits for an element."),
];
