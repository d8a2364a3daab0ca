//! Commands on the time at which keys expire: EXPIRE, TTL, PERSIST and their variants.

use crate::redis::args::{Args, is};
use crate::redis::command::{Command, FAST, Group, ONE_ROW, READONLY, READS_FIRST, WRITE};
use crate::redis::context::Context;
use crate::redis::failure::{Done, Failure};
use crate::redis::keyspec::{KeySpec, RO, RW_UPDATE, one};
use crate::rows::redis::EXPIRE_MAX_MS;

pub(in crate::redis) const COMMANDS: &[Command] = &[
    setter("expire", |context, args| expire(context, args, Unit::Seconds, Base::Now))
        .with_docs("1.0.0", "Sets in how many seconds a key expires."),
    setter("pexpire", |context, args| expire(context, args, Unit::Milliseconds, Base::Now))
        .with_docs("2.6.0", "Sets in how many milliseconds a key expires."),
    setter("expireat", |context, args| expire(context, args, Unit::Seconds, Base::Epoch))
        .with_docs("1.2.0", "Sets the Unix time in seconds at which a key expires."),
    setter("pexpireat", |context, args| expire(context, args, Unit::Milliseconds, Base::Epoch))
        .with_docs("2.6.0", "Sets the Unix time in milliseconds at which a key expires."),
    Command::new("persist", 2, WRITE.and(FAST).and(READS_FIRST), Group::Generic, persist)
        .with_keys(&[one(1, RW_UPDATE)])
        .with_docs("2.2.0", "Makes a key never expire."),
    getter("ttl", |context, args| ttl(context, args, Unit::Seconds, Base::Now))
        .with_docs("1.0.0", "Returns in how many seconds a key expires."),
    getter("pttl", |context, args| ttl(context, args, Unit::Milliseconds, Base::Now))
        .with_docs("2.6.0", "Returns in how many milliseconds a key expires."),
    getter("expiretime", |context, args| ttl(context, args, Unit::Seconds, Base::Epoch))
        .with_docs("7.0.0", "Returns the Unix time in seconds at which a key expires."),
    getter("pexpiretime", |context, args| ttl(context, args, Unit::Milliseconds, Base::Epoch))
        .with_docs("7.0.0", "Returns the Unix time in milliseconds at which a key expires."),
];

const UPDATED: &[KeySpec] = &[one(1, RW_UPDATE)];
const READ: &[KeySpec] = &[one(1, RO)];

const fn setter(name: &'static str, run: crate::redis::command::Handler) -> Command {
    Command::new(name, -3, WRITE.and(FAST).and(READS_FIRST), Group::Generic, run).with_keys(UPDATED)
}

const fn getter(name: &'static str, run: crate::redis::command::Handler) -> Command {
    Command::new(name, 2, READONLY.and(FAST).and(ONE_ROW), Group::Generic, run).with_keys(READ)
}

/// The unit of a time argument or reply.
#[derive(Clone, Copy, PartialEq)]
enum Unit {
    Seconds,
    Milliseconds,
}

/// What a time is counted from.
#[derive(Clone, Copy, PartialEq)]
enum Base {
    Now,
    Epoch,
}

/// Which expiries EXPIRE replaces.
#[derive(Clone, Copy, Default)]
struct Conditions {
    /// Only none.
    nx: bool,
    /// Only one that exists.
    xx: bool,
    /// Only an earlier one.
    gt: bool,
    /// Only a later one or none.
    lt: bool,
}

impl Conditions {
    fn parse(args: Args<'_>) -> Done<Conditions> {
        let mut found = Conditions::default();
        for word in args.from(3) {
            match () {
                () if is(word, "nx") => found.nx = true,
                () if is(word, "xx") => found.xx = true,
                () if is(word, "gt") => found.gt = true,
                () if is(word, "lt") => found.lt = true,
                () => {
                    let word = String::from_utf8_lossy(word);
                    return Err(format!("ERR Unsupported option {word}").into());
                }
            }
        }
        if found.nx && (found.xx || found.gt || found.lt) {
            return Err(
                "ERR NX and XX, GT or LT options at the same time are not compatible".into()
            );
        }
        if found.gt && found.lt {
            return Err("ERR GT and LT options at the same time are not compatible".into());
        }
        Ok(found)
    }

    /// Returns whether an expiry, 0 if there is none, may be replaced.
    fn allow(self, old_ms: u64, new_ms: i64) -> bool {
        let old = (old_ms != 0).then_some(old_ms.cast_signed());
        !(self.nx && old.is_some()
            || self.xx && old.is_none()
            || self.gt && old.is_none_or(|old| new_ms <= old)
            || self.lt && old.is_some_and(|old| new_ms >= old))
    }
}

fn invalid_time(context: &Context<'_>) -> Failure {
    format!("ERR invalid expire time in '{}' command", context.command.full_name).into()
}

fn expire(context: &mut Context<'_>, args: Args<'_>, unit: Unit, base: Base) -> Done {
    let conditions = Conditions::parse(args)?;
    let time = args.integer(2)?;
    let factor = if unit == Unit::Seconds { 1000 } else { 1 };
    let base_ms = if base == Base::Now { context.clock_ms().cast_signed() } else { 0 };
    let time_ms = time.checked_mul(factor).and_then(|ms| ms.checked_add(base_ms));
    let time_ms = time_ms.ok_or_else(|| invalid_time(context))?;
    let time_ms = time_ms.min(EXPIRE_MAX_MS.cast_signed());
    let place = context.place(args.at(1));
    let head = context.head(&place)?;
    if !head.is_some_and(|head| conditions.allow(head.expire_ms, time_ms)) {
        context.out.integer(0);
        return Ok(());
    }
    // A time in the past is one at which the key is absent already.
    match u64::try_from(time_ms) {
        Ok(time_ms) if time_ms > context.now_ms() => {
            context.set_expiry(&place, time_ms)?;
            context.notify(b'g', "expire", place.key);
        }
        _ => {
            context.remove(&place)?;
            context.notify(b'g', "del", place.key);
        }
    }
    context.out.integer(1);
    Ok(())
}

fn ttl(context: &mut Context<'_>, args: Args<'_>, unit: Unit, base: Base) -> Done {
    let head = context.head(&context.place(args.at(1)))?;
    let in_unit = |ms: u64| match unit {
        Unit::Seconds => ((ms + 500) / 1000).cast_signed(),
        Unit::Milliseconds => ms.cast_signed(),
    };
    context.out.integer(match (head.map(|head| head.expire_ms), base) {
        (None, _) => -2,
        (Some(0), _) => -1,
        (Some(expire_ms), Base::Epoch) => in_unit(expire_ms),
        (Some(expire_ms), Base::Now) => in_unit(expire_ms.saturating_sub(context.now_ms())),
    });
    Ok(())
}

fn persist(context: &mut Context<'_>, args: Args<'_>) -> Done {
    let place = context.place(args.at(1));
    let expires = context.head(&place)?.is_some_and(|head| head.expire_ms != 0);
    if expires {
        context.set_expiry(&place, 0)?;
        context.notify(b'g', "persist", place.key);
    }
    context.out.integer(expires.into());
    Ok(())
}
