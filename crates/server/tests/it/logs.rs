//! The log of the server program: its lines as text and JSON, levels, rotation, and that it has no secrets.

use crate::disk::Disk;
use crate::redis::{Client, Value};
use serde_json::Value as Json;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::os::unix::fs::symlink;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

struct Server {
    child: Child,
    redis: SocketAddr,
}

impl Server {
    fn start(dir: &Path, flags: &[&str]) -> Server {
        let mut child = command(dir, flags).spawn().unwrap();
        let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
        let line = lines.next().expect("a line with an address").unwrap();
        let redis = line.rsplit_once(": ").unwrap().1.parse().unwrap();
        Server { child, redis }
    }

    fn signal(&self, name: &str) {
        let pid = self.child.id().to_string();
        assert!(Command::new("kill").args([name, &pid]).status().unwrap().success());
    }

    /// Ends the server in order, and returns what it wrote to standard error.
    fn end(mut self, signal: &str) -> String {
        self.signal(signal);
        assert!(self.child.wait().unwrap().success());
        let mut text = String::new();
        self.child.stderr.take().unwrap().read_to_string(&mut text).unwrap();
        text
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        _ = self.child.kill();
        _ = self.child.wait();
    }
}

fn command(dir: &Path, flags: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_ferrolith-server"));
    command.arg("--dir").arg(dir).args(["--listen", "127.0.0.1:0", "--durability", "os"]);
    command.args(["--memory-mb", "64"]).args(flags);
    command.stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

/// Returns the lines, each of which must be an object with a time, a level, a part and a message.
fn parsed(text: &str) -> Vec<Json> {
    let lines: Vec<Json> = text
        .lines()
        .map(|line| serde_json::from_str(line).unwrap_or_else(|error| panic!("{error}: {line}")))
        .collect();
    for line in &lines {
        for name in ["timestamp", "level", "target", "message"] {
            assert!(line[name].is_string(), "{name}: {line}");
        }
        assert!(line["target"].as_str().unwrap().starts_with("ferrolith::"), "{line}");
        assert!(line["timestamp"].as_str().unwrap().ends_with('Z'), "{line}");
    }
    lines
}

/// Returns the first line with this message of a part.
fn find<'l>(lines: &'l [Json], part: &str, message: &str) -> &'l Json {
    let target = format!("ferrolith::{part}");
    let is_it = |line: &&Json| {
        line["target"] == target && line["message"].as_str().unwrap().contains(message)
    };
    lines.iter().find(is_it).unwrap_or_else(|| panic!("{part}: {message}? {lines:#?}"))
}

/// Waits until the log has a message.
fn wait_for(path: &Path, message: &str) -> String {
    let begun = Instant::now();
    loop {
        let text = std::fs::read_to_string(path).unwrap_or_default();
        if text.contains(message) {
            return text;
        }
        assert!(begun.elapsed() < Duration::from_secs(20), "{message}? {text}");
        std::thread::sleep(Duration::from_millis(20));
    }
}

