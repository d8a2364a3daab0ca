//! Removal of dead rows in compactions: expired rows, and rows of collections that no longer exist.
//!
//! A filter decides by the persisted horizons only, never by a clock: see [`horizons`](super::horizons).

use super::Horizons;
use crate::rows::redis::{Collection, Head, Row, Type, meta_key};
use ferrolith::{
    ColumnFamily, CompactionFilter, CompactionFilterContext, CompactionFilterFactory,
    FilterDecision, ReadOptions,
};
use parking_lot::Mutex;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// The family of a partition, for look-ups in its compactions. Empty before the database is open and after it closes.
pub(super) type FamilySlot = Arc<Mutex<Option<ColumnFamily>>>;

/// Creates the filters of one partition of a Redis table.
pub(super) struct RedisFilterFactory {
    pub(super) horizons: Arc<Horizons>,
    pub(super) family: FamilySlot,
}

impl CompactionFilterFactory for RedisFilterFactory {
    fn name(&self) -> &str {
        "ferrolith-server.redis"
    }

    fn create(&self, _: &CompactionFilterContext) -> Option<Box<dyn CompactionFilter>> {
        Some(Box::new(RedisFilter {
            expired_ms: self.horizons.expired_ms(),
            version: self.horizons.version(),
            family: self.family.lock().clone(),
            removed: self.horizons.removed().clone(),
            last: Mutex::default(),
        }))
    }
}

struct RedisFilter {
    expired_ms: u64,
    version: u64,
    family: Option<ColumnFamily>,
    /// Counts the M rows that are removed.
    removed: Arc<AtomicU64>,
    /// The M row that was looked up last, and the version that it names.
    last: Mutex<Option<(Vec<u8>, Option<u64>)>>,
}

impl CompactionFilter for RedisFilter {
    fn name(&self) -> &str {
        "ferrolith-server.redis"
    }

    fn filter(&self, _: usize, key: &[u8], value: &[u8]) -> FilterDecision {
        let is_dead = match Row::parse(key) {
            Some(Row::Meta { .. }) => {
                let head = Head::parse(value);
                let is_expired = head.is_some_and(|(head, _)| head.is_expired(self.expired_ms));
                self.removed.fetch_add(is_expired.into(), Ordering::Relaxed);
                is_expired
            }
            Some(Row::Sub { slot, key, version, .. }) => {
                version < self.version && self.is_orphan(slot, key, version)
            }
            Some(Row::State(_)) | None => false,
        };
        if is_dead { FilterDecision::Remove } else { FilterDecision::Keep }
    }

    fn ignore_snapshots(&self) -> bool {
        // Views are short, and no view opens an iterator long after the command that removed the rows.
        true
    }
}

impl RedisFilter {
    /// Returns whether the M row of a key names another version, or is absent. Errors keep the row.
    fn is_orphan(&self, slot: u16, key: &[u8], version: u64) -> bool {
        let Some(family) = &self.family else { return false };
        let row = meta_key(slot, key);
        let mut last = self.last.lock();
        if let Some((seen, named)) = &*last
            && seen[..] == row[..]
        {
            return *named != Some(version);
        }
        let options = ReadOptions::new().fill_cache(false);
        let Ok(named) = family.get_with_opt(&row, &options, named_version) else { return false };
        let named = named.flatten();
        *last = Some((row.to_vec(), named));
        named != Some(version)
    }
}

/// Returns the version that an M row names.
fn named_version(value: &[u8]) -> Option<u64> {
    let (head, body) = Head::parse(value)?;
    if head.ty == Type::String && head.encoding == crate::rows::redis::RAW {
        return None;
    }
    Collection::parse(head, body).map(|row| row.version)
}
