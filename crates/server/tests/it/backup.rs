//! Backups of the server program while it serves: kills, damage, full disks, and who may make them.

use crate::crash::program::Program;
use crate::disk::Disk;
use crate::redis::{Client, Value};
use fastrand::Rng;
use ferrolith_server::backup::{Access, Vault, restore};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};
use tempfile::TempDir;

/// The length of values, which do not compress.
const VALUE: usize = 4096;

fn value(row: u64) -> Vec<u8> {
    let mut value = vec![0; VALUE];
    Rng::with_seed(row).fill(&mut value);
    value
}

/// A server with a place for backups.
struct Place {
    dir: TempDir,
    backups: PathBuf,
}

impl Place {
    fn new() -> Place {
        let dir = tempfile::tempdir().unwrap();
        let backups = dir.path().join("backups");
        Place { dir, backups }
    }

    fn start(&self) -> Program {
        let backups = self.backups.to_str().unwrap();
        Program::start_with(&self.dir.path().join("db"), "os", &["--backup-dir", backups])
    }

    fn vault(&self, name: &str) -> Vault {
        Vault::open(&self.backups.join(name), Access::Read, 0).unwrap()
    }

    /// Restores the newest backup, and returns a server of it.
    fn restored(&self, name: &str, to: &str) -> Program {
        let (vault, to) = (self.vault(name), self.dir.path().join(to));
        restore(&vault, vault.newest().unwrap(), &to).unwrap();
        Program::start(&to, "os")
    }
}

pub(crate) fn fill(client: &mut Client, rows: std::ops::Range<u64>) {
    for row in rows {
        client.call(&[b"SET", format!("row{row}").as_bytes(), &value(row)]);
    }
}

pub(crate) fn info(client: &mut Client) -> BTreeMap<String, String> {
    let (Value::Bulk(text) | Value::Verbatim(text)) = client.say("INFO backup") else {
        panic!("INFO")
    };
    let text = String::from_utf8(text).unwrap();
    let lines = text.lines().filter_map(|line| line.split_once(':'));
    lines.map(|(name, value)| (name.to_owned(), value.to_owned())).collect()
}

/// Waits for the end of the job.
pub(crate) fn wait(client: &mut Client) -> BTreeMap<String, String> {
    let begun = Instant::now();
    loop {
        let info = info(client);
        if info["backup_job"] == "none" {
            return info;
        }
        assert!(begun.elapsed() < Duration::from_secs(60), "{info:?}");
        std::thread::sleep(Duration::from_millis(10));
    }
}

fn ok() -> Value {
    Value::Simple("OK".into())
}

/// Returns the number of a job that started.
#[track_caller]
pub(crate) fn started(reply: Value) -> i64 {
    let Value::Integer(number) = reply else { panic!("{reply:?}") };
    number
}

/// Makes a backup.
pub(crate) fn back_up(client: &mut Client, command: &str) -> BTreeMap<String, String> {
    let number = started(client.say(command)).to_string();
    let info = wait(client);
    assert_eq!(info["backup_last_status"], "ok", "{info:?}");
    assert_eq!(info["backup_last_job_number"], number);
    info
}

pub(crate) fn error(reply: Value) -> String {
    let Value::Error(text) = reply else { panic!("{reply:?}") };
    text
}

/// Returns the dumps of all keys, which differ if anything differs.
pub(crate) fn dumps(program: &Program) -> BTreeMap<Vec<u8>, Value> {
    let mut client = Client::connect(program.redis);
    let Value::Array(keys) = client.say("KEYS *") else { panic!("KEYS") };
    let keys = keys.into_iter().map(|key| match key {
        Value::Bulk(key) => key,
        other => panic!("{other:?}"),
    });
    keys.map(|key| {
        let dump = client.call(&[b"DUMP", &key[..]]);
        (key, dump)
    })
    .collect()
}

/// Returns the names of tables that are complete.
fn tables(dir: &Path) -> usize {
    let names = std::fs::read_dir(dir.join("shared_checksum")).into_iter().flatten().flatten();
    names.filter(|entry| entry.path().extension().is_some_and(|it| it == "sst")).count()
}

