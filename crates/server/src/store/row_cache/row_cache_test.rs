use super::writes::Marks;
use super::*;
use crate::store::Range;

#[path = "model_test.rs"]
mod model;
#[path = "race_test.rs"]
mod race;
#[path = "loom_test.rs"]
mod with_loom;

const P: Partition = Partition(1);
const SMALL: usize = table::BYTES_MIN;

/// A batch as the store builds it: what the cache notes, and records with a value behind its length and its key.
#[derive(Default)]
struct TestBatch {
    writes: Writes,
    data: Vec<u8>,
}

impl TestBatch {
    fn write(&mut self, cache: &RowCache, key: &[u8], value: Option<&[u8]>) {
        self.data.push(key.len() as u8);
        self.data.extend_from_slice(key);
        if let Some(value) = value {
            crate::rows::redis::write_varint(value.len() as u64, &mut self.data);
            self.data.extend_from_slice(value);
        }
        cache.note_write(&mut self.writes, (P, key), value, self.data.len());
    }

    fn commit(&mut self, cache: &RowCache) {
        cache.mark(&mut self.writes).committed(&self.data);
        self.data.clear();
    }

    fn mark<'a>(&'a mut self, cache: &'a RowCache) -> (Marks<'a>, &'a [u8]) {
        (cache.mark(&mut self.writes), &self.data)
    }
}

fn get(cache: &RowCache, key: &[u8]) -> std::result::Result<Vec<u8>, Option<Ticket>> {
    let mut value = Vec::new();
    cache.get(P, key, &mut |found| value.extend_from_slice(found)).map(|()| value)
}

fn put(cache: &RowCache, key: &[u8], value: &[u8]) {
    let ticket = get(cache, key).unwrap_err().unwrap();
    cache.fill(ticket, P, key, value);
}

fn new() -> RowCache {
    RowCache::new(SMALL).unwrap()
}

#[test]
fn words_keep_bytes_of_all_lengths() {
    use sync::AtomicU64;
    for length in 0..40 {
        let words: Vec<_> = (0..words::count(length)).map(|_| AtomicU64::new(u64::MAX)).collect();
        let bytes: Vec<u8> = (0..length as u8).collect();
        words::store(&words, &bytes);
        let mut out = b"x".to_vec();
        words::append(&words, length, &mut out);
        assert_eq!(out[1..], bytes);
        assert!(words::equal(&words, &bytes));
        for at in 0..length {
            let mut other = bytes.clone();
            other[at] ^= 1;
            assert!(!words::equal(&words, &other), "{at} of {length}");
        }
    }
}

#[test]
fn rows_are_found_by_partition_and_key() {
    let cache = new();
    let long = vec![7; VALUE_MAX];
    for (key, value) in
        [(&b"Mkey"[..], &b"value"[..]), (b"", b""), (b"Mempty", b""), (b"Ml", &long)]
    {
        put(&cache, key, value);
        assert_eq!(get(&cache, key).unwrap(), value);
        assert!(cache.get(Partition(2), key, &mut |_| panic!("another partition")).is_err());
    }
    put(&cache, b"Mlonger", &vec![7; VALUE_MAX + 1]);
    assert!(get(&cache, b"Mlonger").is_err());
    assert!(get(&cache, &[b'M'; KEY_MAX + 1]).unwrap_err().is_none());
    assert!(cache.get(SYSTEM, b"S", &mut |_| {}).unwrap_err().is_none());
    assert_eq!(cache.figure("ferrolith.row-cache-hits"), Some(4));
    assert_eq!(cache.figure("ferrolith.row-cache-misses"), Some(4 + 4 + 1 + 1));
}

fn positions(rest: &Rest) -> Vec<usize> {
    rest.missed.iter().map(|(at, _)| *at).collect()
}

#[test]
fn many_rows_are_found_at_once() {
    let cache = new();
    let keys: Vec<Vec<u8>> = (0..100u8).map(|at| vec![b'M', at]).collect();
    let wanted: Vec<(Partition, &[u8])> = keys.iter().map(|key| (P, &key[..])).collect();
    let rest = cache.get_each(&wanted, &mut |_, _| panic!("nothing is cached"));
    assert!(positions(&rest).into_iter().eq(0..100) && !rest.has_later());
    cache.fill(rest.missed[0].1.unwrap(), P, &keys[0], &[0; 9]);
    for at in (1..100).filter(|at| *at < 10 || at % 3 != 0) {
        put(&cache, &keys[at], &[at as u8; 9]);
    }
    let mut found = Vec::new();
    let mut note = |at, value: &[u8]| {
        assert_eq!(value, [at as u8; 9]);
        found.push(at);
    };
    let rest = cache.get_each(&wanted, &mut note);
    assert!(cache.are_still(&rest));
    note(100, &[100; 9]);
    rest.deliver(&mut note);
    let behind = (13..100).filter(|at| at % 3 != 0);
    assert!(found.into_iter().eq((0..12).chain([100]).filter(|at| *at != 12).chain(behind)));
    assert!(positions(&rest).into_iter().eq((12..100).filter(|at| at % 3 == 0)));
}

