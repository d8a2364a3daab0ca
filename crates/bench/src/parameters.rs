//! Parameters of single benchmarks, typed and checked: see [`crate::config`].

use crate::config::Sine;
use crate::flags::Flags;
use crate::workloads::distributions::Pareto;

/// Parameters of `mixgraph`.
#[derive(Clone, Copy, Debug)]
pub struct Mix {
    /// Shares of lookups, writes and scans.
    pub ratios: [f64; 3],
    /// A and B of the power law that keys follow.
    pub key_power: [f64; 2],
    /// A to D of the probabilities of key ranges.
    pub range_terms: [f64; 4],
    /// The number of key ranges.
    pub ranges: u64,
    /// Value sizes.
    pub values: Pareto,
    /// The largest value.
    pub max_value: u64,
    /// Scan lengths.
    pub scans: Pareto,
    /// Scans are shorter than this.
    pub max_scan: u64,
    /// The operations per second, if they are limited.
    pub rate: Option<Sine>,
    /// The deviation from this rate.
    pub noise: f64,
}

impl Mix {
    /// Returns the parameters, or which one cannot be run.
    pub fn new(flags: &Flags) -> Result<Mix, String> {
        let doubles = |names: [&'static str; 3]| names.map(|name| flags.double(name));
        let pareto = |names| {
            let [theta, k, sigma] = doubles(names);
            Pareto { theta, k, sigma }
        };
        let mix = Mix {
            ratios: doubles(["mix_get_ratio", "mix_put_ratio", "mix_seek_ratio"]),
            key_power: ["key_dist_a", "key_dist_b"].map(|name| flags.double(name)),
            range_terms: [
                "keyrange_dist_a",
                "keyrange_dist_b",
                "keyrange_dist_c",
                "keyrange_dist_d",
            ]
            .map(|name| flags.double(name)),
            ranges: flags.uint("keyrange_num").max(1),
            values: pareto(["value_theta", "value_k", "value_sigma"]),
            max_value: flags.uint("mix_max_value_size").min(1 << 20),
            scans: pareto(["iter_theta", "iter_k", "iter_sigma"]),
            max_scan: flags.uint("mix_max_scan_len"),
            rate: flags
                .on("sine_mix_rate")
                .then(|| Sine::new(flags, flags.uint("sine_mix_rate_interval_milliseconds"))),
            noise: flags.double("sine_mix_rate_noise"),
        };
        if mix.ratios.iter().any(|ratio| *ratio < 0.0) || mix.ratios.iter().sum::<f64>() <= 0.0 {
            return Err(
                "ERROR: --mix_get_ratio, --mix_put_ratio and --mix_seek_ratio must be 0 or more, \
                and one of them above 0"
                    .to_owned(),
            );
        }
        for (name, least) in [("mix_max_value_size", 1), ("mix_max_scan_len", 1)] {
            if flags.int(name) < least {
                return Err(format!("ERROR: --{name}={} must be {least} or more", flags.int(name)));
            }
        }
        if !(0.0..=1.0).contains(&mix.noise) {
            return Err(format!(
                "ERROR: --sine_mix_rate_noise={} must be between 0 and 1",
                mix.noise
            ));
        }
        Ok(mix)
    }

    /// Returns whether the keys are divided into ranges.
    pub fn has_ranges(&self) -> bool {
        self.range_terms.iter().any(|term| *term != 0.0)
    }
}

/// Parameters of `timeseries`.
#[derive(Clone, Copy, Debug)]
pub struct Series {
    /// The number of series.
    pub ids: u64,
    /// Entries older than this number of writes have expired.
    pub range: u64,
    /// The threads that delete expired entries.
    pub deleters: usize,
}

impl Series {
    /// Returns the parameters that the flags say.
    pub fn new(flags: &Flags) -> Series {
        let deletes = flags.text("expire_style") == "delete";
        Series {
            ids: flags.uint("key_id_range").max(1),
            range: flags.uint("time_range"),
            deleters: if deletes { flags.uint("num_deletion_threads") as usize } else { 0 },
        }
    }
}

/// Parameters of `multiscan`.
#[derive(Clone, Copy, Debug)]
pub struct Ranges {
    /// The ranges of one operation.
    pub count: u64,
    /// The keys of a range.
    pub keys: u64,
    /// The keys between two ranges.
    pub gap: u64,
}

impl Ranges {
    /// Returns the parameters that the flags say.
    pub fn new(flags: &Flags) -> Ranges {
        Ranges {
            count: flags.uint("multiscan_size"),
            keys: match flags.uint("seek_nexts") {
                0 => 50,
                keys => keys,
            },
            gap: flags.uint("multiscan_stride"),
        }
    }

