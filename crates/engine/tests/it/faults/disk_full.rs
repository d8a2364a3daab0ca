//! A disk that is really full: a small tmpfs, which only root can mount. Without it the test says so
//! and does nothing.

use super::super::support::{ro, small, temp_dir, wo};
use super::{eventually, within};
use ferrolith::db::Db;
use std::path::Path;
use std::process::Command;

struct Mounted(tempfile::TempDir);

impl Mounted {
    fn new(size: &str) -> Option<Mounted> {
        let dir = temp_dir();
        let options = format!("size={size}");
        let mut mount = Command::new("mount");
        mount.args(["-t", "tmpfs", "-o", &options, "ferrolith-test"]).arg(dir.path());
        match mount.output() {
            Ok(done) if done.status.success() => Some(Mounted(dir)),
            other => {
                eprintln!("SKIPPED: cannot mount a tmpfs (needs root): {other:?}");
                None
            }
        }
    }

    fn path(&self) -> &Path {
        self.0.path()
    }
}

impl Drop for Mounted {
    fn drop(&mut self) {
        let _ = Command::new("umount").arg("-l").arg(self.path()).status();
    }
}

fn key(i: u32) -> Vec<u8> {
    i.wrapping_mul(2_654_435_761).to_be_bytes().to_vec()
}

fn value(i: u32) -> Vec<u8> {
    (0..500).map(|j| (i.wrapping_mul(31).wrapping_add(j).wrapping_mul(7919) >> 7) as u8).collect()
}

#[test]
fn a_full_disk_passes_without_reopening() {
    let Some(disk) = Mounted::new("24m") else { return };
    let path = disk.path().to_owned();
    within(120, "a full disk", move || fill(&path));
    drop(disk);
}

fn fill(path: &Path) {
    let ballast = path.join("ballast");
    std::fs::write(&ballast, vec![1; 9 << 20]).unwrap();
    let mut options = small();
    options.cf.write_buffer_size = 1 << 20;
    options.cf.compression = ferrolith::compress::CompressionType::None;
    let db = Db::open(&options, path.join("db")).unwrap();
    let mut written = 0;
    let error = loop {
        match db.put(&wo(), &key(written), &value(written)) {
            Ok(()) => written += 1,
            Err(e) => break e,
        }
        assert!(written < 200_000, "the disk does not get full");
    };
    assert!(error.is_no_space(), "{error}");
    let check = |db: &Db, n: u32| {
        for i in 0..n {
            assert_eq!(db.get(&ro(), &key(i)).unwrap(), Some(value(i)), "{i} of {n}");
        }
    };
    check(&db, written);
    std::fs::remove_file(&ballast).unwrap();
    eventually("writes go on", || db.put(&wo(), &key(written), &value(written)).is_ok());
    for i in written + 1..written + 2000 {
        eventually("a write", || db.put(&wo(), &key(i), &value(i)).is_ok());
    }
    check(&db, written + 2000);
    db.close().unwrap();
    drop(db);
    let db = Db::open(&options, path.join("db")).unwrap();
    check(&db, written + 2000);
}
