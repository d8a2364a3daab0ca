//! The settings of a database: db_bench's flags, and ForestDB's own options by the names that they have in C.

use super::Result;
use crate::flags::Flags;

/// ForestDB's options that `--forestdb_options` can set, with their smallest and largest values.
const OPTIONS: [(&str, u64, u64); 9] = [
    ("wal_threshold", 1, u32::MAX as u64),
    ("compaction_threshold", 0, 100),
    ("compaction_minimum_filesize", 0, u64::MAX),
    ("compactor_sleep_duration", 1, u32::MAX as u64),
    ("num_compactor_threads", 1, 128),
    ("num_wal_partitions", 1, 512),
    ("num_bcache_partitions", 1, 512),
    ("prefetch_duration", 0, u32::MAX as u64),
    ("block_reusing_threshold", 0, 100),
];

/// The settings of a database. What is not set has ForestDB's default.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Settings {
    /// Bytes of the buffer cache, which all databases of the process share.
    pub(super) cache_size: u64,
    /// Bytes of a block.
    pub(super) block_size: Option<u32>,
    /// Compress the values with Snappy.
    pub(super) compression: bool,
    /// Further options with their values.
    pub(super) options: Vec<(&'static str, u64)>,
}

impl Settings {
    /// Reads the settings. Refuses values that ForestDB does not have.
    pub(super) fn new(flags: &Flags) -> Result<Settings> {
        let mut block_size = None;
        if flags.is_given("block_size") {
            let bytes = u32::try_from(flags.int("block_size")).ok();
            let bytes = bytes.filter(|bytes| (1024..=128 << 10).contains(bytes));
            block_size = Some(bytes.ok_or("--block_size: ForestDB takes 1024 to 131072 bytes")?);
        }
        let codec = flags.is_given("compression_type").then(|| flags.text("compression_type"));
        let compression = match codec {
            None | Some("none") => false,
            Some("snappy") => true,
            Some(other) => {
                return Err(format!("--compression_type={other}: ForestDB has none and snappy"));
            }
        };
        Ok(Settings {
            cache_size: flags.uint("cache_size"),
            block_size,
            compression,
            options: options(flags.text("forestdb_options"))?,
        })
    }

    /// Returns the settings that ForestDB has once in a process, because they belong to its cache and its threads.
    pub(super) fn shared(&self) -> Settings {
        let shared = |name| ["compactor_sleep_duration", "num_compactor_threads"].contains(&name);
        let options = self.options.iter().filter(|(name, _)| shared(*name)).copied().collect();
        Settings { compression: false, options, ..self.clone() }
    }
}

/// Parses `name=value;name=value`.
fn options(text: &str) -> Result<Vec<(&'static str, u64)>> {
    let parts = text.split(';').map(str::trim).filter(|part| !part.is_empty());
    parts.map(option).collect()
}

fn option(part: &str) -> Result<(&'static str, u64)> {
    let (name, value) = part.split_once('=').unwrap_or((part, ""));
    let known = OPTIONS.into_iter().find(|(known, ..)| *known == name.trim());
    let Some((name, least, most)) = known else {
        let names = OPTIONS.map(|(name, ..)| name).join(", ");
        return Err(format!("--forestdb_options: unknown option {part}; known: {names}"));
    };
    let number = value.trim().parse().ok().filter(|number| (least..=most).contains(number));
    let number = number.ok_or_else(|| {
        format!("--forestdb_options: {part}: expected a whole number from {least} to {most}")
    })?;
    Ok((name, number))
}

#[cfg(test)]
#[path = "options_test.rs"]
mod tests;
