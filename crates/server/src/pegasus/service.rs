//! The door of the Pegasus protocol: finds the method and the table of a request, applies the table's limits, and
//! evaluates it.
//!
//! The order of checks: method, table and partition, denial, size, throttles, arguments.

use super::admin::Admin;
use super::call::{Call, Moment, Refused, Reply, status_of};
use super::envs::Denial;
use super::method::{Kind, Method};
use super::scans::Scans;
use super::table::Table;
use super::throttle::Decision;
use crate::clock::Clock;
use crate::error::{Error, Result};
use crate::logs;
use crate::rows::pegasus::expiry_clock;
use crate::store::{Batch, Latches, Partition, Store};
use crate::thrift::frame::Request;
use crate::thrift::request::Scan;
use crate::thrift::{Blob, ErrorName, Value, reply};
use std::fmt;
use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;
use tracing::info;

/// Slow queries cannot fill the log.
static SLOW: logs::Gate = logs::Gate::ten_a_second();

/// The maximum length of the body of a write.
pub(super) const WRITE_BYTES_MAX: usize = 1 << 20;

/// A request as the limits of its table see it.
pub(super) struct Load {
    /// Whether it reads or writes.
    pub(super) kind: Kind,
    /// Whether a secondary may answer it.
    pub(super) is_backup: bool,
    /// Whether no throttle counts it.
    pub(super) is_free: bool,
    /// The length of its body.
    pub(super) bytes: usize,
    /// How long the client waits, in milliseconds; 0 if it does not say.
    pub(super) timeout_ms: i32,
}

impl Load {
    fn is_backup_read(&self) -> bool {
        self.is_backup && self.kind != Kind::Write
    }
}

/// What the limits of a table say about a request.
pub(super) enum Gate {
    /// It may be evaluated.
    Open,
    /// It gets no answer.
    Denied,
    /// It gets this error.
    Refused(ErrorName),
    /// It is evaluated after this time.
    Delayed(Duration),
    /// It gets ERR_BUSY after this time.
    Rejected(Duration),
}

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
    client: Option<SocketAddr>,
}

