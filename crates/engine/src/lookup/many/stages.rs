//! Lookups of many keys in the files, in stages; see [`crate::sst::Staged`].
//!
//! Level by level, newest first, as a single lookup goes: what a level settles is not sought below it.
//! Inside level 0 all files are asked at once, since their filters say no mostly, and settled newest
//! first.

use super::super::Lookup;
use super::super::observe::Observe;
use super::group::Levels;
use crate::base::LookupKey;
use crate::env::epoch::Guard;
use crate::error::Result;
use crate::iter::GetContext;
use crate::options::ReadOptions;
use crate::sst::Staged;
use crate::version::{Level, TableCache};
use smallvec::SmallVec;

/// One key on its way through one file.
struct Walk<'a> {
    /// Its place among the keys.
    key: u32,
    file: u32,
    /// Nothing where the level itself has to look the key up.
    staged: Option<Staged<'a>>,
}

/// So many walks take a stage together where stages wait for memory. A block's object is four lines, an entry
/// three, and a core waits for about two dozen at a time. What is asked for beyond that, it forgets.
const CLUMP: usize = 3;

/// So many keys are best looked up together: enough to keep a core's misses in flight from stage to stage, few
/// enough for what there is of them to stay in the first-level cache.
pub(super) const GROUP: usize = 32;

/// Those of a group of keys in one level, on the stack where each key is in one file.
type Walks<'a> = SmallVec<[Walk<'a>; GROUP]>;

impl Walk<'_> {
    #[inline(always)]
    fn passes_filter(&mut self) -> bool {
        self.staged.as_mut().is_none_or(Staged::passes_filter)
    }

    #[inline(always)]
    fn descend(&mut self) -> bool {
        self.staged.as_mut().is_some_and(Staged::descend)
    }
}

impl Lookup<'_> {
    /// Looks each key up in the files, with its context. Contexts that are done are left alone; an error goes to its
    /// context. The level that settled an answer goes to `levels`, if somebody observes.
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
            roll(&mut walks, guard, |walk| {
                let (key, ctx) = (&keys[walk.key as usize], &mut contexts[walk.key as usize]);
                if ctx.is_done() {
                    return;
                }
                if let Err(e) = settle(level, n == 0, walk, key, self.ro, ctx, tables) {
                    ctx.fail(e);
                }
                if O::OBSERVES && ctx.is_done() {
                    levels[walk.key as usize] = Some(n as u8);
                }
            });
            walks.clear();
        }
    }
}

/// The stages that wait for memory, in prefetch groups, each one group behind the one before: while one group's lines
/// come, those of others have come and are worked on.
#[inline]
fn roll<'a>(walks: &mut [Walk<'a>], guard: &'a Guard, mut settle: impl FnMut(&Walk<'a>)) {
    for at in (0..walks.len() + 3 * CLUMP).step_by(CLUMP) {
        for_each(prefetch_group(walks, at, 0), Staged::ask_slot);
        for_each(prefetch_group(walks, at, 1), |staged| staged.ask_block(guard));
        for_each(prefetch_group(walks, at, 2), Staged::ask_entry);
        prefetch_group(walks, at, 3).iter().for_each(&mut settle);
    }
}

/// The prefetch group so many groups before the one that begins `at`, if there is one.
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

/// The last stage.
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
