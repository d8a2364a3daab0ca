//! The keeper: the thread that takes memory back when an account nears its limit.
//!
//! It sleeps until charges have grown by a sixty-fourth of the limit, so an idle database costs nothing. Block caches
//! give way at once and grow again slowly: they get what remains beside the highest sum of charges that was seen
//! lately, since memtables fill and empty within seconds, and a cache that followed them would only evict.

use super::{MemoryAccount, MemoryOwner};
use crate::cache::{self, PageSet};
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
    let mut keeper = Keeper { peak: 0, declined: Instant::now(), futile: 0, untrimmed: 0 };
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
        let step = account.limit() / 64;
        if charged >= self.peak {
            self.peak = charged;
        } else if self.declined.elapsed() >= DECLINE {
            self.declined = Instant::now();
            self.peak -= (self.peak - charged).div_ceil(DECLINE_PART);
        }
        account.wake_at.store(self.peak + step, Relaxed);
        self.untrimmed = self.untrimmed.max(charged);
        if self.untrimmed - charged > account.limit() / 16 {
            self.untrimmed = charged;
            trim_allocator();
        }
        shrink_readers(account);
        fit_memtables(account);
        let is_short = account.memtables.buffer_size() < account.shares.memtables();
        match fit_caches(account, self.peak) {
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

/// Lets memtables have their share, or less if other owners have left less.
fn fit_memtables(account: &MemoryAccount) {
    let shares = &account.shares;
    let active = account.memtables.memory_usage().min(account.used(MemoryOwner::Memtables));
    let others = account.charged().saturating_sub(active);
    let left = shares.limit().saturating_sub(shares.margin()).saturating_sub(others);
    let budget = shares.memtables().min(left).max(shares.memtables_min());
    if budget != account.memtables.buffer_size() {
        account.memtables.set_buffer_size(budget);
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

/// Sets the ceilings of the block caches, and returns pages that they need not have.
fn fit_caches(account: &MemoryAccount, others: usize) -> Pages {
    let (objects, pages) = account.shares.caches(others);
    let caches = account.caches();
    let capacity: u128 = caches.iter().map(|cache| cache.capacity().max(1) as u128).sum();
    let mut ceilings = 0;
    for cache in &caches {
        let part = cache.capacity().max(1) as u128 * objects as u128 / capacity;
        let ceiling = usize::try_from(part).unwrap_or(usize::MAX).min(cache.capacity());
        ceilings += ceiling;
        cache.set_ceiling(ceiling);
    }
    // Other databases of the process may use the heap, too; what they hold must not count, with the usual gaps.
    let census = cache::census();
    let ours = account.cache_usage();
    let foreign = census.live.saturating_sub(ours);
    let allowed = pages.min(ceilings / 8 * 9 + 2 * HUGE_PAGE * (account.shares.pools() + 1))
        + foreign / 4 * 5;
    let excess = census.mapped.saturating_sub(allowed);
    if excess == 0 {
        return Pages::Fit;
    }
    let chosen = PageSet::emptiest(census.pages, excess.div_ceil(HUGE_PAGE));
    if chosen.is_empty() {
        return Pages::Kept;
    }
    caches.iter().for_each(|cache| cache.vacate(&chosen));
    epoch::synchronize();
    cache::release_empty_pages();
    match cache::census().mapped < census.mapped {
        true => Pages::Returned,
        false => Pages::Kept,
    }
}
