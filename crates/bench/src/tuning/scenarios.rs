//! The scenarios as flags of db_bench.

/// Keys of the database at scale 1.
const KEYS: u64 = 10_000_000;
/// Synced writes of scenario 3 at scale 1.
const SYNCED: u64 = 1000;
/// Keys of scenario 4 at scale 1.
const LARGE: u64 = 100_000;
/// Readers of the base case of sweeps.
const BASE_READERS: u64 = 10;

/// One scenario.
pub struct Scenario {
    /// Its number in the study.
    pub number: u64,
    /// db_bench's benchmark.
    pub benchmark: &'static str,
    /// What it is.
    pub about: &'static str,
    /// The benchmark that fills the database before.
    prepare: Option<&'static str>,
    /// Threads, each with the published operations per second.
    threads: &'static [(u64, f64)],
}

const fn scenario(
    number: u64,
    benchmark: &'static str,
    about: &'static str,
    prepare: Option<&'static str>,
    threads: &'static [(u64, f64)],
) -> Scenario {
    Scenario { number, benchmark, about, prepare, threads }
}

const FILL: Option<&str> = Some("fillrandom");

/// All scenarios, with the results of 2017: RocksDB 4.9 on 24 threads of two Xeon E5-2620 and an SSD.
#[rustfmt::skip]
pub const SCENARIOS: &[Scenario] = &[
    scenario(1, "fillseq", "Writes of sequential keys", None, &[(1, 212_251.0)]),
    scenario(2, "fillrandom", "Writes of random keys", None, &[(1, 114_631.0)]),
    scenario(3, "fillsync", "Writes of random keys, each synced", None, &[(1, 8_897.0)]),
    scenario(4, "fill100K", "Writes of values of 100,000 bytes", None, &[(1, 2_780.0)]),
    scenario(5, "overwrite", "Writes of random keys of a full database", FILL, &[(1, 115_535.0)]),
    scenario(6, "readrandom", "Reads of random keys; the published reads found nothing", FILL, &[(1, 4_729_894.0)]),
    scenario(7, "readwhilewriting", "Reads of random keys beside a writer", FILL, &[(1, 53_867.0)]),
    scenario(8, "readwhilemerging", "Reads of random keys beside a writer of merge operands", FILL, &[(1, 39_654.0)]),
    scenario(9, "readwhilemerging", "Scenario 8 by number of readers", FILL, &[
        (1, 39_654.0), (2, 86_594.0), (10, 398_887.0), (20, 636_593.0), (30, 731_073.0), (80, 802_698.0),
    ]),
];

/// One run of db_bench.
#[derive(Clone, Debug)]
pub struct Run {
    /// The scenario's number; 0 for a run of a sweep.
    pub scenario: u64,
    /// What is different from other runs of the scenario.
    pub label: String,
    /// The benchmark that is measured.
    pub benchmark: &'static str,
    /// Readers, or writers.
    pub threads: u64,
    /// Operations per second of 2017.
    pub published: Option<f64>,
    /// Flags of db_bench that fill the database before, with one thread.
    pub fill: Option<Vec<String>>,
    /// Flags of db_bench.
    pub flags: Vec<String>,
}

impl Run {
    /// Returns whether it writes merge operands, which not all engines have.
    pub fn merges(&self) -> bool {
        self.benchmark == "readwhilemerging"
    }
}

impl Scenario {
    /// Returns the runs of the scenario. `scale` multiplies keys and operations.
    pub fn runs(&self, scale: f64) -> Vec<Run> {
        let run = |&(threads, published): &(u64, f64)| Run {
            scenario: self.number,
            label: if self.threads.len() > 1 {
                format!("{threads} readers")
            } else {
                String::new()
            },
            benchmark: self.benchmark,
            threads,
            published: Some(published),
            fill: self.fill(scale),
            flags: self.flags(threads, scale),
        };
        self.threads.iter().map(run).collect()
    }

    fn fill(&self, scale: f64) -> Option<Vec<String>> {
        let fill = self.prepare?;
        let mut flags = common(fill, scaled(KEYS, scale));
        flags.push("--use_existing_db=0".to_owned());
        Some(flags)
    }

    fn flags(&self, threads: u64, scale: f64) -> Vec<String> {
        let keys = scaled(KEYS, scale);
        // The keys of fill100K are a thousandth of the number.
        let number = if self.benchmark == "fill100K" { LARGE * 1000 } else { KEYS };
        let number = scaled(number, scale);
        let mut flags = common(self.benchmark, number);
        flags.push(format!("--use_existing_db={}", u8::from(self.prepare.is_some())));
        flags.push(format!("--threads={threads}"));
        // The reads of all threads together are as many as there are keys.
        flags.push(format!("--reads={}", (keys / threads).max(1)));
        match self.benchmark {
            "fillsync" => {
                flags.push(format!("--writes={}", scaled(SYNCED, scale)));
                flags.push("--sync=1".to_owned());
            }
            "fill100K" => flags.push(format!("--writes={}", scaled(LARGE, scale))),
            _ => {}
        }
        flags
    }
}

/// Flags that all runs have. The merge operator is there from the fill on, because the database keeps its name.
fn common(benchmark: &str, number: u64) -> Vec<String> {
    vec![
        format!("--benchmarks={benchmark}"),
        format!("--num={number}"),
        "--key_size=16".to_owned(),
        "--value_size=100".to_owned(),
        "--compression_ratio=0.5".to_owned(),
        "--histogram=1".to_owned(),
        "--merge_operator=put".to_owned(),
    ]
}

/// Returns the runs of a sweep: the base case of the study, one merging writer and ten readers, for each value of a
/// flag of db_bench. `text` is `FLAG=VALUE,VALUE`.
pub fn sweep(text: &str, scale: f64) -> Result<Vec<Run>, String> {
    let wrong = || format!("--sweep {text}: expected FLAG=VALUE,VALUE,...");
    let (flag, values) = text.split_once('=').ok_or_else(wrong)?;
    let flag = flag.trim_start_matches('-');
    let base = SCENARIOS.iter().find(|scenario| scenario.number == 9).ok_or_else(wrong)?;
    if flag.is_empty() || values.split(',').any(str::is_empty) {
        return Err(wrong());
    }
    let run = |value: &str| {
        let more = format!("--{flag}={value}");
        let with = |mut flags: Vec<String>| {
            flags.push(more.clone());
            flags
        };
        Run {
            scenario: 0,
            label: format!("{flag}={value}"),
            benchmark: base.benchmark,
            threads: BASE_READERS,
            published: None,
            fill: base.fill(scale).map(with),
            flags: with(base.flags(BASE_READERS, scale)),
        }
    };
    Ok(values.split(',').map(run).collect())
}

fn scaled(number: u64, scale: f64) -> u64 {
    ((number as f64 * scale).round() as u64).max(1)
}
