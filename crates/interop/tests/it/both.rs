//! Our C library and the real RocksDB in one process.

use std::path::{Path, PathBuf};
use std::process::Command;

/// `librocksdb.so` of this build; cargo builds it when it is not up to date.
fn our_library() -> PathBuf {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut cargo = Command::new(env!("CARGO"));
    cargo.current_dir(&root).args(["build", "--quiet", "-p", "ferrolith-capi"]);
    assert!(cargo.status().unwrap().success(), "{cargo:?}");
    let target = std::env::var_os("CARGO_TARGET_DIR").map(PathBuf::from);
    target.unwrap_or_else(|| root.join("target")).join("debug/librocksdb.so")
}

#[test]
fn two_libraries_exchange_databases_in_one_process() {
    let theirs = ferrolith_interop::peers::library().unwrap();
    let ours = our_library();
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
