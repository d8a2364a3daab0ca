//! The state of a database that is being opened, which recovery uses.

use crate::catalog::caught;
use crate::env::sync::atomic::{AtomicUsize, Ordering};
use crate::env::threads::together;
use crate::error::{Error, Result};
use crate::session::{ColumnFamilyData, Session};
use crate::stats::{Activity, busy_with};
use crate::version::VersionSet;
use std::collections::BTreeMap;
use std::sync::Arc;

/// A database that is being opened.
pub(super) struct Opening {
    pub(super) session: Session,
    pub(super) families: BTreeMap<u32, Arc<ColumnFamilyData>>,
}

impl Opening {
    pub(super) fn family(&self, id: u32) -> Result<Arc<ColumnFamilyData>> {
        let missing = || Error::corruption(format!("column family {id} is not open"));
        self.families.get(&id).cloned().ok_or_else(missing)
    }

    /// With `max_open_files` -1, opens every table now, in several threads. Lookups then need no lock, and damaged
    /// tables are found here.
    pub(super) fn open_all_tables(&self, versions: &VersionSet) -> Result<()> {
        let mut files = Vec::new();
        for (id, stored) in versions.column_families() {
            let family = self.family(id)?;
            let version = stored.current();
            files.extend(version.all_files().map(|(_, f)| (Arc::clone(&family), Arc::clone(f))));
        }
        if self.session.options.max_open_files != -1 {
            return Ok(());
        }
        let next = AtomicUsize::new(0);
        let open_some = || -> Result<()> {
            let _busy = busy_with(Activity::DbOpen);
            let mut memory = Vec::new();
            while let Some((family, file)) = files.get(next.fetch_add(1, Ordering::Relaxed)) {
                family.tables.find_late(file, &mut memory)?;
            }
            Ok(())
        };
        let threads = self.session.options.max_file_opening_threads.clamp(1, 16) as usize;
        let cores = crate::env::threads::cores();
        let threads = threads.min(cores).min(files.len());
        let opened = together("ferro-open", threads.max(1) - 1, || caught(open_some));
        let panicked = |_| Err(Error::corruption("opening a table panicked"));
        opened.into_iter().try_for_each(|result| result.unwrap_or_else(panicked))
    }
}
