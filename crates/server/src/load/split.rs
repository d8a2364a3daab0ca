//! The sorted files that a load writes for the partitions of a table.

use crate::error::{Error, Result};
use crate::store::{Format, Ingest, Partition};
use ferrolith::SstFileWriter;
use std::path::PathBuf;

/// The bytes from which on a file ends, and the next one begins.
const FILE_BYTES: u64 = 64 << 20;
/// The files that are written at once. Rows of further partitions wait for another pass over the source.
#[cfg(not(test))]
const OPEN_MAX: usize = 128;
#[cfg(test)]
const OPEN_MAX: usize = 3;

/// The directory of the files of a load. Dropping it removes them.
pub(super) struct Staging {
    dir: PathBuf,
    /// The files that were begun.
    count: u64,
}

impl Staging {
    /// Creates the directory. It must not exist: there is one load at a time.
    ///
    /// # Errors
    ///
    /// It exists, or cannot be created.
    pub(super) fn create(dir: PathBuf) -> Result<Staging> {
        std::fs::create_dir(&dir)
            .map_err(|error| Error::Io(format!("creating {}", dir.display()), error))?;
        Ok(Staging { dir, count: 0 })
    }

    fn next(&mut self) -> PathBuf {
        self.count += 1;
        self.dir.join(format!("{}.sst", self.count))
    }

    /// Removes all files, which have not been added to the table.
    pub(super) fn clear(&self) -> Result<()> {
        let failed = |error| Error::Io(format!("reading {}", self.dir.display()), error);
        for entry in std::fs::read_dir(&self.dir).map_err(failed)? {
            let path = entry.map_err(failed)?.path();
            std::fs::remove_file(&path)
                .map_err(|error| Error::Io(format!("removing {}", path.display()), error))?;
        }
        Ok(())
    }
}

impl Drop for Staging {
    fn drop(&mut self) {
        // What is left is removed when the store opens.
        _ = std::fs::remove_dir_all(&self.dir);
    }
}

/// A partition of the table while rows are written.
enum Place {
    /// No row so far.
    Empty,
    /// Rows of this pass are written to this file.
    Open(Box<SstFileWriter>, PathBuf),
    /// All its rows were written in an earlier pass.
    Done,
}

/// The files of all partitions for one part of the source.
pub(super) struct Split<'a> {
    store: &'a dyn Ingest,
    staging: &'a mut Staging,
    partitions: &'a [Partition],
    places: Vec<Place>,
    files: Vec<Vec<PathBuf>>,
    open: usize,
    has_left_out: bool,
}

impl<'a> Split<'a> {
    pub(super) fn new(
        store: &'a dyn Ingest,
        staging: &'a mut Staging,
        partitions: &'a [Partition],
    ) -> Split<'a> {
        let places = partitions.iter().map(|_| Place::Empty).collect();
        let files = vec![Vec::new(); partitions.len()];
        Split { store, staging, partitions, places, files, open: 0, has_left_out: false }
    }

    /// Adds a row of a partition, unless that partition's rows were written before or wait for the next pass. Keys
    /// come in ascending order.
    ///
    /// # Errors
    ///
    /// A file cannot be written.
    pub(super) fn put(&mut self, at: u32, key: &[u8], value: &[u8]) -> Result<()> {
        let at = at as usize;
        let (Some(place), Some(files)) = (self.places.get_mut(at), self.files.get_mut(at)) else {
            return Err(Error::corrupt(format!("the table has no partition {at}")));
        };
        if let Place::Empty = place {
            if self.open == OPEN_MAX {
                self.has_left_out = true;
                return Ok(());
            }
            self.open += 1;
            *place = begin(self.store, self.staging.next())?;
        }
        let Place::Open(writer, _) = place else { return Ok(()) };
        writer.put(key, value)?;
        if writer.file_size() >= FILE_BYTES {
            let next = begin(self.store, self.staging.next())?;
            end(std::mem::replace(place, next), files)?;
        }
        Ok(())
    }

    /// Ends a pass over the source. Returns whether another one is needed.
    ///
    /// # Errors
    ///
    /// A file cannot be written.
    pub(super) fn end_pass(&mut self) -> Result<bool> {
        for (place, files) in self.places.iter_mut().zip(&mut self.files) {
            if let Place::Open(..) = place {
                end(std::mem::replace(place, Place::Done), files)?;
            }
        }
        self.open = 0;
        Ok(std::mem::take(&mut self.has_left_out))
    }

    /// Returns the files of each partition that has rows.
    pub(super) fn finish(self) -> Vec<(Partition, Vec<PathBuf>)> {
        let files = self.partitions.iter().copied().zip(self.files);
        files.filter(|(_, files)| !files.is_empty()).collect()
    }
}

fn begin(store: &dyn Ingest, path: PathBuf) -> Result<Place> {
    let writer = store.sorted_file(Format::Pegasus, &path)?;
    Ok(Place::Open(Box::new(writer), path))
}

/// Completes a file. One without rows, which begins when the one before is full, is discarded.
fn end(place: Place, files: &mut Vec<PathBuf>) -> Result<()> {
    if let Place::Open(writer, path) = place
        && writer.file_size() > 0
    {
        writer.finish()?;
        files.push(path);
    }
    Ok(())
}
