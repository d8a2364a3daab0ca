//! Whether files below a compaction's output may hold a key.
//!
//! A compaction asks for ascending keys, so each level keeps a cursor and an answer mostly costs
//! one comparison per level. Other orders are right too, only slower.

use crate::base::KeyOrder;

/// The user keys from the first to the second, both inclusive.
pub type KeyRange = (Vec<u8>, Vec<u8>);

/// The key ranges of the files in the levels below a compaction's output level.
#[derive(Debug)]
pub struct DeeperFiles {
    order: KeyOrder,
    levels: Vec<Cursor>,
}

#[derive(Debug)]
struct Cursor {
    /// Ascending and disjoint, but for ends that touch.
    files: Vec<KeyRange>,
    /// All files before this one end before the last key asked for.
    at: usize,
}

impl DeeperFiles {
    /// Per level the ranges of its files, ascending. Levels without files may be left out.
    pub fn new(order: KeyOrder, levels: Vec<Vec<KeyRange>>) -> DeeperFiles {
        let occupied = levels.into_iter().filter(|files| !files.is_empty());
        DeeperFiles { order, levels: occupied.map(|files| Cursor { files, at: 0 }).collect() }
    }

    /// Whether there are no files below at all.
    pub fn is_empty(&self) -> bool {
        self.levels.is_empty()
    }

    /// Whether a file below may hold the key.
    pub fn may_hold(&mut self, user_key: &[u8]) -> bool {
        let order = &self.order;
        self.levels.iter_mut().any(|level| level.covers(order, user_key))
    }
}

impl Cursor {
    fn covers(&mut self, order: &KeyOrder, user_key: &[u8]) -> bool {
        let ends_before = |file: &KeyRange| order.compare_user(&file.1, user_key).is_lt();
        if self.at > 0 && !ends_before(&self.files[self.at - 1]) {
            self.at = self.files.partition_point(ends_before);
        }
        while self.files.get(self.at).is_some_and(ends_before) {
            self.at += 1;
        }
        self.files.get(self.at).is_some_and(|f| order.compare_user(&f.0, user_key).is_le())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cursors_agree_with_a_search_of_every_file() {
        for seed in 0..500 {
            let mut rng = fastrand::Rng::with_seed(seed);
            let levels: Vec<Vec<KeyRange>> = (0..rng.usize(0..4))
                .map(|_| {
                    let mut ends: Vec<u8> = (0..2 * rng.usize(0..6)).map(|_| rng.u8(..)).collect();
                    ends.sort_unstable();
                    ends.chunks(2).map(|pair| (vec![pair[0]], vec![pair[1]])).collect()
                })
                .collect();
            let mut deeper = DeeperFiles::new(KeyOrder::bytewise(), levels.clone());
            let mut keys: Vec<u8> = (0..60).map(|_| rng.u8(..)).collect();
            if rng.bool() {
                keys.sort_unstable();
            }
            for key in keys {
                let expected = levels.iter().flatten().any(|f| f.0[0] <= key && key <= f.1[0]);
                assert_eq!(deeper.may_hold(&[key]), expected, "seed {seed}, key {key}");
            }
        }
    }
}
