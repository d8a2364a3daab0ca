//! `verify`: checks that the database has exactly the content of `--truth_db`.

use crate::flags::{Flags, Value};
use crate::report::say;
use crate::target::{self, ReadMode, Result, Session, Target, WriteMode};

/// Opens the other database read-only and iterates over both.
pub(super) fn against_truth(target: &dyn Target, flags: &Flags) -> Result<()> {
    let truth = flags.text("truth_db");
    if !std::path::Path::new(truth).join("CURRENT").exists() {
        return Err(format!("verify: --truth_db={truth} contains no database"));
    }
    let mut theirs = flags.clone();
    theirs.set("db", Value::Text(truth.to_owned()));
    theirs.set("wal_dir", Value::Text(String::new()));
    theirs.set("readonly", Value::Bool(true));
    for kind in ["transaction_db", "optimistic_transaction_db"] {
        theirs.set(kind, Value::Bool(false));
    }
    let truth = target::engine(&theirs)?.open()?;
    let mode = ReadMode { total_order_seek: true, verify_checksums: true, ..ReadMode::default() };
    let mut lookups = target.session(mode, WriteMode::default())?;
    let mut ours = target.session(mode, WriteMode::default())?;
    let mut expected = truth.session(mode, WriteMode::default())?;
    let entries = compare(&mut *lookups, &mut *ours, &mut *expected)?;
    say(&format!("...Verified {entries} entries"));
    Ok(())
}

/// Every entry that is expected is found by a lookup and by a scan, and the scan finds no other.
fn compare(
    lookups: &mut dyn Session,
    ours: &mut dyn Session,
    expected: &mut dyn Session,
) -> Result<u64> {
    ours.open_iterator(None, None)?;
    expected.open_iterator(None, None)?;
    ours.seek_to_first();
    expected.seek_to_first();
    let mut entries = 0u64;
    while expected.valid() {
        let (key, value) = (expected.key(), expected.value());
        if lookups.get(key)? != Some(value) {
            return Err(format!(
                "verify: the lookup of key {key:02x?} does not find the value of --truth_db"
            ));
        }
        if !ours.valid() || ours.key() != key || ours.value() != value {
            return Err(format!(
                "verify: the scan does not find key {key:02x?} of --truth_db, entry {entries}"
            ));
        }
        entries += 1;
        ours.next();
        expected.next();
    }
    if ours.valid() {
        return Err(format!("verify: key {:02x?} is not in --truth_db", ours.key()));
    }
    ours.status()?;
    expected.status()?;
    Ok(entries)
}
