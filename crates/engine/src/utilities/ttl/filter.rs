//! The compaction filter of a database with a time to live. It drops expired values and passes the others to the user's
//! filter without their stamps.

use super::stamps::{now, split, stamp};
use crate::hooks::{
    CompactionFilter, CompactionFilterContext, CompactionFilterFactory, FilterDecision,
    TableFileCreationReason,
};
use crate::options::ColumnFamilyOptions;
use std::sync::Arc;

/// Wraps the user's filter in one for this time to live, in seconds. A time of 0 or less drops nothing.
pub(super) fn wrap_filter(options: &mut ColumnFamilyOptions, ttl: i32) {
    let user = options.compaction_filter_factory.take();
    match options.compaction_filter.take() {
        Some(user) => {
            options.compaction_filter = Some(Arc::new(TtlFilter { ttl, user: User::Shared(user) }));
        }
        None => options.compaction_filter_factory = Some(Arc::new(TtlFilterFactory { ttl, user })),
    }
}

/// The user's filter, which sees values without their stamps.
enum User {
    None,
    Shared(Arc<dyn CompactionFilter>),
    OfTheJob(Box<dyn CompactionFilter>),
}

impl User {
    fn filter(&self) -> Option<&dyn CompactionFilter> {
        match self {
            User::None => None,
            User::Shared(filter) => Some(&**filter),
            User::OfTheJob(filter) => Some(&**filter),
        }
    }
}

/// Drops expired values.
struct TtlFilter {
    ttl: i32,
    user: User,
}

impl TtlFilter {
    fn is_stale(&self, time: u32) -> bool {
        self.ttl > 0 && i64::from(time) + i64::from(self.ttl) < i64::from(now())
    }
}

impl CompactionFilter for TtlFilter {
    fn name(&self) -> &str {
        "Delete By TTL"
    }

    fn filter(&self, level: usize, key: &[u8], value: &[u8]) -> FilterDecision {
        // A value without a stamp is damaged, which reads report.
        let Some((plain, time)) = split(value) else { return FilterDecision::Keep };
        if self.is_stale(time) {
            return FilterDecision::Remove;
        }
        match self.user.filter().map(|user| user.filter(level, key, plain)) {
            None => FilterDecision::Keep,
            Some(FilterDecision::ChangeValue(new)) => {
                FilterDecision::ChangeValue(stamp(&new, time))
            }
            Some(decision) => decision,
        }
    }
}

/// Makes a [`TtlFilter`] for each job. It wraps the filter that the user's factory makes for the job.
struct TtlFilterFactory {
    ttl: i32,
    user: Option<Arc<dyn CompactionFilterFactory>>,
}

impl CompactionFilterFactory for TtlFilterFactory {
    fn name(&self) -> &str {
        "TtlCompactionFilterFactory"
    }

    fn create(&self, context: &CompactionFilterContext) -> Option<Box<dyn CompactionFilter>> {
        let user = self.user.as_ref().and_then(|factory| factory.create(context));
        let user = user.map_or(User::None, User::OfTheJob);
        Some(Box::new(TtlFilter { ttl: self.ttl, user }))
    }

    fn should_filter_table_file_creation(&self, reason: TableFileCreationReason) -> bool {
        match &self.user {
            Some(user) => user.should_filter_table_file_creation(reason),
            None => reason == TableFileCreationReason::Compaction,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::env::clock::ManualClock;
    use std::time::Duration;

    #[test]
    fn values_go_when_they_are_older_than_their_time_to_live() {
        let clock = ManualClock::start();
        let value = stamp(b"v", now());
        let filter = |ttl| TtlFilter { ttl, user: User::None }.filter(0, b"k", &value);
        let is_kept = |ttl| matches!(filter(ttl), FilterDecision::Keep);
        clock.advance(Duration::from_secs(3600));
        assert!(is_kept(3600) && !is_kept(3599));
        clock.advance(Duration::from_secs(1));
        assert!(!is_kept(3600));
        assert!(is_kept(0) && is_kept(-1), "forever");
    }
}
