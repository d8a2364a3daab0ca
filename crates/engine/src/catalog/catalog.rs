//! The catalogue of an open database: its column families, memtables, tables and WALs.
//!
//! Lock order, outermost first:
//! 1. `versions`: the MANIFEST and version history; held during its writes and syncs.
//! 2. the write lock of `commit/queue.rs`.
//! 3. `state`: memtable lists, current versions, running jobs; held briefly, never during I/O.
//!
//! Readers take none of them.

use super::family_state::ColumnFamilyState;
use super::released::ReleasedSnapshots;
use super::state::State;
use super::wals::Wals;
use crate::env::epoch::{self, EpochCell, Guard};
use crate::env::lock_rank::{CATALOG_STATE, RankedGuard, RankedMutex, VERSIONS};
use crate::env::sync::Condvar;
use crate::error::Result;
use crate::files::{FileKeeper, Leftovers};
use crate::read::SnapshotList;
use crate::report::{Ingested, LevelJobs, Reporter, TreeShape};
use crate::session::{ColumnFamilyData, ColumnFamilyMap, Session};
use crate::version::{FileMeta, Version, VersionSet};
use crate::write::{CommitOrder, WriteController};
use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

/// A thread that waits for background work rechecks at least this often.
const LOOK_AGAIN: Duration = Duration::from_millis(200);

/// The catalogue. The module's header has its lock order.
pub(crate) struct Catalog {
    pub(super) session: Arc<Session>,
    pub(super) reporter: Arc<Reporter>,
    pub(super) files: Arc<FileKeeper>,
    pub(super) versions: RankedMutex<VersionSet, VERSIONS>,
    pub(super) state: RankedMutex<State, CATALOG_STATE>,
    /// Background threads wait on this for work.
    work: Condvar,
    /// User calls wait on this for background work to end.
    progress: Condvar,
    /// The map in which readers and writers look up families.
    families: EpochCell<ColumnFamilyMap>,
    default_family: Arc<ColumnFamilyData>,
    pub(super) order: CommitOrder,
    pub(super) snapshots: SnapshotList,
    pub(super) released: ReleasedSnapshots,
    pub(super) controller: WriteController,
}

/// A family and its current version at the time of the lookup.
pub(crate) type FamilyVersion = (Arc<ColumnFamilyData>, Arc<Version>);

impl Catalog {
    /// Creates the catalogue of a database with these families. The default family has number 0.
    pub(crate) fn new(
        (session, reporter, files): (Arc<Session>, Arc<Reporter>, Arc<FileKeeper>),
        versions: VersionSet,
        families: BTreeMap<u32, ColumnFamilyState>,
        wals: Wals,
        default_family: Arc<ColumnFamilyData>,
        delayed_write_rate: u64,
    ) -> Catalog {
        let last_sequence = versions.counters().last_sequence();
        let catalog = Catalog {
            session,
            reporter,
            files,
            versions: RankedMutex::new(versions),
            state: RankedMutex::new(State { families, wals, running: Default::default() }),
            work: Condvar::new(),
            progress: Condvar::new(),
            families: EpochCell::new(None),
            default_family,
            order: CommitOrder::new(last_sequence),
            snapshots: SnapshotList::default(),
            released: ReleasedSnapshots::default(),
            controller: WriteController::new(delayed_write_rate),
        };
        let mut state = catalog.state();
        catalog.publish_families(&state);
        catalog.renew_stalls(&mut state);
        note_tables_at_open(&catalog.files, &state);
        drop(state);
        catalog
    }

