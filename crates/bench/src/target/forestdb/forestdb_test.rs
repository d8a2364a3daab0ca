//! What only ForestDB has. The tests of all engines are in `peers_test.rs`.

use super::*;
use crate::flags::{Parsed, parse};
use crate::rng::Random64;
use std::collections::BTreeMap;
use std::ops::Bound;
use std::path::Path;

/// Returns the engine; `None` without a library.
fn engine(dir: &Path, more: &[&str]) -> Option<Result<Box<dyn Engine>>> {
    let library = test_library()?;
    let mut args = vec!["--engine=forestdb".to_owned(), format!("--engine_lib={library}")];
    args.extend([format!("--db={}", dir.display()), "--cache_size=1048576".to_owned()]);
    args.extend(more.iter().map(|flag| (*flag).to_owned()));
    match parse(&args).unwrap() {
        Parsed::Run(flags, _) => Some(crate::target::engine(&flags)),
        Parsed::Print(text) => panic!("{text}"),
    }
}

fn session(target: &Arc<dyn Target>, write: WriteMode) -> Box<dyn Session + '_> {
    target.session(ReadMode::default(), write).unwrap()
}

#[test]
fn the_engine_needs_a_library_and_shows_its_version() {
    let error = match parse(&["--engine=forestdb".to_owned()]).unwrap() {
        Parsed::Run(flags, _) => crate::target::engine(&flags).err().unwrap(),
        Parsed::Print(text) => panic!("{text}"),
    };
    assert_eq!(error, "--engine=forestdb needs --engine_lib, ForestDB's library");
    let dir = tempfile::tempdir().unwrap();
    let Some(engine) = engine(dir.path(), &["--forestdb_commit=auto"]) else { return };
    let name = engine.unwrap().name();
    let path = test_library().unwrap();
    assert!(name.starts_with("version "), "{name}");
    assert!(name.ends_with(&format!(", forestdb_commit=auto ({path})")), "{name}");
}

#[test]
fn a_second_database_with_another_cache_is_refused_while_the_first_is_open() {
    let dir = tempfile::tempdir().unwrap();
    let of = |name: &str, more: &[&str]| engine(&dir.path().join(name), more);
    let Some(first) = of("a", &[]) else { return };
    let first = first.unwrap().open().unwrap();
    let second = of("b", &["--cache_size=2097152"]).unwrap().unwrap();
    let error = second.open().err().unwrap();
    assert!(error.contains("one cache and one set of threads"), "{error}");
    assert!(error.contains("cache_size: 1048576") && error.contains("cache_size: 2097152"));
    // Other settings may differ.
    let more = ["--forestdb_options=wal_threshold=10;block_reusing_threshold=50"];
    let third = of("c", &more).unwrap().unwrap().open().unwrap();
    session(&third, WriteMode::default()).put(b"k", b"v").unwrap();
    assert_eq!(session(&first, WriteMode::default()).get(b"k").unwrap(), None);
}

#[test]
fn writes_that_the_library_commits_are_read_at_once_and_kept_when_it_is_closed() {
    let dir = tempfile::tempdir().unwrap();
    let more = ["--forestdb_commit=auto", "--compression_type=snappy"];
    let Some(engine) = engine(dir.path(), &more) else { return };
    let engine = engine.unwrap();
    let count = |session: &mut dyn Session| {
        session.open_iterator(None, None).unwrap();
        session.seek_to_first();
        let mut count = 0;
        while session.valid() {
            count += 1;
            session.next();
        }
        session.status().unwrap();
        session.close_iterator();
        count
    };
    {
        let target = engine.open().unwrap();
        let mut writer = session(&target, WriteMode::default());
        let mut reader = session(&target, WriteMode::default());
        for i in 0..100u32 {
            writer.put(&i.to_be_bytes(), &[7; 100]).unwrap();
            assert_eq!(reader.get(&i.to_be_bytes()).unwrap(), Some(&[7; 100][..]));
        }
        assert_eq!(count(&mut *reader), 100);
        assert_eq!(target.property("rocksdb.num-running-compactions").unwrap(), "0");
    }
    let target = engine.open().unwrap();
    assert_eq!(count(&mut *session(&target, WriteMode::default())), 100);
}

