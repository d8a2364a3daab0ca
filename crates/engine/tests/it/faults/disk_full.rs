//! Disks that are really full: a small tmpfs and a small ext4, which only root can mount. Without them
//! the tests say so and do nothing.

use super::super::support::{ro, small, temp_dir, wo};
use super::{eventually, within};
use ferrolith::internal::db::Db;
use std::path::Path;
use std::process::Command;

/// A file system of its own, and the directory that holds the file under it, if one does.
pub(super) struct Mounted(tempfile::TempDir, Option<tempfile::TempDir>);

impl Mounted {
    pub(super) fn tmpfs(size: &str) -> Option<Mounted> {
        let dir = temp_dir();
        let options = format!("size={size}");
        let mut mount = Command::new("mount");
        mount.args(["-t", "tmpfs", "-o", &options, "ferrolith-test"]).arg(dir.path());
        done(mount).then_some(Mounted(dir, None))
    }

    /// An ext4 of so many bytes in a file.
    fn ext4(size: u64) -> Option<Mounted> {
        Mounted::device("ext4", size)
    }

    /// A file system of this kind and of so many bytes in a file.
    pub(super) fn device(kind: &str, size: u64) -> Option<Mounted> {
        let (dir, holder) = (temp_dir(), temp_dir());
        let image = holder.path().join("image");
        std::fs::File::create(&image).unwrap().set_len(size).unwrap();
        let mut make = Command::new(format!("mkfs.{kind}"));
        make.args(["-q", if kind == "ext4" { "-F" } else { "-f" }]).arg(&image);
        let mut mount = Command::new("mount");
        mount.args(["-o", "loop"]).arg(&image).arg(dir.path());
        (done(make) && done(mount)).then_some(Mounted(dir, Some(holder)))
    }

    pub(super) fn path(&self) -> &Path {
        self.0.path()
    }
}

/// Whether a command went well; if not, says so.
fn done(mut command: Command) -> bool {
    match command.output() {
        Ok(done) if done.status.success() => true,
        other => {
            eprintln!(
                "SKIPPED: cannot mount (needs root and loop devices): {command:?}: {other:?}"
            );
            false
        }
    }
}

impl Drop for Mounted {
    fn drop(&mut self) {
        let _ = Command::new("umount").arg("-l").arg(self.path()).status();
        drop(self.1.take());
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
    let Some(disk) = Mounted::tmpfs("24m") else { return };
    let path = disk.path().to_owned();
    within(120, "a full disk", move || fill(&path, false));
    drop(disk);
}

#[test]
fn a_full_disk_passes_with_direct_io() {
    let Some(disk) = Mounted::ext4(24 << 20) else { return };
    let path = disk.path().to_owned();
    within(120, "a full disk", move || fill(&path, true));
    drop(disk);
}

fn fill(path: &Path, direct: bool) {
    let ballast = path.join("ballast");
    std::fs::write(&ballast, vec![1; 9 << 20]).unwrap();
    let mut options = small();
    options.cf.write_buffer_size = 1 << 20;
    options.db.use_direct_reads = direct;
    options.db.use_direct_io_for_flush_and_compaction = direct;
    options.cf.compression = ferrolith::internal::compress::CompressionType::None;
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

/// Bytes that are free for this user.
fn free(path: &Path) -> u64 {
    ferrolith::internal::fs::posix().free_space(path).unwrap()
}

fn tables(path: &Path) -> Vec<String> {
    let names = std::fs::read_dir(path).unwrap().map(|e| e.unwrap().file_name());
    let names = names.map(|name| name.to_string_lossy().into_owned());
    names.filter(|name| name.ends_with(".sst")).collect()
}

fn live(db: &Db) -> usize {
    db.live_files_metadata().len()
}

#[test]
fn a_compaction_without_room_stops_no_writer() {
    let Some(disk) = Mounted::ext4(149 << 20) else { return };
    let path = disk.path().to_owned();
    within(120, "a compaction without room", move || compact_without_room(&path));
    drop(disk);
}

/// A compaction reads 48 MB where 32 MB are free.
fn compact_without_room(path: &Path) {
    let mut options = small();
    options.cf.write_buffer_size = 4 << 20;
    options.cf.target_file_size_base = 4 << 20;
    options.cf.compression = ferrolith::internal::compress::CompressionType::None;
    options.cf.disable_auto_compactions = true;
    options.cf.level0_slowdown_writes_trigger = 100;
    options.cf.level0_stop_writes_trigger = 100;
    let db = Db::open(&options, path.join("db")).unwrap();
    let mut written = 0;
    while written < 96_000 {
        db.put(&wo(), &key(written), &value(written)).unwrap();
        written += 1;
    }
    db.flush(&ferrolith::internal::options::FlushOptions::default()).unwrap();
    let ballast = path.join("ballast");
    let filled = free(path).checked_sub(32 << 20).expect("the database is too large");
    std::fs::write(&ballast, vec![1; filled as usize]).unwrap();
    db.set_options(&[("disable_auto_compactions", "false")]).unwrap();
    eventually("the compaction finds no room", || {
        std::fs::read_to_string(path.join("db/LOG"))
            .unwrap()
            .contains("Compaction error: IO error: No space")
    });
    let begin = written;
    while written < begin + 4000 {
        let put = db.put(&wo(), &key(written), &value(written));
        put.unwrap_or_else(|e| panic!("write {} stopped: {e}", written - begin));
        written += 1;
    }
    let e = db.wait_for_compact().unwrap_err();
    assert!(e.is_no_space(), "{e}");
    // What it wrote is gone.
    eventually("no table is left over", || tables(&path.join("db")).len() == live(&db));
    assert!(free(path) > 20 << 20, "{} bytes are free", free(path));
    std::fs::remove_file(&ballast).unwrap();
    eventually("the compaction is done", || {
        db.property("rocksdb.num-files-at-level0").as_deref() == Some("0")
    });
    for i in 0..written {
        assert_eq!(db.get(&ro(), &key(i)).unwrap(), Some(value(i)), "{i} of {written}");
    }
    db.close().unwrap();
}
