//! What of sorted entries a flush or compaction has to keep.
//!
//! Snapshots cut the sequence numbers into stripes: `(..=s0] (s0..=s1] .. (sn..]`. No reader can tell
//! entries of one key in one stripe apart but the newest, since every reader that sees the older
//! sees the newer. From that follow the rules, RocksDB's:
//!
//! * **C1** An entry is dropped if a newer one of its key is in its stripe (*hidden*). Not so a
//!   single delete, nor a tombstone below a cancelled pair (C4): they hide what is deeper.
//! * **C2** A tombstone is dropped if nothing older of its key is left, here or deeper (*obsolete*).
//! * **C3** Operands fold over the value or tombstone below them in their stripe, or over nothing
//!   where the key has no older entries anywhere. Else they become one operand if the operator can
//!   do that, else they stay. Without a merge operator all stay, and what they would fold over: an operand
//!   hides nothing.
//! * **C4** A single delete and the put below it in its stripe cancel: both go. What else is below
//!   breaks the rules of single deletes and is counted as a mismatch: of two single deletes the
//!   newer goes; over a delete is Corruption, or the newer goes; over a merge it hides like a delete.
//! * **C5** At the bottommost level a value that every snapshot sees gets sequence number 0. By C1
//!   it is the only one of its key, and tombstones are gone by C2, so the order stays.
//!
//! * **C6** A compaction filter is asked once per key, about its newest version if that is a value,
//!   snapshots or not; and about operands that no snapshot sees. A removed value becomes a tombstone
//!   and follows C1 and C2; a removed operand is as if it had never been.
//! * **C7** Where nothing newer of a key stays, a tombstone that transactions may ask about
//!   ([`CompactionIter::with_check_from`]) stays against C2 and C4; a put that it would cancel stays
//!   with it, without its value, so that both can go together later.
//!
//! Entries come out in order, each key at most once. Values that are not merged are read in place.

use super::merge_helper::{
    Collected, MergeOperands, short_key, split, timed_merge, unknown_type, unsupported_entry,
};
use crate::base::key::{TRAILER_SIZE, append_internal_key, pack_trailer, seek_trailer};
use crate::base::{InternalIterator, KeyOrder, MAX_SEQUENCE_NUMBER, SeqNo, ValueType};
use crate::env::sync::atomic::{AtomicBool, Ordering};
use crate::error::{Code, Error, Result};
use crate::hooks::{CompactionFilter, FilterDecision, MergeOperator};
use crate::stats::{Statistics, Ticker};
use std::sync::Arc;
use std::time::Instant;

/// What a [`CompactionIter`] has read and dropped. Names are RocksDB's.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CompactionIterStats {
    /// Entries read.
    pub num_input_records: u64,
    /// Tombstones among them.
    pub num_input_deletion_records: u64,
    /// Bytes of internal keys read.
    pub total_input_raw_key_bytes: u64,
    /// Entries dropped because a newer one hides them; what was merged into one is not among them.
    pub num_record_drop_hidden: u64,
    /// Operands and values that were merged into one entry, less that entry.
    pub num_record_merged: u64,
    /// Tombstones dropped because nothing is left to hide.
    pub num_record_drop_obsolete: u64,
    /// Those of them that went before the bottommost level.
    pub num_optimized_del_drop_obsolete: u64,
    /// Values and operands that a compaction filter dropped.
    pub num_record_drop_user: u64,
    /// Single deletes that met no put.
    pub num_single_del_fallthru: u64,
    /// Single deletes over something else than a put.
    pub num_single_del_mismatch: u64,
    /// Entries handed out.
    pub num_output_records: u64,
}

/// Where the current value is.
#[derive(Clone, Copy, Debug)]
enum ValueIn {
    /// The input stands on it.
    Input,
    /// It is empty; the input still stands on the entry.
    Empty,
    /// `changed`; the input still stands on the entry.
    Changed,
    /// It is empty; the input has gone on.
    Nowhere,
    /// `merged`; the input has gone on.
    Merged,
    /// Operand of this index; the input has gone on.
    Operand(usize),
}

