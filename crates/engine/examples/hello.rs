//! A first program: write, read, iterate. The same lines are in README.md.
//!
//! `cargo run -p ferrolith --example hello [directory]`

use ferrolith::batch::WriteBatch;
use ferrolith::db::Db;
use ferrolith::options::{Options, ReadOptions, WriteOptions};

fn main() -> ferrolith::Result<()> {
    let dir = std::env::args_os().nth(1).unwrap_or_else(|| "hello-db".into());

    let mut options = Options::default();
    options.db.create_if_missing = true;
    let db = Db::open(&options, dir)?;

    // One key. The write is in the log when this returns, and on the device with `sync`.
    let durable = WriteOptions { sync: true, ..WriteOptions::default() };
    db.put(&durable, b"planet:3", b"Earth")?;

    // Several keys that become visible together.
    let mut batch = WriteBatch::new();
    batch.put(b"planet:4", b"Mars")?;
    batch.put(b"planet:9", b"Pluto")?;
    batch.delete(b"planet:9")?;
    db.write(&WriteOptions::default(), &mut batch)?;

    let read = ReadOptions::default();
    assert_eq!(db.get(&read, b"planet:4")?.as_deref(), Some(&b"Mars"[..]));
    assert_eq!(db.get(&read, b"planet:9")?, None);

    // Iterators and snapshots own what they need: no lifetimes, and they may go to other threads.
    let mut planets = db.iter(&read)?;
    planets.seek(b"planet:");
    while planets.valid() {
        let (key, value) = (planets.key(), planets.value());
        println!("{} = {}", String::from_utf8_lossy(key), String::from_utf8_lossy(value));
        planets.next();
    }
    planets.status()?;

    db.close()
}
