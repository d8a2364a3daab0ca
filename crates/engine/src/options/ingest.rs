//! Options of taking in what was made elsewhere.

/// Options of `ingest_external_file`; names and defaults are RocksDB's.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct IngestExternalFileOptions {
    /// Take the files away from where they are, by hard links where that is possible.
    pub move_files: bool,
    /// As `move_files`, but leave them where they are: both names share the bytes.
    pub link_files: bool,
    /// Copy where links cannot be had; otherwise that is an error.
    pub failed_move_fall_back_to_copy: bool,
    /// Snapshots that exist do not see the keys.
    pub snapshot_consistency: bool,
    /// Give a file that overlaps what is there a sequence number; otherwise that is an error.
    pub allow_global_seqno: bool,
    /// Flush memtables that hold keys of the files' ranges; otherwise that is an error.
    pub allow_blocking_flush: bool,
    /// What is there counts as newer: the files go below everything. Needs a database or column
    /// family with `allow_ingest_behind`.
    pub ingest_behind: bool,
    /// Write the sequence number into the file, as releases before 5.16 want it. Not supported:
    /// true is refused. The MANIFEST has the number.
    pub write_global_seqno: bool,
    /// Read all blocks first and check them.
    pub verify_checksums_before_ingest: bool,
    /// Accepted, has no effect: the check reads ahead a megabyte.
    pub verify_checksums_readahead_size: usize,
    /// Accepted, has no effect: there are no checksums of whole files.
    pub verify_file_checksum: bool,
    /// Fail with TryAgain where a file does not fit on the last level.
    pub fail_if_not_bottommost_level: bool,
    /// Take also files that a database made, if all their sequence numbers are 0.
    pub allow_db_generated_files: bool,
    /// Accepted, has no effect: what is read meanwhile is never put into the block cache.
    pub fill_cache: bool,
}

impl Default for IngestExternalFileOptions {
    fn default() -> IngestExternalFileOptions {
        IngestExternalFileOptions {
            move_files: false,
            link_files: false,
            failed_move_fall_back_to_copy: true,
            snapshot_consistency: true,
            allow_global_seqno: true,
            allow_blocking_flush: true,
            ingest_behind: false,
            write_global_seqno: false,
            verify_checksums_before_ingest: false,
            verify_checksums_readahead_size: 0,
            verify_file_checksum: true,
            fail_if_not_bottommost_level: false,
            allow_db_generated_files: false,
            fill_cache: true,
        }
    }
}

/// Options of `create_cf_with_import`; names and defaults are RocksDB's.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ImportColumnFamilyOptions {
    /// Take the files away from where they are, by hard links where that is possible.
    pub move_files: bool,
}
