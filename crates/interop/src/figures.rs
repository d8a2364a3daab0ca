//! What a library says about itself: statistics, the perf context, properties, LOG. The vendor's and ours are both
//! used through the same C functions, so that texts, names and numbers can be compared.
//!
//! Unsafe for the same reason as [`crate::theirs`], under the same invariants.
#![allow(unsafe_code)]

use crate::c_functions::{
    Errors, FigureFunctions, ForFigures, Functions, Object, Text, c_string, checked,
    figure_functions, functions, our_functions,
};
use crate::peers::our_library;
use crate::store::{Engine, Result, Wal};
use std::collections::BTreeSet;
use std::ffi::{CStr, c_char};
use std::path::{Path, PathBuf};
use std::ptr::{null, null_mut};

/// A database that counts everything.
pub struct Figures {
    f: &'static Functions,
    g: &'static FigureFunctions,
    options: Object,
    db: Object,
    dir: PathBuf,
}

fn functions_of(engine: Engine) -> Result<ForFigures> {
    match engine {
        Engine::Rocksdb => Ok((functions()?, figure_functions()?)),
        Engine::Ferrolith => our_functions(&our_library()?),
    }
}

fn text_of(bytes: &[u8]) -> Text {
    bytes.as_ptr().cast()
}

/// Takes a text from `malloc`.
///
/// # Safety
/// `text` is NULL or a C string that the caller owns.
unsafe fn take(f: &Functions, text: *mut c_char) -> Result<Option<String>> {
    if text.is_null() {
        return Ok(None);
    }
    // SAFETY: the caller's promise.
    unsafe {
        let copy = CStr::from_ptr(text).to_string_lossy().into_owned();
        (f.free)(text.cast());
        Ok(Some(copy))
    }
}

impl Figures {
    /// Makes or opens a RocksDB database in `dir` with these options, and statistics on.
    pub fn open(dir: &Path, list: &str) -> Result<Figures> {
        Figures::open_with(Engine::Rocksdb, dir, list)
    }

    /// [`Figures::open`] with either library.
    pub fn open_with(engine: Engine, dir: &Path, list: &str) -> Result<Figures> {
        let (f, g) = functions_of(engine)?;
        let list = c_string(list)?;
        // SAFETY: the strings live during the calls; `base` is copied.
        unsafe {
            let (base, options) = ((f.options_create)(), (f.options_create)());
            checked(f, |e| (f.get_options_from_string)(base, list.as_ptr(), options, e))?;
            (f.options_destroy)(base);
            (f.options_set_create_if_missing)(options, 1);
            (g.options_enable_statistics)(options);
            let mut figures = Figures { f, g, options, db: null_mut(), dir: dir.to_owned() };
            figures.reopen()?;
            Ok(figures)
        }
    }

    /// Closes the database and opens it again. What was counted stays.
    pub fn reopen(&mut self) -> Result<()> {
        let path = c_string(&self.dir.to_string_lossy())?;
        self.close();
        // SAFETY: the path lives during the call, the options as long as `self`.
        self.db = unsafe { checked(self.f, |e| (self.g.open)(self.options, path.as_ptr(), e)) }?;
        Ok(())
    }

    /// Closes the database; only [`Figures::reopen`] and what was counted are of use then.
    pub fn close(&mut self) {
        if !self.db.is_null() {
            // SAFETY: it is open, and nobody uses it any more.
            unsafe { (self.f.close)(self.db) };
            self.db = null_mut();
        }
    }

    /// How much is counted from now on.
    pub fn set_level(&self, level: i32) {
        // SAFETY: the options are live.
        unsafe { (self.g.options_set_statistics_level)(self.options, level) }
    }

    /// Runs `body` with write options.
    fn writing(&self, how: Wal, body: impl FnOnce(Object, Errors)) -> Result<()> {
        let f = self.f;
        // SAFETY: the options are made and destroyed here.
        unsafe {
            let wo = (f.writeoptions_create)();
            (f.writeoptions_set_sync)(wo, u8::from(how == Wal::Synced));
            (f.writeoptions_disable_WAL)(wo, i32::from(how == Wal::Skipped));
            let result = checked(f, |e| body(wo, e));
            (f.writeoptions_destroy)(wo);
            result
        }
    }

    /// Sets a key.
    pub fn put(&self, key: &[u8], value: &[u8]) -> Result<()> {
        self.put_with(Wal::Written, key, value)
    }

