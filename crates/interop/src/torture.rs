//! Writes until it is killed: several threads; flushes, compactions and a family that comes and
//! goes in between; and a ledger of what was acknowledged. Each thread also reads its own keys back.

use crate::dump::show;
use crate::ledger::Ledger;
use crate::store::{Result, Setup, Store, Wal};
use crate::workload::{Model, Op, Workload};
use std::path::Path;

/// Runs `threads` writers from where the ledger says they are. Ends only with an error.
pub fn run(store: &dyn Store, setup: &Setup, seed: u64, threads: u32, ledger: &Path) -> Result<()> {
    let ledger = Ledger::open(ledger)?;
    std::thread::scope(|scope| {
        let writers: Vec<_> = (0..threads)
            .map(|thread| {
                let ledger = &ledger;
                scope.spawn(move || {
                    let result = write_for_ever(store, setup, seed, thread, ledger);
                    // The parent must hear of it although other threads go on.
                    eprintln!("thread {thread}: {}", result.unwrap_err());
                    std::process::exit(3);
                })
            })
            .collect();
        writers.into_iter().try_for_each(|w| w.join().map_err(|_| "a writer panicked".to_owned()))
    })
}

fn write_for_ever(
    store: &dyn Store,
    setup: &Setup,
    seed: u64,
    thread: u32,
    ledger: &Ledger,
) -> Result<std::convert::Infallible> {
    let mut workload = Workload::new(setup.shape, seed, thread);
    let mut model = Model::new(&setup.shape);
    let mut done = ledger.acknowledged(thread)?;
    for _ in 0..done {
        model.apply(&workload.next_batch());
    }
    // What follows is not repeatable, and need not be: it changes no content.
    let mut rng = fastrand::Rng::new();
    loop {
        let batch = workload.next_batch();
        let wal = if rng.u32(..16) == 0 { Wal::Synced } else { Wal::Written };
        store.write(&batch, wal).map_err(|e| format!("write {done}: {e}"))?;
        done += 1;
        ledger.acknowledge(thread, done)?;
        model.apply(&batch);
        if rng.u32(..4) == 0 {
            read_back(store, &model, &batch[rng.usize(..batch.len())])
                .map_err(|e| format!("after write {done}: {e}"))?;
        }
        let family = rng.usize(..setup.shape.families);
        match rng.u32(..4000) {
            0..4 => store.flush(family).map_err(|e| format!("flush: {e}"))?,
            4 => store.compact(family).map_err(|e| format!("compact: {e}"))?,
            // One thread, since the family has one name.
            5..10 if thread == 0 => {
                let key = setup.shape.key(thread, done as u32);
                store.churn(&key, rng.bool()).map_err(|e| format!("churn: {e}"))?;
            }
            _ => {}
        }
    }
}

fn read_back(store: &dyn Store, model: &Model, op: &Op) -> Result<()> {
    let (Op::Put(family, key, _)
    | Op::Merge(family, key, _)
    | Op::Delete(family, key)
    | Op::DeleteRange(family, key, _)
    | Op::SingleDelete(family, key)) = op;
    let (found, expected) = (store.get(*family, key)?, model.families[*family].get(key));
    if found.as_ref() == expected {
        return Ok(());
    }
    let show = |value: Option<&Vec<u8>>| value.map_or("nothing".to_owned(), |value| show(value));
    Err(format!(
        "family {family}, key {} just written by this thread: expected {}, found {}",
        crate::dump::show(key),
        show(expected),
        show(found.as_ref())
    ))
}
