//! SCAN over the keys of a table, and HSCAN over the fields of a hash.
//!
//! Each call continues behind the last key or field of the one before, so that what exists during the whole iteration
//! is returned. Keys are in the order of partitions, and within one by length and bytes; the partition is in the
//! cursor.

use super::evaluation::Evaluation;
use super::hashes::hash;
use crate::pegasus::multi::{KEYS_END, whole_hash_key};
use crate::redis::args::Args;
use crate::redis::cursors::{Cursors, Scanned};
use crate::redis::failure::Done;
use crate::redis::scanning::{ScanOptions, parse_cursor, reply_scan};
use crate::resp::Reply;
use crate::rows::pegasus::split_key;
use crate::rows::redis::RowKey;
use crate::store::{Partition, Range};

/// The rows that one call of SCAN looks at, at most, whatever its COUNT: those of large hashes are jumped over.
const ROWS_MAX: usize = 100_000;

pub(super) fn hscan(evaluation: &mut Evaluation<'_>, args: Args<'_>) -> Done {
    let cursor = parse_cursor(args.at(2))?;
    let options = ScanOptions::parse(args, 3)?;
    let place = hash(evaluation, args.at(1), &[])?;
    let scanned = Scanned::Elements(place.at.0, place.key);
    let last = if cursor == 0 { None } else { evaluation.cursors.resume(scanned, cursor) };
    let (mut elements, mut count, mut visited) = (Reply::new(evaluation.out.protocol), 0, 0);
    let mut latest = Vec::new();
    let has_more =
        evaluation.fields_behind(&place, &last.unwrap_or_default(), |name, value, _| {
            if visited == options.count {
                return false;
            }
            visited += 1;
            latest = name.to_vec();
            if options.matches(name) {
                elements.bulk(name);
                if !options.no_values {
                    elements.bulk(value.data);
                }
                count += if options.no_values { 1 } else { 2 };
            }
            true
        })?;
    let next = if has_more { evaluation.cursors.save(scanned, 0, latest) } else { 0 };
    reply_scan(evaluation.out, next, count, &elements);
    Ok(())
}

pub(super) fn scan(evaluation: &mut Evaluation<'_>, args: Args<'_>) -> Done {
    let cursor = parse_cursor(args.at(1))?;
    let options = ScanOptions::parse(args, 2)?;
    let table = evaluation.shared.table;
    let scanned = Scanned::Keys(table.app_id as u32);
    let mut position = Position { partition: 0, start: RowKey::new() };
    if cursor != 0 {
        let start = evaluation.cursors.resume(scanned, cursor).unwrap_or_default();
        position = Position {
            partition: i32::from(Cursors::slot(cursor)),
            start: RowKey::from_vec(start),
        };
    }
    let mut page = Page { visited: 0, rows: 0, keys: Vec::new() };
    while let Some(at) = table.at(position.partition)
        && !page.is_full(&options)
    {
        evaluation.scan_partition(at, &options, &mut position, &mut page)?;
    }
    let next = match table.at(position.partition) {
        Some(_) => {
            let start = position.start.into_vec();
            evaluation.cursors.save(scanned, position.partition as u16, start)
        }
        None => 0,
    };
    let mut elements = Reply::new(evaluation.out.protocol);
    page.keys.iter().for_each(|key| elements.bulk(key));
    reply_scan(evaluation.out, next, page.keys.len(), &elements);
    Ok(())
}

/// Where a scan goes on: at the first row of a partition that it has not looked at.
struct Position {
    partition: i32,
    start: RowKey,
}

/// What one call of SCAN found.
struct Page {
    /// Keys that were looked at.
    visited: usize,
    /// Rows that were looked at.
    rows: usize,
    /// Keys that the options let pass.
    keys: Vec<Vec<u8>>,
}

impl Page {
    fn is_full(&self, options: &ScanOptions<'_>) -> bool {
        self.visited >= options.count || self.rows >= ROWS_MAX
    }
}

impl Evaluation<'_> {
    /// Looks at keys of a partition until the page is full. At the end of the partition, the position is the next one.
    fn scan_partition(
        &mut self,
        at: Partition,
        options: &ScanOptions<'_>,
        position: &mut Position,
        page: &mut Page,
    ) -> Done {
        let range = Range { start: position.start.clone(), end: RowKey::from_slice(&KEYS_END) };
        let store = &self.shared.service.store;
        let mut cursor = store.cursor(at, &range, None)?;
        cursor.seek_to_end(false);
        while let Some((raw, stored)) = cursor.item() {
            if page.is_full(options) {
                position.start = RowKey::from_slice(raw);
                return Ok(());
            }
            page.rows += 1;
            let (key, sort_key) = split_key(raw).unwrap_or_default();
            // Rows with an empty hash key are no keys of Redis, except the string of the empty key.
            let is_key = !key.is_empty() || sort_key.is_empty();
            if is_key && self.live(raw, stored)?.is_none() {
                cursor.step(false);
                continue;
            }
            if is_key {
                page.visited += 1;
                let ty: &[u8] = if sort_key.is_empty() { b"string" } else { b"hash" };
                let is_of_type = options.type_name.is_none_or(|name| name.eq_ignore_ascii_case(ty));
                if is_of_type && options.matches(key) {
                    page.keys.push(key.to_vec());
                }
            }
            let behind = whole_hash_key(key).end;
            // Most keys have one row; the others are jumped over.
            cursor.step(false);
            if cursor.item().is_some_and(|(raw, _)| raw < &behind[..]) {
                cursor.seek(&behind);
            }
        }
        cursor.status()?;
        *position = Position { partition: position.partition + 1, start: RowKey::new() };
        Ok(())
    }
}
