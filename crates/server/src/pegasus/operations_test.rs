use super::testing::{START_EXPIRY, Server, place};
use crate::rows::pegasus::key;
use crate::thrift::frame::Head;
use crate::thrift::request::*;
use crate::thrift::response::*;
use crate::thrift::{Blob, ErrorName};

impl Server {
    fn put(&self, hash_key: &str, sort_key: &str, value: &str, expire_ts_seconds: i32) -> i32 {
        let key = key(hash_key.as_bytes(), sort_key.as_bytes()).into();
        let put = Put { key, value: value.as_bytes().into(), expire_ts_seconds };
        self.call("PUT", hash_key.as_bytes(), &put).get::<Update<'_>>().unwrap().error
    }

    /// Returns the value of a row, or the status.
    fn get(&self, hash_key: &str, sort_key: &str) -> Result<String, i32> {
        let key = Blob::from(key(hash_key.as_bytes(), sort_key.as_bytes()));
        let reply = self.call("GET", hash_key.as_bytes(), &key);
        let read = reply.get::<Read<'_>>().unwrap();
        assert_eq!((read.app_id, &*read.server), (1, "127.0.0.1:34801"));
        match read.error {
            0 => Ok(String::from_utf8(read.value.to_vec()).unwrap()),
            error => Err(error),
        }
    }

    fn ttl(&self, hash_key: &str, sort_key: &str) -> Result<i32, i32> {
        let key = Blob::from(key(hash_key.as_bytes(), sort_key.as_bytes()));
        let reply = self.call("TTL", hash_key.as_bytes(), &key);
        let ttl = reply.get::<Ttl<'_>>().unwrap();
        if ttl.error == 0 { Ok(ttl.ttl_seconds) } else { Err(ttl.error) }
    }

    /// Returns the status, the sort keys and the values of a MULTI_GET of hash key "h".
    fn multi_get(&self, request: &MultiGet<'_>) -> (i32, String) {
        let reply = self.call("MULTI_GET", &request.hash_key, request);
        let reply = reply.get::<MultiGetReply<'_>>().unwrap();
        (reply.error, rows(&reply.kvs))
    }

    fn incr(&self, key: &[u8], increment: i64, expire_ts_seconds: i32) -> (i32, i64) {
        let incr = Incr { key: key.into(), increment, expire_ts_seconds };
        let reply = self.call("INCR", b"h", &incr);
        let reply = reply.get::<IncrReply<'_>>().unwrap();
        (reply.error, reply.new_value)
    }
}

/// Returns rows as `key=value` with blanks between them.
fn rows(kvs: &[KeyValue<'_>]) -> String {
    let row = |kv: &KeyValue<'_>| format!("{}={}", kv.key.escape_ascii(), kv.value.escape_ascii());
    kvs.iter().map(row).collect::<Vec<_>>().join(" ")
}

fn range() -> MultiGet<'static> {
    MultiGet {
        hash_key: b"h".into(),
        start_inclusive: true,
        stop_inclusive: true,
        ..MultiGet::default()
    }
}

#[test]
fn rows_are_put_got_and_removed() {
    let server = Server::with_table();
    assert_eq!(server.get("h", "s"), Err(status::NOT_FOUND));
    assert_eq!(server.put("h", "s", "v", 0), 0);
    assert_eq!(server.put("h", "", "empty", 0), 0);
    assert_eq!((server.get("h", "s"), server.get("h", "")), (Ok("v".into()), Ok("empty".into())));
    let server = server.reopen();
    assert_eq!(server.get("h", "s"), Ok("v".into()));
    let reply = server.call("REMOVE", b"h", &Blob::from(key(b"h", b"s")));
    let removed = reply.get::<Update<'_>>().unwrap();
    assert_eq!((removed.error, removed.app_id, removed.decree), (0, 1, 1));
    assert_eq!(server.get("h", "s"), Err(status::NOT_FOUND));
}

