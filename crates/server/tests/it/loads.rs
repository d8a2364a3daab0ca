//! Loads of files by the server program: who may, one at a time, stopping, kills, and the end of the server.

use crate::backup::{error, started};
use crate::crash::program::Program;
use crate::redis::{Client, Value};
use fastrand::Rng;
use ferrolith::{Options, SstFileWriter};
use ferrolith_server::rows::pegasus::{Value as Row, Version, key};
use std::collections::BTreeMap;
use std::path::Path;
use std::time::{Duration, Instant};

const ROWS: u32 = 20_000;

/// Starts a load that takes minutes.
const SLOW: &str = "FERROLITH LOAD t RATE 41000 FILES rows.sst";

fn write(path: &Path) {
    let mut writer = SstFileWriter::create(Options::new(), path).unwrap();
    let (mut random, mut value) = (Rng::with_seed(1), Vec::new());
    for row in 0..ROWS {
        let mut data = [0; 100];
        random.fill(&mut data);
        value.clear();
        Version::V1.write(Row { expiry: 0, timetag: 0, data: &data }, &mut value);
        writer.put(key(format!("row{row:06}").as_bytes(), b""), &value).unwrap();
    }
    writer.finish().unwrap();
}

fn info(client: &mut Client) -> BTreeMap<String, String> {
    let (Value::Bulk(text) | Value::Verbatim(text)) = client.say("INFO load") else {
        panic!("INFO")
    };
    let text = String::from_utf8(text).unwrap();
    let lines = text.lines().filter_map(|line| line.split_once(':'));
    lines.map(|(name, value)| (name.to_owned(), value.to_owned())).collect()
}

/// Waits until INFO is as expected.
fn await_info(client: &mut Client, expected: impl Fn(&BTreeMap<String, String>) -> bool) {
    let begun = Instant::now();
    loop {
        let info = info(client);
        if expected(&info) {
            return;
        }
        assert!(begun.elapsed() < Duration::from_secs(60), "{info:?}");
        std::thread::sleep(Duration::from_millis(10));
    }
}

/// Starts a slow load, and waits until it has read rows.
fn start_slowly(client: &mut Client) {
    started(client.say(SLOW));
    await_info(client, |info| info.get("load_read_rows").is_some_and(|rows| rows != "0"));
}

#[test]
fn loads_are_stopped_killed_and_ended_with_the_server() {
    let dir = tempfile::tempdir().unwrap();
    let (db, files) = (dir.path().join("db"), dir.path().join("files"));
    std::fs::create_dir(&files).unwrap();
    write(&files.join("rows.sst"));
    let start = || Program::start_with(&db, "os", &["--load-dir", files.to_str().unwrap()]);
    let program = start();
    let mut client = Client::connect(program.redis);
    for (command, expected) in [
        ("FERROLITH LOAD-STOP", "no load runs"),
        ("FERROLITH LOAD t FILES", "wrong number of arguments"),
        ("FERROLITH LOAD t VERSION 1 FILES", "syntax error"),
        ("FERROLITH LOAD t VERSION 2 FILES rows.sst", "expected 0 or 1, found '2'"),
        ("FERROLITH LOAD t RATE 1 FILES rows.sst", "RATE: expected at least"),
        ("FERROLITH LOAD t QUICKLY FILES rows.sst", "syntax error"),
        ("FERROLITH LOAD t FILES rows.sst ../db", "(--load-dir)"),
        ("FERROLITH LOAD none FILES rows.sst", "there is no Pegasus table \"none\""),
    ] {
        let text = error(client.say(command));
        assert!(text.contains(expected), "{command}: {text}");
    }
    start_slowly(&mut client);
    let text = error(client.say("FERROLITH LOAD t FILES rows.sst"));
    assert!(text.contains("files are being loaded into table \"t\""), "{text}");
    assert_eq!(client.say("FERROLITH LOAD-STOP"), Value::Simple("OK".into()));
    await_info(&mut client, |info| info["load_running"] == "0");
    let stopped = info(&mut client);
    assert!(stopped["load_last_error"].contains("the load was stopped"), "{stopped:?}");
    assert!(!db.join("loading").exists());

    start_slowly(&mut client);
    assert!(db.join("loading").exists());
    program.kill();
    let program = start();
    assert!(!db.join("loading").exists());
    let mut client = Client::connect(program.redis);
    start_slowly(&mut client);
    // It ends by itself, and not only after minutes.
    let begun = Instant::now();
    client.send(&[b"SHUTDOWN"]);
    program.wait();
    assert!(begun.elapsed() < Duration::from_secs(30), "{:?}", begun.elapsed());
    assert!(!db.join("loading").exists());

    let program = start();
    let mut client = Client::connect(program.redis);
    started(client.say("FERROLITH LOAD t FILES rows.sst"));
    await_info(&mut client, |info| info["load_running"] == "0");
    let ended = info(&mut client);
    assert_eq!(ended["load_last_status"], "ok", "{ended:?}");
    assert_eq!(ended["load_last_rows"], ROWS.to_string());
}
