//! CONFIG REWRITE, and the limits of what clients send and leave unread.

use super::{Ours, Value};
use ferrolith_server::clock::SystemClock;
use ferrolith_server::redis::parameters::Id;
use ferrolith_server::redis::server::Settings;
use std::io::{Read, Write};
use std::net::TcpStream;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

fn ok() -> Value {
    Value::Simple("OK".into())
}

/// Starts a server with a configuration file, and returns it and the file's path.
fn with_file(text: &str, settings: Settings) -> (Ours, PathBuf) {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("server.toml");
    std::fs::write(&path, text).unwrap();
    let settings = Settings { config_file: Some(path.clone()), ..settings };
    (Ours::start_in(dir, Arc::new(SystemClock::new()), settings), path)
}

#[test]
fn values_are_written_to_the_configuration_file() {
    let text = "\
# The server of the shop.
memory-mb = 64 # small
requirepass = \"old\" # changed each year

[parameter]
# Rarely needed.
timeout = 30 # seconds
slowlog-max-len = 5
";
    let settings = Settings {
        password: "old".into(),
        parameters: vec![(Id::of("timeout"), "30".into()), (Id::of("slowlog-max-len"), "5".into())],
        ..Settings::default()
    };
    let (ours, path) = with_file(text, settings);
    let mut client = ours.connect();
    client.say("AUTH old");
    assert_eq!(client.say("CONFIG REWRITE"), ok());
    assert_eq!(std::fs::read_to_string(&path).unwrap(), text, "nothing changed");
    for line in [
        "CONFIG SET requirepass new timeout 60 maxmemory-policy allkeys-lru maxclients 500",
        "CONFIG SET notify-keyspace-events KEA latency-tracking no slowlog-max-len 128",
        "ACL SETUSER app on >secret ~app:* +@read",
        "CONFIG REWRITE",
    ] {
        assert_eq!(client.say(line), ok(), "{line}");
    }
    let written = std::fs::read_to_string(&path).unwrap();
    for part in [
        "# The server of the shop.\nmemory-mb = 64 # small\n",
        "requirepass = \"new\" # changed each year\n",
        "max-connections = 500\n",
        "user = [\n    \"app on #",
        " ~app:* resetchannels -@all +@read\",\n]\n",
        "# Rarely needed.\ntimeout = 60 # seconds\n",
        "slowlog-max-len = 128\n",
        "maxmemory-policy = \"allkeys-lru\"\n",
        "latency-tracking = false\n",
        "notify-keyspace-events = \"AKE\"\n",
    ] {
        assert!(written.contains(part), "{part} in {written}");
    }
    assert!(!written.contains("secret") && !written.contains("hash-max"), "{written}");
    assert_eq!(client.say("CONFIG REWRITE"), ok());
    assert_eq!(std::fs::read_to_string(&path).unwrap(), written, "again the same");
    let line: toml::Table = written.parse().unwrap();
    let users = line["user"].as_array().unwrap();
    let users: Vec<_> = users.iter().map(|user| user.as_str().unwrap().to_owned()).collect();
    let (ours, _) = with_file("", Settings { users, ..Settings::default() });
    assert_eq!(ours.connect().say("AUTH app secret"), ok());
}

#[test]
fn a_file_is_needed_and_must_be_valid() {
    let none = Value::Error("ERR The server is running without a config file".into());
    assert_eq!(Ours::start().connect().say("CONFIG REWRITE"), none);
    let (ours, path) = with_file("", Settings::default());
    let mut client = ours.connect();
    for text in ["nonsense", "parameter = 5\n"] {
        std::fs::write(&path, text).unwrap();
        client.say("CONFIG SET timeout 9");
        let Value::Error(error) = client.say("CONFIG REWRITE") else { panic!() };
        assert!(error.starts_with("ERR Rewriting config file: /"), "{error}");
        assert_eq!(std::fs::read_to_string(&path).unwrap(), text);
    }
    std::fs::write(&path, "parameter = ['timeout=3', 'hz=20']\n").unwrap();
    client.say("CONFIG SET hz 20");
    assert_eq!(client.say("CONFIG REWRITE"), ok());
    let written = std::fs::read_to_string(&path).unwrap();
    assert!(written.contains("[parameter]\ntimeout = 9\nhz = 20\n"), "{written}");
}

