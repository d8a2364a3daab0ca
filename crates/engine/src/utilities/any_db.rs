//! The database as the public API and the C ABI hold it.
//!
//! The operations that see values are methods of [`AnyDb`], which passes them on to one of its two kinds. Everything
//! else is reached through `Deref` and is the same for both. So a new method of [`Db`] that sees values needs a method
//! here and in [`TtlDb`].

use super::any_iterator::AnyIterator;
use super::ttl::{TtlDb, is_marked};
use crate::base::{PinnedValue, ValueBuffer};
use crate::batch::{IndexedBatch, WriteBatch};
use crate::db::{ColumnFamily, Db};
use crate::error::{Error, Result};
use crate::hooks::EventDb;
use crate::open::{ColumnFamilyDescriptor, DEFAULT_COLUMN_FAMILY};
use crate::options::{ColumnFamilyOptions, DbOptions, Options, ReadOptions, WriteOptions};
use std::fmt;
use std::ops::Deref;
use std::path::Path;

/// An open database, plain or with a time to live. Like those of [`Db`], clones share one opening.
#[derive(Clone)]
pub enum AnyDb {
    /// Values are stored as users write them.
    Plain(Db),
    /// Values are stored with the time of their write.
    Ttl(TtlDb),
}

/// A database and handles of column families.
type Opened = Result<(AnyDb, Vec<ColumnFamily>)>;

/// Opening, and operations on a database that is not open.
impl AnyDb {
    /// Does the same as [`Db::open`].
    pub fn open(options: &Options, path: impl AsRef<Path>) -> Result<AnyDb> {
        Ok(AnyDb::Plain(Db::open(options, path)?))
    }

    /// Does the same as [`Db::open_cf`].
    pub fn open_cf(
        options: &DbOptions,
        path: impl AsRef<Path>,
        families: Vec<ColumnFamilyDescriptor>,
    ) -> Opened {
        let (db, handles) = Db::open_cf(options, path, families)?;
        Ok((AnyDb::Plain(db), handles))
    }

    /// Does the same as [`Db::open_for_read_only`].
    pub fn open_for_read_only(
        options: &Options,
        path: impl AsRef<Path>,
        error_if_wal_file_exists: bool,
    ) -> Result<AnyDb> {
        Ok(AnyDb::Plain(Db::open_for_read_only(options, path, error_if_wal_file_exists)?))
    }

    /// Does the same as [`Db::open_cf_for_read_only`].
    pub fn open_cf_for_read_only(
        options: &DbOptions,
        path: impl AsRef<Path>,
        families: Vec<ColumnFamilyDescriptor>,
        error_if_wal_file_exists: bool,
    ) -> Opened {
        let (db, handles) =
            Db::open_cf_for_read_only(options, path, families, error_if_wal_file_exists)?;
        Ok((AnyDb::Plain(db), handles))
    }

    /// Does the same as `TtlDb::open_cf` with the default column family alone.
    pub fn open_with_ttl(
        options: &Options,
        path: impl AsRef<Path>,
        ttl: i32,
        read_only: bool,
    ) -> Result<AnyDb> {
        let default = ColumnFamilyDescriptor::new(DEFAULT_COLUMN_FAMILY, options.cf.clone());
        let (db, _) = TtlDb::open_cf(&options.db, path, vec![default], &[ttl], read_only)?;
        Ok(AnyDb::Ttl(db))
    }

    /// Does the same as `TtlDb::open_cf`.
    pub fn open_cf_with_ttl(
        options: &DbOptions,
        path: impl AsRef<Path>,
        families: Vec<ColumnFamilyDescriptor>,
        ttls: &[i32],
        read_only: bool,
    ) -> Opened {
        let (db, handles) = TtlDb::open_cf(options, path, families, ttls, read_only)?;
        Ok((AnyDb::Ttl(db), handles))
    }

    /// Does the same as [`Db::list_column_families`].
    pub fn list_column_families(
        options: &DbOptions,
        path: impl AsRef<Path>,
    ) -> Result<Vec<String>> {
        Db::list_column_families(options, path)
    }

    /// Does the same as [`Db::destroy`].
    pub fn destroy(options: &DbOptions, path: impl AsRef<Path>) -> Result<()> {
        Db::destroy(options, path)
    }