#[test]
fn a_backup_that_a_kill_interrupts_goes_on() {
    let place = Place::new();
    let program = place.start();
    let mut client = Client::connect(program.redis);
    fill(&mut client, 0..1200);
    for command in
        ["RPUSH list a b c", "ZADD scores 1 one 2 two", "HSET hash f v", "XADD s 1-1 f v"]
    {
        client.say(command);
    }
    let (written, is_over) = (AtomicU64::new(1200), AtomicBool::new(false));
    std::thread::scope(|scope| {
        let writer = scope.spawn(|| {
            let mut client = Client::connect(program.redis);
            while !is_over.load(Ordering::Relaxed) {
                let row = written.load(Ordering::Relaxed);
                fill(&mut client, row..row + 1);
                written.store(row + 1, Ordering::Relaxed);
            }
        });
        started(client.say("FERROLITH BACKUP daily RATE 1000000"));
        assert!(error(client.say("FERROLITH BACKUP daily")).contains("a job runs"));
        while tables(&place.backups.join("daily")) < 2 {
            std::thread::sleep(Duration::from_millis(5));
        }
        let running = info(&mut client);
        assert_eq!(running["backup_job"], "create");
        let number = |name: &str| running[name].parse::<u64>().unwrap();
        assert!(number("backup_done_bytes") < number("backup_planned_bytes"), "{running:?}");
        is_over.store(true, Ordering::Relaxed);
        writer.join().unwrap();
        assert!(written.load(Ordering::Relaxed) > 1200, "the server served meanwhile");
    });
    program.kill();
    assert!(place.vault("daily").list().is_empty(), "a half-written backup is not listed");
    let program = place.start();
    let mut client = Client::connect(program.redis);
    assert_eq!(client.say("FERROLITH BACKUP-LIST daily"), Value::Array(vec![]));
    // Writes go on during the backup; what was acknowledged before it is in it.
    let before = written.load(Ordering::Relaxed);
    std::thread::scope(|scope| {
        scope.spawn(|| fill(&mut Client::connect(program.redis), before..before + 100));
        back_up(&mut client, "FERROLITH BACKUP daily NOTE resumed");
    });
    let restored = place.restored("daily", "one");
    let found = dumps(&restored);
    for row in 0..before {
        assert!(found.contains_key(format!("row{row}").as_bytes()), "row {row} of {before}");
    }
    restored.kill();
    // Without writes, the copy is equal.
    let info = back_up(&mut client, "FERROLITH BACKUP daily KEEP 2");
    assert_eq!(info["backup_last_id"], "2");
    let restored = place.restored("daily", "two");
    assert_eq!(dumps(&restored), dumps(&program));
    let backups = place.vault("daily").list();
    assert_eq!(backups.iter().map(|it| it.backup_id).collect::<Vec<_>>(), [1, 2]);
    assert_eq!(backups[0].app_metadata, b"resumed");
    // Once compactions have ended, there is nothing new but the log and the manifest: tables are shared.
    let bytes = (0..20).map(|_| {
        let info = back_up(&mut client, "FERROLITH BACKUP daily KEEP 1");
        info["backup_last_bytes"].parse::<u64>().unwrap()
    });
    assert!(bytes.into_iter().any(|bytes| bytes < 1 << 20));
    assert_eq!(place.vault("daily").list().len(), 1);
}

#[test]
fn the_next_backup_uses_what_a_kill_left() {
    let place = Place::new();
    let program = place.start();
    let mut client = Client::connect(program.redis);
    fill(&mut client, 0..1000);
    started(client.say("FERROLITH BACKUP daily RATE 1000000"));
    while tables(&place.backups.join("daily")) < 2 {
        std::thread::sleep(Duration::from_millis(5));
    }
    program.kill();
    let daily = place.backups.join("daily");
    // A table that a compaction has replaced since.
    std::fs::write(daily.join("shared_checksum/000999_sREPLACED_4.sst"), "rows").unwrap();
    let program = place.start();
    let mut client = Client::connect(program.redis);
    let info = back_up(&mut client, "FERROLITH BACKUP daily");
    let number = |name: &str| info[name].parse::<u64>().unwrap();
    // At least one of the tables is still in use.
    assert!(number("backup_last_reused_bytes") > 0, "{info:?}");
    assert!(number("backup_last_bytes") > number("backup_last_reused_bytes"), "{info:?}");
    // What is not in use any more is deleted.
    let meta = std::fs::read_to_string(daily.join("meta/1")).unwrap();
    for file in std::fs::read_dir(daily.join("shared_checksum")).unwrap() {
        let name = file.unwrap().file_name().into_string().unwrap();
        assert!(meta.contains(&name), "{name} is not of a backup");
    }
}

