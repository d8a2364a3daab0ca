//! The rules for hidden entries, tombstones, single deletes and operands (CI1 to CI5 and CI7).

use super::{CompactionIter, NextStep, ValueIn, set_trailer, stripe_of, user_key_of};
use crate::base::ValueType;
use crate::base::key::{pack_trailer, sequence, trailer};
use crate::error::{Error, Result};
use crate::hooks::{FilterDecision, MergeOperator};
use crate::iter::merge_helper::{Collected, timed_merge, unsupported_entry};

/// Which older entries of the current key are hidden (CI1).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Hides {
    /// None: no entry was read yet.
    Nothing,
    /// All entries of this stripe.
    Stripe(usize),
    /// All entries of this stripe except tombstones: a cancelled pair was above (CI4).
    ButTombstones(usize),
}

impl Hides {
    #[inline]
    pub(super) fn hides(self, stripe: usize, kind: ValueType) -> bool {
        match self {
            Hides::Nothing => false,
            Hides::Stripe(hidden) => hidden == stripe,
            Hides::ButTombstones(hidden) => hidden == stripe && kind != ValueType::Deletion,
        }
    }
}

impl CompactionIter {
    /// Whether the current key has no older entries outside the input.
    fn is_last_level(&mut self) -> bool {
        self.bottommost || (self.is_last_level_for_key)(user_key_of(&self.key))
    }

    /// Applies CI5 to the value in `key`.
    #[inline]
    pub(super) fn zero_sequence_if_safe(&mut self, stripe: usize) {
        if self.bottommost && stripe == 0 {
            set_trailer(&mut self.key, pack_trailer(0, ValueType::Value));
        }
    }

    /// Whether CI7 applies to the tombstone in `key`.
    fn is_asked_about(&self) -> bool {
        !self.kept && sequence(&self.key) > self.check_from
    }

    fn count_obsolete(&mut self) {
        self.stats.num_record_drop_obsolete += 1;
        self.stats.num_optimized_del_drop_obsolete += u64::from(!self.bottommost);
    }

    /// Applies CI2. Entries of the stripe are skipped first, to find out whether older readers may see an entry below.
    #[inline]
    pub(super) fn delete(&mut self, stripe: usize) -> Result<NextStep> {
        self.hides = Hides::Stripe(stripe);
        if !self.is_last_level() {
            return Ok(NextStep::Output(ValueIn::Empty));
        }
        if stripe == 0 {
            self.count_obsolete();
            return Ok(NextStep::Next);
        }
        while let Some((_, trailer)) = self.advance_within_key()? {
            if stripe_of(&self.snapshots, trailer >> 8) != stripe {
                return Ok(NextStep::Output(ValueIn::Nowhere));
            }
            self.stats.num_record_drop_hidden += 1;
        }
        if self.is_asked_about() {
            return Ok(NextStep::Output(ValueIn::Nowhere));
        }
        self.count_obsolete();
        Ok(NextStep::Stay)
    }

    /// Applies CI4.
    pub(super) fn single_delete(&mut self, stripe: usize) -> Result<NextStep> {
        let Some((kind, trailer)) = self.advance_within_key()? else {
            if self.is_asked_about() || !self.is_last_level() {
                return Ok(NextStep::Output(ValueIn::Nowhere));
            }
            self.stats.num_single_del_fallthru += 1;
            self.count_obsolete();
            return Ok(NextStep::Stay);
        };
        if stripe_of(&self.snapshots, trailer >> 8) != stripe {
            return Ok(NextStep::Output(ValueIn::Nowhere));
        }
        if kind == ValueType::Value && self.is_asked_about() {
            self.clears_next = true;
            return Ok(NextStep::Output(ValueIn::Nowhere));
        }
        if kind == ValueType::Value {
            self.stats.num_record_drop_hidden += 1;
            self.stats.num_record_drop_obsolete += 1;
            if self.hides != Hides::Stripe(stripe) {
                self.hides = Hides::ButTombstones(stripe);
            }
            return Ok(NextStep::Next);
        }
        self.stats.num_single_del_mismatch += 1;
        match kind {
            ValueType::Deletion if self.enforce_single_del_contracts => {
                Err(Error::corruption(format!(
                    "found a single delete above a delete of the same key at sequence number {}: \
                     a key must not have both",
                    trailer >> 8
                )))
            }
            ValueType::Deletion | ValueType::SingleDeletion => {
                self.stats.num_record_drop_obsolete += 1;
                Ok(NextStep::Stay)
            }
            _ => {
                self.hides = Hides::Stripe(stripe);
                Ok(NextStep::Output(ValueIn::Nowhere))
            }
        }
    }

