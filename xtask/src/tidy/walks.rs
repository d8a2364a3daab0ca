//! Checks the walks of ARCHITECTURE.md: each file of a walk must be called or imported by a file that the walk names
//! before it. This finds walks that omit a file between two others, and walks whose code has moved.
//!
//! A call is a function's name followed by a parenthesis, if only a few files define functions of that name.

use super::cycles::{exports_of, imported};
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// If more files define a name, it does not show which of them is called.
const DEFINED_BY_MAX: usize = 2;

/// Steps that neither names nor imports show: calls through a trait object, and threads that find work. From, to.
const UNSEEN: &[(&str, &str)] = &[
    ("db/writes.rs", "commit/entry.rs"),
    ("wal/writer.rs", "fs/posix/log.rs"),
    ("commit/wal_failure.rs", "jobs/scheduler.rs"),
    ("commit/seal.rs", "jobs/scheduler.rs"),
    ("open/builder.rs", "jobs/scheduler.rs"),
    ("jobs/compaction.rs", "catalog/install.rs"),
    ("jobs/compaction.rs", "budget/kept_free.rs"),
];

/// Checks the walks of the document.
pub(super) fn check(root: &Path, engine: &BTreeMap<String, String>, problems: &mut Vec<String>) {
    let text = std::fs::read_to_string(root.join("ARCHITECTURE.md")).unwrap_or_default();
    let walks = walks(&text);
    if walks.len() != 5 {
        problems.push(format!("ARCHITECTURE.md: expected five walks, found {}", walks.len()));
    }
    let exports = exports_of(engine);
    let functions = Functions::collect(engine);
    for (name, steps) in walks {
        let mut known: BTreeSet<String> = BTreeSet::new();
        for (i, step) in steps.iter().enumerate() {
            let unseen = UNSEEN.iter().any(|(from, to)| to == step && known.contains(*from));
            if i > 0 && !unseen && !reaches(&known, step) {
                problems.push(format!(
                    "ARCHITECTURE.md: {name}: no file that is named before {step} calls or imports \
                     it: name the one between them"
                ));
            }
            known.insert(step.clone());
            known.extend(imported(engine, &exports, step));
            if let Some(folder) = step.strip_suffix("mod.rs") {
                known.extend(engine.keys().filter(|file| file.starts_with(folder)).cloned());
            }
            known.extend(functions.called(engine.get(step).map_or("", String::as_str)));
        }
    }
}

/// Which files define functions of a name.
struct Functions<'a>(BTreeMap<&'a str, BTreeSet<&'a str>>);

impl<'a> Functions<'a> {
    fn collect(files: &'a BTreeMap<String, String>) -> Functions<'a> {
        let mut defined: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
        for (name, text) in files.iter().filter(|(name, _)| !name.ends_with("_test.rs")) {
            let code = text.split("#[cfg(test)]").next().unwrap_or(text);
            for rest in code.split("fn ").skip(1) {
                let function = rest.split(['(', '<']).next().unwrap_or("");
                defined.entry(function).or_default().insert(name);
            }
        }
        Functions(defined)
    }

    /// Returns the files that define what some code calls.
    fn called(&self, text: &str) -> BTreeSet<String> {
        let code = text.split("#[cfg(test)]").next().unwrap_or(text);
        let mut found = BTreeSet::new();
        for (at, _) in code.match_indices('(') {
            let before = &code[..at];
            let start = before.rfind(|c: char| !c.is_alphanumeric() && c != '_');
            let name = &before[start.map_or(0, |i| i + 1)..];
            if before[..before.len() - name.len()].ends_with("fn ") {
                continue;
            }
            let files = self.0.get(name).filter(|files| files.len() <= DEFINED_BY_MAX);
            found.extend(files.into_iter().flatten().map(|file| (*file).to_owned()));
        }
        found
    }
}

/// Returns whether a file, or a file of the folder that it represents, is among the known files.
fn reaches(known: &BTreeSet<String>, step: &str) -> bool {
    match step.strip_suffix("/mod.rs") {
        Some(folder) => known.iter().any(|file| file.starts_with(folder)),
        None => known.contains(step),
    }
}

/// Returns the walks by name, each with its files in order.
fn walks(text: &str) -> Vec<(&str, Vec<String>)> {
    let section = text.split("## Five walks").nth(1).unwrap_or("");
    let section = section.split("\n## ").next().unwrap_or("");
    let mut walks: Vec<(&str, Vec<String>)> = Vec::new();
    for line in section.lines() {
        if let Some(name) = line.strip_prefix("**").and_then(|rest| rest.split(".**").next()) {
            walks.push((name, Vec::new()));
        }
        let Some((_, steps)) = walks.last_mut() else { continue };
        let links = line.split("](crates/engine/src/").skip(1);
        steps.extend(links.filter_map(|link| Some(link.split_once(')')?.0.to_owned())));
    }
    walks
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_files_of_a_walk_are_its_links() {
        let text = "x\n## Five walks\n\n**Write.**\n\n1. [a](crates/engine/src/a/b.rs) and\n\
                    [c](crates/engine/src/c/mod.rs)\n\n**Read.**\n[d](docs/d.md)\n\n## Next\n";
        let found = walks(text);
        assert_eq!(found.len(), 2);
        assert_eq!(found[0], ("Write", vec!["a/b.rs".to_owned(), "c/mod.rs".to_owned()]));
        assert!(found[1].1.is_empty());
    }

    #[test]
    fn calls_lead_to_files_unless_many_define_the_name() {
        let file = |name: &str, text: &str| (name.to_owned(), text.to_owned());
        let files: BTreeMap<String, String> = [
            file("a/x.rs", "fn rare() {}\nfn new() {}\n"),
            file("a/y.rs", "fn new() {}\n"),
            file("a/z.rs", "fn new() {}\n"),
        ]
        .into();
        let functions = Functions::collect(&files);
        assert_eq!(functions.called("self.rare(1); new();"), ["a/x.rs".to_owned()].into());
        assert!(functions.called("fn rare() { other() }\n#[cfg(test)]\nrare();").is_empty());
    }

    #[test]
    fn a_folder_is_reached_by_any_of_its_files() {
        let known: BTreeSet<String> = ["a/b.rs".to_owned()].into();
        assert!(reaches(&known, "a/mod.rs") && reaches(&known, "a/b.rs"));
        assert!(!reaches(&known, "a/c.rs") && !reaches(&known, "d/mod.rs"));
    }
}
