//! The change stream: batches from live and archived WALs, from a sequence number on (`GetUpdatesSince`).
//!
//! It returns only data that readers may see, so each record it examines is complete, even in the WAL that is being
//! written. Batches follow each other without a gap. If a WAL is gone, or a write skipped the WAL, the stream ends with
//! an error instead of omitting a change.
//!
//! Prepared sections are not returned before their commit, and markers of two-phase commit are omitted: a batch of the
//! stream can be written to any database.

use crate::base::SeqNo;
use crate::batch::{WriteBatch, section};
use crate::db::Db;
use crate::error::{Code, Error, Result};
use crate::files::wals_among;
use crate::fs::filename;
use crate::options::WalRecoveryMode;
use crate::session::Session;
use crate::stats::{self, Ticker};
use crate::wal::{LogReader, ReadOutcome};
use std::collections::BTreeMap;

/// A WAL of a database, live or archived.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WalFile {
    /// The number in its name.
    pub number: u64,
    /// Whether the WAL was moved to `archive/` because recovery needs none of its records.
    pub archived: bool,
    /// The sequence number of its first batch.
    pub start_sequence: SeqNo,
    /// Its size in bytes.
    pub size_bytes: u64,
}

impl WalFile {
    /// Returns its path below the WAL directory in RocksDB's form: `/000004.log`.
    pub fn path_name(&self) -> String {
        let folder = if self.archived { "/archive" } else { "" };
        format!("{folder}/{:06}.log", self.number)
    }
}

/// An iterator over batches, ordered by sequence number. It is created at the first one.
pub struct TransactionLogIterator {
    db: Db,
    files: Vec<WalFile>,
    at: usize,
    reader: Option<LogReader>,
    /// Batches that end before this sequence number are skipped.
    target: SeqNo,
    /// The last sequence number of the newest batch read.
    last: SeqNo,
    /// Whether a batch was found. After that, a gap is an error.
    started: bool,
    batch: Option<WriteBatch>,
    status: Result<()>,
}

impl Db {
    /// Returns the batches from the one that contains `sequence` on, as far as their WALs exist. The options
    /// `WAL_ttl_seconds` and `WAL_size_limit_MB` keep WALs for longer. The first batch may begin before `sequence`, or
    /// after it if that write is gone; check the batch's number.
    pub fn get_updates_since(&self, sequence: SeqNo) -> Result<TransactionLogIterator> {
        stats::add(&self.core().session.statistics, Ticker::GetUpdatesSinceCalls, 1);
        let inner = self.core();
        inner.session.health.check_open()?;
        if sequence > inner.catalog.order().visible() {
            let message = "Requested sequence not yet written in the db";
            return Err(Error::new(Code::NotFound, message));
        }
        let mut files = self.sorted_wal_files()?;
        let first = files.partition_point(|file| file.start_sequence <= sequence);
        files.drain(..first.saturating_sub(1));
        let mut updates = TransactionLogIterator {
            db: self.clone(),
            files,
            at: 0,
            reader: None,
            target: sequence,
            last: 0,
            started: false,
            batch: None,
            status: Ok(()),
        };
        updates.advance();
        match &updates.status {
            Err(e) if e.code() == Code::TryAgain => updates.status = Ok(()),
            Err(e) => return Err(e.clone()),
            Ok(()) => {}
        }
        Ok(updates)
    }

    /// Returns the WALs that contain batches, oldest first.
    pub fn sorted_wal_files(&self) -> Result<Vec<WalFile>> {
        let session = &self.core().session;
        // List the live ones first: a WAL that is archived meanwhile is then found twice instead of missed.
        let mut archived = BTreeMap::new();
        for number in wal_numbers(session, false)? {
            archived.insert(number, false);
        }
        for number in wal_numbers(session, true)? {
            archived.insert(number, true);
        }
        let mut files = Vec::with_capacity(archived.len());
        for (number, archived) in archived {
            match describe(session, number, archived) {
                Ok(file) => files.extend(file),
                // It was deleted because its time to live was over.
                Err(e) if e.is_path_not_found() => {}
                Err(e) => return Err(e),
            }
        }
        Ok(files)
    }
}

fn wal_numbers(session: &Session, archived: bool) -> Result<Vec<u64>> {
    let dir = match archived {
        true => filename::archive_dir(&session.wal_dir),
        false => session.wal_dir.clone(),
    };
    let names = match session.fs.list_dir(&dir) {
        Err(e) if archived && e.is_path_not_found() => Vec::new(),
        names => names?,
    };
    Ok(wals_among(&names))
}

