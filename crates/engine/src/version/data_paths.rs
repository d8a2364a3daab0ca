//! The directories of a column family's tables.
//!
//! The MANIFEST stores a table's directory as an index into the `cf_paths` in force when the table
//! was created. Flushes and ingested files use the first directory; compactions choose one. An
//! index beyond the list means the last directory, as in RocksDB, so a checkpoint, which has all
//! tables in one directory, opens without the paths of the original database.

use super::FileMeta;
use crate::fs::FileSystem;
use crate::fs::filename::{leveldb_table_file_name, table_file_name};
use crate::options::DbPath;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The directories of tables. Clones share one list, which is never empty.
#[derive(Clone, Debug)]
pub struct DataPaths {
    main: Arc<Path>,
    others: Arc<[Arc<Path>]>,
}

impl DataPaths {
    /// The directories of `paths`, or `dir` if `paths` is empty.
    pub fn new(fs: &dyn FileSystem, dir: &Path, paths: &[DbPath]) -> DataPaths {
        let mut dirs = paths.iter().map(|p| Arc::from(fs.absolute(&p.path)));
        let main = dirs.next().unwrap_or_else(|| Arc::from(dir));
        DataPaths { main, others: dirs.collect() }
    }

    /// The directory of new files for which none was chosen.
    pub fn main(&self) -> &Arc<Path> {
        &self.main
    }

    /// The directory with this number.
    pub fn dir(&self, path_id: u32) -> &Arc<Path> {
        match path_id.checked_sub(1) {
            None => &self.main,
            Some(i) => self.others.get(i as usize).or(self.others.last()).unwrap_or(&self.main),
        }
    }

    /// All directories, in order.
    pub fn dirs(&self) -> impl Iterator<Item = &Arc<Path>> {
        std::iter::once(&self.main).chain(&*self.others)
    }

    /// The file name of a table.
    pub fn table(&self, file: &FileMeta) -> PathBuf {
        table_file_name(self.dir(file.path_id), file.number)
    }

    /// The file name of a table, or its LevelDB name if only that file exists.
    pub fn table_that_exists(
        &self,
        fs: &dyn FileSystem,
        file: &FileMeta,
    ) -> crate::error::Result<PathBuf> {
        let name = self.table(file);
        if fs.exists(&name)? {
            return Ok(name);
        }
        let old = leveldb_table_file_name(self.dir(file.path_id), file.number);
        Ok(if fs.exists(&old)? { old } else { name })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fs::mem::MemFs;

    #[test]
    fn a_number_beyond_the_list_is_the_last_directory() {
        let path = |p: &str| DbPath { path: p.into(), target_size: 1 };
        let of = |paths: &[DbPath]| DataPaths::new(&MemFs::new(), Path::new("/db"), paths);
        let dirs = |p: &DataPaths| -> Vec<String> {
            (0..4).map(|i| p.dir(i).to_string_lossy().into_owned()).collect()
        };
        assert_eq!(dirs(&of(&[])), ["/db", "/db", "/db", "/db"]);
        assert_eq!(dirs(&of(&[path("/a")])), ["/a", "/a", "/a", "/a"]);
        let three = of(&[path("/a"), path("/b"), path("/c")]);
        assert_eq!(dirs(&three), ["/a", "/b", "/c", "/c"]);
        assert_eq!(three.dirs().count(), 3);
        let mut file = FileMeta::new(7, 1, vec![0; 9], vec![0; 9]);
        file.path_id = 1;
        assert_eq!(three.table(&file), Path::new("/b/000007.sst"));
    }
}
