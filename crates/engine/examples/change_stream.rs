//! A replica that follows a database by its change stream and continues where it stopped.
//!
//! `cargo run -p ferrolith --example change_stream`

use ferrolith::{Db, Options, Record, Result, WriteBatch};
use std::path::Path;
use std::time::Duration;

/// Where the replica stores the sequence number that it needs next. It is written together with the changes: after a
/// crash the replica neither misses nor repeats one.
const POSITION: &str = "replica:next";

fn position(replica: &Db) -> Result<u64> {
    let stored = replica.get(POSITION)?;
    let number = stored.and_then(|value| value.first_chunk().copied().map(u64::from_be_bytes));
    Ok(number.unwrap_or(1))
}

/// Applies what the replica has not seen yet, and returns how many changes that were.
fn follow(source: &Db, replica: &Db) -> Result<usize> {
    let mut count = 0;
    for change in source.get_updates_since(position(replica)?)? {
        let change = change?;
        let next = change.next_sequence();
        let mut batch: WriteBatch = change.batch;
        for record in batch.iter() {
            if let Record::Put { key, value, .. } = record {
                println!("{} = {}", key.escape_ascii(), value.escape_ascii());
            }
        }
        batch.put(POSITION, next.to_be_bytes());
        replica.write(batch)?;
        count += 1;
    }
    Ok(count)
}

/// The program, in this directory.
pub fn run(dir: &Path) -> Result<()> {
    // Logs are kept for an hour after their writes were flushed: that is how far a replica may fall behind.
    let options = Options::new().create_if_missing(true).wal_ttl(Duration::from_secs(3600));
    let source = Db::open_with(options, dir.join("source"))?;
    let replica = Db::open(dir.join("replica"))?;

    source.put("a", "1")?;
    let mut batch = WriteBatch::new();
    batch.put("b", "2").delete("a");
    source.write(batch)?;
    assert_eq!(follow(&source, &replica)?, 2);

    source.flush()?; // a new log begins
    source.put("c", "3")?;
    assert_eq!(follow(&source, &replica)?, 1);
    assert_eq!(follow(&source, &replica)?, 0);

    assert_eq!(replica.get("a")?, None);
    assert_eq!(replica.get("b")?.unwrap(), "2");
    assert_eq!(replica.get("c")?.unwrap(), "3");
    Ok(())
}

fn main() -> Result<()> {
    let dir = tempfile::tempdir().expect("a temporary directory");
    run(dir.path())
}
