//! A row of the table of parameters.

use super::kind::Kind;

/// A parameter that CONFIG reads and changes.
#[derive(Clone, Copy, Debug)]
pub struct Parameter {
    /// The name in lower case.
    pub name: &'static str,
    /// An older name of the same parameter.
    pub alias: Option<&'static str>,
    /// Which values it takes.
    pub kind: Kind,
    /// The value at the start, unless a flag of the server sets it.
    pub default: &'static str,
    /// Whether only a restart changes it.
    pub is_fixed: bool,
    /// Whether CONFIG SET is refused, unless it sets the present value.
    pub needs_restart: bool,
    /// Whether CONFIG SET is refused although Redis can be told to allow it.
    pub is_protected: bool,
    /// Whether patterns do not find it.
    pub is_hidden: bool,
    /// Whether logs must not show its values.
    pub is_secret: bool,
    /// Whether it names a file, which CONFIG SET reads again although the name is the same.
    pub is_file: bool,
}

impl Parameter {
    /// Returns a parameter that CONFIG SET changes.
    pub const fn new(name: &'static str, kind: Kind, default: &'static str) -> Parameter {
        Parameter {
            name,
            alias: None,
            kind,
            default,
            is_fixed: false,
            needs_restart: false,
            is_protected: false,
            is_hidden: false,
            is_secret: false,
            is_file: false,
        }
    }

    /// Returns whether CONFIG SET may change it.
    pub const fn is_changeable(&self) -> bool {
        !self.is_fixed && !self.needs_restart && !self.is_protected
    }

    /// Adds an older name.
    pub const fn alias(mut self, alias: &'static str) -> Parameter {
        self.alias = Some(alias);
        self
    }

    /// Makes CONFIG SET fail.
    pub const fn fixed(mut self) -> Parameter {
        self.is_fixed = true;
        self
    }

    /// Makes CONFIG SET fail for values other than the present one.
    pub const fn needs_restart(mut self) -> Parameter {
        self.needs_restart = true;
        self
    }

    /// Makes CONFIG SET fail, with the error of protected parameters.
    pub const fn protected(mut self) -> Parameter {
        self.is_protected = true;
        self
    }

    /// Hides it from patterns.
    pub const fn hidden(mut self) -> Parameter {
        self.is_hidden = true;
        self
    }

    /// Makes CONFIG SET act when the value is the present one, too.
    pub const fn file(mut self) -> Parameter {
        self.is_file = true;
        self
    }

    /// Hides its values from logs.
    pub const fn secret(mut self) -> Parameter {
        self.is_secret = true;
        self
    }
}
