//! Decides which of the sorted entries a flush or compaction keeps.
//!
//! Snapshots divide the sequence numbers into stripes: `(..=s0] (s0..=s1] .. (sn..]`. Of the entries of one key in one
//! stripe, readers can see only the newest, since every reader that sees an older one also sees the newer one. The
//! rules, which are RocksDB's, follow from this:
//!
//! * **CI1** An entry is dropped if its stripe has a newer entry of its key (*hidden*). Exceptions are single deletes,
//!   and tombstones below a cancelled pair (CI4), because they hide deeper entries.
//! * **CI2** A tombstone is dropped if no older entry of its key is left, in the input or deeper (*obsolete*).
//! * **CI3** Operands are merged with the value or tombstone below them in their stripe, or with no value if the key
//!   has no older entries anywhere. Otherwise they are combined into one operand if the operator supports it, or else
//!   kept.
//!   Without a merge operator, all operands and the entry below them are kept: an operand hides nothing.
//! * **CI4** A single delete and the put below it in its stripe cancel each other: both are dropped. Any other entry
//!   below violates the rules of single deletes and counts as a mismatch: of two single deletes the newer is dropped;
//!   over a delete, the result is Corruption, or the single delete is dropped; over a merge it hides like a delete.
//! * **CI5** On the bottommost level, a value that every snapshot sees gets sequence number 0. By CI1 it is the only
//!   one of its key, and CI2 has dropped the tombstones, so the order does not change.
//! * **CI6** A compaction filter is called once per key with its newest version if that is a value, regardless
//!   of snapshots, and with operands that no snapshot sees. A removed value becomes a tombstone to which CI1 and CI2
//!   apply; a removed operand is treated as if it did not exist.
//! * **CI7** If no newer entry of a key is kept, a tombstone that transactions may ask about
//!   ([`CompactionIter::with_check_from`]) is kept despite CI2 and CI4. A put that it would cancel is kept with it,
//!   without its value, so that both can be dropped together later.
//!
//! Entries are returned in order, each key at most once. Values that are not merged are not copied.

mod filter;
mod rules;
mod settings;
mod stats;

pub use stats::CompactionIterStats;

use super::merge_helper::{MergeOperands, short_key, split, unknown_type, unsupported_entry};
use crate::base::key::{TRAILER_SIZE, pack_trailer};
use crate::base::{InternalIterator, KeyOrder, SeqNo, ValueType, WalkKey};
use crate::env::sync::atomic::{AtomicBool, Ordering};
use crate::error::{Code, Error, Result};
use crate::hooks::{FilterDecision, MergeOperator};
use crate::stats::Statistics;
use filter::Filter;
use rules::Hides;
use std::sync::Arc;

/// The location of the current value, and the position of the input.
#[derive(Clone, Copy, Debug)]
enum ValueIn {
    /// In the input, which is on the entry.
    Input,
    /// The value is empty; the input is still on the entry.
    Empty,
    /// In `changed`; the input is still on the entry.
    Changed,
    /// The value is empty; the input is past the entry.
    Nowhere,
    /// In `merged`; the input is past the entries.
    Merged,
    /// The operand with this index; the input is past the entries.
    Operand(usize),
}

/// The next step after an entry.
enum NextStep {
    /// Return it.
    Output(ValueIn),
    /// Advance the input and examine the next entry.
    Next,
    /// Examine the entry on which the input is.
    Stay,
    /// Stop: there is no further entry.
    End,
}

/// Called per entry; an error ends the iteration.
pub type Interrupt = Arc<dyn Fn() -> Result<()> + Send + Sync>;

type IsLastLevelForKey = Box<dyn FnMut(&[u8]) -> bool + Send>;

/// Iterates over the entries of an input that are kept, in order.
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
    /// The internal key of the output, or of the entry being examined.
    key: WalkKey,
    value_in: ValueIn,
    /// `key` is a key whose older entries may follow.
    has_key: bool,
    hides: Hides,
    /// An entry of this key was returned (CI7).
    kept: bool,
    /// The input is on a put that is kept without its value (CI7).
    clears_next: bool,
    merged: Vec<u8>,
    /// The value with which a filter replaced the original.
    changed: Vec<u8>,
    operands: MergeOperands,
    /// The trailers of `operands`.
    trailers: Vec<u64>,
    stats: CompactionIterStats,
    statistics: Option<Arc<Statistics>>,
    error: Option<Error>,
}

