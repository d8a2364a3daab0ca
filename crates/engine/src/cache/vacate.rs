//! Vacating pages: evicting the objects that occupy chosen huge pages, so that the heap can return these pages.
//!
//! The rings evict objects that lie anywhere, so a cache that shrinks leaves holes in every page, and its memory stays
//! with the process. The keeper of a memory limit therefore chooses pages and evicts what lies in them. It visits all
//! entries, so it vacates many pages at once, and not for every small change.

use super::{Cache, PageSet, Retiree, Ring};

impl Cache {
    /// Evicts all objects without references that have memory in one of these pages. Visits every entry. The memory is
    /// free when all readers that are pinned now have left.
    pub(crate) fn vacate(&self, pages: &PageSet) {
        // These and spares would keep the pages.
        self.retire_aside();
        for shard in &self.shards {
            let evicted = shard.lock().evict_from(pages);
            let bytes = evicted.iter().map(Retiree::bytes).sum();
            self.release(bytes);
            let objects: Vec<_> = evicted.into_iter().filter_map(Retiree::into_object).collect();
            self.retire_counted(objects, bytes);
        }
        self.spares.clear();
    }
}

impl Ring {
    fn evict_from(&mut self, pages: &PageSet) -> Vec<Retiree> {
        let mut evicted = Vec::new();
        for at in 0..self.places() as u32 {
            if self.entry(at).is_some_and(|entry| entry.lies_in(pages)) {
                evicted.extend(self.evict(at));
            }
        }
        evicted
    }
}

#[cfg(all(test, target_os = "linux", not(miri)))]
#[path = "vacate_test.rs"]
mod tests;
