//! What errors say, word for word: which file, what was expected, what to do.
//!
//! `error_texts.txt` has the texts.

use ferrolith::backup::BackupEngine;
use ferrolith::internal::error::rocksdb_text;
use ferrolith::transaction::{TransactionDb, TransactionOptions};
use ferrolith::{
    ColumnFamilyOptions, Db, Error, ErrorKind, Options, ReadOptions, SstFileWriter,
    WalRecoveryMode, WriteBatch,
};
use std::io::{BufRead, BufReader, Read};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// A name, and what is done wrong in an empty directory.
type Case = (&'static str, fn(&Path) -> Error);

fn options() -> Options {
    Options::new().create_if_missing(true)
}

/// A closed database with a table and a log.
fn database(dir: &Path) -> PathBuf {
    let path = dir.join("db");
    let db = Db::open(&path).unwrap();
    db.put("key1", "value").unwrap();
    db.flush().unwrap();
    db.put("key2", "value").unwrap();
    db.close().unwrap();
    path
}

/// The only file whose name ends so.
fn file(dir: &Path, part: &str) -> PathBuf {
    let mut paths = std::fs::read_dir(dir).unwrap().map(|entry| entry.unwrap().path());
    paths.find(|path| path.to_str().unwrap().contains(part)).unwrap()
}

fn cut(path: &Path, size: u64) {
    std::fs::OpenOptions::new().write(true).open(path).unwrap().set_len(size).unwrap();
}

fn flip(path: &Path, at: usize) {
    let mut bytes = std::fs::read(path).unwrap();
    bytes[at] ^= 0xff;
    std::fs::write(path, bytes).unwrap();
}

fn merge_database(dir: &Path) -> Db {
    let path = dir.join("db");
    let with = options().merge_operator("last", |_, _, operands| {
        operands.iter().last().map(|operand| operand.to_vec())
    });
    let db = Db::open_with(with, &path).unwrap();
    db.merge("key", "value").unwrap();
    db.close().unwrap();
    Db::open(path).unwrap()
}

fn backups(dir: &Path, count: usize) -> BackupEngine {
    let db = Db::open(dir.join("db")).unwrap();
    db.put("key", "value").unwrap();
    db.flush().unwrap();
    let mut engine = BackupEngine::open(dir.join("backups")).unwrap();
    for _ in 0..count {
        engine.create_new_backup(&db).unwrap();
    }
    engine
}

fn table(path: &Path, keys: &[&str]) {
    let mut writer = SstFileWriter::create(Options::new(), path).unwrap();
    keys.iter().for_each(|key| writer.put(key, "value").unwrap());
    writer.finish().unwrap();
}

fn closed(dir: &Path) -> Db {
    let db = Db::open(dir.join("db")).unwrap();
    db.create_cf("one").unwrap();
    db.close().unwrap();
    db
}

const OPENING: &[Case] = &[
    ("twice", |dir| {
        let _first = Db::open(dir.join("db")).unwrap();
        Db::open(dir.join("db")).unwrap_err()
    }),
    ("destroy while open", |dir| {
        let _first = Db::open(dir.join("db")).unwrap();
        Db::destroy(Options::new(), dir.join("db")).unwrap_err()
    }),
    ("missing parents", |dir| Db::open(dir.join("a/b/c")).unwrap_err()),
    ("destroy missing parents", |dir| Db::destroy(Options::new(), dir.join("a/b")).unwrap_err()),
    ("missing, not to be created", |dir| {
        Db::open_with(Options::new(), dir.join("db")).unwrap_err()
    }),
    ("exists, must not", |dir| {
        Db::open_with(options().set("error_if_exists", "true").unwrap(), database(dir)).unwrap_err()
    }),
    ("a file", |dir| {
        std::fs::write(dir.join("file"), "text").unwrap();
        Db::open(dir.join("file")).unwrap_err()
    }),
    ("below a file", |dir| {
        std::fs::write(dir.join("file"), "text").unwrap();
        Db::open(dir.join("file/db")).unwrap_err()
    }),
    ("empty path", |_| Db::open("").unwrap_err()),
    ("a backup directory", |dir| {
        backups(dir, 1);
        Db::open(dir.join("backups")).unwrap_err()
    }),
    ("a backup directory, read only", |dir| {
        backups(dir, 1);
        Db::open_read_only(Options::new(), dir.join("backups")).unwrap_err()
    }),
    ("an export", |dir| {
        let db = Db::open(dir.join("db")).unwrap();
        db.put("key", "value").unwrap();
        db.default_cf().export(dir.join("export")).unwrap();
        Db::open(dir.join("export")).unwrap_err()
    }),
    ("read only, missing", |dir| Db::open_read_only(Options::new(), dir.join("db")).unwrap_err()),
    ("list, missing", |dir| Db::list_cf(Options::new(), dir.join("db")).unwrap_err()),
    ("repair, missing", |dir| Db::repair(Options::new(), dir.join("db")).unwrap_err()),
    ("another comparator", |dir| {
        Db::open_with(options().comparator("mine", |a, b| a.cmp(b)), database(dir)).unwrap_err()
    }),
    ("families to be there", |dir| {
        Db::open_cf(options().create_missing_column_families(false), database(dir), ["one"])
            .unwrap_err()
    }),
    ("latest options, missing", |dir| Options::latest(dir.join("db")).unwrap_err()),
    ("read only: put", |dir| {
        Db::open_read_only(Options::new(), database(dir)).unwrap().put("k", "v").unwrap_err()
    }),
    ("read only: flush", |dir| {
        Db::open_read_only(Options::new(), database(dir)).unwrap().flush().unwrap_err()
    }),
];

const OPTIONS: &[Case] = &[
    ("unknown name", |_| Options::new().set("write_bufer_size", "1").unwrap_err()),
    ("bad value", |_| Options::new().set("write_buffer_size", "much").unwrap_err()),
    ("bad enum", |_| Options::new().set("compression", "zip").unwrap_err()),
    ("bad bool", |_| Options::new().set("create_if_missing", "perhaps").unwrap_err()),
    ("a text without =", |_| Options::new().set_from_str("write_buffer_size").unwrap_err()),
    ("of a database, for a family", |_| {
        ColumnFamilyOptions::new().set("max_open_files", "1").unwrap_err()
    }),
    ("set_options: unknown", |dir| {
        Db::open(dir.join("db")).unwrap().set_options(&[("nope", "1")]).unwrap_err()
    }),
    ("set_options: fixed", |dir| {
        Db::open(dir.join("db")).unwrap().set_options(&[("num_levels", "1")]).unwrap_err()
    }),
    ("set_options: bad value", |dir| {
        Db::open(dir.join("db")).unwrap().set_options(&[("write_buffer_size", "much")]).unwrap_err()
    }),
    ("set_db_options: unknown", |dir| {
        Db::open(dir.join("db")).unwrap().set_db_options(&[("nope", "1")]).unwrap_err()
    }),
    ("not supported", |dir| {
        Db::open_with(options().set("allow_mmap_writes", "true").unwrap(), dir.join("db"))
            .unwrap_err()
    }),
    ("damaged OPTIONS", |dir| {
        let path = database(dir);
        std::fs::write(file(&path, "OPTIONS"), "[nonsense\n").unwrap();
        Options::latest(path).unwrap_err()
    }),
];

const DAMAGE: &[Case] = &[
    ("no CURRENT", |dir| {
        let path = database(dir);
        std::fs::remove_file(path.join("CURRENT")).unwrap();
        Db::open(path).unwrap_err()
    }),
    ("no CURRENT, not to be created", |dir| {
        let path = database(dir);
        std::fs::remove_file(path.join("CURRENT")).unwrap();
        Db::open_with(Options::new(), path).unwrap_err()
    }),
    ("garbage in CURRENT", |dir| {
        let path = database(dir);
        std::fs::write(path.join("CURRENT"), "garbage\n").unwrap();
        Db::open(path).unwrap_err()
    }),
    ("empty CURRENT", |dir| {
        let path = database(dir);
        std::fs::write(path.join("CURRENT"), "").unwrap();
        Db::open(path).unwrap_err()
    }),
    ("no MANIFEST", |dir| {
        let path = database(dir);
        std::fs::remove_file(file(&path, "MANIFEST")).unwrap();
        Db::open(path).unwrap_err()
    }),
    ("cut MANIFEST", |dir| {
        let path = database(dir);
        cut(&file(&path, "MANIFEST"), 20);
        Db::open(path).unwrap_err()
    }),
    ("empty MANIFEST", |dir| {
        let path = database(dir);
        cut(&file(&path, "MANIFEST"), 0);
        Db::open(path).unwrap_err()
    }),
    ("damaged MANIFEST", |dir| {
        let path = database(dir);
        flip(&file(&path, "MANIFEST"), 30);
        Db::open(path).unwrap_err()
    }),
    ("deleted table", |dir| {
        let path = database(dir);
        std::fs::remove_file(file(&path, ".sst")).unwrap();
        Db::open(path).unwrap_err()
    }),
    ("cut table", |dir| {
        let path = database(dir);
        cut(&file(&path, ".sst"), 500);
        Db::open(path).unwrap_err()
    }),
    ("empty table", |dir| {
        let path = database(dir);
        cut(&file(&path, ".sst"), 0);
        Db::open(path).unwrap_err()
    }),
    ("damaged block", |dir| {
        let path = database(dir);
        flip(&file(&path, ".sst"), 3);
        Db::open(path).unwrap().get("key1").unwrap_err()
    }),
    ("damaged block, iterator", |dir| {
        let path = database(dir);
        flip(&file(&path, ".sst"), 3);
        Db::open(path).unwrap().iter().next().unwrap().unwrap_err()
    }),
    ("damaged log", |dir| {
        let path = dir.join("db");
        let db = Db::open(&path).unwrap();
        for n in 0..100_u32 {
            db.put(n.to_be_bytes(), "value").unwrap();
        }
        db.close().unwrap();
        flip(&file(&path, ".log"), 100);
        Db::open_with(options().wal_recovery_mode(WalRecoveryMode::AbsoluteConsistency), path)
            .unwrap_err()
    }),
];

const FAMILIES: &[Case] = &[
    ("unknown", |dir| Db::open(dir.join("db")).unwrap().cf("planets").unwrap_err()),
    ("exists", |dir| {
        let db = Db::open(dir.join("db")).unwrap();
        db.create_cf("planets").unwrap();
        db.create_cf("planets").unwrap_err()
    }),
    ("drop default", |dir| Db::open(dir.join("db")).unwrap().drop_cf("default").unwrap_err()),
    ("drop unknown", |dir| Db::open(dir.join("db")).unwrap().drop_cf("planets").unwrap_err()),
    ("dropped", |dir| {
        let db = Db::open(dir.join("db")).unwrap();
        let cf = db.create_cf("planets").unwrap();
        db.drop_cf("planets").unwrap();
        cf.get("key").unwrap_err()
    }),
    ("foreign handle", |dir| {
        let (one, two) = (Db::open(dir.join("one")).unwrap(), Db::open(dir.join("two")).unwrap());
        let cf = one.create_cf("planets").unwrap();
        two.put_cf(&cf, "k", "v").unwrap_err()
    }),
    ("foreign snapshot", |dir| {
        let (one, two) = (Db::open(dir.join("one")).unwrap(), Db::open(dir.join("two")).unwrap());
        let snapshot = one.snapshot();
        two.get_opt("k", &ReadOptions::new().snapshot(&snapshot)).unwrap_err()
    }),
    ("import over", |dir| {
        let db = Db::open(dir.join("db")).unwrap();
        db.put("k", "v").unwrap();
        let exported = db.default_cf().export(dir.join("export")).unwrap();
        db.import_cf("default", ColumnFamilyOptions::new(), &exported).unwrap_err()
    }),
    ("export again", |dir| {
        let db = Db::open(dir.join("db")).unwrap();
        db.default_cf().export(dir.join("export")).unwrap();
        db.default_cf().export(dir.join("export")).unwrap_err()
    }),
];

const USE: &[Case] = &[
    ("merge: write", |dir| Db::open(dir.join("db")).unwrap().merge("k", "v").unwrap_err()),
    ("merge: batch", |dir| {
        let db = Db::open(dir.join("db")).unwrap();
        let mut batch = WriteBatch::new();
        batch.merge("k", "v");
        db.write(batch).unwrap_err()
    }),
    ("merge: get", |dir| merge_database(dir).get("key").unwrap_err()),
    ("merge: get_with", |dir| merge_database(dir).get_with("key", |_| ()).unwrap_err()),
    ("merge: multi_get", |dir| merge_database(dir).multi_get(["key"]).remove(0).unwrap_err()),
    ("merge: iterator", |dir| merge_database(dir).iter().next().unwrap().unwrap_err()),
    ("merge: backwards", |dir| merge_database(dir).iter().next_back().unwrap().unwrap_err()),
    ("merge: cursor", |dir| {
        let db = merge_database(dir);
        let mut cursor = db.cursor();
        cursor.seek_to_first();
        cursor.status().unwrap_err()
    }),
    ("merge: transaction", |dir| {
        let db = TransactionDb::open(dir.join("db")).unwrap();
        let transaction = db.begin();
        transaction.merge("k", "v").unwrap();
        transaction.get("k").unwrap_err()
    }),
    ("merge: commit", |dir| {
        let db = TransactionDb::open(dir.join("db")).unwrap();
        let transaction = db.begin();
        transaction.merge("k", "v").unwrap();
        transaction.commit().unwrap_err()
    }),
    ("merge fails", |dir| {
        let db = Db::open_with(options().merge_operator("none", |_, _, _| None), dir.join("db"))
            .unwrap();
        db.merge("k", "v").unwrap();
        db.get("k").unwrap_err()
    }),
    ("delete_range backwards", |dir| {
        Db::open(dir.join("db")).unwrap().delete_range("b", "a").unwrap_err()
    }),
    ("checkpoint into db", |dir| {
        Db::open(dir.join("db")).unwrap().checkpoint(dir.join("db")).unwrap_err()
    }),
    ("checkpoint, no parent", |dir| {
        Db::open(dir.join("db")).unwrap().checkpoint(dir.join("a/b")).unwrap_err()
    }),
    ("checkpoint, empty", |dir| Db::open(dir.join("db")).unwrap().checkpoint("").unwrap_err()),
    ("closed: put", |dir| closed(dir).put("k", "v").unwrap_err()),
    ("closed: get", |dir| closed(dir).get("k").unwrap_err()),
    ("closed: iter", |dir| closed(dir).iter().next().unwrap().unwrap_err()),
    ("closed: flush", |dir| closed(dir).flush().unwrap_err()),
    ("closed: compact", |dir| closed(dir).compact().unwrap_err()),
    ("closed: cf", |dir| closed(dir).cf("one").unwrap_err()),
    ("closed: create_cf", |dir| closed(dir).create_cf("two").unwrap_err()),
    ("closed: checkpoint", |dir| closed(dir).checkpoint(dir.join("copy")).unwrap_err()),
    ("closed: updates", |dir| closed(dir).get_updates_since(0).unwrap_err()),
    ("closed: set_options", |dir| closed(dir).set_options(&[("ttl", "5")]).unwrap_err()),
    ("closed: backup", |dir| {
        let db = closed(dir);
        BackupEngine::open(dir.join("backups")).unwrap().create_new_backup(&db).unwrap_err()
    }),
    ("cancelled: compact", |dir| {
        let db = Db::open(dir.join("db")).unwrap();
        db.put("k", "v").unwrap();
        db.cancel_all_background_work(true);
        db.compact().unwrap_err()
    }),
    ("save point", |dir| {
        let db = TransactionDb::open(dir.join("db")).unwrap();
        db.begin().rollback_to_save_point().unwrap_err()
    }),
    ("save point of a batch", |_| WriteBatch::new().rollback_to_save_point().unwrap_err()),
    ("locked", |dir| {
        let db = TransactionDb::open(dir.join("db")).unwrap();
        let (one, two) = (
            db.begin(),
            db.begin_with(&TransactionOptions::new().lock_timeout(std::time::Duration::ZERO)),
        );
        one.put("k", "v").unwrap();
        two.put("k", "v").unwrap_err()
    }),
];

const FILES: &[Case] = &[
    ("backup: none", |dir| backups(dir, 0).restore_from_latest_backup(dir.join("to")).unwrap_err()),
    ("backup: unknown", |dir| backups(dir, 2).restore_from_backup(7, dir.join("to")).unwrap_err()),
    ("backup: verify unknown", |dir| backups(dir, 2).verify_backup(7, true).unwrap_err()),
    ("backup: delete unknown", |dir| backups(dir, 1).delete_backup(7).unwrap_err()),
    ("backup: no parent", |dir| {
        backups(dir, 1).restore_from_latest_backup(dir.join("a/b")).unwrap_err()
    }),
    ("backup: no parent of backups", |dir| BackupEngine::open(dir.join("a/b")).unwrap_err()),
    ("backup: into an open database", |dir| {
        let _db = Db::open(dir.join("to")).unwrap();
        backups(dir, 1).restore_from_latest_backup(dir.join("to")).unwrap_err()
    }),
    ("backup: missing file", |dir| {
        let engine = backups(dir, 1);
        std::fs::remove_file(file(&dir.join("backups/shared_checksum"), ".sst")).unwrap();
        engine.restore_from_latest_backup(dir.join("to")).unwrap_err()
    }),
    ("backup: damaged file", |dir| {
        let engine = backups(dir, 1);
        flip(&file(&dir.join("backups/shared_checksum"), ".sst"), 3);
        engine.restore_from_latest_backup(dir.join("to")).unwrap_err()
    }),
    ("backup: verify cut file", |dir| {
        let engine = backups(dir, 1);
        cut(&file(&dir.join("backups/shared_checksum"), ".sst"), 3);
        engine.verify_backup(1, false).unwrap_err()
    }),
    ("backup: damaged meta", |dir| {
        backups(dir, 1);
        std::fs::write(dir.join("backups/meta/1"), "nonsense").unwrap();
        BackupEngine::open(dir.join("backups"))
            .unwrap()
            .restore_from_backup(1, dir.join("to"))
            .unwrap_err()
    }),
    ("ingest: missing", |dir| {
        Db::open(dir.join("db")).unwrap().ingest_external_file(&[dir.join("none.sst")]).unwrap_err()
    }),
    ("ingest: garbage", |dir| {
        std::fs::write(dir.join("bad.sst"), "garbage").unwrap();
        Db::open(dir.join("db")).unwrap().ingest_external_file(&[dir.join("bad.sst")]).unwrap_err()
    }),
    ("ingest: long garbage", |dir| {
        std::fs::write(dir.join("bad.sst"), [7; 5000]).unwrap();
        Db::open(dir.join("db")).unwrap().ingest_external_file(&[dir.join("bad.sst")]).unwrap_err()
    }),
    ("ingest: another comparator", |dir| {
        table(&dir.join("1.sst"), &["a", "c"]);
        let db =
            Db::open_with(options().comparator("mine", |a, b| a.cmp(b)), dir.join("db")).unwrap();
        db.ingest_external_file([dir.join("1.sst")]).unwrap_err()
    }),
    ("ingest: damaged", |dir| {
        table(&dir.join("1.sst"), &["a", "c"]);
        let size = std::fs::metadata(dir.join("1.sst")).unwrap().len();
        flip(&dir.join("1.sst"), size as usize - 60);
        Db::open(dir.join("db")).unwrap().ingest_external_file([dir.join("1.sst")]).unwrap_err()
    }),
    ("ingest: nothing", |dir| {
        Db::open(dir.join("db")).unwrap().ingest_external_file(Vec::<PathBuf>::new()).unwrap_err()
    }),
    ("writer: order", |dir| {
        let mut writer = SstFileWriter::create(Options::new(), dir.join("1.sst")).unwrap();
        writer.put("b", "v").unwrap();
        writer.put("a", "v").unwrap_err()
    }),
    ("writer: empty", |dir| {
        SstFileWriter::create(Options::new(), dir.join("1.sst")).unwrap().finish().unwrap_err()
    }),
    ("writer: no parent", |dir| {
        SstFileWriter::create(Options::new(), dir.join("a/1.sst")).unwrap_err()
    }),
];

const GROUPS: [(&str, &[Case]); 6] = [
    ("opening", OPENING),
    ("options", OPTIONS),
    ("damage", DAMAGE),
    ("families", FAMILIES),
    ("use", USE),
    ("files", FILES),
];

/// A text without what differs from run to run: `DIR`, and `N` for checksums and for numbers of three digits or more,
/// except those of files.
fn normal(text: &str, dir: &Path) -> String {
    let text = text.replace(&dir.display().to_string(), "DIR");
    let mut out = String::new();
    let mut rest = text.as_str();
    while let Some(c) = rest.chars().next() {
        let end = rest.find(|c: char| !c.is_ascii_alphanumeric()).unwrap_or(rest.len());
        let (word, _) = rest.split_at(end.max(c.len_utf8()));
        let is_number = word.len() > 2 && word.bytes().all(|b| b.is_ascii_digit());
        let is_checksum = word.len() == 8 && u32::from_str_radix(word, 16).is_ok();
        let differs = (is_number && !word.starts_with('0')) || is_checksum;
        out.push_str(if differs { "N" } else { word });
        rest = &rest[word.len()..];
    }
    // Backups name their tables after the session that made them.
    if let Some((head, tail)) = out.split_once("shared_checksum/") {
        let tail = tail.split_once(".sst").map_or("", |(_, tail)| tail);
        let tail = tail.split_once("[DIR").map_or(tail, |(tail, _)| tail);
        return format!("{head}shared_checksum/TABLE.sst{}", tail.trim_end());
    }
    out
}

/// One line: the case, the kind, the text, and the file and the offset if the error has them.
fn line(group: &str, case: &Case) -> String {
    let (name, run) = case;
    let dir = tempfile::tempdir().unwrap();
    let e = run(dir.path());
    let mut found = format!("{group}: {name}\n    {:?}: {e}", e.kind());
    if let Some(file) = e.file() {
        found.push_str(&format!(" [{}]", file.display()));
    }
    if let Some(offset) = e.offset() {
        found.push_str(&format!(" [offset {offset}]"));
    }
    normal(&found, dir.path())
}

/// `error_texts.txt` has what is expected. After a change that is meant, run the test with `UPDATE_ERROR_TEXTS=1` and
/// read the difference.
#[test]
fn errors_say_what_is_wrong_and_what_to_do() {
    let lines = GROUPS.iter().flat_map(|(group, cases)| cases.iter().map(|case| line(group, case)));
    let found = lines.collect::<Vec<_>>().join("\n") + "\n";
    if std::env::var_os("UPDATE_ERROR_TEXTS").is_some() {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/it/api/error_texts.txt");
        return std::fs::write(path, found).unwrap();
    }
    let expected = include_str!("error_texts.txt");
    let pairs = found.lines().zip(expected.lines());
    let wrong: Vec<_> = pairs.filter(|(found, expected)| found != expected).take(3).collect();
    assert!(wrong.is_empty(), "found, expected: {wrong:#?}");
    assert_eq!(found, expected);
}

const CHILD: &str = "FERROLITH_ERROR_TEXTS_CHILD";

/// In a child: holds a database open until standard input ends.
#[test]
fn child_entry() {
    let Ok(path) = std::env::var(CHILD) else { return };
    let _db = Db::open(path).unwrap();
    println!("it is open");
    std::io::stdin().read_to_end(&mut Vec::new()).unwrap();
}

#[test]
fn the_process_that_has_a_database_open_is_named() {
    let dir = tempfile::tempdir().unwrap();
    let mut child = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "api::error_texts::child_entry", "--nocapture"])
        .env(CHILD, dir.path())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    assert!(lines.any(|line| line.unwrap().contains("it is open")));
    let error = Db::open(dir.path()).unwrap_err();
    drop(child.stdin.take());
    assert!(child.wait().unwrap().success());
    assert_eq!(error.kind(), ErrorKind::Busy);
    let expected = format!(
        "Resource busy: the database {} is already open in another process ({}): close it there, or open it for \
         reading only",
        dir.path().display(),
        child.id()
    );
    assert_eq!(error.to_string(), expected);
    Db::open(dir.path()).unwrap();
}

