//! The command line of the suite.

use super::engine::Kind;
use super::ini::Ini;
use super::presets::{self, PRESETS};
use super::rall::{ARGUMENTS, Arguments, STEPS};
use super::rows::{Effect, ROWS};
use super::suite::{self, Job};
use crate::report::say;
use crate::shared::warm_up::{self, WarmUp};
use clap::{Arg, ArgAction, ArgMatches, Command, value_parser};
use std::path::{Path, PathBuf};

/// Runs the command line. Returns false if it was interrupted.
pub fn dispatch(matches: &ArgMatches, line: String) -> Result<bool, String> {
    match matches.subcommand() {
        Some(("keys", _)) => print_keys(),
        Some(("presets", _)) => print_presets(),
        Some(("run", args)) => return run_file(args, line),
        Some(("rall", args)) => return rall(args, line),
        _ => return Err("forestdb: expected rall, run, presets or keys".to_owned()),
    }
    Ok(true)
}

fn print_keys() {
    say("Keys of the ini file, with their defaults:");
    let mut section = "";
    for row in ROWS {
        if row.section != section {
            say(&format!("[{}]", row.section));
            section = row.section;
        }
        let effect = match row.effect {
            Effect::All => String::new(),
            Effect::Lsm => " (for engines with such an option)".to_owned(),
            Effect::ForestDb => " (for ForestDB)".to_owned(),
            Effect::Never(why) => format!(" (accepted without effect: {why})"),
        };
        let text = format!("  {} = {}", row.key, row.default);
        say(&format!("{:<48} {}{effect}", text.trim_end(), row.help));
    }
}

fn print_presets() {
    say("Set-ups for rall --preset NAME, and their arguments at --scale 1:");
    for preset in PRESETS {
        let words = presets::arguments(preset.name, 1.0).map(|(words, _)| words.join(" "));
        say(&format!(
            "{:<20}{}\n{:20}{}",
            preset.name,
            preset.about,
            "",
            words.unwrap_or_default()
        ));
    }
}

fn job(args: &ArgMatches, command: String, engine: Kind) -> Job {
    Job {
        command,
        steps: Vec::new(),
        engine,
        results: args.get_one::<PathBuf>("results").cloned(),
        quiet: args.get_flag("quiet"),
        engine_flags: args.get_many::<String>("flags").into_iter().flatten().cloned().collect(),
    }
}

/// Settings of the command line take precedence over those of the file.
fn overrides(args: &ArgMatches, ini: &mut Ini) -> Result<(), String> {
    if let Some(seed) = args.get_one::<u64>("seed") {
        ini.set("ferrolith_bench", "seed", seed)?;
    }
    if let Some(filler) = args.get_one::<String>("filler") {
        ini.set("ferrolith_bench", "filler", filler)?;
    }
    if let Some(text) = args.get_one::<String>("warm-up") {
        WarmUp::parse(text)?;
        ini.set("ferrolith_bench", "warm_up", text)?;
    }
    if let Some(dir) = args.get_one::<PathBuf>("dir") {
        for key in ["filename", "init_filename"] {
            let Some(prefix) = ini.text("db_file", key).map(str::to_owned) else { continue };
            let name = Path::new(&prefix).file_name().unwrap_or_default();
            ini.set("db_file", key, dir.join(name).display())?;
        }
    }
    Ok(())
}

fn run_file(args: &ArgMatches, line: String) -> Result<bool, String> {
    let file = args.get_one::<PathBuf>("file").cloned().unwrap_or_default();
    let engine = args.get_one::<String>("engine").map_or("ferrolith", String::as_str);
    let mut ini = Ini::read(&file)?;
    overrides(args, &mut ini)?;
    let mut job = job(args, line, Kind::parse(engine)?);
    let name = file.file_stem().unwrap_or_default().to_string_lossy().into_owned();
    job.steps.push((name, ini));
    suite::run(&job)
}

/// Returns the 14 arguments: those of the preset or of the command line, with replacements by flags.
fn arguments(args: &ArgMatches) -> Result<(Arguments, (u64, u64)), String> {
    let given: Vec<String> =
        args.get_many::<String>("argument").into_iter().flatten().cloned().collect();
    let scale = args.get_one::<f64>("scale").copied().unwrap_or(1.0);
    let preset = args.get_one::<String>("preset");
    let mut tree = presets::TREE;
    let mut words: [Option<String>; 14] = Default::default();
    if let Some(name) = preset {
        let (preset, scaled) = presets::arguments(name, scale)?;
        (words, tree) = (preset.map(Some), scaled);
    } else if !given.is_empty() {
        let given: [String; 14] = given.try_into().map_err(|given: Vec<_>| {
            format!("rall: expected 14 arguments, found {}", given.len())
        })?;
        words = given.map(Some);
    }
    for (word, (name, _)) in words.iter_mut().zip(ARGUMENTS) {
        if let Some(text) = args.get_one::<String>(name) {
            *word = Some(text.clone());
        }
    }
    if words[10].is_none() {
        words[10] = Some("ferrolith".to_owned());
    }
    if args.get_one::<PathBuf>("dir").is_some() {
        words[2].get_or_insert_default();
    }
    if args.get_one::<PathBuf>("results").is_some() {
        words[1].get_or_insert_default();
    }
    let missing: Vec<&str> = words
        .iter()
        .zip(ARGUMENTS)
        .filter_map(|(word, (name, _))| word.is_none().then_some(name))
        .collect();
    if !missing.is_empty() {
        return Err(format!(
            "rall: give 14 arguments, or --preset, or the flags that are missing: --{}",
            missing.join(", --")
        ));
    }
    Ok((Arguments::new(words.map(Option::unwrap_or_default))?, tree))
}

