//! Reading: the user's iterator.

mod db_iter;

pub use db_iter::DbIter;

#[cfg(test)]
mod speed_test;
