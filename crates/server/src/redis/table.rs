//! All commands, by name.

use super::args::Args;
use super::command::Command;
use super::failure::{Done, Failure};
use super::{families, transactions};
use rustc_hash::FxHashMap;
use std::sync::LazyLock;

/// The longest name of a command.
const NAME_MAX: usize = 32;

/// The tables of all families.
const FAMILIES: &[&[Command]] = &[
    transactions::COMMANDS,
    families::connection::COMMANDS,
    families::strings::COMMANDS,
    families::bitmaps::COMMANDS,
    families::hyperloglog::COMMANDS,
    families::sets::COMMANDS,
    families::keys::COMMANDS,
    families::admin::config::COMMANDS,
    families::admin::info::COMMANDS,
    families::admin::client::COMMANDS,
    families::admin::describe::COMMANDS,
    families::hashes::COMMANDS,
    families::sorted_sets::COMMANDS,
    families::geo::COMMANDS,
    families::expiry::COMMANDS,
    families::keyspace::COMMANDS,
    families::dump::COMMANDS,
    families::object::COMMANDS,
    families::sort::COMMANDS,
    families::pubsub::COMMANDS,
    families::migrate::COMMANDS,
    families::waits::COMMANDS,
    families::lists::COMMANDS,
    families::streams::COMMANDS,
    families::admin::operations::COMMANDS,
    families::admin::replication::COMMANDS,
    families::admin::logs::COMMANDS,
    families::admin::memory::COMMANDS,
    families::admin::backup::COMMANDS,
    families::admin::acl::COMMANDS,
    families::admin::cluster::COMMANDS,
    families::admin::debug::COMMANDS,
    families::scripting::COMMANDS,
];

/// All commands, and their subcommands behind them, with their numbers.
static TABLE: LazyLock<Vec<Command>> = LazyLock::new(|| {
    let (mut id, mut table) = (0, Vec::new());
    let mut numbered = |command: &Command| {
        let command = Command { id, ..*command };
        id += 1;
        command
    };
    for command in FAMILIES.iter().copied().flatten() {
        let mut command = numbered(command);
        let subcommands: Vec<Command> = command.subcommands.iter().map(&mut numbered).collect();
        // The table lives as long as the process.
        command.subcommands = subcommands.leak();
        table.push(command);
    }
    table
});

static BY_NAME: LazyLock<FxHashMap<&'static [u8], &'static Command>> =
    LazyLock::new(|| all().map(|command| (command.name.as_bytes(), command)).collect());

static BY_ID: LazyLock<Vec<&'static Command>> = LazyLock::new(|| every().collect());

/// Returns all commands; subcommands are in their containers.
pub fn all() -> impl Iterator<Item = &'static Command> {
    TABLE.iter()
}

/// Returns all commands and subcommands, in the order of their numbers.
pub fn every() -> impl Iterator<Item = &'static Command> {
    all().flat_map(|command| std::iter::once(command).chain(command.subcommands))
}

/// Returns the number of commands and subcommands.
pub fn count() -> usize {
    BY_ID.len()
}

/// Returns the command of a number.
pub fn by_id(id: u16) -> Option<&'static Command> {
    BY_ID.get(usize::from(id)).copied()
}

/// Returns the command or subcommand of a full name, such as `config|get`.
pub fn by_full_name(name: &[u8]) -> Option<&'static Command> {
    let mut parts = name.splitn(2, |byte| *byte == b'|');
    let command = by_name(parts.next()?)?;
    let Some(name) = parts.next() else { return Some(command) };
    command.subcommands.iter().find(|sub| name.eq_ignore_ascii_case(sub.name.as_bytes()))
}

/// Returns the command of a name, in any case.
pub fn by_name(name: &[u8]) -> Option<&'static Command> {
    let mut lower = [0; NAME_MAX];
    let lower = lower.get_mut(..name.len())?;
    lower.copy_from_slice(name);
    lower.make_ascii_lowercase();
    BY_NAME.get(&*lower).copied()
}

/// Returns the command or subcommand that arguments name.
///
/// # Errors
///
/// There is none.
pub fn find(args: Args<'_>) -> Done<&'static Command> {
    let Some(command) = by_name(args.at(0)) else { return Err(unknown(args)) };
    if command.subcommands.is_empty() || args.len() < 2 {
        return Ok(command);
    }
    let name = args.at(1);
    let found =
        command.subcommands.iter().find(|sub| name.eq_ignore_ascii_case(sub.name.as_bytes()));
    found.ok_or_else(|| {
        let shown = String::from_utf8_lossy(name.get(..128).unwrap_or(name)).into_owned();
        format!("ERR unknown subcommand '{shown}'. Try {} HELP.", command.name.to_uppercase())
            .into()
    })
}

/// Returns the error of an unknown command, with the beginning of its arguments.
fn unknown(args: Args<'_>) -> Failure {
    const SHOWN: usize = 128;
    let show = |bytes: &[u8], max: usize| {
        String::from_utf8_lossy(bytes.get(..max).unwrap_or(bytes)).into_owned()
    };
    let mut shown = String::new();
    for arg in args.from(1) {
        if shown.len() >= SHOWN {
            break;
        }
        shown += &format!("'{}' ", show(arg, SHOWN - shown.len()));
    }
    let name = show(args.at(0), SHOWN);
    format!("ERR unknown command '{name}', with args beginning with: {shown}").into()
}