#[test]
fn damage_is_refused_by_name() {
    let place = Place::new();
    let program = place.start();
    let mut client = Client::connect(program.redis);
    fill(&mut client, 0..500);
    back_up(&mut client, "FERROLITH BACKUP daily");
    back_up(&mut client, "FERROLITH BACKUP-VERIFY daily 1");
    let shared = place.backups.join("daily/shared_checksum");
    let table = std::fs::read_dir(&shared).unwrap().next().unwrap().unwrap().path();
    let mut bytes = std::fs::read(&table).unwrap();
    bytes[100] ^= 1;
    std::fs::write(&table, &bytes).unwrap();
    let name = table.file_name().unwrap().to_str().unwrap();
    started(client.say("FERROLITH BACKUP-VERIFY daily"));
    let info = wait(&mut client);
    assert_eq!(info["backup_last_status"], "failed");
    assert!(info["backup_last_error"].contains(name), "{info:?}");
    let (vault, to) = (place.vault("daily"), place.dir.path().join("to"));
    let error = restore(&vault, 1, &to).unwrap_err().to_string();
    assert!(error.contains(name), "{error}");
    // A server does not open what is not complete.
    let options = ferrolith_server::store::local::StoreOptions::new(
        ferrolith_server::store::Durability::Os,
        32 << 20,
        1,
    );
    let opened = ferrolith_server::store::local::LocalStore::open(&to, options);
    let error = opened.err().expect("an error").to_string();
    assert!(error.contains("has not finished"), "{error}");
    // The damaged backup is deleted, and the next one copies all again; the restore is run again.
    drop(vault);
    started(client.say("FERROLITH BACKUP-DELETE daily 1"));
    assert_eq!(wait(&mut client)["backup_last_status"], "ok");
    back_up(&mut client, "FERROLITH BACKUP daily");
    let vault = place.vault("daily");
    restore(&vault, vault.newest().unwrap(), &to).unwrap();
    let error = restore(&vault, vault.newest().unwrap(), &to).unwrap_err().to_string();
    assert!(error.contains("is not empty"), "{error}");
    let restored = Program::start(&to, "os");
    assert_eq!(dumps(&restored), dumps(&program));
}

#[test]
fn a_full_disk_ends_a_backup_and_not_the_next_one() {
    let Some(disk) = Disk::mount() else { return };
    let place = Place::new();
    let backups = disk.path.join("backups");
    let flags = ["--backup-dir", backups.to_str().unwrap()];
    let program = Program::start_with(&place.dir.path().join("db"), "os", &flags);
    let mut client = Client::connect(program.redis);
    fill(&mut client, 0..4000);
    started(client.say("FERROLITH BACKUP daily RATE 4000000"));
    while tables(&backups.join("daily")) < 1 {
        std::thread::sleep(Duration::from_millis(5));
    }
    let filler = disk.path.join("rest");
    _ = std::fs::write(&filler, vec![1; 200 << 20]);
    let info = wait(&mut client);
    assert_eq!(info["backup_last_status"], "failed");
    assert!(info["backup_last_error"].contains("No space left"), "{info:?}");
    assert_eq!(client.say("SET served yes"), ok());
    // What it copied is removed, since the disk needs the space; the check before copying refuses the next one.
    assert_eq!(tables(&backups.join("daily")), 0);
    _ = std::fs::write(&filler, vec![1; 200 << 20]);
    started(client.say("FERROLITH BACKUP daily"));
    let info = wait(&mut client);
    assert!(info["backup_last_error"].contains("the backup needs"), "{info:?}");
    std::fs::remove_file(&filler).unwrap();
    back_up(&mut client, "FERROLITH BACKUP daily");
    back_up(&mut client, "FERROLITH BACKUP-VERIFY daily");
}

