//! Ways in which a process ends that RocksDB does not survive: there is nothing to compare, so our library alone
//! runs the program that `cargo x smoke` runs for the other ways.

use ferrolith_interop::peers;
use std::path::Path;
use std::process::Command;

#[test]
fn databases_are_used_and_closed_after_main() {
    let library = peers::our_library().unwrap();
    let capi = Path::new(env!("CARGO_MANIFEST_DIR")).join("../capi");
    let dir = tempfile::tempdir().unwrap();
    let program = dir.path().join("ends");
    let mut cc = Command::new("cc");
    cc.args(["-std=gnu11", "-O1", "-Wall", "-Werror", "-o"]).arg(&program);
    cc.arg(capi.join("tests/c/ends.c"))
        .arg("-I")
        .arg(capi.join("include"))
        .arg(&library)
        .arg("-lpthread");
    assert!(cc.status().unwrap().success(), "{cc:?}");
    let mut run = Command::new("timeout");
    run.arg("120").arg(&program).arg(dir.path()).arg("last").env("LD_PRELOAD", &library);
    let done = run.output().unwrap();
    assert!(done.status.success(), "{}\n{}", done.status, String::from_utf8_lossy(&done.stderr));
}
