//! The report on the rows of `cold_rows`: `cold.md` and its chart `cold.svg`.
//!
//! Its table has each figure of both engines. Where rows wait for devices, locks or codecs, latencies matter as much as
//! rates.

use super::chart::{self, Bar};
use super::cold_rows::{COLD_DUELS, COLD_ROWS, GROUP};
use super::raw::{Ratio, Raw};
use super::report::{EVEN, digits, read, verdict, write};
use super::rows::{Duel, Judge, Phase, Row};
use super::{duel, environment};
use crate::compat::Failure;
use std::path::{Path, PathBuf};

/// A part of what db_bench prints in the debug profile.
const DEBUG: &str = "this is a debug build";

/// No operation may take longer, in microseconds.
const STALL_MAX: f64 = 250_000.0;

/// Our longest operation may take this many times as long as RocksDB's.
const LONGEST_MAX: f64 = 2.0;

/// The rows in the chart, and their names there.
const DRAWN: [(&str, &str); 14] = [
    ("cold-reads", "reads, empty cache fills"),
    ("cold-seeks", "seek and 20 entries, same"),
    ("small-none-reads", "reads, cache of 5 %"),
    ("small-lz4-reads", "reads, cache of 5 %, LZ4"),
    ("small-snappy-reads", "reads, cache of 5 %, Snappy"),
    ("small-zstd-reads", "reads, cache of 5 %, zstd"),
    ("small-lz4-seeks", "seek and 20 entries, LZ4"),
    ("small-lz4-multiget", "multi_get of 32, LZ4"),
    ("device-reads-4", "reads from the device, 4 threads"),
    ("device-scan", "full scan from the device"),
    ("settle-lz4", "10 GB in random order, LZ4"),
    ("settle-zstd", "10 GB in random order, zstd"),
    ("families-200", "writes, 200 column families"),
    ("mixgraph", "mixgraph"),
];

/// The medians of one engine. What is not measured is `None`.
#[derive(Clone, Copy, Default)]
struct Side {
    ops: Option<f64>,
    p50: Option<f64>,
    p99: Option<f64>,
    p999: Option<f64>,
    /// In microseconds, as the percentiles are.
    longest: Option<f64>,
    /// Processor time per operation in microseconds; with `Judge::Cpu`, seconds per GB of keys and values.
    cpu: Option<f64>,
}

/// A measured row or phase.
struct Line<'a> {
    name: &'static str,
    what: &'static str,
    judge: Judge,
    target: f64,
    stretch: f64,
    /// Of the figure that the target limits: with `Judge::Cpu` processor time, otherwise operations per second.
    ratio: Option<Ratio>,
    ours: Side,
    theirs: Side,
    /// With `Judge::Since`, our median latency in the earlier phase.
    before: Option<f64>,
    raw: &'a Raw,
}

/// Writes the table and the chart, if a row was measured.
pub(super) fn table(out: &Path) -> Result<Option<PathBuf>, Failure> {
    let (mut text, mut bars, mut missing) = (String::new(), Vec::new(), Vec::new());
    let (mut met, mut measured, mut is_debug) = (0, 0, false);
    let mut add = |line: Option<Line<'_>>, name| match line {
        Some(line) => {
            measured += 1;
            is_debug |= line.raw.text.contains(DEBUG);
            met += usize::from(line.faults().is_empty());
            bars.extend(line.bar());
            text += &line.text();
        }
        None => missing.push(name),
    };
    for row in COLD_ROWS {
        let raw = read(out, row.name);
        add(raw.as_ref().and_then(|raw| Line::of_row(row, raw)), row.name);
    }
    for duel in COLD_DUELS {
        let raw = read(out, &format!("duel-{}", duel.name));
        for phase in duel.phases {
            add(raw.as_ref().and_then(|raw| Line::of_phase(duel, phase, raw)), phase.name);
        }
    }
    if measured == 0 {
        return Ok(None);
    }
    let mut page = head(met, measured, is_debug) + &text;
    if !missing.is_empty() {
        page += &format!("\nNot measured: {}.\n", missing.join(", "));
    }
    if !bars.is_empty() {
        write(&out.join("cold.svg"), &chart::draw(&bars))?;
        page += "\n![Operations per second, Ferrolith to RocksDB](cold.svg)\n";
    }
    write(&out.join("cold.md"), &page).map(Some)
}