    /// Does the same as [`Db::destroy_cf`].
    pub fn destroy_cf(
        options: &DbOptions,
        path: impl AsRef<Path>,
        families: &[ColumnFamilyDescriptor],
    ) -> Result<()> {
        Db::destroy_cf(options, path, families)
    }

    /// Does the same as [`Db::repair`].
    pub fn repair(options: &Options, path: impl AsRef<Path>) -> Result<()> {
        Db::repair(options, path)
    }

    /// Does the same as [`Db::repair_cf`].
    pub fn repair_cf(
        options: &DbOptions,
        path: impl AsRef<Path>,
        families: &[ColumnFamilyDescriptor],
        unknown: Option<&ColumnFamilyOptions>,
    ) -> Result<()> {
        Db::repair_cf(options, path, families, unknown)
    }
}

/// Handles.
impl AnyDb {
    /// Does the same as [`Db::of_event`]. The handle has a time to live if the database was opened with one.
    pub fn of_event(event: EventDb<'_>) -> Option<AnyDb> {
        let db = Db::of_event(event)?;
        Some(if is_marked(&db) { AnyDb::Ttl(TtlDb::over(db)) } else { AnyDb::Plain(db) })
    }

    /// Does the same as [`Db::without_keeping_open`].
    #[must_use]
    pub fn without_keeping_open(&self) -> AnyDb {
        match self {
            AnyDb::Plain(db) => AnyDb::Plain(db.without_keeping_open()),
            AnyDb::Ttl(db) => AnyDb::Ttl(TtlDb::over(db.plain().without_keeping_open())),
        }
    }

    /// Returns the plain database. If there is a time to live, its values end with stamps.
    #[inline]
    pub fn plain(&self) -> &Db {
        match self {
            AnyDb::Plain(db) => db,
            AnyDb::Ttl(db) => db.plain(),
        }
    }

    /// Does the same as `TtlDb::create_cf_with_ttl`.
    ///
    /// # Errors
    /// InvalidArgument if the database was opened without a time to live.
    pub fn create_cf_with_ttl(
        &self,
        name: &str,
        options: &ColumnFamilyOptions,
        ttl: i32,
    ) -> Result<ColumnFamily> {
        match self {
            AnyDb::Plain(_) => {
                Err(Error::invalid_argument("the database was not opened with a time to live"))
            }
            AnyDb::Ttl(db) => db.create_cf_with_ttl(name, options, ttl),
        }
    }
}

