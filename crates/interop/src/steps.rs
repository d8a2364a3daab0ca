//! What a child does, as words on its command line.
//!
//! ```text
//! interop-peer ENGINE DIRECTORY DB_OPTIONS CF_OPTIONS SHAPE STEP...
//! ```

use crate::store::{Engine, ExportedFile, Result, Setup, Store, Wal};
use crate::workload::{Shape, Workload};
use crate::{dump, torture};
use std::io::{BufRead, Write};
use std::path::PathBuf;

/// One step.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Step {
    /// Writes batches `from..to` of thread 0 of the workload with this seed.
    Fill {
        /// The workload's seed.
        seed: u64,
        /// The first batch.
        from: u64,
        /// The batch after the last one.
        to: u64,
    },
    /// Writes batches of thread 0 from `from` on, without a WAL, until it is killed.
    Unlogged {
        /// The workload's seed.
        seed: u64,
        /// The first batch.
        from: u64,
    },
    /// Flushes every family.
    Flush,
    /// Compacts every family into its last level.
    Compact,
    /// Waits for background work.
    Wait,
    /// Makes a checkpoint in a directory; flushes if WALs have so many bytes.
    Checkpoint {
        /// `log_size_for_flush`.
        log_size: u64,
        /// The directory.
        dir: PathBuf,
    },
    /// Makes a table outside, with [`Shape::table`] of this seed.
    Table {
        /// The seed.
        seed: u64,
        /// The file.
        path: PathBuf,
    },
    /// Takes a table into a family.
    Ingest {
        /// The family.
        family: usize,
        /// The file.
        path: PathBuf,
    },
    /// Exports a family into a directory, and what is told of its files into a file beside it.
    Export {
        /// The family.
        family: usize,
        /// The directory.
        dir: PathBuf,
    },
    /// Drops a family and makes it again from such an export.
    Import {
        /// The family.
        family: usize,
        /// The directory.
        dir: PathBuf,
    },
    /// Reads everything every way and writes it into this file.
    Dump(PathBuf),
    /// Says `parked` and waits: to be killed, or for the end of its input.
    Park,
    /// Writes until killed; see [`torture`].
    Torture {
        /// The workloads' seed.
        seed: u64,
        /// Writers.
        threads: u32,
        /// What was acknowledged.
        ledger: PathBuf,
    },
}

impl Step {
    /// The word on the command line.
    pub fn to_text(&self) -> String {
        match self {
            Step::Fill { seed, from, to } => format!("fill:{seed}:{from}:{to}"),
            Step::Unlogged { seed, from } => format!("unlogged:{seed}:{from}"),
            Step::Flush => "flush".into(),
            Step::Compact => "compact".into(),
            Step::Wait => "wait".into(),
            Step::Checkpoint { log_size, dir } => {
                format!("checkpoint:{log_size}:{}", dir.display())
            }
            Step::Table { seed, path } => format!("table:{seed}:{}", path.display()),
            Step::Ingest { family, path } => format!("ingest:{family}:{}", path.display()),
            Step::Export { family, dir } => format!("export:{family}:{}", dir.display()),
            Step::Import { family, dir } => format!("import:{family}:{}", dir.display()),
            Step::Dump(path) => format!("dump:{}", path.display()),
            Step::Park => "park".into(),
            Step::Torture { seed, threads, ledger } => {
                format!("torture:{seed}:{threads}:{}", ledger.display())
            }
        }
    }

