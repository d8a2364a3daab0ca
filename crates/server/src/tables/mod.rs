//! The catalogue of tables.

mod catalogue;
mod row;

pub use catalogue::{Catalogue, Change, NewTable, Refusal, Table};
pub use row::state;
