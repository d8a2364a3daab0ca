//! The user's iterator: the keys and values of an internal iterator that are visible at one sequence number.
//!
//! * **D1** While valid and moving forward, `key` is a copy of the user key, and `inner` is at the visible entry that
//!   it came from; the value is read in place. After a merge (`inner_is_past`) the iterator owns the value, and `inner`
//!   is past the merged entries.
//! * **D2** While valid and moving backward, the iterator owns key and value, and `inner` is at the last entry before
//!   all entries of the key, or is invalid.
//! * **D3** Invalid means: no more keys within bounds and prefix, or an error (`status`).
//!
//! Moving forward costs one call of `inner` and one comparison per entry, and no allocation once the buffers have
//! grown. A long run of hidden entries is skipped by a seek.

mod backward;
mod counts;
mod gap_walk;

use crate::base::iterator::InternalIterator;
use crate::base::key::{append_internal_key, seek_trailer};
use crate::base::perf::{self, PerfMetric};
use crate::base::{KeyOrder, SeqNo, ValueType, WalkKey};
use crate::error::{Code, Error, Result};
use crate::hooks::{MergeOperator, SliceTransform};
use crate::iter::MergingIterator;
use crate::iter::merge_helper::{
    Collected, MergeOperands, counted_merge, short_key, split, unknown_type, unsupported_entry,
};
use crate::memtable::Gaps;
use crate::options::ReadOptions;
use crate::read::{PoolKey, SuperVersion};
use crate::sst::ScanEnd;
use crate::stats::Statistics;
use crate::version::Source;
use counts::{Call, IterCounts};
use gap_walk::GapWalk;
use std::any::Any;
use std::sync::Arc;

/// The trailer that sorts before all entries of a user key.
const BEFORE_ALL: u64 = u64::MAX;
/// A pooled iterator keeps buffers up to this size in bytes.
const BUFFER_MAX: usize = 4 << 10;
/// The trailer that sorts after all entries of a user key.
const AFTER_ALL: u64 = 0;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Direction {
    Forward,
    Backward,
}

/// How to reach the next entry to examine.
enum Step {
    /// Examine the current entry.
    Stay,
    /// Move to the next entry.
    Next,
    /// Seek to the first entry of `key` with at most this trailer.
    SkipTo(u64),
}

/// The prefix condition of `prefix_same_as_start`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum StartPrefix {
    /// No condition: the option is off, or there is no start key yet.
    Any,
    /// Keys must have the prefix of the start key.
    Given,
    /// The start key is outside the extractor's domain: it has no prefix that a key could share.
    None,
}

/// Iterates over the keys and values that are visible at one sequence number.
///
/// If the iterator is invalid, `next` and `prev` do nothing, and `key` and `value` are empty.
pub struct DbIter {
    inner: MergingIterator<Source>,
    order: KeyOrder,
    seq: SeqNo,
    merge_operator: Option<Arc<dyn MergeOperator>>,
    lower: Option<Vec<u8>>,
    upper: Option<Vec<u8>>,
    /// Whether all keys within the bounds have one prefix.
    within_one_prefix: bool,
    scan_end: ScanEnd,
    /// Present only with `prefix_same_as_start`.
    prefix_extractor: Option<Arc<dyn SliceTransform>>,
    /// The prefix that keys must have, depending on `start_prefix`.
    prefix: Vec<u8>,
    start_prefix: StartPrefix,
    /// Whether `inner` has all keys in one order, so that entries ahead of it are also ahead of every seek that moves
    /// forward.
    total_order: bool,
    max_sequential_skip: u64,
    max_skippable: u64,

    valid: bool,
    direction: Direction,
    /// The current user key or, during a search, the last one examined.
    key: WalkKey,
    /// The current value, if the iterator owns it.
    value: Vec<u8>,
    value_is_ours: bool,
    /// Earlier owned values, kept with `pin_data`.
    pinned_values: Option<Vec<Vec<u8>>>,
    inner_is_past: bool,
    operands: MergeOperands,
    walk: GapWalk,
    /// The internal key of a seek.
    target: Vec<u8>,
    /// The number of entries that the current call has examined.
    looked_at: u64,
    error: Option<Error>,
    /// Present only with statistics.
    counts: Option<Box<IterCounts>>,
    /// What determined `inner`'s children, if the iterator may be reused by a later reader.
    pool_key: Option<PoolKey>,
    /// The object that `inner` reads from; dropped after `inner`.
    keepalive: Arc<dyn Any + Send + Sync>,
}

