//! A user as a value: whether it is on, its passwords and its selectors.

use super::password::PasswordHash;
use super::refusal::Refusal;
use super::selector::Selector;
use std::collections::BTreeMap;

/// Whether payloads of RESTORE are checked. The server always checks them; the word is kept for tools that read it.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
enum Sanitizing {
    Unsaid,
    Skip,
    Check,
}

/// What a user may do, and how it authenticates.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct User {
    is_on: bool,
    takes_any_password: bool,
    sanitizing: Sanitizing,
    passwords: Vec<PasswordHash>,
    /// What is allowed by the rules outside of parentheses.
    root: Selector,
    /// What is allowed by rules in parentheses.
    selectors: Vec<Selector>,
}

impl User {
    /// Returns a user that cannot authenticate and may do nothing. `all_channels` is `acl-pubsub-default`.
    pub fn new(all_channels: bool) -> User {
        User {
            is_on: false,
            takes_any_password: false,
            sanitizing: Sanitizing::Unsaid,
            passwords: Vec::new(),
            root: Selector::new(all_channels),
            selectors: Vec::new(),
        }
    }

    /// Returns a user that authenticates with any password and may do everything.
    pub fn unlimited() -> User {
        let mut user = User::new(true);
        user.root.commands.set_all(true);
        user.root.keys.set_all(true);
        (user.is_on, user.takes_any_password) = (true, true);
        user
    }

    /// Applies a rule. An empty one changes nothing.
    ///
    /// # Errors
    ///
    /// The rule is not valid.
    pub fn apply(&mut self, rule: &[u8], all_channels: bool) -> Result<(), Refusal> {
        match &*rule.to_ascii_lowercase() {
            b"" => {}
            b"on" => self.is_on = true,
            b"off" => self.is_on = false,
            b"skip-sanitize-payload" => self.sanitizing = Sanitizing::Skip,
            b"sanitize-payload" => self.sanitizing = Sanitizing::Check,
            b"nopass" => self.set_passwords(true),
            b"resetpass" => self.set_passwords(false),
            b"clearselectors" => self.selectors.clear(),
            b"reset" => {
                *self = User::new(all_channels);
                self.sanitizing = Sanitizing::Check;
            }
            [b'>' | b'#' | b'<' | b'!', ..] => return self.apply_password(rule),
            [b'(', .., b')'] => {
                let inner = rule.get(1..rule.len() - 1).unwrap_or_default();
                self.selectors.push(Selector::parse(inner, all_channels)?);
            }
            _ => return self.root.apply(rule),
        }
        Ok(())
    }

    fn set_passwords(&mut self, takes_any: bool) {
        self.takes_any_password = takes_any;
        self.passwords.clear();
    }

    /// Returns the default user with all rights and the password of `requirepass`.
    pub fn of_password(password: &str) -> User {
        let mut user = User::unlimited();
        user.replace_passwords(password);
        user
    }

    /// Replaces all passwords by that of `requirepass`. If that is empty, any password is taken.
    pub fn replace_passwords(&mut self, password: &str) {
        self.set_passwords(password.is_empty());
        self.passwords
            .extend((!password.is_empty()).then(|| PasswordHash::of(password.as_bytes())));
    }

    /// Adds or removes a password.
    fn apply_password(&mut self, rule: &[u8]) -> Result<(), Refusal> {
        let (kind, text) = rule.split_first().ok_or(Refusal::Syntax)?;
        let hash = match kind {
            b'>' | b'<' => PasswordHash::of(text),
            _ => PasswordHash::parse(text)?,
        };
        let found = self.passwords.iter().position(|other| *other == hash);
        match (kind, found) {
            (b'>' | b'#', found) => {
                self.takes_any_password = false;
                if found.is_none() {
                    self.passwords.push(hash);
                }
            }
            (_, Some(at)) => {
                self.passwords.remove(at);
            }
            (_, None) => return Err(Refusal::NoSuchPassword),
        }
        Ok(())
    }

