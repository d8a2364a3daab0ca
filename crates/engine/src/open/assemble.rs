//! Assembling a recovered database: the content of the WALs is flushed to tables (unless the options prevent it), a new
//! WAL begins, and the MANIFEST records both.

use super::core::{Core, Sweep};
use super::opening::Opening;
use super::recover::{self, Recovered};
use crate::catalog::{Catalog, ColumnFamilyState, LiveWal, Wals as KnownWals};
use crate::commit::{CommitQueue, carry_over};
use crate::env::sync::Mutex;
use crate::error::{Error, Result};
use crate::files::FileKeeper;
use crate::fs::read_only::{NoFile, read_only_error};
use crate::fs::{FileLock, filename};
use crate::jobs::Scheduler;
use crate::properties::Properties;
use crate::report::Reporter;
use crate::version::{VersionEdit, VersionSet};
use crate::wal::LogWriter;
use crate::write::Sections;
use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;

/// RocksDB's default of `delayed_write_rate` when there is no rate limiter.
const DELAYED_WRITE_RATE: u64 = 16 << 20;

/// The WALs of a database that was just recovered.
pub(super) struct Wals {
    /// Older WALs that still hold records which are in no table.
    kept: Vec<u64>,
    /// The WAL for new writes.
    live: LogWriter,
}

impl Wals {
    fn oldest(&self) -> u64 {
        self.kept.first().copied().unwrap_or(self.live.log_number())
    }
}

/// Flushes the recovered data (unless the options prevent it), starts a WAL and writes the new MANIFEST. After an error
/// the WALs are unchanged, and `recovered` must not be used any more.
pub(super) fn make_durable(
    opening: &Opening,
    versions: &mut VersionSet,
    recovered: &mut Recovered,
) -> Result<Wals> {
    // WALs are kept only if another replay would give the same result. After a tear, a later WAL would count only if it
    // follows without a gap, and a record that is already in a table would be applied twice.
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
    carry_over(&opening.session, &recovered.summary.sections, &mut wals.live, next)?;
    if recovered.made_tables() {
        opening.session.fs.sync_dir(&opening.session.dir)?;
    }
    versions.install(edits(opening, recovered, &wals))?;
    Ok(wals)
}

/// Puts the owners together. `wals` is `None` if there was no room to make the recovered data durable. Then memtables
/// hold this data, the old WALs stay, and the live WAL accepts no records.
pub(super) fn assemble(
    opening: Opening,
    versions: VersionSet,
    mut recovered: Recovered,
    wals: Option<Wals>,
    lock: Box<dyn FileLock>,
) -> Result<Arc<Core>> {
    let wals = wals.unwrap_or_else(|| Wals {
        live: LogWriter::new(Box::new(NoFile), opening.session.counters.new_file_number()),
        kept: recovered.summary.wals.clone(),
    });
    let sections = std::mem::take(&mut recovered.summary.sections);
    let states = family_states(&opening, &versions, &mut recovered, &wals)?;
    put_together(opening, versions, states, wals, sections, Some(lock))
}

/// Assembles a read-only database: the content of the WALs stays in memory, and an error blocks all writes.
pub(super) fn assemble_read_only(
    opening: Opening,
    versions: VersionSet,
    mut recovered: Recovered,
) -> Result<Arc<Core>> {
    let wals = Wals {
        live: LogWriter::new(Box::new(NoFile), opening.session.counters.next_file_number()),
        kept: recovered.summary.wals.clone(),
    };
    let states = family_states(&opening, &versions, &mut recovered, &wals)?;
    let core = put_together(opening, versions, states, wals, Sections::new(), None)?;
    core.catalog.fail(&read_only_error());
    Ok(core)
}

/// Returns the edits for the MANIFEST: the new tables, and the WALs that are still needed.
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
        let spare = opening.session.memtable_spares();
        let begin = (wal_number, earliest);
        let mut state = ColumnFamilyState::new(Arc::clone(data), current, begin, spare);
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
) -> Result<Arc<Core>> {
    let default_family = opening.family(0)?;
    let session = opening.session;
    let size = |number: u64| {
        session.fs.file_size(&filename::wal_file_name(&session.wal_dir, number)).unwrap_or(0)
    };
    let mut live: VecDeque<LiveWal> =
        wals.kept.iter().map(|&number| LiveWal { number, size: size(number) }).collect();
    live.push_back(LiveWal { number: wals.live.log_number(), size: wals.live.size() });
    let known = KnownWals::new(live, sections.keys().cloned());
    let delayed_write_rate = match session.options.delayed_write_rate {
        0 => DELAYED_WRITE_RATE,
        rate => rate,
    };
    let session = Arc::new(session);
    let reporter = Arc::new(Reporter::new(Arc::clone(&session)));
    let obsolete_files = versions.obsolete_files().clone();
    let files =
        Arc::new(FileKeeper::new(Arc::clone(&session), Arc::clone(&reporter), obsolete_files));
    let base = || (Arc::clone(&session), Arc::clone(&reporter), Arc::clone(&files));
    let catalog = Catalog::new(base(), versions, states, known, default_family, delayed_write_rate);
    let catalog = Arc::new(catalog);
    let commit = CommitQueue::new(base(), Arc::clone(&catalog), wals.live, sections);
    let commit = Arc::new(commit);
    session.allocator.set(Arc::downgrade(&commit) as _);
    let parts = || (Arc::clone(&catalog), Arc::clone(&commit));
    let properties = Arc::new(Properties::new(base(), parts().0, parts().1));
    let jobs = Scheduler::new(base(), parts().0, parts().1, Arc::clone(&properties));
    let core = Arc::new(Core {
        session,
        reporter,
        files,
        catalog,
        commit,
        properties,
        jobs: Arc::new(jobs),
        lock: Mutex::new(lock),
        options_change: Default::default(),
        _sweep: Sweep,
    });
    core.connect();
    Ok(core)
}

impl Core {
    /// Connects the owners with callbacks. Listeners get handles of the database. The last holder of an obsolete table,
    /// which may hold locks, notifies a flush thread, which deletes the table.
    fn connect(self: &Arc<Self>) {
        self.reporter.set_database(Arc::downgrade(self));
        let catalog = Arc::downgrade(&self.catalog);
        self.files.on_obsolete_table(move || {
            if let Some(catalog) = catalog.upgrade() {
                catalog.notify_jobs();
            }
        });
        self.session.info_log.info(format_args!("DB pointer {:p}", Arc::as_ptr(self)));
        self.reporter.deliver();
    }
}
