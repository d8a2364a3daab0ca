//! Labels of invariants: a list in the header of a file defines them (`* **VB1** …`), and comments refer to them. A
//! label that two files define is ambiguous.

use std::collections::BTreeMap;

/// Reports each label that several files define.
pub(super) fn check(engine: &BTreeMap<String, String>, problems: &mut Vec<String>) {
    let mut definitions: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for (file, text) in engine {
        for label in text.lines().filter_map(defined) {
            definitions.entry(label).or_default().push(file);
        }
    }
    for (label, mut files) in definitions {
        files.dedup();
        if files.len() > 1 {
            problems.push(format!(
                "{}: the invariant {label} is defined in {}, too: choose other letters",
                files[0],
                files[1..].join(", ")
            ));
        }
    }
}

/// Returns the label that a line of a file's head defines.
fn defined(line: &str) -> Option<&str> {
    let (label, _) = line.strip_prefix("//! * **")?.split_once("**")?;
    let letters = label.trim_end_matches(|c: char| c.is_ascii_digit());
    let is_label = !letters.is_empty()
        && letters.len() < label.len()
        && letters.bytes().all(|b| b.is_ascii_uppercase());
    is_label.then_some(label)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_label_of_two_files_is_reported() {
        let file = |name: &str, text: &str| (name.to_string(), text.to_string());
        let two = [file("a.rs", "//! * **A1** Sorted.\n"), file("b.rs", "//! * **A1** Whole.\n")];
        let mut problems = Vec::new();
        check(&BTreeMap::from(two), &mut problems);
        assert_eq!(problems.len(), 1);
        assert!(problems[0].contains("a.rs: the invariant A1 is defined in b.rs"), "{problems:?}");
    }

    #[test]
    fn references_and_emphasis_define_nothing() {
        assert_eq!(defined("//! * **VB12** Files are sorted."), Some("VB12"));
        assert_eq!(defined("//! * **Note** that A1 holds."), None);
        assert_eq!(defined("//! Invariant **O1**: few."), None);
    }
}