/// Which older entries of the current key are hidden (C1).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Hides {
    /// None: no entry was seen yet.
    Nothing,
    /// All of this stripe.
    Stripe(usize),
    /// All of this stripe but tombstones: a cancelled pair was above (C4).
    ButTombstones(usize),
}

/// What to do after an entry.
enum Then {
    /// It is the output.
    Output(ValueIn),
    /// Look at the entry behind it.
    Next,
    /// The input already stands on the next entry to look at.
    Stay,
    /// There is none.
    End,
}

/// A filter, and the level that it is told.
struct Filter {
    hook: Arc<dyn CompactionFilter>,
    level: usize,
}

/// Asked per entry whether to go on; its error ends the walk.
pub type Interrupt = Arc<dyn Fn() -> Result<()> + Send + Sync>;

type IsLastLevelForKey = Box<dyn FnMut(&[u8]) -> bool + Send>;

/// Walks what is to be kept of an input, in order.
pub struct CompactionIter {
    input: Box<dyn InternalIterator>,
    order: KeyOrder,
    snapshots: Vec<SeqNo>,
    merge_operator: Option<Arc<dyn MergeOperator>>,
    bottommost: bool,
    is_last_level_for_key: IsLastLevelForKey,
    enforce_single_del_contracts: bool,
    check_from: SeqNo,
    cancel: Option<Arc<AtomicBool>>,
    interrupt: Option<Interrupt>,
    filter: Option<Filter>,

    valid: bool,
    /// The internal key of the output, or of the entry that is looked at.
    key: Vec<u8>,
    value_in: ValueIn,
    /// `key` holds a key whose older entries may follow.
    has_key: bool,
    hides: Hides,
    /// An entry of this key was handed out (C7).
    kept: bool,
    /// The input stands on a put that stays without its value (C7).
    clears_next: bool,
    merged: Vec<u8>,
    /// What a filter put in place of a value.
    changed: Vec<u8>,
    operands: MergeOperands,
    /// The trailers of `operands`.
    trailers: Vec<u64>,
    stats: CompactionIterStats,
    statistics: Option<Arc<Statistics>>,
    error: Option<Error>,
}

impl CompactionIter {
    /// What to keep of `input`, so that readers at `snapshots` and at the newest sequence number
    /// see what they see now.
    ///
    /// `is_last_level_for_key` is asked for ascending user keys: whether nothing older of the key
    /// exists outside the input (see `Version::deeper_keys`). `bottommost` says that this holds
    /// for all keys of the input.
    pub fn new(
        input: Box<dyn InternalIterator>,
        order: KeyOrder,
        mut snapshots: Vec<SeqNo>,
        merge_operator: Option<Arc<dyn MergeOperator>>,
        bottommost: bool,
        is_last_level_for_key: impl FnMut(&[u8]) -> bool + Send + 'static,
    ) -> CompactionIter {
        snapshots.sort_unstable();
        snapshots.dedup();
        CompactionIter {
            input,
            order,
            snapshots,
            merge_operator,
            bottommost,
            is_last_level_for_key: Box::new(is_last_level_for_key),
            enforce_single_del_contracts: true,
            check_from: MAX_SEQUENCE_NUMBER,
            cancel: None,
            interrupt: None,
            filter: None,
            valid: false,
            key: Vec::new(),
            value_in: ValueIn::Nowhere,
            has_key: false,
            hides: Hides::Nothing,
            kept: false,
            clears_next: false,
            merged: Vec::new(),
            changed: Vec::new(),
            operands: MergeOperands::default(),
            trailers: Vec::new(),
            stats: CompactionIterStats::default(),
            statistics: None,
            error: None,
        }
    }

    /// Whether a single delete over a delete is Corruption. RocksDB's default is true.
    #[must_use]
    pub fn with_enforce_single_del_contracts(mut self, enforce: bool) -> CompactionIter {
        self.enforce_single_del_contracts = enforce;
        self
    }

