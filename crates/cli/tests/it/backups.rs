//! Backups, restoring, and the doctor.

use crate::program::{Server, done, run};

#[test]
fn a_backup_is_created_verified_and_restored() {
    let dir = tempfile::tempdir().unwrap();
    let place = dir.path().join("backups");
    let place = place.to_str().unwrap();
    let server = Server::start(&dir.path().join("db"), &["--backup-dir", place]);
    for number in 0..50 {
        server.done(&["set", &format!("row:{number}"), "value"]);
    }
    let made = server.done(&["backup", "create", "daily", "--note", "before", "--json"]);
    assert!(made.starts_with("{") && made.contains("\"id\":1"), "{made}");
    server.done(&["set", "later", "1"]);
    let made = server.done(&["backup", "create", "daily"]);
    assert!(made.starts_with("backup 2 in "), "{made}");
    let daily = format!("{place}/daily");
    let list = done(&["backup", "list", &daily]);
    assert!(list.lines().count() == 2 && list.contains("before"), "{list}");
    assert!(done(&["backup", "verify", &daily]).contains("backup 2 is whole"));
    let to = dir.path().join("restored");
    let to = to.to_str().unwrap();
    let [log, audit] = ["log", "audit"].map(|name| dir.path().join(name).display().to_string());
    let records = ["--log-file", &log, "--audit-log", &audit];
    let restore = ["backup", "restore", &daily, "--to", to];
    done(&[&restore[..], &["--id", "1"], &records].concat());
    let again = run(&[&restore[..], &records].concat());
    assert!(again.code == 1 && again.error.contains("is not empty"), "{}", again.error);
    let text = std::fs::read_to_string(&log).unwrap();
    let place = format!("kind=\"restore\" place={daily} backup=");
    for part in ["started ", "done ", "failed "].map(|word| format!("{word}{place}")) {
        assert!(text.contains(&part), "{part}? {text}");
    }
    let counts = text.lines().find(|line| line.contains(": done ")).unwrap();
    assert!(["bytes=", "files=", "seconds="].iter().all(|part| counts.contains(part)), "{counts}");
    let text = std::fs::read_to_string(&audit).unwrap();
    let results: Vec<serde_json::Value> =
        text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert!(results.len() == 4 && results[1]["result"] == "ok", "{text}");
    assert!(results[3]["result"].as_str().unwrap().contains("is not empty"), "{text}");
    assert_eq!(results[0]["call"][5], "--to");
    let restored = Server::start(to.as_ref(), &[]);
    let diff = restored.run(&["diff", "--to", &server.redis]);
    assert_eq!(diff.out, "only at the other server: later\n50 keys compared, 1 differences\n");
    done(&["backup", "delete", &daily, "--keep", "1"]);
    assert_eq!(done(&["backup", "list", &daily]).lines().count(), 1);
    let none = run(&["backup", "list", to]);
    assert!(none.code == 1 && none.error.contains("has no backups"), "{}", none.error);
    let outside = server.run(&["backup", "create", "/tmp"]);
    assert!(outside.code == 1 && outside.error.contains("--backup-dir"), "{}", outside.error);
}

#[test]
fn the_format_of_a_directory_is_shown_and_checked() {
    let dir = tempfile::tempdir().unwrap();
    let db = dir.path().join("db");
    let server = Server::start(&db, &[]);
    for arguments in [&["finalize", "--check"][..], &["finalize"]] {
        assert_eq!(server.done(arguments), "the directory has the newest format, 1\n");
    }
    assert!(server.done(&["finalize", "--json"]).contains("\"newest\":1"));
    drop(server);
    let later = "number = 9\nname = \"packed lists\"\nsince = \"8.0.0\"\n";
    std::fs::write(db.join("FORMAT"), later).unwrap();
    let refused = run(&["server", "--dir", db.to_str().unwrap(), "--listen", "127.0.0.1:0"]);
    let expected = "has format 9 (packed lists), which ferrolith-server 8.0.0 and later read";
    assert!(refused.code == 1 && refused.error.contains(expected), "{}", refused.error);
}

#[test]
fn the_doctor_finds_what_is_wrong() {
    let dir = tempfile::tempdir().unwrap();
    let db = dir.path().join("db");
    let path = db.to_str().unwrap();
    let place = dir.path().join("backups");
    let server = Server::start(&db, &["--backup-dir", place.to_str().unwrap()]);
    server.done(&["set", "a", &"x".repeat(1000)]);
    let found = server.run(&["doctor"]).out;
    assert!(found.contains("no backup was created since the start"), "{found}");
    // The backup flushes, so there is a table.
    server.done(&["backup", "create", "daily"]);
    let found = run(&["doctor", path]).out;
    assert!(found.contains("has the database open"), "{found}");
    drop(server);
    let whole = run(&["doctor", path, "--full"]);
    assert!(whole.out.contains("rows can be read"), "{}", whole.out);
    assert!(whole.out.contains("no process has the database open"), "{}", whole.out);
    let tables = || {
        let names = std::fs::read_dir(&db).unwrap().map(|entry| entry.unwrap().path());
        names.filter(|path| path.extension().is_some_and(|it| it == "sst"))
    };
    for table in tables() {
        let mut bytes = std::fs::read(&table).unwrap();
        bytes[3] ^= 1;
        std::fs::write(&table, bytes).unwrap();
    }
    let damaged = run(&["doctor", path]);
    assert!(damaged.code == 3 && damaged.out.contains("a row cannot be read"), "{}", damaged.out);
    tables().for_each(|table| std::fs::remove_file(table).unwrap());
    let missing = run(&["doctor", path, "--json"]);
    assert!(missing.code == 3 && missing.out.contains(".sst"), "{}", missing.out);
    let none = run(&["doctor", dir.path().to_str().unwrap()]);
    assert!(none.code == 3 && none.out.contains("has no database"), "{}", none.out);
}
