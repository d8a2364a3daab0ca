//! A shared library with RocksDB's C functions, loaded at run time.
//!
//! This module and its parts (`capi_*`) contain all calls into the library. Invariants: objects are created and
//! destroyed by the same library, which is never unloaded; slices that the library returns are used before the next
//! call on the same object. All threads may use a database object (rocksdb/c.h says so); a session's objects belong to
//! one thread.
#![allow(unsafe_code)]

use super::capi_backup::Backups;
use super::capi_options::Builder;
use super::capi_session::{CSession, ManyBuffers};
use super::capi_symbols::{Object, Symbols};
use super::capi_transaction::Owner;
use super::families::Families;
use super::symbols;
use super::{Engine, ReadMode, Result, Session, Target, WriteMode};
use crate::flags::Flags;
use std::ffi::{CStr, CString, c_char, c_int, c_void};
use std::path::{Path, PathBuf};
use std::ptr::null_mut;
use std::sync::Arc;

/// The loaded library and the options that databases are opened with.
pub(super) struct Library {
    symbols: Arc<Symbols>,
    path: PathBuf,
    options: Object,
    flags: Flags,
}

impl Library {
    /// Loads the library and builds the options.
    pub(super) fn load(path: &Path, flags: &Flags) -> Result<Library> {
        let fail = |error: String| format!("--engine_lib={}: {error}", path.display());
        let hint = "tools/fetch-peers.sh downloads RocksDB's library";
        let library = symbols::load(path, hint).map_err(fail)?;
        let symbols = Arc::new(Symbols::find(library).map_err(fail)?);
        // One more reference keeps the library loaded while the process exits.
        std::mem::forget(Arc::clone(&symbols));
        let options = Builder::new(&symbols, flags).build().map_err(fail)?;
        Ok(Library { symbols, path: path.to_owned(), options, flags: flags.clone() })
    }

    /// Opens a database; handles of its families only if there are several.
    fn open_families(&self, path: &CStr, order: &Families) -> Result<(Object, Vec<Object>)> {
        let (s, readonly) = (&*self.symbols, self.flags.on("readonly"));
        let names: Vec<CString> =
            order.names().filter_map(|name| CString::new(name).ok()).collect();
        let mut handles = vec![null_mut(); names.len()];
        let mut error = null_mut();
        if names.len() == 1 {
            // SAFETY: options and path are live during the call.
            let db = unsafe {
                match readonly {
                    true => (s.open_for_read_only)(self.options, path.as_ptr(), 0, &mut error),
                    false => (s.open)(self.options, path.as_ptr(), &mut error),
                }
            };
            return take_error(s, error).map(|()| (db, Vec::new()));
        }
        let (Some(open), Some(open_read_only)) =
            (s.open_column_families, s.open_for_read_only_column_families)
        else {
            return Err(
                "--num_column_families: the library does not export the functions for this flag"
                    .to_owned(),
            );
        };
        let texts: Vec<*const c_char> = names.iter().map(|name| name.as_ptr()).collect();
        let options = vec![self.options; names.len()];
        let count = names.len() as c_int;
        let (texts, options, out) = (texts.as_ptr(), options.as_ptr(), handles.as_mut_ptr());
        // SAFETY: the three arrays have `count` elements and live during the call, as do options and path.
        let db = unsafe {
            match readonly {
                true => open_read_only(
                    self.options,
                    path.as_ptr(),
                    count,
                    texts,
                    options,
                    out,
                    0,
                    &mut error,
                ),
                false => open(self.options, path.as_ptr(), count, texts, options, out, &mut error),
            }
        };
        take_error(s, error).map(|()| (db, handles))
    }

    /// Returns the version that the library wrote into the database's LOG.
    fn version(&self) -> Option<String> {
        let log = std::fs::read_to_string(super::directories(&self.flags).0.join("LOG")).ok()?;
        let line = log.lines().find(|line| line.contains(" version: "))?;
        Some(line.rsplit(' ').next()?.to_owned())
    }
}

impl Engine for Library {
    fn name(&self) -> String {
        let version = self.version().unwrap_or_else(|| "unknown".to_owned());
        format!("version {version} ({})", self.path.display())
    }

