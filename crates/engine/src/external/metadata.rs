//! Metadata of a database's files. Field names are RocksDB's.

use crate::base::SeqNo;
use crate::fs::filename::table_file_name;
use crate::version::FileMeta;
use std::path::{Path, PathBuf};

/// A live table.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LiveFileMetaData {
    /// The name of its column family.
    pub column_family_name: String,
    /// Its level.
    pub level: usize,
    /// The path relative to `db_path`, with a leading slash: `/000012.sst`.
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
    /// The number of entries of any kind.
    pub num_entries: u64,
    /// The number of tombstones among them.
    pub num_deletions: u64,
    /// Whether a compaction is reading it.
    pub being_compacted: bool,
    /// Its age relative to other files of its column family; larger is newer.
    pub epoch_number: u64,
    /// When its oldest data was written, in seconds since 1970; 0 if unknown.
    pub oldest_ancestor_time: u64,
    /// When it was created, in seconds since 1970; 0 if unknown.
    pub file_creation_time: u64,
    /// The first internal key. Empty if unknown; an import then reads the file.
    pub smallest: Vec<u8>,
    /// The last internal key. Empty if unknown.
    pub largest: Vec<u8>,
}

impl LiveFileMetaData {
    /// Returns the metadata of `file`.
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

    /// Returns the path of the file.
    pub fn path(&self) -> PathBuf {
        self.db_path.join(self.name.trim_start_matches('/'))
    }
}

/// One level of a column family.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LevelMetaData {
    /// The number of the level.
    pub level: usize,
    /// The total size of its files in bytes.
    pub size: u64,
    /// Its files: newest first on level 0, otherwise in key order.
    pub files: Vec<LiveFileMetaData>,
}

/// The files of a column family.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ColumnFamilyMetaData {
    /// The total size of all files in bytes.
    pub size: u64,
    /// The number of files.
    pub file_count: usize,
    /// Its name.
    pub name: String,
    /// All levels, including empty ones.
    pub levels: Vec<LevelMetaData>,
}

/// The files that together are a copy of the database at one point in time.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LiveFiles {
    /// Tables, `CURRENT`, the MANIFEST and the OPTIONS file, each with a leading slash.
    pub names: Vec<String>,
    /// The valid size of the MANIFEST; data after it is newer than the list.
    pub manifest_file_size: u64,
}

/// An exported column family, from which a new one can be created.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ExportImportFilesMetaData {
    /// The name of its comparator.
    pub db_comparator_name: String,
    /// Its files.
    pub files: Vec<LiveFileMetaData>,
}
