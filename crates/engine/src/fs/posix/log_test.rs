//! Failures of mapped logs: every call fails once, the process dies before every call, another process truncates the
//! file, and the SIGBUS handler coexists with others.
//!
//! The module needs `unsafe` because it uses signal handlers, mappings and limits, as a host might have them, through
//! `libc`.
//!
//! Tests that may kill the process run in a child: this test binary again, with `CHILD` set.

#![allow(unsafe_code)]

use super::*;
use crate::fs::posix::sys::{Call, hooks};
use crate::fs::posix::{posix, sigbus};
use crate::options::WalRecoveryMode::AbsoluteConsistency;
use crate::wal::{LogReader, LogWriter, ReadOutcome};
use std::cell::Cell;
use std::path::PathBuf;
use std::process::{Command, Output};
use std::rc::Rc;
use std::sync::atomic::{AtomicUsize, Ordering};

const CHILD: &str = "FERROLITH_LOG_TEST_CHILD";

fn log_writer(path: &Path, opts: WritableOptions) -> LogWriter {
    let opts = WritableOptions { log: true, outlives_full_disk: true, ..opts };
    LogWriter::new(posix().new_writable(path, opts).unwrap(), 9)
}

/// The content of the `i`-th record: some records are small, some cross a block, some are large.
fn record(i: u64) -> Vec<u8> {
    let len = match i % 16 {
        3 => 9_000,
        7 => 40_000,
        11 => 130_000,
        n => 100 + n as usize,
    };
    let mut bytes = i.to_le_bytes().to_vec();
    bytes.resize(8 + len, i as u8 | 1);
    bytes
}

/// The number of records, each checked; the log must contain nothing else.
fn count_records(path: &Path) -> u64 {
    let mut reader = LogReader::new(posix().open_random_access(path, false).unwrap(), 9, true);
    let mut n = 0;
    loop {
        match reader.read_record(AbsoluteConsistency).unwrap() {
            ReadOutcome::Record(r) => assert!(r == record(n), "record {n}"),
            _ => return n,
        }
        n += 1;
    }
}

/// The directories for files: on tmpfs, and on the file system of the build.
fn places() -> impl Iterator<Item = tempfile::TempDir> {
    ["/dev/shm", "."].into_iter().filter_map(|base| tempfile::tempdir_in(base).ok())
}

#[test]
fn a_process_that_dies_before_any_call_leaves_whole_records() {
    for tmp in places() {
        let path = tmp.path().join("000009.log");
        let mut writer = log_writer(&path, WritableOptions::default());
        let written = Rc::new(Cell::new(0));
        let calls = Rc::new(Cell::new(0));
        let (seen, looked) = (Rc::clone(&written), Rc::clone(&calls));
        let log = path.clone();
        hooks::set(move |_| {
            let n = count_records(&log);
            assert!(n == seen.get() || n == seen.get() + 1, "{n} of {}", seen.get());
            looked.set(looked.get() + 1);
            Ok(())
        });
        for i in 0..200 {
            writer.add_record(&record(i)).unwrap();
            written.set(i + 1);
        }
        hooks::clear();
        assert!(calls.get() > 20, "{}", calls.get());
        assert_eq!(count_records(&path), 200);
    }
}

/// A log with its own type, at this path.
fn mapped_log(path: &Path) -> MappedLog {
    let file = File::options().read(true).write(true).create(true).truncate(true).open(path);
    let file = file.unwrap();
    let ground = sys::ground_to_map(&file).unwrap();
    let opts = WritableOptions { log: true, ..WritableOptions::default() };
    MappedLog::new(file, path, opts, ground, Watch::new().unwrap())
}

/// Appends records of 1 KB and calls `after_each`; returns what the file must contain.
fn append_small(log: &mut MappedLog, records: u64, after_each: impl Fn(&MappedLog)) -> Vec<u8> {
    let mut expected = Vec::new();
    for i in 0..records {
        let header = [i as u8 | 1; FRAGMENT_HEADER];
        let payload = [(i >> 3) as u8; 1000];
        log.append_record(&header, &payload).unwrap();
        expected.extend_from_slice(&header);
        expected.extend_from_slice(&payload);
        after_each(log);
    }
    expected
}

