//! Puts a recovered database together: what the WALs held becomes tables (unless the options say
//! otherwise), a new WAL begins, and the MANIFEST records both.

use super::builder::Opening;
use super::close::Sweep;
use super::column_family::ColumnFamilyState;
use super::events::Events;
use super::families::publish_families;
use super::moment::ReleasedSnapshots;
use super::obsolete_files::FileDeletions;
use super::pause::Pauses;
use super::prepared;
use super::recover::{self, Recovered};
use super::state::{DbInner, LiveWal, State, Totals, WriteState};
use crate::env::epoch::EpochCell;
use crate::env::sync::atomic::AtomicBool;
use crate::env::sync::{Condvar, Mutex};
use crate::error::{Error, Result};
use crate::fs::read_only::{NoFile, read_only_error};
use crate::fs::{FileLock, filename};
use crate::read::SnapshotList;
use crate::version::{VersionEdit, VersionSet};
use crate::wal::LogWriter;
use crate::write::{CommitOrder, Sections, SyncGroup, WriteController};
use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;

/// RocksDB's default of `delayed_write_rate` without a rate limiter.
const DELAYED_WRITE_RATE: u64 = 16 << 20;

/// The WALs of a database that was just recovered.
pub(super) struct Wals {
    /// Older ones that still hold what is in no table.
    kept: Vec<u64>,
    /// The one that writes go to.
    live: LogWriter,
}

impl Wals {
    fn oldest(&self) -> u64 {
        self.kept.first().copied().unwrap_or(self.live.log_number())
    }
}

/// Flushes what was recovered (unless told not to), starts a WAL and writes the new MANIFEST. After an error the
/// WALs are what they were, and what was recovered is spent.
pub(super) fn make_durable(
    opening: &Opening,
    versions: &mut VersionSet,
    recovered: &mut Recovered,
) -> Result<Wals> {
    // WALs are kept only if replaying them again gives the same again. Behind a tear only a WAL that
    // follows without a gap would count, and a record that is in a table already would count twice.
    let keep_wals = opening.session.options.avoid_flush_during_recovery
        && !recovered.summary.damaged
        && !recovered.made_tables();
    if !keep_wals {
        for (id, family) in &mut recovered.families {
            recover::flush_one(opening, *id, family)?;
        }
    }
    let largest = opening.family(0)?.options().write_buffer_size;
    let mut wals = Wals {
        live: opening.session.new_wal(largest)?,
        kept: if keep_wals { recovered.summary.wals.clone() } else { Vec::new() },
    };
    let next = versions.counters().last_sequence() + 1;
    prepared::carry_over(&opening.session, &recovered.summary.sections, &mut wals.live, next)?;
    if recovered.made_tables() {
        opening.session.fs.sync_dir(&opening.session.dir)?;
    }
    versions.install(edits(opening, recovered, &wals))?;
    Ok(wals)
}

/// Puts the database together. Without `wals`, since there was no room to make anything durable, memtables hold
/// what was recovered, the WALs stay, and the live one is one that takes nothing.
pub(super) fn assemble(
    opening: Opening,
    versions: VersionSet,
    mut recovered: Recovered,
    wals: Option<Wals>,
    lock: Box<dyn FileLock>,
) -> Result<Arc<DbInner>> {
    let wals = wals.unwrap_or_else(|| Wals {
        live: LogWriter::new(Box::new(NoFile), opening.session.counters.new_file_number()),
        kept: recovered.summary.wals.clone(),
    });
    let sections = std::mem::take(&mut recovered.summary.sections);
    let states = family_states(&opening, &versions, &mut recovered, &wals)?;
    put_together(opening, versions, states, wals, sections, Some(lock))
}

/// Puts a database together that is only read: what the WALs held stays in memory, and there is an
/// error that no write gets past.
pub(super) fn assemble_read_only(
    opening: Opening,
    versions: VersionSet,
    mut recovered: Recovered,
) -> Result<Arc<DbInner>> {
    let wals = Wals {
        live: LogWriter::new(Box::new(NoFile), opening.session.counters.next_file_number()),
        kept: recovered.summary.wals.clone(),
    };
    let states = family_states(&opening, &versions, &mut recovered, &wals)?;
    let inner = put_together(opening, versions, states, wals, Sections::new(), None)?;
    inner.fail(&read_only_error());
    Ok(inner)
}

