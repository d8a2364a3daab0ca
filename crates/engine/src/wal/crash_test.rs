//! The write-ahead log on real files: killed writers, a full device, and the cost of a record.
//!
//! A test that needs another process runs this test binary again with `CHILD` set, which runs
//! `child_entry`. Tests that mount a file system pass without a check if mounting is not permitted.

use super::{LogReader, LogWriter, ReadOutcome};
use crate::env::clock::Instant;
use crate::fs::{WritableOptions, posix};
use crate::options::WalRecoveryMode::{self, *};
use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

const CHILD: &str = "FERROLITH_WAL_TEST_CHILD";

fn log_writer(path: &Path) -> LogWriter {
    let opts = WritableOptions {
        log: true,
        preallocate: 64 << 20,
        bytes_per_sync: 0,
        ..Default::default()
    };
    LogWriter::new(posix().new_writable(path, opts).unwrap(), 9)
}

/// The content of the `i`-th record: its number, then bytes derived from it.
fn record(i: u64, max_len: usize) -> Vec<u8> {
    let mut rng = fastrand::Rng::with_seed(i);
    let mut bytes = i.to_le_bytes().to_vec();
    let len = if rng.u8(..) == 0 { max_len } else { 130 };
    bytes.resize(8 + rng.usize(..len), rng.u8(..));
    bytes
}

/// The number of records, each checked; also checks that the log ended as `mode` requires.
fn count_records(path: &Path, max_len: usize, mode: WalRecoveryMode) -> u64 {
    let mut reader = LogReader::new(posix().open_random_access(path, false).unwrap(), 9, true);
    let mut n = 0;
    loop {
        match reader.read_record(mode).unwrap() {
            ReadOutcome::Record(r) => assert_eq!(r, record(n, max_len), "record {n}"),
            _ => return n,
        }
        n += 1;
    }
}

fn spawn_child(task: &str, path: &Path) -> Child {
    Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "wal::crash_test::child_entry", "--nocapture", "--test-threads=1"])
        .env(CHILD, format!("{task}:{}", path.display()))
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap()
}

#[test]
fn child_entry() {
    let Ok(task) = std::env::var(CHILD) else { return };
    let (task, path) = task.split_once(':').unwrap();
    let path = PathBuf::from(path);
    let mut acknowledge = std::io::stderr();
    if task == "lock" {
        let _lock = posix().lock_file(&path).unwrap();
        acknowledge.write_all(b"held").unwrap();
        loop {
            std::thread::park();
        }
    }
    let max_len = task.parse().unwrap();
    let mut writer = log_writer(&path);
    for i in 0.. {
        writer.add_record(&record(i, max_len)).unwrap();
        // Rarely, so that the kill usually hits the log and not this write.
        if i % 64 == 0 {
            acknowledge.write_all(&(i + 1).to_le_bytes()).unwrap();
        }
    }
}

#[test]
fn acknowledged_records_survive_a_killed_writer() {
    let mut rng = fastrand::Rng::new();
    for base in ["/dev/shm", "."] {
        let Ok(tmp) = tempfile::tempdir_in(base) else { continue };
        for round in 0..4 {
            let max_len = if round % 2 == 0 { 130 } else { 100_000 };
            let path = tmp.path().join(format!("{round:06}.log"));
            let mut child = spawn_child(&max_len.to_string(), &path);
            let mut pipe = child.stderr.take().unwrap();
            let mut acknowledged = vec![0; 8];
            pipe.read_exact(&mut acknowledged).unwrap();
            std::thread::sleep(Duration::from_micros(rng.u64(..20_000)));
            child.kill().unwrap();
            child.wait().unwrap();
            pipe.read_to_end(&mut acknowledged).unwrap();
            let last = acknowledged.chunks_exact(8).next_back().unwrap();
            let last = u64::from_le_bytes(last.try_into().unwrap());
            for mode in [TolerateCorruptedTailRecords, PointInTimeRecovery, SkipAnyCorruptedRecords]
            {
                let n = count_records(&path, max_len, mode);
                assert!(n >= last, "{n} records, {last} acknowledged");
            }
            std::fs::remove_file(&path).unwrap();
        }
    }
}

#[test]
fn a_lock_keeps_other_processes_out_until_they_die() {
    let tmp = tempfile::tempdir_in(".").unwrap();
    let path = tmp.path().join("LOCK");
    let mut child = spawn_child("lock", &path);
    child.stderr.as_mut().unwrap().read_exact(&mut [0; 4]).unwrap();
    let e = posix().lock_file(&path).map(|_| ()).unwrap_err();
    let e = crate::error::rocksdb_text(&e);
    let want =
        format!("IO error: While lock file: {}: Resource temporarily unavailable", path.display());
    assert_eq!(e, want);
    child.kill().unwrap();
    child.wait().unwrap();
    drop(posix().lock_file(&path).unwrap());
}