    /// Applies CI3 to an operand without a merge operator.
    #[cold]
    pub(super) fn keep_operand(&mut self, trailer: u64) -> NextStep {
        match self.filter_operand(trailer) {
            FilterDecision::Keep => NextStep::Output(ValueIn::Input),
            FilterDecision::ChangeValue(operand) => {
                self.changed = operand;
                NextStep::Output(ValueIn::Changed)
            }
            FilterDecision::Remove => {
                self.stats.num_record_drop_user += 1;
                // The next entry is the newest of its key, unless an entry above it was kept.
                self.has_key = self.kept;
                NextStep::Next
            }
            FilterDecision::RemoveAndSkipUntil(key) => self.skip_until(&key),
        }
    }

    /// Applies CI3 to the newest operand of a stripe, on which the input is.
    pub(super) fn fold(&mut self, operator: &dyn MergeOperator, stripe: usize) -> Result<NextStep> {
        self.hides = Hides::Stripe(stripe);
        self.operands.clear();
        self.trailers.clear();
        let mut base = None;
        let mut trailer = trailer(&self.key);
        let at_end_of_key = loop {
            match self.filter_operand(trailer) {
                FilterDecision::Keep => {
                    self.operands.push(self.input.value());
                    self.trailers.push(trailer);
                }
                FilterDecision::ChangeValue(operand) => {
                    self.operands.push(&operand);
                    self.trailers.push(trailer);
                }
                FilterDecision::Remove => self.stats.num_record_drop_user += 1,
                FilterDecision::RemoveAndSkipUntil(key) => return Ok(self.skip_until(&key)),
            }
            let Some((kind, below)) = self.advance_within_key()? else { break true };
            if stripe_of(&self.snapshots, below >> 8) != stripe {
                break false;
            }
            trailer = below;
            match kind {
                ValueType::Merge => {}
                ValueType::Value | ValueType::Deletion | ValueType::SingleDeletion => {
                    base = Some(kind);
                    break false;
                }
                other => return Err(unsupported_entry(other)),
            }
        };
        if self.operands.len() == 0 {
            // The filter removed all operands: the next entry is the newest of its key.
            self.has_key = false;
            return Ok(NextStep::Stay);
        }
        let foldable = base.is_some() || (at_end_of_key && self.is_last_level());
        if foldable {
            let value = (base == Some(ValueType::Value)).then(|| self.input.value());
            let user_key = user_key_of(&self.key);
            self.merged = timed_merge(self.statistics.as_deref(), || {
                self.operands.full_merge(operator, user_key, value, Collected::NewestFirst)
            })?;
            let newest = self.trailers[0] >> 8;
            set_trailer(&mut self.key, pack_trailer(newest, ValueType::Value));
            self.zero_sequence_if_safe(stripe);
            self.stats.num_record_merged += self.operands.len() as u64 - 1;
            if base.is_some() {
                self.stats.num_record_merged += 1;
                if let Some(stored) = self.input.next_key() {
                    self.stats.count_input(stored);
                }
            }
            return Ok(NextStep::Output(ValueIn::Merged));
        }
        self.fold_partly(operator)
    }

    fn fold_partly(&mut self, operator: &dyn MergeOperator) -> Result<NextStep> {
        set_trailer(&mut self.key, self.trailers[0]);
        if self.operands.len() > 1 {
            let user_key = user_key_of(&self.key);
            let one = self.operands.partial_merge(operator, user_key, Collected::NewestFirst);
            if let Some(one) = one {
                self.merged = one;
                self.stats.num_record_merged += self.operands.len() as u64 - 1;
                return Ok(NextStep::Output(ValueIn::Merged));
            }
        }
        Ok(NextStep::Output(ValueIn::Operand(0)))
    }
}
