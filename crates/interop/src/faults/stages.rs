//! The stages at which the disk becomes full, and how each is hit.
//!
//! ```text
//! stage            on the full disk          elsewhere                 filled
//! wal              everything                                          before writes
//! shared-wal       everything                                          before writes; the WAL shares its blocks with
//!                                                                      a copy (cp --reflink), as after copying a live
//!                                                                      directory
//! flush            tables, MANIFEST, ...     WAL                       before a flush, but for a part of its table
//! compaction       tables, MANIFEST, ...     WAL                       while a compaction waits in its first record
//! compaction-room  tables, MANIFEST, ...     WAL                       before a compaction that does not fit
//! manifest         MANIFEST, OPTIONS, ...    WAL, tables               before flushes
//! options          MANIFEST, OPTIONS, ...    WAL, tables               before an option is changed
//! everything       everything                                          by nobody: small memtables are flushed and
//!                                                                      compacted until it is full
//! ```
//!
//! So the write that fails first is the one that the stage is named for, and its error, which names the file, proves
//! it. The last stage takes any file.

use super::content::Sizes;
use super::disk::{Ballast, FsKind};
use super::driver::{Driver, Written};
use crate::store::Result;
use std::path::Path;
use std::time::{Duration, Instant};

/// When the disk becomes full.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stage {
    /// A record is appended to the WAL.
    Wal,
    /// The same, and the WAL's blocks are shared with a copy.
    SharedWal,
    /// A flush writes its table.
    Flush,
    /// A compaction writes its table.
    Compaction,
    /// A compaction is about to begin and does not fit.
    CompactionRoom,
    /// A flush appends to the MANIFEST.
    Manifest,
    /// A changed option is written down.
    Options,
    /// Whatever comes first.
    Everything,
}

/// Commands that do not touch the full disk, or give up, take no longer.
pub const PATIENCE: Duration = Duration::from_secs(20);
/// A compaction that had found no room is done this soon after there is room; writers do not wait for it.
const LONG: Duration = Duration::from_secs(60);
/// What a flush or a compaction may leave behind of free space, so that it fails in the middle.
const A_PART: u64 = 256 << 10;
/// Room for an OPTIONS file, also where small files take much, and not for a compaction of 5 MB.
const A_LITTLE: u64 = 2 << 20;
/// Tables of level 0 at which a compaction is due.
const TRIGGER: u64 = 4;

impl Stage {
    /// All of them.
    pub const ALL: [Stage; 8] = [
        Stage::Wal,
        Stage::SharedWal,
        Stage::Flush,
        Stage::Compaction,
        Stage::CompactionRoom,
        Stage::Manifest,
        Stage::Options,
        Stage::Everything,
    ];

