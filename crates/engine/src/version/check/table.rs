//! One table against its metadata.

use super::{Checked, Fault};
use crate::base::key::{ParsedInternalKey, sequence, user_key};
use crate::base::{InternalIterator, KeyOrder, MAX_SEQUENCE_NUMBER, SeqNo, ValueType};
use crate::error::Error;
use crate::rangedel::Fragments;
use crate::sst::{Table, TableIterOptions, TableProperties};
use crate::version::{FileMeta, FileStats, TableCache};
use std::fmt::Debug;
use std::path::PathBuf;
use std::sync::Arc;

/// The entries of one user key in one table or memtable.
#[derive(Debug)]
pub(super) struct KeySpan {
    pub(super) user_key: Vec<u8>,
    pub(super) newest: SeqNo,
    pub(super) oldest: SeqNo,
}

/// What is in a table.
#[derive(Default)]
pub(super) struct Content {
    pub(super) keys: Vec<KeySpan>,
    /// Inside the file's boundaries (G2 of `rangedel`).
    pub(super) tombstones: Option<Arc<Fragments>>,
}

/// A table that is checked.
struct Checker<'a> {
    path: PathBuf,
    file: &'a FileMeta,
    order: &'a KeyOrder,
}

/// What a scan of the entries found.
#[derive(Default)]
struct Scan {
    keys: Vec<KeySpan>,
    /// Internal keys; empty if there are no entries.
    first: Vec<u8>,
    last: Vec<u8>,
    entries: u64,
    deletions: u64,
    key_bytes: u64,
    value_bytes: u64,
}

/// Reads a whole table and compares it with its metadata.
pub(super) fn check(file: &FileMeta, tables: &TableCache, order: &KeyOrder) -> Checked<Content> {
    let known = file.known_stats();
    let table = tables.open_apart(file).map_err(Fault::Unreadable)?;
    table.verify_checksums().map_err(Fault::Unreadable)?;
    let checker = Checker { path: tables.path(file), file, order };
    let scan = checker.scan(&table)?;
    let tombstones = table.range_tombstones().cloned();
    checker.check_boundaries(&scan, tombstones.as_deref())?;
    let p = table.properties();
    checker.check_sequences(&scan, tombstones.as_deref(), p)?;
    let counts = FileStats::of(p);
    checker.expect("counts of entries", &known.unwrap_or(counts), &counts)?;
    // Tables of old releases do not count.
    if p.num_entries > 0 {
        checker.check_counts(&scan, p, matches!(*table, Table::BlockBased(_)))?;
    }
    Ok(Content { keys: scan.keys, tombstones })
}

impl Checker<'_> {
    fn expect<T: Debug + PartialEq>(&self, what: &str, expected: &T, found: &T) -> Checked {
        if expected == found {
            return Ok(());
        }
        Err(self.wrong(&format!("{what}: expected {expected:?}, found {found:?}")))
    }

    fn wrong(&self, what: &str) -> Fault {
        let text = format!("table {}: {what}", self.path.display());
        Fault::Wrong(Error::corruption(text).about_file(&self.path))
    }

    fn scan(&self, table: &Arc<Table>) -> Checked<Scan> {
        let whole =
            TableIterOptions { total_order: true, for_compaction: true, ..Default::default() };
        let mut iter = table.iter(&whole);
        let mut scan = Scan::default();
        iter.seek_to_first();
        while iter.valid() {
            let key = iter.key();
            let parsed = ParsedInternalKey::parse(key)
                .map_err(|e| Fault::Unreadable(e.in_file(&self.path)))?;
            if scan.entries == 0 {
                scan.first = key.to_vec();
            } else if self.order.compare(&scan.last, key).is_ge() {
                let (before, after) = (text(&scan.last), text(key));
                return Err(
                    self.wrong(&format!("expected ascending keys, found {after} behind {before}"))
                );
            }
            scan.add(self.order, key, &parsed, iter.value());
            iter.next();
        }
        iter.status().map_err(Fault::Unreadable)?;
        Ok(scan)
    }

    /// Each boundary is that of an entry or of a range tombstone, whichever reaches further.
    fn check_boundaries(&self, scan: &Scan, tombstones: Option<&Fragments>) -> Checked {
        let order = self.order;
        let has_entries = scan.entries > 0;
        let begin = tombstones.and_then(|t| t.get(0)).map(|fragment| fragment.begin);
        let end = tombstones.and_then(|t| t.get(t.len().checked_sub(1)?)).map(|f| f.end);
        let smallest = &self.file.smallest;
        match begin.filter(|b| !has_entries || order.compare_user(b, user_key(&scan.first)).is_le())
        {
            Some(begin) if order.equal_user(begin, user_key(smallest)) => {}
            Some(begin) => return self.expect("smallest key", &text(smallest), &bytes(begin)),
            None => self.expect("smallest key", &text(smallest), &text(&scan.first))?,
        }
        let largest = &self.file.largest;
        let is_last =
            |e: &&[u8]| !has_entries || order.compare_user(e, user_key(&scan.last)).is_gt();
        match end.filter(is_last) {
            None => self.expect("largest key", &text(largest), &text(&scan.last)),
            // Tombstones that reach beyond the last entry were cut off right behind it.
            Some(_) if has_entries && *largest == scan.last => Ok(()),
            Some(end) if order.equal_user(end, user_key(largest)) => self.expect(
                "largest key: its sequence number",
                &MAX_SEQUENCE_NUMBER,
                &sequence(largest),
            ),
            Some(end) => self.expect("largest key", &text(largest), &bytes(end)),
        }
    }

    /// The sequence numbers of the metadata are the extreme ones. Where tombstones were cut off, they may have had
    /// these.
    fn check_sequences(
        &self,
        scan: &Scan,
        tombstones: Option<&Fragments>,
        properties: &TableProperties,
    ) -> Checked {
        let seqs = || tombstones.into_iter().flat_map(|t| t.tombstones()).map(|t| t.seq);
        let oldest = scan.keys.iter().map(|k| k.oldest).chain(seqs()).min().unwrap_or(0);
        let newest = scan.keys.iter().map(|k| k.newest).chain(seqs()).max().unwrap_or(0);
        let known = (self.file.smallest_seqno, self.file.largest_seqno);
        if properties.num_range_deletions == seqs().count() as u64 {
            return self.expect("sequence numbers", &known, &(oldest, newest));
        }
        if oldest < known.0 || newest > known.1 {
            return Err(self.wrong(&format!(
                "sequence numbers: expected all in {known:?}, found {:?}",
                (oldest, newest)
            )));
        }
        Ok(())
    }

    fn check_counts(&self, scan: &Scan, p: &TableProperties, sizes: bool) -> Checked {
        let ranges = p.num_range_deletions;
        self.expect("entries", &p.num_entries, &(scan.entries + ranges))?;
        self.expect("tombstones", &p.num_deletions, &(scan.deletions + ranges))?;
        // Other formats count what the file needs for keys and values.
        if sizes && ranges == 0 {
            self.expect("bytes of keys", &p.raw_key_size, &scan.key_bytes)?;
            self.expect("bytes of values", &p.raw_value_size, &scan.value_bytes)?;
        }
        Ok(())
    }
}

