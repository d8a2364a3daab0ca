//! The table as Markdown, made from the files of the rows.

use super::archive;
use super::chart;
use super::duel::{self, Outcome};
use super::environment;
use super::raw::{Figure, Raw};
use super::rows::{ROWS, Row, SHAPES};
use crate::compat::Failure;
use std::fs;
use std::path::{Path, PathBuf};

/// A ratio that must not exceed 1 may do so through rounding.
pub(super) const EVEN: f64 = 1.005;

/// Writes the table into `README.md` of the results, if a row was measured.
pub(super) fn table(out: &Path) -> Result<Option<PathBuf>, Failure> {
    let mut lines = String::new();
    let (mut met, mut alone, mut measured, mut missing) = (0, 0, 0, Vec::new());
    let duels = duel::outcomes(out);
    for row in ROWS {
        let Some(raw) = read(out, row.name) else {
            missing.push(row.name);
            continue;
        };
        let judgement = Judgement::of(row, &raw);
        let duel = duels.iter().find(|duel| duel.row == row.name);
        measured += 1;
        alone += usize::from(judgement.faults.is_empty());
        met += usize::from(duel.map_or(&judgement.faults, |duel| &duel.faults).is_empty());
        lines += &judgement.line(row, &raw, duel);
    }
    if measured == 0 && duels.is_empty() {
        return Ok(None);
    }
    let mut text = format!(
        "# Ferrolith compared with RocksDB and LMDB\n\n{}. Written {} by `cargo x bench`. [How \
         each row is measured](../README.md); raw outputs: [raw.tar.gz](raw.tar.gz).\n\n\
         Each ratio is Ferrolith's figure divided by RocksDB 10.10.1's, or by LMDB's where the \
         row says so: the median of all pairs, \
         then [lowest..highest]. For latencies, memory and bytes written, a ratio below 1 is better. Memory is not \
         judged: the user sets what caches and memtables take.\n\n\
         {met} of {measured} workloads meet their target. Where the neutral client runs the \
         same workload through the C functions \
         (second table), its result decides. Judged by db_bench alone, {alone} workloads meet their target.\n\n",
        environment::machine(),
        environment::now(),
    );
    text += "| Row | Workload | Target | Stretch | Ops/s, ratio | Ours, ops/s | Theirs, ops/s | \
        P99 | P99.9 | Longest, ms | Peak memory | Bytes written | Met | Load | Commit |\n";
    text += "|---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|\n";
    text += &lines;
    if !missing.is_empty() {
        text += &format!("\nNot measured: {}.\n", missing.join(", "));
    }
    text += &duel::section(&duels);
    if let Some(picture) = chart::svg(out) {
        write(&out.join("summary.svg"), &picture)?;
    }
    write(&out.join("README.md"), &text).map(Some)
}

/// The result of a row, and the reasons why its target is not met.
struct Judgement<'a> {
    rate: Option<&'a Figure>,
    p99: Option<&'a Figure>,
    p999: Option<&'a Figure>,
    longest: Option<&'a Figure>,
    memory: Option<&'a Figure>,
    written: Option<&'a Figure>,
    faults: Vec<String>,
}

