//! The door of the Pegasus protocol: finds the method and the table of a request, applies the table's limits, and
//! evaluates it.
//!
//! The order of checks: method, table and partition, denial, size, throttles, arguments.

use super::admin::Admin;
use super::call::{Call, Refused, Reply, status_of};
use super::envs::Denial;
use super::method::{Kind, Method};
use super::scans::Scans;
use super::table::Table;
use super::throttle::Decision;
use crate::clock::Clock;
use crate::error::{Error, Result};
use crate::rows::pegasus::expiry_clock;
use crate::store::{Batch, Latches, Partition, Store};
use crate::thrift::frame::Request;
use crate::thrift::request::Scan;
use crate::thrift::response::Read;
use crate::thrift::{Blob, ErrorName, Value, reply};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

/// The maximum length of the body of a write.
const WRITE_BYTES_MAX: usize = 1 << 20;

/// What follows from a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Outcome {
    /// The reply is in the output.
    Replied,
    /// There is no reply.
    Silent,
    /// The request is to be given to [`Service::handle`] again after a delay, as one that has waited.
    Later(Duration),
    /// The request is to be answered with ERR_BUSY after a delay.
    BusyLater(Duration),
}

/// Counts of requests since the start.
#[derive(Debug, Default)]
pub struct Counters {
    /// Requests that were evaluated.
    pub evaluated: AtomicU64,
    /// Requests that a throttle delayed.
    pub delayed: AtomicU64,
    /// Requests that a throttle rejected.
    pub rejected: AtomicU64,
    /// Requests above their table's threshold of slow queries.
    pub slow: AtomicU64,
}

/// What one connection reuses between requests.
#[derive(Debug, Default)]
pub struct Scratch {
    pub(super) batch: Batch,
}

/// The service of one server.
pub struct Service {
    pub(super) store: Arc<dyn Store>,
    pub(super) latches: Arc<Latches>,
    pub(super) clock: Arc<dyn Clock>,
    admin: Admin,
    scans: Scans,
    counters: Counters,
    server: String,
}

impl Service {
    /// Returns the service of the tables that `admin` manages.
    pub fn new(
        store: Arc<dyn Store>,
        latches: Arc<Latches>,
        clock: Arc<dyn Clock>,
        admin: Admin,
    ) -> Service {
        let (scans, server) = (Scans::new(clock.wall_us()), admin.server());
        Service { store, latches, clock, admin, scans, counters: Counters::default(), server }
    }

    /// Returns the administration of tables.
    pub fn admin(&self) -> &Admin {
        &self.admin
    }

    #[cfg(test)]
    pub(super) fn admin_mut(&mut self) -> &mut Admin {
        &mut self.admin
    }

    /// Returns the counts of requests.
    pub fn counters(&self) -> &Counters {
        &self.counters
    }

    /// Answers a request, or says what else is to be done. `has_waited` is whether a throttle delayed it already.
    pub fn handle(
        &self,
        request: &Request<'_>,
        has_waited: bool,
        scratch: &mut Scratch,
        out: &mut Vec<u8>,
    ) -> Outcome {
        let mut answer = Answer { request, out };
        let Some(method) = Method::of(request.method) else {
            return answer.error(ErrorName::HandlerNotFound);
        };
        if method.is_blind() {
            let mut outcome = Outcome::Replied;
            let requests = std::slice::from_ref(request);
            self.handle_blind(requests, has_waited, scratch, out, |_, other| outcome = other);
            return outcome;
        }
        if method.kind() == Kind::Meta {
            return self.admin.handle(method, &mut answer);
        }
        let (table, at) = match self.admit(method, has_waited, &mut answer) {
            Ok(admitted) => admitted,
            Err(outcome) => return outcome,
        };
        let begun_us = self.clock.monotonic_us();
        let before = answer.out.len();
        scratch.batch.clear();
        let call = self.call(method, &table, at, request, &mut scratch.batch);
        let outcome = self.evaluate(method, call, &mut answer);
        let bytes = answer.out.len() - before;
        self.account(method, &table, begun_us, bytes);
        outcome
    }

    /// Returns the table and the partition of a request, if its table and limits admit it.
    pub(super) fn admit(
        &self,
        method: Method,
        has_waited: bool,
        answer: &mut Answer<'_, '_>,
    ) -> std::result::Result<(Arc<Table>, Partition), Outcome> {
        let head = answer.request.head;
        let table = self.admin.table(head.app_id);
        let place = table.and_then(|table| Some((table.at(head.partition)?, table)));
        let Some((at, table)) = place else { return Err(answer.error(ErrorName::ObjectNotFound)) };
        match self.gate(method, &table, has_waited, answer) {
            Some(outcome) => Err(outcome),
            None => Ok((table, at)),
        }
    }

