//! The server as a replica over TLS: of a real `redis-server`, and of servers that it must not trust.

use super::replica::{catch_up, contents, info, wait_for};
use super::transfer::{assert_same, fill};
use super::{Client, Ours, Theirs, Value};
use crate::peer::RedisProcess;
use crate::tls::{file, settings};
use ferrolith_server::clock::SystemClock;
use ferrolith_server::config::Flags;
use ferrolith_server::redis::server::Settings;
use ferrolith_server::tls::{ClientCertificates, ClientTlsSettings, FlagNames, Tls};
use std::io::Read;
use std::net::TcpListener;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Returns settings that trust the authority `ca`, and show the certificate of this name, or none.
fn trusting(ca: &str, certificate: &str) -> ClientTlsSettings {
    let own = |end: &str| match certificate {
        "" => String::new(),
        name => file(&format!("{name}.{end}")),
    };
    let (cert, key) = (own("pem"), own("key"));
    ClientTlsSettings {
        ca: file(ca),
        cert,
        key,
        server_name: String::new(),
        flags: FlagNames::REPLICA,
    }
}

/// Starts a server whose connection to another one has these settings.
fn start(replica_uses_tls: bool, replica_tls: ClientTlsSettings) -> Ours {
    let settings = Settings { replica_uses_tls, replica_tls, ..Settings::default() };
    Ours::start_in(tempfile::tempdir().unwrap(), Arc::new(SystemClock::new()), settings)
}

/// A Redis that serves replicas with certificates over TLS, and the test without TLS.
struct Secured {
    client: Client,
    replica_of: String,
    _process: RedisProcess,
}

/// Starts Redis; `None`, with a message, if there is none, or none with TLS.
fn redis_with_tls(flags: &[&str]) -> Option<Secured> {
    let theirs = Theirs::start()?;
    if theirs.connect().say("CONFIG GET tls-port") == Value::Array(Vec::new()) {
        eprintln!("skipped: redis-server was built without TLS");
        return None;
    }
    let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port().to_string();
    let (cert, key, ca) = (file("server.pem"), file("server.key"), file("ca.pem"));
    let tls = ["--tls-port", &port, "--tls-cert-file", &cert, "--tls-key-file", &key];
    let more = ["--tls-ca-cert-file", &ca, "--repl-diskless-sync-delay", "0"];
    let (process, stream) = RedisProcess::start(&[&tls[..], &more, flags].concat())?;
    let client = Client::connect(stream.get_ref().peer_addr().unwrap());
    Some(Secured { client, replica_of: format!("REPLICAOF 127.0.0.1 {port}"), _process: process })
}

fn ok() -> Value {
    Value::Simple("OK".to_owned())
}

/// The copy, with and without a known length, the stream, a connection that ends, and the cut-over.
#[test]
fn keys_move_over_tls() {
    for is_diskless in ["yes", "no"] {
        let Some(mut theirs) = redis_with_tls(&["--repl-diskless-sync", is_diskless]) else {
            return;
        };
        let their = &mut theirs.client;
        fill(their, 500);
        // More than records, buffers of sockets, and what is read at once.
        their.say(&format!("SET large {}", "0123456789abcdef".repeat(300_000)));
        let ours = start(true, trusting("ca.pem", "client"));
        let mut our = ours.connect();
        let yes = Value::Array(vec![Value::bulk("tls-replication"), Value::bulk("yes")]);
        assert_eq!(our.say("CONFIG GET tls-replication"), yes);
        assert_eq!(our.say(&theirs.replica_of), ok());
        wait_for("the copy", || info(&mut our, "replication", "master_link_status") == "up");
        their.say(&format!("SET streamed {}", "x".repeat(5 << 20)));
        for number in 0..1000 {
            their.say(&format!("RPUSH list {number}"));
        }
        catch_up(their, &mut our);
        assert_same(&contents(&mut our), &contents(their));
        // The stream goes on behind the position.
        assert_eq!(their.say("CLIENT KILL TYPE replica"), Value::Integer(1));
        their.say("SET behind 1");
        wait_for("a new connection", || info(their, "stats", "sync_partial_ok") == "1");
        catch_up(their, &mut our);
        assert_eq!(our.say("GET behind"), Value::bulk("1"));
        assert_eq!(our.say("REPLICAOF NO ONE"), ok());
        assert_eq!(our.say("SET k v"), ok());
    }
}

/// Waits until the connection failed, and returns why.
fn failure(our: &mut Client) -> String {
    let begun = Instant::now();
    loop {
        let Value::Bulk(text) = our.say("INFO replication") else { panic!("no INFO") };
        let text = String::from_utf8(text).unwrap();
        let error = text.lines().find_map(|line| line.strip_prefix("replication_last_error:"));
        if let Some(error) = error.filter(|error| !error.is_empty()) {
            return error.to_owned();
        }
        assert!(begun.elapsed() < Duration::from_secs(60), "no error in {text}");
        std::thread::sleep(Duration::from_millis(20));
    }
}

