//! The flags of scripts and functions.

/// A set of flags.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub struct Flags(u8);

impl Flags {
    /// The script does not write.
    pub const NO_WRITES: Flags = Flags(1);
    /// The script may write when memory is short.
    pub const ALLOW_OOM: Flags = Flags(2);
    /// The script may run on a replica that has lost its leader.
    pub const ALLOW_STALE: Flags = Flags(4);
    /// The script does not run in a cluster.
    pub const NO_CLUSTER: Flags = Flags(8);
    /// The script may use keys of several slots.
    pub const ALLOW_CROSS_SLOT_KEYS: Flags = Flags(16);
    /// The script has no shebang line. The flags of its commands decide, not those of the script.
    pub const COMPATIBLE: Flags = Flags(128);

    /// The flags that scripts name, in the order in which FUNCTION LIST shows them.
    const NAMES: [(Flags, &'static str); 5] = [
        (Flags::NO_WRITES, "no-writes"),
        (Flags::ALLOW_OOM, "allow-oom"),
        (Flags::ALLOW_STALE, "allow-stale"),
        (Flags::NO_CLUSTER, "no-cluster"),
        (Flags::ALLOW_CROSS_SLOT_KEYS, "allow-cross-slot-keys"),
    ];

    /// Returns the flag of a name.
    pub fn of_name(name: &[u8]) -> Option<Flags> {
        Flags::NAMES.iter().find(|(_, known)| known.as_bytes() == name).map(|(flag, _)| *flag)
    }

    /// Returns whether all flags of another set are in this one.
    pub fn contains(self, other: Flags) -> bool {
        self.0 & other.0 == other.0
    }

    /// Adds the flags of another set.
    pub fn insert(&mut self, other: Flags) {
        self.0 |= other.0;
    }

    /// Returns the names of the flags.
    pub fn names(self) -> impl Iterator<Item = &'static str> {
        Flags::NAMES.into_iter().filter(move |(flag, _)| self.contains(*flag)).map(|(_, name)| name)
    }
}
