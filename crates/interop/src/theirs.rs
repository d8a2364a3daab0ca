//! The vendor's RocksDB as a [`Store`], through its C functions.
//!
//! Unsafe, for the calls into [`crate::c_functions`]. Invariants: objects that the
//! library made are destroyed by it, once, after their last use; memory that it returns by pointer
//! is copied before the next call on the same object. A database and its handles may be used by
//! all threads (`rocksdb/c.h` says so); iterators and batches stay on one stack. Every exchange
//! test runs through here.
#![allow(unsafe_code)]

use crate::c_functions::{Functions, Object, Text, c_string, checked, functions};
use crate::store::{CHURN, ExportedFile, Result, Scan, Setup, Store, Wal};
use crate::workload::{Op, Table};
use std::ffi::{CStr, CString, c_int, c_uchar};
use std::path::Path;
use std::ptr::{null, null_mut};
use std::sync::Mutex;

/// `BottommostLevelCompaction::kForce`.
const FORCE: c_uchar = 2;

/// An open database of RocksDB's.
pub struct Theirs {
    f: &'static Functions,
    db: Object,
    options: Object,
    families: Vec<Object>,
    /// Left by a crash.
    churn: Mutex<Option<Family>>,
}

/// A family handle outside of the list.
struct Family(Object);

// SAFETY: as for `Theirs`.
unsafe impl Send for Family {}

// SAFETY: rocksdb/c.h allows every thread to use a database and its family handles at any time.
unsafe impl Send for Theirs {}
// SAFETY: as above.
unsafe impl Sync for Theirs {}

impl Theirs {
    /// Opens a database with options from strings.
    pub fn open(setup: &Setup) -> Result<Theirs> {
        let f = functions()?;
        let db = setup.db_options();
        let lists = [db.as_str(), setup.cf.as_str()].into_iter().filter(|l| !l.is_empty());
        let list = c_string(&lists.collect::<Vec<_>>().join(";"))?;
        let path = c_string(&setup.dir().to_string_lossy())?;
        // SAFETY: the strings live during the calls; `base` is copied. On an error the options
        // leak, and the process ends.
        unsafe {
            let (base, options) = ((f.options_create)(), (f.options_create)());
            checked(f, |e| (f.get_options_from_string)(base, list.as_ptr(), options, e))?;
            (f.options_destroy)(base);
            (f.options_set_create_if_missing)(options, 1);
            (f.options_set_create_missing_column_families)(options, 1);
            set_data_paths(f, setup, options)?;
            Theirs::open_with(f, setup, &path, options)
        }
    }

    /// # Safety
    /// `options` must be options that the library made; the result owns them.
    unsafe fn open_with(
        f: &'static Functions,
        setup: &Setup,
        path: &CStr,
        options: Object,
    ) -> Result<Theirs> {
        let mut names: Vec<CString> =
            setup.names().iter().map(|n| c_string(n)).collect::<Result<_>>()?;
        let known = names.len();
        // SAFETY: the caller's promise; the arrays have an element per name, live during the calls.
        unsafe {
            if has_churn(f, path, options) {
                names.push(c_string(CHURN)?);
            }
            let name_pointers: Vec<Text> = names.iter().map(|n| n.as_ptr()).collect();
            let each = vec![options; names.len()];
            let mut families = vec![null_mut(); names.len()];
            let db = checked(f, |e| {
                (f.open_column_families)(
                    options,
                    path.as_ptr(),
                    names.len() as c_int,
                    name_pointers.as_ptr(),
                    each.as_ptr(),
                    families.as_mut_ptr(),
                    e,
                )
            })?;
            let churn = (families.len() > known).then(|| families.pop()).flatten().map(Family);
            Ok(Theirs { f, db, options, families, churn: Mutex::new(churn) })
        }
    }

    fn flush_handle(&self, family: Object) -> Result<()> {
        let f = self.f;
        // SAFETY: the options are made and destroyed here.
        unsafe {
            let fo = (f.flushoptions_create)();
            let result = checked(f, |e| (f.flush_cf)(self.db, fo, family, e));
            (f.flushoptions_destroy)(fo);
            result
        }
    }

    /// Runs `body` with read options, those of a scan if there is one.
    fn with_read_options<T>(&self, scan: Option<Scan<'_>>, body: impl FnOnce(Object) -> T) -> T {
        let prefix = scan.map(|scan| matches!(scan, Scan::Prefix(_)));
        // SAFETY: made here, destroyed here, used by `body` only.
        unsafe {
            let ro = (self.f.readoptions_create)();
            (self.f.readoptions_set_total_order_seek)(ro, u8::from(prefix == Some(false)));
            (self.f.readoptions_set_prefix_same_as_start)(ro, u8::from(prefix == Some(true)));
            let result = body(ro);
            (self.f.readoptions_destroy)(ro);
            result
        }
    }
}

