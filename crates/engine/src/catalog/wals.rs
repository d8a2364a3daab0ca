//! The write-ahead logs whose records are not all in tables yet, and what is prepared in them.

use crate::wal::LogWriter;
use std::collections::{BTreeMap, VecDeque};

/// A WAL whose records are not all in tables yet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct LiveWal {
    pub(crate) number: u64,
    pub(crate) size: u64,
}

/// Whether the WALs hold everything that the tables do not.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum WalHealth {
    /// They do.
    #[default]
    Whole,
    /// The live one failed.
    Lost,
    /// A new one is live; what the others held is in immutable memtables.
    Renewed,
}

/// All of them. Guarded by the catalogue's lock.
pub(crate) struct Wals {
    /// Oldest first; the last is the live one.
    all: VecDeque<LiveWal>,
    /// Transactions that are prepared and undecided, and the WALs that hold them.
    prepared: BTreeMap<Vec<u8>, u64>,
    /// Full WALs that were not cut to their length yet.
    to_close: Vec<LogWriter>,
    health: WalHealth,
    /// Attempts to make them whole that failed.
    failed_renewals: u64,
}

impl Wals {
    /// These WALs, the oldest first and the live one last, which holds what is prepared under these names.
    pub(crate) fn new(all: VecDeque<LiveWal>, prepared: impl IntoIterator<Item = Vec<u8>>) -> Wals {
        let live = all.back().map_or(0, |wal| wal.number);
        let prepared = prepared.into_iter().map(|name| (name, live)).collect();
        let (to_close, health) = (Vec::new(), WalHealth::Whole);
        Wals { all, prepared, to_close, health, failed_renewals: 0 }
    }

    /// From the oldest to the live one.
    pub(crate) fn iter(&self) -> impl DoubleEndedIterator<Item = &LiveWal> {
        self.all.iter()
    }

    /// The number of the oldest; 0 if there is none.
    pub(crate) fn oldest(&self) -> u64 {
        self.all.front().map_or(0, |wal| wal.number)
    }

    /// Bytes of the WALs from `oldest` on.
    pub(crate) fn bytes_from(&self, oldest: u64) -> u64 {
        self.all.iter().filter(|wal| wal.number >= oldest).map(|wal| wal.size).sum()
    }

    /// Bytes of all but the live one.
    pub(crate) fn full_bytes(&self) -> u64 {
        self.all.iter().rev().skip(1).fold(0, |sum, wal| sum.saturating_add(wal.size))
    }

    /// The live WAL is as large as this now.
    pub(crate) fn set_live_size(&mut self, size: u64) {
        if let Some(live) = self.all.back_mut() {
            live.size = size;
        }
    }

    /// A new WAL with this number begins; the one before it ended, and `full` is to be cut to its length.
    pub(crate) fn begin(&mut self, number: u64, ended: LiveWal, full: Option<LogWriter>) {
        debug_assert!(self.all.back().is_none_or(|live| live.number < number), "WALs in order");
        if let Some(live) = self.all.iter_mut().find(|wal| wal.number == ended.number) {
            live.size = ended.size;
        }
        self.all.push_back(LiveWal { number, size: 0 });
        self.to_close.extend(full);
    }

    /// Takes WALs older than `needed` out of the list; the caller deletes them after letting go of the lock.
    pub(crate) fn take_obsolete(&mut self, needed: u64) -> Vec<u64> {
        let mut obsolete = Vec::new();
        while self.all.len() > 1 && self.all[0].number < needed {
            obsolete.extend(self.all.pop_front().map(|wal| wal.number));
        }
        self.to_close.retain(|wal| !obsolete.contains(&wal.log_number()));
        obsolete
    }

    /// Full WALs that are not cut to their length yet.
    pub(crate) fn take_to_close(&mut self) -> Vec<LogWriter> {
        std::mem::take(&mut self.to_close)
    }

    // ---- prepared transactions ---------------------------------------------------------------

    /// Something undecided is in WAL `wal` under this name.
    pub(crate) fn prepare(&mut self, name: &[u8], wal: u64) {
        self.prepared.insert(name.to_vec(), wal);
    }

    /// It is decided.
    pub(crate) fn forget(&mut self, name: &[u8]) {
        self.prepared.remove(name);
    }

    /// The WAL that holds something undecided under this name.
    pub(crate) fn holder_of(&self, name: &[u8]) -> Option<u64> {
        self.prepared.get(name).copied()
    }

    /// What is undecided, and the WALs that hold it.
    pub(crate) fn prepared(&self) -> &BTreeMap<Vec<u8>, u64> {
        &self.prepared
    }

    /// What is undecided under these names was copied into WAL `wal`.
    pub(crate) fn moved(&mut self, is_moved: impl Fn(&[u8]) -> bool, wal: u64) {
        for (name, holder) in &mut self.prepared {
            if is_moved(name) {
                *holder = wal;
            }
        }
    }

    // ---- health ------------------------------------------------------------------------------

    /// Whether they hold everything that the tables do not.
    pub(crate) fn health(&self) -> WalHealth {
        self.health
    }

    /// They are in another state.
    pub(crate) fn set_health(&mut self, health: WalHealth) {
        self.health = health;
    }

    /// An attempt to make them whole failed.
    pub(crate) fn renewal_failed(&mut self) {
        self.failed_renewals += 1;
    }

    /// How many attempts have failed.
    pub(crate) fn failed_renewals(&self) -> u64 {
        self.failed_renewals
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn obsolete_wals_leave_from_the_old_end_and_never_the_live_one() {
        let wal = |number, size| LiveWal { number, size };
        let mut wals = Wals::new([wal(3, 10), wal(5, 20)].into(), [b"a".to_vec()]);
        assert_eq!((wals.oldest(), wals.full_bytes(), wals.holder_of(b"a")), (3, 10, Some(5)));
        wals.set_live_size(30);
        wals.begin(8, wal(5, 35), None);
        assert_eq!((wals.bytes_from(5), wals.full_bytes()), (35, 45));
        assert_eq!(wals.take_obsolete(5), [3]);
        assert_eq!(wals.take_obsolete(100), [5], "the live one stays");
        assert_eq!(wals.iter().map(|wal| wal.number).collect::<Vec<_>>(), [8]);
        wals.moved(|name| name == b"a", 8);
        assert_eq!(wals.holder_of(b"a"), Some(8));
        wals.forget(b"a");
        assert!(wals.prepared().is_empty());
    }
}