#[test]
fn rows_expire() {
    let server = Server::with_table();
    assert_eq!(server.put("h", "s", "v", START_EXPIRY + 10), 0);
    assert_eq!(server.put("h", "forever", "v", 0), 0);
    assert_eq!((server.ttl("h", "s"), server.ttl("h", "forever")), (Ok(10), Ok(-1)));
    server.clock.advance_ms(9_999);
    assert_eq!((server.get("h", "s"), server.ttl("h", "s")), (Ok("v".into()), Ok(1)));
    server.clock.advance_ms(1);
    assert_eq!((server.get("h", "s"), server.ttl("h", "s")), (Err(1), Err(1)));
    assert_eq!(server.multi_get(&range()), (0, "forever=v".into()));
    let reply = server.call("SORTKEY_COUNT", b"h", &Blob::from(b"h"));
    assert_eq!(reply.get::<Count<'_>>().unwrap().count, 1);
    assert_eq!(server.put("h", "s", "v", -1), status::INVALID_ARGUMENT);
}

#[test]
fn a_table_has_a_default_time_to_live() {
    let server = Server::with_table();
    assert_eq!(server.set_env("default_ttl", "100"), "");
    assert_eq!(server.put("h", "default", "1", 0), 0);
    assert_eq!(server.put("h", "own", "1", START_EXPIRY + 7), 0);
    assert_eq!((server.ttl("h", "default"), server.ttl("h", "own")), (Ok(100), Ok(7)));
    assert_eq!(server.incr(&key(b"h", b"new"), 1, 0), (0, 1));
    assert_eq!(server.ttl("h", "new"), Ok(100));
}

#[test]
fn keys_are_checked() {
    let server = Server::with_table();
    let put = |key: &[u8]| Put { key: key.to_vec().into(), ..Put::default() };
    for bad in [&b""[..], b"\0", b"\0\x05h", b"\xff\xffh"] {
        let reply = server.call("PUT", b"h", &put(bad));
        assert_eq!(reply.get::<Update<'_>>().unwrap().error, status::INVALID_ARGUMENT);
        let reply = server.call("GET", b"h", &Blob::from(bad));
        assert_eq!(reply.get::<Read<'_>>().unwrap().error, status::INVALID_ARGUMENT);
    }
    // The row of another partition, and the hash of another key.
    let other = Head { partition: place(b"h").partition ^ 1, partition_hash: 0, ..place(b"h") };
    let reply = server.call_at(other, "PUT", &put(&key(b"h", b"s")));
    assert_eq!(reply.error(), ErrorName::ParentPartitionMisused);
    let reply = server.call_at(other, "GET", &Blob::from(key(b"h", b"s")));
    assert_eq!(reply.error(), ErrorName::ParentPartitionMisused);
    let other = Head { partition_hash: 4, ..place(b"h") };
    let reply = server.call_at(other, "PUT", &put(&key(b"h", b"s")));
    assert_eq!(reply.error(), ErrorName::InvalidParameters);
    // Older clients send no hash; it is compared only for writes.
    let reply = server.call_at(other, "GET", &Blob::from(key(b"h", b"s")));
    assert_eq!(reply.get::<Read<'_>>().unwrap().error, status::NOT_FOUND);
    let other = Head { partition_hash: 0, ..place(b"h") };
    let reply = server.call_at(other, "PUT", &put(&key(b"h", b"s")));
    assert_eq!(reply.get::<Update<'_>>().unwrap().error, 0);
}

#[test]
fn an_empty_hash_key_is_placed_by_its_sort_key() {
    let server = Server::with_table();
    let put = Put { key: key(b"", b"sort").into(), ..Put::default() };
    let reply = server.call("PUT", b"sort", &put);
    assert_eq!(reply.get::<Update<'_>>().unwrap().error, 0);
    let reply = server.call("GET", b"sort", &Blob::from(key(b"", b"sort")));
    assert_eq!(reply.get::<Read<'_>>().unwrap().error, 0);
    let reply = server.call("MULTI_GET", b"", &MultiGet::default());
    assert_eq!(reply.get::<MultiGetReply<'_>>().unwrap().error, status::INVALID_ARGUMENT);
}

/// Writes rows a to e with their own names in capitals as values.
fn server_with_rows() -> Server {
    let server = Server::with_table();
    let row = |name: &'static [u8; 1]| KeyValue {
        key: name.into(),
        value: name.to_ascii_uppercase().into(),
        ..KeyValue::default()
    };
    let kvs = [b"a", b"b", b"c", b"d", b"e"].map(row).to_vec();
    let put = MultiPut { hash_key: b"h".into(), kvs, expire_ts_seconds: 0 };
    assert_eq!(server.call("MULTI_PUT", b"h", &put).get::<Update<'_>>().unwrap().error, 0);
    // Neighbours in the order of keys.
    assert_eq!((server.put("g", "z", "1", 0), server.put("i", "a", "1", 0)), (0, 0));
    server
}

#[test]
fn multi_get_of_sort_keys_keeps_the_order_of_the_request() {
    let server = server_with_rows();
    let sort_keys = ["d", "x", "a", "d"].map(|key| key.as_bytes().into()).to_vec();
    let request = MultiGet { hash_key: b"h".into(), sort_keys, ..MultiGet::default() };
    assert_eq!(server.multi_get(&request), (0, "d=D a=A d=D".into()));
    let limited = MultiGet { max_kv_count: 2, ..request.clone() };
    assert_eq!(server.multi_get(&limited), (7, "d=D a=A".into()));
    let limited = MultiGet { max_kv_size: 1, ..request.clone() };
    assert_eq!(server.multi_get(&limited), (7, "d=D".into()), "one row whatever its size");
    let limited = MultiGet { max_kv_count: 3, max_kv_size: 6, ..request.clone() };
    assert_eq!(server.multi_get(&limited), (0, "d=D a=A d=D".into()), "exactly at the limit");
    let no_value = MultiGet { no_value: true, ..request };
    assert_eq!(server.multi_get(&no_value), (0, "d= a= d=".into()));
}

#[test]
fn multi_get_of_ranges() {
    let server = server_with_rows();
    let of = |start: &'static str, stop: &'static str, start_inclusive, stop_inclusive| MultiGet {
        start_sortkey: start.as_bytes().into(),
        stop_sortkey: stop.as_bytes().into(),
        start_inclusive,
        stop_inclusive,
        ..range()
    };
    for (request, expected) in [
        (range(), "a=A b=B c=C d=D e=E"),
        (of("", "", false, false), "a=A b=B c=C d=D e=E"),
        (of("b", "d", true, true), "b=B c=C d=D"),
        (of("b", "d", false, false), "c=C"),
        (of("b", "d", false, true), "c=C d=D"),
        (of("bb", "", true, true), "c=C d=D e=E"),
        (of("d", "b", true, true), ""),
        (of("c", "c", true, true), "c=C"),
        (of("c", "c", false, true), ""),
        (of("x", "z", true, true), ""),
    ] {
        assert_eq!(server.multi_get(&request), (0, expected.into()), "{request:?}");
        let reversed = MultiGet { reverse: true, ..request };
        assert_eq!(server.multi_get(&reversed), (0, expected.into()), "{reversed:?}");
    }
    let limited = MultiGet { max_kv_count: 2, ..range() };
    assert_eq!(server.multi_get(&limited), (7, "a=A b=B".into()));
    let limited = MultiGet { reverse: true, ..limited };
    assert_eq!(server.multi_get(&limited), (7, "d=D e=E".into()));
    let limited = MultiGet { max_kv_size: 3, ..range() };
    assert_eq!(server.multi_get(&limited), (7, "a=A b=B".into()));
    let limited = MultiGet { max_kv_count: 5, ..range() };
    assert_eq!(server.multi_get(&limited), (0, "a=A b=B c=C d=D e=E".into()));
}

#[test]
fn multi_get_filters_sort_keys() {
    let server = Server::with_table();
    for sort_key in ["apple", "apply", "grape", "map"] {
        server.put("h", sort_key, "", 0);
    }
    let filtered = |kind, pattern: &'static str| MultiGet {
        sort_key_filter_type: kind,
        sort_key_filter_pattern: pattern.as_bytes().into(),
        ..range()
    };
    for (kind, pattern, expected) in [
        (1, "ap", "apple= apply= grape= map="),
        (2, "appl", "apple= apply="),
        (3, "e", "apple= grape="),
        (2, "", "apple= apply= grape= map="),
        (2, "b", ""),
    ] {
        assert_eq!(server.multi_get(&filtered(kind, pattern)), (0, expected.into()));
    }
    let within = MultiGet { start_sortkey: b"applf".into(), ..filtered(2, "app") };
    assert_eq!(server.multi_get(&within), (0, "apply=".into()));
    let within = MultiGet { stop_sortkey: b"apple".into(), ..filtered(2, "app") };
    assert_eq!(server.multi_get(&within), (0, "apple=".into()));
    assert_eq!(server.multi_get(&filtered(4, "x")).0, status::INVALID_ARGUMENT);
}

#[test]
fn multi_remove_counts_the_request() {
    let server = server_with_rows();
    let sort_keys = ["a", "x"].map(|key| key.as_bytes().into()).to_vec();
    let request = MultiRemove { hash_key: b"h".into(), sort_keys, max_count: 0 };
    let reply = server.call("MULTI_REMOVE", b"h", &request);
    let removed = reply.get::<MultiRemoveReply<'_>>().unwrap();
    assert_eq!((removed.error, removed.count), (0, 2));
    assert_eq!(server.multi_get(&range()), (0, "b=B c=C d=D e=E".into()));
    let request = MultiRemove { sort_keys: Vec::new(), ..request };
    let reply = server.call("MULTI_REMOVE", b"h", &request);
    assert_eq!(reply.get::<MultiRemoveReply<'_>>().unwrap().error, status::INVALID_ARGUMENT);
    let put = MultiPut { hash_key: b"h".into(), ..MultiPut::default() };
    let reply = server.call("MULTI_PUT", b"h", &put);
    assert_eq!(reply.get::<Update<'_>>().unwrap().error, status::INVALID_ARGUMENT);
}

#[test]
fn batch_get_reads_rows_of_several_hash_keys() {
    let server = server_with_rows();
    let full = |hash_key: &'static str, sort_key: &'static str| FullKey {
        hash_key: hash_key.as_bytes().into(),
        sort_key: sort_key.as_bytes().into(),
    };
    let request = BatchGet { keys: vec![full("h", "c"), full("h", "x"), full("h", "a")] };
    let reply = server.call("BATCH_GET", b"h", &request);
    let found = reply.get::<BatchGetReply<'_>>().unwrap();
    let found: Vec<_> = found.data.iter().map(|row| (&*row.sort_key, &*row.value)).collect();
    assert_eq!(found, [(&b"c"[..], &b"C"[..]), (b"a", b"A")]);
    let reply = server.call("BATCH_GET", b"h", &BatchGet::default());
    assert_eq!(reply.get::<BatchGetReply<'_>>().unwrap().error, status::INVALID_ARGUMENT);
}

#[test]
fn incr_counts_and_keeps_sets_or_clears_the_expiry() {
    let server = Server::with_table();
    let row = key(b"h", b"n");
    assert_eq!(server.incr(&row, 5, 0), (0, 5));
    assert_eq!(server.incr(&row, -7, START_EXPIRY + 50), (0, -2));
    assert_eq!((server.get("h", "n"), server.ttl("h", "n")), (Ok("-2".into()), Ok(50)));
    assert_eq!(server.incr(&row, 1, 0), (0, -1));
    assert_eq!(server.ttl("h", "n"), Ok(50));
    assert_eq!(server.incr(&row, 1, -1), (0, 0));
    assert_eq!(server.ttl("h", "n"), Ok(-1));
    server.put("h", "n", "", 0);
    assert_eq!(server.incr(&row, 3, 0), (0, 3), "an empty value counts as 0");
    server.put("h", "n", "x", 0);
    assert_eq!(server.incr(&row, 3, 0), (status::INVALID_ARGUMENT, 0));
    server.put("h", "n", &i64::MAX.to_string(), 0);
    assert_eq!(server.incr(&row, 1, 0), (status::INVALID_ARGUMENT, i64::MAX));
    server.put("h", "n", "9", START_EXPIRY);
    assert_eq!(server.incr(&row, 1, 0), (0, 1), "an expired row counts as 0");
    assert_eq!(server.ttl("h", "n"), Ok(-1));
}

fn check_and_set(check_type: i32, operand: &'static str) -> CheckAndSet<'static> {
    CheckAndSet {
        hash_key: b"h".into(),
        check_sort_key: b"c".into(),
        check_type,
        check_operand: operand.as_bytes().into(),
        set_value: b"new".into(),
        return_check_value: true,
        ..CheckAndSet::default()
    }
}

#[test]
fn check_and_set_writes_if_the_check_passes() {
    let server = Server::with_table();
    let run = |request: &CheckAndSet<'_>| {
        let reply = server.call("CHECK_AND_SET", b"h", request);
        let reply = reply.get::<CheckReply<'_>>().unwrap();
        let value = reply.check_value_exist.then(|| reply.check_value.escape_ascii().to_string());
        (reply.error, reply.check_value_returned, value)
    };
    // The row exists: 3. It does not: 1.
    assert_eq!(run(&check_and_set(3, "")), (13, true, None));
    assert_eq!(server.get("h", "c"), Err(1));
    let quiet = CheckAndSet { return_check_value: false, ..check_and_set(1, "") };
    assert_eq!(run(&quiet), (0, false, None));
    assert_eq!(run(&check_and_set(1, "")), (13, true, Some("new".into())));
    let other = CheckAndSet {
        set_diff_sort_key: true,
        set_sort_key: b"other".into(),
        set_value: b"5".into(),
        set_expire_ts_seconds: START_EXPIRY + 9,
        ..check_and_set(10, "new")
    };
    assert_eq!(run(&other), (0, true, Some("new".into())));
    assert_eq!((server.get("h", "other"), server.ttl("h", "other")), (Ok("5".into()), Ok(9)));
    assert_eq!(run(&check_and_set(15, "1")).0, status::INVALID_ARGUMENT, "not an integer");
    assert_eq!(run(&check_and_set(18, "1")).0, status::INVALID_ARGUMENT);
}

#[test]
fn check_and_mutate_changes_all_or_nothing() {
    let server = server_with_rows();
    let put = Mutate { sort_key: b"new".into(), value: b"N".into(), ..Mutate::default() };
    let remove = Mutate { operation: 1, sort_key: b"b".into(), ..Mutate::default() };
    let request = CheckAndMutate {
        hash_key: b"h".into(),
        check_sort_key: b"a".into(),
        check_type: 10,
        check_operand: b"wrong".into(),
        mutate_list: vec![put, remove],
        return_check_value: true,
    };
    let run = |request: &CheckAndMutate<'_>| {
        let reply = server.call("CHECK_AND_MUTATE", b"h", request);
        let reply = reply.get::<CheckReply<'_>>().unwrap();
        (reply.error, reply.check_value.to_vec())
    };
    assert_eq!(run(&request), (13, b"A".to_vec()));
    assert_eq!(server.multi_get(&range()).1, "a=A b=B c=C d=D e=E");
    let right = CheckAndMutate { check_operand: b"A".into(), ..request.clone() };
    assert_eq!(run(&right), (0, b"A".to_vec()));
    assert_eq!(server.multi_get(&range()).1, "a=A c=C d=D e=E new=N");
    let empty = CheckAndMutate { mutate_list: Vec::new(), ..request.clone() };
    assert_eq!(run(&empty).0, status::INVALID_ARGUMENT);
    let unknown = Mutate { operation: 2, ..Mutate::default() };
    let unknown = CheckAndMutate { mutate_list: vec![unknown], ..request };
    assert_eq!(run(&unknown).0, status::INVALID_ARGUMENT);
}

fn scanner(batch_size: i32) -> GetScanner<'static> {
    GetScanner {
        start_key: b"\0\0".into(),
        stop_key: b"\xff\xff".into(),
        start_inclusive: true,
        batch_size,
        ..GetScanner::default()
    }
}

/// Scans to the end and returns the rows of each answer.
fn scan(server: &Server, request: &GetScanner<'_>) -> Vec<String> {
    let mut reply = server.call("GET_SCANNER", b"h", request);
    let mut batches = Vec::new();
    loop {
        let scan = reply.get::<ScanReply<'_>>().unwrap();
        assert_eq!(scan.error, 0);
        batches.push(match scan.kv_count {
            Some(count) => count.to_string(),
            None => rows(&scan.kvs),
        });
        if scan.context_id < 0 {
            assert_eq!(scan.context_id, -1);
            return batches;
        }
        let context_id = scan.context_id;
        reply = server.call("SCAN", b"h", &Scan { context_id });
        let again = server.call("SCAN", b"h", &Scan { context_id });
        let again = again.get::<ScanReply<'_>>().unwrap();
        assert_eq!((again.error, again.context_id), (status::NOT_FOUND, 0));
    }
}

#[test]
fn scans_return_a_partition_in_batches() {
    let server = Server::with_table();
    for sort_key in ["a", "b", "c", "d", "e"] {
        server.put("h", sort_key, sort_key, 0);
    }
    server.put("h", "old", "x", START_EXPIRY);
    let all = r"\x00\x01ha=a \x00\x01hb=b \x00\x01hc=c \x00\x01hd=d \x00\x01he=e";
    assert_eq!(scan(&server, &scanner(0)), [all]);
    assert_eq!(scan(&server, &scanner(5)), [all, ""], "an expired row is left");
    let batches = scan(&server, &scanner(2));
    assert_eq!(batches.len(), 3);
    assert_eq!(batches.join(" "), all);
    let count = GetScanner { only_return_count: Some(true), ..scanner(2) };
    assert_eq!(scan(&server, &count), ["2", "2", "1"]);
    let bounded = GetScanner {
        start_key: key(b"h", b"b").into(),
        stop_key: key(b"h", b"d").into(),
        start_inclusive: false,
        stop_inclusive: true,
        no_value: true,
        ..scanner(0)
    };
    assert_eq!(scan(&server, &bounded), [r"\x00\x01hc= \x00\x01hd="]);
    let empty = GetScanner { stop_key: b"\0\0".into(), ..scanner(0) };
    assert_eq!(scan(&server, &empty), [""]);
    let expiries = GetScanner { return_expire_ts: Some(true), ..scanner(1) };
    let reply = server.call("GET_SCANNER", b"h", &expiries);
    assert_eq!(reply.get::<ScanReply<'_>>().unwrap().kvs[0].expire_ts_seconds, Some(0));
}

#[test]
fn scans_filter_hash_keys_and_sort_keys() {
    let server = Server::with_table();
    server.put("h", "abc", "", 0);
    server.put("h", "xbc", "", 0);
    let sort = |kind, pattern: &'static str| GetScanner {
        sort_key_filter_type: kind,
        sort_key_filter_pattern: pattern.as_bytes().into(),
        ..scanner(0)
    };
    assert_eq!(scan(&server, &sort(2, "a")), [r"\x00\x01habc="]);
    assert_eq!(scan(&server, &sort(3, "bc")).join(""), r"\x00\x01habc= \x00\x01hxbc=");
    let hash = |kind, pattern: &'static str| GetScanner {
        hash_key_filter_type: kind,
        hash_key_filter_pattern: pattern.as_bytes().into(),
        ..scanner(0)
    };
    assert_eq!(scan(&server, &hash(2, "x")), [""]);
    assert_eq!(scan(&server, &hash(1, "h")).join(""), r"\x00\x01habc= \x00\x01hxbc=");
    let reply = server.call("GET_SCANNER", b"h", &sort(9, ""));
    assert_eq!(reply.get::<ScanReply<'_>>().unwrap().error, status::INVALID_ARGUMENT);
}

#[test]
fn scans_end_when_they_are_cleared_or_idle() {
    let server = server_with_rows();
    let begin = || {
        let reply = server.call("GET_SCANNER", b"h", &scanner(1));
        reply.get::<ScanReply<'_>>().unwrap().context_id
    };
    let error = |context_id| {
        let reply = server.call("SCAN", b"h", &Scan { context_id });
        reply.get::<ScanReply<'_>>().unwrap().error
    };
    let (cleared, idle) = (begin(), begin());
    let mut out = Vec::new();
    server.send(place(b"h"), "RPC_RRDB_RRDB_CLEAR_SCANNER", &cleared, &mut out);
    assert_eq!(out, b"", "CLEAR_SCANNER has no reply");
    assert_eq!(error(cleared), status::NOT_FOUND);
    server.clock.advance_ms(5 * 60 * 1000);
    assert_eq!(error(idle), status::NOT_FOUND);
    assert_eq!(error(-5), status::NOT_FOUND);
}
