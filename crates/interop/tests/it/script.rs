//! One sequence of operations for both libraries, whose statistics and LOG are compared.

use ferrolith_interop::figures::{Figures, Move};
use ferrolith_interop::store::{Result, Wal};
use std::path::Path;

pub fn key(i: u32) -> Vec<u8> {
    format!("key{i:06}").into_bytes()
}

pub fn value(i: u32) -> Vec<u8> {
    format!("value{i:06}").repeat(8).into_bytes()
}

/// Two tables on level 0, with overwritten, deleted and merged keys.
pub fn write_two_tables(db: &Figures) -> Result<()> {
    for i in (0..2000).step_by(2) {
        db.put(&key(i), &value(i))?;
    }
    for i in 0..100 {
        db.get(&key(i))?;
    }
    db.flush()?;
    for i in (0..600).step_by(2) {
        db.put(&key(i), &value(i + 1))?;
    }
    for i in (600..700).step_by(2) {
        db.delete(&key(i))?;
    }
    for i in (700..760).step_by(2) {
        db.single_delete(&key(i))?;
    }
    for i in (800..900).step_by(2) {
        db.merge(&key(i), b"x")?;
        db.merge(&key(i), b"y")?;
    }
    db.batch(&[], Some((&key(900), &key(950))))?;
    db.put_with(Wal::Synced, &key(5000), b"synced")?;
    db.put_with(Wal::Skipped, &key(5001), b"not logged")?;
    let batch: Vec<_> = (6000..6010).map(|i| (key(i), value(i))).collect();
    let batch: Vec<_> = batch.iter().map(|(k, v)| (k.as_slice(), v.as_slice())).collect();
    db.batch(&batch, None)?;
    for i in (820..840).chain(910..930) {
        db.get(&key(i))?;
    }
    db.flush()
}

/// Lookups of keys that are there and that are not, and scans both ways.
pub fn read(db: &Figures) -> Result<()> {
    for i in (0..400).chain(590..1000) {
        db.get(&key(i))?;
    }
    db.multi_get(&(0..50).map(key).collect::<Vec<_>>());
    db.scan(&[Move::First, Move::ToTheEnd]);
    let mut back = vec![Move::Last];
    back.extend(std::iter::repeat_n(Move::Prev, 50));
    db.scan(&back);
    let mut seeks = Vec::new();
    for i in (500..1000).step_by(50) {
        seeks.push(Move::Seek(key(i)));
        seeks.extend(std::iter::repeat_n(Move::Next, 5));
    }
    seeks.extend([Move::SeekForPrev(key(777)), Move::Prev]);
    db.scan(&seeks);
    Ok(())
}

/// Everything; `outside` is where a table is made that is taken in.
pub fn run(db: &mut Figures, outside: &Path) -> Result<()> {
    write_two_tables(db)?;
    read(db)?;
    db.compact();
    db.wait()?;
    read(db)?;
    let entries: Vec<_> = (20_000..20_100).map(|i| (key(i), value(i))).collect();
    db.ingest(outside, &entries)?;
    db.get(&key(20_010))?;
    db.reopen()?;
    for i in 0..100 {
        db.get(&key(i))?;
    }
    Ok(())
}
