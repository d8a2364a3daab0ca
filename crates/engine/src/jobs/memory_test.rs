//! Databases that share a memory limit.

use crate::budget::{MemoryAccount, MemoryOwner};
use crate::db::Db;
use crate::options::{Options, WriteOptions};
use std::sync::Arc;
use std::time::{Duration, Instant};

const MIB: usize = 1 << 20;

fn fill(db: &Db, puts: u32) {
    let wo = WriteOptions::default();
    (0..puts).for_each(|i| db.put(&wo, &i.to_be_bytes(), &[7; 1000]).unwrap());
}

/// Ten databases hold the whole budget, each less than an eighth of it; another one writes.
#[test]
fn quiet_databases_are_flushed_rather_than_the_one_that_writes() {
    let account = MemoryAccount::new(64 * MIB);
    let mut options = Options::default();
    options.db.create_if_missing = true;
    options.db.components.memory_account = Some(Arc::clone(&account));
    options.cf.disable_auto_compactions = true;
    let dirs: Vec<_> = (0..11).map(|_| tempfile::tempdir().unwrap()).collect();
    let dbs: Vec<_> = dirs.iter().map(|dir| Db::open(&options, dir.path()).unwrap()).collect();
    let (writing, quiet) = dbs.split_first().unwrap();
    let tables = |db: &Db| db.property_int("rocksdb.num-files-at-level0").unwrap();
    for db in quiet {
        fill(db, 220);
        // So little is reported only when something else changes.
        db.set_options(&[("disable_auto_compactions", "true")]).unwrap();
    }
    assert_eq!(quiet.iter().map(tables).sum::<u64>(), 0);
    assert!(account.memtables().memory_usage() >= 2 * MIB, "{:?}", account.memtables());
    let _others = account.charge(MemoryOwner::Iterators, 100 * MIB);
    let until = |what: &str, holds: &dyn Fn() -> bool| {
        let end = Instant::now() + Duration::from_secs(10);
        while !holds() {
            assert!(Instant::now() < end, "{what}: {:?}", account.memtables());
            std::thread::sleep(Duration::from_millis(2));
        }
    };
    until("the least", &|| account.memtables().buffer_size() == 2 * MIB);
    fill(writing, 200);
    assert!(tables(writing) < 20, "{} tables", tables(writing));
    until("quiet databases flush", &|| account.memtables().memory_usage() < 2 * MIB);
}
