//! What the vendor's library says about itself: statistics, the perf context, properties, LOG. For
//! comparing texts, names and numbers with ours where they are deterministic.
//!
//! Unsafe for the same reason as [`crate::theirs`], under the same invariants.
#![allow(unsafe_code)]

use crate::c_functions::{Object, Text, c_string, checked, figure_functions, functions};
use crate::store::Result;
use std::ffi::{CStr, c_char};
use std::path::Path;

/// A database of RocksDB's that counts everything.
pub struct Figures {
    options: Object,
    db: Object,
}

/// Takes a text from `malloc`.
///
/// # Safety
/// `text` is NULL or a C string that the caller owns.
unsafe fn take(text: *mut c_char) -> Result<Option<String>> {
    if text.is_null() {
        return Ok(None);
    }
    // SAFETY: the caller's promise.
    unsafe {
        let copy = CStr::from_ptr(text).to_string_lossy().into_owned();
        (functions()?.free)(text.cast());
        Ok(Some(copy))
    }
}

impl Figures {
    /// Makes a database in `dir` with these options, and statistics on.
    pub fn open(dir: &Path, list: &str) -> Result<Figures> {
        let (f, g) = (functions()?, figure_functions()?);
        let (list, path) = (c_string(list)?, c_string(&dir.to_string_lossy())?);
        // SAFETY: the strings live during the calls; `base` is copied.
        unsafe {
            let (base, options) = ((f.options_create)(), (f.options_create)());
            checked(f, |e| (f.get_options_from_string)(base, list.as_ptr(), options, e))?;
            (f.options_destroy)(base);
            (f.options_set_create_if_missing)(options, 1);
            (g.options_enable_statistics)(options);
            let db = checked(f, |e| (g.open)(options, path.as_ptr(), e))?;
            Ok(Figures { options, db })
        }
    }

    /// Sets a key.
    pub fn put(&self, key: &[u8], value: &[u8]) -> Result<()> {
        let (f, g) = (functions()?, figure_functions()?);
        // SAFETY: the bytes live during the call; the options are made and destroyed here.
        unsafe {
            let wo = (f.writeoptions_create)();
            let (k, v): (Text, Text) = (key.as_ptr().cast(), value.as_ptr().cast());
            let result = checked(f, |e| (g.put)(self.db, wo, k, key.len(), v, value.len(), e));
            (f.writeoptions_destroy)(wo);
            result
        }
    }

    /// Writes the memtable into a table.
    pub fn flush(&self) -> Result<()> {
        let (f, g) = (functions()?, figure_functions()?);
        // SAFETY: the options are made and destroyed here.
        unsafe {
            let fo = (f.flushoptions_create)();
            let result = checked(f, |e| (g.flush)(self.db, fo, e));
            (f.flushoptions_destroy)(fo);
            result
        }
    }

    /// A property.
    pub fn property(&self, name: &str) -> Result<Option<String>> {
        let name = c_string(name)?;
        // SAFETY: the name lives during the call; the result is ours.
        unsafe { take((figure_functions()?.property_value)(self.db, name.as_ptr())) }
    }

    /// All statistics as text.
    pub fn statistics(&self) -> Result<String> {
        let g = figure_functions()?;
        // SAFETY: the options are live; the result is ours.
        Ok(unsafe { take((g.options_statistics_get_string)(self.options)) }?.unwrap_or_default())
    }

    /// A ticker by its number.
    pub fn ticker(&self, number: u32) -> Result<u64> {
        // SAFETY: the options are live.
        Ok(unsafe {
            (figure_functions()?.options_statistics_get_ticker_count)(self.options, number)
        })
    }
}

/// This thread's perf context as text, with its metrics by number.
pub fn perf() -> Result<(String, Vec<u64>)> {
    let g = figure_functions()?;
    // SAFETY: the context is made and destroyed here; the text is ours.
    unsafe {
        let context = (g.perfcontext_create)();
        let text = take((g.perfcontext_report)(context, 0))?.unwrap_or_default();
        let metrics = (0..78).map(|i| (g.perfcontext_metric)(context, i)).collect();
        (g.perfcontext_destroy)(context);
        Ok((text, metrics))
    }
}

/// What this thread counts in its perf context; from 0 on.
pub fn start_perf(level: i32) -> Result<()> {
    let g = figure_functions()?;
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
        let Ok(f) = functions() else { return };
        // SAFETY: nobody uses the database any more.
        unsafe {
            (f.close)(self.db);
            (f.options_destroy)(self.options);
        }
    }
}
