//! `ferrolith-bench replay`: runs the command of a run directory again, into a new directory.

use crate::shared::child::{self, Interrupts};
use crate::shared::results::{joined, with_time};
use crate::target::Result;
use clap::{Arg, ArgMatches, Command, value_parser};
use serde_json::Value;
use std::path::{Path, PathBuf};

/// Arguments whose value is a file that must exist.
const FILES: [&str; 2] = ["-P", "--file"];

/// Returns the subcommand.
pub fn command() -> Command {
    let path =
        |name: &'static str| Arg::new(name).value_name("DIR").value_parser(value_parser!(PathBuf));
    Command::new("replay")
        .about("Runs the command of a run directory again, into a new directory")
        .arg(path("run").required(true).help("A run directory, with environment.json in it"))
        .arg(
            path("results")
                .long("results")
                .help("The new directory, which must not exist [default: DIR-replay_TIME]"),
        )
}

/// Runs what the command line says. Returns false if Ctrl-C ended it early.
///
/// # Errors
/// A directory without a record, or whatever the recorded command needs and does not find.
pub fn dispatch(args: &ArgMatches) -> Result<bool> {
    let run = args.get_one::<PathBuf>("run").cloned().unwrap_or_default();
    let record = Record::read(&run)?;
    record.check()?;
    let named = || {
        let text = run.display().to_string();
        with_time(&format!("{}-replay", text.trim_end_matches('/')))
    };
    let results = args.get_one::<PathBuf>("results").cloned().unwrap_or_else(named);
    // The command runs in another directory than this program.
    let results =
        std::path::absolute(&results).map_err(|e| format!("{}: {e}", results.display()))?;
    if results.exists() {
        return Err(format!("{}: exists; choose another --results", results.display()));
    }
    let words = with_results(&record.words, &results);
    let this = env!("CARGO_PKG_VERSION");
    if record.version != this {
        eprintln!("recorded with version {}; this is version {this}", record.version);
    }
    eprintln!(
        "{}: ferrolith-bench {}",
        record.directory.display(),
        joined(words.iter().map(String::as_str))
    );
    let mut command = child::program()?;
    command.current_dir(&record.directory);
    child::run_command(command, &words, &Interrupts::install()?)
}

/// What a run directory says about its command.
#[derive(Debug, PartialEq)]
struct Record {
    /// The file, for errors.
    file: PathBuf,
    /// The arguments, without the program.
    words: Vec<String>,
    /// The directory in which it ran.
    directory: PathBuf,
    /// The libraries of its engines.
    libraries: Vec<PathBuf>,
    /// The version of the program.
    version: String,
}

impl Record {
    fn read(run: &Path) -> Result<Record> {
        let file = run.join("environment.json");
        let wrong = |what: &str| format!("{}: {what}", file.display());
        let text = std::fs::read_to_string(&file)
            .map_err(|e| wrong(&format!("{e}; expected a run directory of ferrolith-bench")))?;
        let object: Value = serde_json::from_str(&text).map_err(|e| {
            wrong(&format!("expected the record of a run in JSON, found a damaged file: {e}"))
        })?;
        let words = |field: &str| object[field].as_str().map(str::to_owned);
        let missing = |field: &str| {
            wrong(&format!(
                "no {field} is recorded; only runs with schema 2 or later can run again"
            ))
        };
        let command = words("command").ok_or_else(|| missing("command"))?;
        let mut split = shlex::split(&command).unwrap_or_default().into_iter();
        if split.next().as_deref() != Some("ferrolith-bench") || split.len() == 0 {
            return Err(wrong(&format!(
                "command is {command:?}: expected ferrolith-bench SUITE ..."
            )));
        }
        let engines = object["engines"].as_array().into_iter().flatten();
        Ok(Record {
            words: split.collect(),
            directory: words("directory").ok_or_else(|| missing("directory"))?.into(),
            libraries: engines.filter_map(|e| Some(e["library"].as_str()?.into())).collect(),
            version: words("version").unwrap_or_else(|| "unknown".to_owned()),
            file,
        })
    }

    /// Checks that everything that the command reads is there.
    fn check(&self) -> Result<()> {
        let file = self.file.display();
        if !self.directory.is_dir() {
            let directory = self.directory.display();
            return Err(format!("{file}: the run's directory {directory} does not exist any more"));
        }
        let files = files(&self.words).into_iter();
        let paths = files.map(PathBuf::from).chain(self.libraries.iter().cloned());
        for path in paths {
            if !self.directory.join(&path).exists() {
                return Err(format!(
                    "{file}: the run needs {}, which does not exist any more",
                    path.display()
                ));
            }
        }
        Ok(())
    }
}

/// Returns the files that a command reads: property files, an ini file, and those of the commands of `pairs` unless a
/// placeholder is in their path.
fn files(words: &[String]) -> Vec<String> {
    let given: Vec<&String> = words.iter().take_while(|word| *word != "--").collect();
    let flags = given.iter().zip(given.iter().skip(1));
    let mut files: Vec<String> = flags
        .filter(|(flag, _)| FILES.contains(&flag.as_str()))
        .map(|(_, file)| (*file).clone())
        .collect();
    match &given[..] {
        [suite, run, rest @ ..] if *suite == "forestdb" && *run == "run" => {
            files.extend(positional(rest).cloned());
        }
        [suite, rest @ ..] if *suite == "pairs" => {
            let commands = positional(rest).filter_map(|line| shlex::split(line));
            let read = commands.flat_map(|command| self::files(&command));
            files.extend(read.filter(|file| !file.contains('{')));
        }
        _ => {}
    }
    files
}

/// Returns the words that are neither flags nor values of flags.
fn positional<'a>(words: &'a [&'a String]) -> impl Iterator<Item = &'a String> {
    let mut is_value = false;
    words.iter().copied().filter(move |word| {
        let was_value = std::mem::take(&mut is_value);
        let is_flag = word.starts_with('-') && !was_value;
        is_value = is_flag && !word.contains('=') && *word != "--quiet";
        !is_flag && !was_value
    })
}

/// Returns the arguments with another directory of results, and without files that results were appended to.
fn with_results(words: &[String], results: &Path) -> Vec<String> {
    let flags = words.iter().position(|word| word == "--").unwrap_or(words.len());
    let (given, engine) = words.split_at(flags);
    let mut kept = Vec::new();
    let mut given = given.iter();
    while let Some(word) = given.next() {
        match word.as_str() {
            "--results" | "--json" => {
                given.next();
            }
            word if word.starts_with("--results=") || word.starts_with("--json=") => {}
            word => kept.push(word.to_owned()),
        }
    }
    kept.extend(["--results".to_owned(), results.display().to_string()]);
    kept.extend(engine.iter().cloned());
    kept
}

#[cfg(test)]
#[path = "replay_test.rs"]
mod tests;
