//! Scripts and functions: EVAL, SCRIPT, FCALL, FUNCTION.
//!
//! A script is one evaluation: it sees its own writes, and they are one batch with one commit at its end. It begins
//! with the latches of the keys that it declares. A command on another key ends it without an effect, and it begins
//! anew with all latches. A script that runs long begins anew on a thread of its own; when it runs too long, other
//! commands are answered with BUSY.

mod eval;
mod functions;
mod host;
mod messages;
mod restore;

use crate::redis::command::{
    ALL_KEYS, ALLOW_BUSY, Command, DENYOOM, Flags, Group, MAY_REPLICATE, NO_MANDATORY_KEYS,
    NOSCRIPT, READONLY, SKIP_MONITOR, STALE, UNDECLARED, WRITE,
};
use crate::redis::families::help::help;
use crate::redis::keyspec::{RO, RW, counted};

const GROUP: Group = Group::Scripting;
const RUNS: Flags = NOSCRIPT.and(STALE).and(SKIP_MONITOR).and(NO_MANDATORY_KEYS).and(UNDECLARED);
const WRITES: Flags = RUNS.and(MAY_REPLICATE);
const READS: Flags = RUNS.and(READONLY);

pub(in crate::redis) const COMMANDS: &[Command] = &[
    Command::new("eval", -3, WRITES, GROUP, eval::eval)
        .with_keys(&[counted(2, RW)])
        .with_docs("2.6.0", "Executes a server-side Lua script."),
    Command::new("eval_ro", -3, READS, GROUP, eval::eval)
        .with_keys(&[counted(2, RO)])
        .with_docs("7.0.0", "Executes a read-only server-side Lua script."),
    Command::new("evalsha", -3, WRITES, GROUP, eval::evalsha)
        .with_keys(&[counted(2, RW)])
        .with_docs("2.6.0", "Executes a server-side Lua script by SHA1 digest."),
    Command::new("evalsha_ro", -3, READS, GROUP, eval::evalsha)
        .with_keys(&[counted(2, RO)])
        .with_docs("7.0.0", "Executes a read-only server-side Lua script by SHA1 digest."),
    Command::new("fcall", -3, WRITES, GROUP, functions::fcall)
        .with_keys(&[counted(2, RW)])
        .with_docs("7.0.0", "Invokes a function."),
    Command::new("fcall_ro", -3, READS, GROUP, functions::fcall)
        .with_keys(&[counted(2, RO)])
        .with_docs("7.0.0", "Invokes a read-only function."),
    Command::container("script", GROUP, SCRIPT).with_docs("2.6.0", "Commands for Lua scripts."),
    Command::container("function", GROUP, FUNCTION).with_docs("7.0.0", "Commands for functions."),
];

const SCRIPT: &[Command] = &[
    Command::new("load", 3, NOSCRIPT.and(STALE), GROUP, eval::load)
        .with_full_name("script|load")
        .with_docs("2.6.0", "Loads a server-side Lua script to the script cache."),
    Command::new("exists", -3, NOSCRIPT, GROUP, eval::exists)
        .with_full_name("script|exists")
        .with_docs("2.6.0", "Determines whether scripts exist in the script cache."),
    Command::new("flush", -2, NOSCRIPT, GROUP, eval::flush)
        .with_full_name("script|flush")
        .with_docs("2.6.0", "Removes all scripts from the script cache."),
    Command::new("kill", 2, NOSCRIPT.and(ALLOW_BUSY), GROUP, |context, _| {
        eval::kill(context, true)
    })
    .with_full_name("script|kill")
    .with_docs("2.6.0", "Ends a script that runs long and has not written."),
    Command::new("debug", 3, NOSCRIPT, GROUP, eval::debug)
        .with_full_name("script|debug")
        .with_docs("3.2.0", "Is refused: there is no debugger of scripts."),
    Command::new("help", 2, STALE, GROUP, help)
        .with_full_name("script|help")
        .with_docs("5.0.0", "Returns help about the subcommands."),
];

const FUNCTION: &[Command] = &[
    Command::new(
        "load",
        -3,
        NOSCRIPT.and(WRITE).and(ALL_KEYS).and(DENYOOM),
        GROUP,
        functions::load,
    )
    .with_full_name("function|load")
    .with_docs("7.0.0", "Creates a library."),
    Command::new("delete", 3, NOSCRIPT.and(WRITE).and(ALL_KEYS), GROUP, functions::delete)
        .with_full_name("function|delete")
        .with_docs("7.0.0", "Deletes a library and its functions."),
    Command::new("list", -2, NOSCRIPT, GROUP, functions::list)
        .with_full_name("function|list")
        .with_docs("7.0.0", "Returns information about all libraries."),
    Command::new("stats", 2, NOSCRIPT.and(ALLOW_BUSY), GROUP, functions::stats)
        .with_full_name("function|stats")
        .with_docs("7.0.0", "Returns information about a function during execution."),
    Command::new("kill", 2, NOSCRIPT.and(ALLOW_BUSY), GROUP, |context, _| {
        eval::kill(context, false)
    })
    .with_full_name("function|kill")
    .with_docs("7.0.0", "Ends a function that runs long and has not written."),
    Command::new("flush", -2, NOSCRIPT.and(WRITE).and(ALL_KEYS), GROUP, functions::flush)
        .with_full_name("function|flush")
        .with_docs("7.0.0", "Deletes all libraries and functions."),
    Command::new("dump", 2, NOSCRIPT, GROUP, restore::dump)
        .with_full_name("function|dump")
        .with_docs("7.0.0", "Dumps all libraries into a serialized binary payload."),
    Command::new(
        "restore",
        -3,
        NOSCRIPT.and(WRITE).and(ALL_KEYS).and(DENYOOM),
        GROUP,
        restore::restore,
    )
    .with_full_name("function|restore")
    .with_docs("7.0.0", "Restores all libraries from a payload."),
    Command::new("help", 2, STALE, GROUP, help)
        .with_full_name("function|help")
        .with_docs("7.0.0", "Returns help about the subcommands."),
];
