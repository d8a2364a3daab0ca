//! Two-phase commits of both engines behind one trait.
//!
//! Unsafe for the same reason as [`crate::theirs`], under the same invariants; a transaction is used
//! by one thread, and given back before its database is closed. Tests: `tests/it/phases.rs`.
#![allow(unsafe_code)]

use crate::c_functions::{
    Functions, Object, Text, TransactionFunctions, c_string, checked, functions,
    transaction_functions,
};
use crate::store::Result;
use ferrolith::internal::batch::WriteBatch;
use ferrolith::internal::db::{ColumnFamily, ColumnFamilyDescriptor};
use ferrolith::internal::options::{
    ColumnFamilyOptions, DbOptions, FlushOptions, ReadOptions, WriteOptions,
};
use ferrolith::internal::txn::{
    Transaction, TransactionDb, TransactionDbOptions, TransactionOptions,
};
use std::collections::BTreeMap;
use std::ffi::CString;
use std::path::Path;
use std::ptr::{null_mut, slice_from_raw_parts};

/// Family, key, value.
pub type Record = (usize, Vec<u8>, Vec<u8>);
/// What a database holds.
pub type Content = BTreeMap<(usize, Vec<u8>), Vec<u8>>;

/// The families of the databases.
pub const FAMILIES: [&str; 3] = ["default", "family1", "family2"];

/// A database with transactions.
pub trait Phases {
    /// Puts these, all or none.
    fn write(&mut self, records: &[Record]) -> Result<()>;
    /// Prepares a transaction that puts these.
    fn prepare(&mut self, name: &str, records: &[Record]) -> Result<()>;
    /// Commits a prepared transaction, or rolls it back.
    fn decide(&mut self, name: &str, commits: bool) -> Result<()>;
    /// Flushes a family.
    fn flush(&mut self, family: usize) -> Result<()>;
    /// The names of what is prepared.
    fn prepared(&self) -> Vec<String>;
    /// What is committed.
    fn content(&self) -> Result<Content>;
}

fn text(bytes: &[u8]) -> Text {
    bytes.as_ptr().cast()
}

/// This repository's engine.
pub struct OurPhases {
    live: BTreeMap<String, Transaction>,
    cfs: Vec<ColumnFamily>,
    db: TransactionDb,
}

impl OurPhases {
    /// Opens a database, or makes it.
    pub fn open(dir: &Path) -> Result<OurPhases> {
        let options = DbOptions {
            create_if_missing: true,
            create_missing_column_families: true,
            ..DbOptions::default()
        };
        let describe = |name| ColumnFamilyDescriptor::new(name, ColumnFamilyOptions::default());
        let families = FAMILIES.into_iter().map(describe).collect();
        let transactions = TransactionDbOptions::default();
        let opened = TransactionDb::open_cf(&options, &transactions, dir, families);
        let (db, cfs) = opened.map_err(|e| e.to_string())?;
        let name = |txn: &Transaction| String::from_utf8_lossy(txn.name()).into_owned();
        let found = db.get_all_prepared_transactions().into_iter();
        Ok(OurPhases { live: found.map(|txn| (name(&txn), txn)).collect(), cfs, db })
    }
}

impl Phases for OurPhases {
    fn write(&mut self, records: &[Record]) -> Result<()> {
        let mut batch = WriteBatch::new();
        for (family, key, value) in records {
            batch.put_cf(self.cfs[*family].id(), key, value).map_err(|e| e.to_string())?;
        }
        self.db.db().write(&WriteOptions::default(), &mut batch).map_err(|e| e.to_string())
    }

    fn prepare(&mut self, name: &str, records: &[Record]) -> Result<()> {
        let mut txn = self.db.begin(&WriteOptions::default(), &TransactionOptions::default());
        for (family, key, value) in records {
            txn.put(&self.cfs[*family], key, value).map_err(|e| e.to_string())?;
        }
        txn.set_name(name.as_bytes()).and_then(|()| txn.prepare()).map_err(|e| e.to_string())?;
        self.live.insert(name.to_owned(), txn);
        Ok(())
    }

