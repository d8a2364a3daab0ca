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
            let parts = divided(&rows, &block.start, end);
            assert!(blocks.divide((&block.start, end), parts.clone()));
            // A second reader divided the same block. That of all rows is taken again, to the same effect.
            let after = blocks.clone();
            assert!(blocks.divide((&block.start, end), parts));
            assert_eq!(blocks, after);
        }
        assert_eq!(blocks.bytes(), counted_bytes(&blocks));
        let rank = random.u64(..rows.len() as u64 + 1);
        match rows.iter().nth(rank as usize) {
            Some(row) => assert_eq!(blocks.with_rank(rank), Some(blocks.of(row))),
            None => assert_eq!(blocks.with_rank(rank), None),
        }
    }
    assert!(blocks.counts.len() > first && blocks.total() == rows.len() as u64);
}

/// Returns the memory of blocks, counted anew.
fn counted_bytes(blocks: &Blocks) -> usize {
    blocks.starts.iter().map(|start| BLOCK_BYTES + start.len()).sum()
}

#[test]
fn empty_blocks_are_merged() {
    let rows: BTreeSet<Vec<u8>> = (0..2000u16).map(|row| row.to_be_bytes().to_vec()).collect();
    let whole = divided(&rows, b"", None);
    let all = whole.counts.len();
    let remove = |blocks: &mut Blocks, range: std::ops::Range<u16>| {
        range.for_each(|row| assert!(blocks.add(&row.to_be_bytes(), -1)));
        assert_eq!(blocks.bytes(), counted_bytes(blocks));
        assert_eq!(blocks.starts.len(), blocks.counts.len());
    };
    let mut blocks = whole.clone();
    // The third block: its keys belong to the second one now.
    remove(&mut blocks, 512..767);
    assert_eq!(blocks.counts.len(), all);
    remove(&mut blocks, 767..768);
    assert_eq!(blocks.counts.len(), all - 1);
    assert_eq!(blocks.of(&600u16.to_be_bytes()), blocks.of(&300u16.to_be_bytes()));
    // The first block: the second one begins with the empty sub-key now.
    remove(&mut blocks, 0..256);
    assert_eq!(blocks.counts.len(), all - 2);
    let first = blocks.of(b"");
    assert_eq!((&first.start[..], first.count, first.before), (&b""[..], 256, 0));
    assert_eq!(blocks.with_rank(256).unwrap().start, whole.of(&800u16.to_be_bytes()).start);
    // All others, from the end. One block stays.
    remove(&mut blocks, 768..2000);
    remove(&mut blocks, 256..512);
    assert_eq!(blocks, Blocks::whole(0));
    assert!(!blocks.add(b"x", -1) && blocks.add(b"x", 1));
    // Parts of a block, which begin where the block begins.
    let mut parts = divided(&rows, &[3, 0], None);
    remove(&mut parts, 768..1024);
    assert_eq!(parts.of(&[3, 0]).start[..], [3, 0]);
}

#[test]
fn divisions_of_what_disagrees_are_refused() {
    let rows: BTreeSet<Vec<u8>> = (0..2000u16).map(|row| row.to_be_bytes().to_vec()).collect();
    let mut blocks = Blocks::whole(7);
    assert!(blocks.divide((b"", None), divided(&rows, b"", None)), "all rows are counted anew");
    let before = blocks.clone();
    let block = blocks.of(&[3, 0]);
    let end = block.end.as_deref();
    assert!(!blocks.divide((&block.start, end), Blocks::whole(block.count + 1)));
    assert_eq!(blocks, before);
    // Blocks that are gone are no disagreement, whatever their parts have.
    assert!(blocks.divide((&block.start, None), divided(&rows, &block.start, end)));
    assert!(blocks.divide((&[3, 0, 1], end), Blocks::whole(1)));
    assert_eq!(blocks, before);
    assert!(!Blocks::whole(0).add(b"x", -1));
    assert_eq!(Blocks::whole(0).with_rank(0), None);
}
