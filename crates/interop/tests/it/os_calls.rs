//! Every call of the operating system that the engine makes, failed on purpose: see `src/bin/os-calls`.

use std::process::Command;

/// A sample of the cases, and all of those whose site is not in the list yet. The program is built for development
/// whatever profile the tests have: its call sites are named after functions, which must not be inlined.
#[test]
fn calls_of_the_operating_system_fail_and_nothing_is_lost() {
    let mut cargo = Command::new(env!("CARGO"));
    cargo.args(["run", "--quiet", "--package", "ferrolith-interop", "--bin", "os-calls", "--"]);
    let output = cargo.args(["--sample", "150"]).current_dir(env!("CARGO_MANIFEST_DIR")).output();
    let output = output.expect("cargo runs");
    let (said, complained) =
        (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert!(output.status.success(), "{}\n{said}{complained}", output.status);
}
