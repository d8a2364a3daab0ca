//! `ferrolith-bench compare`: which differences between two sets of results are real.
//!
//! * `read` reads JSON lines of any suite and finds the figures in them.
//! * `judge` has the statistics: an interval of confidence for each ratio, and the verdict.
//! * `table` writes the result as text.

pub mod command;
mod judge;
mod read;
mod table;

#[cfg(test)]
#[path = "compare_test.rs"]
mod tests;
