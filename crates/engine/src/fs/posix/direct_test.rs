//! Direct I/O on real files: contents, alignment, ends of files, full devices, refusals.

use super::*;
use crate::fs::{ReadMode, posix};
use std::fs;
use tempfile::TempDir;

/// A directory on a file system that supports direct I/O.
fn directory() -> TempDir {
    let dir = tempfile::tempdir_in(".").unwrap();
    fs::write(dir.path().join("probe"), b"x").unwrap();
    posix().open_direct(&dir.path().join("probe")).expect("target/ supports direct I/O");
    dir
}

fn direct(buffer: usize) -> WritableOptions {
    WritableOptions { direct: true, direct_buffer: buffer, ..WritableOptions::default() }
}

fn pattern(len: usize) -> Vec<u8> {
    (0..len).map(|i| (i / 251 + i % 251) as u8).collect()
}

#[test]
fn a_file_has_the_same_bytes_as_a_buffered_one() {
    let dir = directory();
    let all = pattern(300_000);
    for len in [0, 1, 511, 512, 513, 4095, 4096, 4097, 8192, 65_536, 131_072, 299_999] {
        for piece in [1000, 4096, 50_000, 300_000] {
            let path = dir.path().join("1.sst");
            let mut file = posix().new_writable(&path, direct(64 << 10)).unwrap();
            for (i, part) in all[..len].chunks(piece).enumerate() {
                file.append(part).unwrap();
                if i % 3 == 1 {
                    file.flush().unwrap();
                    let size = fs::metadata(&path).unwrap().len();
                    assert_eq!(size, file.size(), "no zeros stay behind flushed data");
                }
            }
            assert_eq!(file.size(), len as u64);
            file.sync().unwrap();
            assert!(fs::read(&path).unwrap() == all[..len], "{len} bytes in pieces of {piece}");
            file.close().unwrap();
            drop(file);
            assert!(fs::read(&path).unwrap() == all[..len]);
        }
    }
}

/// A block that was flushed before it was full is written again with what follows.
#[test]
fn appends_continue_after_a_sync_in_the_middle_of_a_block() {
    let dir = directory();
    let (path, all) = (dir.path().join("1.sst"), pattern(20_000));
    let mut file = posix().new_writable(&path, direct(4096)).unwrap();
    for (i, part) in all.chunks(777).enumerate() {
        file.append(part).unwrap();
        file.sync().unwrap();
        assert!(fs::read(&path).unwrap() == all[..all.len().min(777 * (i + 1))]);
    }
}

#[test]
fn reads_need_no_alignment_and_end_with_the_file() {
    let dir = directory();
    let (path, all) = (dir.path().join("1.sst"), pattern(100_003));
    fs::write(&path, &all).unwrap();
    let file = ReadMode::Direct.open(&*posix(), &path).unwrap();
    assert_eq!((file.size(), file.path()), (100_003, path.as_path()));
    assert!(file.alignment() >= 512 && file.mapped().is_none());
    for offset in
        [0, 1, 511, 4096, 4097, 50_000, 98_304, 99_999, 100_002, 100_003, 100_004, 200_000]
    {
        for len in [0, 1, 512, 4096, 4097, 60_000] {
            let mut found = vec![0xEE; len];
            let n = file.read_at(offset as u64, &mut found).unwrap();
            let end = all.len();
            let want = &all[offset.min(end)..(offset + len).clamp(offset.min(end), end)];
            assert_eq!(n, want.len(), "{len} bytes from {offset}");
            assert!(found[..n] == *want, "{len} bytes from {offset}");
        }
    }
    assert_eq!(file.read_at(u64::MAX, &mut [0; 8]).unwrap(), 0);
    // Aligned memory is filled without a copy, also at the end of the file.
    let mut memory = AlignedBuffer::new(8192, 4096);
    assert_eq!(file.read_at(98_304, memory.bytes()).unwrap(), 100_003 - 98_304);
    assert!(memory.bytes()[..100_003 - 98_304] == all[98_304..]);
}

#[test]
fn a_file_that_was_cut_gives_a_short_read() {
    let dir = directory();
    let path = dir.path().join("1.sst");
    fs::write(&path, pattern(10_000)).unwrap();
    let file = posix().open_direct(&path).unwrap();
    posix().truncate(&path, 5000).unwrap();
    let mut buf = [0; 2000];
    assert_eq!(file.read_at(4000, &mut buf).unwrap(), 1000);
    assert_eq!(file.read_at(8000, &mut buf).unwrap(), 0);
}

#[test]
fn a_file_system_without_direct_io_refuses_with_the_name_of_the_file() {
    let e = posix().open_direct(Path::new("/proc/self/status")).map(|_| ()).unwrap_err();
    let want = "IO error: While open a file for random read: /proc/self/status: Invalid argument";
    assert_eq!(e.to_string(), want);
    let missing = posix().open_direct(Path::new("/nowhere/1.sst")).map(|_| ()).unwrap_err();
    assert!(missing.is_path_not_found(), "{missing}");
    assert!(missing.to_string().contains("/nowhere/1.sst"), "{missing}");
}

#[test]
fn a_failed_write_breaks_the_file_for_good() {
    let Ok(file) = fs::OpenOptions::new().write(true).open("/dev/full") else { return };
    let mut file = DirectFile::new(file, Path::new("/dev/full"), direct(4096)).unwrap();
    file.append(b"x").unwrap();
    let want = "IO error: While appending to file: /dev/full: No space left on device";
    assert_eq!(file.flush().unwrap_err().to_string(), want);
    assert!(file.is_broken());
    assert_eq!(file.append(b"x").unwrap_err().to_string(), want);
    assert_eq!(file.syncer().sync().unwrap_err().to_string(), want);
    assert_eq!(file.close().unwrap_err().to_string(), want);
}
