//! The keys that a transaction answers for.

use crate::base::SeqNo;
use std::collections::BTreeMap;

/// What is known of a tracked key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Tracked {
    /// Nobody else wrote the key up to here; a later write is a conflict.
    pub(super) seq: SeqNo,
    /// Touched by a write or an exclusive read.
    pub(super) exclusive: bool,
}

/// A key and its column family.
pub(super) type FamilyKey = (u32, Vec<u8>);

/// The tracked keys, with save points.
#[derive(Debug, Default)]
pub(super) struct TrackedKeys {
    keys: BTreeMap<FamilyKey, Tracked>,
    /// Per save point, the keys first tracked after it.
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

    /// Adds a key, or adds to what is known of it: the older sequence number counts.
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

    /// Forgets the newest save point; what came after it belongs to the one before.
    pub(super) fn pop_save_point(&mut self) {
        let since = self.saved.pop().unwrap_or_default();
        if let Some(before) = self.saved.last_mut() {
            before.extend(since);
        }
    }

    /// Goes back to the newest save point; gives the keys that are tracked no more.
    pub(super) fn rollback(&mut self) -> Vec<FamilyKey> {
        let since = self.saved.pop().unwrap_or_default();
        for place in &since {
            self.keys.remove(place);
        }
        since
    }

    /// Forgets all.
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
