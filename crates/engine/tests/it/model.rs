//! The model test: random operations against the database and against maps in memory.
//!
//! `FERROLITH_MODEL_OPS` sets the operations per option set, `FERROLITH_MODEL_SEED` the seed of a
//! run to repeat. A failure names both.

use super::support::{open_three, option_sets, wo};
use ferrolith::internal::batch::WriteBatch;
use ferrolith::internal::db::{ColumnFamily, Db, Snapshot};
use ferrolith::internal::options::{
    CompactRangeOptions, FlushOptions, Options, ReadOptions, TableFactory,
};
use std::collections::BTreeMap;
use std::path::Path;

type Map = BTreeMap<Vec<u8>, Vec<u8>>;
type Maps = [Map; 3];

/// Keys are `prefix(4) + suffix`: few enough to be overwritten and deleted often.
const PREFIXES: u32 = 40;
const SUFFIXES: u32 = 25;

struct Run {
    options: Options,
    rng: fastrand::Rng,
    maps: Maps,
    snapshots: Vec<(Snapshot, Maps)>,
    next_value: u64,
}

fn env(name: &str, default: u64) -> u64 {
    std::env::var(name).ok().and_then(|v| v.parse().ok()).unwrap_or(default)
}

#[test]
fn random_operations_agree_with_maps() {
    let ops = env("FERROLITH_MODEL_OPS", 20_000);
    let seed = env("FERROLITH_MODEL_SEED", fastrand::u64(..1_000_000));
    // Two at a time: the machine that matters has two cores.
    let sets = std::sync::Mutex::new(option_sets().into_iter());
    std::thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                loop {
                    let Some((name, options)) = sets.lock().unwrap().next() else { break };
                    eprintln!("model: {name}, seed {seed}, {ops} operations");
                    let dir = super::support::temp_dir();
                    Run::new(options, seed).run(dir.path(), ops);
                }
            });
        }
    });
}

impl Run {
    fn new(options: Options, seed: u64) -> Run {
        Run {
            options,
            rng: fastrand::Rng::with_seed(seed),
            maps: Maps::default(),
            snapshots: Vec::new(),
            next_value: 0,
        }
    }

    fn run(&mut self, path: &Path, ops: u64) {
        let (mut db, mut families) = open_three(&self.options, path);
        for op in 0..ops {
            match self.rng.u32(..10_000) {
                0..3_450 => self.put(&db, &families),
                3_450..3_500 => self.delete_range(&db, &families),
                3_500..4_500 => self.delete(&db, &families),
                4_500..5_000 => self.merge(&db, &families),
                5_000..5_600 => self.batch(&db, &families),
                5_600..9_000 => self.get(&db, &families),
                9_000..9_300 => self.multi_get_newest(&db, &families),
                9_300..9_600 => self.seek(&db, &families),
                9_600..9_700 => self.prefix_scan(&db, &families),
                9_700..9_800 => self.take_snapshot(&db),
                9_800..9_900 => self.read_snapshot(&db, &families),
                9_900..9_960 => drop(self.pop_snapshot()),
                9_960..9_975 => self.flush(&db, &families),
                9_975..9_978 => self.compact(&db, &families),
                9_978..9_988 => self.scan(&db, &families, &self.maps, None),
                9_988..9_990 => {
                    self.snapshots.clear();
                    drop(families);
                    drop(db);
                    (db, families) = open_three(&self.options, path);
                    self.scan(&db, &families, &self.maps, None);
                }
                _ => assert!(db.property("rocksdb.stats").is_some(), "operation {op}"),
            }
        }
        self.scan(&db, &families, &self.maps, None);
        db.compact_range(&CompactRangeOptions::default(), None, None).unwrap();
        self.scan(&db, &families, &self.maps, None);
    }

    fn key(&mut self) -> Vec<u8> {
        let prefix = self.rng.u32(..PREFIXES);
        let mut key = format!("p{prefix:03}").into_bytes();
        let suffix = self.rng.u32(..SUFFIXES);
        key.extend_from_slice(&b"abcdefghijklmnopqrstuvwxyz"[..(suffix % 7) as usize]);
        key.extend_from_slice(suffix.to_string().as_bytes());
        key
    }

    fn value(&mut self) -> Vec<u8> {
        self.next_value += 1;
        let mut value = format!("v{}", self.next_value).into_bytes();
        if self.rng.u32(..200) == 0 {
            value.resize(self.rng.usize(1..20_000), b'x');
        } else {
            value.resize(value.len() + self.rng.usize(..60), b'.');
        }
        value
    }

    fn family(&mut self) -> usize {
        self.rng.usize(..3)
    }

    fn put(&mut self, db: &Db, families: &[ColumnFamily]) {
        let (cf, key, value) = (self.family(), self.key(), self.value());
        db.put_cf(&wo(), &families[cf], &key, &value).unwrap();
        self.maps[cf].insert(key, value);
    }

