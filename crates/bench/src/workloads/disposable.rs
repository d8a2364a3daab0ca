//! `fillanddeleteuniquerandom`: entries that are deleted again after a delay, among entries that stay.
//!
//! A round takes `batch + kept` key numbers. It writes the first `batch` of them. After the delay, the `kept` others
//! are written, and then the first ones are deleted. The next round begins during the delay.

use super::thread::{Budget, Thread};
use super::write::put_error;
use crate::parameters::Disposable;
use crate::report::say;
use crate::rng::Permutation;
use crate::stats::Op;
use crate::target::Result;
use crate::values::ValueMaker;
use std::collections::VecDeque;
use std::time::{Duration, Instant};

/// The action on a key.
#[derive(Clone, Copy, PartialEq)]
enum Action {
    WriteDisposable,
    WriteKept,
    Delete,
}

/// The order of actions.
struct Rounds {
    parameters: Disposable,
    /// The next number of a disposable entry.
    next: u64,
    /// When the entries of a round may be deleted, and the first number of the round.
    due: VecDeque<(Instant, u64)>,
    /// Steps of the round that is finished now.
    step: u64,
}

impl Rounds {
    fn new(parameters: Disposable) -> Rounds {
        Rounds { parameters, next: 0, due: VecDeque::new(), step: 0 }
    }

    /// Returns the next action and the position of its key.
    fn advance(&mut self) -> (Action, u64) {
        let Disposable { batch, kept, delay, .. } = self.parameters;
        let due = self.due.front().filter(|(at, _)| *at < Instant::now());
        if let Some((_, first)) = due.copied() {
            let step = self.step;
            self.step += 1;
            if self.step == kept + batch {
                self.due.pop_front();
                self.step = 0;
            }
            return match step < kept {
                true => (Action::WriteKept, first + batch + step),
                false => (Action::Delete, first + step - kept),
            };
        }
        let number = self.next;
        self.next += 1;
        let round = batch + kept;
        if self.next % round == batch % round {
            let first = self.next - batch;
            self.next = first + round;
            self.due.push_back((Instant::now() + Duration::from_micros(delay), first));
        }
        (Action::WriteDisposable, number)
    }
}

pub(super) fn fill(t: &mut Thread<'_>) -> Result<()> {
    let config = t.config;
    let parameters = config.disposable;
    let writes = if config.writes == 0 { config.num } else { config.writes };
    let mut budget = Budget::new(config, t.shared, 0, writes.min(config.num));
    let mut rounds = Rounds::new(parameters);
    let permutation = Permutation::new(config.num, config.seed);
    let mut values = ValueMaker::new(&t.shared.values);
    let (mut written, mut deleted) = (0u64, 0u64);
    while !budget.done(config.batch) {
        // RocksDB draws a database here; the draw keeps key sequences equal.
        t.random.draw();
        let mut bytes = 0;
        for _ in 0..config.batch {
            let (action, position) = rounds.advance();
            let number = permutation.at(position % config.num);
            t.choose(number);
            let key = t.keys.make(number, config.num);
            bytes += key.len() as u64;
            if action == Action::Delete {
                t.session.batch_delete(key);
                deleted += 1;
                continue;
            }
            let value =
                values.make_sized(parameters.sizes[usize::from(action == Action::WriteKept)]);
            bytes += value.len() as u64;
            t.session.batch_put(key, value);
            written += 1;
        }
        t.session.batch_write().map_err(put_error)?;
        t.stats.bytes += bytes;
        t.stats.user_written += bytes;
        t.finished(config.batch, Op::Write);
        if let Some(limit) = &t.shared.write_limit {
            limit.request(config.batch, bytes);
            t.stats.reset_clock();
        }
    }
    say(&format!(
        "Number of unique keys inserted (disposable+persistent): {written}.\n\
         Number of 'disposable entry delete': {deleted}"
    ));
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_round_writes_both_kinds_and_deletes_one() {
        let mut rounds = Rounds::new(Disposable { batch: 3, kept: 2, delay: 0, sizes: [1, 1] });
        let mut done: [Vec<u64>; 3] = Default::default();
        for _ in 0..80 {
            // Let time pass.
            std::thread::sleep(Duration::from_micros(10));
            let (action, position) = rounds.advance();
            done[action as usize].push(position);
        }
        let of = |places: &[u64]| -> Vec<u64> {
            (0..10).flat_map(|round| places.iter().map(move |at| 5 * round + at)).collect()
        };
        assert_eq!(done, [of(&[0, 1, 2]), of(&[3, 4]), of(&[0, 1, 2])]);
    }
}
