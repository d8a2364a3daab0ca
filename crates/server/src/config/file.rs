//! The configuration file: TOML whose keys are the long names of flags. So the flags are the only schema, and their
//! help describes both.
//!
//! ```toml
//! dir = "/var/lib/ferrolith"
//! memory-mb = 4096
//! listen = ["127.0.0.1:6379", "[::1]:6379"]
//! pegasus-host-names = true
//! ```

use super::environment::Variables;
use crate::error::{Error, Result};
use clap::parser::ValueSource;
use clap::{Arg, ArgAction, Command};
use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use toml::{Table, Value};

/// Flags that a file cannot set.
const FLAGS_ONLY: [&str; 2] = ["config", "print-config"];

/// Where the value of a setting comes from.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Source {
    /// Nobody set it.
    Default,
    /// The configuration file.
    File,
    /// A variable of the environment.
    Environment,
    /// A flag.
    Flag,
}

impl Source {
    /// Returns the name for people.
    pub fn name(self) -> &'static str {
        match self {
            Source::Default => "default",
            Source::File => "file",
            Source::Environment => "environment",
            Source::Flag => "flag",
        }
    }
}

/// All arguments of a program, and where settings come from.
#[derive(Debug)]
pub struct Gathered {
    /// The arguments of file, environment and command line.
    pub args: Vec<OsString>,
    /// The settings that somebody set.
    pub sources: BTreeMap<String, Source>,
}

/// Returns a program's arguments together with those of the environment, and of the file that `--config` names. Flags
/// override the environment, which overrides the file. Wrong arguments end the process.
///
/// # Errors
///
/// The file cannot be read, or there is no such setting.
pub fn gather(command: &Command, args: Vec<OsString>, variables: &Variables) -> Result<Gathered> {
    let matches = command.clone().get_matches_from(&args);
    let mut sources = BTreeMap::new();
    for flag in flags(command) {
        if matches.value_source(flag.get_id().as_str()) == Some(ValueSource::CommandLine) {
            sources.extend(flag.get_long().map(|name| (name.to_owned(), Source::Flag)));
        }
    }
    let mut from_environment = variables.args(command)?;
    from_environment.retain(|(name, _)| !sources.contains_key(name));
    let names = from_environment.iter().map(|(name, _)| (name.clone(), Source::Environment));
    sources.extend(names);
    let path = matches.get_one::<PathBuf>("config").cloned();
    let mut from_file = Vec::new();
    if let Some(path) = path.or_else(|| variables.get("config").map(PathBuf::from)) {
        let text = std::fs::read_to_string(&path)
            .map_err(|error| Error::Io(format!("reading {}", path.display()), error))?;
        from_file = file_args(command, &path, &text)?;
        from_file.retain(|(name, _)| !sources.contains_key(name));
        // CONFIG REWRITE changes the file, also if the environment names it.
        if matches.get_one::<PathBuf>("config").is_none() {
            from_file.push(("config".to_owned(), vec![format!("--config={}", path.display())]));
        }
        sources.extend(from_file.iter().map(|(name, _)| (name.clone(), Source::File)));
    }
    let mut args = args.into_iter();
    let name = args.next();
    let settings = from_file.into_iter().chain(from_environment).flat_map(|(_, args)| args);
    let args = name.into_iter().chain(settings.map(OsString::from)).chain(args).collect();
    Ok(Gathered { args, sources })
}

/// Returns the settings of a file with the arguments that they stand for.
fn file_args(command: &Command, path: &Path, text: &str) -> Result<Vec<(String, Vec<String>)>> {
    let wrong = |what: String| Error::Setting(format!("{}: {what}", path.display()));
    let table: Table = text.parse().map_err(|error| wrong(format!("{error}")))?;
    let mut args = Vec::new();
    for (key, value) in &table {
        let flag = flags(command).find(|flag| flag.get_long() == Some(key));
        let flag = flag.ok_or_else(|| wrong(unknown(command, key)))?;
        let values = flag_args(flag, key, value);
        let values = values.ok_or_else(|| wrong(format!("{key} cannot be {value}")))?;
        args.push((key.clone(), values));
    }
    Ok(args)
}

