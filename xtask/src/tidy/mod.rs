//! Automatic style checks. Each rule reports what it found, where, and what to do instead.

mod blocks;
mod claims;
mod commands;
mod cycles;
mod documents;
mod format;
mod labels;
mod lengths;
mod owners;
mod places;
mod programs;
mod unsafety;
mod walks;

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// The engine's folders in dependency order: each imports only from those before it. ARCHITECTURE.md has the same list.
const ORDER: &[&str] = &[
    "error",
    "env",
    "base",
    "stats",
    "fs",
    "compress",
    "cache",
    "budget",
    "hooks",
    "options",
    "batch",
    "wal",
    "iter",
    "rangedel",
    "memtable",
    "sst",
    "version",
    "read",
    "write",
    "flush",
    "compaction",
    "external",
    "session",
    "lookup",
    "report",
    "files",
    "catalog",
    "commit",
    "properties",
    "jobs",
    "open",
    "db",
    "utilities",
    "txn",
    "api",
];

/// The server's folders in dependency order. `crates/server/src/lib.rs` has the same list.
const SERVER_ORDER: &[&str] = &[
    "error",
    "clock",
    "files",
    "complaints",
    "logs",
    "audit",
    "tls",
    "backup",
    "text",
    "hll",
    "geo",
    "bits",
    "streamid",
    "dump",
    "resp",
    "script",
    "thrift",
    "rows",
    "store",
    "tables",
    "load",
    "redis",
    "transfer",
    "pegasus",
    "net",
    "http",
    "config",
    "program",
];

/// The ordered crates: the prefix of their sources, and their folders.
const ORDERED: &[(&str, &[&str])] =
    &[("crates/engine/src/", ORDER), ("crates/server/src/", SERVER_ORDER)];

/// Generated files, whose style is not checked.
const GENERATED: &[&str] =
    &["librocksdb-sys/0.17/src/bindings.rs", "librocksdb-sys/0.19/src/bindings.rs"];

/// Words that must not be committed, and what to do instead. They are split so that this file passes.
const BANNED: &[(&str, &str)] = &[
    (concat!("FIX", "ME"), "fix it, or write an issue"),
    (concat!("TO", "DO"), "do it, or write an issue"),
    (concat!("dbg", "!("), "remove the print"),
    (concat!("unimpl", "emented!("), "return Error::not_supported with the feature's name"),
];

/// The maximum number of lines of a file.
const LINES_MAX: usize = 750;

/// Columns of a comment. rustfmt leaves comments as they are.
const COMMENT_MAX: usize = 120;

