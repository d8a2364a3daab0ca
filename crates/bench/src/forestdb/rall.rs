//! The 14 arguments of the script `rall.sh`, and its 13 steps as ini files.

use super::ini::Ini;
use std::path::Path;

/// The name and the meaning of each argument, in order.
pub const ARGUMENTS: [(&str, &str); 14] = [
    ("rows", "Number of documents"),
    ("logdir", "Directory for the directory of results"),
    ("dbdir", "Directory of the databases; --dir replaces it"),
    ("cachemb", "Block cache of each database, in MiB"),
    ("writebufmb", "Size of a memtable, in MiB"),
    ("nthr", "Threads of the steps that end with .n"),
    ("warm", "Seconds of warm-up of each step after the load"),
    ("run", "Measured seconds of each step after the load"),
    ("writerate", "Updates per second of the writer in pqw and rqw"),
    ("doload", "1: load the documents; 0: use the database of an earlier run"),
    ("engine", "As --engine takes it; --engine replaces it"),
    ("iterbatch", "Documents per range"),
    ("periodic", "yes: the load syncs each batch of 4096 documents; no: it writes no WAL"),
    ("nfiles", "Number of databases"),
];

/// The threads and the writes of a step.
#[derive(Clone, Copy, Debug)]
pub struct Step {
    /// Its name.
    pub name: &'static str,
    readers: Count,
    iterators: Count,
    writers: Count,
    /// The writer has the rate of argument 9.
    paced: bool,
    sync: bool,
}

/// A number of threads.
#[derive(Clone, Copy, Debug)]
enum Count {
    Zero,
    One,
    /// Argument 6.
    Many,
}

use Count::{Many, One, Zero};

const fn step(
    name: &'static str,
    (readers, iterators, writers): (Count, Count, Count),
    paced: bool,
    sync: bool,
) -> Step {
    Step { name, readers, iterators, writers, paced, sync }
}

/// The steps in the order of the script.
pub const STEPS: [Step; 13] = [
    step("load", (One, Zero, Zero), false, false),
    step("ows.1", (Zero, Zero, One), false, true),
    step("ows.n", (Zero, Zero, Many), false, true),
    step("pqw.1", (One, Zero, One), true, false),
    step("pqw.n", (Many, Zero, One), true, false),
    step("rqw.1", (Zero, One, One), true, false),
    step("rqw.n", (Zero, Many, One), true, false),
    step("pq.1", (One, Zero, Zero), false, false),
    step("pq.n", (Many, Zero, Zero), false, false),
    step("rq.1", (Zero, One, Zero), false, false),
    step("rq.n", (Zero, Many, Zero), false, false),
    step("owa.1", (Zero, Zero, One), false, false),
    step("owa.n", (Zero, Zero, Many), false, false),
];

/// Seconds of warm-up and of point reads after the load, in the script.
pub const AFTER_LOAD: u64 = 5;

/// The arguments, checked.
#[derive(Clone, Debug)]
pub struct Arguments {
    values: Vec<String>,
    rows: u64,
    cache_mb: u64,
    write_buffer_mb: u64,
    threads: u64,
    warm: u64,
    run: u64,
    write_rate: u64,
    /// The load is one of the steps.
    pub load: bool,
    range: u64,
    periodic: bool,
    files: u64,
    /// Seconds of warm-up and of point reads after the load.
    pub after_load: u64,
}

