//! The flags that gflags itself has: files and variables with more flags, unknown flags that are put up with, help.
//!
//! `--undefok=a,b`          unknown flags of these names are left out, given as `--a=value`
//! `--flagfile=path,path`   flags, one a line, as if they stood here; `#` begins a comment; a line without a dash
//!                          names programs, and flags behind it are for those alone
//! `--fromenv=a,b`          the values of the variables FLAGS_a and FLAGS_b, which must be there
//! `--tryfromenv=a,b`       the same, if they are there
//! `--help`, `--help=all`, `--helpfull`, `--helpshort`, `--helppackage`, `--helpon=word`, `--helpmatch=word`,
//! `--helpxml`, `--version`

use super::{Kind, Row, TABLES};
use std::collections::VecDeque;

/// The maximum number of nested flag files: more means a cycle.
const FLAG_FILES_MAX: usize = 100;

/// A command line reduced to `--name=value`, `--bool` and mistakes.
pub(super) struct Expanded {
    /// The arguments.
    pub(super) args: Vec<String>,
    /// The text to print instead of running.
    pub(super) print: Option<Print>,
}

/// A text that gflags' help flags ask for.
#[derive(Debug, PartialEq)]
pub(super) enum Print {
    /// Common flags, and the names of benchmarks.
    Help,
    /// All flags and benchmarks.
    All,
    /// Flags whose heading, name or help has this word.
    Matching(String),
    /// All flags as XML.
    Xml,
    /// The version.
    Version,
}

/// Returns all rows with their headings.
pub(super) fn rows() -> impl Iterator<Item = (&'static str, &'static Row)> {
    TABLES.iter().flat_map(|(heading, rows)| rows.iter().map(move |row| (*heading, row)))
}

pub(super) fn row_of(name: &str) -> Option<&'static Row> {
    rows().find(|(_, row)| row.name == name).map(|(_, row)| row)
}

/// Normalises arguments and executes gflags' own flags. `env` looks up a variable.
pub(super) fn expand(
    args: &[String],
    env: &dyn Fn(&str) -> Option<String>,
) -> Result<Expanded, String> {
    let mut queue: VecDeque<String> = args.iter().cloned().collect();
    let mut out = Expanded { args: Vec::new(), print: None };
    let (mut undefok, mut files) = (Vec::new(), 0);
    while let Some(arg) = queue.pop_front() {
        let name = arg.trim_start_matches('-');
        let dashes = arg.len() - name.len();
        if dashes == 0 || dashes > 2 || name.is_empty() {
            out.args.push(arg);
            continue;
        }
        let (name, value) = match name.split_once('=') {
            Some((name, value)) => (name, Some(value.to_owned())),
            None => (name, None),
        };
        let needed = |queue: &mut VecDeque<String>| {
            value.clone().or_else(|| queue.pop_front()).ok_or_else(|| missing(name))
        };
        match name {
            "undefok" => undefok.extend(list(&needed(&mut queue)?)),
            "flagfile" => {
                let mut lines = Vec::new();
                for path in list(&needed(&mut queue)?) {
                    files += 1;
                    if files > FLAG_FILES_MAX {
                        return Err(format!(
                            "ERROR: --flagfile={path}: more than {FLAG_FILES_MAX} flag files; does one name itself?"
                        ));
                    }
                    lines.extend(flag_file(&path)?);
                }
                lines.into_iter().rev().for_each(|line| queue.push_front(line));
            }
            "fromenv" | "tryfromenv" => {
                let mut found = Vec::new();
                for flag in list(&needed(&mut queue)?) {
                    match env(&format!("FLAGS_{flag}")) {
                        Some(value) => found.push(format!("--{flag}={value}")),
                        None if name == "tryfromenv" => {}
                        None => {
                            return Err(format!("ERROR: FLAGS_{flag} not found in environment"));
                        }
                    }
                }
                found.into_iter().rev().for_each(|flag| queue.push_front(flag));
            }
            "helpon" | "helpmatch" => out.print = Some(Print::Matching(needed(&mut queue)?)),
            "help" | "helpfull" | "helpshort" | "helppackage" | "helpxml" | "version" | "h" => {
                out.print = Some(match (name, value.as_deref()) {
                    ("helpxml", _) => Print::Xml,
                    ("version", _) => Print::Version,
                    ("helpfull", _) | ("help", Some("all")) => Print::All,
                    ("help", Some(word)) if !["true", "1"].contains(&word) => {
                        return Err(format!(
                            "ERROR: illegal value '{word}' specified for flag 'help'; known: all"
                        ));
                    }
                    _ => Print::Help,
                });
            }
            _ => out.args.push(plain(name, value, &mut queue)),
        }
    }
    let is_unknown = |arg: &String| {
        let name = arg.trim_start_matches('-').split('=').next().unwrap_or_default();
        let listed = |name: &str| undefok.iter().any(|known: &String| known == name);
        arg.starts_with('-')
            && row_of(name).is_none()
            && (listed(name) || name.strip_prefix("no").is_some_and(listed))
    };
    out.args.retain(|arg| !is_unknown(arg));
    Ok(out)
}

