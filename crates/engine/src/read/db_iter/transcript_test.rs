use super::*;
use crate::base::testing::{Command, check_transcripts};
use crate::hooks::FixedPrefixTransform;
use crate::iter::testing::{hooks, text};
use crate::iter::vec_iter::{Entry, VecIter};
use crate::rangedel::testing::Owned;
use crate::rangedel::{Fragments, Run, hide_covered};
use std::sync::Mutex;

/// Counts how often an iterator was moved.
#[derive(Clone, Copy, Default)]
struct Moves {
    seeks: u64,
    steps: u64,
}

/// Counts the moves of an iterator.
struct Counted {
    inner: VecIter,
    moves: Arc<Mutex<Moves>>,
}

impl Counted {
    fn seek(&mut self, go: impl FnOnce(&mut VecIter)) {
        self.moves.lock().unwrap().seeks += 1;
        go(&mut self.inner);
    }
    fn step(&mut self, go: impl FnOnce(&mut VecIter)) {
        self.moves.lock().unwrap().steps += 1;
        go(&mut self.inner);
    }
}

impl InternalIterator for Counted {
    fn valid(&self) -> bool {
        self.inner.valid()
    }
    fn seek_to_first(&mut self) {
        self.seek(VecIter::seek_to_first);
    }
    fn seek_to_last(&mut self) {
        self.seek(VecIter::seek_to_last);
    }
    fn seek(&mut self, target: &[u8]) {
        self.seek(|iter| iter.seek(target));
    }
    fn seek_for_prev(&mut self, target: &[u8]) {
        self.seek(|iter| iter.seek_for_prev(target));
    }
    fn next(&mut self) {
        self.step(VecIter::next);
    }
    fn prev(&mut self) {
        self.step(VecIter::prev);
    }
    fn key(&self) -> &[u8] {
        self.inner.key()
    }
    fn value(&self) -> &[u8] {
        self.inner.value()
    }
    fn status(&self) -> Result<()> {
        self.inner.status()
    }
}

/// The places, newest first, that the iterators of a transcript read.
#[derive(Default)]
struct Stage {
    places: Vec<(Vec<Entry>, Vec<Owned>)>,
}

impl Stage {
    fn command(&mut self, command: &Command<'_>) -> String {
        match command.name {
            "entries" => self.places = vec![text::parse_all(&command.lines)],
            "older" => self.places.push(text::parse_all(&command.lines)),
            "walk" => return self.walk(command),
            other => panic!("unknown command {other}"),
        }
        String::new()
    }

    fn iter(&self, command: &Command<'_>, moves: &Arc<Mutex<Moves>>) -> DbIter {
        let order = KeyOrder::bytewise();
        let seq = command.number("at").unwrap_or(100);
        let bytes = |name| command.value(name).map(|text| text.as_bytes().to_vec());
        let prefix = command
            .number("prefix")
            .map(|n| Arc::new(FixedPrefixTransform::new(n as usize)) as Arc<dyn SliceTransform>);
        let options = ReadOptions {
            iterate_lower_bound: bytes("lower"),
            iterate_upper_bound: bytes("upper"),
            max_skippable_internal_keys: command.number("skippable").unwrap_or(0),
            prefix_same_as_start: prefix.is_some(),
            ..ReadOptions::default()
        };
        let child = |(entries, _): &(Vec<Entry>, Vec<Owned>)| {
            let inner = VecIter::new(order.clone(), entries.clone());
            Box::new(Counted { inner, moves: Arc::clone(moves) }) as Box<dyn InternalIterator>
        };
        let runs = |(_, tombstones): &(Vec<Entry>, Vec<Owned>)| match &tombstones[..] {
            [] => Vec::new(),
            all => {
                let fragments = Fragments::new(&order, all.iter().map(Owned::as_ref));
                vec![Run::new([Arc::new(fragments)])]
            }
        };
        let tombstones: Vec<Vec<Run>> = self.places.iter().map(runs).collect();
        let places = self.places.iter().map(child).collect();
        let places = hide_covered(&order, seq, places, &tombstones);
        let places = places.into_iter().map(Source::Other).collect();
        let inner = MergingIterator::new(order.clone(), places);
        let operator = hooks::merge_operator(command);
        DbIter::new(inner, order, seq, operator, &options, prefix, Arc::new(()))
            .with_max_sequential_skip(command.number("skip").unwrap_or(8))
    }

    /// Creates an iterator and moves it as the lines say.
    fn walk(&self, command: &Command<'_>) -> String {
        command.allow(&["at", "lower", "upper", "skip", "skippable", "prefix", "merge"]);
        let moves = Arc::default();
        let mut iter = self.iter(command, &moves);
        let mut out = String::new();
        for line in command.lines.iter().flat_map(|line| line.split(", ")) {
            let before = *moves.lock().unwrap();
            let (name, target) = line.split_once(' ').unwrap_or((line, ""));
            match name {
                "first" => iter.seek_to_first(),
                "last" => iter.seek_to_last(),
                "next" => iter.next(),
                "prev" => iter.prev(),
                "seek" => iter.seek(target.as_bytes()),
                "seek-for-prev" => iter.seek_for_prev(target.as_bytes()),
                "at" => iter.set_sequence(target.parse().unwrap()),
                other => panic!("unknown move {other}"),
            }
            let after = *moves.lock().unwrap();
            let (seeks, steps) = (after.seeks - before.seeks, after.steps - before.steps);
            out += &format!("{line}: {} ({seeks} seeks, {steps} steps)\n", show(&iter));
        }
        out
    }
}

/// Returns the position of an iterator as text.
fn show(iter: &DbIter) -> String {
    match (iter.valid(), iter.status()) {
        (true, Ok(())) => {
            format!("{}={}", String::from_utf8_lossy(iter.key()), text::show_value(iter.value()))
        }
        (false, Ok(())) => "end".to_owned(),
        (false, Err(e)) => format!("error: {e}"),
        (true, Err(e)) => panic!("valid with an error: {e}"),
    }
}

#[test]
fn transcripts() {
    check_transcripts("read/testdata/db_iter", || {
        let mut stage = Stage::default();
        move |command| stage.command(command)
    });
}
