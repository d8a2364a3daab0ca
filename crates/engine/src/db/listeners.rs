//! Handles that listeners get, and what they are told of handles.

use super::handles::{ColumnFamily, Db};
use crate::hooks::{ColumnFamilyHandleInfo, EventDb};
use crate::open::Core;
use std::sync::Weak;

impl Db {
    /// A handle of the database that a listener is told of. It does not keep the database open:
    /// once that is closed, calls fail.
    pub fn of_event(event: EventDb<'_>) -> Option<Db> {
        event.inner.downcast_ref::<Weak<Core>>()?.upgrade().map(Db::of_core)
    }

    /// Lets a handle go and tells listeners; a handle that is only dropped tells nobody.
    pub fn destroy_column_family_handle(&self, cf: ColumnFamily) {
        let info = ColumnFamilyHandleInfo { cf_id: cf.id(), cf_name: cf.name().to_owned() };
        self.core().reporter.tell(|l| l.on_column_family_handle_deletion_started(&info));
    }
}
