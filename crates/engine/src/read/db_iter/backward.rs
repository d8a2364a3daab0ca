//! Backward iteration: keys from last to first, and the entries of each key from oldest to newest.
//!
//! The newest visible entry is known only when `inner` has moved past it, so key and value are copied (D2 of
//! `db_iter`).

use super::counts::IterCounts;
use super::{BEFORE_ALL, DbIter, has_other_prefix, set, set_target, too_many_skipped};
use crate::base::InternalIterator;
use crate::base::ValueType;
use crate::base::key::seek_trailer;
use crate::base::perf::{self, PerfMetric};
use crate::error::Result;
use crate::iter::merge_helper::{
    Collected, counted_merge, short_key, split, unknown_type, unsupported_entry,
};

/// The base value of a key, according to the entries read so far.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Base {
    /// No entry is visible, or the newest one below the operands is a tombstone.
    None,
    /// The base value is in `value`.
    Value,
}

impl DbIter {
    /// Finds the last visible key, moving backward from the position of `inner`.
    pub(super) fn find_prev(&mut self) {
        self.valid = false;
        while self.inner.valid() {
            let stored = self.inner.key();
            let Some((user_key, _)) = split(stored) else { return self.fail(short_key(stored)) };
            let below = |lower: &Vec<u8>| self.order.compare_user(user_key, lower).is_lt();
            let prefix = (self.start_prefix, &self.prefix_extractor, &self.prefix[..]);
            if self.lower.as_ref().is_some_and(below) || has_other_prefix(prefix, user_key) {
                return;
            }
            self.key.set(user_key);
            match self.find_value_of_key() {
                Ok(found) => self.valid = found,
                Err(e) => return self.fail(e),
            }
            if let Err(e) = self.go_before_key() {
                return self.fail(e);
            }
            if self.valid {
                self.value_is_ours = true;
                return;
            }
        }
        self.stop_with_inner();
    }

    /// Moves `inner` to the last entry before all entries of `key`.
    pub(super) fn seek_before_key(&mut self) {
        set_target(&mut self.target, &self.key, BEFORE_ALL);
        self.seek_inner_back();
    }

    /// Moves `inner` to the last entry at or before `target`. Entries before the lower bound may be missing if prefix
    /// filters may be asked.
    pub(super) fn seek_inner_back(&mut self) {
        match &self.lower {
            Some(lower) if self.within_one_prefix => {
                self.inner.seek_for_prev_within(&self.target, lower);
            }
            _ => self.inner.seek_for_prev(&self.target),
        }
    }

    /// Reads the entries of `key` from the oldest one, where `inner` is, to the newest visible one. Leaves the
    /// resulting value in `value`. Returns false if the key is deleted or not visible.
    fn find_value_of_key(&mut self) -> Result<bool> {
        self.keep_value();
        self.operands.clear();
        let mut base = Base::None;
        let mut read = 0;
        while self.inner.valid() {
            let stored = self.inner.key();
            let (user_key, trailer) = split(stored).ok_or_else(|| short_key(stored))?;
            if trailer >> 8 > self.seq || !self.order.equal_user(user_key, &self.key) {
                break;
            }
            self.count_one()?;
            if read > self.max_sequential_skip {
                return self.seek_value_of_key();
            }
            read += 1;
            match ValueType::from_byte(trailer as u8) {
                Some(ValueType::Value) => {
                    self.operands.clear();
                    set(&mut self.value, self.inner.value());
                    base = Base::Value;
                }
                Some(ValueType::Deletion | ValueType::SingleDeletion) => {
                    self.operands.clear();
                    base = Base::None;
                }
                Some(ValueType::Merge) => {
                    perf::count(PerfMetric::InternalMergeCount, 1);
                    self.operands.push(self.inner.value());
                }
                Some(other) => return Err(unsupported_entry(other)),
                None => return Err(unknown_type(trailer)),
            }
            self.inner.prev();
        }
        if !self.inner.valid() {
            // A newer entry may be behind the error.
            self.inner.status()?;
        }
        if self.operands.len() == 0 {
            return Ok(base == Base::Value);
        }
        let operator = self.merge_operator.as_deref().ok_or_else(super::no_merge_operator)?;
        let value = (base == Base::Value).then_some(&self.value[..]);
        let stats = self.counts.as_deref().map(IterCounts::statistics);
        let merged = counted_merge(stats, self.operands.len(), || {
            self.operands.full_merge(operator, &self.key, value, Collected::OldestFirst)
        })?;
        self.value = merged;
        Ok(true)
    }

    /// Does the same by seeking the newest visible entry, because the key has many entries.
    #[cold]
    fn seek_value_of_key(&mut self) -> Result<bool> {
        set_target(&mut self.target, &self.key, seek_trailer(self.seq));
        self.count_reseek();
        self.inner.seek(&self.target);
        self.inner.status()?;
        let mut found = false;
        if self.inner.valid() {
            let stored = self.inner.key();
            let (user_key, trailer) = split(stored).ok_or_else(|| short_key(stored))?;
            if self.order.equal_user(user_key, &self.key) {
                found = match ValueType::from_byte(trailer as u8) {
                    Some(ValueType::Value) => {
                        set(&mut self.value, self.inner.value());
                        true
                    }
                    Some(ValueType::Deletion | ValueType::SingleDeletion) => false,
                    Some(ValueType::Merge) => {
                        self.value = self.try_fold_from_here()?;
                        true
                    }
                    Some(other) => return Err(unsupported_entry(other)),
                    None => return Err(unknown_type(trailer)),
                };
            }
        }
        self.seek_before_key();
        Ok(found)
    }

    /// Moves past the entries of `key` that are too new.
    fn go_before_key(&mut self) -> Result<()> {
        let mut stepped = 0;
        while self.inner.valid() {
            let stored = self.inner.key();
            let (user_key, _) = split(stored).ok_or_else(|| short_key(stored))?;
            if !self.order.equal_user(user_key, &self.key) {
                break;
            }
            self.count_one()?;
            if stepped > self.max_sequential_skip {
                self.seek_before_key();
                break;
            }
            stepped += 1;
            self.inner.prev();
        }
        Ok(())
    }

    /// Counts an entry. Returns `Incomplete` after more than `max_skippable_internal_keys` entries.
    #[inline]
    fn count_one(&mut self) -> Result<()> {
        if self.max_skippable != 0 && self.looked_at > self.max_skippable {
            return Err(too_many_skipped());
        }
        self.looked_at += 1;
        Ok(())
    }
}
