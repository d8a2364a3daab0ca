//! What a database says of its files. Names of fields are RocksDB's.

use crate::base::SeqNo;
use crate::fs::filename::table_file_name;
use crate::version::FileMeta;
use std::path::{Path, PathBuf};

/// A live table.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LiveFileMetaData {
    /// The column family that it belongs to.
    pub column_family_name: String,
    /// Its level.
    pub level: usize,
    /// `/000012.sst`: the path below `db_path`, with a slash in front.
    pub name: String,
    /// The directory.
    pub db_path: PathBuf,
    /// The number in its name.
    pub file_number: u64,
    /// Its size in bytes.
    pub size: u64,
    /// The first user key.
    pub smallest_key: Vec<u8>,
    /// The last user key.
    pub largest_key: Vec<u8>,
    /// The oldest sequence number in it.
    pub smallest_seqno: SeqNo,
    /// The newest sequence number in it.
    pub largest_seqno: SeqNo,
    /// Entries of any kind.
    pub num_entries: u64,
    /// Tombstones among them.
    pub num_deletions: u64,
    /// Whether a compaction works on it.
    pub being_compacted: bool,
    /// Its age among the files of its column family; larger is newer.
    pub epoch_number: u64,
    /// When its oldest data was written, in seconds since 1970; 0 unknown.
    pub oldest_ancestor_time: u64,
    /// When it was made, in seconds since 1970; 0 unknown.
    pub file_creation_time: u64,
    /// The first internal key. Empty where nobody knows it; an import then reads the file.
    pub smallest: Vec<u8>,
    /// The last internal key. As `smallest`.
    pub largest: Vec<u8>,
}

impl LiveFileMetaData {
    /// What is to say of `file`.
    pub(crate) fn new(dir: &Path, family: &str, level: usize, file: &FileMeta) -> LiveFileMetaData {
        let stats = file.stats();
        LiveFileMetaData {
            column_family_name: family.to_owned(),
            level,
            name: table_file_name(Path::new("/"), file.number).to_string_lossy().into_owned(),
            db_path: dir.to_owned(),
            file_number: file.number,
            size: file.file_size,
            smallest_key: file.smallest_user_key().to_vec(),
            largest_key: file.largest_user_key().to_vec(),
            smallest_seqno: file.smallest_seqno,
            largest_seqno: file.largest_seqno,
            num_entries: stats.num_entries,
            num_deletions: stats.num_deletions,
            being_compacted: file.is_being_compacted(),
            epoch_number: file.epoch_number,
            oldest_ancestor_time: file.oldest_ancestor_time,
            file_creation_time: file.file_creation_time,
            smallest: file.smallest.clone(),
            largest: file.largest.clone(),
        }
    }

    /// Where the file is.
    pub fn path(&self) -> PathBuf {
        self.db_path.join(self.name.trim_start_matches('/'))
    }
}

/// One level of a column family.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LevelMetaData {
    /// Which level.
    pub level: usize,
    /// Bytes of its files.
    pub size: u64,
    /// Its files: newest first on level 0, else in key order.
    pub files: Vec<LiveFileMetaData>,
}

/// The files of a column family.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ColumnFamilyMetaData {
    /// Bytes of all files.
    pub size: u64,
    /// How many files there are.
    pub file_count: usize,
    /// Its name.
    pub name: String,
    /// Every level, with or without files.
    pub levels: Vec<LevelMetaData>,
}

/// The files that, copied together, are the database at one moment.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LiveFiles {
    /// Tables, `CURRENT`, the MANIFEST and the OPTIONS file, each with a slash in front.
    pub names: Vec<String>,
    /// The MANIFEST counts up to here; what follows is younger than the list.
    pub manifest_file_size: u64,
}

/// An exported column family: what a new one is made from.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ExportImportFilesMetaData {
    /// The name of the order of its keys.
    pub db_comparator_name: String,
    /// Its files.
    pub files: Vec<LiveFileMetaData>,
}
