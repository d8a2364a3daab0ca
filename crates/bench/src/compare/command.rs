//! The command line of `ferrolith-bench compare`.

use super::Figures;
use super::judge::Rule;
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
            Arg::new("throughput")
                .long("throughput")
                .action(ArgAction::SetTrue)
                .help("Compare only operations or documents per second"),
        )
        .args(rule_args())
}

/// Returns the arguments that say what counts as a real difference.
pub fn rule_args() -> [Arg; 2] {
    let percent = |name: &'static str, default: &'static str| {
        Arg::new(name)
            .long(name)
            .value_name("PERCENT")
            .default_value(default)
            .value_parser(value_parser!(f64))
    };
    [
        percent("confidence", "99")
            .help("How sure all verdicts of the table are together, from 50 to 99.99"),
        percent("smallest", "2").help("Differences below this are never called real"),
    ]
}

/// Reads the arguments of [`rule_args`].
pub fn rule(args: &ArgMatches, paired: bool) -> Result<Rule, String> {
    let percent = |name: &str| args.get_one::<f64>(name).copied().unwrap_or_default();
    let (confidence, smallest) = (percent("confidence"), percent("smallest"));
    if !(50.0..=99.99).contains(&confidence) {
        return Err(format!("--confidence: expected 50 to 99.99, found {confidence}"));
    }
    if !(0.0..=100.0).contains(&smallest) {
        return Err(format!("--smallest: expected 0 to 100, found {smallest}"));
    }
    let (confidence, smallest) = (confidence / 100.0, smallest / 100.0);
    Ok(Rule { confidence, smallest, paired })
}

/// Compares. Returns true: a difference is a result, not a failure.
pub fn dispatch(args: &ArgMatches) -> Result<bool, String> {
    let rule = rule(args, args.get_flag("paired"))?;
    let figures = if args.get_flag("throughput") { Figures::Throughput } else { Figures::All };
    let path = |name: &str| args.get_one::<PathBuf>(name).cloned().unwrap_or_default();
    super::print([&path("A"), &path("B")], rule, figures)?;
    Ok(true)
}
