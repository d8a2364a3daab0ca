//! A server with a table, files of rows, and Pegasus's directories.

use super::{LoadProgress, Loaded, Loader, Request};
use crate::clock::ManualClock;
use crate::error::Result;
use crate::pegasus::{Admin, AdminOptions, Outcome, Scratch, Service};
use crate::rows::pegasus::{EPOCH_UNIX_SECONDS, Value as Stored, Version, key};
use crate::store::local::{LocalStore, StoreOptions};
use crate::store::{Durability, Latches};
use crate::tables::Catalogue;
use crate::thrift::frame::{Frame, Head, parse, write_request};
use crate::thrift::request::Put;
use crate::thrift::response::{Read, Ttl, Update};
use crate::thrift::{Blob, Value, partition_hash, partition_of, reply};
use ferrolith::{Db, Options, SstFileWriter};
use md5::{Digest, Md5};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// 2026-01-01, the time of the tests, in seconds since 2016.
pub(super) const NOW: u32 = (UNIX_NOW - EPOCH_UNIX_SECONDS) as u32;
const UNIX_NOW: u64 = 1_767_225_600;

/// Rows as a file has them.
pub(super) type Rows = BTreeMap<Vec<u8>, Vec<u8>>;

/// A server with the table "t".
pub(super) struct World {
    pub(super) dir: tempfile::TempDir,
    pub(super) store: Arc<LocalStore>,
    pub(super) service: Service,
    pub(super) catalogue: Arc<Catalogue>,
    pub(super) latches: Arc<Latches>,
    clock: Arc<ManualClock>,
    partitions: u32,
}

impl World {
    pub(super) fn new(partitions: u32) -> World {
        World::open(tempfile::tempdir().unwrap(), partitions)
    }

    fn open(dir: tempfile::TempDir, partitions: u32) -> World {
        let options = StoreOptions::new(Durability::Os, 16 << 20, 1);
        let store = LocalStore::open(&dir.path().join("db"), options).unwrap();
        let clock = Arc::new(ManualClock::new(UNIX_NOW * 1000));
        let catalogue = Arc::new(Catalogue::open(store.clone()).unwrap());
        let addresses = vec!["127.0.0.1:34801".parse().unwrap()];
        let options = AdminOptions { addresses, host_names: false, cluster: "test".into() };
        let admin = Admin::new(store.clone(), clock.clone(), catalogue.clone(), options).unwrap();
        admin.ensure_table("t", partitions as i32).unwrap();
        let latches = Arc::new(Latches::default());
        let service = Service::new(store.clone(), latches.clone(), clock.clone(), admin);
        World { dir, store, service, catalogue, latches, clock, partitions }
    }

    /// Closes the store and opens it again.
    pub(super) fn reopened(self) -> World {
        let World { dir, store, service, catalogue, partitions, .. } = self;
        drop((service, catalogue));
        store.close().unwrap();
        drop(store);
        World::open(dir, partitions)
    }

    pub(super) fn loader(&self) -> Loader {
        let (catalogue, latches) = (self.catalogue.clone(), self.latches.clone());
        Loader::new(self.store.clone(), catalogue, latches, self.clock.clone())
    }

    pub(super) fn load(&self, paths: &[&Path], version: Option<Version>) -> Result<Loaded> {
        let paths = paths.iter().map(|path| path.to_path_buf()).collect();
        let request = Request { table: "t".to_owned(), paths, version };
        let progress = LoadProgress::default();
        let loaded = self.loader().load(&request, &progress)?;
        assert_eq!(progress.loaded_files(), progress.files());
        assert_eq!(progress.loaded_bytes(), progress.planned_bytes());
        assert_eq!(progress.checked_bytes(), progress.bytes_to_check());
        assert!(!self.dir.path().join("db/loading").exists());
        Ok(loaded)
    }

    /// Loads what must be refused, and returns the text of the error.
    pub(super) fn refused(&self, paths: &[&Path]) -> String {
        let error = self.load(paths, None).unwrap_err().to_string();
        assert!(!self.dir.path().join("db/loading").exists());
        error
    }

    fn head(&self, row: &[u8]) -> Head {
        let (hash_key, sort_key) = crate::rows::pegasus::split_key(row).unwrap();
        let hash = partition_hash(hash_key, sort_key);
        let partition = partition_of(hash, self.partitions) as i32;
        let app_id = self.catalogue.by_name("t").unwrap().info().app_id;
        Head { app_id, partition, partition_hash: hash, ..Head::default() }
    }

