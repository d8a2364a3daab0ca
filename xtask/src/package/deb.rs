//! The Debian package: stands in for Debian's own librocksdb and its development files.

use super::{Flags, Layout, VERSION, install};
use crate::compat::Failure;
use crate::compat::place::{self, Place};
use std::fs;
use std::process::Command;

/// Debian's names of what this replaces. Its tools are C++ programs, which want RocksDB's C++
/// symbols: they cannot stay beside it.
const REPLACED: &str = "librocksdb7.8, librocksdb-dev";

/// Builds `libferrolith-rocksdb_VERSION_ARCH.deb`.
pub(super) fn build(place: &Place, flags: &Flags) -> Result<(), Failure> {
    let output = flags.output.clone().unwrap_or_else(|| place.root.join("target/debian"));
    place::make_dir(&output)?;
    let mut dpkg = Command::new("dpkg");
    dpkg.arg("--print-architecture");
    let architecture = place::output(dpkg)?.trim().to_string();
    let mut cc = Command::new("cc");
    cc.arg("-print-multiarch");
    let multiarch = place::output(cc)?.trim().to_string();

    let tree = output.join("tree");
    let _ = fs::remove_dir_all(&tree);
    let layout = Layout {
        include: tree.join("usr/include"),
        lib: tree.join("usr/lib").join(&multiarch),
        prefix: "/usr".into(),
        libdir: format!("lib/{multiarch}").into(),
        debian: true,
    };
    install(place, &flags.profile, &layout)?;
    let documents = tree.join("usr/share/doc/libferrolith-rocksdb");
    place::make_dir(&documents)?;
    for (from, to) in [("LICENSE-MIT", "copyright"), ("docs/c-abi.md", "c-abi.md")] {
        super::copy(&place.root.join(from), &documents.join(to))?;
    }
    let control = tree.join("DEBIAN");
    place::make_dir(&control)?;
    let manifest = place::read(&place.root.join("Cargo.toml"))?;
    let ours = manifest.split("version = \"").nth(1).and_then(|rest| rest.split('"').next());
    let ours = ours.ok_or("Cargo.toml: no version")?;
    place::write(
        &control.join("control"),
        &format!(
            "Package: libferrolith-rocksdb\nVersion: {VERSION}+ferrolith{ours}\n\
             Architecture: {architecture}\nSection: libs\nPriority: optional\n\
             Maintainer: The Ferrolith authors <ferrolith@localhost>\n\
             Depends: libc6 (>= 2.34), libgcc-s1\n\
             Provides: librocksdb7.8 (= 7.8.3-2+ferrolith), librocksdb10.10 (= {VERSION}), \
             librocksdb-dev (= {VERSION})\n\
             Conflicts: {REPLACED}, rocksdb-tools\nReplaces: {REPLACED}\n\
             Description: RocksDB's C API, by Ferrolith\n \
             librocksdb.so and librocksdb.a with the C ABI of RocksDB {VERSION}, the header, and\n \
             the link that programs built for Debian's RocksDB 7.8 look for. It has none of\n \
             RocksDB's C++ symbols.\n"
        ),
    )?;
    // As dpkg-shlibdeps and ldconfig want them.
    place::write(
        &control.join("shlibs"),
        "librocksdb 7.8 libferrolith-rocksdb\nlibrocksdb 10.10 libferrolith-rocksdb\n",
    )?;
    place::write(&control.join("triggers"), "activate-noawait ldconfig\n")?;
    let package = output.join(format!("libferrolith-rocksdb_{VERSION}_{architecture}.deb"));
    let mut dpkg_deb = Command::new("dpkg-deb");
    dpkg_deb.args(["--root-owner-group", "--build"]).arg(&tree).arg(&package);
    place::check(dpkg_deb)?;
    println!("{}", package.display());
    Ok(())
}
