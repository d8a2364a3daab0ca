//! Random interleavings of reads, fills and commits on one thread, with a map as the engine: a hit is always what the
//! map has at that moment.

use super::*;
use crate::store::Range;
use std::collections::BTreeMap;

type Engine = BTreeMap<Vec<u8>, Vec<u8>>;

/// A commit that is under way.
struct Open {
    batch: Box<TestBatch>,
    changes: Vec<(Vec<u8>, Option<Vec<u8>>)>,
    range: Option<Range>,
    is_applied: bool,
}

/// A read that missed: what the engine returned, if it was asked already.
struct Pending {
    key: Vec<u8>,
    ticket: Ticket,
    value: Option<Option<Vec<u8>>>,
}

fn random_key(random: &mut fastrand::Rng) -> Vec<u8> {
    vec![b"MD"[random.usize(..2)], random.u8(..12)]
}

fn random_value(random: &mut fastrand::Rng) -> Vec<u8> {
    let mut value = random.u64(..).to_le_bytes().repeat(3);
    value.truncate(random.usize(..24));
    value
}

fn begin(cache: &RowCache, random: &mut fastrand::Rng) -> Open {
    let mut batch = Box::new(TestBatch::default());
    let mut changes = Vec::new();
    for _ in 0..random.usize(1..4) {
        let key = random_key(random);
        let value = (random.u8(..4) > 0).then(|| random_value(random));
        batch.write(cache, &key, value.as_deref());
        changes.push((key, value));
    }
    let range = (random.u8(..12) == 0).then(|| Range::prefix(&random_key(random)[..1]));
    if let Some(range) = &range {
        cache.note_range(&mut batch.writes, P, range);
    }
    Open { batch, changes, range, is_applied: false }
}

impl Open {
    fn apply(&mut self, engine: &mut Engine) {
        self.is_applied = true;
        if let Some(range) = &self.range {
            engine.retain(|key, _| key[..] < range.start[..] || key[..] >= range.end[..]);
        }
        for (key, value) in &self.changes {
            match value {
                Some(value) => engine.insert(key.clone(), value.clone()),
                None => engine.remove(key),
            };
        }
    }
}

fn check(cache: &RowCache, engine: &Engine, key: &[u8]) -> Option<Ticket> {
    match get(cache, key) {
        Ok(found) => {
            assert_eq!(Some(&found), engine.get(key), "{key:?}");
            None
        }
        Err(ticket) => ticket,
    }
}

fn run(seed: u64) -> u64 {
    let (cache, mut engine) = (new(), Engine::new());
    let mut random = fastrand::Rng::with_seed(seed);
    // The marks of a batch borrow it, so batches live in a list that is not changed while there are marks.
    let mut batches: Vec<Open> = (0..200).map(|_| begin(&cache, &mut random)).collect();
    let mut waiting = batches.iter_mut();
    let mut open: Vec<(Marks<'_>, Vec<u8>, Option<Open>)> = Vec::new();
    let mut pending: Vec<Pending> = Vec::new();
    for _ in 0..4000 {
        match random.u8(..40) {
            0..2 if open.len() < 3 => {
                let Some(next) = waiting.next() else { break };
                let copy = Open {
                    batch: Box::default(),
                    changes: next.changes.clone(),
                    range: next.range.clone(),
                    is_applied: false,
                };
                let data = next.batch.data.clone();
                open.push((cache.mark(&mut next.batch.writes), data, Some(copy)));
            }
            2..5 if !open.is_empty() => {
                let at = random.usize(..open.len());
                if let Some(change) = open[at].2.as_mut().filter(|change| !change.is_applied) {
                    change.apply(&mut engine);
                }
            }
            5..8 if !open.is_empty() => {
                let (marks, data, change) = open.swap_remove(random.usize(..open.len()));
                match change.is_some_and(|change| change.is_applied) {
                    true if random.u8(..8) > 0 => marks.committed(&data),
                    // An error may be returned although the engine has the rows, too.
                    _ => drop(marks),
                }
            }
            8..24 if !pending.is_empty() => {
                let at = random.usize(..pending.len());
                let read = &mut pending[at];
                match &read.value {
                    None => read.value = Some(engine.get(&read.key).cloned()),
                    Some(value) => {
                        if let Some(value) = value {
                            cache.fill(read.ticket, P, &read.key, value);
                        }
                        pending.swap_remove(at);
                    }
                }
            }
            _ => {
                let key = random_key(&mut random);
                if let Some(ticket) = check(&cache, &engine, &key) {
                    pending.push(Pending { key, ticket, value: None });
                }
            }
        }
    }
    drop(open);
    for at in 0..24 {
        check(&cache, &engine, &[b"MD"[at / 12], at as u8 % 12]);
    }
    cache.tally.hits()
}

#[test]
fn hits_are_what_the_engine_has() {
    let hits: u64 = (0..150).map(run).sum();
    assert!(hits > 5_000, "{hits} hits");
}
