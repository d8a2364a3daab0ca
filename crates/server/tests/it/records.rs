//! What the log and the audit log have of imports and exports, which run in processes of their own.

use crate::backup::error;
use crate::crash::program::Program;
use crate::redis::{Client, Value};
use serde_json::Value as Json;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Runs the server program, and returns what it printed on standard error.
fn run(args: &[&str], succeeds: bool) -> String {
    let output = Command::new(env!("CARGO_BIN_EXE_ferrolith-server")).args(args).output().unwrap();
    let text = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.success(), succeeds, "{args:?}: {text}");
    text
}

/// Writes two keys to a directory, and exports it.
fn export(dir: &Path, more: &[&str]) -> PathBuf {
    let (data, rdb) = (dir.join("db"), dir.join("dump.rdb"));
    let program = Program::start(&data, "os");
    let mut client = Client::connect(program.redis);
    client.say("SET a 1");
    client.say("RPUSH b 1 2 3");
    client.send(&["SHUTDOWN"]);
    program.wait();
    let (from, to) = (data.to_str().unwrap(), rdb.to_str().unwrap());
    run(&[&["export", "--dir", from, "--rdb", to], more].concat(), true);
    rdb
}

fn lines(file: &Path) -> Vec<Json> {
    let text = std::fs::read_to_string(file).unwrap();
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

#[test]
fn imports_and_exports_are_recorded() {
    let dir = tempfile::tempdir().unwrap();
    let [log, audit, new] = ["log", "audit", "new"].map(|name| dir.path().join(name));
    let [log_file, audit_file] = [&log, &audit].map(|file| file.to_str().unwrap());
    let records = ["--log-file", log_file, "--log-format", "json", "--audit-log", audit_file];
    let rdb = export(dir.path(), &records);
    let import = ["import", "--rdb", rdb.to_str().unwrap(), "--dir", new.to_str().unwrap()];
    let import = [&import[..], &records].concat();
    run(&import, true);
    assert!(run(&import, false).contains("exists"));

    let mut found = lines(&log);
    found.retain(|line| line["target"] == "ferrolith::transfer");
    let events: Vec<_> = found
        .iter()
        .map(|line| {
            format!("{} {}", line["kind"].as_str().unwrap(), line["message"].as_str().unwrap())
        })
        .collect();
    let expected = [
        "export started",
        "export done",
        "import started",
        "import done",
        "import started",
        "import failed",
    ];
    assert_eq!(events, expected);
    for (line, part) in [(&found[1], "file"), (&found[3], "rdb")] {
        assert_eq!(line[part], rdb.to_str().unwrap());
        assert_eq!(line["keys"], 2);
        assert!(line["bytes"].as_u64() > Some(20) && line["seconds"].is_u64(), "{line}");
    }
    assert_eq!(found[3]["to"], new.to_str().unwrap());
    assert!(found[5]["error"].as_str().unwrap().contains("exists"), "{}", found[5]);

    let entries = lines(&audit);
    let results: Vec<_> = entries.iter().map(|it| it["result"].as_str().unwrap()).collect();
    assert_eq!(results[..5], ["started", "ok", "started", "ok", "started"]);
    assert!(results[5].contains("exists"), "{results:?}");
    assert_eq!(
        (&entries[0]["call"][0], &entries[2]["call"][0]),
        (&"export".into(), &"import".into())
    );
    // Without a directory for the files, nothing is done.
    let missing = dir.path().join("none/log");
    let refused = [&import[..5], &["--log-file", missing.to_str().unwrap()]].concat();
    assert!(run(&refused, false).contains("log-file"), "{refused:?}");
    let alone = [&import[..5], &["--log-format", "json"]].concat();
    assert!(run(&alone, false).contains("--log-file"));
}

#[test]
fn a_running_server_notes_the_imports_that_it_receives() {
    let dir = tempfile::tempdir().unwrap();
    let rdb = export(dir.path(), &[]);
    let [log, audit, data] = ["log", "audit", "other"].map(|name| dir.path().join(name));
    let flags = ["--log-file", log.to_str().unwrap(), "--audit-log", audit.to_str().unwrap()];
    let program = Program::start_with(&data, "os", &flags);
    let (address, shown) = (program.redis.to_string(), rdb.display());
    run(&["import", "--rdb", rdb.to_str().unwrap(), "--to", &address], true);
    run(&["import", "--rdb", rdb.to_str().unwrap(), "--to", &address], false);
    let text = std::fs::read_to_string(&log).unwrap();
    let notes = [
        format!("note=\"import of {shown} started\""),
        format!("note=\"import of {shown} done in "),
        " s: 2 keys, 0 libraries of functions, ".to_owned(),
        format!("note=\"import of {shown} failed after "),
        format!(" s: server {address}: RESTORE of key "),
    ];
    for note in &notes {
        assert!(text.contains(note), "{note}? {text}");
    }
    let noted: Vec<_> =
        lines(&audit).into_iter().filter(|entry| entry["call"][1] == "NOTE").collect();
    assert_eq!(noted.len(), 4, "{noted:?}");
    assert!(noted[1]["call"][2].as_str().unwrap().contains(" s: 2 keys"), "{noted:?}");
    assert_eq!(noted[1]["result"], "ok");
    let mut client = Client::connect(program.redis);
    let long = client.call(&[&b"FERROLITH"[..], b"NOTE", &[b'x'; 1025]]);
    assert!(error(long).contains("at most 1024 bytes"));
    assert_eq!(client.say("FERROLITH NOTE hello"), Value::Simple("OK".into()));
}