    /// Transactions want to know of every key whether it was written after this moment (C7), which
    /// is one of the snapshots.
    #[must_use]
    pub fn with_check_from(mut self, check_from: SeqNo) -> CompactionIter {
        self.check_from = check_from;
        self
    }

    /// Ends with ShutdownInProgress soon after the flag is set, also amid long runs of drops.
    #[must_use]
    pub fn with_cancel(mut self, cancel: Arc<AtomicBool>) -> CompactionIter {
        self.cancel = Some(cancel);
        self
    }

    /// Ends with an error soon after this gives one.
    #[must_use]
    pub fn with_interrupt(mut self, interrupt: Option<Interrupt>) -> CompactionIter {
        self.interrupt = interrupt;
        self
    }

    /// Asks a filter about what is left (C6); `level` is what it is told.
    #[must_use]
    pub fn with_filter(
        mut self,
        hook: Option<Arc<dyn CompactionFilter>>,
        level: usize,
    ) -> CompactionIter {
        self.filter = hook.map(|hook| Filter { hook, level });
        self
    }

    /// Counts what merging costs.
    #[must_use]
    pub fn with_statistics(mut self, statistics: Option<Arc<Statistics>>) -> CompactionIter {
        self.statistics = statistics;
        self
    }

    /// Goes to the first entry to keep.
    pub fn seek_to_first(&mut self) {
        self.input.seek_to_first();
        self.start();
    }

    /// Goes to the first entry to keep at or after an internal key.
    pub fn seek(&mut self, target: &[u8]) {
        self.input.seek(target);
        self.start();
    }

    /// Whether it stands on an entry.
    #[inline]
    pub fn valid(&self) -> bool {
        self.valid
    }

    /// The internal key to write.
    #[inline]
    pub fn key(&self) -> &[u8] {
        &self.key
    }

    /// The value to write.
    #[inline]
    pub fn value(&self) -> &[u8] {
        match self.value_in {
            ValueIn::Input => self.input.value(),
            ValueIn::Empty | ValueIn::Nowhere => &[],
            ValueIn::Changed => &self.changed,
            ValueIn::Merged => &self.merged,
            ValueIn::Operand(i) => self.operands.get(i),
        }
    }

    /// Goes to the next entry to keep.
    #[inline]
    pub fn next(&mut self) {
        match self.value_in {
            ValueIn::Input | ValueIn::Empty | ValueIn::Changed => self.find_next(Then::Next),
            ValueIn::Operand(i) if i + 1 < self.operands.len() => self.output_operand(i + 1),
            _ => self.find_next(Then::Stay),
        }
    }

    /// The error that ended it, if one did.
    pub fn status(&self) -> Result<()> {
        self.error.clone().map_or(Ok(()), Err)
    }

    /// What was read and dropped so far.
    pub fn stats(&self) -> &CompactionIterStats {
        &self.stats
    }

    fn start(&mut self) {
        self.has_key = false;
        self.hides = Hides::Nothing;
        self.clears_next = false;
        self.error = None;
        if self.input.valid() {
            count_input(&mut self.stats, self.input.key());
        }
        self.find_next(Then::Stay);
    }

    fn find_next(&mut self, mut then: Then) {
        self.valid = false;
        loop {
            match self.look_at_entry(then) {
                Ok(Then::Output(value_in)) => {
                    self.value_in = value_in;
                    self.kept = true;
                    self.stats.num_output_records += 1;
                    self.valid = true;
                    return;
                }
                Ok(Then::End) => return,
                Ok(go_on) => then = go_on,
                Err(e) => {
                    self.error = Some(e);
                    return;
                }
            }
        }
    }

