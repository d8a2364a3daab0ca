//! Processes killed in the middle of writes, flushes, compactions and recoveries.
//!
//! A round: a child opens the directory and its threads write until it is killed, at a random
//! moment. Then recovery is killed a few times as well. Then RocksDB reads a copy, and we the
//! original: both must find, for each thread, exactly its acknowledged batches, with or without the
//! one that was in flight, and the same. The next round goes on in the same directory, sometimes
//! with RocksDB as the writer.
//!
//! `FERROLITH_CRASH_ROUNDS` says how many rounds (12 without), `FERROLITH_CRASH_SEED` repeats the
//! choices of a run; when a process dies cannot be repeated.

use crate::children::{complaint, copy_dir, dump, keep, start, wait_for_word};
use fastrand::Rng;
use ferrolith_interop::dump::difference;
use ferrolith_interop::ledger::Ledger;
use ferrolith_interop::steps::Step;
use ferrolith_interop::store::{Engine, Setup};
use ferrolith_interop::workload::{Family, Merges, Model, Op, Ranges, Shape, Workload};
use std::path::PathBuf;
use std::process::Child;
use std::time::Duration;

/// Rounds in one directory.
const ROUNDS_PER_DIRECTORY: u32 = 4;

const SMALL: &str = "write_buffer_size=64K;target_file_size_base=64K;max_bytes_for_level_base=256K;\
    level0_file_num_compaction_trigger=2";

fn number(name: &str) -> Option<u64> {
    Some(std::env::var(name).ok()?.parse().unwrap())
}

/// Each memtable with each table format, and CuckooTable.
fn forms() -> Vec<(&'static str, &'static str)> {
    // For the last option see `Form::plain`.
    let plain = "table_factory={id=PlainTable;user_key_len=16};compression=kNoCompression;\
        max_sequential_skip_in_iterations=1000000";
    let cuckoo = "table_factory={id=CuckooTable};compression=kNoCompression";
    let block = "block_based_table_factory={filter_policy=bloomfilter:10}";
    ["skip_list", "prefix_hash:500", "hash_linkedlist:500", "vector"]
        .into_iter()
        .flat_map(|memtable| [(memtable, block), (memtable, plain)])
        .chain([("skip_list", cuckoo)])
        .collect()
}

/// What else directories differ in: options of the database.
const DB_CHOICES: [&str; 9] = [
    "max_background_jobs=4;max_subcompactions=3",
    "avoid_flush_during_recovery=true",
    "max_total_wal_size=150K",
    "max_manifest_file_size=2000",
    "wal_bytes_per_sync=16K;bytes_per_sync=16K",
    "max_open_files=20",
    "allow_mmap_reads=true",
    "use_direct_io_for_flush_and_compaction=true;compaction_readahead_size=20000",
    "enable_pipelined_write=false",
];

/// The same of column families.
const CF_CHOICES: [&str; 8] = [
    "max_write_buffer_number=6;min_write_buffer_number_to_merge=2",
    "write_buffer_size=400K",
    "num_levels=3",
    "level_compaction_dynamic_level_bytes=false",
    "target_file_size_base=16K",
    "memtable_prefix_bloom_size_ratio=0.1",
    "disable_auto_compactions=true",
    "max_successive_merges=3",
];

/// Two of them.
fn choose(choices: &[&str], rng: &mut Rng) -> String {
    let mut choice = || choices[rng.usize(..choices.len())];
    [choice(), choice()].join(";")
}

#[test]
fn acknowledged_writes_survive_kills() {
    let rounds = number("FERROLITH_CRASH_ROUNDS").unwrap_or(12) as u32;
    let seed = number("FERROLITH_CRASH_SEED").unwrap_or_else(|| fastrand::u64(..1 << 40));
    eprintln!("FERROLITH_CRASH_SEED={seed}");
    let mut rng = Rng::with_seed(seed);
    let forms = forms();
    let (mut at, mut batches) = (rng.usize(..forms.len()), 0);
    let mut left = rounds;
    while left > 0 {
        let here = left.min(ROUNDS_PER_DIRECTORY.min(rounds.div_ceil(4)));
        let mut directory = Directory::new(forms[at % forms.len()], &mut rng);
        for round in 0..here {
            directory.round(&mut rng, &format!("directory {at}, round {round}"));
        }
        batches += directory.threads.iter().map(|thread| thread.done).sum::<u64>();
        left -= here;
        at += 1;
    }
    eprintln!("{rounds} rounds, {batches} batches survived");
}

/// What is known about one writer.
struct Writer {
    thread: u32,
    workload: Workload,
    /// The batch after the last one that is in the model.
    next: Vec<Op>,
    done: u64,
    model: Model,
}

impl Writer {
    fn step(&mut self) {
        self.model.apply(&self.next);
        self.next = self.workload.next_batch();
        self.done += 1;
    }
}

/// A directory and what must be in it.
struct Directory {
    root: Option<tempfile::TempDir>,
    setup: Setup,
    ledger: PathBuf,
    seed: u64,
    threads: Vec<Writer>,
}

