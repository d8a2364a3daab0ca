//! The build script of both packages: defines the functions of the bindings that `ferrolith-capi` lacks, as refusals.
//!
//! A program that calls such a function links, and the call fails with the function's name, as it does for the
//! functions that `ferrolith-capi` itself refuses. Needs neither a C compiler nor libclang.

use std::collections::HashSet;
use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::{env, fs};

/// Variables by which the original package is told to link a RocksDB that is already built.
const IGNORED: [&str; 4] =
    ["ROCKSDB_LIB_DIR", "ROCKSDB_STATIC", "ROCKSDB_COMPILE", "ROCKSDB_INCLUDE_DIR"];

fn main() {
    println!("cargo:rerun-if-changed=src/bindings.rs");
    println!("cargo:rerun-if-changed=../build.rs");
    for name in IGNORED {
        println!("cargo:rerun-if-env-changed={name}");
        if env::var_os(name).is_some() {
            println!("cargo:warning={name} has no effect: this librocksdb-sys links Ferrolith");
        }
    }
    let table = PathBuf::from(variable("DEP_FERROLITH_CAPI_ABI"));
    println!("cargo:rerun-if-changed={}", table.display());
    let implemented = read(&table);
    let implemented: HashSet<&str> =
        implemented.lines().filter_map(|line| line.split('\t').next()).collect();

    let mut out = String::new();
    for function in functions(&read(Path::new("src/bindings.rs"))) {
        if !implemented.contains(name(function)) {
            refusal(function, &mut out);
        }
    }
    let out_dir = variable("OUT_DIR");
    fs::write(Path::new(&out_dir).join("absent.rs"), out).expect("OUT_DIR can be written");

    // The original's metadata for the build scripts of its dependents.
    println!("cargo:cargo_manifest_dir={}", variable("CARGO_MANIFEST_DIR"));
    println!("cargo:out_dir={out_dir}");
}

fn variable(name: &str) -> String {
    env::var(name).unwrap_or_else(|e| panic!("{name}, which cargo sets: {e}"))
}

fn read(path: &Path) -> String {
    fs::read_to_string(path).unwrap_or_else(|e| panic!("{}: {e}", path.display()))
}

/// `rocksdb_close(db: *mut rocksdb_t)` of each declaration; bindgen gives every function a block of its own.
fn functions(bindings: &str) -> Vec<&str> {
    let blocks = bindings.split("unsafe extern \"C\" {\n    pub fn ").skip(1);
    blocks.map(|block| block.split(";\n}").next().expect("split gives one part")).collect()
}

fn name(function: &str) -> &str {
    function.split('(').next().expect("split gives one part")
}

/// Writes a function that sets `errptr`, where there is one, and returns zero or NULL.
fn refusal(function: &str, out: &mut String) {
    let name = name(function);
    let refuse = match function.contains("errptr: *mut *mut libc::c_char") {
        true => format!("ferrolith_capi::refuse(errptr, \"{name}\")"),
        false => format!("ferrolith_capi::show_refusal(\"{name}\")"),
    };
    // Every type of a C function has a value of zeros.
    write!(
        out,
        "#[unsafe(no_mangle)]\nunsafe extern \"C\" fn {function} {{\n    unsafe {{\n        \
         {refuse};\n        std::mem::zeroed()\n    }}\n}}\n"
    )
    .expect("a String takes all");
}