    fn call<'a>(&self, method: &str, row: &[u8], request: &impl Value<'a>) -> Vec<u8> {
        let (mut bytes, mut out) = (Vec::new(), Vec::new());
        let method = format!("RPC_RRDB_RRDB_{method}");
        write_request(&self.head(row), &method, 1, request, &mut bytes);
        let Frame::Whole(request, _) = parse(&bytes, 1 << 24).unwrap() else {
            panic!("a part of a request")
        };
        let outcome = self.service.handle(&request, false, &mut Scratch::default(), &mut out);
        assert_eq!(outcome, Outcome::Replied);
        out
    }

    /// Writes a row as a Pegasus client.
    pub(super) fn put(&self, hash_key: &[u8], sort_key: &[u8], data: &[u8]) {
        let row = key(hash_key, sort_key);
        let put = Put { key: row.clone().into(), value: data.into(), expire_ts_seconds: 0 };
        let bytes = self.call("PUT", &row, &put);
        let reply = reply::read::<Update<'_>>(&bytes).unwrap().unwrap().0;
        assert_eq!(reply.response.unwrap().error, 0);
    }

    /// Reads a row as a Pegasus client.
    pub(super) fn get(&self, hash_key: &[u8], sort_key: &[u8]) -> Option<Vec<u8>> {
        let row = key(hash_key, sort_key);
        let bytes = self.call("GET", &row, &Blob::from(row.clone()));
        let read = reply::read::<Read<'_>>(&bytes).unwrap().unwrap().0.response.unwrap();
        (read.error == 0).then(|| read.value.to_vec())
    }

    /// Returns how many seconds a row lives; -1 without end.
    pub(super) fn ttl(&self, hash_key: &[u8], sort_key: &[u8]) -> i32 {
        let row = key(hash_key, sort_key);
        let bytes = self.call("TTL", &row, &Blob::from(row.clone()));
        let ttl = reply::read::<Ttl<'_>>(&bytes).unwrap().unwrap().0.response.unwrap();
        assert_eq!(ttl.error, 0);
        ttl.ttl_seconds
    }

    pub(super) fn path(&self, name: &str) -> PathBuf {
        self.dir.path().join(name)
    }
}

pub(super) fn v0(expiry: u32, data: &[u8]) -> Vec<u8> {
    [&expiry.to_be_bytes()[..], data].concat()
}

pub(super) fn v1(expiry: u32, data: &[u8]) -> Vec<u8> {
    let mut out = Vec::new();
    Version::V1.write(Stored { expiry, timetag: 77 << 8, data }, &mut out);
    out
}

pub(super) fn v2(expiry: u32, data: &[u8]) -> Vec<u8> {
    [&[0x82][..], &v1(expiry, data)].concat()
}

/// Returns `count` rows of hash keys of several lengths; the data of a row is its number.
pub(super) fn rows(count: u32, value: fn(u32, &[u8]) -> Vec<u8>) -> Rows {
    let row = |n: u32| {
        let hash_key = hash_key(n);
        (key(&hash_key, format!("s{n}").as_bytes()), value(0, n.to_string().as_bytes()))
    };
    (0..count).map(row).collect()
}

pub(super) fn hash_key(n: u32) -> Vec<u8> {
    format!("{}{}", "h".repeat(n as usize % 5), n / 3).into_bytes()
}

/// Writes a sorted file.
pub(super) fn table(path: &Path, rows: &Rows) {
    let mut writer = SstFileWriter::create(Options::new(), path).unwrap();
    rows.iter().for_each(|(key, value)| writer.put(key, value).unwrap());
    writer.finish().unwrap();
}

fn described(path: &Path) -> String {
    let bytes = std::fs::read(path).unwrap();
    let digest = Md5::digest(&bytes);
    let md5: String = digest.iter().map(|byte| format!("{byte:02x}")).collect();
    let name = path.file_name().unwrap().to_str().unwrap();
    format!("{{\"name\":\"{name}\",\"size\":{},\"md5\":\"{md5}\"}}", bytes.len())
}

fn list(paths: &[PathBuf]) -> (String, u64) {
    let files: Vec<_> = paths.iter().map(|path| described(path)).collect();
    let sizes = paths.iter().map(|path| path.metadata().unwrap().len());
    (files.join(","), sizes.sum())
}

