//! The audit log of the server program: what it has of each door, secrets, rotation, and faults.

use crate::http::Http;
use crate::redis::{Client, Value};
use ferrolith_server::thrift::frame::{Head, write_request};
use ferrolith_server::thrift::meta::{
    DropApp, DropOptions, ErrorReply, HintReply, ListApps, ListAppsReply, UpdateAppEnv,
};
use ferrolith_server::thrift::{Value as Thrift, reply};
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStderr, Command, Stdio};
use std::time::{Duration, Instant};

struct Server {
    child: Child,
    errors: BufReader<ChildStderr>,
    redis: SocketAddr,
    pegasus: SocketAddr,
    http: Http,
}

impl Server {
    fn start(dir: &Path, log: Option<&Path>) -> Server {
        let any = "127.0.0.1:0";
        let mut child = command(dir, log)
            .args(["--listen", any, "--pegasus-listen", any, "--http-listen", any])
            .args(["--pegasus-table", "t:4", "--requirepass", "right"])
            .spawn()
            .unwrap();
        let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
        let [redis, pegasus, http] = std::array::from_fn(|_| {
            let line = lines.next().expect("a line with an address").unwrap();
            line.rsplit_once(": ").unwrap().1.parse().unwrap()
        });
        let errors = BufReader::new(child.stderr.take().unwrap());
        Server { child, errors, redis, pegasus, http: Http(http) }
    }

    fn admin(&self) -> Client {
        let mut client = Client::connect(self.redis);
        assert_eq!(client.say("AUTH right"), Value::Simple("OK".into()));
        client
    }

    fn meta<T: for<'a> Thrift<'a>>(&self, method: &str, request: &impl for<'a> Thrift<'a>) -> T {
        let mut bytes = Vec::new();
        write_request(&Head::default(), &format!("RPC_CM_{method}"), 1, request, &mut bytes);
        let mut stream = TcpStream::connect(self.pegasus).unwrap();
        stream.write_all(&bytes).unwrap();
        let (mut input, mut chunk) = (Vec::new(), [0; 4096]);
        loop {
            if let Some((received, _)) = reply::read::<T>(&input).unwrap() {
                return received.response.unwrap();
            }
            let len = stream.read(&mut chunk).unwrap();
            assert!(len > 0, "the server closed the connection");
            input.extend_from_slice(&chunk[..len]);
        }
    }

    fn send_hang_up(&self) {
        let pid = self.child.id().to_string();
        assert!(Command::new("kill").args(["-HUP", &pid]).status().unwrap().success());
    }

    /// Sends SIGHUP, and returns what the log says.
    fn hang_up(&mut self) -> String {
        self.send_hang_up();
        self.read_up_to("SIGHUP")
    }

    /// Reads lines of the log up to one of this level.
    fn read_up_to(&mut self, level: &str) -> String {
        let mut line = String::new();
        while !line.contains(level) {
            line.clear();
            assert!(self.errors.read_line(&mut line).unwrap() > 0, "the log ended");
        }
        line
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        _ = self.child.kill();
        _ = self.child.wait();
    }
}

fn command(dir: &Path, log: Option<&Path>) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_ferrolith-server"));
    command.arg("--dir").arg(dir).args(log.iter().flat_map(|log| [Path::new("--audit-log"), log]));
    command.args(["--durability", "os", "--memory-mb", "64"]);
    command.stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

/// A directory for data and log.
fn places() -> (tempfile::TempDir, PathBuf, PathBuf) {
    let dir = tempfile::tempdir().unwrap();
    let (data, log) = (dir.path().join("db"), dir.path().join("logs/audit.json"));
    std::fs::create_dir(log.parent().unwrap()).unwrap();
    (dir, data, log)
}

/// Returns the entries as door, user, call and result.
fn entries(log: &Path) -> Vec<String> {
    let text = std::fs::read_to_string(log).unwrap();
    text.lines()
        .map(|line| {
            let entry: serde_json::Value = serde_json::from_str(line).unwrap();
            assert!(entry["at_ms"].as_u64() > Some(1_700_000_000_000), "{line}");
            assert!(entry["client"].as_str().unwrap().starts_with("127.0.0.1:"), "{line}");
            let call = entry["call"].as_array().unwrap().iter().map(|word| word.as_str().unwrap());
            let user = entry["user"].as_str().unwrap_or("-");
            let (door, result) =
                (entry["door"].as_str().unwrap(), entry["result"].as_str().unwrap());
            format!("{door} {user}: {}: {result}", call.collect::<Vec<_>>().join(" "))
        })
        .collect()
}

