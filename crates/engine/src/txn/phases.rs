//! The end of a transaction, in one phase or in two.
//!
//! ```text
//! Started --commit--> Committed        Started --rollback--> Started
//!    | prepare
//! Prepared --commit--> Committed       Prepared --rollback--> RolledBack
//! ```
//! In the states in between, a call has failed or is still running. A prepared transaction does not expire. It outlives
//! the process; `commit/prepared.rs` describes how.

use super::rebuild::Rebuild;
use super::state::TransactionState;
use super::transaction::{Control, Transaction, check};
use crate::batch::{HEADER_SIZE, WriteBatch, iterate};
use crate::error::{Code, Error, Result, SubCode};
use crate::options::WriteOptions;
use crate::stats::HistogramType;
use std::sync::Arc;

impl Transaction {
    /// Sets the transaction's name, by which it is found after it was prepared. A name has 1 to 512 bytes. No other
    /// transaction of the database may use it until this one is committed or dropped.
    pub fn set_name(&mut self, name: &[u8]) -> Result<()> {
        let Control::Locks { names, .. } = &self.control else {
            let text = "Optimistic transactions cannot be named.";
            return Err(Error::invalid_argument(text));
        };
        if self.state != TransactionState::Started {
            return Err(Error::invalid_argument("Transaction is beyond state for naming."));
        }
        if !self.name.is_empty() {
            return Err(Error::invalid_argument("Transaction has already been named."));
        }
        if name.is_empty() || name.len() > 512 {
            let text = "Transaction name length must be between 1 and 512 chars.";
            return Err(Error::invalid_argument(text));
        }
        if !names.take(name) {
            let name = String::from_utf8_lossy(name);
            return Err(Error::invalid_argument(format!("Duplicate txn name {name}")));
        }
        self.name = name.to_vec();
        Ok(())
    }

    /// Returns the transaction's name; empty if none was set.
    pub fn name(&self) -> &[u8] {
        &self.name
    }

    /// Prepares the transaction, which is the first phase: writes everything so far to the WAL under the transaction's
    /// name, durable as the write options require. Later writes take effect with the commit, but are lost if the
    /// database is closed before it.
    pub fn prepare(&mut self) -> Result<()> {
        let Control::Locks { owner, .. } = &self.control else {
            let text = "Two phase commit not supported for optimistic transactions.";
            return Err(Error::invalid_argument(text));
        };
        if self.name.is_empty() {
            let text = "Cannot prepare a transaction that has not been named.";
            return Err(Error::invalid_argument(text));
        }
        match self.state {
            TransactionState::Started => {}
            TransactionState::Prepared => {
                return Err(Error::invalid_argument("Transaction has already been prepared."));
            }
            state => return Err(ended(state)),
        }
        // From here on its locks cannot be taken.
        if owner.has_expired() || !owner.start_commit() {
            return Err(Error::new(Code::Expired, ""));
        }
        self.state = TransactionState::AwaitingPrepare;
        self.db.prepare(&self.write_options, &self.name, self.batch.batch())?;
        self.state = TransactionState::Prepared;
        Ok(())
    }

    /// Commits all writes at once. Busy means that another writer was faster: nothing is written, and the transaction
    /// can be rolled back. For a prepared transaction, this is the second phase.
    pub fn commit(&mut self) -> Result<()> {
        match &self.control {
            Control::Locks { .. } if self.state == TransactionState::Prepared => {
                let mut batch = self.batch.batch().clone();
                self.db.end_prepared(&self.write_options, &self.name, &mut batch)?;
                self.committed();
            }
            Control::Locks { .. } => {
                self.commit_unprepared()?;
                self.committed();
            }
            Control::Check { .. } => self.commit_checked()?,
        }
        self.clear();
        Ok(())
    }

