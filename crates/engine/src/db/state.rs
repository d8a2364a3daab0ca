//! The shared heart of an open database.
//!
//! Lock order, outermost first:
//! 1. `versions` — MANIFEST and version history; held over its writes and syncs.
//! 2. `write` — the WAL, and who gets which sequence number; held for a fraction of a microsecond.
//! 3. `state` — memtable lists, current versions, background work; held briefly, never over I/O.
//!
//! Readers take none of them.

use super::close::Sweep;
use super::column_family::ColumnFamilyState;
use super::db_stats::DbFigures;
use super::events::Events;
use super::log_state::NewStall;
use super::moment::ReleasedSnapshots;
use super::obsolete_files::FileDeletions;
use super::pause::Pauses;
use super::retries::Retries;
use super::wal_renewal::WalHealth;
use crate::base::SeqNo;
use crate::compaction::picker::{LevelShape, num_sorted_runs};
use crate::env::epoch::EpochCell;
use crate::env::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use crate::env::sync::{Condvar, Mutex, MutexGuard};
use crate::error::{Error, Result};
use crate::fs::{FileLock, FileSyncer};
use crate::memtable::SpareChunks;
use crate::options::CompactionStyle;
use crate::read::SnapshotList;
use crate::session::Session;
use crate::session::{ColumnFamilyData, ColumnFamilyMap};
use crate::sst::Table;
use crate::version::{Graveyard, VersionSet};
use crate::wal::LogWriter;
use crate::write::{CommitOrder, Line, Sections, Stall, StallInputs, SyncGroup, WriteController};
use std::collections::{BTreeMap, VecDeque};
use std::ops::Deref;
use std::sync::{Arc, Weak};
use std::time::{Duration, Instant};

/// An open database. Background threads hold it too.
pub(crate) struct DbInner {
    pub(crate) session: Session,
    pub(crate) graveyard: Graveyard,
    pub(crate) file_deletions: FileDeletions,

    pub(crate) versions: Mutex<VersionSet>,
    pub(crate) write: Mutex<WriteState>,
    pub(crate) state: Mutex<State>,
    /// Background threads wait here for work.
    pub(crate) work: Condvar,
    /// Users wait here for background work to end.
    pub(crate) progress: Condvar,
    /// The process that opened it.
    pub(crate) process: u32,

    pub(crate) order: CommitOrder,
    pub(crate) sync_group: SyncGroup,
    pub(crate) controller: WriteController,
    pub(crate) snapshots: SnapshotList,
    /// Of flushed memtables, for the next ones.
    pub(crate) spare_chunks: Arc<SpareChunks>,
    pub(crate) families: EpochCell<ColumnFamilyMap>,
    pub(crate) default_family: Arc<ColumnFamilyData>,
    /// Set with `State::error`: writers look at it without the lock.
    pub(crate) failed: AtomicBool,
    /// `close` has begun: `failed` stays set.
    pub(crate) refuses_writes: AtomicBool,
    /// Some write skipped the WAL since the last flush.
    pub(crate) unlogged_data: AtomicBool,
    pub(crate) released: ReleasedSnapshots,
    /// Who holds background work up.
    pub(crate) pauses: Pauses,
    /// What recovery found prepared, until a database with transactions takes it.
    pub(crate) recovered: Mutex<Sections>,
    /// Dropped when the database is closed.
    pub(crate) lock: Mutex<Option<Box<dyn FileLock>>>,
    /// Held while options change or are written to a file: a later file is never older.
    pub(crate) options_change: Mutex<()>,
    pub(crate) totals: Totals,
    pub(crate) events: Events,
    /// Last.
    pub(crate) _sweep: Sweep,
}

/// What never changes reads as if it were the database's own: `self.options`, `self.info_log`.
impl Deref for DbInner {
    type Target = Session;
    #[inline]
    fn deref(&self) -> &Session {
        &self.session
    }
}

