//! The settings of a step, from an ini file, checked before anything runs.

use super::choose::{BatchSize, Centre, Scatter};
use super::document::{Filler, Length, Shape};
use super::ini::Ini;
use super::zipf::Zipf;
use crate::shared::warm_up::WarmUp;
use std::sync::Arc;

/// One step: a population, a measured part, or both.
#[derive(Clone, Debug)]
pub struct Config {
    /// The documents.
    pub shape: Shape,
    /// Prefix of the directory of results.
    pub log: Option<String>,
    /// Options of the engine.
    pub tree: Tree,
    /// Options of ForestDB.
    pub forest: Forest,
    /// The databases.
    pub files: Files,
    /// The population; `None`: the databases exist.
    pub population: Option<Population>,
    /// The threads of the measured part.
    pub threads: Threads,
    /// Their operations.
    pub operation: Operation,
    /// The warm-up.
    pub warm_up: WarmUp,
    /// The end of the measured part.
    pub limits: Limits,
    /// Record latencies.
    pub latencies: bool,
    /// The seed of bodies and choices.
    pub seed: u64,
}

/// Options of engines with RocksDB's options.
#[derive(Clone, Debug)]
pub struct Tree {
    /// Block cache of each database, in MiB.
    pub cache_mb: u64,
    /// Size of a memtable, in MiB, during the population and afterwards.
    pub write_buffer_mb: (u64, u64),
    /// Bits per key of Bloom filters.
    pub bloom_bits: u64,
    /// 0 leveled, 1 universal, 2 FIFO.
    pub style: usize,
    /// Compress level 3 and below.
    pub compression: bool,
    /// Target size of level 1, in MiB.
    pub level_base_mb: u64,
    /// Target size of an SST, in KiB.
    pub target_file_kb: u64,
}

/// Options of ForestDB.
#[derive(Clone, Debug)]
pub struct Forest {
    /// Entries of its WAL index.
    pub wal: u64,
    /// Threads that compact.
    pub compaction_threads: u64,
    /// Percentage of stale data that starts a compaction.
    pub compaction_threshold: u64,
    /// Seconds between looks at that percentage.
    pub compaction_period: u64,
    /// Percentage of stale data from which blocks are reused; `None`: the library's default.
    pub block_reuse: Option<u64>,
}

/// The locations of the databases.
#[derive(Clone, Debug)]
pub struct Files {
    /// Prefix of the directories.
    pub prefix: String,
    /// Prefix during the population.
    pub prefix_load: String,
    /// Number of databases.
    pub count: usize,
}

/// The population of the databases.
#[derive(Clone, Debug)]
pub struct Population {
    /// Threads.
    pub threads: usize,
    /// Documents per batch.
    pub batch: u64,
    /// Batches are in the WAL.
    pub wal: bool,
    /// Wait for compactions afterwards.
    pub compaction_wait: bool,
}

/// Threads of the measured part.
#[derive(Clone, Debug)]
pub struct Threads {
    /// Threads that read documents by key.
    pub readers: usize,
    /// Threads that read ranges.
    pub iterators: usize,
    /// Threads that update documents.
    pub writers: usize,
    /// Batches per second of each reader and iterator, and of each writer; 0: no limit.
    pub rates: (u64, u64),
    /// Each thread has its own seed.
    pub seed_per_thread: bool,
    /// Each writer has its own databases.
    pub disjoint_write: bool,
}

/// The operations of the threads.
#[derive(Clone, Debug)]
pub struct Operation {
    /// Sizes of batches: of readers, iterators, writers.
    pub sizes: [BatchSize; 3],
    /// The position of a batch.
    pub centre: Centre,
    /// The distribution of a batch's documents around its centre.
    pub scatter: Scatter,
    /// Percentage of writes in all operations; `None`: threads do not wait for each other.
    pub write_percent: Option<u64>,
    /// Each batch is durable before the call returns.
    pub sync: bool,
}

/// The limits of the measured part, which ends at the one that is reached first. 0: no limit.
#[derive(Clone, Debug, Default)]
pub struct Limits {
    /// Seconds.
    pub seconds: u64,
    /// Documents.
    pub documents: u64,
    /// Batches.
    pub batches: u64,
}