impl Drop for Theirs {
    fn drop(&mut self) {
        // SAFETY: nobody uses the handles or the database any more.
        unsafe {
            let churn = self.churn.get_mut().ok().and_then(Option::take);
            let families = self.families.iter().copied().chain(churn.map(|family| family.0));
            families.for_each(|family| (self.f.column_family_handle_destroy)(family));
            (self.f.close)(self.db);
            (self.f.options_destroy)(self.options);
        }
    }
}

/// # Safety
/// `options` must be live options of the library.
unsafe fn set_data_paths(f: &Functions, setup: &Setup, options: Object) -> Result<()> {
    let mut paths = Vec::new();
    for (path, size) in setup.data_paths()? {
        let path = c_string(&path.to_string_lossy())?;
        // SAFETY: the name is copied; the object is destroyed below.
        paths.push(unsafe { (f.dbpath_create)(path.as_ptr(), size) });
    }
    if !paths.is_empty() {
        // SAFETY: the caller's promise; the list is copied.
        unsafe { (f.options_set_db_paths)(options, paths.as_ptr(), paths.len()) };
    }
    // SAFETY: each was made above, and is not used any more.
    paths.into_iter().for_each(|path| unsafe { (f.dbpath_destroy)(path) });
    Ok(())
}

/// Whether the directory has the family that a crash left; none if there is no database.
///
/// # Safety
/// `options` must be live options of the library.
unsafe fn has_churn(f: &Functions, path: &CStr, options: Object) -> bool {
    let mut count = 0;
    // SAFETY: the caller's promise; the list has `count` C strings and is destroyed once.
    unsafe {
        let listed =
            checked(f, |e| (f.list_column_families)(options, path.as_ptr(), &mut count, e));
        let Ok(list) = listed else { return false };
        let found = (0..count).any(|i| CStr::from_ptr(*list.add(i)).to_bytes() == CHURN.as_bytes());
        (f.list_column_families_destroy)(list, count);
        found
    }
}

/// Pointer and length, as C wants them.
fn parts(bytes: &[u8]) -> (Text, usize) {
    (bytes.as_ptr().cast(), bytes.len())
}

impl Store for Theirs {
    fn write(&self, batch: &[Op], wal: Wal) -> Result<()> {
        let f = self.f;
        // SAFETY: the batch copies what it is given; batch and options are made and destroyed here.
        unsafe {
            let records = (f.writebatch_create)();
            for op in batch {
                match op {
                    Op::Put(family, key, value) => {
                        let ((k, kn), (v, vn)) = (parts(key), parts(value));
                        (f.writebatch_put_cf)(records, self.families[*family], k, kn, v, vn);
                    }
                    Op::Merge(family, key, value) => {
                        let ((k, kn), (v, vn)) = (parts(key), parts(value));
                        (f.writebatch_merge_cf)(records, self.families[*family], k, kn, v, vn);
                    }
                    Op::Delete(family, key) => {
                        let (k, kn) = parts(key);
                        (f.writebatch_delete_cf)(records, self.families[*family], k, kn);
                    }
                    Op::DeleteRange(family, begin, end) => {
                        let ((k, kn), (v, vn)) = (parts(begin), parts(end));
                        (f.writebatch_delete_range_cf)(
                            records,
                            self.families[*family],
                            k,
                            kn,
                            v,
                            vn,
                        );
                    }
                    Op::SingleDelete(family, key) => {
                        let (k, kn) = parts(key);
                        (f.writebatch_singledelete_cf)(records, self.families[*family], k, kn);
                    }
                }
            }
            let wo = (f.writeoptions_create)();
            (f.writeoptions_set_sync)(wo, u8::from(wal == Wal::Synced));
            (f.writeoptions_disable_WAL)(wo, i32::from(wal == Wal::Skipped));
            let result = checked(f, |e| (f.write)(self.db, wo, records, e));
            (f.writeoptions_destroy)(wo);
            (f.writebatch_destroy)(records);
            result
        }
    }

    fn get(&self, family: usize, key: &[u8]) -> Result<Option<Vec<u8>>> {
        let (f, (k, kn), mut length) = (self.f, parts(key), 0);
        // SAFETY: the key lives during the call; a result is memory of `length` bytes that we own.
        unsafe {
            let value = self.with_read_options(None, |ro| {
                checked(f, |e| {
                    (f.get_cf)(self.db, ro, self.families[family], k, kn, &mut length, e)
                })
            })?;
            if value.is_null() {
                return Ok(None);
            }
            let owned = std::slice::from_raw_parts(value.cast::<u8>(), length).to_vec();
            (f.free)(value.cast());
            Ok(Some(owned))
        }
    }

