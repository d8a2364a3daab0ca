//! The server as a replica of an upstream server that sends damaged copies and odd streams, and REPLICAOF at bad times.

use super::replica::{info, wait_for};
use super::upstream::{ID, Link, Upstream, counted, marked, rdb, text};
use super::{Client, Value};
use crate::crash::program::Program;
use ferrolith_server::dump::{self, Entry, RdbWriter, Version};
use std::path::Path;
use std::time::{Duration, SystemTime};

const LARGE: u64 = 30_000;

fn ok() -> Value {
    Value::Simple("OK".to_owned())
}

fn start(dir: &Path) -> (Program, Client) {
    start_with(dir, &[])
}

fn start_with(dir: &Path, flags: &[&str]) -> (Program, Client) {
    let program = Program::start_with(dir, "os", flags);
    let client = Client::connect(program.redis);
    (program, client)
}

/// Returns an RDB file with many keys.
fn large() -> Vec<u8> {
    rdb((0..LARGE).map(|number| text(0, &format!("key{number}"), "value", None)))
}

fn is_loading(our: &mut Client) -> bool {
    matches!(our.say("DBSIZE"), Value::Error(text) if text.starts_with("LOADING"))
}

#[track_caller]
fn wait_for_error(our: &mut Client, part: &str) {
    wait_for(part, || {
        let Value::Bulk(text) = our.say("INFO replication") else { panic!("no INFO") };
        String::from_utf8(text).unwrap().lines().any(|line| {
            line.strip_prefix("replication_last_error:").is_some_and(|text| text.contains(part))
        })
    });
}

#[track_caller]
fn has_old_data(our: &mut Client) {
    assert_eq!(info(our, "replication", "copy_is_complete"), "1");
    assert_eq!(our.say("MGET old new"), Value::Array(vec![Value::bulk("data"), Value::Null]));
    assert_eq!(our.say("FCALL_RO f 0"), Value::Integer(7));
}

/// A copy that is cut off, damaged, or not supported leaves the data as it was, after a restart, too.
#[test]
fn a_bad_copy_changes_nothing() {
    let good = rdb((0..300).map(|number| text(number / 100, &format!("new{number}"), "x", None)));
    let middle = good.len() / 2;
    let half = &good[..middle];
    let mut damaged = good.clone();
    // A byte of a value: only the checksum shows it.
    let at = damaged.windows(2).rposition(|pair| pair == [1, b'x']).unwrap();
    damaged[at + 1] = b'y';
    let mut broken = good.clone();
    broken[middle] ^= 0xff;
    // A value of a module.
    let module = [&good[..9], &[7, 1, b'k', 0x81, 1, 2, 3, 4, 5, 6, 7, 8, 0]].concat();
    let beyond = rdb([text(0, "new", "x", None), text(16, "new", "x", None)]);
    let list = dump::Value::List(vec![b"x".to_vec()]);
    let key = vec![b'k'; 70_000];
    let long = rdb([Entry { database: 0, key, value: list, expires_ms: None }]);
    // The first library would load.
    let library = |codes: &[&str]| {
        let mut file = RdbWriter::begin(Vec::new(), Version::V10).unwrap();
        codes.iter().for_each(|code| file.function(code.as_bytes()).unwrap());
        file.entry(&text(0, "new", "x", None)).unwrap();
        file.finish().unwrap()
    };
    let good_code = "#!lua name=g\nredis.register_function('g', function() return 8 end)";
    let bad_code = "#!lua name=b\nredis.register_function('b', nonsense.field)";
    let same_code = "#!lua name=s\nredis.register_function('g', function() return 9 end)";
    let bad_library = library(&[good_code, bad_code]);
    let same_function = library(&[good_code, same_code]);
    let full = |rdb: &[u8]| counted(rdb);
    let cases = [
        (counted(&good)[..middle].to_vec(), "receiving the copy"),
        (marked(&good)[..middle].to_vec(), "receiving the copy"),
        (marked(half), "the copy of the data"),
        (full(half), "the copy of the data"),
        (full(&damaged), "checksum"),
        (marked(&damaged), "checksum"),
        (full(&broken), "the copy of the data"),
        (full(&module), "module"),
        (full(&beyond), "more --databases"),
        (full(b"no RDB file"), "the copy of the data"),
        (full(&long), "at most 65535 bytes"),
        (full(&bad_library), "nonsense"),
        (full(&same_function), "a library of functions in the copy"),
    ];
    let dir = tempfile::tempdir().unwrap();
    let (mut program, mut our) = start(dir.path());
    our.say("SET old data");
    let code = "#!lua name=l\nredis.register_function{function_name='f', \
                callback=function() return 7 end, flags={'no-writes'}}";
    our.call(&["FUNCTION", "LOAD", code]);
    for (copy, error) in cases {
        let upstream = Upstream::start();
        assert_eq!(our.say(&upstream.replica_of()), ok());
        let mut link = upstream.accept();
        assert_eq!(link.asked, ("?".to_owned(), -1));
        link.copy(&copy);
        link.close();
        wait_for_error(&mut our, error);
        has_old_data(&mut our);
        drop(our);
        program.kill();
        (program, our) = start(dir.path());
        has_old_data(&mut our);
        assert_eq!(our.say("REPLICAOF NO ONE"), ok());
    }
    let upstream = Upstream::start();
    our.say(&upstream.replica_of());
    let mut link = upstream.accept();
    link.copy(&counted(&good));
    link.wait();
    assert_eq!(our.say("MGET old new7"), Value::Array(vec![Value::Null, Value::bulk("x")]));
}

