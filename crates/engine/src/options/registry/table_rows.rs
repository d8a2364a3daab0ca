//! Rows of the table formats.

use super::super::{BlockBasedTableOptions, PlainTableOptions};
use super::components as part;
use super::{Row, custom, field, fixed};

/// Every option of the block-based format.
pub const BLOCK_BASED_ROWS: &[Row<BlockBasedTableOptions>] = &[
    field!(Honoured "block_size" block_size),
    field!(Honoured "block_size_deviation" block_size_deviation),
    field!(Honoured "block_restart_interval" block_restart_interval),
    field!(Honoured "index_block_restart_interval" index_block_restart_interval),
    field!(Honoured "format_version" format_version),
    field!(Honoured "checksum" checksum),
    field!(Refused "index_type" index_type),
    field!(Honoured "data_block_index_type" data_block_index_type),
    field!(Honoured "data_block_hash_table_util_ratio" data_block_hash_table_util_ratio),
    custom!(Honoured "filter_policy" true part::set_filter_policy, part::print_filter_policy),
    field!(Honoured "whole_key_filtering" whole_key_filtering),
    custom!(Honoured "block_cache" false part::set_block_cache, part::print_block_cache),
    field!(Honoured "no_block_cache" no_block_cache),
    field!(Honoured "cache_index_and_filter_blocks" cache_index_and_filter_blocks),
    field!(Refused "block_align" block_align),
    field!(Honoured "verify_compression" verify_compression),
    // Known to 7.8.3, without effect here.
    fixed!(Accepted true "flush_block_policy_factory" Text "FlushBlockBySizePolicyFactory"),
    fixed!(Accepted true "cache_index_and_filter_blocks_with_high_priority" Bool "true"),
    fixed!(Accepted true "pin_l0_filter_and_index_blocks_in_cache" Bool "false"),
    fixed!(Accepted true "pin_top_level_index_and_filter" Bool "true"),
    fixed!(Accepted true "index_shortening" Text "kShortenSeparators"),
    fixed!(Accepted true "initial_auto_readahead_size" Integer "8192"),
    fixed!(Accepted true "max_auto_readahead_size" Integer "262144"),
    fixed!(Accepted true "num_file_reads_for_auto_readahead" Integer "2"),
    fixed!(Accepted true "prepopulate_block_cache" Text "kDisable"),
    fixed!(Accepted true "partition_filters" Bool "false"),
    fixed!(Accepted true "metadata_block_size" Integer "4096"),
    fixed!(Accepted true "optimize_filters_for_memory" Bool "false"),
    fixed!(Accepted true "detect_filter_construct_corruption" Bool "false"),
    fixed!(Accepted true "metadata_cache_options" Text
        "{unpartitioned_pinning=kFallback;partition_pinning=kFallback;top_level_index_pinning=kFallback;}"),
    fixed!(Accepted true "read_amp_bytes_per_bit" Integer "0"),
    fixed!(Accepted true "enable_index_compression" Bool "true"),
    // Younger than 7.8.3, or not written by it.
    fixed!(Accepted false "block_cache_compressed" Text ""),
    fixed!(Accepted false "cache_usage_options" Text ""),
    fixed!(Accepted false "decouple_partitioned_filters" Bool "false"),
    fixed!(Accepted false "fail_if_no_udi_on_open" Bool "false"),
    fixed!(Accepted false "hash_index_allow_collision" Text ""),
    fixed!(Accepted false "index_block_search_type" Text "kBinary"),
    fixed!(Accepted false "index_per_partition" Text ""),
    fixed!(Accepted false "persistent_cache" Text "nullptr"),
    fixed!(Accepted false "reserve_table_builder_memory" Text ""),
    fixed!(Accepted false "reserve_table_reader_memory" Text ""),
    fixed!(Accepted false "skip_table_builder_flush" Text ""),
    fixed!(Accepted false "super_block_alignment_size" Integer "0"),
    fixed!(Accepted false "super_block_alignment_space_overhead_ratio" Integer "128"),
    fixed!(Accepted false "uniform_cv_threshold" Number "0"),
    fixed!(Accepted false "use_delta_encoding" Bool "true"),
    fixed!(Refused false "separate_key_value_in_data_block" Bool "false"),
    fixed!(Refused false "use_udi_as_primary_index" Bool "false"),
    fixed!(Refused false "user_defined_index_factory" Text "nullptr"),
];

/// Every option of PlainTable.
pub const PLAIN_ROWS: &[Row<PlainTableOptions>] = &[
    field!(Honoured "user_key_len" user_key_len),
    field!(Honoured "bloom_bits_per_key" bloom_bits_per_key),
    field!(Honoured "hash_table_ratio" hash_table_ratio),
    field!(Honoured "index_sparseness" index_sparseness),
    field!(Accepted "huge_page_tlb_size" huge_page_tlb_size),
    field!(Honoured "encoding_type" encoding_type),
    field!(Honoured "full_scan_mode" full_scan_mode),
    field!(Honoured "store_index_in_file" store_index_in_file),
];