#[test]
fn writers_find_each_further_window_prepared() {
    for tmp in places() {
        let path = tmp.path().join("000009.log");
        let mut log = mapped_log(&path);
        let calls = Rc::new(Cell::new(0));
        let counted = Rc::clone(&calls);
        hooks::set(move |call| {
            counted.set(counted.get() + u32::from(call != Call::Length));
            Ok(())
        });
        let wait = |log: &MappedLog| {
            while log.next.is_late() {
                std::thread::yield_now();
            }
        };
        let mut expected = append_small(&mut log, 300, wait);
        let at_first = calls.replace(0);
        assert!((1..10).contains(&at_first), "{at_first} calls for the first windows");
        expected.extend(append_small(&mut log, 10_000, wait));
        hooks::clear();
        assert_eq!(calls.get(), 0, "calls on the writer's thread");
        log.close().unwrap();
        assert!(std::fs::read(&path).unwrap() == expected);
    }
}

#[test]
fn a_late_window_delays_no_record() {
    for tmp in places() {
        let path = tmp.path().join("000009.log");
        let (release, released) = std::sync::mpsc::channel::<()>();
        let helper = crate::env::ahead::Helper::get().unwrap();
        helper.run(move || released.recv().unwrap());
        let mut log = mapped_log(&path);
        let expected = append_small(&mut log, 5000, |_| ());
        release.send(()).unwrap();
        log.close().unwrap();
        assert!(std::fs::read(&path).unwrap() == expected);
    }
}

#[test]
fn a_prepared_window_leaves_nothing_behind() {
    for tmp in places() {
        for records in [100, 150, 200, 300, 1200] {
            let path = tmp.path().join("000009.log");
            let mut log = mapped_log(&path);
            let expected = append_small(&mut log, records, |_| ());
            drop(log);
            assert!(std::fs::read(&path).unwrap() == expected, "{records} records");
        }
    }
}

/// Prints percentiles of the processor time of one record of 1 KB, in which page faults and calls count and waits for
/// other processes do not.
#[test]
#[ignore = "a measurement"]
fn the_tail_of_small_records() {
    for place in places() {
        for helped in [true, false, true, false, true, false] {
            let refusals = (!helped).then(|| crate::env::threads::Refusals::after(0));
            let mut log = mapped_log(&place.path().join("000009.log"));
            let mut took: Vec<u64> = (0..60_000)
                .map(|_| {
                    let began = sys::thread_cpu_time();
                    log.append_record(&[1; FRAGMENT_HEADER], &[2; 1000]).unwrap();
                    (sys::thread_cpu_time() - began).as_nanos() as u64
                })
                .collect();
            took.sort_unstable();
            let at = |share: f64| took[(took.len() as f64 * share) as usize] / 1000;
            let (p99, p999, p9999) = (at(0.99), at(0.999), at(0.9999));
            println!(
                "{:?} helped {helped}: P99 {p99}, P99.9 {p999}, P99.99 {p9999} us",
                place.path()
            );
            drop((log, refusals));
        }
    }
}

/// Every call fails once with each error: either the record is in the log, or the error is reported and the record is
/// not. After a temporary error, the same log continues.
#[test]
fn every_call_fails_once() {
    let errors = [
        (
            Call::Allocate,
            &[libc::ENOSPC, libc::EDQUOT, libc::EFBIG, libc::EIO, libc::EOPNOTSUPP][..],
        ),
        (Call::Map, &[libc::ENOMEM, libc::EAGAIN, libc::ENODEV, libc::EACCES]),
        (Call::Populate, &[libc::ENOMEM, libc::EFAULT, libc::EHWPOISON, libc::EAGAIN]),
        (Call::Write, &[libc::ENOSPC, libc::EDQUOT, libc::EFBIG, libc::EIO]),
        (Call::Length, &[libc::EIO, libc::ENOMEM]),
        (Call::Unmap, &[libc::ENOMEM]),
    ];
    let tmp = tempfile::tempdir_in(".").unwrap();
    for (call, errors) in errors {
        for &error in errors {
            for nth in 0..5 {
                for times in [1, 3] {
                    fail_nth(tmp.path(), call, error, nth, times);
                }
            }
        }
    }
}

