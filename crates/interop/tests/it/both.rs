//! Our C library and the real RocksDB in one process.

use std::path::Path;
use std::process::Command;

#[test]
fn two_libraries_exchange_databases_in_one_process() {
    let theirs = ferrolith_interop::peers::library().unwrap();
    let ours = ferrolith_interop::peers::our_library().unwrap();
    let dir = tempfile::tempdir().unwrap();
    let program = dir.path().join("both");
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/c/both.c");
    let mut cc = Command::new("cc");
    cc.args(["-O1", "-Wall", "-Werror", "-o"]).arg(&program).arg(source).arg("-ldl");
    assert!(cc.status().unwrap().success(), "{cc:?}");
    // In either order: the first that is loaded must not lend its functions to the second.
    for (first, second) in [(&ours, &theirs), (&theirs, &ours)] {
        let data = tempfile::tempdir().unwrap();
        let done = Command::new(&program).arg(data.path()).arg(first).arg(second).output().unwrap();
        let said = String::from_utf8_lossy(&done.stderr);
        assert!(done.status.success(), "{first:?}, {second:?}: {}\n{said}", done.status);
    }
}