/// The position of a stream that was followed before stays valid while copies are bad.
#[test]
fn a_stream_goes_on_after_a_bad_copy() {
    let dir = tempfile::tempdir().unwrap();
    let upstream = Upstream::start();
    let flag = upstream.address.to_string();
    let (_program, mut our) = start_with(dir.path(), &["--replica-of", &flag]);
    let mut link = upstream.accept();
    link.copy(&counted(&rdb([text(0, "k", "1", None)])));
    link.commands(&["INCR k"]);
    link.wait();
    let offset = link.offset as i64;
    link.close();
    let mut link = upstream.accept();
    assert_eq!(link.asked, (ID.to_owned(), offset + 1));
    let damaged = counted(&large()[..1000]);
    link.copy(&damaged);
    link.close();
    wait_for_error(&mut our, "the copy of the data");
    let mut link = upstream.accept();
    assert_eq!(link.asked, (ID.to_owned(), offset + 1));
    link.go_on();
    link.commands(&["INCR k"]);
    link.wait();
    assert_eq!(our.say("GET k"), Value::bulk("3"));
}

/// REPLICAOF NO ONE at any time of a copy: what is there then stays as it is, and clients write.
#[test]
fn no_one_races_a_copy() {
    let copy = counted(&large());
    let mut random = fastrand::Rng::new();
    println!("seed {}", random.get_seed());
    for round in 0..12 {
        let dir = tempfile::tempdir().unwrap();
        let (program, mut our) = start(dir.path());
        our.say("SET old data");
        let upstream = Upstream::start();
        our.say(&upstream.replica_of());
        let mut link = upstream.accept();
        match round {
            // While it is received.
            0 => link.copy(&copy[..copy.len() / 2]),
            // As soon as the old data is gone.
            1 => {
                link.copy(&copy);
                wait_for("loading", || is_loading(&mut our));
            }
            _ => {
                link.copy(&copy);
                std::thread::sleep(Duration::from_micros(random.u64(..600_000)));
            }
        }
        assert_eq!(our.say("REPLICAOF NO ONE"), ok());
        assert_eq!(our.say("SET mine 1"), ok());
        let Value::Integer(keys) = our.say("DBSIZE") else { panic!("DBSIZE") };
        // The old data, nothing, or the whole copy.
        assert!([2, 1, LARGE as i64 + 1].contains(&keys), "round {round}: {keys} keys");
        std::thread::sleep(Duration::from_millis(50));
        assert_eq!(our.say("DBSIZE"), Value::Integer(keys), "round {round}");
        let has_old = our.say("EXISTS old");
        assert_eq!(has_old, Value::Integer(i64::from(keys == 2)));
        program.kill();
        let (_program, mut our) = start(dir.path());
        assert_eq!(our.say("DBSIZE"), Value::Integer(keys), "round {round}");
        assert_eq!(our.say("SET mine 2"), ok());
    }
}