/// Returns the flags that a file can set.
pub(super) fn flags(command: &Command) -> impl Iterator<Item = &Arg> {
    command.get_arguments().filter(|flag| {
        flag.get_long().is_some_and(|name| !FLAGS_ONLY.contains(&name))
            && !matches!(flag.get_action(), ArgAction::Help | ArgAction::Version)
    })
}

/// Returns the text of the error of an unknown setting, with the known one that looks most like it.
pub(super) fn unknown(command: &Command, key: &str) -> String {
    let common = |name: &str| name.bytes().zip(key.bytes()).take_while(|(a, b)| a == b).count();
    let names = flags(command).filter_map(Arg::get_long);
    let nearest = names.max_by_key(|name| common(name)).unwrap_or_default();
    format!("there is no setting {key:?}; did you mean {nearest:?}? --help lists all")
}

/// Returns the arguments that a setting stands for; `None` if it has the wrong type.
fn flag_args(flag: &Arg, key: &str, value: &Value) -> Option<Vec<String>> {
    if matches!(flag.get_action(), ArgAction::SetTrue) {
        let is_set = value.as_bool()?;
        return Some(is_set.then(|| format!("--{key}")).into_iter().collect());
    }
    let one = |value: &Value| match value {
        Value::String(text) => Some(format!("--{key}={text}")),
        Value::Integer(number) => Some(format!("--{key}={number}")),
        Value::Boolean(is_set) if is_yes_or_no(flag) => {
            Some(format!("--{key}={}", if *is_set { "yes" } else { "no" }))
        }
        _ => None,
    };
    match value {
        // A table of names and values is a list of texts `NAME=VALUE`.
        Value::Table(table) if matches!(flag.get_action(), ArgAction::Append) => table
            .iter()
            .map(|(name, value)| Some(format!("--{key}={name}={}", text_of(value)?)))
            .collect(),
        Value::Array(_) if !matches!(flag.get_action(), ArgAction::Append) => None,
        // An empty list is a flag without values, where there is one.
        Value::Array(values) if values.is_empty() => {
            let allows_none = flag.get_num_args().is_some_and(|range| range.min_values() == 0);
            Some(allows_none.then(|| format!("--{key}")).into_iter().collect())
        }
        Value::Array(values) => values.iter().map(one).collect(),
        value => one(value).map(|arg| vec![arg]),
    }
}

/// Returns whether `yes` and `no` are among the values of a flag.
fn is_yes_or_no(flag: &Arg) -> bool {
    let values = flag.get_possible_values();
    ["yes", "no"].iter().all(|word| values.iter().any(|value| value.get_name() == *word))
}

/// Returns a value in a table as the text that a flag would have.
fn text_of(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.clone()),
        Value::Integer(number) => Some(number.to_string()),
        Value::Boolean(is_set) => Some(if *is_set { "yes" } else { "no" }.to_owned()),
        _ => None,
    }
}

/// Returns a configuration file with all settings that arguments set or leave as they are, and their descriptions.
pub fn print(command: &Command, args: Vec<OsString>) -> String {
    let matches = command.clone().get_matches_from(args);
    let mut text = String::new();
    for flag in flags(command) {
        let (Some(name), id) = (flag.get_long(), flag.get_id().as_str()) else { continue };
        let help = flag.get_help().map(ToString::to_string).unwrap_or_default();
        let raw = matches.get_raw(id).into_iter().flatten();
        let mut values = raw.map(|value| plain(&value.to_string_lossy()));
        let value = match flag.get_action() {
            ArgAction::SetTrue => Some(Value::Boolean(matches.get_flag(id))),
            ArgAction::Append => Some(Value::Array(values.collect())),
            _ => values.next(),
        };
        let line = value.map_or(format!("# {name} ="), |value| format!("{name} = {value}"));
        text += &format!("# {help}\n{line}\n\n");
    }
    text
}

/// Returns a number if it is one, else a text.
fn plain(text: &str) -> Value {
    text.parse().map_or_else(|_| Value::String(text.to_owned()), Value::Integer)
}
