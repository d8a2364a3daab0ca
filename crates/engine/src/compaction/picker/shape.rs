//! The shape of the tree: target sizes of levels, the deviation from them, and the cost of reaching
//! them.

use super::max_file_size;
use crate::compress::CompressionType;
use crate::options::{ColumnFamilyOptions, CompactionStyle, TableFactory};
use crate::version::{FileMeta, Version};
use std::sync::Arc;

/// With dynamic levels, scores above 1 are multiplied by this factor, so that the score of a level
/// that waits for much data from above can be lowered and still stay above 1.
const SCALE: f64 = 10.0;

/// The target sizes of levels, and the cost of reaching them. They depend only on a version and options, so they are
/// computed once for both.
#[derive(Clone, Debug)]
pub struct LevelTargets {
    /// The level into which level 0 is merged.
    pub base_level: usize,
    /// The size of each level in bytes from which it should shrink; `u64::MAX` if it never should.
    pub bytes: Vec<u64>,
    /// An estimate of the bytes that compactions must read until every level is within its target;
    /// write stalls depend on it.
    pub pending_compaction_bytes: u64,
    /// Levels from 1 to this one have data but are not needed; 0 means none.
    unnecessary_to: usize,
}

/// The tree of a version compared with its targets, without the files that are being compacted.
#[derive(Clone, Debug)]
pub struct LevelShape {
    /// The targets.
    pub targets: Arc<LevelTargets>,
    /// `(level, score)`, the most urgent first. A level with a score of at least 1 should be
    /// compacted.
    pub scores: Vec<(usize, f64)>,
}

/// The deepest level that compactions read and write. With `allow_ingest_behind` the level below it is for files that
/// are ingested behind all others.
pub fn last_level(version: &Version, options: &ColumnFamilyOptions) -> usize {
    let last = version.num_levels() - 1;
    if options.cf_allow_ingest_behind { last.saturating_sub(1) } else { last }
}

impl LevelTargets {
    /// Computes the targets of a version.
    pub fn new(version: &Version, options: &ColumnFamilyOptions) -> LevelTargets {
        let levels = version.num_levels();
        let mut targets = LevelTargets {
            base_level: 1.min(levels - 1),
            bytes: vec![u64::MAX; levels],
            pending_compaction_bytes: 0,
            unnecessary_to: 0,
        };
        if options.level_compaction_dynamic_level_bytes && levels > 1 {
            targets.set_dynamic(version, options);
        } else {
            targets.set_static(options);
        }
        if options.compaction_style == CompactionStyle::Level && levels > 1 {
            targets.pending_compaction_bytes = targets.debt(version, options);
        }
        targets
    }

    fn set_static(&mut self, options: &ColumnFamilyOptions) {
        let additional = &options.max_bytes_for_level_multiplier_additional;
        let mut target = options.max_bytes_for_level_base;
        for (level, slot) in self.bytes.iter_mut().enumerate() {
            if level > 1 {
                let extra = additional.get(level - 1).map_or(1.0, |f| f64::from(*f));
                target = times(times(target, options.max_bytes_for_level_multiplier), extra);
            }
            *slot = target;
        }
    }

    /// Sets sizes from the largest level, whose size is given; each level above is smaller by the multiplier. Levels
    /// that would be smaller than needed are skipped: level 0 is then merged directly into the base level.
    fn set_dynamic(&mut self, version: &Version, options: &ColumnFamilyOptions) {
        let last = last_level(version, options);
        let multiplier = options.max_bytes_for_level_multiplier;
        let largest = (1..=last).map(|l| version.level_bytes(l)).max().unwrap_or(0);
        let Some(first) = (1..=last).find(|l| version.level_bytes(*l) > 0) else {
            self.base_level = last;
            return;
        };
        let base_max = options.max_bytes_for_level_base;
        let base_min = (base_max as f64 / multiplier) as u64;
        // The target of the first level with data if the last level contains `largest` bytes.
        let mut size = largest;
        for level in (first..last).rev() {
            size = (size as f64 / multiplier) as u64;
            if size <= base_min && self.unnecessary_to == 0 {
                self.unnecessary_to = level;
            }
        }
        self.base_level = first;
        let base_size = if size <= base_min {
            base_min + 1
        } else {
            while self.base_level > 1 && size > base_max {
                self.base_level -= 1;
                size = (size as f64 / multiplier) as u64;
            }
            size.clamp(1, base_max)
        };
        let mut size = base_size;
        for level in self.base_level..=last {
            if level > self.base_level {
                size = times(size, multiplier);
            }
            // A level with a target below the first level's would be compacted before level 0.
            self.bytes[level] = size.max(base_max);
        }
    }