    fn scan(
        &self,
        family: usize,
        scan: Scan<'_>,
        each: &mut dyn FnMut(&[u8], &[u8]),
    ) -> Result<()> {
        let f = self.f;
        self.with_read_options(Some(scan), |ro| {
            // SAFETY: the iterator is used here only; key and value are valid until it moves.
            unsafe {
                let it = (f.create_iterator_cf)(self.db, ro, self.families[family]);
                match scan {
                    Scan::Forward => (f.iter_seek_to_first)(it),
                    Scan::Backward => (f.iter_seek_to_last)(it),
                    Scan::Prefix(prefix) => (f.iter_seek)(it, parts(prefix).0, prefix.len()),
                }
                let backward = matches!(scan, Scan::Backward);
                let step = if backward { f.iter_prev } else { f.iter_next };
                while (f.iter_valid)(it) != 0 {
                    let (mut kn, mut vn) = (0, 0);
                    let key = (f.iter_key)(it, &mut kn).cast::<u8>();
                    let value = (f.iter_value)(it, &mut vn).cast::<u8>();
                    each(bytes(key, kn), bytes(value, vn));
                    step(it);
                }
                let result = checked(f, |e| (f.iter_get_error)(it, e));
                (f.iter_destroy)(it);
                result
            }
        })
    }

    fn flush(&self, family: usize) -> Result<()> {
        self.flush_handle(self.families[family])
    }

    fn compact(&self, family: usize) -> Result<()> {
        let f = self.f;
        // SAFETY: null bounds mean everything; the options are made and destroyed here.
        unsafe {
            let co = (f.compactoptions_create)();
            (f.compactoptions_set_bottommost_level_compaction)(co, FORCE);
            (f.compact_range_cf_opt)(self.db, self.families[family], co, null(), 0, null(), 0);
            (f.compactoptions_destroy)(co);
        }
        Ok(())
    }

    fn churn(&self, key: &[u8], flush: bool) -> Result<()> {
        let (f, (k, kn), name) = (self.f, parts(key), c_string(CHURN)?);
        let mut left_by_a_crash = self.churn.lock().map_err(|e| e.to_string())?;
        // SAFETY: handles are destroyed once, after their family was dropped; the key and the
        // name live during the calls.
        unsafe {
            let drop_family = |family| {
                checked(f, |e| (f.drop_column_family)(self.db, family, e))?;
                (f.column_family_handle_destroy)(family);
                Ok::<_, String>(())
            };
            if let Some(family) = left_by_a_crash.take() {
                drop_family(family.0)?;
            }
            let family =
                checked(f, |e| (f.create_column_family)(self.db, self.options, name.as_ptr(), e))?;
            let records = (f.writebatch_create)();
            (f.writebatch_put_cf)(records, family, k, kn, k, kn);
            let wo = (f.writeoptions_create)();
            let written = checked(f, |e| (f.write)(self.db, wo, records, e));
            (f.writeoptions_destroy)(wo);
            (f.writebatch_destroy)(records);
            written?;
            if flush {
                self.flush_handle(family)?;
            }
            drop_family(family)
        }
    }

    fn wait(&self) -> Result<()> {
        let f = self.f;
        // SAFETY: the options are made and destroyed here.
        unsafe {
            let wo = (f.wait_for_compact_options_create)();
            let result = checked(f, |e| (f.wait_for_compact)(self.db, wo, e));
            (f.wait_for_compact_options_destroy)(wo);
            result
        }
    }

    fn checkpoint(&self, dir: &Path, log_size_for_flush: u64) -> Result<()> {
        let (f, dir) = (self.f, c_string(&dir.to_string_lossy())?);
        // SAFETY: the object is made, used and destroyed here; the string lives during the call.
        unsafe {
            let object = checked(f, |e| (f.checkpoint_object_create)(self.db, e))?;
            let made = checked(f, |e| {
                (f.checkpoint_create)(object, dir.as_ptr(), log_size_for_flush, e);
            });
            (f.checkpoint_object_destroy)(object);
            made
        }
    }

