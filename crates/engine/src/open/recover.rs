//! Recovery: replays the WALs that the tables do not cover yet.
//!
//! WALs are read in ascending order of their numbers. A record of a column family is applied only if its WAL is not
//! older than the family's log number. The effect of damage depends on `wal_recovery_mode`; `docs/formats/wal.md` has
//! the table of outcomes. Recovered memtables become level-0 tables, so that the old WALs can be deleted, unless
//! `avoid_flush_during_recovery` keeps both.
//!
//! With `allow_2pc`, every WAL from `min_log_number_to_keep` on is read, because an old one may hold prepared sections
//! even if the tables contain all other records. Without it, a prepared section is an error, as in RocksDB. Here that
//! includes a section in a WAL that no family needs; RocksDB would delete this WAL.

use super::log_header::log_recovery_started;
use super::opening::Opening;
use crate::base::SeqNo;
use crate::batch::{WriteBatch, iterate};
use crate::commit::{DiscardRecords, each_record};
use crate::error::{Error, Result};
use crate::files::list_wals;
use crate::flush::{self, FlushInputs, OutputContext};
use crate::fs::filename;
use crate::hooks::TableFileCreationReason;
use crate::memtable::MemTable;
use crate::options::WalRecoveryMode;
use crate::read::JobSnapshots;
use crate::report::RECOVERY_JOB;
use crate::version::{VersionEdit, VersionSet};
use crate::wal::{LogReader, ReadOutcome};
use crate::write::{MemtableLookup, SectionReplay, Sections, prepared_here};
use std::collections::BTreeMap;
use std::sync::Arc;

/// A family while its WALs are replayed.
pub(super) struct Replayed {
    pub(super) mem: Arc<MemTable>,
    log_number: u64,
    has_tables: bool,
    /// Tables that were written during replay.
    pub(super) edit: VersionEdit,
}

/// The findings of replay.
#[derive(Debug, Default)]
pub(super) struct ReplaySummary {
    pub(super) wals: Vec<u64>,
    pub(super) records: u64,
    pub(super) last_sequence: SeqNo,
    /// The sequence number after the last record.
    next_sequence: Option<SeqNo>,
    /// Where replay stopped because of damage: WAL number and reason. After a tear, point-in-time recovery continues
    /// with the next WAL only if that begins at the sequence number of the tear.
    pub(super) stopped: Option<(u64, String)>,
    /// Whether any WAL was damaged, even if replay continued after the damage.
    pub(super) damaged: bool,
    /// Prepared, undecided sections. Empty without `allow_2pc`.
    pub(super) sections: Sections,
}

/// The result of replaying the WALs.
pub(super) struct Recovered {
    pub(super) families: BTreeMap<u32, Replayed>,
    pub(super) summary: ReplaySummary,
}

/// The memtables for the records of one WAL.
struct ReplayLookup<'a> {
    families: &'a BTreeMap<u32, Replayed>,
    wal_number: u64,
}

impl MemtableLookup for ReplayLookup<'_> {
    fn memtable(&self, column_family: u32) -> Result<Option<&MemTable>> {
        // A dropped family has no state. A family that was flushed after this WAL needs none of its records.
        Ok(self
            .families
            .get(&column_family)
            .filter(|family| self.wal_number >= family.log_number)
            .map(|family| &*family.mem))
    }
}

/// The treatment of memtables that become full during replay.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum WhenFull {
    /// They are flushed to tables.
    Flush,
    /// They keep growing, because nothing can be written or may be written.
    Keep,
}

