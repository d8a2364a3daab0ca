//! The files of an installation, and their destinations.
//!
//! ```text
//! include/rocksdb/c.h
//! lib/librocksdb.so.10.10.1            the library; its soname is librocksdb.so.10.10
//! lib/librocksdb.so.10{,.10}           links that programs of RocksDB 10 look for
//! lib/librocksdb.so                    the link that linkers look for
//! lib/librocksdb.a                     one object that exports nothing but the C functions
//! lib/pkgconfig/rocksdb.pc
//! lib/ferrolith/7.8/librocksdb.so.7.8  the link that programs built for Debian's 7.8 look for
//! lib/ferrolith/cgo/lib{snappy,…}.a    empty archives for the fixed `-l` list of Go programs
//! ```
//!
//! The last two lie in folders of their own: nothing finds them unless it is told to, so they hide no other package's
//! files.

use super::{VERSION, archive};
use crate::compat::Failure;
use crate::compat::place::{self, Place};
use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The libraries that grocksdb's link line names besides RocksDB. Our library contains its own codecs.
const CGO_LIBRARIES: [&str; 4] = ["zstd", "lz4", "z", "snappy"];

/// The directories of an installation.
pub(super) struct Layout {
    /// Where files are written: the prefix, below the packager's staging directory if there is one.
    pub(super) root: PathBuf,
    /// The prefix as programs will see it.
    pub(super) prefix: PathBuf,
    /// The libraries' directory, relative to the prefix.
    pub(super) libdir: PathBuf,
}

/// The users of a file: programs at run time, or builds of programs.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Part {
    Runtime,
    Development,
}

enum Content {
    /// A copy of a file of the repository.
    Source(&'static str),
    /// The shared library, stripped.
    Library,
    /// The static library, reduced to the C functions.
    Archive,
    /// An archive without members.
    EmptyArchive,
    PkgConfig,
    Link(String),
}

/// One file of an installation.
pub(super) struct Item {
    pub(super) part: Part,
    /// Relative to the prefix.
    pub(super) path: PathBuf,
    content: Content,
}

impl Layout {
    /// Every file of an installation, in the order in which they are written.
    pub(super) fn items(&self) -> Vec<Item> {
        use Part::{Development, Runtime};
        let lib = |name: &str| self.libdir.join(name);
        let library = format!("librocksdb.so.{VERSION}");
        let mut items = vec![
            Item { part: Runtime, path: lib(&library), content: Content::Library },
            link(Runtime, lib("librocksdb.so.10"), &library),
            link(Runtime, lib("librocksdb.so.10.10"), &library),
            link(Runtime, lib("ferrolith/7.8/librocksdb.so.7.8"), &format!("../../{library}")),
            link(Development, lib("librocksdb.so"), &library),
            Item { part: Development, path: lib("librocksdb.a"), content: Content::Archive },
            Item {
                part: Development,
                path: lib("pkgconfig/rocksdb.pc"),
                content: Content::PkgConfig,
            },
            Item {
                part: Development,
                path: "include/rocksdb/c.h".into(),
                content: Content::Source("crates/capi/include/rocksdb/c.h"),
            },
        ];
        items.extend(CGO_LIBRARIES.map(|name| Item {
            part: Development,
            path: lib(&format!("ferrolith/cgo/lib{name}.a")),
            content: Content::EmptyArchive,
        }));
        items
    }

    /// Writes `items`, with `built` as the directory of cargo's libraries, and prints the path of each.
    pub(super) fn write(&self, place: &Place, built: &Path, items: &[Item]) -> Result<(), Failure> {
        for item in items {
            let to = self.root.join(&item.path);
            place::make_dir(to.parent().unwrap_or(&self.root))?;
            self.write_item(place, built, &item.content, &to)?;
            println!("{}", to.display());
        }
        Ok(())
    }

    fn write_item(
        &self,
        place: &Place,
        built: &Path,
        content: &Content,
        to: &Path,
    ) -> Result<(), Failure> {
        match content {
            Content::Source(from) => copy(&place.root.join(from), to),
            Content::Library => {
                // Replace the old file with a new one: running programs keep the library that they have mapped.
                let part = to.with_extension("part");
                copy(&built.join("librocksdb.so"), &part)?;
                let mut strip = Command::new("strip");
                strip.arg("--strip-unneeded").arg(&part);
                place::check(strip)?;
                fs::rename(&part, to).map_err(|e| format!("{}: {e}", to.display()))
            }
            Content::Archive => archive::write(place, &built.join("librocksdb.a"), to),
            Content::EmptyArchive => place::write(to, "!<arch>\n"),
            Content::PkgConfig => place::write(to, &self.pkg_config()),
            Content::Link(target) => {
                remove_if_there(to)?;
                symlink(target, to).map_err(|e| format!("{}: {e}", to.display()))
            }
        }
    }

    fn pkg_config(&self) -> String {
        let (prefix, libdir) = (self.prefix.display(), self.libdir.display());
        format!(
            "prefix={prefix}\nlibdir=${{prefix}}/{libdir}\nincludedir=${{prefix}}/include\n\n\
             Name: rocksdb\nDescription: RocksDB's C API, by Ferrolith\nVersion: {VERSION}\n\
             Libs: -L${{libdir}} -lrocksdb\nLibs.private: {}\nCflags: -I${{includedir}}\n",
            archive::SYSTEM_LIBRARIES
        )
    }
}

fn link(part: Part, path: PathBuf, target: &str) -> Item {
    Item { part, path, content: Content::Link(target.into()) }
}

/// Builds the libraries and returns the directory that has them.
pub(super) fn build(place: &Place, package: &str, profile: &str) -> Result<PathBuf, Failure> {
    let mut cargo = Command::new("cargo");
    cargo.current_dir(&place.root).args(["build", "-p", package, "--profile", profile]);
    place::check(cargo)?;
    let target = std::env::var_os("CARGO_TARGET_DIR").map(PathBuf::from);
    let folder = if profile == "dev" { "debug" } else { profile };
    Ok(target.unwrap_or_else(|| place.root.join("target")).join(folder))
}

pub(super) fn copy(from: &Path, to: &Path) -> Result<(), Failure> {
    fs::copy(from, to)
        .map(|_| ())
        .map_err(|e| format!("{} to {}: {e}", from.display(), to.display()))
}

pub(super) fn remove_if_there(path: &Path) -> Result<bool, Failure> {
    match fs::remove_file(path) {
        Ok(()) => Ok(true),
        Err(e) if e.kind() == std::io::ErrorKind::NotFound => Ok(false),
        Err(e) => Err(format!("{}: {e}", path.display())),
    }
}
