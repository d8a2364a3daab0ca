//! Code that the suites of `ferrolith-bench` share.
//!
//! | File | Content |
//! |---|---|
//! | `engine` | the engine that a command line names, with db_bench's flags |
//! | `child` | this program, run again as a part of a larger run |
//! | `environment` | `environment.json`: machine, engines, command line |
//! | `latency` | histograms as rows of a table and as JSON |
//! | `meters` | counts and latencies of threads that run |
//! | `origin` | the place of this run in a larger one |
//! | `recorder` | the time line and the costs of a phase |
//! | `results` | the directory of results |
//! | `run_dir` | the directory of a run with its files |
//! | `schedule` | the pace of a thread with a target rate |
//! | `db_bench` | a run of db_bench as a part of a suite |
//! | `screen` | Ctrl-C, lines of JSON |
//! | `tree` | levels, compaction debt, syncs and stalls of an engine |
//! | `view` | the live view of a phase |
//! | `warm_up` | the warm-up of a phase, and when it has lasted long enough |

pub mod child;
pub mod db_bench;
pub mod engine;
pub mod environment;
pub mod latency;
pub mod meters;
pub mod origin;
pub mod recorder;
pub mod results;
pub mod run_dir;
pub mod schedule;
pub mod screen;
pub mod tree;
pub mod view;
pub mod warm_up;