    fn open(&self) -> Result<Arc<dyn Target>> {
        let (dir, _) = super::directories(&self.flags);
        if !self.flags.on("readonly") {
            super::make_directories(&self.flags)?;
        }
        let path = CString::new(dir.to_string_lossy().as_bytes()).map_err(|e| e.to_string())?;
        let s = &self.symbols;
        let order = Families::new(&self.flags)?;
        let optimistic = self.flags.on("optimistic_transaction_db");
        let transactions = optimistic || self.flags.on("transaction_db");
        if transactions && self.flags.int("num_column_families") > 1 {
            return Err(
                "--num_column_families is not supported with a library and transactions: this \
                 tool opens one column family"
                    .to_owned(),
            );
        }
        let opened = match transactions {
            true => Owner::open(s, optimistic, self.options, &path)
                .map(|(owner, db)| (Some(owner), db, Vec::new())),
            false => self.open_families(&path, &order).map(|(db, families)| (None, db, families)),
        };
        let (owner, db, families) = opened.map_err(|error| format!("open error: {error}"))?;
        Ok(Arc::new(Database {
            symbols: Arc::clone(s),
            db,
            owner,
            families,
            order,
            options: self.options,
            subcompactions: self.flags.int32("subcompactions"),
            buffer: self.flags.uint("value_size") as usize + 4096,
        }))
    }

    fn destroy(&self) -> Result<()> {
        super::remove_files(&self.flags)
    }

    fn notices(&self) -> Vec<String> {
        Vec::new()
    }
}

/// Turns a library's error text into ours and frees it.
pub(super) fn take_error(symbols: &Symbols, error: *mut c_char) -> Result<()> {
    if error.is_null() {
        return Ok(());
    }
    // SAFETY: a non-null error is a C string that the caller of the function owns.
    unsafe {
        let text = CStr::from_ptr(error).to_string_lossy().into_owned();
        (symbols.free)(error.cast::<c_void>());
        Err(text)
    }
}

/// An open database of the library.
struct Database {
    symbols: Arc<Symbols>,
    db: Object,
    /// The handle for transactions, if there is one; `db` is then its plain handle.
    owner: Option<Owner>,
    /// Handles, if there are several families.
    families: Vec<Object>,
    order: Families,
    options: Object,
    subcompactions: i32,
    buffer: usize,
}

// SAFETY: rocksdb/c.h allows any thread to use a database object at any time; `options` is only read.
unsafe impl Send for Database {}
// SAFETY: as above.
unsafe impl Sync for Database {}

impl Drop for Database {
    fn drop(&mut self) {
        // SAFETY: sessions borrow the database, so none is left; handles go before their database.
        unsafe {
            if let Some(destroy) = self.symbols.column_family_handle_destroy {
                self.families.iter().for_each(|family| destroy(*family));
            }
            match self.owner {
                Some(owner) => owner.close(&self.symbols, self.db),
                None => (self.symbols.close)(self.db),
            }
        }
    }
}

impl Database {
    /// Takes ownership of a string that the library allocated.
    fn text(&self, text: *mut c_char) -> Option<String> {
        if text.is_null() {
            return None;
        }
        // SAFETY: a non-null result is a C string that the caller owns.
        unsafe {
            let owned = CStr::from_ptr(text).to_string_lossy().into_owned();
            (self.symbols.free)(text.cast::<c_void>());
            Some(owned)
        }
    }
}

