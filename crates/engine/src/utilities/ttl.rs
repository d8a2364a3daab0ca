//! Databases with a time to live, in the layout of RocksDB's `DBWithTTL`. Every value and merge operand ends with the
//! time of its write: 4 bytes, seconds since 1970, little-endian. Reads omit the time; compactions drop entries older
//! than the time to live. Until then they can still be read.

use crate::db::{ColumnFamily, Db};
use crate::error::{Error, Result};
use crate::hooks::{
    CompactionFilter, CompactionFilterContext, CompactionFilterFactory, FilterDecision,
    MergeOperator, TableFileCreationReason,
};
use crate::open::{ColumnFamilyDescriptor, DEFAULT_COLUMN_FAMILY};
use crate::options::{ColumnFamilyOptions, DbOptions, Options};
use crate::session::stamps::{now, split, stamp};
use std::path::Path;
use std::sync::Arc;

impl Db {
    /// Opens a database whose entries live for at least `ttl` seconds. With 0 or less they never expire.
    pub fn open_with_ttl(
        options: &Options,
        path: impl AsRef<Path>,
        ttl: i32,
        read_only: bool,
    ) -> Result<Db> {
        let default = ColumnFamilyDescriptor::new(DEFAULT_COLUMN_FAMILY, options.cf.clone());
        Ok(Db::open_cf_with_ttl(&options.db, path, vec![default], &[ttl], read_only)?.0)
    }

    /// Does the same as [`Db::open_with_ttl`] with these column families and a time to live for each.
    pub fn open_cf_with_ttl(
        options: &DbOptions,
        path: impl AsRef<Path>,
        mut families: Vec<ColumnFamilyDescriptor>,
        ttls: &[i32],
        read_only: bool,
    ) -> Result<(Db, Vec<ColumnFamily>)> {
        if families.len() != ttls.len() {
            let message = "ttls size has to be the same as number of column families";
            return Err(Error::invalid_argument(message));
        }
        for (family, &ttl) in families.iter_mut().zip(ttls) {
            stamp_options(&mut family.options, ttl);
        }
        let (db, handles) = match read_only {
            true => Db::open_cf_for_read_only(options, path, families, false)?,
            false => Db::open_cf(options, path, families)?,
        };
        db.core().session.stamp_values();
        Ok((db, handles))
    }

    /// Creates a column family whose entries live for at least `ttl` seconds, in a database that was opened with a time
    /// to live.
    pub fn create_cf_with_ttl(
        &self,
        name: &str,
        options: &ColumnFamilyOptions,
        ttl: i32,
    ) -> Result<ColumnFamily> {
        if !self.core().session.stamps_values() {
            return Err(Error::invalid_argument("the database was not opened with a time to live"));
        }
        let mut options = options.clone();
        stamp_options(&mut options, ttl);
        Ok(ColumnFamily::new(self.core().create_family(name, &options)?))
    }
}

/// Wraps the merge operator and the compaction filter, so that they see values without their times.
pub(super) fn stamp_options(options: &mut ColumnFamilyOptions, ttl: i32) {
    let user = options.compaction_filter_factory.take();
    match options.compaction_filter.take() {
        Some(user) => {
            options.compaction_filter = Some(Arc::new(TtlFilter { ttl, user: User::Shared(user) }));
        }
        None => options.compaction_filter_factory = Some(Arc::new(TtlFilterFactory { ttl, user })),
    }
    if let Some(user) = options.merge_operator.take() {
        options.merge_operator = Some(Arc::new(TtlMergeOperator(user)));
    }
}

/// Merges values without their times. The result has the time of the merge.
struct TtlMergeOperator(Arc<dyn MergeOperator>);

fn plain<'a>(operands: &[&'a [u8]]) -> Option<Vec<&'a [u8]>> {
    operands.iter().map(|operand| split(operand).map(|(plain, _)| plain)).collect()
}

impl MergeOperator for TtlMergeOperator {
    fn name(&self) -> &str {
        "Merge By TTL"
    }

    fn full_merge(
        &self,
        key: &[u8],
        existing: Option<&[u8]>,
        operands: &[&[u8]],
    ) -> Option<Vec<u8>> {
        let existing = match existing {
            Some(existing) => Some(split(existing)?.0),
            None => None,
        };
        let merged = self.0.full_merge(key, existing, &plain(operands)?)?;
        Some(stamp(&merged, now()))
    }

    fn partial_merge(&self, key: &[u8], operands: &[&[u8]]) -> Option<Vec<u8>> {
        let merged = self.0.partial_merge(key, &plain(operands)?)?;
        Some(stamp(&merged, now()))
    }
}

/// The user's filter, which sees values without their times.
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
        // A value without a time is damaged, which reads report.
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
        assert!(is_kept(0) && is_kept(-1), "for ever");
    }
}