#[test]
fn administrative_calls_of_all_doors_are_logged_without_secrets() {
    let (_dir, data, log) = places();
    let server = Server::start(&data, Some(&log));
    let mut anonymous = Client::connect(server.redis);
    for line in ["CONFIG GET *", "AUTH reader secret1", "GET a"] {
        anonymous.say(line);
    }
    let mut admin = server.admin();
    for line in [
        "SET a 1",
        "ACL SETUSER reader on >secret2 ~* +get",
        "ACL SETUSER reader secret3",
        "CONFIG SET timeout 5 masterauth secret4",
        "CONFIG SET requirepas secret5",
        "MULTI",
        "FLUSHALL",
        "SET a 2",
        "EXEC",
    ] {
        admin.say(line);
    }
    let mut reader = Client::connect(server.redis);
    reader.say("AUTH reader secret2");
    reader.say("FLUSHALL");
    let names = || Some(vec!["replica.slow_query_threshold".to_owned()]);
    let env = UpdateAppEnv {
        app_name: "t".into(),
        op: 1,
        keys: names(),
        values: Some(vec!["50".into()]),
        clear_prefix: None,
    };
    assert_eq!(server.meta::<HintReply>("UPDATE_APP_ENV", &env), HintReply::default());
    server.meta::<ListAppsReply>("LIST_APPS", &ListApps::default());
    let drop = DropApp { app_name: "none".into(), options: DropOptions::default() };
    server.meta::<ErrorReply>("DROP_APP", &drop);
    let json = "Content-Type: application/json\r\n";
    let log_in = |headers: &str, password: &str| {
        let body = format!("{{\"user\":\"default\",\"password\":\"{password}\"}}");
        server.http.send("POST", "/api/v1/login", headers, &body)
    };
    log_in(json, "secret6");
    log_in(&format!("{json}Origin: http://evil.example\r\n"), "right");
    let response = log_in(json, "right");
    let cookie = response.header("set-cookie").split(';').next().unwrap().to_owned();
    let token = response.json()["token"].as_str().unwrap().to_owned();
    let headers = format!("Cookie: {cookie}\r\nX-Ferrolith-Token: {token}\r\n");
    assert_eq!(server.http.send("POST", "/api/v1/logout", &headers, "").status, 204);
    // The password is "wrong".
    let basic = "Authorization: Basic ZGVmYXVsdDp3cm9uZw==\r\n";
    server.http.send("GET", "/api/v1/overview", basic, "");
    let found = entries(&log);
    let expected = [
        "redis -: CONFIG GET *: NOAUTH Authentication required.",
        "redis -: AUTH reader (redacted): WRONGPASS invalid username-password pair or user is disabled.",
        "redis default: ACL SETUSER reader on (redacted) ~* +get: ok",
        "redis default: ACL SETUSER reader (redacted): ERR (redacted)",
        "redis default: CONFIG SET timeout 5 masterauth (redacted): ok",
        "redis default: CONFIG SET requirepas (redacted): ERR (redacted)",
        "redis default: FLUSHALL: ok",
        "redis reader: FLUSHALL: NOPERM this user has no permissions to run the 'flushall' command",
        "pegasus -: RPC_CM_UPDATE_APP_ENV t set replica.slow_query_threshold=50: ok",
        "pegasus -: RPC_CM_DROP_APP none: ERR_APP_NOT_EXIST",
        "http default: login: 401 unauthenticated",
        "http -: login: 403 forbidden",
        "http default: login: ok",
        "http default: logout: ok",
        "http default: basic authentication: 401 unauthenticated",
    ];
    assert_eq!(found, expected, "{found:#?}");
    let text = std::fs::read_to_string(&log).unwrap();
    // Clients get errors that quote the wrong password.
    assert!(!text.contains("secret"), "{text}");
}

#[test]
fn sighup_opens_the_file_anew() {
    let (dir, data, log) = places();
    let mut server = Server::start(&data, Some(&log));
    let mut admin = server.admin();
    admin.say("FLUSHALL");
    let old = log.with_extension("1");
    std::fs::rename(&log, &old).unwrap();
    admin.say("FLUSHALL");
    assert_eq!((entries(&old).len(), log.exists()), (2, false));
    let said = server.hang_up();
    assert!(said.contains("SIGHUP: opened the audit log anew"), "{said}");
    admin.say("FLUSHALL");
    assert_eq!((entries(&old).len(), entries(&log).len()), (2, 1));
    // Without its directory, the old file stays.
    let moved = dir.path().join("moved");
    std::fs::rename(log.parent().unwrap(), &moved).unwrap();
    let said = server.hang_up();
    assert!(said.contains("SIGHUP: the audit log stays the old file error=audit-log "), "{said}");
    assert_eq!(admin.say("FLUSHALL"), Value::Simple("OK".into()));
    assert_eq!(entries(&moved.join("audit.json")).len(), 2);
    // The end of the server is in the log.
    admin.send(&["SHUTDOWN"]);
    assert!(server.child.wait().unwrap().success());
    assert_eq!(entries(&moved.join("audit.json")).last().unwrap(), "redis default: SHUTDOWN: ok");
}

/// A tool that rotates logs must not end a server without one.
#[test]
fn sighup_ends_no_server() {
    let (_dir, data, _) = places();
    let mut server = Server::start(&data, None);
    let mut admin = server.admin();
    for _ in 0..3 {
        server.send_hang_up();
        std::thread::sleep(Duration::from_millis(100));
        assert_eq!(admin.say("PING"), Value::Simple("PONG".into()));
    }
    assert!(server.child.try_wait().unwrap().is_none());
}

#[test]
fn faults_of_the_file_stop_only_the_start() {
    let (dir, data, _) = places();
    let missing = dir.path().join("none/audit.json");
    let output = command(&data, Some(&missing)).output().unwrap();
    let text = String::from_utf8_lossy(&output.stderr).into_owned();
    let expected = format!("ferrolith-server: audit-log {}: No such file", missing.display());
    assert!(!output.status.success() && text.contains(&expected), "{text}");
    // A device without space.
    let mut server = Server::start(&data, Some(Path::new("/dev/full")));
    let mut admin = server.admin();
    for _ in 0..3 {
        assert_eq!(admin.say("FLUSHALL"), Value::Simple("OK".into()));
    }
    let line = server.read_up_to("ERROR");
    let expected = "writing the audit log: /dev/full: No space left on device (os error 28)\n";
    assert!(line.ends_with(expected), "{line}");
    let begun = Instant::now();
    while !server.http.get("/metrics").body.contains("ferrolith_audit_lost_entries_total 3\n") {
        assert!(begun.elapsed() < Duration::from_secs(20));
    }
}
