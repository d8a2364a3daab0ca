//! Cycles of files inside a folder of the engine: two files that import each other, directly or through others, can
//! only be read together.

use std::collections::{BTreeMap, BTreeSet};

/// Known cycles: the files of each, below `crates/engine/src`. A group may become smaller.
const KNOWN: &[&[&str]] = &[
    &[
        "api/batch.rs",
        "api/column_family.rs",
        "api/cursor.rs",
        "api/db.rs",
        "api/iter.rs",
        "api/read_options.rs",
        "api/snapshot.rs",
    ],
    &[
        "options/block_based.rs",
        "options/cf.rs",
        "options/db.rs",
        "options/dump.rs",
        "options/table.rs",
    ],
];

/// Reports every cycle that is not in the list above, and every listed group that is no longer a cycle.
pub(super) fn check(engine: &BTreeMap<String, String>, problems: &mut Vec<String>) {
    let mut seen = vec![false; KNOWN.len()];
    for cycle in cycles(&imports(engine)) {
        let known =
            KNOWN.iter().position(|group| cycle.iter().all(|f| group.contains(&f.as_str())));
        match known {
            Some(at) => seen[at] = true,
            None => problems.push(format!(
                "files import each other: {}: move what both need into a file of its own",
                cycle.join(", ")
            )),
        }
    }
    for (group, seen) in KNOWN.iter().zip(seen) {
        if !seen {
            problems.push(format!(
                "xtask/src/tidy/cycles.rs: {} is no cycle any more: remove it from the list",
                group.join(", ")
            ));
        }
    }
}

/// The names that each folder re-exports, and the files that they come from.
pub(super) type Exports<'a> = BTreeMap<&'a str, BTreeMap<&'a str, String>>;

/// Returns the re-exports of each folder's `mod.rs`.
pub(super) fn exports_of(files: &BTreeMap<String, String>) -> Exports<'_> {
    let of = |(name, text)| Some((str::strip_suffix(name, "/mod.rs")?, re_exports(text)));
    files.iter().map(|(name, text)| (name.as_str(), text.as_str())).filter_map(of).collect()
}

/// Returns all files of the engine that a file imports. A re-export of `mod.rs` counts as imported from its file.
pub(super) fn imported(
    files: &BTreeMap<String, String>,
    exports: &Exports<'_>,
    name: &str,
) -> BTreeSet<String> {
    let text = files.get(name).map_or("", String::as_str);
    let code = text.split("#[cfg(test)]\nmod tests").next().unwrap_or(text);
    let here = name.rsplit_once('/').map_or("", |(dir, _)| dir);
    let mut found = BTreeSet::new();
    let mut note = |dir: &str, item: &str| {
        let own = exports.get(dir).and_then(|names| names.get(item)).map(String::as_str);
        found.insert(format!("{dir}/{}.rs", own.unwrap_or(item)));
        found.insert(format!("{dir}/{item}/mod.rs"));
    };
    for (ups, item) in supers(code) {
        let dir = (1..ups).fold(here, |dir, _| dir.rsplit_once('/').map_or("", |(up, _)| up));
        note(dir, item);
    }
    for path in code.split("crate::").skip(1) {
        let end = path.find([';', '(', '<']).unwrap_or(path.len());
        let Some((dirs, items)) = path[..end].rsplit_once("::") else { continue };
        let dirs = dirs.trim_start_matches('{').replace("::", "/");
        for item in items.split(|c: char| !c.is_alphanumeric() && c != '_') {
            note(&dirs, item);
        }
        // A module, and a function of it.
        if let Some((dir, module)) = dirs.rsplit_once('/') {
            note(dir, module);
        }
    }
    // `folder::function(…)`, after importing the folder.
    for (at, _) in code.match_indices("::") {
        let is_name = |c: char| c.is_alphanumeric() || c == '_';
        let start = code[..at].rfind(|c| !is_name(c)).map_or(0, |i| i + 1);
        let end = code[at + 2..].find(|c| !is_name(c)).unwrap_or(0);
        note(&code[start..at], &code[at + 2..at + 2 + end]);
    }
    found.retain(|file| files.contains_key(file));
    found
}

