//! The write-ahead logs whose records are not all in tables yet, and the prepared transactions in them.

use crate::wal::LogWriter;
use std::collections::{BTreeMap, VecDeque};

/// A WAL that has records in no table yet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct LiveWal {
    pub(crate) number: u64,
    pub(crate) size: u64,
}

/// Whether the WALs and the tables together hold all acknowledged data.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum WalHealth {
    /// The WALs hold everything that the tables do not.
    #[default]
    Whole,
    /// The live WAL failed.
    Lost,
    /// A new WAL is live. The content of the older WALs is in immutable memtables.
    Renewed,
}

/// The moment at which an attempt to make the WALs whole, or a wait for one, began.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Renewal(u64);

/// The WALs of a database. Guarded by the catalogue's state lock.
pub(crate) struct Wals {
    /// The WALs, oldest first. The last one is live.
    all: VecDeque<LiveWal>,
    /// Prepared, undecided transactions, and the WALs that hold them.
    prepared: BTreeMap<Vec<u8>, u64>,
    /// Full WALs that are not truncated to their used length yet.
    to_close: Vec<LogWriter>,
    health: WalHealth,
    /// How often a thread began to wait until the WALs are whole again.
    waits: u64,
    /// The last attempt to make them whole that failed.
    failed: Option<Renewal>,
}

impl Wals {
    /// Creates the list from these WALs, oldest first and the live one last. The live one holds the sections prepared
    /// under these names.
    pub(crate) fn new(all: VecDeque<LiveWal>, prepared: impl IntoIterator<Item = Vec<u8>>) -> Wals {
        let live = all.back().map_or(0, |wal| wal.number);
        let prepared = prepared.into_iter().map(|name| (name, live)).collect();
        let (to_close, health) = (Vec::new(), WalHealth::Whole);
        Wals { all, prepared, to_close, health, waits: 0, failed: None }
    }

    /// Iterates from the oldest WAL to the live one.
    pub(crate) fn iter(&self) -> impl DoubleEndedIterator<Item = &LiveWal> {
        self.all.iter()
    }

    /// Returns the number of the oldest WAL; 0 if the list is empty.
    pub(crate) fn oldest(&self) -> u64 {
        self.all.front().map_or(0, |wal| wal.number)
    }

    /// Returns the number of the live WAL.
    pub(crate) fn live(&self) -> Option<u64> {
        self.all.back().map(|wal| wal.number)
    }

    /// Returns the total size in bytes of the WALs from `oldest` on.
    pub(crate) fn bytes_from(&self, oldest: u64) -> u64 {
        self.all.iter().filter(|wal| wal.number >= oldest).map(|wal| wal.size).sum()
    }

    /// Returns the total size in bytes of all WALs except the live one.
    pub(crate) fn full_bytes(&self) -> u64 {
        self.all.iter().rev().skip(1).fold(0, |sum, wal| sum.saturating_add(wal.size))
    }

    /// Sets the size of the live WAL.
    pub(crate) fn set_live_size(&mut self, size: u64) {
        if let Some(live) = self.all.back_mut() {
            live.size = size;
        }
    }

    /// Begins a new WAL with this number. The previous one has ended; if given, `full` will be truncated to its used
    /// length.
    pub(crate) fn begin(&mut self, number: u64, ended: LiveWal, full: Option<LogWriter>) {
        debug_assert!(
            self.all.back().is_none_or(|live| live.number < number),
            "expected a WAL newer than {:?}, found {number}",
            self.all.back()
        );
        if let Some(live) = self.all.iter_mut().find(|wal| wal.number == ended.number) {
            live.size = ended.size;
        }
        self.all.push_back(LiveWal { number, size: 0 });
        self.to_close.extend(full);
    }

    /// Removes WALs older than `needed` from the list. The caller deletes them after it has released the lock.
    pub(crate) fn take_obsolete(&mut self, needed: u64) -> Vec<u64> {
        let mut obsolete = Vec::new();
        while self.all.len() > 1 && self.all[0].number < needed {
            obsolete.extend(self.all.pop_front().map(|wal| wal.number));
        }
        self.to_close.retain(|wal| !obsolete.contains(&wal.log_number()));
        obsolete
    }

    /// Takes the full WALs that are not truncated to their used length yet.
    pub(crate) fn take_to_close(&mut self) -> Vec<LogWriter> {
        std::mem::take(&mut self.to_close)
    }

    // ---- prepared transactions ---------------------------------------------------------------

    /// Notes that WAL `wal` holds an undecided section under this name.
    pub(crate) fn prepare(&mut self, name: &[u8], wal: u64) {
        debug_assert_eq!(self.live(), Some(wal), "expected a transaction prepared in the live WAL");
        self.prepared.insert(name.to_vec(), wal);
    }

    /// Forgets a section that is decided.
    pub(crate) fn forget(&mut self, name: &[u8]) {
        self.prepared.remove(name);
    }

    /// Returns the WAL that holds an undecided section under this name.
    pub(crate) fn holder_of(&self, name: &[u8]) -> Option<u64> {
        self.prepared.get(name).copied()
    }

    /// Returns the undecided sections and the WALs that hold them.
    pub(crate) fn prepared(&self) -> &BTreeMap<Vec<u8>, u64> {
        &self.prepared
    }

    /// Notes that the undecided sections that `is_moved` selects by name were copied into WAL `wal`.
    pub(crate) fn moved(&mut self, is_moved: impl Fn(&[u8]) -> bool, wal: u64) {
        for (name, holder) in &mut self.prepared {
            if is_moved(name) {
                *holder = wal;
            }
        }
    }

    // ---- health ------------------------------------------------------------------------------

    /// Returns whether the WALs hold everything that the tables do not.
    pub(crate) fn health(&self) -> WalHealth {
        self.health
    }

    /// Sets the health of the WALs.
    pub(crate) fn set_health(&mut self, health: WalHealth) {
        self.health = health;
    }

    /// Begins a wait until the WALs are whole. Only attempts from now on concern it.
    pub(crate) fn begin_wait(&mut self) -> Renewal {
        self.waits += 1;
        Renewal(self.waits)
    }

    /// Begins an attempt to make the WALs whole.
    pub(crate) fn begin_renewal(&self) -> Renewal {
        Renewal(self.waits)
    }

    /// Notes that an attempt failed.
    pub(crate) fn renewal_failed(&mut self, attempt: Renewal) {
        self.failed = self.failed.max(Some(attempt));
    }

    /// Returns whether a wait began after the attempt.
    pub(crate) fn has_wait_since(&self, attempt: Renewal) -> bool {
        Renewal(self.waits) > attempt
    }

    /// Returns whether an attempt failed that began after the wait.
    pub(crate) fn has_failed_since(&self, wait: Renewal) -> bool {
        self.failed >= Some(wait)
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

    #[test]
    fn an_attempt_from_before_a_wait_does_not_end_it() {
        let mut wals = Wals::new(VecDeque::new(), []);
        let early = wals.begin_renewal();
        let wait = wals.begin_wait();
        wals.renewal_failed(early);
        assert!(!wals.has_failed_since(wait));
        assert!(wals.has_wait_since(early));
        let late = wals.begin_renewal();
        assert!(!wals.has_wait_since(late));
        wals.renewal_failed(late);
        wals.renewal_failed(early);
        assert!(wals.has_failed_since(wait));
        let next = wals.begin_wait();
        assert!(!wals.has_failed_since(next));
    }
}
