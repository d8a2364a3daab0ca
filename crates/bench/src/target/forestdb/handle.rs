//! Handles of a database, its values, snapshots and iterators.
//!
//! Invariants: each of them belongs to one thread at a time; an iterator is closed before its snapshot, and that before
//! its handle, because they share them; bytes that the library returns live until they are freed here, once.
#![allow(unsafe_code)]

use super::Result;
use super::library::{Config, Doc, FileInfo, Library, Object, Status, Symbols};
use std::ffi::{CStr, c_void};
use std::ptr::{null, null_mut};
use std::rc::Rc;
use std::sync::Arc;

const SUCCESS: Status = 0;
const KEY_NOT_FOUND: Status = -9;
const ITERATOR_FAIL: Status = -12;
const FILE_IS_BUSY: Status = -23;

/// A snapshot of the current contents.
const SNAPSHOT_IN_MEMORY: u64 = u64::MAX;

/// An option of iterators: no deleted entries.
const NO_DELETES: u16 = 0x02;
/// Seeks to the next or the previous key if the target does not exist.
const SEEK_HIGHER: u8 = 0;
const SEEK_LOWER: u8 = 1;

/// No key is larger: keys have at most this length.
static LARGEST_KEY: [u8; 65_408] = [0xff; 65_408];

/// Options of commits: only commit; also move the WAL's entries to the index.
const COMMIT_NORMAL: u8 = 0;
const COMMIT_WAL_FLUSH: u8 = 1;

/// An open file with its only store.
pub(super) struct Handle {
    library: Arc<Library>,
    file: Object,
    store: Object,
}

// SAFETY: the library's handles may be used by any thread, by one at a time.
unsafe impl Send for Handle {}

/// The state of a file.
pub(super) struct Info {
    /// Documents that are not deleted.
    pub(super) documents: u64,
    /// A compaction runs.
    pub(super) is_compacting: bool,
}

impl Handle {
    /// Opens a file, or creates it. Its path must be UTF-8 without a zero.
    pub(super) fn open(library: &Arc<Library>, path: &CStr, config: &Config) -> Result<Handle> {
        let (mut file, mut store, mut config) = (null_mut(), null_mut(), *config);
        let symbols = &library.symbols;
        // SAFETY: path and settings live during the call, which copies them.
        let status = unsafe { (symbols.open)(&mut file, path.as_ptr(), &mut config) };
        library.result("fdb_open", status)?;
        // SAFETY: the file is open; null stands for the default settings of the store.
        let status = unsafe { (symbols.kvs_open_default)(file, &mut store, null_mut()) };
        if let Err(error) = library.result("fdb_kvs_open_default", status) {
            // SAFETY: the file is open and has no store.
            unsafe { (symbols.close)(file) };
            return Err(error);
        }
        Ok(Handle { library: Arc::clone(library), file, store })
    }

    /// Writes an entry.
    pub(super) fn set(&self, key: &[u8], value: &[u8]) -> Result<()> {
        let (body, size) = (value.as_ptr().cast(), value.len());
        // SAFETY: the library copies key and value during the call.
        let status = unsafe {
            (self.library.symbols.set_kv)(self.store, key.as_ptr().cast(), key.len(), body, size)
        };
        self.library.result("fdb_set_kv", status)
    }

    /// Deletes an entry, whether it exists or not.
    pub(super) fn delete(&self, key: &[u8]) -> Result<()> {
        // SAFETY: the library copies the key during the call.
        let status =
            unsafe { (self.library.symbols.del_kv)(self.store, key.as_ptr().cast(), key.len()) };
        match status {
            KEY_NOT_FOUND => Ok(()),
            status => self.library.result("fdb_del_kv", status),
        }
    }

    /// Returns the value of a key.
    #[inline]
    pub(super) fn get(&self, key: &[u8]) -> Result<Option<Value>> {
        let (mut data, mut size) = (null_mut(), 0);
        let symbols = &self.library.symbols;
        // SAFETY: the library stores an allocation of its own and its size.
        let status = unsafe {
            (symbols.get_kv)(self.store, key.as_ptr().cast(), key.len(), &mut data, &mut size)
        };
        match status {
            SUCCESS => Ok(Some(Value { data, size, free: symbols.free_block })),
            KEY_NOT_FOUND => Ok(None),
            status => self.library.result("fdb_get_kv", status).map(|()| None),
        }
    }

