//! Which arguments of a command are keys: Redis's key specifications, which `COMMAND` reports and latches are taken by.

use super::args::{Args, is};
use crate::text::integer;
use smallvec::SmallVec;

/// Positions of keys among the arguments.
pub type Positions = SmallVec<[usize; 8]>;

/// What a command does to a key, by Redis's names.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct KeyFlags(pub &'static [&'static str]);

/// Reads the value and does not change it.
pub const RO: KeyFlags = KeyFlags(&["RO", "access"]);
/// Reads properties of the key only.
pub const RO_META: KeyFlags = KeyFlags(&["RO"]);
/// Reads and changes the value.
pub const RW: KeyFlags = KeyFlags(&["RW", "access", "update"]);
/// Replies of the value, and may change how it is kept.
pub const RW_ACCESS: KeyFlags = KeyFlags(&["RW", "access"]);
/// Changes the value and replies nothing of it.
pub const RW_UPDATE: KeyFlags = KeyFlags(&["RW", "update"]);
/// Adds to the value.
pub const RW_INSERT: KeyFlags = KeyFlags(&["RW", "insert"]);
/// Removes from the value.
pub const RW_DELETE: KeyFlags = KeyFlags(&["RW", "delete"]);
/// Replies and removes elements.
pub const RW_POP: KeyFlags = KeyFlags(&["RW", "access", "delete"]);
/// Replies and removes elements. Not all keys can be described.
pub const RW_POP_INCOMPLETE: KeyFlags = KeyFlags(&["RW", "access", "delete", "incomplete"]);
/// Replaces the value.
pub const OW: KeyFlags = KeyFlags(&["OW", "update"]);
/// Reads and changes the value, as options or operations say.
pub const RW_VARIABLE: KeyFlags = KeyFlags(&["RW", "access", "update", "variable_flags"]);
/// Removes the key.
pub const RM: KeyFlags = KeyFlags(&["RM", "delete"]);

/// Where keys begin.
#[derive(Clone, Copy, Debug)]
pub enum Begin {
    /// At an argument.
    Index(usize),
    /// At the key argument of MIGRATE, unless the keys follow its word KEYS instead.
    MigrateKey,
    /// Behind the word KEYS of MIGRATE. COMMAND reports the search from the end that Redis reports, but a key or a
    /// password may be that word, too.
    MigrateKeys,
    /// Behind a word, which is searched from an argument on; a negative start counts from the end, backwards.
    Keyword(&'static str, i32),
}

impl Begin {
    /// Returns the argument at which keys begin, as COMMAND reports it; `None` if a word is searched.
    pub fn index(self) -> Option<usize> {
        match self {
            Begin::Index(at) => Some(at),
            Begin::MigrateKey => Some(MIGRATE_KEY),
            Begin::Keyword(..) | Begin::MigrateKeys => None,
        }
    }

