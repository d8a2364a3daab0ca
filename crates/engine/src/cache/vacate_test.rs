//! Vacated pages return to the system, although objects remain that have references.

use super::*;
use crate::cache::{Handling, Memory, SlotArray, census, heap, release_empty_pages};
use crate::env::epoch;

const SIZE: usize = 4000;
const SLOTS: usize = 4000;

fn pages() -> Vec<(usize, usize)> {
    census().pages
}

#[test]
fn a_cache_that_shrinks_returns_its_pages() {
    let _economy = heap::Economy::new(usize::MAX);
    let cache = Cache::new_lru(SLOTS * SIZE);
    let handling = Handling { recycle: |_: &mut Memory| true, memory: |memory: &Memory| memory };
    let slots = SlotArray::with_recycling(cache.clone(), SLOTS, Some(handling));
    for slot in 0..SLOTS {
        drop(slots.insert(slot, Memory::zeroed(SIZE), SIZE).unwrap());
    }
    let held = slots.hold(SLOTS - 1);
    assert!(cache.usage() > SLOTS * SIZE / 2, "{cache:?}");
    cache.set_ceiling(SLOTS * SIZE / 4);
    assert!(cache.usage() <= SLOTS * SIZE / 4, "{cache:?}");
    // Other tests use the heap, too, and may keep some of its pages.
    let chosen = PageSet::emptiest(pages(), 6);
    let left = || pages().iter().filter(|(page, _)| chosen.has(*page)).count();
    assert!(left() >= 4, "at least 8 MiB are in pages that can be returned");
    let before = left();
    for _ in 0..100 {
        cache.vacate(&chosen);
        epoch::synchronize();
        release_empty_pages();
        if left() <= before / 3 {
            break;
        }
        std::thread::sleep(std::time::Duration::from_millis(20));
    }
    assert!(left() <= before / 3, "{} of {before} pages are left", left());
    assert!(held.is_none_or(|held| held.object().len() == SIZE));
    slots.clear();
    assert_eq!(cache.usage(), 0);
}

#[test]
fn the_emptiest_pages_are_chosen() {
    const PAGE: usize = crate::env::mapping::HUGE_PAGE;
    let set = PageSet::emptiest(vec![(PAGE, 900), (5 * PAGE, 10), (3 * PAGE, 20)], 2);
    let chosen = |page: usize| set.has(page * PAGE + 17);
    assert_eq!([1, 3, 5, 7].map(chosen), [false, true, true, false]);
    assert!(!set.is_empty() && PageSet::default().is_empty());
}
