//! The engine that a command line names, configured by db_bench's flags.

use crate::flags::{self, Flags, Parsed};
use crate::target::Result;
use std::path::Path;

/// An engine, without its options.
#[derive(Clone, Debug, Default)]
pub struct Choice {
    /// The value of db_bench's `--engine`.
    pub engine: Option<String>,
    /// A library with RocksDB's C functions.
    pub library: Option<String>,
}

impl Choice {
    /// Parses `ferrolith`, `rocksdb`, `rocksdb:PATH` or `lmdb`; returns also the name without the path.
    pub fn parse(text: &str) -> Result<(&'static str, Choice)> {
        let of = |name, engine: &str, library: Option<&str>| {
            let (engine, library) = (Some(engine.to_owned()), library.map(str::to_owned));
            Ok((name, Choice { engine, library }))
        };
        match text.split_once(':') {
            Some(("rocksdb", path)) if !path.is_empty() => of("rocksdb", "lib", Some(path)),
            None if text == "rocksdb" => of("rocksdb", "lib", None),
            None if text == "ferrolith" => of("ferrolith", "ferrolith", None),
            None if text == "lmdb" => of("lmdb", "lmdb", None),
            _ => Err(format!("engine {text}: expected ferrolith, rocksdb, rocksdb:PATH or lmdb")),
        }
    }

    /// Returns the value of `--engine` that stands for this choice.
    pub fn argument(&self) -> String {
        match (self.engine.as_deref(), &self.library) {
            (_, Some(path)) => format!("rocksdb:{path}"),
            (Some("lib"), None) => "rocksdb".to_owned(),
            (Some(engine), None) => engine.to_owned(),
            (None, None) => "ferrolith".to_owned(),
        }
    }

    /// The name for reports.
    pub fn word(&self) -> &str {
        match (&self.engine, &self.library) {
            (Some(engine), _) => engine,
            (None, Some(library)) => library,
            (None, None) => "ferrolith",
        }
    }

    /// The arguments of db_bench for a database of this engine, and `more`.
    pub fn arguments(&self, db: &Path, more: &[String]) -> Vec<String> {
        let mut args = vec![format!("--db={}", db.display()), "--use_existing_db=1".to_owned()];
        args.extend(self.engine.iter().map(|engine| format!("--engine={engine}")));
        args.extend(self.library.iter().map(|path| format!("--engine_lib={path}")));
        args.extend(more.iter().cloned());
        args
    }

    /// The flags of db_bench for a database of this engine. Of a flag that is given twice, the last value wins.
    pub fn flags(&self, db: &Path, more: &[String]) -> Result<Flags> {
        match flags::parse(&self.arguments(db, more))? {
            Parsed::Run(flags, notices) => {
                notices.iter().for_each(|notice| eprintln!("{notice}"));
                Ok(*flags)
            }
            Parsed::Print(_) => Err("flags after -- must configure the engine".to_owned()),
        }
    }
}

/// Whether a directory holds a database of one of the engines.
pub fn has_database(dir: &Path) -> bool {
    ["CURRENT", "data.mdb"].iter().any(|name| dir.join(name).exists())
}

/// Creates a directory, but not the one that it is in: a volume may not be mounted.
pub fn create_directory(dir: &Path) -> Result<()> {
    match std::fs::create_dir(dir) {
        Err(e) if e.kind() != std::io::ErrorKind::AlreadyExists => {
            Err(format!("{}: cannot be created: {e}", dir.display()))
        }
        _ => Ok(()),
    }
}