impl DbIter {
    /// RocksDB's default of `max_sequential_skip_in_iterations`.
    const MAX_SEQUENTIAL_SKIP: u64 = 8;

    /// Creates an iterator over the entries of `inner` that are visible at `seq`. It is invalid until a seek.
    pub fn new(
        inner: MergingIterator<Source>,
        order: KeyOrder,
        seq: SeqNo,
        merge_operator: Option<Arc<dyn MergeOperator>>,
        options: &ReadOptions,
        prefix_extractor: Option<Arc<dyn SliceTransform>>,
        keepalive: Arc<dyn Any + Send + Sync>,
    ) -> DbIter {
        let mut iter = DbIter {
            inner,
            order,
            seq,
            merge_operator,
            lower: None,
            upper: None,
            within_one_prefix: false,
            scan_end: ScanEnd::default(),
            total_order: true,
            prefix_extractor: None,
            prefix: Vec::new(),
            start_prefix: StartPrefix::Any,
            max_sequential_skip: 0,
            max_skippable: 0,
            valid: false,
            direction: Direction::Forward,
            key: WalkKey::default(),
            value: Vec::new(),
            value_is_ours: true,
            pinned_values: None,
            inner_is_past: false,
            operands: MergeOperands::default(),
            walk: GapWalk::default(),
            target: Vec::new(),
            looked_at: 0,
            error: None,
            counts: None,
            pool_key: None,
            keepalive,
        };
        iter.renew(seq, options, prefix_extractor.as_ref(), DbIter::MAX_SEQUENTIAL_SKIP);
        iter
    }

    /// Makes the iterator reseek after more than `n` consecutive hidden entries.
    #[must_use]
    pub fn with_max_sequential_skip(mut self, n: u64) -> DbIter {
        self.max_sequential_skip = n;
        self
    }

    /// Counts the iterator's operations, if there are statistics.
    #[must_use]
    pub fn with_statistics(mut self, statistics: Option<&Arc<Statistics>>) -> DbIter {
        self.counts = statistics.map(|stats| Box::new(IterCounts::new(Arc::clone(stats))));
        self
    }

    /// Sets what determined the iterator's children, so that it can be pooled when its user drops it.
    #[must_use]
    pub fn with_pool_key(mut self, pool_key: Option<PoolKey>) -> DbIter {
        self.pool_key = pool_key;
        self
    }

    /// Sets the end that limits the readahead of the iterator's children, to be updated when bounds change.
    #[must_use]
    pub fn with_scan_end(mut self, scan_end: ScanEnd) -> DbIter {
        scan_end.set(self.upper.as_deref());
        self.scan_end = scan_end;
        self
    }

    /// Lets the iterator jump over the gaps of its family, and note new ones, if the reader's options allow it.
    /// `content` is the content number of its super-version.
    #[must_use]
    pub fn with_gaps(mut self, gaps: Arc<Gaps>, content: u64) -> DbIter {
        self.walk.set_gaps(gaps, content);
        self
    }

    /// Returns the key set by [`DbIter::with_pool_key`].
    pub fn pool_key(&self) -> Option<&PoolKey> {
        self.pool_key.as_ref()
    }

    /// Returns the super-version that the iterator keeps alive, if it reads one.
    pub fn super_version(&self) -> Option<&SuperVersion> {
        self.keepalive.downcast_ref()
    }

    /// Releases what the last user read. Returns false if the iterator cannot be reused or its buffers are too large.
    pub fn release(&mut self) -> bool {
        self.valid = false;
        self.error = None;
        self.operands.clear();
        if let Some(counts) = &mut self.counts {
            counts.end();
        }
        let buffers = [&self.value, &self.target, &self.prefix];
        self.inner.release()
            && buffers.into_iter().all(|buffer| buffer.capacity() <= BUFFER_MAX)
            && self.key.capacity().max(self.walk.capacity()) <= BUFFER_MAX
    }

    /// Sets up a new or released iterator for a reader at `seq`. This is the only place that applies read options. The
    /// iterator is invalid until a seek.
    pub fn renew(
        &mut self,
        seq: SeqNo,
        options: &ReadOptions,
        prefix_extractor: Option<&Arc<dyn SliceTransform>>,
        max_sequential_skip: u64,
    ) {
        self.seq = seq;
        self.lower.clone_from(&options.iterate_lower_bound);
        if self.upper.is_some() || options.iterate_upper_bound.is_some() {
            self.scan_end.set(options.iterate_upper_bound.as_deref());
        }
        self.upper.clone_from(&options.iterate_upper_bound);
        self.within_one_prefix = options.within_one_prefix;
        self.total_order = options.total_order() || prefix_extractor.is_none();
        self.walk.renew(options, self.total_order);
        self.prefix_extractor = prefix_extractor.filter(|_| options.prefix_same_as_start).cloned();
        self.max_skippable = options.max_skippable_internal_keys;
        self.max_sequential_skip = max_sequential_skip;
        self.value_is_ours = true;
        self.pinned_values = options.pin_data.then(Vec::new);
        self.inner_is_past = false;
        self.key.clear();
        self.value.clear();
        if let Some(counts) = &mut self.counts {
            counts.begin();
        }
        self.start(Direction::Forward);
    }

