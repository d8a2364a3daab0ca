//! The part of a user key that hash structures hash, which represents its group.

use super::SliceTransform;
use crate::base::LookupKey;
use crate::base::hash::hash64;
use std::sync::Arc;

/// How keys form groups. Built-in extractors are variants of their own, so that a lookup makes no virtual call.
#[derive(Clone)]
pub(crate) enum Grouping {
    /// Every user key is a group of its own.
    WholeKey,
    /// The first bytes; shorter keys are groups of their own.
    Fixed(usize),
    /// The first bytes; shorter keys are used completely.
    Capped(usize),
    /// The user's extractor; keys outside its domain are groups of their own.
    Custom(Arc<dyn SliceTransform>),
}

impl Grouping {
    /// Returns the grouping for this extractor.
    pub(crate) fn by(extractor: &Arc<dyn SliceTransform>) -> Grouping {
        let number = |family: &str| extractor.name().strip_prefix(family)?.parse().ok();
        if let Some(n) = number("rocksdb.FixedPrefix.") {
            Grouping::Fixed(n)
        } else if let Some(n) = number("rocksdb.CappedPrefix.") {
            Grouping::Capped(n)
        } else if extractor.name() == "rocksdb.Noop" {
            Grouping::WholeKey
        } else {
            Grouping::Custom(Arc::clone(extractor))
        }
    }

    /// Returns the part of `user_key` that is hashed.
    #[inline]
    pub(crate) fn of<'a>(&self, user_key: &'a [u8]) -> &'a [u8] {
        match self {
            Grouping::WholeKey => user_key,
            Grouping::Fixed(n) | Grouping::Capped(n) => user_key.get(..*n).unwrap_or(user_key),
            Grouping::Custom(t) if t.in_domain(user_key) => t.transform(user_key),
            Grouping::Custom(_) => user_key,
        }
    }

    /// Returns the [`hash64`] of that part.
    #[inline]
    pub(crate) fn hash(&self, key: &LookupKey) -> u64 {
        match self {
            Grouping::WholeKey => key.hash(),
            Grouping::Fixed(n) | Grouping::Capped(n) if *n >= key.user_key().len() => key.hash(),
            _ => hash64(self.of(key.user_key())),
        }
    }

    /// Returns whether an iterator that seeks `user_key` stays within one prefix.
    #[inline]
    pub(crate) fn has_prefix(&self, user_key: &[u8]) -> bool {
        match self {
            Grouping::WholeKey => false,
            Grouping::Fixed(n) => user_key.len() >= *n,
            Grouping::Capped(_) => true,
            Grouping::Custom(t) => t.in_domain(user_key),
        }
    }
}