fn head(met: usize, measured: usize, is_debug: bool) -> String {
    let warning = match is_debug {
        true => "The debug profile was measured: the figures are meaningless.\n\n",
        false => "",
    };
    format!(
        "# Larger than the cache, cold, compressed, deleted\n\n{}. Written {} by `cargo x bench --rows {GROUP}`. \
         [How each row is measured](../README.md); raw outputs: [raw.tar.gz](raw.tar.gz).\n\n\
         A ratio is Ferrolith's operations per second divided by RocksDB 10.10.1's, or its processor time where the \
         target says so: the median of all pairs, then [lowest..highest]. Every other figure is the median of \
         Ferrolith's runs : the median of RocksDB's.\n\n\
         {warning}{met} of {measured} rows meet their target. In each row, P99 and P99.9 must not exceed RocksDB's, the longest \
         operation must not take more than {LONGEST_MAX} times as long as RocksDB's, nor more than {} ms.\n\n\
         | Row | Workload | Target | Ratio | Ops/s | P50, us | P99, us | P99.9, us | Longest, ms | CPU, us/op | Met | Load | Commit |\n\
         |---|---|---|---|---|---|---|---|---|---|---|---|---|\n",
        environment::machine(),
        environment::now(),
        STALL_MAX / 1000.0,
    )
}

impl<'a> Line<'a> {
    /// Reads a row of db_bench. `None` without figures.
    fn of_row(row: &Row, raw: &'a Raw) -> Option<Line<'a>> {
        let get = |name| raw.get(row.judged, name);
        // The sum of a run has no latencies: those of its first benchmark that has some count.
        let tail = |name| get(name).or_else(|| raw.figures.iter().find(|f| f.name == name));
        let is_cpu = row.judge == Judge::Cpu;
        let gigabytes = if is_cpu { Some(gigabytes(raw)?) } else { None };
        let side = |of: fn(&super::raw::Figure) -> Option<f64>| Side {
            ops: get("ops/sec").and_then(of),
            p50: tail("P50 us").and_then(of),
            p99: tail("P99 us").and_then(of),
            p999: tail("P99.9 us").and_then(of),
            longest: tail("longest us").and_then(of),
            cpu: match gigabytes {
                Some(gigabytes) => get("CPU s").and_then(of).map(|seconds| seconds / gigabytes),
                None => get("CPU us/op").and_then(of),
            },
        };
        let (ours, theirs) = (side(|figure| figure.ours), side(|figure| figure.theirs));
        // A compaction is one operation, and its time is that of a fill before it.
        let [ours, theirs] = [ours, theirs].map(|side| match is_cpu {
            true => Side { cpu: side.cpu, ..Side::default() },
            false => side,
        });
        Some(Line {
            name: row.name,
            what: row.what,
            judge: row.judge,
            target: row.target,
            stretch: row.stretch,
            ratio: get(if is_cpu { "CPU s" } else { "ops/sec" })?.ratio,
            ours,
            theirs,
            before: None,
            raw,
        })
    }

    /// Reads a phase of the neutral client. `None` if a side did not run it.
    fn of_phase(duel: &Duel, phase: &'static Phase, raw: &'a Raw) -> Option<Line<'a>> {
        let (ours, theirs) = duel::runs(&raw.text, phase.name);
        let side = |runs: &[duel::Run]| {
            let operations = duel::of(runs, "ops/s")? * duel::of(runs, "secs")?;
            Some(Side {
                ops: duel::of(runs, "ops/s"),
                p50: duel::of(runs, "p50"),
                p99: duel::of(runs, "p99"),
                p999: duel::of(runs, "p999"),
                longest: duel::of(runs, "max"),
                cpu: duel::of(runs, "cpu").map(|seconds| seconds * 1e6 / operations.max(1.0)),
            })
        };
        let (median, low, high) = duel::rate(raw, phase.name)?;
        let before = match phase.judge {
            Judge::Since(earlier) => Some(duel::of(&duel::runs(&raw.text, earlier).0, "p50")?),
            _ => None,
        };
        Some(Line {
            name: if duel.phases.len() == 1 { duel.name } else { phase.name },
            what: phase.what,
            judge: phase.judge,
            target: phase.target,
            stretch: phase.stretch,
            ratio: Some(Ratio { median, low, high }),
            ours: side(&ours)?,
            theirs: side(&theirs)?,
            before,
            raw,
        })
    }