/// Nothing is sent to a server that is not trusted, and INFO says why and what to do.
#[test]
fn failed_handshakes_say_why() {
    let tls = Tls::open(settings("server", ClientCertificates::Required)).unwrap();
    let theirs = Settings { tls: Some(Arc::new(tls)), ..Settings::default() };
    let clock = Arc::new(SystemClock::new());
    let theirs = Ours::start_in(tempfile::tempdir().unwrap(), clock, theirs);
    let (secure, plain) = (theirs.secure.unwrap().port(), theirs.address.port());
    let named = |name: &str| {
        let server_name = name.to_owned();
        ClientTlsSettings { server_name, ..trusting("ca.pem", "client") }
    };
    let cases = [
        (
            true,
            trusting("other-ca.pem", "client"),
            secure,
            "other-ca.pem signed that of the server",
        ),
        (true, trusting("ca.pem", ""), secure, "--replica-tls-cert and --replica-tls-key name one"),
        (true, trusting("ca.pem", "stranger"), secure, "the certificate of --replica-tls-cert"),
        (true, named("elsewhere.example"), secure, "give one as --replica-tls-server-name"),
        (true, trusting("no-such-file", ""), secure, "--replica-tls-ca: reading"),
        (true, trusting("ca.pem", "client"), plain, "TLS at this address"),
        (false, trusting("ca.pem", "client"), secure, "the server expects TLS"),
        // Our server sends no stream, so this is what a connection that succeeds leads to.
        (true, named("localhost"), secure, "PSYNC"),
    ];
    for (uses_tls, tls, port, expected) in cases {
        let ours = start(uses_tls, tls);
        let mut our = ours.connect();
        assert_eq!(our.say(&format!("REPLICAOF 127.0.0.1 {port}")), ok());
        let found = failure(&mut our);
        assert!(found.contains(expected), "{expected}? {found}");
        let status = info(&mut our, "replication", "master_link_status");
        assert_eq!(status, "down", "{expected}");
    }
}

/// A server that never answers the handshake does not keep the role from changing.
#[test]
fn a_handshake_ends_with_the_role() {
    let silent = TcpListener::bind("127.0.0.1:0").unwrap();
    let ours = start(true, trusting("ca.pem", "client"));
    let mut our = ours.connect();
    let port = silent.local_addr().unwrap().port();
    assert_eq!(our.say(&format!("REPLICAOF 127.0.0.1 {port}")), ok());
    let (mut link, _) = silent.accept().unwrap();
    let begun = Instant::now();
    assert_eq!(our.say("REPLICAOF NO ONE"), ok());
    link.set_read_timeout(Some(Duration::from_secs(60))).unwrap();
    // The first message of the handshake, and the end.
    _ = link.read_to_end(&mut Vec::new());
    // The handshake itself may take five seconds.
    assert!(begun.elapsed() < Duration::from_secs(4), "{:?}", begun.elapsed());
}

/// CONFIG SET switches TLS for the next connection, checks the files, and CONFIG REWRITE keeps it.
#[test]
fn tls_is_switched_while_the_server_runs() {
    let mut ours = start(false, trusting("no-such-file", ""));
    let refusal = ours.connect().say("CONFIG SET tls-replication yes");
    assert!(matches!(refusal, Value::Error(text) if text.contains("Check server logs")));
    let no = Value::Array(vec![Value::bulk("tls-replication"), Value::bulk("no")]);
    assert_eq!(ours.connect().say("CONFIG GET tls-replication"), no);
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("server.toml");
    let text = format!("# mine\nreplica-tls = false\nreplica-tls-ca = '{}'\n", file("ca.pem"));
    std::fs::write(&path, text).unwrap();
    let load = || {
        let args = vec!["ferrolith-server".into(), "--config".into(), path.clone().into()];
        Flags::load(args).unwrap().replica_tls.open().unwrap()
    };
    let (is_on, tls) = load();
    assert!(!is_on);
    let settings = Settings {
        replica_uses_tls: is_on,
        replica_tls: tls.clone(),
        config_file: Some(path.clone()),
        ..Settings::default()
    };
    ours = Ours::start_in(tempfile::tempdir().unwrap(), Arc::new(SystemClock::new()), settings);
    let mut our = ours.connect();
    assert_eq!(our.say("CONFIG SET tls-replication yes"), ok());
    assert_eq!(our.say("CONFIG REWRITE"), ok());
    let text = std::fs::read_to_string(&path).unwrap();
    assert!(text.starts_with("# mine\nreplica-tls = true\n"), "{text}");
    assert_eq!(load(), (true, tls));
}
