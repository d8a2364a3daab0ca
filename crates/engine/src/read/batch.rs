//! Lookups of many keys at once.
//!
//! Place by place, newest first, as a single lookup goes, but each place is asked for all keys before
//! the next one is, and in stages, so that the keys' cache misses overlap.

use super::SuperVersion;
use crate::base::LookupKey;
use crate::env::epoch::Guard;
use crate::iter::GetContext;
use crate::options::ReadOptions;
use crate::version::TableCache;

impl SuperVersion {
    /// As [`SuperVersion::get`] for each key with its context; an error goes to its context. Keys should
    /// be no more than a few dozen: what they ask for has to stay in the first-level cache.
    pub fn get_many(
        &self,
        keys: &[LookupKey],
        ro: &ReadOptions,
        contexts: &mut [GetContext<'_>],
        tables: &TableCache,
        guard: &Guard,
    ) {
        for mem in std::iter::once(&self.mem).chain(&self.immutables) {
            if mem.is_empty() {
                continue;
            }
            mem.walk_ahead(keys);
            for (key, ctx) in keys.iter().zip(&mut *contexts) {
                if !ctx.is_done() {
                    mem.get(key, ctx);
                }
            }
        }
        self.version.get_many(keys, ro, contexts, tables, guard);
    }
}
