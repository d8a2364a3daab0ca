//! The parts of a compaction: ranges of user keys that sub-compactions write independently.

use super::plan::CompactionPlan;
use crate::base::key::{append_internal_key, seek_trailer, user_key};
use crate::base::{InternalIterator, KeyOrder, MAX_SEQUENCE_NUMBER};
use crate::error::Result;
use crate::iter::CompactionIter;

/// The user keys in `[begin, end)`; `None` is unbounded.
#[derive(Clone, Debug, Default)]
pub(super) struct Part {
    pub(super) begin: Option<Vec<u8>>,
    pub(super) end: Option<Vec<u8>>,
}

/// Divides the key range of a plan into at most `most` parts that read about the same number of bytes. Each part begins
/// at the smallest key of an input file. The output on level 0 must be one file, so it is one part.
pub(super) fn parts(plan: &CompactionPlan, order: &KeyOrder, most: usize) -> Vec<Part> {
    let mut files: Vec<(&[u8], u64)> =
        plan.input_files().map(|(_, file)| (user_key(&file.smallest), file.file_size)).collect();
    let wanted = most.min(files.len()).max(1);
    if wanted == 1 || plan.output_level == 0 {
        return vec![Part::default()];
    }
    files.sort_by(|a, b| order.compare_user(a.0, b.0));
    let share = files.iter().map(|(_, size)| size).sum::<u64>() / wanted as u64;
    let mut parts = Vec::with_capacity(wanted);
    // The beginning of the part whose bytes are being counted.
    let (mut first, mut bytes) = (files[0].0, 0);
    let mut begin = None;
    for (key, size) in files {
        if bytes >= share && parts.len() + 1 < wanted && order.compare_user(first, key).is_lt() {
            parts.push(Part { begin: begin.take(), end: Some(key.to_vec()) });
            begin = Some(key.to_vec());
            (first, bytes) = (key, 0);
        }
        bytes += size;
    }
    parts.push(Part { begin, end: None });
    parts
}

impl Part {
    /// Returns the input without the entries after the part.
    pub(super) fn limit(
        &self,
        order: &KeyOrder,
        input: Box<dyn InternalIterator>,
    ) -> Box<dyn InternalIterator> {
        match &self.end {
            None => input,
            Some(end) => Box::new(Before::new(order.clone(), input, end)),
        }
    }

    /// Moves to the first entry of the part to keep.
    pub(super) fn seek_to_first(&self, entries: &mut CompactionIter) {
        match &self.begin {
            None => entries.seek_to_first(),
            Some(begin) => entries.seek(&first_internal_key(begin)),
        }
    }
}

/// Returns the internal key that sorts before all entries of a user key.
fn first_internal_key(user_key: &[u8]) -> Vec<u8> {
    let mut key = Vec::with_capacity(user_key.len() + 8);
    append_internal_key(&mut key, user_key, seek_trailer(MAX_SEQUENCE_NUMBER));
    key
}

/// An iterator that ends before a user key. So only this part counts the entries that it drops, and shows its entries
/// to a filter.
struct Before {
    order: KeyOrder,
    inner: Box<dyn InternalIterator>,
    /// The internal key that sorts before all entries of the user key.
    end: Vec<u8>,
    /// Whether `inner` is on an entry before the end.
    valid: bool,
}

impl Before {
    fn new(order: KeyOrder, inner: Box<dyn InternalIterator>, end: &[u8]) -> Before {
        Before { order, inner, end: first_internal_key(end), valid: false }
    }

    #[inline]
    fn check(&mut self) {
        self.valid = self.inner.valid()
            && self.order.compare_user(user_key(self.inner.key()), user_key(&self.end)).is_lt();
    }
}

impl InternalIterator for Before {
    fn valid(&self) -> bool {
        self.valid
    }
    fn seek_to_first(&mut self) {
        self.inner.seek_to_first();
        self.check();
    }
    fn seek_to_last(&mut self) {
        self.inner.seek_for_prev(&self.end);
        self.check();
    }
    fn seek(&mut self, target: &[u8]) {
        self.inner.seek(target);
        self.check();
    }
    fn seek_for_prev(&mut self, target: &[u8]) {
        let is_behind = self.order.compare(target, &self.end).is_ge();
        self.inner.seek_for_prev(if is_behind { &self.end } else { target });
        self.check();
    }
    fn next(&mut self) {
        self.inner.next();
        self.check();
    }
    fn prev(&mut self) {
        self.inner.prev();
        self.check();
    }
    fn key(&self) -> &[u8] {
        self.inner.key()
    }
    fn value(&self) -> &[u8] {
        self.inner.value()
    }
    fn status(&self) -> Result<()> {
        self.inner.status()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::ValueType;
    use crate::iter::testing::Conformance;
    use crate::iter::vec_iter::{Entry, VecIter, ikey};

    #[test]
    fn an_input_ends_where_its_part_ends() {
        let order = KeyOrder::bytewise();
        let entry = |i: u8| (ikey(&[i / 3], 100 - u64::from(i), ValueType::Value), vec![i]);
        let entries: Vec<Entry> = (0..60).map(entry).collect();
        for end in [0, 1, 7, 19, 20, 50] {
            let before = &entries[..(usize::from(end) * 3).min(60)];
            Conformance::new(order.clone(), before).check(|| {
                let input = Box::new(VecIter::new(order.clone(), entries.clone()));
                Part { begin: None, end: Some(vec![end]) }.limit(&order, input)
            });
        }
    }
}