    fn delete(&mut self, db: &Db, families: &[ColumnFamily]) {
        let (cf, key) = (self.family(), self.key());
        db.delete_cf(&wo(), &families[cf], &key).unwrap();
        self.maps[cf].remove(&key);
    }

    /// Deletes a range: mostly of a few keys, sometimes of many.
    fn delete_range(&mut self, db: &Db, families: &[ColumnFamily]) {
        if !self.has_range_deletions() {
            return;
        }
        let (cf, (begin, end)) = (self.family(), self.range());
        db.delete_range_cf(&wo(), &families[cf], &begin, &end).unwrap();
        remove_range(&mut self.maps[cf], &begin, &end);
    }

    fn has_range_deletions(&self) -> bool {
        matches!(self.options.cf.table_factory, TableFactory::BlockBased(_))
    }

    fn range(&mut self) -> (Vec<u8>, Vec<u8>) {
        let a = self.key();
        let b = match self.rng.u32(..10) {
            0 => self.key(),
            1 => [&a[..], b"~"].concat(),
            _ => [&a[..4], b"~"].concat(),
        };
        if a < b { (a, b) } else { (b, a) }
    }

    fn merge(&mut self, db: &Db, families: &[ColumnFamily]) {
        let (cf, key) = (self.family(), self.key());
        let operand = format!("m{}", self.rng.u32(..100)).into_bytes();
        db.merge_cf(&wo(), &families[cf], &key, &operand).unwrap();
        merge_into(&mut self.maps[cf], key, &operand);
    }

    fn batch(&mut self, db: &Db, families: &[ColumnFamily]) {
        let mut batch = WriteBatch::new();
        for _ in 0..self.rng.usize(1..20) {
            let (cf, key) = (self.family(), self.key());
            let id = families[cf].id();
            match self.rng.u32(..40) {
                0 if self.has_range_deletions() => {
                    let (begin, end) = self.range();
                    batch.delete_range_cf(id, &begin, &end).unwrap();
                    remove_range(&mut self.maps[cf], &begin, &end);
                }
                0..10 => {
                    batch.delete_cf(id, &key).unwrap();
                    self.maps[cf].remove(&key);
                }
                10..20 => {
                    batch.merge_cf(id, &key, b"b").unwrap();
                    merge_into(&mut self.maps[cf], key, b"b");
                }
                _ => {
                    let value = self.value();
                    batch.put_cf(id, &key, &value).unwrap();
                    self.maps[cf].insert(key, value);
                }
            }
        }
        db.write(&wo(), &mut batch).unwrap();
    }

    fn get(&mut self, db: &Db, families: &[ColumnFamily]) {
        let (cf, key) = (self.family(), self.key());
        let found = db.get_cf(&ReadOptions::default(), &families[cf], &key).unwrap();
        assert_eq!(found.as_ref(), self.maps[cf].get(&key), "get {}", show(&key));
    }

    fn multi_get_newest(&mut self, db: &Db, families: &[ColumnFamily]) {
        let maps = std::mem::take(&mut self.maps);
        self.multi_get(db, families, &ReadOptions::default(), &maps);
        self.maps = maps;
    }

    fn multi_get(&mut self, db: &Db, families: &[ColumnFamily], ro: &ReadOptions, maps: &Maps) {
        let cf = self.family();
        let keys: Vec<Vec<u8>> = (0..self.rng.usize(1..40)).map(|_| self.key()).collect();
        let found = db.multi_get_cf(ro, &families[cf], &keys);
        for (key, value) in keys.iter().zip(found) {
            let value = value.unwrap().map(|v| v.to_vec());
            assert_eq!(value.as_ref(), maps[cf].get(key), "multi_get {}", show(key));
            assert_eq!(db.get_cf(ro, &families[cf], key).unwrap(), value, "get {}", show(key));
        }
    }

    /// A seek somewhere, then a walk that turns around at random, within random bounds.
    fn seek(&mut self, db: &Db, families: &[ColumnFamily]) {
        let (cf, target) = (self.family(), self.key());
        let mut ro = ReadOptions { total_order_seek: true, ..ReadOptions::default() };
        let (mut low, mut high) = (Vec::new(), b"zzzz".to_vec());
        if self.rng.bool() {
            (low, high) = (self.key(), self.key());
            if low > high {
                std::mem::swap(&mut low, &mut high);
            }
            ro.iterate_lower_bound = Some(low.clone());
            ro.iterate_upper_bound = Some(high.clone());
        }
        let entries: Vec<_> = self.maps[cf].range(low..high).collect();
        let mut iter = db.iter_cf(&ro, &families[cf]).unwrap();
        let mut at: Option<usize> = if self.rng.bool() {
            iter.seek(&target);
            Some(entries.partition_point(|(k, _)| **k < target))
        } else {
            iter.seek_for_prev(&target);
            entries.partition_point(|(k, _)| **k <= target).checked_sub(1)
        };
        for _ in 0..self.rng.usize(1..60) {
            let expected = at.and_then(|i| entries.get(i));
            let found = iter.valid().then(|| (iter.key(), iter.value()));
            assert_eq!(found, expected.map(|(k, v)| (&k[..], &v[..])), "from {}", show(&target));
            if found.is_none() {
                break;
            }
            if self.rng.u32(..4) == 0 {
                iter.prev();
                at = at.and_then(|i| i.checked_sub(1));
            } else {
                iter.next();
                at = at.map(|i| i + 1);
            }
        }
        iter.status().unwrap();
    }

