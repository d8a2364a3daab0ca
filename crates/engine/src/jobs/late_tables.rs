//! After an opening that put it off, the background reads what lookups need of each table, before
//! somebody has to wait for it. The first lookups in a table do without; whoever needs more reads it alone.

use super::scheduler::Scheduler;
use crate::sst::Table;
use std::sync::{Arc, Weak};

impl Scheduler {
    /// Makes the list of the tables that opening left, the newest last.
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

    /// The next of them.
    pub(super) fn next_late_table(&self) -> Option<Weak<Table>> {
        self.late_tables.lock().pop()
    }

    /// Reads one of them, unless it is gone. Damage is told to who looks something up. Stops as
    /// jobs do, so that closing does not wait for a whole table.
    pub(crate) fn read_late_table(&self, table: &Weak<Table>) {
        if let Some(table) = table.upgrade() {
            let _ = table.read_parts(self.session.health.stopped());
        }
    }
}
