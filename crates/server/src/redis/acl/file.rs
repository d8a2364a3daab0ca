//! Lines of users: `user NAME RULE RULE ...`, in a file or in the settings.

use super::commands::has_space;
use super::refusal::Refusal;
use super::user::{User, UserMap, merge_rules};
use std::path::Path;
use std::{fs, io};

/// Why users could not be read.
#[derive(Debug)]
pub enum FileError {
    /// The file could not be read.
    Io(io::Error),
    /// The errors of all lines that are not valid.
    Lines(String),
}

/// Reads the users of a file. All lines are checked before an error is returned.
///
/// # Errors
///
/// The file cannot be read, or a line is not valid.
pub fn read(path: &Path, all_channels: bool) -> Result<UserMap, FileError> {
    let text = fs::read(path).map_err(FileError::Io)?;
    parse(&text, &path.display().to_string(), all_channels).map_err(FileError::Lines)
}

/// Parses lines of users. `place` names the file in errors.
fn parse(text: &[u8], place: &str, all_channels: bool) -> Result<UserMap, String> {
    let (mut users, mut errors) = (UserMap::new(), String::new());
    for (at, line) in text.split(|byte| *byte == b'\n').enumerate() {
        let (number, line) = (at + 1, line.trim_ascii());
        if line.is_empty() {
            continue;
        }
        let words: Vec<&[u8]> = line.split(|byte| *byte == b' ').collect();
        let (name, rules) = match words.split_first() {
            Some((&b"user", [name, rules @ ..])) => (*name, rules),
            _ => {
                errors += &format!(
                    "{place}:{number} should start with user keyword followed by the username. "
                );
                continue;
            }
        };
        let shown = String::from_utf8_lossy(name);
        if has_space(name) {
            errors +=
                &format!("{place}:{number}: username '{shown}' contains invalid characters. ");
        } else if users.contains_key(name) {
            errors += &format!("WARNING: Duplicate user '{shown}' found on line {number}. ");
        } else {
            let mut user = User::new(all_channels);
            errors += &apply_line(&mut user, rules, &format!("{place}:{number}"), all_channels);
            users.insert(name.to_vec(), user);
        }
    }
    match errors.is_empty() {
        true => Ok(users),
        false => Err(errors),
    }
}

/// Applies the rules of a line. Returns what is wrong with them. Only unknown commands are quoted: other rules may
/// contain passwords, and the errors after the first may follow from it.
fn apply_line(user: &mut User, rules: &[&[u8]], place: &str, all_channels: bool) -> String {
    let Ok(rules) = merge_rules(rules) else {
        return format!("{place}: Unmatched parenthesis in selector definition.");
    };
    let (mut errors, mut has_other) = (String::new(), false);
    for rule in rules {
        let rule = rule.trim_ascii();
        match user.apply(rule, all_channels) {
            Ok(()) => {}
            Err(refusal @ Refusal::UnknownCommand) => {
                let (rule, text) = (String::from_utf8_lossy(rule), refusal.text());
                errors += &format!("{place}: Error in applying operation '{rule}': {text}. ");
            }
            Err(refusal) if !has_other => {
                errors += &format!("{place}: {}. ", refusal.text());
                has_other = true;
            }
            Err(_) => {}
        }
    }
    errors
}

/// Parses users of the settings: `NAME RULE RULE ...`.
///
/// # Errors
///
/// One of them is not valid.
pub fn parse_settings(lines: &[String], all_channels: bool) -> Result<UserMap, String> {
    let mut users = UserMap::new();
    for line in lines {
        let words: Vec<&[u8]> = line.as_bytes().split(|byte| *byte == b' ').collect();
        let (name, rules) = words
            .split_first()
            .filter(|(name, _)| !name.is_empty())
            .ok_or_else(|| format!("expected a name and rules, found {line:?}"))?;
        let shown = String::from_utf8_lossy(name);
        if has_space(name) {
            return Err(format!("the name of user '{shown}' contains a space"));
        }
        let mut user = User::new(all_channels);
        let errors = apply_line(&mut user, rules, &format!("user {shown}"), all_channels);
        if !errors.is_empty() {
            return Err(errors.trim_end().to_owned());
        }
        if users.insert(name.to_vec(), user).is_some() {
            return Err(format!("user {shown} is defined twice"));
        }
    }
    Ok(users)
}

/// Replaces a file by these lines of users. After a crash the file has the old or the new lines.
///
/// # Errors
///
/// The file cannot be written.
pub fn save(path: &Path, lines: impl Iterator<Item = Vec<u8>>) -> io::Result<()> {
    let text: Vec<u8> = lines.flat_map(|line| [line, b"\n".to_vec()].concat()).collect();
    crate::files::replace(path, &text)
}

#[cfg(test)]
#[path = "file_test.rs"]
mod tests;
