//! Loading much data: sorted files are written outside of the database, by several threads, and then ingested.
//!
//! `cargo run -p ferrolith --example bulk_load`

use ferrolith::ingest::{IngestExternalFileOptions, SstFileWriter};
use ferrolith::{CompressionType, Db, Options, Result};
use std::path::{Path, PathBuf};

const FILES: u32 = 4;
const KEYS_PER_FILE: u32 = 5_000;

/// Writes one file. Keys must come in order within a file; files should not overlap.
fn write_file(options: &Options, path: PathBuf, first: u32) -> Result<PathBuf> {
    let mut writer = SstFileWriter::create(options, &path)?;
    for n in first..first + KEYS_PER_FILE {
        writer.put(n.to_be_bytes(), format!("value of {n}"))?;
    }
    let info = writer.finish()?;
    println!("{}: {} keys, {} bytes", path.display(), info.num_entries, info.file_size);
    Ok(path)
}

/// The program, in this directory.
pub fn run(dir: &Path) -> Result<()> {
    let options = Options::new().create_if_missing(true).compression(CompressionType::Lz4);
    let db = Db::open_with(&options, dir.join("db"))?;

    let files = std::thread::scope(|scope| {
        let threads: Vec<_> = (0..FILES)
            .map(|i| {
                let (options, path) = (&options, dir.join(format!("{i}.sst")));
                scope.spawn(move || write_file(options, path, i * KEYS_PER_FILE))
            })
            .collect();
        threads
            .into_iter()
            .map(|thread| thread.join().expect("no panic"))
            .collect::<Result<Vec<_>>>()
    })?;

    // All files become visible together. Moving them costs no copy.
    let how = IngestExternalFileOptions { move_files: true, ..Default::default() };
    db.ingest_external_file_opt(&files, &how)?;

    assert_eq!(db.iter().count() as u32, FILES * KEYS_PER_FILE);
    assert_eq!(db.get(7_u32.to_be_bytes())?.unwrap(), "value of 7");
    Ok(())
}

fn main() -> Result<()> {
    let dir = tempfile::tempdir().expect("a temporary directory");
    run(dir.path())
}