/// Returns the files of its folder that each file imports. A re-export of `mod.rs` counts as imported from its file.
fn imports(files: &BTreeMap<String, String>) -> BTreeMap<&str, BTreeSet<&str>> {
    let exports = exports_of(files);
    let mut graph = BTreeMap::new();
    let is_part = |name: &str| {
        name.contains('/') && !name.ends_with("/mod.rs") && !name.ends_with("_test.rs")
    };
    for (name, text) in files.iter().filter(|(name, _)| is_part(name)) {
        let code = text.split("#[cfg(test)]\nmod tests").next().unwrap_or(text);
        let mut found = BTreeSet::new();
        for (ups, item) in supers(code) {
            let mut dir = name.rsplit_once('/').map_or("", |(dir, _)| dir);
            for _ in 1..ups {
                dir = dir.rsplit_once('/').map_or("", |(dir, _)| dir);
            }
            let own = exports.get(dir).and_then(|names| names.get(item)).map(String::as_str);
            let target = format!("{dir}/{}.rs", own.unwrap_or(item));
            if let Some((target, _)) = files.get_key_value(&target)
                && target != name
            {
                found.insert(target.as_str());
            }
        }
        graph.insert(name.as_str(), found);
    }
    graph
}

/// Returns the names that a `mod.rs` re-exports, and the files that they come from.
fn re_exports(text: &str) -> BTreeMap<&str, String> {
    let mut names = BTreeMap::new();
    for statement in text.split(';') {
        let Some((_, path)) = statement.split_once("use ") else { continue };
        let Some((file, items)) = path.split_once("::") else { continue };
        for item in items.split(|c: char| !c.is_alphanumeric() && c != '_') {
            names.insert(item, file.trim().to_owned());
        }
    }
    names
}

/// Returns the parent folders that a file names: the number of `super`s, and the first name after them.
fn supers(code: &str) -> Vec<(usize, &str)> {
    let is_name = |c: char| c.is_alphanumeric() || c == '_';
    let mut found = Vec::new();
    for line in code.split('\n').filter(|line| !line.trim_start().starts_with("//")) {
        let Some(at) = line.find("super::") else { continue };
        let ups = line[at..].matches("super::").count();
        let last = line.rfind("super::").map_or(at, |at| at + "super::".len());
        let rest = &code[line.as_ptr() as usize - code.as_ptr() as usize + last..];
        match rest.strip_prefix('{') {
            Some(list) => {
                let list = list.split('}').next().unwrap_or("");
                found.extend(list.split(',').map(|item| {
                    let item = item.trim();
                    (ups, item.split(|c| !is_name(c)).next().unwrap_or(""))
                }));
            }
            None => found.push((ups, rest.split(|c| !is_name(c)).next().unwrap_or(""))),
        }
    }
    found
}

/// Returns the groups of files that reach each other.
fn cycles(graph: &BTreeMap<&str, BTreeSet<&str>>) -> Vec<Vec<String>> {
    let reach: BTreeMap<&str, BTreeSet<&str>> =
        graph.keys().map(|file| (*file, reachable(graph, file))).collect();
    let mut groups = BTreeSet::new();
    for (file, targets) in &reach {
        let back = |other: &&&str| reach.get(**other).is_some_and(|there| there.contains(file));
        let group: Vec<String> = targets.iter().filter(back).map(|f| (*f).to_owned()).collect();
        if group.len() > 1 {
            groups.insert(group);
        }
    }
    groups.into_iter().collect()
}

fn reachable<'a>(graph: &BTreeMap<&'a str, BTreeSet<&'a str>>, from: &str) -> BTreeSet<&'a str> {
    let mut found = BTreeSet::new();
    let mut open: Vec<&str> = vec![from];
    while let Some(file) = open.pop() {
        for next in graph.get(file).into_iter().flatten() {
            if found.insert(*next) {
                open.push(next);
            }
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn graph_of(files: &[(&str, &str)]) -> Vec<Vec<String>> {
        let files: BTreeMap<String, String> =
            files.iter().map(|(name, text)| ((*name).to_owned(), (*text).to_owned())).collect();
        cycles(&imports(&files))
    }

    #[test]
    fn files_that_import_each_other_are_found_also_through_the_folder() {
        let a = ("x/a.rs", "use super::b::B;\n");
        assert!(graph_of(&[a, ("x/b.rs", "")]).is_empty());
        assert_eq!(graph_of(&[a, ("x/b.rs", "use super::{c, a::A};\n")]), [["x/a.rs", "x/b.rs"]]);
        let folder = ("x/mod.rs", "mod a;\npub use a::{A, Other};\n");
        assert_eq!(graph_of(&[a, folder, ("x/b.rs", "use super::A;\n")]), [["x/a.rs", "x/b.rs"]]);
        let below = ("x/y/c.rs", "use super::super::a::A;\n");
        assert_eq!(graph_of(&[("x/a.rs", "use super::d;\n"), below, ("x/d.rs", "")]).len(), 0);
    }

    #[test]
    fn comments_and_tests_import_nothing() {
        let a = ("x/a.rs", "use super::b::B;\n");
        let b =
            ("x/b.rs", "/// See super::a.\n#[cfg(test)]\nmod tests {\n    use super::a::A;\n}\n");
        assert!(graph_of(&[a, b]).is_empty());
    }
}
