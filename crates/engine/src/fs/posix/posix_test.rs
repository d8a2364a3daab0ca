//! Real files: the contract on ext4 and tmpfs, mapped logs, full devices, refused allocation,
//! killed writers, and locks between processes.

use super::*;
use crate::fs::Fragment;
use crate::fs::mem::tests::check_contract;

#[test]
fn the_operating_system_keeps_the_contract() {
    for base in ["/dev/shm", "."] {
        if let Ok(tmp) = tempfile::tempdir_in(base) {
            check_contract(&*posix(), &tmp.path().join("db"));
        }
    }
}

/// `mkdir` below /proc fails with "not found" although the parent exists.
#[cfg(target_os = "linux")]
#[test]
fn a_file_system_without_new_directories_is_not_called_a_missing_parent() {
    let error = posix().create_dir_if_missing(Path::new("/proc/nope/")).unwrap_err();
    let text = "IO error: cannot create /proc/nope: its file system does not accept new directories: choose another place";
    assert!(error.to_string().starts_with(text), "{error}");
    let rocksdb = "IO error: No such file or directory: While mkdir if missing: /proc/nope/";
    assert!(crate::error::rocksdb_text(&error).starts_with(rocksdb), "{error:?}");
    let error = posix().create_dir_if_missing(Path::new("/proc/nope/db")).unwrap_err();
    assert!(error.to_string().contains("the directory /proc/nope does not exist"), "{error}");
}

/// If allocation ahead is refused in the middle, the file continues with plain writes.
#[cfg(target_os = "linux")]
#[test]
fn a_mapped_log_falls_back_to_plain_writes() {
    let tmp = tempfile::tempdir_in(".").unwrap();
    for appended in [0, 10, 100_000] {
        let path = tmp.path().join("1.log");
        let file = File::create_new(&path).unwrap();
        drop(file);
        let file = OpenOptions::new().read(true).write(true).open(&path).unwrap();
        let opts = WritableOptions { log: true, ..WritableOptions::default() };
        let mut log = {
            let ground = sys::Ground { memory: false, in_place: true };
            log::MappedLog::new(file, &path, opts, ground, sigbus::Watch::new().unwrap())
        };
        let mut want = vec![3; appended];
        log.append(&want).unwrap();
        log.fall_back().unwrap();
        for _ in 0..3 {
            log.append_record(b"header.", b"payload").unwrap();
            want.extend_from_slice(b"header.payload");
            assert_eq!(fs::read(&path).unwrap(), want, "no buffer, no zeros at the end");
        }
        log.append(b"x").unwrap();
        want.push(b'x');
        log.syncer().sync().unwrap();
        assert_eq!(log.size(), want.len() as u64);
        log.close().unwrap();
        assert_eq!(fs::read(&path).unwrap(), want);
        fs::remove_file(&path).unwrap();
    }
}

#[cfg(target_os = "linux")]
#[test]
fn a_mapped_log_holds_little_memory_and_is_cut_when_dropped() {
    let tmp = tempfile::tempdir_in(".").unwrap();
    // The path as the kernel returns it.
    let path = tmp.path().canonicalize().unwrap().join("1.log");
    let opts = WritableOptions {
        log: true,
        preallocate: 1 << 30,
        bytes_per_sync: 1 << 20,
        ..Default::default()
    };
    let mut log = posix().new_writable(&path, opts).unwrap();
    let mapped = || {
        let maps = fs::read_to_string("/proc/self/maps").unwrap();
        let ours = maps.lines().filter(|l| l.ends_with(path.to_str().unwrap()));
        ours.map(|l| {
            let (from, to) = l.split(' ').next().unwrap().split_once('-').unwrap();
            u64::from_str_radix(to, 16).unwrap() - u64::from_str_radix(from, 16).unwrap()
        })
        .sum::<u64>()
    };
    let mut want = Vec::new();
    for i in 0..3000u32 {
        let payload = vec![i as u8; 5000];
        log.append_record(&[i as u8; 7], &payload).unwrap();
        want.extend_from_slice(&[i as u8; 7]);
        want.extend_from_slice(&payload);
        if i % 200 == 0 {
            // The current window, the next one, and one that the helper thread is about to unmap.
            assert!((1..=3 << 20).contains(&mapped()), "{}", mapped());
            let now = fs::read(&path).unwrap();
            // The next window, what may be written before it is ready, and a chunk that is allocated ahead.
            assert!(now.len() as u64 <= log.size() + (7 << 20), "{} of {}", log.size(), now.len());
            assert!(now.starts_with(&want) && now[want.len()..].iter().all(|&b| b == 0));
        }
    }
    drop(log);
    assert_eq!(fs::read(&path).unwrap(), want);
    let until = std::time::Instant::now() + std::time::Duration::from_secs(30);
    while mapped() > 0 {
        assert!(std::time::Instant::now() < until, "{} bytes are still mapped", mapped());
        std::thread::yield_now();
    }
}

/// Large records are placed outside the window, between small ones that use it.
#[cfg(target_os = "linux")]
#[test]
fn a_mapped_log_takes_large_records() {
    for base in ["/dev/shm", "."] {
        let Ok(tmp) = tempfile::tempdir_in(base) else { continue };
        let path = tmp.path().join("1.log");
        let opts = WritableOptions { log: true, bytes_per_sync: 1 << 20, ..Default::default() };
        let mut log = posix().new_writable(&path, opts).unwrap();
        let mut want = Vec::new();
        for i in 1..60u8 {
            let sizes =
                if i % 3 == 0 { vec![5; 40] } else { vec![32_000, 32_000, 1 + usize::from(i)] };
            let fragment = |&len: &usize| Fragment { padding: 0, header: [i; 7], len };
            let fragments: Vec<_> = sizes.iter().map(fragment).collect();
            let payload = vec![i; sizes.iter().sum()];
            log.append_fragments(&fragments, &payload).unwrap();
            want.extend_from_slice(&payload);
            want.resize(want.len() + 7 * sizes.len(), i);
            let now = fs::read(&path).unwrap();
            assert!(now.starts_with(&want) && now[want.len()..].iter().all(|&b| b == 0));
            assert_eq!(log.size(), want.len() as u64);
        }
        log.sync().unwrap();
        drop(log);
        assert_eq!(fs::read(&path).unwrap(), want);
    }
}

#[test]
fn a_failed_write_breaks_the_file_for_good() {
    // Nothing can be written to this file: the device is always full.
    let Ok(file) = OpenOptions::new().write(true).open("/dev/full") else { return };
    let mut w = writable::BufferedFile::new(file, Path::new("/dev/full"), Default::default());
    w.append(b"x").unwrap();
    let syncer = w.syncer();
    let e = w.flush().unwrap_err();
    let want = "IO error: While appending to file: /dev/full: No space left on device";
    assert_eq!(e.to_string(), want);
    assert_eq!(w.flush().unwrap_err().to_string(), want);
    assert_eq!(w.append_record(b"header.", b"b").unwrap_err().to_string(), want);
    assert_eq!(syncer.sync().unwrap_err().to_string(), want);
    assert_eq!(w.close().unwrap_err().to_string(), want);
}
