use super::super::layout::NATIVE;
use super::*;

struct Numbers;

static KEYS: [[u8; 4]; 1 << 16] = {
    let mut keys = [[0; 4]; 1 << 16];
    let mut n = 0;
    while n < keys.len() {
        keys[n] = (n as u32).to_be_bytes();
        n += 1;
    }
    keys
};

impl Keys for Numbers {
    fn user_key(&self, entry: u32) -> &[u8] {
        &KEYS[entry as usize]
    }
}

fn layout(table_size: u64, block_size: u32, use_module: bool) -> Layout {
    Layout {
        user_key_len: 4,
        key_len: 4,
        value_len: 0,
        hashes: 2,
        table_size,
        block_size,
        identity_first: false,
        use_module,
        murmur: NATIVE,
    }
}

/// Checks CU1, and that every entry occurs once.
fn check(buckets: &[u32], count: u32, layout: &Layout) {
    for entry in 0..count {
        let mut path = layout.path(&KEYS[entry as usize]);
        let at = path.find(|&b| [entry, FREE].contains(&buckets[b as usize]));
        assert_eq!(at.map(|b| buckets[b as usize]), Some(entry));
    }
    assert_eq!(buckets.iter().filter(|&&entry| entry != FREE).count(), count as usize);
}

#[test]
fn entries_are_placed_where_lookups_find_them() {
    for (count, table_size, block_size, use_module) in [
        (1, 1, 1, true),
        (100, 111, 5, true),
        (1000, 1000, 5, true),
        (1000, 1000, 1, true),
        (60_000, 66_666, 5, true),
        (60_000, 65_536, 1, false),
        (30_000, 60_000, 2, true),
    ] {
        let mut layout = layout(table_size, block_size, use_module);
        let buckets = place(&Numbers, count, &mut layout, 100).unwrap();
        check(&buckets, count, &layout);
        assert!(layout.hashes < 20, "{count} {}", layout.hashes);
    }
}

#[test]
fn a_small_depth_costs_hashes() {
    let hashes = |depth_max| {
        let mut layout = layout(10_000, 1, true);
        let buckets = place(&Numbers, 9000, &mut layout, depth_max).unwrap();
        check(&buckets, 9000, &layout);
        layout.hashes
    };
    assert!(hashes(0) > hashes(100));
}

#[test]
fn more_entries_than_buckets_are_too_many() {
    let e = place(&Numbers, 20, &mut layout(10, 5, true), 100).unwrap_err();
    assert_eq!(e.to_string(), "Not implemented: Too many collisions. Unable to hash.");
    let e = place(&Numbers, 1, &mut layout(u64::MAX, 5, true), 100).unwrap_err();
    assert!(e.to_string().starts_with("Not implemented: Number of keys"), "{e}");
}