    /// Undoes [`Step::to_text`].
    pub fn parse(text: &str) -> Result<Step> {
        let unknown = || format!("unknown step {text:?}");
        let (name, rest) = text.split_once(':').unwrap_or((text, ""));
        let mut parts = rest.splitn(3, ':');
        let mut part = || parts.next().ok_or_else(unknown);
        let number = |text: &str| text.parse::<u64>().map_err(|e| format!("{text:?}: {e}"));
        match name {
            "fill" => Ok(Step::Fill {
                seed: number(part()?)?,
                from: number(part()?)?,
                to: number(part()?)?,
            }),
            "unlogged" => Ok(Step::Unlogged { seed: number(part()?)?, from: number(part()?)? }),
            "flush" => Ok(Step::Flush),
            "compact" => Ok(Step::Compact),
            "wait" => Ok(Step::Wait),
            "checkpoint" => {
                Ok(Step::Checkpoint { log_size: number(part()?)?, dir: part()?.into() })
            }
            "table" => Ok(Step::Table { seed: number(part()?)?, path: part()?.into() }),
            "ingest" => {
                Ok(Step::Ingest { family: number(part()?)? as usize, path: part()?.into() })
            }
            "export" => Ok(Step::Export { family: number(part()?)? as usize, dir: part()?.into() }),
            "import" => Ok(Step::Import { family: number(part()?)? as usize, dir: part()?.into() }),
            "dump" => Ok(Step::Dump(rest.into())),
            "park" => Ok(Step::Park),
            "torture" => Ok(Step::Torture {
                seed: number(part()?)?,
                threads: number(part()?)? as u32,
                ledger: part()?.into(),
            }),
            _ => Err(unknown()),
        }
    }
}

/// Does what a command line says.
pub fn main(args: &[String]) -> Result<()> {
    let [engine, dir, db, cf, shape, steps @ ..] = args else {
        return Err(
            "usage: interop-peer ENGINE DIRECTORY DB_OPTIONS CF_OPTIONS SHAPE STEP...".into()
        );
    };
    let shape = Shape::parse(shape).ok_or_else(|| format!("malformed shape {shape:?}"))?;
    let setup = Setup { dir: dir.into(), db: db.clone(), cf: cf.clone(), shape };
    let store = Engine::parse(engine)?.open(&setup).map_err(|e| format!("open: {e}"))?;
    println!("open");
    for text in steps {
        run(&*store, &setup, &Step::parse(text)?).map_err(|e| format!("{text}: {e}"))?;
    }
    Ok(())
}

fn run(store: &dyn Store, setup: &Setup, step: &Step) -> Result<()> {
    let mut families = 0..setup.shape.families;
    match step {
        Step::Fill { seed, from, to } => {
            let mut workload = Workload::new(setup.shape, *seed, 0);
            for at in 0..*to {
                let batch = workload.next_batch();
                if at >= *from {
                    store.write(&batch, Wal::Written)?;
                }
            }
            Ok(())
        }
        Step::Unlogged { seed, from } => {
            let mut workload = Workload::new(setup.shape, *seed, 0);
            (0..*from).for_each(|_| drop(workload.next_batch()));
            loop {
                store.write(&workload.next_batch(), Wal::Skipped)?;
            }
        }
        Step::Flush => families.try_for_each(|family| store.flush(family)),
        Step::Compact => families.try_for_each(|family| store.compact(family)),
        Step::Wait => store.wait(),
        Step::Checkpoint { log_size, dir } => store.checkpoint(dir, *log_size),
        Step::Table { seed, path } => store.table(path, &setup.shape.table(*seed)),
        Step::Ingest { family, path } => store.ingest(*family, path),
        Step::Export { family, dir } => {
            let files = store.export(*family, dir)?;
            let lines: Vec<String> = files.iter().map(ExportedFile::to_text).collect();
            std::fs::write(dir.with_extension("files"), lines.join("\n")).map_err(|e| e.to_string())
        }
        Step::Import { family, dir } => {
            let text = std::fs::read_to_string(dir.with_extension("files"));
            let text = text.map_err(|e| e.to_string())?;
            let files = text.lines().map(ExportedFile::parse).collect::<Result<Vec<_>>>()?;
            store.import(&setup.names()[*family], *family, dir, &files)
        }
        Step::Dump(path) => dump::write(path, &dump::read_all(store, setup)?),
        Step::Park => {
            println!("parked");
            std::io::stdout().flush().map_err(|e| e.to_string())?;
            std::io::stdin().lock().lines().for_each(drop);
            Ok(())
        }
        Step::Torture { seed, threads, ledger } => {
            torture::run(store, setup, *seed, *threads, ledger)
        }
    }
}
