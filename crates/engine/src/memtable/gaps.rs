//! Gaps: ranges of keys in which readers found nothing, so that later readers need not walk through the tombstones.
//!
//! A queue deletes at its head and appends at its tail. Every search for the head meets all tombstones since the last
//! compaction, in memtables and in tables. An iterator that has walked through many dead entries therefore notes the
//! range, and later ones jump over it. The range is a statement about the family's content at sequence numbers, so
//! flushes and compactions do not affect it.
//!
//! A note becomes a gap in two walks, since a write may be on its way while the first one notes its range:
//!
//! 1. **Propose**: an iterator finds nothing in the range and proposes it. Then the newest allocated sequence number
//!    `after` is read under the write lock. Writers with larger numbers take the lock later, so they see the proposal.
//! 2. **Confirm**: an iterator at a number `t >= after` finds nothing in the range, either. It has seen all writes up
//!    to `after`, and later ones remove the proposal. Now the range is a gap for iterators at `t` and later.
//!
//! * **GA1** Before a put or a merge of a key is inserted, and so before it is visible, its writer has removed the key
//!   from all gaps and proposals that it can see ([`Gaps::written`]). Deletions need no check.
//! * **GA2** A writer whose number is above `after` of a proposal sees it: the proposal was made before the lock was
//!   taken to read `after`, and the writer's number was allocated under the lock later.
//! * **GA3** A gap `since t` has no key that is visible at `t`, and every later put or merge in it has removed its key
//!   before it became visible. So an iterator at `u >= t` may jump: it has loaded `u` after the writes up to `u` were
//!   published, and so sees their removals.
//! * **GA4** Content that appears or vanishes by other ways than writes (ingested files, deleted files) gets a new
//!   content number with its super-version. Gaps and proposals belong to one content number, and iterators use and make
//!   only those of their own super-version.
//!
//! Single deletions end a walk without a note: if they are misused, older puts come back in compactions.

use crate::base::{KeyOrder, SeqNo};
use crate::env::sync::std_atomic::{AtomicUsize, Ordering};
use crate::env::sync::{OnceLock, RwLock};
use std::sync::{Arc, Weak};

/// The number of gaps and of proposals of a family, each.
const GAPS_MAX: usize = 32;
/// Ranges with longer keys are not noted.
const KEY_MAX: usize = 4 << 10;

/// Allocates sequence numbers to writes.
pub trait SequenceAllocator: Send + Sync {
    /// Returns the newest allocated sequence number, read under the lock that writers take to allocate; `None` if the
    /// lock is not free.
    fn newest_allocated(&self) -> Option<SeqNo>;
}

/// The allocator of a database, known once the database is open.
#[derive(Default)]
pub struct AllocatorCell(OnceLock<Weak<dyn SequenceAllocator>>);

impl AllocatorCell {
    /// Sets the allocator. Only the first call has an effect.
    pub fn set(&self, allocator: Weak<dyn SequenceAllocator>) {
        let _ = self.0.set(allocator);
    }

    fn newest_allocated(&self) -> Option<SeqNo> {
        self.0.get()?.upgrade()?.newest_allocated()
    }
}

/// Keys from `start` on, up to `end`, which is not included.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Range {
    start: Vec<u8>,
    end: Vec<u8>,
}

#[derive(Debug)]
struct Gap {
    range: Range,
    since: SeqNo,
}

#[derive(Debug)]
struct Proposal {
    /// Tells it apart from an equal one that was made after this one was removed.
    id: u64,
    range: Range,
    /// Unknown until the write lock was free.
    after: Option<SeqNo>,
}

#[derive(Debug, Default)]
struct Noted {
    /// What the ranges belong to (GA4).
    content: u64,
    /// Disjoint, in no order.
    gaps: Vec<Gap>,
    /// The oldest first.
    proposals: Vec<Proposal>,
    next_id: u64,
}

/// The gaps of a column family.
pub struct Gaps {
    order: KeyOrder,
    allocator: Arc<AllocatorCell>,
    /// The number of gaps and proposals. Mostly 0, and then nobody looks further.
    count: AtomicUsize,
    noted: RwLock<Noted>,
}

impl Gaps {
    /// Creates the gaps of a family whose keys have this order. Without an allocator, proposals stay proposals.
    pub fn new(order: KeyOrder, allocator: Arc<AllocatorCell>) -> Gaps {
        Gaps { order, allocator, count: AtomicUsize::new(0), noted: RwLock::default() }
    }

    /// Removes a key that is about to be put or merged from all ranges (GA1).
    #[inline]
    pub fn written(&self, key: &[u8]) {
        // Relaxed: a writer that must see a proposal has taken the write lock after it was made (GA2).
        if self.count.load(Ordering::Relaxed) != 0 {
            self.remove(key);
        }
    }

    /// Returns the end of the gap around a key, for an iterator at this sequence number and of this content: there is
    /// no visible key from `key` up to the end. Replaces `end` by it and returns true.
    #[inline]
    pub fn find_end(&self, key: &[u8], seq: SeqNo, content: u64, end: &mut Vec<u8>) -> bool {
        self.count.load(Ordering::Relaxed) != 0 && self.find_end_of(key, seq, content, end)
    }

    #[cold]
    fn find_end_of(&self, key: &[u8], seq: SeqNo, content: u64, end: &mut Vec<u8>) -> bool {
        let noted = self.noted.read();
        let is_around = |gap: &&Gap| gap.since <= seq && gap.range.contains(&self.order, key);
        match noted.gaps.iter().filter(|_| noted.content == content).find(is_around) {
            Some(gap) => {
                end.clear();
                end.extend_from_slice(&gap.range.end);
                true
            }
            None => false,
        }
    }

