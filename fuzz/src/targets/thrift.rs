//! Frames and messages of Pegasus's Thrift dialect. `input = kind:1 bytes`: a whole request, the argument of a request,
//! a whole reply, or the response of a reply.
//!
//! * Nothing panics; memory is bounded by a multiple of the input.
//! * Every prefix of a request is incomplete, and asks for no more bytes than the request has.
//! * A message that was decoded, as any type of message, is the same after it is encoded and decoded again.

use ferrolith_server::thrift::frame::{Frame, Head, Request, parse, write_request};
use ferrolith_server::thrift::meta::*;
use ferrolith_server::thrift::request::*;
use ferrolith_server::thrift::response::*;
use ferrolith_server::thrift::{Blob, ErrorName, Value, reply};

const BODY_MAX: usize = 1 << 20;

/// Checks one input.
pub fn run(input: &[u8]) {
    let Some((kind, bytes)) = input.split_first() else { return };
    match kind % 4 {
        0 => check_request(bytes),
        1 => check_argument(&whole(&framed("m", bytes))),
        2 => check_reply(bytes),
        _ => check_reply(&replied(bytes)),
    }
}

fn check_request(bytes: &[u8]) {
    let (request, length) = match parse(bytes, BODY_MAX) {
        Ok(Frame::Whole(request, length)) => (request, length),
        Ok(Frame::Partial(needed)) => return assert!(needed > bytes.len(), "{needed}"),
        Err(error) => return assert!(!error.to_string().is_empty()),
    };
    assert!(length <= bytes.len() && length == request.frame_bytes, "{length}");
    for cut in [0, 1, 3, 4, 15, 16, 47, 48, length / 2, length - 1] {
        let prefix = &bytes[..cut.min(length - 1)];
        let Ok(Frame::Partial(needed)) = parse(prefix, BODY_MAX) else {
            panic!("a prefix of {cut} bytes is not incomplete")
        };
        assert!((prefix.len() + 1..=length).contains(&needed), "{needed} of {length}");
    }
    let mut again = Vec::new();
    write_request(&request.head, "m", request.sequence, &0i64, &mut again);
    let again = whole(&again);
    assert_eq!((again.head, again.sequence), (request.head, request.sequence));
    check_argument(&request);
}

/// Returns the request that bytes are.
fn whole(bytes: &[u8]) -> Request<'_> {
    match parse(bytes, usize::MAX) {
        Ok(Frame::Whole(request, length)) if length == bytes.len() => request,
        other => panic!("expected a whole request, found {other:?}"),
    }
}

/// Returns a request whose argument, with the head of its field, is `bytes`.
pub fn framed(method: &str, bytes: &[u8]) -> Vec<u8> {
    framed_with(&Head::default(), method, bytes)
}

/// The same with a head, in version 0.
pub fn framed_with(head: &Head, method: &str, bytes: &[u8]) -> Vec<u8> {
    let mut frame = Vec::new();
    let head = Head { is_backup_request: false, ..*head };
    write_request(&head, method, 7, &0i64, &mut frame);
    // The field of an i64, and the end of the arguments.
    frame.truncate(frame.len() - (1 + 2 + 8 + 1));
    frame.extend_from_slice(bytes);
    let body = (frame.len() - 48) as u32;
    frame[16..20].copy_from_slice(&body.to_be_bytes());
    frame
}

/// Returns the argument of a request, with the head of its field.
pub fn argument<'a>(value: &impl Value<'a>) -> Vec<u8> {
    let mut frame = Vec::new();
    write_request(&Head::default(), "", 7, value, &mut frame);
    // The head, and of the message its type, the empty name and the number.
    frame.split_off(48 + 4 + 4 + 4)
}

macro_rules! check_as {
    ($request:expr, $($message:ty),* $(,)?) => {$(
        if let Ok(message) = $request.argument::<$message>() {
            let bytes = framed("m", &argument(&message));
            let again = whole(&bytes);
            assert_eq!(again.argument::<$message>().as_ref(), Ok(&message));
        }
    )*};
}

/// Decodes the argument as every message: what it is, is up to the sender.
pub fn check_argument(request: &Request<'_>) {
    check_as!(
        request,
        Blob<'_>,
        bool,
        i8,
        i16,
        i32,
        i64,
        Put<'_>,
        MultiPut<'_>,
        MultiRemove<'_>,
        MultiGet<'_>,
        BatchGet<'_>,
        Incr<'_>,
        CheckAndSet<'_>,
        CheckAndMutate<'_>,
        GetScanner<'_>,
        Scan,
        QueryConfig,
        CreateApp,
        DropApp,
        RecallApp,
        RenameApp,
        ListApps,
        ListNodes,
        UpdateAppEnv,
        ControlMeta,
        Negotiation<'_>,
    );
}

