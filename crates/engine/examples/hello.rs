//! A first program: write, read, iterate. The same lines are in README.md.
//!
//! `cargo run -p ferrolith --example hello [directory]`

use ferrolith::{Db, WriteBatch, WriteOptions};
use std::path::Path;

/// The program, in this directory.
pub fn run(dir: &Path) -> ferrolith::Result<()> {
    // Creates the database if there is none.
    let db = Db::open(dir)?;

    // One key. The write is in the log when this returns, and on the device with `sync`.
    db.put("planet:3", "Earth")?;
    db.put_opt("planet:5", "Jupiter", &WriteOptions::new().sync(true))?;

    // Several keys that become visible together.
    let mut batch = WriteBatch::new();
    batch.put("planet:4", "Mars").put("planet:9", "Pluto").delete("planet:9");
    db.write(batch)?;

    assert_eq!(db.get("planet:4")?.unwrap(), "Mars");
    assert_eq!(db.get("planet:9")?, None);

    // Iterators and snapshots own what they need: no lifetimes, and they may go to other threads.
    for item in db.prefix("planet:") {
        let (key, value) = item?;
        println!("{} = {}", String::from_utf8_lossy(&key), String::from_utf8_lossy(&value));
    }

    // A column family is a key space of its own.
    let moons = db.cf_or_create("moons")?;
    moons.put("planet:3", "Moon")?;

    // A batch may span column families.
    let mut batch = WriteBatch::new();
    batch.put("planet:6", "Saturn").put_cf(&moons, "planet:6", "Titan");
    db.write(batch)?;
    assert_eq!(moons.get("planet:3")?.unwrap(), "Moon");

    db.close()
}

#[allow(dead_code, reason = "the test that runs all examples calls `run`")]
fn main() -> ferrolith::Result<()> {
    let dir = std::env::args_os().nth(1).unwrap_or_else(|| "hello-db".into());
    run(Path::new(&dir))
}
