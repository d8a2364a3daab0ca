//! The parts of the suite and their sizes.
//!
//! A part that ends after a time gets its share of the minutes. A part that ends after a number of operations gets
//! as many as a slow engine does in its share on two cores; the rates below are those of RocksDB there, rounded down.

use crate::target::Result;
use std::path::{Path, PathBuf};

/// Placeholders in the commands of a part: the engine, a directory for the database on a disk, one in RAM, the
/// directory of results, and the directory of YCSB's property files.
const PLACEHOLDERS: [&str; 5] = ["{engine}", "{db}", "{ram}", "{results}", "{workloads}"];

/// Share of the time that is planned; the rest is for opening, closing and slow machines.
const PLANNED: f64 = 0.75;

/// Keys per second that the fills of the in-memory rows write.
const PLAIN_FILL: f64 = 100_000.0;
/// Seconds for each key of the tuning scenarios: fills, writes, reads and merges of all of them.
const TUNING_KEY: f64 = 250e-6;
/// Values of 100 kB per second.
const LARGE_WRITES: f64 = 700.0;
/// Documents of ForestDB-Benchmark and records of YCSB per second that a load writes.
const LOAD: f64 = 50_000.0;

/// The mixes of YCSB's core workloads: readproportion and so on, in the order in which they run. The database is
/// loaded anew before the last one, because the one before it inserts.
pub const YCSB: [(&str, &str); 6] = [
    ("a", "readproportion=0.5\nupdateproportion=0.5\nrequestdistribution=zipfian"),
    ("b", "readproportion=0.95\nupdateproportion=0.05\nrequestdistribution=zipfian"),
    ("c", "readproportion=1\nupdateproportion=0\nrequestdistribution=zipfian"),
    (
        "f",
        "readproportion=0.5\nupdateproportion=0\nreadmodifywriteproportion=0.5\nrequestdistribution=zipfian",
    ),
    (
        "d",
        "readproportion=0.95\nupdateproportion=0\ninsertproportion=0.05\nrequestdistribution=latest",
    ),
    (
        "e",
        "readproportion=0\nupdateproportion=0\nscanproportion=0.95\ninsertproportion=0.05\n\
         requestdistribution=zipfian\nmaxscanlength=100\nscanlengthdistribution=uniform",
    ),
];

/// How much time there is.
#[derive(Clone, Copy, Debug)]
pub struct Plan {
    /// Minutes of the whole suite.
    pub minutes: f64,
    /// Engines.
    pub engines: usize,
    /// Repetitions.
    pub pairs: u32,
    /// Threads of parts that use several.
    pub threads: usize,
}

/// A part of the suite.
#[derive(Clone, Debug)]
pub struct Part {
    /// Its name, which is also its directory.
    pub name: &'static str,
    /// What it does, with its size.
    pub about: String,
    /// Estimated seconds of one run on one engine.
    pub seconds: f64,
    /// Commands of this program, with placeholders.
    commands: Vec<String>,
}

/// The places of one run of a part.
pub struct Places {
    /// The engine.
    pub engine: String,
    /// The database on a disk.
    pub db: PathBuf,
    /// The database in RAM.
    pub ram: PathBuf,
    /// Results.
    pub results: PathBuf,
    /// YCSB's property files.
    pub workloads: PathBuf,
}

impl Part {
    /// Returns the arguments of its commands.
    pub fn commands(&self, places: &Places) -> Vec<Vec<String>> {
        let text = |path: &Path| path.display().to_string();
        let values = [
            places.engine.clone(),
            text(&places.db),
            text(&places.ram),
            text(&places.results),
            text(&places.workloads),
        ];
        let word = |word: &str| {
            let pairs = PLACEHOLDERS.iter().zip(&values);
            pairs.fold(word.to_owned(), |word, (placeholder, value)| {
                word.replace(placeholder, value)
            })
        };
        self.commands.iter().map(|line| line.split(' ').map(word).collect()).collect()
    }
}

impl Plan {
    /// Returns the seconds that one engine has for all parts in one pair.
    fn seconds(&self) -> f64 {
        self.minutes * 60.0 * PLANNED / (self.engines as f64 * f64::from(self.pairs))
    }

    /// Returns all parts.
    ///
    /// # Errors
    /// Too little time for the smallest size.
    pub fn parts(&self) -> Result<Vec<Part>> {
        let seconds = self.seconds();
        let least = SHORTEST_RUN / PLANNED * self.engines as f64 * f64::from(self.pairs) / 60.0;
        if seconds < SHORTEST_RUN {
            return Err(format!(
                "--minutes {}: {} engines and {} pairs need at least {:.0} minutes",
                self.minutes,
                self.engines,
                self.pairs,
                least.ceil()
            ));
        }
        Ok(vec![
            self.in_memory(seconds * 0.17),
            self.tuning(seconds * 0.25),
            self.forestdb(seconds * 0.25),
            self.pegasus(seconds * 0.16),
            self.ycsb(seconds * 0.17),
        ])
    }

