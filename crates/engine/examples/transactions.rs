//! Transactions that lock keys, and transactions that check them at the commit.
//!
//! `cargo run -p ferrolith --example transactions`

use ferrolith::transaction::{
    OptimisticTransactionDb, Transaction, TransactionDb, TransactionDbOptions, TransactionOptions,
};
use ferrolith::{ErrorKind, Options, Result};
use std::path::Path;
use std::time::Duration;

fn amount(txn: &Transaction, account: &str) -> Result<u64> {
    let value = txn.get_for_update(account)?;
    Ok(value.and_then(|value| std::str::from_utf8(&value).ok()?.parse().ok()).unwrap_or(0))
}

/// Moves money, or nothing.
fn transfer(txn: &Transaction, from: &str, to: &str, sum: u64) -> Result<bool> {
    let (have, get) = (amount(txn, from)?, amount(txn, to)?);
    if have < sum {
        return Ok(false);
    }
    txn.put(from, (have - sum).to_string())?;
    txn.put(to, (get + sum).to_string())?;
    Ok(true)
}

/// A key that a transaction has written or read for update is locked until its end.
fn pessimistic(path: &Path) -> Result<()> {
    let locks = TransactionDbOptions::new().transaction_lock_timeout(Duration::from_millis(10));
    let db = TransactionDb::open_opt(Options::new().create_if_missing(true), &locks, path)?;
    db.put("alice", "100")?;

    let txn = db.begin();
    assert!(transfer(&txn, "alice", "bob", 30)?);
    let other = db.begin_with(&TransactionOptions::new().deadlock_detect(true));
    assert_eq!(other.put("alice", "0").unwrap_err().kind(), ErrorKind::LockTimeout);
    txn.commit()?;
    assert_eq!(db.get("bob")?.unwrap(), "30");

    // A save point undoes a part. Iterators own what they read: the loop may change the transaction.
    other.set_save_point();
    for item in other.iter() {
        other.delete(item?.0)?;
    }
    assert_eq!(other.iter().count(), 0);
    other.rollback_to_save_point()?;
    assert_eq!(other.iter().count(), 2);
    other.rollback()?;

    // Two phases: what is prepared survives a crash, and is decided after the next opening.
    let txn = db.begin();
    txn.set_name("transfer 2")?;
    transfer(&txn, "alice", "bob", 30)?;
    txn.prepare()?;
    drop((txn, other, db));
    let db = TransactionDb::open(path)?;
    for txn in db.prepared_transactions() {
        txn.commit()?;
    }
    assert_eq!(db.get("bob")?.unwrap(), "60");
    Ok(())
}

/// Nothing is locked; the commit fails with `Busy` if another writer was faster, and `transact` repeats it.
fn optimistic(path: &Path) -> Result<()> {
    let db = OptimisticTransactionDb::open(path)?;
    db.db().put("alice", "1000")?;
    std::thread::scope(|scope| {
        let work = || -> Result<()> {
            for _ in 0..10 {
                db.transact(1000, |txn| transfer(txn, "alice", "bob", 10))?;
            }
            Ok(())
        };
        let threads = [scope.spawn(work), scope.spawn(work)];
        threads.into_iter().try_for_each(|thread| thread.join().expect("no panic"))
    })?;
    assert_eq!(db.db().get("alice")?.unwrap(), "800");
    assert_eq!(db.db().get("bob")?.unwrap(), "200");
    Ok(())
}

/// The program, in this directory.
pub fn run(dir: &Path) -> Result<()> {
    pessimistic(&dir.join("pessimistic"))?;
    optimistic(&dir.join("optimistic"))
}

fn main() -> Result<()> {
    let dir = tempfile::tempdir().expect("a temporary directory");
    run(dir.path())
}
