//! `cargo x bench --duel`: the table's phases through the C functions, run by the neutral client of crates/bench/kvduel
//! on our `librocksdb.so` and on RocksDB's, alternately.
//!
//! Each run fills its own database and executes the phases; a phase is a row.

use super::raw::Raw;
use super::rows::{DUELS, Duel, Phase};
use super::run::{Bench, expand};
use super::{Flags, environment, report};
use crate::compat::Failure;
use crate::compat::place::{self, Place};
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The seconds of a phase with `--smoke`. The first of several equal parameters counts.
const SMOKE: &str = "secs=0.1";

/// Runs duels and keeps their output.
pub(super) fn run(
    flags: &Flags,
    bench: &Bench<'_>,
    place: &Place,
    duels: &[&Duel],
) -> Result<(), Failure> {
    let client = build(place)?;
    let ours = bench.our_library()?;
    for (i, duel) in duels.iter().enumerate() {
        let mut args: Vec<String> =
            duel.args.split_whitespace().map(|arg| expand(arg, flags.num, flags.seconds)).collect();
        if flags.smoke {
            args.insert(1, SMOKE.to_owned());
        }
        let pairs = flags.pairs.or(duel.pairs).unwrap_or(5);
        let mut text = bench.head(&format!("kvduel LIBRARY {}", args.join(" ")));
        for pair in 1..=pairs {
            eprintln!("[{} of {}] duel-{}: pair {pair} of {pairs}", i + 1, duels.len(), duel.name);
            let mut sides = [("A", ours.as_path()), ("B", bench.their_library())];
            if pair % 2 == 0 {
                sides.reverse();
            }
            for (side, library) in sides {
                let lines = run_once(&client, library, &args, &flags.dir.join("duel"))?;
                text.extend(lines.lines().map(|line| format!("{side} {line}\n")));
            }
        }
        bench.keep(&format!("duel-{}", duel.name), &text)?;
    }
    Ok(())
}

/// Runs one process: one library, on an empty directory.
fn run_once(client: &Path, library: &Path, args: &[String], dir: &Path) -> Result<String, Failure> {
    let _ = fs::remove_dir_all(dir);
    place::make_dir(&dir.join("wal"))?;
    let [tables, rest @ ..] = args else { return Err("a duel without arguments".into()) };
    let mut command = Command::new(client);
    command.arg(library).arg(tables).arg(dir.join("db")).args(rest);
    command.arg(format!("wal_dir={}", dir.join("wal").display()));
    let said = place::output(command);
    let _ = fs::remove_dir_all(dir);
    said
}

/// Builds the client, and returns its path.
pub(crate) fn build(place: &Place) -> Result<PathBuf, Failure> {
    let dir = place.root.join("target/kvduel");
    place::make_dir(&dir)?;
    let program = dir.join("kvduel");
    let mut cc = Command::new("cc");
    cc.args(["-std=gnu11", "-O2", "-Wall", "-Wextra", "-Werror", "-o"]).arg(&program);
    cc.arg(place.root.join("crates/bench/kvduel/kvduel.c")).args(["-ldl", "-lpthread", "-lm"]);
    place::check(cc)?;
    Ok(program)
}

/// One run of one library in one phase.
pub(super) type Run = BTreeMap<String, f64>;

/// Returns the runs of a phase by our library, and by RocksDB's.
pub(super) fn runs(text: &str, phase: &str) -> (Vec<Run>, Vec<Run>) {
    let of = |side: &str| {
        let lines = text.lines().filter_map(|line| {
            let mut words = line.split_whitespace();
            (words.next()? == side && words.next()? == phase).then(|| {
                let pairs = words.filter_map(|word| word.split_once('='));
                pairs.filter_map(|(k, v)| Some((k.to_owned(), v.parse().ok()?))).collect()
            })
        });
        lines.collect()
    };
    (of("A"), of("B"))
}

fn median(values: impl Iterator<Item = f64>) -> Option<f64> {
    let mut values: Vec<f64> = values.collect();
    values.sort_by(f64::total_cmp);
    let upper = *values.get(values.len() / 2)?;
    match values.len() % 2 {
        0 => Some((values.get(values.len() / 2 - 1)? + upper) / 2.0),
        _ => Some(upper),
    }
}

/// Returns the median of one figure.
pub(super) fn of(runs: &[Run], name: &str) -> Option<f64> {
    median(runs.iter().filter_map(|run| run.get(name)).copied())
}

/// Returns the ratio of a phase's rates, ours to theirs: of the medians, and the lowest and the highest of the pairs.
pub(super) fn rate(raw: &Raw, phase: &str) -> Option<(f64, f64, f64)> {
    let (ours, theirs) = runs(&raw.text, phase);
    let pairs =
        ours.iter().zip(&theirs).filter_map(|(a, b)| Some(a.get("ops/s")? / b.get("ops/s")?));
    let (low, high) = pairs.fold((f64::MAX, 0.0f64), |(low, high), r| (low.min(r), high.max(r)));
    Some((of(&ours, "ops/s")? / of(&theirs, "ops/s")?, low, high))
}

