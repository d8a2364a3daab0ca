//! Direct I/O: files that are read and written without the page cache.
//!
//! The kernel requires that memory, offsets and sizes are multiples of an alignment. [`DirectReads`] hides that from
//! its callers: a read of other bytes goes through an aligned buffer. [`DirectFile`] collects what is appended in such
//! a buffer. A file rarely ends at a multiple of the alignment, so its last block is written with zeros behind the
//! data, which truncation removes before the file is synced; a later append writes that block again.
//!
//! As for buffered files, every error of a write or sync breaks a file for good.

use super::sys;
use super::writable::SharedFile;
use crate::env::mapping::LargeVec;
use crate::error::Result;
use crate::fs::{FileSyncer, RandomAccessFile, WritableFile, WritableOptions, io_error};
use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The buffer of a file that is written, if its options request no other size.
const BUFFER: usize = 1 << 20;
/// The largest such buffer.
const BUFFER_MAX: usize = 64 << 20;

/// Zeroed memory that begins at a multiple of an alignment.
struct AlignedBuffer {
    memory: LargeVec<u8>,
    start: usize,
    len: usize,
}

impl AlignedBuffer {
    fn new(len: usize, align: usize) -> AlignedBuffer {
        let memory = LargeVec::zeroed(len + align);
        let start = memory.as_ptr().addr().next_multiple_of(align) - memory.as_ptr().addr();
        AlignedBuffer { memory, start, len }
    }

    fn bytes(&mut self) -> &mut [u8] {
        &mut self.memory[self.start..self.start + self.len]
    }
}

/// A file that is read with direct I/O.
pub(super) struct DirectReads {
    file: File,
    size: u64,
    path: PathBuf,
    align: usize,
}

impl DirectReads {
    /// Opens a file. The error is EINVAL if its file system does not support direct I/O.
    pub(super) fn open(path: &Path) -> Result<DirectReads> {
        let open = || {
            let file = sys::direct(std::fs::OpenOptions::new().read(true)).open(path)?;
            let align = sys::direct_alignment(&file)?;
            Ok((file.metadata()?.len(), align, file))
        };
        let (size, align, file) =
            open().map_err(|e| io_error("While open a file for random read", path, e))?;
        Ok(DirectReads { file, size, path: path.to_path_buf(), align })
    }

    /// Fills `buf`, which must be aligned like `offset`, as far as the file extends.
    fn fill(&self, offset: u64, buf: &mut [u8]) -> io::Result<usize> {
        let mut done = 0;
        while done < buf.len() {
            match sys::read_at(&self.file, &mut buf[done..], offset.saturating_add(done as u64)) {
                Ok(0) => break,
                Ok(n) => done += n,
                Err(e) if e.kind() == io::ErrorKind::Interrupted => continue,
                Err(e) => return Err(e),
            }
            // The kernel returns a part of a block only at the end of the file.
            if !done.is_multiple_of(self.align) {
                break;
            }
        }
        Ok(done)
    }

    fn read(&self, offset: u64, buf: &mut [u8]) -> io::Result<usize> {
        let align = self.align as u64;
        let is_aligned = [buf.as_ptr().addr(), buf.len()].iter().all(|n| n % self.align == 0);
        if is_aligned && offset.is_multiple_of(align) {
            return self.fill(offset, buf);
        }
        let skip = (offset % align) as usize;
        let mut aligned =
            AlignedBuffer::new((skip + buf.len()).next_multiple_of(self.align), self.align);
        let n = self.fill(offset - skip as u64, aligned.bytes())?.saturating_sub(skip);
        let n = n.min(buf.len());
        buf[..n].copy_from_slice(&aligned.bytes()[skip..skip + n]);
        Ok(n)
    }
}

impl RandomAccessFile for DirectReads {
    fn read_at(&self, offset: u64, buf: &mut [u8]) -> Result<usize> {
        if buf.is_empty() {
            return Ok(0);
        }
        self.read(offset, buf).map_err(|e| {
            io_error(format!("While pread offset {offset} len {}", buf.len()), &self.path, e)
        })
    }

    fn size(&self) -> u64 {
        self.size
    }

    fn alignment(&self) -> usize {
        self.align
    }

    fn path(&self) -> &Path {
        &self.path
    }
}