    /// Commits what all handles of the file have written.
    pub(super) fn commit(&self) -> Result<()> {
        self.commit_with(COMMIT_NORMAL)
    }

    /// Commits, and moves the WAL's entries to the index.
    pub(super) fn flush(&self) -> Result<()> {
        self.commit_with(COMMIT_WAL_FLUSH)
    }

    fn commit_with(&self, option: u8) -> Result<()> {
        // SAFETY: the file is open.
        let status = unsafe { (self.library.symbols.commit)(self.file, option) };
        self.library.result("fdb_commit", status)
    }

    /// Compacts the file into a new one. False if another compaction runs.
    pub(super) fn compact(&self) -> Result<bool> {
        // SAFETY: the file is open; the library chooses the name of the new file.
        match unsafe { (self.library.symbols.compact)(self.file, null()) } {
            FILE_IS_BUSY => Ok(false),
            status => self.library.result("fdb_compact", status).map(|()| true),
        }
    }

    /// Returns the state of the file.
    pub(super) fn info(&self) -> Result<Info> {
        let mut info = FileInfo {
            filename: null(),
            new_filename: null(),
            doc_count: 0,
            deleted_count: 0,
            space_used: 0,
            file_size: 0,
            num_kv_stores: 0,
        };
        // SAFETY: the file is open, and the struct is that of the header.
        let status = unsafe { (self.library.symbols.get_file_info)(self.file, &mut info) };
        self.library.result("fdb_get_file_info", status)?;
        Ok(Info { documents: info.doc_count, is_compacting: !info.new_filename.is_null() })
    }
}

impl Drop for Handle {
    fn drop(&mut self) {
        let symbols = &self.library.symbols;
        // SAFETY: iterators share the handle, so none is left.
        let status = unsafe {
            (symbols.kvs_close)(self.store);
            (symbols.close)(self.file)
        };
        if let Err(error) = self.library.result("fdb_close", status) {
            eprintln!("{error}");
        }
    }
}

/// Returns bytes of the library.
///
/// # Safety
/// `data` has `size` bytes that stay the same for `'a`; it may be null if there are none.
unsafe fn bytes<'a>(data: *const c_void, size: usize) -> &'a [u8] {
    match size {
        0 => &[],
        // SAFETY: the caller guarantees it.
        size => unsafe { std::slice::from_raw_parts(data.cast(), size) },
    }
}

/// A copy of a value, which the library made.
pub(super) struct Value {
    data: *mut c_void,
    size: usize,
    free: unsafe extern "C" fn(*mut c_void) -> Status,
}

impl AsRef<[u8]> for Value {
    fn as_ref(&self) -> &[u8] {
        // SAFETY: the allocation belongs to this value.
        unsafe { bytes(self.data, self.size) }
    }
}

impl Drop for Value {
    fn drop(&mut self) {
        // SAFETY: the library, which is never unloaded, allocated it; null is allowed.
        unsafe { (self.free)(self.data) };
    }
}

/// The contents of a database at one point in time.
pub(super) struct Snapshot {
    handle: Rc<Handle>,
    store: Object,
}

impl Snapshot {
    /// Takes a snapshot, also of writes that are not committed.
    pub(super) fn new(handle: &Rc<Handle>) -> Result<Snapshot> {
        let (mut store, open) = (null_mut(), handle.library.symbols.snapshot_open);
        // SAFETY: the store is open.
        let status = unsafe { open(handle.store, &mut store, SNAPSHOT_IN_MEMORY) };
        handle.library.result("fdb_snapshot_open", status)?;
        Ok(Snapshot { handle: Rc::clone(handle), store })
    }
}

impl Drop for Snapshot {
    fn drop(&mut self) {
        // SAFETY: iterators share the snapshot, so none is left; its handle is still there.
        unsafe { (self.handle.library.symbols.kvs_close)(self.store) };
    }
}

/// An iterator over a snapshot, from a smallest key on.
pub(super) struct Iter {
    iterator: Object,
    /// The current entry, or null.
    entry: *mut Doc,
    /// The smallest key; empty: all keys.
    from: Vec<u8>,
    snapshot: Rc<Snapshot>,
}