/// What the database did, for properties and amplification figures.
#[derive(Debug, Default)]
pub(crate) struct Totals {
    pub(crate) wal_bytes: AtomicU64,
    pub(crate) wal_syncs: AtomicU64,
    pub(crate) flush_bytes: AtomicU64,
    pub(crate) flush_count: AtomicU64,
    pub(crate) compaction_read_bytes: AtomicU64,
    pub(crate) compaction_write_bytes: AtomicU64,
    pub(crate) compaction_count: AtomicU64,
    /// Writes that waited for memory.
    pub(crate) memory_stalls: AtomicU64,
    /// What was reported last: intervals begin there.
    pub(crate) reported: Mutex<DbFigures>,
}

/// A WAL whose records are not all in tables yet.
#[derive(Clone, Copy, Debug)]
pub(crate) struct LiveWal {
    pub(crate) number: u64,
    pub(crate) size: u64,
}

/// A full WAL with records that no sync covered.
#[derive(Clone)]
pub(crate) struct UnsyncedWal {
    pub(crate) number: u64,
    pub(crate) syncer: Arc<dyn FileSyncer>,
}

/// Guarded by the write lock.
pub(crate) struct WriteState {
    pub(crate) wal: LogWriter,
    /// Sequence numbers and places in the order of commits.
    pub(crate) line: Line,
    /// Bytes of batches that were written since the database was opened.
    pub(crate) user_bytes: u64,
    /// Bytes of records in the WAL, without what frames them.
    pub(crate) logged_bytes: u64,
    /// Batches that were written since then, and their entries.
    pub(crate) writes: u64,
    pub(crate) keys: u64,
    /// The count of `user_bytes` at which limits of the whole database are looked at.
    pub(crate) next_limit_check: u64,
    /// Records appended ever: the tickets of `SyncGroup`.
    pub(crate) ticket: u64,
    /// The live WAL takes no more records.
    pub(crate) wal_lost: bool,
    /// The newest ticket of a WAL that was replaced since it failed.
    pub(crate) lost_ticket: u64,
    /// Older WALs that still have records which no sync covered.
    pub(crate) unsynced: Vec<UnsyncedWal>,
    /// The newest ticket that a sync covered, when it is the live WAL's.
    pub(crate) synced_ticket: u64,
    /// The newest WAL whose directory entry is on the device, as far as known. Synced bytes under a
    /// name that a power failure takes are lost all the same.
    pub(crate) named_wal: u64,
}

/// Guarded by the database lock.
pub(crate) struct State {
    pub(crate) families: BTreeMap<u32, ColumnFamilyState>,
    /// Oldest first; the last is the live one.
    pub(crate) wals: VecDeque<LiveWal>,
    /// Transactions that are prepared and undecided, and the WALs that hold them.
    pub(crate) prepared: BTreeMap<Vec<u8>, u64>,
    /// Full WALs that were not cut to their length yet.
    pub(crate) wals_to_close: Vec<LogWriter>,
    pub(crate) running_flushes: usize,
    pub(crate) running_compactions: usize,
    /// Tables of which the background has to read index and filter; the last is next.
    pub(crate) late_tables: Vec<Weak<Table>>,
    /// Manual compactions under way: `close` waits for them.
    pub(crate) manual_compactions: usize,
    pub(crate) error: Option<Error>,
    pub(crate) wal_health: WalHealth,
    /// Attempts to make the WAL whole that failed.
    pub(crate) failed_renewals: u64,
    /// What failed in the background and is tried again.
    pub(crate) retries: Retries,
    /// When figures went to LOG last.
    pub(crate) stats_dumped: Instant,
    /// Threads of the background pool.
    pub(crate) threads: Vec<std::thread::JoinHandle<()>>,
    /// How many of them flush, and how many compact.
    pub(crate) thread_counts: [usize; 2],
    /// The system refused some of them: when it is asked again.
    pub(crate) threads_due: Option<Instant>,
}

