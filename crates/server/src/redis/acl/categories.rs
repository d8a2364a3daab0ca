//! The categories of commands, as ACL and COMMAND name them. They follow from group and flags.

use crate::redis::command::{
    ADMIN, BLOCKING, Command, FAST, Flags, Group, PUBSUB, READONLY, Run, WRITE,
};
use crate::redis::table;
use std::sync::LazyLock;

/// All categories, in Redis's order.
pub const ALL: [&str; 21] = [
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
pub fn has(command: &Command, category: &str) -> bool {
    let flag = |flag: Flags| command.flags.has(flag);
    // Subcommands are named in lists like their containers.
    let name = command.full_name.split('|').next().unwrap_or_default();
    // A container does nothing itself: its subcommands are in the categories.
    let group = |group: Group| command.group == group && !matches!(command.run, Run::Container);
    let sorts = name == "sort" || name == "sort_ro";
    match category {
        "read" => flag(READONLY) && command.group != Group::Scripting,
        "write" => flag(WRITE),
        "admin" => flag(ADMIN) || ADMINISTRATIVE.contains(&name),
        "dangerous" => flag(ADMIN) || DANGEROUS.contains(&name),
        "pubsub" => flag(PUBSUB),
        "fast" => flag(FAST),
        "slow" => !flag(FAST),
        "blocking" => flag(BLOCKING),
        "connection" => group(Group::Connection) || name == "command" || CONNECTION.contains(&name),
        "keyspace" => {
            group(Group::Generic) && !sorts && name != "wait" && name != "waitaof"
                || KEYSPACE.contains(&name)
        }
        "transaction" => group(Group::Transactions),
        "sortedset" => group(Group::SortedSet) || sorts,
        "list" | "set" if sorts => true,
        other => command.group.name() == other && group(command.group),
    }
}

/// Returns the categories of a command.
pub fn of(command: &Command) -> impl Iterator<Item = &'static str> {
    ALL.into_iter().filter(|category| has(command, category))
}

/// Returns the category of a name, in any case.
pub fn find(name: &[u8]) -> Option<&'static str> {
    ALL.into_iter().find(|category| name.eq_ignore_ascii_case(category.as_bytes()))
}

/// The commands of each category.
static MEMBERS: LazyLock<Vec<Vec<&'static Command>>> = LazyLock::new(|| {
    let of = |category: &str| table::every().filter(|command| has(command, category)).collect();
    ALL.into_iter().map(of).collect()
});

/// Returns the commands and subcommands of a category. A container comes before its subcommands.
pub fn members(category: &str) -> impl Iterator<Item = &'static Command> {
    let at = ALL.into_iter().position(|name| name == category);
    at.and_then(|at| MEMBERS.get(at)).into_iter().flatten().copied()
}
