//! `randomtransaction`: each transaction adds one number to one random key of each set, so that all sets keep the same
//! sum. Without transactions it writes the same changes as a batch.
//!
//! A key is the number of its set in four digits, from 1, and a random number; a value is a number in decimal.

use super::thread::{Budget, Thread};
use crate::stats::Op;
use crate::target::{Failure, ReadMode, Result, Target, Transaction, WriteMode};

/// The result of one transaction.
enum Outcome {
    /// It was committed, or rolled back on purpose.
    Done,
    /// It conflicted with another transaction.
    Conflict,
}

pub(super) fn random(t: &mut Thread<'_>) -> Result<()> {
    let config = t.config;
    let how = config.transactions;
    let mut budget = Budget::new(config, t.shared, config.duration, config.readwrites);
    let (mut done, mut aborts, mut bytes) = (0u64, 0u64, 0u64);
    while !budget.done(1) {
        let changes = Changes::draw(t, how.sets);
        let id = (t.id as u64) << 48 | done;
        bytes += match (how.on, how.optimistic) {
            (false, _) => batch(t, &changes)?,
            (true, optimistic) => {
                let mut transaction = t.session.transaction(how.mode)?;
                // A value that was read without a claim is checked when its key is written.
                if !how.mode.set_snapshot || changes.fate.is_multiple_of(2) {
                    transaction.take_snapshot();
                }
                match run(&mut *transaction, &changes, id, optimistic) {
                    Ok(Outcome::Done) => changes.bytes(),
                    Ok(Outcome::Conflict) => {
                        aborts += 1;
                        0
                    }
                    Err(error) => return Err(format!("Unexpected error: {error}")),
                }
            }
        };
        done += 1;
        t.finished(1, Op::Other);
    }
    t.stats.message = match how.on {
        true => format!("( transactions:{done} aborts:{aborts})"),
        false => format!("( batches:{done} )"),
    };
    t.stats.bytes += bytes;
    t.stats.user_written += bytes;
    Ok(())
}

/// The operations of one transaction.
struct Changes {
    add: u64,
    keys: Vec<Vec<u8>>,
    /// Which reads claim their key.
    for_update: Vec<bool>,
    /// Random numbers that decide about preparing and rolling back.
    fate: u64,
}

impl Changes {
    fn draw(t: &mut Thread<'_>, sets: u64) -> Changes {
        let add = t.random.draw() % 100 + 1;
        let mut order: Vec<u64> = (1..=sets).collect();
        for last in (1..order.len()).rev() {
            order.swap(last, (t.random.draw() % (last as u64 + 1)) as usize);
        }
        let keys = order
            .iter()
            .map(|set| format!("{set:04}{}", t.random.draw() % t.config.num).into_bytes());
        let keys: Vec<Vec<u8>> = keys.collect();
        let for_update = keys.iter().map(|_| t.random.draw().is_multiple_of(2)).collect();
        Changes { add, keys, for_update, fate: t.random.draw() }
    }

    fn bytes(&self) -> u64 {
        self.keys.iter().map(|key| key.len() as u64 + 8).sum()
    }
}

fn number(value: Option<&[u8]>) -> std::result::Result<u64, String> {
    let Some(value) = value else { return Ok(0) };
    let number = std::str::from_utf8(value).ok().and_then(|text| text.parse::<u64>().ok());
    match number {
        Some(number) if number > 0 && number < u64::MAX => Ok(number),
        _ => Err(format!("Get returned unexpected value: {:?}", String::from_utf8_lossy(value))),
    }
}

fn batch(t: &mut Thread<'_>, changes: &Changes) -> Result<u64> {
    for key in &changes.keys {
        let sum = number(t.session.get(key)?)? + changes.add;
        t.session.batch_put(key, sum.to_string().as_bytes());
    }
    t.session
        .batch_write()
        .map_err(|error| format!("Write returned an unexpected error: {error}"))?;
    Ok(changes.bytes())
}

fn run(
    transaction: &mut dyn Transaction,
    changes: &Changes,
    id: u64,
    optimistic: bool,
) -> std::result::Result<Outcome, String> {
    let attempt = attempt(transaction, changes, id, optimistic);
    match attempt {
        Ok(()) => Ok(Outcome::Done),
        Err(Failure::Error(error)) => Err(error),
        Err(Failure::Conflict) => match transaction.rollback() {
            Err(Failure::Error(error)) => Err(error),
            _ => Ok(Outcome::Conflict),
        },
    }
}

fn attempt(
    transaction: &mut dyn Transaction,
    changes: &Changes,
    id: u64,
    optimistic: bool,
) -> std::result::Result<(), Failure> {
    for ((key, for_update), set) in changes.keys.iter().zip(&changes.for_update).zip(0u64..) {
        let value = transaction.get(key, *for_update)?;
        let sum = number(value.as_deref()).map_err(Failure::Error)? + changes.add;
        transaction.delete(key, !set.is_multiple_of(4))?;
        transaction.put(key, sum.to_string().as_bytes())?;
    }
    // One in ten is committed without the first phase, and one in twenty is rolled back.
    if !optimistic && !(changes.fate / 2).is_multiple_of(10) {
        transaction.prepare(id)?;
    }
    match (changes.fate / 20).is_multiple_of(20) {
        true => transaction.rollback(),
        false => transaction.commit(),
    }
}

/// Returns whether all sets have the same sum.
pub(super) fn verify(target: &dyn Target, sets: u64) -> Result<()> {
    let mut session = target.session(ReadMode::default(), WriteMode::default())?;
    session.open_iterator(None, None)?;
    let mut first = None;
    for set in 1..=sets {
        let prefix = format!("{set:04}");
        let mut sum = 0;
        session.seek(prefix.as_bytes());
        while session.valid() && session.key().starts_with(prefix.as_bytes()) {
            sum += number(Some(session.value()))?;
            session.next();
        }
        session.status()?;
        let expected = *first.get_or_insert(sum);
        if sum != expected {
            return Err(format!(
                "RandomTransactionVerify FAILED!! set {set}: sum {sum}, expected {expected}"
            ));
        }
    }
    Ok(())
}
