//! Imports and exports: RDB files of a real `redis-server`, data directories, and running servers.

use super::{Client, Ours, Theirs, Value, words};
use ferrolith_server::clock::SystemClock;
use ferrolith_server::dump::{self, Item, RdbFile, Value as Stored};
use ferrolith_server::redis::server::Settings;
use std::collections::BTreeMap;
use std::io::Write;
use std::path::Path;
use std::process::{Command, Output, Stdio};
use std::sync::Arc;

/// The databases that tests use.
pub const DATABASES: [u64; 3] = [0, 3, 5];

/// Everything of a server: values and expiries by database and key.
pub type Contents = BTreeMap<(u64, Vec<u8>), (Stored, i64)>;

/// Writes keys of all types in two databases, some of which expire, and a library of functions.
pub fn fill(client: &mut Client, count: usize) {
    let mut random = fastrand::Rng::with_seed(11);
    let mut commands = vec![words("FUNCTION LOAD code")];
    commands[0][2] =
        b"#!lua name=l\nredis.register_function('f', function() return 7 end)".to_vec();
    for database in DATABASES {
        commands.push(words(&format!("SELECT {database}")));
        for number in 0..count {
            commands.extend(key_commands(&mut random, number));
        }
    }
    for line in [
        "XADD stream 5-1 a 1",
        "XADD stream 6-1 a 2 b 3",
        "XADD stream 7-1 a 3",
        "XADD stream 7-2 a 4",
        "XDEL stream 7-1",
        "XGROUP CREATE stream readers 0",
        "XGROUP CREATE stream idle 7-2",
        "XREADGROUP GROUP readers alice COUNT 1 STREAMS stream >",
        "XREADGROUP GROUP readers bob COUNT 1 STREAMS stream >",
        "XADD empty 9-9 a b",
        "XTRIM empty MAXLEN 0",
        "SELECT 0",
    ] {
        commands.push(words(line));
    }
    for (command, reply) in commands.iter().zip(client.pipeline(&commands)) {
        assert!(!matches!(reply, Value::Error(_)), "{}: {reply:?}", super::show(command));
    }
}

/// Returns the commands that create a key of some type.
fn key_commands(random: &mut fastrand::Rng, number: usize) -> Vec<Vec<Vec<u8>>> {
    let key = format!("key:{number}").into_bytes();
    // Many keys are small, so that tests with many end.
    let elements = if number < 500 { [1, 5, 40, 300] } else { [1, 2, 3, 10] }[random.usize(..4)];
    let (name, pairs) =
        [("SET", 0), ("RPUSH", 1), ("SADD", 1), ("ZADD", 2), ("HSET", 2)][number % 5];
    let mut command = vec![name.into(), key.clone()];
    let text = |random: &mut fastrand::Rng| match random.usize(..4) {
        0 => random.i64(..).to_string().into_bytes(),
        1 => random.i32(-100..100).to_string().into_bytes(),
        2 => b"repeat ".repeat(random.usize(1..60)),
        _ => (0..random.usize(1..90)).map(|_| random.u8(..)).collect::<Vec<u8>>(),
    };
    match pairs {
        0 => command.push(text(random)),
        1 => command.extend((0..elements).map(|_| text(random))),
        _ => {
            for _ in 0..elements {
                let score = (random.f64() * 1000.0).to_string().into_bytes();
                command.push(if name == "ZADD" { score } else { text(random) });
                command.push(text(random));
            }
        }
    }
    let mut commands = vec![command];
    if random.usize(..3) == 0 {
        let time = random.i64(4_000_000_000_000..5_000_000_000_000).to_string().into_bytes();
        commands.push(vec![b"PEXPIREAT".to_vec(), key, time]);
    }
    commands
}

