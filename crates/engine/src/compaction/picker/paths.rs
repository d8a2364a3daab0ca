//! The choice of a data path for the outputs of a compaction.

use crate::options::ColumnFamilyOptions;

/// The path of a level with the leveled policy. Levels fill the paths in order, according to their
/// target sizes; level 0 counts as much as level 1. A level is never divided between paths. Levels
/// that fit into no path use the last one.
pub(super) fn path_of_level(options: &ColumnFamilyOptions, level: usize) -> u32 {
    let paths = &options.cf_paths;
    let last = paths.len().saturating_sub(1);
    let size_of = |level: usize| -> u64 {
        let base = options.max_bytes_for_level_base;
        let additional = &options.max_bytes_for_level_multiplier_additional;
        (1..level).fold(base, |size, below| {
            let more = additional.get(below).copied().unwrap_or(1);
            (size as f64 * options.max_bytes_for_level_multiplier * f64::from(more)) as u64
        })
    };
    let mut path = 0;
    let mut left = paths.first().map_or(u64::MAX, |p| p.target_size);
    for current in 0..=level {
        while path < last && size_of(current) > left {
            path += 1;
            left = paths[path].target_size;
        }
        if path == last {
            break;
        }
        left -= if current < level { size_of(current) } else { 0 };
    }
    path as u32
}

/// The path of an output with the universal policy: the first path that has room for a run of this
/// size and, together with the paths before it, for the newer runs that will arrive before the next
/// merge.
pub(super) fn path_of_size(options: &ColumnFamilyOptions, size: u64) -> u32 {
    let paths = &options.cf_paths;
    let ratio = u64::from(options.compaction_options_universal.size_ratio);
    let to_come = u128::from(size) * u128::from(100u64.saturating_sub(ratio)) / 100;
    let mut before = 0u128;
    let last = paths.len().saturating_sub(1);
    for (id, path) in paths.iter().take(last).enumerate() {
        let room = before + u128::from(path.target_size.saturating_sub(size));
        if path.target_size > size && room > to_come {
            return id as u32;
        }
        before += u128::from(path.target_size);
    }
    last as u32
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::options::DbPath;

    fn options(targets: &[u64]) -> ColumnFamilyOptions {
        let path = |t: &u64| DbPath { path: "/p".into(), target_size: *t };
        ColumnFamilyOptions {
            cf_paths: targets.iter().map(path).collect(),
            max_bytes_for_level_base: 100,
            max_bytes_for_level_multiplier: 10.0,
            ..ColumnFamilyOptions::default()
        }
    }

    fn of_levels(targets: &[u64]) -> Vec<u32> {
        let options = options(targets);
        (0..5).map(|level| path_of_level(&options, level)).collect()
    }

    #[test]
    fn levels_fill_paths_by_their_targets() {
        assert_eq!(of_levels(&[]), [0; 5]);
        assert_eq!(of_levels(&[1]), [0; 5]);
        assert_eq!(of_levels(&[200, 1000, 1]), [0, 0, 1, 2, 2]);
        assert_eq!(of_levels(&[199, 1000, 1]), [0, 1, 2, 2, 2]);
        // If a level does not fit into a path, later levels do not use that path either.
        assert_eq!(of_levels(&[100, 50, 1100, 9]), [0, 2, 2, 3, 3]);
        assert_eq!(of_levels(&[1200, 20_000, 9]), [0, 0, 0, 1, 2]);
        let additional = vec![1, 3];
        let options = ColumnFamilyOptions {
            max_bytes_for_level_multiplier_additional: additional,
            ..options(&[1200, 9])
        };
        assert_eq!(path_of_level(&options, 2), 1, "level 2 has 3000 bytes");
    }

    #[test]
    fn runs_go_where_they_and_their_successors_fit() {
        let options = options(&[100, 1000, 5]);
        assert_eq!(options.compaction_options_universal.size_ratio, 1);
        // 50 bytes are left of 100, and 49 will arrive.
        assert_eq!(path_of_size(&options, 50), 0);
        assert_eq!(path_of_size(&options, 51), 1);
        assert_eq!(path_of_size(&options, 100), 1);
        // 100 + 1000 - 552 = 548 bytes are left, and 546 will arrive.
        assert_eq!(path_of_size(&options, 552), 1);
        assert_eq!(path_of_size(&options, 554), 2);
        assert_eq!(path_of_size(&options, u64::MAX), 2);
        assert_eq!(path_of_size(&ColumnFamilyOptions::default(), 9), 0);
    }
}
