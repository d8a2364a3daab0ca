//! A database with the list of what it has acknowledged, for one part of the walk.
//!
//! [`Scene::call`] is the rule that every call of the engine must keep: it succeeds, or it reports an error, reads
//! go on, and the same call succeeds within [`PATIENCE`] after the cause of the error is gone. Where the error says
//! that the database must be reopened, it is reopened first.

use crate::plan;
use ferrolith::Error;
use ferrolith::internal::db::{ColumnFamily, ColumnFamilyDescriptor, Db};
use ferrolith::internal::options::{
    CompactRangeOptions, FlushOptions, Options, ReadOptions, WriteOptions,
};
use ferrolith::internal::txn::{TransactionDb, TransactionDbOptions};
use ferrolith_interop::store::{Scan, Setup, Store};
use ferrolith_interop::theirs::Theirs;
use ferrolith_interop::workload::Shape;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// What the engine may need to go on after the cause of an error is gone.
const PATIENCE: Duration = Duration::from_secs(5);

/// Set for children that compare with the real RocksDB at the end.
pub const ASK_ROCKSDB: &str = "FERROLITH_OS_CALLS_ASK_ROCKSDB";

/// How an error was met, from best to worst.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Outcome {
    /// Nobody saw it, and everything is as it should be.
    Cured,
    /// LOG tells of it.
    Logged,
    /// A call returned an error, and later ones went well.
    Reported,
    /// The database had to be reopened, as the error said.
    Reopened,
}

impl Outcome {
    /// The word in the list of sites.
    pub fn name(self) -> &'static str {
        match self {
            Outcome::Cured => "cured",
            Outcome::Logged => "logged",
            Outcome::Reported => "reported",
            Outcome::Reopened => "reopened",
        }
    }
}

/// Ends the process: a promise was broken.
pub fn broken(what: impl std::fmt::Display) -> ! {
    plan::disarm();
    eprintln!("BROKEN: {what}");
    std::process::exit(1)
}

/// A key or value of so many bytes that does not compress.
pub fn bytes(seed: u32, len: usize) -> Vec<u8> {
    let mut rng = fastrand::Rng::with_seed(u64::from(seed));
    (0..len).map(|_| rng.u8(..)).collect()
}

