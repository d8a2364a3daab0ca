//! The server as a replica of a real `redis-server`: copies while keys are written, kills, restarts, and the cut-over.
//!
//! `FERROLITH_RANDOM_COMMANDS=N` lets the copies begin with N keys, `FERROLITH_KILLS=N` kills the replica N times.

use super::transfer::{Contents, assert_same, fill};
use super::{Client, Ours, Theirs, Value, random_commands, words};
use crate::crash::program::Program;
use ferrolith_server::clock::SystemClock;
use ferrolith_server::dump::Value as Stored;
use ferrolith_server::redis::server::Settings;
use std::net::{SocketAddr, TcpListener};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// How long anything may take on a busy machine.
const PATIENCE: Duration = Duration::from_secs(120);

/// A Redis that can be started again on its port.
struct Restartable {
    dir: tempfile::TempDir,
    address: SocketAddr,
    flags: Vec<&'static str>,
    child: Option<Child>,
}

impl Restartable {
    /// Starts Redis; `None`, with a message, if there is none.
    fn start(flags: &[&'static str]) -> Option<Restartable> {
        // It says so if there is no Redis.
        drop(Theirs::start()?);
        let address = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
        let dir = tempfile::tempdir().unwrap();
        let mut redis = Restartable { dir, address, flags: flags.to_vec(), child: None };
        redis.restart();
        Some(redis)
    }

    fn restart(&mut self) {
        let program = std::env::var_os("FERROLITH_REDIS_SERVER").unwrap_or("redis-server".into());
        let port = self.address.port().to_string();
        let child = Command::new(program)
            .args(["--bind", "127.0.0.1", "--port", &port, "--save", "", "--dir"])
            .arg(self.dir.path())
            .args(["--repl-diskless-sync-delay", "0", "--enable-debug-command", "yes"])
            .args(&self.flags)
            .stdout(Stdio::null())
            .spawn();
        self.child = Some(child.unwrap());
        wait_for("redis-server", || std::net::TcpStream::connect(self.address).is_ok());
    }

    fn connect(&self) -> Client {
        Client::connect(self.address)
    }

    /// Stops Redis after it has saved its data.
    fn stop(&mut self) {
        self.connect().send(&["SHUTDOWN", "SAVE"]);
        self.child.take().unwrap().wait().unwrap();
    }

    /// Returns the arguments of REPLICAOF.
    fn replica_of(&self) -> String {
        format!("REPLICAOF 127.0.0.1 {}", self.address.port())
    }
}

impl Drop for Restartable {
    fn drop(&mut self) {
        if let Some(mut child) = self.child.take() {
            _ = child.kill();
            _ = child.wait();
        }
    }
}

#[track_caller]
pub(super) fn wait_for(what: &str, mut is_met: impl FnMut() -> bool) {
    let begun = Instant::now();
    while !is_met() {
        assert!(begun.elapsed() < PATIENCE, "{what} took too long");
        std::thread::sleep(Duration::from_millis(20));
    }
}

/// Returns a line of a section of INFO.
pub(super) fn info(client: &mut Client, section: &str, name: &str) -> String {
    let Value::Bulk(text) = client.say(&format!("INFO {section}")) else { panic!("no INFO") };
    let text = String::from_utf8(text).unwrap();
    let prefix = format!("{name}:");
    let line = text.lines().find_map(|line| line.strip_prefix(&prefix));
    line.unwrap_or_else(|| panic!("{name} is not in {text}")).to_owned()
}

/// Returns everything of a server that a replica has: Redis does not send how many entries a group has read.
pub(super) fn contents(client: &mut Client) -> Contents {
    let mut all = super::transfer::contents(client);
    for (value, _) in all.values_mut() {
        if let Stored::Stream(stream) = value {
            stream.groups.iter_mut().for_each(|group| group.entries_read = None);
        }
    }
    all
}

/// Waits until the replica has applied everything that the other server sent.
#[track_caller]
pub(super) fn catch_up(their: &mut Client, our: &mut Client) {
    let target = info(their, "replication", "master_repl_offset");
    let target: u64 = target.parse().unwrap();
    wait_for("the replica", || {
        info(our, "replication", "master_link_status") == "up"
            && info(our, "replication", "slave_repl_offset").parse::<u64>().unwrap() >= target
    });
    assert_eq!(info(our, "replication", "stream_errors"), "0", "{:?}", our.say("INFO replication"));
}

/// Writes all the time, until told to stop: commands whose repetition or loss shows. Returns how many rounds it made.
fn write(address: SocketAddr, is_over: &AtomicBool, seed: u64) -> u64 {
    let mut client = Client::connect(address);
    let mut random = fastrand::Rng::with_seed(seed);
    let mut round = 0;
    client.say("XGROUP CREATE log readers 0 MKSTREAM");
    // On a busy machine the work may be over before the first round.
    while round < 2 || !is_over.load(Ordering::Relaxed) {
        round += 1;
        let (one, other) = (random.usize(..200), random.usize(..200));
        let mut commands: Vec<Vec<Vec<u8>>> = [
            format!("INCR count:{one}"),
            format!("RPUSH list:{other} {round}"),
            format!("LPOP list:{one}"),
            format!("SADD set:{one} {round} x{other}"),
            format!("SPOP set:{other}"),
            format!("ZINCRBY sorted:{one} 1.5 m{other}"),
            format!("HINCRBY hash:{one} f{other} 3"),
            format!("APPEND text:{other} {round},"),
            format!("SET short:{one} {round} PX {}", random.usize(1..SHORT.as_millis() as usize)),
            format!("GETDEL short:{other}"),
            format!("PEXPIRE hash:{other} {}", random.usize(100_000..900_000)),
            format!("SETRANGE text:{one} {} ab", random.usize(..50)),
            format!("PFADD visitors {round}"),
            format!("XADD log * round {round}"),
            "XREADGROUP GROUP readers me COUNT 1 STREAMS log >".to_owned(),
            format!("XTRIM log MAXLEN {}", random.usize(50..90)),
            format!("COPY list:{one} list:{other} REPLACE"),
            "MULTI".to_owned(),
            format!("INCR both:{one}"),
            "SELECT 3".to_owned(),
            format!("INCR both:{one}"),
            format!("RENAME both:{one} moved:{other}"),
            "SELECT 0".to_owned(),
            "EXEC".to_owned(),
            "SELECT 3".to_owned(),
            format!("INCR count:{one}"),
            format!("MOVE count:{other} 0"),
            "SELECT 0".to_owned(),
        ]
        .iter()
        .map(|line| words(line))
        .collect();
        let script = "redis.call('INCRBY', KEYS[1], ARGV[1]) redis.call('LPUSH', KEYS[2], ARGV[1])";
        let keys = [format!("scripted:{one}"), format!("list:{other}")];
        commands
            .push(["EVAL", script, "2", &keys[0], &keys[1], "7"].map(|word| word.into()).to_vec());
        let swaps: &[&str] = match round % 20 {
            5 => &["SWAPDB 3 5", "INCR swaps"],
            15 => &[
                "MULTI",
                "SELECT 5",
                "APPEND swapped a",
                "SWAPDB 5 3",
                "APPEND swapped b",
                "SELECT 0",
                "EXEC",
            ],
            _ => &[],
        };
        commands.extend(swaps.iter().map(|line| words(line)));
        client.pipeline(&commands);
        // A build without optimisations must be able to follow.
        std::thread::sleep(Duration::from_millis(20));
    }
    round
}

/// The longest life of a key that ends by itself while clients write.
const SHORT: Duration = Duration::from_millis(300);

/// Runs `work` while three clients write.
fn while_written<R>(address: SocketAddr, work: impl FnOnce() -> R) -> R {
    let is_over = AtomicBool::new(false);
    std::thread::scope(|scope| {
        let writers: Vec<_> = (0..3)
            .map(|seed| {
                scope.spawn({
                    let is_over = &is_over;
                    move || write(address, is_over, seed)
                })
            })
            .collect();
        let result = work();
        is_over.store(true, Ordering::Relaxed);
        let rounds: u64 = writers.into_iter().map(|writer| writer.join().unwrap()).sum();
        assert!(rounds > 2, "{rounds} rounds");
        // Keys that end soon would end while the servers are compared.
        std::thread::sleep(SHORT);
        result
    })
}

fn start(dir: &Path) -> Program {
    Program::start(dir, "every:100")
}

/// The whole way: copy, stream, cut-over.
#[test]
fn keys_move_while_they_are_written() {
    for flags in [&["--repl-diskless-sync", "yes"][..], &["--repl-diskless-sync", "no"]] {
        let Some(theirs) = Restartable::start(flags) else { return };
        let mut their = theirs.connect();
        fill(&mut their, random_commands(1_000) / 2);
        let dir = tempfile::tempdir().unwrap();
        let program = start(dir.path());
        let mut our = Client::connect(program.redis);
        our.say("SET old value");
        while_written(theirs.address, || {
            assert_eq!(our.say(&theirs.replica_of()), Value::Simple("OK".to_owned()));
            wait_for("the copy", || info(&mut our, "replication", "master_link_status") == "up");
            std::thread::sleep(Duration::from_millis(500));
        });
        catch_up(&mut their, &mut our);
        let Value::Integer(acknowledged) = their.say("WAIT 1 20000") else { panic!("WAIT") };
        assert_eq!(acknowledged, 1);
        let expected = contents(&mut their);
        assert_same(&contents(&mut our), &expected);
        let refused = "READONLY You can't write against a read only replica.";
        assert_eq!(our.say("SET k v"), Value::Error(refused.to_owned()));
        assert_eq!(our.say("REPLICAOF NO ONE"), Value::Simple("OK".to_owned()));
        assert_eq!(our.say("SET k v"), Value::Simple("OK".to_owned()));
        assert_eq!(our.say("FCALL f 0"), Value::Integer(7));
        assert_eq!(info(&mut our, "replication", "role"), "master");
        their.say("SET later 1");
        std::thread::sleep(Duration::from_millis(100));
        assert_eq!(our.say("EXISTS later old"), Value::Integer(0));
        drop(our);
        drop(program);
        // The new master stays one, and does not copy the old one again.
        let flag = theirs.address.to_string();
        let refused = Command::new(env!("CARGO_BIN_EXE_ferrolith-server"))
            .args(["--listen", "127.0.0.1:0", "--pegasus-listen", "127.0.0.1:0"])
            .args(["--replica-of", &flag, "--dir"])
            .arg(dir.path())
            .output()
            .unwrap();
        let text = String::from_utf8_lossy(&refused.stderr).into_owned();
        assert!(!refused.status.success() && text.contains("made this server a master"), "{text}");
        let program = start(dir.path());
        assert_eq!(Client::connect(program.redis).say("SET k w"), Value::Simple("OK".to_owned()));
    }
}

/// Our program is killed during copies and in the stream. Nothing is lost or applied twice.
#[test]
fn kills_of_the_replica() {
    let kills = std::env::var("FERROLITH_KILLS").map_or(6, |n| n.parse().expect("a number"));
    let Some(theirs) = Restartable::start(&["--repl-backlog-size", "64mb"]) else { return };
    let mut their = theirs.connect();
    fill(&mut their, random_commands(1_000) / 2);
    let mut random = fastrand::Rng::new();
    println!("seed {}", random.get_seed());
    let dir = tempfile::tempdir().unwrap();
    let flags = ["--replica-of", &theirs.address.to_string()];
    while_written(theirs.address, || {
        for kill in 0..kills {
            let program = Program::start_with(dir.path(), "os", &flags);
            let mut our = Client::connect(program.redis);
            if kill % 2 == 1 {
                wait_for("the stream", || {
                    info(&mut our, "replication", "master_link_status") == "up"
                });
            }
            std::thread::sleep(Duration::from_micros(random.u64(1_000..300_000)));
            program.kill();
        }
    });
    let partial: u64 = info(&mut their, "stats", "sync_partial_ok").parse().unwrap();
    assert!(partial > 0, "no stream was continued");
    let program = Program::start_with(dir.path(), "os", &[]);
    let mut our = Client::connect(program.redis);
    catch_up(&mut their, &mut our);
    assert_same(&contents(&mut our), &contents(&mut their));
}

/// An incomplete copy is not served, not even after a restart, and REPLICAOF NO ONE removes it.
#[test]
fn an_incomplete_copy_is_not_served() {
    let Some(theirs) = Restartable::start(&[]) else { return };
    let mut their = theirs.connect();
    their.say("DEBUG POPULATE 200000 key 100");
    let dir = tempfile::tempdir().unwrap();
    let flags = ["--replica-of", &theirs.address.to_string()];
    let is_loading = |our: &mut Client| matches!(our.say("DBSIZE"), Value::Error(text) if text.starts_with("LOADING"));
    let program = Program::start_with(dir.path(), "os", &flags);
    let mut our = Client::connect(program.redis);
    wait_for("loading", || is_loading(&mut our));
    assert_eq!(info(&mut our, "replication", "copy_is_complete"), "0");
    program.kill();
    let refused = Command::new(env!("CARGO_BIN_EXE_ferrolith-server"))
        .args(["export", "--rdb", "-", "--dir"])
        .arg(dir.path())
        .output()
        .unwrap();
    let text = String::from_utf8_lossy(&refused.stderr).into_owned();
    assert!(!refused.status.success() && text.contains("incomplete copy"), "{text}");
    drop(theirs);
    let program = start(dir.path());
    let mut our = Client::connect(program.redis);
    assert!(is_loading(&mut our), "an incomplete copy is served");
    assert_eq!(our.say("REPLICAOF NO ONE"), Value::Simple("OK".to_owned()));
    assert_eq!(our.say("DBSIZE"), Value::Integer(0));
}

#[test]
fn restarts_of_redis() {
    let Some(mut theirs) = Restartable::start(&["--repl-backlog-size", "64mb"]) else { return };
    let mut their = theirs.connect();
    fill(&mut their, 500);
    let dir = tempfile::tempdir().unwrap();
    let program = start(dir.path());
    let mut our = Client::connect(program.redis);
    our.say(&theirs.replica_of());
    while_written(theirs.address, || {
        wait_for("the copy", || info(&mut our, "replication", "master_link_status") == "up");
        std::thread::sleep(Duration::from_millis(200));
    });
    catch_up(&mut their, &mut our);
    drop(their);
    theirs.stop();
    wait_for("the end", || info(&mut our, "replication", "master_link_status") == "down");
    assert!(matches!(our.say("GET count:1"), Value::Bulk(_)), "the copy is served");
    theirs.restart();
    let mut their = theirs.connect();
    while_written(theirs.address, || std::thread::sleep(Duration::from_millis(200)));
    catch_up(&mut their, &mut our);
    assert_same(&contents(&mut our), &contents(&mut their));
}

/// Replies at a replica, and what other clients of it see.
#[test]
fn clients_of_a_replica() {
    let Some(theirs) = Restartable::start(&["--requirepass", "secret"]) else { return };
    let mut their = theirs.connect();
    their.say("AUTH secret");
    their.say("SET k 1");
    let ours = Ours::start();
    let (mut our, mut blocked) = (ours.connect(), ours.connect());
    let error = |value: Value| match value {
        Value::Error(text) => text,
        other => panic!("{other:?}"),
    };
    blocked.send(&["BLPOP", "queue", "0"]);
    wait_for("BLPOP", || info(&mut our, "clients", "blocked_clients") == "1");
    our.say(&theirs.replica_of());
    assert!(error(blocked.receive()).starts_with("UNBLOCKED"));
    wait_for("a refusal", || {
        info(&mut our, "replication", "stream_errors");
        let Value::Bulk(text) = our.say("INFO replication") else { panic!("no INFO") };
        String::from_utf8_lossy(&text).contains("masterauth")
    });
    our.say("CONFIG SET masterauth secret");
    wait_for("the copy", || info(&mut our, "replication", "master_link_status") == "up");
    catch_up(&mut their, &mut our);
    let Value::Array(role) = our.say("ROLE") else { panic!("no ROLE") };
    assert_eq!((&role[0], &role[3]), (&Value::bulk("slave"), &Value::bulk("connected")));
    let again = our.say(&theirs.replica_of());
    assert_eq!(again, Value::Simple("OK Already connected to specified master".to_owned()));
    assert_eq!(our.say("GET k"), Value::bulk("1"));
    for line in ["SET k 2", "FLUSHALL", "BLPOP q 1", "XREADGROUP GROUP g c STREAMS s >"] {
        assert!(error(our.say(line)).starts_with("READONLY"), "{line}");
    }
    let mut script = words("EVAL code 1 k");
    script[1] = b"return redis.call('SET', KEYS[1], 2)".to_vec();
    assert!(error(our.call(&script)).contains("READONLY"));
    script[1] = b"return redis.call('GET', KEYS[1])".to_vec();
    assert_eq!(our.call(&script), Value::bulk("1"));
    our.say("MULTI");
    assert!(error(our.say("SET k 2")).starts_with("READONLY"));
    assert!(error(our.say("EXEC")).starts_with("EXECABORT"));

    // Messages and changes of watched keys arrive.
    let mut subscriber = ours.connect();
    subscriber.say("SUBSCRIBE news");
    our.say("WATCH k");
    their.say("SET k 3");
    their.say("PUBLISH news hello");
    catch_up(&mut their, &mut our);
    let message = ["message", "news", "hello"].map(Value::bulk).to_vec();
    assert_eq!(subscriber.receive(), Value::Array(message));
    our.say("MULTI");
    our.say("GET k");
    assert_eq!(our.say("EXEC"), Value::NullArray);

    // A key that expired by our clock is absent, and ends when the other server says so.
    their.say("DEBUG SET-ACTIVE-EXPIRE 0");
    their.say("SET short 1 PX 50");
    std::thread::sleep(Duration::from_millis(100));
    catch_up(&mut their, &mut our);
    assert_eq!(our.say("GET short"), Value::Null);
    assert_eq!(their.say("GET short"), Value::Null);
    catch_up(&mut their, &mut our);
}

#[test]
fn a_flag_does_not_remove_data() {
    let dir = tempfile::tempdir().unwrap();
    let settings = Settings::default();
    let ours = Ours::start_in(dir, Arc::new(SystemClock::new()), settings);
    ours.connect().say("SET k v");
    let dir = ours.close();
    let refused = Command::new(env!("CARGO_BIN_EXE_ferrolith-server"))
        .args(["--listen", "127.0.0.1:0", "--pegasus-listen", "127.0.0.1:0"])
        .args(["--replica-of", "127.0.0.1:1", "--dir"])
        .arg(dir.path())
        .output()
        .unwrap();
    let text = String::from_utf8_lossy(&refused.stderr).into_owned();
    assert!(!refused.status.success() && text.contains("the directory has keys"), "{text}");
}
