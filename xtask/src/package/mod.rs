//! `cargo x install`, `cargo x uninstall` and `cargo x deb`: librocksdb, its links, header, archives and pkg-config
//! file, in their places. [`layout`] lists the files.

mod archive;
mod deb;
mod install;
mod layout;
mod server;

use crate::compat::Failure;
use crate::compat::place::Place;
use layout::Layout;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// The RocksDB version that this library replaces.
const VERSION: &str = "10.10.1";

pub(crate) const USAGE: &str = "\
usage: cargo x install   (--prefix DIR | --system) [--libdir DIR] [--destdir DIR] [--profile NAME] [--replace]
       cargo x uninstall (--prefix DIR | --system) [--libdir DIR] [--destdir DIR]
       cargo x deb       [--server] [--output DIR] [--profile NAME] [--maintainer \"NAME <MAIL>\"]

install builds the library, installs its files below the prefix, and prints their paths.
uninstall removes only the files listed in PREFIX/LIBDIR/ferrolith/installed-files, which install writes.
deb builds the packages libferrolith-rocksdb (the library) and libferrolith-rocksdb-dev (header, archives, links);
with --server, the package ferrolith-server instead.

  --prefix DIR    the installation prefix
  --system        the same as --prefix /usr/local
  --libdir DIR    the directory of the libraries, relative to the prefix. Default: lib
  --destdir DIR   writes the files below DIR, for packagers
  --profile NAME  the cargo profile. Default: release
  --replace       overwrites files that something else has installed
  --server        builds the package of the server
  --output DIR    the directory of the packages. Default: target/debian
  --maintainer    the packages' maintainer. Default: $DEBFULLNAME <$DEBEMAIL>, then git's user.name and user.email
";

struct Flags {
    prefix: Option<PathBuf>,
    libdir: PathBuf,
    destdir: Option<PathBuf>,
    profile: String,
    replace: bool,
    is_server: bool,
    output: Option<PathBuf>,
    maintainer: Option<String>,
}

pub(crate) fn run(command: &str, args: impl Iterator<Item = String>) -> ExitCode {
    let flags = match parse(command, args) {
        Ok(Some(flags)) => flags,
        Ok(None) => {
            print!("{USAGE}");
            return ExitCode::SUCCESS;
        }
        Err(e) => {
            eprintln!("cargo x {command}: {e}\n\n{USAGE}");
            return ExitCode::from(2);
        }
    };
    let done = Place::find().and_then(|place| match command {
        "deb" if flags.is_server => server::build(&place, &flags),
        "deb" => deb::build(&place, &flags),
        "uninstall" => install::uninstall(&layout(&flags)?),
        _ => install::install(&place, &layout(&flags)?, &flags.profile, flags.replace),
    });
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(e) => {
            eprintln!("cargo x {command}: {e}");
            ExitCode::FAILURE
        }
    }
}

/// Returns the flags, or `None` if help is requested. A flag that the command does not use is an error.
fn parse(command: &str, mut args: impl Iterator<Item = String>) -> Result<Option<Flags>, Failure> {
    let mut flags = Flags {
        prefix: None,
        libdir: "lib".into(),
        destdir: None,
        profile: "release".into(),
        replace: false,
        is_server: false,
        output: None,
        maintainer: None,
    };
    let (installs, packages) = (command == "install", command == "deb");
    while let Some(arg) = args.next() {
        let mut value = || args.next().ok_or(format!("{arg} needs a value"));
        match arg.as_str() {
            "--help" | "-h" => return Ok(None),
            "--prefix" if !packages => flags.prefix = Some(value()?.into()),
            "--system" if !packages => flags.prefix = Some("/usr/local".into()),
            "--libdir" if !packages => flags.libdir = value()?.into(),
            "--destdir" if !packages => flags.destdir = Some(value()?.into()),
            "--replace" if installs => flags.replace = true,
            "--profile" if installs || packages => flags.profile = value()?,
            "--server" if packages => flags.is_server = true,
            "--output" if packages => flags.output = Some(value()?.into()),
            "--maintainer" if packages => flags.maintainer = Some(value()?),
            other => return Err(format!("{other:?} is not a flag of this command")),
        }
    }
    if !packages {
        let prefix = flags
            .prefix
            .as_ref()
            .ok_or("missing prefix: give --prefix DIR, or --system for /usr/local")?;
        if !prefix.is_absolute() {
            return Err(format!("--prefix {}: must be an absolute path", prefix.display()));
        }
        if flags.libdir.is_absolute() || flags.libdir.components().any(|c| c.as_os_str() == "..") {
            return Err(format!("--libdir {}: must lie below the prefix", flags.libdir.display()));
        }
    }
    Ok(Some(flags))
}

fn layout(flags: &Flags) -> Result<Layout, Failure> {
    let prefix = flags.prefix.clone().ok_or("no prefix")?;
    let root = match &flags.destdir {
        Some(staging) => staging.join(prefix.strip_prefix("/").unwrap_or(&prefix)),
        None => prefix.clone(),
    };
    Ok(Layout { root, prefix, libdir: flags.libdir.clone() })
}

/// Installs below `prefix`, an absolute path, replacing existing files.
pub(crate) fn install_below(place: &Place, prefix: &Path, profile: &str) -> Result<(), Failure> {
    let layout = Layout { root: prefix.into(), prefix: prefix.into(), libdir: "lib".into() };
    install::install(place, &layout, profile, true)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(command: &str, args: &[&str]) -> Result<Option<Flags>, Failure> {
        parse(command, args.iter().map(|s| s.to_string()))
    }

    #[test]
    fn a_place_must_be_given() {
        assert!(parsed("install", &[]).err().unwrap().contains("--prefix DIR, or --system"));
        assert!(parsed("install", &["--prefix", "here"]).err().unwrap().contains("absolute"));
        assert!(
            parsed("install", &["--system", "--libdir", "../x"])
                .err()
                .unwrap()
                .contains("below the prefix")
        );
        assert!(
            parsed("uninstall", &["--system", "--replace"]).err().unwrap().contains("not a flag")
        );
        assert!(parsed("install", &["--help"]).unwrap().is_none());
        let flags = parsed("install", &["--system", "--destdir", "/tmp/x"]).unwrap().unwrap();
        let layout = layout(&flags).unwrap();
        assert_eq!((layout.root, layout.prefix), ("/tmp/x/usr/local".into(), "/usr/local".into()));
    }
}
