//! The options of XADD and XTRIM, and which entries they trim.
//!
//! Redis stores entries in nodes of about `stream-node-max-entries` and trims whole nodes if the limit is approximate
//! (`~`). Here the same entries are trimmed as if all nodes were full.

use super::stream::Stream;
use crate::redis::args::{Args, is, parse_integer};
use crate::redis::context::Context;
use crate::redis::failure::{Done, SYNTAX};
use crate::redis::parameters::Id;
use crate::store::Txn;
use crate::streamid::{NewId, StreamId};

/// The error of a text that is no id.
pub(super) const INVALID_ID: &str = "ERR Invalid stream ID specified as stream command argument";
/// The parameter with the number of entries of a node.
const NODE_ENTRIES: Id = Id::of("stream-node-max-entries");
/// The entries of a node if the parameter sets no limit.
const NODE_ENTRIES_DEFAULT: u64 = 100;
/// The nodes and entries that an approximate trimming removes at most, unless LIMIT says otherwise.
const NODES_MAX: u64 = 100;
const REMOVED_MAX: u64 = 1_000_000;

/// What bounds a stream.
#[derive(Clone, Copy, Debug)]
pub(super) enum Bound {
    /// The number of entries.
    Length(u64),
    /// The smallest id.
    MinId(StreamId),
}

/// How a stream is trimmed.
#[derive(Clone, Copy, Debug)]
pub(super) struct Trim {
    bound: Bound,
    is_approximate: bool,
    /// The maximum number of removed entries; 0 for all.
    limit: u64,
    /// The entries of a node.
    node_entries: u64,
}

/// The options in front of the id of XADD, or all of XTRIM.
#[derive(Debug, Default)]
pub(super) struct Options {
    pub(super) trim: Option<Trim>,
    pub(super) must_exist: bool,
    /// The id of XADD.
    pub(super) id: Option<NewId>,
    /// Where the fields of XADD begin.
    pub(super) fields_at: usize,
}

/// What a trimming removes.
pub(super) struct Plan {
    /// The number of stored entries.
    pub(super) removed: u64,
    /// The first stored entry that is kept.
    pub(super) first_kept: Option<StreamId>,
    /// Whether the entry that XADD is about to add is removed, too.
    pub(super) drops_new: bool,
}

/// Parses the options of XADD and XTRIM.
pub(super) fn parse(context: &Context<'_>, args: Args<'_>, is_add: bool) -> Done<Options> {
    let mut parsed = Options::default();
    let (mut bound, mut is_approximate, mut limit) = (None, false, None);
    let mut options = args.options(2);
    while let Some(word) = options.next() {
        let left = options.left();
        if is_add && word == b"*" {
            parsed.id = Some(NewId::Auto);
            break;
        } else if (is(word, "maxlen") || is(word, "minid")) && left > 0 {
            if bound.is_some() {
                return Err("ERR syntax error, MAXLEN and MINID options at the same time are not \
                            compatible"
                    .into());
            }
            let mut value = options.value()?;
            is_approximate = value == b"~" && left >= 2;
            if left >= 2 && (value == b"~" || value == b"=") {
                value = options.value()?;
            }
            bound = Some(parse_bound(is(word, "maxlen"), value)?);
        } else if is(word, "limit") && left > 0 {
            let value = parse_integer(options.value()?)?;
            let value = u64::try_from(value);
            limit = Some(value.map_err(|_| "ERR The LIMIT argument must be >= 0.")?);
        } else if is_add && is(word, "nomkstream") {
            parsed.must_exist = true;
        } else if is_add {
            parsed.id = Some(parse_new_id(word)?);
            break;
        } else {
            return Err(SYNTAX.into());
        }
    }
    parsed.fields_at = options.position();
    if limit.unwrap_or(0) > 0 && bound.is_none() {
        return Err(
            "ERR syntax error, LIMIT cannot be used without specifying a trimming strategy".into(),
        );
    }
    if !is_add && bound.is_none() {
        return Err("ERR syntax error, XTRIM must be called with a trimming strategy".into());
    }
    if limit.is_some() && !is_approximate {
        return Err("ERR syntax error, LIMIT cannot be used without the special ~ option".into());
    }
    let node_entries = u64::try_from(context.server.parameters.number(NODE_ENTRIES));
    let node_entries = node_entries.ok().filter(|count| *count > 0).unwrap_or(NODE_ENTRIES_DEFAULT);
    let default_limit = node_entries.saturating_mul(NODES_MAX).min(REMOVED_MAX);
    let limit = limit.unwrap_or(if is_approximate { default_limit } else { 0 });
    parsed.trim = bound.map(|bound| Trim { bound, is_approximate, limit, node_entries });
    Ok(parsed)
}

