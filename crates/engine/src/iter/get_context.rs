//! The state of one point lookup while it searches from the newest place to the oldest.
//!
//! Memtables and tables call [`GetContext::save`] with the visible entries of the key, newest
//! first, until it returns that no older entry is needed. It allocates only for the value itself
//! and for merge operands; with a receiver it does not allocate for the value either.

use super::merge_helper::{counted_merge, full_merge, no_merge_operator, unsupported_entry};
use crate::base::perf::{self, PerfMetric};
use crate::base::pinned::{PIN_FROM_BYTES, Pin};
use crate::base::{PinnedValue, SeqNo, ValueType};
use crate::error::{Error, Result};
use crate::hooks::MergeOperator;
use crate::stats::Statistics;

/// The result so far.
#[derive(Debug)]
enum State {
    /// No entry was found.
    NotFound,
    /// Operands were found, newest first, but not their base.
    Merging(Vec<PinnedValue>),
    /// The value.
    Found(PinnedValue),
    /// The receiver was called with the value.
    Received,
    /// A tombstone was found first.
    Deleted,
    /// The lookup failed.
    Failed(Error),
}

/// A function that receives a value in place, during the lookup.
pub type Receiver<'a> = &'a mut (dyn FnMut(&[u8]) + 'a);

/// The result of a lookup with a receiver.
#[derive(Debug)]
pub enum Outcome {
    /// The key has no value.
    Missing,
    /// The receiver was called with the value.
    Received,
    /// The value was not passed to the receiver: it is large and stays where it is, or it had to be
    /// merged.
    Kept(PinnedValue),
}

/// One point lookup.
pub struct GetContext<'a> {
    user_key: &'a [u8],
    merge_operator: Option<&'a dyn MergeOperator>,
    receiver: Option<Receiver<'a>>,
    state: State,
    /// A range tombstone hides entries older than this; 0 means that there is none.
    covering: SeqNo,
    /// The sequence number of the newest entry found.
    newest: SeqNo,
    ignore_range_deletions: bool,
    /// Whether an entry of the key was found; for statistics of one place.
    seen: bool,
    /// The statistics that count merges.
    statistics: Option<&'a Statistics>,
}