    /// Goes where `then` says and decides about the entry there.
    #[inline]
    fn look_at_entry(&mut self, then: Then) -> Result<Then> {
        let stored = match then {
            Then::Stay => self.input.valid().then(|| self.input.key()),
            _ => self.input.next_key().inspect(|stored| count_input(&mut self.stats, stored)),
        };
        let Some(stored) = stored else {
            self.input.status()?;
            return Ok(Then::End);
        };
        if self.cancel.as_ref().is_some_and(|cancel| cancel.load(Ordering::Relaxed)) {
            return Err(Error::new(Code::ShutdownInProgress, "the compaction was cancelled"));
        }
        if let Some(interrupt) = &self.interrupt {
            interrupt()?;
        }
        let (user_key, trailer) = split(stored).ok_or_else(|| short_key(stored))?;
        let mut kind = ValueType::from_byte(trailer as u8).ok_or_else(|| unknown_type(trailer))?;
        let first = !self.has_key || !self.order.equal_user(user_key, user_key_of(&self.key));
        if first {
            self.has_key = true;
            self.hides = Hides::Nothing;
            self.kept = false;
        }
        self.key.clear();
        self.key.extend_from_slice(stored);
        let mut value_in = ValueIn::Input;
        if first && kind == ValueType::Value && self.filter.is_some() {
            match self.filter_value() {
                FilterDecision::Keep => {}
                FilterDecision::Remove => {
                    kind = ValueType::Deletion;
                    set_trailer(&mut self.key, pack_trailer(trailer >> 8, kind));
                    self.stats.num_record_drop_user += 1;
                }
                FilterDecision::ChangeValue(value) => {
                    self.changed = value;
                    value_in = ValueIn::Changed;
                }
                FilterDecision::RemoveAndSkipUntil(key) => return Ok(self.skip_until(&key)),
            }
        }
        let stripe = stripe_of(&self.snapshots, trailer >> 8);
        if std::mem::take(&mut self.clears_next) {
            self.hides = Hides::Stripe(stripe);
            return Ok(Then::Output(ValueIn::Empty));
        }
        if kind == ValueType::SingleDeletion {
            return self.single_delete(stripe);
        }
        if self.hides.hides(stripe, kind) {
            self.stats.num_record_drop_hidden += 1;
            return Ok(Then::Next);
        }
        match kind {
            ValueType::Value => {
                self.hides = Hides::Stripe(stripe);
                self.zero_sequence_if_safe(stripe);
                Ok(Then::Output(value_in))
            }
            ValueType::Deletion => self.delete(stripe),
            ValueType::Merge => match self.merge_operator.clone() {
                Some(operator) => self.fold(&*operator, stripe),
                None => Ok(self.keep_operand(trailer)),
            },
            other => Err(unsupported_entry(other)),
        }
    }

    /// Goes to the next entry of the input; its type and trailer if it is of the same user key.
    fn advance_within_key(&mut self) -> Result<Option<(ValueType, u64)>> {
        let Some(stored) = self.input.next_key() else {
            self.input.status()?;
            return Ok(None);
        };
        count_input(&mut self.stats, stored);
        let (user_key, trailer) = split(stored).ok_or_else(|| short_key(stored))?;
        if !self.order.equal_user(user_key, user_key_of(&self.key)) {
            return Ok(None);
        }
        let kind = ValueType::from_byte(trailer as u8).ok_or_else(|| unknown_type(trailer))?;
        Ok(Some((kind, trailer)))
    }

    /// Whether nothing older of the current key is outside the input.
    fn is_last_level(&mut self) -> bool {
        self.bottommost || (self.is_last_level_for_key)(user_key_of(&self.key))
    }

    /// C5, for the value in `key`.
    #[inline]
    fn zero_sequence_if_safe(&mut self, stripe: usize) {
        if self.bottommost && stripe == 0 {
            set_trailer(&mut self.key, pack_trailer(0, ValueType::Value));
        }
    }

    /// C7, for the tombstone in `key`.
    fn is_asked_about(&self) -> bool {
        !self.kept && crate::base::key::sequence(&self.key) > self.check_from
    }

    fn count_obsolete(&mut self) {
        self.stats.num_record_drop_obsolete += 1;
        self.stats.num_optimized_del_drop_obsolete += u64::from(!self.bottommost);
    }

