//! The properties block: a table's metadata.
//!
//! ```text
//! block of entries sorted bytewise, one restart: key = "rocksdb." name, value = varint64 | text
//! | bytes
//! ```
//! Unknown names are kept as user-collected properties. Wrong or missing numbers do not make a file
//! invalid: the reader checks only those that it needs.

#![deny(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing)]

use crate::base::coding::{get_varint64, put_varint64};
use crate::error::{Error, Result};
use std::collections::BTreeMap;

/// The column family id of files created outside any column family.
pub const UNKNOWN_COLUMN_FAMILY: u64 = 0x7fff_ffff;

/// The index type, as fixed32 (user-collected).
pub const INDEX_TYPE: &str = "rocksdb.block.based.table.index.type";
/// Whether the filter contains whole keys: `1` or `0` (user-collected).
pub const WHOLE_KEY_FILTERING: &str = "rocksdb.block.based.table.whole.key.filtering";
/// Whether the filter contains prefixes: `1` or `0` (user-collected).
pub const PREFIX_FILTERING: &str = "rocksdb.block.based.table.prefix.filtering";
/// The version of a file made for ingestion, as fixed32 (user-collected).
pub const EXTERNAL_VERSION: &str = "rocksdb.external_sst_file.version";
/// The sequence number of an ingested file, as fixed64 (user-collected).
pub const EXTERNAL_GLOBAL_SEQNO: &str = "rocksdb.external_sst_file.global_seqno";

/// The version written to files for ingestion: the one with a global sequence number.
pub const EXTERNAL_VERSION_WRITTEN: u32 = 2;

/// The properties of a table. Fields are RocksDB's names with `.` and `-` replaced by `_`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
// The names are the format's; the tables below map them.
#[allow(missing_docs)]
pub struct TableProperties {
    pub data_size: u64,
    pub index_size: u64,
    pub index_partitions: u64,
    pub top_level_index_size: u64,
    pub index_key_is_user_key: u64,
    pub index_value_is_delta_encoded: u64,
    pub filter_size: u64,
    pub raw_key_size: u64,
    pub raw_value_size: u64,
    pub num_data_blocks: u64,
    pub num_entries: u64,
    pub num_filter_entries: u64,
    pub num_deletions: u64,
    pub num_merge_operands: u64,
    pub num_range_deletions: u64,
    pub format_version: u64,
    pub fixed_key_len: u64,
    pub column_family_id: u64,
    pub creation_time: u64,
    pub oldest_key_time: u64,
    pub file_creation_time: u64,
    pub orig_file_number: u64,
    pub slow_compression_estimated_data_size: u64,
    pub fast_compression_estimated_data_size: u64,
    pub tail_start_offset: u64,
    pub db_id: String,
    pub db_session_id: String,
    pub db_host_id: String,
    pub column_family_name: String,
    pub filter_policy_name: String,
    pub comparator_name: String,
    pub merge_operator_name: String,
    pub prefix_extractor_name: String,
    pub property_collectors_names: String,
    pub compression_name: String,
    pub compression_options: String,
    pub seqno_to_time_mapping: Vec<u8>,
    pub user_collected: BTreeMap<String, Vec<u8>>,
}

type Number = fn(&mut TableProperties) -> &mut u64;
type Text = fn(&mut TableProperties) -> &mut String;

/// Numeric properties, and whether they are written when zero.
const NUMBERS: &[(&str, Number, bool)] = &[
    ("rocksdb.column.family.id", |p| &mut p.column_family_id, true),
    ("rocksdb.creation.time", |p| &mut p.creation_time, true),
    ("rocksdb.data.size", |p| &mut p.data_size, true),
    ("rocksdb.deleted.keys", |p| &mut p.num_deletions, true),
    ("rocksdb.file.creation.time", |p| &mut p.file_creation_time, false),
    ("rocksdb.filter.size", |p| &mut p.filter_size, true),
    ("rocksdb.fixed.key.length", |p| &mut p.fixed_key_len, true),
    ("rocksdb.format.version", |p| &mut p.format_version, true),
    ("rocksdb.index.key.is.user.key", |p| &mut p.index_key_is_user_key, true),
    ("rocksdb.index.partitions", |p| &mut p.index_partitions, false),
    ("rocksdb.index.size", |p| &mut p.index_size, true),
    ("rocksdb.index.value.is.delta.encoded", |p| &mut p.index_value_is_delta_encoded, true),
    ("rocksdb.merge.operands", |p| &mut p.num_merge_operands, true),
    ("rocksdb.num.data.blocks", |p| &mut p.num_data_blocks, true),
    ("rocksdb.num.entries", |p| &mut p.num_entries, true),
    ("rocksdb.num.filter_entries", |p| &mut p.num_filter_entries, true),
    ("rocksdb.num.range-deletions", |p| &mut p.num_range_deletions, true),
    ("rocksdb.oldest.key.time", |p| &mut p.oldest_key_time, true),
    ("rocksdb.original.file.number", |p| &mut p.orig_file_number, true),
    ("rocksdb.raw.key.size", |p| &mut p.raw_key_size, true),
    ("rocksdb.raw.value.size", |p| &mut p.raw_value_size, true),
    (
        "rocksdb.sample_for_compression.fast.data.size",
        |p| &mut p.fast_compression_estimated_data_size,
        false,
    ),
    (
        "rocksdb.sample_for_compression.slow.data.size",
        |p| &mut p.slow_compression_estimated_data_size,
        false,
    ),
    ("rocksdb.tail.start.offset", |p| &mut p.tail_start_offset, false),
    ("rocksdb.top-level.index.size", |p| &mut p.top_level_index_size, false),
];

