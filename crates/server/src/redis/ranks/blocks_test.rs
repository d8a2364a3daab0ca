use super::*;
use fastrand::Rng;
use std::collections::BTreeSet;

fn divided(rows: &BTreeSet<Vec<u8>>, start: &[u8], end: Option<&[u8]>) -> Blocks {
    let mut divider = Divider::new(start);
    let is_inside = |row: &&Vec<u8>| row[..] >= *start && end.is_none_or(|end| row[..] < *end);
    rows.iter().filter(is_inside).for_each(|row| divider.add(row));
    divider.finish()
}

fn random_row(random: &mut Rng) -> Vec<u8> {
    (0..random.usize(1..6)).map(|_| random.u8(..) & 0x83).collect()
}

#[test]
fn separators_are_short_and_above() {
    for (below, above, expected) in
        [("abc", "abd", "abd"), ("abcdef", "axy", "ax"), ("ab", "abcd", "abc"), ("", "zz", "z")]
    {
        assert_eq!(separator(below.as_bytes(), above.as_bytes()), expected.as_bytes());
    }
}

#[test]
fn counts_follow_random_changes_and_divisions() {
    let mut random = Rng::with_seed(3);
    let mut rows: BTreeSet<Vec<u8>> = (0..3000).map(|_| random_row(&mut random)).collect();
    let mut blocks = Blocks::whole(rows.len() as u64);
    assert!(blocks.divide((b"", None), divided(&rows, b"", None)));
    let first = blocks.counts.len();
    assert!(first > 3);
    for _ in 0..20_000 {
        let row = random_row(&mut random);
        let delta = if rows.remove(&row) { -1 } else { 1 };
        if delta > 0 {
            rows.insert(row.clone());
        }
        assert!(blocks.add(&row, delta));
        let sub = random_row(&mut random);
        let block = blocks.of(&sub);
        let below = |sub: &[u8]| rows.range(..sub.to_vec()).count() as u64;
        assert!(
            block.start[..] <= sub[..] && block.end.as_ref().is_none_or(|end| sub[..] < end[..])
        );
        assert_eq!(block.before, below(&block.start));
        let end = block.end.as_deref();
        assert_eq!(block.before + block.count, end.map_or(rows.len() as u64, below));
        if block.count > 2 * BLOCK_ROWS {
            assert!(blocks.divide((&block.start, end), divided(&rows, &block.start, end)));
        }
        let rank = random.u64(..rows.len() as u64 + 1);
        match rows.iter().nth(rank as usize) {
            Some(row) => assert_eq!(blocks.with_rank(rank), Some(blocks.of(row))),
            None => assert_eq!(blocks.with_rank(rank), None),
        }
    }
    assert!(blocks.counts.len() > first && blocks.total() == rows.len() as u64);
}

#[test]
fn divisions_of_what_changed_are_refused() {
    let rows: BTreeSet<Vec<u8>> = (0..2000u16).map(|row| row.to_be_bytes().to_vec()).collect();
    let mut blocks = Blocks::whole(7);
    assert!(blocks.divide((b"", None), divided(&rows, b"", None)), "all rows are counted anew");
    let before = blocks.clone();
    let block = blocks.of(&[3, 0]);
    let end = block.end.as_deref();
    assert!(!blocks.divide((&block.start, end), Blocks::whole(block.count + 1)));
    assert!(!blocks.divide((&block.start, None), divided(&rows, &block.start, end)));
    assert!(!blocks.divide((&[3, 0, 1], end), divided(&rows, &block.start, end)));
    assert_eq!(blocks, before);
    assert!(!Blocks::whole(0).add(b"x", -1));
    assert_eq!(Blocks::whole(0).with_rank(0), None);
}
