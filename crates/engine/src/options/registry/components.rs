//! The text forms of components: objects with a name and possibly settings, `name` or `{id=name;setting=value;}`.
//! Built-in components can be created from text; any other name must be that of the object that the program has set.

use super::super::parse::{split_pairs, unbrace, unescape};
use super::values::{TextForm, store};
use crate::base::{BytewiseComparator, Comparator, ReverseBytewiseComparator};
use crate::budget::RateLimiter;
use crate::cache::Cache;
use crate::error::{Error, Result};
use crate::hooks::{
    CompactionFilter, CompactionFilterFactory, FixedPrefixPartitionerFactory, MergeOperator,
    SliceTransform, SstPartitionerFactory, StringAppendOperator, compaction_filter_by_name,
    merge_operator_by_name, slice_transform_by_name,
};
use crate::stats::Statistics;
use std::sync::Arc;

/// Returns a part's name and its settings.
pub(super) fn name_and_settings(text: &str) -> Result<(&str, Vec<(&str, &str)>)> {
    let inside = unbrace(text);
    if !inside.contains('=') {
        return Ok((inside, Vec::new()));
    }
    let mut settings = split_pairs(inside)?;
    let id = settings.iter().position(|(k, _)| *k == "id");
    let name = id.map_or("", |at| settings.remove(at).1);
    Ok((name, settings))
}

pub(super) fn unknown_setting(part: &str, name: &str) -> Error {
    super::unknown_option(&format!("{part} has no setting {name:?}"))
}

pub(super) fn unknown_part(what: &str, name: &str) -> Error {
    Error::not_supported(format!("{what} {name:?} is not built in; set it in the program"))
}

pub(super) fn is_null(text: &str) -> bool {
    matches!(text, "" | "nullptr" | "{}")
}

/// Returns the name of an object, or RocksDB's word for none.
fn name_or_null<T: ?Sized>(object: &Option<Arc<T>>, name: impl FnOnce(&T) -> String) -> String {
    object.as_ref().map_or("nullptr".into(), |object| name(object))
}

impl TextForm for Arc<dyn Comparator> {
    fn set_text(&mut self, _: &str, text: &str) -> Result<()> {
        let (name, _) = name_and_settings(text)?;
        let part: Arc<dyn Comparator> = match name {
            _ if name == self.name() => return Ok(()),
            "leveldb.BytewiseComparator" => Arc::new(BytewiseComparator),
            "rocksdb.ReverseBytewiseComparator" => Arc::new(ReverseBytewiseComparator),
            _ => return Err(unknown_part("comparator", name)),
        };
        *self = part;
        Ok(())
    }
    fn to_text(&self) -> String {
        self.name().to_string()
    }
}

impl TextForm for Option<Arc<dyn MergeOperator>> {
    fn set_text(&mut self, _: &str, text: &str) -> Result<()> {
        if is_null(text) {
            *self = None;
            return Ok(());
        }
        let (name, settings) = name_and_settings(text)?;
        let mut part: Option<Arc<dyn MergeOperator>> = match &*self {
            Some(have) if have.name() == name => Some(have.clone()),
            _ => merge_operator_by_name(name),
        };
        for (key, value) in settings {
            match (key, part.as_ref().map(|p| p.name())) {
                ("delimiter" | "delim", Some("StringAppendOperator")) => {
                    part = Some(Arc::new(StringAppendOperator::new(unescape(value))));
                }
                _ => return Err(unknown_setting(name, key)),
            }
        }
        *self = Some(part.ok_or_else(|| unknown_part("merge operator", name))?);
        Ok(())
    }
    fn to_text(&self) -> String {
        name_or_null(self, |operator| operator.options_text())
    }
}

impl TextForm for Option<Arc<dyn CompactionFilter>> {
    fn set_text(&mut self, _: &str, text: &str) -> Result<()> {
        if is_null(text) {
            *self = None;
            return Ok(());
        }
        let (name, _) = name_and_settings(text)?;
        if self.as_ref().is_some_and(|have| have.name() == name) {
            return Ok(());
        }
        let part = compaction_filter_by_name(name);
        *self = Some(part.ok_or_else(|| unknown_part("compaction filter", name))?);
        Ok(())
    }
    fn to_text(&self) -> String {
        name_or_null(self, |filter| filter.name().to_string())
    }
}

/// There are no built-in factories: a name must be that of the program's factory.
impl TextForm for Option<Arc<dyn CompactionFilterFactory>> {
    fn set_text(&mut self, _: &str, text: &str) -> Result<()> {
        if is_null(text) {
            *self = None;
            return Ok(());
        }
        let (name, _) = name_and_settings(text)?;
        match self {
            Some(have) if have.name() == name => Ok(()),
            _ => Err(unknown_part("compaction filter factory", name)),
        }
    }
    fn to_text(&self) -> String {
        name_or_null(self, |factory| factory.name().to_string())
    }
}

