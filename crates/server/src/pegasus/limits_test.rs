use super::Outcome;
use super::method::{Kind, Method};
use super::testing::{Server, place};
use crate::clock::Clock;
use crate::rows::pegasus::key;
use crate::thrift::frame::Head;
use crate::thrift::request::{MultiPut, Put};
use crate::thrift::response::{Read, Update};
use crate::thrift::{Blob, ErrorName};
use std::io;
use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex};
use std::time::Duration;
use tracing_subscriber::prelude::*;

fn put() -> Put<'static> {
    Put { key: key(b"h", b"s").into(), value: vec![b'v'; 1000].into(), expire_ts_seconds: 0 }
}

/// Sends a PUT and returns what followed, and the error of the RPC layer if there is a reply with one.
fn try_put(server: &Server) -> (Outcome, Option<ErrorName>) {
    follow(server, "PUT", &put(), place(b"h"))
}

fn follow<'a>(
    server: &Server,
    method: &str,
    request: &impl crate::thrift::Value<'a>,
    head: Head,
) -> (Outcome, Option<ErrorName>) {
    let mut out = Vec::new();
    let outcome = server.send(head, &format!("RPC_RRDB_RRDB_{method}"), request, &mut out);
    let received = crate::thrift::reply::read::<Update<'_>>(&out).unwrap();
    (outcome, received.and_then(|(received, _)| received.response.err()))
}

fn try_get(server: &Server, is_backup_request: bool) -> (Outcome, Option<ErrorName>) {
    let head = Head { is_backup_request, ..place(b"h") };
    let key = Blob::from(key(b"h", b"s"));
    let mut out = Vec::new();
    let outcome = server.send(head, "RPC_RRDB_RRDB_GET", &key, &mut out);
    let received = crate::thrift::reply::read::<Read<'_>>(&out).unwrap();
    (outcome, received.and_then(|(received, _)| received.response.err()))
}

const FINE: (Outcome, Option<ErrorName>) = (Outcome::Replied, None);
const BUSY: (Outcome, Option<ErrorName>) = (Outcome::Replied, Some(ErrorName::Busy));

#[test]
fn writes_are_throttled_by_requests_and_bytes() {
    let server = Server::with_table();
    assert_eq!(server.set_env("replica.write_throttling", "1*delay*30,2*reject*0"), "");
    assert_eq!(try_put(&server), FINE);
    assert_eq!(try_put(&server), (Outcome::Later(Duration::from_millis(30)), None));
    assert_eq!(try_put(&server), BUSY);
    assert_eq!(try_get(&server, false), FINE, "reads have limits of their own");
    server.clock.advance_ms(1000);
    assert_eq!(try_put(&server), FINE);
    let counters = server.service.counters();
    assert_eq!(counters.delayed.load(Ordering::Relaxed), 1);
    assert_eq!(counters.rejected.load(Ordering::Relaxed), 1);

    assert_eq!(server.set_env("replica.write_throttling", "1000*reject*0"), "");
    assert_eq!(server.set_env("replica.write_throttling_by_size", "2K*reject*25"), "");
    assert_eq!(try_put(&server), FINE);
    assert_eq!(try_put(&server), (Outcome::BusyLater(Duration::from_millis(25)), None));
}

#[test]
fn reads_are_throttled_by_requests_and_bytes() {
    let server = Server::with_table();
    assert_eq!(try_put(&server), FINE);
    assert_eq!(server.set_env("replica.read_throttling", "1*reject*0"), "");
    assert_eq!((try_get(&server, false), try_get(&server, false)), (FINE, BUSY));
    assert_eq!(try_get(&server, true), FINE, "backup requests have limits of their own");
    assert_eq!(server.set_env("replica.backup_request_throttling", "1*reject*0"), "");
    assert_eq!(try_get(&server, true), FINE);
    assert_eq!(try_get(&server, true), (Outcome::Silent, None));

    let server = Server::with_table();
    assert_eq!(try_put(&server), FINE);
    assert_eq!(server.set_env("replica.read_throttling_by_size", "1000"), "");
    assert_eq!((try_get(&server, false), try_get(&server, false)), (FINE, BUSY));
    server.clock.advance_ms(500);
    assert_eq!((try_get(&server, false), try_get(&server, false)), (FINE, BUSY));
}

