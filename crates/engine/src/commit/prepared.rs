//! Prepared transactions: their sections are in the WAL but in no memtable, and are kept until they are decided.
//!
//! * **PS1** The WAL that holds a prepared section is kept until the transaction is decided and the decision cannot be
//!   lost. When the section is forgotten, the commit is already in the memtables, and these memtables keep the WAL
//!   until they are flushed. So if a power failure loses an unsynced commit, the synced section is still there.
//! * **PS2** The decision is one WAL record: see `batch/section.rs`.
//! * **PS3** Opening copies undecided sections into the new WAL and syncs it before the MANIFEST releases the old WALs.
//!   Until then recovery may read both copies; the newer copy replaces the older one.
//!
//! Preparing and deciding a transaction write to the WAL regardless of `disable_wal`.

use super::queue::CommitQueue;
use crate::base::SeqNo;
use crate::batch::section::prepared_record;
use crate::batch::{WriteBatch, iterate};
use crate::error::{Code, Error, Result};
use crate::fs::filename;
use crate::memtable::MemTable;
use crate::options::{WalRecoveryMode, WriteOptions};
use crate::session::Session;
use crate::wal::{LogReader, LogWriter, ReadOutcome};
use crate::write::{MemtableLookup, SectionReplay, Sections};

/// Returns the write options for a prepared transaction. They ignore `disable_wal` and dropped column families, so that
/// neither can make the write fail.
pub(crate) fn logged(wo: &WriteOptions) -> WriteOptions {
    WriteOptions { disable_wal: false, ignore_missing_column_families: true, ..*wo }
}

/// Writes sections to the beginning of a new WAL and syncs it.
pub(crate) fn carry_over(
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

/// A memtable lookup that finds no memtable, so that all records are ignored.
pub(crate) struct DiscardRecords;

impl MemtableLookup for DiscardRecords {
    fn memtable(&self, _column_family: u32) -> Result<Option<&MemTable>> {
        Ok(None)
    }
}

/// Returns everything that was prepared in a WAL, including sections that were decided in the same WAL.
pub(crate) fn sections_in_wal(session: &Session, number: u64) -> Result<Sections> {
    let mut sections = Sections::new();
    each_record(session, number, |record| {
        let mut of_record = Sections::new();
        let mut replay = SectionReplay::new(&DiscardRecords, 0, Some(&mut of_record));
        let _ = iterate(record, &mut replay);
        drop(replay);
        sections.append(&mut of_record);
    })?;
    Ok(sections)
}

/// Reads all records of a WAL, skipping damaged ones.
pub(crate) fn each_record(
    session: &Session,
    number: u64,
    mut take: impl FnMut(&[u8]),
) -> Result<()> {
    let path = filename::wal_file_name(&session.wal_dir, number);
    let mut reader = LogReader::wal(session.fs.open_random_access(&path, false)?, number);
    while let ReadOutcome::Record(record) =
        reader.read_record(WalRecoveryMode::SkipAnyCorruptedRecords)?
    {
        take(record);
    }
    Ok(())
}

impl CommitQueue {
    /// Writes a batch to the WAL only, under this name. It is durable as `wo` requires.
    pub(crate) fn prepare(&self, wo: &WriteOptions, name: &[u8], batch: &WriteBatch) -> Result<()> {
        let bytes = batch.data_size();
        if self.catalog.controller().is_active() && !self.wait_in_stall(bytes, wo.no_slowdown) {
            return Err(Error::new(Code::Incomplete, "Write stall"));
        }
        // Check now, so that a later commit cannot fail for this reason.
        self.check_batch(batch, wo)?;
        let mut record = prepared_record(batch, name, false);
        let mut write = self.write.lock();
        self.session.health.check_writable()?;
        if write.user_bytes >= write.next_limit_check {
            self.keep_limits(&mut write)?;
        }
        let next_sequence = write.turns.last_allocated() + 1;
        record[..8].copy_from_slice(&next_sequence.to_le_bytes());
        self.append(&mut write, &record)?;
        write.user_bytes += record.len() as u64;
        let (ticket, wal) = (write.ticket, write.wal.log_number());
        // Under the write lock, this WAL is still the live one, which is never released.
        self.catalog.state().wals.prepare(name, wal);
        drop(write);
        if wo.sync {
            let synced = self.sync_up_to(ticket).inspect_err(|e| {
                self.wal_sync_failed(ticket, e);
                // The caller treats the transaction as not prepared, and nothing could decide it, so its name is free
                // again. The section may nevertheless be present after a crash.
                self.forget_section(name);
            });
            drop(synced?);
        }
        Ok(())
    }

    /// Makes the memtables of these families keep the WAL of a section as well. Call it under the write lock, before
    /// the commit is inserted.
    pub(crate) fn keep_section(&self, name: &[u8], families: &[u32]) {
        let mut state = self.catalog.state();
        let Some(wal) = state.wals.holder_of(name) else { return };
        for id in families {
            if let Some(family) = state.families.get_mut(id) {
                family.mem_wal_number = family.mem_wal_number.min(wal);
            }
        }
    }

    /// Forgets a section: the transaction is decided, and its records are inserted.
    pub(crate) fn forget_section(&self, name: &[u8]) {
        self.catalog.state().wals.forget(name);
    }
}
