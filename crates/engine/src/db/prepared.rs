//! What transactions have prepared: in the WAL, in no memtable, and kept until they are decided.
//!
//! * **P1** The WAL that holds a prepared section is kept until the transaction is decided and the
//!   decision cannot be lost: a commit is in the memtables when the section is forgotten, and the
//!   memtables keep that WAL as if their first record were in it. So where a power failure takes an
//!   unsynced commit, the section that was synced is still there.
//! * **P2** The decision is one WAL record: see `batch/section.rs`.
//! * **P3** Opening copies what is undecided into the new WAL and syncs it, before the MANIFEST lets
//!   the old ones go. Until then both may be read; the copy replaces the older one.
//!
//! Preparing, and ending what is prepared, writes to the WAL whatever `disable_wal` says.

use super::handles::Db;
use super::state::DbInner;
use super::write::Terms;
use crate::base::SeqNo;
use crate::batch::WriteBatch;
use crate::batch::section::prepared_record;
use crate::error::{Code, Error, Result};
use crate::options::WriteOptions;
use crate::session::Session;
use crate::wal::LogWriter;
use crate::write::Sections;

/// What a prepared transaction is written with: it must not fail for want of a log, or since a
/// column family was dropped.
fn logged(wo: &WriteOptions) -> WriteOptions {
    WriteOptions { disable_wal: false, ignore_missing_column_families: true, ..*wo }
}

/// Writes sections to the beginning of a new WAL and waits until the device has them.
pub(super) fn carry_over(
    session: &Session,
    sections: &Sections,
    wal: &mut LogWriter,
    next_sequence: SeqNo,
) -> Result<()> {
    if sections.is_empty() {
        return Ok(());
    }
    for (name, section) in sections {
        let mut section = section.clone();
        section.set_sequence(next_sequence);
        wal.add_record(&prepared_record(&section, name, true))?;
    }
    wal.flush()?;
    wal.sync()?;
    session.fs.sync_dir(&session.wal_dir)
}

impl Db {
    /// Writes a batch to the WAL alone, under this name. It is durable as `wo` says.
    pub(crate) fn prepare(&self, wo: &WriteOptions, name: &[u8], batch: &WriteBatch) -> Result<()> {
        let inner = self.inner();
        let prepared = inner.prepare(&logged(wo), name, batch);
        inner.deliver_events();
        prepared
    }

    /// Decides a prepared transaction: what `batch` holds is written, whatever was prepared.
    pub(crate) fn end_prepared(
        &self,
        wo: &WriteOptions,
        name: &[u8],
        batch: &mut WriteBatch,
    ) -> Result<()> {
        let terms = Terms { check: None, ends: Some(name) };
        self.inner().write(&logged(wo), batch, terms)
    }

    /// Whether the WALs hold something undecided under this name.
    pub(crate) fn is_prepared(&self, name: &[u8]) -> bool {
        self.inner().state.lock().prepared.contains_key(name)
    }

    /// The names under which the WALs hold something undecided.
    pub(crate) fn prepared_names(&self) -> Vec<Vec<u8>> {
        self.inner().state.lock().prepared.keys().cloned().collect()
    }

    /// What recovery found prepared; at the second call nothing.
    pub(crate) fn take_recovered(&self) -> Sections {
        std::mem::take(&mut self.inner().recovered.lock())
    }
}

impl DbInner {
    fn prepare(&self, wo: &WriteOptions, name: &[u8], batch: &WriteBatch) -> Result<()> {
        let bytes = batch.data_size();
        if self.controller.is_active() && !self.wait_in_stall(bytes, wo.no_slowdown) {
            return Err(Error::new(Code::Incomplete, "Write stall"));
        }
        // A commit must not find out what is wrong with it.
        self.check_batch(batch, wo)?;
        let mut record = prepared_record(batch, name, false);
        let mut write = self.write.lock();
        self.check_writable()?;
        if write.user_bytes >= write.next_limit_check {
            self.keep_limits(&mut write)?;
        }
        let next_sequence = write.line.last_allocated() + 1;
        record[..8].copy_from_slice(&next_sequence.to_le_bytes());
        self.append(&mut write, &record)?;
        write.user_bytes += record.len() as u64;
        let (ticket, wal) = (write.ticket, write.wal.log_number());
        // Under the write lock: the WAL is still the live one, which nobody lets go.
        self.state.lock().prepared.insert(name.to_vec(), wal);
        drop(write);
        if wo.sync {
            drop(self.sync_up_to(ticket).inspect_err(|e| self.wal_sync_failed(ticket, e))?);
        }
        Ok(())
    }

    /// From now on the memtables of these families keep the WAL of a section, too. Called under the
    /// write lock, before the commit is inserted.
    pub(super) fn keep_section(&self, name: &[u8], families: &[u32]) {
        let mut state = self.state.lock();
        let Some(wal) = state.prepared.get(name).copied() else { return };
        for id in families {
            if let Some(family) = state.families.get_mut(id) {
                family.mem_wal_number = family.mem_wal_number.min(wal);
            }
        }
    }

    /// The transaction is decided, and its records are inserted.
    pub(super) fn forget_section(&self, name: &[u8]) {
        self.state.lock().prepared.remove(name);
    }
}