    /// Returns whether a client that gives this password may be the user.
    pub fn accepts(&self, password: &[u8]) -> bool {
        if !self.is_on || self.takes_any_password {
            return self.is_on;
        }
        let hash = PasswordHash::of(password);
        self.passwords.iter().fold(false, |found, other| found | other.is_same(&hash))
    }

    /// Returns whether clients are this user without a password.
    pub fn needs_no_password(&self) -> bool {
        self.is_on && self.takes_any_password
    }

    /// Returns whether AUTH takes any password.
    pub fn takes_any_password(&self) -> bool {
        self.takes_any_password
    }

    /// Returns the hashes of the passwords.
    pub fn passwords(&self) -> impl ExactSizeIterator<Item = &str> {
        self.passwords.iter().map(PasswordHash::hex)
    }

    /// Returns the selector of the rules outside of parentheses.
    pub fn root(&self) -> &Selector {
        &self.root
    }

    /// Returns the selectors of rules in parentheses.
    pub fn more_selectors(&self) -> &[Selector] {
        &self.selectors
    }

    /// Returns all selectors, the root first.
    pub fn selectors(&self) -> impl Iterator<Item = &Selector> {
        std::iter::once(&self.root).chain(&self.selectors)
    }

    /// Returns whether everything is allowed.
    pub fn is_unlimited(&self) -> bool {
        self.selectors().any(Selector::is_unlimited)
    }

    /// Returns whether a channel may be used. `is_pattern` is set for a pattern of PSUBSCRIBE.
    pub fn allows_channel(&self, channel: &[u8], is_pattern: bool) -> bool {
        self.selectors().any(|selector| selector.channels.allow(channel, is_pattern))
    }

    /// Returns the words that describe the state apart from passwords and selectors.
    pub fn flags(&self) -> Vec<&'static str> {
        let mut flags = vec![if self.is_on { "on" } else { "off" }];
        flags.extend(self.takes_any_password.then_some("nopass"));
        match self.sanitizing {
            Sanitizing::Unsaid => {}
            Sanitizing::Skip => flags.push("skip-sanitize-payload"),
            Sanitizing::Check => flags.push("sanitize-payload"),
        }
        flags
    }

    /// Returns all rules, separated by spaces. Applied to a new user they make this one.
    pub fn describe(&self) -> Vec<u8> {
        let mut parts: Vec<Vec<u8>> =
            self.flags().iter().map(|flag| flag.as_bytes().to_vec()).collect();
        parts.extend(self.passwords().map(|hash| format!("#{hash}").into_bytes()));
        parts.push(self.root.describe());
        parts.extend(self.selectors.iter().map(|it| [b"(", &it.describe()[..], b")"].concat()));
        parts.join(&b' ')
    }
}

/// Users by name.
pub type UserMap = BTreeMap<Vec<u8>, User>;

/// Joins rules that stand between parentheses into one.
///
/// # Errors
///
/// Returns the rule with a parenthesis that is not closed.
pub fn merge_rules<'a>(rules: &[&'a [u8]]) -> Result<Vec<Vec<u8>>, &'a [u8]> {
    let mut merged = Vec::new();
    let mut open: Option<(&[u8], Vec<u8>)> = None;
    for rule in rules {
        match &mut open {
            Some((_, selector)) => {
                selector.push(b' ');
                selector.extend_from_slice(rule);
                if rule.ends_with(b")") {
                    merged.extend(open.take().map(|(_, selector)| selector));
                }
            }
            None if rule.starts_with(b"(") && !rule.ends_with(b")") => {
                open = Some((rule, rule.to_vec()));
            }
            None => merged.push(rule.to_vec()),
        }
    }
    open.map_or(Ok(merged), |(start, _)| Err(start))
}

#[cfg(test)]
#[path = "user_test.rs"]
mod tests;