/// Returns everything of a server.
pub fn contents(client: &mut Client) -> Contents {
    let mut all = Contents::new();
    for database in DATABASES {
        client.say(&format!("SELECT {database}"));
        let Value::Array(keys) = client.say("KEYS *") else { panic!("no keys") };
        let keys: Vec<Vec<u8>> = keys
            .into_iter()
            .map(|key| match key {
                Value::Bulk(key) => key,
                other => panic!("{other:?}"),
            })
            .collect();
        for part in keys.chunks(500) {
            let each = |name: &str| -> Vec<Vec<Vec<u8>>> {
                part.iter().map(|key| vec![name.into(), key.clone()]).collect()
            };
            let dumps = client.pipeline(&each("DUMP"));
            let times = client.pipeline(&each("PEXPIRETIME"));
            for ((key, payload), time) in part.iter().zip(dumps).zip(times) {
                let (Value::Bulk(payload), Value::Integer(time)) = (payload, time) else {
                    continue;
                };
                let value = normal(dump::decode(&payload, usize::MAX).unwrap());
                all.insert((database, key.clone()), (value, time));
            }
        }
    }
    client.say("SELECT 0");
    all
}

/// Sorts what has no order, and drops when consumers were seen.
fn normal(mut value: Stored) -> Stored {
    match &mut value {
        Stored::Set(members) => members.sort(),
        Stored::Hash(fields) => fields.sort(),
        Stored::SortedSet(members) => members.sort_by(|(a, _), (b, _)| a.cmp(b)),
        Stored::Stream(stream) => {
            stream.groups.sort_by(|a, b| a.name.cmp(&b.name));
            for group in &mut stream.groups {
                group.consumers.sort_by(|a, b| a.name.cmp(&b.name));
                for consumer in &mut group.consumers {
                    (consumer.seen_ms, consumer.active_ms) = (0, 0);
                }
            }
        }
        _ => {}
    }
    value
}

/// Compares everything of two servers.
#[track_caller]
pub fn assert_same(found: &Contents, expected: &Contents) {
    for (key, value) in expected {
        let shown = || format!("database {}, key {}", key.0, key.1.escape_ascii());
        let other = found.get(key).unwrap_or_else(|| panic!("{} is missing", shown()));
        let text = |value| format!("{value:.2000?}").chars().take(2000).collect::<String>();
        assert!(other == value, "{}: {} instead of {}", shown(), text(other), text(value));
    }
    assert_eq!(found.len(), expected.len(), "there are more keys");
}

/// Runs the server program with a subcommand.
fn program(args: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_ferrolith-server")).args(args).output().expect("it runs")
}

/// Runs the server program, which must succeed, and returns what it printed.
#[track_caller]
fn succeed(args: &[&str]) -> String {
    let output = program(args);
    let text = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.success(), "{args:?}: {text}");
    text
}

/// Runs the server program, which must fail, and returns what it printed.
#[track_caller]
fn fail(args: &[&str]) -> String {
    let output = program(args);
    assert!(!output.status.success(), "{args:?}");
    String::from_utf8_lossy(&output.stderr).into_owned()
}

fn text(path: &Path) -> &str {
    path.to_str().expect("a path in UTF-8")
}

/// Serves a directory. It is removed afterwards.
fn serve(dir: tempfile::TempDir) -> Ours {
    Ours::start_in(dir, Arc::new(SystemClock::new()), Settings::default())
}

