//! `ferrolith-bench suite reference`: small versions of all reference workloads on engines that alternate.
//!
//! | File | Content |
//! |---|---|
//! | `command` | the command line |
//! | `parts` | the parts of the suite, with their sizes for a number of minutes |
//! | `suite` | runs the parts and compares the engines |
//!
//! A part is a list of commands of this program. All sizes follow from the minutes, engines and pairs alone, so that
//! runs on different days and machines do the same work.

pub mod command;
mod parts;
mod suite;

#[cfg(test)]
#[path = "reference_test.rs"]
mod tests;
