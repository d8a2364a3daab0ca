//! Where the real RocksDB is on this machine. Without it a test fails and says how to get it.

use crate::store::Result;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

const HOW: &str = "run `./test`, or `eval \"$(tools/fetch-peers.sh)\"` before cargo";

/// The vendor's 10.10.1 library.
pub fn library() -> Result<PathBuf> {
    let path = match std::env::var_os("FERROLITH_ROCKSDB_LIB") {
        Some(path) => PathBuf::from(path),
        None => {
            let cache = std::env::var_os("XDG_CACHE_HOME").map(PathBuf::from);
            let home = || std::env::var_os("HOME").map(|home| PathBuf::from(home).join(".cache"));
            let cache = cache.or_else(home).unwrap_or_default();
            cache.join("ferrolith/rocksdb-10.10.1/librocksdb.so")
        }
    };
    if path.is_file() {
        return Ok(path);
    }
    Err(format!("{}: RocksDB 10.10.1's library was not found; {HOW}", path.display()))
}

/// One of Debian's 7.8.3 tools: `ldb`, `sst_dump` or `db_bench`.
pub fn tool(name: &str) -> Result<PathBuf> {
    let dirs = match std::env::var_os("FERROLITH_ROCKSDB_TOOLS") {
        Some(dir) => vec![PathBuf::from(dir)],
        None => std::env::var_os("PATH")
            .map(|path| std::env::split_paths(&path).collect())
            .unwrap_or_default(),
    };
    let found = dirs.iter().map(|dir| dir.join(name)).find(|path| Path::is_file(path));
    found.ok_or_else(|| format!("{name} of RocksDB 7.8.3 was not found in {dirs:?}; {HOW}"))
}

/// Our own `librocksdb.so` of this build; cargo builds it when it is not up to date.
pub fn our_library() -> Result<PathBuf> {
    static BUILT: OnceLock<Result<PathBuf>> = OnceLock::new();
    let build = || {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
        let mut cargo = Command::new(env!("CARGO"));
        cargo.current_dir(&root).args(["build", "--quiet", "-p", "ferrolith-librocksdb"]);
        let status = cargo.status().map_err(|e| format!("{cargo:?}: {e}"))?;
        if !status.success() {
            return Err(format!("{cargo:?}: {status}"));
        }
        let target = std::env::var_os("CARGO_TARGET_DIR").map(PathBuf::from);
        Ok(target.unwrap_or_else(|| root.join("target")).join("debug/librocksdb.so"))
    };
    BUILT.get_or_init(build).clone()
}