    /// All keys of one prefix, as users of prefix extractors read them.
    fn prefix_scan(&mut self, db: &Db, families: &[ColumnFamily]) {
        let (cf, key) = (self.family(), self.key());
        let prefix = &key[..4];
        let ro = ReadOptions { prefix_same_as_start: true, ..ReadOptions::default() };
        let mut iter = db.iter_cf(&ro, &families[cf]).unwrap();
        let mut found = Vec::new();
        iter.seek(prefix);
        while iter.valid() && iter.key().starts_with(prefix) {
            found.push((iter.key().to_vec(), iter.value().to_vec()));
            iter.next();
        }
        iter.status().unwrap();
        let expected: Vec<_> = self.maps[cf]
            .range(prefix.to_vec()..)
            .take_while(|(k, _)| k.starts_with(prefix))
            .map(|(k, v)| (k.clone(), v.clone()))
            .collect();
        assert_eq!(found, expected, "prefix {}", show(prefix));
    }

    fn take_snapshot(&mut self, db: &Db) {
        if self.snapshots.len() < 5 {
            self.snapshots.push((db.snapshot(), self.maps.clone()));
        }
    }

    fn pop_snapshot(&mut self) -> Option<(Snapshot, Maps)> {
        if self.snapshots.is_empty() {
            return None;
        }
        Some(self.snapshots.swap_remove(self.rng.usize(..self.snapshots.len())))
    }

    fn read_snapshot(&mut self, db: &Db, families: &[ColumnFamily]) {
        let Some((snapshot, maps)) = self.pop_snapshot() else { return };
        if self.rng.u32(..10) == 0 {
            self.scan(db, families, &maps, Some(snapshot.sequence()));
        }
        let ro = ReadOptions { snapshot: Some(snapshot.sequence()), ..Default::default() };
        for _ in 0..20 {
            let (cf, key) = (self.family(), self.key());
            let found = db.get_cf(&ro, &families[cf], &key).unwrap();
            assert_eq!(found.as_ref(), maps[cf].get(&key), "snapshot get {}", show(&key));
        }
        self.multi_get(db, families, &ro, &maps);
        self.snapshots.push((snapshot, maps));
    }

    fn flush(&mut self, db: &Db, families: &[ColumnFamily]) {
        db.flush_cf(&FlushOptions::default(), &families[self.family()]).unwrap();
    }

    fn compact(&mut self, db: &Db, families: &[ColumnFamily]) {
        let (cf, a, b) = (self.family(), self.key(), self.key());
        let (begin, end) = if a < b { (a, b) } else { (b, a) };
        let whole = self.rng.bool();
        let range = if whole { (None, None) } else { (Some(&begin[..]), Some(&end[..])) };
        let options = CompactRangeOptions::default();
        db.compact_range_cf(&options, &families[cf], range.0, range.1).unwrap();
    }

    /// Everything, forward and backward.
    fn scan(&self, db: &Db, families: &[ColumnFamily], maps: &Maps, snapshot: Option<u64>) {
        let ro = ReadOptions { snapshot, total_order_seek: true, ..ReadOptions::default() };
        for (family, map) in families.iter().zip(maps) {
            let mut iter = db.iter_cf(&ro, family).unwrap();
            iter.seek_to_first();
            for (key, value) in map {
                let found = iter.valid().then(|| (iter.key(), iter.value()));
                assert_eq!(found, Some((&key[..], &value[..])), "forward, at {}", show(key));
                iter.next();
            }
            assert!(!iter.valid(), "an entry too many: {}", show(iter.key()));
            iter.status().unwrap();
            iter.seek_to_last();
            for (key, value) in map.iter().rev() {
                let found = iter.valid().then(|| (iter.key(), iter.value()));
                assert_eq!(found, Some((&key[..], &value[..])), "backward, at {}", show(key));
                iter.prev();
            }
            assert!(!iter.valid());
            iter.status().unwrap();
        }
    }
}

fn remove_range(map: &mut Map, begin: &[u8], end: &[u8]) {
    let gone: Vec<_> = map.range(begin.to_vec()..end.to_vec()).map(|(k, _)| k.clone()).collect();
    gone.iter().for_each(|key| drop(map.remove(key)));
}

fn merge_into(map: &mut Map, key: Vec<u8>, operand: &[u8]) {
    map.entry(key)
        .and_modify(|value| {
            value.push(b',');
            value.extend_from_slice(operand);
        })
        .or_insert_with(|| operand.to_vec());
}

fn show(key: &[u8]) -> String {
    String::from_utf8_lossy(key).into_owned()
}
