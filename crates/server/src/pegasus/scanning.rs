//! Scans of a partition: GET_SCANNER, SCAN, CLEAR_SCANNER.

use super::call::{BYTES_MAX, Call, key_value, range};
use super::check::Filter;
use super::multi::KEYS_END;
use super::scans::{Scan, Scans};
use crate::error::Result;
use crate::rows::pegasus::{key, split_key};
use crate::rows::redis::RowKey;
use crate::store::Range;
use crate::thrift::request::{GetScanner, KeyValue};
use crate::thrift::response::{ScanReply, status};
use crate::thrift::{partition_hash, partition_of};

/// The maximum number of rows of an answer, and of rows that one call looks at.
const BATCH_MAX: usize = 1000;
/// The context id that says that nothing is left.
const COMPLETED: i64 = -1;

/// The rows of one answer.
#[derive(Default)]
struct Found {
    kvs: Vec<KeyValue<'static>>,
    count: usize,
    /// The key at which the scan goes on.
    next: Option<Vec<u8>>,
}

impl<'a> Call<'a> {
    /// Begins a scan.
    pub(super) fn on_get_scanner(
        &self,
        request: &GetScanner<'_>,
        scans: &Scans,
    ) -> Result<ScanReply<'a>> {
        match self.scan_of(request) {
            Some(scan) => self.scan_on(scan, scans),
            None => Ok(self.reply(status::INVALID_ARGUMENT)),
        }
    }

    /// Goes on with a scan, whose id is used up.
    pub(super) fn on_scan(&self, id: i64, scans: &Scans) -> Result<ScanReply<'a>> {
        let now_us = self.clock.monotonic_us();
        match scans.take(id, self.table.app_id, self.partition, now_us) {
            Some(scan) => self.scan_on(scan, scans),
            None => Ok(self.reply(status::NOT_FOUND)),
        }
    }

    /// Ends a scan.
    pub(super) fn on_clear_scanner(&self, id: i64, scans: &Scans) {
        scans.take(id, self.table.app_id, self.partition, self.clock.monotonic_us());
    }

    /// Returns the scan that a request asks for; `None` if a filter is unknown.
    fn scan_of(&self, request: &GetScanner<'_>) -> Option<Scan> {
        let hash_filter =
            Filter::new(request.hash_key_filter_type, &request.hash_key_filter_pattern)?;
        let sort_filter =
            Filter::new(request.sort_key_filter_type, &request.sort_key_filter_pattern)?;
        let mut wanted = range(
            &request.start_key,
            request.start_inclusive,
            &request.stop_key,
            request.stop_inclusive,
        );
        // Longer hash keys are greater, whatever they begin with: the prefix bounds only the start.
        if let Some(prefix) = hash_filter.prefix().filter(|p| p.len() < usize::from(u16::MAX)) {
            wanted.start = wanted.start.max(RowKey::from_vec(key(prefix, b"")));
        }
        wanted.end = wanted.end.min(RowKey::from_slice(&KEYS_END));
        let batch = usize::try_from(request.batch_size).unwrap_or(0);
        Some(Scan {
            app_id: self.table.app_id,
            partition: self.partition,
            start: wanted.start.into_vec(),
            end: wanted.end.into_vec(),
            batch: if batch == 0 { BATCH_MAX } else { batch.min(BATCH_MAX) },
            no_value: request.no_value,
            only_count: request.only_return_count.unwrap_or(false),
            with_expiry: request.return_expire_ts.unwrap_or(false),
            validates_hash: request.validate_partition_hash.unwrap_or(true),
            hash_filter,
            sort_filter,
        })
    }

    /// Returns the next rows of a scan, and keeps the scan if there are more.
    fn scan_on(&self, mut scan: Scan, scans: &Scans) -> Result<ScanReply<'a>> {
        let found = self.find(&scan)?;
        let mut reply: ScanReply<'a> = self.reply(status::OK);
        reply.kvs = found.kvs;
        if scan.only_count {
            reply.kv_count = Some(found.count as i32);
        }
        reply.context_id = match found.next {
            None => COMPLETED,
            Some(next) => {
                scan.start = next;
                scans.put(scan, self.clock.monotonic_us())
            }
        };
        Ok(reply)
    }

    /// Reads rows until a limit is hit. No limit is an error: the scan goes on where it stopped.
    fn find(&self, scan: &Scan) -> Result<Found> {
        let mut found = Found::default();
        if scan.start >= scan.end {
            return Ok(found);
        }
        let range =
            Range { start: RowKey::from_slice(&scan.start), end: RowKey::from_slice(&scan.end) };
        let mut cursor = self.store.cursor(self.at, &range, None)?;
        let mut limits = self.limits(BATCH_MAX, BYTES_MAX);
        cursor.seek_to_end(false);
        while let Some((raw, stored)) = cursor.item() {
            if found.count >= scan.batch || !limits.admit_row() {
                found.next = Some(raw.to_vec());
                break;
            }
            if self.is_wanted(scan, raw)
                && let Some(value) = self.live(raw, stored)?
            {
                found.count += 1;
                if !scan.only_count {
                    let data = (!scan.no_value).then_some(value.data);
                    let row = key_value(raw, data, scan.with_expiry.then_some(value.expiry));
                    limits.add_bytes(row.key.len() + row.value.len());
                    found.kvs.push(row);
                }
            }
            cursor.step(false);
        }
        cursor.status()?;
        Ok(found)
    }

    /// Returns whether the filters let a key pass, and the key belongs to this partition if that is to be checked.
    fn is_wanted(&self, scan: &Scan, raw: &[u8]) -> bool {
        let Some((hash_key, sort_key)) = split_key(raw) else { return false };
        let is_ours = || {
            let place = partition_of(partition_hash(hash_key, sort_key), self.table.count());
            i32::try_from(place) == Ok(self.partition)
        };
        scan.hash_filter.matches(hash_key)
            && scan.sort_filter.matches(sort_key)
            && (!scan.validates_hash || is_ours())
    }
}