/// The result of a phase.
pub(super) struct Outcome {
    line: String,
    /// The row that it decides; may be empty.
    pub(super) row: &'static str,
    /// Operations per second, ours to theirs.
    pub(super) rate: f64,
    /// The reasons why it is not met.
    pub(super) faults: Vec<String>,
}

/// Returns all phases whose files exist.
pub(super) fn outcomes(out: &Path) -> Vec<Outcome> {
    let duels = DUELS.iter().filter_map(|duel| {
        let raw = report::read(out, &format!("duel-{}", duel.name))?;
        let phases = duel.phases.iter().filter_map(move |phase| outcome(duel, phase, &raw));
        Some(phases.collect::<Vec<_>>())
    });
    duels.flatten().collect()
}

fn outcome(duel: &Duel, phase: &'static Phase, raw: &Raw) -> Option<Outcome> {
    let (ours, theirs) = runs(&raw.text, phase.name);
    let ratio = |name: &str| Some(of(&ours, name)? / of(&theirs, name)?);
    let (rate, low, high) = rate(raw, phase.name)?;
    let even = [("P99", ratio("p99")?), ("P99.9", ratio("p999")?)];
    let faults = report::faults(Some(rate), phase.target, even);
    let ([p99, p999], memory) = (even.map(|(_, ratio)| ratio), ratio("rss_mb")?);
    let line = format!(
        "| {name} | {} | {} | **{rate:.2}** [{low:.2}..{high:.2}] | {} | {} | {p99:.2} | {p999:.2} | {memory:.2} | {met} | {commit} |\n",
        phase.what,
        phase.target,
        report::digits(of(&ours, "ops/s")?),
        report::digits(of(&theirs, "ops/s")?),
        met = report::verdict(&faults),
        commit = raw.head("commit"),
        name = duel.name,
    );
    Some(Outcome { line, row: phase.row, rate, faults })
}

/// Returns the section after the main table in the report.
pub(super) fn section(outcomes: &[Outcome]) -> String {
    if outcomes.is_empty() {
        return String::new();
    }
    let met = outcomes.iter().filter(|outcome| outcome.faults.is_empty()).count();
    let lines: String = outcomes.iter().map(|outcome| outcome.line.as_str()).collect();
    format!(
        "\n## Through the C functions\n\nWritten {} by `cargo x bench --duel`: kvduel on \
         Ferrolith's `librocksdb.so` and on RocksDB's, alternating. Each run \
         fills a new database. Memory is the resident size after the phase. {met} of {} phases meet their target.\n\n\
         | Duel | Phase | Target | Ops/s, ratio | Ours, ops/s | Theirs, ops/s | P99 | P99.9 | Memory | Met | Commit |\n\
         |---|---|---|---|---|---|---|---|---|---|---|\n{lines}",
        environment::now(),
        outcomes.len(),
    )
}

#[cfg(test)]
mod tests {
    use super::super::rows;
    use super::*;

    const TEXT: &str = "\
commit: abc
A read ops/s=300 p50=0.1 p99=1.0 p999=2.0 max=3 found=1/1 secs=1 cpu=1 rss_mb=10
B read ops/s=100 p50=0.1 p99=2.0 p999=1.0 max=3 found=1/1 secs=1 cpu=1 rss_mb=10
A read ops/s=500 p50=0.1 p99=1.0 p999=2.0 max=3 found=1/1 secs=1 cpu=1 rss_mb=10
B read ops/s=100 p50=0.1 p99=2.0 p999=1.0 max=3 found=1/1 secs=1 cpu=1 rss_mb=10
A scan ops/s=7 p50=0.1 p99=1.0 p999=2.0 max=3 found=1/1 secs=1 cpu=1 rss_mb=10
";

    #[test]
    fn a_phase_is_judged_by_medians_of_its_runs() {
        const PHASE: Phase = rows::phase("read", "reads", 3.0, "reads");
        const HIGHER: Phase = Phase { target: 4.5, ..PHASE };
        const LONELY: Phase = Phase { name: "scan", ..PHASE };
        let duel = Duel { name: "block", pairs: None, args: "", phases: &[] };
        let raw = Raw::of(TEXT.to_owned());
        let read = outcome(&duel, &PHASE, &raw).unwrap();
        assert!(read.line.contains("**4.00** [3.00..5.00]"), "{}", read.line);
        assert!(read.line.contains("| 400 | 100 | 0.50 | 2.00 |") && read.line.contains("| abc |"));
        assert_eq!(
            (read.row, read.rate, read.faults),
            ("reads", 4.0, vec!["P99.9 2.00".to_owned()])
        );
        let higher = outcome(&duel, &HIGHER, &raw).unwrap();
        assert!(higher.line.contains("no: 4.00 < 4.5, P99.9 2.00"), "{}", higher.line);
        assert!(outcome(&duel, &LONELY, &raw).is_none(), "nothing to compare with");
    }

    #[test]
    fn phases_judge_rows_that_exist_with_their_targets() {
        for phase in DUELS.iter().flat_map(|duel| duel.phases).filter(|p| !p.row.is_empty()) {
            let row = rows::ROWS.iter().find(|row| row.name == phase.row);
            assert_eq!(row.map(|row| row.target), Some(phase.target), "{}", phase.row);
        }
    }
}
