//! Options that change while the database is open (`SetOptions`, `SetDBOptions`), and the OPTIONS
//! file that records them.

use super::handles::{ColumnFamily, Db, dropped};
use super::open::check_family;
use super::state::DbInner;
use crate::env::sync::MutexGuard;
use crate::error::Result;
use crate::options::{self, DbOptions};
use crate::session::ColumnFamilyData;
use std::sync::Arc;

impl Db {
    /// Changes options of the default column family: pairs of name and value, all or none.
    pub fn set_options(&self, changes: &[(&str, &str)]) -> Result<()> {
        self.set_options_cf(&self.default_cf(), changes)
    }

    /// Changes options of a column family while it is open. They are in force when this returns,
    /// and in a new OPTIONS file.
    pub fn set_options_cf(&self, cf: &ColumnFamily, changes: &[(&str, &str)]) -> Result<()> {
        let result = self.inner().set_options(&cf.data, changes);
        self.log_change("SetOptions()", cf.name(), changes, &result);
        result
    }

    /// Changes options of the whole database.
    pub fn set_db_options(&self, changes: &[(&str, &str)]) -> Result<()> {
        let result = self.shared.inner.set_db_options(changes);
        self.log_change("SetDBOptions()", "", changes, &result);
        result
    }

    /// The options of the database that are in force.
    pub fn db_options(&self) -> Arc<DbOptions> {
        self.inner().live_options()
    }

    /// As RocksDB, the first line names the family behind the call, the last one before it.
    fn log_change(&self, what: &str, family: &str, changes: &[(&str, &str)], result: &Result<()>) {
        let log = &self.inner().info_log;
        let (of_family, begin) = match family {
            "" => (String::new(), String::new()),
            name => (format!(" on column family [{name}]"), format!("[{name}] ")),
        };
        log.info(format_args!("{what}{of_family}, inputs:"));
        changes.iter().for_each(|(name, value)| log.info(format_args!("{name}: {value}")));
        match result {
            Ok(()) => log.info(format_args!("{begin}{what} succeeded")),
            Err(e) => log.warn(format_args!("{begin}{what} failed: {e}")),
        }
    }
}

impl DbInner {
    fn set_options(&self, family: &ColumnFamilyData, changes: &[(&str, &str)]) -> Result<()> {
        let change = self.options_change.lock();
        self.check_open()?;
        if family.is_dropped() {
            return Err(dropped(&family.name));
        }
        let (changed, moved) = options::change_cf(&family.options(), changes)?;
        check_family(&changed, &self.live_options())?;
        moved.iter().for_each(|line| self.info_log.info(format_args!("[{}] {line}", family.name)));
        let write_buffer_size = changed.write_buffer_size;
        family.set_options(changed);
        let mut state = self.state.lock();
        if let Some(cf) = state.families.get(&family.id) {
            cf.mem.set_write_buffer_size(write_buffer_size);
        }
        self.renew_stalls(&mut state);
        drop(state);
        self.work.notify_all();
        self.progress.notify_all();
        self.record_options(&change)
    }

    fn set_db_options(self: &Arc<Self>, changes: &[(&str, &str)]) -> Result<()> {
        let change = self.options_change.lock();
        self.check_open()?;
        let before = self.live_options();
        let (changed, moved) = options::change_db(&before, changes)?;
        moved.iter().for_each(|line| self.info_log.info(format_args!("{line}")));
        self.controller.set_base_rate(changed.delayed_write_rate);
        if let (Some(open_tables), true) =
            (&self.open_tables, changed.max_open_files != before.max_open_files)
        {
            open_tables.set_capacity(usize::try_from(changed.max_open_files).unwrap_or(1));
        }
        self.session.changed_options.replace(changed);
        if !self.read_only {
            self.start_background()?;
        }
        // The next write looks at the limits of WALs again.
        self.write.lock().next_limit_check = 0;
        self.renew_stalls(&mut self.state.lock());
        self.work.notify_all();
        self.record_options(&change)
    }

    /// Records the options in force. A database works without the file, so a failure is only told.
    pub(super) fn write_options_file(&self) {
        // The caller does not know of it.
        let _ = self.record_options(&self.options_change.lock());
    }

    fn record_options(&self, _change: &MutexGuard<'_, ()>) -> Result<()> {
        // RocksDB writes a file all the same, and removes older ones beside the process that writes.
        if self.read_only {
            return Ok(());
        }
        let state = self.state.lock();
        let data: Vec<_> = state.families.values().map(|cf| Arc::clone(&cf.data)).collect();
        drop(state);
        let all: Vec<_> = data.iter().map(|d| (d.name.as_str(), d.options())).collect();
        let families: Vec<_> = all.iter().map(|(name, options)| (*name, &**options)).collect();
        let (number, db) = (self.counters.new_file_number(), self.live_options());
        options::write_options_file(&*self.fs, &self.dir, number, &db, &families)
            .inspect_err(|e| self.info_log.warn(format_args!("Unable to persist options: {e}")))
    }
}