    /// Sets a key and does with the WAL what `how` says.
    pub fn put_with(&self, how: Wal, key: &[u8], value: &[u8]) -> Result<()> {
        let (k, v) = (text_of(key), text_of(value));
        // SAFETY: the bytes live during the call.
        self.writing(how, |wo, e| unsafe {
            (self.g.put)(self.db, wo, k, key.len(), v, value.len(), e);
        })
    }

    /// Deletes a key.
    pub fn delete(&self, key: &[u8]) -> Result<()> {
        // SAFETY: the bytes live during the call.
        self.writing(Wal::Written, |wo, e| unsafe {
            (self.g.delete)(self.db, wo, text_of(key), key.len(), e);
        })
    }

    /// Deletes a key that was put once.
    pub fn single_delete(&self, key: &[u8]) -> Result<()> {
        // SAFETY: the bytes live during the call.
        self.writing(Wal::Written, |wo, e| unsafe {
            (self.g.singledelete)(self.db, wo, text_of(key), key.len(), e);
        })
    }

    /// Adds an operand.
    pub fn merge(&self, key: &[u8], operand: &[u8]) -> Result<()> {
        let (k, v) = (text_of(key), text_of(operand));
        // SAFETY: the bytes live during the call.
        self.writing(Wal::Written, |wo, e| unsafe {
            (self.g.merge)(self.db, wo, k, key.len(), v, operand.len(), e);
        })
    }

    /// Commits a batch of keys with their values, and of one range that is deleted.
    pub fn batch(&self, entries: &[(&[u8], &[u8])], range: Option<(&[u8], &[u8])>) -> Result<()> {
        let (f, g) = (self.f, self.g);
        // SAFETY: the bytes live during the calls; the batch is made and destroyed here.
        self.writing(Wal::Written, |wo, e| unsafe {
            let batch = (f.writebatch_create)();
            for (key, value) in entries {
                let (k, v) = (text_of(key), text_of(value));
                (g.writebatch_put)(batch, k, key.len(), v, value.len());
            }
            if let Some((begin, end)) = range {
                let (b, e) = (text_of(begin), text_of(end));
                (g.writebatch_delete_range)(batch, b, begin.len(), e, end.len());
            }
            (f.write)(self.db, wo, batch, e);
            (f.writebatch_destroy)(batch);
        })
    }

    /// Runs `body` with read options.
    fn reading<T>(&self, body: impl FnOnce(Object) -> T) -> T {
        // SAFETY: the options are made and destroyed here.
        unsafe {
            let ro = (self.f.readoptions_create)();
            let result = body(ro);
            (self.f.readoptions_destroy)(ro);
            result
        }
    }

    /// The length of a key's value.
    pub fn get(&self, key: &[u8]) -> Result<Option<usize>> {
        // SAFETY: the bytes live during the call; the value is freed here.
        self.reading(|ro| unsafe {
            let mut len = 0;
            let value = checked(self.f, |e| {
                (self.g.get)(self.db, ro, text_of(key), key.len(), &mut len, e)
            })?;
            (self.f.free)(value.cast());
            Ok((!value.is_null()).then_some(len))
        })
    }

    /// How many of the keys have values.
    pub fn multi_get(&self, keys: &[Vec<u8>]) -> usize {
        let n = keys.len();
        let texts: Vec<Text> = keys.iter().map(|key| text_of(key)).collect();
        let lens: Vec<usize> = keys.iter().map(Vec::len).collect();
        let (mut values, mut value_lens) = (vec![null_mut(); n], vec![0; n]);
        let mut errors = vec![null_mut(); n];
        // SAFETY: every array has an element per key; what the call returns is freed here.
        self.reading(|ro| unsafe {
            let (texts, lens) = (texts.as_ptr(), lens.as_ptr());
            let (to, lens_to) = (values.as_mut_ptr(), value_lens.as_mut_ptr());
            (self.g.multi_get)(self.db, ro, n, texts, lens, to, lens_to, errors.as_mut_ptr());
            values.iter().chain(&errors).for_each(|text| (self.f.free)(text.cast()));
        });
        values.iter().filter(|value| !value.is_null()).count()
    }

