//! The description of a command.

use super::args::Args;
use super::context::Context;
use super::execute::Control;
use super::failure::Done;
use super::keyspec::{KeySpec, Positions};
use std::ops::BitOr;

/// What a handler is: reads rows, replies and collects writes.
pub type Handler = fn(&mut Context<'_>, Args<'_>) -> Done;

/// How a command is run.
#[derive(Clone, Copy)]
pub enum Run {
    /// By a handler, under the latches of its keys.
    Handler(Handler),
    /// By a function that controls the evaluation of others: MULTI, EXEC, WATCH.
    Control(Control),
    /// It has subcommands only.
    Container,
}

/// Properties of a command. Those up to [`ASKING`] are Redis's.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub struct Flags(pub u32);

impl Flags {
    /// Returns whether all of these properties are set.
    pub const fn has(self, other: Flags) -> bool {
        self.0 & other.0 == other.0
    }

    /// Returns both.
    pub const fn and(self, other: Flags) -> Flags {
        Flags(self.0 | other.0)
    }
}

impl BitOr for Flags {
    type Output = Flags;

    fn bitor(self, other: Flags) -> Flags {
        self.and(other)
    }
}

/// No property.
pub const NONE: Flags = Flags(0);
/// May write.
pub const WRITE: Flags = Flags(1);
/// Only reads.
pub const READONLY: Flags = Flags(1 << 1);
/// Needs memory.
pub const DENYOOM: Flags = Flags(1 << 2);
/// For administrators.
pub const ADMIN: Flags = Flags(1 << 3);
/// Of pub/sub.
pub const PUBSUB: Flags = Flags(1 << 4);
/// Not in scripts.
pub const NOSCRIPT: Flags = Flags(1 << 5);
/// May block the client.
pub const BLOCKING: Flags = Flags(1 << 6);
/// While loading.
pub const LOADING: Flags = Flags(1 << 7);
/// With stale data.
pub const STALE: Flags = Flags(1 << 8);
/// In constant or logarithmic time.
pub const FAST: Flags = Flags(1 << 9);
/// Before authentication.
pub const NO_AUTH: Flags = Flags(1 << 10);
/// Not in transactions.
pub const NO_MULTI: Flags = Flags(1 << 11);
/// May change what replicas have although it does not write, such as PUBLISH.
pub const MAY_REPLICATE: Flags = Flags(1 << 12);
/// Has no mandatory keys.
pub const NO_MANDATORY_KEYS: Flags = Flags(1 << 13);
/// While a script runs too long.
pub const ALLOW_BUSY: Flags = Flags(1 << 14);
/// Not shown by MONITOR.
pub const SKIP_MONITOR: Flags = Flags(1 << 15);
/// Not in the slow log.
pub const SKIP_SLOWLOG: Flags = Flags(1 << 16);

/// Sent by nodes of a cluster that move keys.
pub const ASKING: Flags = Flags(1 << 17);

/// Reads one row of one key, and writes nothing: it needs no latches.
pub const ONE_ROW: Flags = Flags(1 << 24);
/// Reads nothing after its first write, so its writes need no overlay.
pub const READS_FIRST: Flags = Flags(1 << 25);
/// Takes elements away: among clients that block on a key, those behind one that found nothing find nothing.
pub const TAKES: Flags = Flags(1 << 26);
/// Writes keys that it does not name: it needs all latches.
pub const ALL_KEYS: Flags = Flags(1 << 27);
/// In some forms uses keys that it does not name. It then returns `Undeclared` and is evaluated again with all latches.
pub const UNDECLARED: Flags = Flags(1 << 29);
/// Writes, and counts as a reader of its keys: INFO shows whether it found them.
pub const COUNTED: Flags = Flags(1 << 30);
/// May begin anew on a thread of its own, so it is not evaluated as one of a group.
pub const APART: Flags = Flags(1 << 31);
/// Allowed to RESP2 clients that subscribed.
pub const IN_SUBSCRIPTION: Flags = Flags(1 << 28);

/// The group of a command in Redis's documentation.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
#[expect(missing_docs, reason = "Redis's names")]
pub enum Group {
    Bitmap,
    Cluster,
    Connection,
    Generic,
    Geo,
    Hash,
    HyperLogLog,
    List,
    Pubsub,
    Scripting,
    Server,
    Set,
    SortedSet,
    Stream,
    String,
    Transactions,
}

