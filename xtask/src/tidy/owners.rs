//! Limits on the size of the owners of an open database: a type with methods in many files is hard to understand.

use std::collections::BTreeMap;

/// The maximum number of methods of each owner, without `utilities/`. It must only decrease.
const METHODS_MAX: &[(&str, usize)] = &[
    ("Core", 20),
    ("Reporter", 40),
    ("FileKeeper", 30),
    ("Catalog", 42),
    ("CommitQueue", 54),
    ("Properties", 20),
    ("Scheduler", 34),
    ("Flusher", 30),
    ("Compactor", 9),
];

/// The maximum number of lines of the folder of handles.
const DB_LINES_MAX: usize = 5000;

/// Counts methods and lines.
pub(super) fn check(engine: &BTreeMap<String, String>, problems: &mut Vec<String>) {
    let mut counts = vec![0; METHODS_MAX.len()];
    let mut db_lines = 0;
    for (name, text) in engine {
        if name.starts_with("db/") {
            db_lines += text.lines().count();
        }
        if !name.starts_with("utilities/") {
            for (count, (owner, _)) in counts.iter_mut().zip(METHODS_MAX) {
                *count += methods(text, owner);
            }
        }
    }
    for (count, (owner, most)) in counts.into_iter().zip(METHODS_MAX) {
        if count > *most {
            problems
                .push(format!("{owner} has {count} methods, expected at most {most}: split it"));
        }
        if count == 0 {
            problems.push(format!("xtask/src/tidy/owners.rs: there is no type {owner}"));
        }
    }
    if db_lines > DB_LINES_MAX {
        problems.push(format!("db/ has {db_lines} lines, expected at most {DB_LINES_MAX}"));
    }
}

/// Returns the number of methods in a type's inherent implementations in a file.
fn methods(text: &str, owner: &str) -> usize {
    let head = format!("\nimpl {owner} {{\n");
    let is_method = |line: &&str| {
        let line = line.strip_prefix("    ").filter(|rest| !rest.starts_with(' ')).unwrap_or("");
        line.split(" fn ").count() == 2 && line.starts_with("pub") || line.starts_with("fn ")
    };
    let blocks = text.split(&head).skip(1);
    blocks
        .map(|block| block.lines().take_while(|line| *line != "}").filter(is_method).count())
        .sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn methods_of_inherent_implementations_count() {
        let text = "x\nimpl A {\n    fn a() {\n        fn inner() {}\n    }\n    pub(crate) fn b() {}\n}\n\
                    impl T for A {\n    fn c() {}\n}\n";
        assert_eq!(methods(text, "A"), 2);
        assert_eq!(methods(text, "B"), 0);
    }
}
