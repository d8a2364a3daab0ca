//! Where the real RocksDB is on this machine. Without it a test fails and says how to get it.

use crate::store::Result;
use std::path::{Path, PathBuf};

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
    Err(format!("{}: RocksDB 10.10.1's library is not there; {HOW}", path.display()))
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
    found.ok_or_else(|| format!("{name} of RocksDB 7.8.3 is not in {dirs:?}; {HOW}"))
}