    /// Switches to another sequence number, for which `inner` must have all entries. The iterator is invalid until a
    /// seek.
    pub fn set_sequence(&mut self, seq: SeqNo) {
        self.seq = seq;
        // New entries may be behind the position of `inner`, so the next seek must be a full one.
        self.valid = false;
    }

    /// Returns whether the iterator is at a key.
    #[inline]
    pub fn valid(&self) -> bool {
        self.valid
    }

    /// Returns the current key.
    #[inline]
    pub fn key(&self) -> &[u8] {
        if self.valid { &self.key } else { &[] }
    }

    /// Returns the current value.
    #[inline]
    pub fn value(&self) -> &[u8] {
        match (self.valid, self.value_is_ours) {
            (false, _) => &[],
            (true, true) => &self.value,
            (true, false) => self.inner.value(),
        }
    }

    /// Returns the error that stopped the iterator, if any. The next seek clears it.
    pub fn status(&self) -> Result<()> {
        self.error.clone().map_or(Ok(()), Err)
    }

    /// Moves to the first key within bounds.
    pub fn seek_to_first(&mut self) {
        self.counted(Call::SeekToEnd, DbIter::go_to_first);
    }

    fn go_to_first(&mut self) {
        self.start(Direction::Forward);
        match &self.lower {
            Some(lower) => {
                set_target(&mut self.target, lower, seek_trailer(self.seq));
                self.inner.seek(&self.target);
            }
            None => self.inner.seek_to_first(),
        }
        self.find_next(Step::Stay, false);
        self.take_prefix_of_key();
    }

    /// Moves to the last key within bounds.
    pub fn seek_to_last(&mut self) {
        self.counted(Call::SeekToEnd, DbIter::go_to_last);
    }

    fn go_to_last(&mut self) {
        self.start(Direction::Backward);
        match &self.upper {
            Some(upper) => {
                set_target(&mut self.target, upper, BEFORE_ALL);
                self.seek_inner_back();
            }
            None => self.inner.seek_to_last(),
        }
        self.find_prev();
        self.take_prefix_of_key();
    }

    /// Moves to the first key `>= target` within bounds.
    pub fn seek(&mut self, target: &[u8]) {
        self.counted(Call::Seek, |iter| iter.go_to(target));
    }

    fn go_to(&mut self, target: &[u8]) {
        let is_ahead = self.total_order && self.is_before(target);
        self.start(Direction::Forward);
        self.take_prefix_of(target);
        let from = match &self.lower {
            Some(lower) if self.order.compare_user(target, lower).is_lt() => lower,
            _ => target,
        };
        if is_at_or_after(&self.order, from, self.upper.as_deref()) {
            return;
        }
        set_target(&mut self.target, from, seek_trailer(self.seq));
        if is_ahead {
            self.inner.skip_to(&self.target);
        } else {
            self.inner.seek(&self.target);
        }
        self.find_next(Step::Stay, false);
    }

    /// Moves to the last key `<= target` within bounds.
    pub fn seek_for_prev(&mut self, target: &[u8]) {
        self.counted(Call::Seek, |iter| iter.go_back_to(target));
    }

    fn go_back_to(&mut self, target: &[u8]) {
        self.start(Direction::Backward);
        self.take_prefix_of(target);
        match &self.upper {
            Some(upper) if self.order.compare_user(target, upper).is_ge() => {
                set_target(&mut self.target, upper, BEFORE_ALL);
            }
            _ => set_target(&mut self.target, target, AFTER_ALL),
        }
        self.seek_inner_back();
        self.find_prev();
    }

    /// Moves to the next key.
    #[inline]
    pub fn next(&mut self) {
        if self.valid {
            self.counted(Call::Next, DbIter::go_on);
        }
    }

    #[inline]
    fn go_on(&mut self) {
        self.looked_at = 0;
        if self.direction == Direction::Forward && !self.inner_is_past {
            return self.find_next(Step::Next, true);
        }
        if self.direction == Direction::Backward {
            self.direction = Direction::Forward;
            set_target(&mut self.target, &self.key, AFTER_ALL);
            self.inner.seek(&self.target);
        }
        self.find_next(Step::Stay, true);
    }

