//! `librocksdb.a`: one object that exports only `rocksdb_*`.
//!
//! Cargo's archive contains Rust's standard library and all crates unchanged, so a second Rust archive, or another copy
//! of zstd, would conflict with it. Therefore:
//!
//! 1. `ld -r` creates one object with everything that the functions of `abi.tsv` need;
//! 2. `objcopy --keep-global-symbols` makes all other definitions local;
//! 3. `ar` puts that object into an archive of its own.

use crate::abi;
use crate::compat::Failure;
use crate::compat::place::{self, Place};
use std::fs;
use std::path::Path;
use std::process::Command;

/// The system libraries that the archive needs, for pkg-config's `Libs.private`.
pub(crate) const SYSTEM_LIBRARIES: &str = "-lgcc_s -lutil -lrt -lpthread -lm -ldl -lc";

pub(super) fn write(place: &Place, built: &Path, to: &Path) -> Result<(), Failure> {
    let work = place.root.join("target/archive");
    place::make_dir(&work)?;
    let (object, names) = (work.join("rocksdb.o"), work.join("names"));
    let table = abi::table_with_states()?;
    let functions: Vec<&str> = table.rows.iter().map(|r| r.name.as_str()).collect();
    place::write(&names, &format!("{}\n", functions.join("\n")))?;

    let mut ld = Command::new("ld");
    ld.args(["-r", "--gc-sections", "-o"]).arg(&object);
    for name in &functions {
        ld.arg("-u").arg(name);
    }
    ld.arg(built);
    place::check(ld)?;
    let mut objcopy = Command::new("objcopy");
    objcopy.arg(format!("--keep-global-symbols={}", names.display()));
    // The standard library contains bitcode for link-time optimisation, which makes ar's plugin fail.
    objcopy.args(["--strip-debug", "-R", ".llvmbc", "-R", ".llvmcmd"]).arg(&object);
    place::check(objcopy)?;
    let _ = fs::remove_file(to);
    let mut ar = Command::new("ar");
    ar.arg("rcs").arg(to).arg(&object);
    place::check(ar)
}