    /// Estimates the debt level by level: the excess of a level moves to the next, together with
    /// the part that it overlaps there if data is evenly distributed.
    fn debt(&self, version: &Version, options: &ColumnFamilyOptions) -> u64 {
        let level0 = version.level_bytes(0);
        let trigger = options.level0_file_num_compaction_trigger;
        let many = trigger >= 0 && version.num_files(0) >= trigger.max(1) as usize;
        let triggered = many || level0 >= options.max_bytes_for_level_base;
        let (mut debt, mut moving) = if triggered { (level0, level0) } else { (0, 0) };
        for level in self.base_level..last_level(version, options) {
            let here = version.level_bytes(level);
            if level == self.base_level && triggered {
                debt = debt.saturating_add(here);
            }
            let size = here.saturating_add(moving);
            moving = size.saturating_sub(self.bytes[level]);
            let next = version.level_bytes(level + 1);
            if moving > 0 && next > 0 {
                debt =
                    debt.saturating_add((moving as f64 * (next as f64 / size as f64 + 1.0)) as u64);
            }
        }
        debt
    }

    /// The target size of files of `level`.
    pub fn target_file_size(&self, options: &ColumnFamilyOptions, level: usize) -> u64 {
        let dynamic = options.level_compaction_dynamic_level_bytes && level >= self.base_level;
        let depth = if dynamic { level - self.base_level } else { level };
        let multiplier = f64::from(options.target_file_size_multiplier);
        // The first two sizes are equal: those of level 0 and level 1.
        let size =
            (1..depth).fold(options.target_file_size_base, |size, _| times(size, multiplier));
        size.min(max_file_size(options))
    }
}

impl LevelShape {
    /// Computes the targets of a version and compares it with them.
    pub fn new(version: &Version, options: &ColumnFamilyOptions) -> LevelShape {
        LevelShape::against(Arc::new(LevelTargets::new(version, options)), version, options)
    }

    /// Compares a version with its targets.
    pub fn against(
        targets: Arc<LevelTargets>,
        version: &Version,
        options: &ColumnFamilyOptions,
    ) -> LevelShape {
        let mut shape = LevelShape { targets, scores: Vec::new() };
        if options.compaction_style == CompactionStyle::Level && version.num_levels() > 1 {
            shape.set_scores(version, options);
        }
        shape
    }

    /// The score of a level; 0 for the last level, which is never compacted further.
    pub fn score(&self, level: usize) -> f64 {
        self.scores.iter().find(|s| s.0 == level).map_or(0.0, |s| s.1)
    }

    /// The score of the most urgent level.
    pub fn worst_score(&self) -> f64 {
        self.scores.first().map_or(0.0, |(_, score)| *score)
    }

    fn set_scores(&mut self, version: &Version, options: &ColumnFamilyOptions) {
        let average = AverageValue::of(version);
        let idle = |level: usize| {
            let files = version.files(level).iter().filter(|f| !f.is_being_compacted());
            files.fold(0u64, |sum, f| sum.saturating_add(average.compensated_size(f)))
        };
        let dynamic = options.level_compaction_dynamic_level_bytes;
        self.scores.push((0, self.score_of_level0(version, options, idle(0))));
        // The bytes that will soon arrive from above.
        let mut coming = version.level_bytes(0) as f64;
        for level in 1..last_level(version, options) {
            let (target, bytes) = (self.targets.bytes[level], idle(level));
            let total = version.level_bytes(level);
            let mut score = bytes as f64 / target as f64;
            if dynamic && bytes >= target {
                score = bytes as f64 / (target as f64 + coming) * SCALE;
            }
            if level <= self.targets.unnecessary_to {
                if bytes > 0 {
                    let depth = (self.targets.unnecessary_to - level) as f64;
                    score = score.max(SCALE * (1.001 + 0.001 * depth));
                }
                coming += total as f64;
            } else {
                coming += total.saturating_sub(target) as f64;
            }
            self.scores.push((level, score));
        }
        // Stable: of equal scores, the upper level comes first.
        self.scores.sort_by(|a, b| b.1.total_cmp(&a.1));
    }

