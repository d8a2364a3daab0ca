//! Backups in an object store in memory: uploads in parts, what a kill leaves of them, and the lock.

use super::*;
use crate::backup::Place;
use ferrolith::Db;
use ferrolith::backup::{BackupEngine, BackupEngineOptions};
use object_store::memory::InMemory;
use std::path::Path as FilePath;

/// Terms with which nobody waits for long.
const SHORT: Terms = Terms {
    beat: Duration::from_millis(40),
    valid: Duration::from_millis(200),
    patience: Duration::from_millis(400),
};

fn address() -> Address {
    let Ok(Place::Objects(address)) = Place::named(FilePath::new("s3://bucket/a/daily"), None)
    else {
        panic!("an address")
    };
    address
}

fn memory() -> Store {
    Store::new(InMemory::new())
}

fn open(store: &Store, access: Access) -> Result<ObjectStorage> {
    ObjectStorage::over(store.clone(), (&address(), access), SHORT, &Arc::default())
}

fn names(store: &Store) -> Vec<String> {
    let driver = Driver::start().unwrap();
    let found = driver.run(store.objects.list(None).try_collect::<Vec<_>>()).unwrap();
    let mut names: Vec<_> = found.into_iter().map(|it| it.location.to_string()).collect();
    names.sort();
    names
}

fn bytes(count: usize) -> Vec<u8> {
    (0..count).map(|at| (at / 1000) as u8).collect()
}

#[test]
fn large_objects_are_uploaded_in_parts_and_small_ones_whole() {
    let store = memory();
    let storage = open(&store, Access::Write).unwrap();
    for count in [0, 1, 8 << 20, (8 << 20) + 1, 20 << 20] {
        let content = bytes(count);
        let mut writer = storage.create("shared_checksum/x.sst").unwrap();
        content.chunks(5 << 20).for_each(|chunk| writer.append(chunk).unwrap());
        writer.finish().unwrap();
        drop(writer);
        let mut found = vec![0; count + 1];
        let read = if count == 0 {
            0
        } else {
            storage.read_at("shared_checksum/x.sst", 0, &mut found).unwrap()
        };
        assert!(read == count && found[..count] == content[..], "{count} bytes");
    }
    let mut part = [0; 10];
    storage.read_at("shared_checksum/x.sst", 3_000_000, &mut part).unwrap();
    assert_eq!(part, bytes(20 << 20)[3_000_000..3_000_010]);
    let missing = storage.read_at("shared_checksum/y.sst", 0, &mut part).unwrap_err();
    assert_eq!(missing.kind(), io::ErrorKind::NotFound);
    storage.remove("shared_checksum/y.sst").unwrap();
    drop(storage);
    // Neither a lock nor a note is left.
    assert_eq!(names(&store), ["a/daily/shared_checksum/x.sst"]);
}

#[test]
fn uploads_that_do_not_finish_leave_nothing() {
    let store = memory();
    let storage = open(&store, Access::Write).unwrap();
    let mut writer = storage.create("shared_checksum/x.sst").unwrap();
    writer.append(&bytes(9 << 20)).unwrap();
    assert!(names(&store).iter().any(|name| name.starts_with("a/daily/uploads/")));
    drop(writer);
    assert_eq!(names(&store), ["a/daily/LOCK"]);
    // A kill runs no destructors; the next process cancels the upload.
    let mut writer = storage.create("shared_checksum/x.sst").unwrap();
    writer.append(&bytes(9 << 20)).unwrap();
    std::mem::forget(writer);
    drop(storage);
    assert_eq!(names(&store).len(), 1, "the note");
    let storage = open(&store, Access::Write).unwrap();
    assert_eq!(names(&store), ["a/daily/LOCK"]);
    // A stop ends an upload at once.
    let progress = Arc::new(BackupProgress::default());
    storage.watch(Some(progress.clone()));
    let mut writer = storage.create("shared_checksum/x.sst").unwrap();
    writer.append(&bytes(9 << 20)).unwrap();
    progress.stop();
    std::thread::sleep(STOP_CHECK * 2);
    let stopped = storage.access.run(std::future::pending::<object_store::Result<()>>());
    assert!(stopped.unwrap_err().to_string().contains("Backup stopped"));
    drop(writer);
    assert_eq!(names(&store), ["a/daily/LOCK"]);
}

