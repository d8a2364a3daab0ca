//! Writing: the commit order, inserting a batch into memtables, and stalls.

mod apply;
mod order;
mod sections;
mod stall;
mod sync_group;

pub(crate) use apply::unknown_column_family;
pub use apply::{MemtableInserter, MemtableLookup};
pub use order::{CommitOrder, Turn, TurnAllocator};
pub(crate) use sections::prepared_here;
pub use sections::{SectionReplay, Sections};
pub use stall::{Stall, StallCause, StallInputs, StallLimits, WriteController};
pub use sync_group::{Followers, SyncGroup};
