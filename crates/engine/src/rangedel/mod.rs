//! Range tombstones: the records that `DeleteRange` writes.
//!
//! A tombstone `[begin, end) @ seq` hides the entries of the keys in `[begin, end)` that are older
//! than `seq` from readers at `seq` and later. Tombstones may overlap; before they are used, they
//! are cut into [`Fragments`] that do not, each with the sequence numbers of all tombstones over
//! it. Memtables and open tables keep their fragments, so a lookup costs one binary search, or
//! nothing if there are no tombstones.
//!
//! | File | Owns |
//! |---|---|
//! | `fragments` | fragments, their construction, and lookups in them |
//! | `cursor` | a position in fragments that moves with an iterator |
//! | `covered_iter` | the iterator that skips covered entries |
//! | `job` | the tombstones of a flush or compaction: what they drop, and which of them are kept |
//!
//! Invariants:
//! * **G1** A place (memtable, table of level 0, level) that is older than another one contains,
//!   for each key, only older entries *and* tombstones. So a visible tombstone of a newer place
//!   hides everything in its range in an older place, without a comparison of sequence numbers.
//! * **G2** The tombstones of a table apply only inside its boundaries in the MANIFEST: beyond
//!   them, a neighbour contains the same tombstone or may have dropped it. They are clipped at
//!   opening.

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
