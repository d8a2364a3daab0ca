//! Table files whose reads, writes and syncs are counted and timed. Without statistics, files are not wrapped.

use super::{FileSyncer, RandomAccessFile, WritableFile};
use crate::env::clock::Instant;
use crate::error::Result;
use crate::stats::{self, HistogramType, Statistics, Ticker};
use std::path::Path;
use std::sync::Arc;

/// A table file whose reads are counted.
pub struct CountedReads {
    file: Arc<dyn RandomAccessFile>,
    statistics: Arc<Statistics>,
    /// The tickers of bytes and calls, for the last level or for the others.
    level: [Ticker; 2],
    /// The same for files of this temperature, if it is known.
    temperature: Option<[Ticker; 2]>,
}

/// Returns the tickers of bytes and calls for RocksDB's temperature byte.
fn of_temperature(byte: u8) -> Option<[Ticker; 2]> {
    Some(match byte {
        0x04 => [Ticker::HotFileReadBytes, Ticker::HotFileReadCount],
        0x08 => [Ticker::WarmFileReadBytes, Ticker::WarmFileReadCount],
        0x0a => [Ticker::CoolFileReadBytes, Ticker::CoolFileReadCount],
        0x0c => [Ticker::ColdFileReadBytes, Ticker::ColdFileReadCount],
        0x10 => [Ticker::IceFileReadBytes, Ticker::IceFileReadCount],
        _ => return None,
    })
}

impl CountedReads {
    /// Wraps `file` to count its reads, if there are statistics. `temperature` is RocksDB's byte, 0 if unknown.
    pub fn wrap(
        file: Arc<dyn RandomAccessFile>,
        statistics: Option<&Arc<Statistics>>,
        at_last_level: bool,
        temperature: u8,
    ) -> Arc<dyn RandomAccessFile> {
        let Some(statistics) = statistics.cloned() else { return file };
        let level = match at_last_level {
            true => [Ticker::LastLevelReadBytes, Ticker::LastLevelReadCount],
            false => [Ticker::NonLastLevelReadBytes, Ticker::NonLastLevelReadCount],
        };
        Arc::new(CountedReads { file, statistics, level, temperature: of_temperature(temperature) })
    }
}

impl RandomAccessFile for CountedReads {
    fn read_at(&self, offset: u64, buf: &mut [u8]) -> Result<usize> {
        let stats = &*self.statistics;
        let start = stats.has_timers().then(Instant::now);
        let read = self.file.read_at(offset, buf)?;
        if let Some(start) = start {
            let micros = start.elapsed().as_micros() as u64;
            stats.record(HistogramType::SstReadMicros, micros);
            if let Some(histogram) = stats::activity().read_histogram() {
                stats.record(histogram, micros);
            }
        }
        for [bytes, count] in std::iter::once(self.level).chain(self.temperature) {
            stats.add(bytes, read as u64);
            stats.add(count, 1);
        }
        Ok(read)
    }
    fn size(&self) -> u64 {
        self.file.size()
    }
    fn mapped(&self) -> Option<&[u8]> {
        self.file.mapped()
    }
    fn alignment(&self) -> usize {
        self.file.alignment()
    }
    fn will_read(&self, offset: u64, len: u64) {
        self.file.will_read(offset, len);
    }
    fn will_read_at_random(&self) {
        self.file.will_read_at_random();
    }
    fn would_wait(&self, offset: u64) -> bool {
        self.file.would_wait(offset)
    }
    fn path(&self) -> &Path {
        self.file.path()
    }
}

/// A table file whose writes and syncs are counted.
pub struct CountedWrites {
    file: Box<dyn WritableFile>,
    statistics: Arc<Statistics>,
}

impl CountedWrites {
    /// Wraps `file` to count its writes and syncs, if there are statistics.
    pub fn wrap(
        file: Box<dyn WritableFile>,
        statistics: Option<&Arc<Statistics>>,
    ) -> Box<dyn WritableFile> {
        match statistics.cloned() {
            Some(statistics) => Box::new(CountedWrites { file, statistics }),
            None => file,
        }
    }

    fn timed(
        &mut self,
        histograms: [Option<HistogramType>; 2],
        go: impl FnOnce(&mut dyn WritableFile) -> Result<()>,
    ) -> Result<()> {
        let start = self.statistics.has_timers().then(Instant::now);
        go(&mut *self.file)?;
        if let Some(start) = start {
            let micros = start.elapsed().as_micros() as u64;
            histograms.into_iter().flatten().for_each(|h| self.statistics.record(h, micros));
        }
        Ok(())
    }
}

impl WritableFile for CountedWrites {
    fn append(&mut self, data: &[u8]) -> Result<()> {
        let of_job = stats::activity().write_histogram();
        self.timed([Some(HistogramType::SstWriteMicros), of_job], |file| file.append(data))
    }
    fn flush(&mut self) -> Result<()> {
        self.file.flush()
    }
    fn sync(&mut self) -> Result<()> {
        self.timed([stats::activity().sync_histogram(), None], |file| file.sync())
    }
    fn syncer(&self) -> Arc<dyn FileSyncer> {
        self.file.syncer()
    }
    fn size(&self) -> u64 {
        self.file.size()
    }
    fn is_broken(&self) -> bool {
        self.file.is_broken()
    }
    fn release_memory(&mut self) {
        self.file.release_memory();
    }
    fn close(&mut self) -> Result<()> {
        self.file.close()
    }
}
