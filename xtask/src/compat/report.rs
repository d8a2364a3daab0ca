//! The results of a run: lines for the terminal, a TSV for programs, a table for the documentation.

use super::build::Test;
use super::place::{self, Place};
use super::run::Outcomes;
use super::{Failure, Suite};
use std::fmt::Write;
use std::fs;

/// Tests that need a feature of a later version: `crates/capi/later.tsv`, "suite, test, feature".
pub(crate) struct Later(Vec<(String, String, String)>);

impl Later {
    pub(crate) fn read(place: &Place) -> Result<Later, Failure> {
        let text = fs::read_to_string(place.root.join(LATER)).unwrap_or_default();
        let mut rows = Vec::new();
        for line in text.lines().filter(|l| !l.starts_with('#') && !l.is_empty()) {
            let [suite, test, feature] = line.split('\t').collect::<Vec<_>>()[..] else {
                return Err(format!("{LATER}: expected 3 columns: {line:?}"));
            };
            rows.push((suite.to_string(), test.to_string(), feature.to_string()));
        }
        Ok(Later(rows))
    }

    /// Returns the feature that a test needs. A row that ends in `*` covers all tests that begin with its name.
    pub(crate) fn feature(&self, suite: &str, test: &str) -> Option<&str> {
        let fits = |pattern: &str, text: &str| match pattern.strip_suffix('*') {
            Some(begin) => text.starts_with(begin),
            None => text == pattern,
        };
        let row = self.0.iter().find(|(s, t, _)| fits(s, suite) && fits(t, test));
        row.map(|(_, _, feature)| feature.as_str())
    }
}

const LATER: &str = "crates/capi/later.tsv";

struct Row {
    test: String,
    real_passed: bool,
    ours_passed: bool,
    real_seconds: f64,
    seconds: f64,
    /// Our cause; the real RocksDB's if ours passed and RocksDB failed.
    cause: String,
}

pub(crate) struct Report {
    suite: &'static Suite,
    rows: Vec<Row>,
}

impl Report {
    pub(crate) fn new(
        suite: &'static Suite,
        tests: &[Test],
        real: &Outcomes,
        ours: &Outcomes,
    ) -> Report {
        let row = |test: &Test| {
            let (real, ours) = (real.get(&test.name)?, ours.get(&test.name)?);
            let cause = if ours.passed { &real.cause } else { &ours.cause };
            Some(Row {
                test: test.name.clone(),
                real_passed: real.passed,
                ours_passed: ours.passed,
                real_seconds: real.seconds,
                seconds: ours.seconds,
                cause: cause.clone(),
            })
        };
        Report { suite, rows: tests.iter().filter_map(row).collect() }
    }

    /// Counts tests that pass on the real RocksDB, fail on ours, and need no later feature.
    pub(crate) fn unexpected(&self, later: &Later) -> usize {
        let waits = |row: &Row| later.feature(self.suite.name, &row.test).is_some();
        self.rows.iter().filter(|r| r.real_passed && !r.ours_passed && !waits(r)).count()
    }

    pub(crate) fn print(&self, later: &Later) {
        for row in self.rows.iter().filter(|r| r.real_passed && !r.ours_passed) {
            let why = match later.feature(self.suite.name, &row.test) {
                Some(feature) => format!("later: {feature}: {}", row.cause),
                None => row.cause.clone(),
            };
            println!("  {}: {why}", row.test);
        }
        let (real, ours) = self.passed();
        println!(
            "{} {}: {real} / {n} on RocksDB, {ours} / {n} on Ferrolith",
            self.suite.name,
            self.suite.version,
            n = self.rows.len()
        );
    }

    fn passed(&self) -> (usize, usize) {
        let real = self.rows.iter().filter(|r| r.real_passed).count();
        (real, self.rows.iter().filter(|r| r.ours_passed).count())
    }

    /// A partial run of a suite is written to a separate file.
    pub(crate) fn write_tsv(&self, place: &Place, whole: bool) -> Result<(), Failure> {
        let mut text = String::from("suite\ttest\treal\tours\treal_seconds\tseconds\tcause\n");
        for r in &self.rows {
            let word = |passed| if passed { "pass" } else { "fail" };
            writeln!(
                text,
                "{}\t{}\t{}\t{}\t{:.2}\t{:.2}\t{}",
                self.suite.name,
                r.test,
                word(r.real_passed),
                word(r.ours_passed),
                r.real_seconds,
                r.seconds,
                r.cause
            )
            .expect("a String takes all");
        }
        let part = if whole { "" } else { ".part" };
        place::write(&place.results.join(format!("{}{part}.tsv", self.suite.name)), &text)
    }
}

const BEGIN: &str = "<!-- begin: written by cargo x compat -->";
const END: &str = "<!-- end -->";

/// Writes the table to docs/compatibility.md.
pub(crate) fn write_document(
    place: &Place,
    reports: &[Report],
    later: &Later,
) -> Result<(), Failure> {
    let path = place.root.join("docs/compatibility.md");
    let old = place::read(&path)?;
    let (before, rest) = old.split_once(BEGIN).ok_or(format!("{}: no {BEGIN}", path.display()))?;
    let (_, after) = rest.split_once(END).ok_or(format!("{}: no {END}", path.display()))?;
    let new = format!("{before}{BEGIN}\n{}{END}{after}", document(reports, later));
    place::write(&path, &new)
}

fn document(reports: &[Report], later: &Later) -> String {
    let mut out = String::from(
        "\n| Suite | Version | Passed / run on RocksDB 10.10.1 | Passed / run on Ferrolith | Need a missing feature |\n\
         |---|---|---|---|---|\n",
    );
    for r in reports {
        let (n, (real, ours)) = (r.rows.len(), r.passed());
        let waits = |row: &&Row| {
            row.real_passed && !row.ours_passed && later.feature(r.suite.name, &row.test).is_some()
        };
        let waiting = r.rows.iter().filter(waits).count();
        let (title, version) = (r.suite.title, r.suite.version);
        writeln!(out, "| {title} | {version} | {real} / {n} | {ours} / {n} | {waiting} |")
            .expect("a String takes all");
    }
    for r in reports {
        let failing = r.rows.iter().filter(|row| row.real_passed && !row.ours_passed);
        let lines: Vec<String> = failing
            .map(|row| match later.feature(r.suite.name, &row.test) {
                Some(feature) => format!("* `{}`: needs {feature}\n", row.test),
                None => format!("* `{}`: `{}`\n", row.test, row.cause.replace('`', "'")),
            })
            .collect();
        if !lines.is_empty() {
            let (title, version) = (r.suite.title, r.suite.version);
            writeln!(
                out,
                "\n{title} {version}, passed by RocksDB but not by Ferrolith:\n\n{}",
                lines.concat()
            )
            .expect("a String takes all");
        }
    }
    out + "\n"
}
