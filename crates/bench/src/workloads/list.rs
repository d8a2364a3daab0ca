//! The list of `--benchmarks`.

use super::{Benchmark, GROUPS, MISSING, benchmarks};
use crate::target::Result;

/// One entry of `--benchmarks`.
pub struct Entry {
    /// The benchmark.
    pub benchmark: &'static Benchmark,
    /// The number of measured runs.
    pub repeat: u32,
    /// The number of unmeasured runs before them.
    pub warmup: u32,
}

/// Reads `--benchmarks`: `name,name[X3],name[X3-W1]`.
pub fn parse_list(list: &str) -> Result<Vec<Entry>> {
    list.split(',').map(str::trim).filter(|name| !name.is_empty()).map(parse_entry).collect()
}

fn parse_entry(text: &str) -> Result<Entry> {
    let (name, arguments) = match text.split_once('[') {
        Some((name, rest)) => match rest.strip_suffix(']') {
            Some(arguments) => (name, arguments),
            None => return Err(format!("unknown benchmark arguments '{text}'")),
        },
        None => (text, ""),
    };
    if let Some((_, reason)) = MISSING.iter().find(|(missing, _)| *missing == name) {
        return Err(format!("benchmark '{name}' is not supported: {reason}"));
    }
    let known = benchmarks().find(|benchmark| benchmark.name == name);
    let benchmark = known.ok_or_else(|| {
        let names: Vec<&str> = benchmarks().map(|benchmark| benchmark.name).collect();
        let hint = nearest(name, &names)
            .map_or_else(String::new, |near| format!("; did you mean {near}?"));
        format!("unknown benchmark '{name}'{hint}\nknown: {}", names.join(", "))
    })?;
    let mut entry = Entry { benchmark, repeat: 1, warmup: 0 };
    for argument in arguments.split('-').filter(|argument| !argument.is_empty()) {
        let bad = || format!("unknown benchmark arguments '{text}'");
        let (kind, number) = argument.split_at_checked(1).ok_or_else(bad)?;
        let number = number.parse().map_err(|_| bad())?;
        match kind {
            "X" => entry.repeat = number,
            "W" => entry.warmup = number,
            _ => return Err(bad()),
        }
    }
    Ok(entry)
}

/// Returns the list for `--help=all`.
pub fn help() -> String {
    let mut text = String::new();
    for (heading, benchmarks) in GROUPS {
        text += &format!("\n  {heading}:\n");
        text.extend(benchmarks.iter().map(|b| format!("    {:<29} {}\n", b.name, b.help)));
    }
    text
}

/// Returns the name that is most similar to a misspelt one, if there is a similar one.
fn nearest<'a>(wrong: &str, names: &[&'a str]) -> Option<&'a str> {
    let likeness = |name: &&&str| (strsim::jaro_winkler(wrong, name) * 1e6) as u64;
    names
        .iter()
        .max_by_key(likeness)
        .copied()
        .filter(|name| strsim::jaro_winkler(wrong, name) > 0.7)
}
