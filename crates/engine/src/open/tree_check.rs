//! Checks the trees of a database when it closes. Debug builds only: in the tests of this crate, and in processes with
//! the environment variable `FERROLITH_CHECK_TREE=1`.

use super::core::Core;
use crate::env::{epoch, threads};
use crate::version::check::{Fault, Tree};

/// Larger trees, in bytes of files, are not checked: that would take too long.
const BYTES_MAX: u64 = 16 << 20;

/// Panics if a tree contradicts itself. Call it when jobs have ended and writes are refused. Does nothing after an
/// error, which a test may have planted, and skips trees with tables that cannot be read.
pub(super) fn check_trees(core: &Core) {
    if !is_wanted() || threads::panicking() || core.session.health.error().is_some() {
        return;
    }
    // A repair brings back replaced tables, and replays WAL records that are already in tables.
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
        let memtables: Vec<_> = sv.memtables().cloned().collect();
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
