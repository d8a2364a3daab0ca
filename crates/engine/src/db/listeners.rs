//! Handles for listeners, and the events about handles.

use super::handles::{ColumnFamily, Db};
use crate::hooks::{ColumnFamilyHandleInfo, EventDb};
use crate::open::Core;
use std::sync::Weak;

impl Db {
    /// Returns a handle of the database that an event concerns. It does not keep the database open: once the database
    /// is closed, its calls fail.
    pub fn of_event(event: EventDb<'_>) -> Option<Db> {
        event.inner.downcast_ref::<Weak<Core>>()?.upgrade().map(Db::of_core)
    }

    /// Releases a handle and notifies listeners. Dropping a handle notifies no listener.
    pub fn destroy_column_family_handle(&self, cf: ColumnFamily) {
        let info = ColumnFamilyHandleInfo { cf_id: cf.id(), cf_name: cf.name().to_owned() };
        self.core().reporter.tell(|l| l.on_column_family_handle_deletion_started(&info));
    }
}
