//! The raw outputs in a results directory. During a run, each row has a text file in `raw/`. Afterwards all of them are
//! in `raw.tar.gz`, which Git tracks.

use crate::compat::{Failure, place};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

const ARCHIVE: &str = "raw.tar.gz";
const DIR: &str = "raw";

/// Returns the raw output of one row.
pub(super) fn path(out: &Path, name: &str) -> PathBuf {
    out.join(DIR).join(format!("{name}.txt"))
}

/// Creates `raw/` with the outputs of earlier runs. A directory left by an interrupted run is used unchanged.
pub(super) fn unpack(out: &Path) -> Result<(), Failure> {
    if out.join(DIR).exists() {
        return Ok(());
    }
    place::make_dir(&out.join(DIR))?;
    match out.join(ARCHIVE).exists() {
        true => place::check(tar(out, &["-xzf", ARCHIVE])),
        false => Ok(()),
    }
}

/// Moves `raw/` into the archive. The same outputs give identical bytes.
pub(super) fn pack(out: &Path) -> Result<(), Failure> {
    let fixed = ["--sort=name", "--mtime=@0", "--owner=0", "--group=0", "--numeric-owner"];
    place::check(tar(out, &[&fixed[..], &["-czf", ARCHIVE, DIR]].concat()))?;
    fs::remove_dir_all(out.join(DIR)).map_err(|e| format!("{}: {e}", out.join(DIR).display()))
}

fn tar(out: &Path, args: &[&str]) -> Command {
    let mut tar = Command::new("tar");
    tar.current_dir(out).args(args);
    tar
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn outputs_survive_the_archive_unchanged() {
        let out = std::env::temp_dir().join(format!("ferrolith-raw-{}", std::process::id()));
        unpack(&out).unwrap();
        fs::write(path(&out, "b"), "two").unwrap();
        fs::write(path(&out, "a"), "one").unwrap();
        pack(&out).unwrap();
        assert!(!out.join(DIR).exists());
        let first = fs::read(out.join(ARCHIVE)).unwrap();
        unpack(&out).unwrap();
        assert_eq!(fs::read_to_string(path(&out, "a")).unwrap(), "one");
        pack(&out).unwrap();
        assert_eq!(fs::read(out.join(ARCHIVE)).unwrap(), first);
        fs::remove_dir_all(&out).unwrap();
    }
}