    /// Locks the MANIFEST and version history. This is the outermost lock.
    pub(crate) fn versions(&self) -> RankedGuard<'_, VersionSet> {
        self.versions.lock()
    }

    /// Locks the memtable lists, current versions and running jobs. This is the innermost of the three locks.
    pub(crate) fn state(&self) -> RankedGuard<'_, State> {
        self.state.lock()
    }

    /// Returns the commit order, which decides up to which sequence number writes are visible.
    #[inline]
    pub(crate) fn order(&self) -> &CommitOrder {
        &self.order
    }

    /// Returns the snapshots that users hold.
    pub(crate) fn snapshots(&self) -> &SnapshotList {
        &self.snapshots
    }

    /// Returns the controller that delays and stops writers.
    #[inline]
    pub(crate) fn controller(&self) -> &WriteController {
        &self.controller
    }

    /// Returns the default column family, which every database has.
    #[inline]
    pub(crate) fn default_family(&self) -> &Arc<ColumnFamilyData> {
        &self.default_family
    }

    // ---- waiting -----------------------------------------------------------------------------

    /// Notifies background threads that there may be work.
    pub(crate) fn notify_jobs(&self) {
        self.work.notify_all();
    }

    /// Notifies threads that wait for background work.
    pub(crate) fn notify_waiters(&self) {
        self.progress.notify_all();
    }

    /// Waits for work. Returns false if `patience` has elapsed.
    pub(crate) fn wait_for_work(
        &self,
        state: &mut RankedGuard<'_, State>,
        patience: Duration,
    ) -> bool {
        state.wait_for(&self.work, patience)
    }

    /// Waits for background work to progress. May return early, so the caller must recheck.
    pub(crate) fn wait_for_progress(&self, state: &mut RankedGuard<'_, State>) {
        state.wait_for(&self.progress, LOOK_AGAIN);
    }

    // ---- families ----------------------------------------------------------------------------

    /// Returns all open families, valid while the reader is pinned, or `None` once the database is closed.
    #[inline]
    pub(crate) fn families<'g>(&self, guard: &'g Guard) -> Option<&'g ColumnFamilyMap> {
        self.families.load(guard)
    }

    /// Returns the open family with this name.
    pub(crate) fn family_by_name(&self, name: &str) -> Option<Arc<ColumnFamilyData>> {
        let guard = epoch::pin();
        self.families.load(&guard)?.values().find(|family| family.name == name).cloned()
    }

    /// Returns the open family with this number.
    pub(crate) fn family_by_id(&self, id: u32) -> Option<Arc<ColumnFamilyData>> {
        let guard = epoch::pin();
        self.families.load(&guard)?.get(&id).cloned()
    }

    /// Returns all open families.
    pub(crate) fn all_families(&self) -> Vec<Arc<ColumnFamilyData>> {
        self.state.lock().families.values().map(|cf| Arc::clone(&cf.data)).collect()
    }

    /// Returns all families with their current versions at one point in time.
    pub(crate) fn current_versions(&self) -> Vec<FamilyVersion> {
        let state = self.state.lock();
        state.families.values().map(|cf| (Arc::clone(&cf.data), Arc::clone(&cf.current))).collect()
    }

    /// Returns the shape of a family's tree.
    pub(crate) fn shape_of(&self, family: &ColumnFamilyData) -> TreeShape {
        self.state.lock().shape_of(family.id)
    }

    /// Publishes the families in `state` as the map that readers and writers use.
    pub(super) fn publish_families(&self, state: &State) {
        let map: ColumnFamilyMap =
            state.families.iter().map(|(id, cf)| (*id, Arc::clone(&cf.data))).collect();
        self.families.replace(Some(Arc::new(map)));
        let in_place = state.families.values().any(|cf| cf.mem.updates_in_place());
        self.snapshots.set_show_moments(!in_place);
    }

    /// Adds a family. Readers and writers find it from now on.
    pub(crate) fn add_family(&self, state: &mut State, family: ColumnFamilyState) {
        family.install_super_version();
        let replaced = state.families.insert(family.data.id, family);
        assert!(replaced.is_none(), "a column family with a number of another");
        self.publish_families(state);
    }

    /// Removes a family.
    pub(crate) fn remove_family(&self, state: &mut State, id: u32) -> Option<ColumnFamilyState> {
        let gone = state.families.remove(&id);
        self.publish_families(state);
        self.renew_stalls(state);
        gone
    }

    /// Releases everything that is in memory or open, because users' handles keep the catalogue alive.
    pub(crate) fn close(&self) {
        let mut state = self.state.lock();
        for family in state.families.values() {
            family.data.set_super_version(None);
        }
        state.families.clear();
        drop(state);
        self.families.replace(None);
    }

    /// Notes that a flush (if `flush`) or a compaction wrote to a level.
    pub(crate) fn note_level_job(&self, family: u32, level: usize, job: LevelJobs, flush: bool) {
        if let Some(cf) = self.state.lock().families.get_mut(&family) {
            cf.jobs.note(level, job, flush);
        }
    }

    /// Notes that ingestion added files to these levels of a family. Returns the shape of its tree.
    pub(crate) fn note_ingested(
        &self,
        family: &ColumnFamilyData,
        files: &[(usize, Arc<FileMeta>)],
    ) -> TreeShape {
        let mut state = self.state.lock();
        if let Some(cf) = state.families.get_mut(&family.id) {
            cf.jobs.note_ingested(Ingested::of(files));
        }
        state.shape_of(family.id)
    }

    // ---- tables ------------------------------------------------------------------------------

    /// Deletes files in the directories that a crash or an older session left; see [`FileKeeper::purge_leftovers`].
    pub(crate) fn purge_leftovers(&self, which: Leftovers) -> Result<()> {
        let versions = self.versions.lock();
        let state = self.state.lock();
        let wals = state.wals.iter().map(|wal| wal.number).collect();
        let dirs =
            state.families.values().flat_map(|cf| cf.data.paths.dirs().map(|d| d.to_path_buf()));
        let dirs = dirs.collect();
        drop(state);
        self.files.purge_leftovers(which, &versions, dirs, &wals)
    }
}

/// Reports the tables that exist at open to the budget of table space.
fn note_tables_at_open(files: &FileKeeper, state: &State) {
    for family in state.families.values() {
        let tables = family.current.all_files();
        tables.for_each(|(_, table)| files.note_table_at_open(&family.data, table));
    }
}
