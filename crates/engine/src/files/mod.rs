//! The files of a database: which of them may be deleted, when, and at what rate.

mod keeper;
mod leftovers;
mod space;
mod wal_list;

pub(crate) use keeper::FileKeeper;
pub(crate) use leftovers::{Leftovers, move_to_lost, place_in_lost};
pub(crate) use wal_list::{list_wals, wals_among};
