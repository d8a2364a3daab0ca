//! The rules that make a set of commands, in few words.
//!
//! The rules begin with all commands or none, so that commands of later versions are treated as the set treats them.
//! Then come categories, as long as one fits: most of its commands must differ from what the rules say so far. Single
//! commands and subcommands correct the rest.

use super::categories;
use super::commands::CommandSet;
use crate::redis::command::Command;
use crate::redis::table;
use std::cmp::Reverse;

/// Returns the rules that make a set, separated by spaces.
pub(super) fn rules(set: &CommandSet) -> Vec<u8> {
    let adds = !set.has_future();
    let mut made = CommandSet::none();
    made.set_all(!adds);
    let mut rules = if adds { b"-@all".to_vec() } else { b"+@all".to_vec() };
    // The commands that no category has explained yet have the value `adds` here.
    let mut left = set.clone();
    let mut categories = categories::ALL.to_vec();
    while let Some(at) = best(&left, &categories, adds) {
        let category = categories.remove(at);
        made.set_category(category, adds);
        left.set_category(category, !adds);
        rules.extend_from_slice(if adds { b" +@" } else { b" -@" });
        rules.extend_from_slice(category.as_bytes());
    }
    let mut commands: Vec<&Command> = table::all().collect();
    commands.sort_unstable_by_key(|command| command.name);
    for command in commands {
        std::iter::once(command).chain(command.subcommands).for_each(|command| {
            add_single(set, &mut made, command, &mut rules);
        });
    }
    rules
}

/// Returns the position of the category that covers the remaining commands best: it has the fewest other commands, and
/// among such categories the most of the remaining ones.
fn best(left: &CommandSet, categories: &[&str], adds: bool) -> Option<usize> {
    let score = |category: &str| {
        let (right, wrong): (Vec<&Command>, Vec<&Command>) =
            categories::members(category).partition(|command| left.has(command) == adds);
        (right.len() > wrong.len()).then_some((wrong.len(), Reverse(right.len())))
    };
    let scores = categories.iter().enumerate().filter_map(|(at, name)| Some((score(name)?, at)));
    scores.min().map(|(_, at)| at)
}

/// Appends the rules of a command for which what the rules make so far differs from the set.
fn add_single(set: &CommandSet, made: &mut CommandSet, command: &Command, rules: &mut Vec<u8>) {
    let allows = set.has(command);
    if allows != made.has(command) {
        made.set(command, allows);
        rules.extend_from_slice(if allows { b" +" } else { b" -" });
        rules.extend_from_slice(command.full_name.as_bytes());
    }
    if !allows {
        for arg in set.first_args(command) {
            rules.extend_from_slice(b" +");
            rules.extend_from_slice(command.full_name.as_bytes());
            rules.push(b'|');
            rules.extend_from_slice(arg);
        }
    }
}

#[cfg(test)]
#[path = "describe_test.rs"]
mod tests;
