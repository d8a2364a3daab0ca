//! One thread's objects of a library: its options, its batch, its iterator and its buffers.
//!
//! Invariants: see `capi`. Values are copied into `buffer`, so that they live until the next call.
#![allow(unsafe_code)]

use super::capi::take_error;
use super::capi_symbols::{Object, Slice, Symbols};
use super::{Result, Session};
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
    pub(super) family: Option<Object>,
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
    /// For libraries without `get_into_buffer`, and for values that outgrow the buffer.
    fn get_pinned(&mut self, key: &[u8]) -> Result<Option<usize>> {
        let mut error = null_mut();
        // SAFETY: the pinned value is copied before it is destroyed.
        unsafe {
            let pinned =
                (self.s.get_pinned)(self.db, self.read_options, text(key), key.len(), &mut error);
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

// In all calls below: the session's objects are live, keys and values are live during the call, and
// the functions have the types of rocksdb/c.h.
impl Session for CSession<'_> {
    #[inline]
    fn put(&mut self, key: &[u8], value: &[u8]) -> Result<()> {
        let (k, v, mut error) = (text(key), text(value), null_mut());
        // SAFETY: see the head of this implementation.
        unsafe {
            (self.s.put)(self.db, self.write_options, k, key.len(), v, value.len(), &mut error)
        };
        take_error(self.s, error)
    }

    fn merge(&mut self, key: &[u8], operand: &[u8]) -> Result<()> {
        let (k, v, mut error) = (text(key), text(operand), null_mut());
        let (db, options) = (self.db, self.write_options);
        // SAFETY: see the head of this implementation.
        unsafe { (self.s.merge)(db, options, k, key.len(), v, operand.len(), &mut error) };
        take_error(self.s, error)
    }

    fn delete(&mut self, key: &[u8]) -> Result<()> {
        let mut error = null_mut();
        // SAFETY: see the head of this implementation.
        unsafe { (self.s.delete)(self.db, self.write_options, text(key), key.len(), &mut error) };
        take_error(self.s, error)
    }

    fn batch_put(&mut self, key: &[u8], value: &[u8]) {
        // SAFETY: see the head of this implementation.
        unsafe {
            (self.s.writebatch_put)(self.batch, text(key), key.len(), text(value), value.len());
        }
    }

    fn batch_delete(&mut self, key: &[u8]) {
        // SAFETY: see the head of this implementation.
        unsafe { (self.s.writebatch_delete)(self.batch, text(key), key.len()) };
    }

    fn batch_write(&mut self) -> Result<()> {
        let mut error = null_mut();
        // SAFETY: see the head of this implementation.
        unsafe {
            (self.s.write)(self.db, self.write_options, self.batch, &mut error);
            (self.s.writebatch_clear)(self.batch);
        }
        take_error(self.s, error)
    }

    #[inline]
    fn get(&mut self, key: &[u8]) -> Result<Option<&[u8]>> {
        let Some(get) = self.s.get_into_buffer else {
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
            return Err("the library exports no rocksdb_batched_multi_get_cf".to_owned());
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
            let set = setter.ok_or("the library sets no bounds of iterators")?;
            // SAFETY: the library keeps a reference; `bounds` outlives the read options.
            unsafe { set(self.read_options, text(kept), kept.len()) };
        }
        // SAFETY: see the head of this implementation.
        self.iterator = unsafe { (self.s.create_iterator)(self.db, self.read_options) };
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