/// REPLICAOF elsewhere while the first copy is loaded, and a restart before the second one is there.
#[test]
fn another_server_while_a_copy_is_loaded() {
    let (first, second) = (Upstream::start(), Upstream::start());
    let dir = tempfile::tempdir().unwrap();
    let (program, mut our) = start(dir.path());
    our.say(&first.replica_of());
    first.accept().copy(&counted(&large()));
    wait_for("loading", || is_loading(&mut our));
    assert_eq!(our.say(&second.replica_of()), ok());
    assert!(is_loading(&mut our), "the first copy is incomplete");
    // The second copy dies, too.
    let mut link = second.accept();
    link.copy(&counted(&large())[..5000]);
    link.close();
    program.kill();
    let (_program, mut our) = start(dir.path());
    assert!(is_loading(&mut our), "an incomplete copy is served");
    assert_eq!(info(&mut our, "replication", "master_port"), second.address.port().to_string());
    let mut link = second.accept();
    assert_eq!(link.asked, ("?".to_owned(), -1));
    link.copy(&marked(&rdb([text(0, "k", "v", None)])));
    link.wait_for_first();
    link.wait();
    assert_eq!(our.say("DBSIZE"), Value::Integer(1));
    assert_eq!(our.say("GET k"), Value::bulk("v"));
}

/// A database that this server does not have: nothing goes elsewhere, and the stream goes on with more databases.
#[test]
fn a_stream_selects_an_unknown_database() {
    let cases: [&[&str]; 2] =
        [&["SELECT 16", "SET k v"], &["MULTI", "SELECT 16", "SET k v", "EXEC"]];
    for lines in cases {
        let dir = tempfile::tempdir().unwrap();
        let upstream = Upstream::start();
        let flag = upstream.address.to_string();
        let (program, mut our) = start_with(dir.path(), &["--replica-of", &flag]);
        let mut link = upstream.accept();
        link.copy(&counted(&rdb([])));
        link.commands(&["SELECT 15", "SET before 1"]);
        link.wait();
        let next = link.offset as i64 + 1;
        link.commands(lines);
        link.wait_for_end();
        wait_for_error(&mut our, "start the server with more --databases");
        let resumed = upstream.accept();
        assert_eq!(resumed.asked, (ID.to_owned(), next));
        assert!(matches!(info(&mut our, "keyspace", "db15"), text if text.starts_with("keys=1,")));
        our.say("SELECT 15");
        assert_eq!(our.say("MGET before k"), Value::Array(vec![Value::bulk("1"), Value::Null]));
        drop(resumed);
        program.kill();
        let (_program, mut our) = start_with(dir.path(), &["--databases", "17"]);
        let mut link = upstream.accept();
        // The question behind the last commit is in no batch.
        assert!((next - 50..=next).contains(&link.asked.1), "{:?}, not {next}", link.asked);
        link.go_on();
        link.commands(lines);
        link.wait();
        our.say("SELECT 16");
        assert_eq!(our.say("GET k"), Value::bulk("v"));
    }
}