impl Directory {
    fn new((memtable, table): (&str, &str), rng: &mut Rng) -> Directory {
        let root = tempfile::tempdir().unwrap();
        let even = table.contains("CuckooTable");
        let mapped = even || table.contains("PlainTable");
        let prefixes = mapped || memtable.contains("hash") || rng.bool();
        let shape = Shape {
            families: rng.usize(1..4),
            fixed: prefixes,
            even,
            merges: if !even && rng.bool() { Merges::Add } else { Merges::None },
            ranges: if mapped { Ranges::None } else { Ranges::Keys },
            slots: 500,
            value_max: 70_000,
        };
        // RocksDB's seek in a CuckooTable reads past a target that is shorter than the keys.
        let extractor = if prefixes && !even { "rocksdb.FixedPrefix.8" } else { "nullptr" };
        let concurrent = memtable == "skip_list";
        let setup = Setup {
            dir: root.path().join("db"),
            db: format!(
                "allow_mmap_reads={mapped};allow_concurrent_memtable_write={concurrent};{}",
                choose(&DB_CHOICES, rng)
            ),
            cf: format!(
                "{SMALL};{};merge_operator=uint64add;prefix_extractor={extractor};\
                 memtable_factory={memtable};{table}",
                choose(&CF_CHOICES, rng)
            ),
            shape,
        };
        let seed = rng.u64(..1 << 40);
        let threads = (0..rng.u32(1..5)).map(|thread| {
            let mut workload = Workload::new(shape, seed, thread);
            let next = workload.next_batch();
            Writer { thread, workload, next, done: 0, model: Model::new(&shape) }
        });
        let (ledger, threads) = (root.path().join("ledger"), threads.collect());
        Directory { root: Some(root), setup, ledger, seed, threads }
    }

    fn round(&mut self, rng: &mut Rng, when: &str) {
        let writer = if rng.u32(..4) == 0 { Engine::Rocksdb } else { Engine::Ferrolith };
        let threads = self.threads.len() as u32;
        let torture = Step::Torture { seed: self.seed, threads, ledger: self.ledger.clone() };
        let mut child = start(writer, &self.setup, &[torture]);
        // Mostly killed at work, sometimes while it opens.
        if rng.u32(..5) != 0 {
            wait_for_word(&mut child, "open");
        }
        let mut result = kill_after(&mut child, Duration::from_millis(rng.u64(..700)));
        for _ in 0..rng.u32(..4) {
            let engine = if rng.u32(..4) == 0 { Engine::Rocksdb } else { Engine::Ferrolith };
            let delay = Duration::from_millis(rng.u64(..60));
            let recovery = || start(engine, &self.setup, &[Step::Park]);
            result = result.and_then(|()| kill_after(&mut recovery(), delay));
        }
        if let Err(error) = result.and_then(|()| self.check()) {
            keep(self.root.take().unwrap());
            panic!(
                "{when}, written by {writer:?} with {:?}, {threads} threads: {error}",
                self.setup
            );
        }
    }

    /// RocksDB on a copy, then we on the original.
    fn check(&mut self) -> Result<(), String> {
        let copy = tempfile::tempdir().unwrap();
        if self.setup.dir.exists() {
            copy_dir(&self.setup.dir, copy.path());
        }
        let there = Setup { dir: copy.path().into(), ..self.setup.clone() };
        let theirs = dump(Engine::Rocksdb, &there).map_err(|e| format!("RocksDB: {e}"))?;
        self.accept(&theirs).map_err(|e| format!("RocksDB: {e}"))?;
        let ours = dump(Engine::Ferrolith, &self.setup).map_err(|e| format!("we: {e}"))?;
        for (family, (ours, theirs)) in ours.iter().zip(&theirs).enumerate() {
            if let Some(difference) = difference(ours, theirs) {
                return Err(format!("we against RocksDB, family {family}: {difference}"));
            }
        }
        Ok(())
    }

    /// Checks what was found against the ledger, and takes over which batches in flight are there.
    fn accept(&mut self, found: &[Family]) -> Result<(), String> {
        let ledger = Ledger::open(&self.ledger)?;
        for writer in &mut self.threads {
            let acknowledged = ledger.acknowledged(writer.thread)?;
            while writer.done < acknowledged {
                writer.step();
            }
            let own: Vec<Family> =
                found.iter().map(|f| own_keys(f, &self.setup.shape, writer.thread)).collect();
            if own != writer.model.families {
                let without = describe(&own, &writer.model);
                writer.step();
                if own != writer.model.families {
                    return Err(format!(
                        "thread {} after {acknowledged} acknowledged batches: {without}; with the \
                         batch in flight: {}",
                        writer.thread,
                        describe(&own, &writer.model)
                    ));
                }
            }
            ledger.acknowledge(writer.thread, writer.done)?;
        }
        let total: usize = found.iter().map(Family::len).sum();
        let expected: usize =
            self.threads.iter().flat_map(|w| &w.model.families).map(Family::len).sum();
        if total == expected { Ok(()) } else { Err(format!("{total} keys, expected {expected}")) }
    }
}

fn own_keys(family: &Family, shape: &Shape, thread: u32) -> Family {
    let own = family.iter().filter(|(key, _)| shape.owner(key) == thread);
    own.map(|(key, value)| (key.clone(), value.clone())).collect()
}

fn describe(found: &[Family], expected: &Model) -> String {
    let families = found.iter().zip(&expected.families).enumerate();
    let differences = families
        .filter_map(|(n, (a, b))| difference(a, b).map(|text| format!("family {n}: {text}")));
    differences.collect::<Vec<_>>().join(", ")
}

/// Kills a child; one that has ended before did so because something was wrong.
fn kill_after(child: &mut Child, delay: Duration) -> Result<(), String> {
    std::thread::sleep(delay);
    if let Some(status) = child.try_wait().unwrap() {
        return Err(format!("a child ended by itself, {status}: {}", complaint(child)));
    }
    child.kill().unwrap();
    child.wait().unwrap();
    Ok(())
}
