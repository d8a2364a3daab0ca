use super::*;
use crate::error::Result;
use fastrand::Rng;
use std::collections::BTreeSet;

const PREFIX: &[u8] = b"prefix";

/// A cursor that nobody moves: the tests find the parts themselves.
struct NoRows;

impl RowCursor for NoRows {
    fn seek_to_end(&mut self, _: bool) {}
    fn seek(&mut self, _: &[u8]) {}
    fn seek_for_prev(&mut self, _: &[u8]) {}
    fn step(&mut self, _: bool) {}
    fn item(&self) -> Option<(&[u8], &[u8])> {
        None
    }
    fn status(&self) -> Result<()> {
        Ok(())
    }
}

fn row(number: u32) -> Vec<u8> {
    format!("{number:06}").into_bytes()
}

fn home() -> Home {
    Home::new(Partition(7), PREFIX)
}

fn change(changes: &mut RankChanges, sub: &[u8], delta: i64) {
    changes.add(Partition(7), &[PREFIX, sub].concat(), PREFIX.len(), delta);
}

fn parts(rows: &BTreeSet<Vec<u8>>, block: &Block) -> Blocks {
    let mut divider = Divider::new(&block.start);
    let end = block.end.as_deref();
    let is_inside =
        |row: &&Vec<u8>| row[..] >= *block.start && end.is_none_or(|end| row[..] < *end);
    rows.iter().filter(is_inside).for_each(|row| divider.add(row));
    divider.finish()
}

#[test]
fn changes_during_a_division_are_counted() {
    let ranks = RankIndexes::default();
    let mut rows: BTreeSet<Vec<u8>> = (0..5000).map(|number| row(2 * number)).collect();
    let mut random = Rng::with_seed(5);
    ranks.create(&home(), rows.len() as u64);
    for _ in 0..20 {
        // The largest block, which is the only one at first.
        let all = rows.iter().map(|row| ranks.find(&home(), row).unwrap());
        let block = all.max_by_key(|block| block.count).unwrap();
        let seen = rows.clone();
        let division = ranks.begin_division(&home(), block.clone(), Box::new(NoRows), 6).unwrap();
        let other = ranks.begin_division(&home(), block.clone(), Box::new(NoRows), 6);
        assert!(other.is_none(), "one at a time");
        for _ in 0..300 {
            let (mut changes, changed) = (RankChanges::default(), row(random.u32(..10_000)));
            let delta = if rows.remove(&changed) { -1 } else { 1 };
            if delta > 0 {
                rows.insert(changed.clone());
            }
            change(&mut changes, &changed, delta);
            ranks.apply(&changes);
        }
        ranks.end_division(&division, Some(parts(&seen, &block)));
        for _ in 0..50 {
            let sub = row(random.u32(..10_000));
            let block = ranks.find(&home(), &sub).unwrap();
            assert_eq!(block.before, rows.range(..block.start.to_vec()).count() as u64);
        }
    }
    assert_eq!(ranks.find_rank(&home(), rows.len() as u64), None);
    let last = ranks.find_rank(&home(), rows.len() as u64 - 1).unwrap();
    assert_eq!((last.before + last.count, last.end), (rows.len() as u64, None));
}

#[test]
fn an_index_that_disagrees_with_itself_is_dropped() {
    let ranks = RankIndexes::default();
    let mut changes = RankChanges::default();
    change(&mut changes, b"a", -1);
    ranks.apply(&changes);
    ranks.create(&home(), 0);
    assert!(ranks.has(&home()));
    ranks.apply(&changes);
    assert!(ranks.is_empty() && ranks.sizes() == (0, 0));
    // A division of an index that is gone, or of another one, has no effect.
    ranks.create(&home(), 10);
    let block = ranks.find(&home(), b"").unwrap();
    let division = ranks.begin_division(&home(), block.clone(), Box::new(NoRows), 6).unwrap();
    ranks.create(&home(), 20);
    ranks.end_division(&division, Some(Blocks::whole(10)));
    assert_eq!(ranks.find(&home(), b"").unwrap().count, 20);
    // A failed one leaves the block as it is.
    let division = ranks.begin_division(&home(), block, Box::new(NoRows), 6).unwrap();
    ranks.end_division(&division, None);
    assert_eq!(ranks.find(&home(), b"").unwrap().count, 20);
}

#[test]
fn readers_that_divide_at_once_keep_the_index() {
    let ranks = RankIndexes::default();
    let rows: BTreeSet<Vec<u8>> = (0..5000).map(row).collect();
    ranks.create(&home(), 5000);
    let whole = ranks.find(&home(), b"").unwrap();
    ranks.divide(&home(), &whole, parts(&rows, &whole));
    let (divided, size) = (ranks.find(&home(), &row(3000)).unwrap(), ranks.sizes());
    assert!(divided.count < 5000);
    // Another reader found no index, or the same block, before.
    ranks.create(&home(), 5000);
    assert_eq!((ranks.find(&home(), &row(3000)), ranks.sizes()), (Some(divided.clone()), size));
    let stale = Block { start: divided.start.clone(), ..whole };
    ranks.divide(&home(), &stale, parts(&rows, &stale));
    assert_eq!((ranks.find(&home(), &row(3000)), ranks.sizes()), (Some(divided), size));
    ranks.create(&home(), 4999);
    assert_eq!(ranks.find(&home(), b"").unwrap().count, 4999, "another number of rows");
}

