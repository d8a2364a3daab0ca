//! Power loss at any moment: what was synced or flushed is there, and of the rest a prefix, in order,
//! the same in all column families. `FERROLITH_FAULT_SEED` repeats a run.

use super::super::support::{dump_cf, open_three, try_open_three, wo};
use super::{DIR, faulty, flush, loosely_crashed, over, seed, synced, within};
use ferrolith::internal::batch::WriteBatch;
use ferrolith::internal::db::{ColumnFamily, Db};
use ferrolith::internal::fs::FileSystem;
use ferrolith::internal::fs::fault::{Fault, FaultFs, FaultKind};
use ferrolith::internal::fs::mem::MemFs;
use ferrolith::internal::options::{CompactRangeOptions, DbPath, FlushOptions, Options};
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

/// Family, key, value or deletion.
type Record = (usize, Vec<u8>, Option<Vec<u8>>);

/// What was tried, in order, and how much of it must survive.
#[derive(Default)]
struct History {
    batches: Vec<Vec<Record>>,
    durable: usize,
}

fn options(fs: impl FileSystem + 'static, spread: bool) -> Options {
    let mut options = over(fs);
    options.cf.write_buffer_size = 16 << 10;
    options.cf.merge_operator = None;
    options.db.max_manifest_file_size = 2 << 10;
    if spread {
        // Flushes go to the first path, compactions to the second.
        options.db.wal_dir = "/wals".into();
        options.db.db_paths = [("/fast", 100 << 10), ("/slow", 1)]
            .map(|(path, target_size)| DbPath { path: path.into(), target_size })
            .to_vec();
    }
    options
}

fn is_spread(db: &Db) -> bool {
    db.db_options().db_paths.len() > 1
}

/// A batch over three families. Each leaves its number in the first one.
fn records(rng: &mut fastrand::Rng, number: usize) -> Vec<Record> {
    let mut records = vec![(0, b"last".to_vec(), Some((number as u64).to_be_bytes().to_vec()))];
    for _ in 0..rng.usize(..4) {
        let key = rng.u32(..60).to_be_bytes().to_vec();
        let size = if rng.u32(..20) == 0 { rng.usize(..40_000) } else { rng.usize(..200) };
        let value = (rng.u32(..5) > 0).then(|| vec![number as u8; size]);
        records.push((rng.usize(..3), key, value));
    }
    records
}

impl History {
    /// Writes until `operations` are done or a write fails.
    fn work(&mut self, db: &Db, cfs: &[ColumnFamily], rng: &mut fastrand::Rng, operations: usize) {
        for _ in 0..operations {
            let records = records(rng, self.batches.len() + 1);
            let mut batch = WriteBatch::new();
            for (cf, key, value) in &records {
                match value {
                    Some(value) => batch.put_cf(cfs[*cf].id(), key, value).unwrap(),
                    None => batch.delete_cf(cfs[*cf].id(), key).unwrap(),
                }
            }
            self.batches.push(records);
            let options = if rng.u32(..12) == 0 { synced() } else { wo() };
            if db.write(&options, &mut batch).is_err() {
                return;
            }
            let cf = &cfs[rng.usize(1..3)];
            let durable = match rng.u32(..90) {
                0 => flush(db).is_ok(),
                1 => db.sync_wal().is_ok(),
                2 => db.flush_cf(&FlushOptions::default(), cf).is_err() && options.sync,
                3 => {
                    let target_path_id = u32::from(is_spread(db));
                    let range =
                        CompactRangeOptions { target_path_id, ..CompactRangeOptions::default() };
                    db.compact_range_cf(&range, cf, None, None).is_err() && options.sync
                }
                _ => options.sync,
            };
            if durable || options.sync {
                self.durable = self.batches.len();
            }
        }
    }

    /// Opens what is left and compares it. Later batches than those there are forgotten.
    fn check(&mut self, options: &Options, what: &str) {
        let (db, cfs) = try_open_three(options, Path::new(DIR))
            .unwrap_or_else(|e| panic!("{what}: cannot open: {e}"));
        let found: Vec<_> = cfs.iter().map(|cf| dump_cf(&db, cf)).collect();
        let last = found[0].iter().find(|(key, _)| key == b"last").map(|(_, value)| value.clone());
        let last = last.map_or(0, |v| u64::from_be_bytes(v.try_into().unwrap()) as usize);
        assert!(last >= self.durable, "{what}: {} were durable, {last} are left", self.durable);
        assert!(last <= self.batches.len(), "{what}: {last} from nowhere");
        self.batches.truncate(last);
        let mut expected: [BTreeMap<Vec<u8>, Vec<u8>>; 3] = Default::default();
        for (cf, key, value) in self.batches.iter().flatten() {
            match value {
                Some(value) => drop(expected[*cf].insert(key.clone(), value.clone())),
                None => drop(expected[*cf].remove(key)),
            }
        }
        for (cf, expected) in expected.into_iter().enumerate() {
            let same = found[cf].iter().cloned().eq(expected);
            assert!(same, "{what}: family {cf} is not as of batch {last}");
        }
    }
}

#[test]
fn a_live_database_loses_only_an_unsynced_end() {
    let seed = seed();
    eprintln!("power loss: seed {seed}");
    for spread in [false, true] {
        let mut rng = fastrand::Rng::with_seed(seed);
        let mem = MemFs::new();
        let (db, cfs) = open_three(&options(mem.clone(), spread), Path::new(DIR));
        let mut history = History::default();
        for round in 0..40 {
            let operations = rng.usize(1..40);
            history.work(&db, &cfs, &mut rng, operations);
            for (kind, left) in
                [("strict", mem.crash_clone()), ("loose", loosely_crashed(&mem, &mut rng))]
            {
                let what = format!("seed {seed}, round {round}, {kind}, {spread}");
                let mut copy =
                    History { batches: history.batches.clone(), durable: history.durable };
                copy.check(&options(left, spread), &what);
            }
        }
    }
}

/// Stops the device at the `n`-th change for every few `n`, then again during recovery.
#[test]
fn any_operation_may_be_the_last() {
    let seed = seed();
    eprintln!("power loss: seed {seed}");
    let mut n = 0;
    loop {
        let (mem, fs) = faulty();
        let spread = n % 2 == 1;
        fs.inject(Fault::writes_stop(n, FaultKind::Io));
        let mut rng = fastrand::Rng::with_seed(seed + n);
        let mut history = History::default();
        let opts = options(fs.clone(), spread);
        if let Ok((db, cfs)) = try_open_three(&opts, Path::new(DIR)) {
            history.work(&db, &cfs, &mut rng, 150);
            within(30, &format!("close after {n}"), move || drop((db, cfs)));
        }
        let all_done = fs.write_count() < n;
        let mut left = loosely_crashed(&mem, &mut rng);
        for again in 0..2 {
            let fs = FaultFs::new(Arc::new(left.clone()));
            fs.inject(Fault::writes_stop(rng.u64(..40), FaultKind::Io));
            drop(try_open_three(&options(fs, spread), Path::new(DIR)));
            left = if again == 0 { left.crash_clone() } else { loosely_crashed(&left, &mut rng) };
        }
        history.check(&options(left, spread), &format!("seed {seed}, operation {n}"));
        if all_done {
            return;
        }
        n += if n < 60 { 1 } else { 1 + n / 12 };
    }
}
