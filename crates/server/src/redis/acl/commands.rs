//! Which commands a selector allows.

use super::categories;
use super::refusal::Refusal;
use crate::redis::args::Args;
use crate::redis::command::{Command, NO_AUTH};
use crate::redis::table;
use std::collections::BTreeMap;

/// A set of commands and subcommands.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct CommandSet {
    /// By the number of the command.
    allowed: Vec<bool>,
    /// Whether commands of later versions are allowed too, because the set began with all commands.
    has_future: bool,
    /// First arguments with which a command is allowed although it is not in the set.
    first_args: BTreeMap<u16, Vec<Vec<u8>>>,
}

impl CommandSet {
    /// Returns a set without commands.
    pub fn none() -> CommandSet {
        CommandSet {
            allowed: vec![false; table::count()],
            has_future: false,
            first_args: BTreeMap::new(),
        }
    }

    /// Returns whether all commands are allowed, those of later versions too.
    pub fn is_all(&self) -> bool {
        self.has_future && self.allowed.iter().all(|allowed| *allowed)
    }

    /// Returns whether commands of later versions are allowed.
    pub fn has_future(&self) -> bool {
        self.has_future
    }

    /// Returns whether a command is in the set.
    pub fn has(&self, command: &Command) -> bool {
        self.allowed.get(usize::from(command.id)).is_some_and(|allowed| *allowed)
    }

    /// Returns the first arguments with which a command is allowed although it is not in the set.
    pub fn first_args(&self, command: &Command) -> &[Vec<u8>] {
        self.first_args.get(&command.id).map_or(&[], Vec::as_slice)
    }

    /// Returns whether a command may run with these arguments. Those that clients need before they authenticate may
    /// always run.
    pub fn allows(&self, command: &Command, args: Args<'_>) -> bool {
        let at = if is_subcommand(command) { 2 } else { 1 };
        command.flags.has(NO_AUTH)
            || self.has(command)
            || self
                .first_args(command)
                .iter()
                .any(|first| args.get(at).is_some_and(|arg| arg.eq_ignore_ascii_case(first)))
    }

    /// Allows or forbids all commands.
    pub fn set_all(&mut self, allows: bool) {
        self.allowed.fill(allows);
        self.has_future = allows;
        self.first_args.clear();
    }

    /// Allows or forbids a command and its subcommands.
    pub fn set(&mut self, command: &Command, allows: bool) {
        self.first_args.remove(&command.id);
        for command in std::iter::once(command).chain(command.subcommands) {
            if let Some(slot) = self.allowed.get_mut(usize::from(command.id)) {
                *slot = allows;
            }
        }
    }

    /// Allows or forbids the commands of a category, and the subcommands of those.
    pub fn set_category(&mut self, category: &str, allows: bool) {
        categories::members(category).for_each(|command| self.set(command, allows));
    }

    /// Applies a rule that begins with `+` or `-`.
    ///
    /// # Errors
    ///
    /// The rule is not valid. The set is unchanged.
    pub fn apply(&mut self, rule: &[u8]) -> Result<(), Refusal> {
        let (allows, name) = match rule {
            [b'+', name @ ..] => (true, name),
            [b'-', name @ ..] => (false, name),
            _ => return Err(Refusal::Syntax),
        };
        if let Some(category) = name.strip_prefix(b"@") {
            let category = categories::find(category).ok_or(Refusal::UnknownCommand)?;
            self.set_category(category, allows);
            return Ok(());
        }
        if let Some(at) = name.iter().rposition(|byte| *byte == b'|').filter(|_| allows) {
            let (parent, arg) = name.split_at(at);
            let parent = table::by_full_name(parent).ok_or(Refusal::UnknownCommand)?;
            if is_subcommand(parent) {
                return Err(Refusal::FirstArgOfSubcommand);
            }
            let arg = arg.get(1..).unwrap_or_default();
            if arg.is_empty() || has_space(arg) {
                return Err(Refusal::Syntax);
            }
            if parent.subcommands.is_empty() {
                self.add_first_arg(parent, arg);
                return Ok(());
            }
        }
        let command = table::by_full_name(name).ok_or(Refusal::UnknownCommand)?;
        self.set(command, allows);
        Ok(())
    }

    /// Allows a command with a first argument.
    fn add_first_arg(&mut self, command: &Command, arg: &[u8]) {
        let args = self.first_args.entry(command.id).or_default();
        if !args.iter().any(|other| other.eq_ignore_ascii_case(arg)) {
            args.push(arg.to_vec());
        }
    }
}

fn is_subcommand(command: &Command) -> bool {
    command.full_name.len() != command.name.len()
}

/// Returns whether bytes contain a space, a line end or a zero, which the lines of a file of users cannot keep.
pub(super) fn has_space(bytes: &[u8]) -> bool {
    bytes.iter().any(|byte| byte.is_ascii_whitespace() || matches!(byte, 0 | 0x0b))
}

#[cfg(test)]
#[path = "commands_test.rs"]
mod tests;