#[test]
fn rows_that_go_give_memory_back() {
    let ranks = RankIndexes::default();
    ranks.create(&home(), 5000);
    let (empty, whole) = (ranks.sizes(), ranks.find(&home(), b"").unwrap());
    ranks.divide(&home(), &whole, parts(&(0..5000).map(row).collect(), &whole));
    assert!(ranks.sizes().1 > empty.1);
    let mut changes = RankChanges::default();
    (0..5000).for_each(|number| change(&mut changes, &row(number), -1));
    ranks.apply(&changes);
    assert_eq!(ranks.sizes(), empty);
    assert!(changes.list.capacity() > CHANGES_KEPT);
    changes.clear();
    assert!(changes.is_empty() && changes.list.capacity() <= CHANGES_KEPT);
}

#[test]
fn too_many_changes_drop_their_indexes() {
    let ranks = RankIndexes::default();
    let (other, untouched) = (Home::new(Partition(8), PREFIX), Home::new(Partition(9), PREFIX));
    [&home(), &other, &untouched].into_iter().for_each(|home| ranks.create(home, 1_000_000));
    let mut changes = RankChanges::default();
    (0..CHANGES_MAX).for_each(|_| change(&mut changes, b"a", 1));
    assert_eq!(changes.below(&home(), b"b"), Some(CHANGES_MAX as i64));
    assert_eq!(changes.below(&home(), b"a"), Some(0));
    assert!(!changes.may_have(&other));
    // The list is full: from here on, only the names of indexes are noted.
    let row = [PREFIX, b"a"].concat();
    changes.add(Partition(8), &row, PREFIX.len(), 1);
    assert_eq!(changes.below(&home(), b"b"), Some(CHANGES_MAX as i64));
    assert!(changes.below(&other, b"b").is_none() && changes.may_have(&other));
    assert!(!changes.may_have(&untouched));
    ranks.apply(&changes);
    assert!(ranks.has(&home()) && !ranks.has(&other) && ranks.has(&untouched));
    assert_eq!(ranks.find(&home(), b"").unwrap().count, 1_000_000 + CHANGES_MAX as u64);
    // An index that is in both is dropped.
    change(&mut changes, b"a", 1);
    assert!(changes.below(&home(), b"b").is_none() && changes.may_have(&home()));
    ranks.apply(&changes);
    assert!(!ranks.has(&home()) && ranks.has(&untouched));
    for partition in 0..=LOST_MAX as u32 {
        changes.add(Partition(100 + partition), &row, PREFIX.len(), 1);
    }
    assert!(changes.may_have(&untouched));
    ranks.apply(&changes);
    assert!(ranks.is_empty() && ranks.sizes() == (0, 0));
    changes.clear();
    assert!(changes.below(&home(), b"b") == Some(0) && !changes.may_have(&home()));
}

#[test]
fn memory_is_bounded() {
    let ranks = RankIndexes::default();
    // Ten blocks, whose beginnings have a megabyte each.
    let (mut divider, mut long) = (Divider::new(b""), vec![b'x'; 1 << 20]);
    for number in 0..10 * BLOCK_ROWS as u32 {
        long.truncate(1 << 20);
        long.extend(row(number));
        divider.add(&long);
    }
    let parts = divider.finish();
    let homes: Vec<_> = (0..10).map(|at| Home::new(Partition(at), PREFIX)).collect();
    for home in &homes {
        ranks.create(home, parts.total());
        let block = ranks.find(home, b"").unwrap();
        ranks.divide(home, &block, parts.clone());
    }
    let (count, bytes) = ranks.sizes();
    assert!((1..10).contains(&count) && bytes <= MEMORY_MAX, "{count} {bytes}");
    assert!(ranks.has(&homes[9]) && !ranks.has(&homes[0]), "the oldest ones go");
}

#[test]
fn an_index_that_does_not_fit_stays_one_block() {
    let ranks = RankIndexes::default();
    // Blocks whose beginnings have eight megabytes each.
    let mut divider = Divider::new(b"");
    let (mut long, rows) = (vec![b'x'; 8 << 20], 10 * BLOCK_ROWS);
    for number in 0..rows as u32 {
        long.truncate(8 << 20);
        long.extend(row(number));
        divider.add(&long);
    }
    let parts = divider.finish();
    assert!(parts.bytes() > MEMORY_MAX);
    let small = Home::new(Partition(1), PREFIX);
    ranks.create(&small, 7);
    ranks.create(&home(), rows);
    let block = ranks.find(&home(), b"").unwrap();
    assert!(!ranks.is_too_large(&home()));
    ranks.divide(&home(), &block, parts);
    assert!(ranks.is_too_large(&home()) && !ranks.is_too_large(&small));
    assert_eq!(ranks.find(&home(), b"x"), Some(block));
    assert!(ranks.has(&small) && ranks.sizes().1 < 1000, "{:?}", ranks.sizes());
    // With half of the rows it is tried again.
    let mut changes = RankChanges::default();
    (0..=rows / 2).for_each(|_| change(&mut changes, b"x", -1));
    ranks.apply(&changes);
    assert!(!ranks.is_too_large(&home()));
}