    /// Returns the evaluation of a request, which begins now.
    pub(super) fn call<'a>(
        &'a self,
        method: Method,
        table: &'a Table,
        at: Partition,
        request: &Request<'_>,
        batch: &'a mut Batch,
    ) -> Call<'a> {
        let wall_us = self.clock.wall_us();
        let now_ms = self.store.horizons().evaluation_ms(wall_us / 1000);
        Call {
            store: &*self.store,
            latches: &self.latches,
            clock: &*self.clock,
            table,
            partition: request.head.partition,
            at,
            // Of older clients 0; of scans over a whole table the number of the partition.
            hash: if method.kind() == Kind::Write { request.head.partition_hash } else { 0 },
            now: expiry_clock(now_ms / 1000),
            wall_us,
            server: &self.server,
            batch,
        }
    }

    /// Answers a request whose rejection was delayed.
    pub fn reject(&self, request: &Request<'_>, out: &mut Vec<u8>) {
        Answer { request, out }.error(ErrorName::Busy);
    }

    /// Applies the table's denials and limits; `None` if the request may be evaluated.
    fn gate(
        &self,
        method: Method,
        table: &Table,
        has_waited: bool,
        answer: &mut Answer<'_, '_>,
    ) -> Option<Outcome> {
        let (settings, head) = (table.settings(), answer.request.head);
        let (is_write, body) = (method.kind() == Kind::Write, answer.request.body_bytes);
        let deny = settings.deny.filter(|deny| if is_write { deny.writes } else { deny.reads });
        match deny.map(|deny| deny.denial) {
            Some(Denial::Timeout) => return Some(Outcome::Silent),
            Some(Denial::Reconfig) => return Some(answer.error(ErrorName::InvalidState)),
            None => {}
        }
        if is_write && body > WRITE_BYTES_MAX {
            return Some(answer.error(ErrorName::InvalidData));
        }
        // The scan of a context that is cleared costs nothing.
        if has_waited || method == Method::ClearScanner {
            return None;
        }
        let now_us = self.clock.monotonic_us();
        let is_backup = head.is_backup_request && !is_write;
        let (requests, bytes) = match (is_write, is_backup) {
            (true, _) => (&settings.write_requests, &settings.write_bytes),
            (false, true) => (&settings.backup_requests, &None),
            (false, false) => (&settings.read_requests, &None),
        };
        for (window, units) in [(requests, 1), (bytes, body as u64)] {
            let Some(window) = window else { continue };
            match window.control(now_us, units, head.timeout_ms) {
                Decision::Pass => {}
                Decision::Delay(ms) => {
                    self.counters.delayed.fetch_add(1, Ordering::Relaxed);
                    return Some(Outcome::Later(Duration::from_millis(ms)));
                }
                Decision::Reject(ms) => {
                    self.counters.rejected.fetch_add(1, Ordering::Relaxed);
                    return Some(match (is_backup, ms) {
                        // An error would be taken for the answer before the primary gives one.
                        (true, _) => Outcome::Silent,
                        (false, 0) => answer.error(ErrorName::Busy),
                        (false, ms) => Outcome::BusyLater(Duration::from_millis(ms)),
                    });
                }
            }
        }
        let bucket = settings.read_bytes.as_ref().filter(|_| !is_write);
        if bucket.is_some_and(|bucket| !bucket.has_tokens(now_us)) {
            self.counters.rejected.fetch_add(1, Ordering::Relaxed);
            return Some(answer.error(ErrorName::Busy));
        }
        None
    }

    fn evaluate(&self, method: Method, mut call: Call<'_>, answer: &mut Answer<'_, '_>) -> Outcome {
        match method {
            Method::Get => get(&call, answer),
            Method::Ttl => answer.run(&mut call, |call, key: Blob<'_>| call.on_ttl(&key)),
            Method::MultiGet => answer.run(&mut call, |call, request| call.on_multi_get(&request)),
            Method::BatchGet => answer.run(&mut call, |call, request| call.on_batch_get(&request)),
            Method::SortkeyCount => {
                answer.run(&mut call, |call, key: Blob<'_>| call.on_sortkey_count(&key))
            }
            Method::GetScanner => answer
                .run(&mut call, |call, request| Ok(call.on_get_scanner(&request, &self.scans))),
            Method::Scan => answer.run(&mut call, |call, request: Scan| {
                Ok(call.on_scan(request.context_id, &self.scans))
            }),
            Method::ClearScanner => {
                if let Ok(id) = answer.request.argument::<i64>() {
                    call.on_clear_scanner(id, &self.scans);
                }
                Outcome::Silent
            }
            Method::MultiPut => answer.run(&mut call, |call, request| call.on_multi_put(&request)),
            Method::MultiRemove => {
                answer.run(&mut call, |call, request| call.on_multi_remove(&request))
            }
            Method::Incr => answer.run(&mut call, |call, request| call.on_incr(&request)),
            Method::CheckAndSet => {
                answer.run(&mut call, |call, request| call.on_check_and_set(&request))
            }
            Method::CheckAndMutate => {
                answer.run(&mut call, |call, request| call.on_check_and_mutate(&request))
            }
            _ => answer.error(ErrorName::HandlerNotFound),
        }
    }

    /// Counts an evaluation, takes the tokens of what it returned, and reports it if it was slow.
    pub(super) fn account(&self, method: Method, table: &Table, begun_us: u64, bytes: usize) {
        self.counters.evaluated.fetch_add(1, Ordering::Relaxed);
        let settings = table.settings();
        let bucket = settings.read_bytes.as_ref().filter(|_| method.kind() == Kind::Read);
        if bucket.is_none() && settings.slow_query.is_none() {
            return;
        }
        let now_us = self.clock.monotonic_us();
        if let Some(bucket) = bucket {
            bucket.take(now_us, bytes as u64);
        }
        let elapsed = Duration::from_micros(now_us.saturating_sub(begun_us));
        if settings.slow_query.is_some_and(|threshold| elapsed >= threshold) {
            self.counters.slow.fetch_add(1, Ordering::Relaxed);
            eprintln!(
                "slow query: table {}, {method:?}: {} ms, {bytes} bytes",
                table.name(),
                elapsed.as_millis()
            );
        }
    }
}

fn get(call: &Call<'_>, answer: &mut Answer<'_, '_>) -> Outcome {
    let Ok(key) = answer.request.argument::<Blob<'_>>() else {
        return answer.error(ErrorName::InvalidData);
    };
    match call.on_get(&key, |response| _ = answer.ok(response)) {
        Ok(Ok(())) => Outcome::Replied,
        Ok(Err(error)) => answer.ok(&call.reply::<Read<'_>>(status_of(&error))),
        Err(name) => answer.error(name),
    }
}

/// A request, and the output that its reply is appended to.
pub(super) struct Answer<'q, 'r> {
    pub(super) request: &'q Request<'r>,
    pub(super) out: &'q mut Vec<u8>,
}

impl<'r> Answer<'_, 'r> {
    /// Replies with a response.
    pub(super) fn ok<'v>(&mut self, response: &impl Value<'v>) -> Outcome {
        reply::write_ok(self.request.method, self.request.sequence, response, self.out);
        Outcome::Replied
    }

    /// Replies with an error of the RPC layer.
    pub(super) fn error(&mut self, name: ErrorName) -> Outcome {
        reply::write_error(name, self.request.method, self.request.sequence, self.out);
        Outcome::Replied
    }

    /// Decodes the argument, evaluates it, and replies.
    fn run<'c, T, R>(
        &mut self,
        call: &mut Call<'c>,
        evaluate: impl FnOnce(&mut Call<'c>, T) -> Refused<Result<R>>,
    ) -> Outcome
    where
        T: Value<'r> + Default,
        R: Reply<'c>,
    {
        let Ok(argument) = self.request.argument::<T>() else {
            return self.error(ErrorName::InvalidData);
        };
        match evaluate(call, argument) {
            Ok(Ok(response)) => self.ok(&response),
            Ok(Err(error)) => self.finish::<R>(call, Err(&error)),
            Err(name) => self.error(name),
        }
    }

    /// Replies with the result of an evaluation.
    pub(super) fn finish<'c, R: Reply<'c>>(
        &mut self,
        call: &Call<'c>,
        result: std::result::Result<R, &Error>,
    ) -> Outcome {
        match result {
            Ok(response) => self.ok(&response),
            Err(error) if error.is_no_space() => self.error(ErrorName::DiskInsufficient),
            Err(error) => self.ok(&call.reply::<R>(status_of(error))),
        }
    }
}
