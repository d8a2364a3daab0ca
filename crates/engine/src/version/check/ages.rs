//! Checks that newer places hold newer entries: a lookup stops at the first place with its key, so an older place must
//! not have a newer entry of that key, nor a newer tombstone over it.

use super::table::{Content, KeySpan, add_to, bytes};
use crate::base::key::{sequence, user_key};
use crate::base::{InternalIterator, KeyOrder, SeqNo};
use crate::error::{Error, Result};
use crate::memtable::MemTable;
use crate::rangedel::Fragments;
use std::sync::Arc;

/// A memtable, a file of level 0, or another level.
pub(super) struct Place {
    name: String,
    /// The tables it consists of, in key order; one that stands for the memtable.
    parts: Vec<Part>,
}

struct Part {
    /// The number of the file; 0 for a memtable.
    file: u64,
    keys: Vec<KeySpan>,
    tombstones: Vec<Arc<Fragments>>,
}

/// The sequence numbers of one user key in one place.
#[derive(Clone, Copy)]
struct Found {
    place: usize,
    file: u64,
    newest: SeqNo,
    oldest: SeqNo,
}

/// A user key to check. The first key of each range tombstone is checked, too: where two tombstones overlap, one of
/// them begins.
struct Mark<'a> {
    user_key: &'a [u8],
    found: Option<Found>,
}

impl Place {
    /// A memtable in which nothing changes.
    pub(super) fn memtable(mem: &Arc<MemTable>) -> Place {
        let mut keys = Vec::new();
        let mut iter = mem.iter(true);
        iter.seek_to_first();
        while iter.valid() {
            let key = iter.key();
            add_to(&mut keys, mem.order(), user_key(key), sequence(key));
            iter.next();
        }
        let part = Part { file: 0, keys, tombstones: mem.range_tombstones() };
        Place { name: format!("memtable {}", mem.id()), parts: vec![part] }
    }

    /// A file of level 0.
    pub(super) fn table(number: u64, content: Content) -> Place {
        let mut place = Place::level(0);
        place.add_table(number, content);
        place
    }

    /// A level without files yet.
    pub(super) fn level(level: usize) -> Place {
        Place { name: format!("level {level}"), parts: Vec::new() }
    }

    /// Adds a file of the level.
    pub(super) fn add_table(&mut self, number: u64, content: Content) {
        let tombstones = content.tombstones.into_iter().collect();
        self.parts.push(Part { file: number, keys: content.keys, tombstones });
    }

    /// How messages call a part of it.
    fn describe(&self, file: u64) -> String {
        match file {
            0 => self.name.clone(),
            _ => format!("file #{file} on {}", self.name),
        }
    }
}

/// Checks that of each user key every place has older entries and tombstones than all places before it.
pub(super) fn check(order: &KeyOrder, places: &[Place]) -> Result<()> {
    let mut marks = marks(places);
    marks.sort_by(|a, b| order.compare_user(a.user_key, b.user_key));
    let covers = places.iter().flat_map(|p| &p.parts).any(|part| !part.tombstones.is_empty());
    for run in marks.chunk_by(|a, b| order.equal_user(a.user_key, b.user_key)) {
        if run.len() == 1 && !covers {
            continue;
        }
        let mut found: Vec<Found> = run.iter().filter_map(|mark| mark.found).collect();
        found.extend(covering(places, run[0].user_key));
        found.sort_by_key(|found| found.place);
        check_key(places, run[0].user_key, &found)?;
    }
    Ok(())
}

fn marks(places: &[Place]) -> Vec<Mark<'_>> {
    let mut marks = Vec::new();
    for (place, Place { parts, .. }) in places.iter().enumerate() {
        for &Part { file, ref keys, ref tombstones } in parts {
            marks.extend(keys.iter().map(|span| {
                let found = Found { place, file, newest: span.newest, oldest: span.oldest };
                Mark { user_key: &span.user_key, found: Some(found) }
            }));
            let begins = tombstones.iter().flat_map(|t| t.iter()).map(|fragment| fragment.begin);
            marks.extend(begins.map(|user_key| Mark { user_key, found: None }));
        }
    }
    marks
}

/// The tombstones over a user key.
fn covering<'a>(places: &'a [Place], user_key: &'a [u8]) -> impl Iterator<Item = Found> + 'a {
    let parts = places
        .iter()
        .enumerate()
        .flat_map(|(place, p)| p.parts.iter().map(move |part| (place, part)));
    parts.flat_map(move |(place, part)| {
        part.tombstones.iter().filter_map(move |tombstones| {
            let (newest, oldest) = tombstones.extremes_over(user_key)?;
            Some(Found { place, file: part.file, newest, oldest })
        })
    })
}

/// `found` is in the order of places.
fn check_key(places: &[Place], user_key: &[u8], found: &[Found]) -> Result<()> {
    let mut upper: Option<Found> = None;
    for in_place in found.chunk_by(|a, b| a.place == b.place) {
        let newest = in_place.iter().max_by_key(|found| found.newest);
        if let (Some(upper), Some(lower)) = (upper, newest)
            && lower.newest >= upper.oldest
        {
            return Err(Error::corruption(format!(
                "{}: key {}: expected sequence numbers below {}, which {} has, found {}",
                places[lower.place].describe(lower.file),
                bytes(user_key),
                upper.oldest,
                places[upper.place].describe(upper.file),
                lower.newest
            )));
        }
        upper = upper.iter().chain(in_place).min_by_key(|found| found.oldest).copied();
    }
    Ok(())
}
