//! What the C ABI costs over the Rust call: `rocksdb_get_pinned` and `rocksdb_put` on one key, in turn with
//! `Db::get_pinned` and `Db::put`, the lowest of rounds: others on the machine only add.
//!
//! ```text
//! cargo build --release -p ferrolith-librocksdb
//! cargo run --release -p ferrolith-bench --example thinness -- target/release/librocksdb.so [DIR]
//! ```

#![allow(unsafe_code)]

use ferrolith::internal::db::Db;
use ferrolith::internal::options::{Options, ReadOptions, WriteOptions};
use libloading::Library;
use std::ffi::{CString, c_char, c_void};
use std::path::Path;
use std::ptr::null_mut;
use std::time::Instant;

/// So few that a memtable holds all of them: nothing runs in the background.
const CALLS: u32 = 200_000;
const WRITE_BUFFER_SIZE: usize = 2 << 30;
const ROUNDS: usize = 15;
const KEY: &[u8] = b"0000000000000042";

type Object = *mut c_void;
type Errors = *mut *mut c_char;
type Open = unsafe extern "C" fn(Object, *const c_char, Errors) -> Object;
type GetPinned = unsafe extern "C" fn(Object, Object, *const u8, usize, Errors) -> Object;
type Put = unsafe extern "C" fn(Object, Object, *const u8, usize, *const u8, usize, Errors);

/// The library under test with an open database.
struct Abi {
    library: Library,
    db: Object,
    read_options: Object,
    write_options: Object,
}

impl Abi {
    fn open(path: &str, dir: &Path) -> Result<Abi, Box<dyn std::error::Error>> {
        // SAFETY: a library with RocksDB's C functions, whose types are those of its header.
        unsafe {
            let library = Library::new(path)?;
            let create = |name: &str| -> Result<Object, libloading::Error> {
                Ok(library.get::<unsafe extern "C" fn() -> Object>(name.as_bytes())?())
            };
            let options = create("rocksdb_options_create")?;
            let set: libloading::Symbol<unsafe extern "C" fn(Object, u8)> =
                library.get(b"rocksdb_options_set_create_if_missing")?;
            set(options, 1);
            let set: libloading::Symbol<unsafe extern "C" fn(Object, usize)> =
                library.get(b"rocksdb_options_set_write_buffer_size")?;
            set(options, WRITE_BUFFER_SIZE);
            let dir = CString::new(dir.to_string_lossy().into_owned())?;
            let mut error = null_mut();
            let db = library.get::<Open>(b"rocksdb_open")?(options, dir.as_ptr(), &mut error);
            assert!(error.is_null() && !db.is_null(), "the library does not open {dir:?}");
            let read_options = create("rocksdb_readoptions_create")?;
            let write_options = create("rocksdb_writeoptions_create")?;
            Ok(Abi { library, db, read_options, write_options })
        }
    }

    fn gets(&self) -> f64 {
        // SAFETY: as in `open`; what is looked up is given back.
        unsafe {
            let get = self.library.get::<GetPinned>(b"rocksdb_get_pinned").expect("get_pinned");
            let give_back = self
                .library
                .get::<unsafe extern "C" fn(Object)>(b"rocksdb_pinnableslice_destroy")
                .expect("pinnableslice_destroy");
            time(CALLS, || {
                let mut error = null_mut();
                let found = get(self.db, self.read_options, KEY.as_ptr(), KEY.len(), &mut error);
                assert!(!found.is_null());
                give_back(found);
            })
        }
    }

    fn puts(&self, value: &[u8], calls: u32) -> f64 {
        // SAFETY: as in `open`.
        unsafe {
            let put = self.library.get::<Put>(b"rocksdb_put").expect("put");
            time(calls, || self.put(&put, value))
        }
    }

    /// # Safety
    /// `put` must be the library's.
    unsafe fn put(&self, put: &Put, value: &[u8]) {
        let mut error = null_mut();
        let (key, value) = ((KEY.as_ptr(), KEY.len()), (value.as_ptr(), value.len()));
        // SAFETY: as in `open`.
        unsafe { put(self.db, self.write_options, key.0, key.1, value.0, value.1, &mut error) };
        assert!(error.is_null());
    }
}

impl Drop for Abi {
    fn drop(&mut self) {
        // Before the library goes.
        // SAFETY: as in `open`; the last call.
        unsafe {
            if let Ok(close) = self.library.get::<unsafe extern "C" fn(Object)>(b"rocksdb_close") {
                close(self.db);
            }
        }
    }
}

/// Nanoseconds per call.
fn time(calls: u32, mut call: impl FnMut()) -> f64 {
    let start = Instant::now();
    (0..calls).for_each(|_| call());
    start.elapsed().as_nanos() as f64 / f64::from(calls)
}

fn lowest(times: &[f64]) -> f64 {
    times.iter().copied().fold(f64::INFINITY, f64::min)
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut args = std::env::args().skip(1);
    let library = args.next().ok_or("usage: thinness LIBRARY [DIR]")?;
    let dir = args.next().unwrap_or_else(|| "/dev/shm/ferrolith-thinness".into());
    let dir = Path::new(&dir);
    let mut options = Options::default();
    options.db.create_if_missing = true;
    options.cf.write_buffer_size = WRITE_BUFFER_SIZE;
    std::fs::create_dir_all(dir)?;
    let db = Db::open(&options, dir.join("rust"))?;
    let abi = Abi::open(&library, &dir.join("c"))?;
    let (ro, wo) = (ReadOptions::default(), WriteOptions::default());
    let value = [b'v'; 100];

    db.put(&wo, KEY, &value)?;
    abi.puts(&value, 1);
    let mut gets = (Vec::new(), Vec::new());
    for _ in 0..ROUNDS {
        gets.0.push(time(CALLS, || assert!(db.get_pinned(&ro, KEY).expect("get").is_some())));
        gets.1.push(abi.gets());
    }
    let mut puts = (Vec::new(), Vec::new());
    for _ in 0..ROUNDS {
        puts.0.push(time(CALLS, || db.put(&wo, KEY, &value).expect("put")));
        puts.1.push(abi.puts(&value, CALLS));
    }
    println!("{:12}{:>12}{:>12}{:>12}", "ns/call", "Rust", "C", "difference");
    for (name, (rust, c)) in [("get_pinned", gets), ("put", puts)] {
        let (rust, c) = (lowest(&rust), lowest(&c));
        println!("{name:12}{rust:12.1}{c:12.1}{:12.1}", c - rust);
    }
    drop((db, abi));
    std::fs::remove_dir_all(dir)?;
    Ok(())
}