/// Defines methods that call the method of the same name of either kind.
macro_rules! passed_on {
    ($(
        $(#[$doc:meta])*
        fn $name:ident $([$($generic:tt)*])? ($($arg:ident: $of:ty),* $(,)?) -> $result:ty;
    )*) => {$(
        $(#[$doc])*
        #[inline]
        pub fn $name $(<$($generic)*>)? (&self, $($arg: $of),*) -> $result {
            match self {
                AnyDb::Plain(db) => db.$name($($arg),*),
                AnyDb::Ttl(db) => db.$name($($arg),*),
            }
        }
    )*};
}

impl AnyDb {
    passed_on! {
        /// Does the same as [`Db::create_cf`]. With a time to live, the new family keeps entries forever.
        fn create_cf(name: &str, options: &ColumnFamilyOptions) -> Result<ColumnFamily>;
        /// Does the same as [`Db::put`].
        fn put(wo: &WriteOptions, key: &[u8], value: &[u8]) -> Result<()>;
        /// Does the same as [`Db::put_cf`].
        fn put_cf(wo: &WriteOptions, cf: &ColumnFamily, key: &[u8], value: &[u8]) -> Result<()>;
        /// Does the same as [`Db::merge`].
        fn merge(wo: &WriteOptions, key: &[u8], operand: &[u8]) -> Result<()>;
        /// Does the same as [`Db::merge_cf`].
        fn merge_cf(wo: &WriteOptions, cf: &ColumnFamily, key: &[u8], operand: &[u8]) -> Result<()>;
        /// Does the same as [`Db::write`].
        fn write(wo: &WriteOptions, batch: &mut WriteBatch) -> Result<()>;
        /// Does the same as [`Db::get_pinned`].
        fn get_pinned(ro: &ReadOptions, key: &[u8]) -> Result<Option<PinnedValue>>;
        /// Does the same as [`Db::get_pinned_cf`].
        fn get_pinned_cf(ro: &ReadOptions, cf: &ColumnFamily, key: &[u8])
            -> Result<Option<PinnedValue>>;
        /// Does the same as [`Db::get_into`].
        fn get_into(ro: &ReadOptions, key: &[u8], out: &mut Vec<u8>) -> Result<bool>;
        /// Does the same as [`Db::get_into_cf`].
        fn get_into_cf(ro: &ReadOptions, cf: &ColumnFamily, key: &[u8], out: &mut Vec<u8>)
            -> Result<bool>;
        /// Does the same as [`Db::get_pinned_into`].
        fn get_pinned_into(ro: &ReadOptions, key: &[u8], out: &mut ValueBuffer) -> Result<bool>;
        /// Does the same as [`Db::get_pinned_into_cf`].
        fn get_pinned_into_cf(
            ro: &ReadOptions, cf: &ColumnFamily, key: &[u8], out: &mut ValueBuffer,
        ) -> Result<bool>;
        /// Does the same as [`Db::get_with`].
        fn get_with[R](
            ro: &ReadOptions,
            cf: Option<&ColumnFamily>,
            key: &[u8],
            receive: impl FnOnce(&[u8]) -> R,
        ) -> Result<Option<R>>;
        /// Does the same as [`Db::get_with_batch`].
        fn get_with_batch(batch: &IndexedBatch, ro: &ReadOptions, cf: &ColumnFamily, key: &[u8])
            -> Result<Option<PinnedValue>>;
        /// Does the same as [`Db::merge_operands_cf`]. Not supported with a time to live.
        fn merge_operands_cf(ro: &ReadOptions, cf: &ColumnFamily, key: &[u8])
            -> Result<Vec<Vec<u8>>>;
        /// Does the same as [`Db::multi_get`].
        fn multi_get[K: AsRef<[u8]>](ro: &ReadOptions, keys: &[K])
            -> Vec<Result<Option<PinnedValue>>>;
        /// Does the same as [`Db::multi_get_cf`].
        fn multi_get_cf[K: AsRef<[u8]>](ro: &ReadOptions, cf: &ColumnFamily, keys: &[K])
            -> Vec<Result<Option<PinnedValue>>>;
        /// Does the same as [`Db::multi_get_with`].
        fn multi_get_with[K: AsRef<[u8]>](
            ro: &ReadOptions,
            cf: &ColumnFamily,
            keys: &[K],
            give: &mut dyn FnMut(usize, &[u8]),
        ) -> Result<()>;
    }

    /// Does the same as [`Db::get`].
    pub fn get(&self, ro: &ReadOptions, key: &[u8]) -> Result<Option<Vec<u8>>> {
        Ok(self.get_pinned(ro, key)?.map(PinnedValue::into_vec))
    }

    /// Does the same as [`Db::get_cf`].
    pub fn get_cf(
        &self,
        ro: &ReadOptions,
        cf: &ColumnFamily,
        key: &[u8],
    ) -> Result<Option<Vec<u8>>> {
        Ok(self.get_pinned_cf(ro, cf, key)?.map(PinnedValue::into_vec))
    }

    /// Does the same as [`Db::iter`].
    pub fn iter(&self, ro: &ReadOptions) -> Result<AnyIterator> {
        match self {
            AnyDb::Plain(db) => Ok(db.iter(ro)?.into()),
            AnyDb::Ttl(db) => db.iter(ro),
        }
    }

    /// Does the same as [`Db::iter_cf`].
    pub fn iter_cf(&self, ro: &ReadOptions, cf: &ColumnFamily) -> Result<AnyIterator> {
        match self {
            AnyDb::Plain(db) => Ok(db.iter_cf(ro, cf)?.into()),
            AnyDb::Ttl(db) => db.iter_cf(ro, cf),
        }
    }
}

impl From<Db> for AnyDb {
    fn from(db: Db) -> AnyDb {
        AnyDb::Plain(db)
    }
}

impl Deref for AnyDb {
    type Target = Db;

    #[inline]
    fn deref(&self) -> &Db {
        self.plain()
    }
}

impl fmt::Debug for AnyDb {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.plain().fmt(f)
    }
}

#[cfg(test)]
#[path = "any_db_test.rs"]
mod tests;
