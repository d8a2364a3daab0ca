//! Engines without RocksDB's C functions, with which Ferrolith is compared: their names, their places below `--db`, and
//! what all of them refuse.

use super::{Engine, Result};
use crate::flags::Flags;
use std::path::Path;

/// An engine without RocksDB's C functions.
#[derive(Debug)]
pub struct Peer {
    /// The word of `--engine`.
    pub word: &'static str,
    /// Its name in messages.
    pub name: &'static str,
    /// The file or directory below `--db` that shows that a database exists.
    pub place: &'static str,
    /// The engine is a shared library, which `--engine_lib` names.
    pub loaded: bool,
    /// Without sync, a power failure loses the last writes; otherwise it may corrupt the database.
    pub logs: bool,
}

/// All of them.
pub const PEERS: [Peer; 4] = [
    Peer { word: "lmdb", name: "LMDB", place: "data.mdb", loaded: false, logs: false },
    Peer { word: "fjall", name: "fjall", place: "data.fjall", loaded: false, logs: true },
    Peer { word: "redb", name: "redb", place: "data.redb", loaded: false, logs: false },
    Peer { word: "forestdb", name: "ForestDB", place: "data.forestdb", loaded: true, logs: false },
];

/// The engines that a suite's `--engine` takes, for help and errors.
pub const ENGINES: &str = "ferrolith, rocksdb, rocksdb:PATH, lmdb, fjall, redb or forestdb:PATH";

/// Returns the peer with this word.
pub fn peer(word: &str) -> Option<&'static Peer> {
    PEERS.iter().find(|peer| peer.word == word)
}

/// Returns whether a directory has a database of one of the engines.
pub fn has_database(dir: &Path) -> bool {
    dir.join("CURRENT").exists() || PEERS.iter().any(|peer| dir.join(peer.place).exists())
}

/// Returns the place of this peer's database.
pub(super) fn place(flags: &Flags, word: &str) -> std::path::PathBuf {
    let (dir, _) = super::directories(flags);
    dir.join(peer(word).map_or("", |peer| peer.place))
}

/// Deletes the databases of peers that have a directory of their own.
pub(super) fn remove_directories(dir: &Path) -> Result<()> {
    for place in PEERS.iter().map(|peer| dir.join(peer.place)).filter(|place| place.is_dir()) {
        std::fs::remove_dir_all(&place)
            .map_err(|error| format!("{}: cannot be deleted: {error}", place.display()))?;
    }
    Ok(())
}

/// Refuses, by name, the flags for features that no peer has or that this tool does not use there.
pub(super) fn refuse(flags: &Flags, peer: &Peer) -> Result<()> {
    let Peer { word, name, .. } = peer;
    if flags.on("readonly") {
        return Err(format!("--engine={word} does not support --readonly"));
    }
    for flag in ["transaction_db", "optimistic_transaction_db", "options_file", "options_string"] {
        if !flags.is_default(flag) {
            return Err(format!(
                "--{flag}={} is not supported with --engine={word}: {name} has no such feature",
                flags.value(flag)
            ));
        }
    }
    if flags.uint("rate_limiter_bytes_per_sec") > 0 {
        return Err(format!(
            "--rate_limiter_bytes_per_sec is not supported with --engine={word}: {name} has no \
             rate limiter"
        ));
    }
    if super::expiry::is_wanted(flags) {
        return Err(format!(
            "--expire_style=compaction_filter is not supported with --engine={word}: this tool \
             has no such filter for {name}"
        ));
    }
    if flags.int("num_column_families") > 1 {
        return Err(format!(
            "--num_column_families is not supported with --engine={word}: this tool opens a \
             single {name} database"
        ));
    }
    Ok(())
}

/// Returns a line for each given flag that sets an option of RocksDB which the engine does not have.
pub(super) fn notices(flags: &Flags, peer: &Peer, honoured: &[&str]) -> Vec<String> {
    use crate::flags::{Fate, TABLES};
    let rows = TABLES.iter().flat_map(|(_, rows)| rows.iter());
    let without_effect = rows.filter(|row| {
        matches!(row.fate, Fate::Sets(_))
            && flags.is_given(row.name)
            && !honoured.contains(&row.name)
    });
    without_effect.map(|row| format!("--{}: {} has no such option", row.name, peer.name)).collect()
}

/// Returns the version of a package in Cargo.lock.
#[cfg(any(feature = "fjall", feature = "redb"))]
pub(super) fn locked_version(package: &str) -> &'static str {
    const LOCK: &str = include_str!("../../../../Cargo.lock");
    let after_name = LOCK.split_once(&format!("\nname = \"{package}\"\nversion = \""));
    let version = after_name.and_then(|(_, rest)| rest.split_once('"'));
    version.map_or("of an unknown version", |(version, _)| version)
}

/// Returns the engine of a peer, or the error that this program was built without it.
pub(super) fn open(flags: &Flags, peer: &'static Peer) -> Result<Box<dyn Engine>> {
    match peer.word {
        #[cfg(feature = "lmdb")]
        "lmdb" => Ok(Box::new(super::lmdb::Lmdb::new(flags, peer)?)),
        #[cfg(feature = "fjall")]
        "fjall" => Ok(Box::new(super::fjall::Fjall::new(flags, peer)?)),
        #[cfg(feature = "redb")]
        "redb" => Ok(Box::new(super::redb::Redb::new(flags, peer)?)),
        "forestdb" => Ok(Box::new(super::forestdb::ForestDb::new(flags, peer)?)),
        word => Err(format!(
            "--engine={word}: this program was built without {}; use cargo build \
             -p ferrolith-bench --features {word}",
            peer.name
        )),
    }
}
