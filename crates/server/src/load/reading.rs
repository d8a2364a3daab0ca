//! The rows of a part, in the order of their keys.

use super::source::{Content, Part};
use crate::error::{Error, Result};
use crate::rows::pegasus::Version;
use ferrolith::ingest::{SstEntries, SstEntryKind, SstFileReader};
use ferrolith::{Cursor, Db, Options, ReadOptions};
use std::path::Path;

/// The family of a replica's database that has facts about it, and the version of its values among them.
const META_FAMILY: &str = "pegasus_meta_cf";
const VERSION_ROW: &str = "pegasus_data_version";

/// A part that is open for reading. It can be read several times.
pub(super) struct Opened {
    inner: Inner,
    /// The version of values that do not say theirs.
    pub(super) version: Version,
    /// About how many rows there are.
    pub(super) rows: u64,
}

enum Inner {
    Table(SstFileReader),
    Checkpoint(Db),
}

/// The rows of a part.
pub(super) enum Rows {
    Table(Box<SstEntries>, Vec<u8>),
    Checkpoint(Box<Cursor>, bool),
}

impl Opened {
    /// Opens a part. `version` is that of the values; without, it is 1 for sorted files, and for checkpoints what they
    /// say.
    ///
    /// # Errors
    ///
    /// The part cannot be read, is damaged, has more than rows, or says another version.
    pub(super) fn new(part: &Part, version: Option<Version>) -> Result<Opened> {
        match part.content {
            Content::Table => open_table(&part.path, version.unwrap_or(Version::V1)),
            Content::Checkpoint => open_checkpoint(&part.path, version),
        }
    }

    /// Returns the rows, from the first on.
    pub(super) fn rows(&self) -> Rows {
        match &self.inner {
            Inner::Table(reader) => Rows::Table(Box::new(reader.entries()), Vec::new()),
            Inner::Checkpoint(db) => {
                let options = ReadOptions::new().fill_cache(false);
                Rows::Checkpoint(Box::new(db.cursor_opt(&options)), false)
            }
        }
    }
}

fn open_table(path: &Path, version: Version) -> Result<Opened> {
    let reader = SstFileReader::open(Options::new(), path)?;
    if reader.num_range_deletions() > 0 {
        return Err(Error::Setting(
            "it deletes ranges of keys; only rows can be loaded".to_owned(),
        ));
    }
    // Also what no row is in: an index or a filter that is damaged means that the file is not what was written.
    reader.verify_checksums()?;
    let rows = reader.num_entries();
    Ok(Opened { inner: Inner::Table(reader), version, rows })
}

fn open_checkpoint(path: &Path, given: Option<Version>) -> Result<Opened> {
    let db = Db::open_read_only(Options::new(), path)?;
    let found = match db.cf(META_FAMILY) {
        Ok(family) => family.get(VERSION_ROW)?,
        Err(_) => None,
    };
    let found = found.map(|text| match &text[..] {
        b"0" => Ok(Version::V0),
        b"1" => Ok(Version::V1),
        other => Err(Error::Setting(format!(
            "{VERSION_ROW}: expected values of version 0 or 1, found {:?}",
            String::from_utf8_lossy(other)
        ))),
    });
    let version = match (found.transpose()?, given) {
        (Some(found), Some(given)) if found != given => {
            let (found, given) = (number(found), number(given));
            return Err(Error::Setting(format!("its values have version {found}, not {given}")));
        }
        (Some(version), _) | (None, Some(version)) => version,
        (None, None) => {
            return Err(Error::Setting(format!(
                "expected the version of its values in {META_FAMILY}, row {VERSION_ROW}; is this a checkpoint of \
                 Pegasus? If so, give --value-version"
            )));
        }
    };
    let rows = db.property_int("rocksdb.estimate-num-keys").unwrap_or(0);
    Ok(Opened { inner: Inner::Checkpoint(db), version, rows })
}

fn number(version: Version) -> u8 {
    match version {
        Version::V0 => 0,
        Version::V1 => 1,
    }
}

impl Rows {
    /// Returns the next row; `None` at the end.
    ///
    /// # Errors
    ///
    /// The part cannot be read, is damaged or not in order, or has an entry that is no row.
    pub(super) fn next_row(&mut self) -> Result<Option<(&[u8], &[u8])>> {
        match self {
            Rows::Table(entries, last) => {
                let Some(entry) = entries.next_entry()? else { return Ok(None) };
                let what = match entry.kind {
                    SstEntryKind::Value if !last.is_empty() && last.as_slice() == entry.key => {
                        "several versions of a key, as the tables of a database have: load a checkpoint of the database"
                    }
                    SstEntryKind::Value => {
                        last.clear();
                        last.extend_from_slice(entry.key);
                        return Ok(Some((entry.key, entry.value)));
                    }
                    SstEntryKind::Deletion => "a deletion; only rows can be loaded",
                    SstEntryKind::Merge => "a merge operand; only rows can be loaded",
                    _ => "an entry of a kind that cannot be loaded",
                };
                let key = entry.key.escape_ascii();
                Err(Error::Setting(format!("at the key \"{key}\": it has {what}")))
            }
            Rows::Checkpoint(cursor, has_begun) => {
                match std::mem::replace(has_begun, true) {
                    true => cursor.next(),
                    false => cursor.seek_to_first(),
                }
                if !cursor.valid() {
                    cursor.status()?;
                }
                Ok(cursor.item())
            }
        }
    }
}
