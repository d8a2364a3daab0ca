//! `rocksdb.aggregated-table-properties`: sums over the properties of tables.

use super::properties::Properties;
use crate::session::ColumnFamilyData;
use crate::sst::TableProperties;
use crate::version::FileMeta;
use std::fmt::Write;
use std::sync::Arc;

impl Properties {
    /// Returns the text of the property: for all levels or, with the suffix `-at-levelN`, for one level. `None` if a
    /// table cannot be opened.
    pub(super) fn aggregated_table_properties(
        &self,
        family: &ColumnFamilyData,
        level: &str,
    ) -> Option<String> {
        let state = self.catalog.state();
        let version = Arc::clone(&state.families.get(&family.id)?.current);
        drop(state);
        let level: Option<usize> = match level {
            "" => None,
            level => Some(level.strip_prefix("-at-level")?.parse().ok()?),
        };
        if level.is_some_and(|level| level >= version.num_levels()) {
            return None;
        }
        let mut sum = TableProperties::default();
        let wanted = |(l, _): &(usize, &Arc<FileMeta>)| level.is_none_or(|level| level == *l);
        for (_, file) in version.all_files().filter(wanted) {
            add(&mut sum, family.tables.find(file).ok()?.properties());
        }
        Some(text(&sum))
    }
}

fn add(sum: &mut TableProperties, p: &TableProperties) {
    for (sum, n) in [
        (&mut sum.data_size, p.data_size),
        (&mut sum.index_size, p.index_size),
        (&mut sum.index_partitions, p.index_partitions),
        (&mut sum.top_level_index_size, p.top_level_index_size),
        (&mut sum.index_key_is_user_key, p.index_key_is_user_key),
        (&mut sum.index_value_is_delta_encoded, p.index_value_is_delta_encoded),
        (&mut sum.filter_size, p.filter_size),
        (&mut sum.raw_key_size, p.raw_key_size),
        (&mut sum.raw_value_size, p.raw_value_size),
        (&mut sum.num_data_blocks, p.num_data_blocks),
        (&mut sum.num_entries, p.num_entries),
        (&mut sum.num_filter_entries, p.num_filter_entries),
        (&mut sum.num_deletions, p.num_deletions),
        (&mut sum.num_merge_operands, p.num_merge_operands),
        (&mut sum.num_range_deletions, p.num_range_deletions),
        (&mut sum.slow_compression_estimated_data_size, p.slow_compression_estimated_data_size),
        (&mut sum.fast_compression_estimated_data_size, p.fast_compression_estimated_data_size),
    ] {
        *sum = sum.saturating_add(n);
    }
}

/// Returns RocksDB's text. Properties that are not sums are printed as for a table that lacks them.
fn text(p: &TableProperties) -> String {
    let average =
        |sum: u64| if p.num_entries == 0 { 0.0 } else { sum as f64 / p.num_entries as f64 };
    let mut out = format!(
        "# data blocks={}; # entries={}; # deletions={}; # merge operands={}; \
         # range deletions={}; raw key size={}; raw average key size={:.6}; raw value size={}; \
         raw average value size={:.6}; data block size={}; data uncompressed size=0; \
         index block size (user-key? {}, delta-value? {})={}; ",
        p.num_data_blocks,
        p.num_entries,
        p.num_deletions,
        p.num_merge_operands,
        p.num_range_deletions,
        p.raw_key_size,
        average(p.raw_key_size),
        p.raw_value_size,
        average(p.raw_value_size),
        p.data_size,
        p.index_key_is_user_key,
        p.index_value_is_delta_encoded,
        p.index_size,
    );
    if p.index_partitions > 0 {
        let (partitions, top) = (p.index_partitions, p.top_level_index_size);
        let _ = write!(out, "# index partitions={partitions}; top-level index size={top}; ");
    }
    let _ = write!(
        out,
        "filter block size={}; # entries for filter={}; (estimated) table size={}; \
         filter policy name=N/A; prefix extractor name=N/A; column family ID=N/A; \
         column family name=N/A; comparator name=N/A; user defined timestamps persisted=true; \
         largest sequence number in file={none}; smallest sequence number in file={none}; \
         merge operator name=N/A; property collectors names=N/A; SST file compression algo=N/A; \
         SST file compression options=N/A; creation time=0; time stamp of earliest key=0; \
         time stamp of newest key=0; file creation time=0; slow compression estimated data size={}; \
         fast compression estimated data size={}; DB identity=; DB session identity=; DB host id=; \
         original file number=0; unique ID=N/A; Sequence number to time mapping=; ",
        p.filter_size,
        p.num_filter_entries,
        p.data_size + p.index_size + p.filter_size,
        p.slow_compression_estimated_data_size,
        p.fast_compression_estimated_data_size,
        none = u64::MAX,
    );
    out
}