/// From a Redis through a file into a directory, from there through a file and as commands into a Redis.
#[test]
fn a_data_set_moves_there_and_back() {
    let Some(theirs) = Theirs::start() else { return };
    let mut their = theirs.connect();
    fill(&mut their, 700);
    let expected = contents(&mut their);
    their.say("SAVE");
    let rdb = theirs.directory().join("dump.rdb");
    let dir = tempfile::tempdir().unwrap();
    let printed = succeed(&["import", "--rdb", text(&rdb), "--dir", text(dir.path())]);
    assert!(printed.contains(&format!("imported {} keys and 1 lib", expected.len())), "{printed}");

    // An import that is repeated stops, or keeps what is there.
    let again = ["import", "--rdb", text(&rdb), "--dir", text(dir.path())];
    let refusal = fail(&again);
    assert!(refusal.contains("exists") && refusal.contains("--existing keep"), "{refusal}");
    let printed = succeed(&[&again[..], &["--existing", "keep"]].concat());
    assert!(printed.contains(&format!("left out: {} that existed", expected.len())), "{printed}");
    succeed(&[&again[..], &["--existing", "replace"]].concat());

    let exported = tempfile::tempdir().unwrap();
    let (file, commands) = (exported.path().join("dump.rdb"), exported.path().join("commands"));
    succeed(&["export", "--dir", text(dir.path()), "--rdb", text(&file)]);
    succeed(&["export", "--dir", text(dir.path()), "--commands", text(&commands)]);
    let ours = serve(dir);
    let mut our = ours.connect();
    assert_same(&contents(&mut our), &expected);
    assert_eq!(our.say("FCALL f 0"), Value::Integer(7));

    std::fs::copy(&file, &rdb).unwrap();
    assert_eq!(their.say("DEBUG RELOAD NOSAVE"), Value::Simple("OK".to_owned()));
    assert_same(&contents(&mut their), &expected);
    assert_eq!(their.say("FCALL f 0"), Value::Integer(7));

    let Some(other) = Theirs::start() else { return };
    pipe(&other, &commands);
    assert_same(&contents(&mut other.connect()), &expected);
    // A second time changes nothing.
    pipe(&other, &commands);
    assert_same(&contents(&mut other.connect()), &expected);
}

/// Sends a file of commands, and checks that none fails.
fn pipe(theirs: &Theirs, commands: &Path) {
    let port = theirs.address.port().to_string();
    let output = Command::new("redis-cli")
        .args(["-p", &port, "--pipe"])
        .stdin(std::fs::File::open(commands).unwrap())
        .output()
        .expect("redis-cli");
    let printed = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(output.status.success() && printed.contains("errors: 0"), "{printed}");
}

