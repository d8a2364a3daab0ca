//! The OPTIONS file that records the options in force.

use super::core::Core;
use crate::env::lock_rank::RankedGuard;
use crate::error::Result;
use crate::options;
use std::sync::Arc;

impl Core {
    /// Prevents changes of options, and writes of OPTIONS files, until the result is dropped.
    pub(crate) fn lock_options(&self) -> RankedGuard<'_, ()> {
        self.options_change.lock()
    }

    /// Writes the options in force to a file. The database works without this file, so a failure is only logged.
    pub(crate) fn write_options_file(&self) {
        // The caller does not handle the error.
        let _ = self.record_options(&self.lock_options());
    }

    /// Writes a new OPTIONS file. The argument proves that options cannot change meanwhile.
    pub(crate) fn record_options(&self, _change: &RankedGuard<'_, ()>) -> Result<()> {
        // RocksDB writes a file even here, and removes older ones while another process is the writer.
        if self.session.read_only {
            return Ok(());
        }
        let state = self.catalog.state();
        let data: Vec<_> = state.families.values().map(|cf| Arc::clone(&cf.data)).collect();
        drop(state);
        let all: Vec<_> = data.iter().map(|d| (d.name.as_str(), d.options())).collect();
        let families: Vec<_> = all.iter().map(|(name, options)| (*name, &**options)).collect();
        let (number, db) = (self.session.counters.new_file_number(), self.session.live_options());
        options::write_options_file(&*self.session.fs, &self.session.dir, number, &db, &families)
            .inspect_err(|e| {
                self.session.info_log.warn(format_args!("Unable to persist options: {e}"))
            })
    }
}
