//! Filters of keys, and the checks of CHECK_AND_SET and CHECK_AND_MUTATE.

use super::number;
use memchr::memmem;
use std::cmp::Ordering;

/// How keys are filtered.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FilterKind {
    /// Not at all.
    None,
    /// The pattern occurs anywhere.
    Anywhere,
    /// The key begins with the pattern.
    Prefix,
    /// The key ends with the pattern.
    Postfix,
}

/// A filter of hash keys or sort keys.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Filter {
    kind: FilterKind,
    pattern: Vec<u8>,
}

impl Filter {
    /// Returns the filter with a number of the protocol; `None` if the number is unknown.
    pub fn new(kind: i32, pattern: &[u8]) -> Option<Filter> {
        let kind = match kind {
            0 => FilterKind::None,
            1 => FilterKind::Anywhere,
            2 => FilterKind::Prefix,
            3 => FilterKind::Postfix,
            _ => return None,
        };
        Some(Filter { kind, pattern: pattern.to_vec() })
    }

    /// Returns whether the filter lets a key pass. An empty pattern lets every key pass.
    pub fn matches(&self, key: &[u8]) -> bool {
        match self.kind {
            FilterKind::None => true,
            kind => contains(kind, key, &self.pattern),
        }
    }

    /// Returns the prefix that all matching keys have, if it is not empty.
    pub fn prefix(&self) -> Option<&[u8]> {
        let is_prefix = self.kind == FilterKind::Prefix && !self.pattern.is_empty();
        is_prefix.then_some(&self.pattern)
    }
}

/// Returns whether `bytes` contain `pattern` at the place that `kind` says.
fn contains(kind: FilterKind, bytes: &[u8], pattern: &[u8]) -> bool {
    match kind {
        FilterKind::None => true,
        FilterKind::Anywhere => memmem::find(bytes, pattern).is_some(),
        FilterKind::Prefix => bytes.starts_with(pattern),
        FilterKind::Postfix => bytes.ends_with(pattern),
    }
}

/// A relation between a value and the operand.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Relation {
    /// <
    Less,
    /// <=
    LessOrEqual,
    /// ==
    Equal,
    /// >=
    GreaterOrEqual,
    /// >
    Greater,
}

impl Relation {
    const ALL: [Relation; 5] = [
        Relation::Less,
        Relation::LessOrEqual,
        Relation::Equal,
        Relation::GreaterOrEqual,
        Relation::Greater,
    ];

    fn holds(self, order: Ordering) -> bool {
        match self {
            Relation::Less => order.is_lt(),
            Relation::LessOrEqual => order.is_le(),
            Relation::Equal => order.is_eq(),
            Relation::GreaterOrEqual => order.is_ge(),
            Relation::Greater => order.is_gt(),
        }
    }
}

/// What is checked of a row before a change.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Check {
    /// Nothing.
    None,
    /// The row is absent.
    NotExist,
    /// The row is absent or its value is empty.
    NotExistOrEmpty,
    /// The row exists.
    Exist,
    /// The row exists and its value is not empty.
    NotEmpty,
    /// The value contains the operand.
    Match(FilterKind),
    /// The value compares to the operand as bytes.
    Bytes(Relation),
    /// The value compares to the operand as an integer.
    Int(Relation),
}

/// What a check found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verdict {
    /// The change may be made.
    Passed,
    /// The change may not be made.
    Failed,
    /// The value or the operand is not an integer.
    NotAnInteger,
}

impl Check {
    /// Returns the check with a number of the protocol; `None` if the number is unknown.
    pub fn new(number: i32) -> Option<Check> {
        let relation = |at: i32| Relation::ALL.get(usize::try_from(at).ok()?).copied();
        match number {
            0 => Some(Check::None),
            1 => Some(Check::NotExist),
            2 => Some(Check::NotExistOrEmpty),
            3 => Some(Check::Exist),
            4 => Some(Check::NotEmpty),
            5 => Some(Check::Match(FilterKind::Anywhere)),
            6 => Some(Check::Match(FilterKind::Prefix)),
            7 => Some(Check::Match(FilterKind::Postfix)),
            8..=12 => relation(number - 8).map(Check::Bytes),
            13..=17 => relation(number - 13).map(Check::Int),
            _ => None,
        }
    }

    /// Checks a row's value, `None` if the row is absent or expired.
    pub fn run(self, value: Option<&[u8]>, operand: &[u8]) -> Verdict {
        let passed = match (self, value) {
            (Check::None, _) => true,
            (Check::NotExist, value) => value.is_none(),
            (Check::NotExistOrEmpty, value) => value.is_none_or(<[u8]>::is_empty),
            (_, None) => false,
            (Check::Exist, Some(_)) => true,
            (Check::NotEmpty, Some(value)) => !value.is_empty(),
            (Check::Match(kind), Some(value)) => contains(kind, value, operand),
            (Check::Bytes(relation), Some(value)) => relation.holds(value.cmp(operand)),
            (Check::Int(relation), Some(value)) => {
                let (Some(value), Some(operand)) = (number::parse(value), number::parse(operand))
                else {
                    return Verdict::NotAnInteger;
                };
                relation.holds(value.cmp(&operand))
            }
        };
        if passed { Verdict::Passed } else { Verdict::Failed }
    }
}

#[cfg(test)]
#[path = "check_test.rs"]
mod tests;