impl WriteState {
    /// Before the first write into `wal`.
    pub(crate) fn new(wal: LogWriter, last_allocated: SeqNo) -> WriteState {
        WriteState {
            wal,
            line: Line::new(last_allocated),
            user_bytes: 0,
            logged_bytes: 0,
            writes: 0,
            keys: 0,
            next_limit_check: 0,
            ticket: 0,
            wal_lost: false,
            lost_ticket: 0,
            unsynced: Vec::new(),
            synced_ticket: 0,
            named_wal: 0,
        }
    }
}

impl State {
    /// Before any background work.
    pub(crate) fn new(
        families: BTreeMap<u32, ColumnFamilyState>,
        wals: VecDeque<LiveWal>,
    ) -> State {
        State {
            families,
            wals,
            prepared: BTreeMap::new(),
            wals_to_close: Vec::new(),
            running_flushes: 0,
            running_compactions: 0,
            late_tables: Vec::new(),
            manual_compactions: 0,
            error: None,
            wal_health: WalHealth::Whole,
            failed_renewals: 0,
            retries: Retries::new(),
            stats_dumped: Instant::now(),
            threads: Vec::new(),
            thread_counts: [0; 2],
            threads_due: None,
        }
    }

    /// Whether it is time to write figures into LOG; if so, the next time is a period away.
    pub(crate) fn stats_due(&mut self, period_sec: u32) -> bool {
        let period = Duration::from_secs(period_sec.into());
        let due = period_sec > 0 && self.stats_dumped.elapsed() >= period;
        if due {
            self.stats_dumped = Instant::now();
        }
        due
    }
}

impl DbInner {
    /// Whether this is a child of the process that opened the database. The threads are the parent's, and so
    /// are the files: what the child closed would be cut off under the parent's hands.
    pub(crate) fn is_of_parent(&self) -> bool {
        self.process != std::process::id()
    }

    pub(crate) fn is_closing(&self) -> bool {
        self.closing.load(Ordering::Acquire)
    }

    /// The error that stopped writes, if one did.
    #[inline]
    pub(crate) fn check_writable(&self) -> Result<()> {
        if !self.failed.load(Ordering::Acquire) {
            return Ok(());
        }
        match &self.state.lock().error {
            Some(error) => Err(error.clone()),
            None if self.refuses_writes.load(Ordering::Acquire) => {
                Err(Error::new(crate::Code::ShutdownInProgress, "the database is closing"))
            }
            // Background work recovered between our look at the flag and the lock.
            None => Ok(()),
        }
    }

    /// Renews what writers are told about stalls. Call after every change of memtables or versions.
    pub(crate) fn renew_stalls(&self, state: &mut MutexGuard<'_, State>) {
        let mut worst = Stall::None;
        let mut new_stalls = Vec::new();
        for family in state.families.values_mut() {
            let data = Arc::clone(&family.data);
            let options = data.options();
            let auto = !options.disable_auto_compactions;
            family.pending_compaction_bytes = if auto {
                LevelShape::new(&family.current, &options).pending_compaction_bytes
            } else {
                0
            };
            // Universal compaction treats deeper levels as if they were files of level 0.
            let sorted_runs = match options.compaction_style {
                CompactionStyle::Universal => num_sorted_runs(&family.current, &options),
                _ => family.current.num_files(0),
            };
            let inputs = StallInputs {
                immutables: family.immutables.len(),
                flush_due: family.flushing || family.wants_flush(),
                level0_files: if auto { sorted_runs } else { 0 },
                pending_compaction_bytes: family.pending_compaction_bytes,
            };
            let stall = data.stall_limits().judge(&inputs);
            if self.note_stall(family, stall) {
                new_stalls.push(NewStall::new(family, stall, inputs));
            }
            worst = worse(worst, stall);
        }
        self.controller.set(worst);
        self.log_stalls(&new_stalls);
        self.renew_threshold(state);
        self.report_memory(state);
    }
}

fn worse(a: Stall, b: Stall) -> Stall {
    let rank = |s: &Stall| match s {
        Stall::None => -2.0,
        Stall::Pace(_) => -1.0,
        Stall::Delay(_, pressure) => *pressure,
        Stall::Stop(_) => 2.0,
    };
    if rank(&b) > rank(&a) { b } else { a }
}
