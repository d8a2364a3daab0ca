//! The text forms of parts: values with their own settings, `name:number` or `{id=name;setting=value;}`, which need no
//! object of the program.

use super::super::parse::unbrace;
use super::super::{
    BlockBasedTableOptions, CompactOnDeletion, CompressionOptions, CuckooTableOptions, DbPath,
    FifoCompactionOptions, FilterPolicy, MemtableFactory, MetadataCacheOptions, PlainTableOptions,
    TableFactory, UniversalCompactionOptions,
};
use super::OptionSet;
use super::components::{is_null, name_and_settings, unknown_part, unknown_setting};
use super::values::{TextForm, store};
use crate::error::{Error, Result};

/// `skip_list:16`, `prefix_hash:1000`, RocksDB's class name, or `{id=...;...}`.
impl TextForm for MemtableFactory {
    fn set_text(&mut self, _: &str, text: &str) -> Result<()> {
        let (name, settings) = name_and_settings(text)?;
        let (name, number) = match name.split_once(':') {
            Some((name, number)) => (name, Some(number)),
            None => (name, None),
        };
        let mut factory = match name {
            "skip_list" | "SkipListFactory" => MemtableFactory::default(),
            "prefix_hash" | "HashSkipListRepFactory" => MemtableFactory::hash_skip_list(),
            "hash_linkedlist" | "HashLinkListRepFactory" => {
                MemtableFactory::HashLinkList { bucket_count: 50_000 }
            }
            "vector" | "VectorRepFactory" => MemtableFactory::Vector { count: 0 },
            "cuckoo" => {
                return Err(Error::invalid_argument(
                    "cuckoo hash memtable is not supported anymore.: cuckoo",
                ));
            }
            _ => return Err(unknown_part("memtable", name)),
        };
        let first = match factory {
            MemtableFactory::SkipList { .. } => "lookahead",
            MemtableFactory::HashSkipList { .. } | MemtableFactory::HashLinkList { .. } => {
                "bucket_count"
            }
            MemtableFactory::Vector { .. } => "count",
        };
        // `name:text` is not the name of any memtable.
        if number.is_some_and(|n| n.is_empty() || !n.bytes().all(|b| b.is_ascii_digit())) {
            return Err(unknown_part("memtable", text));
        }
        for (key, value) in number.map(|n| (first, n)).into_iter().chain(settings) {
            set_memtable_setting(&mut factory, key, value)?;
        }
        *self = factory;
        Ok(())
    }

    fn to_text(&self) -> String {
        let name = self.name();
        match self {
            MemtableFactory::SkipList { lookahead: 0 } => name.into(),
            MemtableFactory::SkipList { lookahead } => format!("{name}:{lookahead}"),
            MemtableFactory::HashSkipList {
                bucket_count,
                skiplist_height,
                skiplist_branching_factor,
            } => format!(
                "{{id={name};bucket_count={bucket_count};skiplist_height={skiplist_height};\
                 branching_factor={skiplist_branching_factor};}}"
            ),
            MemtableFactory::HashLinkList { bucket_count } => {
                format!("{{id={name};bucket_count={bucket_count};}}")
            }
            MemtableFactory::Vector { count } => format!("{{id={name};count={count};}}"),
        }
    }
}

fn set_memtable_setting(factory: &mut MemtableFactory, key: &str, value: &str) -> Result<()> {
    use MemtableFactory::{HashLinkList, HashSkipList, SkipList, Vector};
    let name = factory.name();
    match (factory, key) {
        (SkipList { lookahead }, "lookahead") => store(lookahead, key, value),
        (HashSkipList { bucket_count, .. } | HashLinkList { bucket_count }, "bucket_count") => {
            store(bucket_count, key, value)
        }
        (HashSkipList { skiplist_height, .. }, "skiplist_height") => {
            store(skiplist_height, key, value)
        }
        (HashSkipList { skiplist_branching_factor, .. }, "branching_factor") => {
            store(skiplist_branching_factor, key, value)
        }
        // When RocksDB's list turns into a skip list, and its logging: no result depends on these.
        (
            HashLinkList { .. },
            "threshold" | "huge_page_size" | "logging_threshold" | "log_when_flash",
        ) => Ok(()),
        (Vector { count }, "count") => store(count, key, value),
        _ => Err(unknown_setting(name, key)),
    }
}