#[test]
fn lines_are_json_and_have_no_secrets() {
    let dir = tempfile::tempdir().unwrap();
    let data = dir.path().join("db");
    let users = "app on >secret1 ~* +@all";
    let flags =
        ["--log-format=json", "--requirepass=secret2", "--max-connections=3", "--user", users];
    let more = ["--parameter", "masterauth=secret3", "--backup-dir"];
    let backups = dir.path().join("backups").display().to_string();
    let flags: Vec<_> = flags.iter().chain(&more).copied().chain([&backups[..]]).collect();
    let server = Server::start(&data, &flags);
    let mut admin = Client::connect(server.redis);
    for line in ["AUTH app secret4", "AUTH secret5 app", "AUTH secret2"] {
        admin.say(line);
    }
    for line in [
        "CONFIG SET timeout 77 masterauth secret6",
        "CONFIG SET slowlog-log-slower-than 0",
        "ACL SETUSER app >secret7",
        "CONFIG SET requirepass secret8",
        "SET a 1",
        "CONFIG SET slowlog-log-slower-than -1",
        "FERROLITH BACKUP daily",
    ] {
        let reply = admin.say(line);
        assert!(!matches!(reply, Value::Error(_)), "{line}: {reply:?}");
    }
    let mut broken = TcpStream::connect(server.redis).unwrap();
    broken.write_all(b"*1\r\n!\r\n").unwrap();
    broken.read_to_end(&mut Vec::new()).unwrap();
    let mut others: Vec<_> = (0..6).map(|_| TcpStream::connect(server.redis).unwrap()).collect();
    others.pop().unwrap().read_to_end(&mut Vec::new()).unwrap();
    let begun = Instant::now();
    loop {
        let (Value::Bulk(text) | Value::Verbatim(text)) = admin.say("INFO backup") else {
            panic!()
        };
        if String::from_utf8(text).unwrap().contains("backup_last_status:ok") {
            break;
        }
        assert!(begun.elapsed() < Duration::from_secs(20));
        std::thread::sleep(Duration::from_millis(20));
    }
    let text = server.end("-TERM");
    for number in 1..=8 {
        assert!(!text.contains(&format!("secret{number}")), "secret{number}: {text}");
    }
    let lines = parsed(&text);
    let start = &lines[0];
    assert_eq!((&start["message"], &start["level"]), (&"starting".into(), &"INFO".into()));
    assert_eq!(start["version"], env!("CARGO_PKG_VERSION"));
    assert_eq!((&start["memory_mb"], &start["dir"]), (&64.into(), &data.to_str().unwrap().into()));
    assert!(start["settings"].as_str().unwrap().contains("requirepass=(hidden)"), "{start}");
    let ready = find(&lines, "server", "ready");
    assert!(ready["addresses"].as_str().unwrap().starts_with("Redis clients: 127.0.0.1:"));
    let login =
        |user: &str| lines.iter().any(|it| it["message"] == "login refused" && it["user"] == user);
    assert!(login("app") && login("(unknown)"), "{lines:#?}");
    let change = find(&lines, "config", "CONFIG SET");
    assert_eq!(change["change"], "timeout 77 masterauth (redacted)");
    let is_set = |it: &&Json| it["command"].as_str().is_some_and(|it| it.starts_with("SET "));
    assert_eq!(lines.iter().filter(is_set).count(), 1, "{lines:#?}");
    assert_eq!(find(&lines, "client", "protocol error")["level"], "WARN");
    find(&lines, "client", "connection refused");
    assert_eq!(find(&lines, "backup", "started")["kind"], "create");
    assert_eq!(find(&lines, "backup", "done")["backup"], 1);
    assert_eq!(find(&lines, "server", "stopping")["reason"], "SIGTERM");
    assert_eq!(lines.last().unwrap()["message"], "stopped");
}

#[test]
fn levels_change_at_run_time() {
    let dir = tempfile::tempdir().unwrap();
    let server = Server::start(&dir.path().join("db"), &["--log-level=warning,client=nothing"]);
    let mut admin = Client::connect(server.redis);
    let found = admin.say("CONFIG GET loglevel");
    assert_eq!(found, Value::Array(["loglevel", "warning"].map(Value::bulk).to_vec()));
    let flush = |admin: &mut Client, key: &str| {
        admin.say(&format!("SET {key} 1"));
        admin.say("CONFIG SET timeout 5");
    };
    flush(&mut admin, "a");
    admin.say("CONFIG SET loglevel notice");
    flush(&mut admin, "b");
    admin.say("CONFIG SET loglevel nothing");
    flush(&mut admin, "c");
    admin.say("CONFIG SET loglevel debug");
    // The part keeps its own level.
    drop(Client::connect(server.redis));
    let error = admin.say("CONFIG SET loglevel loud");
    assert!(matches!(error, Value::Error(_)), "{error:?}");
    admin.say("CONFIG SET loglevel notice");
    let text = server.end("-INT");
    assert_eq!(text.matches("change=\"timeout 5\"").count(), 1, "{text}");
    assert!(!text.contains("starting") && !text.contains("connected"), "{text}");
    assert!(text.contains("ferrolith::server: stopping reason=\"SIGINT\""), "{text}");
}