fn fail_nth(dir: &Path, call: Call, error: i32, nth: u32, times: u32) {
    let what = format!("{call:?} number {nth} fails with {error}, {times} times");
    let path = dir.join("000009.log");
    let mut writer = log_writer(&path, WritableOptions::default());
    let mut left = nth + times;
    hooks::set(move |this| {
        if this != call || left == 0 {
            return Ok(());
        }
        left -= 1;
        if left < times { Err(io::Error::from_raw_os_error(error)) } else { Ok(()) }
    });
    let (mut n, mut failures) = (0, 0);
    for _ in 0..120 {
        match writer.add_record(&record(n)) {
            Ok(()) => n += 1,
            Err(e) => {
                assert!(e.to_string().starts_with("IO error: "), "{what}: {e}");
                failures += 1;
                assert_eq!(count_records(&path), n, "{what}: {e}");
            }
        }
    }
    hooks::clear();
    let broken = writer.is_broken() || writer.flush().is_err();
    assert_eq!(broken, call == Call::Write && error == libc::EIO, "{what}");
    assert!(broken || failures <= times, "{what}: {failures} failures");
    let size = writer.size();
    let _ = writer.close();
    assert_eq!(count_records(&path), n, "{what}");
    assert_eq!(std::fs::metadata(&path).unwrap().len(), size, "{what}");
}

/// If the written part of a failed record cannot be removed, nothing may follow.
#[test]
fn a_record_that_cannot_be_taken_back_breaks_the_log() {
    let tmp = tempfile::tempdir_in(".").unwrap();
    let path = tmp.path().join("000009.log");
    let mut writer = log_writer(&path, WritableOptions::default());
    writer.add_record(&record(0)).unwrap();
    hooks::set(|call| match call {
        Call::Write => Err(io::Error::from_raw_os_error(libc::ENOSPC)),
        Call::Cut => Err(io::Error::from_raw_os_error(libc::EIO)),
        _ => Ok(()),
    });
    assert!(writer.add_record(&record(11)).unwrap_err().is_no_space());
    hooks::clear();
    assert!(writer.flush().is_err(), "nothing may follow");
    assert!(writer.add_record(&record(1)).is_err());
}

/// The address space has no room for the window: records are written with write(2), and mapping resumes when there is
/// room.
#[test]
fn a_log_that_cannot_be_mapped_is_written_and_mapped_later() {
    let tmp = tempfile::tempdir_in(".").unwrap();
    let path = tmp.path().canonicalize().unwrap().join("000009.log");
    let mut writer = log_writer(&path, WritableOptions::default());
    let full = Rc::new(Cell::new(true));
    let is_full = Rc::clone(&full);
    hooks::set(move |call| match call {
        Call::Map if is_full.get() => Err(io::Error::from_raw_os_error(libc::ENOMEM)),
        _ => Ok(()),
    });
    let is_mapped =
        || std::fs::read_to_string("/proc/self/maps").unwrap().contains(path.to_str().unwrap());
    for i in 0..400 {
        if i == 200 {
            assert!(!is_mapped());
            full.set(false);
        }
        writer.add_record(&record(i)).unwrap();
    }
    hooks::clear();
    assert!(is_mapped());
    assert_eq!(count_records(&path), 400);
}

/// A record of gigabytes would need a window that cannot be guarded, so it gets none.
#[test]
fn no_window_is_longer_than_can_be_watched() {
    let tmp = tempfile::tempdir_in(".").unwrap();
    let path = tmp.path().join("file");
    let file = File::options().read(true).write(true).create_new(true).open(path).unwrap();
    let watch = Arc::new(sigbus::Watch::new().unwrap());
    Window::map(&file, 0, sigbus::LONGEST).map_err(|_| ()).unwrap().guard(&watch);
    assert!(Window::map(&file, 0, sigbus::LONGEST + 65_536).is_err());
}

