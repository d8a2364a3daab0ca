//! `cargo x install` and `cargo x deb`: the library, its links, header, archive and pkg-config file, in their places.
//!
//! ```text
//! include/rocksdb/c.h
//! lib/librocksdb.so.10.10.1                 the library; its soname is librocksdb.so.10.10
//! lib/librocksdb.so{,.10,.10.10}            links to it, as RocksDB's own `make install` has them
//! lib/librocksdb.so.7.8                     with --debian: for programs that were linked to Debian's
//! lib/librocksdb.a                          one object whose other symbols are local
//! lib/pkgconfig/rocksdb.pc
//! ```

mod archive;
mod deb;

use crate::compat::Failure;
use crate::compat::place::{self, Place};
use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

/// The RocksDB that this library stands in for.
const VERSION: &str = "10.10.1";

const USAGE: &str = "\
usage: cargo x install [--prefix DIR] [--libdir DIR] [--destdir DIR] [--profile NAME] [--debian]
       cargo x deb [--output DIR] [--profile NAME]

  --prefix DIR    where programs will find it. Default: /usr/local
  --libdir DIR    below the prefix. Default: lib
  --destdir DIR   where it is written instead, for packagers
  --profile NAME  cargo's profile. Default: release
  --debian        also the link librocksdb.so.7.8
  --output DIR    where the package goes. Default: target/debian
";

struct Flags {
    prefix: PathBuf,
    libdir: PathBuf,
    destdir: Option<PathBuf>,
    profile: String,
    debian: bool,
    output: Option<PathBuf>,
}

/// What goes where.
struct Layout {
    include: PathBuf,
    lib: PathBuf,
    /// What the pkg-config file calls them.
    prefix: PathBuf,
    libdir: PathBuf,
    debian: bool,
}

pub(crate) fn run(command: &str, args: impl Iterator<Item = String>) -> ExitCode {
    let flags = match parse(args) {
        Ok(flags) => flags,
        Err(e) => {
            eprintln!("cargo x {command}: {e}\n\n{USAGE}");
            return ExitCode::from(2);
        }
    };
    let done = Place::find().and_then(|place| match command {
        "deb" => deb::build(&place, &flags),
        _ => {
            let prefix = &flags.prefix;
            let base = match &flags.destdir {
                Some(dest) => dest.join(prefix.strip_prefix("/").unwrap_or(prefix)),
                None => prefix.clone(),
            };
            let layout = Layout {
                include: base.join("include"),
                lib: base.join(&flags.libdir),
                prefix: prefix.clone(),
                libdir: flags.libdir.clone(),
                debian: flags.debian,
            };
            install(&place, &flags.profile, &layout)
        }
    });
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(e) => {
            eprintln!("cargo x {command}: {e}");
            ExitCode::FAILURE
        }
    }
}

fn parse(mut args: impl Iterator<Item = String>) -> Result<Flags, Failure> {
    let mut flags = Flags {
        prefix: "/usr/local".into(),
        libdir: "lib".into(),
        destdir: None,
        profile: "release".into(),
        debian: false,
        output: None,
    };
    while let Some(arg) = args.next() {
        let mut value = || args.next().ok_or(format!("{arg} needs a value"));
        match arg.as_str() {
            "--prefix" => flags.prefix = value()?.into(),
            "--libdir" => flags.libdir = value()?.into(),
            "--destdir" => flags.destdir = Some(value()?.into()),
            "--profile" => flags.profile = value()?,
            "--output" => flags.output = Some(value()?.into()),
            "--debian" => flags.debian = true,
            other => return Err(format!("unknown flag {other:?}")),
        }
    }
    Ok(flags)
}

/// Builds the library and puts everything into its place.
fn install(place: &Place, profile: &str, layout: &Layout) -> Result<(), Failure> {
    let built = build(place, profile)?;
    let include = layout.include.join("rocksdb");
    let pkgconfig = layout.lib.join("pkgconfig");
    for dir in [&include, &layout.lib, &pkgconfig] {
        place::make_dir(dir)?;
    }
    copy(&place.root.join("crates/capi/include/rocksdb/c.h"), &include.join("c.h"))?;

    let library = layout.lib.join(format!("librocksdb.so.{VERSION}"));
    copy(&built.join("librocksdb.so"), &library)?;
    let mut strip = Command::new("strip");
    strip.arg("--strip-unneeded").arg(&library);
    place::check(strip)?;
    let mut links = vec!["librocksdb.so", "librocksdb.so.10", "librocksdb.so.10.10"];
    links.extend(layout.debian.then_some("librocksdb.so.7.8"));
    for link in links {
        let path = layout.lib.join(link);
        let _ = fs::remove_file(&path);
        symlink(format!("librocksdb.so.{VERSION}"), &path)
            .map_err(|e| format!("{}: {e}", path.display()))?;
    }
    archive::write(place, &built.join("librocksdb.a"), &layout.lib.join("librocksdb.a"))?;
    place::write(&pkgconfig.join("rocksdb.pc"), &pkg_config(layout))
}

/// The directory with the built libraries.
fn build(place: &Place, profile: &str) -> Result<PathBuf, Failure> {
    let mut cargo = Command::new("cargo");
    cargo.current_dir(&place.root).args(["build", "-p", "ferrolith-capi", "--profile", profile]);
    place::check(cargo)?;
    let target = std::env::var_os("CARGO_TARGET_DIR").map(PathBuf::from);
    let folder = if profile == "dev" { "debug" } else { profile };
    Ok(target.unwrap_or_else(|| place.root.join("target")).join(folder))
}

fn pkg_config(layout: &Layout) -> String {
    let (prefix, libdir) = (layout.prefix.display(), layout.libdir.display());
    format!(
        "prefix={prefix}\nlibdir=${{prefix}}/{libdir}\nincludedir=${{prefix}}/include\n\n\
         Name: rocksdb\nDescription: RocksDB's C API, by Ferrolith\nVersion: {VERSION}\n\
         Libs: -L${{libdir}} -lrocksdb\nLibs.private: {}\nCflags: -I${{includedir}}\n",
        archive::SYSTEM_LIBRARIES
    )
}

fn copy(from: &Path, to: &Path) -> Result<(), Failure> {
    fs::copy(from, to)
        .map(|_| ())
        .map_err(|e| format!("{} to {}: {e}", from.display(), to.display()))
}
