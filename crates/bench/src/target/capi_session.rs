//! One thread's objects of a library: its options, its batch, its iterator and its buffers.
//!
//! Invariants: see `capi`. Values are copied into `buffer`, so that they live until the next call.
#![allow(unsafe_code)]

use super::capi::take_error;
use super::capi_symbols::{Object, Slice, Symbols};
use super::capi_transaction::Owner;
use super::families::Families;
use super::{Result, Session, Transaction, TransactionMode};
use std::ffi::c_char;
use std::ptr::null_mut;

/// Arrays of a MultiGet, kept from call to call.
#[derive(Default)]
pub(super) struct ManyBuffers {
    keys: Vec<*const c_char>,
    sizes: Vec<usize>,
    values: Vec<Object>,
    errors: Vec<*mut c_char>,
}

/// One thread's objects.
pub(super) struct CSession<'a> {
    pub(super) s: &'a Symbols,
    pub(super) db: Object,
    /// The handle for transactions; writes go through it where they take locks.
    pub(super) owner: Option<Owner>,
    pub(super) family: Option<Object>,
    /// Handles, if there are several families.
    pub(super) families: &'a [Object],
    pub(super) order: &'a Families,
    /// The family for the following operations, if there are several.
    pub(super) chosen: Option<Object>,
    /// The snapshot that reads use, if not the newest data.
    pub(super) snapshot: Object,
    pub(super) read_options: Object,
    pub(super) write_options: Object,
    pub(super) batch: Object,
    pub(super) iterator: Object,
    pub(super) bounds: [Vec<u8>; 2],
    pub(super) buffer: Vec<u8>,
    pub(super) many: ManyBuffers,
}

impl Drop for CSession<'_> {
    fn drop(&mut self) {
        self.close_iterator();
        self.release_snapshot();
        // SAFETY: the objects were made with the session and are not used again.
        unsafe {
            (self.s.writebatch_destroy)(self.batch);
            (self.s.readoptions_destroy)(self.read_options);
            (self.s.writeoptions_destroy)(self.write_options);
        }
    }
}

fn text(bytes: &[u8]) -> *const c_char {
    bytes.as_ptr().cast()
}

impl CSession<'_> {
    /// Returns the database whose own writes take locks, and one of its functions.
    fn locking<F: Copy>(&self, function: Option<F>) -> Option<(Object, F)> {
        match (self.owner, function) {
            (Some(Owner::Locking(owner)), Some(function)) => Some((owner, function)),
            _ => None,
        }
    }

    fn release_snapshot(&mut self) {
        if let (Some(release), false) = (self.s.release_snapshot, self.snapshot.is_null()) {
            // SAFETY: the snapshot is live; the options that name it are destroyed or get another one.
            unsafe { release(self.db, self.snapshot) };
            self.snapshot = null_mut();
        }
    }

    /// For libraries without `get_into_buffer`, and for values that outgrow the buffer.
    fn get_pinned(&mut self, key: &[u8]) -> Result<Option<usize>> {
        let mut error = null_mut();
        // SAFETY: the pinned value is copied before it is destroyed.
        unsafe {
            let pinned = match (self.chosen, self.s.get_pinned_cf) {
                (Some(family), Some(get)) => {
                    get(self.db, self.read_options, family, text(key), key.len(), &mut error)
                }
                _ => (self.s.get_pinned)(
                    self.db,
                    self.read_options,
                    text(key),
                    key.len(),
                    &mut error,
                ),
            };
            take_error(self.s, error)?;
            if pinned.is_null() {
                return Ok(None);
            }
            let mut size = 0;
            let data = (self.s.pinnableslice_value)(pinned, &mut size);
            if size > self.buffer.len() {
                self.buffer.resize(size, 0);
            }
            self.buffer[..size].copy_from_slice(slice(data, size));
            (self.s.pinnableslice_destroy)(pinned);
            Ok(Some(size))
        }
    }
}

/// # Safety
/// `data` must point to `size` bytes that live for `'a`.
unsafe fn slice<'a>(data: *const c_char, size: usize) -> &'a [u8] {
    if data.is_null() {
        return &[];
    }
    // SAFETY: the caller's promise.
    unsafe { std::slice::from_raw_parts(data.cast(), size) }
}

