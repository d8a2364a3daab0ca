//! Operations on several rows: MULTI_PUT, MULTI_REMOVE, MULTI_GET, BATCH_GET, SORTKEY_COUNT.

use super::call::{BYTES_MAX, Call, Limits, ROWS_MAX, Refused, key_value, range};
use super::check::Filter;
use crate::error::Result;
use crate::rows::pegasus::{HASH_KEY_MAX, after_prefix, key, split_key};
use crate::rows::redis::RowKey;
use crate::store::{Mode, Range};
use crate::thrift::request::{BatchGet, FullKey, KeyValue, MultiGet, MultiPut, MultiRemove};
use crate::thrift::response::{
    BatchGetReply, Count, FullData, MultiGetReply, MultiRemoveReply, Update, status,
};

/// Rows that are looked up at once.
const LOOK_UPS: usize = 256;

/// The end of all keys: a length of the hash key that no row has.
pub(super) const KEYS_END: [u8; 2] = [0xff, 0xff];

impl<'a> Call<'a> {
    /// Checks a hash key of an operation on several rows. Such an operation cannot have an empty hash key, because its
    /// rows would belong to several partitions.
    fn check_hash_key(&self, hash_key: &[u8]) -> Refused<bool> {
        if hash_key.is_empty() || hash_key.len() > HASH_KEY_MAX {
            return Ok(false);
        }
        self.check_place(hash_key, b"")?;
        Ok(true)
    }

    /// Writes rows of one hash key.
    pub(super) fn on_multi_put(&mut self, request: &MultiPut<'_>) -> Refused<Result<Update<'a>>> {
        let expiry = self.expiry(request.expire_ts_seconds);
        let is_valid = self.check_hash_key(&request.hash_key)? && !request.kvs.is_empty();
        let Some(expiry) = expiry.filter(|_| is_valid) else {
            return Ok(Ok(self.reply(status::INVALID_ARGUMENT)));
        };
        let _latch = self.latch(&request.hash_key, Mode::Exclusive);
        let written = request
            .kvs
            .iter()
            .try_for_each(|row| self.put(&key(&request.hash_key, &row.key), &row.value, expiry));
        Ok(written.and_then(|()| self.updated()))
    }

    /// Deletes rows of one hash key. The count in the answer is that of the request.
    pub(super) fn on_multi_remove(
        &mut self,
        request: &MultiRemove<'_>,
    ) -> Refused<Result<MultiRemoveReply<'a>>> {
        if !self.check_hash_key(&request.hash_key)? || request.sort_keys.is_empty() {
            return Ok(Ok(self.reply(status::INVALID_ARGUMENT)));
        }
        let _latch = self.latch(&request.hash_key, Mode::Exclusive);
        let mut sort_keys = request.sort_keys.iter();
        let deleted = sort_keys.try_for_each(|k| self.delete(&key(&request.hash_key, k)));
        let count = request.sort_keys.len() as i64;
        Ok(deleted.and_then(|()| {
            let decree = self.commit()?;
            Ok(MultiRemoveReply { count, decree, ..self.reply(status::OK) })
        }))
    }

