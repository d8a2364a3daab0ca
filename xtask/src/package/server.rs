//! The Debian package `ferrolith-server`: the program `ferrolith`, its service, its settings, manual pages and
//! completions. The files of `packaging/` are taken as they are.

use super::deb::{self, Common};
use super::{Flags, layout};
use crate::compat::Failure;
use crate::compat::place::{self, Place};
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::Command;

const NAME: &str = "ferrolith-server";

/// Files of the repository, and their places.
const FILES: [(&str, &str); 13] = [
    ("packaging/ferrolith-server.service", "usr/lib/systemd/system/ferrolith-server.service"),
    ("packaging/sysusers.conf", "usr/lib/sysusers.d/ferrolith.conf"),
    ("packaging/server.toml", "etc/ferrolith/server.toml"),
    ("packaging/logrotate", "etc/logrotate.d/ferrolith-server"),
    ("docs/server/operating.md", "usr/share/doc/ferrolith-server/operating.md"),
    ("docs/server/configuration.md", "usr/share/doc/ferrolith-server/configuration.md"),
    ("docs/server/backup.md", "usr/share/doc/ferrolith-server/backup.md"),
    ("docs/server/security.md", "usr/share/doc/ferrolith-server/security.md"),
    ("docs/server/migration.md", "usr/share/doc/ferrolith-server/migration.md"),
    ("docs/server/redis.md", "usr/share/doc/ferrolith-server/redis.md"),
    ("docs/server/page.md", "usr/share/doc/ferrolith-server/page.md"),
    ("docs/server/metrics.md", "usr/share/doc/ferrolith-server/metrics.md"),
    ("docs/server/grafana.json", "usr/share/doc/ferrolith-server/grafana.json"),
];

/// Shells, and the places of their completions.
const COMPLETIONS: [(&str, &str); 3] = [
    ("bash", "usr/share/bash-completion/completions/ferrolith"),
    ("zsh", "usr/share/zsh/vendor-completions/_ferrolith"),
    ("fish", "usr/share/fish/vendor_completions.d/ferrolith.fish"),
];

/// Builds the package and prints its path.
pub(super) fn build(place: &Place, flags: &Flags) -> Result<(), Failure> {
    let common = Common::new(place, flags)?;
    let program = layout::build(place, "ferrolith-cli", &flags.profile)?.join("ferrolith");
    let tree = common.output.join(NAME);
    let _ = fs::remove_dir_all(&tree);
    put(&program, &tree.join("usr/bin/ferrolith"), 0o755)?;
    for (from, to) in FILES {
        put(&place.root.join(from), &tree.join(to), 0o644)?;
    }
    for (shell, to) in COMPLETIONS {
        let mut completions = Command::new(&program);
        completions.args(["completions", shell]);
        make_parent(&tree.join(to))?;
        place::write(&tree.join(to), &place::output(completions)?)?;
    }
    write_manual(&program, &tree.join("usr/share/man/man1"))?;
    let documents = tree.join("usr/share/doc").join(NAME);
    place::write(&documents.join("copyright"), &deb::copyright(place)?)?;
    write_control(place, &common, &tree.join("DEBIAN"))?;
    let (version, architecture) = (deb::our_version(place)?, &common.architecture);
    let file = common.output.join(format!("{NAME}_{version}_{architecture}.deb"));
    let mut dpkg_deb = Command::new("dpkg-deb");
    dpkg_deb.args(["--root-owner-group", "--build"]).arg(&tree).arg(&file);
    place::check(dpkg_deb)?;
    println!("{}", file.display());
    Ok(())
}

fn write_manual(program: &Path, to: &Path) -> Result<(), Failure> {
    place::make_dir(to)?;
    let mut manual = Command::new(program);
    manual.args(["man", "--to"]).arg(to);
    place::check(manual)?;
    let mut gzip = Command::new("gzip");
    gzip.args(["-9", "-n", "-r"]).arg(to);
    place::check(gzip)
}

fn write_control(place: &Place, common: &Common, to: &Path) -> Result<(), Failure> {
    place::make_dir(to)?;
    let (version, architecture) = (deb::our_version(place)?, &common.architecture);
    let maintainer = &common.maintainer;
    let control = format!(
        "Package: {NAME}\nSource: ferrolith\nVersion: {version}\nArchitecture: {architecture}\nSection: database\n\
         Priority: optional\nMaintainer: {maintainer}\nDepends: libc6 (>= 2.34), libgcc-s1, systemd\n\
         Description: server for Redis and Pegasus clients, with data on the device\n \
         The program ferrolith serves unchanged clients of Redis and Apache Pegasus from an\n \
         engine that is compatible with RocksDB, and makes backups, copies and diagnoses.\n"
    );
    place::write(&to.join("control"), &control)?;
    let conffiles = "/etc/ferrolith/server.toml\n/etc/logrotate.d/ferrolith-server\n";
    place::write(&to.join("conffiles"), conffiles)?;
    for script in ["postinst", "postrm"] {
        put(&place.root.join("packaging").join(script), &to.join(script), 0o755)?;
    }
    Ok(())
}

fn make_parent(path: &Path) -> Result<(), Failure> {
    path.parent().map_or(Ok(()), place::make_dir)
}

/// Copies a file, with these permissions.
fn put(from: &Path, to: &Path, mode: u32) -> Result<(), Failure> {
    make_parent(to)?;
    layout::copy(from, to)?;
    let permissions = fs::Permissions::from_mode(mode);
    fs::set_permissions(to, permissions).map_err(|e| format!("{}: {e}", to.display()))
}