/// Sends bytes until the server closes the connection. Returns how many it took, and how long that was.
fn flood(ours: &Ours, first: &[u8], more: &[u8]) -> (usize, Duration) {
    let mut stream = TcpStream::connect(ours.address).unwrap();
    stream.set_write_timeout(Some(Duration::from_millis(100))).unwrap();
    let (start, mut sent) = (Instant::now(), 0);
    stream.write_all(first).unwrap();
    while start.elapsed() < Duration::from_secs(30) {
        match stream.write(more) {
            Ok(0) => break,
            Ok(count) => sent += count,
            Err(error) if error.kind() == std::io::ErrorKind::WouldBlock => {}
            Err(_) => return (sent, start.elapsed()),
        }
    }
    panic!("the connection stays open after {sent} bytes");
}

#[test]
fn clients_that_do_not_read_are_closed() {
    let ours = Ours::start();
    let mut admin = ours.connect();
    let value = "v".repeat(1 << 20);
    admin.call(&["SET", "big", &value]);
    let get = b"*2\r\n$3\r\nGET\r\n$3\r\nbig\r\n".repeat(100);
    let set = |admin: &mut super::Client, limits: &str| {
        assert_eq!(admin.call(&["CONFIG", "SET", "client-output-buffer-limit", limits]), ok());
    };
    set(&mut admin, "normal 100kb 0 0");
    flood(&ours, &get, &get);
    set(&mut admin, "normal 0 100kb 2");
    let (_, taken) = flood(&ours, &get, &get);
    assert!(taken >= Duration::from_secs(2), "{taken:?}");
    set(&mut admin, "normal 0 0 0 pubsub 1mb 0 0");
    let mut subscriber = TcpStream::connect(ours.address).unwrap();
    subscriber.write_all(b"SUBSCRIBE c\r\n").unwrap();
    while admin.say("PUBSUB NUMSUB c") != Value::Array(vec![Value::bulk("c"), Value::Integer(1)]) {}
    let start = Instant::now();
    while admin.call(&["PUBLISH", "c", &value]) != Value::Integer(0) {
        assert!(start.elapsed() < Duration::from_secs(30), "it stays a subscriber");
    }
    assert_eq!(admin.call(&["GET", "big"]), Value::bulk(&value), "who reads is served");
}

#[test]
fn killed_clients_that_do_not_read_are_closed() {
    let ours = Ours::start();
    let mut admin = ours.connect();
    admin.call(&["SET", "big", &"v".repeat(1 << 20)]);
    let mut stuck = TcpStream::connect(ours.address).unwrap();
    stuck.write_all(&b"GET big\r\n".repeat(100)).unwrap();
    std::thread::sleep(Duration::from_millis(300));
    assert_eq!(admin.say("CLIENT KILL TYPE normal"), Value::Integer(1));
    let start = Instant::now();
    while ours.server.clients.len() > 1 {
        assert!(start.elapsed() < Duration::from_secs(20), "it stays connected");
        std::thread::sleep(Duration::from_millis(10));
    }
}

#[test]
fn clients_that_send_too_much_are_closed() {
    let ours = Ours::start();
    let mut admin = ours.connect();
    assert_eq!(admin.say("CONFIG SET client-query-buffer-limit 1mb"), ok());
    let set = format!("*3\r\n$3\r\nSET\r\n$1\r\na\r\n$100000\r\n{}\r\n", "x".repeat(100_000));
    flood(&ours, b"MULTI\r\n", set.as_bytes());
    let mut stream = TcpStream::connect(ours.address).unwrap();
    stream
        .write_all(format!("*2\r\n$3\r\nGET\r\n$9000000\r\n{}", "x".repeat(3 << 20)).as_bytes())
        .ok();
    let mut rest = Vec::new();
    _ = stream.read_to_end(&mut rest);
    assert!(rest.is_empty());
}
