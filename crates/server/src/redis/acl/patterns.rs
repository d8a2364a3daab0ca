//! Which keys and channels a selector allows.

use super::commands::has_space;
use super::refusal::Refusal;
use crate::redis::keyspec::KeyFlags;
use crate::text::glob::{self, Case};

/// What a command does with a key, or what a pattern allows to do with it.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub struct Access {
    /// Replies of the value, or copies it.
    pub reads: bool,
    /// Changes, adds or removes the value.
    pub writes: bool,
}

impl Access {
    /// Reads and writes.
    pub const ALL: Access = Access { reads: true, writes: true };
    /// Only reads.
    pub const READ: Access = Access { reads: true, writes: false };
    /// Only writes.
    pub const WRITE: Access = Access { reads: false, writes: true };

    /// Returns what the flags of a key specification stand for.
    pub fn of(flags: KeyFlags) -> Access {
        let has = |name: &str| flags.0.contains(&name);
        Access { reads: has("access"), writes: has("insert") || has("delete") || has("update") }
    }

    /// Returns whether this allows all that `needed` does.
    pub fn covers(self, needed: Access) -> bool {
        (self.reads || !needed.reads) && (self.writes || !needed.writes)
    }
}

/// A pattern of keys with what is allowed for them.
#[derive(Clone, Debug, Eq, PartialEq)]
struct KeyPattern {
    pattern: Vec<u8>,
    access: Access,
}

/// The keys that a selector allows.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub struct KeyPatterns {
    is_all: bool,
    patterns: Vec<KeyPattern>,
}

impl KeyPatterns {
    /// Returns whether all keys are allowed.
    pub fn is_all(&self) -> bool {
        self.is_all
    }

    /// Allows all keys, or none.
    pub fn set_all(&mut self, allows: bool) {
        self.is_all = allows;
        self.patterns.clear();
    }

    /// Returns whether a key may be used in this way.
    pub fn allow(&self, key: &[u8], needed: Access) -> bool {
        self.is_all
            || self.patterns.iter().any(|it| {
                it.access.covers(needed) && glob::matches(&it.pattern, key, Case::Sensitive)
            })
    }

    /// Returns whether every key may be used in this way.
    pub fn allow_every(&self, needed: Access) -> bool {
        self.is_all || self.patterns.iter().any(|it| it.access.covers(needed) && it.pattern == b"*")
    }

    /// Applies a rule that begins with `~` or `%`.
    ///
    /// # Errors
    ///
    /// The rule is not valid.
    pub fn apply(&mut self, rule: &[u8]) -> Result<(), Refusal> {
        if self.is_all {
            return Err(Refusal::KeysAfterAll);
        }
        let (access, pattern) = match rule.split_first() {
            Some((b'~', pattern)) => (Access::ALL, pattern),
            Some((_, rest)) => permissions(rest)?,
            None => return Err(Refusal::Syntax),
        };
        if has_space(pattern) {
            return Err(Refusal::Syntax);
        }
        match self.patterns.iter_mut().find(|it| it.pattern == pattern) {
            Some(it) => {
                it.access.reads |= access.reads;
                it.access.writes |= access.writes;
            }
            None => self.patterns.push(KeyPattern { pattern: pattern.to_vec(), access }),
        }
        Ok(())
    }

    /// Returns the rules, separated by spaces.
    pub fn describe(&self) -> Vec<u8> {
        if self.is_all {
            return b"~*".to_vec();
        }
        let rule = |it: &KeyPattern| {
            let prefix: &[u8] = match it.access {
                Access::READ => b"%R~",
                Access::WRITE => b"%W~",
                _ => b"~",
            };
            [prefix, &it.pattern].concat()
        };
        self.patterns.iter().map(rule).collect::<Vec<_>>().join(&b' ')
    }
}

/// Splits what follows `%`: the letters R and W, each at most once, and a pattern behind `~`.
fn permissions(rule: &[u8]) -> Result<(Access, &[u8]), Refusal> {
    let mut access = Access::default();
    for (at, byte) in rule.iter().enumerate() {
        match byte.to_ascii_uppercase() {
            b'R' if !access.reads => access.reads = true,
            b'W' if !access.writes => access.writes = true,
            // Without a letter the pattern would allow nothing, and could not be written down.
            b'~' if access != Access::default() => {
                return Ok((access, rule.get(at + 1..).unwrap_or_default()));
            }
            _ => break,
        }
    }
    Err(Refusal::Syntax)
}

/// The channels that a selector allows.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub struct ChannelPatterns {
    is_all: bool,
    patterns: Vec<Vec<u8>>,
}

impl ChannelPatterns {
    /// Returns whether all channels are allowed.
    pub fn is_all(&self) -> bool {
        self.is_all
    }

    /// Allows all channels, or none.
    pub fn set_all(&mut self, allows: bool) {
        self.is_all = allows;
        self.patterns.clear();
    }

    /// Returns whether a channel may be used. A pattern of PSUBSCRIBE must be one of the allowed patterns itself.
    pub fn allow(&self, channel: &[u8], is_pattern: bool) -> bool {
        self.is_all
            || self.patterns.iter().any(|allowed| match is_pattern {
                true => allowed == channel,
                false => glob::matches(allowed, channel, Case::Sensitive),
            })
    }

    /// Applies a rule that begins with `&`.
    ///
    /// # Errors
    ///
    /// The rule is not valid.
    pub fn apply(&mut self, rule: &[u8]) -> Result<(), Refusal> {
        if self.is_all {
            return Err(Refusal::ChannelsAfterAll);
        }
        let pattern = rule.get(1..).unwrap_or_default();
        if has_space(pattern) {
            return Err(Refusal::Syntax);
        }
        if !self.patterns.iter().any(|other| other == pattern) {
            self.patterns.push(pattern.to_vec());
        }
        Ok(())
    }

    /// Returns the rules, separated by spaces.
    pub fn describe(&self) -> Vec<u8> {
        if self.is_all {
            return b"&*".to_vec();
        }
        let rules = self.patterns.iter().map(|pattern| [b"&", &pattern[..]].concat());
        rules.collect::<Vec<_>>().join(&b' ')
    }
}