impl Iter {
    /// Opens an iterator and moves to the first key at or after `from`, which also becomes its smallest key.
    pub(super) fn open(snapshot: &Rc<Snapshot>, from: &[u8]) -> Result<Iter> {
        let library = &snapshot.handle.library;
        let (mut iterator, init) = (null_mut(), library.symbols.iterator_init);
        let start = if from.is_empty() { null() } else { from.as_ptr().cast() };
        let (store, size) = (snapshot.store, from.len());
        // SAFETY: the snapshot is open, and the library copies the key during the call.
        let status = unsafe { init(store, &mut iterator, start, size, null(), 0, NO_DELETES) };
        library.result("fdb_iterator_init", status)?;
        let (entry, from) = (null_mut(), from.to_vec());
        let mut iter = Iter { iterator, entry, from, snapshot: Rc::clone(snapshot) };
        iter.load()?;
        Ok(iter)
    }

    /// Returns its smallest key; empty: it has none.
    pub(super) fn from(&self) -> &[u8] {
        &self.from
    }

    /// Moves to the first key at or after the target, which is neither below the smallest key nor empty.
    pub(super) fn seek(&mut self, key: &[u8]) -> Result<()> {
        self.seek_to(key, SEEK_HIGHER)
    }

    /// Moves to the last key at or before the target, which is neither below the smallest key nor empty.
    pub(super) fn seek_back(&mut self, key: &[u8]) -> Result<()> {
        self.seek_to(key, SEEK_LOWER)
    }

    fn seek_to(&mut self, key: &[u8], direction: u8) -> Result<()> {
        let seek = self.symbols().iterator_seek;
        self.go("fdb_iterator_seek", |iterator| {
            // SAFETY: the iterator is open, and the library copies the key.
            unsafe { seek(iterator, key.as_ptr().cast(), key.len(), direction) }
        })
    }

    /// Moves to the last key. The library's own function for it does not find keys that are only in its WAL index, if a
    /// file has one store.
    pub(super) fn last(&mut self) -> Result<()> {
        self.seek_back(&LARGEST_KEY)
    }

    /// Moves one step forward.
    pub(super) fn next(&mut self) -> Result<()> {
        let next = self.symbols().iterator_next;
        // SAFETY: the iterator is open.
        self.go("fdb_iterator_next", |iterator| unsafe { next(iterator) })
    }

    /// Moves one step back.
    pub(super) fn prev(&mut self) -> Result<()> {
        let prev = self.symbols().iterator_prev;
        // SAFETY: the iterator is open.
        self.go("fdb_iterator_prev", |iterator| unsafe { prev(iterator) })
    }

    /// Leaves the entry, as at an end of the range.
    pub(super) fn leave(&mut self) {
        if !self.entry.is_null() {
            // SAFETY: the library allocated the document for this iterator.
            unsafe { (self.symbols().doc_free)(self.entry) };
            self.entry = null_mut();
        }
    }

    /// Returns the entry.
    #[inline]
    pub(super) fn entry(&self) -> Option<(&[u8], &[u8])> {
        // SAFETY: the document is null or belongs to this iterator, which frees it only when it moves.
        unsafe {
            let doc = self.entry.as_ref()?;
            Some((bytes(doc.key, doc.keylen), bytes(doc.body, doc.bodylen)))
        }
    }

    fn symbols(&self) -> &Symbols {
        &self.snapshot.handle.library.symbols
    }

    fn result(&self, what: &str, status: Status) -> Result<()> {
        self.snapshot.handle.library.result(what, status)
    }

    /// Moves, and loads the entry that is there. An end of the range is not an error.
    fn go(&mut self, what: &str, go: impl FnOnce(Object) -> Status) -> Result<()> {
        self.leave();
        match go(self.iterator) {
            SUCCESS => self.load(),
            ITERATOR_FAIL => Ok(()),
            status => self.result(what, status),
        }
    }

    /// Loads the entry at the library's position, if it has one.
    fn load(&mut self) -> Result<()> {
        let get = self.symbols().iterator_get;
        // SAFETY: the iterator is open, and null asks for a new document.
        let status = unsafe { get(self.iterator, &mut self.entry) };
        if status == SUCCESS {
            return Ok(());
        }
        self.leave();
        if status == ITERATOR_FAIL { Ok(()) } else { self.result("fdb_iterator_get", status) }
    }
}

impl Drop for Iter {
    fn drop(&mut self) {
        self.leave();
        // SAFETY: the iterator is open, and its snapshot is still there.
        unsafe { (self.symbols().iterator_close)(self.iterator) };
    }
}
