//! What users ask of the background, and what they ask about the database.

use super::handles::{ColumnFamily, Db};
use crate::error::Result;
use crate::options::{CompactRangeOptions, FlushOptions, WaitForCompactOptions};

impl Db {
    /// Writes the memtable of the default column family into a table.
    pub fn flush(&self, fo: &FlushOptions) -> Result<()> {
        self.flush_cf(fo, &self.default_cf())
    }

    /// Writes the memtable of a column family into a table.
    pub fn flush_cf(&self, fo: &FlushOptions, cf: &ColumnFamily) -> Result<()> {
        self.flush_cfs(fo, &[cf])
    }

    /// Writes the memtables of several column families into tables. With the option `atomic_flush`
    /// all of them count from one moment on, also after a crash.
    pub fn flush_cfs(&self, fo: &FlushOptions, cfs: &[&ColumnFamily]) -> Result<()> {
        let families: Vec<_> = cfs.iter().map(|cf| &*cf.data).collect();
        self.core().jobs.flusher().flush(&families, fo)
    }

    /// Compacts a range of the default column family down to its last level; `None` is unbounded.
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

    /// Compacts the tables of one level of a column family into the next level; memtables and other levels stay as
    /// they are. Universal compaction, which has no levels, merges all tables.
    pub fn compact_level(&self, cf: &ColumnFamily, level: usize) -> Result<()> {
        self.core().jobs.compact_level(&cf.data, level)
    }

    /// Waits until no flush and no compaction runs or is due.
    pub fn wait_for_compact(&self) -> Result<()> {
        self.wait_for_compact_opt(&WaitForCompactOptions::default())
    }

    /// [`Db::wait_for_compact`] with options.
    pub fn wait_for_compact_opt(&self, options: &WaitForCompactOptions) -> Result<()> {
        let core = self.core();
        core.jobs.wait_for_compact(options)?;
        if options.close_db { core.close() } else { Ok(()) }
    }

    /// Asks for a range of a column family to be compacted down when there is time.
    pub fn suggest_compact_range_cf(
        &self,
        cf: &ColumnFamily,
        begin: Option<&[u8]>,
        end: Option<&[u8]>,
    ) -> Result<()> {
        self.core().jobs.suggest_compact_range(&cf.data, begin, end)
    }

    /// Lets no flush and no compaction start until [`Db::continue_background_work`], and waits until
    /// none runs. Calls count.
    pub fn pause_background_work(&self) -> Result<()> {
        self.core().jobs.pause_background_work();
        Ok(())
    }

    /// Takes one [`Db::pause_background_work`] back.
    pub fn continue_background_work(&self) -> Result<()> {
        self.core().jobs.continue_background_work()
    }

    /// Ends calls of `compact_range` with Incomplete, waits for their end, and lets none begin until
    /// [`Db::enable_manual_compaction`]. Calls count.
    pub fn disable_manual_compaction(&self) {
        self.core().jobs.disable_manual_compaction();
    }

    /// Takes one [`Db::disable_manual_compaction`] back.
    pub fn enable_manual_compaction(&self) {
        self.core().jobs.enable_manual_compaction();
    }

    /// Ends flushes and compactions for good. The database can still be read and closed; writes go
    /// on without ever being flushed. With `wait`, no job runs any more at the return.
    pub fn cancel_all_background_work(&self, wait: bool) {
        self.core().jobs.cancel_all_background_work(wait);
    }

    /// Tries again after a background error whose cause is gone.
    pub fn resume(&self) -> Result<()> {
        self.core().jobs.flusher().resume()
    }

    /// A property of the default column family, by RocksDB's name (`rocksdb.stats`).
    pub fn property(&self, name: &str) -> Option<String> {
        self.property_cf(&self.default_cf(), name)
    }

    /// A property of a column family.
    pub fn property_cf(&self, cf: &ColumnFamily, name: &str) -> Option<String> {
        self.core().properties.property(&cf.data, name)
    }

    /// A property of a column family that is a number.
    pub fn property_int_cf(&self, cf: &ColumnFamily, name: &str) -> Option<u64> {
        // Text in RocksDB, too, though it is a number.
        let is_text = name.contains(".live-sst-files-size-at-temperature");
        self.property_cf(cf, name).filter(|_| !is_text)?.parse().ok()
    }

    /// The sum of a property that is a number over all column families.
    pub fn aggregated_property_int(&self, name: &str) -> Option<u64> {
        self.core().properties.aggregated_property_int(name)
    }

    /// A property that is a number.
    pub fn property_int(&self, name: &str) -> Option<u64> {
        self.property_int_cf(&self.default_cf(), name)
    }
}