#[test]
fn rows_behind_a_missed_one_count_if_they_were_not_written_since() {
    let cache = new();
    for key in [b"Ma", b"Mc", b"Dd"] {
        put(&cache, key, b"old");
    }
    let wanted = [(P, &b"Ma"[..]), (P, b"Mb"), (P, b"Mc"), (P, b"Dd")];
    let look_up = || {
        let mut found = Vec::new();
        let rest = cache.get_each(&wanted, &mut |at, _| found.push(at));
        assert_eq!((found, positions(&rest), rest.has_later()), (vec![0], vec![1], true));
        rest
    };
    let rest = look_up();
    let mut batch = TestBatch::default();
    batch.write(&cache, b"Ma", Some(b"new"));
    batch.commit(&cache);
    assert!(cache.are_still(&rest), "the row before the missed one is of an earlier moment");
    batch.write(&cache, b"Mc", Some(b"new"));
    let (marks, data) = batch.mark(&cache);
    assert!(!cache.are_still(&rest));
    marks.committed(data);
    assert!(!cache.are_still(&rest));
    let rest = look_up();
    let mut batch = TestBatch::default();
    cache.note_range(&mut batch.writes, P, &Range::prefix(b"D"));
    batch.commit(&cache);
    assert!(!cache.are_still(&rest));
}

#[test]
fn commits_replace_rows_that_are_read() {
    let cache = new();
    put(&cache, b"Ma", b"old");
    let mut batch = TestBatch::default();
    batch.write(&cache, b"Ma", Some(b"a new value, which is longer"));
    batch.write(&cache, b"Mb", Some(b"new"));
    batch.commit(&cache);
    assert_eq!(get(&cache, b"Ma").unwrap(), b"a new value, which is longer");
    assert!(get(&cache, b"Mb").unwrap_err().is_some(), "blind writes do not fill");
    batch.write(&cache, b"Ma", Some(&[1; 200]));
    batch.commit(&cache);
    assert_eq!(get(&cache, b"Ma").unwrap(), [1; 200]);
    for value in [b"unread", b"absent"] {
        batch.write(&cache, b"Ma", Some(value));
        batch.commit(&cache);
    }
    assert!(get(&cache, b"Ma").is_err(), "it was written twice and not read");
    put(&cache, b"Ma", b"old");
    batch.write(&cache, b"Ma", Some(&[1; VALUE_MAX + 1]));
    batch.commit(&cache);
    assert!(get(&cache, b"Ma").is_err());
    put(&cache, b"Ma", b"old");
    batch.write(&cache, b"Ma", None);
    batch.commit(&cache);
    assert!(get(&cache, b"Ma").is_err());
}

#[test]
fn rows_that_are_written_are_not_read_nor_filled() {
    let cache = new();
    put(&cache, b"Ma", b"old");
    let before = get(&cache, b"Mb").unwrap_err().unwrap();
    let mut batch = TestBatch::default();
    batch.write(&cache, b"Ma", Some(b"new"));
    batch.write(&cache, b"Mb", Some(b"new"));
    let (marks, data) = batch.mark(&cache);
    assert!(get(&cache, b"Ma").unwrap_err().is_none());
    cache.fill(before, P, b"Mb", b"old");
    assert!(get(&cache, b"Mb").unwrap_err().is_none());
    marks.committed(data);
    assert_eq!(get(&cache, b"Ma").unwrap(), b"new");
    cache.fill(before, P, b"Mb", b"old");
    assert!(get(&cache, b"Mb").is_err(), "a ticket is void after a commit");
}

#[test]
fn failed_commits_leave_no_row() {
    let cache = new();
    put(&cache, b"Ma", b"old");
    let mut batch = TestBatch::default();
    batch.write(&cache, b"Ma", Some(b"new"));
    drop(batch.mark(&cache));
    let ticket = get(&cache, b"Ma").unwrap_err();
    cache.fill(ticket.expect("the mark ended"), P, b"Ma", b"old");
    assert_eq!(get(&cache, b"Ma").unwrap(), b"old");
}

#[test]
fn commits_of_a_row_at_the_same_time_leave_no_row() {
    for order in 0..2 {
        let cache = new();
        put(&cache, b"Ma", b"old");
        let (mut one, mut other) = (TestBatch::default(), TestBatch::default());
        one.write(&cache, b"Ma", Some(b"one"));
        other.write(&cache, b"Ma", Some(b"two"));
        let marks = [one.mark(&cache), other.mark(&cache)];
        let mut marks: Vec<_> = marks.into_iter().collect();
        let (first, data) = marks.remove(order);
        first.committed(data);
        assert!(get(&cache, b"Ma").is_err());
        let (second, data) = marks.remove(0);
        second.committed(data);
        assert!(get(&cache, b"Ma").unwrap_err().is_some(), "the order in the engine is unknown");
    }
}

