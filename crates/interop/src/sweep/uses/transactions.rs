//! Pessimistic and optimistic transactions.

use super::writes;
use crate::abi::Handle;
use crate::args;
use crate::sweep::Context;
use crate::sweep::situations::List;

/// A transactional database and two transactions.
fn pair(c: &mut Context<'_>) -> Option<(Handle, Handle, Handle)> {
    let (plain, path) = (c.options(""), c.path("db"));
    let how = c.make("transactiondb_options_create", &[]);
    c.call("transactiondb_options_set_transaction_lock_timeout", args![how, 1]);
    c.call("transactiondb_options_set_default_lock_timeout", args![how, 1]);
    let db = c.must("transactiondb_open", args![plain, how, path.as_path()])?;
    let (wo, to) = (writes(c), c.make("transaction_options_create", &[]));
    let one = c.make("transaction_begin", args![db, wo, to, 0]);
    let two = c.make("transaction_begin", args![db, wo, to, 0]);
    Some((db, one, two))
}

fn optimistic(c: &mut Context<'_>) -> Option<(Handle, Handle, Handle)> {
    let (plain, path) = (c.options(""), c.path("db"));
    let db = c.must("optimistictransactiondb_open", args![plain, path.as_path()])?;
    let (wo, to) = (writes(c), c.make("optimistictransaction_options_create", &[]));
    let one = c.make("optimistictransaction_begin", args![db, wo, to, 0]);
    let two = c.make("optimistictransaction_begin", args![db, wo, to, 0]);
    Some((db, one, two))
}

fn txn_put(c: &mut Context<'_>, txn: Handle, key: &str) {
    c.attempt("transaction_put", args![txn, key.as_bytes(), b"value"]);
}

fn name(c: &mut Context<'_>, txn: Handle, name: &str) {
    c.attempt("transaction_set_name", args![txn, name.as_bytes()]);
}

pub(super) const CASES: List = &[
    ("transactions: one key", |c| {
        let Some((_, one, two)) = pair(c) else { return };
        txn_put(c, one, "key");
        txn_put(c, two, "key");
        c.attempt("transaction_commit", args![one]);
        c.attempt("transaction_commit", args![two]);
    }),
    ("transactions: a write beside", |c| {
        let Some((db, one, _)) = pair(c) else { return };
        txn_put(c, one, "key");
        let wo = writes(c);
        c.attempt("transactiondb_put", args![db, wo, b"key", b"value"]);
        c.attempt("transactiondb_delete", args![db, wo, b"key"]);
    }),
    ("transactions: committed twice", |c| {
        let Some((_, one, _)) = pair(c) else { return };
        txn_put(c, one, "key");
        c.attempt("transaction_commit", args![one]);
        c.attempt("transaction_commit", args![one]);
        c.attempt("transaction_rollback", args![one]);
        txn_put(c, one, "key");
    }),
    ("transactions: rolled back twice", |c| {
        let Some((_, one, _)) = pair(c) else { return };
        c.attempt("transaction_rollback", args![one]);
        c.attempt("transaction_rollback", args![one]);
        c.attempt("transaction_commit", args![one]);
    }),
    ("transactions: prepared without a name", |c| {
        let Some((_, one, _)) = pair(c) else { return };
        txn_put(c, one, "key");
        c.attempt("transaction_prepare", args![one]);
    }),
    ("transactions: prepared twice", |c| {
        let Some((_, one, _)) = pair(c) else { return };
        name(c, one, "one");
        txn_put(c, one, "key");
        c.attempt("transaction_prepare", args![one]);
        c.attempt("transaction_prepare", args![one]);
        c.attempt("transaction_commit", args![one]);
        c.attempt("transaction_prepare", args![one]);
    }),
    ("transactions: names", |c| {
        let Some((_, one, two)) = pair(c) else { return };
        name(c, one, "");
        name(c, one, &"x".repeat(513));
        name(c, one, "one");
        name(c, one, "again");
        name(c, two, "one");
    }),
    ("transactions: rollback to no save point", |c| {
        let Some((_, one, _)) = pair(c) else { return };
        c.attempt("transaction_rollback_to_savepoint", args![one]);
    }),
    ("transactions: a key changed since the snapshot", |c| {
        let Some((db, _, _)) = pair(c) else { return };
        let (wo, to) = (writes(c), c.make("transaction_options_create", &[]));
        c.call("transaction_options_set_set_snapshot", args![to, 1]);
        let txn = c.make("transaction_begin", args![db, wo, to, 0]);
        c.attempt("transactiondb_put", args![db, wo, b"key", b"value"]);
        txn_put(c, txn, "key");
        c.attempt("transaction_delete", args![txn, b"key"]);
        c.attempt("transaction_commit", args![txn]);
    }),
    ("transactions: a batch that is too large", |c| {
        let Some((db, _, _)) = pair(c) else { return };
        let (wo, to) = (writes(c), c.make("transaction_options_create", &[]));
        c.call("transaction_options_set_max_write_batch_size", args![to, 44]);
        let txn = c.make("transaction_begin", args![db, wo, to, 0]);
        (0..4).for_each(|n| txn_put(c, txn, &format!("key{n:03}")));
        c.attempt("transaction_commit", args![txn]);
    }),
    ("transactions: too many locks", |c| {
        let (plain, path) = (c.options(""), c.path("db"));
        let how = c.make("transactiondb_options_create", &[]);
        c.call("transactiondb_options_set_max_num_locks", args![how, 2]);
        let Some(db) = c.must("transactiondb_open", args![plain, how, path.as_path()]) else {
            return;
        };
        let (wo, to) = (writes(c), c.make("transaction_options_create", &[]));
        let txn = c.make("transaction_begin", args![db, wo, to, 0]);
        (0..4).for_each(|n| txn_put(c, txn, &format!("key{n:03}")));
    }),
    ("transactions: expired", |c| {
        let Some((db, _, _)) = pair(c) else { return };
        let (wo, to) = (writes(c), c.make("transaction_options_create", &[]));
        c.call("transaction_options_set_expiration", args![to, 1]);
        let txn = c.make("transaction_begin", args![db, wo, to, 0]);
        txn_put(c, txn, "key");
        std::thread::sleep(std::time::Duration::from_millis(20));
        txn_put(c, txn, "more");
        c.attempt("transaction_commit", args![txn]);
    }),
    ("transactions: write unprepared policies, opened plainly", |c| {
        let Some((_, one, _)) = pair(c) else { return };
        name(c, one, "one");
        txn_put(c, one, "key");
        c.attempt("transaction_prepare", args![one]);
        let options = c.options("");
        c.open(options, "db");
    }),
    ("optimistic: a conflict", |c| {
        let Some((_, one, two)) = optimistic(c) else { return };
        txn_put(c, one, "key");
        txn_put(c, two, "key");
        c.attempt("transaction_commit", args![one]);
        c.attempt("transaction_commit", args![two]);
        c.attempt("transaction_commit", args![two]);
    }),
    ("optimistic: prepared", |c| {
        let Some((_, one, _)) = optimistic(c) else { return };
        name(c, one, "one");
        c.attempt("transaction_prepare", args![one]);
        c.attempt("transaction_rollback", args![one]);
        c.attempt("transaction_commit", args![one]);
    }),
];
