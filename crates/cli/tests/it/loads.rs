//! Files that are loaded into tables of a running server, and into a directory.

use crate::program::{Server, done, run};
use ferrolith::{Options, SstFileWriter};
use ferrolith_server::rows::pegasus::{Value, Version, key};
use std::path::Path;

const ROWS: u32 = 300;

fn name(row: u32) -> String {
    format!("row{row:04}")
}

/// Writes a file of rows, of which one has expired. The data of a row is its name and this text.
fn table(path: &Path, text: &str) {
    let mut writer = SstFileWriter::create(Options::new(), path).unwrap();
    let mut value = Vec::new();
    for row in 0..ROWS {
        value.clear();
        let data = format!("{}{text}", name(row));
        let expiry = u32::from(row == 1);
        Version::V1.write(Value { expiry, timetag: 0, data: data.as_bytes() }, &mut value);
        writer.put(key(name(row).as_bytes(), b""), &value).unwrap();
    }
    writer.finish().unwrap();
}

/// Checks a row as Redis clients of the table see it.
fn check(server: &Server, row: u32, text: &str) {
    let found = done(&["get", &name(row), "--server", &server.secure[0]]);
    assert_eq!(found, format!("{}{text}\n", name(row)));
}

#[test]
fn files_are_loaded_by_a_running_server_and_into_its_directory() {
    let dir = tempfile::tempdir().unwrap();
    let (db, files) = (dir.path().join("db"), dir.path().join("files"));
    std::fs::create_dir(&files).unwrap();
    let flags = [
        "--load-dir",
        files.to_str().unwrap(),
        "--pegasus-table",
        "t:4",
        "--pegasus-redis-listen",
        "t=127.0.0.1:0",
    ];
    let server = Server::start(&db, &flags);
    table(&files.join("a.sst"), "");
    let checked = done(&["table", "check-files", files.to_str().unwrap()]);
    assert!(checked.starts_with("1 files can be loaded: 299 rows, "), "{checked}");
    let loaded = server.done(&["table", "load", "t", "a.sst"]);
    assert!(loaded.starts_with("loaded 299 rows from 1 files into table t: "), "{loaded}");
    assert!(loaded.contains("left out: 1 that have expired"), "{loaded}");
    (2..ROWS).step_by(20).for_each(|row| check(&server, row, ""));
    let expired = run(&["get", &name(1), "--server", &server.secure[0]]);
    assert_eq!(expired.code, 3, "{}", expired.out);

    table(&files.join("b.sst"), " again");
    let loaded =
        server.done(&["--json", "table", "load", "t", files.join("b.sst").to_str().unwrap()]);
    assert!(loaded.contains("\"rows\":299") && loaded.contains("\"expired_rows\":1"), "{loaded}");
    (2..ROWS).step_by(20).for_each(|row| check(&server, row, " again"));

    // What is wrong: the file, the table, the place.
    server.done(&["set", "a", "1"]);
    let whole = std::fs::read(files.join("a.sst")).unwrap();
    std::fs::write(files.join("cut.sst"), &whole[..whole.len() / 2]).unwrap();
    let outside = dir.path().join("outside.sst");
    table(&outside, "");
    for (arguments, expected) in [
        (["t", "cut.sst"], "the load failed: "),
        (["other", "a.sst"], "there is no Pegasus table \"other\""),
        (["redis.0", "a.sst"], "only Pegasus tables can be loaded"),
        (["t", "missing.sst"], "(--load-dir)"),
        (["t", outside.to_str().unwrap()], "(--load-dir)"),
    ] {
        let refused = server.run(&[&["table", "load"], &arguments[..]].concat());
        assert!(refused.code == 1 && refused.error.contains(expected), "{}", refused.error);
    }
    let wrong = run(&["table", "load", "t", "a.sst", "--value-version", "2"]);
    assert_eq!(wrong.code, 2, "{}", wrong.error);
    check(&server, 2, " again");
    let path = db.to_str().unwrap();
    for flags in [&["--dir", "x", "--user", "y"][..], &["--memory-mb", "99"]] {
        let wrong = run(&[&["table", "load", "t", "a.sst"], flags].concat());
        assert_eq!(wrong.code, 2, "{}", wrong.error);
    }
    let wrong = run(&["table", "load", "t", "a.sst", "--memory-mb", "99", "--db", "1"]);
    assert!(wrong.code != 0 && wrong.error.contains("--memory-mb needs --dir"), "{}", wrong.error);
    let open = run(&["table", "load", "t", outside.to_str().unwrap(), "--dir", path]);
    assert!(open.code == 1, "{}", open.out);
    drop(server);

    let loaded = done(&["table", "load", "t", outside.to_str().unwrap(), "--dir", path]);
    assert!(loaded.starts_with("loaded 299 rows"), "{loaded}");
    let none =
        run(&["table", "load", "t", outside.to_str().unwrap(), "--dir", files.to_str().unwrap()]);
    assert!(none.code == 1 && none.error.contains("is no data directory"), "{}", none.error);
    let server = Server::start(&db, &flags);
    (2..ROWS).step_by(20).for_each(|row| check(&server, row, ""));
    let options = ["table", "load", "t", "a.sst", "--no-wait", "--rate-mb", "1"];
    assert_eq!(server.done(&options), "started\n");
}