impl TableFactory {
    /// Returns the options of the block-based format, after making it the format if necessary.
    pub(in crate::options) fn make_block_based(&mut self) -> &mut BlockBasedTableOptions {
        if !matches!(self, TableFactory::BlockBased(_)) {
            *self = TableFactory::default();
        }
        match self {
            TableFactory::BlockBased(table) => table,
            _ => unreachable!("it was replaced above"),
        }
    }

    /// Returns the options of PlainTable, after making it the format if necessary.
    pub(in crate::options) fn make_plain(&mut self) -> &mut PlainTableOptions {
        if !matches!(self, TableFactory::Plain(_)) {
            *self = TableFactory::Plain(PlainTableOptions::default());
        }
        match self {
            TableFactory::Plain(table) => table,
            _ => unreachable!("it was replaced above"),
        }
    }

    /// Returns the options of the current format, as `{k=v;}`.
    pub(in crate::options) fn braced(&self) -> String {
        match self {
            TableFactory::BlockBased(table) => table.braced(),
            TableFactory::Plain(table) => table.braced(),
            TableFactory::Cuckoo(table) => table.braced(),
        }
    }
}

/// Only the name is printed: OPTIONS files have a section for the settings.
impl TextForm for TableFactory {
    fn set_text(&mut self, _: &str, text: &str) -> Result<()> {
        let (name, settings) = name_and_settings(text)?;
        match name {
            "BlockBasedTable" => {
                let table = self.make_block_based();
                settings.into_iter().try_for_each(|(k, v)| table.set_option(k, v))
            }
            "PlainTable" => {
                let table = self.make_plain();
                settings.into_iter().try_for_each(|(k, v)| table.set_option(k, v))
            }
            "CuckooTable" => {
                let mut table = CuckooTableOptions::default();
                settings.into_iter().try_for_each(|(k, v)| table.set_option(k, v))?;
                *self = TableFactory::Cuckoo(table);
                Ok(())
            }
            _ => Err(Error::not_supported(format!("table format {name:?}"))),
        }
    }
    fn to_text(&self) -> String {
        self.name().to_string()
    }
}

/// `nullptr`, `bloomfilter:bits[:bool]`, `ribbonfilter:bits[:level]`, with or without `{id=...}`.
impl TextForm for Option<FilterPolicy> {
    fn set_text(&mut self, option: &str, text: &str) -> Result<()> {
        if is_null(text) {
            *self = None;
            return Ok(());
        }
        let (name, settings) = name_and_settings(text)?;
        let setting = |key: &str| settings.iter().find(|(k, _)| *k == key).map(|(_, v)| *v);
        let mut parts = name.split(':');
        let kind = parts.next().unwrap_or("");
        let bits = parts.next().or_else(|| setting("bits_per_key"));
        let level = parts.next().or_else(|| setting("bloom_before_level"));
        let mut bits_per_key = 0.0;
        // `bloomfilter:text` is not the name of any filter.
        let bits = bits.filter(|bits| bits.trim().parse::<f64>().is_ok());
        match (kind, bits) {
            (
                "bloomfilter" | "rocksdb.BloomFilter" | "rocksdb.internal.FastLocalBloomFilter",
                Some(bits),
            ) => {
                store(&mut bits_per_key, option, bits)?;
                *self = Some(FilterPolicy::Bloom { bits_per_key });
                Ok(())
            }
            ("ribbonfilter" | "rocksdb.RibbonFilter", Some(bits)) => {
                let mut bloom_before_level = 0;
                store(&mut bits_per_key, option, bits)?;
                level.map_or(Ok(()), |level| store(&mut bloom_before_level, option, level))?;
                *self = Some(FilterPolicy::Ribbon { bits_per_key, bloom_before_level });
                Ok(())
            }
            _ => Err(Error::not_supported(format!(
                "filter {name:?}; expected bloomfilter:bits or ribbonfilter:bits"
            ))),
        }
    }

