//! The state of one point lookup while it goes from the newest place to the oldest.
//!
//! Memtables and tables call [`GetContext::save`] with the visible entries of the key, newest
//! first, until it says that nothing older is needed. It allocates only for the value itself and
//! for merge operands; with a receiver not for the value either.

use super::merge_helper::{counted_merge, full_merge, no_merge_operator, unsupported_entry};
use crate::base::perf::{self, PerfMetric};
use crate::base::pinned::{PIN_FROM_BYTES, Pin};
use crate::base::{PinnedValue, SeqNo, ValueType};
use crate::error::{Error, Result};
use crate::hooks::MergeOperator;
use crate::stats::Statistics;

/// What is known so far.
#[derive(Debug)]
enum State {
    /// No entry was seen.
    NotFound,
    /// Operands were seen, newest first; their base was not.
    Merging(Vec<PinnedValue>),
    /// The answer.
    Found(PinnedValue),
    /// The receiver has the answer.
    Received,
    /// A tombstone was seen first.
    Deleted,
    /// The lookup cannot be answered.
    Failed(Error),
}

/// Takes a value where it lies, while the lookup goes on.
pub type Receiver<'a> = &'a mut (dyn FnMut(&[u8]) + 'a);

/// How a lookup with a receiver ended.
#[derive(Debug)]
pub enum Outcome {
    /// The key has no value.
    Missing,
    /// The receiver was called with it.
    Received,
    /// The value is large and stays where it is, or had to be put together.
    Kept(PinnedValue),
}

/// One point lookup.
pub struct GetContext<'a> {
    user_key: &'a [u8],
    merge_operator: Option<&'a dyn MergeOperator>,
    receiver: Option<Receiver<'a>>,
    state: State,
    /// Entries older than this are hidden by a range tombstone; 0 is none.
    covering: SeqNo,
    /// The newest entry that was seen.
    newest: SeqNo,
    ignore_range_deletions: bool,
    /// An entry of the key was seen: for statistics of one place.
    seen: bool,
    /// Counts merges.
    statistics: Option<&'a Statistics>,
}

impl<'a> GetContext<'a> {
    /// A lookup of `user_key`; the operator is that of the column family.
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

    /// Counts what merging costs, if there is somewhere to count.
    #[inline]
    #[must_use]
    pub fn with_statistics(mut self, statistics: Option<&'a Statistics>) -> GetContext<'a> {
        self.statistics = statistics;
        self
    }

    /// Forgets that entries of the key were seen, before a place is asked.
    pub fn forget_seen(&mut self) {
        self.seen = false;
    }

    /// Whether an entry of the key was seen, visible or not, since [`GetContext::forget_seen`].
    pub fn has_seen(&self) -> bool {
        self.seen
    }

    /// With `yes`, range tombstones hide nothing.
    #[inline]
    #[must_use]
    pub fn ignoring_range_deletions(mut self, yes: bool) -> GetContext<'a> {
        self.ignore_range_deletions = yes;
        self
    }

    /// Before a place is asked for the key's entries: the newest visible range tombstone over the key
    /// that is there. It hides what is older, there and in all places after it.
    #[inline]
    pub fn cover(&mut self, newest: impl FnOnce() -> SeqNo) {
        if !self.ignore_range_deletions {
            self.covering = self.covering.max(newest());
        }
    }

    /// Gives a value that would be copied to `receiver`; end with [`GetContext::outcome`].
    #[inline]
    #[must_use]
    pub fn with_receiver(mut self, receiver: Receiver<'a>) -> GetContext<'a> {
        self.receiver = Some(receiver);
        self
    }

    /// The user key that is looked up.
    #[inline]
    pub fn user_key(&self) -> &'a [u8] {
        self.user_key
    }

    /// Takes the next older visible entry of the key. Returns whether older ones are needed.
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

    /// Older entries do not count.
    #[inline]
    fn delete(&mut self) {
        match &self.state {
            State::NotFound => self.state = State::Deleted,
            State::Merging(_) => self.fold(None),
            _ => {}
        }
    }

    /// Whether the answer is settled, so that older places need not be asked.
    #[inline]
    pub fn is_done(&self) -> bool {
        self.covering != 0 || !matches!(self.state, State::NotFound | State::Merging(_))
    }

    /// The sequence number of the newest write to the key, range deletions included; 0 where there is
    /// none, or none that is told apart from older ones any more.
    pub fn newest_sequence(&self) -> SeqNo {
        self.newest.max(self.covering)
    }

    /// The lookup failed.
    #[cold]
    pub fn fail(&mut self, e: Error) {
        self.state = State::Failed(e);
    }

    /// The answer, once every place was asked or [`GetContext::is_done`].
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

    /// The answer of a lookup with a receiver.
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
