//! Writes of one row that do not read it: PUT and REMOVE. Those that arrive together are committed together.
//!
//! * **PB1** All latches of a group are taken at once, as [`Latches`](crate::store::Latches) demands, and held until
//!   the commit.
//! * **PB2** A group is one batch: if the commit fails, none of its writes happened, and each is answered with the
//!   error.

use super::call::Call;
use super::method::Method;
use super::service::{Answer, Outcome, Scratch, Service};
use super::table::Table;
use crate::error::Result;
use crate::rows::pegasus::split_key;
use crate::store::{Mode, Partition};
use crate::thrift::frame::Request;
use crate::thrift::request::Put;
use crate::thrift::response::{Update, status};
use crate::thrift::{Blob, ErrorName};
use smallvec::SmallVec;
use std::sync::Arc;

/// A write that was admitted and checked.
struct Write<'r> {
    /// The number of its request in the group.
    index: usize,
    method: Method,
    table: Arc<Table>,
    at: Partition,
    key: Blob<'r>,
    /// The value and its expiry; `None` removes the row.
    put: Option<(Blob<'r>, u32)>,
}

/// Why a write was refused.
enum Invalid {
    Status(i32),
    Name(ErrorName),
}

impl From<ErrorName> for Invalid {
    fn from(name: ErrorName) -> Invalid {
        Invalid::Name(name)
    }
}

impl Service {
    /// Returns whether [`handle_blind`](Service::handle_blind) takes a request: it writes one row without a read.
    pub fn is_blind_write(request: &Request<'_>) -> bool {
        Method::of(request.method).is_some_and(Method::is_blind)
    }

    /// Answers blind writes. What else is to be done with a request is passed to `otherwise` with the request's number.
    /// Other requests are answered with ERR_HANDLER_NOT_FOUND.
    pub fn handle_blind<'r>(
        &self,
        requests: &[Request<'r>],
        has_waited: bool,
        scratch: &mut Scratch,
        out: &mut Vec<u8>,
        mut otherwise: impl FnMut(usize, Outcome),
    ) {
        let begun_us = self.clock.monotonic_us();
        scratch.batch.clear();
        let mut writes = SmallVec::<[Write<'r>; 1]>::new();
        for (index, request) in requests.iter().enumerate() {
            let mut answer = Answer { request, out };
            match self.admit_blind(index, has_waited, scratch, &mut answer) {
                Ok(write) => writes.push(write),
                Err(Outcome::Replied) => {}
                Err(outcome) => otherwise(index, outcome),
            }
        }
        let committed = self.commit_blind(&writes, requests, scratch);
        for write in &writes {
            let Some(request) = requests.get(write.index) else { continue };
            let mut answer = Answer { request, out };
            let before = answer.out.len();
            let (table, at) = (&write.table, write.at);
            let call = self.call(write.method, table, at, request, &mut scratch.batch);
            let update = committed.as_ref().map(|()| {
                let decree = table.next_decree(call.partition);
                Update { decree, ..call.reply(status::OK) }
            });
            answer.finish(&call, update);
            let bytes = answer.out.len() - before;
            self.account(write.method, table, begun_us, bytes);
        }
    }

    /// Checks a write; it is answered or delayed if it is not admitted.
    fn admit_blind<'r>(
        &self,
        index: usize,
        has_waited: bool,
        scratch: &mut Scratch,
        answer: &mut Answer<'_, 'r>,
    ) -> std::result::Result<Write<'r>, Outcome> {
        let request = answer.request;
        let method = Method::of(request.method).filter(|method| method.is_blind());
        let Some(method) = method else { return Err(answer.error(ErrorName::HandlerNotFound)) };
        let (table, at) = self.admit(method, has_waited, answer)?;
        let argument = match method {
            Method::Remove => request.argument::<Blob<'r>>().map(|key| (key, None)),
            _ => request
                .argument::<Put<'r>>()
                .map(|put| (put.key, Some((put.value, put.expire_ts_seconds)))),
        };
        let Ok((key, put)) = argument else { return Err(answer.error(ErrorName::InvalidData)) };
        let call = self.call(method, &table, at, request, &mut scratch.batch);
        match call.check_write(&key, put.as_ref().map_or(0, |(_, expiry)| *expiry)) {
            Ok(expiry) => {
                let put = put.map(|(value, _)| (value, expiry));
                Ok(Write { index, method, table, at, key, put })
            }
            Err(Invalid::Name(name)) => Err(answer.error(name)),
            Err(Invalid::Status(error)) => Err(answer.ok(&call.reply::<Update<'_>>(error))),
        }
    }

    fn commit_blind(
        &self,
        writes: &[Write<'_>],
        requests: &[Request<'_>],
        scratch: &mut Scratch,
    ) -> Result<()> {
        let hash_key = |key| split_key(key).map_or(&b""[..], |(hash_key, _)| hash_key);
        let keys = writes.iter().map(|write| (write.at.0, hash_key(&write.key)));
        let _latches = self.latches.lock(keys, Mode::Exclusive);
        for write in writes {
            let Some(request) = requests.get(write.index) else { continue };
            let (table, at) = (&write.table, write.at);
            let mut call = self.call(write.method, table, at, request, &mut scratch.batch);
            match &write.put {
                Some((value, expiry)) => call.put(&write.key, value, *expiry)?,
                None => call.delete(&write.key)?,
            }
        }
        match scratch.batch.is_empty() {
            true => Ok(()),
            false => self.store.commit(&mut scratch.batch),
        }
    }
}

impl Call<'_> {
    /// Checks the key of a write and returns the expiry to store.
    fn check_write(&self, key: &[u8], requested: i32) -> std::result::Result<u32, Invalid> {
        let invalid = || Invalid::Status(status::INVALID_ARGUMENT);
        let (hash_key, sort_key) = split_key(key).ok_or_else(invalid)?;
        self.check_place(hash_key, sort_key)?;
        self.expiry(requested).ok_or_else(invalid)
    }
}