#[test]
fn scripts_cannot_fill_the_log() {
    let dir = tempfile::tempdir().unwrap();
    let server = Server::start(&dir.path().join("db"), &["--log-format=json"]);
    let mut admin = Client::connect(server.redis);
    let many = "for i = 1, 500 do redis.log(redis.LOG_DEBUG, 'hidden') redis.log(redis.LOG_WARNING, 'again') end";
    admin.call(&["EVAL", many, "0"]);
    std::thread::sleep(Duration::from_millis(1100));
    admin.call(&["EVAL", "redis.log(redis.LOG_NOTICE, 'x' .. string.rep('\\n', 5000))", "0"]);
    let lines = parsed(&server.end("-TERM"));
    let again = lines.iter().filter(|line| line["message"] == "again").count();
    // The second may change while they are written.
    assert!((100..=200).contains(&again), "{again}");
    let long = find(&lines, "script", "x\\n\\n");
    assert_eq!(long["message"].as_str().unwrap().len(), 1 + 2 * 1023);
    assert_eq!((&long["cut_off"], &long["skipped"]), (&3977.into(), &(500 - again).into()));
}

#[test]
fn sighup_opens_the_log_anew() {
    let dir = tempfile::tempdir().unwrap();
    let (log, old) = (dir.path().join("log.json"), dir.path().join("log.json.1"));
    let file = log.display().to_string();
    let flags = ["--log-format=json", "--log-level=debug", "--log-file", &file];
    let server = Server::start(&dir.path().join("db"), &flags);
    wait_for(&log, "\"ready\"");
    std::fs::rename(&log, &old).unwrap();
    drop(Client::connect(server.redis));
    wait_for(&old, "\"connected\"");
    assert!(!log.exists());
    server.signal("-HUP");
    wait_for(&log, "SIGHUP: opened the log anew");
    let mut admin = Client::connect(server.redis);
    admin.send(&["SHUTDOWN"]);
    // Nothing of the log is on standard error.
    let mut server = server;
    assert!(server.child.wait().unwrap().success());
    let mut text = String::new();
    server.child.stderr.take().unwrap().read_to_string(&mut text).unwrap();
    assert_eq!(text, "");
    let lines = parsed(&std::fs::read_to_string(&log).unwrap());
    assert_eq!(find(&lines, "server", "stopping")["reason"], "SHUTDOWN");
    parsed(&std::fs::read_to_string(&old).unwrap());
    let mode = std::os::unix::fs::PermissionsExt::mode(&log.metadata().unwrap().permissions());
    assert_eq!(mode & 0o777, 0o600);
}

#[test]
fn the_error_that_ends_the_server_is_in_the_log() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("file");
    std::fs::write(&file, "").unwrap();
    let failed = |flags: &[&str]| {
        let output = command(&file, flags).output().unwrap();
        assert!(!output.status.success());
        String::from_utf8(output.stderr).unwrap()
    };
    let lines = parsed(&failed(&["--log-format=json"]));
    assert_eq!(find(&lines, "server", "the server ends")["level"], "ERROR");
    // Also if the log would not show it.
    let text = failed(&["--log-format=json", "--log-level=nothing"]);
    assert!(text.starts_with("ferrolith-server: ") && text.lines().count() == 1, "{text}");
    let text = failed(&[]);
    assert!(text.lines().last().unwrap().starts_with("ferrolith-server: "), "{text}");
    let log = dir.path().join("log").display().to_string();
    let text = failed(&["--log-file", &log]);
    assert!(text.starts_with("ferrolith-server: ") && text.lines().count() == 1, "{text}");
    assert!(std::fs::read_to_string(&log).unwrap().contains("the server ends"));
    // Files that cannot be written.
    let [missing, below, itself] =
        ["none/log", "file/log", "."].map(|name| dir.path().join(name).display().to_string());
    for (path, problem) in
        [(missing, "No such file"), (below, "Not a directory"), (itself, "Is a directory")]
    {
        let text = failed(&["--log-file", &path]);
        let expected = format!("ferrolith-server: log-file {path}: {problem}");
        assert!(text.starts_with(&expected) && text.lines().count() == 1, "{text}");
    }
    let text = failed(&["--log-level", "loud"]);
    assert!(text.contains("there is no level \"loud\""), "{text}");
}

