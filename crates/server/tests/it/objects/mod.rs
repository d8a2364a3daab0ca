//! Backups of the server program in an object store that fails, and that is cut off by kills.

mod faults;
mod s3;
mod secure;

use crate::backup::{back_up, dumps, error, fill, info, started, wait};
use crate::crash::program::Program;
use crate::redis::{Client, Value};
use ferrolith_server::backup::{Access, Place, Vault, restore};
use s3::{Fault, S3};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};
use tempfile::TempDir;

/// A secret that must appear nowhere.
const SECRET: &str = "hidden-secret";

/// A server's directory, and the store of its backups.
struct Site {
    dir: TempDir,
    store: S3,
    bucket: &'static str,
    credentials: PathBuf,
}

impl Site {
    fn new() -> Site {
        let site = Site::of(S3::start(), "bucket");
        site.write_credentials("KEY", &site.plain_endpoint());
        site
    }

    /// Returns a site whose file of credentials does not exist.
    fn of(store: S3, bucket: &'static str) -> Site {
        let dir = tempfile::tempdir().unwrap();
        let credentials = dir.path().join("credentials.toml");
        Site { dir, store, bucket, credentials }
    }

    /// Returns the settings of an endpoint without TLS.
    fn plain_endpoint(&self) -> String {
        format!("aws_endpoint = \"http://{}\"\nallow_http = true\n", self.store.address)
    }

    /// Writes the file of credentials, with more settings.
    fn write_credentials(&self, key: &str, more: &str) {
        let text = format!(
            "aws_access_key_id = \"{key}\"\naws_secret_access_key = \"{SECRET}\"\naws_region = \"x\"\n{more}"
        );
        std::fs::write(&self.credentials, text).unwrap();
    }

    fn start(&self) -> Program {
        let credentials = self.credentials.to_str().unwrap();
        let (place, log) = (format!("s3://{}/backups", self.bucket), self.log());
        let flags = ["--backup-dir", &place, "--backup-credentials", credentials];
        let flags = [&flags[..], &["--log-file", log.to_str().unwrap()]].concat();
        Program::start_with(&self.dir.path().join("db"), "os", &flags)
    }

    /// Returns the file of the server's log.
    fn log(&self) -> PathBuf {
        self.dir.path().join("log")
    }

    fn place(&self) -> Place {
        let address = format!("s3://{}/backups/daily", self.bucket);
        Place::named(Path::new(&address), Some(&self.credentials)).unwrap()
    }

    fn vault(&self) -> Vault {
        Vault::open(self.place(), Access::Read, 0).unwrap()
    }

    fn listed(&self) -> Vec<u32> {
        self.vault().list().iter().map(|it| it.backup_id).collect()
    }

    /// Restores the newest backup, and returns a server of it.
    fn restored(&self, to: &str) -> Program {
        let (vault, to) = (self.vault(), self.dir.path().join(to));
        restore(&vault, vault.newest().unwrap(), &to).unwrap();
        Program::start(&to, "os")
    }
}

/// Writes rows to one partition, so that they become one table.
fn fill_one(client: &mut Client, rows: std::ops::Range<u64>) {
    for row in rows {
        let value: Vec<u8> = (0..4096 / 8).flat_map(|_| fastrand::u64(..).to_le_bytes()).collect();
        client.call(&[b"SET", format!("{{one}}{row}").as_bytes(), &value]);
    }
}

/// Waits until a state of the store is reached.
fn await_state(what: &str, is_reached: impl Fn() -> bool) {
    let begun = Instant::now();
    while !is_reached() {
        assert!(begun.elapsed() < Duration::from_secs(60), "{what}");
        std::thread::sleep(Duration::from_millis(5));
    }
}

#[test]
fn backups_survive_what_a_network_does() {
    let site = Site::new();
    let program = site.start();
    let mut client = Client::connect(program.redis);
    fill(&mut client, 0..300);
    fill_one(&mut client, 0..3000);
    client.say("ZADD scores 1 one 2 two");
    for (method, part, count, fault) in [
        ("PUT", "LOCK", 1, Fault::CutReply),
        ("PUT", "shared_checksum", 3, Fault::Unavailable),
        ("PUT", "partNumber", 1, Fault::CutReply),
        ("POST", "uploads", 1, Fault::Unavailable),
        ("PUT", "meta", 1, Fault::CutReply),
        ("GET", "bucket/backups/daily/shared_checksum", 2, Fault::CutBody),
        ("GET", "bucket/backups/daily/private", 1, Fault::Unavailable),
        ("GET", "list-type", 1, Fault::CutReply),
        ("DELETE", "LOCK", 1, Fault::Unavailable),
    ] {
        site.store.fail(method, part, count, fault);
    }
    let first = back_up(&mut client, "FERROLITH BACKUP daily NOTE stormy");
    assert_eq!(first["backup_last_dir"], "s3://bucket/backups/daily");
    // Nothing but the backup is left.
    assert!(site.store.state().uploads.is_empty());
    let others = |key: &String| ["LOCK", "uploads"].iter().any(|part| key.contains(part));
    assert!(!site.store.keys("").iter().any(others), "{:?}", site.store.keys(""));
    assert_eq!(site.vault().list()[0].app_metadata, b"stormy");
    let Value::Array(list) = client.say("FERROLITH BACKUP-LIST daily") else { panic!("a list") };
    assert_eq!(list.len(), 1);
    // Tables are not uploaded again.
    client.say("SET later yes");
    site.store.state().requests.clear();
    back_up(&mut client, "FERROLITH BACKUP daily KEEP 1");
    let large = |request: &&String| request.starts_with("PUT") && request.contains("partNumber");
    assert_eq!(site.store.state().requests.iter().filter(large).count(), 0);
    assert_eq!(site.listed(), [2]);
    assert!(site.store.keys("private/1/").is_empty());
    back_up(&mut client, "FERROLITH BACKUP-VERIFY daily");
    let restored = site.restored("restored");
    assert_eq!(dumps(&restored), dumps(&program));
    // The credentials are nowhere.
    for command in ["CONFIG GET *", "INFO everything", "CLIENT LIST", "SLOWLOG GET 100"] {
        let shown = format!("{:?}", client.say(command));
        assert!(!shown.contains(SECRET), "{command}");
    }
    let meta = site.store.state().objects.clone();
    assert!(!meta.values().any(|bytes| String::from_utf8_lossy(bytes).contains(SECRET)));
    client.say("FERROLITH BACKUP-DELETE daily 2");
    assert_eq!(wait(&mut client)["backup_last_status"], "ok");
    assert!(site.store.keys("").is_empty(), "{:?}", site.store.keys(""));
}

