//! The stock: huge pages that the helper thread has mapped and populated for the heap of blocks.
//!
//! The first access to a huge page makes the kernel find and zero 2 MiB, which takes 0.1 to 7 ms. A page holds 500
//! blocks, so readers that fill a cache and paid for it would see it in their 99.9th percentile. Pages in the stock are
//! populated ahead (`env/ahead.rs`), and taking one is a short critical section without a system call.
//!
//! There is one stock per process. It exists while there are caches, and holds one page, or up to [`DEPTH_MAX`] after
//! readers have found it empty.

#![allow(unsafe_code)] // Mapped memory has no static owner; invariant ST1: a page in the stock is used by nothing else.

use crate::env::ahead::Helper;
use crate::env::mapping::{self, HUGE_PAGE};
use crate::env::sync::Mutex;
use crate::env::sync::std_atomic::{AtomicUsize, Ordering::Relaxed};
use std::ptr::NonNull;
use std::sync::Arc;

/// The maximum number of pages in the stock.
const DEPTH_MAX: usize = 4;
/// The stock's maximum share of the largest cache, if that is more than one page.
const SHARE: usize = 64;

/// The bytes of all pages that are mapped: in pools, in stock, or about to be unmapped.
static MAPPED: AtomicUsize = AtomicUsize::new(0);

/// Returns the memory of all pages that are mapped, in bytes.
pub fn mapped_bytes() -> usize {
    MAPPED.load(Relaxed)
}

/// A part of a mapping, of whole pages, that belongs to its holder. It is not unmapped on drop.
pub(super) struct Pages {
    pub(super) start: NonNull<u8>,
    pub(super) len: usize,
}

// SAFETY: the memory belongs to the holder, on whatever thread.
unsafe impl Send for Pages {}

impl Pages {
    /// Maps one huge page, which is not populated.
    pub(super) fn map() -> Option<Pages> {
        let start = NonNull::new(mapping::map(HUGE_PAGE, HUGE_PAGE))?;
        MAPPED.fetch_add(HUGE_PAGE, Relaxed);
        Some(Pages { start, len: HUGE_PAGE })
    }

    fn is_huge_page(&self) -> bool {
        self.len == HUGE_PAGE && self.start.as_ptr().addr().is_multiple_of(HUGE_PAGE)
    }

    fn unmap(self) {
        // SAFETY: it was mapped, and only the holder uses it. If the system refuses, the mapping stays.
        unsafe { mapping::unmap(self.start.as_ptr(), self.len) };
        MAPPED.fetch_sub(self.len, Relaxed);
    }
}

struct Stock {
    pages: Vec<Pages>,
    /// The number of pages that the helper thread is preparing.
    coming: usize,
    /// The number of pages to hold.
    depth: usize,
    depth_max: usize,
    caches: usize,
    helper: Option<Arc<Helper>>,
}

static STOCK: Mutex<Stock> = Mutex::new(Stock {
    pages: Vec::new(),
    coming: 0,
    depth: 1,
    depth_max: 1,
    caches: 0,
    helper: None,
});

/// Keeps the stock open. Each cache has one.
pub(super) struct OpenStock(());

impl OpenStock {
    /// Opens the stock for a cache of this capacity in bytes.
    pub(super) fn new(capacity: usize) -> OpenStock {
        let mut stock = STOCK.lock();
        stock.caches += 1;
        let share = (capacity / SHARE / HUGE_PAGE).clamp(1, DEPTH_MAX);
        stock.depth_max = stock.depth_max.max(share);
        OpenStock(())
    }
}

impl Drop for OpenStock {
    fn drop(&mut self) {
        let mut stock = STOCK.lock();
        stock.caches -= 1;
        if stock.caches > 0 {
            return;
        }
        (stock.depth, stock.depth_max) = (1, 1);
        let (pages, helper) = (std::mem::take(&mut stock.pages), stock.helper.take());
        drop(stock);
        drop(helper);
        pages.into_iter().for_each(Pages::unmap);
    }
}

/// The memory of the pages in stock and of those that are being prepared, in bytes.
pub(super) fn held_bytes() -> usize {
    let stock = STOCK.lock();
    (stock.pages.len() + stock.coming) * HUGE_PAGE
}

/// What the stock has for a thread that needs a page.
pub(super) enum Supply {
    Page(Pages),
    /// Pages are being prepared. The thread had better do without than wait.
    Late,
    /// The system refuses memory.
    Nothing,
}

/// Takes a page, and has the helper thread replace it.
pub(super) fn take() -> Supply {
    let mut stock = STOCK.lock();
    let page = stock.pages.pop();
    if page.is_none() {
        stock.depth = (2 * stock.depth).min(stock.depth_max);
    }
    let there = stock.pages.len() + stock.coming;
    // Filled by more than half, the stock waits: to wake the helper thread costs a reader on this processor its turn.
    let missing = if there <= stock.depth / 2 { stock.depth - there } else { 0 };
    let mut helper = None;
    if missing > 0 && stock.caches > 0 {
        helper = stock.helper.clone();
        if helper.is_none() {
            // A thread is not started under the lock.
            drop(stock);
            helper = Helper::get();
            stock = STOCK.lock();
            stock.helper = helper.clone().filter(|_| stock.caches > 0);
        }
        stock.coming += if helper.is_some() { missing } else { 0 };
    }
    let is_late = stock.coming > 0;
    drop(stock);
    if let Some(helper) = helper {
        for _ in 0..missing {
            let prepared = Prepared(None);
            helper.run(move || prepared.fill());
        }
    }
    supply(page, is_late)
}

fn supply(page: Option<Pages>, is_late: bool) -> Supply {
    match page {
        Some(page) => Supply::Page(page),
        None if is_late => Supply::Late,
        // Without a helper thread, the first accesses populate the page.
        None => Pages::map().map_or(Supply::Nothing, Supply::Page),
    }
}

/// Takes back memory that the heap does not need any more. Unless the stock lacks it, the helper thread unmaps it.
pub(super) fn give_back(pages: Pages) {
    let Some(pages) = restock(pages) else { return };
    let helper = STOCK.lock().helper.clone();
    match helper {
        Some(helper) => helper.run(move || pages.unmap()),
        None => pages.unmap(),
    }
}

/// Like [`give_back`], but the memory is unmapped when this returns.
pub(super) fn give_back_now(pages: Pages) {
    if let Some(pages) = restock(pages) {
        pages.unmap();
    }
}

/// Puts memory into the stock, or returns it if the stock does not lack any.
fn restock(pages: Pages) -> Option<Pages> {
    let mut stock = STOCK.lock();
    if pages.is_huge_page() && stock.caches > 0 && stock.pages.len() < stock.depth {
        stock.pages.push(pages);
        return None;
    }
    Some(pages)
}

/// One page that the helper thread prepares.
struct Prepared(Option<Pages>);

impl Prepared {
    fn fill(mut self) {
        self.0 = Pages::map();
        if let Some(pages) = &self.0 {
            // SAFETY: it was just mapped.
            unsafe { mapping::populate(pages.start.as_ptr(), pages.len) };
        }
    }
}

impl Drop for Prepared {
    fn drop(&mut self) {
        let mut stock = STOCK.lock();
        stock.coming -= 1;
        let Some(pages) = self.0.take() else { return };
        if stock.caches > 0 {
            stock.pages.push(pages);
            return;
        }
        drop(stock);
        pages.unmap();
    }
}