/// What the MANIFEST is told: the new tables, and which WALs still count.
fn edits(opening: &Opening, recovered: &mut Recovered, wals: &Wals) -> Vec<VersionEdit> {
    let mut edits = Vec::new();
    for id in opening.families.keys() {
        let replayed = recovered.families.get_mut(id).map(|f| std::mem::take(&mut f.edit));
        let mut edit = replayed.unwrap_or_default();
        edit.column_family = *id;
        if wals.kept.is_empty() {
            edit.log_number = Some(wals.live.log_number());
        }
        edit.min_log_number_to_keep = (*id == 0).then_some(wals.oldest());
        edits.push(edit);
    }
    edits
}

fn family_states(
    opening: &Opening,
    versions: &VersionSet,
    recovered: &mut Recovered,
    wals: &Wals,
) -> Result<BTreeMap<u32, ColumnFamilyState>> {
    let earliest = versions.counters().last_sequence();
    let mut states = BTreeMap::new();
    for (id, data) in &opening.families {
        let current = versions.column_family(*id).map(|stored| Arc::clone(stored.current()));
        let current = current.ok_or_else(|| Error::corruption("a column family vanished"))?;
        let wal_number = wals.live.log_number();
        let mut state = ColumnFamilyState::new(Arc::clone(data), current, wal_number, earliest);
        if !wals.kept.is_empty()
            && let Some(replayed) = recovered.families.remove(id)
        {
            state.mem = replayed.mem;
            state.mem_wal_number = wals.oldest();
        }
        state.install_super_version();
        states.insert(*id, state);
    }
    Ok(states)
}

fn put_together(
    opening: Opening,
    versions: VersionSet,
    states: BTreeMap<u32, ColumnFamilyState>,
    wals: Wals,
    sections: Sections,
    lock: Option<Box<dyn FileLock>>,
) -> Result<Arc<DbInner>> {
    let default_family = opening.family(0)?;
    let session = opening.session;
    let size = |number: u64| {
        session.fs.file_size(&filename::wal_file_name(&session.wal_dir, number)).unwrap_or(0)
    };
    let mut live: VecDeque<LiveWal> =
        wals.kept.iter().map(|&number| LiveWal { number, size: size(number) }).collect();
    live.push_back(LiveWal { number: wals.live.log_number(), size: wals.live.size() });
    let mut state = State::new(states, live);
    state.prepared = sections.keys().map(|name| (name.clone(), wals.live.log_number())).collect();
    let last_sequence = versions.counters().last_sequence();
    let delayed_write_rate = match session.options.delayed_write_rate {
        0 => DELAYED_WRITE_RATE,
        rate => rate,
    };
    let inner = Arc::new(DbInner {
        session,
        graveyard: versions.graveyard().clone(),
        file_deletions: FileDeletions::default(),
        versions: Mutex::new(versions),
        write: Mutex::new(WriteState::new(wals.live, last_sequence)),
        state: Mutex::new(state),
        work: Condvar::new(),
        progress: Condvar::new(),
        process: std::process::id(),
        order: CommitOrder::new(last_sequence),
        sync_group: SyncGroup::default(),
        controller: WriteController::new(delayed_write_rate),
        snapshots: SnapshotList::default(),
        spare_chunks: Arc::default(),
        families: EpochCell::new(None),
        default_family,
        failed: AtomicBool::new(false),
        refuses_writes: AtomicBool::new(false),
        unlogged_data: AtomicBool::new(false),
        released: ReleasedSnapshots::default(),
        pauses: Pauses::default(),
        recovered: Mutex::new(sections),
        lock: Mutex::new(lock),
        options_change: Mutex::new(()),
        _sweep: Sweep,
        totals: Totals::default(),
        events: Events::default(),
    });
    inner.prepare_events();
    inner.info_log.info(format_args!("DB pointer {:p}", Arc::as_ptr(&inner)));
    let mut state = inner.state.lock();
    publish_families(&inner, &state);
    inner.renew_stalls(&mut state);
    drop(state);
    inner.deliver_events();
    inner.note_tables_at_open();
    Ok(inner)
}
