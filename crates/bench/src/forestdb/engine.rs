//! The engine's flags for a stage of a run, and what its writes guarantee.

use super::config::Config;
use crate::flags::Flags;
use crate::shared::engine::Choice;
use crate::target::{ENGINES, Peer, Result, WriteMode, peer};
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
    /// The engine, if it does not have RocksDB's options.
    peer: Option<&'static Peer>,
    choice: Choice,
}

impl Kind {
    /// Parses one of [`ENGINES`]. Errors say what to do.
    pub fn parse(text: &str) -> Result<Kind> {
        if ["fdb", "wt", "leveldb", "couch"].contains(&text) {
            return Err(format!(
                "engine {text}: this program does not run it by this name; choose {ENGINES} with --engine"
            ));
        }
        let (name, choice) = Choice::parse(text)?;
        Ok(Kind { name, peer: peer(name), choice })
    }

    /// Returns whether a key of the section `db_config` or `ferrolith_bench`, which is about RocksDB's options, has an
    /// effect on the engine.
    pub fn has(&self, key: &str) -> bool {
        match self.name {
            "lmdb" => false,
            "fjall" => [
                "cache_size_mb",
                "wbs_init_mb",
                "wbs_bench_mb",
                "bloom_bits_per_key",
                "compression",
            ]
            .contains(&key),
            "redb" => key == "cache_size_mb",
            "forestdb" => ["cache_size_mb", "compression"].contains(&key),
            _ => true,
        }
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
        let mut all = match self.peer {
            None => tree(config, stage),
            Some(_) => self.peer_flags(config, stage, more),
        };
        all.extend(more.iter().cloned());
        self.choice.flags(db, &all)
    }

    /// Returns the flags for an engine without RocksDB's options. LMDB's guarantee is decided when it is opened.
    fn peer_flags(&self, config: &Config, stage: Stage, more: &[String]) -> Vec<String> {
        let tree = &config.tree;
        let mut all = vec![format!("--sync={}", self.writes(config, stage, more).0.sync)];
        if self.has("cache_size_mb") {
            all.push(format!("--cache_size={}", tree.cache_mb * MB));
        }
        if self.has("wbs_init_mb") {
            let memtable = config.write_buffer_mb(stage == Stage::Load);
            all.push(format!("--write_buffer_size={}", memtable * MB));
            all.push(format!("--bloom_bits={}", tree.bloom_bits));
        }
        if self.has("compression") && !tree.compression {
            all.push("--compression_type=none".to_owned());
        }
        if self.is_forestdb() {
            all.extend(tree.compression.then(|| "--compression_type=snappy".to_owned()));
            all.push(format!("--forestdb_options={}", forest(config)));
        }
        all
    }

    fn is_forestdb(&self) -> bool {
        self.name == "forestdb"
    }

    /// Returns whether ForestDB commits by itself in asynchronous writes. Other engines have no such choice.
    fn commits_itself(&self, more: &[String]) -> bool {
        let flags = || self.choice.flags_and_notices(Path::new(""), more);
        let is_auto = |flags: &Flags| flags.text("forestdb_commit") == "auto";
        self.is_forestdb() && flags().is_ok_and(|(flags, _)| is_auto(&flags))
    }

    /// Returns how a stage writes, and what a returned write guarantees. `more` are the user's flags of db_bench.
    pub fn writes(
        &self,
        config: &Config,
        stage: Stage,
        more: &[String],
    ) -> (WriteMode, &'static str) {
        let wal = config.population.as_ref().is_none_or(|load| load.wal);
        let can_skip_it = self.peer.is_none() || self.is_forestdb();
        let disable_wal = can_skip_it && stage == Stage::Load && !wal;
        let sync = config.operation.sync && (stage == Stage::Measure || wal);
        let guarantee = match (self.peer.map(|peer| peer.logs), sync, disable_wal) {
            (None, true, _) => {
                "sync: each batch is in the WAL and synced; it survives a power failure"
            }
            (None, _, true) => {
                "no WAL: a crash loses what is not flushed yet; the load ends with a flush"
            }
            (None, ..) => {
                "async: each batch is in the WAL, not synced; it survives a crash of the process, but not a power failure"
            }
            (Some(_), false, true) => {
                "no commits: a crash loses what is not committed yet; the load ends with a commit"
            }
            (Some(_), false, _) if self.commits_itself(more) => {
                "auto: ForestDB commits by itself when its WAL index is full, not synced; a crash of the process loses \
                 the updates since"
            }
            (Some(_), true, _) => "sync: each transaction is synced; it survives a power failure",
            (Some(true), ..) => {
                "async: each batch is in the journal, not synced; it survives a crash of the process, but not a power \
                 failure"
            }
            (Some(false), ..) => {
                "async: transactions are not synced; they survive a crash of the process, but a power failure may \
                 corrupt the database"
            }
        };
        (WriteMode { sync, disable_wal, ..WriteMode::default() }, guarantee)
    }
}

/// ForestDB's options. The keys of the ini file do not have the numbers of partitions, which are those of the fork.
fn forest(config: &Config) -> String {
    let forest = &config.forest;
    let mut text = format!(
        "wal_threshold={};compaction_threshold={};compactor_sleep_duration={};\
         num_compactor_threads={};num_wal_partitions=31;num_bcache_partitions=31",
        forest.wal,
        forest.compaction_threshold,
        forest.compaction_period,
        forest.compaction_threads,
    );
    if let Some(percent) = forest.block_reuse {
        text += &format!(";block_reusing_threshold={percent}");
    }
    text
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

#[cfg(test)]
#[path = "engine_test.rs"]
mod tests;
