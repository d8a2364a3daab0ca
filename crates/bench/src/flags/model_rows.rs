//! Flags of single benchmarks that follow a model: `mixgraph`, `timeseries`, `multiscan` and
//! `fillanddeleteuniquerandom`.
//!
//! Defaults are those of db_bench of RocksDB 10.10.

use super::Fate::{Noted, Used};
use super::Kind::{Bool, Choice, Double, Int32, Int64, Uint64};
use super::{Row, row};

const UNUSED: &str = "this flag has no effect in RocksDB 10's db_bench either; --reads sets the number of operations";

/// All of them.
#[rustfmt::skip]
pub(super) const MODELS: &[Row] = &[
    row("mix_get_ratio", Double, "1", Used, "mixgraph: share of lookups, relative to the other two shares"),
    row("mix_put_ratio", Double, "0", Used, "mixgraph: share of writes, relative to the other two shares"),
    row("mix_seek_ratio", Double, "0", Used, "mixgraph: share of scans, relative to the other two shares"),
    row("mix_max_scan_len", Int64, "10000", Used, "mixgraph: scans are shorter than this number of entries"),
    row("mix_max_value_size", Int64, "1024", Used, "mixgraph: largest value, in bytes; at most 1 MiB"),
    row("mix_accesses", Int64, "-1", Noted(UNUSED), "mixgraph: unused"),
    row("keyrange_num", Int64, "1", Used, "mixgraph: number of key ranges"),
    row("keyrange_dist_a", Double, "0", Used, "mixgraph: A of the probability A exp(B x) + C exp(D x) that an operation goes to the x-th key range; if all four are 0, there are no key ranges"),
    row("keyrange_dist_b", Double, "0", Used, "mixgraph: B of the probability of a key range"),
    row("keyrange_dist_c", Double, "0", Used, "mixgraph: C of the probability of a key range"),
    row("keyrange_dist_d", Double, "0", Used, "mixgraph: D of the probability of a key range"),
    row("key_dist_a", Double, "0", Used, "mixgraph: A of the power law A x^B that keys follow, within their key range if there are key ranges; if A or B is 0, keys are uniformly distributed"),
    row("key_dist_b", Double, "0", Used, "mixgraph: B of the power law of keys"),
    row("value_theta", Double, "0", Used, "mixgraph: location of the generalized Pareto distribution of value sizes, in bytes"),
    row("value_k", Double, "0.2615", Used, "mixgraph: shape of the distribution of value sizes"),
    row("value_sigma", Double, "25.45", Used, "mixgraph: scale of the distribution of value sizes, in bytes"),
    row("iter_theta", Double, "0", Used, "mixgraph: location of the generalized Pareto distribution of scan lengths, in entries"),
    row("iter_k", Double, "2.517", Used, "mixgraph: shape of the distribution of scan lengths"),
    row("iter_sigma", Double, "14.236", Used, "mixgraph: scale of the distribution of scan lengths, in entries"),
    row("sine_mix_rate", Bool, "false", Used, "mixgraph: limit operations per second to the sine wave of --sine_a to --sine_d"),
    row("sine_mix_rate_interval_milliseconds", Uint64, "10000", Used, "mixgraph: interval between changes of the sine wave's rate, in milliseconds"),
    row("sine_mix_rate_noise", Double, "0", Used, "mixgraph: random deviation from the sine wave, as a fraction of --sine_a from 0 to 1"),
    row("key_id_range", Int32, "100000", Used, "timeseries: number of series"),
    row("time_range", Uint64, "100000", Used, "timeseries: entries older than this number of writes have expired"),
    row("expire_style", Choice(&["none", "compaction_filter", "delete"]), "none", Used, "timeseries: what removes expired entries: nothing, compactions, or threads that look for them"),
    row("num_deletion_threads", Int32, "1", Used, "timeseries: number of threads that delete with --expire_style=delete"),
    row("multiscan_size", Int64, "10", Used, "multiscan: number of ranges of one operation, each of --seek_nexts keys, or of 50"),
    row("multiscan_stride", Int64, "100", Used, "multiscan: number of keys between two ranges"),
    row("disposable_entries_batch_size", Uint64, "0", Used, "fillanddeleteuniquerandom: number of consecutive entries that are deleted later; with 0 here and in --persistent_entries_batch_size, nothing is deleted"),
    row("disposable_entries_delete_delay", Uint64, "0", Used, "fillanddeleteuniquerandom: minimum time from the last of these entries to their deletion, in microseconds"),
    row("disposable_entries_value_size", Int32, "64", Used, "fillanddeleteuniquerandom: value size of these entries, in bytes"),
    row("persistent_entries_batch_size", Uint64, "0", Used, "fillanddeleteuniquerandom: number of entries that are written before each series of deletions and stay"),
    row("persistent_entries_value_size", Int32, "64", Used, "fillanddeleteuniquerandom: value size of the entries that stay, in bytes"),
];
