//! The reasons of events: RocksDB's reasons, with its numbers and words.

/// Defines an enumeration of reasons, with RocksDB's number and name for each.
macro_rules! reasons {
    ($(#[$doc:meta])* $kind:ident { $($(#[$variant_doc:meta])* $variant:ident = $number:literal $name:literal,)+ }) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        #[repr(u32)]
        pub enum $kind {
            $($(#[$variant_doc])* $variant = $number,)+
        }

        impl $kind {
            /// All reasons, in the order of their numbers.
            pub const ALL: &'static [$kind] = &[$($kind::$variant,)+];

            /// Returns RocksDB's name.
            pub const fn name(self) -> &'static str {
                match self {
                    $($kind::$variant => $name,)+
                }
            }
        }
    };
}

reasons! {
    /// Why a memtable was flushed.
    FlushReason {
        /// Any other reason.
        Others = 0 "Other Reasons",
        /// A list of live files was requested, for a checkpoint or a backup.
        GetLiveFiles = 1 "Get Live Files",
        /// The database is closing.
        ShutDown = 2 "Shut down",
        /// An ingested file overlaps the memtable.
        ExternalFileIngestion = 3 "External File Ingestion",
        /// A manual compaction begins with a flush.
        ManualCompaction = 4 "Manual Compaction",
        /// All memtables together are too large.
        WriteBufferManager = 5 "Write Buffer Manager",
        /// The memtable is full.
        WriteBufferFull = 6 "Write Buffer Full",
        /// A test.
        Test = 7 "Test",
        /// Files are deleted by range.
        DeleteFiles = 8 "Delete Files",
        /// An automatic compaction.
        AutoCompaction = 9 "Auto Compaction",
        /// A user's request.
        ManualFlush = 10 "Manual Flush",
        /// Recovery from an error.
        ErrorRecovery = 11 "Error Recovery",
        /// A retry of a failed flush.
        ErrorRecoveryRetryFlush = 12 "Error Recovery Retry Flush",
        /// The WALs are too large.
        WalFull = 13 "WAL Full",
        /// Data that was written during the recovery from an error.
        CatchUpAfterErrorRecovery = 14 "Catch Up After Error Recovery",
    }
}

reasons! {
    /// Why a compaction was picked.
    CompactionReason {
        /// Not specified.
        Unknown = 0 "Unknown",
        /// Level 0 has too many files, or too large ones.
        LevelL0FilesNum = 1 "LevelL0FilesNum",
        /// A level is larger than its target.
        LevelMaxLevelSize = 2 "LevelMaxLevelSize",
        /// Universal: too much space in relation to live data.
        UniversalSizeAmplification = 3 "UniversalSizeAmplification",
        /// Universal: adjacent runs of similar size.
        UniversalSizeRatio = 4 "UniversalSizeRatio",
        /// Universal: too many sorted runs.
        UniversalSortedRunNum = 5 "UniversalSortedRunNum",
        /// FIFO: all files together are too large.
        FIFOMaxSize = 6 "FIFOMaxSize",
        /// FIFO: small files are merged.
        FIFOReduceNumFiles = 7 "FIFOReduceNumFiles",
        /// FIFO: files are too old.
        FIFOTtl = 8 "FIFOTtl",
        /// A user's request.
        ManualCompaction = 9 "ManualCompaction",
        /// A file is marked for compaction.
        FilesMarkedForCompaction = 10 "FilesMarkedForCompaction",
        /// Files of the last level have entries that only a released snapshot needed.
        BottommostFiles = 11 "BottommostFiles",
        /// Files are older than `ttl`.
        Ttl = 12 "Ttl",
        /// A flush; for statistics.
        Flush = 13 "Flush",
        /// An ingestion; for statistics.
        ExternalSstIngestion = 14 "ExternalSstIngestion",
        /// Files are older than `periodic_compaction_seconds`.
        PeriodicCompaction = 15 "PeriodicCompaction",
        /// Files are moved to other storage.
        ChangeTemperature = 16 "ChangeTemperature",
        /// Blob files hold too much garbage.
        ForcedBlobGC = 17 "ForcedBlobGC",
        /// Files are older than `ttl`, with round-robin priority.
        RoundRobinTtl = 18 "RoundRobinTtl",
        /// A level is moved to another number.
        RefitLevel = 19 "RefitLevel",
    }
}

reasons! {
    /// The operation that an error interrupted.
    BackgroundErrorReason {
        /// A flush.
        Flush = 0 "Flush",
        /// A compaction.
        Compaction = 1 "Compaction",
        /// A write.
        WriteCallback = 2 "WriteCallback",
        /// An insertion into a memtable.
        MemTable = 3 "MemTable",
        /// A write to the MANIFEST.
        ManifestWrite = 4 "ManifestWrite",
        /// A flush, while writes skip the WAL.
        FlushNoWal = 5 "FlushNoWAL",
        /// A write to the MANIFEST, while writes skip the WAL.
        ManifestWriteNoWal = 6 "ManifestWriteNoWAL",
    }
}

reasons! {
    /// The operation that creates a table.
    TableFileCreationReason {
        /// A flush.
        Flush = 0 "flush",
        /// A compaction.
        Compaction = 1 "compaction",
        /// The replay of a WAL.
        Recovery = 2 "recovery",
        /// Something else.
        Misc = 3 "misc",
    }
}

reasons! {
    /// The stall condition of a column family's writers.
    WriteStallCondition {
        /// Writers are delayed.
        Delayed = 0 "Delayed",
        /// Writers are stopped.
        Stopped = 1 "Stopped",
        /// Writers are not limited.
        Normal = 2 "Normal",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_positions_and_words_are_rocksdbs() {
        assert!(FlushReason::ALL.iter().enumerate().all(|(i, r)| *r as usize == i));
        assert!(CompactionReason::ALL.iter().enumerate().all(|(i, r)| *r as usize == i));
        assert_eq!(FlushReason::WriteBufferFull.name(), "Write Buffer Full");
        assert_eq!(CompactionReason::FIFOTtl.name(), "FIFOTtl");
        assert_eq!(WriteStallCondition::Normal as u32, 2);
    }
}