impl Group {
    /// Returns the name in COMMAND DOCS.
    pub fn name(self) -> &'static str {
        match self {
            Group::Bitmap => "bitmap",
            Group::Cluster => "cluster",
            Group::Connection => "connection",
            Group::Generic => "generic",
            Group::Geo => "geo",
            Group::Hash => "hash",
            Group::HyperLogLog => "hyperloglog",
            Group::List => "list",
            Group::Pubsub => "pubsub",
            Group::Scripting => "scripting",
            Group::Server => "server",
            Group::Set => "set",
            Group::SortedSet => "sorted-set",
            Group::Stream => "stream",
            Group::String => "string",
            Group::Transactions => "transactions",
        }
    }
}

/// A command or a subcommand.
#[derive(Clone, Copy)]
pub struct Command {
    /// Numbers all commands and subcommands; the table sets it.
    pub id: u16,
    /// The name in lower case. Subcommands have their own name only: `get` of `config`.
    pub name: &'static str,
    /// The name in errors and lists, such as `config|get`.
    pub full_name: &'static str,
    /// The number of arguments, the name included (and the container's); at least so many if it is negative.
    pub arity: i32,
    /// Properties.
    pub flags: Flags,
    /// Which arguments are keys.
    pub keys: &'static [KeySpec],
    /// The group.
    pub group: Group,
    /// The first version of Redis that had it.
    pub since: &'static str,
    /// What it does, in one sentence.
    pub summary: &'static str,
    /// How it is run.
    pub run: Run,
    /// Its subcommands.
    pub subcommands: &'static [Command],
}

impl Command {
    /// Returns the description of a command without keys. `with_keys` and the other functions complete it.
    pub const fn new(
        name: &'static str,
        arity: i32,
        flags: Flags,
        group: Group,
        run: Handler,
    ) -> Command {
        Command {
            id: 0,
            name,
            full_name: name,
            arity,
            flags,
            keys: &[],
            group,
            since: "1.0.0",
            summary: "",
            run: Run::Handler(run),
            subcommands: &[],
        }
    }

    /// Returns the description of a command that controls others.
    pub const fn control(
        name: &'static str,
        arity: i32,
        flags: Flags,
        group: Group,
        run: Control,
    ) -> Command {
        let mut command = Command::new(name, arity, flags, group, |_, _| Ok(()));
        command.run = Run::Control(run);
        command
    }

    /// Returns the description of a command that has subcommands only.
    pub const fn container(
        name: &'static str,
        group: Group,
        subcommands: &'static [Command],
    ) -> Command {
        let mut command = Command::new(name, -2, NONE, group, |_, _| Ok(()));
        command.run = Run::Container;
        command.subcommands = subcommands;
        command
    }

    /// Adds subcommands to a command that also runs without one.
    pub const fn with_subcommands(mut self, subcommands: &'static [Command]) -> Command {
        self.subcommands = subcommands;
        self
    }

    /// Sets which arguments are keys.
    pub const fn with_keys(mut self, keys: &'static [KeySpec]) -> Command {
        self.keys = keys;
        self
    }

    /// Sets what COMMAND DOCS says.
    pub const fn with_docs(mut self, since: &'static str, summary: &'static str) -> Command {
        self.since = since;
        self.summary = summary;
        self
    }

    /// Sets the full name of a subcommand, such as `config|get`.
    pub const fn with_full_name(mut self, full_name: &'static str) -> Command {
        self.full_name = full_name;
        self
    }

    /// Returns whether so many arguments are allowed.
    pub fn allows(&self, count: usize) -> bool {
        match usize::try_from(self.arity) {
            Ok(arity) => count == arity,
            Err(_) => count >= self.arity.unsigned_abs() as usize,
        }
    }

    /// Returns the positions of keys among the arguments.
    pub fn key_positions(&self, args: Args<'_>) -> Positions {
        let mut positions = Positions::new();
        self.keys.iter().for_each(|spec| spec.positions(args, &mut positions));
        positions
    }

    /// Returns whether the command, or a command that its script calls, may write rows.
    pub fn may_write(&self) -> bool {
        self.is_write() || (self.group == Group::Scripting && self.flags.has(MAY_REPLICATE))
    }

    /// Returns whether all look-ups of its keys count in INFO. A command that uses keys without naming them counts by
    /// itself.
    #[inline]
    pub fn counts_lookups(&self) -> bool {
        let reads = self.flags.has(READONLY) && !self.flags.has(UNDECLARED);
        self.flags.has(COUNTED) || (reads && !self.keys.is_empty())
    }

    /// Returns whether the command may write rows.
    pub fn is_write(&self) -> bool {
        self.flags.has(WRITE)
    }
}