#[test]
fn handles_follow_the_file_through_compactions() {
    let dir = tempfile::tempdir().unwrap();
    let Some(engine) = engine(dir.path(), &[]) else { return };
    let target = engine.unwrap().open().unwrap();
    let synced = WriteMode { sync: true, ..WriteMode::default() };
    let (mut writer, mut other) = (session(&target, synced), session(&target, synced));
    for round in 0..3u32 {
        for i in 0..500u32 {
            writer.batch_put(&i.to_be_bytes(), &round.to_be_bytes());
        }
        writer.batch_write().unwrap();
        other.open_iterator(None, None).unwrap();
        target.compact(false).unwrap();
        target.wait_for_compaction().unwrap();
        // The iterator is still on the old file.
        other.seek(&7u32.to_be_bytes());
        assert_eq!(other.value(), round.to_be_bytes());
        other.close_iterator();
        assert_eq!(other.get(&499u32.to_be_bytes()).unwrap(), Some(&round.to_be_bytes()[..]));
        other.delete(&round.to_be_bytes()).unwrap();
        assert_eq!(writer.get(&round.to_be_bytes()).unwrap(), None);
    }
}

/// Moves a session's iterator and a place in the model alike.
fn walk(session: &mut dyn Session, model: &BTreeMap<Vec<u8>, u8>, random: &mut Random64) {
    let at = |key: Option<&[u8]>| key.map(<[u8]>::to_vec);
    let above = |from: Bound<&[u8]>| {
        at(model.range::<[u8], _>((from, Bound::Unbounded)).next().map(|(key, _)| &key[..]))
    };
    let below = |to: Bound<&[u8]>| {
        at(model.range::<[u8], _>((Bound::Unbounded, to)).next_back().map(|(key, _)| &key[..]))
    };
    session.open_iterator(None, None).unwrap();
    let mut here: Option<Vec<u8>> = None;
    for step in 0..200 {
        here = match (random.draw() % 12, here) {
            (0, _) => {
                session.seek_to_first();
                above(Bound::Unbounded)
            }
            (1, _) => {
                session.seek_to_last();
                below(Bound::Unbounded)
            }
            (2..4, _) | (_, None) => {
                let target = key(random);
                session.seek(&target);
                above(Bound::Included(&target))
            }
            (4..8, Some(key)) => {
                session.next();
                above(Bound::Excluded(&key))
            }
            (_, Some(key)) => {
                session.prev();
                below(Bound::Excluded(&key))
            }
        };
        session.status().unwrap();
        let found = session.valid().then(|| session.key().to_vec());
        assert_eq!(found, here, "step {step}");
        if let Some(key) = &here {
            assert_eq!(session.value(), [model[key]; 20], "step {step}");
        }
    }
    session.close_iterator();
}

/// Returns a key without zeros: ForestDB pads parts of keys with them, and may then miss one of two keys.
fn key(random: &mut Random64) -> Vec<u8> {
    let length = 1 + random.draw() % 12;
    (0..length).map(|_| [1, b'a', b'b', 0xff][random.draw() as usize % 4]).collect()
}

#[test]
fn iterators_agree_with_a_model_on_keys_in_the_wal_and_in_the_index() {
    let dir = tempfile::tempdir().unwrap();
    let Some(engine) = engine(dir.path(), &[]) else { return };
    let target = engine.unwrap().open().unwrap();
    let mut session = session(&target, WriteMode::default());
    let (mut model, mut random) = (BTreeMap::new(), Random64::new(7));
    for round in 0..12u8 {
        for _ in 0..40 {
            let key = key(&mut random);
            if random.draw() % 4 == 0 {
                session.delete(&key).unwrap();
                model.remove(&key);
            } else {
                session.put(&key, &[round; 20]).unwrap();
                model.insert(key, round);
            }
        }
        walk(&mut *session, &model, &mut random);
        if round % 3 == 2 {
            target.flush().unwrap();
            walk(&mut *session, &model, &mut random);
        }
    }
}
