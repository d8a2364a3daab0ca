//! Options of the block-based table format.

use crate::cache::Cache;
use crate::error::Result;
use crate::options::{self, FilterPolicy, OptionSet};
use std::fmt;
use std::sync::Arc;

/// Options of the block-based table format, for [`Options::block_based_table`](crate::Options::block_based_table).
///
/// ```
/// use ferrolith::{BlockBasedOptions, Cache, Options};
/// let cache = Cache::new_lru(512 << 20);
/// let table = BlockBasedOptions::new().block_size(16 << 10).block_cache(&cache).bloom_filter(10.0);
/// let options = Options::new().block_based_table(table);
/// # let _ = options;
/// ```
#[derive(Clone, Default)]
pub struct BlockBasedOptions {
    pub(super) inner: options::BlockBasedTableOptions,
}

impl BlockBasedOptions {
    /// Returns RocksDB's defaults, except that `format_version` is 5.
    pub fn new() -> BlockBasedOptions {
        BlockBasedOptions::default()
    }

    /// Sets the size of a data block before compression, in bytes. Default: 4096.
    #[must_use]
    pub fn block_size(mut self, bytes: usize) -> BlockBasedOptions {
        self.inner.block_size = bytes;
        self
    }

    /// Sets the cache for uncompressed blocks. Column families and databases may share a cache. Default: a cache of 32
    /// MiB for the family.
    #[must_use]
    pub fn block_cache(mut self, cache: &Arc<Cache>) -> BlockBasedOptions {
        self.inner.block_cache = Some(Arc::clone(cache));
        self.inner.no_block_cache = false;
        self
    }

    /// Disables the block cache.
    #[must_use]
    pub fn no_block_cache(mut self) -> BlockBasedOptions {
        self.inner.block_cache = None;
        self.inner.no_block_cache = true;
        self
    }

    /// Adds a Bloom filter with this many bits per key, so that most lookups of missing keys read no block. With 10
    /// bits, the false positive rate is 1 %. Default: no filter.
    #[must_use]
    pub fn bloom_filter(mut self, bits_per_key: f64) -> BlockBasedOptions {
        self.inner.filter_policy = Some(FilterPolicy::Bloom { bits_per_key });
        self
    }

    /// Adds a Ribbon filter that is as accurate as a Bloom filter with this many bits per key: a third smaller, slower
    /// to build.
    #[must_use]
    pub fn ribbon_filter(mut self, bloom_equivalent_bits_per_key: f64) -> BlockBasedOptions {
        let bits_per_key = bloom_equivalent_bits_per_key;
        self.inner.filter_policy =
            Some(FilterPolicy::Ribbon { bits_per_key, bloom_before_level: 0 });
        self
    }

    /// Adds whole keys to the filter, not only prefixes. Default: true.
    #[must_use]
    pub fn whole_key_filtering(mut self, yes: bool) -> BlockBasedOptions {
        self.inner.whole_key_filtering = yes;
        self
    }

    /// Charges index and filter blocks to the block cache. Default: false.
    #[must_use]
    pub fn cache_index_and_filter_blocks(mut self, yes: bool) -> BlockBasedOptions {
        self.inner.cache_index_and_filter_blocks = yes;
        self
    }

    /// Sets the number of keys between restart points in data blocks. Default: 16.
    #[must_use]
    pub fn block_restart_interval(mut self, keys: usize) -> BlockBasedOptions {
        self.inner.block_restart_interval = keys;
        self
    }

    /// Sets the format version of new tables, 2 to 7. Default: 5.
    #[must_use]
    pub fn format_version(mut self, version: u32) -> BlockBasedOptions {
        self.inner.format_version = version;
        self
    }

    /// Sets an option by RocksDB's name, such as `partition_filters` or `index_type`.
    ///
    /// ```
    /// use ferrolith::BlockBasedOptions;
    /// let table = BlockBasedOptions::new().set("index_type", "kTwoLevelIndexSearch")?;
    /// assert!(BlockBasedOptions::new().set("block_sise", "8K").is_err());
    /// # Ok::<(), ferrolith::Error>(())
    /// ```
    ///
    /// # Errors
    /// Same as [`Options::set`](crate::Options::set).
    pub fn set(mut self, name: &str, value: &str) -> Result<BlockBasedOptions> {
        self.inner.set_option(name, value)?;
        Ok(self)
    }
}

impl fmt::Debug for BlockBasedOptions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut out = f.debug_struct("BlockBasedOptions");
        super::text::debug_changes(&self.inner, &mut out);
        out.finish_non_exhaustive()
    }
}
