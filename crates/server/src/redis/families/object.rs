//! OBJECT: the encodings that Redis would choose, and what it tracks of keys.

use crate::redis::args::Args;
use crate::redis::command::{Command, Group, LOADING, READONLY, STALE};
use crate::redis::context::Context;
use crate::redis::failure::{DAMAGED, Done};
use crate::redis::families::help::help;
use crate::redis::keyspec::{RO_META, one};
use crate::redis::members::member_of;
use crate::redis::parameters::Id;
use crate::redis::values::{Coll, is_collection};
use crate::rows::redis::{Collection, DATA, Type};
use crate::text::integer;

pub(in crate::redis) const COMMANDS: &[Command] = &[Command::container(
    "object",
    Group::Generic,
    &[
        Command::new("encoding", 3, READONLY, Group::Generic, encoding)
            .with_keys(&[one(2, RO_META)])
            .with_full_name("object|encoding")
            .with_docs("2.2.3", "Returns the encoding that Redis would use for a value."),
        Command::new("freq", 3, READONLY, Group::Generic, frequency)
            .with_keys(&[one(2, RO_META)])
            .with_full_name("object|freq")
            .with_docs("4.0.0", "Returns 0 under an LFU policy; accesses are not counted."),
        Command::new("idletime", 3, READONLY, Group::Generic, idle_time)
            .with_keys(&[one(2, RO_META)])
            .with_full_name("object|idletime")
            .with_docs("2.2.3", "Returns 0 for a key that exists; accesses are not recorded."),
        Command::new("refcount", 3, READONLY, Group::Generic, |context, args| {
            constant(context, args, 1)
        })
        .with_keys(&[one(2, RO_META)])
        .with_full_name("object|refcount")
        .with_docs("2.2.3", "Returns 1 for a key that exists; values are not shared."),
        Command::new("help", 2, LOADING.and(STALE), Group::Generic, help)
            .with_full_name("object|help")
            .with_docs("6.2.0", "Returns the syntax of the subcommands."),
    ],
)
.with_docs("2.2.3", "Commands that inspect how values are stored.")];

/// The longest string that Redis stores beside its object.
const EMBEDDED_MAX: usize = 44;

fn constant(context: &mut Context<'_>, args: Args<'_>, value: i64) -> Done {
    match context.head(&context.place(args.at(2)))? {
        Some(_) => context.out.integer(value),
        None => context.out.null(),
    }
    Ok(())
}

/// Returns whether the parameters ask for eviction by frequency, so that Redis would count accesses and not times.
fn counts_frequency(context: &Context<'_>) -> bool {
    const POLICY: Id = Id::of("maxmemory-policy");
    context.server.parameters.text(POLICY).ends_with("-lfu")
}

fn frequency(context: &mut Context<'_>, args: Args<'_>) -> Done {
    let is_found = context.head(&context.place(args.at(2)))?.is_some();
    if is_found && !counts_frequency(context) {
        return Err("ERR An LFU maxmemory policy is not selected, access frequency not tracked. \
                    Please note that when switching between policies at runtime LRU and LFU data \
                    will take some time to adjust."
            .into());
    }
    constant(context, args, 0)
}

fn idle_time(context: &mut Context<'_>, args: Args<'_>) -> Done {
    let is_found = context.head(&context.place(args.at(2)))?.is_some();
    if is_found && counts_frequency(context) {
        return Err("ERR An LFU maxmemory policy is selected, idle time not tracked. Please note \
                    that when switching between policies at runtime LRU and LFU data will take \
                    some time to adjust."
            .into());
    }
    constant(context, args, 0)
}

fn encoding(context: &mut Context<'_>, args: Args<'_>) -> Done {
    let name = encoding_of(context, args.at(2))?;
    context.out.bulk_or_null(name.map(str::as_bytes));
    Ok(())
}

/// Returns the encoding that Redis would use for the value of a key; `None` if the key is absent.
pub(in crate::redis::families) fn encoding_of(
    context: &Context<'_>,
    key: &[u8],
) -> Done<Option<&'static str>> {
    let place = context.place(key);
    let found = context.meta(&place, |head, body| match is_collection(head) {
        true => Err(Collection::parse(head, body)),
        false => Ok(string_encoding(body)),
    })?;
    Ok(match found {
        None => None,
        Some(Ok(name)) => Some(name),
        Some(Err(row)) => {
            let row = row.ok_or(DAMAGED)?;
            Some(collection_encoding(context, &Coll { place, row, is_stored: true })?)
        }
    })
}

fn string_encoding(value: &[u8]) -> &'static str {
    match () {
        () if integer::parse(value).is_some() => "int",
        () if value.len() <= EMBEDDED_MAX => "embstr",
        () => "raw",
    }
}

fn collection_encoding(context: &Context<'_>, coll: &Coll<'_>) -> Done<&'static str> {
    let limits = Limits::of(context, coll.row.head.ty);
    Ok(match coll.row.head.ty {
        Type::String => "raw",
        Type::List => "quicklist",
        Type::Stream => "stream",
        Type::Set => match is_compact(context, coll, limits)? {
            true => "intset",
            false => "hashtable",
        },
        Type::Hash => match is_compact(context, coll, limits)? {
            true => "listpack",
            false => "hashtable",
        },
        Type::SortedSet => match is_compact(context, coll, limits)? {
            true => "listpack",
            false => "skiplist",
        },
    })
}

/// What a collection must not exceed to be compact in Redis.
#[derive(Clone, Copy)]
struct Limits {
    elements_max: u64,
    bytes_max: usize,
}

impl Limits {
    fn of(context: &Context<'_>, ty: Type) -> Limits {
        const SET: Id = Id::of("set-max-intset-entries");
        const HASH: [Id; 2] =
            [Id::of("hash-max-listpack-entries"), Id::of("hash-max-listpack-value")];
        const SORTED: [Id; 2] =
            [Id::of("zset-max-listpack-entries"), Id::of("zset-max-listpack-value")];
        let (elements, bytes) = match ty {
            Type::Set => (SET, None),
            Type::Hash => (HASH[0], Some(HASH[1])),
            _ => (SORTED[0], Some(SORTED[1])),
        };
        let number = |id: Id| context.server.parameters.number(id);
        Limits {
            elements_max: u64::try_from(number(elements)).unwrap_or(0),
            bytes_max: bytes.map_or(0, |id| usize::try_from(number(id)).unwrap_or(0)),
        }
    }
}

fn is_compact(context: &Context<'_>, coll: &Coll<'_>, limits: Limits) -> Done<bool> {
    if coll.row.count > limits.elements_max {
        return Ok(false);
    }
    let mut rows = context.sub_rows(coll, DATA)?;
    let mut item = rows.first()?;
    while let Some((row, value)) = item {
        let element = coll.sub(row);
        let is_small = match coll.row.head.ty {
            Type::Set => integer::parse(member_of(element)).is_some(),
            Type::Hash => element.len() <= limits.bytes_max && value.len() <= limits.bytes_max + 1,
            _ => element.len() <= limits.bytes_max,
        };
        if !is_small {
            return Ok(false);
        }
        item = rows.next()?;
    }
    Ok(true)
}
