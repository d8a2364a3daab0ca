//! Installing the result of a job: first in the MANIFEST, then in memory.

use super::catalog::Catalog;
use super::state::State;
use crate::env::lock_rank::RankedGuard;
use crate::error::Result;
use crate::stats::{HistogramType, Timer};
use crate::version::{VersionEdit, VersionSet};
use std::sync::Arc;

impl Catalog {
    /// Writes `edits` to the MANIFEST and makes the resulting versions current. `adjust` changes the rest of the state
    /// in the same step, so that readers see both changes or neither. The MANIFEST is synced before anything in memory
    /// changes.
    pub(crate) fn install(
        &self,
        edits: Vec<VersionEdit>,
        adjust: impl FnOnce(&mut State),
    ) -> Result<()> {
        self.install_locked(self.versions.lock(), edits, adjust)
    }

    /// Does the same as [`Catalog::install`], but omits the edits of dropped families and returns the numbers of these
    /// families.
    pub(crate) fn install_of_living(
        &self,
        mut edits: Vec<VersionEdit>,
        adjust: impl FnOnce(&mut State),
    ) -> Result<Vec<u32>> {
        let versions = self.versions.lock();
        let is_dropped = |edit: &VersionEdit| versions.column_family(edit.column_family).is_none();
        let gone: Vec<u32> =
            edits.iter().filter(|edit| is_dropped(edit)).map(|edit| edit.column_family).collect();
        edits.retain(|edit| !gone.contains(&edit.column_family));
        if !edits.is_empty() {
            self.install_locked(versions, edits, adjust)?;
        }
        Ok(gone)
    }

    fn install_locked(
        &self,
        mut versions: RankedGuard<'_, VersionSet>,
        edits: Vec<VersionEdit>,
        adjust: impl FnOnce(&mut State),
    ) -> Result<()> {
        let installed = self.change_versions(&mut versions, edits, adjust);
        let manifests = versions.take_obsolete_manifests();
        drop(versions);
        self.after_install(&manifests);
        self.reporter.deliver();
        installed
    }

    /// Writes `edits` to the MANIFEST and makes the new versions current, together with the changes that `adjust`
    /// makes. Call [`Catalog::after_install`] when the locks are released, also after an error.
    pub(crate) fn change_versions(
        &self,
        versions: &mut VersionSet,
        edits: Vec<VersionEdit>,
        adjust: impl FnOnce(&mut State),
    ) -> Result<()> {
        self.session.counters.set_last_sequence(self.order.visible());
        check_bases(self, versions, &edits);
        let timer = Timer::start(&self.session.statistics, HistogramType::ManifestFileSyncMicros);
        let changed = versions.install(edits)?;
        drop(timer);
        let mut state = self.state.lock();
        adjust(&mut state);
        for (id, version) in changed {
            if let Some(family) = state.families.get_mut(&id) {
                family.current = version;
            }
        }
        for family in state.families.values() {
            family.publish_if_changed();
        }
        self.renew_stalls(&mut state);
        Ok(())
    }

    /// Deletes replaced MANIFESTs, and notifies jobs and waiters. Delivers no event, because writers may be held here
    /// and a listener may write.
    pub(crate) fn after_install(&self, obsolete_manifests: &[u64]) {
        self.files.delete_manifests(obsolete_manifests);
        self.notify_jobs();
        self.notify_waiters();
    }

    /// Begins a new MANIFEST after a failed write, because the content of the old one is then unknown.
    pub(crate) fn ensure_manifest(&self, versions: &mut VersionSet) -> Result<()> {
        if versions.needs_new_manifest() && !self.session.read_only {
            self.session.counters.set_last_sequence(self.order.visible());
            versions.install(vec![VersionEdit::for_column_family(0)])?;
        }
        Ok(())
    }

    /// Reserves `count` file numbers in the MANIFEST and returns the first. A hard-linked file shares its bytes with
    /// the user's file, so its number must never be used again for a file that is written.
    pub(crate) fn reserve_numbers(&self, count: u64) -> Result<u64> {
        let mut versions = self.versions.lock();
        self.session.health.check_open()?;
        let counters = &self.session.counters;
        let first = counters.new_file_number();
        counters.mark_file_number_used(first + count - 1);
        counters.set_last_sequence(self.order.visible());
        versions.install(vec![VersionEdit::for_column_family(0)])?;
        let manifests = versions.take_obsolete_manifests();
        drop(versions);
        self.files.delete_manifests(&manifests);
        Ok(first)
    }
}

/// Asserts that readers use the versions to which the edits apply.
fn check_bases(catalog: &Catalog, versions: &VersionSet, edits: &[VersionEdit]) {
    if !cfg!(debug_assertions) {
        return;
    }
    let state = catalog.state.lock();
    for edit in edits {
        let id = edit.column_family;
        let (Some(ours), Some(stored)) = (state.families.get(&id), versions.column_family(id))
        else {
            continue;
        };
        assert!(
            Arc::ptr_eq(&ours.current, stored.current()),
            "expected the version that was installed last, {:?}, found {:?}",
            stored.current(),
            ours.current
        );
    }
}