    /// Moves to the previous key.
    pub fn prev(&mut self) {
        if self.valid {
            self.counted(Call::Prev, DbIter::go_back);
        }
    }

    fn go_back(&mut self) {
        self.looked_at = 0;
        if self.direction == Direction::Forward {
            self.direction = Direction::Backward;
            self.seek_before_key();
        }
        self.find_prev();
    }

    /// Returns whether `inner` moves forward and is before every entry of `target`.
    fn is_before(&self, target: &[u8]) -> bool {
        self.valid
            && self.direction == Direction::Forward
            && !self.inner_is_past
            && self.order.compare_user(&self.key, target).is_lt()
    }

    fn start(&mut self, direction: Direction) {
        self.valid = false;
        self.error = None;
        self.direction = direction;
        self.looked_at = 0;
        self.start_prefix = StartPrefix::Any;
    }

    pub(crate) fn fail(&mut self, error: Error) {
        self.valid = false;
        self.error = Some(error);
    }

    /// Stops because `inner` has no more entries or failed.
    fn stop_with_inner(&mut self) {
        self.valid = false;
        self.error = self.inner.status().err();
    }

    fn take_prefix_of(&mut self, target: &[u8]) {
        let Some(extractor) = &self.prefix_extractor else { return };
        if extractor.in_domain(target) {
            set(&mut self.prefix, extractor.transform(target));
            self.start_prefix = StartPrefix::Given;
        } else {
            self.start_prefix = StartPrefix::None;
        }
    }

    fn take_prefix_of_key(&mut self) {
        if self.valid && self.prefix_extractor.is_some() {
            let key = std::mem::take(&mut self.key);
            self.take_prefix_of(&key);
            self.key = key;
        }
    }

    /// Finds the first visible key from where `step` leads. While `skipping`, entries of `key` are hidden by a newer
    /// value or a tombstone.
    #[inline]
    fn find_next(&mut self, mut step: Step, mut skipping: bool) {
        self.inner_is_past = false;
        self.valid = false;
        self.walk.stop();
        // The number of consecutive hidden entries of `key`.
        let mut hidden = 0;
        loop {
            let stored = match step {
                Step::Next => self.inner.next_key(),
                Step::Stay => self.inner.valid().then(|| self.inner.key()),
                Step::SkipTo(trailer) => {
                    set_target(&mut self.target, &self.key, trailer);
                    self.count_reseek();
                    self.inner.skip_to(&self.target);
                    self.inner.valid().then(|| self.inner.key())
                }
            };
            let Some(stored) = stored else { return self.end_walk_with_inner() };
            let Some((user_key, trailer)) = split(stored) else {
                let error = short_key(stored);
                return self.fail(error);
            };
            let prefix = (self.start_prefix, &self.prefix_extractor, &self.prefix[..]);
            if is_at_or_after(&self.order, user_key, self.upper.as_deref())
                || has_other_prefix(prefix, user_key)
            {
                return self.end_walk();
            }
            if self.max_skippable != 0 && self.looked_at > self.max_skippable {
                return self.fail(too_many_skipped());
            }
            self.looked_at += 1;
            step = Step::Next;
            if trailer >> 8 > self.seq {
                perf::count(PerfMetric::InternalRecentSkippedCount, 1);
                // The entry is too new. Entries of a new key begin a new run.
                if self.order.equal_user(user_key, &self.key) {
                    hidden += 1;
                } else {
                    self.key.set(user_key);
                    (skipping, hidden) = (false, 0);
                }
            } else if skipping && self.order.equal_user(user_key, &self.key) {
                perf::count(PerfMetric::InternalKeySkippedCount, 1);
                hidden += 1;
            } else {
                self.key.set(user_key);
                match ValueType::from_byte(trailer as u8) {
                    Some(ValueType::Value) => {
                        self.value_is_ours = false;
                        self.valid = true;
                        return self.end_walk();
                    }
                    Some(kind @ (ValueType::Deletion | ValueType::SingleDeletion)) => {
                        perf::count(PerfMetric::InternalDeleteSkippedCount, 1);
                        (skipping, hidden) = (true, 0);
                        if self.walk.is_allowed() && self.meet_deleted(kind) {
                            (skipping, step) = (false, Step::Stay);
                        }
                    }
                    Some(ValueType::Merge) => {
                        self.end_walk();
                        self.valid = self.fold_from_here();
                        self.inner_is_past = true;
                        return;
                    }
                    Some(other) => return self.fail(unsupported_entry(other)),
                    None => return self.fail(unknown_type(trailer)),
                }
            }
            if hidden > self.max_sequential_skip {
                hidden = 0;
                step = Step::SkipTo(if skipping { AFTER_ALL } else { seek_trailer(self.seq) });
            }
        }
    }