fn rall(args: &ArgMatches, line: String) -> Result<bool, String> {
    let (mut arguments, tree) = arguments(args)?;
    if let Some(seconds) = args.get_one::<u64>("after-load") {
        arguments.after_load = *seconds;
    }
    let engine = Kind::parse(arguments.engine())?;
    let mut job = job(args, line, engine);
    let wanted: Option<Vec<&String>> = args.get_many("steps").map(Iterator::collect);
    for step in &STEPS {
        let selected = match &wanted {
            Some(names) => names.iter().any(|name| *name == step.name),
            None => step.name != "load" || arguments.load,
        };
        if !selected {
            continue;
        }
        let mut ini = arguments.ini(step, job.engine.name, tree)?;
        overrides(args, &mut ini)?;
        if let Some(documents) = args.get_one::<u64>("nops") {
            ini.set("operation", "nops", documents)?;
        }
        job.steps.push((step.name.to_owned(), ini));
    }
    suite::run(&job)
}

fn common(command: Command) -> Command {
    command.args([
        Arg::new("dir")
            .long("dir")
            .value_name("DIR")
            .value_parser(value_parser!(PathBuf))
            .help("Directory of the databases, instead of the one that the arguments or the file name"),
        Arg::new("results")
            .long("results")
            .value_name("DIR")
            .value_parser(value_parser!(PathBuf))
            .help("Directory of results; it must not exist"),
        Arg::new("seed")
            .long("seed")
            .value_name("N")
            .value_parser(value_parser!(u64))
            .help("Seed of bodies and choices [default: 1]"),
        warm_up::argument("Warm-up of each measured part: for seconds, or until the throughput is steady"),
        Arg::new("filler").long("filler").value_parser(["document", "buffer"]).help(
            "Random bytes of bodies: for each document, or for each buffer as in the original program \
             [default: document]",
        ),
        Arg::new("quiet").long("quiet").action(ArgAction::SetTrue).help("Show no progress"),
        Arg::new("flags")
            .last(true)
            .value_name("FLAG")
            .num_args(0..)
            .help("Flags of db_bench for the engine, after --; they replace those of the suite"),
    ])
}

fn rall_command() -> Command {
    let list: String = ARGUMENTS
        .iter()
        .enumerate()
        .map(|(i, (name, help))| format!("  {:>2} {name:<11} {help}\n", i + 1))
        .collect();
    let flag = |(name, help): (&'static str, &'static str)| {
        let arg = Arg::new(name).long(name).value_name(name.to_uppercase()).help(help);
        match name {
            "dbdir" => arg.conflicts_with("dir"),
            "engine" => arg.value_name("ENGINE"),
            _ => arg,
        }
    };
    let steps = Arg::new("steps")
        .long("steps")
        .value_name("STEP,...")
        .value_delimiter(',')
        .value_parser(STEPS.map(|step| step.name))
        .help("Only these steps, in the script's order");
    let preset = Arg::new("preset")
        .long("preset")
        .value_name("NAME")
        .conflicts_with("argument")
        .help("Arguments of a known set-up; the subcommand presets lists them");
    let scale = Arg::new("scale")
        .long("scale")
        .value_name("FACTOR")
        .requires("preset")
        .value_parser(value_parser!(f64))
        .help("Multiplies documents, cache, write buffer, files and levels of a preset");
    let nops = Arg::new("nops")
        .long("nops")
        .value_name("N")
        .value_parser(value_parser!(u64))
        .help("Ends each measured part after this many documents");
    let after = Arg::new("after-load")
        .long("after-load")
        .value_name("SECONDS")
        .value_parser(value_parser!(u64).range(1..))
        .help("Seconds of warm-up and of reads after the load [default: 5]");
    let command = Command::new("rall")
        .about("Runs the load and the 12 steps of rall.sh")
        .after_help(format!(
            "Arguments of rall.sh, in order; all 14, or the flags of the same names:\n{list}"
        ))
        .arg(Arg::new("argument").value_name("ARG").num_args(0..=14).help("The 14 arguments"))
        .args(ARGUMENTS.map(flag))
        .args([preset, scale, steps, nops, after]);
    common(command)
}

/// Returns the subcommand of `ferrolith-bench`.
pub fn command() -> Command {
    let file = Arg::new("file")
        .value_name("INI")
        .required(true)
        .value_parser(value_parser!(PathBuf))
        .help("The ini file; the subcommand keys lists its keys");
    let engine = crate::shared::engine::argument();
    let run = Command::new("run").about("Runs an ini file of ForestDB-Benchmark").arg(file);
    Command::new("forestdb")
        .about("ForestDB-Benchmark: its ini files, and the steps of the script rall.sh")
        .subcommand_required(true)
        .arg_required_else_help(true)
        .subcommand(rall_command())
        .subcommand(common(run.arg(engine)))
        .subcommand(Command::new("presets").about("Lists the set-ups of rall --preset"))
        .subcommand(Command::new("keys").about("Lists the keys of the ini file"))
}