impl Target for Database {
    fn session(&self, read: ReadMode, write: WriteMode) -> Result<Box<dyn Session + '_>> {
        let s = &*self.symbols;
        // SAFETY: the objects are new and are destroyed with the session.
        unsafe {
            let write_options = (s.writeoptions_create)();
            (s.writeoptions_set_sync)(write_options, u8::from(write.sync));
            (s.writeoptions_disable_WAL)(write_options, i32::from(write.disable_wal));
            let read_options = (s.readoptions_create)();
            (s.readoptions_set_verify_checksums)(read_options, u8::from(read.verify_checksums));
            if let Some(set) = s.readoptions_set_total_order_seek {
                set(read_options, u8::from(read.total_order_seek));
            }
            if let Some(set) = s.readoptions_set_prefix_same_as_start {
                set(read_options, u8::from(read.prefix_same_as_start));
            }
            if let (Some(set), true) = (s.readoptions_set_readahead_size, read.readahead_size > 0) {
                set(read_options, read.readahead_size);
            }
            for (flag, on, setter) in [
                ("use_tailing_iterator", read.tailing, s.readoptions_set_tailing),
                ("async_io", read.async_io, s.readoptions_set_async_io),
                (
                    "auto_readahead_size",
                    read.auto_readahead_size,
                    s.readoptions_set_auto_readahead_size,
                ),
                ("auto_prefix_mode", read.auto_prefix_mode, None),
            ] {
                match setter {
                    Some(set) => set(read_options, u8::from(on)),
                    None if on => {
                        return Err(format!(
                            "--{flag}: the library does not export the function for this flag"
                        ));
                    }
                    None => {}
                }
            }
            let family = s.get_default_column_family_handle.map(|get| get(self.db));
            Ok(Box::new(CSession {
                s,
                db: self.db,
                owner: self.owner,
                family,
                families: &self.families,
                order: &self.order,
                chosen: self.families.first().copied(),
                snapshot: null_mut(),
                read_options,
                write_options,
                batch: (s.writebatch_create)(),
                iterator: null_mut(),
                bounds: [Vec::new(), Vec::new()],
                buffer: vec![0; self.buffer],
                many: ManyBuffers::default(),
            }))
        }
    }

    fn property(&self, name: &str) -> Option<String> {
        let name = CString::new(name).ok()?;
        // SAFETY: the database is open and the name is a C string.
        self.text(unsafe { (self.symbols.property_value)(self.db, name.as_ptr()) })
    }

    fn compact(&self, rewrite_last: bool) -> Result<()> {
        let s = &*self.symbols;
        let (from, to) = (std::ptr::null(), std::ptr::null());
        // SAFETY: null bounds mean everything; the options object lives during the call.
        unsafe {
            match (s.compactoptions_create, s.compact_range_opt) {
                (Some(create), Some(compact)) => {
                    let options = create();
                    if let (Some(set), true) =
                        (s.compactoptions_set_bottommost_level_compaction, rewrite_last)
                    {
                        set(options, 3);
                    }
                    if let Some(set) = s.compactoptions_set_max_subcompactions {
                        set(options, self.subcompactions);
                    }
                    match s.compact_range_cf_opt {
                        Some(compact) if !self.families.is_empty() => {
                            self.families
                                .iter()
                                .for_each(|cf| compact(self.db, *cf, options, from, 0, to, 0));
                        }
                        _ => compact(self.db, options, from, 0, to, 0),
                    }
                    if let Some(destroy) = s.compactoptions_destroy {
                        destroy(options);
                    }
                }
                _ => (s.compact_range)(self.db, from, 0, to, 0),
            }
        }
        Ok(())
    }

    fn flush(&self) -> Result<()> {
        let s = &*self.symbols;
        let mut error = null_mut();
        // SAFETY: the options object lives during the call.
        unsafe {
            let options = (s.flushoptions_create)();
            match s.flush_cf {
                Some(flush) if !self.families.is_empty() => {
                    for family in &self.families {
                        flush(self.db, options, *family, &mut error);
                        if !error.is_null() {
                            break;
                        }
                    }
                }
                _ => (s.flush)(self.db, options, &mut error),
            }
            (s.flushoptions_destroy)(options);
        }
        take_error(s, error)
    }

    fn has_row_cache(&self) -> bool {
        true
    }

    fn backup(&self, flags: &Flags) -> Result<()> {
        Backups::open(&self.symbols, flags)?.create(self.db)
    }

    fn restore(&self, flags: &Flags) -> Result<()> {
        Backups::open(&self.symbols, flags)?.restore(flags)
    }

    fn wait_for_compaction(&self) -> Result<()> {
        let s = &*self.symbols;
        let functions = (
            s.wait_for_compact,
            s.wait_for_compact_options_create,
            s.wait_for_compact_options_destroy,
        );
        if let (Some(wait), Some(create), Some(destroy)) = functions {
            let mut error = null_mut();
            // SAFETY: the options object lives during the call.
            unsafe {
                let options = create();
                wait(self.db, options, &mut error);
                destroy(options);
            }
            return take_error(s, error);
        }
        let busy = |name: &str| self.property(name).is_some_and(|value| value.trim() != "0");
        while busy("rocksdb.num-running-compactions")
            || busy("rocksdb.compaction-pending")
            || busy("rocksdb.num-running-flushes")
            || busy("rocksdb.mem-table-flush-pending")
        {
            std::thread::sleep(std::time::Duration::from_millis(50));
        }
        Ok(())
    }

    fn statistics(&self) -> Option<String> {
        // SAFETY: the options object is live.
        let text =
            self.symbols.options_statistics_get_string.map(|get| unsafe { get(self.options) });
        self.text(text.unwrap_or(null_mut()))
    }
}