    fn decide(&mut self, name: &str, commits: bool) -> Result<()> {
        let mut txn = self.live.remove(name).ok_or("nothing has this name")?;
        let decided = if commits { txn.commit() } else { txn.rollback() };
        decided.map_err(|e| e.to_string())
    }

    fn flush(&mut self, family: usize) -> Result<()> {
        let flushed = self.db.db().flush_cf(&FlushOptions::default(), &self.cfs[family]);
        flushed.map_err(|e| e.to_string())
    }

    fn prepared(&self) -> Vec<String> {
        self.live.keys().cloned().collect()
    }

    fn content(&self) -> Result<Content> {
        let mut content = Content::new();
        for (n, cf) in self.cfs.iter().enumerate() {
            let iter = self.db.db().iter_cf(&ReadOptions::default(), cf);
            let mut iter = iter.map_err(|e| e.to_string())?;
            iter.seek_to_first();
            while iter.valid() {
                content.insert((n, iter.key().to_vec()), iter.value().to_vec());
                iter.next();
            }
            iter.status().map_err(|e| e.to_string())?;
        }
        Ok(content)
    }
}

/// The vendor's library.
pub struct TheirPhases {
    f: &'static Functions,
    t: &'static TransactionFunctions,
    db: Object,
    families: Vec<Object>,
    live: BTreeMap<String, Object>,
}

impl TheirPhases {
    /// Opens a database, or makes it.
    pub fn open(dir: &Path) -> Result<TheirPhases> {
        let (f, t) = (functions()?, transaction_functions()?);
        let path = c_string(&dir.to_string_lossy())?;
        let names: Vec<CString> = FAMILIES.iter().map(|n| c_string(n)).collect::<Result<_>>()?;
        let names: Vec<Text> = names.iter().map(|name| name.as_ptr()).collect();
        let mut families = vec![null_mut(); FAMILIES.len()];
        // SAFETY: the strings and arrays live during the call; options are copied by it.
        let db = unsafe {
            let options = (f.options_create)();
            (f.options_set_create_if_missing)(options, 1);
            (f.options_set_create_missing_column_families)(options, 1);
            let transactions = (t.transactiondb_options_create)();
            let each = [options; FAMILIES.len()];
            let opened = checked(f, |e| {
                (t.transactiondb_open_column_families)(
                    options,
                    transactions,
                    path.as_ptr(),
                    FAMILIES.len() as _,
                    names.as_ptr(),
                    each.as_ptr(),
                    families.as_mut_ptr(),
                    e,
                )
            });
            (t.transactiondb_options_destroy)(transactions);
            (f.options_destroy)(options);
            opened?
        };
        let mut phases = TheirPhases { f, t, db, families, live: BTreeMap::new() };
        phases.take_prepared();
        Ok(phases)
    }

    fn take_prepared(&mut self) {
        let mut count = 0;
        // SAFETY: the list has `count` transactions, which are ours from now on; names and list are
        // ours to free.
        unsafe {
            let list = (self.t.transactiondb_get_prepared_transactions)(self.db, &mut count);
            for i in 0..count {
                let txn = *list.add(i);
                let mut len = 0;
                let name = (self.t.transaction_get_name)(txn, &mut len);
                let bytes = &*slice_from_raw_parts(name.cast::<u8>(), len);
                let name_text = String::from_utf8_lossy(bytes).into_owned();
                (self.f.free)(name.cast());
                self.live.insert(name_text, txn);
            }
            (self.f.free)(list.cast());
        }
    }
}