/// Returns the rows of each partition of a table with `count` partitions.
fn divided(rows: &Rows, count: u32) -> Vec<Rows> {
    let mut parts = vec![Rows::new(); count as usize];
    for (row, value) in rows {
        let (hash_key, sort_key) = crate::rows::pegasus::split_key(row).unwrap();
        let at = partition_of(partition_hash(hash_key, sort_key), count);
        parts[at as usize].insert(row.clone(), value.clone());
    }
    parts
}

/// Writes the directory of a bulk load, with two files in each partition.
pub(super) fn bulk_load(dir: &Path, count: u32, rows: &Rows) {
    std::fs::create_dir_all(dir).unwrap();
    let info = format!("{{\"app_id\":2,\"app_name\":\"temp\",\"partition_count\":{count}}}");
    std::fs::write(dir.join("bulk_load_info"), info).unwrap();
    for (index, part) in divided(rows, count).into_iter().enumerate() {
        let dir = dir.join(index.to_string());
        std::fs::create_dir(&dir).unwrap();
        let all: Vec<_> = part.into_iter().collect();
        let mut paths = Vec::new();
        for (number, half) in all.chunks(all.len().div_ceil(2).max(1)).enumerate() {
            let path = dir.join(format!("{number:05}.sst"));
            table(&path, &half.iter().cloned().collect());
            paths.push(path);
        }
        let (files, total) = list(&paths);
        let metadata = format!("{{\"files\":[{files}],\"file_total_size\":{total}}}");
        std::fs::write(dir.join("bulk_load_metadata"), metadata).unwrap();
    }
}

/// Writes the database of a replica, and a checkpoint of it to `to`.
pub(super) fn checkpoint(to: &Path, rows: &Rows, version: Option<&str>) {
    let dir = tempfile::tempdir().unwrap();
    let db = Db::open(dir.path()).unwrap();
    let meta = db.create_cf("pegasus_meta_cf").unwrap();
    if let Some(version) = version {
        meta.put("pegasus_data_version", version).unwrap();
    }
    meta.put("pegasus_last_flushed_decree", "12").unwrap();
    // An older state of each row, and a row that was deleted.
    rows.keys().for_each(|row| db.put(row, v1(0, b"old")).unwrap());
    db.put(key(b"deleted", b""), v1(0, b"x")).unwrap();
    db.flush().unwrap();
    rows.iter().for_each(|(row, value)| db.put(row, value).unwrap());
    db.delete(key(b"deleted", b"")).unwrap();
    // What Pegasus writes when a write changes nothing.
    db.put("", v1(0, b"")).unwrap();
    db.checkpoint(to).unwrap();
    drop(meta);
    db.close().unwrap();
}

/// Writes the directory of a table in a backup. Each partition also has the rows of `foreign`.
pub(super) fn backup(dir: &Path, count: u32, rows: &Rows, foreign: &Rows) {
    std::fs::create_dir_all(dir.join("meta")).unwrap();
    let info = format!(
        "{{\"status\":\"app_status::AS_AVAILABLE\",\"app_type\":\"pegasus\",\"app_name\":\"temp\",\"app_id\":2,\
         \"partition_count\":{count},\"envs\":{{}},\"is_stateful\":1,\"max_replica_count\":3}}"
    );
    std::fs::write(dir.join("meta/app_metadata"), info).unwrap();
    for (index, part) in divided(rows, count).into_iter().enumerate() {
        let dir = dir.join(index.to_string());
        std::fs::create_dir(&dir).unwrap();
        let name = "chkpt_127.0.0.1_34801";
        let to = dir.join(name);
        checkpoint(
            &to,
            &foreign.iter().chain(&part).map(|(k, v)| (k.clone(), v.clone())).collect(),
            Some("1"),
        );
        let mut paths: Vec<_> =
            std::fs::read_dir(&to).unwrap().map(|entry| entry.unwrap().path()).collect();
        paths.sort();
        let (files, total) = list(&paths);
        let metadata = format!(
            "{{\"checkpoint_decree\":12,\"checkpoint_timestamp\":1767225600000,\"files\":[{files}],\
             \"checkpoint_total_size\":{total}}}"
        );
        std::fs::write(to.join("backup_metadata"), metadata).unwrap();
        std::fs::write(dir.join("current_checkpoint"), name).unwrap();
    }
}
