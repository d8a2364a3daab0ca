//! Properties of a database.

use super::{rocksdb_column_family_handle_t, rocksdb_t};
use crate::bytes::{c_string, put, text};
use crate::errptr::quiet;
use std::ffi::{c_char, c_int};
use std::ptr;

/// Returns a property of the default column family, for the caller to free; NULL if there is no such property.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_property_value(
    db: *mut rocksdb_t,
    propname: *const c_char,
) -> *mut c_char {
    quiet(ptr::null_mut(), || {
        let value = db.as_ref().and_then(|db| db.db.property(&text(propname)));
        value.map_or(ptr::null_mut(), |value| c_string(&value))
    })
}

/// Returns a property of a column family, for the caller to free; NULL if there is no such property.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_property_value_cf(
    db: *mut rocksdb_t,
    column_family: *mut rocksdb_column_family_handle_t,
    propname: *const c_char,
) -> *mut c_char {
    quiet(ptr::null_mut(), || {
        let pair = db.as_ref().zip(column_family.as_ref());
        let value = pair.and_then(|(db, cf)| db.db.property_cf(&cf.cf, &text(propname)));
        value.map_or(ptr::null_mut(), |value| c_string(&value))
    })
}

/// Stores a numeric property of the default column family. Returns 0, or -1 if there is no such property.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_property_int(
    db: *mut rocksdb_t,
    propname: *const c_char,
    out_val: *mut u64,
) -> c_int {
    quiet(-1, || {
        let name = int_name(propname);
        let value = db.as_ref().zip(name).and_then(|(db, name)| db.db.property_int(&name));
        stored(value, out_val)
    })
}

/// Stores a numeric property of a column family. Returns 0, or -1 if there is no such property.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_property_int_cf(
    db: *mut rocksdb_t,
    column_family: *mut rocksdb_column_family_handle_t,
    propname: *const c_char,
    out_val: *mut u64,
) -> c_int {
    quiet(-1, || {
        let pair = db.as_ref().zip(column_family.as_ref());
        let value = pair.zip(int_name(propname));
        let value = value.and_then(|((db, cf), name)| db.db.property_int_cf(&cf.cf, &name));
        stored(value, out_val)
    })
}

/// Returns the name, unless RocksDB provides the property only as text.
unsafe fn int_name(propname: *const c_char) -> Option<String> {
    let texts = ["rocksdb.num-files-at-level", "rocksdb.compression-ratio-at-level"];
    let name = text(propname);
    (!texts.iter().any(|text| name.starts_with(text))).then_some(name)
}

unsafe fn stored(value: Option<u64>, out: *mut u64) -> c_int {
    match value {
        Some(value) => {
            put(out, value);
            0
        }
        None => -1,
    }
}
