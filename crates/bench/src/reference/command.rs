//! The command line of the suite.

use super::parts::Plan;
use super::suite::{self, Job, SIDES};
use crate::compare;
use crate::pairs::command::pairs_arg;
use clap::{Arg, ArgAction, ArgMatches, Command, value_parser};
use std::path::{Path, PathBuf};

/// Directories in RAM, the first that exists is taken.
const RAM: [&str; 2] = ["/dev/shm", "/tmp"];

/// Runs what the command line says. Returns false if Ctrl-C ended it early.
pub fn dispatch(args: &ArgMatches, command: String) -> Result<bool, String> {
    let Some(("reference", args)) = args.subcommand() else {
        return Err("suite: expected reference".to_owned());
    };
    let engines: Vec<String> =
        args.get_many::<String>("engines").into_iter().flatten().cloned().collect();
    if !(2..=SIDES.len()).contains(&engines.len()) {
        return Err(format!(
            "--engines: expected 2 to {} engines, found {}",
            SIDES.len(),
            engines.len()
        ));
    }
    let path = |name: &str| args.get_one::<PathBuf>(name).cloned();
    let default = || RAM.iter().map(Path::new).find(|dir| dir.is_dir()).map(Path::to_owned);
    let cores = std::thread::available_parallelism().map_or(2, usize::from);
    let job = Job {
        command,
        plan: Plan {
            minutes: args.get_one::<f64>("minutes").copied().unwrap_or_default(),
            engines: engines.len(),
            pairs: args.get_one::<u32>("pairs").copied().unwrap_or_default(),
            threads: args
                .get_one::<u64>("threads")
                .map_or(cores.max(2), |threads| *threads as usize),
        },
        engines,
        parts: args.get_many::<String>("parts").map(|parts| parts.cloned().collect()),
        dir: path("dir").unwrap_or_default(),
        ram: path("ram").or_else(default).unwrap_or_default(),
        results: path("results"),
        rule: compare::command::rule(args, true)?,
    };
    if args.get_flag("list") {
        return suite::list(&job).map(|()| true);
    }
    suite::run(&job)
}

/// Returns the subcommand of `ferrolith-bench`.
pub fn command() -> Command {
    let path = |name: &'static str, help: &'static str| {
        Arg::new(name).long(name).value_name("DIR").value_parser(value_parser!(PathBuf)).help(help)
    };
    let reference = Command::new("reference")
        .about("Runs small versions of all reference workloads on engines that alternate, and compares them")
        .args([
            path("dir", "Where databases are created and removed again; on a disk")
                .required_unless_present("list"),
            path("ram", "The same for databases in RAM [default: /dev/shm]"),
            Arg::new("engines")
                .long("engines")
                .value_name("ENGINE,...")
                .value_delimiter(',')
                .default_value("ferrolith,rocksdb")
                .help("Two or more engines; the first is compared with each of the others"),
            Arg::new("minutes")
                .long("minutes")
                .value_name("N")
                .default_value("25")
                .value_parser(value_parser!(f64))
                .help("The time of the whole suite on two cores, from which all sizes follow"),
            pairs_arg(),
            Arg::new("threads")
                .long("threads")
                .value_name("N")
                .value_parser(value_parser!(u64).range(1..=1000))
                .help("Threads of parts that use several [default: the number of cores]"),
            Arg::new("parts")
                .long("parts")
                .value_name("PART,...")
                .value_delimiter(',')
                .value_parser(["in-memory", "tuning", "forestdb", "pegasus", "ycsb"])
                .help("Only these parts, in the same size"),
            Arg::new("list")
                .long("list")
                .action(ArgAction::SetTrue)
                .help("Shows the parts, their sizes and their estimated times, and runs nothing"),
            path("results", "The directory of results, which must not exist [default: reference_TIME]"),
        ])
        .args(compare::command::rule_args());
    Command::new("suite")
        .about("Suites of suites")
        .subcommand_required(true)
        .arg_required_else_help(true)
        .subcommand(reference)
}