    /// C2. If older readers may see something below, that has to be known first.
    fn delete(&mut self, stripe: usize) -> Result<Then> {
        self.hides = Hides::Stripe(stripe);
        if !self.is_last_level() {
            return Ok(Then::Output(ValueIn::Empty));
        }
        if stripe == 0 {
            self.count_obsolete();
            return Ok(Then::Next);
        }
        while let Some((_, trailer)) = self.advance_within_key()? {
            if stripe_of(&self.snapshots, trailer >> 8) != stripe {
                return Ok(Then::Output(ValueIn::Nowhere));
            }
            self.stats.num_record_drop_hidden += 1;
        }
        if self.is_asked_about() {
            return Ok(Then::Output(ValueIn::Nowhere));
        }
        self.count_obsolete();
        Ok(Then::Stay)
    }

    /// C4.
    fn single_delete(&mut self, stripe: usize) -> Result<Then> {
        let Some((kind, trailer)) = self.advance_within_key()? else {
            if self.is_asked_about() || !self.is_last_level() {
                return Ok(Then::Output(ValueIn::Nowhere));
            }
            self.stats.num_single_del_fallthru += 1;
            self.count_obsolete();
            return Ok(Then::Stay);
        };
        if stripe_of(&self.snapshots, trailer >> 8) != stripe {
            return Ok(Then::Output(ValueIn::Nowhere));
        }
        if kind == ValueType::Value && self.is_asked_about() {
            self.clears_next = true;
            return Ok(Then::Output(ValueIn::Nowhere));
        }
        if kind == ValueType::Value {
            self.stats.num_record_drop_hidden += 1;
            self.stats.num_record_drop_obsolete += 1;
            if self.hides != Hides::Stripe(stripe) {
                self.hides = Hides::ButTombstones(stripe);
            }
            return Ok(Then::Next);
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
                Ok(Then::Stay)
            }
            _ => {
                self.hides = Hides::Stripe(stripe);
                Ok(Then::Output(ValueIn::Nowhere))
            }
        }
    }

    /// C3, for an operand that nobody can fold.
    #[cold]
    fn keep_operand(&mut self, trailer: u64) -> Then {
        match self.filter_operand(trailer) {
            FilterDecision::Keep => Then::Output(ValueIn::Input),
            FilterDecision::ChangeValue(operand) => {
                self.changed = operand;
                Then::Output(ValueIn::Changed)
            }
            FilterDecision::Remove => {
                self.stats.num_record_drop_user += 1;
                // What follows is the newest of its key, unless something above it stays.
                self.has_key = self.kept;
                Then::Next
            }
            FilterDecision::RemoveAndSkipUntil(key) => self.skip_until(&key),
        }
    }

    /// C3, for the newest operand of a stripe, on which the input stands.
    fn fold(&mut self, operator: &dyn MergeOperator, stripe: usize) -> Result<Then> {
        self.hides = Hides::Stripe(stripe);
        self.operands.clear();
        self.trailers.clear();
        let mut base = None;
        let mut trailer = crate::base::key::trailer(&self.key);
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
            // All were filtered: what follows is the newest of its key.
            self.has_key = false;
            return Ok(Then::Stay);
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
                    count_input(&mut self.stats, stored);
                }
            }
            return Ok(Then::Output(ValueIn::Merged));
        }
        self.fold_partly(operator)
    }

    fn fold_partly(&mut self, operator: &dyn MergeOperator) -> Result<Then> {
        set_trailer(&mut self.key, self.trailers[0]);
        if self.operands.len() > 1 {
            let user_key = user_key_of(&self.key);
            let one = self.operands.partial_merge(operator, user_key, Collected::NewestFirst);
            if let Some(one) = one {
                self.merged = one;
                self.stats.num_record_merged += self.operands.len() as u64 - 1;
                return Ok(Then::Output(ValueIn::Merged));
            }
        }
        Ok(Then::Output(ValueIn::Operand(0)))
    }

    /// C6, for the value that the input stands on. A skip goes ahead.
    fn filter_value(&self) -> FilterDecision {
        let Some(Filter { hook, level }) = &self.filter else { return FilterDecision::Keep };
        let key = user_key_of(&self.key);
        self.only_ahead(self.timed(|| hook.filter(*level, key, self.input.value())))
    }

    /// C6, for the operand that the input stands on.
    #[inline]
    fn filter_operand(&self, trailer: u64) -> FilterDecision {
        let Some(Filter { hook, level }) = &self.filter else { return FilterDecision::Keep };
        if self.snapshots.last().is_some_and(|&newest| trailer >> 8 <= newest) {
            return FilterDecision::Keep;
        }
        let key = user_key_of(&self.key);
        let value = self.input.value();
        self.only_ahead(self.timed(|| hook.filter_merge_operand(*level, key, value)))
    }

    /// Asks the filter, whose time is noted if anybody asks for detailed times.
    #[inline]
    fn timed(&self, ask: impl FnOnce() -> FilterDecision) -> FilterDecision {
        let stats = self.statistics.as_deref().filter(|stats| stats.has_detailed_timers());
        let Some(stats) = stats else { return ask() };
        let start = Instant::now();
        let decision = ask();
        stats.add(Ticker::FilterOperationTotalTime, start.elapsed().as_nanos() as u64);
        decision
    }

    fn only_ahead(&self, decision: FilterDecision) -> FilterDecision {
        match &decision {
            FilterDecision::RemoveAndSkipUntil(to)
                if self.order.compare_user(to, user_key_of(&self.key)).is_le() =>
            {
                FilterDecision::Keep
            }
            _ => decision,
        }
    }

    /// Goes to `user_key`, past everything before.
    fn skip_until(&mut self, user_key: &[u8]) -> Then {
        self.has_key = false;
        let mut target = Vec::with_capacity(user_key.len() + TRAILER_SIZE);
        append_internal_key(&mut target, user_key, seek_trailer(MAX_SEQUENCE_NUMBER));
        self.input.seek(&target);
        if self.input.valid() {
            count_input(&mut self.stats, self.input.key());
        }
        Then::Stay
    }

    fn output_operand(&mut self, index: usize) {
        set_trailer(&mut self.key, self.trailers[index]);
        self.value_in = ValueIn::Operand(index);
        self.stats.num_output_records += 1;
    }
}

