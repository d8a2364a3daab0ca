//! DUMP and RESTORE.

use crate::dump::{self, HashField, Value, Version};
use crate::redis::args::{Args, is, parse_integer};
use crate::redis::command::{ASKING, Command, DENYOOM, Group, READONLY, WRITE};
use crate::redis::context::Context;
use crate::redis::copies::BulkWriter;
use crate::redis::failure::{Done, Failure, SYNTAX};
use crate::redis::families::hashes::hash::Hash;
use crate::redis::families::lists::list::{End, List};
use crate::redis::families::sorted_sets::set::{SortedSet, Span};
use crate::redis::families::streams::whole;
use crate::redis::keyspec::{OW, RO, one};
use crate::redis::members::{member_key, member_of};
use crate::redis::values::{Coll, Place};
use crate::rows::hash::{EXPIRE_MS_MAX, EXPIRING, Expiries, Field, expiry_sub};
use crate::rows::redis::{DATA, Head, RAW, SCORE, Type};
use crate::rows::sorted_set::{rank_sub, score_bytes};
use std::iter;

pub(in crate::redis) const COMMANDS: &[Command] = &[
    Command::new("dump", 2, READONLY, Group::Generic, dump)
        .with_keys(&[one(1, RO)])
        .with_docs("2.6.0", "Returns a value in Redis's serialized form."),
    Command::new("restore", -4, WRITE.and(DENYOOM), Group::Generic, restore)
        .with_keys(&[one(1, OW)])
        .with_docs("2.6.0", "Creates a key from the serialized form of a value."),
    Command::new("restore-asking", -4, WRITE.and(DENYOOM).and(ASKING), Group::Server, restore)
        .with_keys(&[one(1, OW)])
        .with_docs(
            "3.0.0",
            "Does the same as RESTORE, for programs that move slots between nodes.",
        ),
];

/// The memory that a value may take while it is dumped or restored.
const MEMORY_MAX: usize = 1 << 30;
/// The memory that an element takes besides its bytes.
const ELEMENT_BYTES: usize = 48;
/// The value is larger than DUMP allows.
const TOO_LARGE: &str = "ERR the value is too large to be dumped";

fn dump(context: &mut Context<'_>, args: Args<'_>) -> Done {
    let key = args.at(1);
    match read(context, key)? {
        // Redis 7.0 reads this version, too, except for hashes with fields that expire.
        Some(value) => context.out.bulk(&dump::encode(&value, Version::V10)),
        None => context.out.null(),
    }
    Ok(())
}

/// Returns the length of a key's value in the serialized form; `None` if the key is absent.
pub(in crate::redis::families) fn dumped_bytes(
    context: &mut Context<'_>,
    key: &[u8],
) -> Done<Option<usize>> {
    Ok(read(context, key)?.map(|value| dump::encoded_len(&value, Version::V10)))
}

/// Counts the memory of a value that is read.
#[derive(Default)]
struct Meter(usize);

impl Meter {
    fn add(&mut self, bytes: usize) -> Done {
        self.0 += bytes + ELEMENT_BYTES;
        if self.0 > MEMORY_MAX { Err(TOO_LARGE.into()) } else { Ok(()) }
    }
}

/// Returns the value of a key; `None` if it is absent.
fn read(context: &mut Context<'_>, key: &[u8]) -> Done<Option<Value>> {
    let Some(head) = context.head(&context.place(key))? else { return Ok(None) };
    let mut meter = Meter::default();
    Ok(match head.ty {
        Type::String => {
            let value = context.string(key)?;
            let value = value.map(|value| value.into_bytes(context.txn)).transpose()?;
            value.map(Value::String)
        }
        Type::List => read_list(context, key, &mut meter)?.map(Value::List),
        Type::Set => {
            let mut elements = Vec::new();
            let set = context.collection(key, Type::Set)?;
            let mut members = context.members(set.as_ref())?;
            while let Some(sub) = members.sub() {
                meter.add(sub.len())?;
                elements.push(member_of(sub).to_vec());
                members.advance()?;
            }
            Some(Value::Set(elements))
        }
        Type::Hash => read_hash(context, key, &mut meter)?,
        Type::SortedSet => match SortedSet::find(context, key)? {
            Some(set) => {
                let mut elements = Vec::new();
                let mut walk = set.walk(context.txn, &Span::ALL, false)?;
                while let Some((member, score)) = walk.next()? {
                    meter.add(member.len())?;
                    elements.push((member.to_vec(), score));
                }
                Some(Value::SortedSet(elements))
            }
            None => None,
        },
        Type::Stream => {
            let whole = whole::read(context, key, &mut |bytes| meter.add(bytes))?;
            whole.map(|whole| Value::Stream(Box::new(whole)))
        }
    })
}