    /// Its name in the table and on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Stage::Wal => "wal",
            Stage::SharedWal => "shared-wal",
            Stage::Flush => "flush",
            Stage::Compaction => "compaction",
            Stage::CompactionRoom => "compaction-room",
            Stage::Manifest => "manifest",
            Stage::Options => "options",
            Stage::Everything => "everything",
        }
    }

    /// Whether the file system can do what the stage needs.
    pub fn is_possible_on(self, fs: FsKind) -> bool {
        self != Stage::SharedWal || fs.shares_blocks()
    }

    /// Whether the WAL lies on the disk that becomes full.
    pub fn fills_wal(self) -> bool {
        matches!(self, Stage::Wal | Stage::SharedWal | Stage::Everything)
    }

    /// Whether the tables do.
    pub fn fills_tables(self) -> bool {
        !matches!(self, Stage::Manifest | Stage::Options)
    }

    /// Whether writes are accepted while the disk is full: nothing that they need lies on it, and what failed can wait.
    pub fn accepts_writes(self) -> bool {
        matches!(self, Stage::Compaction | Stage::CompactionRoom | Stage::Options)
    }

    /// What is written.
    pub fn sizes(self) -> Sizes {
        match self {
            // A mapped log has up to 4 MiB allocated ahead, which must be used up.
            Stage::Wal => Sizes { key: 16, value: 6000, large_value: 40_000, slots: 300 },
            // Most go into the stretch of the file that is mapped at the moment of sharing.
            Stage::SharedWal => Sizes { key: 16, value: 300, large_value: 40_000, slots: 300 },
            // Two flushes fill a block of the MANIFEST.
            Stage::Manifest => Sizes { key: 1500, value: 200, large_value: 4000, slots: 200 },
            _ => Sizes { key: 16, value: 4000, large_value: 20_000, slots: 400 },
        }
    }

    /// Options of the column family.
    pub fn cf_options(self) -> String {
        let (buffer, manual) = match self {
            Stage::Wal | Stage::SharedWal => ("64M", true),
            Stage::Everything => ("512K", false),
            _ => ("8M", true),
        };
        format!(
            "write_buffer_size={buffer};compression=kNoCompression;disable_auto_compactions={manual};\
             level0_file_num_compaction_trigger={TRIGGER};level0_slowdown_writes_trigger=200;\
             level0_stop_writes_trigger=300;target_file_size_base=64M"
        )
    }

    /// Whether an error's text proves that the stage was hit.
    fn is_shown_by(self, text: &str) -> bool {
        let file = match self {
            Stage::Wal | Stage::SharedWal => ".log",
            Stage::Flush => ".sst",
            Stage::Compaction => ".sst",
            Stage::CompactionRoom => return text.contains("ompaction") && is_for_space(text),
            Stage::Manifest => "MANIFEST-",
            Stage::Options => "OPTIONS-",
            Stage::Everything => "",
        };
        text.contains(file) && is_for_space(text)
    }

    /// Fills the disk and makes the stage's write fail. Returns the error that proves it.
    pub fn hit(self, victim: &mut Driver, ballast: &mut Ballast, wal: &Path) -> Result<String> {
        victim.forget_events();
        match self {
            Stage::Wal => write_until_full(self, victim, ballast, 0),
            Stage::SharedWal => {
                share_blocks(wal)?;
                write_until_full(self, victim, ballast, 0)
            }
            Stage::Flush => {
                all_written(victim, 60)?;
                ballast.fill(A_PART)?;
                let reply = victim.ask("flush", PATIENCE)?;
                self.evidence(victim, reply)
            }
            Stage::Compaction => {
                make_tables(victim)?;
                victim.must("arm", PATIENCE)?;
                victim.must("set disable_auto_compactions false", PATIENCE)?;
                let gate = victim.event(|event| event == "gate", PATIENCE)?;
                gate.ok_or("no compaction started")?;
                ballast.fill(A_PART)?;
                victim.must("release", PATIENCE)?;
                self.evidence(victim, None)
            }
            Stage::CompactionRoom => {
                make_tables(victim)?;
                ballast.fill(A_LITTLE)?;
                victim.must("set disable_auto_compactions false", PATIENCE)?;
                self.evidence(victim, None)
            }
            Stage::Manifest => {
                ballast.fill(0)?;
                let mut last = None;
                for _ in 0..40 {
                    all_written(victim, 2)?;
                    last = victim.ask("flush", PATIENCE)?;
                    if last.as_deref() != Some("ok") {
                        break;
                    }
                    ballast.top_up()?;
                }
                self.evidence(victim, last)
            }
            // Enough for some flushes and compactions.
            Stage::Everything => write_until_full(self, victim, ballast, 6 << 20),
            Stage::Options => {
                ballast.fill(0)?;
                let reply = victim.ask("set-db delayed_write_rate 12345678", PATIENCE)?;
                self.evidence(victim, reply)
            }
        }
    }

    /// The proof: what a command returned, or what an event says in time.
    fn evidence(self, victim: &mut Driver, reply: Option<String>) -> Result<String> {
        if let Some(reply) = reply.as_ref().filter(|reply| self.is_shown_by(reply)) {
            return Ok(reply.clone());
        }
        let event = victim.event(|event| self.is_shown_by(event), Duration::from_secs(10))?;
        event.ok_or_else(|| format!("the stage was NOT HIT; the last reply was {reply:?}"))
    }

    /// What failed is done now that there is space again.
    pub fn finish(self, victim: &mut Driver) -> Result<()> {
        match self {
            Stage::Wal | Stage::SharedWal => Ok(()),
            Stage::Flush | Stage::Manifest => victim.must("flush", PATIENCE),
            Stage::Compaction | Stage::CompactionRoom => {
                let done =
                    victim.event(|event| event == "compaction ok", Duration::from_secs(60))?;
                done.ok_or_else(|| format!("the compaction did not finish within {LONG:?}"))?;
                victim.must("set disable_auto_compactions true", PATIENCE)
            }
            Stage::Options => victim.must("set-db delayed_write_rate 23456789", PATIENCE),
            Stage::Everything => {
                victim.must("flush", PATIENCE)?;
                // It reports the last error until the compaction has been tried again.
                let until = Instant::now() + LONG;
                while victim.ask("wait", LONG)?.as_deref() != Some("ok") {
                    if Instant::now() > until {
                        return Err(format!("the background error persists after {LONG:?}"));
                    }
                    std::thread::sleep(Duration::from_millis(50));
                }
                Ok(())
            }
        }
    }
}

fn is_for_space(text: &str) -> bool {
    ["No space left", "Compaction too large", "NoSpace"].iter().any(|words| text.contains(words))
}

/// Writes that nothing hinders.
pub fn all_written(victim: &mut Driver, batches: u64) -> Result<()> {
    match victim.write(batches, PATIENCE)? {
        Written::All => Ok(()),
        other => Err(format!("writing with enough space: {other:?}")),
    }
}

/// Writes until the device has no room. What becomes free is taken, unless something was left free on purpose.
fn write_until_full(
    stage: Stage,
    victim: &mut Driver,
    ballast: &mut Ballast,
    leave: u64,
) -> Result<String> {
    ballast.fill(leave)?;
    for _ in 0..4000 {
        match victim.write(1, Duration::from_secs(5))? {
            Written::All if leave == 0 => drop(ballast.top_up()?),
            Written::All => {}
            Written::Refused(text) if stage.is_shown_by(&text) => return Ok(text),
            Written::Refused(text) => return Err(format!("the stage was NOT HIT, but: {text}")),
            // Writers wait for a flush or a compaction, which reports its error.
            Written::Blocked => return stage.evidence(victim, None),
        };
    }
    Err("the stage was NOT HIT: all writes were accepted".into())
}

/// Tables whose keys overlap, so that they cannot just be moved.
fn make_tables(victim: &mut Driver) -> Result<()> {
    victim.must("set disable_auto_compactions true", PATIENCE)?;
    for _ in 0..=TRIGGER {
        all_written(victim, 40)?;
        victim.must("flush", PATIENCE)?;
    }
    Ok(())
}

/// Copies the logs so that their blocks are shared: the next store into one needs a new block.
fn share_blocks(wal: &Path) -> Result<()> {
    let mut shared = 0;
    for entry in std::fs::read_dir(wal).map_err(|e| e.to_string())? {
        let path = entry.map_err(|e| e.to_string())?.path();
        if path.extension().is_some_and(|extension| extension == "log") {
            let (from, to) = (path.to_string_lossy(), path.with_extension("copy"));
            super::disk::run("cp", &["--reflink=always", &from, &to.to_string_lossy()])?;
            shared += 1;
        }
    }
    if shared > 0 { Ok(()) } else { Err(format!("no log in {}", wal.display())) }
}