impl Hides {
    #[inline]
    fn hides(self, stripe: usize, kind: ValueType) -> bool {
        match self {
            Hides::Nothing => false,
            Hides::Stripe(hidden) => hidden == stripe,
            Hides::ButTombstones(hidden) => hidden == stripe && kind != ValueType::Deletion,
        }
    }
}

impl std::fmt::Debug for CompactionIter {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("CompactionIter")
            .field("snapshots", &self.snapshots)
            .field("bottommost", &self.bottommost)
            .field("valid", &self.valid)
            .field("stats", &self.stats)
            .field("error", &self.error)
            .finish_non_exhaustive()
    }
}

/// The stripe of a sequence number, counted from the oldest.
#[inline]
fn stripe_of(snapshots: &[SeqNo], seq: SeqNo) -> usize {
    if snapshots.is_empty() { 0 } else { snapshots.partition_point(|&s| s < seq) }
}

#[inline]
fn user_key_of(internal_key: &[u8]) -> &[u8] {
    &internal_key[..internal_key.len() - TRAILER_SIZE]
}

#[inline]
fn set_trailer(internal_key: &mut [u8], trailer: u64) {
    let at = internal_key.len() - TRAILER_SIZE;
    internal_key[at..].copy_from_slice(&trailer.to_le_bytes());
}

#[inline]
fn count_input(stats: &mut CompactionIterStats, stored: &[u8]) {
    stats.num_input_records += 1;
    stats.total_input_raw_key_bytes += stored.len() as u64;
    let kind = crate::base::key::trailer(stored) as u8;
    let tombstone = kind == ValueType::Deletion as u8 || kind == ValueType::SingleDeletion as u8;
    stats.num_input_deletion_records += u64::from(tombstone);
}

#[cfg(test)]
#[path = "compaction_iter_test.rs"]
mod tests;