fn missing(name: &str) -> String {
    format!("ERROR: flag '{name}' is missing its argument")
}

fn list(text: &str) -> Vec<String> {
    text.split(',').map(str::trim).filter(|part| !part.is_empty()).map(str::to_owned).collect()
}

/// `--nobool` becomes `--bool=false`, `--flag value` becomes `--flag=value`, a bare `--bool` stays.
fn plain(name: &str, value: Option<String>, queue: &mut VecDeque<String>) -> String {
    let is_bool = |name: &str| row_of(name).is_some_and(|row| row.kind == Kind::Bool);
    if let Some(value) = value {
        return format!("--{name}={value}");
    }
    match (row_of(name), name.strip_prefix("no")) {
        (None, Some(off)) if is_bool(off) => format!("--{off}=false"),
        (Some(row), _) if row.kind != Kind::Bool => match queue.pop_front() {
            Some(value) => format!("--{name}={value}"),
            None => format!("--{name}"),
        },
        _ => format!("--{name}"),
    }
}

/// Returns the flags of a file that apply to this program.
fn flag_file(path: &str) -> Result<Vec<String>, String> {
    let text = std::fs::read_to_string(path)
        .map_err(|error| format!("ERROR: --flagfile={path}: {error}"))?;
    let (mut flags, mut for_us, mut last_was_names) = (Vec::new(), true, false);
    for line in
        text.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with('#'))
    {
        if line.starts_with('-') {
            last_was_names = false;
            if for_us {
                flags.push(line.to_owned());
            }
            continue;
        }
        let ours = line.split_whitespace().any(|name| ["db_bench", "*"].contains(&name));
        for_us = ours || (last_was_names && for_us);
        last_was_names = true;
    }
    Ok(flags)
}

/// Returns the flags that have the word, as gflags prints them.
pub(super) fn matching(word: &str) -> String {
    let wanted = word.to_ascii_lowercase();
    let has = |text: &str| text.to_ascii_lowercase().contains(&wanted);
    let (mut text, mut last) = (String::new(), "");
    for (heading, row) in
        rows().filter(|(heading, row)| has(heading) || has(row.name) || has(row.help))
    {
        if heading != last {
            text += &format!("\n  Flags from {heading}:\n");
            last = heading;
        }
        text += &format!(
            "    -{} ({}) type: {} default: {}\n",
            row.name,
            row.help,
            row.kind.name(),
            shown(row)
        );
    }
    if text.is_empty() {
        format!("no flag has {word:?} in its heading, name or help")
    } else {
        text
    }
}

fn shown(row: &Row) -> String {
    match row.kind {
        Kind::Text | Kind::Choice(_) => format!("{:?}", row.default),
        _ => row.default.to_owned(),
    }
}

/// Returns all flags in the XML of gflags.
pub(super) fn xml() -> String {
    let escaped = |text: &str| text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;");
    let mut text = "<?xml version=\"1.0\"?>\n<AllFlags>\n<program>db_bench</program>\n".to_owned();
    for (heading, row) in rows() {
        text += &format!(
            "<flag><file>{}</file><name>{}</name><meaning>{}</meaning><default>{}</default><current>{}</current><type>{}</type></flag>\n",
            escaped(heading),
            row.name,
            escaped(row.help),
            escaped(row.default),
            escaped(row.default),
            row.kind.name(),
        );
    }
    text + "</AllFlags>"
}
