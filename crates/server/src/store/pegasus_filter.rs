//! Removal of expired rows of Pegasus tables in compactions, by the persisted horizon.

use super::Horizons;
use crate::rows::pegasus::{Version, expiry_clock, is_expired};
use ferrolith::{
    CompactionFilter, CompactionFilterContext, CompactionFilterFactory, FilterDecision,
};
use std::sync::Arc;

/// Creates the filters of one partition of a Pegasus table.
pub(super) struct PegasusFilterFactory {
    pub(super) horizons: Arc<Horizons>,
}

impl CompactionFilterFactory for PegasusFilterFactory {
    fn name(&self) -> &str {
        "ferrolith-server.pegasus"
    }

    fn create(&self, _: &CompactionFilterContext) -> Option<Box<dyn CompactionFilter>> {
        let expired = expiry_clock(self.horizons.expired_ms() / 1000);
        Some(Box::new(PegasusFilter { expired }))
    }
}

struct PegasusFilter {
    /// Rows that expired by then are dropped; seconds since 2016.
    expired: u32,
}

impl CompactionFilter for PegasusFilter {
    fn name(&self) -> &str {
        "ferrolith-server.pegasus"
    }

    fn filter(&self, _: usize, _: &[u8], value: &[u8]) -> FilterDecision {
        // Damaged rows are kept: reads report them.
        match Version::V1.read(value) {
            Some(value) if is_expired(value.expiry, self.expired) => FilterDecision::Remove,
            _ => FilterDecision::Keep,
        }
    }

    fn ignore_snapshots(&self) -> bool {
        // Operations evaluate at a time after the horizon, so no reader sees the row as alive.
        true
    }
}
