//! Rows of options that stand in braces within other options, in RocksDB's order.

use super::super::{
    CompressionOptions, FifoCompactionOptions, MetadataCacheOptions, UniversalCompactionOptions,
};
use super::{Row, field, fixed, young};

/// Every setting of a codec.
pub const COMPRESSION_ROWS: &[Row<CompressionOptions>] = &[
    young!(Honoured "checksum" checksum),
    field!(Honoured "max_dict_buffer_bytes" max_dict_buffer_bytes),
    field!(Honoured "enabled" enabled),
    field!(Honoured "max_dict_bytes" max_dict_bytes),
    young!(Honoured "max_compressed_bytes_per_kb" max_compressed_bytes_per_kb),
    field!(Accepted "parallel_threads" parallel_threads),
    field!(Honoured "zstd_max_train_bytes" zstd_max_train_bytes),
    field!(Honoured "level" level),
    field!(Honoured "use_zstd_dict_trainer" use_zstd_dict_trainer),
    field!(Accepted "strategy" strategy),
    field!(Honoured "window_bits" window_bits),
];

/// Every setting of universal compaction.
pub const UNIVERSAL_ROWS: &[Row<UniversalCompactionOptions>] = &[
    young!(Accepted "reduce_file_locking" reduce_file_locking),
    field!(Refused "incremental" incremental),
    field!(Honoured "compression_size_percent" compression_size_percent),
    field!(Honoured "allow_trivial_move" allow_trivial_move),
    field!(Honoured "max_size_amplification_percent" max_size_amplification_percent),
    field!(Honoured "max_merge_width" max_merge_width),
    field!(Honoured "stop_style" stop_style),
    field!(Honoured "min_merge_width" min_merge_width),
    young!(Honoured "max_read_amp" max_read_amp),
    field!(Honoured "size_ratio" size_ratio),
];

/// Every setting of FIFO compaction.
pub const FIFO_ROWS: &[Row<FifoCompactionOptions>] = &[
    young!(Accepted "trivial_copy_buffer_size" trivial_copy_buffer_size),
    young!(Accepted "allow_trivial_copy_when_change_temperature"
        allow_trivial_copy_when_change_temperature),
    young!(Accepted "file_temperature_age_thresholds" file_temperature_age_thresholds),
    field!(Honoured "allow_compaction" allow_compaction),
    field!(Accepted "age_for_warm" age_for_warm),
    field!(Honoured "max_table_files_size" max_table_files_size),
    // Of the past: the family's `ttl` says it.
    fixed!(Accepted Never "ttl" Integer "0"),
];

/// Every setting of what stays in the cache.
pub const METADATA_CACHE_ROWS: &[Row<MetadataCacheOptions>] = &[
    field!(Accepted "unpartitioned_pinning" unpartitioned_pinning),
    field!(Accepted "partition_pinning" partition_pinning),
    field!(Accepted "top_level_index_pinning" top_level_index_pinning),
];