/// Replays the records that the tables of the recovered versions do not contain.
pub(super) fn recover_wals(
    opening: &Opening,
    versions: &VersionSet,
    when_full: WhenFull,
) -> Result<Recovered> {
    let mut families = BTreeMap::new();
    let last_sequence = versions.counters().last_sequence();
    for (id, stored) in versions.column_families() {
        let data = opening.family(id)?;
        let mem = data.new_memtable(1, last_sequence, opening.families.len(), None);
        let has_tables = stored.current().all_files().next().is_some();
        families.insert(id, Replayed::new(mem, id, stored.log_number(), has_tables));
    }
    let wals = list_wals(&opening.session)?;
    wals.iter().for_each(|&number| versions.counters().mark_file_number_used(number));
    let log_numbers = versions.column_families().map(|(_, stored)| stored.log_number());
    let kept = versions.min_log_number_to_keep();
    let mut oldest = kept;
    if !opening.session.options.allow_2pc {
        oldest = kept.max(log_numbers.min().unwrap_or(0));
        refuse_sections(opening, wals.iter().filter(|number| (kept..oldest).contains(number)))?;
    }
    let needed = wals.into_iter().filter(|&number| number >= oldest).collect();
    let summary = replay(opening, &mut families, needed, last_sequence, when_full)?;
    let log = &opening.session.info_log;
    for wal in &summary.wals {
        log.info(format_args!("Recovered to log #{wal} next seq #{}", summary.last_sequence + 1));
    }
    Ok(Recovered { families, summary })
}

/// Checks that no WAL that would be deleted unread holds a prepared section. All other records of these WALs are in
/// tables, so damage does not matter.
fn refuse_sections<'a>(opening: &Opening, unread: impl Iterator<Item = &'a u64>) -> Result<()> {
    let mut sections = Sections::new();
    for &number in unread {
        each_record(&opening.session, number, |record| {
            let mut replay = SectionReplay::new(&DiscardRecords, 0, Some(&mut sections));
            let _ = iterate(record, &mut replay);
        })?;
        if !sections.is_empty() {
            let path = filename::wal_file_name(&opening.session.wal_dir, number);
            return Err(prepared_here().in_file(&path));
        }
    }
    Ok(())
}

/// Replays these WALs, oldest first, into new memtables.
fn replay(
    opening: &Opening,
    families: &mut BTreeMap<u32, Replayed>,
    wals: Vec<u64>,
    last_sequence: SeqNo,
    when_full: WhenFull,
) -> Result<ReplaySummary> {
    let mut summary = ReplaySummary { last_sequence, ..ReplaySummary::default() };
    let log = &opening.session.info_log;
    if !wals.is_empty() {
        log_recovery_started(log, &wals);
    }
    for number in wals {
        let mode = opening.session.options.wal_recovery_mode as u8;
        log.info(format_args!("Recovering log #{number} mode {mode}"));
        summary.wals.push(number);
        replay_one(opening, families, number, &mut summary, when_full)?;
    }
    if let Some((stopped_at, reason)) = &summary.stopped {
        check_consistent(families, *stopped_at, reason)?;
    }
    Ok(summary)
}

/// Returns an error if replay stopped before a point that some family's tables already include: the result would not be
/// one point in time. A family without tables was created after the damage.
fn check_consistent(
    families: &BTreeMap<u32, Replayed>,
    stopped_at: u64,
    reason: &str,
) -> Result<()> {
    let ahead = |family: &&Replayed| family.has_tables && family.log_number > stopped_at;
    match families.values().find(ahead) {
        Some(_) => Err(Error::corruption(format!(
            "SST file is ahead of WALs: replay stopped in WAL {stopped_at} ({reason})"
        ))),
        None => Ok(()),
    }
}