// In all calls below: the session's objects are live, keys and values are live during the call, and the functions have
// the types of rocksdb/c.h.
impl Session for CSession<'_> {
    fn choose(&mut self, number: u64) {
        if let Some(family) = self.families.get(self.order.of(number)) {
            (self.chosen, self.family) = (Some(*family), Some(*family));
        }
    }

    #[inline]
    fn put(&mut self, key: &[u8], value: &[u8]) -> Result<()> {
        let (k, v, mut error) = (text(key), text(value), null_mut());
        let (db, options) = (self.db, self.write_options);
        // SAFETY: see the head of this implementation.
        unsafe {
            if let Some((db, put)) = self.locking(self.s.transactiondb_put) {
                put(db, options, k, key.len(), v, value.len(), &mut error);
                return take_error(self.s, error);
            }
            match (self.chosen, self.s.put_cf) {
                (Some(cf), Some(put)) => {
                    put(db, options, cf, k, key.len(), v, value.len(), &mut error)
                }
                _ => (self.s.put)(db, options, k, key.len(), v, value.len(), &mut error),
            }
        };
        take_error(self.s, error)
    }

    fn merge(&mut self, key: &[u8], operand: &[u8]) -> Result<()> {
        let (k, v, mut error) = (text(key), text(operand), null_mut());
        let (db, options) = (self.db, self.write_options);
        // SAFETY: see the head of this implementation.
        unsafe {
            if let Some((db, merge)) = self.locking(self.s.transactiondb_merge) {
                merge(db, options, k, key.len(), v, operand.len(), &mut error);
                return take_error(self.s, error);
            }
            match (self.chosen, self.s.merge_cf) {
                (Some(cf), Some(merge)) => {
                    merge(db, options, cf, k, key.len(), v, operand.len(), &mut error)
                }
                _ => (self.s.merge)(db, options, k, key.len(), v, operand.len(), &mut error),
            }
        };
        take_error(self.s, error)
    }

    fn delete(&mut self, key: &[u8]) -> Result<()> {
        let (k, mut error) = (text(key), null_mut());
        let (db, options) = (self.db, self.write_options);
        // SAFETY: see the head of this implementation.
        unsafe {
            if let Some((db, delete)) = self.locking(self.s.transactiondb_delete) {
                delete(db, options, k, key.len(), &mut error);
                return take_error(self.s, error);
            }
            match (self.chosen, self.s.delete_cf) {
                (Some(cf), Some(delete)) => delete(db, options, cf, k, key.len(), &mut error),
                _ => (self.s.delete)(db, options, k, key.len(), &mut error),
            }
        };
        take_error(self.s, error)
    }

    fn set_perf_level(&mut self, level: u8) -> Result<()> {
        let set = self
            .s
            .set_perf_level
            .ok_or("--perf_level: the library does not export rocksdb_set_perf_level")?;
        // SAFETY: a plain number.
        unsafe { set(level.into()) };
        Ok(())
    }

    fn perf_report(&mut self) -> String {
        let functions =
            (self.s.perfcontext_create, self.s.perfcontext_report, self.s.perfcontext_destroy);
        let (Some(create), Some(report), Some(destroy)) = functions else { return String::new() };
        // SAFETY: the context is live until the end, and the text is a C string that the caller owns.
        unsafe {
            let context = create();
            let text = report(context, 0);
            let owned = std::ffi::CStr::from_ptr(text).to_string_lossy().into_owned();
            (self.s.free)(text.cast());
            destroy(context);
            owned
        }
    }

    fn transaction(&mut self, mode: TransactionMode) -> Result<Box<dyn Transaction + '_>> {
        let owner = self.owner.ok_or("this database was opened without transactions")?;
        owner.begin(self.s, self.write_options, mode)
    }

    fn take_snapshot(&mut self) -> Result<()> {
        let (Some(create), Some(set)) = (self.s.create_snapshot, self.s.readoptions_set_snapshot)
        else {
            return Err("the library does not export the functions for snapshots".to_owned());
        };
        self.release_snapshot();
        // SAFETY: the read options keep the snapshot until the next one is set or the session ends.
        unsafe {
            self.snapshot = create(self.db);
            set(self.read_options, self.snapshot);
        }
        Ok(())
    }

    fn approximate_size(&mut self, begin: &[u8], end: &[u8]) -> Result<u64> {
        let (Some(ask), Some(family)) = (self.s.approximate_sizes_cf, self.family) else {
            return Err("the library does not export rocksdb_approximate_sizes_cf".to_owned());
        };
        let (b, e, mut size, mut error) = (text(begin), text(end), 0, null_mut());
        // SAFETY: arrays of one element each, which live during the call.
        unsafe { ask(self.db, family, 1, &b, &begin.len(), &e, &end.len(), &mut size, &mut error) };
        take_error(self.s, error).map(|()| size)
    }

    fn single_delete(&mut self, key: &[u8]) -> Result<()> {
        let delete =
            self.s.singledelete.ok_or("the library does not export rocksdb_singledelete")?;
        let mut error = null_mut();
        // SAFETY: see the head of this implementation.
        unsafe { delete(self.db, self.write_options, text(key), key.len(), &mut error) };
        take_error(self.s, error)
    }

    fn delete_range(&mut self, begin: &[u8], end: &[u8]) -> Result<()> {
        let (Some(delete), Some(family)) = (self.s.delete_range_cf, self.family) else {
            return Err("the library does not export rocksdb_delete_range_cf".to_owned());
        };
        let (b, e, mut error) = (text(begin), text(end), null_mut());
        // SAFETY: see the head of this implementation.
        unsafe {
            delete(self.db, self.write_options, family, b, begin.len(), e, end.len(), &mut error)
        };
        take_error(self.s, error)
    }

    fn batch_put(&mut self, key: &[u8], value: &[u8]) {
        // SAFETY: see the head of this implementation.
        unsafe {
            match (self.chosen, self.s.writebatch_put_cf) {
                (Some(cf), Some(put)) => {
                    put(self.batch, cf, text(key), key.len(), text(value), value.len())
                }
                _ => (self.s.writebatch_put)(
                    self.batch,
                    text(key),
                    key.len(),
                    text(value),
                    value.len(),
                ),
            }
        }
    }

    fn batch_delete(&mut self, key: &[u8]) {
        // SAFETY: see the head of this implementation.
        unsafe {
            match (self.chosen, self.s.writebatch_delete_cf) {
                (Some(cf), Some(delete)) => delete(self.batch, cf, text(key), key.len()),
                _ => (self.s.writebatch_delete)(self.batch, text(key), key.len()),
            }
        };
    }

    fn batch_write(&mut self) -> Result<()> {
        let mut error = null_mut();
        // SAFETY: see the head of this implementation.
        unsafe {
            match self.locking(self.s.transactiondb_write) {
                Some((db, write)) => write(db, self.write_options, self.batch, &mut error),
                None => (self.s.write)(self.db, self.write_options, self.batch, &mut error),
            }
            (self.s.writebatch_clear)(self.batch);
        }
        take_error(self.s, error)
    }

    #[inline]
    fn get(&mut self, key: &[u8]) -> Result<Option<&[u8]>> {
        let Some(get) = self.s.get_into_buffer.filter(|_| self.chosen.is_none()) else {
            return Ok(self.get_pinned(key)?.map(|size| &self.buffer[..size]));
        };
        let (mut error, mut size, mut found) = (null_mut(), 0, 0);
        // SAFETY: the buffer has the size that is passed.
        let fits = unsafe {
            get(
                self.db,
                self.read_options,
                text(key),
                key.len(),
                self.buffer.as_mut_ptr().cast(),
                self.buffer.len(),
                &mut size,
                &mut found,
                &mut error,
            )
        };
        take_error(self.s, error)?;
        if found == 0 {
            return Ok(None);
        }
        if fits == 0 {
            return Ok(self.get_pinned(key)?.map(|size| &self.buffer[..size]));
        }
        Ok(self.buffer.get(..size))
    }

    fn multi_get(&mut self, keys: &[u8], key_size: usize) -> Result<(u64, u64)> {
        let (Some(get), Some(family)) = (self.s.batched_multi_get_cf, self.family) else {
            return Err("the library does not export rocksdb_batched_multi_get_cf".to_owned());
        };
        let many = &mut self.many;
        many.keys.clear();
        many.keys.extend(keys.chunks_exact(key_size).map(text));
        let count = many.keys.len();
        many.sizes.resize(count, key_size);
        many.values.resize(count, null_mut());
        many.errors.resize(count, null_mut());
        let (mut found, mut bytes) = (0, 0);
        // SAFETY: the four arrays have `count` elements; values are destroyed after their use.
        unsafe {
            get(
                self.db,
                self.read_options,
                family,
                count,
                many.keys.as_ptr(),
                many.sizes.as_ptr(),
                many.values.as_mut_ptr(),
                many.errors.as_mut_ptr(),
                false,
            );
            for (value, error) in many.values.iter_mut().zip(&mut many.errors) {
                take_error(self.s, std::mem::replace(error, null_mut()))?;
                if !value.is_null() {
                    let mut size = 0;
                    let data = (self.s.pinnableslice_value)(*value, &mut size);
                    super::touch(slice(data, size));
                    (self.s.pinnableslice_destroy)(*value);
                    found += 1;
                    bytes += size as u64;
                }
            }
        }
        Ok((found, bytes))
    }

    fn open_iterator(&mut self, lower: Option<&[u8]>, upper: Option<&[u8]>) -> Result<()> {
        self.close_iterator();
        let setters = [
            (lower, self.s.readoptions_set_iterate_lower_bound),
            (upper, self.s.readoptions_set_iterate_upper_bound),
        ];
        for ((bound, setter), kept) in setters.into_iter().zip(&mut self.bounds) {
            let Some(bound) = bound else { continue };
            kept.clear();
            kept.extend_from_slice(bound);
            let set =
                setter.ok_or("the library does not export the functions for iterator bounds")?;
            // SAFETY: the library keeps a reference; `bounds` outlives the read options.
            unsafe { set(self.read_options, text(kept), kept.len()) };
        }
        // SAFETY: see the head of this implementation.
        self.iterator = unsafe {
            match (self.chosen, self.s.create_iterator_cf) {
                (Some(family), Some(create)) => create(self.db, self.read_options, family),
                _ => (self.s.create_iterator)(self.db, self.read_options),
            }
        };
        Ok(())
    }

    fn close_iterator(&mut self) {
        if !self.iterator.is_null() {
            // SAFETY: the iterator is live and not used again.
            unsafe { (self.s.iter_destroy)(self.iterator) };
            self.iterator = null_mut();
        }
    }

    fn seek(&mut self, key: &[u8]) {
        // SAFETY: see the head of this implementation.
        unsafe { (self.s.iter_seek)(self.iterator, text(key), key.len()) };
    }

    fn seek_to_first(&mut self) {
        // SAFETY: see the head of this implementation.
        unsafe { (self.s.iter_seek_to_first)(self.iterator) };
    }

    fn seek_to_last(&mut self) {
        // SAFETY: see the head of this implementation.
        unsafe { (self.s.iter_seek_to_last)(self.iterator) };
    }

    fn next(&mut self) {
        // SAFETY: see the head of this implementation.
        unsafe { (self.s.iter_next)(self.iterator) };
    }

    fn prev(&mut self) {
        // SAFETY: see the head of this implementation.
        unsafe { (self.s.iter_prev)(self.iterator) };
    }

    fn valid(&self) -> bool {
        // SAFETY: see the head of this implementation.
        unsafe { (self.s.iter_valid)(self.iterator) != 0 }
    }

    fn key(&self) -> &[u8] {
        let mut size = 0;
        // SAFETY: the key lives until the iterator moves, which needs `&mut self`.
        unsafe {
            match self.s.iter_key_slice {
                Some(get) => {
                    let Slice { data, size } = get(self.iterator);
                    slice(data, size)
                }
                None => {
                    let data = (self.s.iter_key)(self.iterator, &mut size);
                    slice(data, size)
                }
            }
        }
    }

    fn value(&self) -> &[u8] {
        let mut size = 0;
        // SAFETY: as the key.
        unsafe {
            match self.s.iter_value_slice {
                Some(get) => {
                    let Slice { data, size } = get(self.iterator);
                    slice(data, size)
                }
                None => {
                    let data = (self.s.iter_value)(self.iterator, &mut size);
                    slice(data, size)
                }
            }
        }
    }

    fn status(&self) -> Result<()> {
        let mut error = null_mut();
        // SAFETY: see the head of this implementation.
        unsafe { (self.s.iter_get_error)(self.iterator, &mut error) };
        take_error(self.s, error)
    }
}
