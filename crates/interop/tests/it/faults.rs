//! The short choice of the fault matrix: `cargo x faults` runs all of it.

use std::io::Write;
use std::process::Command;

/// Exit code of a run that had to skip every cell.
const NONE_RAN: i32 = 3;

#[test]
fn full_disks_stop_nothing_for_good_and_lose_nothing() {
    let dir = tempfile::tempdir().unwrap();
    let program = env!("CARGO_BIN_EXE_faults");
    let run = Command::new(program).arg("--quick").arg("--dir").arg(dir.path()).output().unwrap();
    let said = String::from_utf8_lossy(&run.stdout);
    let last = said.lines().last().unwrap_or("");
    if !last.contains(" 0 SKIPPED") {
        // Not by a macro, whose output the test runner keeps to itself.
        writeln!(std::io::stderr(), "{last}").unwrap();
    }
    if !run.status.success() && run.status.code() != Some(NONE_RAN) {
        let kept = dir.keep();
        let errors = String::from_utf8_lossy(&run.stderr);
        panic!("{}\n{said}{errors}; kept {}", run.status, kept.display());
    }
    assert!(last.contains("passed, 0 failed"), "{said}");
}
