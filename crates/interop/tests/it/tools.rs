//! Debian's RocksDB 7.8.3 tools, run as they are.

use ferrolith::internal::sst::format::{CUCKOO_MAGIC, LEGACY_PLAIN_MAGIC, PLAIN_MAGIC};
use ferrolith_interop::dump::difference;
use ferrolith_interop::peers;
use ferrolith_interop::workload::Family;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Runs a tool and gives what it printed; fails the test if the tool fails.
pub fn tool(name: &str, args: &[&str]) -> String {
    let program = peers::tool(name).unwrap();
    let output = Command::new(program).args(args).output().unwrap();
    let (out, err) =
        (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    let said_error =
        err.lines().any(|line| line.contains("Failed:") || line.contains("Corruption"));
    assert!(output.status.success() && !said_error, "{name} {args:?}: {out}\n{err}");
    out.into_owned()
}

/// Runs `ldb` on a database.
pub fn ldb(dir: &Path, args: &[&str]) -> String {
    let db = format!("--db={}", dir.display());
    tool("ldb", &[&[db.as_str()], args].concat())
}

/// What `ldb scan` finds in a family.
pub fn scan(dir: &Path, family: &str) -> Family {
    let family = format!("--column_family={family}");
    let text = ldb(dir, &["scan", "--hex", &family]);
    let pairs = text.lines().map(|line| {
        let (key, value) = line.split_once(" : ").unwrap_or_else(|| panic!("ldb scan: {line:?}"));
        (unhex(key), unhex(value))
    });
    pairs.collect()
}

fn unhex(text: &str) -> Vec<u8> {
    let digits = text.trim().strip_prefix("0x").unwrap_or_else(|| panic!("not hex: {text:?}"));
    let byte = |pair: &[u8]| u8::from_str_radix(std::str::from_utf8(pair).unwrap(), 16).unwrap();
    digits.as_bytes().chunks(2).map(byte).collect()
}

/// Checks that `ldb` and `sst_dump` accept the directory and find exactly `expected` in it.
pub fn check(when: &str, dir: &Path, names: &[String], expected: &[Family]) {
    for (name, expected) in names.iter().zip(expected) {
        if let Some(difference) = difference(&scan(dir, name), expected) {
            panic!("{when}: ldb scan of {name}: {difference}");
        }
    }
    assert!(ldb(dir, &["checkconsistency"]).contains("OK"), "{when}: ldb checkconsistency");
    for table in live_tables(dir).iter().filter(|table| !is_mapped(table)) {
        let file = format!("--file={}", table.display());
        tool("sst_dump", &[&file, "--command=check", "--verify_checksum"]);
        let verified = tool("sst_dump", &[&file, "--command=verify"]);
        assert!(verified.contains("The file is ok"), "{when}: {verified}");
    }
}

/// The tables that the MANIFEST names; after a kill there may be unfinished ones besides.
fn live_tables(dir: &Path) -> Vec<PathBuf> {
    let listing = ldb(dir, &["list_live_files_metadata"]);
    let names = listing.split([' ', '/', '\n']).filter(|word| word.ends_with(".sst"));
    names.map(|name| dir.join(name)).collect()
}

/// `sst_dump` 7.8.3 cannot read a PlainTable or a CuckooTable, not even RocksDB's: it fails with "Bad
/// address" and "Unsupported table magic number".
fn is_mapped(table: &Path) -> bool {
    let bytes = std::fs::read(table).unwrap();
    let magic = u64::from_le_bytes(*bytes.last_chunk().unwrap());
    [PLAIN_MAGIC, LEGACY_PLAIN_MAGIC, CUCKOO_MAGIC].contains(&magic)
}
