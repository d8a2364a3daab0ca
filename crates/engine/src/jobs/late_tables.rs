//! Loading the indexes and filters of tables in the background, if opening the database deferred it. The first lookups
//! bypass the decoded index; the first reader that needs it loads it.

use super::scheduler::Scheduler;
use crate::sst::Table;
use std::sync::{Arc, Weak};

impl Scheduler {
    /// Lists the tables whose parts opening did not load, the newest last.
    pub(crate) fn list_late_tables(&self) {
        let state = self.catalog.state();
        let versions = state.families.values().map(|family| &family.current);
        let readers = versions.flat_map(|version| version.all_files());
        let readers = readers.filter_map(|(_, file)| file.pinned_reader());
        let mut late: Vec<Weak<Table>> = readers.map(Arc::downgrade).collect();
        late.reverse();
        drop(state);
        *self.late_tables.lock() = late;
    }

    /// Takes the next table from the list.
    pub(super) fn next_late_table(&self) -> Option<Weak<Table>> {
        self.late_tables.lock().pop()
    }

    /// Loads the parts of a table, unless it is gone. Damage is reported to the lookups that find it. Stops when jobs
    /// must stop, so that closing does not wait for a whole table.
    pub(crate) fn read_late_table(&self, table: &Weak<Table>) {
        if let Some(table) = table.upgrade() {
            let _ = table.read_parts(self.session.health.stopped());
        }
    }
}
