//! The requests of Pegasus clients that are refused.

use super::Theme::{self, *};
use super::pegasus::*;
use super::world::World;
use ferrolith_server::thrift::frame::Head;
use ferrolith_server::thrift::meta::*;
use ferrolith_server::thrift::native;
use ferrolith_server::thrift::request::*;
use ferrolith_server::thrift::{Blob, partition_hash};

const fn case(
    theme: Theme,
    name: &'static str,
    request: fn(&World) -> Vec<u8>,
    answer: &'static str,
) -> Case {
    Case { theme, name, request, answer }
}

const NOT_FOUND: &str = "1";
const INVALID: &str = "4";
const NO_OBJECT: &str = "ERR_OBJECT_NOT_FOUND";
const NO_TABLE: &str = "ERR_APP_NOT_EXIST";
const WRONG: &str = "ERR_INVALID_PARAMETERS";
const NO_DATA: &str = "ERR_INVALID_DATA";

pub const CASES: &[Case] = &[
    case(
        Rights,
        "A row of a Redis table",
        |world| rows(Head { app_id: world.redis_table, ..world.head(b"h") }, "GET", &raw()),
        NO_OBJECT,
    ),
    case(
        Rights,
        "A write to a Redis table",
        |world| rows(Head { app_id: world.redis_table, ..world.head(b"h") }, "PUT", &put(1)),
        NO_OBJECT,
    ),
    case(Rights, "The partitions of a Redis table", |world| query(redis_name(world)), NO_OBJECT),
    case(Rights, "DROP_APP of a Redis table", |world| drop_app(&redis_name(world)), NO_TABLE),
    case(
        Rights,
        "RENAME_APP of a Redis table",
        |world| rename(&redis_name(world), "mine"),
        NO_TABLE,
    ),
    case(
        Rights,
        "UPDATE_APP_ENV of a Redis table",
        |world| set_env(&redis_name(world), "replica.deny_client_request", "timeout*write"),
        NO_TABLE,
    ),
    case(
        Rights,
        "RECALL_APP of a Redis table",
        |world| {
            meta(
                "RECALL_APP",
                &RecallApp { app_id: world.redis_table, new_app_name: "mine".into() },
            )
        },
        NO_TABLE,
    ),
    case(
        Rights,
        "CREATE_APP with the name of a Redis table",
        |world| create(&redis_name(world), |_| {}),
        "ERR_APP_EXIST",
    ),
    case(
        Rights,
        "CREATE_APP of a table for Redis clients",
        |_| create("new", |it| it.app_type = "redis".into()),
        WRONG,
    ),
    case(
        Rights,
        "CONTROL_META, which would switch off the meta server",
        |_| meta("CONTROL_META", &ControlMeta { level: 0 }),
        "ERR_OPERATION_DISABLED",
    ),
    case(
        Rights,
        "A method of the traffic between servers",
        |world| rows(world.head(b"h"), "DUPLICATE", &raw()),
        "ERR_HANDLER_NOT_FOUND",
    ),
    case(
        Rights,
        "A method of the C++ client that is unknown",
        |world| {
            let mut bytes = Vec::new();
            native::write_request(
                &world.head(b"h"),
                "RPC_CM_START_BULK_LOAD",
                1,
                &raw(),
                true,
                &mut bytes,
            );
            bytes
        },
        "ERR_HANDLER_NOT_FOUND",
    ),
    case(
        Replayed,
        "CREATE_APP a second time",
        |_| create("t", |it| it.partition_count = 4),
        "ERR_APP_EXIST",
    ),
    case(Replayed, "DROP_APP a second time", |_| drop_app("dropped"), NO_TABLE),
    case(Replayed, "RENAME_APP to a name in use", |_| rename("t", "t"), "ERR_APP_EXIST"),
    case(
        Replayed,
        "RECALL_APP under a name in use",
        |world| meta("RECALL_APP", &RecallApp { app_id: world.dropped, new_app_name: "t".into() }),
        "ERR_APP_EXIST",
    ),
    case(
        Replayed,
        "A read of a dropped table",
        |world| rows(Head { app_id: world.dropped, ..Head::default() }, "GET", &raw()),
        NO_OBJECT,
    ),
    case(
        Replayed,
        "SCAN of a context that is over or guessed",
        |world| rows(world.head(b"h"), "SCAN", &Scan { context_id: 1 }),
        NOT_FOUND,
    ),
    case(
        Replayed,
        "CHECK_AND_SET whose condition no longer holds",
        |world| {
            rows(
                world.head(b"h"),
                "CHECK_AND_SET",
                &CheckAndSet {
                    hash_key: b"h".into(),
                    check_sort_key: b"s".into(),
                    check_type: 1,
                    set_value: b"x".into(),
                    ..CheckAndSet::default()
                },
            )
        },
        "13",
    ),
    case(
        Oversized,
        "A write of more than 1 MiB",
        |world| rows(world.head(b"h"), "PUT", &put(1 << 20)),
        NO_DATA,
    ),
    case(
        Oversized,
        "A body of more than 16 MiB",
        |world| with_body_length(world, (16 << 20) + 1),
        CLOSED,
    ),
    case(
        Oversized,
        "A body of more than 16 MiB of the C++ client",
        |world| {
            let mut bytes = Vec::new();
            native::write_request(
                &world.head(b"h"),
                "RPC_RRDB_RRDB_GET",
                1,
                &raw(),
                false,
                &mut bytes,
            );
            bytes[16..20].copy_from_slice(&((16 << 20) + 1_u32).to_le_bytes());
            bytes
        },
        CLOSED,
    ),
    case(
        Oversized,
        "A head of version 1 of more than 1 KiB",
        |_| [&b"THFT\0\0\0\x01\0\0\x04\x01\0\0\0\x01"[..], &[0; 64]].concat(),
        CLOSED,
    ),
    case(
        Oversized,
        "A hash key of 65535 bytes in MULTI_PUT",
        |world| {
            let hash_key = vec![b'x'; 65_535];
            let row = KeyValue { key: b"s".into(), value: b"x".into(), expire_ts_seconds: None };
            rows(
                world.head(&hash_key),
                "MULTI_PUT",
                &MultiPut { hash_key: hash_key.into(), kvs: vec![row], expire_ts_seconds: 0 },
            )
        },
        INVALID,
    ),
    case(
        Oversized,
        "CREATE_APP with more partitions than there may be",
        |_| create("new", |it| it.partition_count = 8192),
        WRONG,
    ),
    case(
        Oversized,
        "CREATE_APP with a name of 257 bytes",
        |_| create(&"x".repeat(257), |_| {}),
        WRONG,
    ),
    case(CrossSite, "HTTP", |_| super::redis::http("POST / HTTP/1.1"), CLOSED),
    case(CrossSite, "A command of a Redis client", |_| b"*1\r\n$4\r\nPING\r\n".to_vec(), CLOSED),
    case(CrossSite, "The first message of TLS", |_| super::tls::old_hello(), CLOSED),
    case(
        Malformed,
        "A table that does not exist",
        |world| rows(Head { app_id: 9999, ..world.head(b"h") }, "GET", &raw()),
        NO_OBJECT,
    ),
    case(
        Malformed,
        "A partition that does not exist",
        |world| rows(Head { partition: 9, ..world.head(b"h") }, "GET", &raw()),
        NO_OBJECT,
    ),
    case(
        Malformed,
        "A negative partition",
        |world| rows(Head { partition: -1, ..world.head(b"h") }, "PUT", &put(1)),
        NO_OBJECT,
    ),
    case(
        Malformed,
        "A write to the partition of another key",
        |world| {
            let head = world.head(b"h");
            let other = Head {
                partition: (head.partition + 1) % 4,
                partition_hash: partition_hash(b"h", b""),
                ..head
            };
            rows(other, "PUT", &put(1))
        },
        "ERR_PARENT_PARTITION_MISUSED",
    ),
    case(
        Malformed,
        "An argument of another type",
        |world| rows(world.head(b"h"), "PUT", &7_i32),
        NO_DATA,
    ),
    case(
        Malformed,
        "An argument of another type to the meta server",
        |_| meta("DROP_APP", &7_i32),
        NO_DATA,
    ),
    case(
        Malformed,
        "A key that is cut",
        |world| rows(world.head(b"h"), "GET", &Blob::from(b"\xff\xff")),
        INVALID,
    ),
    case(
        Malformed,
        "MULTI_REMOVE of no row",
        |world| {
            rows(
                world.head(b"h"),
                "MULTI_REMOVE",
                &MultiRemove { hash_key: b"h".into(), ..MultiRemove::default() },
            )
        },
        INVALID,
    ),
    case(
        Malformed,
        "CHECK_AND_MUTATE with an unknown operation",
        |world| {
            let mutate_list = vec![Mutate { operation: 7, ..Mutate::default() }];
            rows(
                world.head(b"h"),
                "CHECK_AND_MUTATE",
                &CheckAndMutate { hash_key: b"h".into(), mutate_list, ..CheckAndMutate::default() },
            )
        },
        INVALID,
    ),
    case(
        Malformed,
        "CREATE_APP with a number of partitions that is no power of two",
        |_| create("new", |it| it.partition_count = 3),
        WRONG,
    ),
    case(
        Malformed,
        "CREATE_APP with 6 replicas",
        |_| create("new", |it| it.replica_count = 6),
        WRONG,
    ),
    case(
        Malformed,
        "CREATE_APP with an unknown environment",
        |_| create("new", |it| _ = it.envs.insert("nope".into(), "1".into())),
        WRONG,
    ),
    case(
        Malformed,
        "UPDATE_APP_ENV with a wrong value",
        |_| set_env("t", "replica.write_throttling", "nope"),
        WRONG,
    ),
    case(
        Malformed,
        "RECALL_APP of a table that does not exist",
        |_| meta("RECALL_APP", &RecallApp { app_id: 9999, new_app_name: "x".into() }),
        NO_TABLE,
    ),
    case(
        Malformed,
        "LIST_APPS with an unknown kind of pattern",
        |_| meta("LIST_APPS", &ListApps { match_type: Some(9), ..ListApps::default() }),
        WRONG,
    ),
    case(
        Malformed,
        "A head of version 9",
        |_| [&b"THFT\0\0\0\x09\0\0\0\x30\0\0\0\0"[..], &[0; 64]].concat(),
        CLOSED,
    ),
    case(
        Malformed,
        "A message that is a reply",
        |world| {
            let mut bytes = rows(world.head(b"h"), "GET", &raw());
            bytes[48 + 3] = 2;
            bytes
        },
        CLOSED,
    ),
    case(
        Malformed,
        "A name with a negative length",
        |world| {
            let mut bytes = rows(world.head(b"h"), "GET", &raw());
            bytes[52..56].copy_from_slice(&[0xff; 4]);
            bytes
        },
        CLOSED,
    ),
    case(
        Malformed,
        "A request of the C++ client whose checksum is wrong",
        |world| {
            let mut bytes = Vec::new();
            native::write_request(
                &world.head(b"h"),
                "RPC_RRDB_RRDB_PUT",
                1,
                &put(9),
                true,
                &mut bytes,
            );
            *bytes.last_mut().unwrap() ^= 1;
            bytes
        },
        CLOSED,
    ),
];