macro_rules! check_reply_as {
    ($bytes:expr, $($message:ty),* $(,)?) => {$(
        if let Ok(Some((received, length))) = reply::read::<$message>($bytes) {
            assert!((4..=$bytes.len()).contains(&length), "{length} of {}", $bytes.len());
            let mut out = Vec::new();
            let (method, sequence) = (received.method, received.sequence);
            match &received.response {
                Ok(response) => reply::write_ok(method, sequence, response, &mut out),
                Err(error) => reply::write_error(*error, method, sequence, &mut out),
            }
            let again = reply::read::<$message>(&out).expect("a reply").expect("a whole reply");
            assert_eq!((&again.0.response, again.1), (&received.response, out.len()));
        }
    )*};
}

/// Reads a reply as every message.
pub fn check_reply(bytes: &[u8]) {
    check_reply_as!(
        bytes,
        Update<'_>,
        Read<'_>,
        Ttl<'_>,
        Count<'_>,
        MultiGetReply<'_>,
        BatchGetReply<'_>,
        MultiRemoveReply<'_>,
        IncrReply<'_>,
        CheckReply<'_>,
        ScanReply<'_>,
        QueryConfigReply,
        CreateAppReply,
        ErrorReply,
        RecallAppReply,
        HintReply,
        ListAppsReply,
        ListNodesReply,
        ClusterInfoReply,
        ControlMetaReply,
    );
}

/// Returns a reply whose response, with the head of its field, is `bytes`.
fn replied(bytes: &[u8]) -> Vec<u8> {
    let mut out = Vec::new();
    reply::write_ok(b"m", 7, &0i64, &mut out);
    out.truncate(out.len() - (1 + 2 + 8 + 1));
    out.extend_from_slice(bytes);
    let length = out.len() as u32;
    out[..4].copy_from_slice(&length.to_be_bytes());
    out
}

/// Returns inputs to begin with.
pub fn seeds() -> Vec<Vec<u8>> {
    let mut seeds = Vec::new();
    for (method, argument) in arguments() {
        seeds.push([&[0], &framed(method, &argument)[..]].concat());
        seeds.push([&[1], &argument[..]].concat());
    }
    let head = Head { app_id: 2, partition: 1, is_backup_request: true, ..Head::default() };
    let mut version_1 = vec![0];
    write_request(&head, "RPC_RRDB_RRDB_GET", 9, &Blob::from(b"\0\x01hs"), &mut version_1);
    seeds.push(version_1);
    for reply in replies() {
        seeds.push([&[3], &reply[4 + 10 + 4 + 9 + 4..]].concat());
        seeds.push([&[2], &reply[..]].concat());
    }
    seeds
}

fn replies() -> Vec<Vec<u8>> {
    let key = || Blob::from(b"key");
    let row = KeyValue { key: key(), value: key(), expire_ts_seconds: Some(9) };
    let app = AppInfo { app_name: "t".into(), duplicating: Some(true), ..AppInfo::default() };
    let partition = PartitionConfig { ballot: 1, ..PartitionConfig::default() };
    let partitions = vec![partition; 2];
    let mut all = vec![Vec::new(); 8];
    reply::write_ok(b"m", 1, &Update { server: "s".into(), ..Update::default() }, &mut all[0]);
    reply::write_ok(b"m", 1, &Read { value: key(), ..Read::default() }, &mut all[1]);
    let get = MultiGetReply { kvs: vec![row.clone(); 2], ..MultiGetReply::default() };
    reply::write_ok(b"m", 1, &get, &mut all[2]);
    let scan = ScanReply { kvs: vec![row], kv_count: Some(1), ..ScanReply::default() };
    reply::write_ok(b"m", 1, &scan, &mut all[3]);
    let list = ListAppsReply { infos: vec![app], ..ListAppsReply::default() };
    reply::write_ok(b"m", 1, &list, &mut all[4]);
    let config = QueryConfigReply { partitions, ..QueryConfigReply::default() };
    reply::write_ok(b"m", 1, &config, &mut all[5]);
    let info = ClusterInfoReply { keys: vec!["k".into()], ..ClusterInfoReply::default() };
    reply::write_ok(b"m", 1, &info, &mut all[6]);
    reply::write_ok(b"m", 1, &HintReply { err: ErrorName::Busy, hint: "h".into() }, &mut all[7]);
    all
}

