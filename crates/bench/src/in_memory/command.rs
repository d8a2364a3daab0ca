//! The command line of the suite.

use super::rows::{PUBLISHED, Size};
use super::suite::{self, Job};
use crate::shared::engine::Choice;
use crate::shared::warm_up::{self, WarmUp};
use clap::{Arg, ArgAction, ArgMatches, Command, value_parser};
use std::path::PathBuf;

/// Runs what the command line says. Returns false if Ctrl-C ended it early.
pub fn dispatch(args: &ArgMatches, command: String) -> Result<bool, String> {
    let engine = args.get_one::<String>("engine").map_or("ferrolith", String::as_str);
    let number =
        |name: &str, published: u64| args.get_one::<u64>(name).copied().unwrap_or(published);
    let path = |name: &str| args.get_one::<PathBuf>(name).cloned();
    let rows = args.get_many::<u64>("rows").map(|rows| rows.copied().collect());
    suite::run(&Job {
        command,
        engine: Choice::parse(engine)?,
        size: Size {
            keys: number("keys", PUBLISHED.keys),
            seconds: number("seconds", PUBLISHED.seconds),
            threads: number("threads", PUBLISHED.threads),
        },
        rows: rows.unwrap_or_else(|| (1..=4).collect()),
        dir: path("dir").unwrap_or_default(),
        wal_dir: path("wal-dir").unwrap_or_default(),
        results: path("results"),
        seed: number("seed", 1),
        quiet: args.get_flag("quiet"),
        warm_up: WarmUp::of(args)?,
        engine_flags: args.get_many::<String>("flags").into_iter().flatten().cloned().collect(),
    })
}

/// Returns the subcommand of `ferrolith-bench`.
pub fn command() -> Command {
    let path = |name: &'static str, help: &'static str| {
        Arg::new(name).long(name).value_name("DIR").value_parser(value_parser!(PathBuf)).help(help)
    };
    let number = |name: &'static str, help: &'static str| {
        let parser = value_parser!(u64).range(1..);
        Arg::new(name).long(name).value_name("N").value_parser(parser).help(help)
    };
    Command::new("in-memory")
        .about("The four rows of RocksDB's in-memory benchmark: PlainTable in RAM, the WAL on a disk")
        .args([
            path("dir", "Directory of the database, in a tmpfs; what an engine wrote there before is deleted")
                .required(true),
            path("wal-dir", "Directory of the WAL, on a disk").required(true),
            Arg::new("engine")
                .long("engine")
                .value_name("ENGINE")
                .help("ferrolith, rocksdb or rocksdb:PATH [default: ferrolith]"),
            Arg::new("rows")
                .long("rows")
                .value_name("N,...")
                .value_delimiter(',')
                .value_parser(value_parser!(u64).range(1..=4))
                .help("Only these rows [default: all]"),
            number("keys", "Number of keys [default: 524288000]"),
            number("seconds", "Seconds of reads in each row [default: 7200]"),
            number("threads", "Readers [default: 32]"),
            number("seed", "Seed of the random numbers [default: 1]"),
            warm_up::argument(
                "Reads that do not count before those of each row: for seconds, or until the throughput is steady",
            ),
            path("results", "Directory of results; it must not exist"),
            Arg::new("quiet").long("quiet").action(ArgAction::SetTrue).help("Show no progress"),
            Arg::new("flags").last(true).value_name("FLAG").num_args(0..).help(
                "Flags of db_bench for the engine, after --; they replace those of the suite",
            ),
        ])
}
