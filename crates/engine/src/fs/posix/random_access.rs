//! Random-access files: read with pread, or mapped.
//!
//! The module needs `unsafe` because the bytes of a mapping change if the mapped file changes. Only
//! finished files are opened mapped (tables never change after their sync; see `db/`), and the
//! engine never truncates one. Tests: the contract in `mem_test.rs`.

#![allow(unsafe_code)]

use super::sys;
use crate::error::Result;
use crate::fs::{RandomAccessFile, io_error};
use memmap2::Mmap;
use std::fs::File;
use std::io;
use std::mem::MaybeUninit;
use std::path::{Path, PathBuf};
use std::sync::Arc;

pub(super) fn open(file: File, path: &Path, mmap: bool) -> Result<Arc<dyn RandomAccessFile>> {
    let meta = file.metadata().map_err(|e| io_error("while stat a file for size", path, e))?;
    let path = path.to_path_buf();
    if mmap {
        // SAFETY: the file is finished; nothing writes to it or truncates it while it is open (see
        // above).
        let map = unsafe { Mmap::map(&file) };
        let map = map.map_err(|e| io_error("while mmap file for read", &path, e))?;
        return Ok(Arc::new(Mapped { map, path }));
    }
    Ok(Arc::new(Positional { file, size: meta.len(), path }))
}

struct Positional {
    file: File,
    size: u64,
    path: PathBuf,
}

impl RandomAccessFile for Positional {
    fn read_at(&self, offset: u64, buf: &mut [u8]) -> Result<usize> {
        let mut done = 0;
        while done < buf.len() {
            match sys::read_at(&self.file, &mut buf[done..], offset.saturating_add(done as u64)) {
                Ok(0) => break,
                Ok(n) => done += n,
                Err(e) if e.kind() == io::ErrorKind::Interrupted => {}
                Err(e) => {
                    let context = format!("While pread offset {offset} len {}", buf.len());
                    return Err(io_error(context, &self.path, e));
                }
            }
        }
        Ok(done)
    }

    fn read_new<'b>(&self, offset: u64, buf: &'b mut [MaybeUninit<u8>]) -> Option<&'b mut [u8]> {
        sys::read_new(&self.file, buf, offset)
    }

    fn size(&self) -> u64 {
        self.size
    }

    fn will_read(&self, offset: u64, len: u64) {
        sys::will_read(&self.file, offset, len);
    }

    fn will_read_at_random(&self) {
        sys::will_read_at_random(&self.file);
    }

    fn would_wait(&self, offset: u64) -> bool {
        sys::would_wait(&self.file, offset)
    }

    fn path(&self) -> &Path {
        &self.path
    }
}

struct Mapped {
    map: Mmap,
    path: PathBuf,
}

impl RandomAccessFile for Mapped {
    fn read_at(&self, offset: u64, buf: &mut [u8]) -> Result<usize> {
        let from = usize::try_from(offset).unwrap_or(usize::MAX).min(self.map.len());
        let n = buf.len().min(self.map.len() - from);
        buf[..n].copy_from_slice(&self.map[from..from + n]);
        Ok(n)
    }

    fn size(&self) -> u64 {
        self.map.len() as u64
    }

    fn mapped(&self) -> Option<&[u8]> {
        Some(&self.map)
    }

    fn path(&self) -> &Path {
        &self.path
    }
}