    fn table(&self, path: &Path, table: &Table) -> Result<()> {
        let (f, path) = (self.f, c_string(&path.to_string_lossy())?);
        // SAFETY: the writer is made, used and destroyed here; keys and values are copied.
        unsafe {
            let env = (f.envoptions_create)();
            let writer = (f.sstfilewriter_create)(env, self.options);
            let write = || {
                checked(f, |e| (f.sstfilewriter_open)(writer, path.as_ptr(), e))?;
                for (begin, end) in &table.ranges {
                    let ((b, bn), (l, ln)) = (parts(begin), parts(end));
                    checked(f, |e| (f.sstfilewriter_delete_range)(writer, b, bn, l, ln, e))?;
                }
                for (key, value) in &table.entries {
                    let (k, kn) = parts(key);
                    match value.as_deref().map(parts) {
                        Some((v, vn)) => {
                            checked(f, |e| (f.sstfilewriter_put)(writer, k, kn, v, vn, e))?;
                        }
                        None => checked(f, |e| (f.sstfilewriter_delete)(writer, k, kn, e))?,
                    }
                }
                checked(f, |e| (f.sstfilewriter_finish)(writer, e))
            };
            let written = write();
            (f.sstfilewriter_destroy)(writer);
            (f.envoptions_destroy)(env);
            written
        }
    }

    fn ingest(&self, family: usize, path: &Path) -> Result<()> {
        let (f, path) = (self.f, c_string(&path.to_string_lossy())?);
        // SAFETY: the options are made and destroyed here; the list lives during the call.
        unsafe {
            let options = (f.ingestexternalfileoptions_create)();
            let list = [path.as_ptr()];
            let family = self.families[family];
            let taken = checked(f, |e| {
                (f.ingest_external_file_cf)(self.db, family, list.as_ptr(), 1, options, e);
            });
            (f.ingestexternalfileoptions_destroy)(options);
            taken
        }
    }

    fn export(&self, family: usize, dir: &Path) -> Result<Vec<ExportedFile>> {
        let (f, dir) = (self.f, c_string(&dir.to_string_lossy())?);
        // SAFETY: every object is made and destroyed here; names are copied while the list lives.
        unsafe {
            let checkpoint = checked(f, |e| (f.checkpoint_object_create)(self.db, e))?;
            let family = self.families[family];
            let export = checked(f, |e| {
                (f.checkpoint_export_column_family)(checkpoint, family, dir.as_ptr(), e)
            });
            (f.checkpoint_object_destroy)(checkpoint);
            let export = export?;
            let list = (f.export_import_files_metadata_get_files)(export);
            let file = |i| ExportedFile {
                name: CStr::from_ptr((f.livefiles_name)(list, i)).to_string_lossy().into_owned(),
                level: (f.livefiles_level)(list, i) as usize,
                seqnos: (
                    (f.livefiles_smallest_seqno)(list, i),
                    (f.livefiles_largest_seqno)(list, i),
                ),
                size: (f.livefiles_size)(list, i) as u64,
            };
            let files = (0..(f.livefiles_count)(list)).map(file).collect();
            (f.livefiles_destroy)(list);
            (f.export_import_files_metadata_destroy)(export);
            Ok(files)
        }
    }

    fn import(&self, name: &str, family: usize, dir: &Path, files: &[ExportedFile]) -> Result<()> {
        let (f, name, dir) = (self.f, c_string(name)?, c_string(&dir.to_string_lossy())?);
        // SAFETY: strings live during the calls; files are given to the list, the list to the
        // export, which is destroyed here with the options and the new family's handle.
        unsafe {
            let list = (f.livefiles_create)();
            for told in files {
                let (file, name) = ((f.livefile_create)(), c_string(&told.name)?);
                (f.livefile_set_name)(file, name.as_ptr());
                (f.livefile_set_directory)(file, dir.as_ptr());
                (f.livefile_set_level)(file, told.level as c_int);
                (f.livefile_set_size)(file, told.size as usize);
                (f.livefile_set_smallest_seqno)(file, told.seqnos.0);
                (f.livefile_set_largest_seqno)(file, told.seqnos.1);
                (f.livefiles_add)(list, file);
            }
            let export = (f.export_import_files_metadata_create)();
            let comparator = c"leveldb.BytewiseComparator".as_ptr();
            (f.export_import_files_metadata_set_db_comparator_name)(export, comparator);
            (f.export_import_files_metadata_set_files)(export, list);
            let how = (f.import_column_family_options_create)();
            let dropped = checked(f, |e| {
                (f.drop_column_family)(self.db, self.families[family], e);
            });
            let made = dropped.and_then(|()| {
                checked(f, |e| {
                    let (options, name) = (self.options, name.as_ptr());
                    (f.create_column_family_with_import)(self.db, options, name, how, export, e)
                })
            });
            (f.import_column_family_options_destroy)(how);
            (f.export_import_files_metadata_destroy)(export);
            (f.column_family_handle_destroy)(made?);
            Ok(())
        }
    }
}

/// # Safety
/// `pointer` must point to `length` bytes that live as long as the result, unless `length` is 0.
unsafe fn bytes<'a>(pointer: *const u8, length: usize) -> &'a [u8] {
    if length == 0 {
        return &[];
    }
    // SAFETY: the caller's promise.
    unsafe { std::slice::from_raw_parts(pointer, length) }
}