impl Arguments {
    /// Checks the 14 arguments. Errors name the argument.
    pub fn new(values: [String; 14]) -> Result<Arguments, String> {
        let wrong = |i: usize, expected: &str| {
            let (name, value) = (ARGUMENTS[i].0, &values[i]);
            format!("argument {} ({name}) is {value}: expected {expected}", i + 1)
        };
        let number = |i: usize, least: u64| match values[i].parse::<u64>() {
            Ok(number) if number >= least => Ok(number),
            _ => Err(wrong(i, &format!("a whole number from {least} on"))),
        };
        let switch = |i: usize, on: &str, off: &str| match values[i].as_str() {
            value if value == on => Ok(true),
            value if value == off => Ok(false),
            _ => Err(wrong(i, &format!("{on} or {off}"))),
        };
        Ok(Arguments {
            rows: number(0, 1)?,
            cache_mb: number(3, 0)?,
            write_buffer_mb: number(4, 1)?,
            threads: number(5, 1)?,
            warm: number(6, 0)?,
            run: number(7, 1)?,
            write_rate: number(8, 0)?,
            load: switch(9, "1", "0")?,
            range: number(11, 1)?,
            periodic: switch(12, "yes", "no")?,
            files: number(13, 1)?,
            after_load: AFTER_LOAD,
            values: values.to_vec(),
        })
    }

    /// Returns argument 11.
    pub fn engine(&self) -> &str {
        &self.values[10]
    }

    /// Returns the settings of a step. `engine` is part of the names of files; `tree` has the target sizes of level 1
    /// in MiB and of an SST in KiB.
    pub fn ini(&self, step: &Step, engine: &str, tree: (u64, u64)) -> Result<Ini, String> {
        let is_load = step.name == "load";
        let count = |count: Count| match count {
            Zero => 0,
            One => 1,
            Many => self.threads,
        };
        let path = |dir: &str, name: &str| {
            Path::new(dir).join(format!("{name}.{engine}")).display().to_string()
        };
        let seconds = |given: u64| if is_load { self.after_load } else { given };
        let sync = step.sync || (is_load && self.periodic);
        let mut ini = Ini::parse("the template", TEMPLATE)?;
        ini.set("document", "ndocs", self.rows)?;
        ini.set("log", "filename", path(&self.values[1], "log"))?;
        ini.set("db_file", "filename", path(&self.values[2], "db"))?;
        ini.set("db_file", "nfiles", self.files)?;
        ini.set("db_config", "cache_size_mb", self.cache_mb)?;
        ini.set("db_config", "wbs_init_mb", self.write_buffer_mb)?;
        ini.set("db_config", "wbs_bench_mb", self.write_buffer_mb)?;
        ini.set("population", "periodic_commit", if self.periodic { "yes" } else { "no" })?;
        ini.set("population", "load", u8::from(is_load))?;
        ini.set("threads", "readers", count(step.readers))?;
        ini.set("threads", "iterators", count(step.iterators))?;
        ini.set("threads", "writers", count(step.writers))?;
        ini.set("threads", "writer_ops", if step.paced { self.write_rate } else { 0 })?;
        ini.set("operation", "warmingup", seconds(self.warm))?;
        ini.set("operation", "duration", seconds(self.run))?;
        ini.set("operation", "iterate_batchsize_lower_bound", self.range)?;
        ini.set("operation", "iterate_batchsize_upper_bound", self.range)?;
        ini.set("operation", "write_type", if sync { "sync" } else { "async" })?;
        ini.set("ferrolith_bench", "level_base_mb", tree.0)?;
        ini.set("ferrolith_bench", "target_file_kb", tree.1)?;
        if engine == "forestdb" {
            ini.set("compaction", "threshold", 50)?;
            ini.set("compaction", "period", 15)?;
        }
        Ok(ini)
    }
}

/// Settings that are the same in all steps.
const TEMPLATE: &str = "
[db_config]
bloom_bits_per_key = 10
compaction_style = level
compression = true
[population]
nthreads = 1
batchsize = 4096
compaction_wait = 0
[threads]
reader_ops = 0
seed_per_thread = 1
[key_length]
distribution = normal
median = 32
standard_deviation = 2
[prefix]
level = 0
[body_length]
distribution = normal
median = 512
standard_deviation = 32
compressibility = 50
[operation]
batch_distribution = uniform
batchsize_distribution = uniform
read_batchsize_lower_bound = 1
read_batchsize_upper_bound = 1
write_batchsize_lower_bound = 1
write_batchsize_upper_bound = 1
batch_range = 1
write_ratio_percent = 1000
";