#[test]
fn requests_are_denied() {
    let server = Server::with_table();
    let invalid = (Outcome::Replied, Some(ErrorName::InvalidState));
    for (text, on_get, on_put) in [
        ("timeout*all", (Outcome::Silent, None), (Outcome::Silent, None)),
        ("reconfig*read", invalid, FINE),
        ("reconfig*write", FINE, invalid),
    ] {
        assert_eq!(server.set_env("replica.deny_client_request", text), "");
        assert_eq!((try_get(&server, false), try_put(&server)), (on_get, on_put), "{text}");
    }
}

#[test]
fn large_writes_are_refused() {
    let server = Server::with_table();
    let put = Put { value: vec![0; 1 << 20].into(), ..put() };
    let refused = (Outcome::Replied, Some(ErrorName::InvalidData));
    assert_eq!(follow(&server, "PUT", &put, place(b"h")), refused);
    let put = Put { value: vec![0; 1_048_000].into(), ..put };
    assert_eq!(follow(&server, "PUT", &put, place(b"h")), FINE);
}

#[test]
fn unknown_methods_tables_and_arguments_are_refused() {
    let server = Server::with_table();
    let error = |method: &str, head| follow(&server, method, &put(), head).1.unwrap();
    assert_eq!(error("DUPLICATE", place(b"h")), ErrorName::HandlerNotFound);
    assert_eq!(error("PUT", Head { app_id: 9, ..place(b"h") }), ErrorName::ObjectNotFound);
    assert_eq!(error("PUT", Head { partition: 4, ..place(b"h") }), ErrorName::ObjectNotFound);
    assert_eq!(error("PUT", Head { partition: -1, ..place(b"h") }), ErrorName::ObjectNotFound);
    let wrong = follow(&server, "MULTI_PUT", &7_i64, place(b"h"));
    assert_eq!(wrong, (Outcome::Replied, Some(ErrorName::InvalidData)));
    let missing = follow(&server, "MULTI_PUT", &None::<MultiPut<'_>>, place(b"h"));
    assert_eq!(missing, FINE, "a missing argument is an empty one");
}

#[test]
fn expired_rows_leave_the_files() {
    use crate::store::Store;
    let server = Server::with_table();
    let expiring = Put { expire_ts_seconds: super::testing::START_EXPIRY + 1, ..put() };
    assert_eq!(follow(&server, "PUT", &expiring, place(b"h")), FINE);
    let family = server.store.db().cf(&format!("p{}", place(b"h").partition + 1)).unwrap();
    let compact = || {
        family.flush().unwrap();
        family.compact_range(..).unwrap();
        family.get(key(b"h", b"s")).unwrap().is_some()
    };
    server.store.tick(&*server.clock, true).unwrap();
    server.clock.advance_ms(3600 * 1000);
    assert!(compact(), "expired by the clock, but not by the horizon");
    server.store.tick(&*server.clock, true).unwrap();
    server.clock.advance_ms(3600 * 1000);
    server.store.tick(&*server.clock, true).unwrap();
    assert!(server.store.horizons().expired_ms() > 0);
    assert!(!compact());
}

/// The lines of a log.
#[derive(Clone, Default)]
struct Lines(Arc<Mutex<Vec<u8>>>);

impl io::Write for Lines {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().unwrap().extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[test]
fn slow_queries_are_in_the_log() {
    let server = Server::with_table();
    assert_eq!(server.set_env("replica.slow_query_threshold", "20"), "");
    let table = server.service.admin().table(1).unwrap();
    let lines = Lines::default();
    let writer = lines.clone();
    let layer =
        tracing_subscriber::fmt::layer().with_ansi(false).with_writer(move || writer.clone());
    tracing::subscriber::with_default(tracing_subscriber::registry().with(layer), || {
        let begun_us = server.clock.monotonic_us();
        for step_ms in [19, 1] {
            server.clock.advance_ms(step_ms);
            server.service.account(&Method::MultiGet, Kind::Read, &table, begun_us, 7);
        }
    });
    assert_eq!(server.service.counters().slow.load(Ordering::Relaxed), 1);
    let text = String::from_utf8(lines.0.lock().unwrap().clone()).unwrap();
    let expected = "INFO ferrolith::slow: slow query table=\"t\" call=MultiGet ms=20 bytes=7\n";
    assert!(text.lines().count() == 1 && text.ends_with(expected), "{text}");
}
