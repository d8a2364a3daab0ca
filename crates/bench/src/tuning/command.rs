//! The command line of the suite.

use super::scenarios::{SCENARIOS, sweep};
use super::suite::{self, Job};
use crate::shared::engine::Choice;
use crate::shared::warm_up::{self, WarmUp};
use clap::{Arg, ArgAction, ArgMatches, Command, value_parser};
use std::path::PathBuf;

/// Runs what the command line says.
pub fn dispatch(args: &ArgMatches, line: String) -> Result<bool, String> {
    let scale = args.get_one::<f64>("scale").copied().unwrap_or(1.0);
    if !(scale > 0.0 && scale <= 1000.0) {
        return Err(format!("--scale {scale}: expected more than 0 and at most 1000"));
    }
    let engine = args.get_one::<String>("engine").map_or("ferrolith", String::as_str);
    let (name, engine) = Choice::parse(engine)?;
    let many = |name: &str| args.get_many::<String>(name).into_iter().flatten();
    let sweeps: Vec<_> =
        many("sweep").map(|text| sweep(text, scale)).collect::<Result<_, String>>()?;
    let wanted: Option<Vec<u64>> =
        args.get_many::<u64>("scenarios").map(|numbers| numbers.copied().collect());
    // A sweep alone does not run all scenarios.
    let is_wanted = |number: u64| match &wanted {
        Some(numbers) => numbers.contains(&number),
        None => sweeps.is_empty(),
    };
    let chosen = SCENARIOS.iter().filter(|scenario| is_wanted(scenario.number));
    let job = Job {
        command: line,
        name,
        engine,
        runs: chosen.flat_map(|scenario| scenario.runs(scale)).collect(),
        sweeps,
        dir: args.get_one::<PathBuf>("dir").cloned().unwrap_or_default(),
        results: args.get_one::<PathBuf>("results").cloned(),
        seed: args.get_one::<u64>("seed").copied().unwrap_or(1),
        quiet: args.get_flag("quiet"),
        warm_up: WarmUp::of(args)?,
        engine_flags: many("flags").cloned().collect(),
    };
    suite::run(&job)
}

/// The subcommand of `ferrolith-bench`.
pub fn command() -> Command {
    let list: String = SCENARIOS
        .iter()
        .map(|scenario| {
            format!("  {} {:<17} {}\n", scenario.number, scenario.benchmark, scenario.about)
        })
        .collect();
    Command::new("tuning")
        .about("Nine scenarios of a tuning study of RocksDB, and sweeps of one option")
        .after_help(format!("Scenarios:\n{list}"))
        .args([
            Arg::new("dir")
                .long("dir")
                .value_name("DIR")
                .required(true)
                .value_parser(value_parser!(PathBuf))
                .help("Directory of the database; what an engine wrote there before is deleted"),
            crate::shared::engine::argument(),
            Arg::new("scenarios")
                .long("scenarios")
                .value_name("N,...")
                .value_delimiter(',')
                .value_parser(value_parser!(u64).range(1..=9))
                .help("Only these scenarios [default: all, or none with --sweep]"),
            Arg::new("scale")
                .long("scale")
                .value_name("FACTOR")
                .value_parser(value_parser!(f64))
                .help("Multiplies keys and operations [default: 1]"),
            Arg::new("sweep")
                .long("sweep")
                .value_name("FLAG=VALUE,...")
                .action(ArgAction::Append)
                .help("Runs 10 readers beside a merging writer for each value of a flag of db_bench, and draws a chart"),
            warm_up::argument(
                "Operations that do not count before scenarios on a filled database, from 5 on: for seconds, or until \
                 the throughput is steady",
            ),
            Arg::new("results")
                .long("results")
                .value_name("DIR")
                .value_parser(value_parser!(PathBuf))
                .help("Directory of results; it must not exist"),
            Arg::new("seed")
                .long("seed")
                .value_name("N")
                .value_parser(value_parser!(u64).range(1..))
                .help("Seed of the random numbers [default: 1]"),
            Arg::new("quiet").long("quiet").action(ArgAction::SetTrue).help("Show no progress"),
            Arg::new("flags").last(true).value_name("FLAG").num_args(0..).help(
                "Flags of db_bench for the engine, after --; such as --cache_size=1073741824",
            ),
        ])
}
