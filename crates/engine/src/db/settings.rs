//! Options that can change while the database is open (`SetOptions`, `SetDBOptions`).

use super::handles::{ColumnFamily, Db};
use crate::error::Result;
use crate::open::{Core, check_family};
use crate::options::{self, DbOptions};
use crate::session::{ColumnFamilyData, dropped};
use std::sync::Arc;

impl Db {
    /// Changes options of the default column family: pairs of name and value. Either all change or none.
    pub fn set_options(&self, changes: &[(&str, &str)]) -> Result<()> {
        self.set_options_cf(&self.default_cf(), changes)
    }

    /// Changes options of a column family. When this returns, they are in force and recorded in a new OPTIONS file.
    pub fn set_options_cf(&self, cf: &ColumnFamily, changes: &[(&str, &str)]) -> Result<()> {
        let result = self.core().set_options(&cf.data, changes);
        self.log_change("SetOptions()", cf.name(), changes, &result);
        result
    }

    /// Changes database-wide options.
    pub fn set_db_options(&self, changes: &[(&str, &str)]) -> Result<()> {
        let result = self.core().set_db_options(changes);
        self.log_change("SetDBOptions()", "", changes, &result);
        result
    }

    /// Returns the database-wide options in force.
    pub fn db_options(&self) -> Arc<DbOptions> {
        self.core().session.live_options()
    }

    /// As in RocksDB, the first line has the family's name after the call, and the last line has it before the call.
    fn log_change(&self, what: &str, family: &str, changes: &[(&str, &str)], result: &Result<()>) {
        let log = &self.core().session.info_log;
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

impl Core {
    fn set_options(&self, family: &ColumnFamilyData, changes: &[(&str, &str)]) -> Result<()> {
        let change = self.lock_options();
        self.session.health.check_open()?;
        if family.is_dropped() {
            return Err(dropped(&family.name));
        }
        let (changed, moved) = options::change_cf(&family.options(), changes)?;
        check_family(&changed, &self.session.live_options())?;
        moved
            .iter()
            .for_each(|line| self.session.info_log.info(format_args!("[{}] {line}", family.name)));
        let write_buffer_size = changed.write_buffer_size;
        family.set_options(changed);
        let mut state = self.catalog.state();
        if let Some(cf) = state.families.get(&family.id) {
            cf.mem.set_write_buffer_size(write_buffer_size);
        }
        self.catalog.renew_stalls(&mut state);
        drop(state);
        self.catalog.notify_jobs();
        self.catalog.notify_waiters();
        self.record_options(&change)
    }

    fn set_db_options(&self, changes: &[(&str, &str)]) -> Result<()> {
        let change = self.lock_options();
        self.session.health.check_open()?;
        let before = self.session.live_options();
        let (changed, moved) = options::change_db(&before, changes)?;
        moved.iter().for_each(|line| self.session.info_log.info(format_args!("{line}")));
        self.catalog.controller().set_base_rate(changed.delayed_write_rate);
        if let (Some(open_tables), true) =
            (&self.session.open_tables, changed.max_open_files != before.max_open_files)
        {
            // With a memory limit, all tables may stay open that fit.
            let all = if self.session.memory().is_some() { usize::MAX } else { 1 };
            open_tables.set_capacity(usize::try_from(changed.max_open_files).unwrap_or(all));
        }
        self.session.changed_options.replace(changed);
        if !self.session.read_only {
            self.jobs.start()?;
        }
        // Make the next write recheck the limits of WALs.
        self.commit.check_limits_soon();
        self.catalog.renew_stalls(&mut self.catalog.state());
        self.catalog.notify_jobs();
        self.record_options(&change)
    }
}
