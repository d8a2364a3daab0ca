use super::super::reader::tests::log_of;
use super::*;
use crate::fs::fault::{Fault, FaultFs, FaultKind, Op};
use crate::fs::mem::MemFs;
use crate::fs::{FileSystem, WritableOptions, posix};
use crate::options::WalRecoveryMode::{self, *};
use crate::wal::{LogReader, ReadOutcome};
use std::path::Path;

fn records(fs: &dyn FileSystem, path: &Path, mode: WalRecoveryMode) -> Vec<Vec<u8>> {
    let mut reader = LogReader::new(fs.open_random_access(path, false).unwrap(), 7, true);
    let mut all = Vec::new();
    while let ReadOutcome::Record(r) = reader.read_record(mode).unwrap() {
        all.push(r.to_vec());
    }
    all
}

#[test]
fn bytes_equal_those_of_rocksdb() {
    let batch = b"\x01\0\0\0\0\0\0\0\x01\0\0\0\x01\x01a\x01b";
    let want = [b"\xd3\x1c\x3e\xc7\x11\0\x01".as_slice(), batch].concat();
    assert_eq!(log_of([batch.as_slice()]), want);
    assert_eq!(log_of([b"".as_slice()])[4..], [0, 0, 1]);
}

#[test]
fn records_of_all_sizes_around_block_ends_are_read_back() {
    for fs in [Arc::new(MemFs::new()) as Arc<dyn FileSystem>, posix()] {
        let tmp = tempfile::tempdir_in(".").unwrap();
        fs.create_dir_if_missing(tmp.path()).unwrap();
        let path = tmp.path().join("000007.log");
        for log in [false, true] {
            // The length of the first record puts the end of the second near the end of a block.
            for gap in (0..9).chain([13, 17, 21]) {
                let opts = WritableOptions { log, ..WritableOptions::default() };
                let mut w = LogWriter::new(fs.new_writable(&path, opts).unwrap(), 7);
                let sizes = [BLOCK_SIZE - 2 * HEADER_SIZE - gap, 3, 0, 1, 100_000, 0, 32_768, 9];
                let written: Vec<Vec<u8>> =
                    sizes.iter().enumerate().map(|(i, &n)| vec![i as u8; n]).collect();
                for record in &written {
                    w.add_record(record).unwrap();
                }
                if !log {
                    w.flush().unwrap(); // Otherwise records wait in a buffer.
                }
                // A reader of the growing file sees all of them.
                assert_eq!(records(&*fs, &path, AbsoluteConsistency), written, "gap {gap}");
                let size = w.size();
                w.close().unwrap();
                assert_eq!(fs.file_size(&path).unwrap(), size);
                assert_eq!(records(&*fs, &path, AbsoluteConsistency), written, "gap {gap}");
            }
        }
    }
}

#[test]
fn nothing_follows_a_record_that_was_cut_short() {
    let mem = MemFs::new();
    mem.create_dir_if_missing(Path::new("/")).unwrap();
    let fs = FaultFs::new(Arc::new(mem));
    let path = Path::new("/000007.log");
    let file = fs.new_writable(path, WritableOptions::default()).unwrap();
    let mut w = LogWriter::new(file, 7);
    w.add_record(b"one").unwrap();
    // Nothing was written, so the next record may follow.
    fs.inject(Fault::nth(Op::Append, "", 0, FaultKind::NoSpace));
    assert!(w.add_record(b"two").unwrap_err().is_no_space());
    w.add_record(b"three").unwrap();
    // The second fragment fails.
    fs.inject(Fault::nth(Op::Append, "", 1, FaultKind::NoSpace));
    assert!(w.add_record(&[4; 50_000]).is_err());
    assert!(w.add_record(b"five").is_err());
    assert!(w.add_record(&[6; 50_000]).is_err());
    let got = records(&fs, path, TolerateCorruptedTailRecords);
    assert_eq!(got, [b"one".to_vec(), b"three".to_vec()]);

    // Part of a fragment was written.
    let mut w = LogWriter::new(fs.new_writable(path, WritableOptions::default()).unwrap(), 7);
    w.add_record(b"one").unwrap();
    fs.inject(Fault::nth(Op::Append, "", 0, FaultKind::Short(9)));
    assert!(w.add_record(b"two").is_err());
    assert!(w.add_record(b"three").is_err());
    assert_eq!(records(&fs, path, PointInTimeRecovery), [b"one".to_vec()]);
}
