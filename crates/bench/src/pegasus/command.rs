//! The command line of the suite.

use super::cases::{Limiter, MIXES, MULTI, Mix, VALUES, bytes, size_text};
use super::suite::{self, Job};
use crate::remote::arguments;
use crate::shared::warm_up::{self, WarmUp};
use clap::{Arg, ArgAction, ArgMatches, Command, value_parser};
use std::path::PathBuf;

/// Runs what the command line says.
pub fn dispatch(args: &ArgMatches, line: String) -> Result<bool, String> {
    let scale = args.get_one::<f64>("scale").copied().unwrap_or(1.0);
    if !(scale > 0.0 && scale <= 1000.0) {
        return Err(format!("--scale {scale}: expected more than 0 and at most 1000"));
    }
    let many = |name: &str| args.get_many::<String>(name).into_iter().flatten();
    let size = |text: &String| {
        let size = bytes(text).filter(|size| (64..=1 << 30).contains(size));
        size.ok_or_else(|| {
            format!("--values {text}: expected 64 bytes to 1 GB, such as 320 or 10KB")
        })
    };
    let (mut mixes, mut values, mut limiters) = (Vec::new(), Vec::new(), Vec::new());
    for name in many("mixes") {
        mixes.push(Mix::find(name)?);
    }
    for text in many("values") {
        values.push(size(text)?);
    }
    for text in many("rate-limiter") {
        limiters.push(Limiter::parse(text)?);
    }
    if mixes.is_empty() {
        mixes.extend(MIXES.iter().chain(std::iter::once(&MULTI)));
    }
    if values.is_empty() {
        values.extend(VALUES);
    }
    if limiters.is_empty() {
        limiters.push(Limiter::Off);
    }
    let refused = ["dir", "sync", "rate-limiter", "flags"];
    let (engine, server) = arguments::chosen(args, &refused)?;
    let number = |name: &str| args.get_one::<u64>(name).copied();
    let operations = number("operations").unwrap_or(0);
    suite::run(&Job {
        command: line,
        engine,
        server,
        mixes,
        values,
        limiters,
        scale,
        threads: number("threads").map(|threads| threads as usize),
        seconds: number("seconds").unwrap_or(if operations > 0 { 0 } else { 60 }),
        operations,
        warm_up: WarmUp::of(args)?,
        sync: args.get_flag("sync"),
        dir: args.get_one::<PathBuf>("dir").cloned(),
        results: args.get_one::<PathBuf>("results").cloned(),
        seed: number("seed").unwrap_or(1),
        quiet: args.get_flag("quiet"),
        engine_flags: many("flags").cloned().collect(),
    })
}

/// Returns an argument with a value.
fn value(name: &'static str, shown: &'static str, help: String) -> Arg {
    Arg::new(name).long(name).value_name(shown).help(help)
}

/// The subcommand of `ferrolith-bench`.
pub fn command() -> Command {
    let names: Vec<&str> = MIXES.iter().chain([&MULTI]).map(|mix| mix.name).collect();
    let sizes = VALUES.map(size_text).join(",");
    let list = |arg: Arg| arg.value_delimiter(',');
    let count = |arg: Arg| arg.value_parser(value_parser!(u64).range(1..));
    Command::new("pegasus")
        .about("The mixes of Apache Pegasus's benchmark page, on an engine or on a server")
        .args([
            value("dir", "DIR", "Directory of the database; what an engine wrote there before is deleted".to_owned())
                .value_parser(value_parser!(PathBuf)),
            list(value("mixes", "NAME,...", format!("Only these of {} [default: all]", names.join(", ")))),
            list(value("values", "BYTES,...", format!("Sizes of values; KB is 1024 bytes [default: {sizes}]"))),
            list(value("rate-limiter", "RATE,...", "off, bytes per second such as 500MB, or auto:500MB; of several, each runs the whole matrix [default: off]".to_owned())),
            value("scale", "FACTOR", "Multiplies records and cache [default: 1]".to_owned())
                .value_parser(value_parser!(f64)),
            count(value("threads", "N", "Threads of each mix [default: the published ones]".to_owned())),
            count(value("seconds", "N", "Seconds of each mix [default: 60, or no limit with --operations]".to_owned())),
            count(value("operations", "N", "Operations of each mix, at most [default: no limit]".to_owned())),
            warm_up::argument(
                "Operations that do not count before each mix: for seconds, or until the throughput is steady",
            ),
            Arg::new("sync")
                .long("sync")
                .action(ArgAction::SetTrue)
                .help("Sync every write, so that it survives a power failure"),
            value("results", "DIR", "Directory of results; it must not exist".to_owned())
                .value_parser(value_parser!(PathBuf)),
            count(value("seed", "N", "Seed of the random numbers [default: 1]".to_owned())),
            Arg::new("quiet").long("quiet").action(ArgAction::SetTrue).help("Show no progress"),
            Arg::new("flags").last(true).value_name("FLAG").num_args(0..).help(
                "Flags of db_bench for the engine, after --; such as --cache_size=1073741824",
            ),
        ])
        .args(arguments::arguments())
}
