//! Range tombstones: what `DeleteRange` leaves behind.
//!
//! A tombstone `[begin, end) @ seq` hides the entries of the keys in `[begin, end)` that are older
//! than `seq` from readers at `seq` and later. Tombstones overlap as they like; before anybody
//! looks at them they are cut into [`Fragments`] that do not, each with the sequence numbers of all
//! tombstones above it. Memtables and open tables keep fragments ready, so a lookup is one binary
//! search, and none where there are no tombstones.
//!
//! | File | Owns |
//! |---|---|
//! | `fragments` | fragments, how they are made, and lookups in them |
//! | `cursor` | a position in fragments that moves with an iterator |
//! | `covered_iter` | the iterator that leaves out what tombstones hide |
//! | `job` | the tombstones of a flush or compaction: what they drop, and which of them stay |
//!
//! Invariants:
//! * **G1** A place (memtable, table of level 0, level) that is older than another one holds, of
//!   each key, only older entries *and* tombstones. So a visible tombstone of a newer place hides
//!   everything that an older place has in its range, without a look at sequence numbers.
//! * **G2** The tombstones of a table count only inside its boundaries in the MANIFEST: beyond them
//!   the same tombstone lives in a neighbour, and may be gone there. They are clipped at opening.

mod covered_iter;
mod cursor;
mod fragments;
mod job;

pub use covered_iter::hide_covered;
pub use cursor::Run;
pub use fragments::{Fragments, Tombstone};
pub use job::{JobTombstones, OutputTombstones};

#[cfg(test)]
pub(crate) mod testing;