/// Runs every rule on the repository and prints violations.
pub(crate) fn run() -> ExitCode {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("the workspace").to_owned();
    let mut problems = Vec::new();
    let mut sources = Vec::new();
    for top in ["crates", "xtask"] {
        collect(&root.join(top), "rs", &mut sources);
    }
    sources.sort();
    sources.retain(|path| !GENERATED.iter().any(|name| path.ends_with(name)));
    let (mut engine, mut texts) = (BTreeMap::new(), BTreeMap::new());
    for path in &sources {
        let text = fs::read_to_string(path).unwrap_or_default();
        let name = path.strip_prefix(&root).unwrap_or(path).display().to_string();
        check_words(&name, &text, &mut problems);
        documents::check_references(&name, &text, &mut problems);
        check_comments(&name, &text, &mut problems);
        check_header(&name, &text, &mut problems);
        check_imports(&name, &text, &mut problems);
        format::check(&root, &name, &text, &mut problems);
        if let Some(name) = name.strip_prefix("crates/engine/src/") {
            engine.insert(name.to_owned(), text.clone());
        }
        texts.insert(name, text);
    }
    unsafety::check(&root, &texts, &mut problems);
    places::check(&engine, &mut problems);
    lengths::check(&engine, &mut problems);
    cycles::check(&engine, &mut problems);
    owners::check(&engine, &mut problems);
    labels::check(&engine, &mut problems);
    programs::check(&root, &mut problems);
    walks::check(&root, &engine, &mut problems);
    documents::check_folders(&root, ORDER, &mut problems);
    documents::check_compiler(&root, &mut problems);
    let counts = claims::Counts::collect(&root);
    let known = commands::Known::collect(&root);
    let witnesses = blocks::Witnesses::collect(&root, &sources);
    for path in documents::all(&root) {
        let text = fs::read_to_string(&path).unwrap_or_default();
        let name = path.strip_prefix(&root).unwrap_or(&path).display().to_string();
        documents::check_paths(&root, &path, &text, &mut problems);
        documents::check_references(&name, &text, &mut problems);
        known.check(&name, &text, &mut problems);
        witnesses.check(&name, &text, &mut problems);
        // History states what was true then.
        if name != "CHANGELOG.md" && !name.starts_with("docs/decisions/") {
            counts.check(&name, &text, &mut problems);
        }
    }
    for problem in &problems {
        eprintln!("tidy: {problem}");
    }
    println!("tidy: {} files, {} problems", sources.len(), problems.len());
    if problems.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// Returns the files below `dir` with this extension. Cargo's target directories contain a marker file; a source folder
/// of that name does not.
fn collect(dir: &Path, extension: &str, out: &mut Vec<PathBuf>) {
    let Ok(entries) = fs::read_dir(dir) else { return };
    for path in entries.flatten().map(|entry| entry.path()) {
        if path.is_dir() && !path.join("CACHEDIR.TAG").exists() {
            collect(&path, extension, out);
        } else if path.extension().is_some_and(|e| e == extension) {
            out.push(path);
        }
    }
}

fn check_words(name: &str, text: &str, problems: &mut Vec<String>) {
    for (i, line) in text.lines().enumerate() {
        for (word, instead) in BANNED {
            if line.contains(word) {
                problems.push(format!("{name}:{}: {word} is banned: {instead}", i + 1));
            }
        }
    }
    let lines = text.lines().count();
    if lines > LINES_MAX {
        problems.push(format!("{name}: {lines} lines, expected at most {LINES_MAX}"));
    }
}

/// Checks comments, which rustfmt does not wrap. Lines within string literals do not begin with slashes.
fn check_comments(name: &str, text: &str, problems: &mut Vec<String>) {
    for (i, line) in text.lines().enumerate() {
        let columns = line.chars().count();
        if line.trim_start().starts_with("//") && columns > COMMENT_MAX {
            let at = i + 1;
            problems.push(format!(
                "{name}:{at}: a comment of {columns} columns, expected at most {COMMENT_MAX}"
            ));
        }
    }
}

/// Checks that every source file except tests has a header.
fn check_header(name: &str, text: &str, problems: &mut Vec<String>) {
    if !name.ends_with("_test.rs") && !text.starts_with("//!") && !name.contains("/tests/") {
        problems.push(format!("{name}: expected a `//!` line that says what the file owns"));
    }
}

/// Returns a file of the engine without its tests; empty for a file that is only for tests.
fn production_code<'a>(name: &str, text: &'a str) -> &'a str {
    let is_test = ["_test.rs", "/test_util.rs"].iter().any(|end| name.ends_with(end));
    if is_test || name.contains("/testing") {
        return "";
    }
    text.split("#[cfg(test)]\nmod tests {").next().unwrap_or(text)
}

/// Returns the order of folders that holds for a file, and the folder that the file belongs to.
fn folder(name: &str) -> Option<(&'static [&'static str], &str)> {
    let (prefix, order) = ORDERED.iter().find(|(prefix, _)| name.starts_with(prefix))?;
    let first = name[prefix.len()..].split('/').next()?;
    Some((order, first.strip_suffix("_test.rs").or(first.strip_suffix(".rs")).unwrap_or(first)))
}

fn check_imports(name: &str, text: &str, problems: &mut Vec<String>) {
    let Some((order, from)) = folder(name) else { return };
    let Some(rank) = order.iter().position(|f| *f == from) else {
        if !["lib", "bin", "testing"].contains(&from) {
            problems
                .push(format!("{name}: folder {from} is not in the list in xtask/src/tidy/mod.rs"));
        }
        return;
    };
    // Tests may import from later folders: they check parts through the whole that uses them.
    for (i, line) in production_code(name, text).lines().enumerate() {
        let code = line.split("//").next().unwrap_or("");
        for to in code.split("crate::").skip(1) {
            let to = to.split(|c: char| !c.is_alphanumeric() && c != '_').next().unwrap_or("");
            let Some(target) = order.iter().position(|f| *f == to) else { continue };
            if target > rank {
                problems.push(format!("{name}:{}: {from} imports {to}, which comes later", i + 1));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wide_comments_are_found_and_wide_strings_are_not() {
        let wide = "x".repeat(COMMENT_MAX);
        let found = |text: &str| {
            let mut problems = Vec::new();
            check_comments("x", text, &mut problems);
            problems.len()
        };
        assert_eq!(found(&format!("    /// {wide}\n")), 1);
        assert_eq!(found(&format!("// {}\nlet a = \"{wide}\";\n", &wide[..COMMENT_MAX - 3])), 0);
    }

    #[test]
    fn a_source_folder_named_target_is_read() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
        let mut sources = Vec::new();
        collect(&root.join("crates/bench"), "rs", &mut sources);
        assert!(sources.iter().any(|path| path.ends_with("src/target/capi.rs")));
    }
}