#[test]
fn one_process_at_a_time_changes_a_place() {
    let store = memory();
    let none = open(&store, Access::Read).unwrap_err().to_string();
    assert!(none.contains("s3://bucket/a/daily has no backups"), "{none}");
    let first = open(&store, Access::Write).unwrap();
    // This process runs, as the system can tell.
    let second = open(&store, Access::Write).unwrap_err().to_string();
    assert!(second.contains("another process uses the backups in s3://bucket/a/daily"), "{second}");
    // It is renewed.
    std::thread::sleep(SHORT.valid * 2);
    first.create("meta/1").unwrap().finish().unwrap();
    let reader = open(&store, Access::Read).unwrap();
    assert!(reader.create("meta/2").is_err() && reader.remove("meta/1").is_err());
    drop(first);
    drop(open(&store, Access::Write).unwrap());
}

#[test]
fn a_stop_ends_opening_and_leaves_the_locks_of_others() {
    let store = memory();
    let progress = Arc::new(BackupProgress::default());
    let patient = Terms { patience: Duration::from_secs(600), ..SHORT };
    let open = |progress: &Arc<BackupProgress>| {
        ObjectStorage::over(store.clone(), (&address(), Access::Write), patient, progress)
    };
    let first = open(&progress).unwrap();
    replace_lock(&store, |holder| holder["domain"] = "another".into());
    std::thread::scope(|scope| {
        let waits = scope.spawn(|| open(&progress).unwrap_err().to_string());
        std::thread::sleep(STOP_CHECK * 3);
        assert!(!waits.is_finished());
        progress.stop();
        let begun = std::time::Instant::now();
        assert_eq!(waits.join().unwrap(), "s3://bucket/a/daily: Backup stopped");
        assert!(begun.elapsed() < Duration::from_secs(10));
    });
    assert_eq!(names(&store), ["a/daily/LOCK"]);
    drop(first);
    let lock = Path::from("a/daily/LOCK");
    Driver::start().unwrap().run(store.objects.delete(&lock)).unwrap();
    // Whatever was stopped before it began leaves no lock.
    assert!(open(&progress).unwrap_err().to_string().contains("Backup stopped"));
    assert!(names(&store).is_empty());
}

/// Replaces the lock by one of another machine or of a process that has ended.
fn replace_lock(store: &Store, change: impl Fn(&mut serde_json::Value)) {
    let driver = Driver::start().unwrap();
    let lock = Path::from("a/daily/LOCK");
    let text = driver.run(async { store.objects.get(&lock).await.unwrap().bytes().await.unwrap() });
    let mut holder: serde_json::Value = serde_json::from_slice(&text).unwrap();
    change(&mut holder);
    driver.run(store.objects.put(&lock, holder.to_string().into())).unwrap();
}

#[test]
fn a_lock_is_taken_over_from_processes_that_ended() {
    let store = memory();
    let first = open(&store, Access::Write).unwrap();
    if cfg!(target_os = "linux") {
        replace_lock(&store, |holder| holder["started"] = 1.into());
        let begun = std::time::Instant::now();
        let second = open(&store, Access::Write).unwrap();
        assert!(begun.elapsed() < SHORT.patience, "it was known to have ended");
        // The first one notices.
        std::thread::sleep(SHORT.beat * 3);
        let lost = first.create("meta/1").err().expect("an error").to_string();
        assert!(lost.contains("another process has taken the lock"), "{lost}");
        drop(first);
        // It did not remove the lock of the second one.
        second.create("meta/1").unwrap().finish().unwrap();
        drop(second);
    }
    // Of another machine, nobody knows: the lock is watched.
    let _first = open(&store, Access::Write).unwrap();
    replace_lock(&store, |holder| holder["domain"] = "another".into());
    let begun = std::time::Instant::now();
    drop(open(&store, Access::Write).unwrap());
    assert!(begun.elapsed() >= SHORT.patience);
}

async fn take(store: &Store, lock: &Path) -> std::result::Result<Lease, lease::Refusal> {
    Lease::take(&store.objects, lock, SHORT, &BackupProgress::default()).await
}

#[test]
fn a_lock_that_cannot_be_renewed_ends_by_itself() {
    let (store, lock) = (memory(), Path::from("LOCK"));
    let state = {
        let driver = Driver::start().unwrap();
        let lease = driver.run(take(&store, &lock)).unwrap();
        let state = lease.state();
        assert!(state.check().is_ok());
        // The runtime ends, and with it the renewals.
        drop(driver);
        state
    };
    std::thread::sleep(SHORT.valid + SHORT.beat * 2);
    let late = state.check().unwrap_err().to_string();
    assert!(late.contains("could not be renewed in time"), "{late}");
    // The object names this process, which runs, but not for this lease any more.
    let driver = Driver::start().unwrap();
    let begun = std::time::Instant::now();
    let lease = driver.run(take(&store, &lock)).unwrap();
    assert!(lease.state().check().is_ok());
    assert!(!cfg!(target_os = "linux") || begun.elapsed() < SHORT.patience);
}

