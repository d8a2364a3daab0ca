//! The second half of docs/db_bench.md: every flag and benchmark of RocksDB 10.10, and its treatment.

use crate::flags::{Fate, Kind, Row, TABLES};
use crate::target::support;
use crate::workloads::{GROUPS, MISSING, benchmarks};
use ferrolith::internal::options::Support;

const MARK: &str = "<!-- generated: UPDATE_DOCS=1 cargo test -p ferrolith-bench --lib page -->\n";

/// The names of RocksDB 10.10.1's flags and benchmarks, one a line.
const FLAGS: &str = include_str!("../testdata/rocksdb_flags.txt");
const THEIR_BENCHMARKS: &str = include_str!("../testdata/rocksdb_benchmarks.txt");

fn is_theirs(list: &str, name: &str) -> bool {
    list.lines().any(|line| line == name)
}

fn state(row: &Row) -> String {
    match row.fate {
        Fate::Used => "honoured".to_owned(),
        Fate::Noted(text) => format!("accepted: {text}"),
        Fate::Obsolete(text) => text.to_owned(),
        Fate::Refused(reason) => format!("only the default is accepted: {reason}"),
        Fate::Sets(option) => match support(option) {
            Some(Support::Accepted) => {
                format!("ignored by Ferrolith; passed to a library as `{option}`")
            }
            Some(Support::Refused) => {
                format!("Ferrolith accepts only the default; passed to a library as `{option}`")
            }
            _ => format!("sets `{option}`"),
        },
    }
}

fn shown(row: &Row) -> String {
    match (row.kind, row.default) {
        (_, "") => String::new(),
        (Kind::Choice(_) | Kind::Text, default) => default.replace(',', ", "),
        (_, default) => default.to_owned(),
    }
}

fn generated() -> String {
    let mut text = MARK.to_owned();
    text += "\n## All flags\n\nA star marks flags and benchmarks that RocksDB's db_bench does not have.\n";
    for (heading, rows) in TABLES {
        text += &format!("\n### {heading}\n\n| Flag | Type | Default | |\n|---|---|---|---|\n");
        for row in *rows {
            let star = if is_theirs(FLAGS, row.name) || matches!(row.fate, Fate::Obsolete(_)) {
                ""
            } else {
                " *"
            };
            let cells = [
                format!("`{}`{star}", row.name),
                row.kind.name().to_owned(),
                shown(row),
                state(row),
            ];
            text += &format!("| {} |\n", cells.join(" | "));
        }
    }
    text += "\n## All benchmarks\n";
    for (heading, benchmarks) in GROUPS {
        text += &format!("\n### {heading}\n\n| Benchmark | |\n|---|---|\n");
        for benchmark in *benchmarks {
            let star = if is_theirs(THEIR_BENCHMARKS, benchmark.name) { "" } else { " *" };
            text += &format!("| `{}`{star} | {} |\n", benchmark.name, benchmark.help);
        }
    }
    text += "\n### Not supported\n\n| Benchmark | Reason |\n|---|---|\n";
    for (name, reason) in MISSING {
        text += &format!("| `{name}` | {reason} |\n");
    }
    text
}

#[test]
fn the_page_is_current() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/db_bench.md");
    let stored = std::fs::read_to_string(path).unwrap();
    let (head, _) = stored.split_once(MARK).unwrap();
    let page = format!("{head}{}", generated());
    if std::env::var_os("UPDATE_DOCS").is_some() {
        std::fs::write(path, &page).unwrap();
    }
    let stored = std::fs::read_to_string(path).unwrap();
    assert!(stored == page, "docs/db_bench.md: run this test with UPDATE_DOCS=1");
}

#[test]
fn every_flag_and_benchmark_of_rocksdb_is_known() {
    let rows = || TABLES.iter().flat_map(|(_, rows)| rows.iter());
    for name in FLAGS.lines() {
        assert!(rows().any(|row| row.name == name), "no row for the flag {name}");
    }
    for name in THEIR_BENCHMARKS.lines() {
        let known = benchmarks().any(|benchmark| benchmark.name == name);
        let missing = MISSING.iter().any(|(missing, _)| *missing == name);
        assert!(known != missing, "benchmark {name}: here {known}, refused {missing}");
    }
}

/// The text of all files that may use a flag.
fn sources(dir: &std::path::Path, out: &mut String) {
    for entry in std::fs::read_dir(dir).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            sources(&path, out);
        } else if !["_rows.rs", "_test.rs"].iter().any(|end| path.to_string_lossy().ends_with(end))
        {
            *out += &std::fs::read_to_string(&path).unwrap();
        }
    }
}

#[test]
fn no_flag_is_read_and_ignored() {
    let mut text = String::new();
    sources(std::path::Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/src")), &mut text);
    for row in TABLES.iter().flat_map(|(_, rows)| rows.iter()).filter(|row| row.fate == Fate::Used)
    {
        assert!(text.contains(&format!("\"{}\"", row.name)), "--{} is honoured nowhere", row.name);
    }
    for row in TABLES.iter().flat_map(|(_, rows)| rows.iter()) {
        if let Fate::Sets(option) = row.fate {
            assert!(support(option).is_some(), "--{}: the engine has no option {option}", row.name);
        }
    }
}