// ---- in a child --------------------------------------------------------------------------------

fn run_child(task: &str, dir: &Path) -> Output {
    Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "fs::posix::log::tests::child_entry", "--nocapture", "--test-threads=1"])
        .env(CHILD, format!("{task}:{}", dir.display()))
        .output()
        .unwrap()
}

/// Runs a task in a child process, which must succeed.
fn succeeds(task: &str) {
    for tmp in places() {
        let out = run_child(task, tmp.path());
        let text = String::from_utf8_lossy(&out.stderr);
        assert!(out.status.success(), "{task} in {}: {}: {text}", tmp.path().display(), out.status);
    }
}

#[test]
fn child_entry() {
    let Ok(task) = std::env::var(CHILD) else { return };
    let (task, dir) = task.split_once(':').unwrap();
    let dir = PathBuf::from(dir);
    match task {
        "cut" => cut_by_another(&dir),
        "chain" => chained(&dir),
        "foreign" => foreign_fault(&dir),
        "many" => many_logs(&dir),
        "limit" => limited_file_size(&dir),
        _ => panic!("{task}"),
    }
}

#[test]
fn a_log_cut_by_another_process_is_an_error_and_no_signal() {
    succeeds("cut");
}

fn cut_by_another(dir: &Path) {
    for len in [0, 4096, 50_000] {
        for large in [false, true] {
            let path = dir.join("000009.log");
            let mut writer = log_writer(&path, WritableOptions::default());
            let payload = vec![7; if large { 100_000 } else { 700 }];
            for _ in 0..100 {
                writer.add_record(&payload).unwrap();
            }
            File::options().write(true).open(&path).unwrap().set_len(len).unwrap();
            let error = (0..20_000).find_map(|_| writer.add_record(&payload).err());
            let error = error.expect("it goes unnoticed");
            assert!(error.to_string().contains("another process truncated it"), "{error}");
            assert!(writer.flush().is_err());
            assert!(writer.add_record(&payload).is_err());
        }
    }
}

static SEEN: AtomicUsize = AtomicUsize::new(0);

/// A handler that a host might have installed: counts, and lets the store succeed.
extern "C" fn host_handler(_: libc::c_int, info: *mut libc::siginfo_t, _: *mut libc::c_void) {
    SEEN.fetch_add(1, Ordering::Relaxed);
    // SAFETY: the faulting page is one of `foreign_page`, which nothing else uses.
    unsafe {
        let page = (*info).si_addr() as usize / 4096 * 4096;
        let kind = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_FIXED;
        libc::mmap(page as *mut _, 4096, libc::PROT_READ | libc::PROT_WRITE, kind, -1, 0);
    }
}

/// A page of another mapping, which faults when it is touched.
fn foreign_page(dir: &Path) -> *mut u8 {
    let file = File::create_new(dir.join("foreign")).unwrap();
    file.set_len(4096).unwrap();
    let file = File::options().read(true).write(true).open(dir.join("foreign")).unwrap();
    let access = libc::PROT_READ | libc::PROT_WRITE;
    // SAFETY: a new mapping.
    let page = unsafe {
        let fd = std::os::fd::AsRawFd::as_raw_fd(&file);
        libc::mmap(std::ptr::null_mut(), 4096, access, libc::MAP_SHARED, fd, 0)
    };
    assert_ne!(page, libc::MAP_FAILED);
    file.set_len(0).unwrap();
    page.cast()
}

fn action() -> libc::sigaction {
    // SAFETY: zeros are valid, and nothing is changed.
    unsafe {
        let mut action: libc::sigaction = std::mem::zeroed();
        assert_eq!(libc::sigaction(libc::SIGBUS, std::ptr::null(), &mut action), 0);
        action
    }
}

#[test]
fn faults_of_others_go_to_their_handler() {
    succeeds("chain");
}

