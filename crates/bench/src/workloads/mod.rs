//! The benchmarks: one row each, with RocksDB's names and meanings.

mod crowd;
mod deterministic;
mod disposable;
pub mod distributions;
mod evict;
mod list;
mod live;
mod machine;
mod mixgraph;
mod operands;
mod read;
mod recording;
mod runner;
mod scan;
mod table;
mod thread;
mod timeseries;
mod transaction;
mod update;
mod verify;
mod write;

#[cfg(test)]
#[path = "workloads_test.rs"]
mod tests;

pub use list::{Entry, help, parse_list};
pub use recording::Recording;
pub use runner::{run, run_recorded};
pub use table::{GROUPS, MISSING, benchmarks};

use crate::config::Config;
use crate::flags::Flags;
use crate::target::{Result, Target};
use thread::Thread;

/// The way in which a benchmark is run.
pub enum Body {
    /// Runs threads that count operations.
    Threads(fn(&mut Thread<'_>) -> Result<()>),
    /// Like `Threads`, with thread 0 writing in the background.
    WithWriter(fn(&mut Thread<'_>) -> Result<()>),
    /// Once; the time it takes is its result.
    Once(fn(&dyn Target, &Flags) -> Result<()>),
    /// Opens the database repeatedly.
    Reopen,
    /// Prints properties.
    Properties(&'static [&'static str]),
}

/// The effect of a benchmark on the number of live keys, for the space amplification.
#[derive(Clone, Copy, PartialEq)]
pub enum Effect {
    /// Nothing.
    None,
    /// Each write is a new key.
    AddsNew,
    /// Each write is to a random key.
    AddsRandom,
    /// Deletes keys from the first on.
    RemovesFirst,
    /// Deletes random keys.
    RemovesRandom,
}

/// One benchmark.
pub struct Benchmark {
    /// Its name in `--benchmarks`.
    pub name: &'static str,
    /// One line for `--help`.
    pub help: &'static str,
    /// Whether it starts with an empty database.
    pub fresh: bool,
    /// Its effect on the live keys.
    pub effect: Effect,
    /// Changes of the configuration for it.
    pub tune: fn(&mut Config),
    /// The way in which it is run.
    pub body: Body,
}

impl Benchmark {
    /// Returns whether operations before it change nothing about it: its database is filled, and does not become empty.
    pub fn has_warm_up(&self) -> bool {
        let removes = matches!(self.effect, Effect::RemovesFirst | Effect::RemovesRandom);
        !self.fresh && !removes && matches!(self.body, Body::Threads(_) | Body::WithWriter(_))
    }
}

fn needs_merge_operator(name: &str) -> bool {
    name.contains("merg")
}
