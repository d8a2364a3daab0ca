//! The command line of `ferrolith-bench pairs`.

use super::Job;
use super::line::{Line, Side};
use crate::compare;
use clap::{Arg, ArgMatches, Command, value_parser};
use std::path::PathBuf;

/// Returns the flag `--pairs`.
pub fn pairs_arg() -> Arg {
    Arg::new("pairs")
        .long("pairs")
        .value_name("N")
        .default_value("5")
        .value_parser(value_parser!(u32).range(1..=999))
        .help("The number of pairs; a verdict needs at least 3")
}

/// Returns the subcommand.
pub fn command() -> Command {
    let side = |name: &'static str, default: &'static str, help: &'static str| {
        Arg::new(name).long(name).value_name("ENGINE").default_value(default).help(help)
    };
    let flags = |name: &'static str, help: &'static str| {
        Arg::new(name)
            .long(name)
            .value_name("FLAGS")
            .default_value("")
            .hide_default_value(true)
            .allow_hyphen_values(true)
            .help(help)
    };
    let directory = |name: &'static str, help: &'static str| {
        let parser = value_parser!(PathBuf);
        Arg::new(name).long(name).value_name("DIR").value_parser(parser).help(help)
    };
    Command::new("pairs")
        .about("Runs commands on two engines that alternate, and compares them")
        .args([
            Arg::new("line").value_name("COMMAND").required(true).num_args(1..).help(
                "A command of ferrolith-bench in quotation marks, with {engine}, {results} and mostly {db} in it",
            ),
            side("a", "ferrolith", "The {engine} of side A"),
            side("b", "rocksdb", "The {engine} of side B"),
            flags("a-flags", "The {flags} of side A, split into words as a shell does"),
            flags("b-flags", "The {flags} of side B"),
            pairs_arg(),
            directory("dir", "Where {db} is created and removed again; it is created if it does not exist").required(true),
            directory("results", "The directory of results, which must not exist [default: pairs_TIME]"),
        ])
        .args(compare::command::rule_args())
        .after_help(
            "Example:\n  ferrolith-bench pairs --dir /tmp \\\n    \
             'ycsb load -p recordcount=100000 --engine {engine} --db {db} --json {results}/load.jsonl' \\\n    \
             'ycsb run -p recordcount=100000 -p operationcount=200000 --engine {engine} --db {db} --json {results}/run.jsonl'\n\
             The engines are those of ycsb run --help.",
        )
}

/// Runs what the command line says.
pub fn dispatch(args: &ArgMatches, command: String) -> Result<bool, String> {
    let text = |name: &str| args.get_one::<String>(name).cloned().unwrap_or_default();
    let lines = args.get_many::<String>("line").into_iter().flatten();
    let lines: Vec<Line> = lines.map(|line| Line::parse(line)).collect::<Result<_, _>>()?;
    let side = |engine: &str, flags: &str| -> Result<Side, String> {
        let words = shlex::split(&text(flags));
        let words = words.ok_or_else(|| format!("--{flags}: a quotation does not end"))?;
        if !words.is_empty() && !lines.iter().any(Line::has_flags) {
            return Err(format!("--{flags}: no command has the word {{flags}}"));
        }
        Ok(Side { engine: text(engine), flags: words })
    };
    let job = Job {
        command,
        sides: [side("a", "a-flags")?, side("b", "b-flags")?],
        pairs: args.get_one::<u32>("pairs").copied().unwrap_or_default(),
        lines,
        dir: args.get_one::<PathBuf>("dir").cloned().unwrap_or_default(),
        results: args.get_one::<PathBuf>("results").cloned(),
        rule: compare::command::rule(args, true)?,
    };
    super::run(&job)
}