    /// Reads rows of one hash key: the given ones, or a range.
    pub(super) fn on_multi_get(
        &self,
        request: &MultiGet<'_>,
    ) -> Refused<Result<MultiGetReply<'a>>> {
        let filter = Filter::new(request.sort_key_filter_type, &request.sort_key_filter_pattern);
        let is_valid = self.check_hash_key(&request.hash_key)?;
        let Some(filter) = filter.filter(|_| is_valid) else {
            return Ok(Ok(self.reply(status::INVALID_ARGUMENT)));
        };
        let rows = match request.sort_keys.is_empty() {
            true => self.multi_get_range(request, &filter),
            false => self.multi_get_keys(request),
        };
        Ok(rows.map(|(kvs, is_complete)| {
            let error = if is_complete { status::OK } else { status::INCOMPLETE };
            MultiGetReply { kvs, ..self.reply(error) }
        }))
    }

    /// Returns the live rows among the asked ones in the order of the request, and whether these are all.
    fn multi_get_keys(&self, request: &MultiGet<'_>) -> Result<(Vec<KeyValue<'a>>, bool)> {
        let (rows_max, bytes_max) = maxima(request);
        // Writers of this hash key wait, so that all chunks are read as of one moment.
        let _latch = self.latch(&request.hash_key, Mode::Shared);
        let (mut kvs, mut bytes) = (Vec::new(), 0);
        for sort_keys in request.sort_keys.chunks(LOOK_UPS) {
            let raw = |sort_key: &[u8]| RowKey::from_vec(key(&request.hash_key, sort_key));
            let keys: Vec<_> = sort_keys.iter().map(|k| (self.at, raw(k))).collect();
            for ((sort_key, (_, raw)), stored) in
                sort_keys.iter().zip(&keys).zip(self.store.multi_get(&keys)?)
            {
                let Some(stored) = stored else { continue };
                let Some(value) = self.live(raw, &stored)? else { continue };
                if kvs.len() >= rows_max || bytes >= bytes_max {
                    return Ok((kvs, false));
                }
                let row = key_value(sort_key, (!request.no_value).then_some(value.data), None);
                bytes += (row.key.len() + row.value.len()) as u64;
                kvs.push(row);
            }
        }
        Ok((kvs, true))
    }

    /// Returns the live rows of a range in ascending order, and whether these are all.
    fn multi_get_range(
        &self,
        request: &MultiGet<'_>,
        filter: &Filter,
    ) -> Result<(Vec<KeyValue<'a>>, bool)> {
        let range = multi_get_range_of(request, filter);
        if range.start >= range.end {
            return Ok((Vec::new(), true));
        }
        let (rows_max, bytes_max) = maxima(request);
        let mut limits = self.limits(ROWS_MAX, bytes_max);
        let mut cursor = self.store.cursor(self.at, &range, None)?;
        cursor.seek_to_end(request.reverse);
        let (mut kvs, mut is_complete) = (Vec::new(), true);
        while let Some((raw, stored)) = cursor.item() {
            if kvs.len() >= rows_max || !limits.admit_row() {
                is_complete = false;
                break;
            }
            let sort_key = split_key(raw).map_or(&b""[..], |(_, sort_key)| sort_key);
            if filter.matches(sort_key)
                && let Some(value) = self.live(raw, stored)?
            {
                let row = key_value(sort_key, (!request.no_value).then_some(value.data), None);
                limits.add_bytes(row.key.len() + row.value.len());
                kvs.push(row);
            }
            cursor.step(request.reverse);
        }
        cursor.status()?;
        if request.reverse {
            kvs.reverse();
        }
        Ok((kvs, is_complete))
    }

    /// Reads rows of any hash keys of this partition.
    pub(super) fn on_batch_get(
        &self,
        request: &BatchGet<'_>,
    ) -> Refused<Result<BatchGetReply<'a>>> {
        let is_valid = |key: &FullKey<'_>| key.hash_key.len() <= HASH_KEY_MAX;
        if request.keys.is_empty() || !request.keys.iter().all(is_valid) {
            return Ok(Ok(self.reply(status::INVALID_ARGUMENT)));
        }
        request.keys.iter().try_for_each(|key| self.check_place(&key.hash_key, &key.sort_key))?;
        Ok(self.batch_get(&request.keys))
    }

    fn batch_get(&self, wanted: &[FullKey<'_>]) -> Result<BatchGetReply<'a>> {
        let (mut data, mut bytes) = (Vec::new(), 0);
        for wanted in wanted.chunks(LOOK_UPS) {
            let raw = |k: &FullKey<'_>| RowKey::from_vec(key(&k.hash_key, &k.sort_key));
            let keys: Vec<_> = wanted.iter().map(|key| (self.at, raw(key))).collect();
            for ((key, (_, raw)), stored) in
                wanted.iter().zip(&keys).zip(self.store.multi_get(&keys)?)
            {
                let Some(stored) = stored else { continue };
                let Some(value) = self.live(raw, &stored)? else { continue };
                if bytes >= BYTES_MAX {
                    return Ok(BatchGetReply { data, ..self.reply(status::INCOMPLETE) });
                }
                bytes += (raw.len() + value.data.len()) as u64;
                data.push(FullData {
                    hash_key: key.hash_key.to_vec().into(),
                    sort_key: key.sort_key.to_vec().into(),
                    value: value.data.to_vec().into(),
                });
            }
        }
        Ok(BatchGetReply { data, ..self.reply(status::OK) })
    }

    /// Counts the live rows of a hash key; -1 if the time limit is hit.
    pub(super) fn on_sortkey_count(&self, hash_key: &[u8]) -> Refused<Result<Count<'a>>> {
        if !self.check_hash_key(hash_key)? {
            return Ok(Ok(self.reply(status::INVALID_ARGUMENT)));
        }
        let limits = self.limits(usize::MAX, BYTES_MAX);
        let count = self.count(&whole_hash_key(hash_key), limits);
        Ok(count.map(|count| Count { count: count.unwrap_or(-1), ..self.reply(status::OK) }))
    }

    /// Counts the live rows of a range; `None` if a limit is hit.
    fn count(&self, range: &Range, mut limits: Limits<'_>) -> Result<Option<i64>> {
        let mut cursor = self.store.cursor(self.at, range, None)?;
        cursor.seek_to_end(false);
        let mut count = 0;
        while let Some((raw, stored)) = cursor.item() {
            if !limits.admit_row() {
                return Ok(None);
            }
            count += i64::from(self.live(raw, stored)?.is_some());
            cursor.step(false);
        }
        cursor.status()?;
        Ok(Some(count))
    }
}

/// Returns the maximum number of rows and bytes of an answer to MULTI_GET.
fn maxima(request: &MultiGet<'_>) -> (usize, u64) {
    let positive = |number: i32| usize::try_from(number).ok().filter(|number| *number > 0);
    let rows = positive(request.max_kv_count).unwrap_or(ROWS_MAX).min(ROWS_MAX);
    let bytes = positive(request.max_kv_size).map_or(BYTES_MAX, |bytes| bytes as u64);
    (rows, bytes.min(BYTES_MAX))
}

/// Returns the range of all rows of a hash key.
pub(super) fn whole_hash_key(hash_key: &[u8]) -> Range {
    let start = key(hash_key, b"");
    let end = after_prefix(&start).unwrap_or_else(|| KEYS_END.to_vec());
    range(&start, true, &end, false)
}

/// Returns the range that a MULTI_GET without sort keys asks for, narrowed by its prefix filter.
fn multi_get_range_of(request: &MultiGet<'_>, filter: &Filter) -> Range {
    let whole = whole_hash_key(&request.hash_key);
    let start = key(&request.hash_key, &request.start_sortkey);
    let stop = key(&request.hash_key, &request.stop_sortkey);
    let mut wanted = range(&start, request.start_inclusive, &stop, request.stop_inclusive);
    if request.stop_sortkey.is_empty() {
        wanted.end = whole.end;
    }
    if let Some(prefix) = filter.prefix() {
        let first = key(&request.hash_key, prefix);
        let end = after_prefix(&first).unwrap_or_else(|| KEYS_END.to_vec());
        wanted.start = wanted.start.max(RowKey::from_vec(first));
        wanted.end = wanted.end.min(RowKey::from_vec(end));
    }
    wanted
}
