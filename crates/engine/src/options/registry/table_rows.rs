//! Rows of the table formats.

use super::super::{BlockBasedTableOptions, CuckooTableOptions, PlainTableOptions};
use super::components as part;
use super::{Row, custom, field, fixed, nested, young};

/// Every option of the block-based format.
pub const BLOCK_BASED_ROWS: &[Row<BlockBasedTableOptions>] = &[
    field!(Honoured "block_size" block_size),
    field!(Honoured "block_size_deviation" block_size_deviation),
    field!(Honoured "block_restart_interval" block_restart_interval),
    field!(Honoured "index_block_restart_interval" index_block_restart_interval),
    field!(Honoured "format_version" format_version),
    field!(Honoured "checksum" checksum),
    field!(Honoured "index_type" index_type),
    field!(Honoured "data_block_index_type" data_block_index_type),
    field!(Honoured "data_block_hash_table_util_ratio" data_block_hash_table_util_ratio),
    custom!(Honoured "filter_policy" Always part::set_filter_policy, part::print_filter_policy),
    field!(Honoured "whole_key_filtering" whole_key_filtering),
    custom!(Honoured "block_cache" Never
        |o, text| part::set_cache(&mut o.block_cache, text), |o| part::print_cache(&o.block_cache)),
    field!(Honoured "no_block_cache" no_block_cache),
    field!(Honoured "cache_index_and_filter_blocks" cache_index_and_filter_blocks),
    field!(Honoured "block_align" block_align),
    field!(Honoured "verify_compression" verify_compression),
    // Known to 7.8.3, without effect here.
    fixed!(Accepted Always "flush_block_policy_factory" Text "FlushBlockBySizePolicyFactory"),
    field!(Accepted "cache_index_and_filter_blocks_with_high_priority" cache_index_and_filter_blocks_with_high_priority),
    field!(Accepted "pin_l0_filter_and_index_blocks_in_cache" pin_l0_filter_and_index_blocks_in_cache),
    field!(Accepted "pin_top_level_index_and_filter" pin_top_level_index_and_filter),
    field!(Honoured "index_shortening" index_shortening),
    field!(Accepted "initial_auto_readahead_size" initial_auto_readahead_size),
    field!(Accepted "max_auto_readahead_size" max_auto_readahead_size),
    field!(Accepted "num_file_reads_for_auto_readahead" num_file_reads_for_auto_readahead),
    field!(Accepted "prepopulate_block_cache" prepopulate_block_cache),
    field!(Honoured "partition_filters" partition_filters),
    field!(Honoured "metadata_block_size" metadata_block_size),
    field!(Accepted "optimize_filters_for_memory" optimize_filters_for_memory),
    field!(Accepted "detect_filter_construct_corruption" detect_filter_construct_corruption),
    nested!(Accepted "metadata_cache_options" metadata_cache_options),
    field!(Accepted "read_amp_bytes_per_bit" read_amp_bytes_per_bit),
    field!(Honoured "enable_index_compression" enable_index_compression),
    // Younger than 7.8.3, or not written by it.
    fixed!(Accepted Never "block_cache_compressed" Text ""),
    fixed!(Accepted Never "cache_usage_options" Text ""),
    young!(Accepted "decouple_partitioned_filters" decouple_partitioned_filters),
    young!(Accepted "fail_if_no_udi_on_open" fail_if_no_udi_on_open),
    fixed!(Accepted Never "hash_index_allow_collision" Text ""),
    fixed!(Accepted Never "index_block_search_type" Text "kBinary"),
    fixed!(Accepted Never "index_per_partition" Text ""),
    fixed!(Accepted Never "persistent_cache" Text "nullptr"),
    fixed!(Accepted Never "reserve_table_builder_memory" Text ""),
    fixed!(Accepted Never "reserve_table_reader_memory" Text ""),
    fixed!(Accepted Never "skip_table_builder_flush" Text ""),
    young!(Accepted "super_block_alignment_size" super_block_alignment_size),
    young!(Accepted "super_block_alignment_space_overhead_ratio" super_block_alignment_space_overhead_ratio),
    fixed!(Accepted Never "uniform_cv_threshold" Number "0"),
    young!(Honoured "use_delta_encoding" use_delta_encoding),
    fixed!(Refused Never "separate_key_value_in_data_block" Bool "false"),
    fixed!(Refused Never "use_udi_as_primary_index" Bool "false"),
    fixed!(Refused Never "user_defined_index_factory" Text "nullptr"),
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

/// Every option of CuckooTable.
pub const CUCKOO_ROWS: &[Row<CuckooTableOptions>] = &[
    field!(Honoured "hash_table_ratio" hash_table_ratio),
    field!(Honoured "max_search_depth" max_search_depth),
    field!(Honoured "cuckoo_block_size" cuckoo_block_size),
    field!(Honoured "identity_as_first_hash" identity_as_first_hash),
    field!(Honoured "use_module_hash" use_module_hash),
];