    /// Moves one iterator as `moves` say; how often it stood on an entry.
    pub fn scan(&self, moves: &[Move]) -> usize {
        let (f, g) = (self.f, self.g);
        // SAFETY: the bytes live during the calls; the iterator is made and destroyed here.
        self.reading(|ro| unsafe {
            let iter = (g.create_iterator)(self.db, ro);
            let mut valid = 0;
            for step in moves {
                match step {
                    Move::First => (f.iter_seek_to_first)(iter),
                    Move::Last => (f.iter_seek_to_last)(iter),
                    Move::Seek(key) => (f.iter_seek)(iter, text_of(key), key.len()),
                    Move::SeekForPrev(key) => {
                        (g.iter_seek_for_prev)(iter, text_of(key), key.len());
                    }
                    Move::Next | Move::Prev | Move::ToTheEnd if (f.iter_valid)(iter) == 0 => {}
                    Move::Next => (f.iter_next)(iter),
                    Move::Prev => (f.iter_prev)(iter),
                    Move::ToTheEnd => {
                        while (f.iter_valid)(iter) != 0 {
                            let mut len = 0;
                            (f.iter_value)(iter, &mut len);
                            (f.iter_next)(iter);
                        }
                    }
                }
                valid += usize::from((f.iter_valid)(iter) != 0);
            }
            (f.iter_destroy)(iter);
            valid
        })
    }

    /// Writes the memtable into a table.
    pub fn flush(&self) -> Result<()> {
        let f = self.f;
        // SAFETY: the options are made and destroyed here.
        unsafe {
            let fo = (f.flushoptions_create)();
            let result = checked(f, |e| (self.g.flush)(self.db, fo, e));
            (f.flushoptions_destroy)(fo);
            result
        }
    }

    /// Compacts everything.
    pub fn compact(&self) {
        let none: Text = null();
        // SAFETY: NULL is no bound.
        unsafe { (self.g.compact_range)(self.db, none, 0, none, 0) }
    }

    /// Waits for background work.
    pub fn wait(&self) -> Result<()> {
        let f = self.f;
        // SAFETY: the options are made and destroyed here.
        unsafe {
            let how = (f.wait_for_compact_options_create)();
            let result = checked(f, |e| (f.wait_for_compact)(self.db, how, e));
            (f.wait_for_compact_options_destroy)(how);
            result
        }
    }

    /// Changes an option of the default family.
    pub fn set_option(&self, name: &str, value: &str) -> Result<()> {
        let (name, value) = (c_string(name)?, c_string(value)?);
        let (names, values) = ([name.as_ptr()], [value.as_ptr()]);
        // SAFETY: arrays of one string, which live during the call.
        unsafe {
            checked(self.f, |e| {
                (self.g.set_options)(self.db, 1, names.as_ptr(), values.as_ptr(), e);
            })
        }
    }

    /// Makes a table of these entries outside, and takes it in.
    pub fn ingest(&self, path: &Path, entries: &[(Vec<u8>, Vec<u8>)]) -> Result<()> {
        let (f, g) = (self.f, self.g);
        let path = c_string(&path.to_string_lossy())?;
        // SAFETY: the strings and bytes live during the calls; objects are made and destroyed here, but on an
        // error, which ends the test.
        unsafe {
            let env = (f.envoptions_create)();
            let writer = (f.sstfilewriter_create)(env, self.options);
            checked(f, |e| (f.sstfilewriter_open)(writer, path.as_ptr(), e))?;
            for (key, value) in entries {
                let (k, v) = (text_of(key), text_of(value));
                checked(f, |e| {
                    (f.sstfilewriter_put)(writer, k, key.len(), v, value.len(), e);
                })?;
            }
            checked(f, |e| (f.sstfilewriter_finish)(writer, e))?;
            (f.sstfilewriter_destroy)(writer);
            (f.envoptions_destroy)(env);
            let how = (f.ingestexternalfileoptions_create)();
            let files = [path.as_ptr()];
            let result = checked(f, |e| {
                (g.ingest_external_file)(self.db, files.as_ptr(), 1, how, e);
            });
            (f.ingestexternalfileoptions_destroy)(how);
            result
        }
    }

    /// Makes a column family, puts a key into it, flushes it, and drops it.
    pub fn churn(&self, name: &str) -> Result<()> {
        let (f, name) = (self.f, c_string(name)?);
        // SAFETY: the name lives during the call; the handle is destroyed here.
        unsafe {
            let family =
                checked(f, |e| (f.create_column_family)(self.db, self.options, name.as_ptr(), e))?;
            let batch = (f.writebatch_create)();
            (f.writebatch_put_cf)(batch, family, c"key".as_ptr(), 3, c"value".as_ptr(), 5);
            let written = self.writing(Wal::Written, |wo, e| (f.write)(self.db, wo, batch, e));
            (f.writebatch_destroy)(batch);
            written?;
            let fo = (f.flushoptions_create)();
            let flushed = checked(f, |e| (f.flush_cf)(self.db, fo, family, e));
            (f.flushoptions_destroy)(fo);
            flushed?;
            checked(f, |e| (f.drop_column_family)(self.db, family, e))?;
            (f.column_family_handle_destroy)(family);
            Ok(())
        }
    }

