//! Selectors: commands together with the keys and channels for which they are allowed.

use super::commands::CommandSet;
use super::describe;
use super::patterns::{ChannelPatterns, KeyPatterns};
use super::refusal::Refusal;
use crate::resp::split_words;

/// Commands, keys and channels. A user may run a command if one selector allows all of it.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Selector {
    /// The commands.
    pub commands: CommandSet,
    /// The keys.
    pub keys: KeyPatterns,
    /// The channels.
    pub channels: ChannelPatterns,
}

impl Selector {
    /// Returns a selector that allows nothing, or only all channels, as `acl-pubsub-default` says.
    pub fn new(all_channels: bool) -> Selector {
        let (keys, mut channels) = (KeyPatterns::default(), ChannelPatterns::default());
        channels.set_all(all_channels);
        Selector { commands: CommandSet::none(), keys, channels }
    }

    /// Returns the selector of a rule in parentheses.
    ///
    /// # Errors
    ///
    /// A rule in the parentheses is not valid.
    pub fn parse(rules: &[u8], all_channels: bool) -> Result<Selector, Refusal> {
        let mut selector = Selector::new(all_channels);
        for rule in split_words(rules).ok_or(Refusal::Syntax)? {
            selector.apply(&rule)?;
        }
        Ok(selector)
    }

    /// Applies a rule.
    ///
    /// # Errors
    ///
    /// The rule is not valid.
    pub fn apply(&mut self, rule: &[u8]) -> Result<(), Refusal> {
        match &*rule.to_ascii_lowercase() {
            b"allkeys" | b"~*" => self.keys.set_all(true),
            b"resetkeys" => self.keys.set_all(false),
            b"allchannels" | b"&*" => self.channels.set_all(true),
            b"resetchannels" => self.channels.set_all(false),
            b"allcommands" | b"+@all" => self.commands.set_all(true),
            b"nocommands" | b"-@all" => self.commands.set_all(false),
            [b'~' | b'%', ..] => return self.keys.apply(rule),
            [b'&', ..] => return self.channels.apply(rule),
            _ => return self.commands.apply(rule),
        }
        Ok(())
    }

    /// Returns whether everything is allowed.
    pub fn is_unlimited(&self) -> bool {
        self.keys.is_all() && self.channels.is_all() && self.commands.is_all()
    }

    /// Returns the rules about commands, separated by spaces.
    pub fn describe_commands(&self) -> Vec<u8> {
        describe::rules(&self.commands)
    }

    /// Returns all rules, separated by spaces. Applied to a new selector they make this one.
    pub fn describe(&self) -> Vec<u8> {
        let channels = self.channels.describe();
        let reset: &[u8] = if self.channels.is_all() { b"" } else { b"resetchannels" };
        let parts = [&self.keys.describe(), reset, &channels, &self.describe_commands()];
        parts.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join(&b' ')
    }
}