#[test]
fn only_administrators_and_only_in_the_allowed_directories() {
    let place = Place::new();
    let program = place.start();
    let mut client = Client::connect(program.redis);
    let outside = place.dir.path().join("db").display().to_string();
    for name in ["..", "/etc", &outside, "a/../../b"] {
        let text = error(client.say(&format!("FERROLITH BACKUP {name}")));
        assert!(text.contains("--backup-dir"), "{text}");
    }
    for (command, part) in [
        ("FERROLITH BACKUP x RATE fast", "RATE: expected"),
        ("FERROLITH BACKUP x KEEP 0", "KEEP: expected a number from 1 on, found '0'"),
        ("FERROLITH BACKUP x KEEP", "syntax error"),
        ("FERROLITH BACKUP x VERIFY maybe", "syntax error"),
        ("FERROLITH BACKUP-VERIFY none", "none has no backups"),
        ("FERROLITH BACKUP-DELETE none 1", "none has no backups"),
        ("FERROLITH BACKUP-LIST none", "none has no backups"),
        ("FERROLITH BACKUP-STOP", "no work on backups runs"),
        ("FERROLITH NOTHING", "unknown subcommand"),
    ] {
        let text = error(client.say(command));
        assert!(text.contains(part), "{command}: {text}");
    }
    assert!(!place.backups.join("none").exists());
    client.say("ACL SETUSER app on nopass ~* +@all -@admin");
    client.say("AUTH app x");
    let text = error(client.say("FERROLITH BACKUP x"));
    assert!(text.starts_with("NOPERM"), "{text}");
    let without = Program::start(&place.dir.path().join("other"), "os");
    let text = error(Client::connect(without.redis).say("FERROLITH BACKUP x"));
    assert!(text.contains("start the server with --backup-dir"), "{text}");
}

/// Older backups that cannot be deleted are a warning: the new backup is complete.
#[test]
fn a_backup_whose_predecessors_stay_is_complete() {
    let place = Place::new();
    let program = place.start();
    let mut client = Client::connect(program.redis);
    fill(&mut client, 0..100);
    let info = back_up(&mut client, "FERROLITH BACKUP daily KEEP 1");
    assert!(!info.contains_key("backup_last_warning"), "{info:?}");
    // A directory in the place of a file.
    let obstacle = place.backups.join("daily/private/1/x");
    std::fs::create_dir(&obstacle).unwrap();
    let info = back_up(&mut client, "FERROLITH BACKUP daily KEEP 1");
    assert_eq!((&info["backup_last_id"][..], &info["backup_job"][..]), ("2", "none"));
    let warning = &info["backup_last_warning"];
    assert!(warning.starts_with("backup 2 is complete, but older files"), "{warning}");
    assert!(info["backup_created_time"].parse::<i64>().unwrap() > 0);
    std::fs::remove_dir(&obstacle).unwrap();
    let info = back_up(&mut client, "FERROLITH BACKUP daily KEEP 1");
    assert!(!info.contains_key("backup_last_warning"), "{info:?}");
    let ids: Vec<_> = place.vault("daily").list().iter().map(|it| it.backup_id).collect();
    assert_eq!(ids, [3]);
}

#[test]
fn a_stop_of_the_server_stops_its_backup() {
    let place = Place::new();
    let program = place.start();
    let mut client = Client::connect(program.redis);
    fill(&mut client, 0..1000);
    started(client.say("FERROLITH BACKUP daily RATE 100000"));
    assert_eq!(client.say("FERROLITH BACKUP-STOP"), ok());
    let info = wait(&mut client);
    assert!(info["backup_last_error"].contains("Backup stopped"), "{info:?}");
    started(client.say("FERROLITH BACKUP daily RATE 100000"));
    let begun = Instant::now();
    client.send(&[b"SHUTDOWN"]);
    assert!(client.is_closed());
    program.wait();
    assert!(begun.elapsed() < Duration::from_secs(20), "{:?}", begun.elapsed());
}
