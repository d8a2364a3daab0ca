//! The command line of `ferrolith-bench compare`.

use super::judge::Rule;
use super::read::Results;
use super::table::Table;
use crate::report::say;
use clap::{Arg, ArgAction, ArgMatches, Command, value_parser};
use std::path::PathBuf;

/// Returns the subcommand.
pub fn command() -> Command {
    let side = |name: &'static str| {
        Arg::new(name)
            .value_name(name)
            .required(true)
            .value_parser(value_parser!(PathBuf))
            .help("A file of JSON lines, or a directory with such files (*.jsonl)")
    };
    Command::new("compare")
        .about("Compares two sets of results and names the differences that are real")
        .args([side("A"), side("B")])
        .arg(
            Arg::new("paired")
                .long("paired")
                .action(ArgAction::SetTrue)
                .help("The runs alternated (A, B, A, B, ...): compare the i-th with the i-th"),
        )
        .arg(
            Arg::new("confidence")
                .long("confidence")
                .value_name("PERCENT")
                .default_value("99")
                .value_parser(value_parser!(f64))
                .help("How sure all verdicts of the table are together, from 50 to 99.99"),
        )
        .arg(
            Arg::new("smallest")
                .long("smallest")
                .value_name("PERCENT")
                .default_value("2")
                .value_parser(value_parser!(f64))
                .help("Differences below this are never called real"),
        )
}

/// Compares. Returns true: a difference is a result, not a failure.
pub fn dispatch(args: &ArgMatches) -> Result<bool, String> {
    let percent = |name: &str| args.get_one::<f64>(name).copied().unwrap_or_default();
    let (confidence, smallest) = (percent("confidence"), percent("smallest"));
    if !(50.0..=99.99).contains(&confidence) {
        return Err(format!("--confidence: expected 50 to 99.99, found {confidence}"));
    }
    if !(0.0..=100.0).contains(&smallest) {
        return Err(format!("--smallest: expected 0 to 100, found {smallest}"));
    }
    let rule = Rule {
        confidence: confidence / 100.0,
        smallest: smallest / 100.0,
        paired: args.get_flag("paired"),
    };
    let read = |name: &str| {
        let path = args.get_one::<PathBuf>(name).cloned().unwrap_or_default();
        Results::read(&path).map(|results| (path, results))
    };
    let ((path_a, a), (path_b, b)) = (read("A")?, read("B")?);
    let table = Table::new(&a, &b, rule);
    if table.is_empty() {
        return Err(format!(
            "{} and {} have no measurement in common",
            path_a.display(),
            path_b.display()
        ));
    }
    if rule.paired {
        same_counts(&a, &b)?;
    }
    for (name, path, results) in [("A", &path_a, &a), ("B", &path_b, &b)] {
        let engines = results.engines.join("; ");
        say(&format!("{name}: {}: {engines}", path.display()));
        if results.incomplete > 0 {
            say(&format!("   left out: {} results that are not complete", results.incomplete));
        }
    }
    say(table.text().trim_end());
    Ok(true)
}

/// Refuses pairs of which one side is missing.
fn same_counts(a: &Results, b: &Results) -> Result<(), String> {
    for (key, values) in &a.figures {
        let other = b.figures.get(key).map_or(values.len(), Vec::len);
        if other != values.len() {
            return Err(format!(
                "--paired: {}, {}: A has {} values, B has {other}",
                key.workload,
                key.figure,
                values.len()
            ));
        }
    }
    Ok(())
}
