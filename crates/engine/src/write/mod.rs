//! Writing: the order of commits, inserting a batch into memtables, and slowing writers down.

mod apply;
mod commit;
mod sections;
mod stall;

pub(crate) use apply::unknown_column_family;
pub use apply::{MemtableInserter, MemtableLookup};
pub use commit::{CommitOrder, SyncGroup};
pub(crate) use sections::prepared_here;
pub use sections::{SectionReplay, Sections};
pub use stall::{Stall, StallCause, StallInputs, StallLimits, WriteController, WritersHeld};
