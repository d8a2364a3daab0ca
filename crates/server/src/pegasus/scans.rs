//! Contexts of scans that have more to return.
//!
//! A context holds the request and the key at which the scan goes on, not a position in the engine: an abandoned scan
//! keeps no files or memtables alive. So a scan sees rows that are written ahead of it.
//!
//! * **PS1** An id is used once: [`Scans::take`] removes its context.
//! * **PS2** Ids of an earlier run of the server are unknown, because ids begin at the time of the start.

use super::check::Filter;
use parking_lot::Mutex;
use std::collections::BTreeMap;

/// How long an idle context lives, in microseconds.
const LIFE_US: u64 = 5 * 60 * 1_000_000;
/// The maximum number of contexts; a new one beyond it ends the oldest.
const CONTEXTS_MAX: usize = 16_384;

/// A scan, and where it goes on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Scan {
    /// The table's id.
    pub app_id: i32,
    /// The partition's number.
    pub partition: i32,
    /// The first key that may be returned.
    pub start: Vec<u8>,
    /// The first key that may not be returned.
    pub end: Vec<u8>,
    /// The maximum number of rows of an answer.
    pub batch: usize,
    /// Whether values are left out.
    pub no_value: bool,
    /// Whether rows are counted and not returned.
    pub only_count: bool,
    /// Whether expiries are returned.
    pub with_expiry: bool,
    /// Whether rows of other partitions are left out.
    pub validates_hash: bool,
    /// The filter of hash keys.
    pub hash_filter: Filter,
    /// The filter of sort keys.
    pub sort_filter: Filter,
}

/// All contexts of a server, in the order of their ids, which is the order of their creation.
#[derive(Debug)]
pub struct Scans {
    inner: Mutex<Inner>,
}

#[derive(Debug)]
struct Inner {
    next: i64,
    /// The context and the time of its creation.
    contexts: BTreeMap<i64, (u64, Scan)>,
}

impl Scans {
    /// Returns no contexts. The wall time makes ids differ from those of an earlier run.
    pub fn new(wall_us: u64) -> Scans {
        let next = i64::try_from(wall_us).unwrap_or(0);
        Scans { inner: Mutex::new(Inner { next, contexts: BTreeMap::new() }) }
    }

    /// Keeps a scan and returns its id. Ends idle contexts.
    pub fn put(&self, scan: Scan, now_us: u64) -> i64 {
        let mut inner = self.inner.lock();
        while let Some(oldest) = inner.contexts.first_entry() {
            let age_us = now_us.saturating_sub(oldest.get().0);
            if age_us < LIFE_US && inner.contexts.len() < CONTEXTS_MAX {
                break;
            }
            inner.contexts.pop_first();
        }
        let id = inner.next;
        inner.next += 1;
        inner.contexts.insert(id, (now_us, scan));
        id
    }

    /// Removes a context and returns it, unless it is unknown, idle for too long, or of another partition.
    pub fn take(&self, id: i64, app_id: i32, partition: i32, now_us: u64) -> Option<Scan> {
        let mut inner = self.inner.lock();
        let (created_us, scan) = inner.contexts.get(&id)?;
        let is_of_caller = (scan.app_id, scan.partition) == (app_id, partition);
        if !is_of_caller {
            return None;
        }
        let is_alive = now_us.saturating_sub(*created_us) < LIFE_US;
        let (_, scan) = inner.contexts.remove(&id)?;
        is_alive.then_some(scan)
    }
}

#[cfg(test)]
#[path = "scans_test.rs"]
mod tests;
