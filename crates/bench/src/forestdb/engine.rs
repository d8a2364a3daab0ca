//! The engine's flags for a stage of a run, and what its writes guarantee.

use super::config::Config;
use crate::flags::Flags;
use crate::shared::engine::Choice;
use crate::target::{Result, WriteMode};
use std::path::Path;

const MB: u64 = 1 << 20;

/// What a database is opened for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stage {
    /// The population.
    Load,
    /// The measured part.
    Measure,
}

/// An engine of this suite.
#[derive(Clone, Debug)]
pub struct Kind {
    /// Its name in directories of results.
    pub name: &'static str,
    /// It has RocksDB's options.
    pub lsm: bool,
    choice: Choice,
}

impl Kind {
    /// Parses `ferrolith`, `rocksdb`, `rocksdb:PATH` or `lmdb`. Errors say what to do.
    pub fn parse(text: &str) -> Result<Kind> {
        if ["fdb", "wt", "leveldb", "couch"].contains(&text) {
            return Err(format!(
                "engine {text}: this program does not run it; choose ferrolith, rocksdb:PATH or lmdb with --engine"
            ));
        }
        let (name, choice) = Choice::parse(text)?;
        Ok(Kind { name, lsm: name != "lmdb", choice })
    }

    /// Returns the engine without options.
    pub fn choice(&self) -> &Choice {
        &self.choice
    }

    /// Returns the flags of db_bench for a database: the options of the fork that `rall.sh` uses, then those of the
    /// user.
    pub fn flags(
        &self,
        db: &Path,
        config: &Config,
        stage: Stage,
        more: &[String],
    ) -> Result<Flags> {
        let mut all = match (self.lsm, self.writes(config, stage).0.sync) {
            (true, _) => tree(config, stage),
            // LMDB's guarantee is decided when it is opened. A read transaction per call sees all earlier writes, as
            // reads of the other engines do.
            (false, sync) => {
                vec![format!("--sync={sync}"), "--lmdb_read_txn=call".to_owned()]
            }
        };
        all.extend(more.iter().cloned());
        self.choice.flags(db, &all)
    }

    /// Returns how a stage writes, and what a returned write guarantees.
    pub fn writes(&self, config: &Config, stage: Stage) -> (WriteMode, &'static str) {
        let wal = config.population.as_ref().is_none_or(|load| load.wal);
        let disable_wal = self.lsm && stage == Stage::Load && !wal;
        let sync = config.operation.sync && (stage == Stage::Measure || wal);
        let guarantee = match (self.lsm, sync, disable_wal) {
            (true, true, _) => {
                "sync: each batch is in the WAL and synced; it survives a power failure"
            }
            (true, _, true) => {
                "no WAL: a crash loses what is not flushed yet; the load ends with a flush"
            }
            (true, ..) => {
                "async: each batch is in the WAL, not synced; it survives a crash of the process, but not a power failure"
            }
            (false, true, _) => "sync: each transaction is synced; it survives a power failure",
            (false, ..) => {
                "async: transactions are not synced; they survive a crash of the process, but a power failure may \
                 corrupt the database"
            }
        };
        (WriteMode { sync, disable_wal, ..WriteMode::default() }, guarantee)
    }
}

/// Options of engines with RocksDB's options. The soft and hard rate limits of 2015 no longer exist.
fn tree(config: &Config, stage: Stage) -> Vec<String> {
    let tree = &config.tree;
    let loading = stage == Stage::Load;
    let mut all = vec![
        format!("--cache_size={}", tree.cache_mb * MB),
        "--cache_type=lru_cache".to_owned(),
        format!("--write_buffer_size={}", config.write_buffer_mb(loading) * MB),
        "--max_write_buffer_number=8".to_owned(),
        "--max_background_compactions=8".to_owned(),
        "--max_background_flushes=8".to_owned(),
        format!("--compaction_style={}", tree.style),
        format!("--max_bytes_for_level_base={}", tree.level_base_mb * MB),
        format!("--target_file_size_base={}", tree.target_file_kb * 1024),
        "--level_compaction_dynamic_level_bytes=1".to_owned(),
        "--level0_slowdown_writes_trigger=12".to_owned(),
        "--level0_stop_writes_trigger=16".to_owned(),
        "--block_size=8192".to_owned(),
        "--format_version=2".to_owned(),
        format!("--bloom_bits={}", tree.bloom_bits),
        "--open_files=50000".to_owned(),
        "--stats_dump_period_sec=60".to_owned(),
    ];
    all.push(format!("--memtablerep={}", if loading { "vector" } else { "skip_list" }));
    all.extend(match tree.compression {
        true => ["--compression_type=snappy".to_owned(), "--min_level_to_compress=3".to_owned()],
        false => ["--compression_type=none".to_owned(), "--min_level_to_compress=-1".to_owned()],
    });
    all
}
