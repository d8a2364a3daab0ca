//! The functions of the ABI in the Rust sources: their declarations and their comments.

use super::types;
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

pub(crate) struct Function {
    /// File and line.
    pub(crate) place: String,
    /// The types of its arguments, as written.
    pub(crate) arguments: Vec<String>,
    /// Empty when it returns nothing.
    pub(crate) returns: String,
    /// Its documentation comment.
    pub(crate) comment: String,
}

pub(crate) type Functions = BTreeMap<String, Function>;

const BEGIN: &str = "extern \"C\" fn rocksdb_";

/// Returns all functions in Rust files under `dir`.
pub(crate) fn functions(dir: &Path) -> Result<Functions, String> {
    let mut out = Functions::new();
    collect(dir, &mut out)?;
    Ok(out)
}

fn collect(dir: &Path, out: &mut Functions) -> Result<(), String> {
    let said = |e: std::io::Error| format!("{}: {e}", dir.display());
    for entry in fs::read_dir(dir).map_err(said)? {
        let path = entry.map_err(said)?.path();
        if path.is_dir() {
            collect(&path, out)?;
        } else if path.extension().is_some_and(|e| e == "rs") {
            let text = fs::read_to_string(&path).map_err(said)?;
            scan(&path, &text, out)?;
        }
    }
    Ok(())
}

fn scan(path: &Path, text: &str, out: &mut Functions) -> Result<(), String> {
    for (at, _) in text.match_indices(BEGIN) {
        let place = format!("{}:{}", path.display(), text[..at].lines().count());
        let parse = || {
            let rest = &text[at + BEGIN.len() - "rocksdb_".len()..];
            let (name, rest) = rest.split_once('(')?;
            let end = closing(rest)?;
            let arguments = types::split(&rest[..end]);
            let arguments = arguments.iter().map(|a| a.split_once(':').map(|(_, t)| t.trim()));
            let arguments = arguments.map(|a| a.map(str::to_string)).collect::<Option<Vec<_>>>()?;
            let after = rest[end + 1..].split('{').next()?.trim();
            let returns = after.trim_start_matches("->").trim().to_string();
            Some((name.to_string(), arguments, returns))
        };
        let (name, arguments, returns) = parse().ok_or(format!("{place}: cannot be read"))?;
        let comment = comment_before(&text[..at]);
        out.insert(name, Function { place, arguments, returns, comment });
    }
    Ok(())
}

/// Returns the position at which the parenthesis that is open at the start closes.
fn closing(text: &str) -> Option<usize> {
    let mut depth = 1;
    text.char_indices().find_map(|(i, c)| {
        depth += match c {
            '(' => 1,
            ')' => -1,
            _ => 0,
        };
        (depth == 0).then_some(i)
    })
}

/// Returns the `///` lines directly above, skipping attributes.
fn comment_before(text: &str) -> String {
    let mut lines = Vec::new();
    // The first of the lines backwards is the function's own.
    for line in text.lines().rev().skip(1) {
        match line.trim() {
            attribute if attribute.starts_with("#[") => {}
            comment if comment.starts_with("///") => {
                lines.push(comment.trim_start_matches('/').trim());
            }
            _ => break,
        }
    }
    lines.reverse();
    lines.join(" ")
}