/// Text properties; empty ones are not written.
const TEXTS: &[(&str, Text)] = &[
    ("rocksdb.column.family.name", |p| &mut p.column_family_name),
    ("rocksdb.comparator", |p| &mut p.comparator_name),
    ("rocksdb.compression", |p| &mut p.compression_name),
    ("rocksdb.compression_options", |p| &mut p.compression_options),
    ("rocksdb.creating.db.identity", |p| &mut p.db_id),
    ("rocksdb.creating.host.identity", |p| &mut p.db_host_id),
    ("rocksdb.creating.session.identity", |p| &mut p.db_session_id),
    ("rocksdb.filter.policy", |p| &mut p.filter_policy_name),
    ("rocksdb.merge.operator", |p| &mut p.merge_operator_name),
    ("rocksdb.prefix.extractor.name", |p| &mut p.prefix_extractor_name),
    ("rocksdb.property.collectors", |p| &mut p.property_collectors_names),
];

const SEQNO_TIME_MAP: &str = "rocksdb.seqno.time.map";

impl TableProperties {
    /// The entries of the block, sorted.
    pub fn entries(&self) -> BTreeMap<String, Vec<u8>> {
        // The accessors take `&mut`, so that one table serves both directions.
        let mut p = self.clone();
        let mut out = std::mem::take(&mut p.user_collected);
        for (name, field, always) in NUMBERS {
            let value = *field(&mut p);
            if *always || value != 0 {
                let mut bytes = Vec::new();
                put_varint64(&mut bytes, value);
                out.insert((*name).to_owned(), bytes);
            }
        }
        for (name, field) in TEXTS {
            let text = std::mem::take(field(&mut p));
            if !text.is_empty() {
                out.insert((*name).to_owned(), text.into_bytes());
            }
        }
        if !p.seqno_to_time_mapping.is_empty() {
            out.insert(SEQNO_TIME_MAP.to_owned(), p.seqno_to_time_mapping);
        }
        out
    }

    /// Adds the next entry of the block.
    pub fn accept(&mut self, key: &[u8], value: &[u8]) -> Result<()> {
        let name = String::from_utf8_lossy(key);
        if let Some((_, field, _)) = NUMBERS.iter().find(|(n, ..)| *n == name) {
            let (number, _) = get_varint64(value)
                .ok_or_else(|| Error::corruption(format!("property {name}: bad varint64")))?;
            *field(self) = number;
        } else if let Some((_, field)) = TEXTS.iter().find(|(n, _)| *n == name) {
            *field(self) = String::from_utf8_lossy(value).into_owned();
        } else if name == SEQNO_TIME_MAP {
            self.seqno_to_time_mapping = value.to_vec();
        } else {
            self.user_collected.insert(name.into_owned(), value.to_vec());
        }
        Ok(())
    }

    /// Marks the file as made for ingestion; a global sequence number may be set later.
    pub fn mark_for_ingestion(&mut self) {
        let version = EXTERNAL_VERSION_WRITTEN.to_le_bytes().to_vec();
        self.user_collected.insert(EXTERNAL_VERSION.to_owned(), version);
        self.user_collected.insert(EXTERNAL_GLOBAL_SEQNO.to_owned(), vec![0; 8]);
    }

    /// A user-collected fixed32.
    pub fn user_fixed32(&self, name: &str) -> Option<u32> {
        let bytes = self.user_collected.get(name)?;
        Some(u32::from_le_bytes(bytes.as_slice().try_into().ok()?))
    }

    /// A user-collected fixed64.
    pub fn user_fixed64(&self, name: &str) -> Option<u64> {
        let bytes = self.user_collected.get(name)?;
        Some(u64::from_le_bytes(bytes.as_slice().try_into().ok()?))
    }

    /// A user-collected flag, `1` or `0`; a missing one is true.
    pub fn user_flag(&self, name: &str) -> bool {
        self.user_collected.get(name).is_none_or(|v| v.as_slice() != b"0")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entries_round_trip_and_unknown_names_are_kept() {
        let mut p = TableProperties {
            num_entries: 300,
            raw_key_size: 1 << 40,
            comparator_name: "leveldb.BytewiseComparator".into(),
            seqno_to_time_mapping: vec![0],
            ..TableProperties::default()
        };
        p.user_collected.insert("my.own".into(), vec![1, 2]);
        let mut q = TableProperties::default();
        for (key, value) in p.entries() {
            q.accept(key.as_bytes(), &value).unwrap();
        }
        assert_eq!(p, q);
        assert!(q.accept(b"rocksdb.num.entries", &[0x80]).unwrap_err().is_corruption());
    }

    #[test]
    fn a_missing_flag_counts_as_set() {
        let mut p = TableProperties::default();
        assert!(p.user_flag(PREFIX_FILTERING));
        p.user_collected.insert(PREFIX_FILTERING.into(), b"0".to_vec());
        assert!(!p.user_flag(PREFIX_FILTERING));
        p.user_collected.insert(INDEX_TYPE.into(), vec![2, 0, 0, 0]);
        assert_eq!(p.user_fixed32(INDEX_TYPE), Some(2));
        assert_eq!(p.user_fixed64(INDEX_TYPE), None);
    }
}