impl Scratch {
    /// Returns that of a new connection of a client at this address; `None` if it is not known.
    pub fn new(client: Option<SocketAddr>) -> Scratch {
        Scratch { client, ..Scratch::default() }
    }
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
        if method.is_groupable() {
            let mut outcome = Outcome::Replied;
            let requests = std::slice::from_ref(request);
            self.handle_group(requests, has_waited, scratch, out, |_, other| outcome = other);
            return outcome;
        }
        if method.kind() == Kind::Meta {
            return self.admin.handle(method, scratch.client, &mut answer);
        }
        let (table, at) = match self.admit(method, has_waited, &mut answer) {
            Ok(admitted) => admitted,
            Err(outcome) => return outcome,
        };
        let begun_us = self.clock.monotonic_us();
        let before = answer.out.len();
        scratch.batch.clear();
        let moment = self.moment();
        let call = self.call((method, &table, at), request, moment, &mut scratch.batch);
        let outcome = self.evaluate(method, call, &mut answer);
        let bytes = answer.out.len() - before;
        self.account(&method, method.kind(), &table, begun_us, bytes);
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
        let load = Load {
            kind: method.kind(),
            is_backup: head.is_backup_request,
            // The scan of a context that is cleared costs nothing.
            is_free: has_waited || method == Method::ClearScanner,
            bytes: answer.request.body_bytes,
            timeout_ms: head.timeout_ms,
        };
        match self.gate(&load, &table) {
            Gate::Open => Ok((table, at)),
            Gate::Denied => Err(Outcome::Silent),
            // An error would be taken for the answer before the primary gives one.
            Gate::Rejected(_) if load.is_backup_read() => Err(Outcome::Silent),
            Gate::Refused(name) => Err(answer.error(name)),
            Gate::Rejected(Duration::ZERO) => Err(answer.error(ErrorName::Busy)),
            Gate::Rejected(delay) => Err(Outcome::BusyLater(delay)),
            Gate::Delayed(delay) => Err(Outcome::Later(delay)),
        }
    }

    /// Returns the time of evaluations that begin now.
    pub(super) fn moment(&self) -> Moment {
        let wall_us = self.clock.wall_us();
        let now_ms = self.store.horizons().evaluation_ms(wall_us / 1000);
        Moment { now: expiry_clock(now_ms / 1000), wall_us }
    }

    /// Returns the evaluation of a request by its method, in a partition of a table.
    pub(super) fn call<'a>(
        &'a self,
        (method, table, at): (Method, &'a Table, Partition),
        request: &Request<'_>,
        moment: Moment,
        batch: &'a mut Batch,
    ) -> Call<'a> {
        Call {
            store: &*self.store,
            latches: &self.latches,
            clock: &*self.clock,
            table,
            partition: request.head.partition,
            at,
            // Of older clients 0; of scans over a whole table the number of the partition.
            hash: if method.kind() == Kind::Write { request.head.partition_hash } else { 0 },
            moment,
            server: &self.server,
            batch,
        }
    }

    /// Answers a request whose rejection was delayed.
    pub fn reject(&self, request: &Request<'_>, out: &mut Vec<u8>) {
        Answer { request, out }.error(ErrorName::Busy);
    }

    /// Applies the table's denials and limits to a request.
    pub(super) fn gate(&self, load: &Load, table: &Table) -> Gate {
        let (settings, is_write) = (table.settings(), load.kind == Kind::Write);
        let deny = settings.deny.filter(|deny| if is_write { deny.writes } else { deny.reads });
        match deny.map(|deny| deny.denial) {
            Some(Denial::Timeout) => return Gate::Denied,
            Some(Denial::Reconfig) => return Gate::Refused(ErrorName::InvalidState),
            None => {}
        }
        if is_write && load.bytes > WRITE_BYTES_MAX {
            return Gate::Refused(ErrorName::InvalidData);
        }
        if load.is_free {
            return Gate::Open;
        }
        let now_us = self.clock.monotonic_us();
        let (requests, bytes) = match (is_write, load.is_backup) {
            (true, _) => (&settings.write_requests, &settings.write_bytes),
            (false, true) => (&settings.backup_requests, &None),
            (false, false) => (&settings.read_requests, &None),
        };
        for (window, units) in [(requests, 1), (bytes, load.bytes as u64)] {
            let Some(window) = window else { continue };
            match window.control(now_us, units, load.timeout_ms) {
                Decision::Pass => {}
                Decision::Delay(ms) => {
                    self.counters.delayed.fetch_add(1, Ordering::Relaxed);
                    return Gate::Delayed(Duration::from_millis(ms));
                }
                Decision::Reject(ms) => {
                    self.counters.rejected.fetch_add(1, Ordering::Relaxed);
                    return Gate::Rejected(Duration::from_millis(ms));
                }
            }
        }
        let bucket = settings.read_bytes.as_ref().filter(|_| !is_write);
        if bucket.is_some_and(|bucket| !bucket.has_tokens(now_us)) {
            self.counters.rejected.fetch_add(1, Ordering::Relaxed);
            return Gate::Refused(ErrorName::Busy);
        }
        Gate::Open
    }

    fn evaluate(&self, method: Method, mut call: Call<'_>, answer: &mut Answer<'_, '_>) -> Outcome {
        match method {
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
    pub(super) fn account(
        &self,
        name: &dyn fmt::Debug,
        kind: Kind,
        table: &Table,
        begun_us: u64,
        bytes: usize,
    ) {
        self.counters.evaluated.fetch_add(1, Ordering::Relaxed);
        let settings = table.settings();
        let bucket = settings.read_bytes.as_ref().filter(|_| kind == Kind::Read);
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
            if let Some(skipped) = SLOW.pass() {
                let (table, call) = (table.name(), name);
                let ms = u64::try_from(elapsed.as_millis()).unwrap_or(u64::MAX);
                info!(target: "ferrolith::slow", table, ?call, ms, bytes, skipped, "slow query");
            }
        }
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
        reply::answer(self.request, response, self.out);
        Outcome::Replied
    }

    /// Replies with an error of the RPC layer.
    pub(super) fn error(&mut self, name: ErrorName) -> Outcome {
        reply::refuse(self.request, name, self.out);
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