    /// Pauses the deletion of files, and resumes it.
    pub fn pause_deletions(&self) -> Result<()> {
        // SAFETY: the database is open.
        unsafe {
            checked(self.f, |e| (self.g.disable_file_deletions)(self.db, e))?;
            checked(self.f, |e| (self.g.enable_file_deletions)(self.db, e))
        }
    }

    /// A property.
    pub fn property(&self, name: &str) -> Result<Option<String>> {
        let name = c_string(name)?;
        // SAFETY: the name lives during the call; the result is ours.
        unsafe { take(self.f, (self.g.property_value)(self.db, name.as_ptr())) }
    }

    /// All statistics as text.
    pub fn statistics(&self) -> Result<String> {
        // SAFETY: the options are live; the result is ours.
        let text = unsafe { take(self.f, (self.g.options_statistics_get_string)(self.options)) }?;
        Ok(text.unwrap_or_default())
    }

    /// A ticker by its number.
    pub fn ticker(&self, number: u32) -> Result<u64> {
        // SAFETY: the options are live.
        Ok(unsafe { (self.g.options_statistics_get_ticker_count)(self.options, number) })
    }
}

/// A move of an iterator.
#[derive(Clone, Debug)]
pub enum Move {
    /// To the first entry.
    First,
    /// To the last entry.
    Last,
    /// To the first entry at or after a key.
    Seek(Vec<u8>),
    /// To the last entry at or before a key.
    SeekForPrev(Vec<u8>),
    /// One on.
    Next,
    /// One back.
    Prev,
    /// On until there is no more.
    ToTheEnd,
}

/// This thread's perf context of RocksDB as text, with its metrics by number.
pub fn perf() -> Result<(String, Vec<u64>)> {
    perf_of(Engine::Rocksdb)
}

/// [`perf`] of either library.
pub fn perf_of(engine: Engine) -> Result<(String, Vec<u64>)> {
    let (f, g) = functions_of(engine)?;
    // SAFETY: the context is made and destroyed here; the text is ours.
    unsafe {
        let context = (g.perfcontext_create)();
        let text = take(f, (g.perfcontext_report)(context, 0))?.unwrap_or_default();
        let metrics = (0..78).map(|i| (g.perfcontext_metric)(context, i)).collect();
        (g.perfcontext_destroy)(context);
        Ok((text, metrics))
    }
}

/// What this thread counts in RocksDB's perf context; from 0 on.
pub fn start_perf(level: i32) -> Result<()> {
    start_perf_of(Engine::Rocksdb, level)
}

/// [`start_perf`] of either library.
pub fn start_perf_of(engine: Engine, level: i32) -> Result<()> {
    let (_, g) = functions_of(engine)?;
    // SAFETY: the context is made and destroyed here.
    unsafe {
        (g.set_perf_level)(level);
        let context = (g.perfcontext_create)();
        (g.perfcontext_reset)(context);
        (g.perfcontext_destroy)(context);
    }
    Ok(())
}

impl Drop for Figures {
    fn drop(&mut self) {
        self.close();
        // SAFETY: nobody uses them any more.
        unsafe { (self.f.options_destroy)(self.options) }
    }
}

/// The tables that a database has when it is opened for reading only, which changes nothing: their
/// names and levels.
pub fn tables_read_only(dir: &Path) -> Result<BTreeSet<(String, i32)>> {
    let (f, g) = (functions()?, figure_functions()?);
    let path = c_string(&dir.to_string_lossy())?;
    // SAFETY: the path lives during the calls; the options, the database and the list of files are made
    // and destroyed here, each name is copied before the list goes.
    unsafe {
        let options = (f.options_create)();
        let opened = checked(f, |e| (g.open_for_read_only)(options, path.as_ptr(), 0, e));
        (f.options_destroy)(options);
        let db = opened?;
        let files = (g.livefiles)(db);
        let name = |i| CStr::from_ptr((f.livefiles_name)(files, i)).to_string_lossy();
        let count = (f.livefiles_count)(files);
        let tables = (0..count)
            .map(|i| (name(i).trim_start_matches('/').to_owned(), (f.livefiles_level)(files, i)))
            .collect();
        (f.livefiles_destroy)(files);
        (f.close)(db);
        Ok(tables)
    }
}
