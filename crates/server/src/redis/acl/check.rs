//! Whether a user may run a command with these arguments.

use super::patterns::Access;
use super::selector::Selector;
use super::user::User;
use crate::redis::args::{Args, is};
use crate::redis::command::Command;
use crate::redis::keyspec::{KeyFlags, Positions};
use smallvec::SmallVec;

/// Keys among the arguments: their positions, and what the command does with them.
type Keys = SmallVec<[(usize, Access); 8]>;

/// Why a command is refused. Of two reasons from different selectors, the greater one is told.
#[derive(Clone, Copy, Debug, Eq, Ord, PartialEq, PartialOrd)]
pub enum Denied {
    /// The user may not run the command.
    Command,
    /// The user may not use the key at this position of the arguments in this way.
    Key(usize),
    /// The user may not use the channel at this position.
    Channel(usize),
}

/// Checks whether a user may run a command, whose number of arguments is right.
///
/// # Errors
///
/// No selector allows all of it.
pub fn check(user: &User, command: &Command, args: Args<'_>) -> Result<(), Denied> {
    let keys = keys_of(command, args);
    let mut worst = Denied::Command;
    for selector in user.selectors() {
        match check_selector(selector, command, args, &keys) {
            Ok(()) => return Ok(()),
            Err(denied) => worst = worst.max(denied),
        }
    }
    Err(worst)
}

/// Returns whether a selector that allows the command allows to read all keys too. SORT needs that to read keys whose
/// names are made of a pattern.
pub fn reads_all_keys(user: &User, command: &Command, args: Args<'_>) -> bool {
    let keys = keys_of(command, args);
    user.selectors().any(|selector| {
        selector.keys.allow_every(Access::READ)
            && check_selector(selector, command, args, &keys).is_ok()
    })
}

fn check_selector(
    selector: &Selector,
    command: &Command,
    args: Args<'_>,
    keys: &Keys,
) -> Result<(), Denied> {
    if !selector.commands.allows(command, args) {
        return Err(Denied::Command);
    }
    let denied = keys.iter().find(|(at, access)| !selector.keys.allow(args.at(*at), *access));
    if let Some((at, _)) = denied {
        return Err(Denied::Key(*at));
    }
    let (channels, is_pattern) = channels_of(command, args);
    let denied = channels.into_iter().find(|at| !selector.channels.allow(args.at(*at), is_pattern));
    denied.map_or(Ok(()), |at| Err(Denied::Channel(at)))
}

/// Returns the positions of channels to which a command subscribes or publishes, and whether they are patterns.
fn channels_of(command: &Command, args: Args<'_>) -> (std::ops::Range<usize>, bool) {
    match command.full_name {
        "subscribe" | "ssubscribe" => (1..args.len(), false),
        "psubscribe" => (1..args.len(), true),
        "publish" | "spublish" => (1..2, false),
        _ => (0..0, false),
    }
}

/// Returns the keys of a command. For some commands, their arguments decide how the keys are used.
fn keys_of(command: &Command, args: Args<'_>) -> Keys {
    match command.full_name {
        "set" => SmallVec::from_slice(&[(1, set_access(args))]),
        "bitfield" => SmallVec::from_slice(&[(1, bitfield_access(args))]),
        "sort" => sort_keys(args),
        _ => keys_of_specs(command, args),
    }
}

fn keys_of_specs(command: &Command, args: Args<'_>) -> Keys {
    let mut keys = Keys::new();
    for spec in command.keys.iter().filter(|spec| !is_not_key(spec.flags)) {
        let mut positions = Positions::new();
        spec.positions(args, &mut positions);
        keys.extend(positions.into_iter().map(|at| (at, Access::of(spec.flags))));
    }
    keys
}

/// Returns whether a key specification describes something else, such as shard channels.
fn is_not_key(flags: KeyFlags) -> bool {
    flags.0.contains(&"not_key")
}

/// SET reads only to reply the old value.
fn set_access(args: Args<'_>) -> Access {
    let reads = args.from(3).iter().any(|arg| is(arg, "get"));
    Access { reads, writes: true }
}

/// BITFIELD only reads if all its operations are GET.
fn bitfield_access(args: Args<'_>) -> Access {
    let mut options = args.options(2);
    while let Some(word) = options.next() {
        let operands = match () {
            () if is(word, "get") => 2,
            () if is(word, "overflow") => 1,
            () => return Access::ALL,
        };
        if options.left() < operands {
            return Access::ALL;
        }
        (0..operands).for_each(|_| _ = options.next());
    }
    Access::READ
}

/// SORT reads its key and writes the last one behind STORE. Operands of other options are skipped, since they may be
/// called STORE.
fn sort_keys(args: Args<'_>) -> Keys {
    let (mut keys, mut target) = (Keys::from_slice(&[(1, Access::READ)]), None);
    let mut options = args.options(2);
    while let Some(word) = options.next() {
        if is(word, "store") {
            target = (options.left() > 0).then_some(options.position()).or(target);
            options.next();
        }
        let operands = match () {
            () if is(word, "limit") => 2,
            () if is(word, "by") || is(word, "get") => 1,
            () => 0,
        };
        (0..operands).for_each(|_| _ = options.next());
    }
    keys.extend(target.map(|at| (at, Access::WRITE)));
    keys
}

#[cfg(test)]
#[path = "check_test.rs"]
mod tests;