impl<'a> Judgement<'a> {
    fn of(row: &Row, raw: &'a Raw) -> Judgement<'a> {
        let get = |name| raw.get(row.judged, name);
        // Bytes are comparable only if compactions have finished.
        let whole = raw.get("(all)", "write amp").filter(|_| row.has("waitforcompaction"));
        let tails = |name| get(name).or_else(|| raw.figures.iter().find(|f| f.name == name));
        let mut judgement = Judgement {
            rate: get("ops/sec"),
            p99: tails("P99 us"),
            p999: tails("P99.9 us"),
            longest: tails("longest us"),
            memory: get("peak RSS MB"),
            written: whole,
            faults: Vec::new(),
        };
        judgement.judge(row);
        judgement
    }

    fn judge(&mut self, row: &Row) {
        // LMDB is a reference only for rates. Memory is shown and not judged: the user sets it.
        let beside_rocksdb = !row.has_own_peer();
        let even = [("P99", self.p99), ("P99.9", self.p999), ("written", self.written)];
        let even = even.into_iter().filter(|_| beside_rocksdb);
        let even = even.filter_map(|(name, figure)| Some((name, median(figure)?)));
        self.faults = faults(median(self.rate), row.target, even);
        let longest = self.longest.and_then(|figure| figure.ours).unwrap_or(0.0) / 1000.0;
        if let Some(most) = row.stall_max.filter(|most| longest > *most) {
            self.faults.push(format!("stall of {longest:.0} ms > {most}"));
        }
    }

    /// Returns whether the target is met. `duel` is the same workload through the C functions, if it was measured.
    fn met(&self, duel: Option<&Outcome>) -> String {
        let alone = verdict(&self.faults);
        match duel.map(|duel| (verdict(&duel.faults), duel.rate)) {
            None => alone,
            Some((judged, rate)) if self.faults.is_empty() => {
                format!("{judged} (through the C functions: {rate:.2})")
            }
            Some((judged, rate)) => {
                format!("{judged} (through the C functions: {rate:.2}; db_bench {alone})")
            }
        }
    }

    fn line(&self, row: &Row, raw: &Raw, duel: Option<&Outcome>) -> String {
        let ratio = |figure: Option<&Figure>| {
            median(figure).map_or("–".to_owned(), |r| format!("{r:.2}"))
        };
        let count = |value: Option<f64>| value.map_or("–".to_owned(), digits);
        let rate = self.rate.and_then(|figure| figure.ratio);
        let rate = rate.map_or("–".to_owned(), |r| {
            format!("**{:.2}** [{:.2}..{:.2}]", r.median, r.low, r.high)
        });
        let longest = self.longest.and_then(|figure| figure.ours.zip(figure.theirs));
        let longest = longest.map_or("–".to_owned(), |(ours, theirs)| {
            format!("{:.1} / {:.1}", ours / 1000.0, theirs / 1000.0)
        });
        let met = self.met(duel);
        format!(
            "| {name} | {} | {} | {} | {rate} | {} | {} | {} | {} | {longest} | {} | {} | {met} | {} | {} |\n",
            row.what,
            row.target,
            row.stretch,
            count(self.rate.and_then(|figure| figure.ours)),
            count(self.rate.and_then(|figure| figure.theirs)),
            ratio(self.p99),
            ratio(self.p999),
            ratio(self.memory),
            ratio(self.written),
            raw.head("load").split(' ').next().unwrap_or_default(),
            raw.head("commit"),
            name = row.name,
        )
    }
}

/// Returns the reasons why a rate, or ratios that must not exceed 1, do not meet the target.
pub(super) fn faults(
    rate: Option<f64>,
    target: f64,
    even: impl IntoIterator<Item = (&'static str, f64)>,
) -> Vec<String> {
    let short = match rate {
        None => Some("no figures".to_owned()),
        Some(rate) => (rate < target).then(|| format!("{rate:.2} < {target}")),
    };
    let above = even.into_iter().filter(|(_, ratio)| *ratio > EVEN);
    short.into_iter().chain(above.map(|(name, ratio)| format!("{name} {ratio:.2}"))).collect()
}

/// Returns whether a target is met, or why not.
pub(super) fn verdict(faults: &[String]) -> String {
    if faults.is_empty() { "yes".to_owned() } else { format!("no: {}", faults.join(", ")) }
}

/// Writes the matrix: a line per shape, a column per kind.
pub(super) fn matrix(out: &Path) -> Result<PathBuf, Failure> {
    let (mut lines, mut kinds, mut under, mut cells) =
        (String::new(), Vec::<String>::new(), Vec::new(), 0);
    for (shape, flags) in SHAPES {
        let Some(raw) = read(out, &format!("matrix-{shape}")) else { continue };
        lines += &format!("| {shape} |");
        kinds.clear();
        for figure in raw.figures.iter().filter(|f| f.name == "ops/sec" && f.benchmark != "(all)") {
            kinds.push(figure.benchmark.clone());
            let Some(ratio) = figure.ratio else {
                lines += " – |";
                continue;
            };
            cells += 1;
            lines += &format!(" {:.2} |", ratio.median);
            if ratio.median < 1.0 {
                under.push(format!(
                    "* {} on {shape}: {:.2} [{:.2}..{:.2}] (`{flags}`)",
                    figure.benchmark, ratio.median, ratio.low, ratio.high
                ));
            }
        }
        lines += "\n";
    }
    let verdict = match under.as_slice() {
        [] => format!("All {cells} cells are at 1.00 or above.\n"),
        some => format!("{} of {cells} cells are below 1.00:\n\n{}\n", some.len(), some.join("\n")),
    };
    let text = format!(
        "# Workloads not used for tuning\n\n{}. Written {} by `cargo x bench --matrix`. [How it \
         is measured](../README.md); raw outputs: [raw.tar.gz](raw.tar.gz).\n\n\
         Each cell is Ferrolith's operations per second divided by RocksDB 10.10.1's, the \
         median of all pairs. A shape names the \
         key size in bytes, the value size in bytes, the number of threads, and `s` if keys are \
         skewed.\n\n{verdict}\n| Shape | {} |\n|---|{}\n{lines}",
        environment::machine(),
        environment::now(),
        kinds.join(" | "),
        "---|".repeat(kinds.len()),
    );
    write(&out.join("matrix.md"), &text)
}

pub(super) fn read(out: &Path, name: &str) -> Option<Raw> {
    fs::read_to_string(archive::path(out, name)).ok().map(Raw::of)
}

pub(super) fn write(path: &Path, text: &str) -> Result<PathBuf, Failure> {
    fs::write(path, text).map_err(|e| format!("{}: {e}", path.display()))?;
    Ok(path.to_owned())
}

fn median(figure: Option<&Figure>) -> Option<f64> {
    Some(figure?.ratio?.median)
}

/// Returns a number with commas between thousands; below 100, with two decimals.
pub(super) fn digits(value: f64) -> String {
    if value < 100.0 {
        return format!("{value:.2}");
    }
    let text = format!("{value:.0}");
    let mut out = String::new();
    for (i, digit) in text.chars().enumerate() {
        if i > 0 && (text.len() - i) % 3 == 0 {
            out.push(',');
        }
        out.push(digit);
    }
    out
}