/// Returns the name of every method with an argument.
pub fn arguments() -> Vec<(&'static str, Vec<u8>)> {
    let key = || Blob::from(b"\0\x02h1s1");
    let part = || Blob::from(b"s1");
    let row = KeyValue { key: part(), value: part(), expire_ts_seconds: Some(1) };
    let full = FullKey { hash_key: part(), sort_key: part() };
    let mutate = Mutate { sort_key: part(), value: part(), ..Mutate::default() };
    let env = |op| UpdateAppEnv {
        app_name: "t".into(),
        op,
        keys: Some(vec!["replica.write_throttling".into()]),
        values: Some(vec!["20000*delay*100".into()]),
        clear_prefix: Some("default".into()),
    };
    let scanner = GetScanner {
        start_key: key(),
        stop_key: Blob::from(b"\xff\xff"),
        batch_size: 2,
        full_scan: Some(true),
        ..GetScanner::default()
    };
    let envs = [("default_ttl".to_owned(), "3".to_owned())].into();
    let options = CreateOptions { partition_count: 4, envs, ..CreateOptions::default() };
    let get = MultiGet { hash_key: part(), sort_keys: vec![part(); 3], ..MultiGet::default() };
    let set = CheckAndSet {
        hash_key: part(),
        check_sort_key: part(),
        check_type: 5,
        check_operand: part(),
        set_value: part(),
        return_check_value: true,
        ..CheckAndSet::default()
    };
    let change = CheckAndMutate {
        hash_key: part(),
        check_type: 1,
        mutate_list: vec![mutate; 2],
        ..CheckAndMutate::default()
    };
    let put = Put { key: key(), value: part(), ..Put::default() };
    let puts = MultiPut { hash_key: part(), kvs: vec![row; 3], expire_ts_seconds: 1 };
    let remove = MultiRemove { hash_key: part(), sort_keys: vec![part()], max_count: 9 };
    let create = CreateApp { app_name: "t".into(), options };
    vec![
        ("RPC_RRDB_RRDB_GET", argument(&key())),
        ("RPC_RRDB_RRDB_TTL", argument(&key())),
        ("RPC_RRDB_RRDB_REMOVE", argument(&key())),
        ("RPC_RRDB_RRDB_SORTKEY_COUNT", argument(&part())),
        ("RPC_RRDB_RRDB_PUT", argument(&put)),
        ("RPC_RRDB_RRDB_MULTI_PUT", argument(&puts)),
        ("RPC_RRDB_RRDB_MULTI_GET", argument(&get)),
        ("RPC_RRDB_RRDB_BATCH_GET", argument(&BatchGet { keys: vec![full; 2] })),
        ("RPC_RRDB_RRDB_MULTI_REMOVE", argument(&remove)),
        ("RPC_RRDB_RRDB_INCR", argument(&Incr { key: key(), increment: 1, expire_ts_seconds: 0 })),
        ("RPC_RRDB_RRDB_CHECK_AND_SET", argument(&set)),
        ("RPC_RRDB_RRDB_CHECK_AND_MUTATE", argument(&change)),
        ("RPC_RRDB_RRDB_GET_SCANNER", argument(&scanner)),
        ("RPC_RRDB_RRDB_SCAN", argument(&Scan { context_id: 0 })),
        ("RPC_RRDB_RRDB_CLEAR_SCANNER", argument(&0i64)),
        (
            "RPC_CM_QUERY_PARTITION_CONFIG_BY_INDEX",
            argument(&QueryConfig { app_name: "t".into(), partition_indices: vec![0, 3] }),
        ),
        ("RPC_CM_LIST_APPS", argument(&ListApps { match_type: Some(1), ..ListApps::default() })),
        ("RPC_CM_LIST_NODES", argument(&ListNodes { status: 0 })),
        ("RPC_CM_CLUSTER_INFO", argument(&ClusterInfo {})),
        ("RPC_CM_UPDATE_APP_ENV", argument(&env(1))),
        ("RPC_CM_UPDATE_APP_ENV", argument(&env(2))),
        ("RPC_NEGOTIATION", argument(&Negotiation { status: 1, msg: part() })),
        ("RPC_CM_CREATE_APP", argument(&create)),
    ]
}