    fn commit_unprepared(&mut self) -> Result<()> {
        let Control::Locks { owner, skip_prepare, .. } = &self.control else { return Ok(()) };
        if self.state != TransactionState::Started {
            return Err(ended(self.state));
        }
        if owner.has_expired() {
            return Err(Error::new(Code::Expired, ""));
        }
        // A transaction that may expire can commit without a prepare, as in RocksDB.
        if !skip_prepare && owner.expires.is_none() {
            return Err(Error::invalid_argument("").with_subcode(SubCode::TxnNotPrepared));
        }
        if !owner.start_commit() {
            return Err(Error::new(Code::Expired, ""));
        }
        let owner = Arc::clone(owner);
        let num_operations = self.batch.batch().count();
        if let Some(stats) = self.db.statistics() {
            stats.record(HistogramType::NumOpPerTransaction, u64::from(num_operations));
        }
        if self.is_unwritten() {
            return Ok(());
        }
        let written =
            self.db.write(&self.write_options, Arc::make_mut(&mut self.batch).batch_mut());
        written.inspect_err(|_| owner.end_commit())
    }

    fn commit_checked(&mut self) -> Result<()> {
        let (db, tracked) = (&self.db, &self.tracked);
        let check_all = || {
            let mut places = tracked.iter();
            places.try_for_each(|(place, known)| check(db, place, known.seq))
        };
        if self.is_unwritten() {
            return check_all();
        }
        db.write_if(&self.write_options, Arc::make_mut(&mut self.batch).batch_mut(), &check_all)
    }

    fn is_unwritten(&self) -> bool {
        self.batch.batch().data_size() <= HEADER_SIZE
    }

    fn committed(&mut self) {
        self.state = TransactionState::Committed;
        self.give_name();
    }

    /// Discards all writes. The transaction can be used again, unless it was prepared.
    pub fn rollback(&mut self) -> Result<()> {
        match self.state {
            TransactionState::Started => {}
            TransactionState::Prepared => {
                let mut nothing = WriteBatch::new();
                self.db.end_prepared(&self.write_options, &self.name, &mut nothing)?;
                self.state = TransactionState::RolledBack;
            }
            TransactionState::Committed => {
                let text = "This transaction has already been committed.";
                return Err(Error::invalid_argument(text));
            }
            TransactionState::AwaitingPrepare | TransactionState::RolledBack => {
                let text = "Two phase transaction is not in state for rollback.";
                return Err(Error::invalid_argument(text));
            }
        }
        self.clear();
        Ok(())
    }

    /// Releases what others may wait for: the locks, and the name unless an undecided section still has it. Dropping
    /// the transaction does the same.
    pub fn abandon(&mut self) {
        let places = self.tracked.take();
        self.release(places);
        if !self.name.is_empty()
            && self.state != TransactionState::Committed
            && !self.db.is_prepared(&self.name)
        {
            self.give_name();
            // Release it only once: another transaction may use it soon.
            self.name.clear();
        }
    }

    fn give_name(&self) {
        if let Control::Locks { names, .. } = &self.control {
            names.give(&self.name);
        }
    }

    /// Turns the transaction into the one that recovery found prepared under this name. Its keys are locked again,
    /// except those locked by another recovered transaction.
    pub(super) fn restore(&mut self, name: &[u8], section: &WriteBatch) -> Result<()> {
        self.set_name(name)?;
        iterate(section.data(), &mut Rebuild::recovered(self))?;
        if let Control::Locks { owner, .. } = &self.control {
            owner.start_commit();
        }
        self.state = TransactionState::Prepared;
        self.write_options = WriteOptions { sync: true, ..WriteOptions::default() };
        Ok(())
    }
}

/// Returns the reason why a transaction in this state cannot be prepared or committed.
fn ended(state: TransactionState) -> Error {
    Error::invalid_argument(match state {
        TransactionState::Committed => "Transaction has already been committed.",
        TransactionState::RolledBack => "Transaction has already been rolledback.",
        _ => "Transaction is not in state for commit.",
    })
}