/// A file that is written with direct I/O.
pub(super) struct DirectFile {
    shared: Arc<SharedFile>,
    buffer: AlignedBuffer,
    align: usize,
    /// The offset of the buffer in the file, a multiple of the alignment.
    base: u64,
    /// The number of bytes in the buffer.
    len: usize,
    /// The number of them, less than a block, that the file has already.
    flushed: usize,
    closed: bool,
}

impl DirectFile {
    /// Continues with an empty file that was opened for direct I/O.
    pub(super) fn new(file: File, path: &Path, opts: WritableOptions) -> io::Result<DirectFile> {
        // Smaller pieces than a file system's blocks would be written as slowly as whole ones.
        let align = sys::direct_alignment(&file)?.max(sys::DIRECT_ALIGNMENT);
        let wanted = if opts.direct_buffer == 0 { BUFFER } else { opts.direct_buffer };
        let size = wanted.min(BUFFER_MAX).next_multiple_of(align);
        Ok(DirectFile {
            shared: SharedFile::new(file, path, opts),
            buffer: AlignedBuffer::new(size, align),
            align,
            base: 0,
            len: 0,
            flushed: 0,
            closed: false,
        })
    }

    /// Writes the buffer's blocks, with zeros behind the data, and keeps the last one if it is not full.
    fn write_out(&mut self) -> Result<()> {
        const CONTEXT: &str = "While appending to file";
        self.shared.check()?;
        let padded = self.len.next_multiple_of(self.align);
        if self.base + padded as u64 > self.shared.limit() {
            return Err(self.shared.fail(CONTEXT, io::Error::from_raw_os_error(libc::EFBIG)));
        }
        let bytes = &mut self.buffer.bytes()[..padded];
        bytes[self.len..].fill(0);
        let written = write_blocks(&self.shared.file, bytes, self.base, self.align);
        written.map_err(|e| self.shared.fail(CONTEXT, e))?;
        let whole = self.len / self.align * self.align;
        if whole < padded {
            let cut = self.shared.file.set_len(self.base + self.len as u64);
            cut.map_err(|e| self.shared.fail("While ftruncate file", e))?;
        }
        self.buffer.bytes().copy_within(whole..padded, 0);
        self.base += whole as u64;
        self.len -= whole;
        self.flushed = self.len;
        Ok(())
    }
}

/// Writes whole blocks. The kernel may accept only a part, which is continued at the last whole block of it.
fn write_blocks(file: &File, mut bytes: &[u8], mut offset: u64, align: usize) -> io::Result<()> {
    while !bytes.is_empty() {
        let n = match sys::write_at(file, bytes, offset) {
            Ok(n) => n / align * align,
            Err(e) if e.kind() == io::ErrorKind::Interrupted => continue,
            Err(e) => return Err(e),
        };
        if n == 0 {
            return Err(io::ErrorKind::WriteZero.into());
        }
        bytes = &bytes[n..];
        offset += n as u64;
    }
    Ok(())
}

impl WritableFile for DirectFile {
    fn append(&mut self, mut data: &[u8]) -> Result<()> {
        self.shared.check()?;
        while !data.is_empty() {
            let room = self.buffer.len - self.len;
            let (now, later) = data.split_at(room.min(data.len()));
            self.buffer.bytes()[self.len..self.len + now.len()].copy_from_slice(now);
            self.len += now.len();
            data = later;
            if self.len == self.buffer.len {
                self.write_out()?;
            }
        }
        Ok(())
    }

    fn flush(&mut self) -> Result<()> {
        match self.len == self.flushed {
            true => self.shared.check(),
            false => self.write_out(),
        }
    }

    fn sync(&mut self) -> Result<()> {
        self.flush()?;
        self.shared.sync()
    }

    fn syncer(&self) -> Arc<dyn FileSyncer> {
        self.shared.clone()
    }

    fn size(&self) -> u64 {
        self.base + self.len as u64
    }

    fn is_broken(&self) -> bool {
        self.shared.check().is_err()
    }

    fn close(&mut self) -> Result<()> {
        if std::mem::replace(&mut self.closed, true) {
            return Ok(());
        }
        self.flush()
    }
}

impl Drop for DirectFile {
    fn drop(&mut self) {
        let _ = self.close();
    }
}

#[cfg(test)]
#[path = "direct_test.rs"]
mod tests;
