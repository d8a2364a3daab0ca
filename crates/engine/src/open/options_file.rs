//! The OPTIONS file that records the options in force.

use super::core::Core;
use crate::env::lock_rank::RankedGuard;
use crate::error::Result;
use crate::options;
use std::sync::Arc;

impl Core {
    /// No options change, and no file about them is written, until the result is dropped.
    pub(crate) fn lock_options(&self) -> RankedGuard<'_, ()> {
        self.options_change.lock()
    }

    /// Records the options in force. A database works without the file, so a failure is only told.
    pub(crate) fn write_options_file(&self) {
        // The caller does not know of it.
        let _ = self.record_options(&self.lock_options());
    }

    /// Writes a new OPTIONS file while nobody changes options.
    pub(crate) fn record_options(&self, _change: &RankedGuard<'_, ()>) -> Result<()> {
        // RocksDB writes a file all the same, and removes older ones beside the process that writes.
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
