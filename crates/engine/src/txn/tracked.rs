//! The keys that a transaction has used and checks for conflicts.

use crate::base::SeqNo;
use std::collections::BTreeMap;

/// The state of a tracked key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Tracked {
    /// No other transaction wrote the key up to this sequence number. A later write is a conflict.
    pub(super) seq: SeqNo,
    /// Whether the key was used by a write or an exclusive read.
    pub(super) exclusive: bool,
}

/// A key and its column family.
pub(super) type FamilyKey = (u32, Vec<u8>);

/// The tracked keys, with save points.
#[derive(Debug, Default)]
pub(super) struct TrackedKeys {
    keys: BTreeMap<FamilyKey, Tracked>,
    /// For each save point, the keys first tracked after it.
    saved: Vec<Vec<FamilyKey>>,
}

impl TrackedKeys {
    pub(super) fn get(&self, place: &FamilyKey) -> Option<Tracked> {
        self.keys.get(place).copied()
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = (&FamilyKey, &Tracked)> {
        self.keys.iter()
    }

    pub(super) fn len(&self) -> usize {
        self.keys.len()
    }

    /// Adds a key or updates a tracked one. Of two sequence numbers, the older one is kept.
    pub(super) fn track(&mut self, place: FamilyKey, seq: SeqNo, exclusive: bool) {
        if let Some(tracked) = self.keys.get_mut(&place) {
            tracked.seq = tracked.seq.min(seq);
            tracked.exclusive |= exclusive;
            return;
        }
        if let Some(since) = self.saved.last_mut() {
            since.push(place.clone());
        }
        self.keys.insert(place, Tracked { seq, exclusive });
    }

    pub(super) fn set_save_point(&mut self) {
        self.saved.push(Vec::new());
    }

    /// Removes the newest save point. Keys tracked since then belong to the previous one.
    pub(super) fn pop_save_point(&mut self) {
        let since = self.saved.pop().unwrap_or_default();
        if let Some(before) = self.saved.last_mut() {
            before.extend(since);
        }
    }

    /// Rolls back to the newest save point. Returns the keys that are no longer tracked.
    pub(super) fn rollback(&mut self) -> Vec<FamilyKey> {
        let since = self.saved.pop().unwrap_or_default();
        for place in &since {
            self.keys.remove(place);
        }
        since
    }

    /// Removes and returns all keys.
    pub(super) fn take(&mut self) -> Vec<FamilyKey> {
        self.saved.clear();
        std::mem::take(&mut self.keys).into_keys().collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rollback_frees_what_was_first_touched_after_the_save_point() {
        let mut keys = TrackedKeys::default();
        let place = |k: &[u8]| (0, k.to_vec());
        keys.track(place(b"a"), 5, false);
        keys.set_save_point();
        keys.track(place(b"a"), 3, true);
        keys.track(place(b"b"), 7, true);
        keys.set_save_point();
        keys.track(place(b"c"), 9, true);
        keys.pop_save_point();
        assert_eq!(keys.rollback(), [place(b"b"), place(b"c")]);
        assert_eq!(keys.get(&place(b"a")), Some(Tracked { seq: 3, exclusive: true }));
        assert_eq!(keys.len(), 1);
    }
}
