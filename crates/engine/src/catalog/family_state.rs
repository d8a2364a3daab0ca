//! The mutable part of a column family: memtables, current version, requested work.

use crate::base::SeqNo;
use crate::compaction::picker::{CompactionPicker, LevelShape, LevelTargets, PickContext};
use crate::flush::Immutable;
use crate::hooks::{FlushReason, WriteStallCondition};
use crate::memtable::{MemTable, SpareChunks};
use crate::options::ColumnFamilyOptions;
use crate::read::SuperVersion;
use crate::report::FamilyJobs;
use crate::session::ColumnFamilyData;
use crate::version::Version;
use crate::write::Stall;
use std::cell::RefCell;
use std::sync::{Arc, Weak};

/// The mutable part of a column family, guarded by the catalogue's state lock.
pub(crate) struct ColumnFamilyState {
    pub(crate) data: Arc<ColumnFamilyData>,
    pub(crate) mem: Arc<MemTable>,
    /// The WAL that was live when `mem` was created.
    pub(crate) mem_wal_number: u64,
    /// The immutable memtables, oldest first.
    pub(crate) immutables: Vec<Immutable>,
    pub(crate) current: Arc<Version>,
    /// Whether a flush of this family is running.
    pub(crate) flushing: bool,
    /// Whether a caller waits for all immutable memtables to be flushed.
    pub(crate) flush_requested: bool,
    /// Whether the memtable should be sealed to free an old WAL.
    pub(crate) seal_wanted: bool,
    /// The number of memtables ever created. Numbers the memtables.
    pub(crate) memtables_made: u64,
    /// The number of manual compactions that wait for a running one. No automatic compaction may start before them.
    pub(crate) manual_waits: usize,
    /// Picks compactions and tracks the running ones.
    pub(crate) picker: CompactionPicker,
    /// The reason for the next flush.
    pub(crate) flush_reason: FlushReason,
    /// The stall condition that was last reported to listeners.
    pub(crate) stall_condition: WriteStallCondition,
    /// Counters of what jobs did to the family's levels.
    pub(crate) jobs: FamilyJobs,
    /// The level targets, with the version and the options for which they were computed.
    targets: RefCell<Option<Targets>>,
}

/// The level targets of a version under certain options.
struct Targets {
    /// A weak reference, so that it keeps no file of an old version alive.
    version: Weak<Version>,
    options: Arc<ColumnFamilyOptions>,
    levels: Arc<LevelTargets>,
}

impl ColumnFamilyState {
    /// Creates a family with an empty memtable and the version `current`.
    pub(crate) fn new(
        data: Arc<ColumnFamilyData>,
        current: Arc<Version>,
        (wal_number, earliest): (u64, SeqNo),
        spare: Option<Arc<SpareChunks>>,
    ) -> ColumnFamilyState {
        let mem = data.new_memtable(1, earliest, 1, spare);
        let picker = CompactionPicker::new(data.id);
        ColumnFamilyState {
            data,
            mem,
            mem_wal_number: wal_number,
            immutables: Vec::new(),
            current,
            flushing: false,
            flush_requested: false,
            seal_wanted: false,
            memtables_made: 1,
            manual_waits: 0,
            picker,
            flush_reason: FlushReason::Others,
            stall_condition: WriteStallCondition::Normal,
            jobs: Default::default(),
            targets: RefCell::default(),
        }
    }

    /// Returns the level targets of the current version. Computing them reads the metadata of every file, so they are
    /// cached.
    pub(crate) fn level_targets(&self) -> Arc<LevelTargets> {
        let options = self.data.options();
        let mut kept = self.targets.borrow_mut();
        let is_current = |kept: &Targets| {
            std::ptr::eq(kept.version.as_ptr(), Arc::as_ptr(&self.current))
                && Arc::ptr_eq(&kept.options, &options)
        };
        if let Some(kept) = kept.as_ref().filter(|kept| is_current(kept)) {
            return Arc::clone(&kept.levels);
        }
        let levels = Arc::new(LevelTargets::new(&self.current, &options));
        let version = Arc::downgrade(&self.current);
        *kept = Some(Targets { version, options, levels: Arc::clone(&levels) });
        levels
    }

    /// Compares the current tree with its targets.
    pub(crate) fn level_shape(&self) -> LevelShape {
        let targets = self.level_targets();
        LevelShape::against(targets, &self.current, &self.data.options())
    }

    /// Returns the estimated bytes of pending compactions, for stalls and properties; 0 if automatic compactions are
    /// disabled.
    pub(crate) fn pending_compaction_bytes(&self) -> u64 {
        match self.data.options().disable_auto_compactions {
            true => 0,
            false => self.level_targets().pending_compaction_bytes,
        }
    }

    /// Returns whether an automatic compaction is due.
    pub(crate) fn needs_compaction(&self, context: &PickContext) -> bool {
        let shape = self.level_shape();
        self.picker.needs_compaction(&self.current, &self.data.options(), &shape, context)
    }

