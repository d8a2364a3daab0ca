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
pub use read::{Key, figures, workload};

use crate::report::say;
use read::Results;
use std::path::Path;
use table::Table;

/// Prints the comparison of two files or directories of results.
///
/// # Errors
/// What cannot be read, sides without a common measurement, and, with `rule.paired`, different numbers of values.
pub fn print(paths: [&Path; 2], rule: Rule) -> Result<(), String> {
    let (a, b) = (Results::read(paths[0])?, Results::read(paths[1])?);
    let table = Table::new(&a, &b, rule);
    if table.is_empty() {
        let [a, b] = paths.map(Path::display);
        return Err(format!("{a} and {b} have no measurement in common"));
    }
    if rule.paired {
        check_counts(&a, &b)?;
    }
    for (name, path, results) in [("A", paths[0], &a), ("B", paths[1], &b)] {
        let engines = results.engines.join("; ");
        say(&format!("{name}: {}: {engines}", path.display()));
        if results.incomplete > 0 {
            say(&format!("   left out: {} results that are not complete", results.incomplete));
        }
    }
    say(table.text().trim_end());
    Ok(())
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