fn read_list(context: &Context<'_>, key: &[u8], meter: &mut Meter) -> Done<Option<Vec<Vec<u8>>>> {
    let Some(list) = List::find(context, key)? else { return Ok(None) };
    let (mut elements, mut result) = (Vec::new(), Ok(()));
    list.walk(context.txn, End::Head, 0, list.len(), |_, value| {
        result = meter.add(value.len());
        elements.push(value.to_vec());
        result.is_ok()
    })?;
    result.map(|()| Some(elements))
}

fn read_hash(context: &Context<'_>, key: &[u8], meter: &mut Meter) -> Done<Option<Value>> {
    let Some(hash) = Hash::find(context, key)? else { return Ok(None) };
    let mut fields = Vec::new();
    hash.each(context.txn, |name, field| {
        meter.add(name.len() + field.payload.len())?;
        let (name, value) = (name.to_vec(), field.payload.to_vec());
        fields.push(HashField { name, value, expire_ms: field.expire_ms });
        Ok(true)
    })?;
    Ok(match () {
        () if fields.is_empty() => None,
        () if fields.iter().any(|field| field.expire_ms > 0) => Some(Value::ExpiringHash(fields)),
        () => Some(Value::Hash(fields.into_iter().map(|it| (it.name, it.value)).collect())),
    })
}

/// The options of RESTORE.
#[derive(Default)]
struct Options {
    replaces: bool,
    is_absolute: bool,
}

impl Options {
    /// Parses the options. Access times and frequencies are checked; nothing is recorded.
    fn parse(args: Args<'_>) -> Done<Options> {
        let mut options = Options::default();
        let (mut has_idle, mut has_frequency) = (false, false);
        let mut words = args.options(4);
        while let Some(word) = words.next() {
            if is(word, "replace") {
                options.replaces = true;
            } else if is(word, "absttl") {
                options.is_absolute = true;
            } else if is(word, "idletime") && words.left() > 0 && !has_frequency {
                has_idle = true;
                if parse_integer(words.value()?)? < 0 {
                    return Err("ERR Invalid IDLETIME value, must be >= 0".into());
                }
            } else if is(word, "freq") && words.left() > 0 && !has_idle {
                has_frequency = true;
                if !(0..=255).contains(&parse_integer(words.value()?)?) {
                    return Err("ERR Invalid FREQ value, must be >= 0 and <= 255".into());
                }
            } else {
                return Err(SYNTAX.into());
            }
        }
        Ok(options)
    }
}

fn restore(context: &mut Context<'_>, args: Args<'_>) -> Done {
    let options = Options::parse(args)?;
    let place = context.place(args.at(1));
    let is_there = context.head(&place)?.is_some();
    if is_there && !options.replaces {
        return Err("BUSYKEY Target key name already exists.".into());
    }
    let ttl = u64::try_from(args.integer(2)?).map_err(|_| "ERR Invalid TTL value, must be >= 0")?;
    let value =
        dump::decode(args.at(3), MEMORY_MAX).map_err(|error| Failure::from(error.reply()))?;
    let expire_ms = match ttl {
        0 => 0,
        ttl if options.is_absolute => ttl,
        ttl => ttl.saturating_add(context.now_ms()),
    };
    let is_over = expire_ms != 0 && expire_ms <= context.now_ms();
    if is_over {
        if context.remove(&place)? {
            context.notify(b'g', "del", place.key);
        }
    } else {
        if is_there {
            context.notify(b'n', "new", place.key);
        }
        write(context, &place, value, expire_ms)?;
        context.notify(b'g', "restore", place.key);
    }
    context.out.ok();
    Ok(())
}