impl Config {
    /// Reads the settings of a step. Errors name the key, its value and what was expected.
    pub fn new(ini: &Ini) -> Result<Config, String> {
        let shape = shape(ini)?;
        let operation = operation(ini, shape.documents)?;
        let files = files(ini)?;
        if files.count as u64 > shape.documents {
            return Err(ini.wrong("db_file", "nfiles", "at most the number of documents"));
        }
        let threads = threads(ini, files.count)?;
        let mut limits = Limits {
            seconds: ini.number("operation", "duration")?,
            documents: ini.number("operation", "nops")?,
            batches: ini.number("operation", "nbatches")?,
        };
        if limits.seconds == 0 && limits.documents == 0 && limits.batches == 0 {
            limits.seconds = 60;
        }
        if limits.seconds == 0 && threads.readers + threads.iterators + threads.writers == 0 {
            let expected = "at least 1, since nops and nbatches are never reached without threads";
            return Err(ini.wrong("operation", "duration", expected));
        }
        let population = population(ini, files.count)?;
        Ok(Config {
            shape,
            log: ini.text("log", "filename").map(str::to_owned),
            tree: tree(ini)?,
            forest: forest(ini)?,
            files,
            population,
            threads,
            operation,
            warm_up: warm_up(ini)?,
            limits,
            latencies: ini.number::<u64>("latency_monitor", "rate")? > 0,
            seed: ini.number("ferrolith_bench", "seed")?,
        })
    }

    /// The options of the engine's memtables while it loads, or afterwards.
    pub fn write_buffer_mb(&self, loading: bool) -> u64 {
        let (load, run) = self.tree.write_buffer_mb;
        if loading { load } else { run }
    }
}

fn at_least_one(ini: &Ini, section: &str, key: &str) -> Result<u64, String> {
    match ini.number(section, key)? {
        0 => Err(ini.wrong(section, key, "at least 1")),
        number => Ok(number),
    }
}

/// A number of MiB or KiB that is still a number when it is in bytes.
fn size(ini: &Ini, section: &str, key: &str) -> Result<u64, String> {
    match ini.number(section, key)? {
        number if number >= 1 << 40 => Err(ini.wrong(section, key, "less than 2^40")),
        number => Ok(number),
    }
}

fn length(ini: &Ini, section: &str) -> Result<Length, String> {
    let whole = |key: &str| -> Result<f64, String> {
        let value: f64 = ini.number(section, key)?;
        match (0.0..=1e9).contains(&value) {
            true => Ok(value),
            false => Err(ini.wrong(section, key, "a number from 0 to 1000000000")),
        }
    };
    if ini.choice(section, "distribution", &["normal", "uniform"])? == 0 {
        return Ok(Length::Normal(whole("median")?, whole("standard_deviation")?));
    }
    let (lower, upper) = (whole("lower_bound")? as u64, whole("upper_bound")? as u64);
    match lower <= upper {
        true => Ok(Length::Uniform(lower, upper)),
        false => Err(ini.wrong(section, "upper_bound", "at least lower_bound")),
    }
}

fn shape(ini: &Ini) -> Result<Shape, String> {
    let mut documents = at_least_one(ini, "document", "ndocs")?;
    let keys = match ini.text("document", "key_file") {
        None => None,
        Some(path) => {
            let text =
                std::fs::read(path).map_err(|e| format!("[document] key_file = {path}: {e}"))?;
            let lines = text.split(|byte| *byte == b'\n').filter(|line| !line.is_empty());
            let keys: Vec<Vec<u8>> = lines.map(<[u8]>::to_vec).collect();
            if keys.is_empty() {
                return Err(ini.wrong("document", "key_file", "a file with at least one line"));
            }
            documents = documents.min(keys.len() as u64);
            Some(Arc::new(keys))
        }
    };
    let compressibility: u64 = ini.number("body_length", "compressibility")?;
    if compressibility > 100 {
        return Err(ini.wrong("body_length", "compressibility", "0 to 100"));
    }
    let level = ini.number("prefix", "level")?;
    if level > 64 {
        return Err(ini.wrong("prefix", "level", "at most 64"));
    }
    Ok(Shape {
        documents,
        keys,
        key_length: length(ini, "key_length")?,
        levels: level,
        prefixes: at_least_one(ini, "prefix", "nprefixes")?,
        prefix_length: length(ini, "prefix")?,
        body_length: length(ini, "body_length")?,
        compressibility,
        filler: match ini.choice("ferrolith_bench", "filler", &["document", "buffer"])? {
            0 => Filler::Document,
            _ => Filler::Buffer,
        },
    })
}

fn warm_up(ini: &Ini) -> Result<WarmUp, String> {
    let seconds: u64 = ini.number("operation", "warmingup")?;
    let Some(text) = ini.text("ferrolith_bench", "warm_up") else {
        return Ok(if seconds > 0 { WarmUp::Seconds(seconds) } else { WarmUp::None });
    };
    WarmUp::parse(text).map_err(|e| format!("[ferrolith_bench] warm_up: {e}"))
}

fn tree(ini: &Ini) -> Result<Tree, String> {
    let style = ["l", "u", "f"]
        .iter()
        .position(|letter| ini.begins("db_config", "compaction_style", letter))
        .ok_or_else(|| ini.wrong("db_config", "compaction_style", "level, universal or fifo"))?;
    Ok(Tree {
        cache_mb: size(ini, "db_config", "cache_size_mb")?,
        write_buffer_mb: (
            at_least_one(ini, "db_config", "wbs_init_mb")
                .and_then(|_| size(ini, "db_config", "wbs_init_mb"))?,
            at_least_one(ini, "db_config", "wbs_bench_mb")
                .and_then(|_| size(ini, "db_config", "wbs_bench_mb"))?,
        ),
        bloom_bits: ini.number("db_config", "bloom_bits_per_key")?,
        style,
        compression: ini.begins("db_config", "compression", "te"),
        level_base_mb: size(ini, "ferrolith_bench", "level_base_mb")?,
        target_file_kb: size(ini, "ferrolith_bench", "target_file_kb")?,
    })
}

