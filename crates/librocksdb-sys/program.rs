//! What `cargo x sys` builds on each version of the crate `rocksdb`: families, batches, merges, prefixes, snapshots,
//! checkpoints, backups, transactions, statistics. It panics at the first difference.

use rocksdb::backup::{BackupEngine, BackupEngineOptions, RestoreOptions};
use rocksdb::checkpoint::Checkpoint;
use rocksdb::statistics::{StatsLevel, Ticker};
use rocksdb::{
    ColumnFamilyDescriptor, DB, DBCompressionType, Direction, Env, IteratorMode, MergeOperands,
    OptimisticTransactionDB, Options, SliceTransform, TransactionDB, WriteBatch,
};
use std::path::Path;

#[path = "examples/service.rs"]
mod service;

fn main() {
    let dir = std::env::args_os().nth(1).expect("a directory");
    let dir = Path::new(&dir);
    std::fs::create_dir_all(dir).unwrap();
    families_and_merges(&dir.join("families"));
    compressed(&dir.join("compressed"));
    copies(dir);
    transactions(dir);
    statistics(&dir.join("statistics"));
    refusals(&dir.join("secondary"));
    let place = dir.join("service");
    std::fs::create_dir_all(&place).unwrap();
    service::run(&place).unwrap();
    println!("all good");
}

fn create() -> Options {
    let mut options = Options::default();
    options.create_if_missing(true);
    options.create_missing_column_families(true);
    options
}

fn append(_: &[u8], old: Option<&[u8]>, operands: &MergeOperands) -> Option<Vec<u8>> {
    let mut value = old.unwrap_or_default().to_vec();
    operands.iter().for_each(|operand| value.extend(operand));
    Some(value)
}

fn families_and_merges(path: &Path) {
    let mut merging = create();
    merging.set_merge_operator_associative("append", append);
    merging.set_prefix_extractor(SliceTransform::create(
        "two",
        |key| &key[..2],
        Some(|k| k.len() > 1),
    ));
    let families = [
        ColumnFamilyDescriptor::new("default", create()),
        ColumnFamilyDescriptor::new("m", merging),
    ];
    let db = DB::open_cf_descriptors(&create(), path, families).unwrap();
    let m = db.cf_handle("m").unwrap();

    let snapshot = db.snapshot();
    let mut batch = WriteBatch::default();
    batch.put(b"k", b"v");
    batch.merge_cf(&m, b"aa1", b"x");
    batch.merge_cf(&m, b"aa1", b"y");
    batch.put_cf(&m, b"aa2", b"z");
    batch.put_cf(&m, b"ab1", b"other");
    db.write(batch).unwrap();
    assert_eq!(snapshot.get(b"k").unwrap(), None);
    assert_eq!(db.get(b"k").unwrap().unwrap(), b"v");
    assert_eq!(db.get_cf(&m, b"aa1").unwrap().unwrap(), b"xy");

    db.flush_cf(&m).unwrap();
    let found: Vec<_> =
        db.prefix_iterator_cf(&m, b"aa").map(|pair| pair.unwrap().0).take(2).collect();
    assert_eq!(found, [b"aa1".to_vec().into_boxed_slice(), b"aa2".to_vec().into_boxed_slice()]);
    let mut back = db.iterator_cf(&m, IteratorMode::From(b"ab", Direction::Reverse));
    assert_eq!(&*back.next().unwrap().unwrap().0, b"aa2");
}

fn compressed(path: &Path) {
    use DBCompressionType::{Bz2, Lz4, Snappy, Zlib, Zstd};
    for (number, codec) in [Snappy, Lz4, Zstd, Zlib, Bz2].into_iter().enumerate() {
        let mut options = create();
        options.set_compression_type(codec);
        let db = DB::open(&options, path.with_extension(number.to_string())).unwrap();
        for i in 0..2000_u32 {
            db.put(i.to_be_bytes(), [7; 100]).unwrap();
        }
        db.flush().unwrap();
        assert_eq!(db.iterator(IteratorMode::Start).count(), 2000);
        let size = db.live_files().unwrap()[0].size;
        assert!(size < 100_000, "{codec:?}: {size} bytes");
    }
}

fn copies(dir: &Path) {
    let db = DB::open(&create(), dir.join("original")).unwrap();
    db.put(b"k", b"v").unwrap();
    Checkpoint::new(&db).unwrap().create_checkpoint(dir.join("checkpoint")).unwrap();
    let copy = DB::open_for_read_only(&Options::default(), dir.join("checkpoint"), false).unwrap();
    assert_eq!(copy.get(b"k").unwrap().unwrap(), b"v");

    let options = BackupEngineOptions::new(dir.join("backup")).unwrap();
    let mut engine = BackupEngine::open(&options, &Env::new().unwrap()).unwrap();
    engine.create_new_backup(&db).unwrap();
    let to = dir.join("restored");
    engine.restore_from_latest_backup(&to, &to, &RestoreOptions::default()).unwrap();
    assert_eq!(DB::open_default(&to).unwrap().get(b"k").unwrap().unwrap(), b"v");
}

fn transactions(dir: &Path) {
    let db: TransactionDB =
        TransactionDB::open(&create(), &Default::default(), dir.join("pessimistic")).unwrap();
    let first = db.transaction();
    first.put(b"k", b"1").unwrap();
    assert!(db.put(b"k", b"2").is_err(), "the key is locked");
    first.commit().unwrap();
    assert_eq!(db.get(b"k").unwrap().unwrap(), b"1");

    let db: OptimisticTransactionDB =
        OptimisticTransactionDB::open(&create(), dir.join("optimistic")).unwrap();
    let second = db.transaction();
    second.get_for_update(b"k", true).unwrap();
    second.put(b"k", b"1").unwrap();
    db.put(b"k", b"2").unwrap();
    assert!(second.commit().is_err(), "the key has changed");
}

/// Tickers have other numbers in each version of RocksDB.
fn statistics(path: &Path) {
    let mut options = create();
    options.enable_statistics();
    options.set_statistics_level(StatsLevel::All);
    let db = DB::open(&options, path).unwrap();
    db.put(b"k", b"v").unwrap();
    db.get(b"k").unwrap();
    db.flush().unwrap();
    // Nothing counts any more; what was counted stays with the options.
    drop(db);
    let text = options.get_statistics().unwrap();
    let mut counted = 0;
    for ticker in Ticker::iter() {
        let line = text.lines().find(|line| line.split(' ').next() == Some(ticker.name()));
        let printed =
            line.and_then(|line| line.rsplit(' ').next()).map_or(0, |n| n.parse().unwrap());
        assert_eq!(options.get_ticker_count(*ticker), printed, "{}", ticker.name());
        counted += u32::from(printed > 0);
    }
    assert!(counted > 5, "{text}");
}

fn refusals(path: &Path) {
    let primary = path.with_extension("primary");
    drop(DB::open(&create(), &primary).unwrap());
    let error = DB::open_as_secondary(&Options::default(), primary.as_path(), path).err().unwrap();
    assert!(error.to_string().contains("open_as_secondary"), "{error}");
}
