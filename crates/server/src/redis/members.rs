//! Members of sets as rows: `hash:4|member`, so that the members of all sets have one order that does not depend on
//! their contents.
//!
//! 1. Members with a random hash are found with one seek, and all members are equally likely: see [`Context::pick`].
//! 2. A hash is a cursor for SSCAN that needs no state in the server.
//! 3. Unions, intersections and differences of sets are merges of sorted rows and need no memory for whole sets.

use super::context::Context;
use super::failure::{Done, Failure};
use super::values::Coll;
use crate::rows::redis::{DATA, RowKey};
use crate::store::{Range, Rows};
use smallvec::SmallVec;
use std::collections::HashSet;

/// The bytes of a hash.
pub const HASH: usize = 4;

/// The sub-key of a member.
pub type MemberKey = SmallVec<[u8; 32]>;

/// Sets up to this size are read whole to choose a member.
const SMALL: u64 = 1024;

/// A walk over all members is cheaper than single draws if one of so many is wanted.
const WALK_SHARE: u64 = 8;

/// The largest number of members in a bucket. With at most 16 on average, a larger bucket is improbable (1e-10); its
/// last members are never chosen.
const BUCKET_MAX: usize = 48;

/// Returns the sub-key of a member.
pub fn member_key(member: &[u8]) -> MemberKey {
    let hash = (xxhash_rust::xxh3::xxh3_64(member) >> 32) as u32;
    let mut key = MemberKey::from_slice(&hash.to_be_bytes());
    key.extend_from_slice(member);
    key
}

/// Returns the member of a sub-key.
pub fn member_of(sub: &[u8]) -> &[u8] {
    sub.get(HASH..).unwrap_or_default()
}

/// Returns the hash of a sub-key.
pub fn hash_of(sub: &[u8]) -> u32 {
    sub.first_chunk().map_or(0, |hash| u32::from_be_bytes(*hash))
}

/// A walk over the members of a set, or of none, in the order of sub-keys.
pub struct Members {
    rows: Option<Rows>,
    /// The length of what row keys begin with.
    prefix: RowKey,
}

impl Members {
    /// Returns the sub-key at the position; `None` at the end.
    pub fn sub(&self) -> Option<&[u8]> {
        let (key, _) = self.rows.as_ref()?.item()?;
        key.get(self.prefix.len()..)
    }

    /// Moves to the next member.
    pub fn advance(&mut self) -> Done {
        if let Some(rows) = &mut self.rows {
            rows.next()?;
        }
        Ok(())
    }

    /// Moves to the first member at or behind a sub-key. The position never moves back.
    pub fn advance_to(&mut self, sub: &[u8]) -> Done {
        /// Steps that cost about as much as a seek.
        const STEPS: usize = 4;
        for _ in 0..STEPS {
            match self.sub() {
                Some(found) if found < sub => self.advance()?,
                _ => return Ok(()),
            }
        }
        if self.sub().is_some_and(|found| found < sub)
            && let Some(rows) = &mut self.rows
        {
            let mut key = self.prefix.clone();
            key.extend_from_slice(sub);
            rows.seek(&key)?;
        }
        Ok(())
    }
}

