//! The lengths of functions: a function must fit on a screen. Longer functions are listed, and may only become shorter.

use std::collections::BTreeMap;

/// The maximum number of lines of a function, from its name to its last brace.
const LINES_MAX: usize = 60;

/// Longer functions: file below `crates/engine/src`, name, lines. The list must only shrink.
const KNOWN: &[(&str, &str, usize)] = &[
    ("commit/commit.rs", "commit", 63),
    ("compaction/job.rs", "run_part", 75),
    ("flush/announce.rs", "log", 70),
    ("flush/table_output.rs", "create", 76),
    ("iter/compaction_iter.rs", "look_at_entry", 66),
    ("jobs/compaction.rs", "compact_files", 98),
    ("jobs/compaction.rs", "run_compaction", 61),
    ("options/file.rs", "enter", 61),
    ("properties/properties.rs", "number", 65),
    ("read/db_iter.rs", "find_next", 76),
    ("report/job_lines.rs", "log_compaction_finished", 65),
];

/// Measures the functions outside tests. A listed one must have exactly the listed number of lines, so that an
/// improvement is not lost again.
pub(super) fn check(engine: &BTreeMap<String, String>, problems: &mut Vec<String>) {
    let here = "xtask/src/tidy/lengths.rs";
    let mut long = BTreeMap::new();
    for (name, text) in engine {
        for (function, lines) in functions(super::production_code(name, text)) {
            let longest = long.entry((name.as_str(), function)).or_insert(0);
            *longest = lines.max(*longest);
        }
    }
    for ((name, function), lines) in &long {
        let known = KNOWN.iter().find(|(file, known, _)| file == name && known == function);
        let most = known.map_or(LINES_MAX, |(_, _, most)| *most);
        if *lines > most {
            problems.push(format!(
                "crates/engine/src/{name}: {function} has {lines} lines, expected at most {most}: split it"
            ));
        }
    }
    for (file, function, most) in KNOWN {
        match long.get(&(*file, *function)) {
            Some(lines) if *lines >= *most => {}
            Some(lines) if *lines > LINES_MAX => problems.push(format!(
                "{here}: {function} in {file} has {lines} lines now: write that down"
            )),
            _ => problems
                .push(format!("{here}: {function} in {file} is not too long: remove the row")),
        }
    }
}

/// Returns the functions of a formatted source and their lengths. A function ends at a brace with its own indentation.
fn functions(code: &str) -> Vec<(&str, usize)> {
    let lines: Vec<&str> = code.lines().collect();
    let mut found = Vec::new();
    for (i, line) in lines.iter().enumerate() {
        let Some(name) = function_name(line) else { continue };
        let indent = &line[..line.len() - line.trim_start().len()];
        let ends = |line: &&str| {
            line.strip_prefix(indent)
                .is_some_and(|rest| rest == "}" || rest.starts_with(')') && rest.ends_with(';'))
        };
        let is_one_line = line.ends_with(';') || line.ends_with('}');
        let rest = lines[i..].iter().position(ends).filter(|_| !is_one_line);
        found.push((name, rest.unwrap_or(0) + 1));
    }
    found
}

/// Returns the name of the function whose head begins in this line.
fn function_name(line: &str) -> Option<&str> {
    let (before, after) = line.trim_start().split_once("fn ")?;
    let is_head = before.split_whitespace().all(|word| {
        word.starts_with("pub")
            || matches!(word, "const" | "async" | "extern" | "\"C\"" | "in")
            || word == concat!("un", "safe")
            || word.ends_with(')')
    });
    let end = after.find(|c: char| !c.is_alphanumeric() && c != '_')?;
    (is_head && end > 0).then(|| &after[..end])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_functions_are_found() {
        let body = |lines| {
            format!("    pub(crate) fn f(\n    ) {{\n{}    }}\n", "        x();\n".repeat(lines))
        };
        let found = |lines| {
            let mut problems = Vec::new();
            check(&BTreeMap::from([("new.rs".to_owned(), body(lines))]), &mut problems);
            problems.into_iter().filter(|problem| problem.contains("new.rs")).collect::<Vec<_>>()
        };
        assert_eq!(found(LINES_MAX - 3), [""; 0]);
        let problem = found(LINES_MAX - 2);
        assert!(problem[0].contains("f has 61 lines, expected at most 60"), "{problem:?}");
    }

    #[test]
    fn a_row_that_is_too_long_must_go() {
        let mut problems = Vec::new();
        check(&BTreeMap::new(), &mut problems);
        assert_eq!(problems.len(), KNOWN.len());
        let (file, name, most) = KNOWN[0];
        let text = format!("fn {name}() {{\n{}}}\n", "    x();\n".repeat(most - 3));
        problems.clear();
        check(&BTreeMap::from([(file.to_owned(), text)]), &mut problems);
        let expected = format!("{} lines now", most - 1);
        assert!(problems.iter().any(|problem| problem.contains(&expected)), "{problems:?}");
    }

    #[test]
    fn declarations_and_short_functions_have_one_line() {
        let text = "trait T {\n    fn a(\n        &self,\n    ) -> u8;\n    fn b(&self);\n}\nfn c() {}\nlet fn_x = 1;\n";
        assert_eq!(functions(text), [("a", 3), ("b", 1), ("c", 1)]);
    }
}
