//! Lists the WALs in a directory.

use crate::error::Result;
use crate::fs::filename::{self, FileKind};
use crate::session::Session;

/// Returns the numbers of the WALs in the directory, ascending.
pub(crate) fn list_wals(session: &Session) -> Result<Vec<u64>> {
    match session.fs.exists(&session.wal_dir)? {
        true => Ok(wals_among(&session.fs.list_dir(&session.wal_dir)?)),
        false => Ok(Vec::new()),
    }
}

/// Returns the numbers of the WALs among these files, ascending.
pub(crate) fn wals_among(names: &[String]) -> Vec<u64> {
    let number = |name: &String| match filename::parse_file_name(name) {
        Some(FileKind::Wal(number)) => Some(number),
        _ => None,
    };
    let mut wals: Vec<u64> = names.iter().filter_map(number).collect();
    wals.sort_unstable();
    wals
}
