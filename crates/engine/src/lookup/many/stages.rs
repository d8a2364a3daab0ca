//! Staged lookups of many keys in files; see [`crate::sst::Staged`].
//!
//! As in a single lookup, levels are searched from the newest to the oldest, and a key whose answer a level has settled
//! is not searched below it. In level 0 all files are searched at once, because their filters exclude most of them, and
//! the results are settled newest first.

use super::super::Lookup;
use super::super::modes::reads_together;
use super::super::observe::Observe;
use super::together::Together;
use crate::base::LookupKey;
use crate::env::epoch::Guard;
use crate::error::Result;
use crate::iter::GetContext;
use crate::options::ReadOptions;
use crate::sst::{Missing, Staged};
use crate::version::{Level, TableCache};
use smallvec::SmallVec;

/// The search for one key in one file.
struct Walk<'a> {
    /// The index of the key.
    key: u32,
    file: u32,
    /// `None` if the level itself has to look up the key.
    staged: Option<Staged<'a>>,
}

/// The number of searches that take a memory-bound stage together. A block's object occupies four cache lines and an
/// entry three, and a core sustains about two dozen outstanding misses. It drops prefetches beyond that.
const CLUMP: usize = 3;

/// The best number of keys to look up together: enough to keep the core's misses outstanding from stage to stage, and
/// few enough for their state to stay in the first-level cache.
pub(super) const GROUP: usize = 32;

/// For each key of a group, the level that settled its answer, if any. Recorded only for observers.
pub(super) type Levels = [Option<u8>; GROUP];

/// The searches for a group of keys in one level. They are on the stack if each key is in one file.
type Walks<'a> = SmallVec<[Walk<'a>; GROUP]>;

impl<'a> Walk<'a> {
    #[inline(always)]
    fn passes_filter(&mut self) -> bool {
        self.staged.as_mut().is_none_or(Staged::passes_filter)
    }

    #[inline(always)]
    fn descend(&mut self) -> bool {
        self.staged.as_mut().is_some_and(Staged::descend)
    }

    fn missing(&self) -> Option<Missing<'a>> {
        self.staged.as_ref().and_then(Staged::missing)
    }

    /// Completes the search if its block is one of these. Returns whether it did.
    fn settle(
        &self,
        blocks: &Together<'a>,
        key: &LookupKey<'_>,
        ro: &ReadOptions,
        ctx: &mut GetContext<'_>,
    ) -> Result<bool> {
        self.missing().map_or(Ok(false), |missing| blocks.settle(&missing, key, ro, ctx))
    }
}

