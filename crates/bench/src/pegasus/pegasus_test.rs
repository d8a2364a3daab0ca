//! The matrix, and what the client of rows does to a database.

use super::cases::*;
use super::client::Rows;
use crate::rng::Random64;
use crate::ycsb::client::Client;
use crate::ycsb::properties::Properties;
use crate::ycsb::record::Shape;
use crate::ycsb::workload::Workload;
use std::cell::RefCell;
use std::collections::BTreeSet;

#[test]
fn sizes_and_rate_limiters_are_read_and_written() {
    for (text, size) in
        [("320", 320), ("1KB", 1024), ("20KB", 20480), ("500MB", 500 << 20), ("2GB", 2 << 30)]
    {
        assert_eq!(bytes(text), Some(size));
        assert_eq!(size_text(size), text);
    }
    for bad in ["", "KB", "1 KB", "-1", "1TB", "99999999999999999999", "99999999999GB"] {
        assert_eq!(bytes(bad), None, "{bad}");
    }
    for text in ["off", "500MB", "auto:500MB"] {
        assert_eq!(Limiter::parse(text).unwrap().to_string(), text);
    }
    for bad in ["", "0", "on", "auto", "auto:", "tuned:5MB"] {
        assert!(Limiter::parse(bad).unwrap_err().contains("expected off"), "{bad}");
    }
    assert_eq!(Limiter::Off.flags().len(), 0);
    let flags = Limiter::Auto(7).flags();
    assert_eq!(flags, ["--rate_limiter_bytes_per_sec=7", "--rate_limiter_auto_tuned=true"]);
}

#[test]
fn the_mixes_have_the_published_threads_and_figures() {
    let threads: Vec<usize> = MIXES.iter().map(Mix::published_threads).collect();
    assert_eq!(threads, [45, 150, 90, 45, 45, 90, 150]);
    for mix in &MIXES {
        let (reads, writes) = mix.published;
        assert_eq!((reads.is_some(), writes.is_some()), (mix.reads > 0, mix.writes > 0));
        // The published rates have the shares of the mix.
        if let (Some(reads), Some(writes)) = (reads, writes) {
            let ratio = reads.ops_per_sec as f64 / writes.ops_per_sec as f64;
            let wanted = f64::from(mix.reads) / f64::from(mix.writes);
            assert!((ratio / wanted - 1.0).abs() < 0.01, "{}: {ratio}", mix.name);
        }
        assert_eq!(Mix::find(mix.name).unwrap().name, mix.name);
    }
    assert!(Mix::find("2:1").unwrap_err().contains("expected write, read, 1:1"));
}

/// Notes keys instead of writing.
struct Noted<'a> {
    keys: &'a RefCell<Vec<Vec<Vec<u8>>>>,
}

impl Client for Noted<'_> {
    fn read(&mut self, _: &Shape, _: &[u8], _: Option<usize>) -> crate::target::Result<bool> {
        unreachable!("rows are read with multi_get")
    }
    fn insert(&mut self, _: &Shape, _: &[u8], _: &mut Random64) -> crate::target::Result<()> {
        unreachable!("rows are written with batch_set")
    }
    fn update(
        &mut self,
        _: &Shape,
        _: &[u8],
        _: Option<usize>,
        _: &mut Random64,
    ) -> crate::target::Result<bool> {
        unreachable!("rows are written with batch_set")
    }
    fn scan(
        &mut self,
        _: &Shape,
        _: &[u8],
        _: u64,
        _: Option<usize>,
    ) -> crate::target::Result<u64> {
        unreachable!("no mix scans")
    }
    fn delete(&mut self, _: &Shape, key: &[u8]) -> crate::target::Result<()> {
        self.keys.borrow_mut().push(vec![key.to_vec()]);
        Ok(())
    }
    fn multi_get(&mut self, _: &Shape, keys: &[Vec<u8>]) -> crate::target::Result<u64> {
        self.keys.borrow_mut().push(keys.to_vec());
        Ok(keys.len() as u64)
    }
    fn batch_set(
        &mut self,
        _: &Shape,
        keys: &[Vec<u8>],
        _: &mut Random64,
    ) -> crate::target::Result<()> {
        self.keys.borrow_mut().push(keys.to_vec());
        Ok(())
    }
    fn user_bytes(&self) -> (u64, u64) {
        (0, 0)
    }
}

#[test]
fn a_row_has_three_sort_keys_and_a_batch_writes_to_three_rows() {
    let mut properties = Properties::default();
    for property in ["recordcount=1000", "requestdistribution=zipfian", "zeropadding=20"] {
        properties.assign(property).unwrap();
    }
    let workload = Workload::new(&properties).unwrap();
    let (shape, mut random, mut key) = (&workload.shape, Random64::new(3), Vec::new());
    shape.key(7, &mut key);
    let calls = RefCell::default();
    let mut rows = Rows::new(Box::new(Noted { keys: &calls }), &workload);
    rows.insert(shape, &key, &mut random).unwrap();
    assert!(rows.read(shape, &key, None).unwrap());
    for _ in 0..50 {
        assert!(rows.update(shape, &key, None, &mut random).unwrap());
    }
    rows.delete(&workload.shape, &key).unwrap();
    drop(rows);
    let calls = calls.into_inner();
    let parts = |key: &[u8]| (key[..24].to_vec(), key[24..].to_vec());
    for call in &calls[..2] {
        let made: Vec<_> = call.iter().map(|key| parts(key)).collect();
        assert!(made.iter().all(|(hash_key, _)| *hash_key == key));
        let sort_keys: Vec<&[u8]> = made.iter().map(|(_, sort_key)| &sort_key[..]).collect();
        assert_eq!(sort_keys, [b":0", b":1", b":2"]);
    }
    let (mut first, mut others) = (BTreeSet::new(), BTreeSet::new());
    for call in &calls[2..52] {
        assert_eq!(call.len(), ROW);
        let made: Vec<_> = call.iter().map(|key| parts(key)).collect();
        assert_eq!(made[0].0, key);
        assert!(
            made.iter().all(|(_, sort_key)| *sort_key == made[0].1),
            "one sort key for each row"
        );
        first.insert(made[0].1.clone());
        others.insert(made[1].0.clone());
    }
    assert_eq!(first.len(), ROW, "every sort key gets its turn");
    assert!(others.len() > 10, "the other rows are drawn anew");
    assert_eq!(calls[52..].len(), ROW, "a deletion takes the whole row");
}
