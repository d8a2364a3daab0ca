//! Point lookups: pin an epoch, search the memtables, then the files.
//!
//! A point lookup takes no lock and updates no shared counter. It pins an epoch, loads the super-version and only
//! *then* the visible sequence number; see [`Host::visible`].

use super::observe::{Call, Observable, Observe, Unobserved, observed};
use super::one::pinned;
use super::{Host, Lookup};
use crate::base::{MAX_SEQUENCE_NUMBER, PinnedValue, SeqNo};
use crate::env::epoch;
use crate::error::{Error, Result};
use crate::iter::{Outcome, Receiver};
use crate::options::ReadOptions;
use crate::session::ColumnFamilyData;

/// Returns the newest visible value of a key.
#[inline]
pub(crate) fn get<H: Host>(
    host: &H,
    family: &ColumnFamilyData,
    ro: &ReadOptions,
    user_key: &[u8],
) -> Result<Option<PinnedValue>> {
    observed(host.statistics(), Call::Get, Get { host, family, ro, user_key })
}

/// Does the same as [`get`], but passes a small value to `receiver` in place. The receiver must not use the database,
/// because the lookup is pinned.
#[inline]
pub(super) fn receive<H: Host>(
    host: &H,
    family: &ColumnFamilyData,
    ro: &ReadOptions,
    user_key: &[u8],
    receiver: Receiver<'_>,
) -> Result<Outcome> {
    let get = Get { host, family, ro, user_key };
    observed(host.statistics(), Call::Get, Receive { get, receiver })
}

/// Returns the sequence number of the newest write to a key, range deletions included; 0 if there is none. Numbers
/// older than the oldest snapshot are not distinguished.
pub(crate) fn newest_sequence(family: &ColumnFamilyData, user_key: &[u8]) -> Result<SeqNo> {
    let guard = epoch::pin();
    let sv = family.super_version(&guard).ok_or_else(Error::closed)?;
    let ro = &ReadOptions::default();
    let lookup = Lookup { family, sv, ro, seq: MAX_SEQUENCE_NUMBER, files_only: false };
    lookup.newest_sequence(user_key, &Unobserved)
}

struct Get<'a, H> {
    host: &'a H,
    family: &'a ColumnFamilyData,
    ro: &'a ReadOptions,
    user_key: &'a [u8],
}

impl<H: Host> Observable for Get<'_, H> {
    type Output = Result<Option<PinnedValue>>;

    #[inline(always)]
    fn run<O: Observe>(self, observer: &O) -> Result<Option<PinnedValue>> {
        pinned(self.host, self.family, self.ro, observer, |lookup, _| {
            let value = lookup.value(self.user_key, observer);
            if O::OBSERVES {
                let len = |value: &Option<PinnedValue>| value.as_ref().map_or(0, |v| v.len());
                observer.got(value.as_ref().ok().map(|value| len(value) as u64));
            }
            value
        })
    }
}

struct Receive<'a, 'r, H> {
    get: Get<'a, H>,
    receiver: Receiver<'r>,
}

impl<H: Host> Observable for Receive<'_, '_, H> {
    type Output = Result<Outcome>;

    #[inline(always)]
    fn run<O: Observe>(self, observer: &O) -> Result<Outcome> {
        let Receive { get, receiver } = self;
        pinned(get.host, get.family, get.ro, observer, |lookup, _| {
            if !O::OBSERVES {
                return lookup.receive(get.user_key, receiver, observer);
            }
            let mut received = 0;
            let mut measure = |value: &[u8]| {
                received = value.len();
                receiver(value);
            };
            let outcome = lookup.receive(get.user_key, &mut measure, observer);
            observer.got(outcome.as_ref().ok().map(|outcome| match outcome {
                Outcome::Missing => 0,
                Outcome::Received => received as u64,
                Outcome::Kept(value) => value.len() as u64,
            }));
            outcome
        })
    }
}
