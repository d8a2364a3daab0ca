//! The engine that a command line names, configured by db_bench's flags.

use crate::flags::{self, Flags, Parsed};
use crate::target::{self, ENGINES, Result, peer};
use clap::Arg;
use std::io::ErrorKind;
use std::path::Path;

/// Returns the argument `--engine` of a suite.
pub fn argument() -> Arg {
    let help = format!("{ENGINES} [default: ferrolith]");
    Arg::new("engine").long("engine").value_name("ENGINE").help(help)
}

/// An engine, without its options.
#[derive(Clone, Debug, Default)]
pub struct Choice {
    /// The value of db_bench's `--engine`.
    pub engine: Option<String>,
    /// A library with RocksDB's C functions, or those of the engine.
    pub library: Option<String>,
}

impl Choice {
    /// Parses one of [`ENGINES`]; returns also the name without the path.
    pub fn parse(text: &str) -> Result<(&'static str, Choice)> {
        let of = |name, engine: &str, library: Option<&str>| {
            let (engine, library) = (Some(engine.to_owned()), library.map(str::to_owned));
            Ok((name, Choice { engine, library }))
        };
        let (word, path) = match text.split_once(':') {
            Some((word, path)) => (word, Some(path).filter(|path| !path.is_empty())),
            None => (text, None),
        };
        match (word, path) {
            ("rocksdb", path) if path.is_some() || text == word => of("rocksdb", "lib", path),
            ("ferrolith", None) if text == word => of("ferrolith", "ferrolith", None),
            _ => match peer(word).filter(|peer| peer.loaded == path.is_some()) {
                Some(peer) if peer.loaded || text == word => of(peer.word, peer.word, path),
                _ => Err(format!("engine {text}: expected {ENGINES}")),
            },
        }
    }

    /// Returns the value of `--engine` that stands for this choice.
    pub fn argument(&self) -> String {
        match (self.engine.as_deref(), &self.library) {
            (Some(engine), Some(path)) if engine != "lib" => format!("{engine}:{path}"),
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
        // Lookups see all earlier writes, as on the other engines.
        args.extend(["lmdb", "redb"].map(|engine| format!("--{engine}_read_txn=call")));
        args.extend(self.library.iter().map(|path| format!("--engine_lib={path}")));
        args.extend(more.iter().cloned());
        args
    }

    /// The flags of db_bench for a database of this engine. Of a flag that is given twice, the last value wins. Notices
    /// go to standard error.
    pub fn flags(&self, db: &Path, more: &[String]) -> Result<Flags> {
        let (flags, notices) = self.flags_and_notices(db, more)?;
        notices.iter().for_each(|notice| eprintln!("{notice}"));
        Ok(flags)
    }

    /// The same with the notices about flags.
    pub fn flags_and_notices(&self, db: &Path, more: &[String]) -> Result<(Flags, Vec<String>)> {
        match flags::parse(&self.arguments(db, more))? {
            Parsed::Run(flags, notices) => Ok((*flags, notices)),
            Parsed::Print(_) => Err("flags after -- must configure the engine".to_owned()),
        }
    }

    /// Checks that the engine exists and can be used: its library, and its functions.
    ///
    /// # Errors
    /// What is missing.
    pub fn check(&self, db: &Path) -> Result<()> {
        let (flags, _) = self.flags_and_notices(db, &[])?;
        target::engine(&flags).map(|_| ())
    }
}

/// Creates a directory, but not the one that it is in: a volume may not be mounted.
pub fn create_directory(dir: &Path) -> Result<()> {
    match std::fs::create_dir(dir) {
        Err(e) if e.kind() == ErrorKind::AlreadyExists => Ok(()),
        Err(e) => Err(not_created(dir, &e)),
        Ok(()) => Ok(()),
    }
}

/// Returns the error for a directory that cannot be created. The directory that it should be in may be missing.
pub fn not_created(dir: &Path, error: &std::io::Error) -> String {
    let parent = dir.parent().filter(|parent| !parent.as_os_str().is_empty());
    match parent.filter(|parent| !parent.exists()) {
        Some(parent) => format!(
            "{}: cannot be created, because the directory {} does not exist; create or mount it first",
            dir.display(),
            parent.display()
        ),
        None => format!("{}: cannot be created: {error}", dir.display()),
    }
}