#[test]
fn a_kill_amid_an_upload_in_parts_is_made_good() {
    let site = Site::new();
    let program = site.start();
    let mut client = Client::connect(program.redis);
    fill(&mut client, 0..300);
    fill_one(&mut client, 0..5000);
    started(client.say("FERROLITH BACKUP daily RATE 4000000"));
    await_state("an upload in parts with a part", || {
        let state = site.store.state();
        state.uploads.values().any(|(_, parts)| !parts.is_empty())
            && state.objects.keys().any(|key| key.ends_with(".sst"))
    });
    program.kill();
    assert!(site.listed().is_empty() && !site.store.state().uploads.is_empty());
    let left = site.store.keys(".sst").len();
    let program = site.start();
    let mut client = Client::connect(program.redis);
    assert_eq!(client.say("FERROLITH BACKUP-LIST daily"), Value::Array(vec![]));
    let info = back_up(&mut client, "FERROLITH BACKUP daily");
    assert!(left > 0 && info["backup_last_reused_bytes"] != "0", "{info:?}");
    assert!(site.store.state().uploads.is_empty());
    assert!(site.store.keys("uploads/").is_empty());
    assert_eq!(dumps(&site.restored("restored")), dumps(&program));
    // A stop is no kill: the upload is cancelled at once.
    fill_one(&mut client, 5000..8000);
    started(client.say("FERROLITH BACKUP daily RATE 4000000"));
    await_state("an upload", || !site.store.state().uploads.is_empty());
    client.say("FERROLITH BACKUP-STOP");
    assert!(wait(&mut client)["backup_last_error"].contains("Backup stopped"));
    assert!(site.store.state().uploads.is_empty() && site.store.keys("LOCK").is_empty());
    assert_eq!(site.listed(), [1]);
}

#[test]
fn damage_on_the_way_is_found() {
    let site = Site::new();
    let program = site.start();
    let mut client = Client::connect(program.redis);
    fill(&mut client, 0..300);
    site.store.fail("GET", "bucket/backups/daily/shared_checksum", 1, Fault::Corrupt);
    started(client.say("FERROLITH BACKUP daily"));
    let failed = wait(&mut client);
    let text = &failed["backup_last_error"];
    assert!(
        text.contains("Checksum mismatch") && text.contains("s3://bucket/backups/daily"),
        "{text}"
    );
    assert!(!text.contains(".tmp"), "{text}");
    // Without a backup, nothing of it stays.
    assert!(site.store.keys("").is_empty(), "{:?}", site.store.keys(""));
    back_up(&mut client, "FERROLITH BACKUP daily");
    site.store.fail("GET", "bucket/backups/daily/shared_checksum", 1, Fault::Corrupt);
    let vault = site.vault();
    let to = site.dir.path().join("to");
    let damaged = restore(&vault, 1, &to).unwrap_err().to_string();
    assert!(damaged.contains("expected checksum"), "{damaged}");
    // It was only on the way: the same command succeeds.
    restore(&vault, 1, &to).unwrap();
    assert_eq!(dumps(&Program::start(&to, "os")), dumps(&program));
    // A store that refuses is named, and the secret is not.
    site.store.fail("PUT", "LOCK", 1, Fault::Forbidden);
    let refused = error(client.say("FERROLITH BACKUP daily"));
    assert!(refused.contains("s3://bucket/backups/daily") && refused.contains("403"), "{refused}");
    assert!(!refused.contains(SECRET), "{refused}");
    for (name, part) in [("s3://other/daily", "--backup-dir"), ("a/../b", "--backup-dir")] {
        let refused = error(client.say(&format!("FERROLITH BACKUP {name}")));
        assert!(refused.contains(part), "{refused}");
    }
    assert_eq!(info(&mut client)["backup_job"], "none");
}