/// Returns a WAL's size and a reader for it, wherever it is now. It may be moved at any time.
fn open_wal(session: &Session, number: u64) -> Result<(u64, LogReader)> {
    let live = filename::wal_file_name(&session.wal_dir, number);
    let archived = filename::archived_wal_file_name(&session.wal_dir, number);
    let file = match session.fs.open_random_access(&live, false) {
        Err(e) if e.is_path_not_found() => session.fs.open_random_access(&archived, false)?,
        file => file?,
    };
    Ok((file.size(), LogReader::wal(file, number)))
}

/// Describes a WAL; `None` if it contains no batch.
fn describe(session: &Session, number: u64, archived: bool) -> Result<Option<WalFile>> {
    let (size_bytes, mut reader) = open_wal(session, number)?;
    let start_sequence = match reader.read_record(MODE)? {
        ReadOutcome::Record(record) => WriteBatch::sequence_of(record)?,
        ReadOutcome::End | ReadOutcome::Stop(_) => return Ok(None),
    };
    Ok(Some(WalFile { number, archived, start_sequence, size_bytes }))
}

/// A torn tail is a record that is still being written. Anything else is damage.
const MODE: WalRecoveryMode = WalRecoveryMode::TolerateCorruptedTailRecords;

impl TransactionLogIterator {
    /// Returns whether the iterator is at a batch.
    pub fn valid(&self) -> bool {
        self.batch.is_some()
    }

    /// Returns the current batch, which includes its sequence number.
    pub fn batch(&self) -> Option<&WriteBatch> {
        self.batch.as_ref()
    }

    /// Returns the sequence number of the batch.
    pub fn sequence(&self) -> Option<SeqNo> {
        self.batch.as_ref().map(WriteBatch::sequence)
    }

    /// Moves to the next batch. At the end it can be called again when there are new writes.
    pub fn next(&mut self) {
        match &self.status {
            Err(e) if e.code() != Code::TryAgain => self.batch = None,
            _ => self.advance(),
        }
    }

    /// Returns why the iterator ended: `Ok` at the end, `TryAgain` if newer writes are in WALs created after the
    /// iterator, `NotFound` for a gap.
    pub fn status(&self) -> Result<()> {
        self.status.clone()
    }

    fn advance(&mut self) {
        self.batch = None;
        self.status = Ok(());
        match self.next_batch() {
            Ok(batch) => self.batch = batch,
            Err(e) => self.status = Err(e),
        }
    }

    fn next_batch(&mut self) -> Result<Option<WriteBatch>> {
        loop {
            if self.last >= self.newest() {
                return Ok(None);
            }
            let Some(record) = self.next_record()? else {
                let message = "Create a new iterator to fetch the new tail.";
                return Err(Error::new(Code::TryAgain, message));
            };
            let Some(batch) = section::without_sections(record)? else { continue };
            let first = batch.sequence();
            if self.started && first > self.last + 1 {
                return Err(Error::new(Code::NotFound, "Gap in sequence numbers"));
            }
            let last = (first + SeqNo::from(batch.count())).saturating_sub(1);
            self.last = self.last.max(last);
            if last >= self.target {
                self.target = last + 1;
                self.started = true;
                return Ok(Some(batch));
            }
        }
    }

    fn newest(&self) -> SeqNo {
        self.db.core().catalog.order().visible()
    }

    /// Returns the next record of any listed WAL.
    fn next_record(&mut self) -> Result<Option<Vec<u8>>> {
        while let Some(file) = self.files.get(self.at) {
            let session = &self.db.core().session;
            let reader = match &mut self.reader {
                Some(reader) => reader,
                none => none.insert(open_wal(session, file.number)?.1),
            };
            if let Some(record) = read(reader)? {
                return Ok(Some(record));
            }
            // Data that was read ahead may be older than data written since.
            let (_, fresh) = open_wal(session, file.number)?;
            reader.go_on_in(fresh);
            if let Some(record) = read(reader)? {
                return Ok(Some(record));
            }
            if self.at + 1 == self.files.len() {
                return Ok(None);
            }
            self.at += 1;
            self.reader = None;
        }
        Ok(None)
    }
}

fn read(reader: &mut LogReader) -> Result<Option<Vec<u8>>> {
    match reader.read_record(MODE)? {
        ReadOutcome::Record(record) => Ok(Some(record.to_vec())),
        ReadOutcome::End | ReadOutcome::Stop(_) => Ok(None),
    }
}
