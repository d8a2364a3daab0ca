//! Internal items that the C ABI, the benchmarks and the tests of this repository use in addition to the public API.
//!
//! They are not part of the public API: anything here may change in any version, without notice. The modules mirror the
//! folders. Each lists the items that are used from outside, so that the compiler reports all other unused code.

pub mod error {
    pub use crate::error::rocksdb_text;
}
pub mod base {
    pub use crate::base::{
        Comparator, InternalIterator, KeyOrder, LookupBuffer, MAX_SEQUENCE_NUMBER, PinnedValue,
        ReverseBytewiseComparator, SeqNo, ValueBuffer, ValueType,
    };
    pub mod checksum {
        pub use crate::base::checksum::{ChecksumType, block_checksum, crc32c, crc32c_target};
    }
    pub mod key {
        pub use crate::base::key::{append_internal_key, pack_trailer};
    }
    pub mod perf {
        pub use crate::base::perf::*;
    }
}
pub mod batch {
    pub use crate::batch::{BatchHandler, IndexedBatch, WriteBatch, iterate};
}
pub mod budget {
    pub use crate::budget::{
        IoPriority, MemoryAccount, RateLimiter, RateLimiterMode, SstFileManager, WriteBufferManager,
    };
}
pub mod cache {
    pub use crate::cache::{Cache, SlotArray};
}
pub mod compress {
    pub use crate::compress::*;
}
pub mod db {
    pub use crate::db::{ColumnFamily, Db as PlainDb, Snapshot};
    pub use crate::open::ColumnFamilyDescriptor;
    pub use crate::utilities::{
        AnyDb as Db, AnyIterator as DbIterator, BatchIterator, Checkpoint, IngestExternalFileArg,
        TransactionLogIterator, get_from_batch,
    };
    pub mod backup {
        pub use crate::utilities::backup::{
            BackupEngine, BackupEngineOptions, BackupInfo, BackupProgress, CreateBackupOptions,
            RestoreOptions, ShareFilesNaming,
        };
    }
}
pub mod env {
    pub mod epoch {
        pub use crate::env::epoch::{pin, synchronize};
    }
    pub mod threads {
        pub use crate::env::threads::Refusals;
    }
}
pub mod external {
    pub use crate::external::{
        ColumnFamilyMetaData, ExportImportFilesMetaData, LevelMetaData, LiveFileMetaData,
        SstFileWriter,
    };
}
pub mod fs {
    pub use crate::fs::{FileSystem, WritableOptions, posix};
    pub mod fault {
        pub use crate::fs::fault::{Fault, FaultFs, FaultKind, Op};
    }
    pub mod info_log {
        pub use crate::fs::info_log::{LogLevel, Logger};
    }
    pub mod mem {
        pub use crate::fs::mem::MemFs;
    }
}
pub mod hooks {
    pub use crate::hooks::{
        BackgroundErrorReason, ColumnFamilyHandleInfo, CompactionFilter, CompactionFilterContext,
        CompactionFilterFactory, CompactionJobInfo, CompactionReason, EventDb, EventListener,
        ExternalFileIngestionInfo, FilterDecision, FixedPrefixPartitionerFactory,
        FixedPrefixTransform, FlushJobInfo, FlushReason, ManualFlushInfo, MemTableInfo,
        MergeOperator, NoopTransform, SliceTransform, StringAppendOperator, SubcompactionJobInfo,
        TableFileCreationBriefInfo, TableFileCreationInfo, TableFileCreationReason,
        TableFileDeletionInfo, UInt64AddOperator, WriteStallCondition, WriteStallInfo,
    };
}
pub mod iter {
    pub use crate::iter::{GetContext, MergingIterator, Outcome};
}
pub mod memtable {
    pub use crate::memtable::MemTable;
}
pub mod options {
    pub use crate::options::{
        BlockBasedTableOptions, BottommostLevelCompaction, ChecksumType, ColumnFamilyOptions,
        CompactOnDeletion, CompactRangeOptions, CompactionPri, CompactionStopStyle,
        CompactionStyle, CompressionOptions, CuckooTableOptions, DataBlockIndexType, DbOptions,
        DbPath, FifoCompactionOptions, FilterPolicy, FlushOptions, ImportColumnFamilyOptions,
        InFile, IndexType, InfoLogLevel, IngestExternalFileOptions, Leniency, MemtableFactory,
        OptionSet, Options, OptionsFile, PinningTier, PlainTableEncoding, PlainTableOptions,
        PrepopulateBlobCache, ROCKSDB_VERSION, ReadOptions, ReadTier, SizeApproximationOptions,
        StatsLevel, Support, TableFactory, UniversalCompactionOptions, WaitForCompactOptions,
        WalRecoveryMode, WriteOptions, newest_options_file, options_file_text, read_options_file,
    };
}
pub mod sst {
    pub use crate::sst::{
        Table, TableBuilder, TableBuilderContext, TableIterOptions, TableReadContext,
    };
    pub mod format {
        pub use crate::sst::format::{CUCKOO_MAGIC, LEGACY_PLAIN_MAGIC, PLAIN_MAGIC};
    }
}
pub mod stats {
    pub use crate::stats::{HistogramData, HistogramType, Statistics, StatsLevel, Ticker};
}
pub mod txn {
    pub use crate::txn::*;
}
pub mod wal {
    pub use crate::wal::LogWriter;
}
