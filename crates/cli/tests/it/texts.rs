//! Help, wrong flags, completions, manual pages and the page of the documentation.

use crate::program::{done, run};
use std::fmt::Write;

#[test]
fn wrong_flags_are_answered() {
    let wrong = run(&["backup", "lst", "x"]);
    assert!(wrong.code == 2 && wrong.error.contains("'list'"), "{}", wrong.error);
    let wrong = run(&["get"]);
    assert!(wrong.code == 2 && wrong.error.contains("KEY"), "{}", wrong.error);
    let wrong = run(&["get", "a", "--server", "127.0.0.1:1"]);
    assert!(wrong.code == 1 && wrong.error.contains("connecting to 127.0.0.1:1"));
    let wrong = run(&["server", "--no-such-flag"]);
    assert!(wrong.code == 2 && wrong.error.contains("--no-such-flag"), "{}", wrong.error);
    assert!(done(&["server", "--help"]).contains("--backup-dir"));
}

#[test]
fn settings_are_checked_and_explained() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("server.toml");
    let file = path.to_str().unwrap();
    std::fs::write(&path, "memory-mb = 100\nworkers = 1\n").unwrap();
    assert!(done(&["config", "check", file]).contains("a server can start with it"));
    let explained = done(&["config", "explain", "--config", file, "--databases", "3"]);
    let line = |name: &str| {
        let line = explained.lines().find(|line| line.starts_with(name)).expect("the setting");
        line.split_whitespace().collect::<Vec<_>>()
    };
    assert_eq!(line("memory-mb"), ["memory-mb", "file", "100"]);
    assert_eq!(line("databases"), ["databases", "flag", "3"]);
    assert!(explained.contains("memtables of all partitions, at most: 25 MB"), "{explained}");
    std::fs::write(&path, "memory-mb = 100000000\n").unwrap();
    let large = run(&["config", "check", file]);
    assert!(large.code == 3 && large.out.contains("set memory-mb to at most"), "{}", large.out);
    let server = run(&["server", "--config", file, "--dir", dir.path().to_str().unwrap()]);
    assert!(server.code == 1 && server.error.contains("set memory-mb to at most"));
    std::fs::write(&path, "memory = 1\n").unwrap();
    let wrong = run(&["config", "check", file]);
    assert!(wrong.code == 1 && wrong.error.contains("did you mean"), "{}", wrong.error);
}

#[test]
fn completions_and_manual_pages_have_all_commands() {
    for shell in ["bash", "zsh", "fish"] {
        let script = done(&["completions", shell]);
        assert!(script.contains("backup") && script.contains("doctor"), "{shell}");
    }
    assert!(done(&["man"]).contains(".TH ferrolith"));
    let dir = tempfile::tempdir().unwrap();
    done(&["man", "--to", dir.path().to_str().unwrap()]);
    assert!(dir.path().join("ferrolith-backup-create.1").exists());
}

/// The commands whose help is on the page.
const COMMANDS: &[&str] = &[
    "",
    "server",
    "backup",
    "backup create",
    "backup stop",
    "backup list",
    "backup verify",
    "backup restore",
    "backup delete",
    "table",
    "table list",
    "table create",
    "table drop",
    "table recall",
    "table rename",
    "table load",
    "table check-files",
    "get",
    "set",
    "del",
    "scan",
    "count",
    "copy",
    "diff",
    "top",
    "doctor",
    "finalize",
    "config",
    "config check",
    "config explain",
    "completions",
    "man",
];

/// Returns the page `docs/server/ferrolith.md`.
fn page() -> String {
    let mut text = String::from(
        "# The program `ferrolith`\n\nThe tests generate this page from the help of the program. `ferrolith server` is \
         the same as `ferrolith-server`,\nwhose flags [the page of settings](configuration.md) describes. \
         [Backups](backup.md) have a page of their own.\n\n`cargo build --release -p ferrolith-cli` builds \
         `target/release/ferrolith`.\n",
    );
    for command in COMMANDS.iter().filter(|command| **command != "server") {
        let words: Vec<&str> = command.split_whitespace().collect();
        let help = done(&[&words[..], &["--help"]].concat());
        let level = if command.is_empty() { "##" } else { "###" };
        let name = format!("ferrolith {command}");
        let lines: Vec<_> = help.lines().map(str::trim_end).collect();
        write!(text, "\n{level} {}\n\n```text\n{}\n```\n", name.trim(), lines.join("\n").trim())
            .unwrap();
    }
    text
}

/// `FERROLITH_WRITE_DOCS=1` writes the page.
#[test]
fn the_page_of_the_program_is_true() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/server/ferrolith.md");
    let page = page();
    if std::env::var_os("FERROLITH_WRITE_DOCS").is_some() {
        std::fs::write(path, &page).unwrap();
    }
    let found = std::fs::read_to_string(path).unwrap();
    assert!(found == page, "{path} is old: run this test with FERROLITH_WRITE_DOCS=1");
}
