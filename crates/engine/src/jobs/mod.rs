//! Background work: threads, flushes, compactions, and the calls of users that request or control them.

mod compaction;
mod flush;
mod flush_calls;
mod late_tables;
mod manual;
mod pauses;
mod pausing;
mod refit;
mod renewal;
mod scheduler;

pub(crate) use scheduler::Scheduler;
