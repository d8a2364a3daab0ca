//! The door of Pegasus clients.

use super::pegasus_cases::CASES;
use super::world::{World, connect};
use super::{Row, Theme};
use ferrolith_server::rows::pegasus::key;
use ferrolith_server::thrift::frame::{Head, write_request};
use ferrolith_server::thrift::meta::*;
use ferrolith_server::thrift::request::Put;
use ferrolith_server::thrift::response::{CheckReply, MultiRemoveReply, Read, ScanReply, Update};
use ferrolith_server::thrift::{Blob, ErrorName, Value, reply};
use std::io::{Read as _, Write};

/// A request, and its answer: an error of the RPC layer or of the meta server, or a storage status. Empty if the
/// connection is closed.
pub struct Case {
    pub theme: Theme,
    pub name: &'static str,
    pub request: fn(&World) -> Vec<u8>,
    pub answer: &'static str,
}

pub const CLOSED: &str = "";

/// The name of the table of Redis's database 0.
pub fn redis_name(world: &World) -> String {
    let all = world.meta::<ListAppsReply>("LIST_APPS", &ListApps::default()).infos;
    all.into_iter().find(|it| it.app_id == world.redis_table).unwrap().app_name
}

pub fn meta<'a>(method: &str, request: &impl Value<'a>) -> Vec<u8> {
    let mut bytes = Vec::new();
    write_request(&Head::default(), &format!("RPC_CM_{method}"), 1, request, &mut bytes);
    bytes
}

pub fn rows<'a>(head: Head, method: &str, request: &impl Value<'a>) -> Vec<u8> {
    let mut bytes = Vec::new();
    write_request(&head, &format!("RPC_RRDB_RRDB_{method}"), 1, request, &mut bytes);
    bytes
}

pub fn raw() -> Blob<'static> {
    Blob::from(key(b"h", b"s"))
}

pub fn put(length: usize) -> Put<'static> {
    Put { key: raw(), value: vec![b'x'; length].into(), expire_ts_seconds: 0 }
}

pub fn create(name: &str, change: impl FnOnce(&mut CreateOptions)) -> Vec<u8> {
    let mut options = CreateOptions {
        partition_count: 2,
        replica_count: 1,
        is_stateful: true,
        ..CreateOptions::default()
    };
    change(&mut options);
    meta("CREATE_APP", &CreateApp { app_name: name.into(), options })
}

pub fn drop_app(name: &str) -> Vec<u8> {
    meta("DROP_APP", &DropApp { app_name: name.into(), options: DropOptions::default() })
}

pub fn rename(from: &str, to: &str) -> Vec<u8> {
    meta("RENAME_APP", &RenameApp { old_app_name: from.into(), new_app_name: to.into() })
}

pub fn set_env(table: &str, name: &str, text: &str) -> Vec<u8> {
    let (keys, values) = (Some(vec![name.into()]), Some(vec![text.into()]));
    meta(
        "UPDATE_APP_ENV",
        &UpdateAppEnv { app_name: table.into(), op: 1, keys, values, clear_prefix: None },
    )
}

pub fn query(name: String) -> Vec<u8> {
    let request = QueryConfig { app_name: name, partition_indices: vec![] };
    meta("QUERY_PARTITION_CONFIG_BY_INDEX", &request)
}

/// Returns a request with the length of its body replaced.
pub fn with_body_length(world: &World, length: u32) -> Vec<u8> {
    let mut bytes = rows(world.head(b"h"), "GET", &raw());
    bytes[16..20].copy_from_slice(&length.to_be_bytes());
    bytes
}

/// Returns the error in the first reply of these bytes; `None` if it is not complete. The responses differ in the types
/// of their fields, so only the right one can be read.
fn error(bytes: &[u8]) -> Option<String> {
    macro_rules! try_as {
        ($($reply:ty, $field:ident, $show:expr;)*) => {$(
            match reply::read::<$reply>(bytes) {
                Ok(None) => return None,
                Ok(Some((received, _))) => return Some(match received.response {
                    Err(name) => name.as_str().to_owned(),
                    Ok(response) => $show(response.$field),
                }),
                Err(_) => {}
            }
        )*};
    }
    let name = |it: ErrorName| it.as_str().to_owned();
    let status = |it: i32| it.to_string();
    try_as! {
        ErrorReply, err, name;
        RecallAppReply, err, name;
        Update<'_>, error, status;
        Read<'_>, error, status;
        MultiRemoveReply<'_>, error, status;
        CheckReply<'_>, error, status;
        ScanReply<'_>, error, status;
    }
    panic!("a reply of another type: {}", bytes.escape_ascii())
}

/// Returns the answer to a request.
fn answer(world: &World, request: &[u8]) -> String {
    let mut stream = connect(world.pegasus);
    stream.write_all(request).unwrap();
    let (mut input, mut chunk) = (Vec::new(), [0; 4096]);
    loop {
        match stream.read(&mut chunk) {
            Ok(0) => break,
            Err(error) if error.kind() == std::io::ErrorKind::ConnectionReset => break,
            read => input.extend_from_slice(&chunk[..read.unwrap()]),
        }
        if let Some(error) = error(&input) {
            return error;
        }
    }
    assert_eq!(input, b"", "a part of a reply");
    CLOSED.to_owned()
}

pub fn rows_of_page() -> Vec<Row> {
    let row = |case: &Case| {
        let answer = match case.answer {
            CLOSED => "closed".to_owned(),
            answer if answer.starts_with("ERR") => format!("`{answer}`"),
            answer => format!("storage status {answer}"),
        };
        Row { theme: case.theme, door: "Pegasus", name: case.name.to_owned(), answer }
    };
    CASES.iter().map(row).collect()
}

#[test]
fn pegasus_clients_are_refused() {
    let world = World::start();
    let before = world.state();
    let mut wrong = Vec::new();
    for case in CASES {
        let found = answer(&world, &(case.request)(&world));
        if found != case.answer {
            wrong.push(format!("{}: {found:?}", case.name));
        }
        assert_eq!(world.state(), before, "{}", case.name);
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}