/// What programs that use the C ABI match on stays RocksDB's.
#[test]
fn rocksdbs_texts_are_kept_for_the_c_abi() {
    let dir = tempfile::tempdir().unwrap();
    let db = Db::open(dir.path().join("db")).unwrap();
    let text = rocksdb_text(&Db::open(dir.path().join("db")).unwrap_err());
    assert!(text.starts_with("IO error: lock hold by current process, acquire time "), "{text}");
    assert!(text.ends_with("/db/LOCK: No locks available"), "{text}");
    let missing = dir.path().join("a/b");
    let expected = format!(
        "IO error: No such file or directory: While mkdir if missing: {}: No such file or directory",
        missing.display()
    );
    assert_eq!(rocksdb_text(&Db::open(&missing).unwrap_err()), expected);
    let expected = "Not implemented: Provide a merge_operator when opening DB";
    assert_eq!(rocksdb_text(&db.merge("k", "v").unwrap_err()), expected);
    let mut batch = WriteBatch::new();
    batch.merge("k", "v");
    let expected =
        "Invalid argument: Merge requires `ColumnFamilyOptions::merge_operator != nullptr`";
    assert_eq!(rocksdb_text(&db.write(batch).unwrap_err()), expected);
}

/// A directory of backups is left as it was.
#[test]
fn no_database_is_made_among_backups() {
    let dir = tempfile::tempdir().unwrap();
    backups(dir.path(), 1);
    let names = || {
        let entries = std::fs::read_dir(dir.path().join("backups")).unwrap();
        let mut names: Vec<_> = entries.map(|entry| entry.unwrap().file_name()).collect();
        names.sort();
        names
    };
    let before = names();
    Db::open(dir.path().join("backups")).unwrap_err();
    TransactionDb::open(dir.path().join("backups")).unwrap_err();
    Db::open_with_ttl(options(), dir.path().join("backups")).unwrap_err();
    assert_eq!(names(), before);
}
