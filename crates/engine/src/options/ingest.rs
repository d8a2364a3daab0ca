//! Options for ingesting files and importing column families.

/// Options of `ingest_external_file`; names and defaults are RocksDB's.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct IngestExternalFileOptions {
    /// Move the files, by hard links where possible.
    pub move_files: bool,
    /// Like `move_files`, but keep the original names: both names share the bytes.
    pub link_files: bool,
    /// Copy the file if it cannot be linked; otherwise that is an error.
    pub failed_move_fall_back_to_copy: bool,
    /// Hide the keys from existing snapshots.
    pub snapshot_consistency: bool,
    /// Assign a sequence number to a file that overlaps existing data; otherwise that is an error.
    pub allow_global_seqno: bool,
    /// Flush memtables with keys in the files' ranges; otherwise that is an error.
    pub allow_blocking_flush: bool,
    /// Treat existing data as newer: the files are placed below everything else. Requires a database or column family
    /// with `allow_ingest_behind`.
    pub ingest_behind: bool,
    /// Write the sequence number into the file, as releases before 5.16 require. Not supported: true is refused. The
    /// MANIFEST has the number.
    pub write_global_seqno: bool,
    /// Read and verify all blocks first.
    pub verify_checksums_before_ingest: bool,
    /// Accepted, has no effect: the verification reads ahead by one megabyte.
    pub verify_checksums_readahead_size: usize,
    /// Accepted, has no effect: there are no whole-file checksums.
    pub verify_file_checksum: bool,
    /// Fail with TryAgain if a file does not fit on the last level.
    pub fail_if_not_bottommost_level: bool,
    /// Also allow files that a database wrote, if all their sequence numbers are 0.
    pub allow_db_generated_files: bool,
    /// Accepted, has no effect: blocks read during the ingestion are never added to the block cache.
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
    /// Move the files, by hard links where possible.
    pub move_files: bool,
}
