//! File systems made for one cell, and the ballast that fills them.
//!
//! Everything is mounted in a mount namespace of the run's own, on a directory of its own, so nobody else sees it, and
//! it goes with the last process of the run, however that ends. Images of loop devices lose their names as soon as
//! they are mounted, so their space goes too.

use crate::store::Result;
use rustix::fs::{FallocateFlags, fallocate};
use std::fs::File;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Where the files of a database lie.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Base {
    /// ext4 on a loop device.
    Ext4,
    /// XFS with reflink on a loop device.
    Xfs,
    /// btrfs on a loop device.
    Btrfs,
    /// tmpfs.
    Tmpfs,
}

/// A file system of the matrix: one of the four, or an overlay whose upper directory lies on it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FsKind {
    /// What is underneath.
    pub base: Base,
    /// Whether an overlay lies on it.
    pub overlay: bool,
}

impl FsKind {
    /// All of them.
    pub const ALL: [FsKind; 8] = {
        const fn kind(base: Base, overlay: bool) -> FsKind {
            FsKind { base, overlay }
        }
        [
            kind(Base::Ext4, false),
            kind(Base::Xfs, false),
            kind(Base::Btrfs, false),
            kind(Base::Tmpfs, false),
            kind(Base::Ext4, true),
            kind(Base::Xfs, true),
            kind(Base::Btrfs, true),
            kind(Base::Tmpfs, true),
        ]
    };

    /// Its name in the table and on the command line.
    pub fn name(self) -> &'static str {
        match (self.overlay, self.base) {
            (false, Base::Ext4) => "ext4",
            (false, Base::Xfs) => "xfs",
            (false, Base::Btrfs) => "btrfs",
            (false, Base::Tmpfs) => "tmpfs",
            (true, Base::Ext4) => "overlay-ext4",
            (true, Base::Xfs) => "overlay-xfs",
            (true, Base::Btrfs) => "overlay-btrfs",
            (true, Base::Tmpfs) => "overlay-tmpfs",
        }
    }

    /// Whether `cp --reflink` can make two files share their blocks.
    pub fn shares_blocks(self) -> bool {
        matches!(self.base, Base::Xfs | Base::Btrfs)
    }

    /// Why it cannot be made on this machine, if it cannot.
    pub fn obstacle(self) -> Option<String> {
        let mkfs = match self.base {
            Base::Ext4 => Some("mkfs.ext4"),
            Base::Xfs => Some("mkfs.xfs"),
            Base::Btrfs => Some("mkfs.btrfs"),
            Base::Tmpfs => None,
        };
        mkfs.filter(|program| Command::new(program).arg("-V").output().is_err())
            .map(|program| format!("{program} is not installed"))
    }
}

/// Runs a program to its end.
pub fn run(program: &str, args: &[&str]) -> Result<()> {
    let done = Command::new(program).args(args).output().map_err(|e| format!("{program}: {e}"))?;
    if done.status.success() {
        return Ok(());
    }
    let said = String::from_utf8_lossy(&done.stderr);
    Err(format!("{program} {}: {}: {}", args.join(" "), done.status, said.trim()))
}

fn make_dir(path: &Path) -> Result<()> {
    std::fs::create_dir_all(path).map_err(|e| format!("{}: {e}", path.display()))
}

/// A mounted file system. Unmounted on drop.
pub struct Mount {
    /// Where the base is mounted.
    base: PathBuf,
    /// Where files are written: the overlay, if there is one.
    top: PathBuf,
    overlay: bool,
}

impl Mount {
    /// Makes a file system of `megabytes` at `at`; images are made in `images`.
    pub fn make(kind: FsKind, at: &Path, images: &Path, megabytes: u64) -> Result<Mount> {
        let (base, top) = (at.join("base"), at.join("top"));
        make_dir(&base)?;
        make_dir(&top)?;
        let base_text = base.to_string_lossy().into_owned();
        let mkfs: &[&str] = match kind.base {
            Base::Tmpfs => {
                let size = format!("size={megabytes}m");
                run("mount", &["-t", "tmpfs", "-o", &size, "tmpfs", &base_text])?;
                &[]
            }
            // None of it is kept for root.
            Base::Ext4 => &["mkfs.ext4", "-q", "-F", "-m", "0"],
            Base::Xfs => &["mkfs.xfs", "-q", "-f", "-m", "reflink=1"],
            Base::Btrfs => &["mkfs.btrfs", "-q", "-f"],
        };
        if let [program, args @ ..] = mkfs {
            // mkfs.xfs makes none below 300 MB. The image is sparse.
            let least = if kind.base == Base::Xfs { 320 } else { 0 };
            let image = images.join(format!("image-{}-{}", std::process::id(), fastrand::u64(..)));
            let made = make_image(&image, megabytes.max(least), program, args);
            let image_text = image.to_string_lossy().into_owned();
            let mounted =
                made.and_then(|()| run("mount", &["-o", "loop", &image_text, &base_text]));
            // The loop device has it open.
            let _ = std::fs::remove_file(&image);
            mounted?;
        }
        let mut mount = Mount { top: base.clone(), base, overlay: false };
        if kind.overlay {
            mount.lay_over(&top)?;
        }
        Ok(mount)
    }

