//! Rebuilds a lost MANIFEST from the tables.

use super::{FileMeta, Manifest, VersionEdit};
use crate::base::SeqNo;
use crate::error::Result;
use crate::fs::FileSystem;
use std::path::Path;
use std::sync::Arc;

/// A column family as reconstructed from its tables.
pub(crate) struct SalvagedFamily {
    pub(crate) id: u32,
    pub(crate) name: String,
    pub(crate) comparator: String,
    pub(crate) files: Vec<FileMeta>,
}

/// Writes the MANIFEST `number` and makes it current. All tables are placed on level 0, the one
/// with the newest entry first; no WAL is excluded from replay.
pub(crate) fn write_salvaged(
    fs: &dyn FileSystem,
    dir: &Path,
    number: u64,
    families: Vec<SalvagedFamily>,
) -> Result<()> {
    let files = families.iter().flat_map(|family| &family.files);
    let sequence = files.map(|file| file.largest_seqno).max().unwrap_or(0);
    let largest = families.iter().map(|family| family.id).max().unwrap_or(0);
    let mut edits = Vec::with_capacity(2 * families.len() + 1);
    for family in families {
        edits.push(VersionEdit {
            comparator: Some(family.comparator),
            column_family_add: (family.id != 0).then_some(family.name),
            ..VersionEdit::for_column_family(family.id)
        });
        edits.push(VersionEdit {
            new_files: by_age(family.files),
            log_number: Some(0),
            last_sequence: Some(sequence),
            ..VersionEdit::for_column_family(family.id)
        });
    }
    edits.push(last_edit(number, sequence, largest));
    Manifest::create(fs, dir, number, &edits)?.make_current(fs, dir)
}

/// Gives each file its own epoch, since nothing shows which files belong together.
fn by_age(mut files: Vec<FileMeta>) -> Vec<(usize, Arc<FileMeta>)> {
    files.sort_by_key(|file| (file.largest_seqno, file.smallest_seqno, file.number));
    let numbered = (1..).zip(files);
    numbered.map(|(epoch, file)| (0, Arc::new(file.with_epoch(epoch)))).collect()
}

fn last_edit(number: u64, sequence: SeqNo, largest_family: u32) -> VersionEdit {
    VersionEdit {
        prev_log_number: Some(0),
        next_file_number: Some(number + 1),
        max_column_family: (largest_family > 0).then_some(largest_family),
        last_sequence: Some(sequence),
        ..VersionEdit::default()
    }
}