    /// Merges the operands of `key`, from the newest one, where `inner` is, down to the base value. Leaves the result
    /// in `value`, and `inner` past the merged entries. Returns whether the merge succeeded.
    #[cold]
    fn fold_from_here(&mut self) -> bool {
        match self.try_fold_from_here() {
            Ok(value) => {
                self.keep_value();
                self.value = value;
                self.value_is_ours = true;
                true
            }
            Err(e) => {
                self.fail(e);
                false
            }
        }
    }

    /// Keeps the current value until the iterator is dropped, if `pin_data` requires it.
    #[inline]
    fn keep_value(&mut self) {
        if let Some(pinned) = &mut self.pinned_values {
            pinned.push(std::mem::take(&mut self.value));
        }
    }

    fn try_fold_from_here(&mut self) -> Result<Vec<u8>> {
        let operator = self.merge_operator.as_deref().ok_or_else(no_merge_operator)?;
        self.operands.clear();
        self.operands.push(self.inner.value());
        perf::count(PerfMetric::InternalMergeCount, 1);
        let stats = self.counts.as_deref().map(IterCounts::statistics);
        let fold = |operands: &MergeOperands, base: Option<&[u8]>| {
            counted_merge(stats, operands.len(), || {
                operands.full_merge(operator, &self.key, base, Collected::NewestFirst)
            })
        };
        while let Some(stored) = self.inner.next_key() {
            let (user_key, trailer) = split(stored).ok_or_else(|| short_key(stored))?;
            if !self.order.equal_user(user_key, &self.key) {
                return fold(&self.operands, None);
            }
            match ValueType::from_byte(trailer as u8) {
                Some(ValueType::Merge) => {
                    perf::count(PerfMetric::InternalMergeCount, 1);
                    self.operands.push(self.inner.value());
                }
                Some(ValueType::Value) => {
                    let value = fold(&self.operands, Some(self.inner.value()))?;
                    self.inner.next();
                    return Ok(value);
                }
                Some(ValueType::Deletion | ValueType::SingleDeletion) => {
                    self.inner.next();
                    return fold(&self.operands, None);
                }
                Some(other) => return Err(unsupported_entry(other)),
                None => return Err(unknown_type(trailer)),
            }
        }
        self.inner.status()?;
        fold(&self.operands, None)
    }
}

impl std::fmt::Debug for DbIter {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("DbIter")
            .field("seq", &self.seq)
            .field("valid", &self.valid)
            .field("key", &self.key())
            .field("error", &self.error)
            .finish_non_exhaustive()
    }
}

/// Returns the error of an iterator that found operands in a column family without a merge operator.
#[cold]
fn no_merge_operator() -> Error {
    Error::no_merge_operator("Invalid argument: merge_operator_ must be set.")
}

#[inline]
fn set(buffer: &mut Vec<u8>, bytes: &[u8]) {
    buffer.clear();
    buffer.extend_from_slice(bytes);
}

#[inline]
fn set_target(target: &mut Vec<u8>, user_key: &[u8], trailer: u64) {
    target.clear();
    append_internal_key(target, user_key, trailer);
}

#[inline]
fn is_at_or_after(order: &KeyOrder, user_key: &[u8], bound: Option<&[u8]>) -> bool {
    bound.is_some_and(|bound| order.compare_user(user_key, bound).is_ge())
}

/// Returns whether `prefix_same_as_start` ends the iteration at a key.
#[inline]
fn has_other_prefix(
    (start, extractor, prefix): (StartPrefix, &Option<Arc<dyn SliceTransform>>, &[u8]),
    user_key: &[u8],
) -> bool {
    let differs =
        |e: &Arc<dyn SliceTransform>| !e.in_domain(user_key) || e.transform(user_key) != prefix;
    start != StartPrefix::Any
        && (start == StartPrefix::None || extractor.as_ref().is_some_and(differs))
}

#[cold]
fn too_many_skipped() -> Error {
    Error::new(Code::Incomplete, "Too many internal keys skipped.")
}

#[cfg(test)]
#[path = "db_iter_test.rs"]
mod tests;

#[cfg(test)]
#[path = "db_iter/transcript_test.rs"]
mod transcripts;