    /// The score of level 0. It depends on the number of files, since every read searches each of
    /// them, and on their size, since merges inside level 0 produce few but large files.
    fn score_of_level0(&self, version: &Version, options: &ColumnFamilyOptions, bytes: u64) -> f64 {
        let trigger = options.level0_file_num_compaction_trigger;
        if trigger < 0 {
            return 0.0; // Never.
        }
        let idle = version.files(0).iter().filter(|f| !f.is_being_compacted()).count();
        let by_count = idle as f64 / f64::from(trigger.max(1));
        let base_target = options.max_bytes_for_level_base;
        if !options.level_compaction_dynamic_level_bytes {
            return by_count.max(bytes as f64 / base_target as f64);
        }
        let mut score = by_count;
        if bytes >= base_target {
            score = score.max(1.01);
        }
        let base_target = self.targets.bytes[self.targets.base_level];
        if bytes > base_target {
            // If level 0 is larger than the base level, it comes before the base level.
            let base = version.level_bytes(self.targets.base_level).max(base_target);
            score = score.max(bytes as f64 / base as f64);
        }
        if score > 1.0 { score * SCALE } else { score }
    }
}

/// `size * factor`; `size` if the product is too large.
fn times(size: u64, factor: f64) -> u64 {
    let product = size as f64 * factor;
    if product >= u64::MAX as f64 { size } else { product as u64 }
}

/// The compression of flushed files.
pub fn compression_for_flush(options: &ColumnFamilyOptions) -> CompressionType {
    let is_universal = options.compaction_style == CompactionStyle::Universal;
    // The newest data stays uncompressed, and nothing is newer than a flushed file.
    let newest_is_raw = options.compaction_options_universal.compression_size_percent >= 0;
    match options.table_factory {
        TableFactory::Plain(_) | TableFactory::Cuckoo(_) => CompressionType::None,
        TableFactory::BlockBased(_) if is_universal && newest_is_raw => CompressionType::None,
        TableFactory::BlockBased(_) => {
            options.compression_per_level.first().copied().unwrap_or(options.compression)
        }
    }
}

/// The compression of files of `level`. Only block-based tables are compressed.
pub fn compression_for_level(
    version: &Version,
    options: &ColumnFamilyOptions,
    level: usize,
    base_level: usize,
) -> CompressionType {
    if let TableFactory::Plain(_) | TableFactory::Cuckoo(_) = options.table_factory {
        return CompressionType::None;
    }
    if let Some(codec) = options.bottommost_compression
        && level >= version.deepest_level().unwrap_or(0)
    {
        return codec;
    }
    let per_level = &options.compression_per_level;
    // The list's second entry is for the base level.
    let at = if level == 0 { 0 } else { (level + 1).saturating_sub(base_level) };
    match per_level.get(at.min(per_level.len().saturating_sub(1))) {
        Some(codec) => *codec,
        None => options.compression,
    }
}

/// The size of an average value on disk. A tombstone counts about as much, since it frees one.
pub(super) struct AverageValue(f64);

impl AverageValue {
    pub(super) fn of(version: &Version) -> AverageValue {
        let (mut entries, mut values, mut raw, mut disk) = (0u64, 0u64, 0u64, 0u64);
        for (_, file) in version.all_files() {
            let stats = file.stats();
            if stats.num_entries > 0 {
                entries += stats.num_entries.saturating_sub(stats.num_deletions);
                values += stats.raw_value_size;
                raw += stats.raw_key_size + stats.raw_value_size;
                disk += file.file_size;
            }
        }
        if entries == 0 || raw == 0 {
            return AverageValue(0.0);
        }
        AverageValue(values as f64 / entries as f64 * (disk as f64 / raw as f64))
    }

    /// A file's size, increased if most of its entries are tombstones, and by the bytes that its range tombstones hide
    /// below.
    pub(super) fn compensated_size(&self, file: &FileMeta) -> u64 {
        let stats = file.stats();
        let surplus = stats.num_deletions.saturating_mul(2).saturating_sub(stats.num_entries);
        let bonus = surplus as f64 * self.0 * 2.0;
        let hidden = file.compensated_range_deletion_size;
        file.file_size.saturating_add(bonus as u64).saturating_add(hidden)
    }
}
