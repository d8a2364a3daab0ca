//! The keeper: the thread that takes memory back when an account nears its limit.
//!
//! It sleeps until charges have grown by a sixty-fourth of the limit, so an idle database costs nothing. Block caches
//! give way at once and grow again slowly: they get what remains beside the highest sum of charges that was seen
//! lately, since memtables fill and empty within seconds, and a cache that followed them would only evict.

use super::{MemoryAccount, MemoryOwner};
use crate::cache::{self, Cache, PageSet};
use crate::env::clock::Instant;
use crate::env::epoch;
use crate::env::mapping::{HUGE_PAGE, trim_allocator};
use crate::env::sync::std_atomic::{AtomicBool, Ordering::Relaxed};
use crate::env::sync::{Condvar, Mutex};
use crate::env::threads;
use std::sync::{Arc, Weak};
use std::time::Duration;

/// While pages are being returned, the keeper looks this often; it doubles the time when a step returned none, because
/// what keeps the pages may be none of its caches.
const BUSY: Duration = Duration::from_millis(20);
const BUSY_DOUBLINGS: u32 = 6;
/// While the peak of charges declines, the keeper looks this often.
const DECLINE: Duration = Duration::from_millis(500);
/// Without a wake-up, the keeper looks this often: caches may be used without any charge.
const IDLE: Duration = Duration::from_secs(5);
/// While charges exceed half the limit, the allocator returns its free pages this often, although the sum may stay the
/// same: owners take and free memory in turn.
const TRIM: Duration = Duration::from_secs(1);
/// The peak approaches the current charges by this part per step.
const DECLINE_PART: usize = 32;

/// Wakes the keeper.
#[derive(Default)]
pub(super) struct Signal {
    /// Avoids the lock while a wake-up is pending.
    is_set: AtomicBool,
    has_ended: AtomicBool,
    /// Mutex for the condition variable; it protects no data.
    lock: Mutex<()>,
    changed: Condvar,
}

impl Signal {
    pub(super) fn wake(&self) {
        if !self.is_set.swap(true, Relaxed) {
            drop(self.lock.lock());
            self.changed.notify_all();
        }
    }

    pub(super) fn end(&self) {
        self.has_ended.store(true, Relaxed);
        drop(self.lock.lock());
        self.changed.notify_all();
    }

    /// Waits for a wake-up, at most for this time. Returns whether the keeper should go on.
    fn wait(&self, at_most: Duration) -> bool {
        let mut lock = self.lock.lock();
        if !self.is_set.load(Relaxed) && !self.has_ended.load(Relaxed) {
            self.changed.wait_for(&mut lock, at_most);
        }
        self.is_set.store(false, Relaxed);
        !self.has_ended.load(Relaxed)
    }
}

/// What the keeper remembers between steps.
struct Keeper {
    /// The highest sum of charges seen lately.
    peak: usize,
    declined: Instant,
    /// The number of steps in a row that should have returned pages and returned none.
    futile: u32,
    /// The highest sum of charges since the allocator last returned its free pages.
    untrimmed: usize,
    /// When it did.
    trimmed: Instant,
    /// The memory of memtables at the last step.
    memtables: usize,
}

impl MemoryAccount {
    /// Starts the keeper unless it runs. It ends with the account. If the system refuses the thread, the next call
    /// tries again.
    pub(crate) fn start_keeper(self: &Arc<Self>) -> std::io::Result<()> {
        if self.is_kept.swap(true, Relaxed) {
            return Ok(());
        }
        let (account, signal) = (Arc::downgrade(self), Arc::clone(&self.signal));
        let started = threads::spawn("ferro-memory", move || keep(&account, &signal));
        started.map(drop).inspect_err(|_| self.is_kept.store(false, Relaxed))
    }
}

fn keep(account: &Weak<MemoryAccount>, signal: &Signal) {
    let mut keeper = Keeper {
        peak: 0,
        declined: Instant::now(),
        futile: 0,
        untrimmed: 0,
        trimmed: Instant::now(),
        memtables: 0,
    };
    let mut pause = Duration::ZERO;
    while signal.wait(pause) {
        let Some(account) = account.upgrade() else { return };
        pause = keeper.step(&account);
    }
}

impl Keeper {
    /// Takes back what exceeds the shares. Returns the time until the next step, unless a wake-up comes first.
    fn step(&mut self, account: &MemoryAccount) -> Duration {
        let charged = account.charged();
        let expected = self.expected(account, charged);
        let step = account.limit() / 64;
        if expected >= self.peak {
            self.peak = expected;
        } else if self.declined.elapsed() >= DECLINE {
            self.declined = Instant::now();
            self.peak -= (self.peak - expected).div_ceil(DECLINE_PART);
        }
        account.wake_at.store(self.peak + step, Relaxed);
        self.untrimmed = self.untrimmed.max(charged);
        let has_fallen = self.untrimmed - charged > account.limit() / 16;
        let is_near = charged > account.limit() / 2 && self.trimmed.elapsed() >= TRIM;
        if has_fallen || is_near {
            (self.untrimmed, self.trimmed) = (charged, Instant::now());
            trim_allocator();
        }
        shrink_readers(account);
        let pages = fit_caches(account, self.peak);
        account.fit_memtables();
        let is_short = account.memtables.buffer_size() < account.shares.memtables();
        match pages {
            Pages::Fit if self.peak > charged + step || is_short => DECLINE,
            Pages::Fit => IDLE,
            Pages::Returned => {
                self.futile = 0;
                BUSY
            }
            Pages::Kept => {
                self.futile = (self.futile + 1).min(BUSY_DOUBLINGS);
                BUSY * (1 << self.futile)
            }
        }
    }