    /// Returns the word that is searched and where the search starts, as COMMAND reports them; `None` if none is.
    pub fn keyword(self) -> Option<(&'static str, i32)> {
        match self {
            Begin::Keyword(word, from) => Some((word, from)),
            Begin::MigrateKeys => Some(("KEYS", -2)),
            Begin::Index(_) | Begin::MigrateKey => None,
        }
    }
}

/// Which arguments from the beginning on are keys.
#[derive(Clone, Copy, Debug)]
pub enum Find {
    /// Up to `last`, counted from the beginning, or from the end if it is negative; every `step`-th. If `last` is -1
    /// and `limit` is above 1, only the first part of so many is.
    Range {
        /// The last key.
        last: i32,
        /// The distance between keys.
        step: usize,
        /// The divisor of what is left.
        limit: usize,
    },
    /// The argument at `count` says how many; they begin at `first`. Both are counted from the beginning.
    Count {
        /// Where the number of keys is.
        count: usize,
        /// Where the first key is.
        first: usize,
        /// The distance between keys.
        step: usize,
    },
}

/// Keys among the arguments.
#[derive(Clone, Copy, Debug)]
pub struct KeySpec {
    /// What is done to them.
    pub flags: KeyFlags,
    /// Where they begin.
    pub begin: Begin,
    /// Which they are.
    pub find: Find,
}

/// Returns the specification of one key.
pub const fn one(at: usize, flags: KeyFlags) -> KeySpec {
    KeySpec { flags, begin: Begin::Index(at), find: Find::Range { last: 0, step: 1, limit: 0 } }
}

/// Returns the specification of keys up to `last` (negative: from the end), every `step`-th.
pub const fn range(first: usize, last: i32, step: usize, flags: KeyFlags) -> KeySpec {
    KeySpec { flags, begin: Begin::Index(first), find: Find::Range { last, step, limit: 0 } }
}

/// Returns the specification of keys whose number is the argument at `count`; they follow it.
pub const fn counted(count: usize, flags: KeyFlags) -> KeySpec {
    let find = Find::Count { count: 0, first: 1, step: 1 };
    KeySpec { flags, begin: Begin::Index(count), find }
}

/// Returns the specification of one key that follows a word, which is searched from `from` on.
pub const fn after(word: &'static str, from: i32, flags: KeyFlags) -> KeySpec {
    let find = Find::Range { last: 0, step: 1, limit: 0 };
    KeySpec { flags, begin: Begin::Keyword(word, from), find }
}

/// Returns the specifications of the keys of MIGRATE: one key, or all that follow the word KEYS.
pub const fn migrate() -> [KeySpec; 2] {
    let key = Find::Range { last: 0, step: 1, limit: 0 };
    let keys = Find::Range { last: -1, step: 1, limit: 0 };
    [
        KeySpec { flags: RW_POP, begin: Begin::MigrateKey, find: key },
        KeySpec { flags: RW_POP_INCOMPLETE, begin: Begin::MigrateKeys, find: keys },
    ]
}

/// Returns the specification of the first half of what follows a word.
pub const fn half_after(word: &'static str, from: i32, flags: KeyFlags) -> KeySpec {
    let find = Find::Range { last: -1, step: 1, limit: 2 };
    KeySpec { flags, begin: Begin::Keyword(word, from), find }
}

impl KeySpec {
    /// Appends the positions of keys. Arguments that do not fit the specification yield none; the handler finds what is
    /// wrong with them.
    pub fn positions(&self, args: Args<'_>, out: &mut Positions) {
        let Some(begin) = self.begin_of(args) else { return };
        let (first, last, step) = match self.find {
            Find::Range { last, step, limit } => (begin, last_of(args, begin, last, limit), step),
            Find::Count { count, first, step } => {
                let number = args.get(begin + count).and_then(integer::parse);
                let Some(number) = number.and_then(|n| usize::try_from(n).ok()) else { return };
                if number == 0 || number > args.len() {
                    return;
                }
                (begin + first, begin + first + (number - 1) * step, step)
            }
        };
        if last == first && last < args.len() {
            out.push(first);
        } else if last < args.len() {
            out.extend((first..=last).step_by(step.max(1)));
        }
    }

    fn begin_of(&self, args: Args<'_>) -> Option<usize> {
        match self.begin {
            Begin::Index(at) => (at < args.len()).then_some(at),
            Begin::MigrateKey => {
                let key = args.get(MIGRATE_KEY)?;
                // With both, the handler refuses the command.
                (!key.is_empty() || migrate_keyword(args).is_none()).then_some(MIGRATE_KEY)
            }
            Begin::MigrateKeys => {
                let first = migrate_keyword(args)? + 1;
                (first < args.len()).then_some(first)
            }
            Begin::Keyword(word, from) if from >= 0 => {
                let found = (from as usize..args.len()).find(|at| is(args.at(*at), word))?;
                (found + 1 < args.len()).then_some(found + 1)
            }
            Begin::Keyword(word, from) => {
                let start = args.len().checked_sub(from.unsigned_abs() as usize)?;
                let found = (1..=start).rev().find(|at| is(args.at(*at), word))?;
                (found + 1 < args.len()).then_some(found + 1)
            }
        }
    }
}

/// The position of MIGRATE's key argument.
pub const MIGRATE_KEY: usize = 3;
/// The position of MIGRATE's first option.
pub const MIGRATE_OPTIONS: usize = 6;

/// Returns how many operands an option of MIGRATE has.
pub fn migrate_operands(option: &[u8]) -> usize {
    match () {
        () if is(option, "auth") => 1,
        () if is(option, "auth2") => 2,
        () => 0,
    }
}

/// Returns the position of the word KEYS among the options of MIGRATE.
fn migrate_keyword(args: Args<'_>) -> Option<usize> {
    let mut options = args.options(MIGRATE_OPTIONS);
    while let Some(option) = options.next() {
        if is(option, "keys") {
            return Some(options.position() - 1);
        }
        (0..migrate_operands(option)).for_each(|_| _ = options.next());
    }
    None
}

/// Returns the position of the last key of a range.
fn last_of(args: Args<'_>, begin: usize, last: i32, limit: usize) -> usize {
    match usize::try_from(last) {
        Ok(last) => begin + last,
        Err(_) if limit <= 1 => args.len().saturating_sub(last.unsigned_abs() as usize),
        Err(_) => (begin + (args.len() - begin) / limit).saturating_sub(1),
    }
}

#[cfg(test)]
#[path = "keyspec_test.rs"]
mod tests;