/// A key lives on if its expiry is put off, although our clock passed the old time: in a copy and in the stream.
#[test]
fn expiries_are_put_off_late() {
    let now = || SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap();
    let in_ms = |ms: u64| (now() + Duration::from_millis(ms)).as_millis() as i64;
    let dir = tempfile::tempdir().unwrap();
    let upstream = Upstream::start();
    let flag = upstream.address.to_string();
    let (program, mut our) = start_with(dir.path(), &["--replica-of", &flag]);
    let mut link = upstream.accept();
    link.copy(&counted(&rdb([text(0, "copied", "1", Some(in_ms(0) - 5000))])));
    let soon = in_ms(200);
    let set = format!("SET streamed 1 PXAT {soon}");
    let hash = format!("PEXPIREAT hash {soon}");
    link.commands(&[&set, "HSET hash f 1", &hash]);
    link.wait();
    std::thread::sleep(Duration::from_millis(300));
    assert_eq!(our.say("EXISTS copied streamed hash"), Value::Integer(0));
    let restored = |link: &mut Link| {
        let later = in_ms(600_000);
        let lines = ["copied", "streamed", "hash"].map(|key| format!("PEXPIREAT {key} {later}"));
        link.commands(&lines.each_ref().map(|line| &line[..]));
        link.commands(&["INCR copied", "INCR streamed", "HINCRBY hash f 1"]);
        link.wait();
    };
    drop(our);
    // A restart between does not remove them either.
    program.kill();
    let (_program, mut our) = start(dir.path());
    let mut resumed = upstream.accept();
    resumed.go_on();
    restored(&mut resumed);
    assert_eq!(our.say("MGET copied streamed"), Value::Array(vec![Value::bulk("2"); 2]));
    assert_eq!(our.say("HGET hash f"), Value::bulk("2"));
    assert_eq!(info(&mut our, "replication", "stream_errors"), "0");
}

/// SWAPDB with keys in both databases, alone and in transactions.
#[test]
fn a_stream_exchanges_databases() {
    let dir = tempfile::tempdir().unwrap();
    let upstream = Upstream::start();
    let flag = upstream.address.to_string();
    let (program, mut our) = start_with(dir.path(), &["--replica-of", &flag]);
    let mut link = upstream.accept();
    link.copy(&counted(&rdb([text(0, "k", "zero", None), text(1, "k", "one", None)])));
    link.commands(&["SWAPDB 0 1", "APPEND k +"]);
    link.commands(&["MULTI", "APPEND k a", "SWAPDB 1 0", "APPEND k b", "SELECT 1", "APPEND k c"]);
    link.commands(&["SWAPDB 1 2", "APPEND k d", "EXEC", "APPEND k e"]);
    link.wait();
    let check = |our: &mut Client| {
        let values = ["0", "1", "2"].map(|index| {
            our.say(&format!("SELECT {index}"));
            our.say("GET k")
        });
        assert_eq!(values, ["zerob", "de", "one+ac"].map(Value::bulk));
    };
    check(&mut our);
    drop(our);
    program.kill();
    let (_program, mut our) = start(dir.path());
    check(&mut our);
}

/// How far a copy is, while its length is unknown and after it is known.
#[test]
fn info_shows_how_far_a_copy_is() {
    let dir = tempfile::tempdir().unwrap();
    let upstream = Upstream::start();
    let flag = upstream.address.to_string();
    let (_program, mut our) = start_with(dir.path(), &["--replica-of", &flag]);
    let copy = rdb((0..1000).map(|number| text(0, &format!("key{number}"), "value", None)));
    let percent = |our: &mut Client| info(our, "replication", "master_sync_perc");
    let arrived = |our: &mut Client| {
        wait_for("bytes of the copy", || {
            info(our, "replication", "master_sync_in_progress") == "1"
                && info(our, "replication", "master_sync_read_bytes") != "0"
        });
    };
    let mut link = upstream.accept();
    link.copy(&marked(&copy)[..copy.len() / 2]);
    arrived(&mut our);
    assert_eq!(info(&mut our, "replication", "master_sync_total_bytes"), "0");
    assert_eq!(percent(&mut our), "0.00");
    link.close();
    let mut link = upstream.accept();
    link.copy(&counted(&copy)[..copy.len() / 2]);
    arrived(&mut our);
    wait_for("half of the copy", || percent(&mut our).parse::<f64>().unwrap() > 49.0);
    assert!(percent(&mut our).parse::<f64>().unwrap() < 51.0);
    assert_eq!(info(&mut our, "replication", "master_sync_checked_bytes"), "0");
}