fn replay_one(
    opening: &Opening,
    families: &mut BTreeMap<u32, Replayed>,
    number: u64,
    summary: &mut ReplaySummary,
    when_full: WhenFull,
) -> Result<()> {
    let path = filename::wal_file_name(&opening.session.wal_dir, number);
    let mode = opening.session.options.wal_recovery_mode;
    let file = opening.session.fs.open_random_access(&path, false)?;
    let mut reader = LogReader::wal(file, number);
    let stop = loop {
        match reader.read_record(mode)? {
            ReadOutcome::Record(record) => {
                let first = WriteBatch::sequence_of(record).map_err(|e| e.in_file(&path))?;
                if summary.stopped.is_some() && summary.next_sequence != Some(first) {
                    return Ok(());
                }
                summary.stopped = None;
                summary.check_order(first).map_err(|e| e.in_file(&path))?;
                let sections = opening.session.options.allow_2pc.then_some(&mut summary.sections);
                let next =
                    apply(families, number, record, sections).map_err(|e| e.in_file(&path))?;
                summary.records += 1;
                summary.next_sequence = Some(next);
                summary.last_sequence = summary.last_sequence.max(next.saturating_sub(1));
                if when_full == WhenFull::Flush {
                    flush_full(opening, families)?;
                }
            }
            ReadOutcome::End => break reader.damage().last().cloned(),
            ReadOutcome::Stop(damage) => break Some(damage),
        }
    };
    if let Some(damage) = stop {
        summary.damaged = true;
        opening.session.info_log.warn(format_args!("{}: {damage}", path.display()));
        if mode == WalRecoveryMode::PointInTimeRecovery {
            summary.stopped = Some((number, damage.to_string()));
        }
    }
    Ok(())
}

impl ReplaySummary {
    /// Checks the order of sequence numbers, which increase within a WAL and from WAL to WAL.
    fn check_order(&self, first: SeqNo) -> Result<()> {
        match self.next_sequence {
            Some(next) if first < next => Err(Error::corruption(format!(
                "sequence number set backwards: expected at least {next}, found {first}"
            ))),
            _ => Ok(()),
        }
    }
}

fn apply(
    families: &BTreeMap<u32, Replayed>,
    wal_number: u64,
    record: &[u8],
    sections: Option<&mut Sections>,
) -> Result<SeqNo> {
    let lookup = ReplayLookup { families, wal_number };
    let mut replay = SectionReplay::new(&lookup, WriteBatch::sequence_of(record)?, sections);
    iterate(record, &mut replay)?;
    replay.finish()
}

/// Flushes full memtables to tables, so that recovery needs no more memory than normal operation.
fn flush_full(opening: &Opening, families: &mut BTreeMap<u32, Replayed>) -> Result<()> {
    for (id, family) in families.iter_mut() {
        if family.mem.should_flush() {
            flush_one(opening, *id, family)?;
        }
    }
    let Some(account) = opening.session.memory() else { return Ok(()) };
    let all = |families: &BTreeMap<u32, Replayed>| -> usize {
        families.values().map(|family| family.mem.approximate_memory_usage()).sum()
    };
    while all(families) > account.shares().memtables() {
        let size = |(_, family): &(&u32, &mut Replayed)| family.mem.approximate_memory_usage();
        let Some((id, family)) = families.iter_mut().max_by_key(size) else { return Ok(()) };
        if family.mem.is_empty() {
            return Ok(());
        }
        flush_one(opening, *id, family)?;
    }
    Ok(())
}

/// Flushes a family's memtable to a table, and gives the family a new memtable.
pub(super) fn flush_one(opening: &Opening, id: u32, family: &mut Replayed) -> Result<()> {
    if family.mem.is_empty() {
        return Ok(());
    }
    let data = opening.family(id)?;
    let earliest = family.mem.earliest_sequence();
    let fresh = data.new_memtable(1, earliest, opening.families.len(), None);
    let full = std::mem::replace(&mut family.mem, fresh);
    full.mark_immutable();
    let out = flush::run(FlushInputs {
        memtables: vec![full],
        snapshots: JobSnapshots::default(),
        output: OutputContext {
            job_id: RECOVERY_JOB,
            reason: TableFileCreationReason::Recovery,
            ..opening.session.output_context(&data)
        },
    })?;
    if let Some(file) = out.file {
        family.edit.add_file(0, Arc::new(file));
    }
    Ok(())
}

impl Recovered {
    /// Returns whether replay wrote tables.
    pub(super) fn made_tables(&self) -> bool {
        self.families.values().any(|family| !family.edit.new_files.is_empty())
    }
}

impl Replayed {
    /// The state of a family before its first record.
    fn new(mem: Arc<MemTable>, id: u32, log_number: u64, has_tables: bool) -> Replayed {
        Replayed { mem, log_number, has_tables, edit: VersionEdit::for_column_family(id) }
    }
}
