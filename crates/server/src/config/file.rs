//! The configuration file: TOML whose keys are the long names of flags. So the flags are the only schema, and their
//! help describes both.
//!
//! ```toml
//! dir = "/var/lib/ferrolith"
//! memory-mb = 4096
//! listen = ["127.0.0.1:6379", "[::1]:6379"]
//! pegasus-host-names = true
//! ```

use crate::error::{Error, Result};
use crate::http::{HIDDEN, Setting, Source};
use crate::redis::parameters::Id;
use clap::parser::ValueSource;
use clap::{Arg, ArgAction, ArgMatches, Command};
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use toml::{Table, Value};

/// Flags that a file cannot set.
const FLAGS_ONLY: [&str; 2] = ["config", "print-config"];

/// Returns a program's arguments together with those of the file that `--config` names. What both set is taken from the
/// arguments. Wrong arguments end the process.
///
/// # Errors
///
/// The file cannot be read, or has a setting that does not exist.
pub fn with_file(command: &Command, args: Vec<OsString>) -> Result<Vec<OsString>> {
    let matches = command.clone().get_matches_from(&args);
    let Some(path) = matches.get_one::<PathBuf>("config") else { return Ok(args) };
    let text = std::fs::read_to_string(path)
        .map_err(|error| Error::Io(format!("reading {}", path.display()), error))?;
    let mut args = args.into_iter();
    let name = args.next();
    let from_file = file_args(command, &matches, path, &text)?;
    Ok(name.into_iter().chain(from_file.into_iter().map(OsString::from)).chain(args).collect())
}

fn file_args(
    command: &Command,
    matches: &ArgMatches,
    path: &Path,
    text: &str,
) -> Result<Vec<String>> {
    let wrong = |what: String| Error::Setting(format!("{}: {what}", path.display()));
    let table: Table = text.parse().map_err(|error| wrong(format!("{error}")))?;
    let mut args = Vec::new();
    for (key, value) in &table {
        let flag = flags(command).find(|flag| flag.get_long() == Some(key));
        let flag = flag.ok_or_else(|| wrong(unknown(command, key)))?;
        if matches.value_source(flag.get_id().as_str()) != Some(ValueSource::CommandLine) {
            let values = flag_args(flag, key, value);
            args.extend(values.ok_or_else(|| wrong(format!("{key} cannot be {value}")))?);
        }
    }
    Ok(args)
}

/// Returns the flags that a file can set.
fn flags(command: &Command) -> impl Iterator<Item = &Arg> {
    command.get_arguments().filter(|flag| {
        flag.get_long().is_some_and(|name| !FLAGS_ONLY.contains(&name))
            && !matches!(flag.get_action(), ArgAction::Help | ArgAction::Version)
    })
}

/// Returns the text of the error of an unknown setting, with the known one that looks most like it.
fn unknown(command: &Command, key: &str) -> String {
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

/// Flags whose values nobody may see.
const SECRETS: [&str; 2] = ["requirepass", "user"];

/// Returns all settings of arguments together with those of the file, and their sources: `given` are the arguments
/// alone. A repeated flag of names and values is a setting each, called `FLAG.NAME`.
pub fn settings(command: &Command, given: &ArgMatches, args: Vec<OsString>) -> Vec<Setting> {
    let matches = command.clone().get_matches_from(args);
    let is_set =
        |matches: &ArgMatches, id: &str| matches.value_source(id) == Some(ValueSource::CommandLine);
    let mut settings = Vec::new();
    for flag in flags(command) {
        let (Some(name), id) = (flag.get_long(), flag.get_id().as_str()) else { continue };
        let source = match () {
            () if is_set(given, id) => Source::Flag,
            () if is_set(&matches, id) => Source::File,
            () => Source::Default,
        };
        let description = flag.get_help().map(ToString::to_string).unwrap_or_default();
        let raw = matches.get_raw(id).into_iter().flatten();
        let values: Vec<_> = raw.map(|value| value.to_string_lossy().into_owned()).collect();
        let setting = |name: String, value: String| {
            let is_secret = SECRETS.contains(&name.as_str())
                || name.strip_prefix("parameter.").is_some_and(|name| {
                    Id::find(name.as_bytes()).is_some_and(|id| id.parameter().is_secret)
                });
            let value = if is_secret && !value.is_empty() { HIDDEN.to_owned() } else { value };
            Setting { name, value, source, description: description.clone() }
        };
        match (id, flag.get_action()) {
            ("parameter", _) => settings.extend(values.iter().map(|value| {
                let (key, value) = value.split_once('=').unwrap_or((value, ""));
                setting(format!("{name}.{key}"), value.to_owned())
            })),
            (_, ArgAction::SetTrue) => {
                settings.push(setting(name.to_owned(), matches.get_flag(id).to_string()));
            }
            _ => settings.push(setting(name.to_owned(), values.join(", "))),
        }
    }
    settings
}

/// Returns a number if it is one, else a text.
fn plain(text: &str) -> Value {
    text.parse().map_or_else(|_| Value::String(text.to_owned()), Value::Integer)
}
