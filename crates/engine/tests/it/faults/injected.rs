//! Every kind of failing operation: an error and no panic, reads go on, nothing acknowledged is lost,
//! and writes resume without reopening.

use super::super::support::{open_three, ro, wo};
use super::{DIR, eventually, faulty, flush, over, synced, within};
use ferrolith::internal::db::{ColumnFamily, Db};
use ferrolith::internal::fs::fault::{Fault, FaultFs, FaultKind, Op};
use ferrolith::internal::options::{CompactRangeOptions, FlushOptions};
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Mutex;

fn cases() -> Vec<Fault> {
    let places = [
        (Op::Append, ".log"),
        (Op::Sync, ".log"),
        (Op::Create, ".log"),
        (Op::Create, ".sst"),
        (Op::Append, ".sst"),
        (Op::Sync, ".sst"),
        (Op::Append, "MANIFEST"),
        (Op::Sync, "MANIFEST"),
        (Op::Rename, "CURRENT"),
        (Op::SyncDir, ""),
        (Op::Open, ".sst"),
        (Op::Read, ".sst"),
        (Op::Remove, ""),
        (Op::Append, "LOG"),
    ];
    let mut cases = Vec::new();
    for (op, path) in places {
        for kind in [FaultKind::Io, FaultKind::NoSpace, FaultKind::AfterDone, FaultKind::Short(3)] {
            if kind == FaultKind::Short(3) && (op != Op::Append || path == "LOG") {
                continue;
            }
            for times in [1, u64::MAX] {
                cases.push(Fault { times, ..Fault::always(op, path, kind) });
            }
        }
    }
    cases
}

/// The last acknowledged value of a key, and what failed since.
type Allowed = Vec<Option<Vec<u8>>>;

/// The values that each key of each family may have.
#[derive(Default)]
struct Model(BTreeMap<(usize, Vec<u8>), Allowed>);

impl Model {
    fn put(&mut self, db: &Db, cfs: &[ColumnFamily], i: u32) -> ferrolith::Result<()> {
        let (cf, key) = ((i % 3) as usize, (i * 7 % 500).to_be_bytes().to_vec());
        let value = [&i.to_be_bytes()[..], &[b'v'; 150]].concat();
        let options = if i.is_multiple_of(11) { synced() } else { wo() };
        let result = db.put_cf(&options, &cfs[cf], &key, &value);
        let values = self.0.entry((cf, key)).or_insert_with(|| vec![None]);
        if result.is_ok() {
            values.clear();
        }
        values.push(Some(value));
        result
    }

    /// Checks every key; `errors` says whether a read may fail.
    fn check(&self, db: &Db, cfs: &[ColumnFamily], errors: bool, what: &str) {
        for ((cf, key), allowed) in &self.0 {
            match db.get_cf(&ro(), &cfs[*cf], key) {
                Ok(value) => assert!(allowed.contains(&value), "{what}: {cf} {key:?} is wrong"),
                Err(e) if errors => assert!(e.message().contains("Injected"), "{what}: {e}"),
                Err(e) => panic!("{what}: cannot read: {e}"),
            }
        }
    }
}

#[test]
fn every_fault_is_told_and_survived() {
    let cases = Mutex::new(cases().into_iter());
    std::thread::scope(|scope| {
        for _ in 0..8 {
            scope.spawn(|| {
                loop {
                    let Some(case) = cases.lock().unwrap().next() else { break };
                    within(90, &format!("{case:?}"), move || run(&case));
                }
            });
        }
    });
}

fn run(case: &Fault) {
    let (mem, fs) = faulty();
    let mut options = over(fs.clone());
    options.cf.write_buffer_size = 32 << 10;
    options.db.max_manifest_file_size = 1 << 10;
    options.db.max_open_files = 20;
    let (db, cfs) = open_three(&options, Path::new(DIR));
    let mut model = Model::default();
    for i in 0..400 {
        model.put(&db, &cfs, i).unwrap();
    }
    flush(&db).unwrap();
    let what = format!("{case:?}");
    fs.inject(case.clone());
    let mut errors = 0;
    for i in 400..1200 {
        let failed = model.put(&db, &cfs, i).inspect_err(|e| told(e, &what)).is_err();
        errors += u32::from(failed);
        if i % 200 == 0 {
            let _ = db.flush_cf(&FlushOptions::default(), &cfs[1]).inspect_err(|e| told(e, &what));
            let range = CompactRangeOptions::default();
            let _ = db.compact_range(&range, None, None).inspect_err(|e| told(e, &what));
        }
        if errors > 30 {
            break;
        }
    }
    let reads_fail = matches!(case.op, Some(Op::Read | Op::Open));
    model.check(&db, &cfs, reads_fail, &what);
    fs.clear();
    model.check(&db, &cfs, false, &what);
    let mut i = 1991;
    eventually(&format!("{what}: writes resume"), || {
        i += 11; // Each is synced.
        model.put(&db, &cfs, i).is_ok()
    });
    model.check(&db, &cfs, false, &what);
    let flushed = flush(&db).is_ok();
    let _ = db.close();
    drop((db, cfs));
    let (db, cfs) =
        open_three(&over(FaultFs::new(std::sync::Arc::new(mem.clone()))), Path::new(DIR));
    model.check(&db, &cfs, false, &format!("{what}, opened again"));
    drop((db, cfs, flushed));
}

/// An error that names its cause.
fn told(e: &ferrolith::Error, what: &str) {
    assert!(e.message().contains("Injected"), "{what}: the error is {e}");
}
