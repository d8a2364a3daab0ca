//! Iterators that ended and wait for the next one.
//!
//! To make an iterator is to count what it reads: the super-version, memtables, levels, tables. All
//! threads count on the same lines, each of which the processor then has to bring from another core,
//! and the count is given back as dearly. So an iterator over the newest super-version is not taken
//! apart at its end but parked, in one of a few places, which one the thread decides; the thread's next
//! iterator takes it as it is.
//!
//! * **P1** A parked iterator is over the super-version that is newest while its place is locked. Who
//!   installs another one clears all places after that: whoever parks later sees the new one.
//! * **P2** It holds no block of a table, and only buffers of at most 4 KiB each.
//!
//! A place is a lock of its own line. Takers and parkers only try it: two threads with one place make their
//! iterators as if there were none. Only the thread that clears the places waits for it.

use super::{DbIter, SuperVersion};
use crate::env::sync::Mutex;
use crate::env::thread_number;
use crate::sst::TableIterOptions;
use std::sync::OnceLock;

/// How many iterators are parked at most.
const PLACES: usize = 16;

/// What of an iterator is decided when its children are made: one with other answers is not the same.
#[derive(Clone, Debug, PartialEq)]
pub struct Ticket {
    /// How its tables are read.
    pub tables: TableIterOptions,
    /// How many memtables had entries. Memtables only grow, so equal numbers are the same memtables.
    pub filled: usize,
}

/// The parked iterators of one column family.
#[derive(Default)]
pub struct Parking {
    places: OnceLock<Box<[Place]>>,
}

#[derive(Default)]
#[repr(align(128))]
struct Place(Mutex<Option<Box<DbIter>>>);

/// The place of this thread.
fn mine(places: &[Place]) -> &Place {
    &places[thread_number() % places.len()]
}

impl Parking {
    /// The parked iterator of this thread, if it suits: what it reads and what decided its children.
    pub fn take(&self, suits: impl FnOnce(&SuperVersion, &Ticket) -> bool) -> Option<Box<DbIter>> {
        // Where nothing was ever parked there are no places.
        let mut place = mine(self.places.get()?).0.try_lock()?;
        place.take_if(|iter| {
            matches!((iter.super_version(), iter.ticket()), (Some(sv), Some(it)) if suits(sv, it))
        })
    }

    /// Parks an iterator whose user has left, if it can be and `is_newest` says so of what it reads:
    /// it is asked when nobody can install another one unnoticed.
    pub fn park(&self, mut iter: Box<DbIter>, is_newest: impl FnOnce(&SuperVersion) -> bool) {
        if iter.ticket().is_none() || !iter.release() {
            return;
        }
        let places = self.places.get_or_init(|| (0..PLACES).map(|_| Place::default()).collect());
        let Some(mut place) = mine(places).0.try_lock() else { return };
        if iter.super_version().is_some_and(is_newest) {
            let before = place.replace(iter);
            drop(place);
            drop(before);
        }
    }

    /// Takes out all that is parked: another super-version was installed. The caller drops it.
    // Iterators are handed out in the boxes that they came in.
    #[allow(clippy::vec_box)]
    pub fn clear(&self) -> Vec<Box<DbIter>> {
        let places = self.places.get().into_iter().flatten();
        places.filter_map(|place| place.0.lock().take()).collect()
    }
}
