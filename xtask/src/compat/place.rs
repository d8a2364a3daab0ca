//! Paths: the repository, the cache of suites, the libraries.

use super::Failure;
use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

pub(crate) struct Place {
    pub(crate) root: PathBuf,
    /// `$XDG_CACHE_HOME/ferrolith/compat`, shared by all worktrees of a machine.
    pub(crate) cache: PathBuf,
    /// `target/compat`: the results of this worktree.
    pub(crate) results: PathBuf,
}

impl Place {
    pub(crate) fn find() -> Result<Place, Failure> {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("a workspace").to_owned();
        let base = match (env::var_os("XDG_CACHE_HOME"), env::var_os("HOME")) {
            (Some(dir), _) => PathBuf::from(dir),
            (None, Some(home)) => Path::new(&home).join(".cache"),
            (None, None) => return Err("neither XDG_CACHE_HOME nor HOME is set".into()),
        };
        let cache = base.join("ferrolith/compat");
        let results = root.join("target/compat");
        make_dir(&cache)?;
        make_dir(&results)?;
        Ok(Place { root, cache, results })
    }

    /// Returns the stub's directory, with which suites are linked.
    pub(crate) fn stub(&self) -> PathBuf {
        self.cache.join("stub")
    }

    pub(crate) fn sources(&self, name: &str) -> PathBuf {
        self.cache.join("sources").join(name)
    }

    pub(crate) fn real_library(&self, given: Option<PathBuf>) -> Result<PathBuf, Failure> {
        let known = given
            .or_else(|| env::var_os("FERROLITH_ROCKSDB_LIB").map(PathBuf::from))
            .unwrap_or_else(|| self.cache.with_file_name("rocksdb-10.10.1/librocksdb.so"));
        if !known.exists() {
            check(Command::new(self.root.join("tools/fetch-peers.sh")))?;
        }
        known.canonicalize().map_err(|e| format!("{}: {e}", known.display()))
    }

    pub(crate) fn our_library(&self, given: Option<PathBuf>) -> Result<PathBuf, Failure> {
        let path = match given {
            Some(path) => path,
            None => {
                let mut cargo = Command::new("cargo");
                cargo.current_dir(&self.root).args([
                    "build",
                    "--quiet",
                    "-p",
                    "ferrolith-librocksdb",
                ]);
                check(cargo)?;
                let target = env::var_os("CARGO_TARGET_DIR").map(PathBuf::from);
                target.unwrap_or_else(|| self.root.join("target")).join("debug/librocksdb.so")
            }
        };
        path.canonicalize().map_err(|e| format!("{}: {e}", path.display()))
    }
}

pub(crate) fn make_dir(path: &Path) -> Result<(), Failure> {
    fs::create_dir_all(path).map_err(|e| format!("{}: {e}", path.display()))
}

pub(crate) fn read(path: &Path) -> Result<String, Failure> {
    fs::read_to_string(path).map_err(|e| format!("{}: {e}", path.display()))
}

/// Writes a file atomically, because other worktrees read the same cache.
pub(crate) fn write(path: &Path, text: &str) -> Result<(), Failure> {
    let part = path.with_extension(format!("part-{}", std::process::id()));
    let written = fs::write(&part, text).and_then(|()| fs::rename(&part, path));
    written.map_err(|e| format!("{}: {e}", path.display()))
}

/// Runs a command to its end, with its output on stderr.
pub(crate) fn check(mut command: Command) -> Result<(), Failure> {
    let status = command.stdout(std::io::stderr()).status();
    match status {
        Ok(status) if status.success() => Ok(()),
        Ok(status) => Err(format!("{command:?}: {status}")),
        Err(e) => Err(format!("{command:?}: {e}")),
    }
}

/// Runs a command to its end and returns its stdout.
pub(crate) fn output(mut command: Command) -> Result<String, Failure> {
    let done = command.stderr(std::process::Stdio::piped()).output();
    let done = done.map_err(|e| format!("{command:?}: {e}"))?;
    if !done.status.success() {
        let said = String::from_utf8_lossy(&done.stderr);
        return Err(format!("{command:?}: {}\n{said}", done.status));
    }
    Ok(String::from_utf8_lossy(&done.stdout).into_owned())
}
