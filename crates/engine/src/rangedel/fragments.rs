//! Fragments: range tombstones cut into pieces that do not overlap.
//!
//! ```text
//! [a .......... m) @ 7            a      f      m      t
//!        [f ............ t) @ 4   | 7    | 7 4  | 4    |
//! ```
//! Fragments are immutable. All keys are in one buffer, so thousands of fragments need three
//! allocations.

use crate::base::{KeyOrder, SeqNo};
use crate::error::{Error, Result};
use std::cmp::Ordering;
use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Arc;

/// One tombstone as written: it deletes the keys in `[begin, end)`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Tombstone<'a> {
    /// The first key.
    pub begin: &'a [u8],
    /// The exclusive end key.
    pub end: &'a [u8],
    /// The sequence number of the write.
    pub seq: SeqNo,
}

/// The maximum number of sequence numbers in fragments. Tombstones that all overlap each other
/// produce about half the square of their number, and a file must not make a reader allocate that
/// much.
const SEQS_MAX: usize = 1 << 24;

/// Disjoint fragments in key order.
pub struct Fragments {
    order: KeyOrder,
    keys: Vec<u8>,
    parts: Vec<Part>,
    /// The sequence numbers of each part, descending.
    seqs: Vec<SeqNo>,
    /// The number of original tombstones.
    tombstones: usize,
}

/// The location of a fragment's keys and sequence numbers.
#[derive(Clone)]
struct Part {
    begin: Range<usize>,
    end: Range<usize>,
    seqs: Range<usize>,
}

/// A fragment: the keys in `[begin, end)`, and its tombstones.
#[derive(Clone, Copy, Debug)]
pub struct FragmentRef<'a> {
    /// The first key.
    pub begin: &'a [u8],
    /// The exclusive end key.
    pub end: &'a [u8],
    /// The sequence numbers of its tombstones, descending; never empty.
    pub seqs: &'a [SeqNo],
}

impl FragmentRef<'_> {
    /// The sequence number of the newest tombstone that a reader at `at` sees; 0 if there is none.
    #[inline]
    pub fn newest_at(&self, at: SeqNo) -> SeqNo {
        match self.seqs.first() {
            Some(&newest) if newest <= at => newest,
            _ => self.seqs.get(self.seqs.partition_point(|&s| s > at)).copied().unwrap_or(0),
        }
    }
}

