//! Commands on HyperLogLogs.

use crate::hll::{HllError, HyperLogLog, Registers, self_test};
use crate::redis::args::{Args, is};
use crate::redis::command::{
    ADMIN, Command, DENYOOM, FAST, Flags, Group, MAY_REPLICATE, READONLY, READS_FIRST, WRITE,
};
use crate::redis::context::Context;
use crate::redis::failure::{Done, Failure};
use crate::redis::keyspec::{KeyFlags, RO, RW_ACCESS, RW_INSERT, one, range};
use crate::redis::parameters::Id;

/// Adds to the destination of PFMERGE.
const RW_ADD: KeyFlags = KeyFlags(&["RW", "access", "insert"]);

const CHANGE: Flags = WRITE.and(DENYOOM).and(READS_FIRST);

pub(in crate::redis) const COMMANDS: &[Command] = &[
    Command::new("pfadd", -2, CHANGE.and(FAST), Group::HyperLogLog, pfadd)
        .with_keys(&[one(1, RW_INSERT)])
        .with_docs("2.8.9", "Adds elements to a HyperLogLog, which is created if it is absent."),
    Command::new("pfcount", -2, COUNT, Group::HyperLogLog, pfcount)
        .with_keys(&[range(1, -1, 1, RW_ACCESS)])
        .with_docs("2.8.9", "Returns about how many elements HyperLogLogs have together."),
    Command::new("pfmerge", -2, CHANGE, Group::HyperLogLog, pfmerge)
        .with_keys(&[one(1, RW_ADD), range(2, -1, 1, RO)])
        .with_docs("2.8.9", "Merges HyperLogLogs into the first one."),
    Command::new("pfdebug", 3, CHANGE.and(ADMIN), Group::HyperLogLog, pfdebug)
        .with_keys(&[one(2, RW_ACCESS)])
        .with_docs("2.8.9", "Shows the registers or the encoding of a HyperLogLog."),
    Command::new("pfselftest", 1, ADMIN, Group::HyperLogLog, pfselftest)
        .with_docs("2.8.9", "Checks the registers and the error of HyperLogLogs."),
];

/// PFCOUNT stores the count of a single key in its value. All that do this at once write the same, so that shared
/// latches are enough.
const COUNT: Flags = READONLY.and(MAY_REPLICATE).and(READS_FIRST);

impl From<HllError> for Failure {
    fn from(error: HllError) -> Failure {
        error.to_string().into()
    }
}

/// Returns a HyperLogLog and when its key expires; `None` if the key is absent.
fn load(context: &mut Context<'_>, key: &[u8]) -> Done<Option<(HyperLogLog, u64)>> {
    let Some(value) = context.string(key)? else { return Ok(None) };
    let expire_ms = value.expire_ms;
    Ok(Some((HyperLogLog::from_bytes(value.into_bytes(context.txn)?)?, expire_ms)))
}

/// Returns the length from which a HyperLogLog is dense.
fn sparse_max(context: &Context<'_>) -> usize {
    const MAX: Id = Id::of("hll-sparse-max-bytes");
    usize::try_from(context.server.parameters.number(MAX)).unwrap_or(0)
}

fn pfadd(context: &mut Context<'_>, args: Args<'_>) -> Done {
    let key = args.at(1);
    let found = load(context, key)?;
    let is_new = found.is_none();
    let (mut value, expire_ms) = found.unwrap_or_default();
    let is_changed = value.add(args.from(2), sparse_max(context))? || is_new;
    if is_changed {
        value.invalidate();
        context.put_string(&context.place(key), value.as_bytes(), expire_ms)?;
        context.notify(b'$', "pfadd", key);
    }
    context.out.integer(is_changed.into());
    Ok(())
}

fn pfcount(context: &mut Context<'_>, args: Args<'_>) -> Done {
    let count = match args.len() {
        2 => count_one(context, args.at(1))?,
        _ => {
            let mut union = Registers::new();
            for key in args.from(1) {
                if let Some((value, _)) = load(context, key)? {
                    union.merge(&value)?;
                }
            }
            union.count()
        }
    };
    context.out.integer(count as i64);
    Ok(())
}

/// Returns the count of one key, and stores it if it was out of date.
fn count_one(context: &mut Context<'_>, key: &[u8]) -> Done<u64> {
    let Some((mut value, expire_ms)) = load(context, key)? else { return Ok(0) };
    if let Some(count) = value.cached_count() {
        return Ok(count);
    }
    let count = value.count()?;
    value.set_cached_count(count);
    context.put_string(&context.place(key), value.as_bytes(), expire_ms)?;
    Ok(count)
}

fn pfmerge(context: &mut Context<'_>, args: Args<'_>) -> Done {
    let target = args.at(1);
    let found = load(context, target)?;
    // The first damaged value is the one that the reply is about.
    let mut union = Registers::new();
    if let Some((value, _)) = &found {
        union.merge(value)?;
    }
    let mut sources = Vec::with_capacity(args.len());
    for key in args.from(2) {
        if let Some((value, _)) = load(context, key)? {
            union.merge(&value)?;
            sources.push(value);
        }
    }
    let (target_value, expire_ms) = found.map_or((None, 0), |(value, ms)| (Some(value), ms));
    let merged = HyperLogLog::merged(target_value, &sources, sparse_max(context))?;
    context.put_string(&context.place(target), merged.as_bytes(), expire_ms)?;
    context.notify(b'$', "pfadd", target);
    context.out.ok();
    Ok(())
}

fn pfdebug(context: &mut Context<'_>, args: Args<'_>) -> Done {
    let key = args.at(2);
    let found = load(context, key)?.ok_or("ERR The specified key does not exist")?;
    let (mut value, expire_ms) = found;
    if is(args.at(1), "encoding") {
        context.out.simple(if value.is_dense() { "dense" } else { "sparse" });
    } else if is(args.at(1), "decode") {
        let runs = value.describe_runs()?.ok_or("ERR HLL encoding is not sparse")?;
        context.out.bulk(runs.as_bytes());
    } else if is(args.at(1), "todense") || is(args.at(1), "getreg") {
        let was_dense = value.is_dense();
        if !was_dense {
            value.make_dense()?;
            context.put_string(&context.place(key), value.as_bytes(), expire_ms)?;
        }
        if is(args.at(1), "todense") {
            context.out.integer((!was_dense).into());
            return Ok(());
        }
        let mut registers = Registers::new();
        registers.merge(&value)?;
        context.out.array(registers.iter().len());
        registers.iter().for_each(|rank| context.out.integer((*rank).into()));
    } else {
        let name = String::from_utf8_lossy(args.at(1));
        return Err(format!("ERR Unknown PFDEBUG subcommand '{name}'").into());
    }
    Ok(())
}

fn pfselftest(context: &mut Context<'_>, _: Args<'_>) -> Done {
    match self_test() {
        Ok(()) => context.out.ok(),
        Err(problem) => return Err(format!("ERR TESTFAILED {problem}").into()),
    }
    Ok(())
}