/// Replaces a key by a value.
fn write(context: &mut Context<'_>, place: &Place<'_>, value: Value, expire_ms: u64) -> Done {
    let key = place.key;
    match value {
        Value::String(bytes) => {
            context.remove(place)?;
            let mut row = Vec::with_capacity(bytes.len() + 8);
            Head { ty: Type::String, encoding: RAW, expire_ms }.write(&mut row);
            row.extend_from_slice(&bytes);
            context.put_meta(place, &row)?;
            context.touch(key);
        }
        Value::List(elements) => {
            let mut list = List::replacing(context, key)?;
            context.remove(place)?;
            for element in &elements {
                list.push(context, End::Tail, element)?;
            }
            list.save(context)?;
        }
        Value::Set(members) => {
            let rows = members.iter().map(|member| (DATA, member_key(member), Vec::new()));
            write_rows(context, place, Type::Set, members.len(), rows)?;
        }
        Value::Hash(fields) => {
            let rows = fields.iter().map(|(name, payload)| {
                (DATA, name.clone(), Field { expire_ms: 0, payload }.to_bytes().to_vec())
            });
            write_rows(context, place, Type::Hash, fields.len(), rows)?;
        }
        Value::ExpiringHash(fields) => write_expiring(context, place, fields)?,
        Value::SortedSet(members) => {
            let rows = members.iter().flat_map(|(member, score)| {
                let bytes = score_bytes(*score).to_vec();
                let rank = rank_sub(*score, member).to_vec();
                [(DATA, member.clone(), bytes), (SCORE, rank, Vec::new())]
            });
            write_rows(context, place, Type::SortedSet, members.len(), rows)?;
        }
        Value::Stream(stream) => {
            context.remove(place)?;
            whole::write(context, key, &stream)?;
        }
    }
    if expire_ms != 0 {
        context.set_expiry(place, expire_ms)?;
    }
    Ok(())
}

/// Replaces a key by a hash with fields that expire. Those that have expired are left out.
fn write_expiring(
    context: &mut Context<'_>,
    place: &Place<'_>,
    mut fields: Vec<HashField>,
) -> Done {
    let now_ms = context.now_ms();
    fields.retain(|field| field.expire_ms == 0 || field.expire_ms >= now_ms);
    fields.iter_mut().for_each(|field| field.expire_ms = field.expire_ms.min(EXPIRE_MS_MAX));
    let times = fields.iter().map(|field| field.expire_ms).filter(|time| *time > 0);
    let expiries = Expiries {
        earliest_ms: times.clone().min().unwrap_or(0),
        latest_ms: times.clone().max().unwrap_or(0),
        count: times.count() as u64,
    };
    let mut coll = context.new_collection(place.key, Type::Hash)?;
    coll.row.count = fields.len() as u64;
    coll.row.head.encoding = if expiries.count > 0 { EXPIRING } else { 0 };
    coll.row.extra = expiries.to_bytes();
    let rows = fields.iter().flat_map(|HashField { name, value, expire_ms }| {
        let field = Field { expire_ms: *expire_ms, payload: value };
        let expiry = || (SCORE, expiry_sub(*expire_ms, name).to_vec(), Vec::new());
        let data = (DATA, name.clone(), field.to_bytes().to_vec());
        iter::once(data).chain((*expire_ms > 0).then(expiry))
    });
    write_collection(context, coll, rows)
}

/// Replaces a key by a collection of these rows: kind, sub-key, value.
fn write_rows<S: AsRef<[u8]>>(
    context: &mut Context<'_>,
    place: &Place<'_>,
    ty: Type,
    count: usize,
    rows: impl Iterator<Item = (u8, S, Vec<u8>)>,
) -> Done {
    let mut coll = context.new_collection(place.key, ty)?;
    coll.row.count = count as u64;
    write_collection(context, coll, rows)
}

/// Writes a new collection and these rows of it in the place of what its key holds.
fn write_collection<S: AsRef<[u8]>>(
    context: &mut Context<'_>,
    mut coll: Coll<'_>,
    rows: impl Iterator<Item = (u8, S, Vec<u8>)>,
) -> Done {
    context.remove(&coll.place)?;
    let mut writer = BulkWriter::new(context);
    for (kind, sub, value) in rows {
        writer.put(context, &coll, kind, sub.as_ref(), &value)?;
    }
    writer.finish(context)?;
    context.save(&mut coll)
}
