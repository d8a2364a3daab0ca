//! The four rows as the published command lines of db_bench.

/// The eight command lines of 2016: for each row a fill and the reads.
const COMMANDS: &str = include_str!("../../testdata/in_memory_commands.txt");

/// Keys, seconds and readers of the published runs.
pub const PUBLISHED: Size = Size { keys: 524_288_000, seconds: 7200, threads: 32 };

/// The labels of the rows, and the published reads per second: RocksDB on 16 cores of two Xeon E5-2660.
const RESULTS: [(&str, f64); 4] = [
    ("point lookup, 80K writes/s", 4_553_529.0),
    ("point lookup, 10K writes/s", 7_054_002.0),
    ("prefix range, 80K writes/s", 3_979_207.0),
    ("prefix range, 10K writes/s", 5_942_413.0),
];

/// How large a run is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Size {
    /// Keys.
    pub keys: u64,
    /// Seconds of reads.
    pub seconds: u64,
    /// Readers.
    pub threads: u64,
}

/// One row.
pub struct Row {
    /// Its number, from 1.
    pub number: u64,
    /// What it is.
    pub label: &'static str,
    /// Published reads per second.
    pub published: f64,
    /// Flags of db_bench that fill the database.
    pub fill: Vec<String>,
    /// Flags of db_bench that read while one thread writes.
    pub read: Vec<String>,
}

/// Returns the rows in this size. Only keys, seconds and readers differ from the published command lines.
pub fn rows(size: Size) -> Vec<Row> {
    let lines = COMMANDS.lines().filter_map(|line| line.strip_prefix("./db_bench "));
    let flags: Vec<Vec<String>> =
        lines.map(|line| line.split_whitespace().map(str::to_owned).collect()).collect();
    let sized = |flags: &[String], more: &[String]| [flags, more].concat();
    let keys = format!("--num={}", size.keys);
    let duration = format!("--duration={}", size.seconds);
    let threads = format!("--threads={}", size.threads);
    let mut all = Vec::new();
    for (pair, (label, published)) in flags.chunks_exact(2).zip(RESULTS) {
        all.push(Row {
            number: all.len() as u64 + 1,
            label,
            published,
            fill: sized(&pair[0], std::slice::from_ref(&keys)),
            read: sized(&pair[1], &[keys.clone(), duration.clone(), threads.clone()]),
        });
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_the_published_ones_in_another_size() {
        let rows = rows(Size { keys: 5, seconds: 2, threads: 3 });
        let numbers: Vec<u64> = rows.iter().map(|row| row.number).collect();
        assert_eq!(numbers, [1, 2, 3, 4]);
        for row in &rows {
            let has = |flags: &[String], flag: &str| flags.iter().any(|f| f == flag);
            let rate = if row.label.contains("80K") { 81_920 } else { 10_240 };
            assert!(has(&row.read, &format!("--writes_per_second={rate}")), "{}", row.label);
            let prefix = if row.label.starts_with("point") { 20 } else { 12 };
            for flags in [&row.fill, &row.read] {
                assert!(has(flags, &format!("--prefix_size={prefix}")), "{}", row.label);
            }
            assert!(has(&row.fill, "--benchmarks=filluniquerandom"));
            assert!(has(&row.read, "--benchmarks=readwhilewriting"));
            assert_eq!(row.fill.last().map(String::as_str), Some("--num=5"));
            assert!(
                row.read.ends_with(&["--num=5", "--duration=2", "--threads=3"].map(str::to_owned))
            );
        }
    }
}
