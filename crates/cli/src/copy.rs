//! `copy`: keys of all types from one server to another, with DUMP and RESTORE.

use crate::Answer;
use crate::connection::{Connection, Other, Server, unexpected};
use crate::keys::Which;
use crate::output::{Output, Progress, bytes};
use clap::{Args, ValueEnum};
use ferrolith_server::error::{Error, Result};
use ferrolith_server::resp::PeerReply;
use serde_json::json;
use std::collections::HashSet;
use std::hash::{DefaultHasher, Hash, Hasher};

/// The keys whose values are in memory at once.
pub(crate) const TOGETHER: usize = 64;

/// What happens to a key that exists at the other server.
#[derive(Clone, Copy, Debug, Eq, PartialEq, ValueEnum)]
enum OnExisting {
    /// The copy stops
    Refuse,
    /// It stays as it is
    Keep,
    /// The copy replaces it
    Replace,
}

/// Arguments of `copy`.
#[derive(Debug, Args)]
pub(crate) struct Copy {
    #[command(flatten)]
    to: Other,
    #[command(flatten)]
    which: Which,
    /// What happens to keys that exist at the other server
    #[arg(long, value_enum, default_value = "refuse")]
    existing: OnExisting,
    #[command(flatten)]
    server: Server,
}

#[derive(Default)]
struct Copied {
    keys: u64,
    kept: u64,
    bytes: u64,
    /// Hashes of the keys that this run wrote, unless it may write them again.
    written: HashSet<u64>,
}

impl Copy {
    pub(crate) fn run(&self, out: &Output) -> Result<Answer> {
        let (mut from, mut to) = self.server.connect_both(&self.to)?;
        let (mut copied, mut progress) = (Copied::default(), Progress::begin());
        self.which.each(&mut from, |from, keys| {
            for part in keys.chunks(TOGETHER) {
                self.copy(from, &mut to, part, &mut copied)?;
                progress.show(|| format!("{} keys, {}", copied.keys, bytes(copied.bytes)));
            }
            Ok(true)
        })?;
        progress.end();
        let Copied { keys, kept, bytes: count, .. } = copied;
        let mut text = format!("copied {keys} keys, {}\n", bytes(count));
        if kept > 0 {
            text += &format!("left out: {kept} that existed\n");
        }
        out.print(text, &json!({ "copied": keys, "kept": kept, "bytes": count }));
        Ok(Answer::Yes)
    }

    fn copy(
        &self,
        from: &mut Connection,
        to: &mut Connection,
        keys: &[Vec<u8>],
        copied: &mut Copied,
    ) -> Result<()> {
        let found = dumps(from, keys)?;
        let mut restored = Vec::new();
        let times: Vec<String> = found.iter().map(|dump| dump.expiry_ms.to_string()).collect();
        for (dump, time) in found.iter().zip(&times) {
            let mut words: Vec<&[u8]> =
                vec![b"RESTORE", dump.key, time.as_bytes(), &dump.payload, b"ABSTTL"];
            if self.existing == OnExisting::Replace {
                words.push(b"REPLACE");
            }
            restored.push(words);
        }
        for (reply, dump) in to.pipeline(&restored)?.into_iter().zip(&found) {
            match reply {
                // Servers may list a key twice.
                PeerReply::Error(text)
                    if text.starts_with("BUSYKEY") && copied.written.contains(&hash(dump.key)) => {}
                PeerReply::Error(text) if text.starts_with("BUSYKEY") => {
                    if self.existing == OnExisting::Refuse {
                        let key = dump.key.escape_ascii();
                        return Err(Error::Setting(format!(
                            "the key {key} exists at {}: choose --existing keep or replace",
                            self.to.address
                        )));
                    }
                    copied.kept += 1;
                }
                PeerReply::Error(text) => {
                    let key = dump.key.escape_ascii();
                    return Err(Error::Setting(format!(
                        "{} refused the key {key}: {text}",
                        self.to.address
                    )));
                }
                _ => {
                    if self.existing != OnExisting::Replace {
                        copied.written.insert(hash(dump.key));
                    }
                    copied.keys += 1;
                    copied.bytes += (dump.key.len() + dump.payload.len()) as u64;
                }
            }
        }
        Ok(())
    }
}

fn hash(key: &[u8]) -> u64 {
    let mut hasher = DefaultHasher::new();
    key.hash(&mut hasher);
    hasher.finish()
}

/// A key as DUMP describes it.
pub(crate) struct Dump<'k> {
    pub(crate) key: &'k [u8],
    pub(crate) payload: Vec<u8>,
    /// When it expires, in milliseconds since 1970; 0 means never.
    pub(crate) expiry_ms: u64,
}

/// Returns those of these keys that exist.
pub(crate) fn dumps<'k>(from: &mut Connection, keys: &'k [Vec<u8>]) -> Result<Vec<Dump<'k>>> {
    let commands: Vec<Vec<&[u8]>> = keys
        .iter()
        .flat_map(|key| [vec![&b"DUMP"[..], key], vec![&b"PEXPIRETIME"[..], key]])
        .collect();
    let replies = from.pipeline(&commands)?;
    let mut found = Vec::with_capacity(keys.len());
    for (key, pair) in keys.iter().zip(replies.chunks_exact(2)) {
        match pair {
            [PeerReply::Null, _] => {}
            // It expired, or somebody deleted it, since it was read.
            [PeerReply::Bulk(_), PeerReply::Integer(-2)] => {}
            [PeerReply::Bulk(payload), PeerReply::Integer(time)] => {
                let expiry_ms = u64::try_from(*time).unwrap_or(0);
                found.push(Dump { key, payload: payload.clone(), expiry_ms });
            }
            [PeerReply::Bulk(_), PeerReply::Error(text)] | [PeerReply::Error(text), _] => {
                return Err(Error::Setting(format!(
                    "reading the key {}: {text} (this needs Redis 7.0 or later)",
                    key.escape_ascii()
                )));
            }
            [reply, _] => return Err(unexpected("DUMP", reply)),
            _ => {}
        }
    }
    Ok(found)
}