impl Context<'_> {
    /// Returns a walk over the members of a set, or over nothing, from the first one on.
    pub fn members(&self, set: Option<&Coll<'_>>) -> Done<Members> {
        match set {
            Some(set) => self.members_in(set, set.range(DATA, b"", None)),
            None => Ok(Members { rows: None, prefix: RowKey::new() }),
        }
    }

    /// Returns a walk over members of a range, which [`Coll::range`] returned.
    pub fn members_in(&self, set: &Coll<'_>, range: Range) -> Done<Members> {
        let mut rows = self.sub_range(set, range)?;
        rows.first()?;
        Ok(Members { rows: Some(rows), prefix: set.prefix(DATA) })
    }

    /// Returns whether a set contains these sub-keys.
    pub fn contains_members(&self, set: &Coll<'_>, subs: &[MemberKey]) -> Done<Vec<bool>> {
        if !set.is_stored {
            return Ok(vec![false; subs.len()]);
        }
        if let [sub] = subs {
            return Ok(vec![self.sub_get(set, DATA, sub, |_| ())?.is_some()]);
        }
        let keys: Vec<_> =
            subs.iter().map(|sub| (set.place.partition, set.sub_key(DATA, sub))).collect();
        let found = self.txn.multi_get(&keys)?;
        Ok(found.into_iter().map(|value| value.is_some()).collect())
    }

    /// Returns the sub-keys of `count` members, chosen at random. All members are equally likely. No member is chosen
    /// twice if `is_distinct`; then `count` is at most the number of members.
    ///
    /// The hashes of a large set are divided into buckets of 8 to 16 members on average. A random bucket is taken
    /// with a probability that is proportional to its number of members, and then one of these. So a draw reads some
    /// buckets, whatever the size of the set.
    pub fn pick(&self, set: &Coll<'_>, count: u64, is_distinct: bool) -> Done<Vec<MemberKey>> {
        let total = set.row.count;
        if count == 0 || total == 0 {
            return Ok(Vec::new());
        }
        if is_distinct && (total <= SMALL || count >= total / WALK_SHARE) {
            return self.sample(set, count);
        }
        if total <= SMALL || count >= total / WALK_SHARE {
            let mut all = Vec::new();
            let mut members = self.members(Some(set))?;
            while let Some(sub) = members.sub() {
                all.push(MemberKey::from_slice(sub));
                members.advance()?;
            }
            let one = || all.get(fastrand::usize(..all.len().max(1))).cloned();
            return Ok((0..count).filter_map(|_| one()).collect());
        }
        let (mut chosen, mut seen) = (Vec::new(), HashSet::new());
        while (chosen.len() as u64) < count {
            let sub = self.draw(set)?;
            if !is_distinct || seen.insert(sub.clone()) {
                chosen.push(sub);
            }
        }
        Ok(chosen)
    }

    /// Chooses distinct members in one walk: each with the number of those still wanted among those still to come.
    fn sample(&self, set: &Coll<'_>, count: u64) -> Done<Vec<MemberKey>> {
        let (mut wanted, mut left) = (count, set.row.count);
        let mut chosen = Vec::new();
        let mut members = self.members(Some(set))?;
        while let Some(sub) = members.sub() {
            if wanted == 0 {
                break;
            }
            if fastrand::u64(..left.max(1)) < wanted {
                chosen.push(MemberKey::from_slice(sub));
                wanted -= 1;
            }
            left = left.saturating_sub(1);
            members.advance()?;
        }
        fastrand::shuffle(&mut chosen);
        Ok(chosen)
    }

    /// Chooses a member of a large set.
    fn draw(&self, set: &Coll<'_>) -> Done<MemberKey> {
        /// A set that is this unlucky has fewer rows than its M row says.
        const TRIES: usize = 10_000;
        let bits = (set.row.count / 8).max(1).ilog2().min(31);
        for _ in 0..TRIES {
            let bucket = fastrand::u32(..1 << bits);
            let start = bucket << (32 - bits);
            let end = start.checked_add(1 << (32 - bits)).map(u32::to_be_bytes);
            let range = set.range(DATA, &start.to_be_bytes(), end.as_ref().map(|end| &end[..]));
            let mut members = self.members_in(set, range)?;
            let at = fastrand::usize(..BUCKET_MAX);
            for _ in 0..at {
                members.advance()?;
            }
            if let Some(sub) = members.sub() {
                return Ok(MemberKey::from_slice(sub));
            }
        }
        Err(Failure::from(super::failure::DAMAGED))
    }
}

#[cfg(test)]
#[path = "members_test.rs"]
mod tests;
