//! Runs `ferrolith-bench`, for the tests of its suites.

use std::process::{Command, Output};

/// Runs the program with these arguments.
pub fn bench(args: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_ferrolith-bench")).args(args).output().unwrap()
}

/// Returns all that was printed.
pub fn text(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr)
}

/// Checks that a suite fails with this text and creates nothing, given `--dir` and more arguments.
pub fn refused(suite: &[&str], more: &[&str], expected: &str) {
    let dir = tempfile::tempdir().unwrap();
    let db = dir.path().join("db");
    let output = bench(&[suite, &["--dir", db.to_str().unwrap()], more].concat());
    assert!(!output.status.success(), "{more:?}");
    assert!(text(&output).contains(expected), "{more:?}: {}", text(&output));
    assert_eq!(std::fs::read_dir(dir.path()).unwrap().count(), 0, "{more:?}");
}
