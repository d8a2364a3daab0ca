//! Lookups that name column families, and variants with options that `db.rs` does not have.

use super::read_options::READ;
use super::{ColumnFamily, Db, ReadOptions, Value};
use crate::db;
use crate::error::{Code, Error, Result};
use crate::options;
use std::collections::BTreeMap;

impl Db {
    /// Returns the values of keys of any column families, in their order, all from one state of the database. This is
    /// faster than single lookups.
    ///
    /// ```
    /// # let dir = tempfile::tempdir().unwrap();
    /// # let db = ferrolith::Db::open(dir.path())?;
    /// let (planets, moons) = (db.create_cf("planets")?, db.create_cf("moons")?);
    /// planets.put("3", "Earth")?;
    /// moons.put("3", "Moon")?;
    /// let found = db.multi_get_cf([(&planets, "3"), (&moons, "3"), (&moons, "4")]);
    /// let found: Vec<_> = found.into_iter().collect::<Result<_, _>>()?;
    /// assert_eq!(found[0].as_deref(), Some(&b"Earth"[..]));
    /// assert_eq!(found[1].as_deref(), Some(&b"Moon"[..]));
    /// assert_eq!(found[2], None);
    /// # Ok::<(), ferrolith::Error>(())
    /// ```
    ///
    /// # Errors
    /// Same as [`Db::get_cf`], for each key.
    pub fn multi_get_cf<'a, K: AsRef<[u8]>>(
        &self,
        keys: impl IntoIterator<Item = (&'a ColumnFamily, K)>,
    ) -> Vec<Result<Option<Value>>> {
        self.multi_get_cf_opt(keys, &ReadOptions::default())
    }

    /// Like [`Db::multi_get_cf`], with options.
    ///
    /// # Errors
    /// Same as [`Db::multi_get_cf`]; also for a snapshot of another database.
    pub fn multi_get_cf_opt<'a, K: AsRef<[u8]>>(
        &self,
        keys: impl IntoIterator<Item = (&'a ColumnFamily, K)>,
        options: &ReadOptions,
    ) -> Vec<Result<Option<Value>>> {
        let keys: Vec<(&ColumnFamily, K)> = keys.into_iter().collect();
        match options.checked(self.inner()) {
            Ok(options) => self.look_up_in_families(&keys, options),
            Err(e) => keys.iter().map(|_| Err(e.clone())).collect(),
        }
    }

    fn look_up_in_families<K: AsRef<[u8]>>(
        &self,
        keys: &[(&ColumnFamily, K)],
        options: &options::ReadOptions,
    ) -> Vec<Result<Option<Value>>> {
        // The positions of the keys, by family.
        let mut families: BTreeMap<u32, (&db::ColumnFamily, Vec<usize>)> = BTreeMap::new();
        let mut results = Vec::with_capacity(keys.len());
        for (place, (cf, _)) in keys.iter().enumerate() {
            match cf.checked(self) {
                Ok(handle) => {
                    families.entry(handle.id()).or_insert((handle, Vec::new())).1.push(place);
                    results.push(Ok(None));
                }
                Err(e) => results.push(Err(e)),
            }
        }
        let mut options = options.clone();
        // The snapshot makes all families show the same state.
        let pin = (families.len() > 1 && options.snapshot.is_none()).then(|| self.snapshot());
        options.snapshot = options.snapshot.or(pin.as_ref().map(|pin| pin.sequence()));
        let limit = options.value_size_soft_limit;
        let mut size = 0_u64;
        for (handle, places) in families.into_values() {
            if size > limit {
                places.into_iter().for_each(|at| results[at] = Err(Error::new(Code::Aborted, "")));
                continue;
            }
            if limit != u64::MAX {
                options.value_size_soft_limit = limit - size;
            }
            let of_family: Vec<&[u8]> = places.iter().map(|at| keys[*at].1.as_ref()).collect();
            let found = self.inner().multi_get_cf(&options, handle, &of_family);
            for (at, value) in places.into_iter().zip(super::db::values(found)) {
                if let Ok(Some(value)) = &value {
                    size = size.saturating_add(value.len() as u64);
                }
                results[at] = value;
            }
        }
        results
    }

    /// Like [`Db::get_with`], with options.
    ///
    /// # Errors
    /// Same as [`Db::get_opt`].
    pub fn get_with_opt<R>(
        &self,
        key: impl AsRef<[u8]>,
        options: &ReadOptions,
        read: impl FnOnce(&[u8]) -> R,
    ) -> Result<Option<R>> {
        self.inner().get_with(options.checked(self.inner())?, None, key.as_ref(), read)
    }

    /// Like [`Db::get_with`], in a column family; the same as [`ColumnFamily::get_with`].
    ///
    /// # Errors
    /// Same as [`Db::get_cf`].
    pub fn get_with_cf<R>(
        &self,
        cf: &ColumnFamily,
        key: impl AsRef<[u8]>,
        read: impl FnOnce(&[u8]) -> R,
    ) -> Result<Option<R>> {
        self.inner().get_with(&READ, Some(cf.checked(self)?), key.as_ref(), read)
    }

    /// Like [`Db::contains_key`], with options.
    ///
    /// # Errors
    /// Same as [`Db::get_opt`].
    pub fn contains_key_opt(&self, key: impl AsRef<[u8]>, options: &ReadOptions) -> Result<bool> {
        Ok(self.get_with_opt(key, options, |_| ())?.is_some())
    }

    /// Like [`Db::contains_key`], in a column family; the same as [`ColumnFamily::contains_key`].
    ///
    /// # Errors
    /// Same as [`Db::get_cf`].
    pub fn contains_key_cf(&self, cf: &ColumnFamily, key: impl AsRef<[u8]>) -> Result<bool> {
        Ok(self.get_with_cf(cf, key, |_| ())?.is_some())
    }
}

impl ColumnFamily {
    /// Like [`ColumnFamily::get_with`], with options.
    ///
    /// # Errors
    /// Same as [`ColumnFamily::get_opt`].
    pub fn get_with_opt<R>(
        &self,
        key: impl AsRef<[u8]>,
        options: &ReadOptions,
        read: impl FnOnce(&[u8]) -> R,
    ) -> Result<Option<R>> {
        let db = self.db().inner();
        db.get_with(options.checked(db)?, Some(self.alive()?), key.as_ref(), read)
    }

    /// Like [`ColumnFamily::contains_key`], with options.
    ///
    /// # Errors
    /// Same as [`ColumnFamily::get_opt`].
    pub fn contains_key_opt(&self, key: impl AsRef<[u8]>, options: &ReadOptions) -> Result<bool> {
        Ok(self.get_with_opt(key, options, |_| ())?.is_some())
    }
}