#[test]
fn config_rewrite_keeps_the_levels_of_parts() {
    let dir = tempfile::tempdir().unwrap();
    let (data, file) = (dir.path().join("db"), dir.path().join("server.toml"));
    std::fs::write(&file, "log-level = \"warning,slow=nothing,backup=debug\" # quiet\n").unwrap();
    let flags = ["--config", file.to_str().unwrap()];
    for (before, after) in [("warning", "verbose"), ("verbose", "notice")] {
        let server = Server::start(&data, &flags);
        let mut admin = Client::connect(server.redis);
        let found = admin.say("CONFIG GET loglevel");
        assert_eq!(found, Value::Array(["loglevel", before].map(Value::bulk).to_vec()));
        for command in [&format!("CONFIG SET loglevel {after}"), "CONFIG REWRITE"] {
            assert_eq!(admin.say(command), Value::Simple("OK".into()), "{command}");
        }
        server.end("-TERM");
        let text = std::fs::read_to_string(&file).unwrap();
        let expected = format!("log-level = \"{after},slow=nothing,backup=debug\" # quiet\n");
        assert!(text.contains(&expected), "{text}");
    }
}

/// Makes the server write lines, more than fit into a page.
fn write_lines(admin: &mut Client) {
    for number in 0..100 {
        let command = format!("CONFIG SET timeout {}", 1000 + number);
        assert_eq!(admin.say(&command), Value::Simple("OK".into()));
    }
}

/// Checks what a server without space for its log said on standard error: when it began, and when it ended.
fn check_complaints(errors: &str, file: &str) {
    let [begin, end] = errors.lines().collect::<Vec<_>>()[..] else {
        panic!("two lines: {errors}")
    };
    let expected = format!("writing the log: {file}: No space left on device (os error 28)");
    assert_eq!(begin, expected);
    assert!(end.starts_with("writing the log: works again after "), "{end}");
}

#[test]
fn a_log_without_space_stops_nothing_and_goes_on() {
    let Some(disk) = Disk::mount() else { return };
    let dir = tempfile::tempdir().unwrap();
    let (log, filler) = (disk.path.join("log"), disk.path.join("filler"));
    let file = log.display().to_string();
    let server = Server::start(&dir.path().join("db"), &["--log-file", &file]);
    let mut admin = Client::connect(server.redis);
    assert!(std::fs::write(&filler, vec![1; 80 << 20]).is_err(), "the disk is full");
    write_lines(&mut admin);
    std::fs::remove_file(&filler).unwrap();
    admin.say("CONFIG SET timeout 77");
    let text = std::fs::read_to_string(&log).unwrap();
    assert!(text.contains("timeout 1000") && !text.contains("timeout 1099"), "{text}");
    let later = text.lines().last().unwrap();
    // A line that was written in part is ended before the next one.
    assert!(later.contains("timeout 77") && later.starts_with("20"), "{later}");
    check_complaints(&server.end("-TERM"), &file);
}

#[test]
fn a_log_moved_to_another_disk_goes_on() {
    let dir = tempfile::tempdir().unwrap();
    let log = dir.path().join("log");
    if !Path::new("/dev/full").exists() {
        return;
    }
    symlink("/dev/full", &log).unwrap();
    let file = log.display().to_string();
    let flags = ["--log-format=json", "--log-file", &file];
    let server = Server::start(&dir.path().join("db"), &flags);
    let mut admin = Client::connect(server.redis);
    write_lines(&mut admin);
    std::fs::remove_file(&log).unwrap();
    server.signal("-HUP");
    let lines = parsed(&wait_for(&log, "SIGHUP: opened the log anew"));
    assert_eq!(find(&lines, "server", "SIGHUP")["level"], "INFO");
    check_complaints(&server.end("-TERM"), &file);
}