    fn to_text(&self) -> String {
        match self {
            None => "nullptr".into(),
            Some(FilterPolicy::Bloom { bits_per_key }) => {
                format!("bloomfilter:{bits_per_key}:false")
            }
            Some(FilterPolicy::Ribbon { bits_per_key, bloom_before_level: level }) => {
                format!("{{id=ribbonfilter:{bits_per_key}:{level};bloom_before_level={level};}}")
            }
        }
    }
}

/// Collectors are created by the program. They are printed as in RocksDB's LOG: each is followed by a semicolon.
impl TextForm for Vec<CompactOnDeletion> {
    fn set_text(&mut self, _: &str, text: &str) -> Result<()> {
        if !is_null(text) && text != self.to_text() {
            return Err(unknown_part("table properties collector", text));
        }
        Ok(())
    }
    fn to_text(&self) -> String {
        if self.is_empty() {
            return "{}".into();
        }
        self.iter().map(|collector| format!("{collector}; ")).collect()
    }
}

/// RocksDB has no text form for paths either.
impl TextForm for Vec<DbPath> {
    fn set_text(&mut self, _: &str, text: &str) -> Result<()> {
        if text.is_empty() {
            return Ok(());
        }
        Err(Error::invalid_argument(format!(
            "{text:?}: paths cannot be set from text; set them in the program"
        )))
    }
    fn to_text(&self) -> String {
        let one = |p: &DbPath| format!("{}({} bytes)", p.path.display(), p.target_size);
        self.iter().map(one).collect::<Vec<_>>().join(", ")
    }
}

/// `{max_table_files_size=5;...}`, or only that number.
impl TextForm for FifoCompactionOptions {
    fn set_text(&mut self, name: &str, text: &str) -> Result<()> {
        if text.contains('=') || text.is_empty() {
            return self.set_options(text);
        }
        store(&mut self.max_table_files_size, name, text)
    }
    fn to_text(&self) -> String {
        self.braced()
    }
}

impl TextForm for UniversalCompactionOptions {
    fn set_text(&mut self, _: &str, text: &str) -> Result<()> {
        self.set_options(text)
    }
    fn to_text(&self) -> String {
        self.braced()
    }
}

impl TextForm for MetadataCacheOptions {
    fn set_text(&mut self, _: &str, text: &str) -> Result<()> {
        self.set_options(text)
    }
    fn to_text(&self) -> String {
        self.braced()
    }
}

/// `{level=5;...}`, or the older `window_bits:level:strategy[:max_dict_bytes[:...]]`.
impl TextForm for CompressionOptions {
    fn set_text(&mut self, _: &str, text: &str) -> Result<()> {
        let inside = unbrace(text);
        if inside.contains('=') {
            return self.set_options(inside);
        }
        let names = [
            "window_bits",
            "level",
            "strategy",
            "max_dict_bytes",
            "zstd_max_train_bytes",
            "parallel_threads",
            "enabled",
            "max_dict_buffer_bytes",
            "use_zstd_dict_trainer",
        ];
        let values: Vec<&str> = inside.split(':').collect();
        if values.len() < 3 || values.len() > names.len() {
            let what = "unable to parse the specified CF option compression_opts";
            let expected = "expected window_bits:level:strategy";
            return Err(Error::invalid_argument(format!("{what}: {expected}, found {text:?}")));
        }
        // The last of six values is `enabled`: that form is older than threads.
        let last = if values.len() == 6 { "enabled" } else { "parallel_threads" };
        let names = names.map(|name| if name == "parallel_threads" { last } else { name });
        names.iter().zip(values).try_for_each(|(k, v)| self.set_option(k, v))
    }
    fn to_text(&self) -> String {
        self.braced()
    }
}
