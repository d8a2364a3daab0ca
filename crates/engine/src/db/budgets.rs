//! Budgets that the user's objects keep: memtable memory, I/O rate, space of tables.

use super::seal::largest_memtable;
use super::state::{DbInner, State};
use crate::budget::{IoPriority, KeptFree, MemtableShare, SstFileManager};
use crate::env::sync::atomic::Ordering;
use crate::error::{Code, Error, Result, Severity, SubCode};
use crate::hooks::{BackgroundErrorReason, FlushReason};
use crate::memtable::MemTable;
use crate::options::WriteOptions;
use crate::stats::{self, Ticker};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

/// Who waits for memory looks again at least this often.
const LOOK_AGAIN: Duration = Duration::from_millis(10);

impl DbInner {
    // ---- memory of memtables -----------------------------------------------------------------

    /// Tells the budget of memtables what they use now.
    pub(super) fn report_memory(&self, state: &State) {
        let Some(share) = &self.memtable_share else { return };
        let size = |mem: &MemTable| mem.approximate_memory_usage();
        let active: usize = state.families.values().map(|cf| size(&cf.mem)).sum();
        let immutables = state.families.values().flat_map(|cf| &cf.immutables);
        share.report(active, active + immutables.map(|i| size(&i.mem)).sum::<usize>());
    }

    /// What a write waits for before it takes its place: memory, and its share of the I/O rate.
    #[inline]
    pub(super) fn wait_for_budgets(&self, wo: &WriteOptions, bytes: usize) -> Result<()> {
        if let Some(share) = &self.memtable_share
            && share.manager().should_stall()
        {
            self.wait_for_memory(share, wo.no_slowdown)?;
        }
        if wo.rate_limiter_priority != IoPriority::Total {
            self.limit_wal(wo, bytes)?;
        }
        Ok(())
    }

    #[cold]
    fn wait_for_memory(&self, share: &MemtableShare, no_slowdown: bool) -> Result<()> {
        if no_slowdown {
            return Err(Error::new(Code::Incomplete, "Write stall"));
        }
        self.totals.memory_stalls.fetch_add(1, Ordering::Relaxed);
        while share.manager().should_stall() {
            self.check_writable()?;
            self.flush_for_memory()?;
            share.manager().wait_for_memory(LOOK_AGAIN);
        }
        Ok(())
    }

    /// Has the largest memtable flushed, unless some are being flushed already.
    fn flush_for_memory(&self) -> Result<()> {
        let mut write = self.write.lock();
        let state = self.state.lock();
        self.report_memory(&state);
        let waits = state.families.values().any(|cf| !cf.immutables.is_empty());
        let largest = if waits { None } else { largest_memtable(&state) };
        drop(state);
        if let Some(family) = largest {
            self.seal_and_flush(&mut write, &family, FlushReason::WriteBufferManager)?;
        }
        drop(write);
        self.deliver_events();
        Ok(())
    }

    // ---- I/O rate ----------------------------------------------------------------------------

    #[cold]
    fn limit_wal(&self, wo: &WriteOptions, bytes: usize) -> Result<()> {
        if wo.rate_limiter_priority != IoPriority::User {
            return Err(Error::invalid_argument(
                "WriteOptions::rate_limiter_priority only allow Env::IO_TOTAL and Env::IO_USER due \
                 to implementation constraints",
            ));
        }
        if wo.disable_wal || self.options.manual_wal_flush {
            return Err(Error::invalid_argument(
                "WriteOptions::rate_limiter_priority currently only supports automatic WAL flush, \
                 which requires `WriteOptions::disableWAL` and `DBOptions::manual_wal_flush` both \
                 set to false",
            ));
        }
        if let Some(limiter) = &self.options.rate_limiter
            && limiter.limits_writes()
        {
            limiter.request(bytes, IoPriority::User);
        }
        Ok(())
    }

    // ---- space of tables ---------------------------------------------------------------------

