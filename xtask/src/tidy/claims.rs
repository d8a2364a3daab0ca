//! Numbers in documents: of C functions, dependencies, options, statistics, flags, benchmarks and met targets. Each is
//! compared with the table that defines it.

use std::fs;
use std::path::Path;

/// What is counted, and the allowed numbers before it.
struct Count {
    noun: &'static [&'static str],
    right: Vec<usize>,
}

/// Everything that is counted.
pub(super) struct Counts(Vec<Count>);

impl Counts {
    pub(super) fn collect(root: &Path) -> Counts {
        let read = |name: &str| fs::read_to_string(root.join(name)).unwrap_or_default();
        let abi = read("crates/capi/abi.tsv");
        let state = |wanted: &str| {
            abi.lines().filter(|line| line.split('\t').nth(3) == Some(wanted)).count()
        };
        let states = ["implemented", "accepted", "unsupported"].map(state);
        let mut functions = states.to_vec();
        functions.push(states.iter().sum());

        let options = read("docs/options.md");
        let options = options.split("## Options of single calls").next().unwrap_or("");
        let label = |wanted: &str| {
            let labels = rows(options).filter_map(|row| row.split(" | ").nth(1));
            labels.filter(|label| label.starts_with(wanted)).count()
        };
        let labels = ["honoured", "accepted", "refused"].map(label);
        let mut options = labels.to_vec();
        options.push(labels.iter().sum());

        let statistics = read("docs/statistics.md");
        let counters = |title: &str| {
            let section = section(&statistics, title);
            let (fed, idle) = section.split_once("Not counted:").unwrap_or((section, ""));
            // Rows without a counter: the two heads, and one reason each.
            let fed = rows(fed).count();
            let idle: usize = rows(idle).map(|row| row.matches("`, `").count() + 1).sum();
            vec![fed, idle, fed + idle]
        };
        let db_bench = read("docs/db_bench.md");
        let flags = rows(section(&db_bench, "All flags")).count();
        let benchmarks = rows(section(&db_bench, "All benchmarks")).count();

        let count = |noun, right| Count { noun, right };
        Counts(vec![
            count(&["C", "functions"], functions),
            count(&["direct", "dependencies"], vec![dependencies(root)]),
            count(&["options"], options),
            count(&["tickers"], counters("Tickers")),
            count(&["histograms"], counters("Histograms")),
            count(&["flags"], vec![flags]),
            count(&["benchmarks"], vec![benchmarks]),
            count(&["workloads"], workloads(root)),
        ])
    }

    /// Checks every number before something that is counted: `13 direct dependencies`, `947 of 1,019 C functions`.
    pub(super) fn check(&self, name: &str, text: &str, problems: &mut Vec<String>) {
        let words: Vec<&str> = text.split_whitespace().collect();
        for Count { noun, right } in &self.0 {
            for (i, window) in words.windows(noun.len()).enumerate() {
                let is_noun = window.iter().zip(*noun).all(|(word, part)| bare(word) == *part);
                if !is_noun {
                    continue;
                }
                let before = |n: usize| i.checked_sub(n).and_then(|i| number(words[i]));
                let of = i.checked_sub(2).is_some_and(|i| words[i] == "of");
                let stated = [before(1), before(3).filter(|_| of && before(1).is_some())];
                for wrong in stated.into_iter().flatten().filter(|n| !right.contains(n)) {
                    problems.push(format!(
                        "{name}: {wrong} {}: expected one of {right:?}",
                        noun.join(" ")
                    ));
                }
            }
        }
    }
}

/// Counts the engine's direct dependencies with default features, with those of Unix. Dependencies that are off by
/// default have separate sections in the manifest.
fn dependencies(root: &Path) -> usize {
    let manifest = fs::read_to_string(root.join("crates/engine/Cargo.toml")).unwrap_or_default();
    let of_section = |name: &str| {
        let section = manifest.split(&format!("\n[{name}]\n")).nth(1).unwrap_or("");
        let section = section.split("\n[").next().unwrap_or("");
        section.lines().filter(|line| line.starts_with(|c: char| c.is_alphabetic())).count()
    };
    of_section("dependencies") + of_section("target.'cfg(unix)'.dependencies")
}

/// Returns the met targets and all targets according to the newest table: `41 of 43 workloads`.
fn workloads(root: &Path) -> Vec<usize> {
    let results = fs::read_dir(root.join("docs/benchmarks")).into_iter().flatten().flatten();
    let newest = results.map(|entry| entry.path().join("README.md")).filter(|p| p.exists()).max();
    let table = newest.and_then(|path| fs::read_to_string(path).ok()).unwrap_or_default();
    let words: Vec<&str> = table.split_whitespace().collect();
    let stated = words.windows(4).filter(|words| bare(words[3]) == "workloads");
    // "Judged by db_bench alone, 37 workloads" is right as well.
    let alone = words.windows(2).filter(|words| bare(words[1]) == "workloads");
    stated
        .flat_map(|words| [number(words[0]), number(words[2])])
        .chain(alone.map(|words| number(words[0])))
        .flatten()
        .collect()
}

/// Returns the text after a title up to the next title of its rank.
fn section<'a>(text: &'a str, title: &str) -> &'a str {
    let rest = text.split_once(&format!("\n## {title}\n")).map_or("", |(_, rest)| rest);
    rest.split("\n## ").next().unwrap_or("")
}

/// Returns the rows of tables that contain text in backticks.
fn rows(text: &str) -> impl Iterator<Item = &str> {
    text.lines().filter(|line| line.starts_with('|') && line.contains('`'))
}

fn bare(word: &str) -> &str {
    word.trim_matches(|c: char| !c.is_alphanumeric())
}

/// Returns a number with or without commas between thousands.
fn number(word: &str) -> Option<usize> {
    let word = word.trim_matches(['(', '*', '"']);
    word.starts_with(|c: char| c.is_ascii_digit()).then(|| word.replace(',', "").parse().ok())?
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wrong_numbers_are_found() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
        let counts = Counts::collect(root);
        for Count { noun, right } in &counts.0 {
            assert!(!right.is_empty() && right.iter().any(|n| *n > 0), "nothing known of {noun:?}");
        }
        let check = |text: &str| {
            let mut problems = Vec::new();
            counts.check("x", text, &mut problems);
            problems.len()
        };
        assert_eq!(check("all 1,019 C functions, and more benchmarks"), 0);
        assert_eq!(check("99 of 1,019 C functions"), 1);
        assert_eq!(check("all 1,018 C\nfunctions; **3 direct dependencies**"), 2);
        assert_eq!(check("the 7 tickers, 7 histograms, 7 flags, 7 workloads."), 4);
    }
}