impl<'a> GetContext<'a> {
    /// A lookup of `user_key`; the operator is the column family's.
    #[inline]
    pub fn new(
        user_key: &'a [u8],
        merge_operator: Option<&'a dyn MergeOperator>,
    ) -> GetContext<'a> {
        GetContext {
            user_key,
            merge_operator,
            receiver: None,
            state: State::NotFound,
            covering: 0,
            newest: 0,
            ignore_range_deletions: false,
            seen: false,
            statistics: None,
        }
    }

    /// Sets the statistics that count and time merges, if any.
    #[inline]
    #[must_use]
    pub fn with_statistics(mut self, statistics: Option<&'a Statistics>) -> GetContext<'a> {
        self.statistics = statistics;
        self
    }

    /// Resets [`GetContext::has_seen`], before a place is searched.
    pub fn forget_seen(&mut self) {
        self.seen = false;
    }

    /// Whether an entry of the key was found, visible or not, since [`GetContext::forget_seen`].
    pub fn has_seen(&self) -> bool {
        self.seen
    }

    /// If `yes`, range tombstones hide nothing.
    #[inline]
    #[must_use]
    pub fn ignoring_range_deletions(mut self, yes: bool) -> GetContext<'a> {
        self.ignore_range_deletions = yes;
        self
    }

    /// Called before a place is searched for the key's entries, with the newest visible range tombstone over the key in
    /// that place. It hides older entries, both in that place and in all later ones.
    #[inline]
    pub fn cover(&mut self, newest: impl FnOnce() -> SeqNo) {
        if !self.ignore_range_deletions {
            self.covering = self.covering.max(newest());
        }
    }

    /// Sets a receiver for values that would otherwise be copied; call [`GetContext::outcome`] at
    /// the end.
    #[inline]
    #[must_use]
    pub fn with_receiver(mut self, receiver: Receiver<'a>) -> GetContext<'a> {
        self.receiver = Some(receiver);
        self
    }

    /// The user key of the lookup.
    #[inline]
    pub fn user_key(&self) -> &'a [u8] {
        self.user_key
    }

    /// Processes the next older visible entry of the key. Returns whether older ones are needed.
    #[inline]
    pub fn save(
        &mut self,
        seq: SeqNo,
        kind: ValueType,
        value: &[u8],
        pin: Option<&dyn Pin>,
    ) -> bool {
        self.newest = self.newest.max(seq);
        self.seen = true;
        if seq < self.covering {
            self.delete();
            return false;
        }
        match kind {
            ValueType::Value => match &self.state {
                State::NotFound => self.state = self.take(value, pin),
                State::Merging(_) => self.fold(Some(value)),
                _ => {}
            },
            ValueType::Deletion | ValueType::SingleDeletion => self.delete(),
            ValueType::Merge => return self.push_operand(value, pin),
            other => {
                self.state = State::Failed(unsupported_entry(other));
            }
        }
        false
    }

    /// Hides older entries.
    #[inline]
    fn delete(&mut self) {
        match &self.state {
            State::NotFound => self.state = State::Deleted,
            State::Merging(_) => self.fold(None),
            _ => {}
        }
    }

    /// Whether the lookup is complete, so that older places need not be searched.
    #[inline]
    pub fn is_done(&self) -> bool {
        self.covering != 0 || !matches!(self.state, State::NotFound | State::Merging(_))
    }

    /// The sequence number of the newest write to the key, including range deletions; 0 if there is none, or if a
    /// compaction has replaced it with zero.
    pub fn newest_sequence(&self) -> SeqNo {
        self.newest.max(self.covering)
    }

    /// Ends the lookup with an error.
    #[cold]
    pub fn fail(&mut self, e: Error) {
        self.state = State::Failed(e);
    }

    /// The result, after every place was searched or [`GetContext::is_done`] returned true.
    #[inline]
    pub fn finish(mut self) -> Result<Option<PinnedValue>> {
        if let State::Merging(_) = self.state {
            self.fold(None);
        }
        match self.state {
            State::Found(value) => Ok(Some(value)),
            State::Failed(e) => Err(e),
            State::NotFound | State::Deleted | State::Merging(_) => Ok(None),
            State::Received => unreachable!("a lookup with a receiver ends with `outcome`"),
        }
    }

    /// The result of a lookup with a receiver.
    #[inline]
    pub fn outcome(self) -> Result<Outcome> {
        if let State::Received = self.state {
            return Ok(Outcome::Received);
        }
        Ok(self.finish()?.map_or(Outcome::Missing, Outcome::Kept))
    }

    #[inline]
    fn take(&mut self, value: &[u8], pin: Option<&dyn Pin>) -> State {
        match &mut self.receiver {
            Some(receiver) if value.len() < PIN_FROM_BYTES => {
                receiver(value);
                State::Received
            }
            _ => State::Found(keep(value, pin)),
        }
    }

    #[cold]
    fn push_operand(&mut self, value: &[u8], pin: Option<&dyn Pin>) -> bool {
        if self.merge_operator.is_none() {
            self.state = State::Failed(no_merge_operator());
            return false;
        }
        perf::count(PerfMetric::InternalMergePointLookupCount, 1);
        match &mut self.state {
            State::NotFound => self.state = State::Merging(vec![keep(value, pin)]),
            State::Merging(operands) => operands.push(keep(value, pin)),
            _ => return false,
        }
        true
    }

    #[cold]
    fn fold(&mut self, base: Option<&[u8]>) {
        let State::Merging(operands) = std::mem::replace(&mut self.state, State::NotFound) else {
            return;
        };
        let Some(operator) = self.merge_operator else { return };
        let oldest_first: Vec<&[u8]> = operands.iter().rev().map(|v| &**v).collect();
        let merged = counted_merge(self.statistics, operands.len(), || {
            full_merge(operator, self.user_key, base, &oldest_first)
        });
        self.state = match merged {
            Ok(value) => State::Found(PinnedValue::owned(value)),
            Err(e) => State::Failed(e),
        };
    }
}