    fn lay_over(&mut self, top: &Path) -> Result<()> {
        let parts = ["lower", "upper", "work"].map(|name| self.base.join(name));
        parts.iter().try_for_each(|dir| make_dir(dir))?;
        let [lower, upper, work] = parts.map(|dir| dir.to_string_lossy().into_owned());
        let options = format!("lowerdir={lower},upperdir={upper},workdir={work}");
        run("mount", &["-t", "overlay", "overlay", "-o", &options, &top.to_string_lossy()])?;
        (self.top, self.overlay) = (top.to_owned(), true);
        Ok(())
    }

    /// Where files are written.
    pub fn path(&self) -> &Path {
        &self.top
    }

    /// Bytes that files can still take.
    pub fn free(&self) -> Result<u64> {
        let stat = rustix::fs::statvfs(&self.base).map_err(|e| e.to_string())?;
        Ok(stat.f_bavail * stat.f_frsize)
    }

    /// A ballast with nothing in it yet.
    pub fn ballast(&self) -> Ballast {
        Ballast { dir: self.base.join("ballast"), files: 0 }
    }
}

impl Drop for Mount {
    fn drop(&mut self) {
        let tops = if self.overlay { vec![&self.top, &self.base] } else { vec![&self.base] };
        for path in tops {
            let path = path.to_string_lossy();
            if let Err(e) = run("umount", &[&path]).or_else(|_| run("umount", &["-l", &path])) {
                eprintln!("faults: {e}");
            }
        }
    }
}

fn make_image(image: &Path, megabytes: u64, mkfs: &str, args: &[&str]) -> Result<()> {
    let file = File::create(image).and_then(|file| file.set_len(megabytes << 20));
    file.map_err(|e| format!("{}: {e}", image.display()))?;
    run(mkfs, &[args, &[&image.to_string_lossy()]].concat())
}

/// Files that leave no space for others.
pub struct Ballast {
    dir: PathBuf,
    files: u32,
}

impl Ballast {
    /// Fills the disk except for about `leave` bytes.
    pub fn fill(&mut self, leave: u64) -> Result<()> {
        make_dir(&self.dir)?;
        let spacer = self.dir.join("spacer");
        if leave > 0 {
            let file = File::create(&spacer).map_err(|e| format!("the spacer: {e}"))?;
            let reserved = fallocate(&file, FallocateFlags::empty(), 0, leave);
            reserved.map_err(|e| format!("reserving {leave} bytes to leave free: {e}"))?;
        }
        // Space that was given back comes late on some file systems.
        for _ in 0..8 {
            let grown = self.top_up()?;
            run("sync", &["-f", &self.dir.to_string_lossy()])?;
            if grown == 0 {
                break;
            }
        }
        if leave > 0 {
            std::fs::remove_file(&spacer).map_err(|e| e.to_string())?;
            run("sync", &["-f", &self.dir.to_string_lossy()])?;
        }
        Ok(())
    }

    /// Takes what has become free; returns how much that was.
    pub fn top_up(&mut self) -> Result<u64> {
        // A file of its own each time: growing one would touch its last block.
        self.files += 1;
        let file = match File::create(self.dir.join(self.files.to_string())) {
            Ok(file) => file,
            // Not even a name has room.
            Err(e) if e.kind() == std::io::ErrorKind::StorageFull => return Ok(0),
            Err(e) => return Err(format!("ballast: {e}")),
        };
        let (mut size, mut step) = (0, 64 << 20);
        while step >= 4096 {
            match fallocate(&file, FallocateFlags::empty(), size, step) {
                Ok(()) => size += step,
                Err(rustix::io::Errno::NOSPC) => step /= 2,
                Err(e) => return Err(format!("ballast: {e}")),
            }
        }
        Ok(size)
    }

    /// Gives all the space back.
    pub fn release(&mut self) -> Result<()> {
        std::fs::remove_dir_all(&self.dir).map_err(|e| format!("{}: {e}", self.dir.display()))
    }
}