#[test]
fn running_servers_take_imports() {
    let Some(theirs) = Theirs::start() else { return };
    let mut their = theirs.connect();
    fill(&mut their, 300);
    let expected = contents(&mut their);
    their.say("SAVE");
    let rdb = std::fs::read(theirs.directory().join("dump.rdb")).unwrap();
    their.say("FLUSHALL");
    their.say("FUNCTION FLUSH");
    let ours = Ours::start();
    let mut our = ours.connect();
    our.say("SELECT 0");
    our.say("CONFIG SET requirepass secret");
    our.say("AUTH secret");
    let password = tempfile::NamedTempFile::new().unwrap();
    std::fs::write(password.path(), "secret\n").unwrap();
    let addresses = [ours.address.to_string(), theirs.address.to_string()];
    let import = |address: &str, more: &[&str]| {
        let mut child = Command::new(env!("CARGO_BIN_EXE_ferrolith-server"))
            .args(["import", "--rdb", "-", "--to", address])
            .args(more)
            .stdin(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        // The program may end before it has read all.
        _ = child.stdin.take().unwrap().write_all(&rdb);
        let output = child.wait_with_output().unwrap();
        (output.status.success(), String::from_utf8_lossy(&output.stderr).into_owned())
    };
    let with_password = ["--password-file", text(password.path())];
    let (succeeded, printed) = import(&addresses[0], &[]);
    assert!(!succeeded && printed.contains("NOAUTH"), "{printed}");
    for (address, more) in [(&addresses[0], &with_password[..]), (&addresses[1], &[])] {
        let (succeeded, printed) = import(address, more);
        assert!(succeeded, "{printed}");
        let (succeeded, printed) = import(address, more);
        let expected = ["BUSYKEY", "already exists"];
        assert!(!succeeded && expected.iter().any(|it| printed.contains(it)), "{printed}");
        let (succeeded, printed) = import(address, &[more, &["--existing", "keep"]].concat());
        assert!(succeeded && printed.contains("left out:"), "{printed}");
    }
    assert_same(&contents(&mut our), &expected);
    assert_same(&contents(&mut their), &expected);
}

#[test]
fn nothing_of_a_damaged_file_is_imported() {
    let Some(theirs) = Theirs::start() else { return };
    let mut their = theirs.connect();
    fill(&mut their, 300);
    their.say("SAVE");
    let rdb = theirs.directory().join("dump.rdb");
    let mut bytes = std::fs::read(&rdb).unwrap();
    let middle = bytes.len() / 2;
    bytes[middle] ^= 0x10;
    std::fs::write(&rdb, &bytes).unwrap();
    let dir = tempfile::tempdir().unwrap();
    let refusal = fail(&["import", "--rdb", text(&rdb), "--dir", text(dir.path())]);
    assert!(refusal.contains("dump.rdb") && refusal.contains(" byte "), "{refusal}");
    assert!(!dir.path().join("CURRENT").exists(), "the directory was opened");
    let refusal = fail(&["export", "--dir", text(dir.path()), "--rdb", "x.rdb"]);
    assert!(refusal.contains("is no data directory"), "{refusal}");
}

/// Fields that expire, which only newer versions of RDB files have.
#[test]
fn fields_that_expire_need_a_newer_file() {
    let ours = Ours::start();
    ours.connect().say("HSET h a 1 b 2");
    ours.connect().say("HPEXPIREAT h 4000000000000 FIELDS 1 a");
    let dir = ours.close();
    let file = dir.path().join("export.rdb");
    let export = ["export", "--dir", text(dir.path()), "--rdb", text(&file)];
    let refusal = fail(&export);
    assert!(refusal.contains("key h") && refusal.contains("--rdb-version 12"), "{refusal}");
    let printed = succeed(&[&export[..], &["--drop-field-expiries"]].concat());
    assert!(printed.contains("in 1 hashes"), "{printed}");
    succeed(&[&export[..], &["--rdb-version", "12"]].concat());
    let other = tempfile::tempdir().unwrap();
    succeed(&["import", "--rdb", text(&file), "--dir", text(other.path())]);
    let ours = serve(other);
    let found = ours.connect().say("HPEXPIRETIME h FIELDS 2 a b");
    assert_eq!(found, Value::Array(vec![Value::Integer(4_000_000_000_000), Value::Integer(-1)]));
}

#[test]
fn more_than_sixteen_databases_are_exported() {
    let settings = Settings { databases: 40, ..Settings::default() };
    let ours = Ours::start_in(tempfile::tempdir().unwrap(), Arc::new(SystemClock::new()), settings);
    let mut our = ours.connect();
    for database in [0, 16, 39] {
        our.say(&format!("SELECT {database}"));
        our.say(&format!("SET k in-{database}"));
    }
    drop(our);
    let (dir, out) = (ours.close(), tempfile::tempdir().unwrap());
    let file = out.path().join("dump.rdb");
    let export = ["export", "--dir", text(dir.path()), "--rdb", text(&file)];
    let refusal = fail(&export);
    assert!(refusal.contains("raise --databases to 40"), "{refusal}");
    assert!(!file.exists());
    let printed = succeed(&[&export[..], &["--databases", "40"]].concat());
    assert!(printed.contains("exported 3 keys"), "{printed}");
    let bytes = std::fs::read(&file).unwrap();
    let mut rdb = RdbFile::open(&bytes[..], 1 << 20).unwrap();
    let mut found = Vec::new();
    while let Some(item) = rdb.next_item().unwrap() {
        if let Item::Entry(entry) = item {
            found.push((entry.database, entry.value));
        }
    }
    let value = |at: u64| (at, Stored::String(format!("in-{at}").into_bytes()));
    assert_eq!(found, [0, 16, 39].map(value));
    // A server with fewer databases takes none of it.
    let other = tempfile::tempdir().unwrap();
    let import = ["import", "--rdb", text(&file), "--dir", text(other.path())];
    let refusal = fail(&import);
    assert!(refusal.contains("--databases"), "{refusal}");
    succeed(&[&import[..], &["--databases", "40", "--existing", "replace"]].concat());
    let settings = Settings { databases: 40, ..Settings::default() };
    let ours = Ours::start_in(other, Arc::new(SystemClock::new()), settings);
    let mut our = ours.connect();
    our.say("SELECT 39");
    assert_eq!(our.say("GET k"), Value::bulk("in-39"));
}
