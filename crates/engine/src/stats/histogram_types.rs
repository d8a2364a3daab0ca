//! The histograms of RocksDB 10.10, in the order of their numbers.

use super::named::named;
use super::reasons::*;

named! {
    /// A distribution of sizes or of times.
    HistogramType {
        DbGet "rocksdb.db.get.micros" counted;
        DbWrite "rocksdb.db.write.micros" counted;
        CompactionTime "rocksdb.compaction.times.micros" counted;
        CompactionCpuTime "rocksdb.compaction.times.cpu_micros" counted;
        SubcompactionSetupTime "rocksdb.subcompaction.setup.times.micros" counted;
        TableSyncMicros "rocksdb.table.sync.micros" counted;
        CompactionOutfileSyncMicros "rocksdb.compaction.outfile.sync.micros" counted;
        WalFileSyncMicros "rocksdb.wal.file.sync.micros" counted;
        ManifestFileSyncMicros "rocksdb.manifest.file.sync.micros" counted;
        TableOpenIoMicros "rocksdb.table.open.io.micros" counted;
        DbMultiget "rocksdb.db.multiget.micros" counted;
        ReadBlockCompactionMicros "rocksdb.read.block.compaction.micros" counted;
        ReadBlockGetMicros "rocksdb.read.block.get.micros" counted;
        WriteRawBlockMicros "rocksdb.write.raw.block.micros" counted;
        NumFilesInSingleCompaction "rocksdb.numfiles.in.singlecompaction" counted;
        DbSeek "rocksdb.db.seek.micros" counted;
        WriteStall "rocksdb.db.write.stall" counted;
        SstReadMicros "rocksdb.sst.read.micros" counted;
        FileReadFlushMicros "rocksdb.file.read.flush.micros" counted;
        FileReadCompactionMicros "rocksdb.file.read.compaction.micros" counted;
        FileReadDbOpenMicros "rocksdb.file.read.db.open.micros" counted;
        FileReadGetMicros "rocksdb.file.read.get.micros" counted;
        FileReadMultigetMicros "rocksdb.file.read.multiget.micros" counted;
        FileReadDbIteratorMicros "rocksdb.file.read.db.iterator.micros" counted;
        FileReadVerifyDbChecksumMicros "rocksdb.file.read.verify.db.checksum.micros" counted;
        FileReadVerifyFileChecksumsMicros "rocksdb.file.read.verify.file.checksums.micros" unless NO_FILE_CHECKSUMS;
        SstWriteMicros "rocksdb.sst.write.micros" counted;
        FileWriteFlushMicros "rocksdb.file.write.flush.micros" counted;
        FileWriteCompactionMicros "rocksdb.file.write.compaction.micros" counted;
        FileWriteDbOpenMicros "rocksdb.file.write.db.open.micros" counted;
        NumSubcompactionsScheduled "rocksdb.num.subcompactions.scheduled" counted;
        BytesPerRead "rocksdb.bytes.per.read" counted;
        BytesPerWrite "rocksdb.bytes.per.write" counted;
        BytesPerMultiget "rocksdb.bytes.per.multiget" counted;
        CompressionTimesNanos "rocksdb.compression.times.nanos" counted;
        DecompressionTimesNanos "rocksdb.decompression.times.nanos" counted;
        ReadNumMergeOperands "rocksdb.read.num.merge_operands" counted;
        BlobDbKeySize "rocksdb.blobdb.key.size" unless BLOBS;
        BlobDbValueSize "rocksdb.blobdb.value.size" unless BLOBS;
        BlobDbWriteMicros "rocksdb.blobdb.write.micros" unless BLOBS;
        BlobDbGetMicros "rocksdb.blobdb.get.micros" unless BLOBS;
        BlobDbMultigetMicros "rocksdb.blobdb.multiget.micros" unless BLOBS;
        BlobDbSeekMicros "rocksdb.blobdb.seek.micros" unless BLOBS;
        BlobDbNextMicros "rocksdb.blobdb.next.micros" unless BLOBS;
        BlobDbPrevMicros "rocksdb.blobdb.prev.micros" unless BLOBS;
        BlobDbBlobFileWriteMicros "rocksdb.blobdb.blob.file.write.micros" unless BLOBS;
        BlobDbBlobFileReadMicros "rocksdb.blobdb.blob.file.read.micros" unless BLOBS;
        BlobDbBlobFileSyncMicros "rocksdb.blobdb.blob.file.sync.micros" unless BLOBS;
        BlobDbCompressionMicros "rocksdb.blobdb.compression.micros" unless BLOBS;
        BlobDbDecompressionMicros "rocksdb.blobdb.decompression.micros" unless BLOBS;
        FlushTime "rocksdb.db.flush.micros" counted;
        SstBatchSize "rocksdb.sst.batch.size" unless KEY_BY_KEY;
        MultigetIoBatchSize "rocksdb.multiget.io.batch.size" unless KEY_BY_KEY;
        NumIndexAndFilterBlocksReadPerLevel "rocksdb.num.index.and.filter.blocks.read.per.level" unless KEY_BY_KEY;
        NumSstReadPerLevel "rocksdb.num.sst.read.per.level" unless KEY_BY_KEY;
        NumLevelReadPerMultiget "rocksdb.num.level.read.per.multiget" unless KEY_BY_KEY;
        ErrorHandlerAutoresumeRetryCount "rocksdb.error.handler.autoresume.retry.count" unless RETRIES;
        AsyncReadBytes "rocksdb.async.read.bytes" unless NO_ASYNC;
        PollWaitMicros "rocksdb.poll.wait.micros" unless NO_ASYNC;
        CompactionPrefetchBytes "rocksdb.compaction.prefetch.bytes" counted;
        PrefetchedBytesDiscarded "rocksdb.prefetched.bytes.discarded" unless DISCARDED;
        AsyncPrefetchAbortMicros "rocksdb.async.prefetch.abort.micros" unless NO_ASYNC;
        TableOpenPrefetchTailReadBytes "rocksdb.table.open.prefetch.tail.read.bytes" unless TAIL;
        NumOpPerTransaction "rocksdb.num.op.per.transaction" counted;
        MultiscanPrepareIterators "rocksdb.multiscan.op.prepare.iterators.micros" unless NO_MULTISCAN;
    }
}
