//! Transactions through a library. They always begin with a snapshot, because `rocksdb/c.h` has no other way to take
//! one.
#![allow(unsafe_code)]

use super::capi::take_error;
use super::capi_symbols::{Object, Symbols};
use super::{Failure, Result, Transaction, TransactionMode};
use std::ffi::{CStr, c_char};
use std::ptr::null_mut;

/// A database that was opened for transactions, beside the plain handle of the same database.
#[derive(Clone, Copy)]
pub(super) enum Owner {
    /// With locks, which its own writes also take.
    Locking(Object),
    /// Checked at commit.
    Optimistic(Object),
}

const MISSING: &str = "the library does not export the functions for transactions";

impl Owner {
    /// Opens a database and returns both handles.
    pub(super) fn open(
        s: &Symbols,
        optimistic: bool,
        options: Object,
        path: &CStr,
    ) -> Result<(Owner, Object)> {
        let mut error = null_mut();
        if optimistic {
            let functions = (s.optimistictransactiondb_open, s.optimistictransactiondb_get_base_db);
            let (Some(open), Some(base)) = functions else { return Err(MISSING.to_owned()) };
            // SAFETY: options and path live during the call; the handle is used only if there was no error.
            let owner = unsafe { open(options, path.as_ptr(), &mut error) };
            take_error(s, error)?;
            // SAFETY: the database is open.
            return Ok((Owner::Optimistic(owner), unsafe { base(owner) }));
        }
        let functions =
            (s.transactiondb_options_create, s.transactiondb_open, s.transactiondb_get_base_db);
        let (Some(create), Some(open), Some(base)) = functions else {
            return Err(MISSING.to_owned());
        };
        // SAFETY: as above; the options of transactions live as long as the process.
        let owner = unsafe { open(options, create(), path.as_ptr(), &mut error) };
        take_error(s, error)?;
        // SAFETY: the database is open.
        Ok((Owner::Locking(owner), unsafe { base(owner) }))
    }

    /// Closes both handles.
    pub(super) fn close(self, s: &Symbols, base: Object) {
        let (owner, close_base, close) = match self {
            Owner::Locking(owner) => (owner, s.transactiondb_close_base_db, s.transactiondb_close),
            Owner::Optimistic(owner) => {
                (owner, s.optimistictransactiondb_close_base_db, s.optimistictransactiondb_close)
            }
        };
        if let (Some(close_base), Some(close)) = (close_base, close) {
            // SAFETY: both handles are live and not used again.
            unsafe {
                close_base(base);
                close(owner);
            }
        }
    }

    /// Begins a transaction.
    pub(super) fn begin<'a>(
        self,
        s: &'a Symbols,
        write_options: Object,
        mode: TransactionMode,
    ) -> Result<Box<dyn Transaction + 'a>> {
        // SAFETY: all objects are live; the library copies the options.
        let transaction = unsafe {
            match self {
                Owner::Locking(owner) => {
                    let functions = (
                        s.transaction_options_create,
                        s.transaction_options_set_set_snapshot,
                        s.transaction_options_set_lock_timeout,
                        s.transaction_options_destroy,
                        s.transaction_begin,
                    );
                    let (Some(create), Some(snapshot), Some(timeout), Some(destroy), Some(begin)) =
                        functions
                    else {
                        return Err(MISSING.to_owned());
                    };
                    let options = create();
                    snapshot(options, 1);
                    timeout(options, mode.lock_timeout);
                    let transaction = begin(owner, write_options, options, null_mut());
                    destroy(options);
                    transaction
                }
                Owner::Optimistic(owner) => {
                    let functions = (
                        s.optimistictransaction_options_create,
                        s.optimistictransaction_options_set_set_snapshot,
                        s.optimistictransaction_options_destroy,
                        s.optimistictransaction_begin,
                    );
                    let (Some(create), Some(snapshot), Some(destroy), Some(begin)) = functions
                    else {
                        return Err(MISSING.to_owned());
                    };
                    let options = create();
                    snapshot(options, 1);
                    let transaction = begin(owner, write_options, options, null_mut());
                    destroy(options);
                    transaction
                }
            }
        };
        let (Some(snapshot), Some(set), Some(free)) =
            (s.transaction_get_snapshot, s.readoptions_set_snapshot, s.transaction_destroy)
        else {
            return Err(MISSING.to_owned());
        };
        // SAFETY: the transaction owns the snapshot, the C object of it is ours to free, and the read options go
        // before the transaction does.
        let (read_options, snapshot) = unsafe {
            let read_options = (s.readoptions_create)();
            let snapshot = snapshot(transaction);
            set(read_options, snapshot);
            (read_options, snapshot)
        };
        Ok(Box::new(Running { s, transaction, read_options, snapshot, destroy: free }))
    }
}

