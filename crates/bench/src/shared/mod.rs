//! Code that the suites of `ferrolith-bench` share.
//!
//! | File | Content |
//! |---|---|
//! | `engine` | the engine that a command line names, with db_bench's flags |
//! | `screen` | Ctrl-C, the progress bar, lines of JSON |
//! | `latency` | histograms as rows of a table and as JSON |
//! | `results` | the directory of results, and the environment in it |
//! | `schedule` | the pace of a thread with a target rate |

pub mod engine;
pub mod latency;
pub mod results;
pub mod schedule;
pub mod screen;