impl Lookup<'_> {
    /// Looks up each key in the files. Contexts that are done are skipped, and an error is stored in its key's context.
    /// If a lookup is observed, the level that settled an answer is stored in `levels`.
    pub(super) fn search_files<O: Observe>(
        &self,
        keys: &[LookupKey<'_>],
        contexts: &mut [GetContext<'_>],
        guard: &Guard,
        _observer: &O,
        levels: &mut Levels,
    ) {
        let (version, tables) = (&*self.sv.version, &*self.family.tables);
        let mut walks = Walks::new();
        for &n in version.populated() {
            let level = &**version.level(n);
            for (i, key) in keys.iter().enumerate() {
                if !contexts[i].is_done() {
                    let begin = |file, staged| {
                        walks.push(Walk { key: i as u32, file: file as u32, staged });
                    };
                    level.stage(key, n == 0, begin);
                }
            }
            walks.retain(|walk| walk.passes_filter());
            while walks.iter_mut().fold(false, |more, walk| walk.descend() | more) {}
            let mut finish = |walk: &Walk<'_>, together: Option<&Together<'_>>| {
                let (key, ctx) = (&keys[walk.key as usize], &mut contexts[walk.key as usize]);
                if ctx.is_done() {
                    return;
                }
                let settled =
                    together.map_or(Ok(false), |blocks| walk.settle(blocks, key, self.ro, ctx));
                let settled = settled.and_then(|done| match done {
                    true => Ok(()),
                    false => settle(level, n == 0, walk, key, self.ro, ctx, tables),
                });
                if let Err(e) = settled {
                    ctx.fail(e);
                }
                if O::OBSERVES && ctx.is_done() {
                    levels[walk.key as usize] = Some(n as u8);
                }
            };
            if reads_together(self.ro) {
                settle_together(&mut walks, guard, self.ro, finish);
            } else {
                roll(&mut walks, guard, |walk| finish(walk, None));
            }
            walks.clear();
        }
    }
}

/// Like [`roll`], but lookups whose blocks are not cached are settled last, after these blocks were read at the same
/// time. Lookups of one key stay in their order: in level 0, its newest file decides first.
#[inline]
fn settle_together<'a>(
    walks: &mut [Walk<'a>],
    guard: &'a Guard,
    ro: &ReadOptions,
    mut finish: impl FnMut(&Walk<'a>, Option<&Together<'a>>),
) {
    // Walks that wait, by their positions, and the key of the last of them.
    let (mut waiting, mut last) = (SmallVec::<[usize; GROUP]>::new(), None);
    let mut at = 0;
    roll(walks, guard, |walk| {
        if last == Some(walk.key) || walk.missing().is_some() {
            waiting.push(at);
            last = Some(walk.key);
        } else {
            finish(walk, None);
        }
        at += 1;
    });
    if !waiting.is_empty() {
        let waiting = waiting.iter().filter_map(|&at| walks.get(at)).collect();
        settle_missing(waiting, ro, finish);
    }
}

/// Reads the blocks that these walks wait for, and settles the walks. If the walks of one key follow each other, only
/// the block of the first is read ahead, because it may decide.
#[inline(never)]
fn settle_missing<'w, 'a>(
    walks: SmallVec<[&'w Walk<'a>; GROUP]>,
    ro: &ReadOptions,
    mut finish: impl FnMut(&Walk<'a>, Option<&Together<'a>>),
) {
    let (mut together, mut last) = (Together::default(), None);
    for walk in &walks {
        if last != Some(walk.key) {
            walk.missing().into_iter().for_each(|missing| together.add(missing));
        }
        last = Some(walk.key);
    }
    together.read(ro);
    walks.iter().for_each(|walk| finish(walk, Some(&together)));
}

/// Runs the memory-bound stages as a pipeline of prefetch groups. Each stage is one group behind the previous stage:
/// while the cache lines of one group arrive, the groups whose lines have arrived are processed.
#[inline]
fn roll<'a>(walks: &mut [Walk<'a>], guard: &'a Guard, mut settle: impl FnMut(&Walk<'a>)) {
    for at in (0..walks.len() + 3 * CLUMP).step_by(CLUMP) {
        for_each(prefetch_group(walks, at, 0), Staged::ask_slot);
        for_each(prefetch_group(walks, at, 1), |staged| staged.ask_block(guard));
        for_each(prefetch_group(walks, at, 2), Staged::ask_entry);
        prefetch_group(walks, at, 3).iter().for_each(&mut settle);
    }
}

/// Returns the prefetch group that is `before` groups before the one beginning at `at`, or an empty slice.
#[inline(always)]
fn prefetch_group<'w, 'a>(
    walks: &'w mut [Walk<'a>],
    at: usize,
    before: usize,
) -> &'w mut [Walk<'a>] {
    let Some(start) = at.checked_sub(before * CLUMP) else { return &mut [] };
    let end = walks.len().min(start + CLUMP);
    walks.get_mut(start..end).unwrap_or_default()
}

#[inline(always)]
fn for_each<'a>(walks: &mut [Walk<'a>], stage: impl Fn(&mut Staged<'a>)) {
    walks.iter_mut().filter_map(|walk| walk.staged.as_mut()).for_each(stage);
}

/// Runs the last stage.
#[inline(always)]
fn settle(
    level: &Level,
    overlapping: bool,
    walk: &Walk<'_>,
    key: &LookupKey,
    ro: &ReadOptions,
    ctx: &mut GetContext<'_>,
    tables: &TableCache,
) -> Result<()> {
    match &walk.staged {
        Some(staged) => staged.settle(ro, ctx),
        None if overlapping => level.get_in(walk.file as usize, key, ro, ctx, tables),
        None => level.get_sorted(key, ro, ctx, tables),
    }
}
