//! Ini files: `[section]`, `key = value`, comments after `#` or `;`. Sections and keys are case-insensitive.
//!
//! If a key is given twice, the last value wins. An unknown key is an error.

use super::engine::Kind;
use super::rows::{self, Effect, ROWS};
use std::collections::BTreeMap;
use std::fmt::Display;
use std::path::Path;
use std::str::FromStr;

/// The keys of a file with their values.
#[derive(Clone, Debug, Default)]
pub struct Ini {
    /// The file, for errors.
    name: String,
    /// Line and value, by section and key.
    values: BTreeMap<(String, String), (usize, String)>,
}

impl Ini {
    /// Reads a file.
    pub fn read(path: &Path) -> Result<Ini, String> {
        let text = std::fs::read_to_string(path).map_err(|e| format!("{}: {e}", path.display()))?;
        Ini::parse(&path.display().to_string(), &text)
    }

    /// Parses a text; `name` is for errors, which also have the line.
    pub fn parse(name: &str, text: &str) -> Result<Ini, String> {
        let mut ini = Ini { name: name.to_owned(), values: BTreeMap::new() };
        let mut section = String::new();
        for (i, line) in text.lines().enumerate() {
            let at = |what: String| format!("{name}, line {}: {what}", i + 1);
            let line = line.trim();
            if line.is_empty() || line.starts_with(['#', ';']) {
                continue;
            }
            if let Some(rest) = line.strip_prefix('[') {
                let inside = rest.split(']').next().filter(|_| rest.contains(']'));
                section = inside
                    .ok_or_else(|| at(format!("{line}: expected [section]")))?
                    .trim()
                    .to_lowercase();
                if !ROWS.iter().any(|row| row.section == section) {
                    return Err(at(unknown_section(&section)));
                }
                continue;
            }
            let (key, value) = line
                .split_once('=')
                .ok_or_else(|| at(format!("{line}: expected key = value or [section]")))?;
            ini.enter(&section, &key.trim().to_lowercase(), without_comment(value), i + 1)
                .map_err(at)?;
        }
        Ok(ini)
    }

    /// Sets a key, replacing the file's value.
    pub fn set(&mut self, section: &str, key: &str, value: impl Display) -> Result<(), String> {
        self.enter(section, key, &value.to_string(), 0)
    }

    fn enter(&mut self, section: &str, key: &str, value: &str, line: usize) -> Result<(), String> {
        if rows::find(section, key).is_none() {
            return Err(unknown_key(section, key));
        }
        self.values.insert((section.to_owned(), key.to_owned()), (line, value.to_owned()));
        Ok(())
    }

    /// Returns the value of a key or its default; `None` if it has neither.
    pub fn text(&self, section: &str, key: &str) -> Option<&str> {
        debug_assert!(rows::find(section, key).is_some(), "{section}:{key} has no row");
        let given = self.given(section, key).map(|(_, value)| value.as_str());
        let default = || rows::find(section, key).map_or("", |row| row.default);
        Some(given.unwrap_or_else(default)).filter(|value| !value.is_empty())
    }

    fn given(&self, section: &str, key: &str) -> Option<&(usize, String)> {
        self.values.get(&(section.to_owned(), key.to_owned()))
    }

    /// Returns an error about the value of a key.
    pub fn wrong(&self, section: &str, key: &str, expected: &str) -> String {
        let value = self.text(section, key).unwrap_or_default();
        let place = match self.given(section, key) {
            Some((line, _)) if *line > 0 => format!("{}, line {line}: ", self.name),
            _ => String::new(),
        };
        format!("{place}[{section}] {key} = {value}: expected {expected}")
    }

    /// Returns the value of a key that has a default, parsed.
    pub fn number<T: FromStr>(&self, section: &str, key: &str) -> Result<T, String> {
        let text = self.text(section, key).unwrap_or_default();
        text.parse().map_err(|_| self.wrong(section, key, "a number that is not negative"))
    }

    /// Returns whether a value begins with one of these letters.
    pub fn begins(&self, section: &str, key: &str, letters: &str) -> bool {
        let first = self.text(section, key).and_then(|text| text.chars().next());
        first.is_some_and(|first| letters.contains(first.to_ascii_lowercase()))
    }

    /// Returns whether a value is 1, yes, true or on; 0, no, false and off are the other values.
    pub fn flag(&self, section: &str, key: &str) -> Result<bool, String> {
        match self.text(section, key).unwrap_or_default().to_lowercase().as_str() {
            "1" | "yes" | "true" | "on" => Ok(true),
            "0" | "no" | "false" | "off" => Ok(false),
            _ => Err(self.wrong(section, key, "1, 0, yes, no, true or false")),
        }
    }

    /// Returns which of these names a value is.
    pub fn choice(&self, section: &str, key: &str, names: &[&str]) -> Result<usize, String> {
        let text = self.text(section, key).unwrap_or_default().to_lowercase();
        let index = names.iter().position(|name| *name == text);
        index.ok_or_else(|| self.wrong(section, key, &names.join(" or ")))
    }

    /// Returns one line for each key that is given and does not apply to the engine.
    pub fn notices(&self, engine: &Kind) -> Vec<String> {
        let name = engine.name;
        let notice = |(section, key): &(String, String)| {
            let why = match rows::find(section, key)?.effect {
                Effect::Never(why) => why.to_owned(),
                Effect::Lsm if !engine.has(key) => format!("{name} has no such option"),
                Effect::ForestDb if name != "forestdb" => "only ForestDB has it".to_owned(),
                _ => return None,
            };
            Some(format!("[{section}] {key} has no effect on {name}: {why}"))
        };
        self.values.keys().filter_map(notice).collect()
    }

    /// Returns the keys that are given, as a file that has the same meaning.
    pub fn to_text(&self) -> String {
        let (mut out, mut last) = (String::new(), "");
        for ((section, key), (_, value)) in &self.values {
            if section != last {
                out += &format!("[{section}]\n");
                last = section;
            }
            out += &format!("{key} = {value}\n");
        }
        out
    }
}

/// Returns a value without the comment after it. In quotes, `#` and `;` are part of the value.
fn without_comment(value: &str) -> &str {
    let value = value.trim();
    for quote in ['"', '\''] {
        if let Some((inside, _)) = value.strip_prefix(quote).and_then(|rest| rest.split_once(quote))
        {
            return inside;
        }
    }
    value.split(['#', ';']).next().unwrap_or_default().trim()
}

fn unknown_section(section: &str) -> String {
    let mut known: Vec<&str> = ROWS.iter().map(|row| row.section).collect();
    known.dedup();
    format!("unknown section [{section}]; known: {}", known.join(", "))
}

fn unknown_key(section: &str, key: &str) -> String {
    let near = ROWS
        .iter()
        .map(|row| (strsim::damerau_levenshtein(row.key, key), row.section != section, row))
        .min_by_key(|(distance, elsewhere, _)| (*distance, *elsewhere))
        .filter(|(distance, ..)| *distance <= 3);
    match near {
        Some((0, _, row)) => {
            format!("unknown key {key} in [{section}]; it belongs to [{}]", row.section)
        }
        Some((_, _, row)) => {
            format!(
                "unknown key {key} in [{section}]; did you mean {} in [{}]?",
                row.key, row.section
            )
        }
        None => {
            format!(
                "unknown key {key} in [{section}]; ferrolith-bench forestdb keys lists all keys"
            )
        }
    }
}