fn chained(dir: &Path) {
    // SAFETY: the handler is async-signal-safe.
    unsafe {
        let mut action: libc::sigaction = std::mem::zeroed();
        action.sa_sigaction = host_handler as *const () as usize;
        action.sa_flags = libc::SA_SIGINFO;
        assert_eq!(libc::sigaction(libc::SIGBUS, &action, std::ptr::null_mut()), 0);
    }
    let hosts = action().sa_sigaction;
    let writer = log_writer(&dir.join("000009.log"), WritableOptions::default());
    let second = log_writer(&dir.join("000010.log"), WritableOptions::default());
    assert_ne!(action().sa_sigaction, hosts);
    let page = foreign_page(dir);
    // SAFETY: the page is mapped; the host's handler lets the store succeed.
    unsafe { page.write_volatile(1) };
    assert_eq!(SEEN.load(Ordering::Relaxed), 1);
    drop(writer);
    assert_ne!(action().sa_sigaction, hosts);
    drop(second);
    assert_eq!(action().sa_sigaction, hosts, "the host has its handler back");
    cut_by_another(dir);
    assert_eq!(SEEN.load(Ordering::Relaxed), 1, "our faults are not passed on");
}

#[test]
fn faults_of_nobody_end_the_process() {
    for tmp in places() {
        let out = run_child("foreign", tmp.path());
        use std::os::unix::process::ExitStatusExt;
        assert_eq!(out.status.signal(), Some(libc::SIGBUS), "{}", out.status);
    }
}

fn foreign_fault(dir: &Path) {
    let _writer = log_writer(&dir.join("000009.log"), WritableOptions::default());
    let page = foreign_page(dir);
    // SAFETY: the page is mapped; this ends the process.
    unsafe { page.write_volatile(1) };
}

/// The limit is below the size that is allocated ahead: the log grows to the limit, and a larger size is an error
/// without SIGXFSZ, also if files are written without a mapping.
#[test]
fn a_limit_of_file_size_is_an_error_and_no_signal() {
    succeeds("limit");
}

fn limited_file_size(dir: &Path) {
    const LIMIT: u64 = 1 << 20;
    let limit = libc::rlimit { rlim_cur: LIMIT, rlim_max: libc::RLIM_INFINITY };
    // SAFETY: only numbers.
    assert_eq!(unsafe { libc::setrlimit(libc::RLIMIT_FSIZE, &limit) }, 0);
    for no_allocation in [false, true] {
        for large in [false, true] {
            let path = dir.join("000009.log");
            let opts =
                WritableOptions { no_allocation, preallocate: 64 << 20, ..Default::default() };
            let mut writer = log_writer(&path, opts);
            let payload = vec![7; if large { 100_000 } else { 700 }];
            let error = loop {
                match writer.add_record(&payload) {
                    Ok(()) => assert!(writer.size() <= LIMIT),
                    Err(e) => break e,
                }
            };
            assert!(error.to_string().ends_with("File too large"), "{error}");
            assert!(writer.size() > LIMIT - payload.len() as u64 - 100, "{}", writer.size());
            let size = writer.size();
            writer.close().unwrap();
            assert_eq!(std::fs::metadata(&path).unwrap().len(), size);
        }
    }
    let opts = WritableOptions { preallocate: 64 << 20, ..Default::default() };
    let mut table = posix().new_writable(&dir.join("table"), opts).unwrap();
    while table.append(&[7; 10_000]).is_ok() {}
    assert!(table.flush().is_err());
}

#[test]
fn many_logs_are_mapped_and_the_rest_written() {
    succeeds("many");
}

fn many_logs(dir: &Path) {
    let logs: Vec<_> = std::iter::from_fn(sigbus::Watch::new).collect();
    assert!(logs.len() > 500);
    let path = dir.join("000009.log");
    let mut writer = log_writer(&path, WritableOptions::default());
    for i in 0..20 {
        writer.add_record(&record(i)).unwrap();
    }
    assert_eq!(count_records(&path), 20);
}