fn parse_bound(is_length: bool, value: &[u8]) -> Done<Bound> {
    if !is_length {
        return Ok(Bound::MinId(parse_id(value)?));
    }
    let length = u64::try_from(parse_integer(value)?);
    Ok(Bound::Length(length.map_err(|_| "ERR The MAXLEN argument must be >= 0.")?))
}

/// Parses the id of a new entry; `*` alone is handled before.
fn parse_new_id(text: &[u8]) -> Done<NewId> {
    match NewId::parse(text) {
        Some(NewId::Auto) | None => Err(INVALID_ID.into()),
        Some(id) => Ok(id),
    }
}

/// Parses an id whose sequence number is 0 if it is missing. `-` and `+` are none.
pub(super) fn parse_id(text: &[u8]) -> Done<StreamId> {
    StreamId::parse(text, 0).ok_or_else(|| INVALID_ID.into())
}

impl Trim {
    /// Decides what is removed from a stream to which `new` is about to be added. Reads only.
    pub(super) fn plan(&self, stream: &Stream<'_>, txn: &Txn, new: Option<StreamId>) -> Done<Plan> {
        let total = stream.len() + u64::from(new.is_some());
        let removable = match self.bound {
            Bound::Length(max) => total.saturating_sub(max),
            Bound::MinId(min) => {
                let mut below = u64::from(new.is_some_and(|id| id < min));
                let most = if self.limit == 0 { u64::MAX } else { self.limit };
                stream.walk(txn, (StreamId::MIN, StreamId::MAX), false, most, |id, _| {
                    below += u64::from(id < min);
                    Ok(id < min)
                })?;
                below
            }
        };
        let removed = match self.is_approximate {
            true => self.whole_nodes(stream, total, removable),
            false => removable,
        };
        let stored = removed.min(stream.len());
        let first_kept = match stored {
            0 if stream.len() > 0 => Some(stream.first_id),
            stored => entry_at(stream, txn, stored)?,
        };
        Ok(Plan { removed: stored, first_kept, drops_new: removed > stream.len() })
    }

    /// Returns how many of the `removable` first entries fill nodes.
    fn whole_nodes(&self, stream: &Stream<'_>, total: u64, removable: u64) -> u64 {
        let first = stream.added.wrapping_sub(stream.len());
        let mut removed = 0;
        while removed < total {
            let node = self.node_entries - first.wrapping_add(removed) % self.node_entries;
            let next = removed + node.min(total - removed);
            if next > removable || (self.limit > 0 && next > self.limit) {
                break;
            }
            removed = next;
        }
        removed
    }
}

/// Returns the id of the entry at a position, counted from the nearer end.
fn entry_at(stream: &Stream<'_>, txn: &Txn, position: u64) -> Done<Option<StreamId>> {
    let Some(behind) = stream.len().checked_sub(position).filter(|behind| *behind > 0) else {
        return Ok(None);
    };
    let (is_backwards, steps) =
        if position < behind { (false, position + 1) } else { (true, behind) };
    let mut found = None;
    stream.walk(txn, (StreamId::MIN, StreamId::MAX), is_backwards, steps, |id, _| {
        found = Some(id);
        Ok(true)
    })?;
    Ok(found)
}