    /// Returns the distance from the first key of an operation to the end of the last gap.
    pub fn span(&self) -> u64 {
        (self.keys + self.gap).saturating_mul(self.count)
    }
}

/// Entries that `fillanddeleteuniquerandom` deletes again, and those that stay.
#[derive(Clone, Copy, Debug)]
pub struct Disposable {
    /// Entries that are deleted together; 0 in both batches switches this off.
    pub batch: u64,
    /// Entries that stay, written before each series of deletions.
    pub kept: u64,
    /// Microseconds from the last entry of a batch to its deletion.
    pub delay: u64,
    /// Value sizes of the entries that are deleted and of those that stay.
    pub sizes: [usize; 2],
}

impl Disposable {
    /// Returns the parameters, or why they cannot be run.
    pub fn new(flags: &Flags) -> Result<Disposable, String> {
        let disposable = Disposable {
            batch: flags.uint("disposable_entries_batch_size"),
            kept: flags.uint("persistent_entries_batch_size"),
            delay: flags.uint("disposable_entries_delete_delay"),
            sizes: ["disposable_entries_value_size", "persistent_entries_value_size"]
                .map(|name| flags.uint(name) as usize),
        };
        let others = flags.uint("writes_per_range_tombstone") > 0
            || flags.double("overwrite_probability") > 0.0;
        match (disposable.batch, disposable.kept) {
            (0, 0) => Ok(disposable),
            (0, _) => Err("ERROR: --persistent_entries_batch_size needs \
                --disposable_entries_batch_size"
                .to_owned()),
            _ if others => Err("ERROR: --disposable_entries_batch_size cannot be combined with \
                --overwrite_probability or --writes_per_range_tombstone"
                .to_owned()),
            _ => Ok(disposable),
        }
    }

    /// Returns whether entries are deleted.
    pub fn is_on(&self) -> bool {
        self.batch > 0
    }
}

/// The compaction style, as far as benchmarks distinguish it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Style {
    /// Leveled.
    Level,
    /// FIFO.
    Fifo,
    /// Universal or none.
    Other,
}

/// The shape of the tree that `fillseqdeterministic` and `filluniquerandomdeterministic` make.
#[derive(Clone, Copy, Debug)]
pub struct Tree {
    /// The compaction style.
    pub style: Style,
    /// The number of levels.
    pub levels: usize,
    /// The factor between the sizes of two levels, at least 1.
    pub multiplier: f64,
    /// Compactions run only when they are asked for.
    pub only_manual: bool,
    /// The sizes of levels depend on the last level.
    pub dynamic: bool,
    /// The size limit of FIFO compaction, in bytes.
    pub fifo_bytes: u64,
}

impl Tree {
    /// Returns what the flags say.
    pub fn new(flags: &Flags) -> Tree {
        Tree {
            style: match flags.int("compaction_style") {
                0 => Style::Level,
                2 => Style::Fifo,
                _ => Style::Other,
            },
            levels: flags.uint("num_levels") as usize,
            multiplier: flags.double("max_bytes_for_level_multiplier").max(1.0),
            only_manual: flags.on("disable_auto_compactions"),
            dynamic: flags.on("level_compaction_dynamic_level_bytes"),
            fifo_bytes: flags.uint("fifo_compaction_max_table_files_size_mb") << 20,
        }
    }
}