/// A transaction of one thread.
struct Running<'a> {
    s: &'a Symbols,
    transaction: Object,
    read_options: Object,
    snapshot: Object,
    destroy: unsafe extern "C" fn(Object),
}

impl Drop for Running<'_> {
    fn drop(&mut self) {
        // SAFETY: the objects are live and not used again; the snapshot's own memory comes from malloc.
        unsafe {
            (self.s.readoptions_destroy)(self.read_options);
            (self.s.free)(self.snapshot);
            (self.destroy)(self.transaction);
        }
    }
}

fn text(bytes: &[u8]) -> *const c_char {
    bytes.as_ptr().cast()
}

fn missing() -> Failure {
    Failure::Error(MISSING.to_owned())
}

impl Running<'_> {
    /// A conflict with another transaction is not an error of the benchmark.
    fn outcome(&self, error: *mut c_char) -> std::result::Result<(), Failure> {
        const IN_THE_WAY: [&str; 4] = [
            "Resource busy",
            "Operation timed out",
            "Operation failed. Try again.",
            "Operation expired",
        ];
        take_error(self.s, error).map_err(|error| {
            match IN_THE_WAY.iter().any(|start| error.starts_with(start)) {
                true => Failure::Conflict,
                false => Failure::Error(error),
            }
        })
    }

    fn call(
        &self,
        function: Option<unsafe extern "C" fn(Object, *mut *mut c_char)>,
    ) -> std::result::Result<(), Failure> {
        let function = function.ok_or_else(missing)?;
        let mut error = null_mut();
        // SAFETY: the transaction is live.
        unsafe { function(self.transaction, &mut error) };
        self.outcome(error)
    }
}

impl Transaction for Running<'_> {
    fn take_snapshot(&mut self) {}

    fn get(
        &mut self,
        key: &[u8],
        for_update: bool,
    ) -> std::result::Result<Option<Vec<u8>>, Failure> {
        let (Some(get), Some(claim)) = (self.s.transaction_get, self.s.transaction_get_for_update)
        else {
            return Err(missing());
        };
        let (mut error, mut size) = (null_mut(), 0);
        // SAFETY: the objects are live, and the key during the call; the value is a block of `size` bytes from malloc,
        // which is copied and freed.
        let value = unsafe {
            let value = match for_update {
                true => claim(
                    self.transaction,
                    self.read_options,
                    text(key),
                    key.len(),
                    &mut size,
                    1,
                    &mut error,
                ),
                false => get(
                    self.transaction,
                    self.read_options,
                    text(key),
                    key.len(),
                    &mut size,
                    &mut error,
                ),
            };
            (!value.is_null()).then(|| {
                let copy = std::slice::from_raw_parts(value.cast::<u8>(), size).to_vec();
                (self.s.free)(value.cast());
                copy
            })
        };
        self.outcome(error).map(|()| value)
    }

    /// `rocksdb/c.h` has no single deletes in transactions.
    fn delete(&mut self, key: &[u8], _single: bool) -> std::result::Result<(), Failure> {
        let delete = self.s.transaction_delete.ok_or_else(missing)?;
        let mut error = null_mut();
        // SAFETY: the transaction is live, and the key during the call.
        unsafe { delete(self.transaction, text(key), key.len(), &mut error) };
        self.outcome(error)
    }

    fn put(&mut self, key: &[u8], value: &[u8]) -> std::result::Result<(), Failure> {
        let put = self.s.transaction_put.ok_or_else(missing)?;
        let mut error = null_mut();
        // SAFETY: the transaction is live, and key and value during the call.
        unsafe {
            put(self.transaction, text(key), key.len(), text(value), value.len(), &mut error)
        };
        self.outcome(error)
    }

    fn prepare(&mut self, id: u64) -> std::result::Result<(), Failure> {
        let set_name = self.s.transaction_set_name.ok_or_else(missing)?;
        let (name, mut error) = (format!("txn{id}"), null_mut());
        // SAFETY: the transaction is live, and the name during the call.
        unsafe { set_name(self.transaction, text(name.as_bytes()), name.len(), &mut error) };
        self.outcome(error)?;
        self.call(self.s.transaction_prepare)
    }

    fn commit(&mut self) -> std::result::Result<(), Failure> {
        self.call(self.s.transaction_commit)
    }

    fn rollback(&mut self) -> std::result::Result<(), Failure> {
        self.call(self.s.transaction_rollback)
    }
}
