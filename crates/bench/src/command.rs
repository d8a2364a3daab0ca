//! The command line of `ferrolith-bench`: one subcommand per suite.

use crate::remote::arguments;
use crate::shared::results::joined;
use crate::shared::screen::json_argument;
use crate::shared::warm_up::{self, WarmUp};
use crate::ycsb::run::Phase;
use crate::ycsb::suite::{self, Settings};
use clap::{Arg, ArgAction, ArgMatches, Command, value_parser};
use std::path::PathBuf;
use std::process::ExitCode;

/// Runs the program with its arguments. The first argument is its name.
pub fn main(args: Vec<String>) -> ExitCode {
    let program = ["ferrolith-bench"].into_iter();
    let line = joined(program.chain(args.iter().skip(1).map(String::as_str)));
    let matches = match command().try_get_matches_from(args) {
        Ok(matches) => matches,
        Err(e) => {
            // Help is printed to standard output and is not a failure; clap handles that.
            let _ = e.print();
            return if e.use_stderr() { ExitCode::FAILURE } else { ExitCode::SUCCESS };
        }
    };
    match dispatch(&matches, line) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("ferrolith-bench: {error}");
            ExitCode::FAILURE
        }
    }
}

fn dispatch(matches: &ArgMatches, line: String) -> Result<bool, String> {
    let ycsb = match matches.subcommand() {
        Some(("ycsb", ycsb)) => ycsb,
        Some(("forestdb", args)) => return crate::forestdb::command::dispatch(args, line),
        Some(("pegasus", args)) => return crate::pegasus::command::dispatch(args, line),
        Some(("tuning", args)) => return crate::tuning::command::dispatch(args, line),
        Some(("pairs", args)) => return crate::pairs::command::dispatch(args, line),
        Some(("in-memory", args)) => return crate::in_memory::command::dispatch(args, line),
        Some(("suite", args)) => return crate::reference::command::dispatch(args, line),
        Some(("connections", args)) => return crate::remote::connections::dispatch(args),
        Some(("wakeups", args)) => return crate::remote::wakeups::dispatch(args),
        Some(("replay", args)) => return crate::replay::dispatch(args),
        Some(("compare", args)) => return crate::compare::command::dispatch(args),
        Some(("report", args)) => return crate::html_report::command::dispatch(args),
        _ => return Err("expected a suite; see --help".to_owned()),
    };
    match ycsb.subcommand() {
        Some(("properties", _)) => {
            suite::print_properties();
            Ok(true)
        }
        Some(("load", args)) => suite::run(&settings(Phase::Load, args, line)?),
        Some(("run", args)) => suite::run(&settings(Phase::Run, args, line)?),
        _ => Err("ycsb: expected load, run or properties".to_owned()),
    }
}

fn settings(phase: Phase, args: &ArgMatches, command: String) -> Result<Settings, String> {
    let many = |name: &str| args.get_many::<String>(name).into_iter().flatten().cloned().collect();
    let (engine, server) = arguments::chosen(args, &["db", "sync", "flags"])?;
    Ok(Settings {
        phase,
        command,
        files: args.get_many::<PathBuf>("file").into_iter().flatten().cloned().collect(),
        assignments: many("property"),
        db: args.get_one::<PathBuf>("db").cloned(),
        engine,
        server,
        sync: args.get_flag("sync"),
        seed: args.get_one::<u64>("seed").copied().unwrap_or(1),
        json: args.get_one::<PathBuf>("json").cloned(),
        results: args.get_one::<PathBuf>("results").cloned(),
        warm_up: match (phase, WarmUp::of(args)?) {
            (Phase::Load, WarmUp::Seconds(_) | WarmUp::Auto(_)) => {
                return Err("--warm-up: a load has no warm-up".to_owned());
            }
            (_, warm_up) => warm_up,
        },
        quiet: args.get_flag("quiet"),
        slowdown: args.get_one::<f64>("slowdown").copied().unwrap_or(0.0),
        engine_flags: many("flags"),
    })
}

fn percent(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(percent) if (0.0..=1000.0).contains(&percent) => Ok(percent),
        _ => Err("expected a percentage from 0 to 1000".to_owned()),
    }
}

/// Returns the whole command line.
pub(crate) fn command() -> Command {
    let phase = |name: &'static str, about: &'static str| {
        Command::new(name).about(about).args([
            Arg::new("file")
                .short('P')
                .long("file")
                .value_name("FILE")
                .value_parser(value_parser!(PathBuf))
                .action(ArgAction::Append)
                .help("A property file of YCSB; of several, the last value of a property wins"),
            Arg::new("property")
                .short('p')
                .long("property")
                .value_name("KEY=VALUE")
                .action(ArgAction::Append)
                .help("A property; wins over files"),
            Arg::new("db")
                .long("db")
                .value_name("DIR")
                .value_parser(value_parser!(PathBuf))
                .help("The directory of the database of an engine in this process"),
            Arg::new("sync")
                .long("sync")
                .action(ArgAction::SetTrue)
                .help("Sync every write, so that it survives a power failure"),
            Arg::new("seed")
                .long("seed")
                .value_name("N")
                .default_value("1")
                .value_parser(value_parser!(u64))
                .help("The seed of the random numbers"),
            Arg::new("slowdown").long("slowdown").value_name("PERCENT").value_parser(percent).help(
                "Make every operation this much longer by busy waiting, to test a comparison",
            ),
            json_argument(),
            Arg::new("results")
                .long("results")
                .value_name("DIR")
                .value_parser(value_parser!(PathBuf))
                .help("Directory of results; it must not exist"),
            warm_up::argument(
                "Operations that do not count before a run: for seconds, or until the throughput is steady",
            ),
            Arg::new("quiet").long("quiet").action(ArgAction::SetTrue).help("Show no progress"),
            Arg::new("flags").last(true).value_name("FLAG").num_args(0..).help(
                "Flags of db_bench for the engine, after --; such as --cache_size=1073741824",
            ),
        ]).args(arguments::arguments())
    };
    Command::new("ferrolith-bench")
        .version(env!("CARGO_PKG_VERSION"))
        .about("Benchmark suites for Ferrolith and for libraries with RocksDB's C ABI")
        .subcommand_required(true)
        .arg_required_else_help(true)
        .subcommand(
            Command::new("ycsb")
                .about("The core workloads of YCSB, from its property files")
                .subcommand_required(true)
                .arg_required_else_help(true)
                .subcommand(phase("load", "Inserts the records of a workload"))
                .subcommand(phase("run", "Does the operations of a workload"))
                .subcommand(Command::new("properties").about("Lists the properties")),
        )
        .subcommand(crate::forestdb::command::command())
        .subcommand(crate::pegasus::command::command())
        .subcommand(crate::tuning::command::command())
        .subcommand(crate::in_memory::command::command())
        .subcommand(crate::reference::command::command())
        .subcommand(crate::pairs::command::command())
        .subcommand(crate::remote::connections::command())
        .subcommand(crate::remote::wakeups::command())
        .subcommand(crate::replay::command())
        .subcommand(crate::compare::command::command())
        .subcommand(crate::html_report::command::command())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_command_is_consistent() {
        command().debug_assert();
    }
}
