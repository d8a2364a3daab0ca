//! Operations on one row by its raw key that read it, besides GET: TTL, INCR.

use super::call::{Call, Refused};
use super::number;
use crate::error::Result;
use crate::rows::pegasus::split_key;
use crate::store::Mode;
use crate::thrift::request::Incr;
use crate::thrift::response::{IncrReply, Ttl, status};

/// What is done after a check of the arguments: an answer with a status, or the evaluation.
type Evaluated<T> = Refused<Result<T>>;

impl<'a> Call<'a> {
    /// Returns how long a row lives.
    pub(super) fn on_ttl(&self, key: &[u8]) -> Evaluated<Ttl<'a>> {
        let Some((hash_key, sort_key)) = split_key(key) else {
            return Ok(Ok(self.reply(status::INVALID_ARGUMENT)));
        };
        self.check_place(hash_key, sort_key)?;
        let expiry = self.get_with(key, |value| value.expiry);
        Ok(expiry.map(|expiry| match expiry {
            None => self.reply(status::NOT_FOUND),
            Some(0) => Ttl { ttl_seconds: -1, ..self.reply(status::OK) },
            Some(expiry) => {
                let left = expiry.saturating_sub(self.moment.now);
                let ttl_seconds = i32::try_from(left).unwrap_or(i32::MAX);
                Ttl { ttl_seconds, ..self.reply(status::OK) }
            }
        }))
    }

    /// Adds to the integer in a row.
    pub(super) fn on_incr(&mut self, request: &Incr<'_>) -> Evaluated<IncrReply<'a>> {
        let Some((hash_key, sort_key)) = split_key(&request.key) else {
            return Ok(Ok(self.reply(status::INVALID_ARGUMENT)));
        };
        self.check_place(hash_key, sort_key)?;
        let _latch = self.latch(hash_key, Mode::Exclusive);
        Ok(self.incr(request))
    }

    fn incr(&mut self, request: &Incr<'_>) -> Result<IncrReply<'a>> {
        let row = self.row(&request.key)?;
        let old = match &row {
            Some(row) if !row.data.is_empty() => number::parse(&row.data),
            _ => Some(0),
        };
        let Some(old) = old else { return Ok(self.reply(status::INVALID_ARGUMENT)) };
        let Some(new_value) = old.checked_add(request.increment) else {
            return Ok(IncrReply { new_value: old, ..self.reply(status::INVALID_ARGUMENT) });
        };
        // A negative number clears the expiry, 0 keeps that of an existing row.
        let kept = row.map_or(0, |row| row.expiry);
        let requested = match request.expire_ts_seconds {
            0 => i32::try_from(kept).unwrap_or(i32::MAX),
            expiry => expiry.max(0),
        };
        let Some(expiry) = self.expiry(requested) else {
            return Ok(self.reply(status::INVALID_ARGUMENT));
        };
        self.put(&request.key, new_value.to_string().as_bytes(), expiry)?;
        let decree = self.commit()?;
        Ok(IncrReply { new_value, decree, ..self.reply(status::OK) })
    }
}