impl Phases for TheirPhases {
    fn write(&mut self, records: &[Record]) -> Result<()> {
        let (f, t) = (self.f, self.t);
        // SAFETY: batch and options are made and destroyed here; the bytes live during the calls.
        unsafe {
            let (wo, batch) = ((f.writeoptions_create)(), (f.writebatch_create)());
            for (family, key, value) in records {
                let (k, v) = (text(key), text(value));
                let family = self.families[*family];
                (f.writebatch_put_cf)(batch, family, k, key.len(), v, value.len());
            }
            let written = checked(f, |e| (t.transactiondb_write)(self.db, wo, batch, e));
            (f.writebatch_destroy)(batch);
            (f.writeoptions_destroy)(wo);
            written
        }
    }

    fn prepare(&mut self, name: &str, records: &[Record]) -> Result<()> {
        let (f, t) = (self.f, self.t);
        // SAFETY: options are copied; the bytes live during the calls; the transaction is kept.
        unsafe {
            let (wo, options) = ((f.writeoptions_create)(), (t.transaction_options_create)());
            let txn = (t.transaction_begin)(self.db, wo, options, null_mut());
            (t.transaction_options_destroy)(options);
            (f.writeoptions_destroy)(wo);
            for (family, key, value) in records {
                let (k, v, family) = (text(key), text(value), self.families[*family]);
                checked(f, |e| {
                    (t.transaction_put_cf)(txn, family, k, key.len(), v, value.len(), e)
                })?;
            }
            checked(f, |e| (t.transaction_set_name)(txn, text(name.as_bytes()), name.len(), e))?;
            checked(f, |e| (t.transaction_prepare)(txn, e))?;
            self.live.insert(name.to_owned(), txn);
        }
        Ok(())
    }

    fn decide(&mut self, name: &str, commits: bool) -> Result<()> {
        let txn = self.live.remove(name).ok_or("nothing has this name")?;
        // SAFETY: the transaction is live, and given back here.
        unsafe {
            let end = if commits { self.t.transaction_commit } else { self.t.transaction_rollback };
            let decided = checked(self.f, |e| end(txn, e));
            (self.t.transaction_destroy)(txn);
            decided
        }
    }

    fn flush(&mut self, family: usize) -> Result<()> {
        let f = self.f;
        // SAFETY: the options are made and destroyed here.
        unsafe {
            let fo = (f.flushoptions_create)();
            let family = self.families[family];
            let flushed = checked(f, |e| (self.t.transactiondb_flush_cf)(self.db, fo, family, e));
            (f.flushoptions_destroy)(fo);
            flushed
        }
    }

    fn prepared(&self) -> Vec<String> {
        self.live.keys().cloned().collect()
    }

    fn content(&self) -> Result<Content> {
        let f = self.f;
        let mut content = Content::new();
        for (n, family) in self.families.iter().enumerate() {
            // SAFETY: keys and values are copied before the iterator moves; it is destroyed here.
            unsafe {
                let ro = (f.readoptions_create)();
                let iter = (self.t.transactiondb_create_iterator_cf)(self.db, ro, *family);
                let copy = |get: unsafe extern "C" fn(Object, *mut usize) -> Text| {
                    let mut len = 0;
                    let p = get(iter, &mut len);
                    (*slice_from_raw_parts(p.cast::<u8>(), len)).to_vec()
                };
                (f.iter_seek_to_first)(iter);
                while (f.iter_valid)(iter) != 0 {
                    content.insert((n, copy(f.iter_key)), copy(f.iter_value));
                    (f.iter_next)(iter);
                }
                let status = checked(f, |e| (f.iter_get_error)(iter, e));
                (f.iter_destroy)(iter);
                (f.readoptions_destroy)(ro);
                status?;
            }
        }
        Ok(content)
    }
}

impl Drop for TheirPhases {
    fn drop(&mut self) {
        // SAFETY: nobody uses transactions, handles or the database any more.
        unsafe {
            self.live.values().for_each(|txn| (self.t.transaction_destroy)(*txn));
            let families = self.families.iter();
            families.for_each(|family| (self.f.column_family_handle_destroy)(*family));
            (self.t.transactiondb_close)(self.db);
        }
    }
}
