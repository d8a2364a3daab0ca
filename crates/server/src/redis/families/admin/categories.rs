//! The categories of commands, as ACL and COMMAND name them. They follow from group and flags.

use crate::redis::command::{
    ADMIN, BLOCKING, Command, FAST, Flags, Group, PUBSUB, READONLY, WRITE,
};

/// All categories, in Redis's order.
pub(super) const ALL: [&str; 21] = [
    "keyspace",
    "read",
    "write",
    "set",
    "sortedset",
    "list",
    "hash",
    "string",
    "bitmap",
    "hyperloglog",
    "geo",
    "stream",
    "pubsub",
    "admin",
    "fast",
    "slow",
    "blocking",
    "dangerous",
    "connection",
    "transaction",
    "scripting",
];

/// Commands that can do harm, besides those for administrators.
const DANGEROUS: [&str; 13] = [
    "flushall",
    "flushdb",
    "info",
    "keys",
    "lastsave",
    "migrate",
    "restore",
    "restore-asking",
    "role",
    "sort",
    "sort_ro",
    "swapdb",
    "pfdebug",
];

/// Commands for administrators without the flag.
const ADMINISTRATIVE: [&str; 3] = ["lastsave", "role", "pfdebug"];

/// Commands on connections that Redis keeps in other groups.
const CONNECTION: [&str; 5] = ["wait", "waitaof", "asking", "readonly", "readwrite"];

/// Commands of the group of the server that work on keys.
const KEYSPACE: [&str; 5] = ["flushall", "flushdb", "dbsize", "swapdb", "restore-asking"];

/// Returns whether a command is in a category.
pub(super) fn has(command: &Command, category: &str) -> bool {
    let flag = |flag: Flags| command.flags.has(flag);
    // Subcommands are named in lists like their containers.
    let name = command.full_name.split('|').next().unwrap_or_default();
    match category {
        "read" => flag(READONLY) && command.group != Group::Scripting,
        "write" => flag(WRITE),
        "admin" => flag(ADMIN) || ADMINISTRATIVE.contains(&name),
        "dangerous" => flag(ADMIN) || DANGEROUS.contains(&name),
        "pubsub" => flag(PUBSUB) || command.group == Group::Pubsub,
        "fast" => flag(FAST),
        "slow" => !flag(FAST),
        "blocking" => flag(BLOCKING),
        "connection" => {
            command.group == Group::Connection || name == "command" || CONNECTION.contains(&name)
        }
        "keyspace" => {
            command.group == Group::Generic && name != "wait" && name != "waitaof"
                || KEYSPACE.contains(&name)
        }
        "transaction" => command.group == Group::Transactions,
        "sortedset" => command.group == Group::SortedSet,
        other => command.group.name() == other,
    }
}

/// Returns the categories of a command.
pub(super) fn of(command: &Command) -> impl Iterator<Item = &'static str> {
    ALL.into_iter().filter(|category| has(command, category))
}
