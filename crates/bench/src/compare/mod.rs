//! `ferrolith-bench compare`: which differences between two sets of results are real.
//!
//! * `read` reads JSON lines of any suite and finds the figures in them.
//! * `judge` has the statistics: an interval of confidence for each ratio, and the verdict.
//! * `table` writes the result as text.

pub mod command;
mod judge;
mod read;
mod table;

pub use judge::{Judgement, Rule, judge};
pub use read::{Key, damage, figures, workload};

use crate::report::say;
use read::Results;
use std::collections::BTreeSet;
use std::path::Path;
use table::Table;

/// The figures of a comparison.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Figures {
    /// All that both sides have.
    All,
    /// Operations or documents per second.
    Throughput,
}

/// Prints the comparison of two files or directories of results.
///
/// # Errors
/// As [`text`].
pub fn print(paths: [&Path; 2], rule: Rule, figures: Figures) -> Result<(), String> {
    say(&text(paths, rule, figures)?);
    Ok(())
}

/// Returns the comparison of two files or directories of results.
///
/// # Errors
/// What cannot be read, sides without a common measurement, and, with `rule.paired`, different numbers of values.
pub fn text(paths: [&Path; 2], rule: Rule, figures: Figures) -> Result<String, String> {
    let (mut a, mut b) = (Results::read(paths[0])?, Results::read(paths[1])?);
    if figures == Figures::Throughput {
        a.keep(read::is_throughput);
        b.keep(read::is_throughput);
    }
    let mut alone = [BTreeSet::new(), BTreeSet::new()];
    if rule.paired {
        alone = [a.keep_pairs_of(&b), b.keep_pairs_of(&a)];
    }
    let table = Table::new(&a, &b, rule);
    if table.is_empty() {
        let [a, b] = paths.map(Path::display);
        return Err(format!("{a} and {b} have no measurement in common"));
    }
    if rule.paired {
        check_counts(&a, &b)?;
    }
    let mut lines = Vec::new();
    let sides = [("A", paths[0], &a), ("B", paths[1], &b)];
    for ((name, path, results), alone) in sides.into_iter().zip(&alone) {
        lines.push(format!("{name}: {}: {}", path.display(), results.engines.join("; ")));
        if results.incomplete > 0 {
            let count = results.incomplete;
            lines.push(format!("   left out: {count} results that are not complete"));
        }
        if !alone.is_empty() {
            let pairs: Vec<String> = alone.iter().map(u64::to_string).collect();
            let pairs = pairs.join(", ");
            lines.push(format!("   left out: results of pairs that the other side lacks: {pairs}"));
        }
    }
    lines.push(table.text().trim_end().to_owned());
    Ok(lines.join("\n"))
}

/// Refuses pairs of which one side is missing.
fn check_counts(a: &Results, b: &Results) -> Result<(), String> {
    for (key, values) in &a.figures {
        let other = b.figures.get(key).map_or(values.len(), Vec::len);
        if other != values.len() {
            return Err(format!(
                "pairs: {}, {}: A has {} values, B has {other}",
                key.workload,
                key.figure,
                values.len()
            ));
        }
    }
    Ok(())
}

#[cfg(test)]
#[path = "compare_test.rs"]
mod tests;