    /// Returns the sum of charges to expect: if memtables change, they will fill their share.
    fn expected(&mut self, account: &MemoryAccount, charged: usize) -> usize {
        let memtables = account.used(MemoryOwner::Memtables);
        let before = std::mem::replace(&mut self.memtables, memtables);
        let expected = match memtables == before {
            true => memtables,
            false => memtables.max(account.shares.memtables()),
        };
        charged.saturating_sub(memtables).saturating_add(expected)
    }
}

/// Closes table readers that are not in use if readers hold more than their share, or everything together more than the
/// limit. A few stay open whatever others hold: otherwise every read would open its table again.
fn shrink_readers(account: &MemoryAccount) {
    let used = account.used(MemoryOwner::TableReaders);
    let over_share = used.saturating_sub(account.shares.readers());
    let most = account.limit() - account.shares.margin();
    let spare = used.saturating_sub(account.shares.readers_min());
    let mut bytes = over_share.max(account.charged().saturating_sub(most).min(spare));
    let sources: Vec<_> = account.readers.lock().iter().filter_map(Weak::upgrade).collect();
    for source in sources {
        if bytes == 0 {
            return;
        }
        bytes = bytes.saturating_sub(source.evict(bytes));
    }
}

/// What a step did with the pages of the block caches.
enum Pages {
    /// There are not too many.
    Fit,
    /// Some of those that are too many were returned.
    Returned,
    /// There are too many, and none was returned.
    Kept,
}

/// Sets the ceilings of the block caches, and returns pages that they need not have. Pages come first: blocks that the
/// CLOCK evicts lie anywhere, and their bytes look like those of others until the last pinned reader has left.
fn fit_caches(account: &MemoryAccount, others: usize) -> Pages {
    let (objects, pages) = account.shares.caches(others);
    let caches = account.caches();
    let ceilings = ceilings(&caches, objects);
    let census = cache::census();
    let foreign = match caches.is_empty() {
        true => usize::MAX,
        false => foreign_pages(census.mapped, census.live, account.cache_usage()),
    };
    account.foreign_pages.store(foreign, Relaxed);
    let room = ceilings.iter().sum::<usize>() / 8 * 9;
    let allowed = pages.min(room + 2 * HUGE_PAGE * (account.shares.pools() + 1));
    let excess = census.mapped.saturating_sub(foreign).saturating_sub(allowed);
    let chosen = PageSet::emptiest(census.pages, excess.div_ceil(HUGE_PAGE));
    if !chosen.is_empty() {
        caches.iter().for_each(|cache| cache.vacate(&chosen));
    }
    caches.iter().zip(ceilings).for_each(|(cache, ceiling)| cache.set_ceiling(ceiling));
    // What was evicted is free now, and does not look like others' at the next step.
    epoch::synchronize();
    if excess == 0 {
        return Pages::Fit;
    }
    cache::release_empty_pages();
    match cache::census().mapped < census.mapped {
        true => Pages::Returned,
        false => Pages::Kept,
    }
}

/// Divides room for objects among caches in proportion to their capacities.
fn ceilings(caches: &[Arc<Cache>], objects: usize) -> Vec<usize> {
    let capacity: u128 = caches.iter().map(|cache| cache.capacity().max(1) as u128).sum();
    let ceiling = |cache: &Arc<Cache>| {
        let part = cache.capacity().max(1) as u128 * objects as u128 / capacity;
        usize::try_from(part).unwrap_or(usize::MAX).min(cache.capacity())
    };
    caches.iter().map(ceiling).collect()
}

/// Returns the part of the heap's pages for which others answer: other databases of the process may use the heap, too.
/// Of its `live` bytes, `ours` are in caches of the account. Others answer for gaps in proportion, but not for more
/// than they use: what an empty cache has left behind is not theirs.
fn foreign_pages(mapped: usize, live: usize, ours: usize) -> usize {
    let foreign = live.saturating_sub(ours);
    let in_proportion = mapped as u128 * foreign as u128 / live.max(1) as u128;
    usize::try_from(in_proportion).unwrap_or(mapped).min(foreign.saturating_mul(2))
}

#[cfg(test)]
mod tests {
    use super::foreign_pages;

    #[test]
    fn others_answer_for_their_part_of_the_pages() {
        assert_eq!(foreign_pages(20 << 20, 10 << 20, 10 << 20), 0, "all gaps are ours");
        assert_eq!(foreign_pages(15 << 20, 10 << 20, 4 << 20), 9 << 20, "in proportion");
        assert_eq!(foreign_pages(4 << 20, 1000, 0), 2000, "what our cache has left");
        assert_eq!(foreign_pages(4 << 20, 0, 0), 0);
    }
}