fn forest(ini: &Ini) -> Result<Forest, String> {
    let reuse = ini.text("compaction", "block_reuse");
    Ok(Forest {
        wal: ini.number("db_config", "fdb_wal")?,
        compaction_threads: ini.number("db_config", "auto_compaction_threads")?,
        compaction_threshold: ini.number("compaction", "threshold")?,
        compaction_period: ini.number("compaction", "period")?,
        block_reuse: reuse.map(|_| ini.number("compaction", "block_reuse")).transpose()?,
    })
}

fn files(ini: &Ini) -> Result<Files, String> {
    let prefix = ini.text("db_file", "filename").unwrap_or_default().to_owned();
    Ok(Files {
        prefix_load: ini.text("db_file", "init_filename").unwrap_or(&prefix).to_owned(),
        prefix,
        count: at_least_one(ini, "db_file", "nfiles")? as usize,
    })
}

fn population(ini: &Ini, files: usize) -> Result<Option<Population>, String> {
    let threads = match ini.text("population", "nthreads") {
        Some(_) => at_least_one(ini, "population", "nthreads")? as usize,
        None => 2 * std::thread::available_parallelism().map_or(1, usize::from),
    };
    let population = Population {
        threads: threads.min(files),
        batch: at_least_one(ini, "population", "batchsize")?,
        wal: !ini.begins("population", "periodic_commit", "n"),
        compaction_wait: ini.flag("population", "compaction_wait")?,
    };
    Ok(ini.flag("population", "load")?.then_some(population))
}

fn threads(ini: &Ini, files: usize) -> Result<Threads, String> {
    let count = |key: &str| match ini.number("threads", key)? {
        number if number > 10_000 => Err(ini.wrong("threads", key, "at most 10000")),
        number => Ok(number),
    };
    let threads = Threads {
        readers: count("readers")?,
        iterators: count("iterators")?,
        writers: count("writers")?,
        rates: (ini.number("threads", "reader_ops")?, ini.number("threads", "writer_ops")?),
        seed_per_thread: ini.flag("threads", "seed_per_thread")?,
        disjoint_write: ini.flag("threads", "disjoint_write")?,
    };
    match threads.disjoint_write && threads.writers > files {
        true => Err(ini.wrong("threads", "disjoint_write", "no more writers than nfiles")),
        false => Ok(threads),
    }
}

fn operation(ini: &Ini, documents: u64) -> Result<Operation, String> {
    let section = "operation";
    let normal = ini.choice(section, "batchsize_distribution", &["normal", "uniform"])? == 0;
    let size = |kind: &str| -> Result<BatchSize, String> {
        let number = |part: &str| ini.number::<u64>(section, &format!("{kind}_batchsize_{part}"));
        if normal {
            return Ok(BatchSize::Normal(number("median")?, number("standard_deviation")?));
        }
        let (lower, upper) = (number("lower_bound")?, number("upper_bound")?);
        match (1..=upper).contains(&lower) {
            true => Ok(BatchSize::Uniform(lower, upper)),
            false => {
                let key = format!("{kind}_batchsize_lower_bound");
                Err(ini.wrong(section, &key, "1 to the upper bound"))
            }
        }
    };
    let sizes = [size("read")?, size("iterate")?, size("write")?];
    let zipfian = ini.choice(section, "batch_distribution", &["uniform", "zipfian"])? == 1;
    let centre = if zipfian {
        let exponent: f64 = ini.number(section, "batch_parameter1")?;
        if !(0.0..=100.0).contains(&exponent) {
            return Err(ini.wrong(section, "batch_parameter1", "0 to 100"));
        }
        let group = at_least_one(ini, section, "batch_parameter2")?;
        Centre::Zipf(Arc::new(Zipf::new(documents.div_ceil(group), exponent)), group)
    } else {
        Centre::Uniform
    };
    let range = match ini.text(section, "batch_range") {
        Some(_) => at_least_one(ini, section, "batch_range")?,
        None => sizes[2].average().max(1),
    };
    let percent: u64 = ini.number(section, "write_ratio_percent")?;
    let scatter = ini.choice(section, "operation_distribution", &["uniform", "normal"])?;
    Ok(Operation {
        sizes,
        centre,
        scatter: if scatter == 0 { Scatter::Uniform(range) } else { Scatter::Normal(range) },
        write_percent: (percent <= 100).then_some(percent),
        sync: ini.begins(section, "write_type", "s"),
    })
}
