//! Ferrolith: an embedded, ordered key-value store in pure Rust that reads and writes RocksDB's files.
//!
//! # First steps
//!
//! ```
//! use ferrolith::{Db, WriteBatch};
//! # let dir = tempfile::tempdir().unwrap();
//! # let path = dir.path();
//! let db = Db::open(path)?; // creates the database if there is none
//! db.put("planet:3", "Earth")?;
//! assert_eq!(db.get("planet:3")?.unwrap(), "Earth");
//!
//! let mut batch = WriteBatch::new(); // becomes visible as a whole
//! batch.put("planet:4", "Mars").delete("planet:9");
//! db.write(batch)?;
//!
//! for item in db.prefix("planet:") {
//!     let (key, value) = item?;
//!     println!("{key:?} = {value:?}");
//! }
//! # Ok::<(), ferrolith::Error>(())
//! ```
//!
//! Keys and values are bytes: anything that is `AsRef<[u8]>` can be written. Keys are in bytewise order, so numbers
//! are written big-endian (`n.to_be_bytes()`). A [`Db`] is a handle: clone it and share it between threads. The
//! database closes when the last handle, iterator and snapshot is dropped, or at [`Db::close`].
//!
//! # What to use
//!
//! | To | use |
//! |---|---|
//! | read one key or many keys, of one or several families | [`Db::get`], [`Db::multi_get`], [`Db::multi_get_cf`] |
//! | read a part of a value without copying it | [`Db::get_with`] |
//! | iterate over all keys, a range, a prefix, backward | [`Db::iter`], [`Db::range`], [`Db::prefix`], with `rev()` |
//! | seek by hand | [`Db::cursor`] |
//! | write several keys atomically, in one or several families | [`WriteBatch`] and [`Db::write`] |
//! | read one state while others write | [`Db::snapshot`] |
//! | keep several key spaces | [`Db::cf`], [`Db::create_cf`], [`Options::column_family`] |
//! | change a value without reading it | [`Db::merge`], with [`Options::merge_operator`] |
//! | let entries expire | [`Db::open_with_ttl`], or [`Options::compaction_filter`] |
//! | survive a crash of the machine | [`WriteOptions::sync`], [`Db::flush_wal`] |
//! | copy an open database, back it up, restore it | [`Db::checkpoint`], [`backup`] |
//! | load large amounts of data | [`SstFileWriter`] and [`Db::ingest_external_file`] |
//! | check and write atomically | [`transaction`] |
//! | follow the writes | [`Db::get_updates_since`] |
//! | tune | [`Options`], which has all options of RocksDB, by setters, names and files |
//! | observe | [`Db::property`], [`events`]; [`Statistics::to_prometheus`] with [`Options::enable_statistics`] |
//!
//! Most methods that read or write have a variant with the suffix `_opt`, which takes [`ReadOptions`] or
//! [`WriteOptions`]. Methods of [`Db`] work on the default column family. [`ColumnFamily`] has the methods that concern
//! one family. [`Db`] also has variants of the basic methods with the suffix `_cf`, which take a handle.
//! [`Db::create_cf`] and [`Db::drop_cf`] take names.
//!
//! # Errors
//!
//! Every error is an [`Error`]. [`Error::kind`] is for `match`, [`Error::file`] and [`Error::offset`] return where a
//! file is damaged, and an [`Error`] converts into a [`std::io::Error`]. An iterator that fails returns one `Err` and
//! then ends, so that `?` in a loop catches it. Using a handle of a dropped column family, or a handle or snapshot of
//! another database, returns an error.
//!
//! # Lifetimes and threads
//!
//! Handles, snapshots, iterators, cursors, keys and values own what they need: none has a lifetime, all are `Send`.
//! Each handle, iterator and snapshot keeps the database open. [`Db::close`] closes it for all of them and reports
//! errors.
//!
//! # RocksDB
//!
//! Ferrolith opens a RocksDB directory as it is, and RocksDB can open it again afterwards. Methods and options have
//! RocksDB's names where RocksDB has them. [`Options`] lists the options that are accepted and have no effect.
//!
//! # Cargo features
//!
//! | Feature | On by default | What it adds |
//! |---|---|---|
//! | `bzip2`, `lz4`, `snappy`, `zlib`, `zstd` | yes | a codec each, without which its data cannot be read |
//! | `zstd-c` | no | Zstandard by its C library, for dictionaries and high levels; the build needs a C compiler |
//! | `bytes` | no | a [`Value`] becomes `bytes::Bytes` without a copy |
//! | `tokio` | no | `AsyncDb`, for asynchronous programs |
//! | `tracing` | no | `events::TracingListener`, which reports events to the crate `tracing` |
//!
//! # Inside
//!
//! The folders form one ordered list, which is also the recommended reading order: a folder imports only from folders
//! above it. `ARCHITECTURE.md` follows a write, a read, a flush, a compaction and a recovery file by file.

#![deny(unsafe_code)]

mod error;

mod base;
mod budget;
mod cache;
mod compress;
mod env;
mod fs;
mod hooks;
mod options;
mod stats;

mod batch;
mod iter;
mod memtable;
mod rangedel;
mod sst;
mod wal;

mod version;

mod compaction;
mod flush;
mod read;
mod write;

mod catalog;
mod commit;
mod external;
mod files;
mod jobs;
mod lookup;
mod open;
mod properties;
mod report;
mod session;

mod db;
mod txn;
mod utilities;

mod api;

#[cfg(any(test, fuzzing))]
pub mod testing;

pub use api::*;
pub use error::{Error, Result};

/// Compiles the program in README.md.
#[cfg(doctest)]
#[doc = include_str!("../../../README.md")]
struct Readme;