impl CompactionIter {
    /// Moves to the first entry to keep.
    pub fn seek_to_first(&mut self) {
        self.input.seek_to_first();
        self.start();
    }

    /// Moves to the first entry to keep at or after an internal key.
    pub fn seek(&mut self, target: &[u8]) {
        self.input.seek(target);
        self.start();
    }

    /// Whether the iterator is on an entry.
    #[inline]
    pub fn valid(&self) -> bool {
        self.valid
    }

    /// Returns the internal key to write.
    #[inline]
    pub fn key(&self) -> &[u8] {
        &self.key
    }

    /// Returns the value to write.
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

    /// Moves to the next entry to keep.
    #[inline]
    pub fn next(&mut self) {
        match self.value_in {
            ValueIn::Input | ValueIn::Empty | ValueIn::Changed => self.find_next(NextStep::Next),
            ValueIn::Operand(i) if i + 1 < self.operands.len() => self.output_operand(i + 1),
            _ => self.find_next(NextStep::Stay),
        }
    }

    /// Returns the error that ended the iteration, if any.
    pub fn status(&self) -> Result<()> {
        self.error.clone().map_or(Ok(()), Err)
    }

    /// Returns the counters so far.
    pub fn stats(&self) -> &CompactionIterStats {
        &self.stats
    }

    fn start(&mut self) {
        self.has_key = false;
        self.hides = Hides::Nothing;
        self.clears_next = false;
        self.error = None;
        if self.input.valid() {
            self.stats.count_input(self.input.key());
        }
        self.find_next(NextStep::Stay);
    }

    fn find_next(&mut self, mut then: NextStep) {
        self.valid = false;
        loop {
            match self.look_at_entry(then) {
                Ok(NextStep::Output(value_in)) => {
                    self.value_in = value_in;
                    self.kept = true;
                    self.stats.num_output_records += 1;
                    self.valid = true;
                    return;
                }
                Ok(NextStep::End) => return,
                Ok(go_on) => then = go_on,
                Err(e) => {
                    self.error = Some(e);
                    return;
                }
            }
        }
    }

    /// Moves the input as `then` requests and decides about the entry there.
    #[inline]
    fn look_at_entry(&mut self, then: NextStep) -> Result<NextStep> {
        let stored = match then {
            NextStep::Stay => self.input.valid().then(|| self.input.key()),
            _ => self.input.next_key().inspect(|stored| self.stats.count_input(stored)),
        };
        let Some(stored) = stored else {
            self.input.status()?;
            return Ok(NextStep::End);
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
        self.key.set(stored);
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
            return Ok(NextStep::Output(ValueIn::Empty));
        }
        if kind == ValueType::SingleDeletion {
            return self.single_delete(stripe);
        }
        if self.hides.hides(stripe, kind) {
            self.stats.num_record_drop_hidden += 1;
            return Ok(NextStep::Next);
        }
        match kind {
            ValueType::Value => {
                self.hides = Hides::Stripe(stripe);
                self.zero_sequence_if_safe(stripe);
                Ok(NextStep::Output(value_in))
            }
            ValueType::Deletion => self.delete(stripe),
            ValueType::Merge => match self.merge_operator.clone() {
                Some(operator) => self.fold(&*operator, stripe),
                None => Ok(self.keep_operand(trailer)),
            },
            other => Err(unsupported_entry(other)),
        }
    }

    /// Moves to the next entry of the input. Returns its type and trailer if it has the same user key.
    fn advance_within_key(&mut self) -> Result<Option<(ValueType, u64)>> {
        let Some(stored) = self.input.next_key() else {
            self.input.status()?;
            return Ok(None);
        };
        self.stats.count_input(stored);
        let (user_key, trailer) = split(stored).ok_or_else(|| short_key(stored))?;
        if !self.order.equal_user(user_key, user_key_of(&self.key)) {
            return Ok(None);
        }
        let kind = ValueType::from_byte(trailer as u8).ok_or_else(|| unknown_type(trailer))?;
        Ok(Some((kind, trailer)))
    }

    fn output_operand(&mut self, index: usize) {
        set_trailer(&mut self.key, self.trailers[index]);
        self.value_in = ValueIn::Operand(index);
        self.stats.num_output_records += 1;
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

/// Returns the stripe of a sequence number, counted from the oldest.
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

#[cfg(test)]
#[path = "compaction_iter_test.rs"]
mod tests;
