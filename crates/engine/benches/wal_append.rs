//! Appending a record to a write-ahead log: framing, checksum, and the copy into the mapped file.
//!
//! Logs are in `/dev/shm` where there is one, so that no device is timed, and nothing is synced. A log is
//! as large as one that a memtable of 64 MiB fills; making and closing it is not timed, moving the
//! mapped window along is, as a writer waits for that. 100 bytes are a small batch; 10 KiB cross a
//! block's end at every third record; 100 KiB pass the mapping by.

#![allow(missing_docs)] // What the macros of criterion make.

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use ferrolith::internal::fs::{WritableOptions, posix};
use ferrolith::internal::wal::LogWriter;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// When a log is full.
const FULL: u64 = 64 << 20;

/// One log after the other; only the last one is there.
struct Logs {
    dir: PathBuf,
    log: LogWriter,
}

fn path(dir: &Path, number: u64) -> PathBuf {
    dir.join(format!("{number:06}.log"))
}

fn new_log(dir: &Path, number: u64) -> LogWriter {
    let options =
        WritableOptions { log: true, preallocate: FULL + FULL / 10, ..WritableOptions::default() };
    LogWriter::new(posix().new_writable(&path(dir, number), options).expect("file"), number)
}

impl Logs {
    fn new(dir: &Path) -> Logs {
        Logs { log: new_log(dir, 1), dir: dir.into() }
    }

    /// How many more records the log takes: one at least.
    fn room(&mut self, record: &[u8]) -> u64 {
        if self.log.size() >= FULL {
            let number = self.log.log_number();
            self.log.close().expect("close");
            self.log = new_log(&self.dir, number + 1);
            posix().remove_file(&path(&self.dir, number)).expect("remove");
        }
        (FULL - self.log.size()).div_ceil(record.len() as u64)
    }

    /// The time that so many records take.
    fn append(&mut self, record: &[u8], records: u64) -> Duration {
        let (mut left, mut taken) = (records, Duration::ZERO);
        while left > 0 {
            let now = left.min(self.room(record));
            let start = Instant::now();
            for _ in 0..now {
                self.log.add_record(record).expect("append");
            }
            taken += start.elapsed();
            left -= now;
        }
        taken
    }
}

fn append(c: &mut Criterion) {
    let mut group = c.benchmark_group("log: append");
    for size in [100, 10 << 10, 100 << 10] {
        let dir = tempfile::tempdir_in("/dev/shm").or_else(|_| tempfile::tempdir());
        let dir = dir.expect("directory");
        let mut logs = Logs::new(dir.path());
        let record = vec![b'r'; size];
        group.throughput(Throughput::Bytes(size as u64));
        group.bench_function(BenchmarkId::from_parameter(size), |b| {
            b.iter_custom(|n| logs.append(&record, n));
        });
    }
    group.finish();
}

criterion_group!(benches, append);
criterion_main!(benches);