impl Fragments {
    /// Cuts tombstones, in any order, into fragments. Empty ranges are skipped.
    pub fn new<'a>(
        order: &KeyOrder,
        tombstones: impl IntoIterator<Item = Tombstone<'a>>,
    ) -> Fragments {
        Sweep::new(order, tombstones).run(None)
    }

    /// [`Fragments::new`] for tombstones from a file, which may contain many that all overlap.
    pub fn from_file<'a>(
        order: &KeyOrder,
        tombstones: impl IntoIterator<Item = Tombstone<'a>>,
    ) -> Result<Fragments> {
        let sweep = Sweep::new(order, tombstones);
        if sweep.count_seqs() > SEQS_MAX {
            return Err(Error::corruption(format!(
                "range deletions: {} overlap too often: expected at most {SEQS_MAX} fragments",
                sweep.tombstones.len()
            )));
        }
        Ok(sweep.run(None))
    }

    /// Keeps, in each fragment, only the newest tombstone between two of the `snapshots`
    /// (ascending), since no reader can distinguish the others from it. Adjacent fragments that
    /// become equal are merged.
    pub fn for_snapshots<'a>(
        order: &KeyOrder,
        tombstones: impl IntoIterator<Item = Tombstone<'a>>,
        snapshots: &[SeqNo],
    ) -> Fragments {
        Sweep::new(order, tombstones).run(Some(snapshots))
    }

    /// The union of several sets of fragments.
    pub fn joined(order: &KeyOrder, all: &[Arc<Fragments>]) -> Fragments {
        let mut joined = Fragments::new(order, all.iter().flat_map(|one| one.tombstones()));
        joined.tombstones = all.iter().map(|one| one.tombstones).sum();
        joined
    }

    /// The number of fragments.
    pub fn len(&self) -> usize {
        self.parts.len()
    }

    /// Whether there are no fragments.
    pub fn is_empty(&self) -> bool {
        self.parts.is_empty()
    }

    /// The number of original tombstones.
    pub fn num_tombstones(&self) -> usize {
        self.tombstones
    }

    /// The memory in use, in bytes.
    pub fn memory_usage(&self) -> usize {
        size_of::<Fragments>()
            + self.keys.capacity()
            + self.parts.capacity() * size_of::<Part>()
            + self.seqs.capacity() * size_of::<SeqNo>()
    }

    /// Fragment number `i`.
    #[inline]
    pub fn get(&self, i: usize) -> Option<FragmentRef<'_>> {
        self.parts.get(i).map(|part| FragmentRef {
            begin: &self.keys[part.begin.clone()],
            end: &self.keys[part.end.clone()],
            seqs: &self.seqs[part.seqs.clone()],
        })
    }

    /// All fragments in order.
    pub fn iter(&self) -> impl Iterator<Item = FragmentRef<'_>> {
        (0..self.len()).filter_map(|i| self.get(i))
    }

    /// The ranges of deleted keys, regardless of the tombstones; adjacent fragments are merged.
    pub fn ranges(&self) -> Vec<(&[u8], &[u8])> {
        let mut ranges: Vec<(&[u8], &[u8])> = Vec::new();
        for f in self.iter() {
            match ranges.last_mut() {
                Some((_, end)) if self.order.equal_user(end, f.begin) => *end = f.end,
                _ => ranges.push((f.begin, f.end)),
            }
        }
        ranges
    }

    /// One tombstone per fragment and sequence number, in the order of internal keys.
    pub fn tombstones(&self) -> impl Iterator<Item = Tombstone<'_>> {
        self.iter().flat_map(|f| {
            f.seqs.iter().map(move |&seq| Tombstone { begin: f.begin, end: f.end, seq })
        })
    }

    /// The index of the first fragment that ends after `user_key`.
    #[inline]
    pub fn find(&self, user_key: &[u8]) -> usize {
        self.parts.partition_point(|part| {
            self.order.compare_user(&self.keys[part.end.clone()], user_key) != Ordering::Greater
        })
    }

    /// The sequence number of the newest tombstone over `user_key` that a reader at `at` sees; 0 if
    /// there is none.
    #[inline]
    pub fn newest_over(&self, user_key: &[u8], at: SeqNo) -> SeqNo {
        match self.get(self.find(user_key)) {
            Some(f) if self.order.compare_user(f.begin, user_key) != Ordering::Greater => {
                f.newest_at(at)
            }
            _ => 0,
        }
    }

    /// The newest and the oldest tombstone over `user_key`.
    #[cfg(any(test, debug_assertions))]
    pub fn extremes_over(&self, user_key: &[u8]) -> Option<(SeqNo, SeqNo)> {
        let f = self.get(self.find(user_key))?;
        let begins = self.order.compare_user(f.begin, user_key) != Ordering::Greater;
        begins.then(|| f.seqs.first().copied().zip(f.seqs.last().copied())).flatten()
    }

    /// The fragments clipped to `[lower, upper)`; `None` is unbounded.
    #[must_use]
    pub fn clipped(&self, lower: Option<&[u8]>, upper: Option<&[u8]>) -> Fragments {
        self.filtered(lower, upper, |_, _| true)
    }

    /// The fragments clipped to `[lower, upper)`, with only the tombstones that `keep` accepts.
    #[must_use]
    pub fn filtered(
        &self,
        lower: Option<&[u8]>,
        upper: Option<&[u8]>,
        mut keep: impl FnMut(&FragmentRef<'_>, SeqNo) -> bool,
    ) -> Fragments {
        let mut out = Fragments::empty(&self.order);
        let first = lower.map_or(0, |lower| self.find(lower));
        for f in (first..self.len()).filter_map(|i| self.get(i)) {
            if upper.is_some_and(|upper| self.order.compare_user(f.begin, upper).is_ge()) {
                break;
            }
            let Some(inside) = clip(&self.order, f, lower, upper) else { continue };
            let kept: Vec<SeqNo> = f.seqs.iter().copied().filter(|&s| keep(&inside, s)).collect();
            if !kept.is_empty() {
                out.push(inside.begin, inside.end, kept.into_iter(), false);
            }
        }
        out.tombstones = out.seqs.len();
        out
    }

    fn empty(order: &KeyOrder) -> Fragments {
        Fragments {
            order: order.clone(),
            keys: Vec::new(),
            parts: Vec::new(),
            seqs: Vec::new(),
            tombstones: 0,
        }
    }

    /// Appends a fragment. With `join`, a fragment that continues the last one with the same
    /// tombstones extends it.
    fn push(&mut self, begin: &[u8], end: &[u8], seqs: impl Iterator<Item = SeqNo>, join: bool) {
        let first_seq = self.seqs.len();
        self.seqs.extend(seqs);
        let touches = self.parts.last().is_some_and(|last| self.keys[last.end.clone()] == *begin);
        if join
            && touches
            && let Some(last) = self.parts.last_mut()
            && self.seqs[last.seqs.clone()] == self.seqs[first_seq..]
        {
            self.seqs.truncate(first_seq);
            if last.end.end == self.keys.len() {
                self.keys.truncate(last.end.start);
            }
            last.end = append(&mut self.keys, end);
            return;
        }
        let begin = match self.parts.last() {
            Some(last) if touches => last.end.clone(),
            _ => append(&mut self.keys, begin),
        };
        let end = append(&mut self.keys, end);
        self.parts.push(Part { begin, end, seqs: first_seq..self.seqs.len() });
    }
}

