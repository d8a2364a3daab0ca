//! Background work: threads, flushes, compactions, and the calls of users that request or control them.

mod compaction;
mod flush;
mod flush_calls;
mod iterator_room;
mod late_tables;
mod manual;
mod memory;
mod pauses;
mod pausing;
mod refit;
mod renewal;
mod scheduler;
#[cfg(test)]
pub(crate) mod testing;

pub(crate) use scheduler::Scheduler;

#[cfg(test)]
mod jobs_test;