    fn sst_files(&self) -> Option<&SstFileManager> {
        self.options.sst_file_manager.as_deref()
    }

    /// Tells the manager of the tables that there are at open.
    pub(super) fn note_tables_at_open(&self) {
        let Some(manager) = self.sst_files() else { return };
        let state = self.state.lock();
        for family in state.families.values() {
            for (_, file) in family.current.all_files() {
                manager.on_add_file(&family.data.paths.table(file), file.file_size);
            }
        }
    }

    /// Tells the manager of tables that a job made; writes stop where there are too many.
    pub(super) fn note_tables(&self, tables: &[PathBuf], reason: BackgroundErrorReason) {
        let Some(manager) = self.sst_files() else { return };
        for path in tables {
            manager.on_add_file(path, self.fs.file_size(path).unwrap_or(0));
        }
        if manager.is_max_allowed_space_reached() {
            let error = Error::new(Code::IOError, "Max allowed space was reached")
                .with_subcode(SubCode::SpaceLimit)
                .with_severity(Severity::FatalError);
            self.background_error(reason, &error);
        }
    }

    /// Whether tables use all the space that they may.
    pub(super) fn is_out_of_allowed_space(&self) -> bool {
        self.sst_files().is_some_and(SstFileManager::is_max_allowed_space_reached)
    }

    /// Room for a compaction that reads so many bytes, until the result is dropped.
    pub(super) fn room_for_compaction(&self, bytes: u64) -> Result<Option<Room<'_>>> {
        let Some(manager) = self.sst_files() else { return Ok(None) };
        if manager.reserve_for_compaction(bytes) {
            return Ok(Some(Room { manager, bytes }));
        }
        stats::add(&self.statistics, Ticker::CompactionCancelled, 1);
        Err(Error::new(Code::CompactionTooLarge, "Not enough space for the compaction"))
    }

    /// What a compaction into `dir` leaves free there: a memtable's log, and its table.
    pub(super) fn kept_free(&self, dir: &Path) -> Option<Arc<KeptFree>> {
        let state = self.state.lock();
        let sizes = state.families.values().map(|cf| cf.data.options().write_buffer_size as u64);
        let largest = sizes.max().unwrap_or(0);
        drop(state);
        KeptFree::new(&self.fs, dir, 2 * largest)
    }

    /// Deletes a table that never counted, at once: it may be what fills the device.
    pub(super) fn delete_unclaimed_table(&self, number: u64, path: &Path) {
        if let Some(open_tables) = &self.open_tables {
            open_tables.remove(number);
        }
        // Best effort: the next open removes what nobody knows.
        let _ = self.fs.remove_file(path);
        if let Some(manager) = self.sst_files() {
            manager.on_delete_file(path);
        }
    }

    /// Deletes a table, at the manager's rate if there is one.
    pub(super) fn delete_table(&self, path: &Path) -> Result<()> {
        let trashed = match self.sst_files() {
            Some(manager) => manager.delete_file(&self.fs, path),
            None => self.fs.remove_file(path).map(|()| false),
        };
        let ticker = match &trashed {
            Ok(true) => Ticker::FilesMarkedTrash,
            _ => Ticker::FilesDeletedImmediately,
        };
        stats::add(&self.statistics, ticker, 1);
        let log = &self.info_log;
        match &trashed {
            Ok(true) => log.info(format_args!("Mark file: {} as trash -- OK", path.display())),
            Ok(false) => log.info(format_args!("Deleted file {} immediately", path.display())),
            Err(_) => {}
        }
        match trashed {
            Err(e) if !e.is_path_not_found() => {
                self.info_log.warn(format_args!("cannot delete {}: {e}", path.display()));
                Err(e)
            }
            _ => Ok(()),
        }
    }
}

/// Space that a running compaction may take.
pub(super) struct Room<'a> {
    manager: &'a SstFileManager,
    bytes: u64,
}

impl Drop for Room<'_> {
    fn drop(&mut self) {
        self.manager.release(self.bytes);
    }
}
