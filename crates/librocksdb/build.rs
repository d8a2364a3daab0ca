//! Names the shared library as RocksDB 10.10 does.

/// The name that programs linked with RocksDB 10.10 look for.
const SONAME: &str = "librocksdb.so.10.10";

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    println!("cargo:rustc-cdylib-link-arg=-Wl,-soname,{SONAME}");
}