/// The fixed-prefix factory is built in; any other must be the program's.
impl TextForm for Option<Arc<dyn SstPartitionerFactory>> {
    fn set_text(&mut self, _: &str, text: &str) -> Result<()> {
        if is_null(text) {
            *self = None;
            return Ok(());
        }
        let (name, settings) = name_and_settings(text)?;
        if name == FixedPrefixPartitionerFactory::NAME {
            let mut length = 0usize;
            for (key, value) in settings {
                match key {
                    "length" => store(&mut length, key, value)?,
                    _ => return Err(unknown_setting(name, key)),
                }
            }
            *self = Some(Arc::new(FixedPrefixPartitionerFactory::new(length)));
            return Ok(());
        }
        match self {
            Some(have) if have.name() == name => Ok(()),
            _ => Err(unknown_part("SST partitioner factory", name)),
        }
    }
    fn to_text(&self) -> String {
        name_or_null(self, |factory| factory.options_text())
    }
}

impl TextForm for Option<Arc<dyn SliceTransform>> {
    fn set_text(&mut self, _: &str, text: &str) -> Result<()> {
        if is_null(text) {
            *self = None;
            return Ok(());
        }
        let (name, settings) = name_and_settings(text)?;
        if self.as_ref().is_some_and(|have| have.name() == name) {
            return Ok(());
        }
        let length = settings.iter().find(|(k, _)| matches!(*k, "length" | "cap_len"));
        let full = length.map_or(name.to_string(), |(_, n)| format!("{name}.{n}"));
        let part: Option<Arc<dyn SliceTransform>> = slice_transform_by_name(&full);
        *self = Some(part.ok_or_else(|| unknown_part("prefix extractor", name))?);
        Ok(())
    }
    fn to_text(&self) -> String {
        name_or_null(self, |transform| transform.name().to_string())
    }
}

/// The settings that RocksDB accepts for a cache, including shards and priorities.
const CACHE_SETTINGS: [&str; 7] = [
    "id",
    "capacity",
    "num_shard_bits",
    "strict_capacity_limit",
    "high_pri_pool_ratio",
    "low_pri_pool_ratio",
    "estimated_entry_charge",
];

/// `nullptr`, a size such as `64M`, or `{capacity=64M;...}`. The cache itself decides on shards.
impl TextForm for Option<Arc<Cache>> {
    fn set_text(&mut self, _: &str, text: &str) -> Result<()> {
        if is_null(text) {
            *self = None;
            return Ok(());
        }
        let mut capacity = 0usize;
        let inside = unbrace(text);
        if inside.contains('=') {
            let settings = split_pairs(inside)?;
            let found = settings.iter().find(|(k, _)| *k == "capacity");
            if let Some((name, _)) = settings.iter().find(|(k, _)| !CACHE_SETTINGS.contains(k)) {
                return Err(Error::invalid_argument(format!("Unrecognized option: .{name}")));
            }
            store(&mut capacity, "block_cache", found.map_or("", |(_, v)| v))?;
        } else {
            store(&mut capacity, "block_cache", inside)?;
        }
        *self = Some(Cache::new_lru(capacity));
        Ok(())
    }
    fn to_text(&self) -> String {
        name_or_null(self, |cache| cache.capacity().to_string())
    }
}

/// `rate_limiter_bytes_per_sec`: a limiter with RocksDB's other defaults; 0 means none.
impl TextForm for Option<Arc<RateLimiter>> {
    fn set_text(&mut self, name: &str, text: &str) -> Result<()> {
        let mut rate = 0i64;
        store(&mut rate, name, text)?;
        *self = (rate > 0).then(|| RateLimiter::new(rate, 100_000, 10));
        Ok(())
    }
    fn to_text(&self) -> String {
        self.as_ref().map_or(0, |limiter| limiter.bytes_per_second()).to_string()
    }
}

/// Nothing, or any text for statistics: it keeps existing statistics, or creates new ones.
impl TextForm for Option<Arc<Statistics>> {
    fn set_text(&mut self, _: &str, text: &str) -> Result<()> {
        let on = !matches!(text, "" | "nullptr" | "false");
        *self = on.then(|| self.take().unwrap_or_else(Statistics::new));
        Ok(())
    }
    fn to_text(&self) -> String {
        name_or_null(self, |_| "{id=BasicStatistics;}".to_string())
    }
}