impl Scan {
    fn add(&mut self, order: &KeyOrder, key: &[u8], parsed: &ParsedInternalKey<'_>, value: &[u8]) {
        self.last.clear();
        self.last.extend_from_slice(key);
        self.entries += 1;
        self.deletions += u64::from(matches!(
            parsed.value_type,
            ValueType::Deletion | ValueType::SingleDeletion | ValueType::DeletionWithTimestamp
        ));
        self.key_bytes += key.len() as u64;
        self.value_bytes += value.len() as u64;
        add_to(&mut self.keys, order, parsed.user_key, parsed.sequence);
    }
}

/// Adds an entry that comes next in the order of internal keys.
pub(super) fn add_to(keys: &mut Vec<KeySpan>, order: &KeyOrder, user_key: &[u8], seq: SeqNo) {
    match keys.last_mut() {
        Some(last) if order.equal_user(&last.user_key, user_key) => {
            last.newest = last.newest.max(seq);
            last.oldest = last.oldest.min(seq);
        }
        _ => keys.push(KeySpan { user_key: user_key.to_vec(), newest: seq, oldest: seq }),
    }
}

/// A user key as messages have it.
pub(super) fn bytes(user_key: &[u8]) -> String {
    format!("'{}'", user_key.escape_ascii())
}

/// An internal key as messages have it.
fn text(key: &[u8]) -> String {
    if key.is_empty() {
        return "no key".to_owned();
    }
    let (kind, user_key) = (crate::base::key::trailer(key) as u8, user_key(key));
    format!("'{}' @ {} of type {kind}", user_key.escape_ascii(), sequence(key))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::version::testing::{Tables, ikey};

    #[test]
    fn counts_that_properties_have_wrong_are_found() {
        let tables = Tables::new();
        let file = tables.write(4, &[(ikey("a", 5), b"v".to_vec())]);
        let (order, path) = (KeyOrder::bytewise(), PathBuf::from("/db/000004.sst"));
        let checker = Checker { path, file: &file, order: &order };
        let table = tables.cache(None).open_apart(&file).unwrap();
        let scan = checker.scan(&table).unwrap_or_else(|_| panic!("a table that can be read"));
        let right = table.properties();
        let message = |change: fn(&mut TableProperties)| {
            let mut properties = right.clone();
            change(&mut properties);
            match checker.check_counts(&scan, &properties, true) {
                Err(Fault::Wrong(error)) => error.message().to_owned(),
                other => panic!("expected an error, found {other:?}"),
            }
        };
        assert!(checker.check_counts(&scan, right, true).is_ok());
        let expected = "table /db/000004.sst: entries: expected 2, found 1";
        assert_eq!(message(|p| p.num_entries = 2), expected);
        assert!(message(|p| p.num_deletions = 1).ends_with("tombstones: expected 1, found 0"));
        assert!(message(|p| p.raw_key_size = 8).ends_with("bytes of keys: expected 8, found 9"));
        assert!(message(|p| p.raw_value_size = 0).ends_with("of values: expected 0, found 1"));
    }
}
