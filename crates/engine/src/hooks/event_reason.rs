//! Why something happened: RocksDB's reasons, with its numbers and words.

/// A closed set of reasons with RocksDB's number and name for each.
macro_rules! reasons {
    ($(#[$doc:meta])* $kind:ident { $($(#[$variant_doc:meta])* $variant:ident = $number:literal $name:literal,)+ }) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        #[repr(u32)]
        pub enum $kind {
            $($(#[$variant_doc])* $variant = $number,)+
        }

        impl $kind {
            /// All of them, in the order of their numbers.
            pub const ALL: &'static [$kind] = &[$($kind::$variant,)+];

            /// RocksDB's name.
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
        /// None of the others.
        Others = 0 "Other Reasons",
        /// A list of live files was wanted: checkpoints and backups.
        GetLiveFiles = 1 "Get Live Files",
        /// The database closes.
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
        /// The user asked.
        ManualFlush = 10 "Manual Flush",
        /// After an error.
        ErrorRecovery = 11 "Error Recovery",
        /// Again, after an error of a flush.
        ErrorRecoveryRetryFlush = 12 "Error Recovery Retry Flush",
        /// The WALs are too large.
        WalFull = 13 "WAL Full",
        /// What was written while an error was being cured.
        CatchUpAfterErrorRecovery = 14 "Catch Up After Error Recovery",
    }
}

reasons! {
    /// Why a compaction was picked.
    CompactionReason {
        /// Nobody said.
        Unknown = 0 "Unknown",
        /// Level 0 has too many files, or too large ones.
        LevelL0FilesNum = 1 "LevelL0FilesNum",
        /// A level is larger than its target.
        LevelMaxLevelSize = 2 "LevelMaxLevelSize",
        /// Universal: too much space for what is alive.
        UniversalSizeAmplification = 3 "UniversalSizeAmplification",
        /// Universal: neighbours of similar size.
        UniversalSizeRatio = 4 "UniversalSizeRatio",
        /// Universal: too many sorted runs.
        UniversalSortedRunNum = 5 "UniversalSortedRunNum",
        /// FIFO: all files together are too large.
        FIFOMaxSize = 6 "FIFOMaxSize",
        /// FIFO: small files are merged.
        FIFOReduceNumFiles = 7 "FIFOReduceNumFiles",
        /// FIFO: files are too old.
        FIFOTtl = 8 "FIFOTtl",
        /// Somebody asked for it.
        ManualCompaction = 9 "ManualCompaction",
        /// A file asked for it.
        FilesMarkedForCompaction = 10 "FilesMarkedForCompaction",
        /// Files of the last level can drop what a released snapshot kept.
        BottommostFiles = 11 "BottommostFiles",
        /// Files are older than `ttl`.
        Ttl = 12 "Ttl",
        /// A flush; for statistics.
        Flush = 13 "Flush",
        /// An ingestion; for statistics.
        ExternalSstIngestion = 14 "ExternalSstIngestion",
        /// Files are older than `periodic_compaction_seconds`.
        PeriodicCompaction = 15 "PeriodicCompaction",
        /// Files move to other storage.
        ChangeTemperature = 16 "ChangeTemperature",
        /// Blob files hold too much garbage.
        ForcedBlobGC = 17 "ForcedBlobGC",
        /// Files are older than `ttl`, with round-robin priority.
        RoundRobinTtl = 18 "RoundRobinTtl",
        /// A file changes its level.
        RefitLevel = 19 "RefitLevel",
    }
}

reasons! {
    /// What an error interrupted.
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
    /// What makes a table.
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
    /// How writers of a column family go.
    WriteStallCondition {
        /// Slowed down.
        Delayed = 0 "Delayed",
        /// Not at all.
        Stopped = 1 "Stopped",
        /// At full speed.
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
