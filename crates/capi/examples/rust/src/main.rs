//! Writes a key and reads it back, by the crate `rocksdb`.

fn main() -> Result<(), rocksdb::Error> {
    let path = std::env::args().nth(1).unwrap_or("hello-db".into());
    let db = rocksdb::DB::open_default(path)?;
    db.put(b"planet:3", b"Earth")?;
    let value = db.get(b"planet:3")?.unwrap_or_default();
    println!("planet:3 = {}", String::from_utf8_lossy(&value));
    Ok(())
}
