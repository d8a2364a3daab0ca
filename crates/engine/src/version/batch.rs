//! Lookups of many keys in the files, in stages; see [`crate::sst::Staged`].
//!
//! Level by level, newest first, as a single lookup goes: what a level settles is not sought below it.
//! Inside level 0 all files are asked at once, since their filters say no mostly, and settled newest
//! first.

use super::{Level, TableCache, Version};
use crate::base::LookupKey;
use crate::env::epoch::Guard;
use crate::error::Result;
use crate::iter::GetContext;
use crate::options::ReadOptions;
use crate::sst::Staged;
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
pub const GROUP: usize = 32;

/// Those of a group of keys in one level, on the stack where each key is in one file.
type Walks<'a> = SmallVec<[Walk<'a>; GROUP]>;

impl Walk<'_> {
    fn passes_filter(&mut self) -> bool {
        self.staged.as_mut().is_none_or(Staged::passes_filter)
    }

    fn descend(&mut self) -> bool {
        self.staged.as_mut().is_some_and(Staged::descend)
    }
}

impl Version {
    /// As [`Version::get`] for each key with its context. Contexts that are done are left alone; an error
    /// goes to its context.
    pub fn get_many(
        &self,
        keys: &[LookupKey],
        ro: &ReadOptions,
        contexts: &mut [GetContext<'_>],
        tables: &TableCache,
        guard: &Guard,
    ) {
        let mut walks = Walks::new();
        for &n in self.populated() {
            let level = &**self.level(n);
            for (i, key) in keys.iter().enumerate() {
                if !contexts[i].is_done() {
                    let begin = |file, staged| {
                        walks.push(Walk { key: i as u32, file: file as u32, staged });
                    };
                    level.stage(key, n == 0, begin);
                }
            }
            walks.retain(Walk::passes_filter);
            while walks.iter_mut().fold(false, |more, walk| walk.descend() | more) {}
            roll(&mut walks, guard, |walk| {
                let (key, ctx) = (&keys[walk.key as usize], &mut contexts[walk.key as usize]);
                if !ctx.is_done()
                    && let Err(e) = settle(level, n == 0, walk, key, ro, ctx, tables)
                {
                    ctx.fail(e);
                }
            });
            walks.clear();
        }
    }
}

/// The stages that wait for memory, in clumps, each a clump behind the one before: while one clump's lines
/// come, those of others have come and are worked on.
#[inline]
fn roll<'a>(walks: &mut [Walk<'a>], guard: &'a Guard, mut settle: impl FnMut(&Walk<'a>)) {
    for at in (0..walks.len() + 3 * CLUMP).step_by(CLUMP) {
        for_each(clump(walks, at, 0), Staged::ask_slot);
        for_each(clump(walks, at, 1), |staged| staged.ask_block(guard));
        for_each(clump(walks, at, 2), Staged::ask_entry);
        clump(walks, at, 3).iter().for_each(&mut settle);
    }
}

/// The clump so many clumps before the one that begins `at`, if there is one.
#[inline(always)]
fn clump<'w, 'a>(walks: &'w mut [Walk<'a>], at: usize, before: usize) -> &'w mut [Walk<'a>] {
    let Some(start) = at.checked_sub(before * CLUMP) else { return &mut [] };
    let end = walks.len().min(start + CLUMP);
    walks.get_mut(start..end).unwrap_or_default()
}

#[inline(always)]
fn for_each<'a>(walks: &mut [Walk<'a>], stage: impl Fn(&mut Staged<'a>)) {
    walks.iter_mut().filter_map(|walk| walk.staged.as_mut()).for_each(stage);
}

/// The last stage.
#[inline]
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