/// See the module.
pub struct Scene {
    /// Everything of the part is below.
    pub root: PathBuf,
    /// How the database is opened.
    pub options: Options,
    /// Its column families.
    pub families: Vec<&'static str>,
    /// Opened as a database with two-phase commit.
    pub two_phase: bool,
    db: Option<Db>,
    transactions: Option<TransactionDb>,
    model: BTreeMap<(&'static str, Vec<u8>), Vec<u8>>,
    /// A write that has not been acknowledged.
    pending: Option<(&'static str, Vec<u8>)>,
    errors: Vec<String>,
    reopened: bool,
}

impl Scene {
    /// Nothing yet, below an empty directory.
    pub fn new(root: &Path) -> Scene {
        let mut options = Options::default();
        options.db.create_if_missing = true;
        options.db.create_missing_column_families = true;
        options.db.max_subcompactions = 2;
        options.cf.write_buffer_size = 64 << 10;
        options.cf.target_file_size_base = 16 << 10;
        options.cf.max_bytes_for_level_base = 64 << 10;
        options.cf.disable_auto_compactions = true;
        Scene {
            root: root.to_owned(),
            options,
            families: vec!["default"],
            two_phase: false,
            db: None,
            transactions: None,
            model: BTreeMap::new(),
            pending: None,
            errors: Vec::new(),
            reopened: false,
        }
    }

    /// The directory of the database.
    pub fn dir(&self) -> PathBuf {
        self.root.join("db")
    }

    /// The open database.
    pub fn db(&self) -> &Db {
        self.db.as_ref().expect("the part has opened it")
    }

    /// The same with transactions.
    pub fn transactions(&self) -> &TransactionDb {
        self.transactions.as_ref().expect("the part has opened it")
    }

    /// A column family of the open database.
    pub fn cf(&self, name: &str) -> ColumnFamily {
        self.db().cf(name).unwrap_or_else(|| broken(format_args!("family {name} is gone")))
    }

    /// Calls the engine until it succeeds; see the module.
    pub fn call<T>(&mut self, what: &str, mut f: impl FnMut(&mut Scene) -> Result<T, Error>) -> T {
        let mut first = true;
        loop {
            let error = match f(self) {
                Ok(result) => return result,
                Err(error) => error,
            };
            let text = format!("{what}: {error}");
            if std::mem::take(&mut first) {
                self.reads_go_on(&text);
            }
            let Some(gone) = plan::end_causes() else {
                broken(format_args!("{text}, although no call has failed"));
            };
            if self.errors.last() != Some(&text) {
                self.errors.push(text.clone());
            }
            if gone.elapsed() > PATIENCE {
                broken(format_args!(
                    "{text}, {} ms after the cause is gone",
                    gone.elapsed().as_millis()
                ));
            }
            if error.message().contains("reopen") && self.db.is_some() {
                self.reopened = true;
                self.drop_db();
                self.open();
            }
            std::thread::sleep(Duration::from_millis(2));
        }
    }

    /// Opens the database.
    pub fn open(&mut self) {
        self.call("open", |s| {
            let family = |name: &&str| ColumnFamilyDescriptor::new(*name, s.options.cf.clone());
            let families = s.families.iter().map(family).collect();
            if s.two_phase {
                let quick = TransactionDbOptions {
                    default_lock_timeout: 50,
                    ..TransactionDbOptions::default()
                };
                let (db, _) = TransactionDb::open_cf(&s.options.db, &quick, s.dir(), families)?;
                s.db = Some(db.db().clone().into());
                s.transactions = Some(db);
            } else {
                s.db = Some(Db::open_cf(&s.options.db, s.dir(), families)?.0);
            }
            Ok(())
        });
    }

    /// Lets the database go without asking for errors.
    pub fn drop_db(&mut self) {
        (self.transactions, self.db) = (None, None);
    }

    /// Closes the database. An error of closing is reported; what was acknowledged is there all the same.
    pub fn close(&mut self) {
        let closed = self.db().close();
        self.drop_db();
        if let Err(error) = closed {
            if plan::end_causes().is_none() {
                broken(format_args!("close: {error}, although no call has failed"));
            }
            self.errors.push(format!("close: {error}"));
        }
    }

    /// Writes a value.
    pub fn put(&mut self, family: &'static str, key: &[u8], value: &[u8], sync: bool) {
        let how = WriteOptions { sync, ..WriteOptions::default() };
        self.pending = Some((family, key.to_vec()));
        self.call("put", |s| s.db().put_cf(&how, &s.cf(family), key, value));
        self.acknowledged(family, key, value);
    }

    /// Notes a write that came back, made by the part itself.
    pub fn acknowledged(&mut self, family: &'static str, key: &[u8], value: &[u8]) {
        self.pending = None;
        self.model.insert((family, key.to_vec()), value.to_vec());
    }

    /// Notes that keys of a family from `begin` to before `end` are gone.
    pub fn forget(&mut self, family: &str, begin: &[u8], end: &[u8]) {
        self.model.retain(|(of, key), _| *of != family || &key[..] < begin || &key[..] >= end);
    }

    /// Writes keys `from..to` with values of this size.
    pub fn fill(&mut self, family: &'static str, from: u32, to: u32, len: usize) {
        for i in from..to {
            self.put(family, &key(i), &bytes(i ^ from, len), false);
        }
    }

    /// Flushes a family.
    pub fn flush(&mut self, family: &'static str) {
        self.call("flush", |s| s.db().flush_cf(&FlushOptions::default(), &s.cf(family)));
    }

    /// Compacts a family.
    pub fn compact(&mut self, family: &'static str) {
        self.call("compact_range", |s| {
            s.db().compact_range_cf(&CompactRangeOptions::default(), &s.cf(family), None, None)
        });
    }

    /// Waits for the background.
    pub fn wait(&mut self) {
        self.call("wait_for_compact", |s| s.db().wait_for_compact());
    }

    /// Every acknowledged value is found while an error lasts, or as soon as its cause is gone where reading needs
    /// what fails.
    fn reads_go_on(&mut self, when: &str) {
        if self.db.is_none() {
            return;
        }
        for attempt in 0.. {
            match self.read_all() {
                Ok(()) => return,
                // The read itself was what failed, or needs what still fails.
                Err(error)
                    if attempt == 0 && !plan::disk_is_full() && plan::end_causes().is_some() =>
                {
                    self.errors.push(format!("get: {error}"));
                }
                Err(error) => broken(format_args!("{when}; then get: {error}")),
            }
        }
    }

    fn read_all(&self) -> Result<(), Error> {
        for ((family, key), value) in &self.model {
            let found = self.db().get_cf(&ReadOptions::default(), &self.cf(family), key)?;
            let pending = self.pending.as_ref().is_some_and(|(f, k)| f == family && k == key);
            if found.as_ref() != Some(value) && !pending {
                broken(format_args!(
                    "{family} {key:?}: {} instead of the acknowledged value",
                    shown(found)
                ));
            }
        }
        Ok(())
    }

    /// The end of the part: writes and reads go on, and after reopening without faults everything is there.
    pub fn finish(
        mut self,
    ) -> (Outcome, Vec<String>, bool, std::collections::BTreeSet<crate::sites::Site>) {
        plan::end_causes();
        if self.db.is_some() {
            for family in self.families.clone() {
                self.put(family, b"last", b"write", true);
            }
            self.wait();
            self.reads_go_on("at the end");
            self.close();
        }
        let (seen, fired) = plan::disarm();
        if self.dir().join("CURRENT").exists() {
            self.families = match Db::list_column_families(&self.options.db, self.dir()) {
                Ok(names) => names.into_iter().map(|name| &*name.leak()).collect(),
                Err(error) => broken(format_args!("list_column_families after the fault: {error}")),
            };
            self.check_reopened();
            if std::env::var_os(ASK_ROCKSDB).is_some() {
                self.ask_rocksdb();
            }
        }
        let outcome = match (self.reopened, self.errors.is_empty()) {
            (true, _) => Outcome::Reopened,
            (false, false) => Outcome::Reported,
            _ if logged(&self.dir()) => Outcome::Logged,
            _ => Outcome::Cured,
        };
        (outcome, self.errors, fired, seen)
    }

    fn check_reopened(&mut self) {
        // Files come and go with compactions.
        self.options.cf.disable_auto_compactions = true;
        self.open();
        let ro = ReadOptions {
            total_order_seek: true,
            verify_checksums: true,
            ..ReadOptions::default()
        };
        for family in self.families.clone() {
            let mut iter = match self.db().iter_cf(&ro, &self.cf(family)) {
                Ok(iter) => iter,
                Err(error) => broken(format_args!("iterator after reopening: {error}")),
            };
            iter.seek_to_first();
            let mut expected = self.model.iter().filter(|((of, _), _)| *of == family);
            while iter.valid() {
                match expected.next() {
                    Some(((_, key), value)) if iter.key() == key && iter.value() == value => {}
                    other => broken(format_args!(
                        "after reopening, {family}: found key {:?}, expected {:?}",
                        iter.key(),
                        other.map(|((_, key), _)| key)
                    )),
                }
                iter.next();
            }
            if let Err(error) = iter.status() {
                broken(format_args!("iterator after reopening: {error}"));
            }
            if let Some(((_, key), _)) = expected.next() {
                broken(format_args!("after reopening, {family}: acknowledged key {key:?} is lost"));
            }
        }
        self.check_leftovers();
        self.close();
    }

    /// The real library finds the same.
    fn ask_rocksdb(&self) {
        let shape = Shape { families: self.families.len(), ..Shape::default() };
        let setup = Setup { dir: self.dir(), db: String::new(), cf: String::new(), shape };
        let theirs = Theirs::open(&setup).unwrap_or_else(|e| broken(format_args!("RocksDB: {e}")));
        for (n, family) in setup.names().iter().enumerate() {
            let mut expected = self.model.iter().filter(|((of, _), _)| of == family);
            let mut each = |key: &[u8], value: &[u8]| match expected.next() {
                Some(((_, k), v)) if k == key && v == value => {}
                _ => broken(format_args!(
                    "RocksDB finds a key that Ferrolith does not have: {key:?} in {family}"
                )),
            };
            theirs
                .scan(n, Scan::Forward, &mut each)
                .unwrap_or_else(|e| broken(format_args!("RocksDB: {e}")));
            if let Some(((_, key), _)) = expected.next() {
                broken(format_args!("RocksDB does not find key {key:?} of {family}"));
            }
        }
    }

    /// Recovery deletes what a failure left behind.
    fn check_leftovers(&self) {
        let live: Vec<_> = self.db().live_files_metadata().iter().map(|file| file.path()).collect();
        for entry in std::fs::read_dir(self.dir()).into_iter().flatten().flatten() {
            let path = entry.path();
            let kind = path.extension().and_then(|e| e.to_str()).unwrap_or_default();
            if kind == "dbtmp" || (kind == "sst" && !live.contains(&path)) {
                broken(format_args!("a leftover file after reopening: {}", path.display()));
            }
        }
    }
}

/// The keys that parts write.
pub fn key(i: u32) -> Vec<u8> {
    format!("key{i:05}").into_bytes()
}

fn shown(value: Option<Vec<u8>>) -> String {
    value.map_or("nothing".to_owned(), |value| format!("{} bytes", value.len()))
}

/// Whether LOG tells of a failure.
fn logged(dir: &Path) -> bool {
    let files = std::fs::read_dir(dir).into_iter().flatten().flatten();
    let logs = files.filter(|entry| entry.file_name().to_string_lossy().starts_with("LOG"));
    let texts = logs.filter_map(|entry| std::fs::read_to_string(entry.path()).ok());
    texts.flat_map(|text| text.lines().map(str::to_owned).collect::<Vec<_>>()).any(|line| {
        line.contains("IO error")
            || line.contains("failed")
            || line.contains("[WARN]")
            || line.contains("[ERROR]")
    })
}
