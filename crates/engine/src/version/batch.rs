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

/// One key on its way through one file.
struct Walk<'a> {
    /// Its place among the keys.
    key: usize,
    file: usize,
    /// Nothing where the level itself has to look the key up.
    staged: Option<Staged<'a>>,
}

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
        let mut walks = Vec::with_capacity(keys.len());
        for &n in self.populated() {
            let level = &**self.level(n);
            for (i, key) in keys.iter().enumerate() {
                if !contexts[i].is_done() {
                    let begin = |file, staged| walks.push(Walk { key: i, file, staged });
                    level.stage(key, n == 0, begin);
                }
            }
            walk(&mut walks, guard);
            for walk in walks.drain(..) {
                let (key, ctx) = (&keys[walk.key], &mut contexts[walk.key]);
                if !ctx.is_done()
                    && let Err(e) = settle(level, n == 0, &walk, key, ro, ctx, tables)
                {
                    ctx.fail(e);
                }
            }
        }
    }
}

/// All stages but the last.
fn walk<'a>(walks: &mut Vec<Walk<'a>>, guard: &'a Guard) {
    walks.retain_mut(Walk::passes_filter);
    while walks.iter_mut().fold(false, |more, walk| walk.descend() | more) {}
    let staged = |walks: &mut Vec<Walk<'a>>, stage: &dyn Fn(&mut Staged<'a>)| {
        walks.iter_mut().filter_map(|walk| walk.staged.as_mut()).for_each(stage);
    };
    staged(walks, &|staged| staged.ask_slot());
    staged(walks, &|staged| staged.ask_block(guard));
    staged(walks, &|staged| staged.ask_entry());
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
        None if overlapping => level.get_in(walk.file, key, ro, ctx, tables),
        None => level.get_sorted(key, ro, ctx, tables),
    }
}
