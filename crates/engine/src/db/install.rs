//! Makes the result of a job part of the database: MANIFEST first, then memory.

use super::state::{DbInner, State};
use crate::env::sync::MutexGuard;
use crate::error::Result;
use crate::stats::{HistogramType, Timer};
use crate::version::VersionEdit;

impl DbInner {
    /// Writes `edits` to the MANIFEST and makes the versions that follow from them current.
    /// `adjust` changes the rest of the state in the same step, so that readers see both or
    /// neither. The MANIFEST is synced before anything in memory changes.
    pub(crate) fn install(
        &self,
        edits: Vec<VersionEdit>,
        adjust: impl FnOnce(&mut State),
    ) -> Result<()> {
        let mut versions = self.versions.lock();
        self.counters.set_last_sequence(self.order.visible());
        let timer = Timer::start(&self.statistics, HistogramType::ManifestFileSyncMicros);
        let changed = versions.install(edits)?;
        drop(timer);
        let manifests = versions.take_obsolete_manifests();
        let mut state = self.state.lock();
        adjust(&mut state);
        for (id, version) in changed {
            if let Some(family) = state.families.get_mut(&id) {
                family.current = version;
            }
        }
        for family in state.families.values() {
            family.install_super_version();
        }
        self.renew_stalls(&mut state);
        drop(state);
        drop(versions);
        self.delete_manifests(&manifests);
        self.deliver_events();
        self.work.notify_all();
        self.progress.notify_all();
        Ok(())
    }

    /// The oldest WAL that is still needed, were family `id` to need none before `own`.
    pub(crate) fn oldest_wal_needed(
        &self,
        state: &MutexGuard<'_, State>,
        id: u32,
        own: u64,
    ) -> u64 {
        let others = state.families.iter().filter(|(other, _)| **other != id);
        let needed = others.filter_map(|(_, family)| family.oldest_wal_needed());
        needed.min().unwrap_or(own).min(own)
    }
}
