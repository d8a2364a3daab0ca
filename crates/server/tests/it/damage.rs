//! Damaged files when the server program starts: its message names the file, and the place or the expected length.

use crate::crash::program::Program;
use crate::redis::{Client, Value};
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// Writes rows, and kills the server, so that they are in the log.
fn written(dir: &Path) {
    let program = Program::start(dir, "always");
    let mut client = Client::connect(program.redis);
    for row in 0..300 {
        let reply = client.say(&format!("SET row{row} {}", "text".repeat(100 + row)));
        assert_eq!(reply, Value::Simple("OK".into()));
    }
    program.kill();
}

/// Returns the largest file with this extension.
fn largest(dir: &Path, extension: &str) -> PathBuf {
    let files = std::fs::read_dir(dir).unwrap().map(|entry| entry.unwrap().path());
    let files = files.filter(|path| path.extension().is_some_and(|found| found == extension));
    files.max_by_key(|path| path.metadata().unwrap().len()).expect("a file")
}

/// Returns the command that starts the server.
fn server(dir: &Path) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_ferrolith-server"));
    command.arg("--dir").arg(dir).args(["--listen", "127.0.0.1:0", "--redis-partitions", "4"]);
    command.stdin(Stdio::null());
    command
}

#[test]
fn a_truncated_table_is_named() {
    let dir = tempfile::tempdir().unwrap();
    written(dir.path());
    // Opening writes the log's rows to tables.
    Program::start(dir.path(), "always").kill();
    let table = largest(dir.path(), "sst");
    let length = table.metadata().unwrap().len();
    let file = std::fs::File::options().write(true).open(&table).unwrap();
    file.set_len(length / 2).unwrap();
    let output = server(dir.path()).output().unwrap();
    assert!(!output.status.success(), "the server must not start");
    let text = String::from_utf8(output.stderr).unwrap();
    let expected =
        format!("{} has {} bytes; the MANIFEST says {length}", table.display(), length / 2);
    assert!(text.contains(&expected), "{text}");
}

/// The engine recovers to the state before the damage. A server says what that dropped.
#[test]
fn a_damaged_log_is_named() {
    let dir = tempfile::tempdir().unwrap();
    written(dir.path());
    let log = largest(dir.path(), "log");
    let mut bytes = std::fs::read(&log).unwrap();
    bytes[20_000] ^= 0x55;
    std::fs::write(&log, bytes).unwrap();
    let mut child = server(dir.path()).stderr(Stdio::piped()).spawn().unwrap();
    let lines = BufReader::new(child.stderr.take().unwrap()).lines().map(Result::unwrap);
    let text = lines.into_iter().find(|line| line.contains("ERROR")).expect("an error");
    child.kill().unwrap();
    child.wait().unwrap();
    let (_, offset) = text.split_once(&format!("{}: offset ", log.display())).expect(&text);
    let (offset, cause) = offset.split_once(": ").expect(&text);
    assert!((18_000..=20_000).contains(&offset.parse::<u32>().unwrap()), "{text}");
    assert!(cause.starts_with("checksum mismatch (") && cause.contains("restore"), "{text}");
}