/// A file system that is mounted for a test.
struct Mounted(tempfile::TempDir);

impl Mounted {
    fn new(kind: &str, options: &str) -> Option<Mounted> {
        let dir = tempfile::tempdir().ok()?;
        let mount = Command::new("mount")
            .args(["-t", kind, "-o", options, kind])
            .arg(dir.path())
            .stderr(Stdio::null())
            .status();
        mount.is_ok_and(|s| s.success()).then_some(Mounted(dir))
    }
}

impl Drop for Mounted {
    fn drop(&mut self) {
        let _ = Command::new("umount").arg(self.0.path()).status();
    }
}

#[test]
fn a_full_device_is_an_error_before_anything_is_placed() {
    let Some(mounted) = Mounted::new("tmpfs", "size=4m") else { return };
    let dir = mounted.0.path();
    let ballast = dir.join("ballast");
    std::fs::write(&ballast, vec![1; 1 << 20]).unwrap();
    let path = dir.join("000009.log");
    let mut writer = log_writer(&path);
    let mut n = 0;
    let fill = |writer: &mut LogWriter, n: &mut u64, max_len| loop {
        match writer.add_record(&record(*n, max_len)) {
            Ok(()) => *n += 1,
            Err(e) => {
                assert!(e.is_no_space(), "{e}");
                let text = e.to_string();
                assert!(text.starts_with("IO error: While app"), "{text}");
                return;
            }
        }
    };
    fill(&mut writer, &mut n, 100_000);
    assert!(writer.size() > 2 << 20, "{}", writer.size());
    let full = n;
    assert_eq!(count_records(&path, 100_000, AbsoluteConsistency), n);
    // With free space again, it continues where it stopped.
    std::fs::remove_file(&ballast).unwrap();
    fill(&mut writer, &mut n, 100_000);
    assert!(n > full);
    writer.sync().unwrap();
    writer.close().unwrap();
    assert_eq!(count_records(&path, 100_000, AbsoluteConsistency), n);
}

#[test]
fn a_file_system_without_allocation_gets_plain_writes() {
    let Some(mounted) = Mounted::new("ramfs", "mode=700") else { return };
    let path = mounted.0.path().join("000009.log");
    let mut writer = log_writer(&path);
    for i in 0..2000 {
        writer.add_record(&record(i, 100_000)).unwrap();
        assert!(i > 9 || count_records(&path, 100_000, AbsoluteConsistency) == i + 1);
    }
    let size = writer.size();
    assert_eq!(posix().file_size(&path).unwrap(), size);
    writer.sync().unwrap();
    drop(writer);
    assert_eq!(count_records(&path, 100_000, AbsoluteConsistency), 2000);
}

/// The processor time of this thread in ns, in user and in system mode.
fn cpu_time() -> u64 {
    let stat = std::fs::read_to_string("/proc/thread-self/schedstat").unwrap();
    stat.split(' ').next().unwrap().parse().unwrap()
}

/// A benchmark: `cargo test --release -p ferrolith --lib measure_the_log -- --ignored --nocapture`
#[test]
#[ignore = "prints times; asserts nothing"]
fn measure_the_log() {
    let payload = [7u8; 130];
    for base in ["/dev/shm", "."] {
        let tmp = tempfile::tempdir_in(base).unwrap();
        for log in [true, false] {
            let opts = WritableOptions {
                log,
                preallocate: 64 << 20,
                bytes_per_sync: 0,
                ..Default::default()
            };
            let file = posix().new_writable(&tmp.path().join("1.log"), opts).unwrap();
            let mut w = LogWriter::new(file, 1);
            let mut worst = Duration::ZERO;
            let n = 450_000;
            let (start, cpu) = (Instant::now(), cpu_time());
            for _ in 0..n {
                w.add_record(&payload).unwrap();
            }
            let per_record = start.elapsed().as_nanos() / n;
            let cpu_per_record = u128::from(cpu_time() - cpu) / n;
            for _ in 0..30_000 {
                let one = Instant::now();
                w.add_record(&payload).unwrap();
                worst = worst.max(one.elapsed());
            }
            drop(w);
            let file = posix().new_writable(&tmp.path().join("2.log"), opts).unwrap();
            let mut w = LogWriter::new(file, 2);
            let mut times: Vec<u128> = (0..3000)
                .map(|_| {
                    let one = Instant::now();
                    w.add_record(&payload).unwrap();
                    w.sync().unwrap();
                    one.elapsed().as_micros()
                })
                .collect();
            let mean = times.iter().sum::<u128>() / times.len() as u128;
            times.sort_unstable();
            let (p50, p99) = (times[1500], times[2970]);
            println!(
                "{base} mapped={log}: {per_record} ns a record ({cpu_per_record} on the \
                 processor), worst {worst:?}; \
                 record+sync p50 {p50} us, mean {mean}, p99 {p99}, worst {}",
                times[2999]
            );
        }
    }
}