    fn in_memory(&self, seconds: f64) -> Part {
        let keys = (seconds * 0.4 / 4.0 * PLAIN_FILL) as u64;
        let each = whole(seconds * 0.6 / 4.0);
        let threads = self.threads;
        Part {
            name: "in-memory",
            about: format!(
                "4 rows, {keys} keys in PlainTables, {each} s of {threads} readers beside a writer"
            ),
            seconds: 4.0 * (keys as f64 / PLAIN_FILL + each as f64),
            commands: vec![format!(
                "in-memory --dir {{ram}} --wal-dir {{db}} --engine {{engine}} --keys {keys} --seconds {each} \
                 --threads {threads} --results {{results}}/rows"
            )],
        }
    }

    fn tuning(&self, seconds: f64) -> Part {
        // Three small invocations: synced and large writes are slow for other reasons than keys.
        let large = (seconds * 0.05 * LARGE_WRITES).max(50.0);
        let keys = (seconds * 0.9 / TUNING_KEY).max(10_000.0);
        let run = |name: &str, scenarios: &str, scale: f64| {
            format!(
                "tuning --dir {{db}} --engine {{engine}} --scenarios {scenarios} --scale {scale:.6} --results \
                 {{results}}/{name}"
            )
        };
        Part {
            name: "tuning",
            about: format!(
                "9 scenarios, {keys:.0} keys; 1000 synced writes, {large:.0} of 100 kB; up to 80 readers"
            ),
            seconds: seconds * 0.05 + large / LARGE_WRITES + keys * TUNING_KEY,
            commands: vec![
                run("synced", "3", 1.0),
                run("large", "4", large / 100_000.0),
                run("scenarios", "1,2,5,6,7,8,9", keys / 1e7),
            ],
        }
    }

    fn forestdb(&self, seconds: f64) -> Part {
        let documents = seconds * 0.1 * LOAD;
        // The load has a measured part, too.
        let each = whole(seconds * 0.9 / 13.0);
        let warm = if each >= 3 { 1 } else { 0 };
        let (run, scale) = (each - warm, documents / 56e6);
        let threads = self.threads;
        Part {
            name: "forestdb",
            about: format!(
                "load of {documents:.0} documents and 12 steps of {run} s after {warm} s of warm-up, n = {threads}"
            ),
            seconds: documents / LOAD + 13.0 * each as f64,
            commands: vec![format!(
                "forestdb rall --preset cached-n10 --scale {scale:.8} --nthr {threads} --warm {warm} --run {run} \
                 --after-load {run} --engine {{engine}} --dir {{db}} --results {{results}}/rall"
            )],
        }
    }

    fn pegasus(&self, seconds: f64) -> Part {
        let records = seconds * 0.15 * LOAD;
        let each = whole(seconds * 0.85 / 7.0);
        // At scale 1 there are 10 GiB of values of 1 KiB.
        let (scale, threads) = (records / (10 << 20) as f64, self.threads);
        Part {
            name: "pegasus",
            about: format!(
                "7 mixes, {records:.0} values of 1 kB, {each} s each, {threads} threads"
            ),
            seconds: records / LOAD + 7.0 * each as f64,
            commands: vec![format!(
                "pegasus --dir {{db}} --engine {{engine}} --values 1KB --mixes write,read,1:1,1:3,1:30,3:1,30:1 \
                 --scale {scale:.8} --seconds {each} --threads {threads} --results {{results}}/mixes"
            )],
        }
    }

    fn ycsb(&self, seconds: f64) -> Part {
        let records = (seconds * 0.25 / 2.0 * LOAD) as u64;
        let each = whole(seconds * 0.75 / YCSB.len() as f64);
        let threads = self.threads;
        let common = format!(
            "--db {{db}} --engine {{engine}} -p recordcount={records} -p threadcount={threads}"
        );
        let load = |name: &str| {
            format!(
                "ycsb load -P {{workloads}}/workload{name} {common} --results {{results}}/{name}-load"
            )
        };
        let run = |(name, _): &(&str, &str)| {
            format!(
                "ycsb run -P {{workloads}}/workload{name} {common} -p operationcount=0 -p maxexecutiontime={each} \
                 --results {{results}}/{name}"
            )
        };
        let mut commands = vec![load("a")];
        let (last, others) = YCSB.split_last().unwrap_or((&("", ""), &[]));
        commands.extend(others.iter().map(run));
        commands.extend([NEW_DATABASE.to_owned(), load(last.0), run(last)]);
        Part {
            name: "ycsb",
            about: format!(
                "workloads A to F, {records} records of 1 kB, {each} s each, {threads} threads"
            ),
            seconds: 2.0 * records as f64 / LOAD + 6.0 * each as f64,
            commands,
        }
    }
}

/// In place of a command: removes the database.
pub const NEW_DATABASE: &str = "new-database";

/// Seconds of the shortest run of all parts on one engine: below it, measured parts are shorter than a second.
const SHORTEST_RUN: f64 = 45.0;

/// Returns whole seconds, at least one.
fn whole(seconds: f64) -> u64 {
    (seconds.round() as u64).max(1)
}
