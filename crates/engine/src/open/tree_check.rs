//! Debug builds: closing a database checks its trees. Only the tests of this crate do so, or who asks for it by the
//! variable `FERROLITH_CHECK_TREE`.

use super::core::Core;
use crate::env::{epoch, threads};
use crate::version::check::{Fault, Tree};

/// Trees with more bytes of files take too long.
const BYTES_MAX: u64 = 16 << 20;

/// Panics if a tree contradicts itself. Called when jobs have ended and writes are refused.
/// Does nothing after an error, which may have been planted, and passes over tables that cannot be read.
pub(super) fn check_trees(core: &Core) {
    if !is_wanted() || threads::panicking() || core.session.health.error().is_some() {
        return;
    }
    // A repair puts back all tables that it finds, also those that others replaced, and the WALs that tables hold.
    if core.session.fs.exists(&core.session.dir.join("lost")).unwrap_or(true) {
        return;
    }
    // Writers that were admitted insert and publish first.
    epoch::synchronize();
    // Files from outside are installed before their sequence numbers are published, under this lock.
    let _versions = core.catalog.versions();
    for family in core.catalog.all_families() {
        let Some(sv) = family.hold_super_version() else { continue };
        if sv.version.total_bytes() > BYTES_MAX {
            continue;
        }
        let memtables: Vec<_> = std::iter::once(&sv.mem).chain(&sv.immutables).cloned().collect();
        let tree = Tree {
            memtables: &memtables,
            version: &sv.version,
            tables: &family.tables,
            last_sequence: core.catalog.order().visible(),
        };
        let name = &family.name;
        match tree.check() {
            Ok(()) => {}
            Err(Fault::Unreadable(error)) => {
                let log = &core.session.info_log;
                log.warn(format_args!("[{name}] the tree was not checked: {error}"));
            }
            Err(Fault::Wrong(error)) => {
                panic!("closing {}, column family {name}: {error}", core.session.dir.display());
            }
        }
    }
}

/// Whether the process runs tests of this crate, as cargo says, unless the variable says something else.
fn is_wanted() -> bool {
    match std::env::var("FERROLITH_CHECK_TREE") {
        Ok(value) => value != "0",
        Err(_) => std::env::var("CARGO_PKG_NAME").is_ok_and(|name| name == env!("CARGO_PKG_NAME")),
    }
}
