//! Parses arguments into `Flags`, with clap.
//!
//! clap supports neither one dash before a long name nor `--nobool`, so [`builtins`] first brings arguments into its
//! form. Its errors are worded as gflags words them, because tools look for that.

use super::builtins::{self, Print, rows};
use super::{Fate, Flags, Kind, Row, Value, help};
use clap::builder::PossibleValuesParser;
use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{Arg, ArgAction, Command};
use std::collections::HashMap;

/// The result of parsing a command line.
pub enum Parsed {
    /// Run, after printing these notices.
    Run(Box<Flags>, Vec<String>),
    /// Print this text and exit successfully.
    Print(String),
}

/// Reads a command line, without the program's name. An error is one or two lines for the user.
pub fn parse(args: &[String]) -> Result<Parsed, String> {
    let expanded = builtins::expand(args, &|name| std::env::var(name).ok())?;
    if let Some(print) = expanded.print {
        return Ok(Parsed::Print(match print {
            Print::Help => help::short(),
            Print::All => command().render_help().to_string(),
            Print::Matching(word) => builtins::matching(&word),
            Print::Xml => builtins::xml(),
            Print::Version => version(),
        }));
    }
    let program = std::iter::once("db_bench".to_owned());
    let matches =
        command().try_get_matches_from(program.chain(expanded.args)).map_err(|e| describe(&e))?;
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
    if flags.on("build_info") {
        return Ok(Parsed::Print(build_info()));
    }
    flags.follow_old_names();
    Ok(Parsed::Run(Box::new(flags), notices))
}

/// Returns the version in the words of RocksDB's tool, with the RocksDB version whose flags, files and output it has.
fn version() -> String {
    format!(
        "db_bench version {} (Ferrolith {})",
        ferrolith::internal::options::ROCKSDB_VERSION,
        env!("CARGO_PKG_VERSION")
    )
}

fn build_info() -> String {
    let build = if cfg!(debug_assertions) { "debug" } else { "release" };
    format!(
        "{}\n    build: {build}\n    target: {} {}\n    crc32c: {}",
        version(),
        std::env::consts::ARCH,
        std::env::consts::OS,
        ferrolith::internal::base::checksum::crc32c_target(),
    )
}

fn command() -> Command {
    let mut command = Command::new("db_bench")
        .disable_help_flag(true)
        .disable_version_flag(true)
        .about(help::ABOUT)
        .after_help("Benchmarks:".to_owned() + &crate::workloads::help())
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

pub(super) fn value_of(row: &Row, text: &str) -> Result<Value, String> {
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
        Kind::Int32 => Value::Int(whole::<i32>(text).ok_or_else(bad)?.into()),
        Kind::Int64 => Value::Int(whole::<i64>(text).ok_or_else(bad)?),
        Kind::Uint32 => Value::Uint(whole::<u32>(text).ok_or_else(bad)?.into()),
        Kind::Uint64 => Value::Uint(whole::<u64>(text).ok_or_else(bad)?),
        Kind::Double => match text.parse::<f64>() {
            Ok(number) if number.is_finite() => Value::Double(number),
            _ => return Err(bad()),
        },
        Kind::Text | Kind::Choice(_) => Value::Text(text.to_owned()),
    })
}

/// Parses an integer in decimal, or in hexadecimal after `0x`.
fn whole<T: TryFrom<i128>>(text: &str) -> Option<T> {
    let number = match text.strip_prefix("0x").or_else(|| text.strip_prefix("0X")) {
        Some(digits) => i128::from_str_radix(digits, 16).ok()?,
        None => text.parse().ok()?,
    };
    T::try_from(number).ok()
}

/// Returns the line about a given flag, if it needs one. An unsupported feature is an error.
fn notice(row: &Row, flags: &Flags) -> Result<Option<String>, String> {
    let value = flags.value(row.name);
    let text = match row.fate {
        Fate::Noted(text) | Fate::Obsolete(text) => text,
        Fate::Refused(reason) if *value != value_of(row, row.default)? => {
            return Err(format!(
                "ERROR: --{}={value} is not supported: {reason} (the default, {}, is accepted)",
                row.name,
                shown(row.default)
            ));
        }
        Fate::Used | Fate::Sets(_) | Fate::Refused(_) => return Ok(None),
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