#[test]
fn a_row_written_twice_by_a_batch_is_its_last_value_or_absent() {
    let cache = new();
    put(&cache, b"Ma", b"old");
    let mut batch = TestBatch::default();
    batch.write(&cache, b"Ma", Some(b"first"));
    batch.write(&cache, b"Ma", Some(b"last"));
    batch.commit(&cache);
    assert_ne!(get(&cache, b"Ma").ok().as_deref(), Some(&b"first"[..]));
    assert_ne!(get(&cache, b"Ma").ok().as_deref(), Some(&b"old"[..]));
}

#[test]
fn range_deletions_forget_their_first_bytes() {
    let cache = new();
    for key in [b"Da", b"Ma", b"Za"] {
        put(&cache, key, b"old");
    }
    let before = get(&cache, b"Mb").unwrap_err().unwrap();
    let mut batch = TestBatch::default();
    cache.note_range(&mut batch.writes, P, &Range::prefix(b"M"));
    let (marks, data) = batch.mark(&cache);
    assert!(get(&cache, b"Ma").unwrap_err().is_none());
    assert!(get(&cache, b"Da").is_ok() && get(&cache, b"Za").is_ok());
    cache.fill(before, P, b"Mb", b"old");
    assert!(get(&cache, b"Mb").is_err());
    marks.committed(data);
    cache.fill(before, P, b"Mb", b"old");
    assert!(get(&cache, b"Ma").is_err() && get(&cache, b"Mb").is_err());
    put(&cache, b"Ma", b"new");
    assert_eq!(get(&cache, b"Ma").unwrap(), b"new");
    cache.note_range(&mut batch.writes, P, &Range::prefix(b"Da"));
    batch.commit(&cache);
    assert!(get(&cache, b"Da").is_err() && get(&cache, b"Ma").is_ok());
    // A row of a batch that deletes a range of its domain as well: which came last is not looked at.
    batch.write(&cache, b"Ma", Some(b"newer"));
    cache.note_range(&mut batch.writes, P, &Range::prefix(b"M"));
    batch.commit(&cache);
    assert!(get(&cache, b"Ma").is_err());
}

#[test]
fn dropped_partitions_and_huge_batches_forget_everything() {
    let cache = new();
    put(&cache, b"Ma", b"old");
    let before = get(&cache, b"Mb").unwrap_err().unwrap();
    cache.forget_partition(Partition(2));
    assert!(get(&cache, b"Ma").is_ok());
    cache.forget_partition(P);
    cache.fill(before, P, b"Mb", b"old");
    assert!(get(&cache, b"Ma").is_err() && get(&cache, b"Mb").is_err());
    put(&cache, b"Ma", b"old");
    let mut batch = TestBatch::default();
    for at in 0..=writes::ROWS_MAX as u8 {
        batch.write(&cache, &[b'M', b'b', at], None);
    }
    batch.commit(&cache);
    assert!(get(&cache, b"Ma").is_err());
}

#[test]
fn memory_is_bounded_and_used_rows_stay() {
    let cache = new();
    let key = |at: u32| [b"M".as_slice(), &at.to_be_bytes()].concat();
    let value = |at: u32| at.to_le_bytes().repeat(1 + at as usize % 40);
    let mut hot = 0;
    for at in 0..100_000 {
        let used = at % 500;
        match get(&cache, &key(used)) {
            Ok(found) => {
                assert_eq!(found, value(used));
                hot += 1;
            }
            Err(ticket) => cache.fill(ticket.unwrap(), P, &key(used), &value(used)),
        }
        match get(&cache, &key(1000 + at)) {
            Ok(_) => panic!("never stored"),
            Err(ticket) => cache.fill(ticket.unwrap(), P, &key(1000 + at), &value(at)),
        }
    }
    assert!(hot > 97_000, "{hot} hits of rows that are read again and again");
    let figure = |name| cache.figure(name).unwrap();
    assert_eq!(figure("ferrolith.row-cache-capacity") as usize / 1024, SMALL / 1024);
    assert!(figure("ferrolith.row-cache-usage") <= figure("ferrolith.row-cache-capacity"));
    assert!(figure("ferrolith.row-cache-usage") as usize > SMALL * 9 / 10);
}

/// A place that is used again may hold any bytes, even those of an entry of the row that was there.
#[test]
fn values_that_look_like_entries_are_not_read() {
    let (cache, key) = (new(), b"Mvictim!");
    let sizes = u64::from(P.0) << 32 | (key.len() as u64) << 16 | 8;
    let fake = [5, sizes, 0, u64::from_le_bytes(*key), u64::from_le_bytes(*b"fakefake")];
    let value: Vec<u8> =
        fake.iter().cycle().take(VALUE_MAX / 8).flat_map(|word| word.to_le_bytes()).collect();
    let mut random = fastrand::Rng::with_seed(3);
    for round in 0..40u32 {
        if let Err(ticket) = get(&cache, key) {
            cache.fill(ticket.unwrap(), P, key, b"original");
        }
        for at in 0..400u32 {
            let other = [b"M".as_slice(), &round.to_le_bytes(), &at.to_le_bytes()].concat();
            put(&cache, &other, &value[..random.usize(2000..VALUE_MAX)]);
        }
        assert_ne!(get(&cache, key).ok().as_deref(), Some(&b"fakefake"[..]));
    }
}
