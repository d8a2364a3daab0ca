//! Requests on one row that arrive together: PUT and REMOVE, which do not read it, and GET. The writes of a group
//! share a commit, and its reads a look-up.
//!
//! * **PB1** All latches of a group are taken at once, as [`Latches`](crate::store::Latches) demands, and held until
//!   the commit.
//! * **PB2** The writes of a group are one batch: if the commit fails, none of them happened, and each is answered with
//!   the error.
//! * **PB3** The reads of a group see its writes. All requests of a group wait for their replies at the same time, so
//!   this is an order in which they may happen.

use super::call::{Call, Moment, status_of};
use super::method::{Kind, Method};
use super::service::{Answer, Outcome, Scratch, Service};
use super::table::Table;
use crate::error::Result;
use crate::rows::pegasus::split_key;
use crate::store::{Mode, Partition};
use crate::thrift::frame::Request;
use crate::thrift::request::Put;
use crate::thrift::response::{Read, Update, status};
use crate::thrift::{Blob, ErrorName};
use smallvec::SmallVec;
use std::sync::Arc;

/// The requests of a group for which no memory besides the stack is needed.
const GROUP: usize = 8;

/// A request that was admitted and checked.
struct Admitted<'r> {
    /// The number of the request in the group.
    index: usize,
    method: Method,
    table: Arc<Table>,
    at: Partition,
    key: Blob<'r>,
    /// The value of a PUT and its expiry.
    put: Option<(Blob<'r>, u32)>,
}

/// Why a request was refused.
enum Invalid {
    Status(i32),
    Name(ErrorName),
}

impl From<ErrorName> for Invalid {
    fn from(name: ErrorName) -> Invalid {
        Invalid::Name(name)
    }
}

type List<'r> = SmallVec<[Admitted<'r>; GROUP]>;

impl Service {
    /// Returns whether a request that [`handle_group`](Service::handle_group) takes reads or writes its row; `None` for
    /// others.
    pub fn group_kind(request: &Request<'_>) -> Option<Kind> {
        Method::of(request.method).filter(|method| method.is_groupable()).map(Method::kind)
    }

    /// Answers groupable requests, in any order. What else is to be done with a request is passed to `otherwise` with
    /// the request's number. Other requests are answered with ERR_HANDLER_NOT_FOUND.
    pub fn handle_group<'r>(
        &self,
        requests: &[Request<'r>],
        has_waited: bool,
        scratch: &mut Scratch,
        out: &mut Vec<u8>,
        mut otherwise: impl FnMut(usize, Outcome),
    ) {
        let (begun_us, moment) = (self.clock.monotonic_us(), self.moment());
        scratch.batch.clear();
        let (mut reads, mut writes) = (List::new(), List::new());
        for (index, request) in requests.iter().enumerate() {
            let mut answer = Answer { request, out };
            match self.admit_groupable(index, moment, has_waited, scratch, &mut answer) {
                Ok(admitted) if admitted.method == Method::Get => reads.push(admitted),
                Ok(admitted) => writes.push(admitted),
                Err(Outcome::Replied) => {}
                Err(outcome) => otherwise(index, outcome),
            }
        }
        let group = Group { service: self, requests, moment, begun_us };
        group.write(&writes, scratch, out);
        group.read(&reads, scratch, out);
    }