    /// Returns the reasons why the row is not met.
    fn faults(&self) -> Vec<String> {
        let mut faults = self.missed().into_iter().collect::<Vec<_>>();
        let tails = [
            ("P99", self.ours.p99.zip(self.theirs.p99), EVEN),
            ("P99.9", self.ours.p999.zip(self.theirs.p999), EVEN),
            ("longest", self.ours.longest.zip(self.theirs.longest), LONGEST_MAX),
        ];
        for (name, figures, most) in tails {
            let ratio = figures.map(|(ours, theirs)| ours / theirs.max(1e-3));
            if let Some(ratio) = ratio.filter(|ratio| *ratio > most) {
                faults.push(format!("{name} {ratio:.2}"));
            }
        }
        if let Some(longest) = self.ours.longest.filter(|longest| *longest > STALL_MAX) {
            faults.push(format!("stall of {:.0} ms", longest / 1000.0));
        }
        faults
    }

    /// Returns how the target itself is missed.
    fn missed(&self) -> Option<String> {
        let median = self.ratio.map(|ratio| ratio.median);
        let (figure, is_met) = match self.judge {
            Judge::Rate => (median, median >= Some(self.target)),
            Judge::Cpu => (median, median <= Some(self.target)),
            Judge::Since(_) => {
                let times =
                    self.ours.p50.zip(self.before).map(|(now, before)| now / before.max(1e-3));
                (times, times <= Some(self.target))
            }
            Judge::P99 => (self.ours.p99, self.ours.p99 <= Some(self.target)),
        };
        match figure {
            None => Some("no figures".to_owned()),
            Some(_) if is_met => None,
            Some(figure) => Some(match self.judge {
                Judge::Rate => format!("{figure:.2} < {}", self.target),
                _ => format!("{figure:.2} > {}", self.target),
            }),
        }
    }

    fn target(&self) -> String {
        let Line { target, stretch, .. } = self;
        match self.judge {
            Judge::Rate if stretch == target => format!("{target}"),
            Judge::Rate => format!("{target}, stretch {stretch}"),
            Judge::Cpu => format!("CPU at most {target}, stretch {stretch}"),
            Judge::Since(earlier) => {
                let before = self.before.map_or("–".to_owned(), digits);
                format!("P50 at most {target} times that of `{earlier}` before, {before} us")
            }
            Judge::P99 => format!("P99 at most {target} us"),
        }
    }

    fn text(&self) -> String {
        let ratio = self.ratio.map_or("–".to_owned(), |r| {
            format!("**{:.2}** [{:.2}..{:.2}]", r.median, r.low, r.high)
        });
        let one = |figure: Option<f64>| figure.map_or("–".to_owned(), digits);
        let both = |of: fn(&Side) -> Option<f64>| {
            format!("{} : {}", one(of(&self.ours)), one(of(&self.theirs)))
        };
        let unit = if self.judge == Judge::Cpu { " s/GB" } else { "" };
        let cells = [
            self.name.to_owned(),
            self.what.to_owned(),
            self.target(),
            ratio,
            both(|side| side.ops),
            both(|side| side.p50),
            both(|side| side.p99),
            both(|side| side.p999),
            both(|side| side.longest.map(|micros| micros / 1000.0)),
            both(|side| side.cpu) + unit,
            verdict(&self.faults()),
            self.raw.head("load").split(' ').next().unwrap_or_default().to_owned(),
            self.raw.head("commit").to_owned(),
        ];
        format!("| {} |\n", cells.join(" | "))
    }

    /// Returns the row's bar, if it is in the chart.
    fn bar(&self) -> Option<Bar> {
        let (_, label) = DRAWN.iter().find(|(name, _)| *name == self.name)?;
        let (ours, theirs) = self.ours.ops.zip(self.theirs.ops)?;
        Some(Bar { label, ratio: self.ratio?, ours, theirs })
    }
}

/// Returns the size of the keys and values that a row's command writes, in GB.
fn gigabytes(raw: &Raw) -> Option<f64> {
    let command = raw.text.lines().find(|line| line.starts_with("$ "))?;
    let flag = |name: &str| {
        // The last occurrence of a flag counts.
        let value =
            command.split_whitespace().filter_map(|word| word.strip_prefix(name)).next_back();
        value?.parse::<f64>().ok()
    };
    let bytes = flag("--num=")? * (flag("--key_size=")? + flag("--value_size=")?);
    Some(bytes / 1e9).filter(|gigabytes| *gigabytes > 0.0)
}

#[cfg(test)]
#[path = "cold_test.rs"]
mod tests;
