//! The Debian packages: `libferrolith-rocksdb` with the library, and `libferrolith-rocksdb-dev` with the files needed
//! to compile programs.
//!
//! They conflict only with packages that have a file at the same path. Debian's `librocksdb7.8` and the C++ programs
//! that need it (`rocksdb-tools`) can stay: the link for programs of 7.8 is in a separate folder.

use super::layout::{Item, Layout, Part};
use super::{Flags, VERSION, layout};
use crate::compat::Failure;
use crate::compat::place::{self, Place};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

const RUNTIME: &str = "libferrolith-rocksdb";
const DEVELOPMENT: &str = "libferrolith-rocksdb-dev";

/// The properties that all packages share.
pub(super) struct Common {
    pub(super) output: PathBuf,
    pub(super) architecture: String,
    multiarch: String,
    version: String,
    pub(super) maintainer: String,
}

/// Builds both packages and prints the path of each.
pub(super) fn build(place: &Place, flags: &Flags) -> Result<(), Failure> {
    let common = Common::new(place, flags)?;
    let built = layout::build(place, "ferrolith-librocksdb", &flags.profile)?;
    for part in [Part::Runtime, Part::Development] {
        package(place, &common, &built, part)?;
    }
    Ok(())
}

/// Returns the version of this workspace.
pub(super) fn our_version(place: &Place) -> Result<String, Failure> {
    let manifest = place::read(&place.root.join("Cargo.toml"))?;
    let ours = manifest.split("version = \"").nth(1).and_then(|rest| rest.split('"').next());
    Ok(ours.ok_or("Cargo.toml: no version")?.to_owned())
}

fn package(place: &Place, common: &Common, built: &Path, part: Part) -> Result<(), Failure> {
    let name = if part == Part::Runtime { RUNTIME } else { DEVELOPMENT };
    let tree = common.output.join(name);
    let _ = fs::remove_dir_all(&tree);
    let libdir = format!("lib/{}", common.multiarch).into();
    let layout = Layout { root: tree.join("usr"), prefix: "/usr".into(), libdir };
    let items: Vec<Item> = layout.items().into_iter().filter(|item| item.part == part).collect();
    layout.write(place, built, &items)?;
    let documents = tree.join("usr/share/doc").join(name);
    place::make_dir(&documents)?;
    place::write(&documents.join("copyright"), &copyright(place)?)?;
    if part == Part::Development {
        layout::copy(&place.root.join("docs/c-abi.md"), &documents.join("c-abi.md"))?;
    }
    let control = tree.join("DEBIAN");
    place::make_dir(&control)?;
    place::write(&control.join("control"), &common.control(part))?;
    if part == Part::Runtime {
        // In the form that dpkg-shlibdeps and ldconfig expect.
        place::write(&control.join("shlibs"), &format!("librocksdb 10.10 {RUNTIME}\n"))?;
        place::write(&control.join("triggers"), "activate-noawait ldconfig\n")?;
    }
    let file = common.output.join(format!("{name}_{}_{}.deb", common.version, common.architecture));
    let mut dpkg_deb = Command::new("dpkg-deb");
    dpkg_deb.args(["--root-owner-group", "--build"]).arg(&tree).arg(&file);
    place::check(dpkg_deb)?;
    println!("{}", file.display());
    Ok(())
}

impl Common {
    pub(super) fn new(place: &Place, flags: &Flags) -> Result<Common, Failure> {
        let common = Common {
            output: flags.output.clone().unwrap_or_else(|| place.root.join("target/debian")),
            architecture: said("dpkg", &["--print-architecture"])?,
            multiarch: said("dpkg-architecture", &["-qDEB_HOST_MULTIARCH"])
                .or_else(|_| said("cc", &["-print-multiarch"]))?,
            version: format!("{VERSION}+ferrolith{}", our_version(place)?),
            maintainer: maintainer(flags)?,
        };
        place::make_dir(&common.output)?;
        Ok(common)
    }

    fn control(&self, part: Part) -> String {
        let Common { architecture, version, maintainer, .. } = self;
        let head = |name: &str, section: &str| {
            format!(
                "Package: {name}\nSource: ferrolith\nVersion: {version}\nArchitecture: {architecture}\n\
                 Section: {section}\nPriority: optional\nMaintainer: {maintainer}\n"
            )
        };
        match part {
            Part::Runtime => format!(
                "{}Depends: libc6 (>= 2.34), libgcc-s1\nProvides: librocksdb10.10 (= {VERSION})\n\
                 Conflicts: librocksdb10.10\nReplaces: librocksdb10.10\n\
                 Description: RocksDB's C API, by Ferrolith\n \
                 librocksdb.so with the C ABI of RocksDB {VERSION}, for programs that link it.\n \
                 It does not export RocksDB's C++ symbols.\n",
                head(RUNTIME, "libs")
            ),
            Part::Development => format!(
                "{}Depends: {RUNTIME} (= {version})\nProvides: librocksdb-dev (= {VERSION})\n\
                 Conflicts: librocksdb-dev\nReplaces: librocksdb-dev\n\
                 Description: RocksDB's C API, by Ferrolith: development files\n \
                 The header, the static library, the pkg-config file, and the librocksdb.so link.\n",
                head(DEVELOPMENT, "libdevel")
            ),
        }
    }
}

/// Returns the package's copyright file in Debian's machine-readable form, with both licences.
pub(super) fn copyright(place: &Place) -> Result<String, Failure> {
    let mit = place::read(&place.root.join("LICENSE-MIT"))?;
    let holder = mit
        .lines()
        .find(|line| line.starts_with("Copyright"))
        .ok_or("LICENSE-MIT: no copyright line")?;
    // A blank line is written as a dot there, and each line begins with a space.
    let indented: String = mit
        .lines()
        .map(|line| if line.is_empty() { " .\n".to_string() } else { format!(" {line}\n") })
        .collect();
    Ok(format!(
        "Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/\n\
         Upstream-Name: Ferrolith\n\nFiles: *\nCopyright: {}\nLicense: Expat or Apache-2.0\n\n\
         License: Expat\n{indented}\nLicense: Apache-2.0\n \
         On Debian systems, the text of the Apache License, Version 2.0, is in\n \
         /usr/share/common-licenses/Apache-2.0.\n",
        holder.trim_start_matches("Copyright").trim_start_matches(" (c)").trim()
    ))
}

/// Returns the maintainer of the package, as Debian's own tools determine it.
fn maintainer(flags: &Flags) -> Result<String, Failure> {
    if let Some(given) = &flags.maintainer {
        return Ok(given.clone());
    }
    let variable = |name| std::env::var(name).ok().filter(|v| !v.is_empty());
    let name = variable("DEBFULLNAME").or_else(|| said("git", &["config", "user.name"]).ok());
    let mail = variable("DEBEMAIL").or_else(|| said("git", &["config", "user.email"]).ok());
    match (name, mail) {
        (Some(name), Some(mail)) => Ok(format!("{name} <{mail}>")),
        _ => {
            Err("unknown maintainer: give --maintainer \"NAME <MAIL>\", or set DEBFULLNAME and DEBEMAIL"
                .into())
        }
    }
}

/// Returns the trimmed output of a command.
fn said(program: &str, args: &[&str]) -> Result<String, Failure> {
    let mut command = Command::new(program);
    command.args(args);
    place::output(command).map(|text| text.trim().to_string())
}
