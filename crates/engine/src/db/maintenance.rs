//! Calls that control background work, and queries about the database.

use super::handles::{ColumnFamily, Db};
use crate::error::Result;
use crate::options::{CompactRangeOptions, FlushOptions, WaitForCompactOptions};

impl Db {
    /// Flushes the memtable of the default column family.
    pub fn flush(&self, fo: &FlushOptions) -> Result<()> {
        self.flush_cf(fo, &self.default_cf())
    }

    /// Flushes the memtable of a column family.
    pub fn flush_cf(&self, fo: &FlushOptions, cf: &ColumnFamily) -> Result<()> {
        self.flush_cfs(fo, &[cf])
    }

    /// Flushes the memtables of several column families. With the option `atomic_flush`, all of them take effect
    /// together, also after a crash.
    pub fn flush_cfs(&self, fo: &FlushOptions, cfs: &[&ColumnFamily]) -> Result<()> {
        let families: Vec<_> = cfs.iter().map(|cf| &*cf.data).collect();
        self.core().jobs.flusher().flush(&families, fo)
    }

    /// Compacts a range of the default column family down to its last level. `None` means unbounded.
    pub fn compact_range(
        &self,
        options: &CompactRangeOptions,
        begin: Option<&[u8]>,
        end: Option<&[u8]>,
    ) -> Result<()> {
        self.compact_range_cf(options, &self.default_cf(), begin, end)
    }

    /// Compacts a range of a column family.
    pub fn compact_range_cf(
        &self,
        options: &CompactRangeOptions,
        cf: &ColumnFamily,
        begin: Option<&[u8]>,
        end: Option<&[u8]>,
    ) -> Result<()> {
        self.core().jobs.compact_range(&cf.data, options, begin, end)
    }

    /// Compacts the tables of one level of a column family into the next level. Memtables and other levels stay as they
    /// are. Universal compaction, which has no levels, merges all tables.
    pub fn compact_level(&self, cf: &ColumnFamily, level: usize) -> Result<()> {
        self.core().jobs.compact_level(&cf.data, level)
    }

    /// Reads every data block of every live table and verifies its checksum.
    pub fn verify_checksums(&self) -> Result<()> {
        for (family, version) in self.core().catalog.current_versions() {
            for (_, file) in version.all_files() {
                family.tables.find(file)?.verify_checksums()?;
            }
        }
        Ok(())
    }

    /// Waits until no flush and no compaction is running or due.
    pub fn wait_for_compact(&self) -> Result<()> {
        self.wait_for_compact_opt(&WaitForCompactOptions::default())
    }

    /// Does the same as [`Db::wait_for_compact`], with options.
    pub fn wait_for_compact_opt(&self, options: &WaitForCompactOptions) -> Result<()> {
        let core = self.core();
        core.jobs.wait_for_compact(options)?;
        if options.close_db { core.close() } else { Ok(()) }
    }

    /// Requests that a range of a column family is compacted down when there is time.
    pub fn suggest_compact_range_cf(
        &self,
        cf: &ColumnFamily,
        begin: Option<&[u8]>,
        end: Option<&[u8]>,
    ) -> Result<()> {
        self.core().jobs.suggest_compact_range(&cf.data, begin, end)
    }

    /// Prevents flushes and compactions from starting until [`Db::continue_background_work`], and waits until none is
    /// running. Calls are counted.
    pub fn pause_background_work(&self) -> Result<()> {
        self.core().jobs.pause_background_work();
        Ok(())
    }

    /// Reverts one [`Db::pause_background_work`].
    pub fn continue_background_work(&self) -> Result<()> {
        self.core().jobs.continue_background_work()
    }

    /// Ends running calls of `compact_range` with `Incomplete`, waits for their end, and prevents new ones until
    /// [`Db::enable_manual_compaction`]. Calls are counted.
    pub fn disable_manual_compaction(&self) {
        self.core().jobs.disable_manual_compaction();
    }

    /// Reverts one [`Db::disable_manual_compaction`].
    pub fn enable_manual_compaction(&self) {
        self.core().jobs.enable_manual_compaction();
    }

    /// Ends flushes and compactions for good. The database can still be read and closed; writes continue but are never
    /// flushed. With `wait`, no job is running any more when this returns.
    pub fn cancel_all_background_work(&self, wait: bool) {
        self.core().jobs.cancel_all_background_work(wait);
    }

    /// Retries background work after an error whose cause is gone.
    pub fn resume(&self) -> Result<()> {
        self.core().jobs.flusher().resume()
    }

    /// Returns a property of the default column family, by RocksDB's name (`rocksdb.stats`).
    pub fn property(&self, name: &str) -> Option<String> {
        self.property_cf(&self.default_cf(), name)
    }

    /// Returns a property of a column family.
    pub fn property_cf(&self, cf: &ColumnFamily, name: &str) -> Option<String> {
        self.core().properties.property(&cf.data, name)
    }

    /// Returns a numeric property of a column family.
    pub fn property_int_cf(&self, cf: &ColumnFamily, name: &str) -> Option<u64> {
        // RocksDB provides this property only as text, although it is a number.
        let is_text = name.contains(".live-sst-files-size-at-temperature");
        self.property_cf(cf, name).filter(|_| !is_text)?.parse().ok()
    }

    /// Returns the sum of a numeric property over all column families.
    pub fn aggregated_property_int(&self, name: &str) -> Option<u64> {
        self.core().properties.aggregated_property_int(name)
    }

    /// Returns a numeric property of the default column family.
    pub fn property_int(&self, name: &str) -> Option<u64> {
        self.property_int_cf(&self.default_cf(), name)
    }
}