impl std::fmt::Debug for Fragments {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let text = |key: &[u8]| key.escape_ascii().to_string();
        f.debug_list()
            .entries(self.iter().map(|p| (text(p.begin), text(p.end), p.seqs.to_vec())))
            .finish()
    }
}

fn append(keys: &mut Vec<u8>, key: &[u8]) -> Range<usize> {
    let start = keys.len();
    keys.extend_from_slice(key);
    start..keys.len()
}

/// The part of a fragment in `[lower, upper)`, if there is one.
fn clip<'a>(
    order: &KeyOrder,
    f: FragmentRef<'a>,
    lower: Option<&'a [u8]>,
    upper: Option<&'a [u8]>,
) -> Option<FragmentRef<'a>> {
    let begin = lower.filter(|l| order.compare_user(l, f.begin).is_gt()).unwrap_or(f.begin);
    let end = upper.filter(|u| order.compare_user(u, f.end).is_lt()).unwrap_or(f.end);
    order.compare_user(begin, end).is_lt().then_some(FragmentRef { begin, end, seqs: f.seqs })
}

/// A sweep over all begins and ends in order, which tracks the tombstones over the current
/// position.
struct Sweep<'a, 'o> {
    order: &'o KeyOrder,
    /// Sorted by begin.
    tombstones: Vec<Tombstone<'a>>,
    /// Sorted by end.
    by_end: Vec<Tombstone<'a>>,
}

impl<'a, 'o> Sweep<'a, 'o> {
    fn new(
        order: &'o KeyOrder,
        tombstones: impl IntoIterator<Item = Tombstone<'a>>,
    ) -> Sweep<'a, 'o> {
        let mut tombstones: Vec<_> =
            tombstones.into_iter().filter(|t| order.compare_user(t.begin, t.end).is_lt()).collect();
        tombstones.sort_by(|a, b| order.compare_user(a.begin, b.begin));
        let mut by_end = tombstones.clone();
        by_end.sort_by(|a, b| order.compare_user(a.end, b.end));
        Sweep { order, tombstones, by_end }
    }

    /// Calls `each` for every piece between two neighbouring boundaries that tombstones cover. The
    /// map counts them by sequence number, since those of an ingested file share one.
    fn pieces(&self, mut each: impl FnMut(&[u8], &[u8], &BTreeMap<SeqNo, usize>)) {
        let mut above = BTreeMap::<SeqNo, usize>::new();
        let (mut begins, mut ends) = (self.tombstones.iter().peekable(), self.by_end.iter());
        let mut next_end = ends.next();
        let mut from: &[u8] = &[];
        while let Some(ending) = next_end {
            let is_begin = |t: &&&Tombstone<'_>| {
                self.order.compare_user(t.begin, ending.end) == Ordering::Less
            };
            let at = begins.peek().filter(is_begin).map_or(ending.end, |t| t.begin);
            if !above.is_empty() && self.order.compare_user(from, at).is_lt() {
                each(from, at, &above);
            }
            from = at;
            if let Some(t) = begins.next_if(|t| is_begin(&t)) {
                *above.entry(t.seq).or_insert(0) += 1;
                continue;
            }
            if let Some(count) = above.get_mut(&ending.seq) {
                *count -= 1;
                if *count == 0 {
                    above.remove(&ending.seq);
                }
            }
            next_end = ends.next();
        }
    }

    fn count_seqs(&self) -> usize {
        let mut sum = 0usize;
        self.pieces(|_, _, above| sum = sum.saturating_add(above.len()));
        sum
    }

    fn run(&self, snapshots: Option<&[SeqNo]>) -> Fragments {
        let mut out = Fragments::empty(self.order);
        self.pieces(|begin, end, above| match snapshots {
            None => out.push(begin, end, above.keys().rev().copied(), false),
            Some(snapshots) => {
                out.push(begin, end, newest_per_stripe(above, snapshots).into_iter(), true);
            }
        });
        out.tombstones = self.tombstones.len();
        out.keys.shrink_to_fit();
        out.parts.shrink_to_fit();
        out.seqs.shrink_to_fit();
        out
    }
}

/// The newest sequence number of each stripe, descending.
fn newest_per_stripe(above: &BTreeMap<SeqNo, usize>, snapshots: &[SeqNo]) -> Vec<SeqNo> {
    let mut kept = Vec::new();
    let mut newest = above.last_key_value().map(|(seq, _)| *seq);
    while let Some(seq) = newest {
        kept.push(seq);
        let older = snapshots.partition_point(|&s| s < seq).checked_sub(1);
        let reader = older.and_then(|i| snapshots.get(i));
        newest = reader.and_then(|&at| above.range(..=at).next_back()).map(|(seq, _)| *seq);
    }
    kept
}

#[cfg(test)]
#[path = "fragments_test.rs"]
mod tests;