#[inline]
fn keep(value: &[u8], pin: Option<&dyn Pin>) -> PinnedValue {
    if value.len() >= PIN_FROM_BYTES
        && let Some(pinned) = pin.and_then(|p| p.pin(value))
    {
        return pinned;
    }
    PinnedValue::owned(value.to_vec())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hooks::StringAppendOperator;

    fn lookup(entries: &[(ValueType, &str)]) -> Result<Option<String>> {
        let operator = StringAppendOperator::default();
        let mut ctx = GetContext::new(b"k", Some(&operator));
        for (i, (kind, value)) in entries.iter().enumerate() {
            let more = ctx.save(100 - i as u64, *kind, value.as_bytes(), None);
            assert_eq!(more, !ctx.is_done());
            if !more {
                break;
            }
        }
        Ok(ctx.finish()?.map(|v| String::from_utf8(v.into_vec()).unwrap()))
    }

    #[test]
    fn operands_fold_over_their_base() {
        use ValueType::{Deletion, Merge, Value};
        assert_eq!(lookup(&[]).unwrap(), None);
        assert_eq!(lookup(&[(Value, "v"), (Value, "old")]).unwrap().as_deref(), Some("v"));
        assert_eq!(lookup(&[(Deletion, ""), (Value, "old")]).unwrap(), None);
        let merged = lookup(&[(Merge, "c"), (Merge, "b"), (Value, "a"), (Value, "old")]);
        assert_eq!(merged.unwrap().as_deref(), Some("a,b,c"));
        let merged = lookup(&[(Merge, "c"), (Deletion, ""), (Value, "old")]);
        assert_eq!(merged.unwrap().as_deref(), Some("c"));
        assert_eq!(lookup(&[(Merge, "c"), (Merge, "b")]).unwrap().as_deref(), Some("b,c"));
    }

    #[test]
    fn a_range_tombstone_hides_what_is_older() {
        use ValueType::{Merge, Value};
        let operator = StringAppendOperator::default();
        for (ignore, expected) in [(false, "c"), (true, "a,b,c")] {
            let ctx = GetContext::new(b"k", Some(&operator));
            let mut ctx = ctx.ignoring_range_deletions(ignore);
            ctx.cover(|| 8);
            assert_eq!(ctx.is_done(), !ignore);
            assert!(ctx.save(8, Merge, b"c", None), "not older than the tombstone");
            let more = ctx.save(7, Merge, b"b", None) && ctx.save(6, Value, b"a", None);
            assert!(!more);
            assert_eq!(&*ctx.finish().unwrap().unwrap(), expected.as_bytes());
        }
        let mut ctx = GetContext::new(b"k", Some(&operator));
        ctx.save(9, Merge, b"x", None);
        ctx.cover(|| 5);
        assert!(ctx.is_done(), "older places are covered");
        assert_eq!(&*ctx.finish().unwrap().unwrap(), b"x");
    }

    #[test]
    fn a_receiver_gets_small_values_and_nothing_else() {
        use ValueType::{Deletion, Merge, Value};
        let operator = StringAppendOperator::default();
        let large = "x".repeat(PIN_FROM_BYTES);
        for (entries, expected, is_received) in [
            (&[][..], None, false),
            (&[(Value, "v")], Some("v"), true),
            (&[(Deletion, "")], None, false),
            (&[(Merge, "b"), (Value, "a")], Some("a,b"), false),
            (&[(Value, &large)], Some(&large), false),
        ] {
            let mut received = None;
            let mut receive = |value: &[u8]| received = Some(value.to_vec());
            let mut ctx = GetContext::new(b"k", Some(&operator)).with_receiver(&mut receive);
            for (kind, value) in entries {
                if !ctx.save(7, *kind, value.as_bytes(), None) {
                    break;
                }
            }
            let kept = match ctx.outcome().unwrap() {
                Outcome::Missing => None,
                Outcome::Received => received.take(),
                Outcome::Kept(value) => Some(value.into_vec()),
            };
            assert_eq!(received, None);
            assert_eq!(kept.as_deref(), expected.map(str::as_bytes));
            assert_eq!(matches!(entries, [(Value, v)] if v.len() < PIN_FROM_BYTES), is_received);
        }
    }

    #[test]
    fn operands_without_an_operator_are_an_error() {
        let mut ctx = GetContext::new(b"k", None);
        assert!(!ctx.save(1, ValueType::Merge, b"x", None));
        assert!(ctx.finish().is_err());
    }
}
