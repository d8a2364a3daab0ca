//! Lines that users of other crates type, and what becomes of them here.
//!
//! Every form in the table is compiled and run, on a database with the families `default` and `items`. What counts as
//! an obvious change: other names of types and methods; a `?`, a `&` or a transaction that is not needed here. What
//! does not count has its form, too, since it works, but a user has to look it up.

use ferrolith::{ColumnFamily, Db, Options, Result, WriteBatch};
use std::path::Path;

/// How a line gets on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Change {
    /// Compiles as typed.
    Same,
    /// Compiles after an obvious change of a name.
    Name,
    /// Another way of doing it.
    Other,
}
use Change::{Name, Other, Same};

/// What a form works on: the database, a family of it, a batch, options, and an empty directory.
struct Given<'a> {
    db: &'a Db,
    items: &'a ColumnFamily,
    batch: WriteBatch,
    options: &'a Options,
    path: &'a Path,
}

struct Line {
    of: &'static str,
    typed: &'static str,
    change: Change,
    form: fn(Given<'_>) -> Result<()>,
}

macro_rules! lines {
    (($db:ident $items:ident $batch:ident $options:ident $path:ident)
     $($of:ident: [$($typed:literal $change:ident $form:block)*])*) => {
        const LINES: &[Line] = &[$($(Line {
            of: stringify!($of),
            typed: $typed,
            change: $change,
            form: {
                #[allow(unused_variables, unused_mut, unused_must_use, clippy::all)]
                fn form(given: Given<'_>) -> Result<()> {
                    let ($db, $items, $options, $path) =
                        (given.db, given.items, given.options, given.path);
                    let mut $batch = given.batch;
                    $form
                    Ok(())
                }
                form
            },
        }),*),*];
    };
}

lines! {
    (db items batch options path)

    rust_rocksdb: [
    "let db = DB::open_default(path)?;" Name { let db = Db::open(path)?; }
    "let db = DB::open(&options, path)?;" Name { let db = Db::open_with(options, path)?; }
    "let db = DB::open_cf(&options, path, [\"a\", \"b\"])?;" Same
        { let db = Db::open_cf(options, path, ["a", "b"])?; }
    "let mut opts = Options::default(); opts.create_if_missing(true);" Other
        { let opts = Options::default().create_if_missing(true); }
    "db.put(b\"key\", b\"value\")?;" Same { db.put(b"key", b"value")?; }
    "if let Some(v) = db.get(b\"key\")? { println!(\"{}\", String::from_utf8_lossy(&v)); }" Same
        { if let Some(v) = db.get(b"key")? { println!("{}", String::from_utf8_lossy(&v)); } }
    "let v = db.get_pinned(b\"key\")?;" Name { let v = db.get(b"key")?; }
    "db.delete(b\"key\")?;" Same { db.delete(b"key")?; }
    "let cf = db.cf_handle(\"items\").unwrap();" Name { let cf = db.cf("items").unwrap(); }
    "db.put_cf(&cf, b\"key\", b\"value\")?;" Same { let cf = items; db.put_cf(&cf, b"key", b"value")?; }
    "let mut batch = WriteBatch::default(); batch.put(b\"a\", b\"1\"); db.write(batch)?;" Same
        { let mut batch = WriteBatch::default(); batch.put(b"a", b"1"); db.write(batch)?; }
    "for item in db.iterator(IteratorMode::From(b\"b\", Direction::Forward)) { item?; }" Other
        { for item in db.range(b"b"..) { item?; } }
    "for item in db.prefix_iterator(b\"user:\") { let (k, v) = item?; }" Name
        { for item in db.prefix(b"user:") { let (k, v) = item?; } }
    "let mut it = db.raw_iterator(); it.seek(b\"b\"); while it.valid() { it.key(); it.next(); } it.status()?;" Name
        { let mut it = db.cursor(); it.seek(b"b"); while it.valid() { it.key(); it.next(); } it.status()?; }
    "let snapshot = db.snapshot(); snapshot.get(b\"key\")?;" Same
        { let snapshot = db.snapshot(); snapshot.get(b"key")?; }
    ]

    redb: [
    "let db = Database::create(path)?;" Name { let db = Db::open(path)?; }
    "let txn = db.begin_write()?;" Name { let txn = db.batch(); }
    "let mut table = txn.open_table(TABLE)?;" Name { let mut table = db.cf_or_create("table")?; }
    "table.insert(\"key\", \"value\")?;" Name { items.put("key", "value")?; }
    "txn.commit()?;" Other { db.write(batch)?; }
    "let txn = db.begin_read()?;" Name { let txn = db.snapshot(); }
    "let value = table.get(\"key\")?;" Same { let value = items.get("key")?; }
    "assert_eq!(table.get(\"b\")?.unwrap().value(), b\"2\");" Name
        { assert_eq!(items.get("b")?.unwrap().as_bytes(), b"2"); }
    "for item in table.range(\"a\"..\"c\")? { let (k, v) = item?; }" Name
        { for item in items.range("a".."c") { let (k, v) = item?; } }
    "for item in table.iter()? { let (k, v) = item?; }" Name { for item in items.iter() { let (k, v) = item?; } }
    "let last = table.range(\"a\"..)?.next_back();" Name { let last = items.range("a"..).next_back(); }
    "table.remove(\"key\")?;" Name { items.delete("key")?; }
    "let first = table.first()?;" Same { let first = items.first()?; }
    "let last = table.last()?;" Same { let last = items.last()?; }
    "let n = table.len()?;" Other { let n = items.iter().count(); }
    ]

    fjall: [
    "let keyspace = Config::new(path).open()?;" Name { let keyspace = Db::open(path)?; }
    "let items = keyspace.open_partition(\"items\", PartitionCreateOptions::default())?;" Name
        { let items = db.cf_or_create("items")?; }
    "items.insert(\"a\", \"hello\")?;" Name { items.put("a", "hello")?; }
    "let bytes = items.get(\"a\")?;" Same { let bytes = items.get("a")?; }
    "items.remove(\"a\")?;" Name { items.delete("a")?; }
    "for kv in items.prefix(\"user1\") { let (k, v) = kv?; }" Same
        { for kv in items.prefix("user1") { let (k, v) = kv?; } }
    "for kv in items.range(\"a\"..=\"z\") { let (k, v) = kv?; }" Same
        { for kv in items.range("a"..="z") { let (k, v) = kv?; } }
    "for kv in items.iter().rev() { let (k, v) = kv?; }" Same
        { for kv in items.iter().rev() { let (k, v) = kv?; } }
    "keyspace.persist(PersistMode::SyncAll)?;" Name { db.flush_wal(true)?; }
    "let mut batch = keyspace.batch();" Same { let mut batch = db.batch(); }
    "batch.insert(&items, \"a\", \"hello\");" Name { batch.put_cf(&items, "a", "hello"); }
    "batch.commit()?;" Other { db.write(batch)?; }
    "if items.contains_key(\"a\")? {}" Same { if items.contains_key("a")? {} }
    "let first = items.first_key_value()?;" Name { let first = items.first()?; }
    "let n = items.approximate_len();" Other { let n = items.property_int("rocksdb.estimate-num-keys"); }
    ]

    heed: [
    "let env = unsafe{ EnvOpenOptions::new().max_dbs(3).open(path)? };" Name { let env = Db::open(path)?; }
    "let mut wtxn = env.write_txn()?;" Name { let mut wtxn = db.batch(); }
    "let items: Database<Str, Str> = env.create_database(&mut wtxn, Some(\"items\"))?;" Name
        { let items: ColumnFamily = db.cf_or_create("items")?; }
    "items.put(&mut wtxn, \"key\", \"value\")?;" Name { items.put("key", "value")?; }
    "wtxn.commit()?;" Other { db.write(batch)?; }
    "let rtxn = env.read_txn()?;" Name { let rtxn = db.snapshot(); }
    "let value = items.get(&rtxn, \"key\")?;" Name { let value = items.get("key")?; }
    "items.delete(&mut wtxn, \"key\")?;" Name { items.delete("key")?; }
    "for item in items.iter(&rtxn)? { let (k, v) = item?; }" Name { for item in items.iter() { let (k, v) = item?; } }
    "for item in items.range(&rtxn, &(\"a\"..\"c\"))? { let (k, v) = item?; }" Name
        { for item in items.range("a".."c") { let (k, v) = item?; } }
    "for item in items.prefix_iter(&rtxn, \"user\")? { let (k, v) = item?; }" Name
        { for item in items.prefix("user") { let (k, v) = item?; } }
    "let first = items.first(&rtxn)?;" Name { let first = items.first()?; }
    "let last = items.last(&rtxn)?;" Name { let last = items.last()?; }
    "items.clear(&mut wtxn)?;" Other { db.drop_cf("items")?; db.create_cf("items")?; }
    "env.copy_to_path(path, CompactionOption::Disabled)?;" Name { db.checkpoint(path.join("copy"))?; }
    ]
}

#[test]
fn lines_of_other_crates_compile() {
    for line in LINES {
        let dir = tempfile::tempdir().unwrap();
        let db = Db::open(dir.path().join("db")).unwrap();
        let items = db.create_cf("items").unwrap();
        for (key, value) in [("a", "1"), ("b", "2"), ("user1", "Ada")] {
            db.put(key, value).unwrap();
            items.put(key, value).unwrap();
        }
        let options = Options::new().create_if_missing(true);
        let path = &dir.path().join("other");
        std::fs::create_dir(path).unwrap();
        let batch = WriteBatch::new();
        let given = Given { db: &db, items: &items, batch, options: &options, path };
        (line.form)(given).unwrap_or_else(|e| panic!("{}: {}: {e}", line.of, line.typed));
    }
    let mut names: Vec<_> = LINES.iter().map(|line| line.of).collect();
    names.dedup();
    for name in &names {
        assert_eq!(LINES.iter().filter(|line| line.of == *name).count(), 15, "{name}");
    }
    let other: Vec<_> = LINES.iter().filter(|line| line.change == Other).collect();
    for line in &other {
        println!("needs another way: {}: {}", line.of, line.typed);
    }
    let same = LINES.iter().filter(|line| line.change == Same).count();
    println!(
        "{same} of {} as typed, {} with a change",
        LINES.len(),
        LINES.len() - same - other.len()
    );
    assert_eq!(LINES.len(), 60);
    assert!(LINES.len() - other.len() >= 50, "{}", other.len());
}
