//! From arguments to `Flags`, through clap.
//!
//! clap knows neither one dash before a long name nor `--nobool`, so arguments are brought into its
//! form first. Its errors are worded as gflags words them: tools look for that.

use super::{Fate, Flags, Kind, Row, TABLES, Value};
use clap::builder::PossibleValuesParser;
use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{Arg, ArgAction, Command};
use std::collections::HashMap;

/// What a command line asks for.
pub enum Parsed {
    /// Run, after printing these notices.
    Run(Box<Flags>, Vec<String>),
    /// Print this text and end well.
    Print(String),
}

fn rows() -> impl Iterator<Item = (&'static str, &'static Row)> {
    TABLES.iter().flat_map(|(heading, rows)| rows.iter().map(move |row| (*heading, row)))
}

/// Reads a command line, without the program's name. An error is one or two lines for the user.
pub fn parse(args: &[String]) -> Result<Parsed, String> {
    let matches = match command().try_get_matches_from(normalise(args)) {
        Ok(matches) => matches,
        Err(error) => {
            return match error.kind() {
                ErrorKind::DisplayHelp | ErrorKind::DisplayVersion => {
                    Ok(Parsed::Print(error.to_string()))
                }
                _ => Err(describe(&error)),
            };
        }
    };
    let mut flags = Flags { values: HashMap::new(), given: Vec::new() };
    let mut given = Vec::new();
    for (_, row) in rows() {
        let text = matches.get_one::<String>(row.name).map_or("", String::as_str);
        flags.values.insert(row.name, value_of(row, text)?);
        if matches.value_source(row.name) == Some(clap::parser::ValueSource::CommandLine) {
            given.push((matches.index_of(row.name).unwrap_or(0), row));
        }
    }
    given.sort_by_key(|(index, _)| *index);
    let mut notices = Vec::new();
    for (_, row) in given {
        flags.given.push(row.name);
        notices.extend(notice(row, &flags)?);
    }
    Ok(Parsed::Run(Box::new(flags), notices))
}

/// One dash becomes two, `--nobool` becomes `--bool=false`, a bare `--bool` stays.
fn normalise(args: &[String]) -> Vec<String> {
    let mut out = vec!["db_bench".to_owned()];
    let mut is_value = false;
    for arg in args {
        let name = arg.trim_start_matches('-');
        let dashes = arg.len() - name.len();
        if is_value || dashes == 0 || dashes > 2 || name.is_empty() {
            out.push(arg.clone());
            is_value = false;
            continue;
        }
        let row_of = |n: &str| rows().find(|(_, row)| row.name == n).map(|(_, row)| row);
        let is_bool = |n: &str| row_of(n).is_some_and(|row| row.kind == Kind::Bool);
        is_value = row_of(name).is_some_and(|row| row.kind != Kind::Bool);
        match name.strip_prefix("no") {
            Some(off) if is_bool(off) && row_of(name).is_none() => {
                out.push(format!("--{off}=false"));
            }
            _ => out.push(format!("--{name}")),
        }
    }
    out
}

fn command() -> Command {
    let about = "Measures Ferrolith, or any library with RocksDB's C functions, with the flags and \
                 the output of RocksDB's db_bench.";
    let mut command = Command::new("db_bench")
        .version(env!("CARGO_PKG_VERSION"))
        .about(about)
        .after_help("Benchmarks:\n".to_owned() + &crate::workloads::help())
        .override_usage("db_bench [--flag=value]...");
    for (heading, row) in rows() {
        let mut arg = Arg::new(row.name)
            .long(row.name)
            .help(help_of(row))
            .help_heading(heading)
            .default_value(row.default)
            .hide_default_value(true)
            .value_name(row.kind.name())
            .overrides_with(row.name)
            .action(ArgAction::Set)
            .allow_hyphen_values(true);
        arg = match row.kind {
            Kind::Bool => arg.num_args(0..=1).require_equals(true).default_missing_value("true"),
            Kind::Choice(words) => {
                arg.value_parser(PossibleValuesParser::new(words)).hide_possible_values(true)
            }
            _ => arg,
        };
        command = command.arg(arg);
    }
    command
}