    /// Notes that an iterator at this sequence number and of this content found nothing from `start` up to `end`, and
    /// that it was a long way.
    #[cold]
    pub fn note(&self, start: &[u8], end: &[u8], seq: SeqNo, content: u64) {
        if start.len().max(end.len()) > KEY_MAX || self.order.compare_user(start, end).is_ge() {
            return;
        }
        let range = Range { start: start.to_vec(), end: end.to_vec() };
        let mut noted = self.noted.write();
        if noted.content > content {
            return;
        }
        if noted.content < content {
            let next_id = noted.next_id;
            *noted = Noted { content, next_id, ..Noted::default() };
        }
        let unnumbered = noted.confirm_or_propose(&self.order, range, seq);
        self.count.store(noted.gaps.len() + noted.proposals.len(), Ordering::Relaxed);
        drop(noted);
        // The proposal can be seen from here on, so the number may be read now (GA2).
        if let Some(id) = unnumbered
            && let Some(after) = self.allocator.newest_allocated()
        {
            let mut noted = self.noted.write();
            if let Some(ours) = noted.proposals.iter_mut().find(|it| it.id == id) {
                ours.after.get_or_insert(after);
            }
        }
    }

    #[cold]
    fn remove(&self, key: &[u8]) {
        let order = &self.order;
        let noted = self.noted.read();
        let is_in = noted.gaps.iter().any(|gap| gap.range.contains(order, key))
            || noted.proposals.iter().any(|proposal| proposal.range.contains(order, key));
        drop(noted);
        if !is_in {
            return;
        }
        let mut noted = self.noted.write();
        noted.proposals.retain(|proposal| !proposal.range.contains(order, key));
        while let Some(at) = noted.gaps.iter().position(|gap| gap.range.contains(order, key)) {
            let gap = noted.gaps.swap_remove(at);
            let parts = gap.range.without(order, key);
            noted.gaps.extend(parts.into_iter().map(|range| Gap { range, since: gap.since }));
        }
        noted.gaps.truncate(GAPS_MAX);
        self.count.store(noted.gaps.len() + noted.proposals.len(), Ordering::Relaxed);
    }
}

impl Range {
    fn contains(&self, order: &KeyOrder, key: &[u8]) -> bool {
        order.compare_user(&self.start, key).is_le() && order.compare_user(key, &self.end).is_lt()
    }

    fn is_within(&self, order: &KeyOrder, other: &Range) -> bool {
        order.compare_user(&other.start, &self.start).is_le()
            && order.compare_user(&self.end, &other.end).is_le()
    }

    /// Whether the two ranges overlap, or one begins where the other ends.
    fn touches(&self, order: &KeyOrder, other: &Range) -> bool {
        order.compare_user(&self.start, &other.end).is_le()
            && order.compare_user(&other.start, &self.end).is_le()
    }

    /// Returns the parts before and after a key in the range.
    fn without(self, order: &KeyOrder, key: &[u8]) -> Vec<Range> {
        let mut parts = Vec::new();
        // Bytewise, nothing is between a key and the key with a zero byte behind it. Other orders do not say.
        if order.is_bytewise() {
            let start = [key, b"\0"].concat();
            if order.compare_user(&start, &self.end).is_lt() {
                parts.push(Range { start, end: self.end });
            }
        }
        if order.compare_user(&self.start, key).is_lt() {
            parts.push(Range { start: self.start, end: key.to_vec() });
        }
        parts
    }

    fn join(&mut self, order: &KeyOrder, other: Range) {
        if order.compare_user(&other.start, &self.start).is_lt() {
            self.start = other.start;
        }
        if order.compare_user(&self.end, &other.end).is_lt() {
            self.end = other.end;
        }
    }
}

impl Noted {
    /// Confirms the proposals that lie within a range in which an iterator at `seq` found nothing. If there is none,
    /// proposes the range. Returns the id of a proposal of this range that needs a number.
    fn confirm_or_propose(&mut self, order: &KeyOrder, range: Range, seq: SeqNo) -> Option<u64> {
        let is_due = |it: &mut Proposal| {
            it.after.is_some_and(|after| after <= seq) && it.range.is_within(order, &range)
        };
        let confirmed: Vec<Proposal> = self.proposals.extract_if(.., is_due).collect();
        if !confirmed.is_empty() {
            confirmed.into_iter().for_each(|it| self.add(order, it.range, seq));
            return None;
        }
        if let Some(same) = self.proposals.iter().find(|it| it.range == range) {
            // It waits for its number, or for an iterator that is new enough.
            return same.after.is_none().then_some(same.id);
        }
        // A proposal that never gets its number, or is never walked again, makes room.
        if self.proposals.len() >= GAPS_MAX {
            self.proposals.remove(0);
        }
        let id = self.next_id;
        self.next_id += 1;
        self.proposals.push(Proposal { id, range, after: None });
        Some(id)
    }

    /// Adds a gap, joined with the gaps that it touches.
    fn add(&mut self, order: &KeyOrder, mut range: Range, mut since: SeqNo) {
        while let Some(at) = self.gaps.iter().position(|gap| gap.range.touches(order, &range)) {
            let gap = self.gaps.swap_remove(at);
            since = since.max(gap.since);
            range.join(order, gap.range);
        }
        if self.gaps.len() >= GAPS_MAX {
            self.gaps.remove(0);
        }
        self.gaps.push(Gap { range, since });
    }
}

#[cfg(test)]
#[path = "gaps_test.rs"]
mod tests;