    /// Checks a request; it is answered or delayed if it is not admitted.
    fn admit_groupable<'r>(
        &self,
        index: usize,
        moment: Moment,
        has_waited: bool,
        scratch: &mut Scratch,
        answer: &mut Answer<'_, 'r>,
    ) -> std::result::Result<Admitted<'r>, Outcome> {
        let request = answer.request;
        let method = Method::of(request.method).filter(|method| method.is_groupable());
        let Some(method) = method else { return Err(answer.error(ErrorName::HandlerNotFound)) };
        let (table, at) = self.admit(method, has_waited, answer)?;
        let argument = match method {
            Method::Put => request
                .argument::<Put<'r>>()
                .map(|put| (put.key, Some((put.value, put.expire_ts_seconds)))),
            _ => request.argument::<Blob<'r>>().map(|key| (key, None)),
        };
        let Ok((key, put)) = argument else { return Err(answer.error(ErrorName::InvalidData)) };
        let call = self.call((method, &table, at), request, moment, &mut scratch.batch);
        match call.check_key(&key, put.as_ref().map_or(0, |(_, expiry)| *expiry)) {
            Ok(expiry) => {
                let put = put.map(|(value, _)| (value, expiry));
                Ok(Admitted { index, method, table, at, key, put })
            }
            Err(Invalid::Name(name)) => Err(answer.error(name)),
            Err(Invalid::Status(error)) if method == Method::Get => {
                Err(answer.ok(&call.reply::<Read<'_>>(error)))
            }
            Err(Invalid::Status(error)) => Err(answer.ok(&call.reply::<Update<'_>>(error))),
        }
    }
}

/// The requests of a group, and when they are evaluated.
struct Group<'g, 'r> {
    service: &'g Service,
    requests: &'g [Request<'r>],
    moment: Moment,
    begun_us: u64,
}

impl<'r> Group<'_, 'r> {
    /// Commits writes and answers them.
    fn write(&self, writes: &[Admitted<'r>], scratch: &mut Scratch, out: &mut Vec<u8>) {
        if writes.is_empty() {
            return;
        }
        let committed = self.commit(writes, scratch);
        for write in writes {
            self.answer(write, scratch, out, |call, answer| {
                let update = committed.as_ref().map(|()| {
                    let decree = write.table.next_decree(call.partition);
                    Update { decree, ..call.reply(status::OK) }
                });
                answer.finish(call, update);
            });
        }
    }

    fn commit(&self, writes: &[Admitted<'r>], scratch: &mut Scratch) -> Result<()> {
        let hash_key = |key| split_key(key).map_or(&b""[..], |(hash_key, _)| hash_key);
        let keys = writes.iter().map(|write| (write.at.0, hash_key(&write.key)));
        let _latches = self.service.latches.lock(keys, Mode::Exclusive);
        for write in writes {
            let Some(mut call) = self.call(write, scratch) else { continue };
            match &write.put {
                Some((value, expiry)) => call.put(&write.key, value, *expiry)?,
                None => call.delete(&write.key)?,
            }
        }
        self.service.store.commit(&mut scratch.batch)
    }

    /// Looks rows up and answers with their values, without copies of them.
    fn read(&self, reads: &[Admitted<'r>], scratch: &mut Scratch, out: &mut Vec<u8>) {
        let keys: SmallVec<[(Partition, &[u8]); GROUP]> =
            reads.iter().map(|read| (read.at, &read.key[..])).collect();
        let mut is_answered = SmallVec::<[bool; 32]>::from_elem(false, reads.len());
        let mut found = |position: usize, stored: &[u8]| {
            let Some(read) = reads.get(position) else { return };
            if let Some(is_answered) = is_answered.get_mut(position) {
                *is_answered = true;
            }
            self.answer(read, scratch, out, |call, answer| {
                match call.live(&read.key, stored) {
                    Ok(Some(value)) => {
                        let value = Blob::from(value.data);
                        answer.ok(&Read { value, ..call.reply(status::OK) })
                    }
                    Ok(None) => answer.ok(&call.reply::<Read<'_>>(status::NOT_FOUND)),
                    Err(error) => answer.ok(&call.reply::<Read<'_>>(status_of(&error))),
                };
            });
        };
        let store = &self.service.store;
        let looked_up = match &keys[..] {
            [] => return,
            [(at, key)] => store.get(*at, key, None, &mut |stored| found(0, stored)).map(drop),
            // Requests of a group are independent of each other.
            keys => store.get_each_alone(keys, &mut found),
        };
        let error = looked_up.map_or_else(|error| status_of(&error), |()| status::NOT_FOUND);
        for (read, _) in reads.iter().zip(&is_answered).filter(|(_, is_answered)| !**is_answered) {
            self.answer(read, scratch, out, |call, answer| {
                answer.ok(&call.reply::<Read<'_>>(error));
            });
        }
    }

    fn call<'c>(&'c self, of: &'c Admitted<'r>, scratch: &'c mut Scratch) -> Option<Call<'c>> {
        let request = self.requests.get(of.index)?;
        let target = (of.method, &*of.table, of.at);
        Some(self.service.call(target, request, self.moment, &mut scratch.batch))
    }

    /// Answers a request by `write`, and counts it.
    fn answer(
        &self,
        of: &Admitted<'r>,
        scratch: &mut Scratch,
        out: &mut Vec<u8>,
        write: impl FnOnce(&Call<'_>, &mut Answer<'_, 'r>),
    ) {
        let Some(request) = self.requests.get(of.index) else { return };
        let Some(call) = self.call(of, scratch) else { return };
        let before = out.len();
        write(&call, &mut Answer { request, out });
        let (kind, bytes) = (of.method.kind(), out.len() - before);
        self.service.account(&of.method, kind, &of.table, self.begun_us, bytes);
    }
}

impl Call<'_> {
    /// Checks the key of a request and returns the expiry to store.
    fn check_key(&self, key: &[u8], requested: i32) -> std::result::Result<u32, Invalid> {
        let invalid = || Invalid::Status(status::INVALID_ARGUMENT);
        let (hash_key, sort_key) = split_key(key).ok_or_else(invalid)?;
        self.check_place(hash_key, sort_key)?;
        self.expiry(requested).ok_or_else(invalid)
    }
}