fn help_of(row: &Row) -> String {
    let mut help = format!("{} [default: {}]", row.help, shown(row.default));
    if let Kind::Choice(words) = row.kind {
        let words: Vec<&str> = words.iter().map(|word| shown(word)).collect();
        help += &format!(" [one of: {}]", words.join(", "));
    }
    help
}

fn shown(value: &str) -> &str {
    if value.is_empty() { "\"\"" } else { value }
}

fn value_of(row: &Row, text: &str) -> Result<Value, String> {
    let bad = || {
        format!(
            "ERROR: illegal value '{text}' specified for {} flag '{}'",
            row.kind.name(),
            row.name
        )
    };
    Ok(match row.kind {
        Kind::Bool => match text.to_ascii_lowercase().as_str() {
            "1" | "t" | "true" | "y" | "yes" => Value::Bool(true),
            "0" | "f" | "false" | "n" | "no" => Value::Bool(false),
            _ => return Err(bad()),
        },
        Kind::Int32 => Value::Int(i64::from(text.parse::<i32>().map_err(|_| bad())?)),
        Kind::Int64 => Value::Int(text.parse().map_err(|_| bad())?),
        Kind::Uint32 => Value::Uint(u64::from(text.parse::<u32>().map_err(|_| bad())?)),
        Kind::Uint64 => Value::Uint(text.parse().map_err(|_| bad())?),
        Kind::Double => match text.parse::<f64>() {
            Ok(number) if number.is_finite() => Value::Double(number),
            _ => return Err(bad()),
        },
        Kind::Text | Kind::Choice(_) => Value::Text(text.to_owned()),
    })
}

/// The line about a flag that is given, if it needs one. A feature that is not here is an error.
fn notice(row: &Row, flags: &Flags) -> Result<Option<String>, String> {
    let value = flags.value(row.name);
    let text = match row.fate {
        Fate::Noted(text) | Fate::Obsolete(text) => text,
        Fate::Library if !flags.uses_library() => {
            "for a library only: Ferrolith has no such setting"
        }
        Fate::Refused(reason) if *value != value_of(row, row.default)? => {
            return Err(format!(
                "ERROR: --{}={value} is not supported: {reason} (the default, {}, is accepted)",
                row.name,
                shown(row.default)
            ));
        }
        Fate::Used | Fate::Library | Fate::Refused(_) => return Ok(None),
    };
    Ok(Some(format!("--{}={value}: {text}", row.name)))
}

fn describe(error: &clap::Error) -> String {
    let text = |kind| match error.get(kind) {
        Some(ContextValue::String(text)) => text.clone(),
        Some(ContextValue::Strings(texts)) => texts.join(", "),
        _ => String::new(),
    };
    let arg = text(ContextKind::InvalidArg);
    let name = arg.trim_start_matches('-').split([' ', '=', '[']).next().unwrap_or_default();
    match error.kind() {
        ErrorKind::UnknownArgument if arg.starts_with('-') => {
            let near = text(ContextKind::SuggestedArg);
            let near = near.split([' ', '=', '[']).next().unwrap_or_default();
            let hint =
                if near.is_empty() { String::new() } else { format!("; did you mean {near}?") };
            format!("ERROR: unknown command line flag '{name}'{hint}")
        }
        ErrorKind::UnknownArgument => format!("ERROR: '{arg}' is not a flag"),
        ErrorKind::InvalidValue if text(ContextKind::InvalidValue).is_empty() => {
            format!("ERROR: flag '{name}' is missing its value")
        }
        ErrorKind::InvalidValue => format!(
            "ERROR: illegal value '{}' specified for string flag '{name}'; known: {}",
            text(ContextKind::InvalidValue),
            text(ContextKind::ValidValue)
        ),
        _ => format!("ERROR: {}", error.to_string().lines().next().unwrap_or_default()),
    }
}
