use super::*;
use crate::base::ValueType;
use crate::base::key::{append_internal_key, pack_trailer};
use crate::compaction::plan::CompactionReason;
use crate::compress::CompressionType;

fn file(number: u64, smallest: &str, largest: &str, size: u64) -> Arc<FileMeta> {
    let key = |k: &str| {
        let mut key = Vec::new();
        append_internal_key(&mut key, k.as_bytes(), pack_trailer(1, ValueType::Value));
        key
    };
    Arc::new(FileMeta::new(number, size, key(smallest), key(largest)))
}

fn plan(grandparents: &[(&str, &str, u64)], target: u64, overlap: u64) -> CompactionPlan {
    let files = grandparents.iter().enumerate().map(|(i, g)| file(i as u64, g.0, g.1, g.2));
    CompactionPlan {
        id: 0,
        cf_id: 0,
        start_level: 1,
        output_level: 2,
        output_path: 0,
        inputs: Vec::new(),
        grandparents: files.collect(),
        target_file_size: target,
        max_file_size: u64::MAX,
        max_compaction_bytes: overlap,
        compression: CompressionType::None,
        bottommost: false,
        trivial_move: false,
        deletion: false,
        reason: CompactionReason::LevelMaxLevelSize,
        score: 1.0,
    }
}

/// Writes keys of 10 bytes each; a bar marks the end of a file.
fn outputs(plan: &CompactionPlan, keys: &str) -> String {
    let mut cutter = OutputCutter::new(plan, &KeyOrder::bytewise());
    let (mut out, mut size) = (String::new(), 0);
    for key in keys.chars() {
        if cutter.should_cut(key.to_string().as_bytes(), size) {
            assert!(cutter.should_cut(key.to_string().as_bytes(), size), "the answer stays");
            cutter.cut();
            out.push('|');
            size = 0;
        }
        out.push(key);
        size += 10;
    }
    out
}

#[test]
fn without_grandparents_size_decides() {
    assert_eq!(outputs(&plan(&[], 30, 1000), "abcdefgh"), "abc|def|gh");
    let mut stays_on_0 = plan(&[], u64::MAX, 1000);
    stays_on_0.output_level = 0;
    assert_eq!(outputs(&stays_on_0, "abcdefgh"), "abcdefgh");
    stays_on_0.max_file_size = 40;
    assert_eq!(outputs(&stays_on_0, "abcdefgh"), "abcd|efgh");
}

#[test]
fn a_boundary_ends_a_file_that_is_full_enough() {
    let below = [("a", "d", 1), ("e", "m", 1), ("n", "z", 1)];
    // Full at 100: at 'e' the size is 40, too little; it may grow to 200 until 'n' ends it.
    assert_eq!(outputs(&plan(&below, 100, 1000), "abcdefghijklmnopq"), "abcdefghijklm|nopq");
    // Full at 60: 40 is enough.
    assert_eq!(outputs(&plan(&below, 60, 1000), "abcdefghijklmnopq"), "abcd|efghijklm|nopq");
    // Twice the target size ends a file even inside a grandparent.
    assert_eq!(outputs(&plan(&[("a", "z", 1)], 20, 1000), "abcdefghij"), "abcd|efgh|ij");
}

#[test]
fn overlap_ends_a_file() {
    let below = [("a", "b", 300), ("c", "d", 300), ("e", "f", 300), ("g", "h", 300)];
    assert_eq!(outputs(&plan(&below, 1000, 1000), "abcdefgh"), "abcdef|gh");
}

#[test]
fn a_grandparent_that_is_jumped_over_stays_apart() {
    let below = [("a", "b", 100), ("d", "e", 100), ("g", "h", 100)];
    assert_eq!(outputs(&plan(&below, 400, 10_000), "abgh"), "ab|gh");
    let small = [("a", "b", 100), ("d", "e", 10), ("g", "h", 10)];
    assert_eq!(outputs(&plan(&small, 400, 10_000), "abgh"), "abgh");
    // Grandparents before the first key do not count.
    assert_eq!(outputs(&plan(&below, 400, 210), "gh"), "gh");
}