    /// Makes the current memtables and version visible to readers.
    pub(crate) fn install_super_version(&self) {
        let immutables = self.immutables.iter().rev().map(|i| Arc::clone(&i.mem)).collect();
        let sv = SuperVersion {
            mem: Arc::clone(&self.mem),
            immutables,
            version: Arc::clone(&self.current),
            content: self.data.content(),
        };
        sv.check();
        self.data.set_super_version(Some(Arc::new(sv)));
    }

    /// Makes the current memtables and version visible, unless readers have them already. An install concerns few
    /// families; the others keep their super-version and the pooled iterators over it.
    pub(crate) fn publish_if_changed(&self) {
        let same_memtable =
            |(published, ours): (&Arc<MemTable>, &Immutable)| Arc::ptr_eq(published, &ours.mem);
        let is_published = self.data.hold_super_version().is_some_and(|sv| {
            Arc::ptr_eq(&sv.version, &self.current)
                && Arc::ptr_eq(&sv.mem, &self.mem)
                && sv.immutables.len() == self.immutables.len()
                && sv.immutables.iter().zip(self.immutables.iter().rev()).all(same_memtable)
        });
        if !is_published {
            self.install_super_version();
        }
    }

    /// Returns the oldest WAL with records of this family that are in no table yet, or `None` if there are no such
    /// records.
    pub(crate) fn oldest_wal_needed(&self) -> Option<u64> {
        let active = (!self.mem.is_empty()).then_some(self.mem_wal_number);
        self.oldest_wal_of_immutables(0).into_iter().chain(active).min()
    }

    /// Returns the oldest WAL that is needed once the `flushed` oldest memtables are in tables.
    pub(crate) fn oldest_wal_needed_after(&self, flushed: usize) -> u64 {
        let left = self.oldest_wal_of_immutables(flushed);
        left.map_or(self.mem_wal_number, |left| left.min(self.mem_wal_number))
    }

    /// Returns the oldest WAL of these memtables. It need not be the first memtable's: a memtable with the commit of a
    /// prepared transaction keeps that transaction's WAL as well (`commit/prepared.rs`).
    fn oldest_wal_of_immutables(&self, skip: usize) -> Option<u64> {
        self.immutables.iter().skip(skip).map(|immutable| immutable.wal_number).min()
    }

    /// Returns whether a flush should be started.
    pub(crate) fn wants_flush(&self) -> bool {
        let enough = self.data.options().min_write_buffer_number_to_merge.max(1) as usize;
        let ready = self.immutables.len();
        !self.flushing && ready > 0 && (self.flush_requested || ready >= enough)
    }

    /// Makes the memtable immutable and creates a new one; `families` have memtables. `live_wal` has just begun, and
    /// everything written from now on is newer than `newest`.
    pub(crate) fn seal(
        &mut self,
        live_wal: u64,
        newest: u64,
        reason: FlushReason,
        families: usize,
        spare: Option<Arc<SpareChunks>>,
    ) {
        self.check_seal(live_wal, newest);
        self.flush_reason = reason;
        self.memtables_made += 1;
        let fresh = self.data.new_memtable(self.memtables_made, newest, families, spare);
        self.immutables.push(Immutable {
            mem: std::mem::replace(&mut self.mem, fresh),
            wal_number: self.mem_wal_number,
            next_wal_number: live_wal,
        });
        self.mem_wal_number = live_wal;
        self.install_super_version();
    }

    /// Asserts that new entries will be newer than existing ones.
    fn check_seal(&self, live_wal: u64, newest: SeqNo) {
        debug_assert!(
            self.mem.last_sequence() <= newest,
            "expected numbers up to {newest} in the sealed memtable {}, found {}",
            self.mem.id(),
            self.mem.last_sequence()
        );
        debug_assert!(
            self.mem.earliest_sequence() <= newest,
            "expected a memtable that begins after {}, found one that begins after {newest}",
            self.mem.earliest_sequence()
        );
        debug_assert!(
            self.mem_wal_number <= live_wal,
            "expected a WAL from {} on, which holds the sealed memtable, found {live_wal}",
            self.mem_wal_number
        );
        let before = self.immutables.last();
        debug_assert!(
            before.is_none_or(|before| before.next_wal_number <= live_wal),
            "expected a WAL from {:?} on, found {live_wal}",
            before.map(|before| before.next_wal_number)
        );
    }

    /// Sets the stall condition of the family's writers. Returns the previous and the new condition.
    pub(super) fn note_stall(
        &mut self,
        stall: Stall,
    ) -> (WriteStallCondition, WriteStallCondition) {
        let cur = match stall {
            Stall::None => WriteStallCondition::Normal,
            Stall::Delay(..) => WriteStallCondition::Delayed,
            Stall::Stop(_) => WriteStallCondition::Stopped,
        };
        let prev = std::mem::replace(&mut self.stall_condition, cur);
        if prev != cur {
            self.jobs.note_stall(stall);
        }
        (prev, cur)
    }
}