#[test]
fn errors_of_a_store_show_no_bodies_of_replies() {
    let text = shown(
        "Server returned 403: <Error><Code>SignatureDoesNotMatch</Code><Message>It differs</Message>\
         <CanonicalRequest>x-amz-security-token:hidden</CanonicalRequest></Error>",
    );
    assert_eq!(text, "Server returned 403: SignatureDoesNotMatch: It differs");
    assert_eq!(shown("no connection"), "no connection");
    let repeated = format!("after 3 retries, max_retries: {}, retry_timeout: 120s", usize::MAX);
    assert_eq!(shown(&repeated), "after 3 retries, retry_timeout: 120s");
    assert_eq!(shown(&"x".repeat(9000)).len(), SHOWN_MAX);
}

#[test]
fn backups_in_memory_are_restored() {
    let (store, dir) = (memory(), tempfile::tempdir().unwrap());
    let db = Db::open(dir.path().join("db")).unwrap();
    let engine = || {
        let storage = Arc::new(open(&store, Access::Write).unwrap());
        let options = BackupEngineOptions::new(address().url()).storage(storage);
        BackupEngine::open_with(options.max_background_operations(4)).unwrap()
    };
    for round in 0..3 {
        db.put("key", round.to_string()).unwrap();
        db.put(format!("large{round}"), bytes(9 << 20)).unwrap();
        engine().create_new_backup(&db).unwrap();
    }
    let mut engine = engine();
    engine.purge_old_backups(2).unwrap();
    let ids: Vec<_> = engine.get_backup_info().iter().map(|it| it.backup_id).collect();
    assert_eq!(ids, [2, 3]);
    engine.verify_backup(2, true).unwrap();
    let to = dir.path().join("to");
    engine.restore_from_backup(2, &to).unwrap();
    let restored = Db::open(&to).unwrap();
    assert_eq!(restored.get("key").unwrap().unwrap(), "1");
    assert!(restored.get("large1").unwrap().unwrap() == bytes(9 << 20)[..]);
}

#[test]
fn signatures_are_those_of_the_standards() {
    use object_store::client::{CryptoProvider, DigestAlgorithm};
    let hex = |bytes: &[u8]| bytes.iter().map(|byte| format!("{byte:02x}")).collect::<String>();
    let mut hash = crypto::Crypto.digest(DigestAlgorithm::Sha256).unwrap();
    hash.update(b"ab");
    hash.update(b"c");
    assert_eq!(
        hex(hash.finish().unwrap()),
        "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
    );
    // The second test case of RFC 4231.
    let mut keyed = crypto::Crypto.hmac(DigestAlgorithm::Sha256, b"Jefe").unwrap();
    keyed.update(b"what do ya want for nothing?");
    assert_eq!(
        hex(keyed.finish().unwrap()),
        "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"
    );
}

#[test]
fn credentials_are_read_and_wrong_ones_named() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("credentials.toml");
    let store = |text: &str| {
        std::fs::write(&file, text).unwrap();
        let place = Place::named(FilePath::new("s3://bucket/a"), Some(&file)).unwrap();
        let Place::Objects(address) = place else { panic!("an address") };
        settings::store(&address).map(drop).map_err(|error| error.to_string())
    };
    let right =
        "aws_access_key_id = \"key\"\naws_secret_access_key = \"hidden\"\naws_region = \"x\"\n";
    store(right).unwrap();
    // One file may serve several stores.
    store(&format!("{right}azure_storage_account_key = \"hidden\"\nallow_http = true\n")).unwrap();
    for (more, part) in [
        ("aws_acess_key = \"hidden\"", "unknown key aws_acess_key"),
        ("timeout = \"1 s\"", "unknown key timeout"),
        ("aws_region = \"hidden", "line 4: expected TOML"),
        ("x = [\"hidden\"]", "x: expected a text"),
        ("ca_file = \"/nowhere\"", "/nowhere"),
    ] {
        let error = store(&format!("{right}{more}\n")).unwrap_err();
        assert!(error.contains(part) && !error.contains("hidden"), "{error}");
    }
    std::fs::remove_file(&file).unwrap();
}
