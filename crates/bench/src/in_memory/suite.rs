//! Runs the rows one after the other, each on a new database.

use super::rows::{Row, Size, rows};
use crate::shared::db_bench::{self, Bench};
use crate::shared::engine::{Choice, create_directory};
use crate::shared::environment::About;
use crate::shared::results;
use crate::shared::run_dir::RunDir;
use crate::shared::screen::stop_at_ctrl_c;
use crate::shared::warm_up::WarmUp;
use crate::target::Result;
use crate::workloads::Recording;
use serde_json::{Map, Value, json};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// What the command line says.
pub struct Job {
    /// The command line, for the report.
    pub command: String,
    /// The engine's name without its path, and the engine.
    pub engine: (&'static str, Choice),
    /// The size of each row.
    pub size: Size,
    /// The numbers of the rows to run.
    pub rows: Vec<u64>,
    /// The directory of the database, in RAM.
    pub dir: PathBuf,
    /// The directory of the WAL, on a disk.
    pub wal_dir: PathBuf,
    /// The directory of results, instead of one with the time in its name.
    pub results: Option<PathBuf>,
    /// The seed.
    pub seed: u64,
    /// Show no progress.
    pub quiet: bool,
    /// The warm-up before the reads of each row.
    pub warm_up: WarmUp,
    /// Flags of db_bench for the engine.
    pub engine_flags: Vec<String>,
}

/// Runs the rows. Returns false if Ctrl-C ended them early; what was measured is reported all the same.
///
/// # Errors
/// Flags and directories that cannot be used, before anything is created; and errors of the engine.
pub fn run(job: &Job) -> Result<bool> {
    let rows: Vec<Row> =
        rows(job.size).into_iter().filter(|row| job.rows.contains(&row.number)).collect();
    let flags = rows.iter().flat_map(|row| [("fill", &row.fill), ("measured", &row.read)]);
    let flags = flags.map(|(phase, flags)| job.flags(phase, flags));
    db_bench::check(&job.engine.1, &job.dir, flags)?;
    let named = || results::with_time(&format!("in-memory.{}", job.engine.0));
    let about = About {
        suite: "in-memory",
        command: &job.command,
        engines: vec![(job.engine.0.to_owned(), job.engine.1.clone())],
        engine_flags: &job.engine_flags,
        place: &job.dir,
    };
    let mut dir = RunDir::create(job.results.clone().unwrap_or_else(named), &about)?;
    create_directory(&job.wal_dir)?;
    let stop = stop_at_ctrl_c()?;
    let result = all_rows(job, &rows, &mut dir, &stop);
    let complete = result.is_ok() && !stop.load(Ordering::Relaxed);
    dir.end(complete)?;
    result.map(|()| complete)
}

fn all_rows(job: &Job, rows: &[Row], dir: &mut RunDir, stop: &Arc<AtomicBool>) -> Result<()> {
    let mut lines = vec![heading()];
    let mut failed = None;
    for (i, row) in rows.iter().enumerate() {
        for (phase, flags) in [("fill", &row.fill), ("measured", &row.read)] {
            if failed.is_some() || stop.load(Ordering::Relaxed) {
                continue;
            }
            let each = job.warm_up.most_seconds() + job.size.seconds;
            let later = (rows.len() - i - 1) as u64 * each;
            match job.bench(row, (phase, flags), dir, (stop, later as f64)) {
                Ok(line) if phase == "measured" => lines.push(text(row, &line)),
                Ok(_) => {}
                Err(error) => failed = Some(error),
            }
        }
    }
    lines.push(format!("results: {}", dir.path().display()));
    dir.say(&lines.join("\n"))?;
    failed.map_or(Ok(()), Err)
}

impl Job {
    /// Returns the flags of a phase with the places, the seed, the warm-up and the user's flags added.
    fn flags(&self, phase: &str, flags: &[String]) -> Vec<String> {
        let mut all = flags.to_vec();
        if phase == "measured" {
            all.extend(self.warm_up.flag());
        }
        all.push(format!("--db={}", self.dir.display()));
        all.push(format!("--wal_dir={}", self.wal_dir.display()));
        all.push(format!("--seed={}", self.seed));
        all.push("--progress_reports=0".to_owned());
        // The published lines print a rate instead; the time line has it.
        all.push("--stats_interval=0".to_owned());
        all.extend(self.engine_flags.iter().cloned());
        all
    }

    fn bench(
        &self,
        row: &Row,
        (phase, flags): (&str, &[String]),
        dir: &mut RunDir,
        (stop, later): (&Arc<AtomicBool>, f64),
    ) -> Result<Value> {
        let (name, choice) = (self.engine.0, &self.engine.1);
        let fill = (phase == "measured").then(|| self.flags("fill", &row.fill));
        let bench = Bench {
            engine: (name, choice),
            db: &self.dir,
            flags: &self.flags(phase, flags),
            seed: self.seed,
            fields: fields(row, phase),
            fill: fill.as_deref(),
        };
        let mut line = fields(row, phase);
        line.remove("published_ops_per_sec");
        line.insert("engine".to_owned(), name.into());
        let recording = Recording {
            name: Some(format!("in-memory {} {phase}", row.label)),
            fields: line,
            timeline: Some(dir.timeline()),
            quiet: self.quiet,
            later_seconds: Some(later),
            stop: Arc::clone(stop),
        };
        bench.run(dir, &recording)
    }
}

/// Returns the fields of the suite for a line of results.
fn fields(row: &Row, phase: &str) -> Map<String, Value> {
    let fields = [
        ("suite", json!("in-memory")),
        ("phase", json!(phase)),
        ("scenario", json!(row.number)),
        ("label", json!(row.label)),
        ("published_ops_per_sec", json!((phase == "measured").then_some(row.published))),
    ];
    fields.into_iter().map(|(name, value)| (name.to_owned(), value)).collect()
}

fn heading() -> String {
    format!("{:<30}{:>14}{:>14}{:>10}{:>14}", "", "reads/s", "writes/s", "P99 us", "2016 reads/s")
}

fn text(row: &Row, line: &Value) -> String {
    let number = |path: &str| line.pointer(path).and_then(Value::as_f64).unwrap_or(0.0);
    format!(
        "{:<30}{:>14.0}{:>14.0}{:>10.2}{:>14.0}",
        row.label,
        number("/ops_per_sec"),
        number("/background_ops_per_sec"),
        number("/latency_micros/p99"),
        row.published
    )
}
